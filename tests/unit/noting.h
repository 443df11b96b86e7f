/* SPDX-License-Identifier: GPL-2.0-or-later
 * For tests of what tasks block on: a body that runs as a task on a machine with one CPU, so that who runs when is known to the
 * step, and a note of each wakeup of others. */
#ifndef TESTS_UNIT_NOTING_H
#define TESTS_UNIT_NOTING_H

#include "tests/unit/machine.h"

#include "sched/rq.h"

/* ---- a class for the other tasks: fair, but each wakeup is noted, and it never preempts the main task, which is plainly fair ----
 */

enum { MOST_WAKES = 128 };

static struct {
	unsigned nr;
	struct {
		struct task *task;
		unsigned flags;
	} wake[MOST_WAKES];
} noted;

/* Called at each wakeup noted, with what the waker holds, and where a body ends. NULL: nobody looks. */
static void (*test_on_wake)(void), (*test_at_end)(void);

static inline unsigned note_and_select(struct task *t, enum select_kind kind, unsigned wake_flags)
{
	if (kind == SELECT_WAKE) {
		assert_true(noted.nr < MOST_WAKES);
		if (test_on_wake)
			test_on_wake();
		noted.wake[noted.nr].task = t;
		noted.wake[noted.nr++].flags = wake_flags;
	}
	return fair_class.select_cpu(t, kind, wake_flags);
}

static struct sched_class noting_class;

static void (*test_body)(void);

/* The other tasks are left where they are; the test's process ends with them. */
static inline void run_body(void *unused)
{
	(void)unused;
	test_body();
	if (test_at_end)
		test_at_end();
	current()->nr_children = 0;
}

/* A body of a test runs as the task "main" of a machine with one CPU. */
static inline void run_in_task(void (*body)(void))
{
	test_body = body;
	test_machine(1, 1, 1, 1);
	test_boot(SWITCH_STACKS);
	noting_class = fair_class;
	noting_class.select_cpu = note_and_select;
	test_run(run_body, NULL);
}

#define TEST_IN_TASK(name)                                                                                                         \
	static void name##_in_task(void);                                                                                          \
	static void name(void **state)                                                                                             \
	{                                                                                                                          \
		(void)state;                                                                                                       \
		run_in_task(name##_in_task);                                                                                       \
	}                                                                                                                          \
	static void name##_in_task(void)

#endif
