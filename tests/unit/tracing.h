/* SPDX-License-Identifier: GPL-2.0-or-later
 * Looking at the decision trace on the test machine. */
#ifndef TESTS_UNIT_TRACING_H
#define TESTS_UNIT_TRACING_H

#include "tests/unit/machine.h"

#include "sched/rq.h"

enum { TRACED_EVENTS = 256 };

/* Trace all CPUs from now on. */
static inline void trace_from_here(void)
{
	struct sched_totals totals;

	if (!trace_kept)
		assert_int_equal(sched_trace_reserve(TRACED_EVENTS), 0);
	sched_trace(true);
	sched_totals(&totals);
}

static inline void trace_up_to_here(void)
{
	struct sched_totals totals;

	sched_trace(false);
	sched_totals(&totals);
}

static inline unsigned count_events(unsigned cpu, enum trace_event event)
{
	u64 lost, time, number[TRACE_NUMBERS];
	unsigned n = 0;

	for (u64 i = 0; i < sched_trace_events(cpu, &lost); i++) {
		sched_trace_event(cpu, i, &time, number);
		n += number[0] == event;
	}
	return n;
}

/* An argument of that CPU's last event of that kind. */
static inline u64 last_arg(unsigned cpu, enum trace_event event, unsigned arg)
{
	u64 lost, time, number[TRACE_NUMBERS];

	for (u64 i = sched_trace_events(cpu, &lost); i-- > 0;) {
		sched_trace_event(cpu, i, &time, number);
		if (number[0] == event)
			return number[1 + arg];
	}
	fail_msg("CPU %u has no event %u", cpu, event);
	return 0;
}

#define LAST(cpu, event, arg)		       last_arg(cpu, TRACE_##event, TRACE_ARG(event, arg))
#define expect_last(cpu, event, arg, expected) assert_int_equal(LAST(cpu, event, arg), expected)

/* That CPU wakes it; the event says so. */
static inline struct task *wake_from(unsigned cpu, struct task *t, unsigned flags)
{
	trace_from_here();
	test_on_cpu(cpu);
	assert_true(task_wake(t, flags));
	expect_last(cpu, waking, task, t->id);
	expect_last(cpu, waking, waker, current()->id);
	expect_last(cpu, waking, cpu, t->cpu);
	return t;
}

#endif
