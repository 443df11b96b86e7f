/* SPDX-License-Identifier: GPL-2.0-or-later
 * Wakeup preemption by the rules of 2.6.32, its features, and what the eras do differently, against cfs.md section 2 (checks C2.1,
 * C2.2 and C2.4, and C2.6 and C2.7 in both eras), section 12 and, for the reschedule flag, section 0.5. The averages that 2.6.32
 * keeps are set by hand: averages.c is tested elsewhere. */
#include "tests/unit/era.h"

static void boot(const char *preset, unsigned cpus)
{
	test_machine(1, 1, cpus, 1);
	test_boot_preset(preset);
}

/* ---- the granularity ---- */

/* CPU 0 runs one task and has another waiting: nice levels, and for how long the first has run since it was picked. */
static struct sched_entity *curr, *wakee;

static void boot_pair(unsigned cpus, int nice, int wakee_nice, u64 ran_ns)
{
	boot("v2.6.32", cpus);
	curr = &test_task(0, nice)->se;
	test_schedule(0);
	wakee = &test_task(0, wakee_nice)->se;
	curr->sum_exec = curr->prev_sum_exec + ran_ns;
}

static int preempts(s64 lag_ns)
{
	wakee->vruntime = curr->vruntime - (u64)lag_ns;
	return se_preempts(curr, wakee);
}

/* So far behind is not enough, a nanosecond more is. */
static void expect_granularity(s64 ns)
{
	if (ns)
		assert_int_equal(preempts(ns), 0);
	assert_int_equal(preempts(ns + 1), 1);
	assert_int_equal(preempts(0), -1);
	assert_int_equal(preempts(-1), -1);
}

/* C2.4: twice 0.2 ms for each of 2 tasks, less what has been run. */
static void test_adaptive_after_1_ms(void **state)
{
	(void)state;
	boot_pair(1, 0, 0, 1000000);
	wakee->avg_wakeup = 200000;
	expect_granularity(0);
}

static void test_adaptive_after_half_a_ms(void **state)
{
	(void)state;
	boot_pair(1, 0, 0, 500000);
	wakee->avg_wakeup = 200000;
	expect_granularity(300000);
}

/* Section 2.1: run as long as expected, nothing is left; a task more, and 2 * 0.2 ms are. */
static void test_adaptive_counts_the_queue(void **state)
{
	(void)state;
	boot_pair(1, 0, 0, 800000);
	wakee->avg_wakeup = 200000;
	expect_granularity(0);
	test_task(0, 0);
	expect_granularity(400000);
}

/* The average is the wakee's, what has run the running task's; and never more than the plain granularity, 1 ms with 1 CPU. */
static void test_adaptive_whose(void **state)
{
	(void)state;
	boot_pair(1, 0, 0, 1000000);
	curr->avg_wakeup = 10000000;
	wakee->avg_wakeup = 200000;
	wakee->prev_sum_exec = 0;
	wakee->sum_exec = 5000000;
	expect_granularity(0);
	wakee->avg_wakeup = 10000000;
	expect_granularity(1000000);
}

/* Section 2.1: then scaled by the wakee's weight. 300000 ns for nice 5: 307200000 * 12820798 / 2^32 = 917015. */
static void test_adaptive_is_scaled(void **state)
{
	(void)state;
	boot_pair(1, 0, 5, 500000);
	wakee->avg_wakeup = 200000;
	expect_granularity(917015);
}

/* C12.1, NO_ADAPTIVE_GRAN: C2.1 and C2.2 as in 3.8, 4 CPUs. */
static void test_plain_granularity(void **state)
{
	static const struct {
		int nice;
		s64 ns;
	} table[] = { { -20, 34610 }, { -10, 321743 }, { -5, 984300 }, { 0, 3000000 }, { 4, 7262411 }, { 5, 9170149 },
		{ 10, 27927273 }, { 19, 204800000 } };

	(void)state;
	boot_pair(4, 0, 0, 1000000);
	knob.ADAPTIVE_GRAN = 0;
	for (unsigned i = 0; i < ARRAY_SIZE(table); i++) {
		task_of(wakee)->nice = (s8)table[i].nice;
		weight_set(task_of(wakee));
		expect_granularity(table[i].ns);
	}
}

/* C12.1, NO_ASYM_GRAN: scaled by the running task's weight, so a light wakee is not held back and a light running task is spared.
 */
static void test_asymmetric_granularity(void **state)
{
	(void)state;
	boot_pair(4, 5, 0, 0);
	knob.ADAPTIVE_GRAN = 0;
	expect_granularity(3000000);
	knob.ASYM_GRAN = 0;
	expect_granularity(9170149); /* nice 5 in C2.2 */
	task_of(curr)->nice = 0;
	task_of(wakee)->nice = 5;
	weight_set(task_of(curr));
	weight_set(task_of(wakee));
	expect_granularity(3000000);
	knob.ASYM_GRAN = 1;
	expect_granularity(9170149);
}

