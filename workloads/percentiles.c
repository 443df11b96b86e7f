/* SPDX-License-Identifier: GPL-2.0-or-later
 * Percentiles as schbench prints them. */
#include "workloads/percentiles.h"

#include "base/mem.h"
#include "base/text.h"

struct histogram percentiles_new(void)
{
	u64 *bucket = mem_alloc(SCHBENCH_BUCKETS * sizeof(*bucket));
	struct histogram h = { .bucket = NULL };

	if (bucket)
		histogram_init(&h, SCHBENCH_BITS, bucket, SCHBENCH_BUCKETS);
	return h;
}

/* In the bucket of that value and those below. */
static u64 samples_up_to(const struct histogram *h, u64 value)
{
	u64 last = min_u64(histogram_index(h->bits, value), h->nr_buckets - 1), samples = 0;

	for (u64 i = 0; i <= last; i++)
		samples += h->bucket[i];
	return samples;
}

void say_percentiles(const char *title, const char *unit, u64 runtime_ns, const struct histogram *h, const struct percentile *list)
{
	u64 passed = 0;

	say("%s percentiles (%s) runtime %llu (s) (%llu total samples)\n", title, unit,
		(unsigned long long)(runtime_ns / NSEC_PER_SEC), (unsigned long long)h->count);
	for (const struct percentile *p = list; p->parts; p++) {
		u64 value = histogram_percentile(h, p->parts), samples = samples_up_to(h, value);

		say("\t%s%sth: %-10llu (%llu samples)\n", p->headline ? "* " : "  ", text_decimal(p->parts, 1000, 1).text,
			(unsigned long long)value, (unsigned long long)(samples - passed));
		passed = samples;
	}
	say("\t  min=%llu, max=%llu\n", (unsigned long long)(h->count ? h->least : 0), (unsigned long long)h->most);
}
