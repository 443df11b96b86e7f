/* SPDX-License-Identifier: GPL-2.0-or-later
 * The workload yield: how many turns its tasks have, and that none is left asleep. Expected numbers: every task makes as many turns
 * as it was told to, and where they all wait on one CPU each turn goes to another than the one before; only the last to go on alone
 * hands over to nobody. A miss means that a figure per turn would not be the cost of a turn. */
#include <stdio.h>

#include "tests/unit/machine.h"

#include "base/mem.h"
#include "workloads/workload.h"

static u64 options[8];
static struct run result;

static void run_in_task(void *arguments)
{
	const char *argv[16];
	unsigned argc = 0;
	char error[WORKLOAD_ERROR_BYTES] = "";

	for (char *word = strtok(arguments, " "); word; word = strtok(NULL, " "))
		argv[argc++] = word;
	memset(options, 0, sizeof(options));
	memset(&result, 0, sizeof(result));
	if (sched_yield.parse(argc, argv, options, error))
		fail_msg("%s", error);
	sched_yield.run(options, &result);
	assert_int_equal(current()->nr_children, 0);
	while (task_count() > 1)
		task_sleep_ns(NSEC_PER_MSEC);
	sched_end_run();
	mem_end_run();
}

static void run_workload(const char *arguments)
{
	char copy[128];

	snprintf(copy, sizeof(copy), "%s", arguments);
	test_run(run_in_task, copy);
	while (current()->nr_children)
		task_reap(REAP_ANY);
}

static void start_machine(unsigned cores)
{
	test_machine(1, 1, cores, 1);
	test_clock_set(NSEC_PER_SEC);
	test_boot(SWITCH_STACKS);
}

static u64 metric(const char *name)
{
	for (unsigned i = 0; i < result.nr_metrics; i++)
		if (!strcmp(result.metric[i].name, name))
			return result.metric[i].value;
	fail_msg("no %s", name);
	return 0;
}

static void expect_turns(const char *arguments, u64 turns)
{
	run_workload(arguments);
	if (strcmp(result.status, "ok"))
		fail_msg("%s: %s", arguments, result.status);
	assert_true(metric("turns") == turns);
}

/* No time passes in a turn here: nobody falls behind, so a yielder stands back for the second and all have their turns in order. */
static void test_turns_on_one_cpu(void **state)
{
	(void)state;
	start_machine(1);
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
	start_machine(1);
	expect_turns("--rest -t 2 -l 100", 200);
	assert_true(metric("handovers") >= 199);
	expect_turns("--rest -t 50 -l 7", 350);
	expect_turns("--rest -t 1 -l 9", 9);
	assert_true(metric("handovers") == 1);
}

static void test_on_four_cpus(void **state)
{
	(void)state;
	start_machine(4);
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
	start_machine(1);
	run_workload("-t 100000 -l 1");
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