/* Section 2.1: a pick compares when nobody runs, and so by the plain granularity: a buddy 1 ms to the right is taken, one further
 * off is not. Adaptively it would never be: the average is 0. */
static void test_pick_is_not_adaptive(void **state)
{
	struct cfs_rq *cfs;
	struct task *left, *last;

	(void)state;
	boot("v2.6.32", 1);
	cfs = &cpu_rq(0)->cfs;
	left = test_task(0, 0);
	last = test_task(0, 0);
	test_place(last, left->se.vruntime + 1000000);
	cfs->last = &last->se;
	assert_ptr_equal(buddy_pick(cfs), &last->se);
	test_place(last, left->se.vruntime + 1000001);
	cfs->last = &last->se;
	assert_ptr_equal(buddy_pick(cfs), &left->se);
}

/* C2.4 by way of the queue: 300001 ns behind a task that has run for half a millisecond. */
static void expect_adaptive_wakeup(s64 lag_ns, bool preempted)
{
	boot_pair(1, 0, 0, 500000);
	wakee->avg_wakeup = 200000;
	test_place(task_of(wakee), curr->vruntime - (u64)lag_ns);
	fair_check_preempt(cpu_rq(0), task_of(wakee), 0);
	assert_int_equal(task_of(curr)->need_resched, preempted);
}

static void test_wakeup_within_adaptive_granularity(void **state)
{
	(void)state;
	expect_adaptive_wakeup(300000, false);
}

static void test_wakeup_beyond_adaptive_granularity(void **state)
{
	(void)state;
	expect_adaptive_wakeup(300001, true);
}

/* ---- policies ---- */

static const char *const eras[] = { "v2.6.32-rc1", "v2.6.32", "v3.8" };

/* One of CPU 0's two tasks runs and the other has just been queued, that far behind; does the first have to go? */
static bool policies_preempt(enum task_policy running, enum task_policy woken, s64 lag_ns)
{
	struct rq *rq = cpu_rq(0);
	struct task *t = task_of(wakee);

	task_set_policy(rq->curr, running);
	task_set_policy(t, woken);
	t->se.vruntime = rq->curr->se.vruntime - (u64)lag_ns;
	rq->curr->need_resched = 0; /* which the change of policy set */
	fair_check_preempt(rq, t, 0);
	return rq->curr->need_resched;
}

/* Both eras on one machine: these rules are asked at each wakeup. */
static void switch_to_era(const char *preset)
{
	char error[KNOB_ERROR_BYTES];

	assert_int_equal(preset_apply(preset, error), 0);
	sched_knobs_settle(nr_cpus);
}

/* C2.6: whatever the lag. */
static void test_batch_and_idle_wakees_wait(void **state)
{
	(void)state;
	boot_pair(1, 0, 0, 1000000);
	for (unsigned i = 0; i < ARRAY_SIZE(eras); i++) {
		switch_to_era(eras[i]);
		assert_false(policies_preempt(POLICY_NORMAL, POLICY_BATCH, 3600 * (s64)NSEC_PER_SEC));
		assert_false(policies_preempt(POLICY_NORMAL, POLICY_IDLE, 3600 * (s64)NSEC_PER_SEC));
		assert_false(policies_preempt(POLICY_BATCH, POLICY_BATCH, 3600 * (s64)NSEC_PER_SEC));
		assert_true(policies_preempt(POLICY_BATCH, POLICY_NORMAL, 3600 * (s64)NSEC_PER_SEC));
	}
}

/* C2.7: however far ahead the wakee is. */
static void test_idle_policy_gives_way(void **state)
{
	(void)state;
	boot_pair(1, 0, 0, 1000000);
	for (unsigned i = 0; i < ARRAY_SIZE(eras); i++) {
		switch_to_era(eras[i]);
		assert_true(policies_preempt(POLICY_IDLE, POLICY_NORMAL, -(s64)NSEC_PER_SEC));
		assert_false(policies_preempt(POLICY_IDLE, POLICY_IDLE, 3600 * (s64)NSEC_PER_SEC));
	}
}

/* Section 2.4, steps 7 and 8: 2.6.32 turns a batch wakee away before it looks at who runs. */
static void test_idle_policy_and_batch(void **state)
{
	static const bool preempted[] = { false, false, true };

	(void)state;
	boot_pair(1, 0, 0, 1000000);
	for (unsigned i = 0; i < ARRAY_SIZE(eras); i++) {
		switch_to_era(eras[i]);
		assert_int_equal(policies_preempt(POLICY_IDLE, POLICY_BATCH, 3600 * (s64)NSEC_PER_SEC), preempted[i]);
	}
}

