/* SPDX-License-Identifier: GPL-2.0-or-later
 * The averages of a queue's weight, against cfs.md section 8.1 (checks C8.1 to C8.3). All values are exact: a miss by one is a
 * rounding in the wrong direction.
 */
#include "tests/unit/machine.h"

#include "sched/rq.h"

/* ---- tick by tick ---- */

/* C8.1 and C8.2: the first ticks of averages 1 to 4, and the tick at which each of 0 to 4 has arrived. */
static void expect_averages(u64 from, u64 to, const u64 (*ticks)[4])
{
	static const unsigned arrives[NR_CPU_LOADS] = { 1, 11, 22, 41, 74 };
	struct rq rq = { .cfs.load.weight = to };

	for (unsigned i = 0; i < NR_CPU_LOADS; i++)
		rq.cpu_load[i] = from;
	for (unsigned tick = 1; tick <= 80; tick++) {
		cpu_load_tick(&rq);
		for (unsigned i = 1; i < NR_CPU_LOADS && tick <= 4; i++)
			if (ticks[i][tick - 1] != ~0ull)
				assert_int_equal(rq.cpu_load[i], ticks[i][tick - 1]);
		for (unsigned i = 0; i < NR_CPU_LOADS; i++)
			assert_int_equal(rq.cpu_load[i] == to, tick >= arrives[i]);
	}
}

static void test_rising_averages(void **state)
{
	static const u64 ticks[NR_CPU_LOADS][4] = {
		[1] = { 512, 768, 896, 960 },
		[2] = { 256, 448, 592, 700 },
		[3] = { 128, 240, 338, 424 },
		[4] = { 64, 124, 181, 234 },
	};

	(void)state;
	expect_averages(0, 1024, ticks);
}

static void test_falling_averages(void **state)
{
	static const u64 ticks[NR_CPU_LOADS][4] = {
		[1] = { 512, 256, 128, ~0ull },
		[2] = { 768, 576, 432, 324 },
		[3] = { 896, 784, 686, 600 },
		[4] = { 960, 900, 843, 790 },
	};

	(void)state;
	expect_averages(1024, 0, ticks);
}

/* ---- missed ticks ---- */

/* C8.3: 1024 after so many missed ticks. */
static void test_decay_by_missed_ticks(void **state)
{
	static const u64 missed[] = { 1, 2, 4, 8, 16 };
	static const u64 expected[NR_CPU_LOADS][ARRAY_SIZE(missed)] = {
		[1] = { 512, 256, 64, 0, 0 },
		[2] = { 768, 576, 320, 96, 8 },
		[3] = { 896, 784, 600, 344, 120 },
		[4] = { 960, 896, 784, 608, 360 },
	};

	(void)state;
	for (unsigned i = 1; i < NR_CPU_LOADS; i++)
		for (unsigned k = 0; k < ARRAY_SIZE(missed); k++)
			assert_int_equal(cpu_load_decay(1024, i, missed[k]), expected[i][k]);
}

/*
 * Section 8.1: none missed changes nothing; several bits multiply: 3 are 1 and 2, for average 2 1024 * 96 / 128 = 768, * 72 / 128 =
 * 432; and nothing is left after 8, 32, 64 and 128, whatever the load, but something just before.
 */
static void test_decay_ends(void **state)
{
	static const u64 after[NR_CPU_LOADS] = { 0, 8, 32, 64, 128 };

	(void)state;
	assert_int_equal(cpu_load_decay(1024, 2, 3), 432);
	for (unsigned i = 1; i < NR_CPU_LOADS; i++) {
		assert_int_equal(cpu_load_decay(1023, i, 0), 1023);
		assert_int_equal(cpu_load_decay(1ull << 40, i, after[i]), 0);
		assert_int_not_equal(cpu_load_decay(1ull << 40, i, after[i] - 1), 0);
	}
}

/* An idle CPU whose averages all say 1024 as of the tick before, so many ticks later. */
static struct rq *idle_for(u64 ticks)
{
	struct rq *rq = cpu_rq(0);

	test_machine(1, 1, 2, 1);
	test_boot(SWITCH_LABELS);
	for (unsigned i = 0; i < NR_CPU_LOADS; i++)
		rq->cpu_load[i] = 1024;
	rq->load_tick = tick_now();
	test_clock_advance(ticks * NSEC_PER_MSEC + NSEC_PER_MSEC / 2);
	rq_update_clock(rq);
	cpu_load_catch_up(rq);
	return rq;
}

/*
 * Section 8.1: of n ticks n - 1 are missed ones, and the last is a step: C8.3's values for 8, then (old * (2^i - 1) + 0) >> i:
 * 0; 96 * 3 >> 2 = 72; 344 * 7 >> 3 = 301; 608 * 15 >> 4 = 570.
 */
static void test_catching_up(void **state)
{
	static const u64 expected[NR_CPU_LOADS] = { 0, 0, 72, 301, 570 };
	struct rq *rq = idle_for(9);

	(void)state;
	for (unsigned i = 0; i < NR_CPU_LOADS; i++)
		assert_int_equal(rq->cpu_load[i], expected[i]);
	cpu_load_catch_up(rq); /* no tick since */
	assert_int_equal(rq->cpu_load[4], 570);
}

/* One tick later nothing was missed: a step as C8.2 has it. */
static void test_catching_up_one_tick(void **state)
{
	static const u64 expected[NR_CPU_LOADS] = { 0, 512, 768, 896, 960 };
	struct rq *rq = idle_for(1);

	(void)state;
	for (unsigned i = 0; i < NR_CPU_LOADS; i++)
		assert_int_equal(rq->cpu_load[i], expected[i]);
}

/* Less than a tick is none. */
static void test_catching_up_at_once(void **state)
{
	struct rq *rq = idle_for(0);

	(void)state;
	for (unsigned i = 0; i < NR_CPU_LOADS; i++)
		assert_int_equal(rq->cpu_load[i], 1024);
}

/* ---- reading them ---- */

/* CPU 1 has two tasks. */
static void boot_pair(void)
{
	test_machine(1, 1, 2, 1);
	test_boot(SWITCH_LABELS);
	test_spinners(1, 2);
}

/* C12.1 and section 8.1: index t looks at average t - 1; from the side that gives the lower, for the side that takes the higher. */
static void test_source_and_target_load(void **state)
{
	(void)state;
	boot_pair();
	cpu_rq(1)->cpu_load[1] = 500;
	cpu_rq(1)->cpu_load[2] = 5000;
	assert_int_equal(source_load(1, 0), 2048);
	assert_int_equal(target_load(1, 0), 2048);
	assert_int_equal(source_load(1, 2), 500);
	assert_int_equal(target_load(1, 2), 2048);
	assert_int_equal(source_load(1, 3), 2048);
	assert_int_equal(target_load(1, 3), 5000);
	knob.LB_BIAS = 0;
	assert_int_equal(source_load(1, 2), 2048);
	assert_int_equal(target_load(1, 3), 2048);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		machine_test(test_rising_averages),
		machine_test(test_falling_averages),
		machine_test(test_decay_by_missed_ticks),
		machine_test(test_decay_ends),
		machine_test(test_catching_up),
		machine_test(test_catching_up_one_tick),
		machine_test(test_catching_up_at_once),
		machine_test(test_source_and_target_load),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
