/* SPDX-License-Identifier: GPL-2.0-or-later
 * Counting: what is programmed, what comes out of it, and what is left behind, on CPUs that count at rates of the test's choice.
 * All expected values are rates by times. A miss means that perf's figures would be wrong, or the next owner of the counters
 * misled. */
#include "tests/unit/pmu.h"

#define BIT(event) (1u << (event))
enum { ALL = BIT(NR_HW_EVENTS) - 1 };

static struct pmu_cpu cpu;

static void start(u32 wanted)
{
	fake_probe();
	assert_null(pmu.missing);
	pmu_start(&cpu, &pmu, &fake_access, wanted);
}

/* Rates per microsecond of the events that Core 2 has, all different. */
static void set_intel_rates(void)
{
	fake.fixed_per_us[0] = 1500;
	fake.fixed_per_us[1] = 2400;
	fake.fixed_per_us[2] = 2000;
	fake_count(0x00c4, 300);
	fake_count(0x00c5, 11);
	fake_count(0x412e, 7);
}

/* So many milliseconds, a tick at the end of each but the last, where counting ends before it. */
static void run_ticks(unsigned ms)
{
	for (unsigned i = 0; i < ms; i++) {
		if (i)
			pmu_tick(&cpu);
		fake_run_us(1000);
	}
}

static void assert_count(enum hw_event event, u64 value, u64 running_ns)
{
	assert_int_equal(cpu.counts.value[event], value);
	assert_int_equal(cpu.counts.running_ns[event], running_ns);
}

/* ---- programming: 6.2, 6.3 ---- */

/* Event | OS (bit 17) | enable (bit 22); fixed counters by 4 bits each, 1: the OS ring, where everything runs; the switch has
 * general counters from bit 0 and fixed ones from bit 32. */
static void test_programming_core2(void **state)
{
	(void)state;
	fake_core2();
	start(ALL);
	assert_int_equal(fake.select[0], 0x4200c4);
	assert_int_equal(fake.select[1], 0x4200c5);
	assert_int_equal(fake.fixed_control, 0x111);
	assert_int_equal(fake.global, 0x700000003);
}

static void test_programming_skylake(void **state)
{
	(void)state;
	fake_skylake();
	start(ALL);
	assert_int_equal(fake.select[0], 0x4200c4);
	assert_int_equal(fake.select[1], 0x4200c5);
	assert_int_equal(fake.select[2], 0x42412e);
	for (unsigned i = 3; i < 8; i++)
		assert_int_equal(fake.select[i], 0);
	assert_int_equal(fake.global, 0x700000007);
}

/* Inverted with cmask 1: bits 23 and 24. */
static void test_programming_stalls(void **state)
{
	(void)state;
	fake_intel(0x206c2, 3, 4, 48, 3, 3, 0);
	start(BIT(HW_STALLED_FRONTEND) | BIT(HW_STALLED_BACKEND));
	assert_int_equal(fake.select[0], 0x01c2010e);
	assert_int_equal(fake.select[1], 0x01c23fb1);
	assert_int_equal(fake.fixed_control, 0);
	assert_int_equal(fake.global, 3);
}

/* No switch: the enable bits do it. */
static void test_programming_legacy_amd(void **state)
{
	static const u64 select[] = { 0x420076, 0x4200c0, 0x4200c2, 0x4200c3 };

	(void)state;
	fake_phenom();
	start(ALL);
	assert_memory_equal(fake.select, select, sizeof(select));
	assert_int_equal(fake.fixed_control, 0);
}

static void test_programming_perfmon2(void **state)
{
	static const u64 select[] = { 0x420076, 0x4200c0, 0x4200c2, 0x4200c3, 0, 0 };

	(void)state;
	fake_genoa();
	start(ALL);
	assert_memory_equal(fake.select, select, sizeof(select));
	assert_int_equal(fake.global, 15);
}

