/* SPDX-License-Identifier: GPL-2.0-or-later
 * cpus= and nodes=: which CPUs an experiment keeps to, and that it does. Expected sets are those of numactl's --physcpubind and
 * --cpunodebind for the same lists. A miss means that a run measures another part of the machine than it says. */
#include <stdio.h>

#include "tests/unit/machine.h"

#include "base/text.h"
#include "lab/cpuset.h"
#include "lab/lab.h"

/* ---- spin with a tap: how many of its tasks are pinned to each CPU ---- */

static unsigned pinned[8];

static int tap_set_allowed(struct task *t, const struct cpumask *allowed)
{
	assert_true(mask_weight(allowed) == 1 && mask_first(allowed) < ARRAY_SIZE(pinned));
	pinned[mask_first(allowed)]++;
	return task_set_allowed(t, allowed);
}

extern const struct workload tapped_spin;

#define spin		 tapped_spin
#define task_set_allowed tap_set_allowed
#include "workloads/spin.c"
#undef spin
#undef task_set_allowed

/* ---- lists ---- */

static char error[PLAN_ERROR_BYTES];
static struct cpumask set;

/* 4 nodes of 10 CPUs. */
static void describe_40(void)
{
	test_machine(4, 1, 10, 1);
}

static void expect_set(const char *cpus, const char *nodes, const char *expected)
{
	if (cpuset_parse(cpus, nodes, &set, error))
		fail_msg("cpus=%s nodes=%s: %s", cpus, nodes, error);
	test_console_clear();
	cpuset_say("CPU", &set);
	assert_string_equal(test_console(), expected);
}

static void expect_refused(const char *cpus, const char *nodes, const char *expected)
{
	assert_int_equal(cpuset_parse(cpus, nodes, &set, error), -E_INVAL);
	assert_string_equal(error, expected);
}

static void test_lists(void **state)
{
	(void)state;
	describe_40();
	expect_set("", "", "CPUs 0-39\n");
	expect_set("0-9,12", "", "CPUs 0-9,12\n");
	expect_set("7", "", "CPU 7\n");
	expect_set("39,3,1-2,2", "", "CPUs 1-3,39\n");
	expect_set("5-5", "", "CPU 5\n");
	expect_set("", "0,2", "CPUs 0-9,20-29\n");
	expect_set("", "1-3", "CPUs 10-39\n");
	expect_set("5-24", "0,2", "CPUs 5-9,20-24\n");
	expect_set("0-39", "0-3", "CPUs 0-39\n");
}

/* The last CPU that the kernel has room for. */
static void test_most_cpus(void **state)
{
	(void)state;
	test_machine(1, 1, MAX_CPUS, 1);
	expect_set("254-255,0", "", "CPUs 0,254-255\n");
	expect_set("", "0", "CPUs 0-255\n");
}

static void test_refused(void **state)
{
	(void)state;
	describe_40();
	expect_refused("0-99", "", "cpus=0-99: there are CPUs 0-39");
	expect_refused("0-9,40,3", "", "cpus=40: there are CPUs 0-39");
	expect_refused("18446744073709551615", "", "cpus=18446744073709551615: there are CPUs 0-39");
	expect_refused("99999999999999999999", "", "cpus=99999999999999999999: expected numbers and ranges such as 0-3,6");
	expect_refused("1,two", "", "cpus=two: expected numbers and ranges such as 0-3,6");
	expect_refused("1-", "", "cpus=1-: expected numbers and ranges such as 0-3,6");
	expect_refused("-1", "", "cpus=-1: expected numbers and ranges such as 0-3,6");
	expect_refused("1-2-3", "", "cpus=1-2-3: expected numbers and ranges such as 0-3,6");
	expect_refused("1,,2", "", "cpus=,: expected numbers and ranges such as 0-3,6");
	expect_refused("1,", "", "cpus=,: expected numbers and ranges such as 0-3,6");
	expect_refused("4,9-8", "", "cpus=9-8: a range begins with the smaller number");
	expect_refused("", "0,4", "nodes=4: there are nodes 0-3");
	expect_refused("0-9,30", "1-2", "cpus=0-9,30 nodes=1-2: no CPU is in both");
}

static void test_refused_on_one_cpu(void **state)
{
	(void)state;
	test_machine(1, 1, 1, 1);
	expect_refused("1", "", "cpus=1: there is only CPU 0");
	expect_refused("", "1", "nodes=1: there is only node 0");
}

/* ---- in a plan ---- */

static struct plan plan;
static struct outcome outcome;

static void test_plan_refuses(void **state)
{
	(void)state;
	describe_40();
	assert_true(plan_parse(&plan, "runs=2 cpus=0-99") < 0);
	assert_string_equal(plan.error, "cpus=0-99: there are CPUs 0-39");
	memset(&plan, 0, sizeof(plan));
	assert_true(plan_parse(&plan, "cpus=0-99 no_such_thing=1") < 0);
	assert_non_null(strstr(plan.error, "no_such_thing")); /* what is wrong first */
}

