/* SPDX-License-Identifier: GPL-2.0-or-later
 * The decision trace, as the files that decide see it: base/trace.def lists the events, docs/trace.md says what for.
 *
 * All of it is called on the CPU that decides, with interrupts off, and takes no lock and no time of the virtual machines'. Not
 * tracing, a hook is one test of a flag that hardly ever changes.
 */
#ifndef SCHED_TRACE_H
#define SCHED_TRACE_H

#include "base/trace.h"
#include "sched/sched.h"

struct balance;

extern bool trace_on; /* some CPU is traced; changes between runs */

/* TRACE(wakeup(t, cpu)) is trace_wakeup(t, cpu) while there is a trace. */
#define TRACE(call) ((void)(unlikely(trace_on) ? (trace_##call, 0) : 0))

/* The events. */
void trace_switched(const struct task *prev, const struct task *next, bool sleeps, bool preempted);
void trace_waking(const struct task *t, unsigned cpu, unsigned wake_flags); /* and its migration */
void trace_remote(void);						    /* the one just woken is queued by its CPU */
void trace_wakeup(const struct task *t, unsigned cpu);
void trace_wakeup_new(const struct task *t, unsigned cpu);
void trace_fork(const struct task *child, unsigned cpu); /* and its migration */
void trace_exec(const struct task *t, unsigned cpu);
void trace_migrate(const struct task *t, unsigned to, enum trace_word cause); /* nothing if it is there */
void trace_pull(const struct balance *b, const struct task *t);		      /* by a balance pass or an active push */
void trace_balance(const struct balance *b, unsigned result, unsigned moved);
void trace_newidle(const struct rq *rq, enum trace_word result, u64 took_ns);

/* What the next events of this CPU will give as their reasons. */
void trace_pick(const struct rq *rq);  /* it is about to pick */
void trace_place(enum trace_word why); /* of the CPU chosen for a task */
void trace_rule(enum trace_word rule); /* of preempting, or not */

void trace_follow(unsigned cpu); /* that CPU's counters are being read; its lock is held */

extern bool trace_kept; /* there may be a trace in this boot */

void trace_end(const struct task *t);

/* t ends. */
static inline void trace_exit(const struct task *t)
{
	if (unlikely(trace_kept))
		trace_end(t);
}

/* A CPU has been chosen for that reason. */
static inline unsigned placed(unsigned cpu, enum trace_word why)
{
	TRACE(place(why));
	return cpu;
}

#endif