/* ---- features ---- */

/* The wakee, ahead of the running task by a second, so that only a feature can make it preempt. */
static bool ahead_preempts(unsigned wake_flags)
{
	task_of(curr)->need_resched = 0;
	wakee->vruntime = curr->vruntime + NSEC_PER_SEC;
	fair_check_preempt(cpu_rq(0), task_of(wakee), wake_flags);
	return task_of(curr)->need_resched;
}

static void boot_features(void)
{
	boot_pair(1, 0, 0, 1000000);
	wakee->avg_overlap = curr->avg_overlap = 500000;
	wakee->avg_running = curr->avg_running = 500000;
}

/* All are off by default. */
static void test_no_feature(void **state)
{
	(void)state;
	boot_features();
	wakee->avg_overlap = curr->avg_overlap = wakee->avg_running = 0;
	assert_false(ahead_preempts(WAKE_SYNC));
}

/* Section 2.4, step 9. */
static void test_wakeup_sync(void **state)
{
	(void)state;
	boot_features();
	knob.WAKEUP_SYNC = 1;
	assert_true(ahead_preempts(WAKE_SYNC));
	assert_false(ahead_preempts(0));
	task_of(wakee)->policy = POLICY_BATCH; /* step 7 comes first */
	assert_false(ahead_preempts(WAKE_SYNC));
}

/* Step 9: both below the migration cost of 0.5 ms, strictly. */
static void test_wakeup_overlap(void **state)
{
	(void)state;
	boot_features();
	knob.WAKEUP_OVERLAP = 1;
	assert_false(ahead_preempts(0));
	wakee->avg_overlap = 499999;
	assert_false(ahead_preempts(0));
	curr->avg_overlap = 499999;
	assert_true(ahead_preempts(0));
	wakee->avg_overlap = 500000;
	assert_false(ahead_preempts(0));
}

/* Step 10: shorter than the running task, strictly; and the wakee is `next`, whatever NEXT_BUDDY says. */
static void test_wakeup_running(void **state)
{
	(void)state;
	boot_features();
	knob.WAKEUP_RUNNING = 1;
	assert_false(ahead_preempts(0));
	assert_null(cpu_rq(0)->cfs.next);
	wakee->avg_running = 499999;
	assert_true(ahead_preempts(0));
	assert_ptr_equal(cpu_rq(0)->cfs.next, wakee);
	wakee->avg_running = 500001;
	assert_false(ahead_preempts(0));
}

/* Step 6: a CPU that is to be rescheduled anyway is asked nothing. */
static void test_flagged_task_is_not_asked(void **state)
{
	(void)state;
	boot_features();
	knob.WAKEUP_RUNNING = 1;
	wakee->avg_running = 0;
	task_of(curr)->need_resched = 1;
	fair_check_preempt(cpu_rq(0), task_of(wakee), 0);
	assert_null(cpu_rq(0)->cfs.next);
}

/* Step 11 stands behind the features and the idle policy, before the lag. */
static void test_without_wakeup_preempt(void **state)
{
	(void)state;
	boot_features();
	knob.WAKEUP_PREEMPT = 0;
	assert_false(policies_preempt(POLICY_NORMAL, POLICY_NORMAL, (s64)NSEC_PER_SEC));
	assert_true(policies_preempt(POLICY_IDLE, POLICY_NORMAL, -(s64)NSEC_PER_SEC));
	task_set_policy(task_of(curr), POLICY_NORMAL);
	knob.WAKEUP_SYNC = 1;
	assert_true(ahead_preempts(WAKE_SYNC));
}

/* 3.8's step 8 does the same to the lag and leaves the idle policy alone; the tick does not mind it (test_tick.c). */
static void test_without_wakeup_preemption(void **state)
{
	(void)state;
	boot("v3.8", 1);
	test_spinners(0, 1);
	wakee = &test_task(0, 0)->se;
	assert_true(policies_preempt(POLICY_NORMAL, POLICY_NORMAL, (s64)NSEC_PER_SEC));
	knob.WAKEUP_PREEMPTION = 0;
	assert_false(policies_preempt(POLICY_NORMAL, POLICY_NORMAL, (s64)NSEC_PER_SEC));
	assert_true(policies_preempt(POLICY_IDLE, POLICY_NORMAL, -(s64)NSEC_PER_SEC));
	assert_true(policies_preempt(POLICY_IDLE, POLICY_BATCH, -(s64)NSEC_PER_SEC));
}

/* ---- the reschedule flag ---- */