/* Only what is wanted: cycles are fixed counter 1. */
static void test_wanted_only(void **state)
{
	(void)state;
	fake_core2();
	set_intel_rates();
	start(BIT(HW_CYCLES) | BIT(HW_STALLED_BACKEND));
	assert_int_equal(fake.fixed_control, 0x010);
	assert_int_equal(fake.global, 0x200000000);
	run_ticks(3);
	pmu_stop(&cpu);
	assert_int_equal(cpu.counts.supported, BIT(HW_CYCLES));
	assert_count(HW_CYCLES, 2400 * 3000, 3 * NSEC_PER_MSEC);
	assert_count(HW_INSTRUCTIONS, 0, 0);
}

/* ---- taking turns: workloads.md 5.1 ---- */

/* Three events for two counters: each has one for two ticks of three, 66.67 %. In 9 ms that is 6 ms: 300 a microsecond are
 * 1,800,000 counted and, by 9 / 6, 2,700,000 in all, which is 300 times 9,000. What has a counter of its own always counts. */
static void test_three_for_two(void **state)
{
	(void)state;
	fake_core2();
	set_intel_rates();
	start(ALL);
	run_ticks(9);
	pmu_stop(&cpu);
	assert_int_equal(cpu.counts.enabled_ns, 9 * NSEC_PER_MSEC);
	assert_count(HW_INSTRUCTIONS, 1500 * 9000, 9 * NSEC_PER_MSEC);
	assert_count(HW_CYCLES, 2400 * 9000, 9 * NSEC_PER_MSEC);
	assert_count(HW_REF_CYCLES, 2000 * 9000, 9 * NSEC_PER_MSEC);
	assert_count(HW_BRANCHES, 300 * 6000, 6 * NSEC_PER_MSEC);
	assert_count(HW_BRANCH_MISSES, 11 * 6000, 6 * NSEC_PER_MSEC);
	assert_count(HW_LLC_MISSES, 7 * 6000, 6 * NSEC_PER_MSEC);
	assert_int_equal(cpu.counts.value[HW_BRANCHES] * cpu.counts.enabled_ns / cpu.counts.running_ns[HW_BRANCHES], 300 * 9000);
}

/* Six events for four: two thirds again, over 12 ms 8 ms each. */
static void test_six_for_four(void **state)
{
	static const u32 select[] = { 0x76, 0xc0, 0xc2, 0xc3, 0xd0, 0xd1 };
	static const enum hw_event event[] = { HW_CYCLES, HW_INSTRUCTIONS, HW_BRANCHES, HW_BRANCH_MISSES, HW_STALLED_FRONTEND,
		HW_STALLED_BACKEND };

	(void)state;
	fake_phenom();
	for (unsigned i = 0; i < 6; i++)
		fake_count(select[i], 100 + i);
	start(ALL);
	run_ticks(12);
	pmu_stop(&cpu);
	for (unsigned i = 0; i < 6; i++)
		assert_count(event[i], (100 + i) * 8000, 8 * NSEC_PER_MSEC);
	assert_int_equal(cpu.counts.supported, ALL & ~(BIT(HW_LLC_MISSES) | BIT(HW_REF_CYCLES)));
}

/* Version 1, four for two: 50 %. */
static void test_half(void **state)
{
	(void)state;
	fake_intel(0x6e8, 1, 2, 40, 0, 0, 0);
	fake_count(0x003c, 1000);
	fake_count(0x00c0, 900);
	fake_count(0x00c4, 200);
	fake_count(0x00c5, 10);
	start(BIT(HW_CYCLES) | BIT(HW_INSTRUCTIONS) | BIT(HW_BRANCHES) | BIT(HW_BRANCH_MISSES));
	run_ticks(8);
	pmu_stop(&cpu);
	assert_count(HW_CYCLES, 1000 * 4000, 4 * NSEC_PER_MSEC);
	assert_count(HW_INSTRUCTIONS, 900 * 4000, 4 * NSEC_PER_MSEC);
	assert_count(HW_BRANCHES, 200 * 4000, 4 * NSEC_PER_MSEC);
	assert_count(HW_BRANCH_MISSES, 10 * 4000, 4 * NSEC_PER_MSEC);
}

