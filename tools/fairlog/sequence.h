/* SPDX-License-Identifier: GPL-2.0-or-later
 * Logs of until=: the number of runs follows from a first stage, and so do the intervals. */
#ifndef FAIRLOG_SEQUENCE_H
#define FAIRLOG_SEQUENCE_H

#include "tools/fairlog/boot.h"
#include "tools/fairlog/verdict.h"

/* The record on that variant, which is of the ratio to the plan's first one; NULL: there is none. */
const json_t *sequence_find(const struct boot *boot, const char *workload, const char *first, const char *other);

/* Runs of each variant that the workload was to get: planned, or what its first stage came to. */
uint64_t sequence_runs(const struct boot *boot, const char *workload, uint64_t planned);

/* The figure that it is of, as tables call it. */
const char *sequence_figure(const json_t *sequence);

/* Puts the two-stage interval, mean +- t s / sqrt(n) with s and t of the first stage, in place of that of n pairs: their own s had
 * a say in their number. */
void sequence_adjust(struct effect *effect, const json_t *sequence, size_t n);

#endif
