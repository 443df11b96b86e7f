/* SPDX-License-Identifier: GPL-2.0-or-later
 * Latencies of wakeups, added up over the runs of a group. */
#ifndef FAIRLOG_LATENCY_H
#define FAIRLOG_LATENCY_H

#include "tools/fairlog/group.h"

struct latencies {
	uint64_t count, max_ns;
	size_t buckets, merged; /* merged: of those, that are ascending, each ns once; at the end all */
	struct latency_bucket {
		uint64_t ns, count;
	} * bucket; /* to be freed */
};

/* Those of that distance, or of all distances for NULL. */
struct latencies latencies_of(const struct group *group, const char *distance);

/* What that many of 100,000 do not exceed, as the kernel works it out; 0 where there are none. */
uint64_t latencies_percentile(const struct latencies *l, unsigned parts);

/* A table of percentiles: all, then each distance; nothing for a group without any. */
void print_latencies(const struct group *group);

#endif
