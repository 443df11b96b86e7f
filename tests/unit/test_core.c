/* SPDX-License-Identifier: GPL-2.0-or-later
 * The life of tasks, the switch and waking: what sched.h promises, and the orders of cfs.md 0.5 and 0.6. */
#include "tests/unit/lives.h"

#include "base/mem.h"

/* ---- life and death ---- */

static void spawn_three(void *argument)
{
	char letter[] = "abc";

	(void)argument;
	for (unsigned i = 0; i < 3; i++)
		spawn(leave_letter, &letter[i]);
	leave('-'); /* children run when their parent waits: none preempts at birth */
	for (unsigned i = 0; i < 3; i++)
		task_reap(REAP_ANY);
	leave('.');
	assert_int_equal(current()->nr_children, 0);
	assert_int_equal(task_count(), 1);
}

/* On one CPU: equals run in the order of arrival, each from its entry to its end, and all are gone after they were reaped. */
static void test_children_run_and_are_reaped(void **state)
{
	(void)state;
	run(1, spawn_three, NULL);
	assert_string_equal(trail, "-abc.");
}

/* On four CPUs as well, in whatever order. */
static void test_children_on_other_cpus(void **state)
{
	(void)state;
	run(4, spawn_three, NULL);
	assert_int_equal(strlen(trail), 5);
	assert_int_equal(trail[4], '.');
}

static void sleep_then_leave(void *argument)
{
	task_sleep_ns((u64)(*(char *)argument - 'a' + 1) * NSEC_PER_MSEC);
	leave(*(char *)argument);
}

static void reap_the_last(void *argument)
{
	char letter[] = "abc";
	struct task *t[3];

	(void)argument;
	for (unsigned i = 0; i < 3; i++)
		t[i] = spawn(sleep_then_leave, &letter[i]);
	task_reap(t[2]);
	leave('2');
	task_reap(t[0]);
	leave('0');
	task_reap(t[1]);
	leave('1');
	assert_int_equal(task_count(), 1);
}

/* task_reap() of a certain child waits for that one; those that ended meanwhile can still be had. */
static void test_reap_a_certain_child(void **state)
{
	(void)state;
	run(2, reap_the_last, NULL);
	assert_string_equal(trail, "abc201");
}

static void make_grandchild(void *argument)
{
	spawn(leave_letter, argument);
	task_reap(REAP_ANY);
	leave('c');
}

static void make_child(void *argument)
{
	char letter = 'g';

	(void)argument;
	spawn(make_grandchild, &letter);
	task_reap(REAP_ANY);
}

static void test_grandchildren(void **state)
{
	(void)state;
	run(1, make_child, NULL);
	assert_string_equal(trail, "gc");
}

/* Tasks are recycled: many more than live at once cost no memory after the first. */
static void spawn_many(void *argument)
{
	char letter = 'x';
	u64 *lost = argument, before = 0;

	for (unsigned i = 0; i < 40; i++) {
		spawn(leave_letter, &letter);
		task_reap(REAP_ANY);
		if (!i)
			before = mem_free_bytes();
	}
	*lost = before - mem_free_bytes();
}

static void test_tasks_are_recycled(void **state)
{
	u64 lost = 1;

	(void)state;
	run(1, spawn_many, &lost);
	assert_int_equal(lost, 0);
}

static void check_spaces(void *argument)
{
	char letter = 'x';
	struct task *thread = task_spawn("thread", leave_letter, &letter, false);
	struct task *process = task_spawn("process", leave_letter, &letter, true);

	(void)argument;
	assert_int_equal(thread->context.space, current()->context.space);
	assert_int_not_equal(process->context.space, current()->context.space);
	assert_int_not_equal(process->context.space, 0);
	task_reap(process);
	task_reap(thread);
}

static void test_processes_have_spaces(void **state)
{
	(void)state;
	run(1, check_spaces, NULL);
}

/* A child has its parent's nice level, policy, weight and CPUs. */
static void test_fork_inherits(void **state)
{
	struct task *parent, *child;

	(void)state;
	boot_labels(4);
	parent = test_spinners(2, 1);
	test_on_cpu(2);
	task_set_nice(parent, 7);
	task_set_policy(parent, POLICY_BATCH);
	mask_unset(&parent->allowed, 0);
	mask_unset(&parent->allowed, 1);
	parent->nr_allowed = 2;
	child = task_spawn("child", leave_letter, NULL, false);
	assert_string_equal(child->name, "child");
	assert_int_equal(child->nice, 7);
	assert_int_equal(child->policy, POLICY_BATCH);
	assert_int_equal(child->se.load.weight, 215);
	assert_true(mask_equal(&child->allowed, &parent->allowed));
	assert_int_equal(child->nr_allowed, 2);
	assert_int_equal(child->cpu, 3);
	assert_ptr_equal(child->parent, parent);
	assert_int_equal(parent->nr_children, 1);
}

