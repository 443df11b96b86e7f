/* SPDX-License-Identifier: GPL-2.0-or-later
 * From the command line to the plan: runs, variants and presets, and what is wrong with them.
 *
 * Expected values: what plan.h and lab/params.def promise. A miss means that a typo would pass for a result. */
#include <stdio.h>

#include "tests/unit/machine.h"

#include "base/bug.h"
#include "base/mem.h"
#include "base/text.h"
#include "lab/lab.h"

/* The error must say all of these. */
static void expect_said(const char *input, const char *error, const char *const *said)
{
	for (; *said; said++)
		if (!strstr(error, *said))
			fail_msg("%s: \"%s\" does not say \"%s\"", input, error, *said);
	assert_null(strchr(error, '\n'));
}

/* ---- plans ---- */

static struct plan plan;

/* 4 CPUs: a scaling factor of 3. */
static void start_machine(void)
{
	test_machine(1, 1, 4, 1);
}

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

static void expect_refused(const char *cmdline, const char *const *said)
{
	if (parse(cmdline) >= 0)
		fail_msg("%s was taken", cmdline);
	expect_said(cmdline, plan.error, said);
}

static void expect_variant(unsigned variant, const char *name)
{
	char s[TEXT_BYTES];

	plan_variant_name(&plan, variant, s, sizeof(s));
	assert_string_equal(s, name);
}

/* lab/params.def, and no switch touched: 3.8's 6 ms for 4 CPUs are 18 ms. */
static void test_empty_plan(void **state)
{
	(void)state;
	start_machine();
	expect_plan("");
	assert_int_equal(plan.nr_workloads, 0);
	assert_int_equal(plan.nr_factors, 0);
	assert_int_equal(plan.nr_variants, 1);
	expect_variant(0, "base");
	assert_true(param.runs == 1 && param.warmup == 0 && param.seed == 1);
	assert_true(param.order == ORDER_ABBA && param.then == THEN_POWEROFF && !param.help);
	assert_true(knob.sched_latency_ns == 18000000);
}

static void test_parameters(void **state)
{
	(void)state;
	start_machine();
	expect_plan(
		"runs=5 warmup=2 order=random seed=18446744073709551615 then=halt help NEXT_BUDDY NO_LAST_BUDDY newidle=off runs=6");
	assert_true(param.runs == 6 && param.warmup == 2 && param.order == ORDER_RANDOM && param.seed == ~0ull);
	assert_true(param.then == THEN_HALT && param.help);
	assert_true(knob.NEXT_BUDDY && !knob.LAST_BUDDY && knob.newidle == NEWIDLE_OFF);
	expect_plan("");
	assert_true(param.runs == 1 && !param.help && !knob.NEXT_BUDDY && knob.LAST_BUDDY && knob.newidle == NEWIDLE_THROTTLE);
}

/* Each run= is one word of the command line, so it wants quotes, wherever they are; several are run in their order. */
static void test_run_argument(void **state)
{
	static const char *const same[] = { "run=\"hackbench -g 2 -l 3\"", "\"run=hackbench -g 2 -l 3\"",
		"run=hackbench\" -g 2 -l 3\"", "run=hackbench\\ -g\\ 2\\ -l\\ 3" };

	(void)state;
	start_machine();
	for (unsigned i = 0; i < ARRAY_SIZE(same); i++) {
		expect_plan(same[i]);
		assert_int_equal(plan.nr_workloads, 1);
		assert_ptr_equal(plan.workload[0].workload, &hackbench);
		assert_string_equal(plan.workload[0].text, "hackbench -g 2 -l 3");
		assert_int_equal(plan.workload[0].nr_arguments, 5);
		assert_string_equal(plan.workload[0].argument[0], "hackbench");
		assert_string_equal(plan.workload[0].argument[4], "3");
	}
	expect_plan("run=hackbench runs=3 run=\"massive_intr 8 1\" run=hackbench");
	assert_int_equal(plan.nr_workloads, 3);
	assert_ptr_equal(plan.workload[0].workload, &hackbench);
	assert_ptr_equal(plan.workload[1].workload, &massive_intr);
	assert_ptr_equal(plan.workload[2].workload, &hackbench);
	assert_true(param.runs == 3);
}

