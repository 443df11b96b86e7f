/* SPDX-License-Identifier: GPL-2.0-or-later
 * The latencies of a run's wakeups: in its own record for all of them, and in a record for each distance. */
#include "lab/lab.h"

#include "base/histogram.h"
#include "base/record.h"

static const char *const distance_name[NR_WAKE_DISTANCES] = {
	[WAKE_CPU] = "cpu",
	[WAKE_CORE] = "core",
	[WAKE_CACHE] = "cache",
	[WAKE_NODE] = "node",
	[WAKE_FAR] = "far",
	[WAKE_INTERRUPT] = "interrupt",
};

/* To be read only; the shortest is not known. */
static struct histogram histogram_of(const struct latency *l)
{
	struct histogram h = {
		.sum = l->sum_ns, .most = l->max_ns, .bits = LATENCY_BITS, .nr_buckets = LATENCY_BUCKETS, .bucket = (u64 *)l->bucket
	};

	for (unsigned i = 0; i < LATENCY_BUCKETS; i++)
		h.count += l->bucket[i];
	return h;
}

static u64 mean(const struct histogram *h)
{
	return h->count ? h->sum / h->count : 0;
}

void put_wakeup_latency(const struct run *r)
{
	static u64 bucket[LATENCY_BUCKETS];
	struct histogram all;

	histogram_init(&all, LATENCY_BITS, bucket, LATENCY_BUCKETS);
	all.least = 0;
	for (unsigned d = 0; d < NR_WAKE_DISTANCES; d++) {
		struct histogram h = histogram_of(&r->latency[d]);

		histogram_merge(&all, &h);
	}
	record_uint(FIELD_run_wakeup_count, all.count);
	record_uint(FIELD_run_wakeup_mean_ns, mean(&all));
	record_uint(FIELD_run_wakeup_p50_ns, histogram_percentile(&all, 50000));
	record_uint(FIELD_run_wakeup_p90_ns, histogram_percentile(&all, 90000));
	record_uint(FIELD_run_wakeup_p99_ns, histogram_percentile(&all, 99000));
	record_uint(FIELD_run_wakeup_p999_ns, histogram_percentile(&all, 99900));
	record_uint(FIELD_run_wakeup_max_ns, all.most);
}

/* Whoever adds up the buckets of several runs need not know where they begin. */
static void put_buckets(const struct histogram *h)
{
	static u64 pair[2 * LATENCY_BUCKETS];
	unsigned n = 0;

	for (u32 i = 0; i < h->nr_buckets; i++) {
		if (!h->bucket[i])
			continue;
		pair[n++] = histogram_middle(h->bits, i);
		pair[n++] = h->bucket[i];
	}
	record_uints(FIELD_latency_buckets, pair, n);
}

static void report_distance(u64 position, const char *distance, const struct histogram *h)
{
	record_begin(RECORD_latency);
	record_uint(FIELD_latency_position, position);
	record_str(FIELD_latency_distance, distance);
	record_uint(FIELD_latency_count, h->count);
	record_uint(FIELD_latency_mean_ns, mean(h));
	record_uint(FIELD_latency_p50_ns, histogram_percentile(h, 50000));
	record_uint(FIELD_latency_p90_ns, histogram_percentile(h, 90000));
	record_uint(FIELD_latency_p99_ns, histogram_percentile(h, 99000));
	record_uint(FIELD_latency_p999_ns, histogram_percentile(h, 99900));
	record_uint(FIELD_latency_max_ns, h->most);
	put_buckets(h);
	record_end();
}

void report_latencies(u64 position, const struct run *r)
{
	for (unsigned d = 0; d < NR_WAKE_DISTANCES; d++) {
		struct histogram h = histogram_of(&r->latency[d]);

		if (h.count)
			report_distance(position, distance_name[d], &h);
	}
}
