/* SPDX-License-Identifier: GPL-2.0-or-later
 * cyclictest from its arguments to its figures, on a machine where only what the test says takes time.
 *
 * Expected numbers are workloads.md 4.7 and 7.11 and the arithmetic beside each test: a thread of period P that starts with the run
 * is due at P, 2P, 3P, ... A miss means that latencies are measured against other instants than those, or printed otherwise than
 * scripts expect. */
#include "tests/unit/running.h"

#include "base/text.h"
#include "ipc/sleep.h"

/* ---- periods ---- */

/* 7.11: thread i has a period of 1000 + 500 * i us. In 100 ms less than 100 / 1 - 1 / P: those due before the end. */
static void test_periods(void **state)
{
	(void)state;
	start_machine(1, 1, 2, 1);
	expect_ok(&cyclictest, "-t 3 --run-ms 100");
	assert_int_equal(result.nr_counts, 3);
	assert_true(result.count[0] == 99); /* 1, 2, ... 99 ms */
	assert_true(result.count[1] == 66); /* 1.5, 3, ... 99 ms */
	assert_true(result.count[2] == 49); /* 2, 4, ... 98 ms */
	assert_true(metric("cycles") == 99 + 66 + 49);
	assert_non_null(strstr(test_console(), " I:1000 C:     99 "));
	assert_non_null(strstr(test_console(), " I:1500 C:     66 "));
	assert_non_null(strstr(test_console(), " I:2000 C:     49 "));
}

/* -d 0 makes them equal; -D takes seconds. */
static void test_interval_and_distance(void **state)
{
	(void)state;
	start_machine(1, 1, 1, 1);
	expect_ok(&cyclictest, "-t 2 -i 250 -d 0 -D 1");
	assert_true(result.count[0] == 3999 && result.count[1] == 3999);
	expect_ok(&cyclictest, "-t 2 -i 300 -d 100 --run-ms 12");
	assert_true(result.count[0] == 39 && result.count[1] == 29); /* 300 * 40 and 400 * 30 us are the end */
}

/* 4.7: -t 2 -l 200 makes 200 cycles in the first thread, over 200 ms, and 200 * 1000 / 1500 = 133 in the second. That one ends when
 * it wakes next, at 201 ms. */
static void test_loops(void **state)
{
	(void)state;
	start_machine(1, 1, 2, 1);
	expect_ok(&cyclictest, "-t 2 -l 200");
	assert_true(result.count[0] == 200);
	assert_true(result.count[1] == 133);
	assert_true(result.elapsed_ns == 201 * NSEC_PER_MSEC);
}

/* ---- latency: one who runs at a better priority from 10.3 to 17.6 ms ---- */

enum { HOG_FROM_US = 10300, HOG_US = 7300 };

static struct {
	unsigned priority;
	u64 start_ns;
} hog;

static void be_hog(void *unused)
{
	(void)unused;
	hog.start_ns = machine_clock_ns();
	task_set_realtime(current(), POLICY_FIFO, hog.priority);
	sleep_until_ns(hog.start_ns + HOG_FROM_US * NSEC_PER_USEC);
	machine_work_ns(HOG_US * NSEC_PER_USEC);
}

static void run_beside_hog(void *arguments)
{
	struct task *t = task_spawn("hog", be_hog, NULL, false);
	unsigned argc = 0;
	const char *argv[16];
	char error[WORKLOAD_ERROR_BYTES];

	for (char *word = strtok(arguments, " "); word; word = strtok(NULL, " "))
		argv[argc++] = word;
	assert_int_equal(options_parse(&cyclictest, argc, argv, running_options, error), 0);
	memset(&result, 0, sizeof(result));
	cyclictest.run(running_options, &result);
	task_reap(t);
}

/* On one CPU. */
static void beside_hog(unsigned priority, const char *arguments)
{
	char copy[128];

	snprintf(copy, sizeof(copy), "%s", arguments);
	hog.priority = priority;
	start_machine(1, 1, 1, 1);
	test_run(run_beside_hog, copy);
	assert_string_equal(result.status, "ok");
	assert_true(hog.start_ns == result.start_ns);
}

/*
 * 4.7: due at 11 ms and woken then, the thread gets the CPU at 17.6 ms: that delay of 6.6 ms is its greatest latency. What was due
 * at 12, 13, ... 17 ms is skipped, and it goes on at 18 ms: after 11 cycles 39 more, up to 56 ms. All others are on time.
 */