/* Enough counters: nobody gives way, and nothing is written meanwhile. */
static void test_no_turns(void **state)
{
	u64 writes;

	(void)state;
	fake_skylake();
	set_intel_rates();
	start(ALL);
	writes = fake.writes;
	run_ticks(10);
	assert_int_equal(fake.writes, writes);
	pmu_stop(&cpu);
	assert_count(HW_BRANCHES, 300 * 10000, 10 * NSEC_PER_MSEC);
	assert_count(HW_LLC_MISSES, 7 * 10000, 10 * NSEC_PER_MSEC);
}

/* Timers go off more often than the tick; an event keeps its place for a millisecond all the same. */
static void test_timers_between_ticks(void **state)
{
	(void)state;
	fake_core2();
	start(ALL);
	for (unsigned i = 0; i < 9; i++) {
		fake_run_us(100);
		pmu_tick(&cpu);
	}
	assert_int_equal(fake.select[0], 0x4200c4);
	fake_run_us(100);
	pmu_tick(&cpu);
	assert_int_equal(fake.select[0], 0x42412e);
	assert_int_equal(fake.select[1], 0x4200c5);
}

/* A run too short for the third: it was never counted, and says so by running_ns 0. */
static void test_never_counted(void **state)
{
	(void)state;
	fake_core2();
	set_intel_rates();
	start(ALL);
	fake_run_us(500);
	pmu_stop(&cpu);
	assert_true(cpu.counts.supported & BIT(HW_LLC_MISSES));
	assert_count(HW_LLC_MISSES, 0, 0);
	assert_count(HW_BRANCHES, 300 * 500, 500 * NSEC_PER_USEC);
}

/* ---- wrapping ---- */

/* 40 bits: from 5 below the end, 2,400,000 later. 48 bits likewise. */
static void test_wrap(void **state)
{
	(void)state;
	fake_core2();
	set_intel_rates();
	fake_probe();
	fake.fixed[1] = (1ull << 40) - 5;
	fake.counter[0] = (1ull << 40) - 1;
	pmu_start(&cpu, &pmu, &fake_access, BIT(HW_CYCLES) | BIT(HW_BRANCHES));
	fake_run_us(1000);
	assert_int_equal(fake.fixed[1], 2400000 - 5);
	pmu_stop(&cpu);
	assert_count(HW_CYCLES, 2400000, NSEC_PER_MSEC);
	assert_count(HW_BRANCHES, 300000, NSEC_PER_MSEC);
	fake_genoa();
	fake_count(0x76, 5000);
	fake_probe();
	fake.counter[0] = (1ull << 48) - 1;
	pmu_start(&cpu, &pmu, &fake_access, BIT(HW_CYCLES));
	fake_run_us(1000);
	pmu_stop(&cpu);
	assert_count(HW_CYCLES, 5000000, NSEC_PER_MSEC);
}

/* 2^40 cycles at 2400 a microsecond take 458 s: in 1000 s a counter wraps twice, and all 2.4 * 10^12 are there. */
static void test_wrap_twice(void **state)
{
	(void)state;
	fake_core2();
	set_intel_rates();
	start(BIT(HW_CYCLES) | BIT(HW_BRANCHES));
	for (unsigned s = 0; s < 1000; s++) {
		fake_run_us(1000000);
		pmu_tick(&cpu);
	}
	pmu_stop(&cpu);
	assert_count(HW_CYCLES, 2400000000000, 1000 * NSEC_PER_SEC);
	assert_count(HW_BRANCHES, 300000000000, 1000 * NSEC_PER_SEC);
}

/* ---- what is left behind ---- */

static void assert_left_as_found(const struct fake *found)
{
	assert_memory_equal(found->select, fake.select, sizeof(fake.select));
	assert_int_equal(found->fixed_control, fake.fixed_control);
	assert_int_equal(found->global, fake.global);
	assert_int_equal(fake.counter_writes, 0);
}

