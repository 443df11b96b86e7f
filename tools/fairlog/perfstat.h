/* SPDX-License-Identifier: GPL-2.0-or-later
 * The layout of perf stat -r as of Linux 3.8, byte for byte, so that a run can stand beside one in a mail. */
#ifndef FAIRLOG_PERFSTAT_H
#define FAIRLOG_PERFSTAT_H

#include "tools/fairlog/group.h"
#include "tools/fairlog/stat.h"

#include <stdio.h>

/* In the order of the layout. Task-clock is in ns, all others are counts. */
enum perf_name {
	PERF_TASK_CLOCK,
	PERF_CONTEXT_SWITCHES,
	PERF_CPU_MIGRATIONS,
	PERF_PAGE_FAULTS,
	PERF_CYCLES,
	PERF_STALLED_FRONTEND,
	PERF_STALLED_BACKEND,
	PERF_INSTRUCTIONS,
	PERF_BRANCHES,
	PERF_BRANCH_MISSES,
	PERF_EVENTS
};

/* What a counter said at the end of one run. It has a place among the machine's counters for part of the time that it is enabled.
 */
struct perf_reading {
	bool supported;
	uint64_t value, enabled, running;
};

/* The same over the runs: of values scaled up to the whole time. Zeroed, the machine has no such counter. */
struct perf_event {
	enum { PERF_NOT_SUPPORTED, PERF_NOT_COUNTED, PERF_COUNTED } state;
	struct estimate value;
	double percent_running; /* of the time that it was enabled */
	bool scaled;		/* in the last run: only then is that percentage shown */
};

/* Needs n >= 1. A counter that never ran has not counted. */
struct perf_event perf_event_of(const struct perf_reading *readings, size_t n);

struct perfstat {
	const char *command;
	size_t runs;
	struct perf_event event[PERF_EVENTS];
	struct estimate elapsed_ns;
};

/* The number behind an event's #, of means: CPUs utilized, millions per second, GHz, instructions per cycle, per cent. NAN where
 * there is none. */
double perfstat_figure(const struct perfstat *stat, enum perf_name name);
/* Of the more frequent kind of stalls; NAN where they or instructions are not counted. */
double perfstat_stalls_per_instruction(const struct perfstat *stat);

void perfstat_print(FILE *to, const struct perfstat *stat);

/* Of runs in a log, at least one. */
struct perfstat perfstat_of(const struct group *group);
/* To standard output, under the name of the variant and what accompanied the runs, which perf stat has no place for; nothing if
 * there is no run. */
void perfstat_print_group(const struct group *group);

#endif
