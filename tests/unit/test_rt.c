/* SPDX-License-Identifier: GPL-2.0-or-later
 * The real-time class on one CPU, against cfs.md section 10 (checks C10.1 and C10.2). Times are
 * exact to the tick; a miss by one tick is a comparison with the wrong strictness. */
#include "tests/unit/machine.h"

#include "sched/rq.h"

static void boot(unsigned cpus)
{
	test_machine(1, 1, cpus, 1);
	test_boot(SWITCH_LABELS);
}

/* One that wakes on that CPU and must stay there. */
static struct task *wake_pinned(unsigned cpu, enum task_policy policy, unsigned priority)
{
	struct task *t = test_sleeper(cpu, 0, 0);

	test_pin(t, cpu);
	task_set_realtime(t, policy, priority);
	assert_true(task_wake(t, 0));
	return t;
}

static struct task *wake_fifo(unsigned priority)
{
	return wake_pinned(0, POLICY_FIFO, priority);
}

static void run_ms(u64 until)
{
	test_clock_run(until * NSEC_PER_MSEC);
}

/* ---- round robin ---- */

/* C10.1: alone at its level, it is not even looked at after 100 ms. */
static void test_rr_alone(void **state)
{
	struct task *t, *lesser;

	(void)state;
	boot(1);
	t = wake_pinned(0, POLICY_RR, 10);
	lesser = wake_pinned(0, POLICY_RR, 9);
	assert_ptr_equal(test_schedule(0), t);
	run_ms(350);
	assert_int_equal(cpu_rq(0)->count.schedules, 1);
	assert_int_equal(t->se.sum_exec, 350 * NSEC_PER_MSEC);
	assert_int_equal(lesser->se.sum_exec, 0);
}

/* From that ms on, two take turns of 100 ms. */
static void expect_turns(u64 start)
{
	struct task *a = wake_pinned(0, POLICY_RR, 10), *b = wake_pinned(0, POLICY_RR, 10);

	assert_ptr_equal(test_schedule(0), a);
	for (u64 turn = 1; turn <= 4; turn++) {
		struct task *runs = turn & 1 ? a : b;

		run_ms(start + 100 * turn - 1);
		assert_ptr_equal(current(), runs);
		run_ms(start + 100 * turn);
		assert_ptr_equal(current(), runs == a ? b : a);
	}
}

/* C10.1: HZ=1000, 100 ticks. */
static void test_rr_turns_at_1000_hz(void **state)
{
	(void)state;
	boot(1);
	expect_turns(0);
}

/* C10.1: HZ=250, 25 ticks; the first of them at 4 ms. */
static void test_rr_turns_at_250_hz(void **state)
{
	(void)state;
	boot(1);
	knob.HZ = HZ_250;
	run_ms(4);
	expect_turns(4);
	assert_int_equal(rt_slice_ticks(), 25);
}

/* FIFO tasks do not take turns. */
static void test_fifo_has_no_slice(void **state)
{
	struct task *a;

	(void)state;
	boot(1);
	a = wake_fifo(10);
	wake_fifo(10);
	test_schedule(0);
	run_ms(900);
	assert_ptr_equal(current(), a);
	assert_int_equal(cpu_rq(0)->count.schedules, 1);
}

/* ---- order in and among the lists ---- */

static void test_order_of_lists(void **state)
{
	struct task *a, *b, *c, *d;

	(void)state;
	boot(1);
	a = wake_fifo(10);
	b = wake_fifo(10);
	c = wake_fifo(99);
	d = wake_fifo(1);
	assert_int_equal(cpu_rq(0)->rt.highest, 0); /* 99 - priority */
	assert_ptr_equal(test_schedule(0), c);
	assert_ptr_equal(test_sleep(0), a);
	assert_ptr_equal(test_sleep(0), b);
	assert_int_equal(cpu_rq(0)->rt.highest, 89);
	assert_ptr_equal(test_sleep(0), d);
	assert_int_equal(cpu_rq(0)->rt.highest, 98);
	assert_ptr_equal(test_sleep(0), cpu_rq(0)->idle);
	assert_int_equal(cpu_rq(0)->rt.highest, RT_LEVELS);
}