static void exit_with_a_child(void *argument)
{
	char letter = 'x';

	(void)argument;
	spawn(leave_letter, &letter);
}

static void run_exit_with_a_child(void *argument)
{
	(void)argument;
	test_run(exit_with_a_child, NULL);
}

/* Whoever has children must reap them before it ends. */
static void test_exit_with_children_is_a_bug(void **state)
{
	(void)state;
	test_machine(1, 1, 1, 1);
	test_boot(SWITCH_STACKS);
	test_expect_bug(run_exit_with_a_child, NULL, "t->nr_children");
}

/* ---- time ---- */

static void work_19_500_us(void *argument)
{
	machine_work_ns(19500 * NSEC_PER_USEC);
	*(u64 *)argument = machine_clock_ns();
}

static void two_workers(void *argument)
{
	u64 *end = argument;

	spawn(work_19_500_us, &end[0]);
	spawn(work_19_500_us, &end[1]);
	task_reap(REAP_ANY);
	task_reap(REAP_ANY);
}

/* Two tasks with 19.5 ms of work each share one CPU in slices of 4 ms: the first has its last 3.5 ms from 32 ms on, then the
 * second. */
static void test_workers_share_a_cpu(void **state)
{
	u64 end[2] = { 0, 0 };

	(void)state;
	run(1, two_workers, end);
	assert_int_equal(end[0], 35500 * NSEC_PER_USEC);
	assert_int_equal(end[1], 39 * NSEC_PER_MSEC);
}

static void sleep_1234_us(void *argument)
{
	u64 start = machine_clock_ns();

	task_sleep_ns(1234000);
	*(u64 *)argument = machine_clock_ns() - start;
}

/* The timer is exact; a sleeper does not wait for a tick. */
static void test_sleep_takes_its_time(void **state)
{
	u64 slept = 0;

	(void)state;
	run(1, sleep_1234_us, &slept);
	assert_int_equal(slept, 1234000);
}

static void sleep_10_ms(void *argument)
{
	(void)argument;
	machine_work_ns(3 * NSEC_PER_MSEC);
	task_sleep_ns(10 * NSEC_PER_MSEC);
}

/* sched_totals(): time in tasks and time idle are all there is. */
static void test_idle_time(void **state)
{
	struct sched_totals totals;

	(void)state;
	run(1, sleep_10_ms, NULL);
	sched_totals(&totals);
	assert_int_equal(totals.task_clock_ns, 3 * NSEC_PER_MSEC);
	assert_int_equal(totals.idle_ns[0], 10 * NSEC_PER_MSEC);
	assert_int_equal(totals.voluntary, 2); /* to sleep, and to end */
}

/* ---- waking ---- */

/* Section 0.6: who has not left its queue yet is only told to go on: no placement, no second time in the queue. */
static void test_wake_before_the_switch(void **state)
{
	struct task *t;

	(void)state;
	boot_labels(2);
	t = test_spinners(0, 1);
	task_set_sleeping();
	test_on_cpu(1);
	assert_true(task_wake(t, 0));
	assert_int_equal(t->state, TASK_RUNNING);
	assert_int_equal(cpu_rq(0)->nr_running, 1);
	assert_int_equal(cpu_rq(1)->nr_running, 0);
	assert_int_equal(cpu_rq(1)->count.wakeups_remote, 1); /* section 0.6, 3.8: this too is a wakeup */
	assert_ptr_equal(test_schedule(0), t);
	assert_int_equal(t->nr_voluntary, 0);
}

static void test_wake_of_one_awake(void **state)
{
	struct task *running, *waiting;

	(void)state;
	boot_labels(1);
	running = test_spinners(0, 2);
	waiting = task_of(cpu_rq(0)->cfs.leftmost);
	assert_false(task_wake(running, 0));
	assert_false(task_wake(waiting, 0));
	assert_int_equal(cpu_rq(0)->nr_running, 2);
}

/* Section 0.5: preempted on its way to sleep it stays queued, because it has not yet looked whether what it waits for has come. */
static void test_preempted_while_going_to_sleep(void **state)
{
	struct task *t, *other;

	(void)state;
	boot_labels(1);
	t = test_spinners(0, 2);
	other = task_of(cpu_rq(0)->cfs.leftmost);
	t->se.vruntime += NSEC_PER_SEC;
	task_set_sleeping();
	task_resched(t);
	test_kick_interrupt();
	assert_ptr_equal(current(), other);
	assert_int_equal(cpu_rq(0)->nr_running, 2);
	assert_int_equal(t->nr_involuntary, 1);
	assert_int_equal(t->nr_voluntary, 0);
	assert_ptr_equal(test_sleep(0), t); /* and goes on to sleep when it runs again */
	assert_ptr_equal(test_schedule(0), cpu_rq(0)->idle);
	assert_int_equal(t->nr_voluntary, 1);
}

