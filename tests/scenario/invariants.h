/* SPDX-License-Identifier: GPL-2.0-or-later
 * What must hold of the scheduler's state whenever all run-queue locks are held. */
#ifndef TESTS_SCENARIO_INVARIANTS_H
#define TESTS_SCENARIO_INVARIANTS_H

#include "sched/check.h"

struct task;

/* Set at first where CPUs are not virtual: a host may keep any of them waiting, so nobody can be late. */
extern bool on_real_cpus;

/* A task that is alive for certain. */
struct known_task {
	struct task *task;
	bool moving;	  /* task_set_allowed() of it is under way */
	unsigned queued;  /* found on so many queues */
	unsigned running; /* and on so many CPUs */
};

/* Before each run on the same machine: virtual time may begin anew. Task context, interrupts on. */
void invariants_begin(void);
/* Both need the locks that invariants_lock() takes. */
void invariants_check(struct known_task *known, unsigned nr);
unsigned long invariants_lock(void);
void invariants_unlock(unsigned long flags);

/* After a run: every CPU's time since invariants_begin() went somewhere, and nowhere twice. */
void invariants_check_time(void);

/* After a run, if latencies are kept: every wakeup since invariants_begin() that found its task off the CPU has one latency. */
void invariants_check_wakeups(void);

/* CPU time of the calling task up to now. Task context, interrupts on. */
u64 own_exec_ns(void);

#endif