static void test_latency_is_scheduling_delay(void **state)
{
	char line[128];

	(void)state;
	beside_hog(1, "-l 50 -N");
	assert_true(metric("cycles") == 50);
	assert_true(metric("min_ns") == 0);
	assert_true(metric("max_ns") == 6600000);
	assert_true(metric("avg_ns") == 6600000 / 50);
	assert_in_range(metric("p99_ns"), 6500000, 6600000); /* of 50, 99 % are not all but one: the greatest, to 1.6 % */
	assert_true(result.elapsed_ns == 56 * NSEC_PER_MSEC);
	assert_non_null(strstr(test_console(), ") P: 0 I:1000 C:     50 Min:      0 Act:    0 Avg:132000 Max: 6600000\n"));
	assert_int_equal(sscanf(test_console(), "T: 0 (%120[^\n]", line), 1);
	assert_int_equal(strcspn(line, ")"), 5);
}

/* In microseconds, and the histogram: 49 cycles at 0, and one beyond its 3 lines. */
static void test_histogram(void **state)
{
	(void)state;
	beside_hog(1, "-l 50 -h 3");
	assert_non_null(strstr(test_console(), ") P: 0 I:1000 C:     50 Min:      0 Act:    0 Avg:  132 Max:    6600\n"
					       "# Histogram\n"
					       "000000 000049\n"
					       "000001 000000\n"
					       "000002 000000\n"
					       "# Total: 000000049\n"
					       "# Min Latencies: 00000\n"
					       "# Avg Latencies: 00132\n"
					       "# Max Latencies: 06600\n"
					       "# Histogram Overflows: 00001\n"));
}

/* The last line takes what is as late as its number, the next one is beyond: 6600 us with 6601 and with 6600 lines. */
static void test_histogram_bounds(void **state)
{
	(void)state;
	beside_hog(1, "-l 20 -h 6601");
	assert_non_null(strstr(test_console(), "\n006600 000001\n# Total: 000000020\n"));
	assert_non_null(strstr(test_console(), "\n# Histogram Overflows: 00000\n"));
}

static void test_histogram_bounds_one_less(void **state)
{
	(void)state;
	beside_hog(1, "-l 20 -h 6600");
	assert_non_null(strstr(test_console(), "\n006599 000000\n# Total: 000000019\n"));
	assert_non_null(strstr(test_console(), "\n# Histogram Overflows: 00001\n"));
}

/* Two columns: in 56 ms the second thread is on time at 1.5, 3, ... 9 ms, 6 cycles. It is due at 10.5 and served at 17.6 ms, 7.1 ms
 * late, when 12, ... 16.5 have passed. Then come 18, 19.5, ... 55.5 ms, which are 26. */
static void test_histogram_of_two(void **state)
{
	(void)state;
	beside_hog(1, "-t 2 -l 50 -h 1");
	assert_true(result.count[0] == 50 && result.count[1] == 6 + 1 + 26);
	assert_non_null(strstr(test_console(), "000000 000049\t000032\n"
					       "# Total: 000000049 000000032\n"
					       "# Min Latencies: 00000 00000\n"
					       "# Avg Latencies: 00132 00215\n" /* 7100 / 33 */
					       "# Max Latencies: 06600 07100\n"
					       "# Histogram Overflows: 00001 00001\n"));
}

/* ---- policies ---- */

/* -p makes it FIFO: better than 98 it is never late, worse than that it is. */
static void test_priority(void **state)
{
	(void)state;
	beside_hog(98, "-l 50 -p 99");
	assert_true(metric("max_ns") == 0);
	assert_non_null(strstr(test_console(), ") P:99 I:1000 "));
}

static void test_worse_priority(void **state)
{
	(void)state;
	beside_hog(98, "-l 50 -p 97 --policy rr");
	assert_true(metric("max_ns") == 6600000);
}

/* 4.7: the same priority for all threads unless --priospread, with which the second one is no better than the hog. The first
 * one ends at 50 ms, so the second makes 6 cycles, a late one, and those at 18, 19.5, ... 49.5 ms, which are 22. */
static void test_priospread(void **state)
{
	(void)state;
	beside_hog(50, "-t 2 -l 50 -p 51");
	assert_true(metric("max_ns") == 0);
	assert_non_null(strstr(test_console(), ") P:51 I:1000 "));
	assert_non_null(strstr(test_console(), ") P:51 I:1500 "));
}

static void test_priospread_of_two(void **state)
{
	(void)state;
	beside_hog(50, "-t 2 -l 50 -p 51 --priospread -h 1");
	assert_true(metric("max_ns") == 7100000);
	assert_non_null(strstr(test_console(), ") P:51 I:1000 C:     50 "));
	assert_non_null(strstr(test_console(), ") P:50 I:1500 C:     29 "));
	assert_non_null(strstr(test_console(), "# Histogram Overflows: 00000 00001\n"));
}

static void test_other_policies(void **state)
{
	(void)state;
	start_machine(1, 1, 1, 1);
	expect_ok(&cyclictest, "-l 5 --policy batch");
	expect_ok(&cyclictest, "-l 5 --policy idle");
	expect_ok(&cyclictest, "-l 5 --policy fifo -p 1");
}

