/* SPDX-License-Identifier: GPL-2.0-or-later
 * The timer that ends slices, against cfs.md section 1.12 and the features of section 12. Instants are exact to the nanosecond; a
 * slice that ends a tick late was ended by the tick, one that ends early by a timer that was not set anew.
 */
#include "tests/unit/machine.h"

#include "sched/rq.h"

/* Of 3.8, for two tasks of nice 0: 6 ms / 2 with one CPU, 12 ms / 2 with two. */
enum { SLICE_NS = 3000000, SLICE_2_CPUS_NS = 6000000 };

static void boot(unsigned cpus)
{
	test_machine(1, 1, cpus, 1);
	test_boot(SWITCH_LABELS);
	knob.HRTICK = 1;
}

/* C1.7 with the timer: each slice is its 3 ms exactly, where the tick ends it after 4: 333 in a second. */
static void test_two_spinners_switch_every_3_ms(void **state)
{
	struct task *first;
	u64 before;

	(void)state;
	boot(1);
	first = test_spinners(0, 2);
	before = cpu_rq(0)->count.switches;
	test_machine_run(SLICE_NS - 1);
	assert_ptr_equal(cpu_rq(0)->curr, first);
	test_machine_run(SLICE_NS);
	assert_ptr_not_equal(cpu_rq(0)->curr, first);
	assert_int_equal(first->se.sum_exec, SLICE_NS);
	test_machine_run(NSEC_PER_SEC);
	assert_int_equal(cpu_rq(0)->count.switches - before, 333);
}

/* The same between ticks: the timer has an instant of its own, and the ticks stay where they were. */
static void test_slices_between_ticks(void **state)
{
	struct task *first;

	(void)state;
	boot(1);
	test_clock_set(NSEC_PER_MSEC / 2);
	first = test_spinners(0, 2);
	assert_int_equal(test_deadline(0), NSEC_PER_MSEC);
	test_machine_run(3 * NSEC_PER_MSEC);
	assert_int_equal(test_deadline(0), NSEC_PER_MSEC / 2 + SLICE_NS);
	assert_ptr_equal(cpu_rq(0)->curr, first);
	test_machine_run(test_deadline(0));
	assert_ptr_not_equal(cpu_rq(0)->curr, first);
	assert_int_equal(test_deadline(0), 4 * NSEC_PER_MSEC);
}

/* A task alone has no end; with a second one beside it, it has what is left of half the latency. */
static void test_enqueue_arms(void **state)
{
	(void)state;
	boot(1);
	test_spinners(0, 1);
	test_clock_run(NSEC_PER_MSEC + 300000);
	assert_int_equal(cpu_rq(0)->slice_end, TIMER_NEVER);
	test_task(0, 0);
	assert_int_equal(cpu_rq(0)->slice_end, SLICE_NS);
	assert_false(cpu_rq(0)->curr->need_resched);
}

/* And if nothing is left it goes at once. */
static void test_enqueue_ends_an_old_slice(void **state)
{
	(void)state;
	boot(1);
	test_spinners(0, 1);
	test_clock_run(SLICE_NS);
	test_task(0, 0);
	assert_true(cpu_rq(0)->curr->need_resched);
}

/* Another CPU queues a task here 0.3 ms before the end: it cannot set our timer, so it kicks us. */
static void test_enqueue_from_afar(void **state)
{
	(void)state;
	boot(2);
	test_clock_set(NSEC_PER_MSEC / 2);
	test_spinners(0, 1);
	test_clock_run(6200000);
	assert_int_equal(test_deadline(0), 7 * NSEC_PER_MSEC);
	test_on_cpu(1);
	test_task(0, 0);
	assert_true(test_kicked(0));
	test_on_cpu(0);
	test_kick_interrupt();
	assert_int_equal(test_deadline(0), NSEC_PER_MSEC / 2 + SLICE_2_CPUS_NS);
}

/* The end goes with the competitor: the timer goes off, finds nothing to do and the ticks go on. */
static void test_dequeue_disarms(void **state)
{
	struct task *other;
	struct rq *rq;
	unsigned long flags;

	(void)state;
	boot(1);
	test_clock_set(NSEC_PER_MSEC / 2);
	test_spinners(0, 1);
	other = test_task(0, 0);
	test_clock_run(3200000);
	flags = rq_lock_task(other, &rq);
	rq_deactivate(rq, other, 0);
	spin_unlock_irq(&rq->lock, flags);
	assert_int_equal(test_deadline(0), 3500000);
	test_clock_run(3500000);
	assert_false(rq->curr->need_resched);
	assert_int_equal(test_deadline(0), 4 * NSEC_PER_MSEC);
}

/* Nothing of it is left to who runs next: here nobody, later somebody alone. */
static void test_sleep_disarms(void **state)
{
	(void)state;
	boot(1);
	test_spinners(0, 2);
	assert_int_equal(cpu_rq(0)->slice_end, SLICE_NS);
	test_sleep(0);
	assert_int_equal(cpu_rq(0)->slice_end, TIMER_NEVER);
}

/*
 * The running task is 10 ms ahead, more than a slice, which the tick minds from min_granularity (0.75 ms) on: at the first tick, if
 * it looks.
 */
static bool tick_looks(bool hrtick, bool double_tick)
{
	struct task *curr;

	boot(1);
	knob.HRTICK = hrtick;
	knob.DOUBLE_TICK = double_tick;
	curr = test_spinners(0, 2);
	curr->se.vruntime += 10 * NSEC_PER_MSEC;
	test_clock_run(NSEC_PER_MSEC);
	return cpu_rq(0)->curr != curr;
}

/* C12.1, DOUBLE_TICK: with the timer armed the tick tests only if that is on. Without the timer it always does. */
static void test_tick_stands_back(void **state)
{
	(void)state;
	assert_false(tick_looks(true, false));
}

static void test_double_tick(void **state)
{
	(void)state;
	assert_true(tick_looks(true, true));
}

static void test_tick_without_hrtick(void **state)
{
	(void)state;
	assert_true(tick_looks(false, false));
}

/*
 * The task that waits becomes heavier at 0.1 ms: the running one's slice, begun at 0, is 6 ms * 1024 / (1024 + 3121) = 1.4823 ms
 * now, give or take the rounding of the scaled division.
 */
static void test_a_change_of_weight_moves_the_end(void **state)
{
	struct task *running;

	(void)state;
	boot(1);
	running = test_spinners(0, 2);
	test_clock_set(NSEC_PER_MSEC / 10);
	task_set_nice(task_of(cpu_rq(0)->cfs.leftmost), -5);
	assert_ptr_equal(cpu_rq(0)->curr, running);
	assert_in_range(cpu_rq(0)->slice_end, 1482200, 1482340);
	assert_int_equal(test_deadline(0), NSEC_PER_MSEC); /* the tick comes before */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		machine_test(test_two_spinners_switch_every_3_ms),
		machine_test(test_slices_between_ticks),
		machine_test(test_enqueue_arms),
		machine_test(test_enqueue_ends_an_old_slice),
		machine_test(test_enqueue_from_afar),
		machine_test(test_dequeue_disarms),
		machine_test(test_sleep_disarms),
		machine_test(test_tick_stands_back),
		machine_test(test_double_tick),
		machine_test(test_tick_without_hrtick),
		machine_test(test_a_change_of_weight_moves_the_end),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
