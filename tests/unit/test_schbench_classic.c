/* SPDX-License-Identifier: GPL-2.0-or-later
 * The schbench of 2016 to 2022 on a machine with one CPU, where only work takes time.
 *
 * Expected numbers are arithmetic on workloads.md 4.6: messengers rest for 30 ms and up to a quarter more, workers think for 30 ms
 * by the clock. A miss means that wakeups come at other times than schbench's. */
#include "tests/unit/running.h"

#include "ipc/sleep.h"

/* ---- with a tap on the rests ---- */

static void tap_sleep(u64 ns);
extern const struct workload tapped_classic;

#define schbench_classic tapped_classic
#define sleep_ns	 tap_sleep
#include "workloads/schbench_classic.c"
#undef schbench_classic
#undef sleep_ns

enum { MOST_RESTS = 4096 };

static struct {
	unsigned nr;
	u64 rest[MOST_RESTS];
} tap;

static void tap_sleep(u64 ns)
{
	assert_true(tap.nr < MOST_RESTS);
	tap.rest[tap.nr++] = ns;
	sleep_ns(ns);
}

/* A worker alone thinks for 30 ms and waits for 30 to 37.5: a minute has 888 to 1000 cycles. 3.75 ms more on average make 941; the
 * deviation of one draw is 2.165 ms, of the mean of 941 it is 0.07 ms, and six times that is 0.66 % of a cycle. */
static void test_one_worker(void **state)
{
	(void)state;
	start_machine(1, 1, 1, 1);
	expect_ok(&schbench_classic, "-m 1 -t 1 -r 60");
	assert_true(result.elapsed_ns == 60 * NSEC_PER_SEC);
	assert_in_range(metric("requests"), 935, 948);
	assert_true(metric("request_p50_us") == 30000 && metric("request_max_us") == 30000);
	assert_true(metric("wakeups") <= metric("posts") && metric("posts") <= metric("requests") + 1);
	assert_true(metric("wakeup_max_us") == 0);
}

/* With next to no thinking a cycle is the rest alone: 60 s / 33.75 ms = 1778, within 0.7 %. */
static void test_rest(void **state)
{
	(void)state;
	start_machine(1, 1, 1, 1);
	expect_ok(&schbench_classic, "-m 1 -t 1 -r 60 -c 1");
	assert_in_range(metric("requests"), 1765, 1791);
}

static void run_with_seed(u64 seed, const char *arguments)
{
	memset(&tap, 0, sizeof(tap));
	run_prepare(0, seed);
	expect_ok(&tapped_classic, arguments);
}

/* 30 ms and up to a quarter more, over all of that; the same seed gives the same, and another another. */
static void test_random_rests(void **state)
{
	u64 first[100], least = ~0ull, most = 0;

	(void)state;
	start_machine(1, 1, 1, 1);
	run_with_seed(1, "-m 1 -t 1 -r 7");
	assert_true(tap.nr >= 100);
	memcpy(first, tap.rest, sizeof(first));
	for (unsigned i = 0; i < 100; i++) {
		least = min_u64(least, first[i]);
		most = max_u64(most, first[i]);
	}
	assert_in_range(least, 30000000, 30750000);
	assert_in_range(most, 36750000, 37499999);
	run_with_seed(1, "-m 1 -t 1 -r 7");
	assert_memory_equal(tap.rest, first, sizeof(first));
	run_with_seed(2, "-m 1 -t 1 -r 7");
	for (unsigned i = 0; i < 100; i++)
		assert_true(tap.rest[i] != first[i]);
}

/* Each messenger draws for itself. */
static void test_messengers_rest_differently(void **state)
{
	(void)state;
	start_machine(1, 1, 1, 1);
	run_with_seed(1, "-m 4 -t 1 --run-ms 200");
	for (unsigned i = 0; i < tap.nr; i++)
		for (unsigned k = 0; k < i; k++)
			assert_true(tap.rest[i] != tap.rest[k]);
	assert_true(tap.nr >= 4);
}

/* Thinking ends by the clock, however little of it a worker had the CPU. Four on one CPU think at the same time, so a round is at
 * most 37.5 ms of rest, the last one's wait for the CPU, 30 ms, and 0.1 ms for each to look at the clock once more. By CPU time a
 * round would be 30 + 4 * 30 ms: 400 requests in 15 s, and no more. */
static void test_preemption_shortens_thinking(void **state)
{
	u64 round_us;

	(void)state;
	start_machine(1, 1, 1, 1);
	expect_ok(&schbench_classic, "-m 1 -t 4 -r 15");
	round_us = 37500 + metric("wakeup_max_us") + 30000 + 400;
	assert_true(round_us < 120000);
	assert_true(metric("requests") >= 4 * (15000000 / round_us));
	assert_true(metric("requests") > 400);
	assert_true(metric("wakeups") <= metric("posts"));
	for (unsigned i = 0; i < 4; i++)
		assert_true(result.count[i] <= 15000 / 60);
}

/* Two messengers with 16 workers each by default; -t 16 on eight CPUs in two caches, with both kinds of preemption. */
static void test_defaults(void **state)
{
	(void)state;
	start_machine(1, 2, 4, 1);
	for (unsigned i = 0; i < 2; i++) {
		knob.preempt = i ? PREEMPT_FULL : PREEMPT_NONE;
		test_apply_knobs();
		expect_ok(&schbench_classic, "--run-ms 1000");
		assert_int_equal(result.nr_counts, 32);
		assert_true(metric("wakeups") <= metric("posts"));
		for (unsigned k = 0; k < 32; k++)
			assert_true(result.count[k] <= 1000 / 60);
	}
}

static void test_text(void **state)
{
	char expected[512];
	unsigned samples;

	(void)state;
	start_machine(1, 1, 1, 1);
	expect_ok(&schbench_classic, "-m 1 -t 1 -r 3");
	samples = (unsigned)metric("wakeups");
	snprintf(expected, sizeof(expected),
		"Wakeup Latencies percentiles (usec) runtime 3 (s) (%u total samples)\n"
		"\t  50.0th: 0          (%u samples)\n"
		"\t  75.0th: 0          (0 samples)\n"
		"\t  90.0th: 0          (0 samples)\n"
		"\t  95.0th: 0          (0 samples)\n"
		"\t* 99.0th: 0          (0 samples)\n"
		"\t  99.5th: 0          (0 samples)\n"
		"\t  99.9th: 0          (0 samples)\n"
		"\t  min=0, max=0\n",
		samples, samples);
	assert_string_equal(test_console(), expected);
}

static void test_out_of_memory(void **state)
{
	(void)state;
	start_machine(1, 1, 2, 1);
	run_workload(&schbench_classic, "-t 10000");
	assert_string_equal(result.status, "not enough memory for so many tasks");
	expect_ok(&schbench_classic, "--run-ms 200");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		machine_test(test_one_worker),
		machine_test(test_rest),
		machine_test(test_random_rests),
		machine_test(test_messengers_rest_differently),
		machine_test(test_preemption_shortens_thinking),
		machine_test(test_defaults),
		machine_test(test_text),
		machine_test(test_out_of_memory),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
