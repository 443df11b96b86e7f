/* SPDX-License-Identifier: GPL-2.0-or-later
 * A child's first vruntime when its CPU is chosen before it, as in 2.6.32, and after it, as in 3.8: cfs.md section 1.13. Two CPUs,
 * so a latency of 6 ms * (1 + log2 2) = 12 ms; fork balancing sends the child to the lighter one. */
#include "tests/unit/machine.h"

#include "sched/rq.h"

static void boot(void)
{
	test_machine(1, 2, 1, 1);
	test_boot(SWITCH_LABELS);
}

/* Three spin on CPU 0, where the parent is, one on CPU 1. */
static struct task *fork_to_cpu_1(unsigned fork_place)
{
	struct task *child;

	boot();
	knob.fork_place = (u8)fork_place;
	test_spinners(0, 3);
	cpu_rq(1)->cfs.min_vruntime += 7000000;
	test_spinners(1, 1);
	child = task_spawn("child", (void (*)(void *))abort, NULL, false);
	assert_int_equal(child->cpu, 1);
	return child;
}

/* Early: a slice of the queue it joins, 12 ms / 2. Late: of its parent's, 12 ms / 4. */
static void test_debit_by_the_queue_chosen(void **state)
{
	struct task *child;

	(void)state;
	child = fork_to_cpu_1(FORK_PLACE_EARLY);
	assert_int_equal(child->se.vruntime - cpu_rq(1)->cfs.min_vruntime, 6000000);
}

static void test_debit_by_the_parents_queue(void **state)
{
	struct task *child;

	(void)state;
	child = fork_to_cpu_1(FORK_PLACE_LATE);
	assert_int_equal(child->se.vruntime - cpu_rq(1)->cfs.min_vruntime, 3000000);
}

/* Early: it follows who runs there, not its parent. */
static void test_child_follows_who_runs_there(void **state)
{
	struct task *child, *there;

	(void)state;
	boot();
	knob.fork_place = FORK_PLACE_EARLY;
	test_spinners(0, 4);
	there = test_spinners(1, 2);
	there->se.vruntime += 20000000;
	child = task_spawn("child", (void (*)(void *))abort, NULL, false);
	assert_int_equal(child->cpu, 1);
	assert_int_equal(child->se.vruntime, there->se.vruntime);
	assert_int_equal(there->se.vruntime, cpu_rq(1)->cfs.min_vruntime + 20000000);
}

/* Early: with the child to run first, nobody on another CPU changes places with it. */
static void test_child_runs_first_at_home_only(void **state)
{
	struct task *child, *there;

	(void)state;
	boot();
	knob.fork_place = FORK_PLACE_EARLY;
	knob.sched_child_runs_first = 1;
	test_spinners(0, 3);
	there = test_spinners(1, 1);
	child = task_spawn("child", (void (*)(void *))abort, NULL, false);
	assert_int_equal(child->cpu, 1);
	assert_int_equal(child->se.vruntime - there->se.vruntime, 6000000);
	assert_int_equal(there->se.vruntime, cpu_rq(1)->cfs.min_vruntime);
	assert_false(there->need_resched);
}

/* Early: where nobody runs it keeps its parent's distance from min_vruntime. */
static void expect_parents_lead(unsigned vruntime)
{
	struct task *parent, *child;

	boot();
	knob.fork_place = FORK_PLACE_EARLY;
	knob.START_DEBIT = 0;
	cpu_rq(1)->cfs.min_vruntime += 7000000;
	parent = test_spinners(0, 2);
	knob.vruntime = (u8)vruntime;
	parent->se.vruntime += 5000000;
	child = task_spawn("child", (void (*)(void *))abort, NULL, false);
	assert_int_equal(child->cpu, 1);
	assert_int_equal(child->se.vruntime - cpu_rq(1)->cfs.min_vruntime, 5000000);
}

static void test_child_keeps_its_parents_lead(void **state)
{
	(void)state;
	expect_parents_lead(VRUNTIME_RELATIVE);
}

static void test_child_keeps_its_parents_lead_absolute(void **state)
{
	(void)state;
	expect_parents_lead(VRUNTIME_ABSOLUTE);
}

/* Early: a parent that is not queued itself, here CPU 0's idle task, hands its vruntime (0) on, shifted to the other queue, without
 * a debit. */
static void test_child_of_the_idle_task(void **state)
{
	struct task *child;

	(void)state;
	boot();
	knob.fork_place = FORK_PLACE_EARLY;
	cpu_rq(1)->cfs.min_vruntime += 7000000;
	child = task_spawn("child", (void (*)(void *))abort, NULL, false);
	assert_int_equal(child->cpu, 1);
	assert_int_equal(child->se.vruntime - cpu_rq(1)->cfs.min_vruntime, 0 - cpu_rq(0)->cfs.min_vruntime);
}

/* Early, on the parent's own queue: the swap of child_runs_first, 12 ms / 2. */
static void test_early_child_runs_first(void **state)
{
	struct task *parent, *child;
	u64 before;

	(void)state;
	boot();
	knob.fork_place = FORK_PLACE_EARLY;
	knob.sched_child_runs_first = 1;
	parent = test_spinners(0, 1);
	test_pin(parent, 0);
	before = parent->se.vruntime;
	child = task_spawn("child", (void (*)(void *))abort, NULL, false);
	assert_int_equal(child->se.vruntime, before);
	assert_int_equal(parent->se.vruntime, before + 6000000);
	assert_true(parent->need_resched);
}

/* A child of a real-time task has nobody to follow. Should it become fair, it starts with the queue, not with all the time it never
 * had: 10 s here. */
static void child_of_realtime(u8 vruntime)
{
	struct task *parent, *child;

	test_machine(1, 1, 1, 1);
	test_boot(SWITCH_LABELS);
	knob.fork_place = FORK_PLACE_EARLY;
	knob.vruntime = vruntime;
	test_spinners(0, 1);
	test_clock_run(10 * NSEC_PER_SEC);
	parent = test_task(0, 0);
	task_set_realtime(parent, POLICY_FIFO, 1);
	assert_ptr_equal(test_schedule(0), parent);
	child = task_spawn("child", (void (*)(void *))abort, NULL, false);
	task_set_policy(child, POLICY_NORMAL);
	assert_int_equal(child->se.vruntime, cpu_rq(0)->cfs.min_vruntime);
}

static void test_child_of_realtime_relative(void **state)
{
	(void)state;
	child_of_realtime(VRUNTIME_RELATIVE);
}

static void test_child_of_realtime_absolute(void **state)
{
	(void)state;
	child_of_realtime(VRUNTIME_ABSOLUTE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		machine_test(test_debit_by_the_queue_chosen),
		machine_test(test_debit_by_the_parents_queue),
		machine_test(test_child_follows_who_runs_there),
		machine_test(test_child_runs_first_at_home_only),
		machine_test(test_child_keeps_its_parents_lead),
		machine_test(test_child_keeps_its_parents_lead_absolute),
		machine_test(test_child_of_the_idle_task),
		machine_test(test_early_child_runs_first),
		machine_test(test_child_of_realtime_relative),
		machine_test(test_child_of_realtime_absolute),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
