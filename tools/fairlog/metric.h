/* SPDX-License-Identifier: GPL-2.0-or-later
 * The figures of a run that a summary shows. */
#ifndef FAIRLOG_METRIC_H
#define FAIRLOG_METRIC_H

#include "tools/fairlog/group.h"

struct metric {
	const char *name;
	const char *unit;
	enum {
		METRIC_FIELD,
		METRIC_COUNTS,
		METRIC_RESULT,
		METRIC_BACKGROUND
	} source; /* a field; the mean of counts; the entry of that name in result, or in background */
	enum record_field field;
	double per_unit; /* how much of the field's unit makes one of this */
	int decimals;	 /* 0 to 3 */
};

/* The figures that any of these groups has: fixed ones first, then the workload's own. To be freed. */
struct metric *metrics_make(const struct group *groups, size_t count, size_t *metrics);

/* Collects the figure from each run that has it; returns how many have. Values has room for group->count. */
size_t metric_values(const struct metric *metric, const struct group *group, double *values);

/* False if the run does not have the figure. */
bool metric_value(const struct metric *metric, const struct run *run, double *value);

/* The counts of one run's tasks, to be freed, or NULL if it has none. */
double *run_counts(const struct run *run, size_t *count);

#endif
