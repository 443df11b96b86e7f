/* SPDX-License-Identifier: GPL-2.0-or-later
 * The averages of 2.6.32, against cfs.md section 2.2 (check C2.5). Each moves an eighth of the way to a sample, rounded down;
 * samples are differences of CPU time as it was last accounted, which here the tick of each millisecond does. */
#include "tests/unit/machine.h"

#include "base/timer.h"
#include "sched/rq.h"

static void boot_keeping(unsigned cpus)
{
	test_machine(1, 1, cpus, 1);
	test_boot(SWITCH_LABELS);
	knob.SYNC_LESS = 1;
	test_apply_knobs();
}

/* A task of CPU 0 that has run so many ms, to the tick, and is running. */
static struct task *runner(unsigned ms)
{
	struct task *t = test_spinners(0, 1);

	test_clock_run(ms * NSEC_PER_MSEC);
	assert_int_equal(t->se.sum_exec, ms * NSEC_PER_MSEC);
	return t;
}

/* Wake another on CPU 1, by the task that runs on CPU 0. */
static void wake_one(void)
{
	struct task *t = test_sleeper(1, 0, 0);

	test_pin(t, 1);
	assert_true(task_wake(t, 0));
}

/* ---- avg_wakeup ---- */

/* C2.5: it starts at the wakeup granularity, with 1 CPU 1 ms, and goes down by eighths when every wakeup comes at once. */
static void test_wakeup_starts_at_the_granularity(void **state)
{
	static const s64 expected[] = { 875000, 765625, 669921, 586180, 512907, 448793, 392693, 343606 };
	struct task *t;

	(void)state;
	boot_keeping(1);
	test_spinners(0, 1);
	t = task_spawn("child", (void (*)(void *))abort, NULL, false);
	assert_int_equal(t->se.avg_wakeup, 1000000);
	assert_int_equal(t->se.avg_overlap, 0);
	assert_int_equal(t->se.avg_running, 0);
	current()->se.avg_wakeup = t->se.avg_wakeup;
	for (unsigned i = 0; i < ARRAY_SIZE(expected); i++) {
		task_wake(test_sleeper(0, 0, 0), 0);
		assert_int_equal(current()->se.avg_wakeup, expected[i]);
	}
}

/* The granularity of 4 CPUs is 1 ms * (1 + log2 4). */
static void test_wakeup_starts_at_the_scaled_granularity(void **state)
{
	(void)state;
	boot_keeping(4);
	test_spinners(0, 1);
	assert_int_equal(task_spawn("child", (void (*)(void *))abort, NULL, false)->se.avg_wakeup, 3000000);
}

/* The first wakeup counts from when the task was woken itself, the others from the one before: 2 ms / 8; then + (1 ms - 250 us)
 * / 8. */
static void test_wakeup_samples_since_the_last(void **state)
{
	struct task *t;

	(void)state;
	boot_keeping(2);
	t = runner(3);
	t->se.start_runtime = 1000000;
	wake_one();
	assert_int_equal(t->se.avg_wakeup, 250000);
	assert_int_equal(t->se.last_wakeup, 3000000);
	test_clock_run(4 * NSEC_PER_MSEC);
	wake_one();
	assert_int_equal(t->se.avg_wakeup, 343750);
	assert_int_equal(t->se.last_wakeup, 4000000);
}

/* What has run since the last tick is not accounted yet, and a wakeup on another CPU does not account it. */
static void test_samples_are_as_last_accounted(void **state)
{
	struct task *t;

	(void)state;
	boot_keeping(2);
	t = runner(2);
	test_clock_advance(900000);
	wake_one();
	assert_int_equal(t->se.avg_wakeup, 250000);
}

/* Section 0.6: one on the same CPU does, since the wakee is queued before the sample is taken: 2.9 ms / 8. */
static void test_samples_after_queueing(void **state)
{
	struct task *t;

	(void)state;
	boot_keeping(1);
	t = runner(2);
	test_clock_advance(900000);
	task_wake(test_sleeper(0, 0, 0), 0);
	assert_int_equal(t->se.avg_wakeup, 362500);
	assert_int_equal(t->se.last_wakeup, 2900000);
}

/* A shift, not a division: (0 - 1) / 8 is -1. */
static void test_samples_round_down(void **state)
{
	struct task *t;

	(void)state;
	boot_keeping(2);
	t = test_spinners(0, 1);
	t->se.avg_wakeup = 1;
	wake_one();
	assert_int_equal(t->se.avg_wakeup, 0);
}

/* Who goes to sleep without having woken anybody counts as one that wakes after a granularity: 2 CPUs, 2 ms, / 8. */
static void test_wakeup_when_none_was_made(void **state)
{
	struct task *t;

	(void)state;
	boot_keeping(2);
	t = runner(1);
	test_sleep(0);
	assert_int_equal(t->se.avg_wakeup, 250000);
	assert_int_equal(t->se.avg_overlap, 0);
}

/* The count begins anew where the task is put on a queue by a wakeup. */
static void test_start_of_a_wakee(void **state)
{
	struct task *t;

	(void)state;
	boot_keeping(2);
	t = runner(2);
	test_sleep(0);
	assert_int_equal(t->se.start_runtime, 0);
	task_wake(t, 0);
	assert_int_equal(t->se.start_runtime, 2000000);
}

static struct task *sleeper;

static void wake_sleeper(struct timer *timer)
{
	(void)timer;
	assert_true(task_wake(sleeper, 0));
}

