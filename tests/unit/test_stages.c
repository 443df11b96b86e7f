/* SPDX-License-Identifier: GPL-2.0-or-later
 * until= and aa= as experiments: how many runs there are, under which switches, in which order, and what the log says of it. The
 * workload takes the time that a test gives it.
 *
 * Expected: what lab/sequential.h and base/record.def promise; numbers are those worked out in test_sequential.c. */
#include "tests/unit/lab.h"

enum { MOST_RUNS = 400 };

static struct {
	unsigned nr;
	u8 newidle[MOST_RUNS];
	u64 seed[MOST_RUNS]; /* what would be drawn */
	u64 (*time_of)(unsigned run);
} seen;

static void look_around(const void *options, struct run *r)
{
	(void)options;
	run_begin(r);
	run_finish(r);
	seen.newidle[seen.nr] = knob.newidle;
	seen.seed[seen.nr] = run_seed(1);
	r->elapsed_ns = seen.time_of(seen.nr);
	r->status = r->elapsed_ns ? "ok" : "it broke";
	seen.nr++;
}

static const struct workload probe = { .name = "probe", .run = look_around };

static void run_timed(const char *cmdline, u64 (*time_of)(unsigned run))
{
	make_plan(cmdline);
	plan.nr_workloads = 1;
	plan.workload[0].workload = &probe;
	text_copy(plan.workload[0].text, TEXT_BYTES, "probe");
	memset(&seen, 0, sizeof(seen));
	seen.time_of = time_of;
	run_experiment();
}

static void start_lab(void)
{
	test_machine(1, 1, 4, 1);
	test_boot(SWITCH_STACKS);
}

static void expect_said(const char *text)
{
	if (!strstr(test_console(), text))
		fail_msg("\"%s\" was not said", text);
}

/* ---- two stages ---- */

/* Pair i of the first five: 1 s, and 1, 2 .. 5 % more in logarithms; then 3 %. In pairs of abab. */
static u64 one_to_five(unsigned run)
{
	static const u64 more[] = { 1010050167, 1020201340, 1030454534, 1040810774, 1051271096 };

	if (run % 2 == 0)
		return NSEC_PER_SEC;
	return run / 2 < 5 ? more[run / 2] : more[2];
}

#define VARY "vary=newidle:throttle,off order=abab runs=5 "

/* test_sequential.c: within 1 % it takes 20 pairs, with a standard deviation of 0.0158114. */
static void test_two_stages(void **state)
{
	(void)state;
	start_lab();
	run_timed(VARY "until=1%", one_to_five);
	assert_int_equal(seen.nr, 40);
	assert_int_equal(outcome.runs, 40);
	expect_said("Stage 1: probe [newidle=off]: 5 pairs with a standard deviation of 1.581 %; for +-1.0000 % 20 are needed\n");
	expect_said(
		"{\"t\":\"sequence\",\"workload\":\"probe\",\"variant\":\"newidle=off\",\"figure\":\"elapsed_ns\",\"pairs\":5,");
	expect_said("\"within_ppm\":10000,\"needed\":20,\"runs\":20}");
	expect_said("Run 11 of 40: probe [newidle=throttle]\n");
	expect_said("\nRun 10 of 10: ");
	for (unsigned i = 0; i < seen.nr; i++)
		assert_int_equal(seen.newidle[i], i % 2 ? NEWIDLE_OFF : NEWIDLE_THROTTLE);
}

static void test_cut_off(void **state)
{
	(void)state;
	start_lab();
	run_timed(VARY "until=1% max_runs=12", one_to_five);
	assert_int_equal(seen.nr, 24);
	expect_said("\"needed\":20,\"runs\":12}");
}

static void test_first_stage_is_enough(void **state)
{
	(void)state;
	start_lab();
	run_timed(VARY "until=5%", one_to_five);
	assert_int_equal(seen.nr, 10);
	expect_said("\"needed\":5,\"runs\":5}");
}

/* The mirror goes on across the stages: with five passes in the first, pass 6 is the mirror of pass 5. */
static void test_mirrored_across_stages(void **state)
{
	(void)state;
	start_lab();
	for (unsigned seed = 1; seed <= 8; seed++) {
		char cmdline[128];

		text_format(cmdline, sizeof(cmdline), "vary=newidle:throttle,off runs=5 until=1%% max_runs=8 seed=%u", seed);
		run_timed(cmdline, one_to_five);
		for (unsigned pass = 0; 2 * pass + 1 < seen.nr; pass++) {
			assert_true(seen.newidle[2 * pass] != seen.newidle[2 * pass + 1]);
			if (pass % 2)
				assert_int_equal(seen.newidle[2 * pass], seen.newidle[2 * pass - 1]);
		}
	}
}

/* Of three variants, runs are 0 1 2 0 1 2 ...: the second as one_to_five, the third with half its differences, for a quarter of the
 * pairs. */