/* A task goes to sleep while flagged, as by a tick; its CPU looks for work, with the queue's lock dropped; then this happens on
 * CPU 1. */
static struct {
	struct task *going, *woken;
	bool flagged;
	struct sched_entity *next;
} meanwhile;

static void wake_from_cpu_1(enum cost cost)
{
	if (cost != COST_BALANCE_CPU)
		return;
	test_on_charge = NULL;
	meanwhile.flagged = meanwhile.going->need_resched;
	test_on_cpu(1);
	assert_true(task_wake(meanwhile.woken, 0));
	test_on_cpu(0);
	meanwhile.next = cpu_rq(0)->cfs.next;
}

static void wake_during_newidle(u8 resched_clear)
{
	boot("v3.8", 2);
	knob.resched_clear = resched_clear;
	meanwhile.going = test_spinners(0, 1);
	meanwhile.woken = test_sleeper(0, 0, -(s64)NSEC_PER_SEC); /* comes in 6 ms behind, with a granularity of 2 ms */
	test_pin(meanwhile.woken, 0);
	meanwhile.going->need_resched = 1;
	test_on_charge = wake_from_cpu_1;
	assert_ptr_equal(test_sleep(0), meanwhile.woken);
	assert_null(test_on_charge);
}

/* Section 0.5, 3.8: the flag is still there, so the wakeup does not compare, and sets no buddy; it is found by the pick. */
static void test_late_clear_hides_the_wakeup(void **state)
{
	(void)state;
	wake_during_newidle(RESCHED_CLEAR_LATE);
	assert_true(meanwhile.flagged);
	assert_null(meanwhile.next);
	assert_false(meanwhile.going->need_resched);
}

/* "After the optional NEXT_BUDDY marking". */
static void test_late_clear_with_next_buddy(void **state)
{
	(void)state;
	test_machine(1, 1, 2, 1);
	test_boot_preset("v3.8");
	knob.NEXT_BUDDY = 1;
	knob.sched_latency_ns = knob.sched_min_granularity_ns; /* any queue is long */
	meanwhile.going = test_spinners(0, 1);
	meanwhile.woken = test_sleeper(0, 0, 0);
	test_pin(meanwhile.woken, 0);
	meanwhile.going->need_resched = 1;
	test_on_charge = wake_from_cpu_1;
	assert_ptr_equal(test_sleep(0), meanwhile.woken);
	assert_ptr_equal(meanwhile.next, &meanwhile.woken->se);
}

/* Section 0.5, 32: cleared as the first thing, so the wakeup finds it clear. */
static void test_early_clear_lets_the_wakeup_compare(void **state)
{
	(void)state;
	wake_during_newidle(RESCHED_CLEAR_EARLY);
	assert_false(meanwhile.flagged);
	assert_ptr_equal(meanwhile.next, &meanwhile.woken->se);
}

/* Either way a task that is picked again runs with the flag clear. */
static void expect_cleared(const char *preset)
{
	struct task *t;

	boot(preset, 1);
	t = test_spinners(0, 1);
	task_resched(t);
	assert_true(t->need_resched);
	assert_ptr_equal(test_schedule(0), t);
	assert_false(t->need_resched);
}

static void test_flag_is_cleared_38(void **state)
{
	(void)state;
	expect_cleared("v3.8");
}

static void test_flag_is_cleared_32(void **state)
{
	(void)state;
	expect_cleared("v2.6.32");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		machine_test(test_adaptive_after_1_ms),
		machine_test(test_adaptive_after_half_a_ms),
		machine_test(test_adaptive_counts_the_queue),
		machine_test(test_adaptive_whose),
		machine_test(test_adaptive_is_scaled),
		machine_test(test_plain_granularity),
		machine_test(test_asymmetric_granularity),
		machine_test(test_pick_is_not_adaptive),
		machine_test(test_wakeup_within_adaptive_granularity),
		machine_test(test_wakeup_beyond_adaptive_granularity),
		machine_test(test_batch_and_idle_wakees_wait),
		machine_test(test_idle_policy_gives_way),
		machine_test(test_idle_policy_and_batch),
		machine_test(test_no_feature),
		machine_test(test_wakeup_sync),
		machine_test(test_wakeup_overlap),
		machine_test(test_wakeup_running),
		machine_test(test_flagged_task_is_not_asked),
		machine_test(test_without_wakeup_preempt),
		machine_test(test_without_wakeup_preemption),
		machine_test(test_late_clear_hides_the_wakeup),
		machine_test(test_late_clear_with_next_buddy),
		machine_test(test_early_clear_lets_the_wakeup_compare),
		machine_test(test_flag_is_cleared_38),
		machine_test(test_flag_is_cleared_32),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
