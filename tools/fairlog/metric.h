/* SPDX-License-Identifier: GPL-2.0-or-later
 * The figures of a run that a summary shows. */
#ifndef FAIRLOG_METRIC_H
#define FAIRLOG_METRIC_H

#include "tools/fairlog/group.h"
#include "tools/fairlog/stat.h"

struct metric {
	const char *name;
	const char *unit;
	enum {
		METRIC_FIELD,
		METRIC_COUNTS,
		METRIC_RESULT,
		METRIC_BACKGROUND,
		METRIC_FREQUENCY,
		METRIC_AT_BASE
	} source; /* a field; the mean of counts; the entry of that name in result, or in background; the field, if it is not 0;
		   * what the workload is judged by, had its CPUs run at their base frequency */
	enum record_field field;
	double per_unit; /* how much of the field's unit makes one of this */
	int decimals;	 /* 0 to 3 */
};

/* The figures that any of these groups has: what the workload is judged by first, then fixed ones, then the workload's own. To be
 * freed. */
struct metric *metrics_make(const struct group *groups, size_t count, size_t *metrics);

/* What the workload of these groups is judged by. False: no run counts, or none has the figure. */
bool metric_of_figure(const struct group *groups, size_t count, struct metric *figure, bool *more_is_better);

/* Collects the figure from each run that has it; returns how many have. Values has room for group->count. */
size_t metric_values(const struct metric *metric, const struct group *group, double *values);

/* False if the run does not have the figure. */
bool metric_value(const struct metric *metric, const struct run *run, double *value);

/* "better" or "worse" by what an interval says of such a figure; empty if it contains 1 or there is none. */
const char *metric_word(const struct ratio *ratio, bool more_is_better);

/* The counts of one run's tasks, to be freed, or NULL if it has none. */
double *run_counts(const struct run *run, size_t *count);

#endif
