/* SPDX-License-Identifier: GPL-2.0-or-later
 * The life of tasks, the switch, waking and the counters: what sched.h promises, the orders of cfs.md 0.5 and 0.6, and the counting
 * rules of section 11.1. Counts are exact; one too many is an event counted at the wrong place. */
#include "tests/unit/machine.h"

#include "base/mem.h"
#include "sched/rq.h"

static void boot_labels(unsigned cpus)
{
	test_machine(1, 1, cpus, 1);
	test_boot(SWITCH_LABELS);
}

static void run(unsigned cpus, void (*body)(void *), void *argument)
{
	test_machine(1, 1, cpus, 1);
	test_boot(SWITCH_STACKS);
	test_run(body, argument);
}

static struct task *spawn(void (*entry)(void *), void *argument)
{
	struct task *t = task_spawn("child", entry, argument, false);

	assert_non_null(t);
	return t;
}

/* ---- life and death ---- */

static char trail[64]; /* one letter for each thing that has happened */

static void leave(char letter)
{
	size_t n = strlen(trail);

	assert_true(n < sizeof(trail) - 1);
	trail[n] = letter;
}

static void leave_letter(void *argument)
{
	leave(*(char *)argument);
}

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

/* ---- affinity ---- */

static struct cpumask only(unsigned cpu)
{
	struct cpumask m = { .word = { 0 } };

	mask_set(&m, cpu);
	return m;
}

static void go_round(void *argument)
{
	static const unsigned cpu[] = { 3, 1, 1, 0, 2 };
	struct cpumask zero = only(0);
	u64 before;

	(void)argument;
	task_set_allowed(current(), &zero);
	before = current()->nr_migrations;
	for (unsigned i = 0; i < ARRAY_SIZE(cpu); i++) {
		struct cpumask m = only(cpu[i]);

		assert_int_equal(task_set_allowed(current(), &m), 0);
		assert_int_equal(machine_cpu(), cpu[i]);
		assert_int_equal(current()->cpu, cpu[i]);
	}
	assert_int_equal(current()->nr_migrations - before, 4); /* section 11.1; staying on CPU 1 is none */
	assert_int_equal(current()->nr_allowed, 1);
}

/* A running task that may no longer stay is moved by its CPU's stopper, and returns elsewhere. */
static void test_affinity_moves_the_caller(void **state)
{
	(void)state;
	run(4, go_round, NULL);
}

static void move_child(void *argument)
{
	char letter = 'x';
	struct cpumask zero = only(0), one = only(1);
	struct task *t;

	(void)argument;
	task_set_allowed(current(), &zero);
	t = spawn(leave_letter, &letter);
	assert_int_equal(t->cpu, 0);
	assert_int_equal(task_set_allowed(t, &one), 0);
	assert_int_equal(t->cpu, 1);
	task_reap(t);
}

/* ... and so is one that waits. */
static void test_affinity_moves_another(void **state)
{
	(void)state;
	run(2, move_child, NULL);
	assert_string_equal(trail, "x");
}

/* A sleeper goes where it may when it wakes. */
static void test_affinity_of_a_sleeper(void **state)
{
	struct task *t;
	struct cpumask two = only(2);

	(void)state;
	boot_labels(4);
	t = test_sleeper(0, 0, 0);
	assert_int_equal(task_set_allowed(t, &two), 0);
	assert_int_equal(t->cpu, 0);
	task_wake(t, 0);
	assert_int_equal(t->cpu, 2);
	assert_int_equal(cpu_rq(2)->nr_running, 1);
}

/* No CPU that is there: -E_INVAL, and nothing has changed. */
static void test_affinity_to_nowhere(void **state)
{
	struct task *t;
	struct cpumask none = only(MAX_CPUS - 1), some = only(MAX_CPUS - 1);

	(void)state;
	boot_labels(4);
	t = test_sleeper(0, 0, 0);
	assert_int_equal(task_set_allowed(t, &none), -E_INVAL);
	assert_int_equal(t->nr_allowed, 4);
	mask_set(&some, 1);
	assert_int_equal(task_set_allowed(t, &some), 0);
	assert_int_equal(t->nr_allowed, 1);
}

static void exec_beside_spinner(void *argument)
{
	char letter = 'x';
	struct cpumask zero = only(0);
	struct cpumask both = only(1);

	(void)argument;
	mask_set(&both, 0);
	task_set_allowed(current(), &zero);
	spawn(leave_letter, &letter);
	task_set_allowed(current(), &both);
	assert_int_equal(machine_cpu(), 0);
	task_exec();
	assert_int_equal(machine_cpu(), 1);
	task_reap(REAP_ANY);
}

/* Exec balancing: two here, none there (cfs.md C7.5, 7.1). With preemption the stopper takes over at once, finds the caller queued,
 * and moves it. A miss: the caller had gone to sleep before the stopper ran, and its wakeup decided where it went. */
static void test_exec_moves(void **state)
{
	(void)state;
	test_machine(1, 2, 1, 1);
	test_boot(SWITCH_STACKS);
	knob.preempt = PREEMPT_FULL;
	test_run(exec_beside_spinner, NULL);
}

/* ---- stoppers ---- */

static void queue_two_jobs(void *argument)
{
	static char letter[] = "ab";
	struct stop_work work[2] = { { .fn = leave_letter, .argument = &letter[0] },
		{ .fn = leave_letter, .argument = &letter[1] } };
	struct cpumask zero = only(0);

	(void)argument;
	task_set_allowed(current(), &zero);
	stop_queue(1, &work[0]);
	stop_queue(1, &work[1]);
	leave('-');
	task_sleep_ns(NSEC_PER_MSEC);
}

/* Jobs for a CPU's stopper are done there in the order of queueing. */
static void test_stop_jobs_are_done_in_order(void **state)
{
	(void)state;
	run(2, queue_two_jobs, NULL);
	assert_string_equal(trail, "-ab");
}

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
		machine_test(test_affinity_moves_the_caller),
		machine_test(test_affinity_moves_another),
		machine_test(test_affinity_of_a_sleeper),
		machine_test(test_affinity_to_nowhere),
		machine_test(test_exec_moves),
		machine_test(test_stop_jobs_are_done_in_order),
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
