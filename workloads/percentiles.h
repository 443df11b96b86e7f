/* SPDX-License-Identifier: GPL-2.0-or-later
 * Percentiles as schbench prints them (workloads.md 4.6). */
#ifndef WORKLOADS_PERCENTILES_H
#define WORKLOADS_PERCENTILES_H

#include "base/histogram.h"

/* A line of a block; a list of them ends with parts 0. */
struct percentile {
	u32 parts; /* of 100,000 */
	bool headline;
};

/* The shape of schbench's histograms: 19 groups of 256 buckets, so exact below 512. */
enum { SCHBENCH_BITS = 8, SCHBENCH_BUCKETS = 19 << SCHBENCH_BITS };

/* A histogram of that shape in the memory of the run. Without `bucket`: there was no more. */
struct histogram percentiles_new(void);

/* "TITLE percentiles (UNIT) runtime ...", then a line for each, with the number of samples between its bucket and the one before.
 */
void say_percentiles(const char *title, const char *unit, u64 runtime_ns, const struct histogram *h, const struct percentile *list);

#endif
