/* SPDX-License-Identifier: GPL-2.0-or-later
 * Wakeup preemption, against cfs.md section 2 (checks C2.1 to C2.3 and C2.6 to C2.8, the 3.8 side). Lags are exact to the
 * nanosecond: a miss by one is a comparison with the wrong strictness, any other a granularity scaled by the wrong task's weight.
 */
#include "tests/unit/machine.h"

#include "sched/rq.h"

static void boot_4_cpus(void)
{
	test_machine(1, 1, 4, 1);
	test_boot(SWITCH_LABELS);
	assert_int_equal(knob.sched_wakeup_granularity_ns, 3000000);
}

/* ---- the three-way test ---- */

static int preempts(s64 lag_ns, int nice)
{
	struct task curr = { .nice = 0 }, wakee = { .nice = (s8)nice };

	weight_set(&curr);
	weight_set(&wakee);
	curr.se.vruntime = (u64)-1000000; /* across the wrap, too */
	wakee.se.vruntime = curr.se.vruntime - (u64)lag_ns;
	return se_preempts(&curr.se, &wakee.se);
}

/* C2.1: 3.8, 4 CPUs, nice 0: 3 ms behind is not enough, a nanosecond more is; equal is not behind. */
static void test_three_way(void **state)
{
	(void)state;
	boot_4_cpus();
	assert_int_equal(preempts(3000000, 0), 0);
	assert_int_equal(preempts(3000001, 0), 1);
	assert_int_equal(preempts(1, 0), 0);
	assert_int_equal(preempts(0, 0), -1);
	assert_int_equal(preempts(-1, 0), -1);
	assert_int_equal(preempts(-3000001, 0), -1);
}

/* C2.2: the granularity in the wakee's own virtual time. */
static void test_granularity_by_nice(void **state)
{
	static const struct {
		int nice;
		s64 ns;
	} table[] = { { -20, 34610 }, { -10, 321743 }, { -5, 984300 }, { 0, 3000000 }, { 4, 7262411 }, { 5, 9170149 },
		{ 10, 27927273 }, { 19, 204800000 } };

	(void)state;
	boot_4_cpus();
	for (unsigned i = 0; i < ARRAY_SIZE(table); i++) {
		assert_int_equal(preempts(table[i].ns, table[i].nice), 0);
		assert_int_equal(preempts(table[i].ns + 1, table[i].nice), 1);
	}
}

/* ---- wakeups ---- */

/* CPU 0 runs a task alone; one that was last there, as far behind, wakes there. */
static struct task *wake_behind(s64 lag_ns, int nice, enum task_policy policy)
{
	struct task *curr = test_spinners(0, 1), *t = test_sleeper(0, nice, -lag_ns);

	test_pin(t, 0);
	task_set_policy(t, policy);
	assert_true(task_wake(t, 0));
	return curr;
}

static void expect_wakeup(s64 lag_ns, int nice, enum task_policy policy, bool preempted)
{
	struct task *curr;

	boot_4_cpus();
	curr = wake_behind(lag_ns, nice, policy);
	assert_int_equal(curr->need_resched, preempted);
	assert_int_equal(cpu_rq(0)->nr_running, 2);
}

/* C2.1 by way of a real wakeup. */
static void test_wakeup_within_granularity(void **state)
{
	(void)state;
	expect_wakeup(3000000, 0, POLICY_NORMAL, false);
}

static void test_wakeup_beyond_granularity(void **state)
{
	(void)state;
	expect_wakeup(3000001, 0, POLICY_NORMAL, true);
}

/* C2.3: a long sleeper comes back 9 ms behind: enough for nice 4 (7.262 ms), not for nice 5 (9.170 ms). */
#define LONG_SLEEPER_TEST(name, nice, preempted)                                                                                   \
	static void test_long_sleeper_##name(void **state)                                                                         \
	{                                                                                                                          \
		(void)state;                                                                                                       \
		expect_wakeup((s64)NSEC_PER_SEC, nice, POLICY_NORMAL, preempted);                                                  \
	}

LONG_SLEEPER_TEST(minus_5, -5, true)
LONG_SLEEPER_TEST(0, 0, true)
LONG_SLEEPER_TEST(4, 4, true)
LONG_SLEEPER_TEST(5, 5, false)
LONG_SLEEPER_TEST(10, 10, false)
LONG_SLEEPER_TEST(19, 19, false)

