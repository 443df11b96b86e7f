/* SPDX-License-Identifier: GPL-2.0-or-later
 * Why time is wasted, and what newidle's pulls are good for. Expected times are intervals times CPUs lost, by hand; which cause
 * they are booked under is what enum waste_cause says. A miss means that the account blames the wrong rule. */
#include "tests/unit/balancing.h"

static u64 opened[NR_WASTE_CAUSES];

/* CPUs of one cache, or of as many nodes as said, whose clock has run for a while. */
static void boot(unsigned nodes, unsigned cores)
{
	test_machine(nodes, 1, cores, 1);
	test_boot(SWITCH_LABELS);
	test_clock_set(NSEC_PER_SEC);
	for (unsigned cpu = 0; cpu < nr_cpus; cpu++)
		rq_update_clock(cpu_rq(cpu));
}

static void open_account(void)
{
	struct waste sum, rate;

	waste_read(&sum, &rate, opened);
}

/* All that was lost since is of that cause, and so much. */
static void expect(enum waste_cause cause, u64 ns)
{
	struct waste sum, rate;
	u64 by[NR_WASTE_CAUSES];

	waste_read(&sum, &rate, by);
	for (unsigned i = 0; i < NR_WASTE_CAUSES; i++) {
		u64 expected = i == cause ? ns : 0;

		if (by[i] - opened[i] != expected)
			fail_msg("cause %u: %llu ns, expected %llu", i, (unsigned long long)(by[i] - opened[i]),
				(unsigned long long)expected);
	}
}

static void expect_after(u64 ns, enum waste_cause cause, u64 lost)
{
	open_account();
	test_clock_advance(ns);
	expect(cause, lost);
}

/* Its only task has gone to sleep; it looks for others by the rules of the knobs, and idles. */
static void become_idle(unsigned cpu)
{
	assert_true(test_sleep(cpu)->is_idle);
}

static void test_off(void **state)
{
	(void)state;
	boot(1, 2);
	knob.newidle = NEWIDLE_OFF;
	test_apply_knobs();
	test_spinners(0, 3);
	test_spinners(1, 1);
	become_idle(1);
	expect_after(1000, WASTE_OFF, 1000);
}

static void test_never(void **state)
{
	(void)state;
	boot(1, 2);
	knob.newidle = NEWIDLE_NEVER;
	test_spinners(0, 3);
	test_spinners(1, 1);
	become_idle(1);
	expect_after(1000, WASTE_OFF, 1000);
}

/* Idle periods have been shorter than the cost of a migration. */
static void test_throttled(void **state)
{
	(void)state;
	boot(1, 2);
	test_spinners(0, 3);
	test_spinners(1, 1);
	cpu_rq(1)->avg_idle = knob.sched_migration_cost_ns - 1;
	become_idle(1);
	expect_after(1000, WASTE_THROTTLED, 1000);
}

/* 3.13: a walk has cost more than there is to gain. */
static void test_throttled_by_cost(void **state)
{
	(void)state;
	boot(1, 2);
	knob.newidle = NEWIDLE_COST;
	test_apply_knobs();
	test_spinners(0, 3);
	test_spinners(1, 1);
	for (struct sched_domain *sd = cpu_rq(1)->sd; sd; sd = sd->parent)
		sd->max_newidle_lb_cost = cpu_rq(1)->avg_idle + 1;
	become_idle(1);
	expect_after(1000, WASTE_THROTTLED, 1000);
}

/* The tasks that wait ran a moment ago: not older than sched_migration_cost_ns. */
static void test_hot(void **state)
{
	(void)state;
	boot(1, 2);
	knob.newidle = NEWIDLE_ALWAYS;
	test_spinners(0, 3);
	test_spinners(1, 1);
	for (struct sched_entity *se = TAILQ_FIRST(&cpu_rq(0)->cfs.tasks); se; se = TAILQ_NEXT(se, peers))
		se->exec_start = cpu_rq(0)->clock;
	become_idle(1);
	expect_after(1000, WASTE_HOT, 1000);
}

/* The one task that waits is the next buddy, and has not run for long: what is left of the reasons is that. */
static void test_buddy(void **state)
{
	struct sched_entity *se;

	(void)state;
	boot(1, 2);
	knob.newidle = NEWIDLE_ALWAYS;
	knob.buddy_hot = BUDDY_HOT_ANY;
	test_spinners(0, 2);
	test_spinners(1, 1);
	se = cpu_rq(0)->cfs.leftmost;
	se->exec_start = 0;
	cpu_rq(0)->cfs.next = se;
	become_idle(1);
	expect_after(1000, WASTE_BUDDY, 1000);
}