/* 3.8: the reschedule flag is gone after the switch, from the one that left as well. */
static void test_need_resched_is_cleared(void **state)
{
	struct task *t;

	(void)state;
	boot_labels(1);
	t = test_spinners(0, 2);
	task_resched(t);
	test_schedule(0);
	assert_false(t->need_resched);
	assert_false(current()->need_resched);
}

/* ---- where preemption happens ---- */

/* The running task should give way to another. */
static struct task *boot_to_preempt(u8 preempt)
{
	struct task *t;

	boot_labels(1);
	knob.preempt = preempt;
	t = test_spinners(0, 2);
	t->se.vruntime += NSEC_PER_SEC;
	task_resched(t);
	return t;
}

/* preempt=none: user code is preempted at the end of an interrupt, kernel code when its system call returns. */
static void test_no_preemption_in_a_system_call(void **state)
{
	struct task *t = boot_to_preempt(PREEMPT_NONE);

	(void)state;
	syscall_enter();
	test_kick_interrupt();
	preempt_point();
	assert_ptr_equal(current(), t);
	syscall_enter();
	syscall_exit();
	assert_ptr_equal(current(), t); /* still inside the outer one */
	syscall_exit();
	assert_ptr_not_equal(current(), t);
}

static void test_preemption_in_user_code(void **state)
{
	struct task *t = boot_to_preempt(PREEMPT_NONE);

	(void)state;
	test_kick_interrupt();
	assert_ptr_not_equal(current(), t);
}

/* preempt=full: kernel code too, */
static void test_preemption_in_a_system_call(void **state)
{
	struct task *t = boot_to_preempt(PREEMPT_FULL);

	(void)state;
	syscall_enter();
	test_kick_interrupt();
	assert_ptr_not_equal(current(), t);
}

/* ... and where it has let go of its locks, */
static void test_preempt_point(void **state)
{
	struct task *t = boot_to_preempt(PREEMPT_FULL);

	(void)state;
	syscall_enter();
	preempt_point();
	assert_ptr_not_equal(current(), t);
}

/* ... but not with preemption off, or interrupts off. */
static void test_preemption_off(void **state)
{
	struct task *t = boot_to_preempt(PREEMPT_FULL);
	unsigned long flags;

	(void)state;
	t->preempt_off++;
	test_kick_interrupt();
	preempt_point();
	assert_ptr_equal(current(), t);
	t->preempt_off--;
	flags = machine_irq_save();
	preempt_point();
	assert_ptr_equal(current(), t);
	machine_irq_restore(flags);
}

/* ---- yield ---- */

static void yield_and_leave(void *argument)
{
	for (unsigned i = 0; i < 3; i++) {
		leave(*(char *)argument);
		task_yield();
	}
}

static void two_yielders(void *argument)
{
	char letter[] = "ab";

	(void)argument;
	spawn(yield_and_leave, &letter[0]);
	spawn(yield_and_leave, &letter[1]);
	task_reap(REAP_ANY);
	task_reap(REAP_ANY);
}

/* Two of equal vruntime take turns (cfs.md C3.9). */
static void test_yield_takes_turns(void **state)
{
	(void)state;
	run(1, two_yielders, NULL);
	assert_string_equal(trail, "ababab");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		machine_test(test_children_run_and_are_reaped),
		machine_test(test_children_on_other_cpus),
		machine_test(test_reap_a_certain_child),
		machine_test(test_grandchildren),
		machine_test(test_tasks_are_recycled),
		machine_test(test_processes_have_spaces),
		machine_test(test_fork_inherits),
		machine_test(test_exit_with_children_is_a_bug),
		machine_test(test_workers_share_a_cpu),
		machine_test(test_sleep_takes_its_time),
		machine_test(test_idle_time),
		machine_test(test_wake_before_the_switch),
		machine_test(test_wake_of_one_awake),
		machine_test(test_preempted_while_going_to_sleep),
		machine_test(test_need_resched_is_cleared),
		machine_test(test_no_preemption_in_a_system_call),
		machine_test(test_preemption_in_user_code),
		machine_test(test_preemption_in_a_system_call),
		machine_test(test_preempt_point),
		machine_test(test_preemption_off),
		machine_test(test_yield_takes_turns),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
