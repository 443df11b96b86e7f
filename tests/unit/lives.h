/* SPDX-License-Identifier: GPL-2.0-or-later
 * Tests of tasks that live: how they boot, and the trail that their tasks leave. */
#ifndef TESTS_UNIT_LIVES_H
#define TESTS_UNIT_LIVES_H

#include "tests/unit/machine.h"

#include "sched/rq.h"

static inline void boot_labels(unsigned cpus)
{
	test_machine(1, 1, cpus, 1);
	test_boot(SWITCH_LABELS);
}

static inline void run(unsigned cpus, void (*body)(void *), void *argument)
{
	test_machine(1, 1, cpus, 1);
	test_boot(SWITCH_STACKS);
	test_run(body, argument);
}

static inline struct task *spawn(void (*entry)(void *), void *argument)
{
	struct task *t = task_spawn("child", entry, argument, false);

	assert_non_null(t);
	return t;
}

static char trail[64]; /* one letter for each thing that has happened */

static inline void leave(char letter)
{
	size_t n = strlen(trail);

	assert_true(n < sizeof(trail) - 1);
	trail[n] = letter;
}

static inline void leave_letter(void *argument)
{
	leave(*(char *)argument);
}

#endif