/* Who is preempted keeps the head of its list; an equal that wakes meanwhile waits. */
static void test_preempted_keeps_the_head(void **state)
{
	struct task *a, *c;

	(void)state;
	boot(1);
	a = wake_fifo(10);
	test_schedule(0);
	wake_fifo(10);
	assert_false(a->need_resched);
	c = wake_fifo(11);
	assert_true(a->need_resched);
	assert_ptr_equal(test_schedule(0), c);
	assert_ptr_equal(test_sleep(0), a);
}

/* Who yields goes behind its equals, but stays before the lesser. */
static void test_yield(void **state)
{
	struct task *a, *b, *c;

	(void)state;
	boot(1);
	a = wake_fifo(10);
	b = wake_fifo(10);
	c = wake_fifo(10);
	wake_fifo(9);
	test_schedule(0);
	task_yield();
	assert_ptr_equal(current(), b);
	task_yield();
	assert_ptr_equal(current(), c);
	task_yield();
	assert_ptr_equal(current(), a);
}

/* 10.1: stop over real-time over fair. A stopper is woken while a task of either runs, and the other way round. */
static void test_order_of_classes(void **state)
{
	struct task *fair, *rt, *late;
	struct stop_work work = { .fn = NULL };

	(void)state;
	boot(1);
	fair = test_spinners(0, 1);
	rt = wake_fifo(1);
	assert_true(fair->need_resched);
	assert_ptr_equal(test_schedule(0), rt);
	late = test_sleeper(0, -20, -(s64)NSEC_PER_SEC);
	assert_true(task_wake(late, 0));
	assert_false(rt->need_resched);
	stop_queue(0, &work);
	assert_true(rt->need_resched);
	assert_ptr_equal(test_schedule(0), cpu_rq(0)->stop);
	wake_fifo(99);
	assert_false(cpu_rq(0)->stop->need_resched);
}

/* 1.1: a real-time task counts, but has no weight in its queue; nor in the averages. */
static void test_no_weight_in_the_queue(void **state)
{
	struct rq *rq = cpu_rq(0);

	(void)state;
	boot(1);
	test_task(0, 0);
	wake_fifo(50);
	wake_fifo(50);
	assert_int_equal(rq->nr_running, 3);
	assert_int_equal(rq->cfs.nr_running, 1);
	assert_int_equal(rq_weight(rq), NICE_0_WEIGHT);
	test_schedule(0);
	assert_int_equal(rq_weight(rq), NICE_0_WEIGHT);
	run_ms(1);
	assert_int_equal(rq->cpu_load[0], NICE_0_WEIGHT);
}

/* ---- throttling ---- */

/* CPU 0 has a FIFO hog and a fair one, both bound to it: what the fair one gets in so many seconds from the start. */
static u64 fair_ns(u64 seconds)
{
	struct task *fair = test_task(0, 0);

	test_pin(fair, 0);
	wake_fifo(50);
	test_schedule(0);
	run_ms(1000 * seconds);
	rq_update_clock(cpu_rq(0));
	cfs_update_curr(&cpu_rq(0)->cfs);
	return fair->se.sum_exec;
}

/*
 * C10.2: 5 %. More than 950 ms are first seen at the tick of 951, so that 49 are left in the first second. The one too many is owed
 * in the next: there 950 ms make more than 950, which leaves 50, and so on.
 */
static void test_throttled(void **state)
{
	(void)state;
	boot(1);
	assert_int_equal(fair_ns(10), (49 + 9 * 50) * NSEC_PER_MSEC);
}

/* Periods go on while there is nothing to limit: after a second without, who starts 10 ms late may run 950 until 2 s, seen at 951.
 */
static void test_throttled_in_a_later_period(void **state)
{
	(void)state;
	boot(1);
	run_ms(1010);
	assert_int_equal(fair_ns(2), (2000 - 1010 - 951) * NSEC_PER_MSEC);
}

/* C10.2: from an idle CPU 50 ms can be borrowed, being less than half of its 950: the fair hog gets nothing. */
static void test_borrowing(void **state)
{
	(void)state;
	boot(2);
	assert_int_equal(fair_ns(10), 0);
	assert_int_equal(cpu_rq(0)->rt.runtime, 1000 * NSEC_PER_MSEC);
	assert_int_equal(cpu_rq(1)->rt.runtime, 900 * NSEC_PER_MSEC);
}