/* C2.6: whatever the lag, a batch or idle-policy wakee lets a normal task finish. */
static void test_batch_wakee(void **state)
{
	(void)state;
	expect_wakeup((s64)NSEC_PER_SEC, -20, POLICY_BATCH, false);
}

static void test_idle_policy_wakee(void **state)
{
	(void)state;
	expect_wakeup((s64)NSEC_PER_SEC, 0, POLICY_IDLE, false);
}

static void wake_ahead_of_idle_policy(enum task_policy policy, bool preempted)
{
	struct task *curr, *t;

	boot_4_cpus();
	curr = test_spinners(0, 1);
	task_set_policy(curr, POLICY_IDLE);
	curr->need_resched = 0; /* which the change of policy set */
	t = test_sleeper(0, 0, 50 * (s64)NSEC_PER_MSEC);
	test_pin(t, 0);
	task_set_policy(t, policy);
	task_wake(t, 0);
	assert_int_equal(curr->need_resched, preempted);
}

/* C2.7: a running idle-policy task gives way at once, even to a wakee far ahead. */
static void test_idle_policy_gives_way(void **state)
{
	(void)state;
	wake_ahead_of_idle_policy(POLICY_NORMAL, true);
}

/* Section 2.4: in 3.8 (not in 2.6.32) also to a batch task; never to one of its own kind. */
static void test_idle_policy_gives_way_to_batch(void **state)
{
	(void)state;
	wake_ahead_of_idle_policy(POLICY_BATCH, true);
}

static void test_idle_policy_keeps_from_its_kind(void **state)
{
	(void)state;
	wake_ahead_of_idle_policy(POLICY_IDLE, false);
}

/* Section 2.4, step 8. */
static void test_without_wakeup_preemption(void **state)
{
	struct task *curr;

	(void)state;
	boot_4_cpus();
	knob.WAKEUP_PREEMPTION = 0;
	curr = wake_behind((s64)NSEC_PER_SEC, 0, POLICY_NORMAL);
	assert_false(curr->need_resched);
}

/* Section 2.4, step 12: the running task is charged before it is compared, or its lead would be that of the last tick. */
static void test_running_task_is_charged_first(void **state)
{
	struct rq *rq = cpu_rq(0);
	struct task *curr, *t;

	(void)state;
	boot_4_cpus();
	curr = test_spinners(0, 1);
	t = test_task(0, 0);
	test_clock_set(3000001);
	rq_update_clock(rq);
	fair_check_preempt(rq, t, 0);
	assert_int_equal(curr->se.sum_exec, 3000001);
	assert_true(curr->need_resched);
}

/* Section 2.3: any wakeup reschedules an idle CPU, and one on another CPU also kicks it. */
static void test_wakeup_of_an_idle_cpu(void **state)
{
	struct task *t;

	(void)state;
	boot_4_cpus();
	t = test_sleeper(2, 0, 0);
	test_pin(t, 2);
	task_wake(t, 0);
	assert_true(cpu_rq(2)->idle->need_resched);
	assert_true(test_kicked(2));
	assert_int_equal(test_kicks(2), 1);
	assert_ptr_equal(test_schedule(2), t);
}

/* Between classes the higher one wins: a stopper over whatever runs, never the other way round. */
static void test_classes(void **state)
{
	struct task *curr, *t;
	struct stop_work work = { .fn = NULL };

	(void)state;
	boot_4_cpus();
	curr = test_spinners(0, 1);
	stop_queue(0, &work);
	assert_true(curr->need_resched);
	assert_ptr_equal(test_schedule(0), cpu_rq(0)->stop);
	t = test_sleeper(0, -20, -(s64)NSEC_PER_SEC);
	test_pin(t, 0);
	task_wake(t, 0);
	assert_false(cpu_rq(0)->stop->need_resched);
	assert_int_equal(cpu_rq(0)->nr_running, 3);
	assert_int_equal(cpu_rq(0)->cfs.nr_running, 2);
}

/* ---- TTWU_QUEUE ---- */

