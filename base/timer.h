/* SPDX-License-Identifier: GPL-2.0-or-later
 * One-shot timers, kept per CPU and fired from that CPU's timer interrupt. */
#ifndef BASE_TIMER_H
#define BASE_TIMER_H

#include <bsd/sys/tree.h>

#include "base/types.h"

struct timer {
	RB_ENTRY(timer) node;
	u64 deadline_ns;
	void (*fire)(struct timer *); /* interrupts off, on the CPU that armed it */
};

/* Have t->fire called at t->deadline_ns or soon after, on this CPU. Interrupts are off; t must live until then. */
void timer_start(struct timer *t);

/* One that has been started and has not been fired is forgotten. On the CPU that armed it, interrupts off. */
void timer_stop(struct timer *t);

/* The next instant at which something is due on this CPU: a timer, or the tick if that is sooner. Owner CPU, interrupts off. */
void timer_set_tick(u64 deadline_ns);

/*
 * Fire what is due by now, then ask the machine for the next instant. True: that of timer_set_tick() has come too, and nothing was
 * asked for; the caller sets another. From kernel_timer().
 */
bool timer_run(u64 now_ns);

/* When the next timer of any CPU is due, ticks apart, as far as can be told from outside; TIMER_NEVER: there is none. */
u64 timer_next_ns(unsigned cpu);

#endif