/* Quotes in quotes: inside run= they enclose an argument once more. */
static void test_run_nested_quotes(void **state)
{
	(void)state;
	start_machine();
	expect_plan("run=\"hackbench \\\"-g\\\" 2\"");
	assert_string_equal(plan.workload[0].text, "hackbench \"-g\" 2");
	assert_int_equal(plan.workload[0].nr_arguments, 3);
	assert_string_equal(plan.workload[0].argument[1], "-g");
}

static void test_run_refused(void **state)
{
	(void)state;
	start_machine();
	expect_refused("run=hackbemch", (const char *[]){ "\"hackbemch\"", "hackbench", "massive_intr", NULL });
	expect_refused("run=", (const char *[]){ "run=", "no workload", NULL });
	expect_refused("run=\"  \"", (const char *[]){ "no workload", NULL });
	expect_refused("run=\"hackbench -g 0\"", (const char *[]){ "hackbench: ", "groups", "\"0\"", "usage: hackbench", NULL });
	expect_refused("run=\"hackbench 20\"", (const char *[]){ "hackbench: ", "\"20\"", "usage: hackbench", NULL });
	expect_refused("run=\"massive_intr 8\"", (const char *[]){ "massive_intr: ", "usage: massive_intr", NULL });
	expect_refused("run=massive_intr 8 1", (const char *[]){ "massive_intr", NULL });
	expect_refused("run=\"hackbench \\\"-g 2\"", (const char *[]){ "quote", NULL });
}

static void test_unclosed_quote(void **state)
{
	(void)state;
	start_machine();
	expect_refused("runs=2 run=\"hackbench -g 2", (const char *[]){ "quote", NULL });
	expect_refused("\"", (const char *[]){ "quote", NULL });
	expect_refused("runs=2\"", (const char *[]){ "quote", NULL });
}

/* An error is of use only if it shows where. */
static void test_unclosed_quote_is_shown(void **state)
{
	(void)state;
	start_machine();
	expect_refused("runs=2 run=\"hackbench -g 2", (const char *[]){ "run=", NULL });
}

static void test_unknown_names(void **state)
{
	(void)state;
	start_machine();
	expect_refused("runz=3", (const char *[]){ "\"runz\"", "near: runs", NULL });
	expect_refused("newidel=off", (const char *[]){ "\"newidel\"", "near: newidle", NULL });
	expect_refused("NEXT_BUDY", (const char *[]){ "NEXT_BUDDY", NULL });
	expect_refused("NO_NEXT_BUDY", (const char *[]){ "NEXT_BUDDY", NULL });
	expect_refused("sched_latency=6000000", (const char *[]){ "sched_latency_ns", NULL });
	expect_refused("order=abba sed=1", (const char *[]){ "\"sed\"", "seed", NULL });
	expect_refused("quux=1", (const char *[]){ "\"quux\"", NULL });
}

static void test_bad_values(void **state)
{
	(void)state;
	start_machine();
	expect_refused("runs=0", (const char *[]){ "runs=0", "1 to 100000", NULL });
	expect_refused("runs=many", (const char *[]){ "runs=many", "1 to 100000", NULL });
	expect_refused("seed=18446744073709551616", (const char *[]){ "seed=", NULL });
	expect_refused("order=baab", (const char *[]){ "order=baab", "abba|abab|aabb|random", NULL });
	expect_refused("then=sleep", (const char *[]){ "poweroff|reset|halt", NULL });
	expect_refused("newidle=no", (const char *[]){ "newidle=no", "off|throttle|always|cost", NULL });
	expect_refused("sched_latency_ns=1", (const char *[]){ "100000 to 1000000000 ns", NULL });
	expect_refused("NO_NEXT_BUDDY=1", (const char *[]){ "NEXT_BUDDY", NULL });
	expect_refused("runs", (const char *[]){ "runs", "value", NULL });
}