/* Two packages of two CPUs; CPU 0 wakes three tasks of CPU 2. */
static void wake_three_remotely(struct task *t[3])
{
	test_machine(2, 1, 2, 1);
	test_boot(SWITCH_LABELS);
	for (unsigned i = 0; i < 3; i++) {
		t[i] = test_sleeper(2, 0, 0);
		test_pin(t[i], 2);
	}
	test_spinners(2, 1);
	test_on_cpu(0);
	for (unsigned i = 0; i < 3; i++)
		assert_true(task_wake(t[i], 0));
}

/* C2.8: A, B, C are activated as C, B, A. The queue's list of tasks is newest first, so A is first in it, and only one kick is
 * sent. */
static void test_remote_wakeups_are_activated_newest_first(void **state)
{
	struct task *t[3];
	struct sched_entity *se;

	(void)state;
	wake_three_remotely(t);
	assert_int_equal(cpu_rq(2)->nr_running, 1);
	assert_int_equal(test_kicks(2), 1);
	assert_int_equal(t[0]->state, TASK_WAKING);
	test_on_cpu(2);
	test_kick_interrupt();
	assert_int_equal(cpu_rq(2)->nr_running, 4);
	se = TAILQ_FIRST(&cpu_rq(2)->cfs.tasks);
	assert_ptr_equal(task_of(se), t[0]);
	se = TAILQ_NEXT(se, peers);
	assert_ptr_equal(task_of(se), t[1]);
	se = TAILQ_NEXT(se, peers);
	assert_ptr_equal(task_of(se), t[2]);
	for (unsigned i = 0; i < 3; i++)
		assert_int_equal(t[i]->state, TASK_RUNNING);
}

/* Section 2.6: a CPU with something on its way is not idle. */
static void test_wake_list_is_not_idle(void **state)
{
	struct task *t;

	(void)state;
	test_machine(2, 1, 2, 1);
	test_boot(SWITCH_LABELS);
	assert_true(cpu_is_idle(2));
	t = test_sleeper(2, 0, 0);
	test_pin(t, 2);
	task_wake(t, 0);
	assert_int_equal(cpu_rq(2)->nr_running, 0);
	assert_false(cpu_is_idle(2));
	test_task(3, 0);
	assert_false(cpu_is_idle(3));
	knob.idle_cpu = IDLE_CPU_CURR; /* 2.6.32: the idle task runs, and that is all */
	assert_true(cpu_is_idle(2));
	assert_true(cpu_is_idle(3));
}

/* Within a cache, or with the feature off, the waker does the work itself. */
static void test_wakeup_within_a_cache_is_direct(void **state)
{
	struct task *t;

	(void)state;
	boot_4_cpus();
	t = test_sleeper(2, 0, 0);
	test_pin(t, 2);
	task_wake(t, 0);
	assert_int_equal(cpu_rq(2)->nr_running, 1);
	assert_int_equal(t->state, TASK_RUNNING);
}

static void test_without_ttwu_queue(void **state)
{
	struct task *t;

	(void)state;
	test_machine(2, 1, 2, 1);
	test_boot(SWITCH_LABELS);
	knob.TTWU_QUEUE = 0;
	t = test_sleeper(2, 0, 0);
	test_pin(t, 2);
	task_wake(t, 0);
	assert_int_equal(cpu_rq(2)->nr_running, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		machine_test(test_three_way),
		machine_test(test_granularity_by_nice),
		machine_test(test_wakeup_within_granularity),
		machine_test(test_wakeup_beyond_granularity),
		machine_test(test_long_sleeper_minus_5),
		machine_test(test_long_sleeper_0),
		machine_test(test_long_sleeper_4),
		machine_test(test_long_sleeper_5),
		machine_test(test_long_sleeper_10),
		machine_test(test_long_sleeper_19),
		machine_test(test_batch_wakee),
		machine_test(test_idle_policy_wakee),
		machine_test(test_idle_policy_gives_way),
		machine_test(test_idle_policy_gives_way_to_batch),
		machine_test(test_idle_policy_keeps_from_its_kind),
		machine_test(test_without_wakeup_preemption),
		machine_test(test_running_task_is_charged_first),
		machine_test(test_wakeup_of_an_idle_cpu),
		machine_test(test_classes),
		machine_test(test_remote_wakeups_are_activated_newest_first),
		machine_test(test_wake_list_is_not_idle),
		machine_test(test_wakeup_within_a_cache_is_direct),
		machine_test(test_without_ttwu_queue),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
