/* SPDX-License-Identifier: GPL-2.0-or-later
 * The decision trace of what moves tasks: every cause of a migration, what balance passes and newidle balancing say of themselves,
 * and that the counters agree. The situations are cfs.md's; what is expected of them is in the tests of those files. */
#include "tests/unit/balancing.h"
#include "tests/unit/tracing.h"

static void expect_move(unsigned cpu, const struct task *t, unsigned from, unsigned to, enum trace_word cause)
{
	expect_last(cpu, migrate, task, t->id);
	expect_last(cpu, migrate, from, from);
	expect_last(cpu, migrate, to, to);
	expect_last(cpu, migrate, cause, cause);
	assert_int_equal(t->cpu, to);
}

/* ---- balance passes: 4 tasks on CPU 1 and a number on CPU 0 that looks ---- */

static void expect_pass(enum trace_word occasion, enum trace_word result, enum trace_word found, unsigned busiest, unsigned moved)
{
	expect_last(0, balance, cpu, 0);
	expect_last(0, balance, level, AT_CPU);
	expect_last(0, balance, occasion, occasion);
	expect_last(0, balance, result, result);
	expect_last(0, balance, found, found);
	expect_last(0, balance, busiest, busiest);
	expect_last(0, balance, moved, moved);
}

static struct task *newest(unsigned cpu)
{
	return task_of(TAILQ_FIRST(&cpu_rq(cpu)->cfs.tasks));
}

static void test_idle_pass(void **state)
{
	struct task *t;

	(void)state;
	boot_pair(0, 4);
	t = newest(1);
	trace_from_here();
	assert_true(pass_0(CPU_IDLE) > 0);
	expect_pass(FOR_idle, RESULT_moved, LAST(0, balance, found), 1, LAST(0, balance, moved));
	expect_last(0, migrate, cause, MIGRATE_idle);
	assert_int_equal(count_events(0, TRACE_migrate), LAST(0, balance, moved));
	assert_int_equal(t->cpu, 0);
	assert_true(LAST(0, balance, imbalance) >= 1024);
}

static void test_busy_pass(void **state)
{
	(void)state;
	boot_pair(1, 5);
	trace_from_here();
	assert_true(pass_0(CPU_NOT_IDLE) > 0);
	expect_pass(FOR_busy, RESULT_moved, LAST(0, balance, found), 1, LAST(0, balance, moved));
	expect_last(0, migrate, cause, MIGRATE_busy);
}

static void test_balanced_pass(void **state)
{
	(void)state;
	boot_pair(2, 2);
	trace_from_here();
	assert_int_equal(pass_0(CPU_NOT_IDLE), 0);
	expect_pass(FOR_busy, RESULT_balanced, LAST(0, balance, found), TRACE_NO_CPU, 0);
	expect_last(0, balance, imbalance, 0);
}

/* They have all just run. */
static void test_pass_that_finds_hot_tasks(void **state)
{
	(void)state;
	boot_pair(0, 4);
	knob.sched_migration_cost_ns = MIGRATION_COST_ALWAYS_HOT;
	trace_from_here();
	assert_int_equal(pass_0(CPU_IDLE), 0);
	expect_pass(FOR_idle, RESULT_failed, FOUND_hot, 1, 0);
	assert_int_equal(count_events(0, TRACE_migrate), 0);
}

static void test_pass_that_finds_bound_tasks(void **state)
{
	struct sched_entity *se;

	(void)state;
	boot_pair(0, 4);
	TAILQ_FOREACH(se, &cpu_rq(1)->cfs.tasks, peers)
		test_pin(task_of(se), 1);
	trace_from_here();
	assert_int_equal(pass_0(CPU_IDLE), 0);
	expect_last(0, balance, result, RESULT_all_pinned);
	expect_last(0, balance, found, FOUND_affinity);
}

/* C5.6: the running one of two threads of a core, which the idle core is to get. */
static struct task *boot_core(void)
{
	struct task *victim;

	test_machine(1, 1, 4, 2);
	test_boot(SWITCH_LABELS);
	test_spinners(4, 1);
	victim = test_spinners(0, 1);
	test_clock_advance(20 * NSEC_PER_MSEC);
	test_settle_loads();
	test_domain(1, "MC")->nr_balance_failed = 3;
	return victim;
}