/* with= is as run=, but may be without an end; it applies to all of those, wherever it stands. */
static void test_with(void **state)
{
	(void)state;
	start_machine();
	expect_plan("with=\"cyclictest -t 2\" run=hackbench run=pipe with=\"hackbench -l 5\"");
	assert_int_equal(plan.nr_workloads, 2);
	assert_int_equal(plan.nr_backgrounds, 2);
	assert_string_equal(plan.background[0].text, "cyclictest -t 2");
	assert_ptr_equal(plan.background[0].workload, &cyclictest);
	assert_ptr_equal(plan.background[1].workload, &hackbench);
	expect_plan("run=hackbench with=pipe with=pipe with=pipe with=pipe");
	assert_int_equal(plan.nr_backgrounds, 4);
}

static void test_with_refused(void **state)
{
	(void)state;
	start_machine();
	expect_refused("with=hackbench", (const char *[]){ "with=", "\"hackbench\"", "accompanies a run=", NULL });
	expect_refused(
		"run=hackbench with=hackbemch", (const char *[]){ "with=: no workload", "\"hackbemch\"", "massive_intr", NULL });
	expect_refused("run=hackbench with=\"hackbench -g 0\"", (const char *[]){ "hackbench: ", "groups", "\"0\"", NULL });
	expect_refused("run=hackbench with=", (const char *[]){ "with=", "no workload", NULL });
	expect_refused("run=hackbench with=pipe with=pipe with=pipe with=pipe with=\"pipe -T\"",
		(const char *[]){ "too many with=", "\"pipe -T\"", NULL });
	expect_refused("run=cyclictest", (const char *[]){ "run=", "never end", "\"cyclictest\"", NULL });
	expect_refused("run=hackbench sample=5", (const char *[]){ "sample=", "\"5\"", "10us to 3600s", NULL });
}

/* plan.h: 16 run=, 24 words in each, 255 characters. */
static void test_too_much(void **state)
{
	char line[512] = "run=\"hackbench", many[512] = "";

	(void)state;
	start_machine();
	for (unsigned i = 0; i < 16; i++)
		strcat(many, " run=hackbench");
	expect_plan(many);
	assert_int_equal(plan.nr_workloads, 16);
	strcat(many, " run=hackbench");
	expect_refused(many, (const char *[]){ "too many", NULL });
	for (unsigned i = 1; i < 24; i++)
		strcat(line, " -T");
	strcat(line, "\"");
	expect_plan(line);
	line[strlen(line) - 1] = '\0';
	strcat(line, " -T\"");
	expect_refused(line, (const char *[]){ "too many", NULL });
}

static void test_too_long(void **state)
{
	char line[1024];

	(void)state;
	start_machine();
	snprintf(line, sizeof(line), "run=\"%-255s\"", "hackbench");
	expect_plan(line);
	snprintf(line, sizeof(line), "run=\"%-256s\"", "hackbench");
	expect_refused(line, (const char *[]){ "too long", NULL });
	snprintf(line, sizeof(line), "vary=newidle:%0245u,off", 0u);
	expect_refused(line, (const char *[]){ "too long", NULL });
}

/* A word that does not even fit the word buffer: what is wrong must not be cut off behind it. */
static void test_far_too_long(void **state)
{
	char line[1024];

	(void)state;
	start_machine();
	snprintf(line, sizeof(line), "run=\"%-900s\"", "hackbench");
	expect_refused(line, (const char *[]){ "too long", NULL });
}

/* ---- variants ---- */

/* Each combination once, the last factor's values changing fastest. */
static void test_factorial(void **state)
{
	(void)state;
	start_machine();
	expect_plan("vary=newidle:off,throttle,cost vary=NEXT_BUDDY:off,on");
	assert_int_equal(plan.nr_factors, 2);
	assert_int_equal(plan.nr_variants, 6);
	expect_variant(0, "newidle=off NEXT_BUDDY=off");
	expect_variant(1, "newidle=off NEXT_BUDDY=on");
	expect_variant(2, "newidle=throttle NEXT_BUDDY=off");
	expect_variant(3, "newidle=throttle NEXT_BUDDY=on");
	expect_variant(4, "newidle=cost NEXT_BUDDY=off");
	expect_variant(5, "newidle=cost NEXT_BUDDY=on");
}

/* Each variant starts from what the command line set and changes only its own; then the rest is worked out again: with 4 CPUs the
 * latency of 6 ms becomes 6, 18 or 24 ms by the scaling. */
