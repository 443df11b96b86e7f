/* SPDX-License-Identifier: GPL-2.0-or-later
 * The workload yield: how many turns its tasks have, and that none is left asleep. Expected numbers: every task makes as many turns
 * as it was told to, and where they all wait on one CPU each turn goes to another than the one before; only the last to go on alone
 * hands over to nobody. A miss means that a figure per turn would not be the cost of a turn. */
#include "tests/unit/running.h"

static void expect_turns(const char *arguments, u64 turns)
{
	expect_ok(&sched_yield, arguments);
	assert_true(metric("turns") == turns);
}

/* No time passes in a turn here: nobody falls behind, so a yielder stands back for the second and all have their turns in order. */
static void test_turns_on_one_cpu(void **state)
{
	(void)state;
	start_machine(1, 1, 1, 1);
	expect_turns("-t 2 -l 100", 200);
	assert_true(metric("handovers") == 200);
	expect_turns("-t 50 -l 7", 350);
	assert_true(metric("handovers") == 350);
	expect_turns("-t 1 -l 9", 9);
	assert_true(metric("handovers") == 1);
}

/* Two that relieve each other, and one that has nobody to: it must not rest. When the one of the two has ended the other goes on.
 */
static void test_rests_on_one_cpu(void **state)
{
	(void)state;
	start_machine(1, 1, 1, 1);
	expect_turns("--rest -t 2 -l 100", 200);
	assert_true(metric("handovers") >= 199);
	expect_turns("--rest -t 50 -l 7", 350);
	expect_turns("--rest -t 1 -l 9", 9);
	assert_true(metric("handovers") == 1);
}

static void test_on_four_cpus(void **state)
{
	(void)state;
	start_machine(1, 1, 4, 1);
	for (unsigned preempt = 0; preempt < 2; preempt++) {
		knob.preempt = preempt ? PREEMPT_FULL : PREEMPT_NONE;
		test_apply_knobs();
		expect_turns("-t 9 -l 40", 360);
		expect_turns("-r -t 9 -l 40", 360);
		expect_turns("-r -t 2 -l 40", 80);
	}
}

/* 100,000 stacks of 16 KiB are more than there is: said so, and nobody is left waiting. */
static void test_out_of_memory(void **state)
{
	(void)state;
	start_machine(1, 1, 1, 1);
	run_workload(&sched_yield, "-t 100000 -l 1");
	assert_string_equal(result.status, "not enough memory for so many tasks");
	expect_turns("-t 2 -l 1", 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		machine_test(test_turns_on_one_cpu),
		machine_test(test_rests_on_one_cpu),
		machine_test(test_on_four_cpus),
		machine_test(test_out_of_memory),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