/* After so many failures it is asked for; it may not come. */
static void test_pass_whose_push_is_pinned(void **state)
{
	(void)state;
	test_pin(boot_core(), 0);
	trace_from_here();
	pass(1, test_domain(1, "MC"), CPU_IDLE);
	expect_last(1, balance, result, RESULT_one_pinned);
	expect_last(1, balance, level, AT_MC);
}

/* ---- newidle balancing ---- */

static struct task *boot_newidle(void)
{
	boot_pair(1, 4);
	knob.preempt = PREEMPT_FULL; /* one task is enough */
	cpu_rq(0)->avg_idle = 2 * knob.sched_migration_cost_ns;
	trace_from_here();
	return cpu_rq(0)->curr;
}

static void test_newidle_that_pulls(void **state)
{
	struct task *t;

	(void)state;
	boot_newidle();
	t = test_sleep(0);
	expect_move(0, t, 1, 0, MIGRATE_newidle);
	expect_pass(FOR_newidle, RESULT_moved, LAST(0, balance, found), 1, 1);
	expect_last(0, newidle, result, WALK_pulled);
	expect_last(0, newidle, avg_idle_ns, 1000000);
	expect_last(0, newidle, cost_ns, 500000);
	expect_last(0, switch, why, PICK_only);
}

static void test_newidle_that_is_throttled(void **state)
{
	(void)state;
	boot_newidle();
	cpu_rq(0)->avg_idle = 499999;
	test_sleep(0);
	expect_last(0, newidle, result, WALK_throttled);
	expect_last(0, newidle, avg_idle_ns, 499999);
	assert_int_equal(count_events(0, TRACE_balance), 0);
	expect_last(0, switch, why, PICK_idle);
}

static void test_newidle_while_another_balances(void **state)
{
	(void)state;
	boot_newidle();
	cpu_rq(0)->balancing = 1;
	test_sleep(0);
	expect_last(0, newidle, result, WALK_taken);
}

static void test_newidle_that_finds_nothing(void **state)
{
	(void)state;
	boot_pair(1, 0);
	cpu_rq(0)->avg_idle = 2 * knob.sched_migration_cost_ns;
	trace_from_here();
	test_sleep(0);
	expect_last(0, newidle, result, WALK_nothing);
	expect_last(0, newidle, found, FOUND_not_due);
}

/* The pass of 2.6.32 leaves its event too. */
static void test_separate_routine(void **state)
{
	(void)state;
	boot_newidle();
	knob.newidle_routine = NEWIDLE_ROUTINE_SEPARATE;
	test_sleep(0);
	expect_pass(FOR_newidle, RESULT_moved, LAST(0, balance, found), 1, 1);
	expect_last(0, migrate, cause, MIGRATE_newidle);
}

/* ---- other causes ---- */

/* Moved by the stopper of the CPU where it ran. */
static void test_push(void **state)
{
	struct task *victim;

	(void)state;
	victim = boot_core();
	trace_from_here();
	pass(1, test_domain(1, "MC"), CPU_IDLE);
	expect_last(1, balance, result, RESULT_failed);
	test_machine_run(machine_clock_ns());
	expect_move(0, victim, 0, 1, MIGRATE_push);
}

static void change_affinity(void *unused)
{
	struct cpumask only = { .word = { 1ull << (machine_cpu() ^ 1) } };

	(void)unused;
	trace_from_here();
	assert_int_equal(task_set_allowed(current(), &only), 0);
	trace_up_to_here();
}

static unsigned moves_by(enum trace_word cause)
{
	u64 lost, time, number[TRACE_NUMBERS];
	unsigned n = 0;

	for (unsigned cpu = 0; cpu < nr_cpus; cpu++)
		for (u64 i = 0; i < sched_trace_events(cpu, &lost); i++) {
			sched_trace_event(cpu, i, &time, number);
			n += number[0] == TRACE_migrate && number[1 + TRACE_ARG(migrate, cause)] == cause;
		}
	return n;
}

