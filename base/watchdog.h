/* SPDX-License-Identifier: GPL-2.0-or-later
 * Telling a machine that is busy from one that has stopped. docs/reliability.md says what is looked for.
 *
 * All CPUs are looked at once in a round, an eighth of the time limit, by whichever of them takes a timer interrupt first. What is
 * wrong must have been so in eight rounds in a row: a CPU that an emulator does not let run for a while, or a whole machine that
 * stood still, has at most a few.
 */
#ifndef BASE_WATCHDOG_H
#define BASE_WATCHDOG_H

#include "arch/machine.h"

enum { WATCHDOG_ROUNDS = 8, WATCHDOG_TICKS = 16 /* of a CPU, between its looks at the clock */ };

/* Of one CPU. */
struct watched {
	/* owner CPU */
	u64 deadline; /* of its timer */
	u64 passed;   /* struct pulse */
	u32 bound;    /* of its ticks, those in a row that found the same task where it cannot be preempted */
	u32 ticks;
	/* whoever looks */
	struct {
		u64 deadline, passed;
		u32 bound;
		u32 late, held, deaf; /* rounds in a row in which that was so */
	} seen;
} cache_aligned;

extern struct watched watchdog_of[MAX_CPUS];

/* 0: never look. Once, before the first tick. */
void watchdog_init(u64 limit_ns);

/* What is wrong with a CPU. */
enum watchdog_finding {
	WATCHDOG_FINE,
	WATCHDOG_LATE,	/* its timer is due and is not taken */
	WATCHDOG_HELD,	/* its task cannot be preempted and passes no scheduling point */
	WATCHDOG_DEAF,	/* it has been kicked and does not hear */
	WATCHDOG_STILL, /* nothing is wrong but that everybody sleeps for good: of the machine */
};

/* Count a timer interrupt of this CPU. True: it is time for watchdog_look(). */
static inline bool watchdog_tick(void)
{
	unsigned cpu = machine_cpu();
	struct watched *w = &watchdog_of[cpu];
	u64 passed;
	bool bound = kernel_is_bound(cpu, &passed);

	w->bound = bound && passed == w->passed ? w->bound + 1 : 0;
	w->passed = passed;
	return unlikely(++w->ticks % WATCHDOG_TICKS == 0);
}

/* This CPU's timer will fire then. */
static inline void watchdog_armed(u64 deadline_ns)
{
	WRITE_ONCE(watchdog_of[machine_cpu()].deadline, deadline_ns);
}

/* If a round is due, look at all CPUs. What is found last for long enough, and of which CPU. Interrupts are off. */
enum watchdog_finding watchdog_look(u64 now_ns, unsigned *cpu);

/* Are the timers of all CPUs late? After a finding. */
bool watchdog_all_late(void);

u64 watchdog_limit_ns(void);

/* From now on nothing is wrong: the machine comes to its end. */
void watchdog_stop(void);

#endif