static void test_without_borrowing(void **state)
{
	(void)state;
	boot(2);
	knob.RT_RUNTIME_SHARE = 0;
	assert_int_equal(fair_ns(3), (49 + 2 * 50) * NSEC_PER_MSEC);
	assert_int_equal(cpu_rq(1)->rt.runtime, 950 * NSEC_PER_MSEC);
}

/*
 * A lender that has used 940 of its 950 itself can spare half of the rest whenever it is asked: at 951 ms, which makes 955; at 956,
 * 957.5; at 958, 958.75; at 959, 959.375; at 960, 959.6875, which is not enough. At the end of the period it is asked once
 * more: of its 10 ms 10/64 are left.
 */
static void test_borrowing_from_a_busy_cpu(void **state)
{
	(void)state;
	boot(2);
	cpu_rq(1)->rt.time = 940 * NSEC_PER_MSEC;
	assert_int_equal(fair_ns(1), 40 * NSEC_PER_MSEC);
	assert_int_equal(cpu_rq(1)->rt.runtime, 940156250);
}

/* The whole period, or nothing at all (as in 3.8): no limit. */
static void expect_no_limit(u64 runtime_us)
{
	boot(1);
	knob.sched_rt_runtime_us = runtime_us;
	test_apply_knobs();
	assert_int_equal(fair_ns(3), 0);
}

static void test_runtime_of_a_period(void **state)
{
	(void)state;
	expect_no_limit(1000000);
}

static void test_runtime_of_nothing(void **state)
{
	(void)state;
	expect_no_limit(0);
}

/* Throttled with nobody else there: the CPU idles, but what waits still counts, so that it is not taken for idle. */
static void test_throttled_alone(void **state)
{
	struct rq *rq = cpu_rq(0);
	struct task *t;

	(void)state;
	boot(1);
	t = wake_fifo(50);
	test_schedule(0);
	run_ms(951);
	assert_ptr_equal(current(), rq->idle);
	assert_int_equal(rq->nr_running, 1);
	assert_false(cpu_is_idle(0));
	run_ms(999);
	assert_ptr_equal(current(), rq->idle);
	run_ms(1000);
	assert_true(rq->idle->need_resched);
	assert_ptr_equal(test_schedule(0), t);
}

/* ---- changes of class ---- */

static void test_running_task_changes_class(void **state)
{
	struct rq *rq = cpu_rq(0);
	struct task *t, *other;

	(void)state;
	boot(1);
	t = test_spinners(0, 2);
	other = task_of(rq->cfs.leftmost);
	test_clock_set(500000);
	task_set_realtime(t, POLICY_FIFO, 7);
	assert_int_equal(t->se.sum_exec, 500000);
	assert_int_equal(rq->nr_running, 2);
	assert_int_equal(rq->cfs.nr_running, 1);
	assert_null(rq->cfs.curr);
	assert_int_equal(rq->rt.highest, 92);
	assert_ptr_equal(test_schedule(0), t);
	test_clock_set(800000);
	task_set_policy(t, POLICY_NORMAL);
	assert_int_equal(t->se.sum_exec, 800000);
	assert_int_equal(t->rt_priority, 0);
	assert_ptr_equal(rq->cfs.curr, &t->se);
	assert_int_equal(rq->rt.nr_running, 0);
	assert_int_equal(rq_weight(rq), 2 * NICE_0_WEIGHT);
	assert_ptr_equal(test_schedule(0), other); /* which has not run yet */
}

/* A waiting one preempts as soon as it is better. */
static void test_waiting_task_changes_class(void **state)
{
	struct task *curr, *t;

	(void)state;
	boot(1);
	curr = test_spinners(0, 1);
	t = test_task(0, 0);
	test_pin(t, 0);
	task_set_realtime(t, POLICY_RR, 1);
	assert_true(curr->need_resched);
	assert_ptr_equal(test_schedule(0), t);
	task_set_policy(t, POLICY_BATCH);
	assert_ptr_equal(test_schedule(0), curr);
}

