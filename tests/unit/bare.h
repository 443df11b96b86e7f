/* SPDX-License-Identifier: GPL-2.0-or-later
 * Tests of what needs no scheduler. */
#ifndef TESTS_UNIT_BARE_H
#define TESTS_UNIT_BARE_H

#include "tests/unit/machine.h"

#include "base/string.h"

/* The scheduler is not started: interrupts are off, nothing runs but the test. */
static inline void start_machine(void)
{
	test_machine(1, 1, 4, 1);
	machine_stack_new(); /* the test machine learns where its own stack is when it makes the first other one */
}

static inline void expect_said(const char *text)
{
	assert_string_equal(test_console(), text);
}

#endif