static void expect_planned(const char *cmdline, const char *line)
{
	memset(&plan, 0, sizeof(plan));
	assert_int_equal(plan_parse(&plan, cmdline), 0);
	test_console_clear();
	report_plan(&plan);
	if (line)
		assert_non_null(strstr(test_console(), line));
	else
		assert_null(strstr(test_console(), "  on CPU"));
}

/* The plan names the set where it is not the whole machine. */
static void test_plan_says(void **state)
{
	(void)state;
	describe_40();
	expect_planned("", NULL);
	expect_planned("cpus=0-39", NULL);
	expect_planned("cpus=0-9,12", "\n  on CPUs 0-9,12\n");
	expect_planned("nodes=3 cpus=30", "\n  on CPU 30\n");
}

/* ---- in runs ---- */

static void run_plan(void *unused)
{
	(void)unused;
	experiment_run(&plan, &outcome);
}

static void experiment(const char *cmdline)
{
	test_machine(2, 1, 4, 1);
	test_boot(SWITCH_STACKS);
	memset(&plan, 0, sizeof(plan));
	outcome = (struct outcome){ .message = "" };
	if (plan_parse(&plan, cmdline))
		fail_msg("%s", plan.error);
	test_console_clear();
	test_run(run_plan, NULL);
	assert_int_equal(outcome.failed, 0);
}

/* How long each CPU idled in the run whose record is next, and how long that took. */
static unsigned long long next_idle(const char **at, unsigned long long idle[8])
{
	unsigned long long elapsed;

	*at = strstr(*at + 1, "\"elapsed_ns\":");
	assert_non_null(*at);
	assert_int_equal(sscanf(*at, "\"elapsed_ns\":%llu", &elapsed), 1);
	*at = strstr(*at, "\"idle_ns\":[");
	assert_int_equal(sscanf(*at, "\"idle_ns\":[%llu,%llu,%llu,%llu,%llu,%llu,%llu,%llu]", &idle[0], &idle[1], &idle[2],
				 &idle[3], &idle[4], &idle[5], &idle[6], &idle[7]),
		8);
	return elapsed;
}

static void expect_idle(const char *cmdline, unsigned first, unsigned last)
{
	unsigned long long elapsed, idle[8];
	const char *at;

	experiment(cmdline);
	at = test_console();
	for (unsigned run = 0; run < 2; run++) {
		elapsed = next_idle(&at, idle);
		for (unsigned cpu = 0; cpu < 8; cpu++)
			assert_true(cpu >= first && cpu <= last ? idle[cpu] < elapsed : idle[cpu] == elapsed);
	}
}

/* 12 tasks on 4 of 8 CPUs: these have all the work, the others nothing but ticks. */
static void test_massive_intr_stays(void **state)
{
	(void)state;
	expect_idle("cpus=0-3 runs=2 run=\"massive_intr 12 1\"", 0, 3);
}

/* Likewise on the second node; the run begins on its first CPU. */
static void test_second_node(void **state)
{
	(void)state;
	expect_idle("nodes=1 runs=2 run=\"massive_intr 12 1\"", 4, 7);
}

static struct {
	unsigned nr, cpu[8];
	struct cpumask allowed;
} begun;

static void note_start(const void *options, struct run *r)
{
	(void)options;
	begun.cpu[begun.nr++] = machine_cpu();
	begun.allowed = current()->allowed;
	r->status = "ok";
}

/* Every run begins on the first CPU allowed, allowed to all of them. */
static void test_where_runs_begin(void **state)
{
	static const struct workload probe = { .name = "probe", .run = note_start };

	(void)state;
	test_machine(2, 1, 4, 1);
	test_boot(SWITCH_STACKS);
	assert_int_equal(plan_parse(&plan, "cpus=3-5 runs=3"), 0);
	plan.nr_workloads = 1;
	plan.workload[0].workload = &probe;
	test_run(run_plan, NULL);
	assert_int_equal(begun.nr, 3);
	for (unsigned i = 0; i < 3; i++)
		assert_int_equal(begun.cpu[i], 3);
	assert_true(begun.allowed.word[0] == 0x38 && mask_weight(&begun.allowed) == 3);
}

/* spin -P goes round the CPUs allowed: 5 tasks on 3. */
static void test_pinned_spinners(void **state)
{
	static const unsigned expected[8] = { [1] = 2, [4] = 2, [6] = 1 };

	(void)state;
	test_machine(2, 1, 4, 1);
	test_boot(SWITCH_STACKS);
	assert_int_equal(plan_parse(&plan, "cpus=1,4,6 run=\"spin -P -t 5 -n 1000\""), 0);
	plan.workload[0].workload = &tapped_spin;
	test_run(run_plan, NULL);
	assert_memory_equal(pinned, expected, sizeof(pinned));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		machine_test(test_lists),
		machine_test(test_most_cpus),
		machine_test(test_refused),
		machine_test(test_refused_on_one_cpu),
		machine_test(test_plan_refuses),
		machine_test(test_plan_says),
		machine_test(test_massive_intr_stays),
		machine_test(test_second_node),
		machine_test(test_where_runs_begin),
		machine_test(test_pinned_spinners),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
