/* SPDX-License-Identifier: GPL-2.0-or-later
 * The tick and the shares of CPU time that come of it, against cfs.md sections 1.11 and 1.12 (checks C1.1, C1.7, C1.11), by the
 * rules of 3.8, 2.6.32 and 2.6.32-rc1. A miss by one tick is a comparison with the wrong strictness. */
#include "tests/unit/era.h"

#include "sched/rq.h"

static void boot(unsigned cpus)
{
	test_machine(1, 1, cpus, 1);
	test_boot(SWITCH_LABELS);
}

/* ---- the tick ---- */

/* C1.7, exact ticks: a slice of 3 ms is over when more than 3 ms have run, at the 4th tick: 250 switches a second. 333 would mean
 * >=. */
static void test_two_spinners_switch_every_4_ms(void **state)
{
	struct task *first;
	u64 before;

	(void)state;
	boot(1);
	first = test_spinners(0, 2);
	before = cpu_rq(0)->count.switches; /* from the idle task */
	test_machine_run(3999999);
	assert_ptr_equal(cpu_rq(0)->curr, first);
	test_machine_run(4000000);
	assert_ptr_not_equal(cpu_rq(0)->curr, first);
	test_machine_run(NSEC_PER_SEC);
	assert_int_equal(cpu_rq(0)->count.switches - before, 250);
	assert_int_equal(cpu_rq(0)->count.involuntary - before, 250);
}

/* C1.7 with a tick that comes every 1 ms + 1 ns: the 3rd finds 3 000 003 ns. 333 switches in a second. */
static void test_two_spinners_with_a_slow_tick(void **state)
{
	u64 before;

	(void)state;
	boot(1);
	test_spinners(0, 2);
	before = cpu_rq(0)->count.switches;
	for (unsigned tick = 1; tick < 1000; tick++) {
		test_clock_set(tick * 1000001ull);
		test_timer_interrupt();
		assert_int_equal(cpu_rq(0)->count.switches - before, tick / 3);
	}
}

/* A task alone is never rescheduled by the tick, however long it runs (section 1.12: nr_running > 1). */
static void test_tick_leaves_a_lone_task(void **state)
{
	(void)state;
	boot(1);
	test_spinners(0, 1);
	for (unsigned ms = 1; ms <= 100; ms++) {
		test_clock_run(ms * NSEC_PER_MSEC);
		assert_false(cpu_rq(0)->curr->need_resched);
	}
}

/* One of two tasks has run so long since it was picked, and is so far ahead of the other: does the tick take it off? */
static bool tick_takes_off(u64 ran_ns, s64 ahead_ns)
{
	struct rq *rq = cpu_rq(0);
	struct task *curr, *other;

	curr = test_spinners(0, 1);
	other = test_task(0, 0);
	curr->se.sum_exec = curr->se.prev_sum_exec + ran_ns;
	curr->se.vruntime = other->se.vruntime + (u64)ahead_ns;
	fair_check_tick(&rq->cfs, &curr->se);
	return curr->need_resched;
}

static bool tick_reschedules(u64 ran_ns, s64 ahead_ns)
{
	boot(1);
	return tick_takes_off(ran_ns, ahead_ns);
}

/* C1.11, 3.8: the running task is 1 ns behind the leftmost and has run the minimum granularity: go on. 2.6.32 rescheduled here. */
static void test_tick_behind_leftmost(void **state)
{
	(void)state;
	assert_false(tick_reschedules(750000, -1));
}

/* Section 1.12, test 1: more than the slice of 3 ms, strictly. */
static void test_tick_slice_is_not_over_at_its_end(void **state)
{
	(void)state;
	assert_false(tick_reschedules(3000000, 0));
}

static void test_tick_slice_is_over_after_its_end(void **state)
{
	(void)state;
	assert_true(tick_reschedules(3000001, 0));
}

/* Tests 3 to 5: more than a slice ahead of the leftmost, but only once the minimum granularity of 0.75 ms has run. */
static void test_tick_lead_of_a_slice(void **state)
{
	(void)state;
	assert_false(tick_reschedules(750000, 3000000));
}

static void test_tick_lead_of_more_than_a_slice(void **state)
{
	(void)state;
	assert_true(tick_reschedules(750000, 3000001));
}

static void test_tick_lead_before_the_granularity(void **state)
{
	(void)state;
	assert_false(tick_reschedules(749999, 3000001));
}

/* Section 1.11: each pick starts a new slice, also of the task that ran before. */
static void test_pick_restarts_the_slice(void **state)
{
	struct task *t;

	(void)state;
	boot(1);
	t = test_spinners(0, 1);
	test_task(0, 0);
	test_clock_run(NSEC_PER_MSEC);
	t->se.vruntime -= 10 * NSEC_PER_MSEC;
	assert_ptr_equal(test_schedule(0), t);
	assert_int_equal(t->se.prev_sum_exec, NSEC_PER_MSEC);
	assert_int_equal(cpu_rq(0)->count.switches, 1);
}