/* The task that waits may go to CPU 1 only, which has not looked; CPU 2 becomes idle and finds nothing that it may have. Then one
 * waits that may go anywhere: both CPUs are lost, each for its own reason. */
static void test_affinity(void **state)
{
	struct cpumask allowed = { .word = { 1 | 2 } };
	struct waste sum, rate;
	u64 by[NR_WASTE_CAUSES];

	(void)state;
	boot(1, 3);
	knob.newidle = NEWIDLE_ALWAYS;
	test_spinners(0, 2);
	test_spinners(2, 1);
	assert_int_equal(task_set_allowed(task_of(cpu_rq(0)->cfs.leftmost), &allowed), 0);
	become_idle(2);
	expect_after(1000, WASTE_NOT_DUE, 1000);
	test_task(0, 0);
	open_account();
	test_clock_advance(1000);
	waste_read(&sum, &rate, by);
	assert_int_equal(by[WASTE_NOT_DUE] - opened[WASTE_NOT_DUE], 1000);
	assert_int_equal(by[WASTE_AFFINITY] - opened[WASTE_AFFINITY], 1000);
}

/* Tasks begin to wait while CPU 1 idles: it has not looked since, and its tick says when it will. */
static void test_not_due(void **state)
{
	(void)state;
	boot(1, 2);
	test_spinners(0, 1);
	test_task(0, 0);
	expect_after(1000, WASTE_NOT_DUE, 1000);
}

/* The same with its tick stopped. */
static void test_nobody(void **state)
{
	(void)state;
	boot(1, 2);
	knob.nohz = true;
	nohz.nr_idle = 1;
	test_spinners(0, 1);
	test_task(0, 0);
	expect_after(1000, WASTE_NOBODY, 1000);
}

/* It has found the tasks too hot, then all that waited runs, and new ones begin to wait: what it found is void. */
static void test_findings_end_with_the_waiting(void **state)
{
	(void)state;
	boot(1, 2);
	knob.newidle = NEWIDLE_OFF;
	test_apply_knobs();
	test_spinners(0, 2);
	test_spinners(1, 1);
	become_idle(1);
	expect_after(1000, WASTE_OFF, 1000);
	test_sleep(0);
	expect_after(1000, WASTE_OFF, 0);
	test_task(0, 0);
	expect_after(1000, WASTE_NOT_DUE, 1000);
}

/* A task has been put on CPU 1's queue, where the switch to it is to come. */
static void test_arriving(void **state)
{
	(void)state;
	boot(1, 2);
	test_task(1, 0);
	expect_after(300, WASTE_ARRIVING, 300);
}

/* Two wait, one of them on idle CPU 1; CPUs 2 and 3 have not looked: of two CPUs lost one is CPU 1. */
static void test_arriving_comes_first(void **state)
{
	struct waste sum, rate;
	u64 by[NR_WASTE_CAUSES];

	(void)state;
	boot(1, 4);
	test_spinners(0, 2);
	test_task(1, 0);
	open_account();
	test_clock_advance(1000);
	waste_read(&sum, &rate, by);
	assert_int_equal(by[WASTE_ARRIVING] - opened[WASTE_ARRIVING], 1000);
	assert_int_equal(by[WASTE_NOT_DUE] - opened[WASTE_NOT_DUE], 1000);
}

/* One task waits and three CPUs idle, two of which did not look when they became so: a third of 1000 ns is 333, and two thirds are
 * 666; the one left over goes to the first cause of the list. */
static void test_shares_make_up_the_whole(void **state)
{
	struct waste sum, rate;
	u64 by[NR_WASTE_CAUSES];

	(void)state;
	boot(1, 4);
	knob.newidle = NEWIDLE_OFF;
	test_apply_knobs();
	test_spinners(0, 1);
	test_spinners(1, 1);
	test_spinners(2, 1);
	test_task(0, 0); /* CPU 3 idles already */
	become_idle(1);
	become_idle(2);
	open_account();
	test_clock_advance(1000);
	waste_read(&sum, &rate, by);
	assert_int_equal(by[WASTE_NOT_DUE] - opened[WASTE_NOT_DUE], 334);
	assert_int_equal(by[WASTE_OFF] - opened[WASTE_OFF], 666);
}

/* Only CPUs where the task may run have a share: it is bound to 0 and 3. */
static void test_shares_by_mask(void **state)
{
	struct cpumask allowed = { .word = { 1 | 8 } };

	(void)state;
	boot(1, 4);
	knob.newidle = NEWIDLE_OFF;
	test_apply_knobs();
	test_spinners(0, 1);
	test_spinners(1, 1);
	assert_int_equal(task_set_allowed(test_task(0, 0), &allowed), 0);
	become_idle(1);
	expect_after(1000, WASTE_NOT_DUE, 1000);
}