static u64 two_spreads(unsigned run)
{
	static const u64 half_more[] = { 1005012521, 1010050167, 1015113065, 1020201340, 1025315121 };

	if (run % 3 == 2)
		return run / 3 < 5 ? half_more[run / 3] : half_more[2];
	return one_to_five(run / 3 * 2 + run % 3);
}

/* The largest number holds for all: 20, where the third alone would need 19.46 / 4 = 4.9, which is 5. */
static void test_largest_number(void **state)
{
	(void)state;
	start_lab();
	run_timed("vary=newidle:throttle,off,always order=abab runs=5 until=1%", two_spreads);
	assert_int_equal(seen.nr, 60);
	expect_said("\"variant\":\"newidle=off\",\"figure\":\"elapsed_ns\",\"pairs\":5,");
	expect_said("\"needed\":20,\"runs\":20}");
	expect_said("\"needed\":5,\"runs\":20}");
}

static u64 broken_once(unsigned run)
{
	return run == 3 ? 0 : one_to_five(run);
}

/* Four pairs are no first stage: nothing is concluded from them, and nothing more is run. */
static void test_failed_run(void **state)
{
	(void)state;
	start_lab();
	run_timed(VARY "until=1%", broken_once);
	assert_int_equal(seen.nr, 10);
	assert_int_equal(outcome.failed, 1);
	assert_null(strstr(test_console(), "\"t\":\"sequence\""));
}

/* ---- A/A ---- */

static u64 second(unsigned run)
{
	(void)run;
	return NSEC_PER_SEC;
}

/* The control has the first variant's switches and its own place in each pass, and is disturbed otherwise than the first variant,
 * while the others are disturbed alike. */
static void test_control(void **state)
{
	static const u8 want[] = { NEWIDLE_THROTTLE, NEWIDLE_OFF, NEWIDLE_THROTTLE };

	(void)state;
	start_lab();
	run_timed("vary=newidle:throttle,off aa=1 order=abab runs=3", second);
	assert_int_equal(seen.nr, 9);
	for (unsigned i = 0; i < seen.nr; i++)
		assert_int_equal(seen.newidle[i], want[i % 3]);
	for (unsigned i = 0; i < seen.nr; i += 3) {
		assert_true(seen.seed[i] == seen.seed[i + 1]);
		assert_true(seen.seed[i] != seen.seed[i + 2]);
		assert_true(seen.seed[i + 2] != seen.seed[(i + 5) % 9]);
	}
	expect_said("Run 3 of 9: probe [newidle=throttle (A/A)]\n");
	expect_said("\"variant\":\"newidle=throttle (A/A)\",\"index\":2,");
}

static void test_control_of_nothing(void **state)
{
	(void)state;
	start_lab();
	run_timed("aa=1 order=abab runs=2", second);
	assert_int_equal(seen.nr, 4);
	expect_said("probe [base (A/A)]\n");
}

static void test_control_of_listed(void **state)
{
	(void)state;
	start_lab();
	run_timed("variant=newidle=off variant= aa=1 order=abab runs=1", second);
	assert_int_equal(seen.nr, 3);
	assert_int_equal(seen.newidle[0], NEWIDLE_OFF);
	assert_int_equal(seen.newidle[1], NEWIDLE_THROTTLE);
	assert_int_equal(seen.newidle[2], NEWIDLE_OFF);
	expect_said("[newidle=off (A/A)]\n");
}

/* 64 variants leave no room for one more. */
static void test_no_room(void **state)
{
	(void)state;
	test_machine(1, 1, 4, 1);
	memset(&plan, 0, sizeof(plan));
	assert_true(
		plan_parse(&plan, "vary=sched_nr_migrate:1,2,3,4,5,6,7,8 vary=sched_migration_cost_ns:1,2,3,4,5,6,7,8 aa=1") < 0);
	assert_non_null(strstr(plan.error, "aa=1: no room"));
}

/* From eight runs on there is a line between runs, and none after the last. */
static void test_progress(void **state)
{
	(void)state;
	start_lab();
	run_timed("vary=newidle:throttle,off order=abab runs=4", one_to_five);
	expect_said("5 of 8 runs done, about ");
	expect_said("newidle=off against newidle=throttle so far 1.015 (standard error 0.50 %)\n");
	assert_null(strstr(test_console(), "8 of 8 runs done"));
	run_timed("vary=newidle:throttle,off order=abab runs=3", one_to_five);
	assert_null(strstr(test_console(), "runs done"));
	run_timed("vary=newidle:throttle,off order=aabb runs=4", one_to_five);
	expect_said("7 of 8 runs done, about ");
	assert_null(strstr(test_console(), "so far"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		machine_test(test_two_stages),
		machine_test(test_cut_off),
		machine_test(test_first_stage_is_enough),
		machine_test(test_mirrored_across_stages),
		machine_test(test_largest_number),
		machine_test(test_failed_run),
		machine_test(test_control),
		machine_test(test_control_of_nothing),
		machine_test(test_control_of_listed),
		machine_test(test_no_room),
		machine_test(test_progress),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