/* An interrupt's wakeup is not the doing of the task it interrupts; that task's own, soon after, is. */
static void test_interrupts_do_not_count(void **state)
{
	struct timer timer = { .deadline_ns = 1500000, .fire = wake_sleeper };
	unsigned long flags;
	struct task *t;

	(void)state;
	boot_keeping(2);
	t = runner(1);
	sleeper = test_sleeper(1, 0, 0);
	test_pin(sleeper, 1);
	flags = machine_irq_save();
	timer_start(&timer);
	machine_irq_restore(flags);
	test_clock_run(1500000);
	assert_int_equal(sleeper->state, TASK_RUNNING);
	assert_int_equal(t->se.last_wakeup, 0);
	assert_int_equal(t->se.avg_wakeup, 0);
	wake_one();
	assert_int_equal(t->se.last_wakeup, 1000000);
	assert_int_equal(t->se.avg_wakeup, 125000);
}

/* A task that was not asleep has not been woken. */
static void test_wakeup_of_one_awake_does_not_count(void **state)
{
	struct task *t;

	(void)state;
	boot_keeping(2);
	t = runner(1);
	task_wake(test_task(1, 0), 0);
	assert_int_equal(t->se.last_wakeup, 0);
}

/* ---- avg_overlap ---- */

/* From its last wakeup to its sleep: 2 ms / 8. The next sleep has none before it. */
static void test_overlap_until_sleep(void **state)
{
	struct task *t;

	(void)state;
	boot_keeping(2);
	t = runner(1);
	wake_one();
	test_clock_run(3 * NSEC_PER_MSEC);
	test_sleep(0);
	assert_int_equal(t->se.avg_overlap, 250000);
	assert_int_equal(t->se.last_wakeup, 0);
	assert_int_equal(t->se.avg_wakeup, 125000); /* 1 ms / 8; no granularity is sampled */
}

/* The sample is taken before the last stretch is accounted. */
static void test_overlap_is_as_last_accounted(void **state)
{
	struct task *t;

	(void)state;
	boot_keeping(2);
	t = runner(1);
	wake_one();
	test_clock_run(2 * NSEC_PER_MSEC);
	test_clock_advance(700000);
	test_sleep(0);
	assert_int_equal(t->se.avg_overlap, 125000);
	assert_int_equal(t->se.sum_exec, 2700000);
}

/* Preempted: what it has run since it was picked, but no more than 2 * 0.5 ms; / 8. */
static void test_overlap_of_the_preempted(void **state)
{
	struct task *t;

	(void)state;
	boot_keeping(2);
	t = runner(3);
	test_task(0, 0);
	assert_ptr_not_equal(test_schedule(0), t);
	assert_int_equal(t->se.avg_overlap, 125000);
}

/* ---- avg_running ---- */

/* From pick to put, 3 ms / 8. */
static void test_running_of_the_preempted(void **state)
{
	struct task *t;

	(void)state;
	boot_keeping(2);
	t = runner(3);
	test_task(0, 0);
	test_schedule(0);
	assert_int_equal(t->se.avg_running, 375000);
}

/* Going to sleep counts as another run of nothing: 375000 - 375000 / 8. All that it ran is accounted by then. */
static void test_running_until_sleep(void **state)
{
	struct task *t;

	(void)state;
	boot_keeping(2);
	t = runner(2);
	test_clock_advance(NSEC_PER_MSEC);
	test_sleep(0);
	assert_int_equal(t->se.avg_running, 328125);
}

/* ---- when they are kept ---- */

static void expect_kept(u8 *feature)
{
	*feature = 1;
	assert_true(averages_wanted());
	*feature = 0;
	assert_false(averages_wanted());
}

static void test_kept_for_who_reads_them(void **state)
{
	(void)state;
	expect_kept(&knob.ADAPTIVE_GRAN);
	expect_kept(&knob.WAKEUP_OVERLAP);
	expect_kept(&knob.WAKEUP_RUNNING);
	expect_kept(&knob.SYNC_LESS);
	expect_kept(&knob.SYNC_MORE);
}

static void test_not_kept_in_3_8(void **state)
{
	struct task *t;

	(void)state;
	test_machine(1, 1, 2, 1);
	test_boot(SWITCH_LABELS);
	t = runner(3);
	wake_one();
	test_sleep(0);
	assert_int_equal(t->se.avg_wakeup, 0);
	assert_int_equal(t->se.avg_running, 0);
	assert_int_equal(t->se.last_wakeup, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		machine_test(test_wakeup_starts_at_the_granularity),
		machine_test(test_wakeup_starts_at_the_scaled_granularity),
		machine_test(test_wakeup_samples_since_the_last),
		machine_test(test_samples_are_as_last_accounted),
		machine_test(test_samples_after_queueing),
		machine_test(test_samples_round_down),
		machine_test(test_wakeup_when_none_was_made),
		machine_test(test_start_of_a_wakee),
		machine_test(test_interrupts_do_not_count),
		machine_test(test_wakeup_of_one_awake_does_not_count),
		machine_test(test_overlap_until_sleep),
		machine_test(test_overlap_is_as_last_accounted),
		machine_test(test_overlap_of_the_preempted),
		machine_test(test_running_of_the_preempted),
		machine_test(test_running_until_sleep),
		machine_test(test_kept_for_who_reads_them),
		machine_test(test_not_kept_in_3_8),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