static void apply_all(void *argument)
{
	static const u64 latency_ms[] = { 6, 18, 24 };

	(void)argument;
	for (unsigned round = 0; round < 2; round++)
		for (unsigned i = 6; i-- > 0;) {
			plan_apply(&plan, i);
			assert_int_equal(knob.sched_tunable_scaling, i / 2);
			assert_int_equal(knob.NEXT_BUDDY, i % 2);
			assert_true(knob.sched_latency_ns == latency_ms[i / 2] * NSEC_PER_MSEC);
			assert_true(knob.sched_wakeup_granularity_ns == 5000000);
			assert_true(knob.LB_MIN && knob.LAST_BUDDY);
		}
}

static void test_apply(void **state)
{
	(void)state;
	start_machine();
	test_boot(SWITCH_STACKS);
	expect_plan("LB_MIN sched_wakeup_granularity_ns=5000000 vary=sched_tunable_scaling:none,log,linear vary=NEXT_BUDDY:0,1");
	test_run(apply_all, NULL);
}

/* plan.h: 6 factors of up to 16 values, 64 combinations. */
static void test_most_variants(void **state)
{
	(void)state;
	start_machine();
	expect_plan(
		"vary=LAST_BUDDY:0,1 vary=NEXT_BUDDY:0,1 vary=LB_BIAS:0,1 vary=LB_MIN:0,1 vary=TTWU_QUEUE:0,1 vary=START_DEBIT:0,1");
	assert_int_equal(plan.nr_variants, 64);
	expect_refused(
		"vary=LAST_BUDDY:0,1 vary=NEXT_BUDDY:0,1 vary=LB_BIAS:0,1 vary=LB_MIN:0,1 vary=TTWU_QUEUE:0,1 vary=START_DEBIT:0,1 "
		"vary=CACHE_HOT_BUDDY:0,1",
		(const char *[]){ "too many", NULL });
	expect_plan("vary=sched_nr_migrate:1,2,3,4,5,6,7,8 vary=sched_migration_cost_ns:1,2,3,4,5,6,7,8");
	assert_int_equal(plan.nr_variants, 64);
	expect_variant(63, "sched_nr_migrate=8 sched_migration_cost_ns=8");
	expect_plan("vary=sched_nr_migrate:1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16");
	assert_int_equal(plan.nr_variants, 16);
	expect_refused("vary=sched_nr_migrate:1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17",
		(const char *[]){ "too many", "sched_nr_migrate", NULL });
	expect_refused("vary=sched_nr_migrate:1,2,3,4,5,6,7,8 vary=buddy_pick:clear_all,clear_seen,keep,last_first,next_first "
		       "vary=LB_MIN:0,1",
		(const char *[]){ "64", NULL });
}

static void test_vary_refused(void **state)
{
	(void)state;
	start_machine();
	expect_refused("vary=newidle", (const char *[]){ "\"newidle\"", "name:value,value", NULL });
	expect_refused("vary=", (const char *[]){ "name:value,value", NULL });
	expect_refused("vary=:off,on", (const char *[]){ "name:value,value", NULL });
	expect_refused("vary=newidle:off", (const char *[]){ "only one value", "newidle", NULL });
	expect_refused("vary=newidle:off,", (const char *[]){ "newidle", "off|throttle|always|cost", NULL });
	expect_refused("vary=newidle:off,onn", (const char *[]){ "onn", "off|throttle|always|cost", NULL });
	expect_refused("vary=newidel:off,throttle", (const char *[]){ "newidel", "near: newidle", NULL });
	expect_refused("vary=newidle:off,cost vary=newidle:off,cost", (const char *[]){ "twice", "newidle", NULL });
	expect_refused("vary=runs:1,2", (const char *[]){ "runs", NULL });
}

/* ---- variants listed one by one ---- */

