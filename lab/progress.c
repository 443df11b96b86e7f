/* SPDX-License-Identifier: GPL-2.0-or-later
 * How far it is, from what has been. */
#include "lab/progress.h"

#include "arch/machine.h"
#include "base/text.h"

enum { FEW_RUNS = 8, PPM = 1000000 };

static void say_time_left(u64 ns)
{
	u64 seconds = ns / NSEC_PER_SEC;

	if (seconds >= 90)
		say(", about %llu min left", (unsigned long long)((seconds + 30) / 60));
	else
		say(", about %llu s left", (unsigned long long)(seconds + 1));
}

static void say_ratio(const struct plan *plan, const struct pairs *p)
{
	char first[TEXT_BYTES], other[TEXT_BYTES];

	plan_variant_name(plan, 0, first, sizeof(first));
	plan_variant_name(plan, 1, other, sizeof(other));
	say("; %s against %s so far %s (standard error %s %%)", other, first, text_decimal(exp_ppm(pairs_mean(p)), PPM, 3).text,
		text_decimal(100 * root_of(pairs_squares(p), p->n * (p->n - 1)), 1ull << 32, 2).text);
}

void progress_say(const struct plan *plan, const struct tally *t, u64 started_ns, u64 done, u64 total)
{
	if (total < FEW_RUNS || done >= total)
		return;
	say("%llu of %llu runs done", (unsigned long long)done, (unsigned long long)total);
	say_time_left((machine_clock_ns() - started_ns) / done * (total - done));
	if (t->pairs[1].n >= 2)
		say_ratio(plan, &t->pairs[1]);
	say("\n");
}
