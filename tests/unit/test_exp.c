/* SPDX-License-Identifier: GPL-2.0-or-later
 * exp=: each published experiment by its name, shortened, and with words on top.
 *
 * Expected values: mails.md has the commands, arguments and machines; lab/catalogue.def says what is our choice. A miss means that
 * a name stands for another experiment than the mail's. */
#include "tests/unit/machine.h"

#include "base/text.h"
#include "lab/lab.h"

static struct plan plan;

static int parse(const char *cmdline)
{
	memset(&plan, 0, sizeof(plan));
	return plan_parse(&plan, cmdline);
}

static void expect_plan(const char *cmdline)
{
	if (parse(cmdline))
		fail_msg("%s: %s", cmdline, plan.error);
}

static void expect_refused(const char *cmdline, const char *said)
{
	assert_true(parse(cmdline) < 0);
	if (!strstr(plan.error, said))
		fail_msg("%s: \"%s\" does not say \"%s\"", cmdline, plan.error, said);
}

static void expect_variant(unsigned variant, const char *name)
{
	char s[TEXT_BYTES];

	plan_variant_name(&plan, variant, s, sizeof(s));
	assert_string_equal(s, name);
}

static void expect_variants(unsigned nr, const char *const *names)
{
	assert_int_equal(plan.nr_variants, nr);
	for (unsigned i = 0; i < nr; i++)
		expect_variant(i, names[i]);
}

/* mails.md 1: hackbench -l 500, 100 runs, SD_BALANCE_NEWIDLE set or cleared. */
static void test_idle_balance(void **state)
{
	(void)state;
	test_machine(1, 2, 2, 1);
	expect_plan("exp=idle-balance");
	assert_int_equal(plan.nr_workloads, 1);
	assert_string_equal(plan.workload[0].text, "hackbench -l 500");
	assert_true(param.runs == 100);
	expect_variants(2, (const char *[]){ "preset=v3.8", "preset=v3.8-nonewidle" });
}

/* mails.md 2: hackbench, tbench and VolanoMark; eras.md: the patch is on top of rc1 and the two patches. A client for each of 8
 * CPUs. */
static void test_buddies(void **state)
{
	(void)state;
	test_machine(1, 4, 2, 1);
	expect_plan("exp=buddies");
	assert_int_equal(plan.nr_workloads, 3);
	assert_string_equal(plan.workload[0].text, "hackbench -l 100");
	assert_string_equal(plan.workload[1].text, "tbench -n 2000 8");
	assert_string_equal(plan.workload[2].text, "vmark -c 100");
	expect_variants(2, (const char *[]){ "preset=v2.6.32-rc1+p2", "preset=v2.6.32-rc1+buddies" });
}

static void apply_policies(void *unused)
{
	static const u8 policy[] = { SCHED_POLICY_PERFORMANCE, SCHED_POLICY_BALANCE, SCHED_POLICY_POWERSAVING };

	(void)unused;
	for (unsigned i = 0; i < ARRAY_SIZE(policy); i++) {
		plan_apply(&plan, i);
		assert_int_equal(knob.policy, policy[i]);
		assert_int_equal(knob.mc_prefer_sibling, 1); /* which 3.8 with the power patches has on */
	}
}

/* mails.md 3: massive_intr 10 60, work and sleep 8 and 1 ms, then 1 and 8; counts as work-ms; performance is what the others are
 * compared with. */
static void test_power_policy(void **state)
{
	(void)state;
	test_machine(1, 1, 4, 1);
	test_boot(SWITCH_STACKS);
	expect_plan("exp=power-policy");
	assert_int_equal(plan.nr_workloads, 2);
	assert_string_equal(plan.workload[0].text, "massive_intr -W -w 8000 -s 1000 10 60");
	assert_string_equal(plan.workload[1].text, "massive_intr -W -w 1000 -s 8000 10 60");
	expect_variants(3, (const char *[]){ "policy=performance", "policy=balance", "policy=powersaving" });
	test_run(apply_policies, NULL);
}

