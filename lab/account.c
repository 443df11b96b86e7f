/* SPDX-License-Identifier: GPL-2.0-or-later
 * What a run wasted and why, and what newidle balancing cost and brought, in two lines for people. */
#include "lab/lab.h"

#include "base/text.h"

static const char *const cause_name[NR_WASTE_CAUSES] = {
	[WASTE_NOT_DUE] = "not due",
	[WASTE_NOBODY] = "nobody looked",
	[WASTE_OFF] = "newidle off",
	[WASTE_THRESHOLD] = "under threshold",
	[WASTE_THROTTLED] = "throttled",
	[WASTE_LOCK] = "looking",
	[WASTE_AFFINITY] = "affinity",
	[WASTE_HOT] = "cache-hot",
	[WASTE_BUDDY] = "buddies",
	[WASTE_ARRIVING] = "arriving",
};

static void say_ms(u64 ns)
{
	say("%s", text_decimal(ns, NSEC_PER_MSEC, 3).text);
}

static void say_waste(const struct sched_totals *a, const struct sched_totals *b)
{
	const char *before = ": ";

	say("Wasted ");
	say_ms(b->waste.ns - a->waste.ns);
	say(" ms of CPU time");
	for (unsigned i = 0; i < NR_WASTE_CAUSES; i++) {
		if (b->wasted_by[i] == a->wasted_by[i])
			continue;
		say("%s%s ", before, cause_name[i]);
		say_ms(b->wasted_by[i] - a->wasted_by[i]);
		before = ", ";
	}
	say("\n");
}

static void say_newidle(const struct sched_totals *a, const struct sched_totals *b)
{
	if (b->newidle_calls == a->newidle_calls)
		return;
	say("Newidle: %llu passes took ", (unsigned long long)(b->newidle_calls - a->newidle_calls));
	say_ms(b->newidle_ns - a->newidle_ns);
	say(" ms and %llu pairs of locks, pulled %llu tasks", (unsigned long long)(b->newidle_locks - a->newidle_locks),
		(unsigned long long)(b->balance_pulls[CPU_NEWLY_IDLE] - a->balance_pulls[CPU_NEWLY_IDLE]));
	if (b->newidle_followed > a->newidle_followed) {
		say("; %llu of them would have waited ", (unsigned long long)(b->newidle_followed - a->newidle_followed));
		say_ms(b->newidle_saved_ns - a->newidle_saved_ns);
		say(" ms more");
	}
	if (b->newidle_cold_ns > a->newidle_cold_ns) {
		say("; cold caches cost them ");
		say_ms(b->newidle_cold_ns - a->newidle_cold_ns);
		say(" ms");
	}
	say("\n");
}

void say_account(const struct run *r)
{
	if (param.waste)
		say_waste(&r->before, &r->after);
	say_newidle(&r->before, &r->after);
}
