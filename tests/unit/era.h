/* SPDX-License-Identifier: GPL-2.0-or-later
 * The test machine with the switches of a release. */
#ifndef TESTS_UNIT_ERA_H
#define TESTS_UNIT_ERA_H

#include "tests/unit/machine.h"

#include "sched/rq.h"

/* After test_machine(), instead of test_boot(SWITCH_LABELS). */
static inline void test_boot_preset(const char *name)
{
	char error[KNOB_ERROR_BYTES];

	test_boot(SWITCH_LABELS);
	assert_int_equal(preset_apply(name, error), 0);
	sched_knobs_settle(nr_cpus);
	test_apply_knobs();
}

#endif