/* A sleeper's vruntime: away and back is no gain, however long it is away. Nobody's min_vruntime is 0: it starts below the wrap. */
static void test_sleeper_changes_class(void **state)
{
	struct cfs_rq *cfs = &cpu_rq(0)->cfs;
	struct task *t;
	u64 before;

	(void)state;
	boot(1);
	t = test_sleeper(0, 0, 5 * (s64)NSEC_PER_MSEC);
	before = t->se.vruntime;
	task_set_realtime(t, POLICY_FIFO, 1);
	assert_int_equal(t->se.vruntime, 5 * NSEC_PER_MSEC);
	cfs->min_vruntime += NSEC_PER_SEC;
	task_set_policy(t, POLICY_NORMAL);
	assert_int_equal(t->se.vruntime, before + NSEC_PER_SEC);
}

/* A better and a lesser priority take effect at once. */
static void test_priority_changes(void **state)
{
	struct task *a, *b;

	(void)state;
	boot(1);
	a = wake_fifo(10);
	b = wake_fifo(9);
	test_schedule(0);
	task_set_realtime(b, POLICY_FIFO, 11);
	assert_true(a->need_resched);
	assert_ptr_equal(test_schedule(0), b);
	task_set_realtime(b, POLICY_FIFO, 9);
	assert_true(b->need_resched);
	assert_ptr_equal(test_schedule(0), a);
	task_set_nice(a, 19); /* for later */
	assert_false(a->need_resched);
}

static void nothing(void *argument)
{
	(void)argument;
}

/* A child has its parent's policy and priority. */
static void test_fork_inherits(void **state)
{
	struct task *parent, *child;

	(void)state;
	boot(1);
	parent = wake_fifo(42);
	test_schedule(0);
	child = task_spawn("child", nothing, NULL, false);
	assert_int_equal(child->policy, POLICY_FIFO);
	assert_int_equal(child->rt_priority, 42);
	assert_ptr_equal(child->class, &rt_class);
	assert_false(parent->need_resched);
	assert_int_equal(cpu_rq(0)->rt.nr_running, 2);
}

/*
 * With nohz=on a CPU that has used its runtime and gone idle still gets it back, and lends it: a hog on the other CPU needs 50 ms
 * of it in each second, and leaves nothing to the fair task beside it.
 */
static void test_borrowing_from_a_tickless_cpu(void **state)
{
	struct task *t, *fair;

	(void)state;
	test_machine(1, 1, 2, 1);
	test_boot(SWITCH_LABELS);
	knob.nohz = ON;
	test_machine_run(1 * NSEC_PER_MSEC);
	t = test_sleeper(1, 0, 0);
	test_pin(t, 1);
	task_set_realtime(t, POLICY_FIFO, 1);
	assert_true(task_wake(t, 0));
	test_machine_run(945 * NSEC_PER_MSEC);
	assert_ptr_equal(cpu_rq(1)->curr, t);
	test_sleep(1);
	test_machine_run(20 * NSEC_PER_SEC);
	assert_int_equal(cpu_rq(1)->rt.time, 0);
	assert_true(cpu_rq(1)->tick_stopped);
	fair = test_task(0, 0);
	test_pin(fair, 0);
	t = test_sleeper(0, 0, 0);
	test_pin(t, 0);
	task_set_realtime(t, POLICY_FIFO, 50);
	assert_true(task_wake(t, 0));
	test_schedule(0);
	test_machine_run(23 * NSEC_PER_SEC);
	assert_int_equal(fair->se.sum_exec, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		machine_test(test_rr_alone),
		machine_test(test_rr_turns_at_1000_hz),
		machine_test(test_rr_turns_at_250_hz),
		machine_test(test_fifo_has_no_slice),
		machine_test(test_order_of_lists),
		machine_test(test_preempted_keeps_the_head),
		machine_test(test_yield),
		machine_test(test_order_of_classes),
		machine_test(test_no_weight_in_the_queue),
		machine_test(test_throttled),
		machine_test(test_throttled_in_a_later_period),
		machine_test(test_borrowing),
		machine_test(test_without_borrowing),
		machine_test(test_borrowing_from_a_busy_cpu),
		machine_test(test_runtime_of_a_period),
		machine_test(test_runtime_of_nothing),
		machine_test(test_throttled_alone),
		machine_test(test_running_task_changes_class),
		machine_test(test_waiting_task_changes_class),
		machine_test(test_sleeper_changes_class),
		machine_test(test_priority_changes),
		machine_test(test_fork_inherits),
		machine_test(test_borrowing_from_a_tickless_cpu),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