/* A watchdog of the firmware's on general counter 0 and fixed counter 1, with its interrupt enabled (bit 20; bit 3 of four). */
static void test_restored(void **state)
{
	struct fake found;

	(void)state;
	fake_core2();
	fake.select[0] = 0x5300c0;
	fake.fixed_control = 0x0b0;
	fake.global = 0x200000001;
	found = fake;
	start(ALL);
	assert_int_equal(fake.select[0], 0x4200c4);
	assert_int_equal(fake.fixed_control, 0x111);
	run_ticks(5);
	pmu_stop(&cpu);
	assert_left_as_found(&found);
	fake_phenom();
	fake.select[3] = 0x530076;
	found = fake;
	start(ALL);
	assert_int_equal(fake.select[3], 0x4200c3);
	run_ticks(5);
	pmu_stop(&cpu);
	assert_left_as_found(&found);
}

/* ---- several CPUs, and refusals ---- */

static void test_sum(void **state)
{
	struct hw_counts sum;

	(void)state;
	fake_core2();
	set_intel_rates();
	start(ALL);
	run_ticks(3);
	pmu_stop(&cpu);
	pmu_add(&cpu, true, &sum);
	start(ALL);
	run_ticks(6);
	pmu_stop(&cpu);
	pmu_add(&cpu, false, &sum);
	assert_int_equal(sum.supported, ALL & ~(BIT(HW_STALLED_FRONTEND) | BIT(HW_STALLED_BACKEND)));
	assert_int_equal(sum.enabled_ns, 9 * NSEC_PER_MSEC);
	assert_int_equal(sum.value[HW_CYCLES], 2400 * 9000);
	assert_int_equal(sum.running_ns[HW_BRANCHES], 6 * NSEC_PER_MSEC);
	assert_int_equal(sum.value[HW_BRANCHES], 300 * 6000);
}

/* One CPU refuses what the first one took: then nothing is supported in that run, whatever the others say. */
static void test_refused_later(void **state)
{
	struct hw_counts sum;

	(void)state;
	fake_core2();
	set_intel_rates();
	start(ALL);
	run_ticks(3);
	pmu_stop(&cpu);
	pmu_add(&cpu, true, &sum);
	fake.refuses_write = 0x187;
	pmu_start(&cpu, &pmu, &fake_access, ALL);
	run_ticks(3);
	pmu_stop(&cpu);
	pmu_add(&cpu, false, &sum);
	assert_int_equal(sum.supported, 0);
}

/* Where there is nothing, nothing is touched, and nothing is supported. */
static void test_nothing_there(void **state)
{
	(void)state;
	fake_intel(0x506e3, 0, 0, 0, 0, 0, 0);
	fake_probe();
	pmu_start(&cpu, &pmu, &fake_access, ALL);
	run_ticks(3);
	pmu_stop(&cpu);
	assert_int_equal(cpu.counts.supported, 0);
	assert_int_equal(cpu.counts.enabled_ns, 0);
	assert_int_equal(fake.writes, 0);
}

/* A tick or an end without a beginning. */
static void test_not_begun(void **state)
{
	(void)state;
	fake_core2();
	fake_probe();
	memset(&cpu, 0, sizeof(cpu));
	fake.writes = 0;
	pmu_tick(&cpu);
	pmu_stop(&cpu);
	assert_int_equal(fake.writes, 0);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_programming_core2),
		cmocka_unit_test(test_programming_skylake),
		cmocka_unit_test(test_programming_stalls),
		cmocka_unit_test(test_programming_legacy_amd),
		cmocka_unit_test(test_programming_perfmon2),
		cmocka_unit_test(test_wanted_only),
		cmocka_unit_test(test_three_for_two),
		cmocka_unit_test(test_six_for_four),
		cmocka_unit_test(test_half),
		cmocka_unit_test(test_no_turns),
		cmocka_unit_test(test_timers_between_ticks),
		cmocka_unit_test(test_never_counted),
		cmocka_unit_test(test_wrap),
		cmocka_unit_test(test_wrap_twice),
		cmocka_unit_test(test_restored),
		cmocka_unit_test(test_sum),
		cmocka_unit_test(test_refused_later),
		cmocka_unit_test(test_nothing_there),
		cmocka_unit_test(test_not_begun),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("pmu", tests, NULL, NULL);
}