/* ---- whatever the machine ---- */

static void expect_ordered(unsigned nodes, unsigned cores, unsigned threads)
{
	start_machine(nodes, 1, cores, threads);
	test_cost(COST_SWITCH, 1700);
	for (unsigned i = 0; i < 2; i++) {
		knob.preempt = i ? PREEMPT_FULL : PREEMPT_NONE;
		test_apply_knobs();
		expect_ok(&cyclictest, "-t 9 -i 200 -d 30 -l 300 -N");
		assert_true(result.count[0] == 300);
		assert_true(metric("min_ns") <= metric("avg_ns") && metric("avg_ns") <= metric("max_ns"));
		assert_true(metric("min_ns") <= metric("p99_ns") && metric("p99_ns") <= metric("max_ns"));
		assert_in_range(metric("max_ns"), 1700, 200000);
	}
}

/* 4.7: Min <= Avg <= Max, with a switch before each cycle that takes 1.7 us. */
static void test_order_1_cpu(void **state)
{
	(void)state;
	expect_ordered(1, 1, 1);
}

static void test_order_8_cpus(void **state)
{
	(void)state;
	expect_ordered(2, 2, 2);
}

/* ---- the end of one that has none ---- */

static bool over;

static void end_after_20ms(void *unused)
{
	(void)unused;
	task_sleep_ns(20 * NSEC_PER_MSEC + 1);
	over = true;
}

static void run_until_over(void *unused)
{
	struct task *t = task_spawn("other", end_after_20ms, NULL, false);

	(void)unused;
	result.over = &over;
	cyclictest.run(running_options, &result);
	task_reap(t);
}

/* In the background it makes cycles until it is told to end, and ends within a period of that. */
static void test_ends_when_told(void **state)
{
	const char *const threads[] = { "-t", "2" };
	char error[WORKLOAD_ERROR_BYTES];

	(void)state;
	start_machine(1, 1, 2, 1);
	assert_int_equal(options_parse(&cyclictest, 2, threads, running_options, error), 0);
	assert_true(cyclictest.endless(running_options));
	test_run(run_until_over, NULL);
	assert_string_equal(result.status, "ok");
	assert_true(result.count[0] == 20 && result.count[1] == 13);
	assert_true(result.elapsed_ns == 21 * NSEC_PER_MSEC); /* both are due then */
}

static bool is_endless(const char *option, const char *value)
{
	const char *const words[] = { option, value };
	char error[WORKLOAD_ERROR_BYTES];

	assert_int_equal(options_parse(&cyclictest, 2, words, running_options, error), 0);
	return cyclictest.endless(running_options);
}

static void test_endless(void **state)
{
	(void)state;
	assert_true(is_endless("-p", "5"));
	assert_false(is_endless("-l", "5"));
	assert_false(is_endless("-D", "5"));
	assert_false(is_endless("--run-ms", "5"));
}

/* A run that was too short to measure anything has not measured 0. */
static void test_too_short(void **state)
{
	(void)state;
	start_machine(1, 1, 1, 1);
	run_workload(&cyclictest, "-i 10000 --run-ms 10");
	assert_string_equal(result.status, "no thread has made a cycle");
}

static void test_out_of_memory(void **state)
{
	(void)state;
	start_machine(1, 1, 1, 1);
	run_workload(&cyclictest, "-t 1024 -h 100000 -l 1"); /* 800 MB of lines, of 256 */
	assert_non_null(strstr(result.status, "not enough memory"));
	expect_ok(&cyclictest, "-l 1");
}

static void test_refusals(void **state)
{
	(void)state;
	expect_refused(&cyclictest, "-p 5 --policy batch", "a priority is for the policies fifo and rr");
	expect_refused(&cyclictest, "--policy rr", "they need one");
	expect_refused(&cyclictest, "-t 3 -p 2 --priospread", "at least the number of threads");
	expect_refused(&cyclictest, "-t 0", "threads takes a number from 1");
	expect_refused(&cyclictest, "-p 100", "priority takes a number from 1 to 99");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		machine_test(test_periods),
		machine_test(test_interval_and_distance),
		machine_test(test_loops),
		machine_test(test_latency_is_scheduling_delay),
		machine_test(test_histogram),
		machine_test(test_histogram_bounds),
		machine_test(test_histogram_bounds_one_less),
		machine_test(test_histogram_of_two),
		machine_test(test_priority),
		machine_test(test_worse_priority),
		machine_test(test_priospread),
		machine_test(test_priospread_of_two),
		machine_test(test_other_policies),
		machine_test(test_order_1_cpu),
		machine_test(test_order_8_cpus),
		machine_test(test_ends_when_told),
		machine_test(test_endless),
		machine_test(test_too_short),
		machine_test(test_out_of_memory),
		machine_test(test_refusals),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