/* ---- the tick of 2.6.32: 1 CPU, two tasks, so a slice of 2498780 ns (C1.3) and a minimum granularity of 1 ms ---- */

static bool tick_of_32_reschedules(u64 ran_ns, s64 ahead_ns)
{
	test_machine(1, 1, 1, 1);
	test_boot_preset("v2.6.32");
	return tick_takes_off(ran_ns, ahead_ns);
}

#define TICK_OF_32_TEST(name, ran_ns, ahead_ns, rescheduled)                                                                       \
	static void test_tick_of_32_##name(void **state)                                                                           \
	{                                                                                                                          \
		(void)state;                                                                                                       \
		assert_int_equal(tick_of_32_reschedules(ran_ns, ahead_ns), rescheduled);                                           \
	}

/* Section 1.12, step 1. */
TICK_OF_32_TEST(at_the_end_of_the_slice, 2498780, 0, false)
TICK_OF_32_TEST(after_the_slice, 2498781, 0, true)
/* Steps 3 to 5: a lead of more than a slice; and, wrongly, any lag at all. */
TICK_OF_32_TEST(level, 1000000, 0, false)
TICK_OF_32_TEST(a_slice_ahead, 1000000, 2498780, false)
TICK_OF_32_TEST(more_than_a_slice_ahead, 1000000, 2498781, true)
TICK_OF_32_TEST(behind, 1000000, -1, true)
TICK_OF_32_TEST(far_behind, 1000000, -50000000, true)
TICK_OF_32_TEST(behind_before_the_granularity, 999999, -1, false)

/* C1.11 to its end: the pick elects the same task, which switches nothing but starts a new slice. */
static void test_tick_of_32_restarts_the_slice(void **state)
{
	struct task *curr, *other;
	u64 switches;

	(void)state;
	test_machine(1, 1, 1, 1);
	test_boot_preset("v2.6.32");
	curr = test_spinners(0, 1);
	other = test_task(0, 0);
	test_place(other, curr->se.vruntime + 1000001);
	switches = cpu_rq(0)->count.switches;
	test_clock_run(NSEC_PER_MSEC); /* the tick finds it 1 ns behind, after the minimum granularity */
	assert_ptr_equal(current(), curr);
	assert_false(curr->need_resched);
	assert_int_equal(cpu_rq(0)->count.switches, switches);
	assert_int_equal(curr->se.prev_sum_exec, NSEC_PER_MSEC);
}

/* The same in 3.8: the slice goes on. */
static void test_tick_of_38_lets_the_slice_go_on(void **state)
{
	struct task *curr, *other;

	(void)state;
	boot(1);
	curr = test_spinners(0, 1);
	other = test_task(0, 0);
	test_place(other, curr->se.vruntime + 1000001);
	test_clock_run(NSEC_PER_MSEC);
	assert_ptr_equal(current(), curr);
	assert_int_equal(curr->se.prev_sum_exec, 0);
}

/* Section 1.12, step 2: rc1 looks at the slice only. */
static void test_tick_of_rc1_has_no_leftmost(void **state)
{
	(void)state;
	test_machine(1, 1, 1, 1);
	test_boot_preset("v2.6.32-rc1");
	assert_false(tick_takes_off(2498780, 60000000));
	cpu_rq(0)->curr->se.sum_exec++;
	fair_check_tick(&cpu_rq(0)->cfs, &cpu_rq(0)->curr->se);
	assert_true(cpu_rq(0)->curr->need_resched);
}

/* Section 12: NO_WAKEUP_PREEMPT takes the look at the leftmost away, whatever tick_leftmost says, and leaves the slice. */
static void test_tick_without_wakeup_preempt(void **state)
{
	(void)state;
	test_machine(1, 1, 1, 1);
	test_boot_preset("v2.6.32");
	knob.WAKEUP_PREEMPT = 0;
	assert_false(tick_takes_off(1000000, 60000000));
	cpu_rq(0)->curr->se.sum_exec += 1498781;
	fair_check_tick(&cpu_rq(0)->cfs, &cpu_rq(0)->curr->se);
	assert_true(cpu_rq(0)->curr->need_resched);
}

/* And makes the tick mind the slice of a task alone: 4995122 ns (C1.3) are over at the 5th tick. WAKEUP_PREEMPTION does not. */
static void test_tick_of_a_lone_task(void **state)
{
	struct task *t;

	(void)state;
	test_machine(1, 1, 1, 1);
	test_boot_preset("v2.6.32");
	t = test_spinners(0, 1);
	knob.WAKEUP_PREEMPTION = 0;
	test_clock_run(10 * NSEC_PER_MSEC);
	assert_int_equal(t->se.prev_sum_exec, 0);
	knob.WAKEUP_PREEMPT = 0;
	test_schedule(0);
	assert_int_equal(t->se.prev_sum_exec, 10 * NSEC_PER_MSEC);
	test_clock_run(14 * NSEC_PER_MSEC);
	assert_int_equal(t->se.prev_sum_exec, 10 * NSEC_PER_MSEC);
	test_clock_run(15 * NSEC_PER_MSEC);
	assert_int_equal(t->se.prev_sum_exec, 15 * NSEC_PER_MSEC);
	assert_ptr_equal(current(), t);
}