static void apply_listed(void *argument)
{
	(void)argument;
	for (unsigned round = 0; round < 2; round++) {
		plan_apply(&plan, 1);
		assert_true(!knob.LAST_BUDDY && !knob.NEXT_BUDDY && knob.newidle == NEWIDLE_THROTTLE);
		plan_apply(&plan, 2);
		assert_true(knob.LAST_BUDDY && !knob.NEXT_BUDDY && knob.newidle == NEWIDLE_OFF);
		assert_true(knob.LB_MIN); /* which the command line sets on top of the preset */
		plan_apply(&plan, 0);
		assert_true(knob.LAST_BUDDY && !knob.NEXT_BUDDY && knob.newidle == NEWIDLE_THROTTLE && knob.LB_MIN);
	}
}

/* Each is the command line's switches and its own words, a preset among them; the empty one is the command line's alone. */
static void test_listed(void **state)
{
	(void)state;
	start_machine();
	test_boot(SWITCH_STACKS);
	expect_plan("variant= LB_MIN variant=NO_LAST_BUDDY variant=\"preset=v3.8-nonewidle NO_NEXT_BUDDY\"");
	assert_int_equal(plan.nr_variants, 3);
	expect_variant(0, "base");
	expect_variant(1, "NO_LAST_BUDDY");
	expect_variant(2, "preset=v3.8-nonewidle NO_NEXT_BUDDY");
	assert_true(knob.LAST_BUDDY);
	test_run(apply_listed, NULL);
}

static void test_listed_refused(void **state)
{
	(void)state;
	start_machine();
	expect_refused("variant=NEXT_BUDY", (const char *[]){ "variant=", "NEXT_BUDY", "near: NEXT_BUDDY", NULL });
	expect_refused("variant=runs=3", (const char *[]){ "variant=", "runs", NULL });
	expect_refused("variant=\"newidle=off newidle=no\"", (const char *[]){ "newidle=no", "off|throttle|always|cost", NULL });
	expect_refused("variant=preset=v9", (const char *[]){ "v9", "v3.8-nonewidle", NULL });
	expect_refused("variant=\"preset=v3.8 preset=v3.13\"", (const char *[]){ "twice", "v3.13", NULL });
	expect_refused("variant=LB_MIN variant=LB_MIN", (const char *[]){ "twice", "LB_MIN", NULL });
	expect_refused("variant= vary=newidle:off,cost", (const char *[]){ "variant=", "vary=", "newidle", NULL });
}

/* A value that is only tried out leaves the switch as it was. */
/* How a fault ends is known before the plan is, and that of a plan that was refused too. */
static void test_panic(void **state)
{
	static struct plan p;

	(void)state;
	test_machine(1, 1, 4, 1);
	plan_foresee_end("nonsense run=\"what is that\" panic=halt then=reset");
	assert_int_equal(fault_end, END_HALT);
	assert_int_equal(param.then, THEN_RESET);
	assert_int_equal(plan_parse(&p, "panic=reset"), 0);
	assert_int_equal(fault_end, END_RESET);
	memset(&p, 0, sizeof(p));
	assert_int_not_equal(plan_parse(&p, "nonsense panic=halt"), 0);
	assert_int_equal(fault_end, END_HALT);
	memset(&p, 0, sizeof(p));
	assert_int_equal(plan_parse(&p, ""), 0);
	assert_int_equal(fault_end, END_POWEROFF);
}

static void test_vary_leaves_the_base(void **state)
{
	(void)state;
	start_machine();
	expect_plan("newidle=always vary=NEXT_BUDDY:1,0 vary=newidle:off,cost");
	assert_int_equal(knob.newidle, NEWIDLE_ALWAYS);
	assert_int_equal(knob.NEXT_BUDDY, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		machine_test(test_empty_plan),
		machine_test(test_parameters),
		machine_test(test_run_argument),
		machine_test(test_run_nested_quotes),
		machine_test(test_run_refused),
		machine_test(test_unclosed_quote),
		machine_test(test_unclosed_quote_is_shown),
		machine_test(test_unknown_names),
		machine_test(test_bad_values),
		machine_test(test_with),
		machine_test(test_with_refused),
		machine_test(test_too_much),
		machine_test(test_too_long),
		machine_test(test_far_too_long),
		machine_test(test_factorial),
		machine_test(test_apply),
		machine_test(test_most_variants),
		machine_test(test_vary_refused),
		machine_test(test_listed),
		machine_test(test_listed_refused),
		machine_test(test_panic),
		machine_test(test_vary_leaves_the_base),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
