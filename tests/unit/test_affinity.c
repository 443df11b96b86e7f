/* SPDX-License-Identifier: GPL-2.0-or-later
 * Where tasks may run: what sched.h promises of masks, of exec and of the stoppers that move what runs (cfs.md 0.5, 7.1, 11.1). */
#include "tests/unit/lives.h"

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

int main(void)
{
	const struct CMUnitTest tests[] = {
		machine_test(test_affinity_moves_the_caller),
		machine_test(test_affinity_moves_another),
		machine_test(test_affinity_of_a_sleeper),
		machine_test(test_affinity_to_nowhere),
		machine_test(test_exec_moves),
		machine_test(test_stop_jobs_are_done_in_order),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