/* ---- shares ---- */

/* C1.1: shares of one CPU in 1/1000 of a percent. */
static const struct {
	unsigned nr;
	int nice[3];
	unsigned percent_1000[3];
} mixes[] = {
	{ 3, { 0, 0, 5 }, { 42971, 42971, 14058 } },
	{ 2, { 0, 5 }, { 75350, 24650 } },
	{ 2, { 0, 1 }, { 55531, 44469 } },
	{ 2, { 0, -1 }, { 44502, 55498 } },
	{ 2, { 0, 10 }, { 90300, 9700 } },
	{ 2, { 0, 19 }, { 98556, 1444 } },
	{ 2, { -5, 0 }, { 75296, 24704 } },
	{ 2, { -20, 19 }, { 99983, 17 } },
	{ 3, { 0, 0, 1 }, { 35704, 35704, 28591 } },
};

enum { MIXES = ARRAY_SIZE(mixes), SECONDS = 100 };

/* Off by a slice, by the tick that ended it, and by the table's last digit: half of 1/100000 of the run. */
static void expect_share(struct task *t, unsigned percent_1000)
{
	const u64 run_ns = SECONDS * NSEC_PER_SEC;
	s64 miss = (s64)(t->se.sum_exec - run_ns / 100000 * percent_1000);
	s64 most = (s64)(se_slice(&task_rq(t)->cfs, &t->se) + tick_ns() + run_ns / 200000);

	if (miss < -most || miss > most)
		fail_msg("nice %d: %lld ns off, at most %lld expected", t->nice, (long long)miss, (long long)most);
}

/* Each mix on a CPU of its own, with the slices of a machine of one. */
static void expect_shares(const char *preset)
{
	struct task *t[MIXES][3];

	test_machine(1, 1, MIXES, 1);
	test_boot_preset(preset);
	knob.sched_latency_ns = knob.normalized_latency_ns;
	knob.sched_min_granularity_ns = knob.normalized_min_granularity_ns;
	for (unsigned cpu = 0; cpu < MIXES; cpu++) {
		for (unsigned i = 0; i < mixes[cpu].nr; i++) {
			t[cpu][i] = test_task(cpu, mixes[cpu].nice[i]);
			test_pin(t[cpu][i], cpu);
		}
		test_schedule(cpu);
	}
	test_machine_run(SECONDS * NSEC_PER_SEC);
	for (unsigned cpu = 0; cpu < MIXES; cpu++)
		for (unsigned i = 0; i < mixes[cpu].nr; i++)
			expect_share(t[cpu][i], mixes[cpu].percent_1000[i]);
}

static void test_shares_38(void **state)
{
	(void)state;
	expect_shares("v3.8");
}

static void test_shares_32(void **state)
{
	(void)state;
	expect_shares("v2.6.32");
}

static void test_shares_rc1(void **state)
{
	(void)state;
	expect_shares("v2.6.32-rc1");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		machine_test(test_two_spinners_switch_every_4_ms),
		machine_test(test_two_spinners_with_a_slow_tick),
		machine_test(test_tick_leaves_a_lone_task),
		machine_test(test_tick_behind_leftmost),
		machine_test(test_tick_slice_is_not_over_at_its_end),
		machine_test(test_tick_slice_is_over_after_its_end),
		machine_test(test_tick_lead_of_a_slice),
		machine_test(test_tick_lead_of_more_than_a_slice),
		machine_test(test_tick_lead_before_the_granularity),
		machine_test(test_pick_restarts_the_slice),
		machine_test(test_tick_of_32_at_the_end_of_the_slice),
		machine_test(test_tick_of_32_after_the_slice),
		machine_test(test_tick_of_32_level),
		machine_test(test_tick_of_32_a_slice_ahead),
		machine_test(test_tick_of_32_more_than_a_slice_ahead),
		machine_test(test_tick_of_32_behind),
		machine_test(test_tick_of_32_far_behind),
		machine_test(test_tick_of_32_behind_before_the_granularity),
		machine_test(test_tick_of_32_restarts_the_slice),
		machine_test(test_tick_of_38_lets_the_slice_go_on),
		machine_test(test_tick_of_rc1_has_no_leftmost),
		machine_test(test_tick_without_wakeup_preempt),
		machine_test(test_tick_of_a_lone_task),
		machine_test(test_shares_38),
		machine_test(test_shares_32),
		machine_test(test_shares_rc1),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
