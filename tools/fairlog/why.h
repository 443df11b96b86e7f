/* SPDX-License-Identifier: GPL-2.0-or-later
 * What fairlog why knows of the task that it is asked about. */
#ifndef FAIRLOG_WHY_H
#define FAIRLOG_WHY_H

#include "tools/fairlog/trace.h"

enum task_state { UNKNOWN, NOT_MADE, WAITS, RUNS, SLEEPS, HAS_ENDED };

struct story {
	uint32_t id; /* 0: not found */
	uint64_t at_ns;
	enum task_state state;
	unsigned cpu;
	uint64_t since_ns; /* in this state; waits: runnable without the CPU, wherever */

	struct event origin; /* the waking or fork since which it can run; time_ns 0: not seen */
	struct event queued; /* the wakeup behind it */
	struct event moved;  /* the last move since */
	unsigned moves;
	struct event picked; /* its last switch to it */
	struct event left;   /* from it */
	uint64_t waited_ns;  /* before it was picked */
	uint32_t behind;     /* who ran there when its wait began; 0: not known */

	bool answered;	   /* the next change after the instant has been seen */
	struct event next; /* that change */
	uint64_t first_ns; /* the first event of the trace */
	uint32_t *running; /* on each CPU; 0: not known */
};

/* Print it in words. */
void why_tell(const struct story *story, const struct trace *trace);

#endif