static void test_affinity(void **state)
{
	(void)state;
	test_machine(1, 1, 4, 1);
	test_boot(SWITCH_STACKS);
	knob.preempt = PREEMPT_FULL; /* or it sleeps when the stopper comes, and its waker moves it */
	test_run(change_affinity, NULL);
	assert_int_equal(moves_by(MIGRATE_affinity), 1);
}

static void sit(void *unused)
{
	(void)unused;
	machine_work_ns(50 * NSEC_PER_MSEC);
}

/* Two children share CPU 0 with the one that execs, and then may go nowhere else; the other cache has nothing. */
static void exec_beside_others(void *unused)
{
	struct cpumask only = { .word = { 1 } }, all = current()->allowed;

	(void)unused;
	task_set_allowed(current(), &only);
	for (unsigned i = 0; i < 2; i++)
		assert_non_null(task_spawn("sits", sit, NULL, false));
	task_set_allowed(current(), &all);
	trace_from_here();
	assert_int_equal(task_exec(), 0);
	trace_up_to_here();
	assert_int_equal(current()->cpu, 1);
	task_reap(REAP_ANY);
	task_reap(REAP_ANY);
}

static void test_exec(void **state)
{
	(void)state;
	test_machine(1, 2, 1, 1);
	test_boot(SWITCH_STACKS);
	knob.preempt = PREEMPT_FULL;
	test_run(exec_beside_others, NULL);
	assert_int_equal(moves_by(MIGRATE_exec), 1);
	expect_last(0, exec, cpu, 1);
	expect_last(0, exec, why, PLACE_idlest);
	expect_last(0, migrate, cause, MIGRATE_exec);
}

static struct task *fifo(unsigned cpu, unsigned priority)
{
	struct task *t = test_sleeper(cpu, 0, 0);

	task_set_realtime(t, POLICY_FIFO, priority);
	return t;
}

/* Two of them wait on CPU 0 behind a better one; CPU 1's goes to sleep. */
static void test_rt_pull(void **state)
{
	struct task *t;

	(void)state;
	test_machine(1, 1, 2, 1);
	test_boot(SWITCH_LABELS);
	t = fifo(1, 60);
	test_pin(t, 1);
	task_wake(t, 0);
	assert_ptr_equal(test_schedule(1), t);
	t = fifo(0, 60);
	test_pin(t, 0);
	task_wake(t, 0);
	assert_ptr_equal(test_schedule(0), t);
	t = fifo(0, 40);
	task_wake(t, 0);
	assert_int_equal(t->cpu, 0);
	trace_from_here();
	assert_ptr_equal(test_sleep(1), t);
	expect_move(1, t, 0, 1, MIGRATE_rt_pull);
	expect_last(1, switch, why, PICK_real_time);
}

/* It is preempted by a better one that may run here only, and goes where a fair task runs. */
static void test_rt_push(void **state)
{
	struct task *t, *better;

	(void)state;
	test_machine(1, 1, 2, 1);
	test_boot(SWITCH_LABELS);
	test_spinners(1, 1);
	t = fifo(0, 10);
	task_wake(t, 0);
	assert_ptr_equal(test_schedule(0), t);
	better = fifo(0, 20);
	test_pin(better, 0);
	trace_from_here();
	task_wake(better, 0);
	assert_ptr_equal(test_schedule(0), better);
	expect_move(0, t, 0, 1, MIGRATE_rt_push);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		machine_test(test_idle_pass),
		machine_test(test_busy_pass),
		machine_test(test_balanced_pass),
		machine_test(test_pass_that_finds_hot_tasks),
		machine_test(test_pass_that_finds_bound_tasks),
		machine_test(test_pass_whose_push_is_pinned),
		machine_test(test_newidle_that_pulls),
		machine_test(test_newidle_that_is_throttled),
		machine_test(test_newidle_while_another_balances),
		machine_test(test_newidle_that_finds_nothing),
		machine_test(test_separate_routine),
		machine_test(test_push),
		machine_test(test_affinity),
		machine_test(test_exec),
		machine_test(test_rt_pull),
		machine_test(test_rt_push),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