/* 10 % of 500 loops, of 100 runs and of 60 s are 50, 10 and 6; 7 % of 60 s are 4.2, and 1 % 0.6: 5 and 1 by rounding up. Runs never
 * go below 5, which leaves an interval. */
static void test_scale(void **state)
{
	(void)state;
	test_machine(1, 1, 4, 1);
	expect_plan("exp=idle-balance scale=10");
	assert_string_equal(plan.workload[0].text, "hackbench -l 50");
	assert_true(param.runs == 10);
	expect_plan("scale=1 exp=idle-balance");
	assert_string_equal(plan.workload[0].text, "hackbench -l 5");
	assert_true(param.runs == 5);
	expect_plan("scale=7 exp=power-policy");
	assert_string_equal(plan.workload[0].text, "massive_intr -W -w 8000 -s 1000 10 5");
	expect_plan("scale=1 exp=power-policy");
	assert_string_equal(plan.workload[1].text, "massive_intr -W -w 1000 -s 8000 10 1");
	expect_plan("scale=1 exp=buddies");
	assert_string_equal(plan.workload[1].text, "tbench -n 20 4");
}

/* What else the command line says holds, wherever it stands. */
static void test_words_on_top(void **state)
{
	(void)state;
	test_machine(1, 1, 4, 1);
	expect_plan("runs=7 exp=idle-balance seed=9 order=random newidle.node=off run=\"pipe -l 5\" vary=NEXT_BUDDY:off,on");
	assert_true(param.runs == 7 && param.seed == 9 && param.order == ORDER_RANDOM);
	assert_int_equal(plan.nr_workloads, 2);
	assert_string_equal(plan.workload[0].text, "hackbench -l 500");
	assert_string_equal(plan.workload[1].text, "pipe -l 5");
	assert_int_equal(plan.nr_variants, 4);
	expect_variant(1, "preset=v3.8 NEXT_BUDDY=on");
	expect_plan("exp=power-policy preset=v3.13");
	assert_string_equal(plan.preset, "v3.13");
}

static void test_refused(void **state)
{
	(void)state;
	test_machine(1, 1, 4, 1);
	expect_refused("exp=idlebalance", "exp=idlebalance: expected list or one of idle-balance|buddies|power-policy");
	expect_refused("exp=buddies scale=0", "1 to 100");
	expect_refused("exp=buddies scale=101", "1 to 100");
	expect_refused("exp=idle-balance vary=preset:v3.8,v3.13", "given twice");
	expect_plan("exp=list");
	assert_int_equal(plan.nr_workloads, 0);
}

/* Each experiment with its mail, its machines and its words. */
static void test_list(void **state)
{
	static const char *const said[] = { "\nidle-balance: ", "17 February 2013", "q6600 e5620",
		"is run=\"hackbench -l 500\" runs=100 vary=preset:v3.8,v3.8-nonewidle\n", "\nbuddies: ", "2x4 4x4 nehalem",
		"\npower-policy: ", "4x10" };

	(void)state;
	test_machine(1, 1, 4, 1);
	test_console_clear();
	say_experiments();
	for (unsigned i = 0; i < ARRAY_SIZE(said); i++)
		assert_non_null(strstr(test_console(), said[i]));
}

/* The log says which experiment it is, how long, and on how many CPUs: one node of two has 4. */
static void test_plan_record(void **state)
{
	(void)state;
	test_machine(2, 1, 4, 1);
	expect_plan("exp=power-policy scale=25 nodes=0");
	test_console_clear();
	report_plan(&plan);
	assert_non_null(strstr(test_console(), "\"experiment\":\"power-policy\",\"scale_percent\":25,\"cpus\":4}"));
	assert_non_null(strstr(test_console(), "Experiment power-policy at 25 % of its length"));
	expect_plan("");
	test_console_clear();
	report_plan(&plan);
	assert_non_null(strstr(test_console(), "\"experiment\":\"\",\"scale_percent\":100,\"cpus\":8}"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		machine_test(test_idle_balance),
		machine_test(test_buddies),
		machine_test(test_power_policy),
		machine_test(test_scale),
		machine_test(test_words_on_top),
		machine_test(test_refused),
		machine_test(test_list),
		machine_test(test_plan_record),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
