/* SPDX-License-Identifier: GPL-2.0-or-later
 * Merges histograms of latencies: percentiles of several runs do not follow from those of each. */
#include "tools/fairlog/latency.h"

#include "tools/fairlog/allocate.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { UNMERGED = 16384 }; /* buckets that may wait to be merged: those of any number of runs take no more memory than this */

static int compare_ns(const void *a, const void *b)
{
	const struct latency_bucket *left = a, *right = b;

	return (left->ns > right->ns) - (left->ns < right->ns);
}

static void merge_equal(struct latencies *l)
{
	size_t used = 0;

	qsort(l->bucket, l->buckets, sizeof *l->bucket, compare_ns);
	for (size_t i = 0; i < l->buckets; i++) {
		if (used > 0 && l->bucket[used - 1].ns == l->bucket[i].ns)
			l->bucket[used - 1].count += l->bucket[i].count;
		else
			l->bucket[used++] = l->bucket[i];
	}
	l->buckets = l->merged = used;
}

static void add(struct latencies *to, const struct latency *latency)
{
	const unsigned char *at = latency->buckets.bytes;
	size_t pairs = latency->buckets.count / 2;

	if (latency->max_ns > to->max_ns)
		to->max_ns = latency->max_ns;
	if (to->buckets - to->merged > to->merged + UNMERGED)
		merge_equal(to);
	to->bucket = allocate(to->bucket, (to->buckets + pairs) * sizeof *to->bucket);
	for (size_t i = 0; i < pairs; i++) {
		uint64_t ns = pack_next(&at), count = pack_next(&at);

		to->bucket[to->buckets++] = (struct latency_bucket){ ns, count };
		to->count += count;
	}
}

struct latencies latencies_of(const struct group *group, const char *distance)
{
	struct latencies l = { .bucket = allocate(NULL, 0) };

	for (size_t i = 0; i < group->count; i++) {
		const struct run *run = group->runs[i];

		for (size_t k = 0; k < run->latencies; k++)
			if (!distance || strcmp(run->latency[k].distance, distance) == 0)
				add(&l, &run->latency[k]);
	}
	merge_equal(&l);
	return l;
}

/* The rank is rounded up, in two steps so that nothing overflows. What stands for a bucket may be above the longest in it. */
uint64_t latencies_percentile(const struct latencies *l, unsigned parts)
{
	uint64_t rank = l->count / 100000 * parts + (l->count % 100000 * parts + 99999) / 100000, passed = 0;

	for (size_t i = 0; i < l->buckets; i++) {
		uint64_t ns = l->bucket[i].ns;

		passed += l->bucket[i].count;
		if (passed >= rank)
			return ns < l->max_ns ? ns : l->max_ns;
	}
	return 0;
}

/* ---- the table ---- */

static const unsigned percentile[] = { 50000, 90000, 99000, 99900 };
enum { PERCENTILES = sizeof percentile / sizeof percentile[0] };

static void print_row(const struct group *group, const char *distance, const char *name)
{
	struct latencies l = latencies_of(group, distance);

	if (l.count > 0) {
		printf("     %-18s %10" PRIu64, name, l.count);
		for (unsigned i = 0; i < PERCENTILES; i++)
			printf(" %11.3f", (double)latencies_percentile(&l, percentile[i]) / 1e3);
		printf(" %11.3f\n", (double)l.max_ns / 1e3);
	}
	free(l.bucket);
}

static bool has_latencies(const struct group *group)
{
	for (size_t i = 0; i < group->count; i++) {
		if (group->runs[i]->latencies > 0)
			return true;
	}
	return false;
}

void print_latencies(const struct group *group)
{
	static const struct {
		const char *distance, *name;
	} rows[] = {
		{ NULL, "all" },
		{ "cpu", "same CPU" },
		{ "core", "same core" },
		{ "cache", "same cache" },
		{ "node", "same node" },
		{ "far", "another node" },
		{ "interrupt", "by an interrupt" },
	};

	if (!has_latencies(group))
		return;
	printf("\n   %-20s %10s", "wakeup latency, usec", "wakeups");
	for (unsigned i = 0; i < PERCENTILES; i++)
		printf(" %9.*f %%", percentile[i] % 1000 ? 1 : 0, percentile[i] / 1e3);
	printf(" %11s\n", "longest");
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
		print_row(group, rows[i].distance, rows[i].name);
}
