/* SPDX-License-Identifier: GPL-2.0-or-later
 * Nice levels and the counters: the counting rules of cfs.md 11.1. Counts are exact; one too many is an event counted at the wrong
 * place. */
#include "tests/unit/lives.h"

/* ---- nice ---- */

/* The weight counts at once, in the queue's sum too, and the CPU thinks again. */
static void test_nice_of_a_running_task(void **state)
{
	struct task *t;

	(void)state;
	boot_labels(1);
	t = test_spinners(0, 2);
	task_set_nice(t, 5);
	assert_int_equal(t->se.load.weight, 335);
	assert_int_equal(cpu_rq(0)->cfs.load.weight, 1024 + 335);
	assert_true(t->need_resched);
}

static void test_nice_of_a_waiting_task(void **state)
{
	struct task *waiting;

	(void)state;
	boot_labels(1);
	test_spinners(0, 2);
	waiting = task_of(cpu_rq(0)->cfs.leftmost);
	task_set_nice(waiting, -20);
	assert_int_equal(cpu_rq(0)->cfs.load.weight, 1024 + 88761);
	task_set_policy(waiting, POLICY_IDLE);
	assert_int_equal(cpu_rq(0)->cfs.load.weight, 1024 + 3);
}

/* What ran before the change is charged at the old weight. */
static void test_nice_charges_before(void **state)
{
	struct task *t;
	u64 before;

	(void)state;
	boot_labels(1);
	t = test_spinners(0, 1);
	before = t->se.vruntime;
	test_clock_advance(1000000);
	task_set_nice(t, 19);
	assert_int_equal(t->se.vruntime - before, 1000000);
}

static void set_nice_20(void *argument)
{
	task_set_nice(argument, 20);
}

static void test_nice_out_of_range_is_a_bug(void **state)
{
	(void)state;
	boot_labels(1);
	test_expect_bug(set_nice_20, test_spinners(0, 1), "nice < -20 || nice > 19");
}

/* ---- counting, section 11.1 ---- */

/* A schedule() that picks the same task again is no switch; to and from the idle task are. */
static void test_counting_switches(void **state)
{
	struct rq *rq = cpu_rq(0);
	struct task *t;

	(void)state;
	boot_labels(1);
	t = test_spinners(0, 1);
	assert_int_equal(rq->count.switches, 1);
	test_schedule(0);
	assert_int_equal(rq->count.switches, 1);
	assert_int_equal(t->nr_involuntary, 0);
	assert_int_equal(rq->count.schedules, 2);
	test_sleep(0);
	assert_int_equal(rq->count.switches, 2);
	assert_int_equal(rq->count.voluntary, 1);
	assert_int_equal(rq->count.went_idle, 1);
}

/* sched_yield counts as involuntary. */
static void test_counting_yields(void **state)
{
	struct task *t;

	(void)state;
	boot_labels(1);
	t = test_spinners(0, 2);
	task_yield();
	assert_ptr_not_equal(current(), t);
	assert_int_equal(t->nr_involuntary, 1);
	assert_int_equal(t->nr_voluntary, 0);
	assert_int_equal(cpu_rq(0)->count.yields, 1);
}

/* Each wakeup on another CPU than before is a migration, also back again; it is counted where the waker runs. */
static void test_counting_wakeup_migrations(void **state)
{
	struct task *t;

	(void)state;
	boot_labels(4);
	t = test_sleeper(0, 0, 0);
	test_pin(t, 2);
	test_on_cpu(3);
	task_wake(t, 0);
	assert_int_equal(t->nr_migrations, 1);
	assert_int_equal(cpu_rq(3)->count.wakeups_remote, 1);
	assert_ptr_equal(test_schedule(2), t);
	test_sleep(2);
	test_on_cpu(0);
	test_pin(t, 0);
	task_wake(t, 0);
	assert_int_equal(t->nr_migrations, 2);
	assert_ptr_equal(test_schedule(0), t);
	test_sleep(0);
	task_wake(t, 0);
	assert_int_equal(t->nr_migrations, 2);
	assert_int_equal(cpu_rq(3)->count.migrations, 1);
	assert_int_equal(cpu_rq(0)->count.migrations, 1);
	assert_int_equal(cpu_rq(0)->count.wakeups_local, 2);
}

/* A child that stays with its parent has not migrated. */
static void test_counting_fork_migrations(void **state)
{
	struct task *parent, *child;

	(void)state;
	boot_labels(2);
	parent = test_spinners(0, 1);
	child = task_spawn("child", leave_letter, NULL, false);
	assert_int_equal(child->cpu, 1);
	assert_int_equal(child->nr_migrations, 1);
	assert_int_equal(cpu_rq(0)->count.migrations, 1);
	test_pin(parent, 0);
	child = task_spawn("child", leave_letter, NULL, false);
	assert_int_equal(child->cpu, 0);
	assert_int_equal(child->nr_migrations, 0);
	assert_int_equal(cpu_rq(0)->count.migrations, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		machine_test(test_nice_of_a_running_task),
		machine_test(test_nice_of_a_waiting_task),
		machine_test(test_nice_charges_before),
		machine_test(test_nice_out_of_range_is_a_bug),
		machine_test(test_counting_switches),
		machine_test(test_counting_yields),
		machine_test(test_counting_wakeup_migrations),
		machine_test(test_counting_fork_migrations),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
