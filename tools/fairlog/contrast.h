/* SPDX-License-Identifier: GPL-2.0-or-later
 * Two groups of runs of one workload that are to be compared, and which of their runs belong together. */
#ifndef FAIRLOG_CONTRAST_H
#define FAIRLOG_CONTRAST_H

#include "tools/fairlog/group.h"
#include "tools/fairlog/metric.h"
#include "tools/fairlog/verdict.h"

struct contrast {
	const struct group *a, *b;
	const char *file_a, *file_b; /* NULL: both are of one log */
	bool paired;
	const json_t *sequence; /* the record of until= on it, or NULL */
	const char *why;	/* they are paired, or not */
};

/* Groups of one boot: runs of the same number are of one pass over the variants, neighbours in time, unless the order is aabb.
 * Groups of two boots, or in that order: only runs of an exact machine that were perturbed alike. */
struct contrast contrast_make(const struct boot *boot_a, const struct group *a, const struct boot *boot_b, const struct group *b);

/* Of two groups: the figure from each pair of runs with the same number that both have it. Returns how many pairs; there is room
 * for the smaller group in a and b. */
size_t pair_values(const struct metric *metric, const struct group *group_a, const struct group *group_b, double *a, double *b);

/* As the contrast says, paired or not. The values are to be freed. */
struct samples contrast_samples(const struct contrast *contrast, const struct metric *metric, double **a, double **b);

/* Of these samples; of a figure whose number of runs was found in two stages, with the interval that goes with that. */
struct effect contrast_effect(
	const struct contrast *contrast, const struct metric *metric, const struct samples *samples, bool tail);

#endif