static void look_around(unsigned cpu)
{
	unsigned long flags;

	test_on_cpu(cpu);
	flags = machine_irq_save();
	rebalance_domains(cpu_rq(cpu), CPU_IDLE);
	machine_irq_restore(flags);
}

/* An idle CPU's due look finds hot tasks: from then on it is for that, no longer because newidle is off. */
static void test_a_look_changes_the_cause(void **state)
{
	(void)state;
	boot(1, 2);
	knob.newidle = NEWIDLE_OFF;
	test_apply_knobs();
	test_spinners(0, 3);
	test_spinners(1, 1);
	become_idle(1);
	expect_after(1000, WASTE_OFF, 1000);
	for (struct sched_entity *se = TAILQ_FIRST(&cpu_rq(0)->cfs.tasks); se; se = TAILQ_NEXT(se, peers))
		se->exec_start = machine_clock_ns();
	for (struct sched_domain *sd = cpu_rq(1)->sd; sd; sd = sd->parent)
		sd->last_balance = tick_now() - 1000;
	look_around(1);
	expect_after(1000, WASTE_HOT, 1000);
}

/* ---- what a pull is good for ---- */

static u64 saved_ns(void)
{
	return cpu_rq(0)->count.newidle_saved_ns;
}

/* Of two that wait on CPU 0, and ran long ago, CPU 1 takes one as it becomes idle: with preemption no more. */
static void pull_one(void)
{
	boot(1, 2);
	knob.newidle = NEWIDLE_ALWAYS;
	knob.preempt = PREEMPT_FULL;
	test_spinners(0, 3);
	test_spinners(1, 1);
	for (struct sched_entity *se = TAILQ_FIRST(&cpu_rq(0)->cfs.tasks); se; se = TAILQ_NEXT(se, peers)) {
		se->exec_start = 0;
		task_of(se)->warm_cpu = 0;
	}
	assert_false(test_sleep(1)->is_idle);
}

/* CPU 1 pulls a task whose turn on CPU 0 would have come 2000 ns later. */
static void test_pull_is_followed(void **state)
{
	struct task *behind;

	(void)state;
	pull_one();
	assert_int_equal(cpu_rq(0)->count.newidle_followed, 0);
	behind = task_of(cpu_rq(0)->cfs.leftmost);
	test_place(behind, cpu_rq(0)->pulled.vruntime + 1);
	test_clock_advance(2000);
	assert_ptr_equal(test_sleep(0), behind);
	assert_int_equal(cpu_rq(0)->count.newidle_followed, 1);
	assert_int_equal(saved_ns(), 2000);
}

/* Its turn has not come yet: the one that goes on was before it. */
static void test_pull_is_followed_in_order(void **state)
{
	struct task *before;

	(void)state;
	pull_one();
	before = task_of(cpu_rq(0)->cfs.leftmost);
	test_place(before, cpu_rq(0)->pulled.vruntime - 1);
	test_clock_advance(2000);
	assert_ptr_equal(test_sleep(0), before);
	assert_int_equal(cpu_rq(0)->count.newidle_followed, 0);
	knob.newidle = NEWIDLE_NEVER;
	test_clock_advance(3000);
	become_idle(0); /* now there is nobody else */
	assert_int_equal(saved_ns(), 5000);
}

/* A task that was pulled finds its cache cold, once. */
static void test_cold_of_pulls(void **state)
{
	(void)state;
	test_cold_ns = 700;
	pull_one();
	assert_int_equal(cpu_rq(1)->count.newidle_cold_ns, 700);
	assert_int_equal(cpu_rq(1)->count.cold_ns, 1400); /* so did the one before it: it was made on CPU 0 */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		machine_test(test_off),
		machine_test(test_never),
		machine_test(test_throttled),
		machine_test(test_throttled_by_cost),
		machine_test(test_hot),
		machine_test(test_buddy),
		machine_test(test_affinity),
		machine_test(test_not_due),
		machine_test(test_nobody),
		machine_test(test_findings_end_with_the_waiting),
		machine_test(test_arriving),
		machine_test(test_arriving_comes_first),
		machine_test(test_shares_make_up_the_whole),
		machine_test(test_shares_by_mask),
		machine_test(test_a_look_changes_the_cause),
		machine_test(test_pull_is_followed),
		machine_test(test_pull_is_followed_in_order),
		machine_test(test_cold_of_pulls),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
