/* SPDX-License-Identifier: GPL-2.0-or-later
 * The periodic passes, against cfs.md sections 5.1, 5.2 and 5.7 (checks C5.7, C5.8 and C5.10, the 3.8 side; test_balance_era.c has
 * that of 2.6.32), and the load averages they go by (section 8.1, checks C8.1 and C8.2). */
#include "tests/unit/balancing.h"

/* ---- intervals ---- */

/* C5.7: always balanced: 1, 2, 4, 4, ... ms; after an unbalanced attempt 1 again. */
static void test_interval_of_a_balanced_domain(void **state)
{
	static const u32 after[] = { 2, 4, 4, 4 };
	struct sched_domain *sd;

	(void)state;
	boot_pair(0, 0);
	sd = cpu_rq(0)->sd;
	assert_int_equal(sd->balance_interval, 1);
	for (unsigned i = 0; i < ARRAY_SIZE(after); i++) {
		assert_int_equal(pass_0(CPU_IDLE), 0);
		assert_int_equal(sd->balance_interval, after[i]);
	}
	test_spinners(1, 2);
	test_settle_loads();
	pass_0(CPU_IDLE); /* fails: they have just run, or never */
	assert_int_equal(sd->balance_interval, 1);
}

/* sched.h: reading the totals only reads. A miss: whoever measures changes what it measures. */
static void test_totals_change_nothing(void **state)
{
	static struct sched_totals totals;
	struct sched_domain *sd;

	(void)state;
	boot_pair(0, 3);
	sd = cpu_rq(0)->sd;
	sd->balance_interval = 4;
	sd->nr_balance_failed = 3;
	sd->max_newidle_lb_cost = 1000;
	sched_totals(&totals);
	assert_int_equal(sd->balance_interval, 4);
	assert_int_equal(sd->nr_balance_failed, 3);
	assert_int_equal(sd->max_newidle_lb_cost, 1000);
}

/* C5.8: all tasks are pinned away: 1, 2, 4, ... 512 ms. Staying at 4 means that the pass forgot it once it had left that queue out.
 */
static void test_interval_when_all_are_pinned(void **state)
{
	struct sched_domain *sd;
	struct sched_entity *se;

	(void)state;
	boot_pair(0, 3);
	sd = cpu_rq(0)->sd;
	TAILQ_FOREACH(se, &cpu_rq(1)->cfs.tasks, peers)
		test_pin(task_of(se), 1);
	for (u32 interval = 1; interval < 512; interval *= 2) {
		assert_int_equal(sd->balance_interval, interval);
		assert_int_equal(pass_0(CPU_IDLE), 0);
	}
	assert_int_equal(sd->balance_interval, 512);
	pass_0(CPU_IDLE);
	assert_int_equal(sd->balance_interval, 512);
	assert_int_equal(sd->nr_balance_failed, 0);
}

/* Section 5.7, step 3: with one queue left out the next busiest is taken in the same pass. */
static void test_pinned_queue_is_left_out(void **state)
{
	struct sched_entity *se;

	(void)state;
	test_machine(1, 3, 1, 1);
	test_boot(SWITCH_LABELS);
	test_spinners(1, 4);
	test_spinners(2, 3);
	test_clock_advance(20 * NSEC_PER_MSEC);
	test_settle_loads();
	TAILQ_FOREACH(se, &cpu_rq(1)->cfs.tasks, peers)
		test_pin(task_of(se), 1);
	assert_true(pass_0(CPU_IDLE) > 0);
	assert_int_equal(cpu_rq(1)->nr_running, 4);
	assert_true(cpu_rq(2)->nr_running < 3);
	assert_int_equal(cpu_rq(0)->sd->counts[CPU_IDLE].count, 1);
}

/* Ticks of CPU 0 up to that one; how many attempts it has made at the bottom level since boot. */
static u64 attempts_by(u64 tick)
{
	test_clock_run(tick * NSEC_PER_MSEC);
	return cpu_rq(0)->sd->counts[CPU_NOT_IDLE].count;
}

/* C5.10, HZ=1000: a busy CPU that is always balanced makes attempts 64, 128 and then 256 ticks apart. Four CPUs: for two 200 is the
 * most. */
static void test_busy_intervals_when_balanced(void **state)
{
	(void)state;
	test_machine(1, 4, 1, 1);
	test_boot(SWITCH_LABELS);
	for (unsigned cpu = 0; cpu < 4; cpu++)
		test_spinners(cpu, 1);
	test_settle_loads();
	assert_int_equal(attempts_by(63), 0);
	assert_int_equal(attempts_by(64), 1);
	assert_int_equal(attempts_by(64 + 127), 1);
	assert_int_equal(attempts_by(64 + 128), 2);
	assert_int_equal(attempts_by(64 + 128 + 255), 2);
	assert_int_equal(attempts_by(64 + 128 + 256), 3);
	assert_int_equal(attempts_by(64 + 128 + 512), 4);
}

/* C5.10: and every 64 ticks while it is not. CPU 1 has one task that may come but runs, and two that may not. */
static void test_busy_intervals_when_unbalanced(void **state)
{
	(void)state;
	test_machine(1, 2, 1, 1);
	test_boot(SWITCH_LABELS);
	test_spinners(1, 1);
	test_pin(test_task(1, 0), 1);
	test_pin(test_task(1, 0), 1);
	test_spinners(0, 1);
	test_settle_loads();
	cpu_rq(1)->active_balance = true; /* a push is under way for ever: the tasks stay where they are */
	for (unsigned n = 1; n <= 8; n++) {
		assert_int_equal(attempts_by(64 * n - 1), n - 1);
		assert_int_equal(attempts_by(64 * n), n);
	}
	assert_int_equal(cpu_rq(0)->sd->counts[CPU_NOT_IDLE].failed, 8);
}

/* Section 5.2, step 1: HZ * CPUs / 10 is the longest: 200 ticks for two. */
static void test_longest_interval(void **state)
{
	(void)state;
	test_machine(2, 1, 1, 1);
	test_boot(SWITCH_LABELS);
	test_spinners(1, 1);
	test_spinners(0, 1);
	test_settle_loads();
	cpu_rq(0)->sd->balance_interval = 512;
	assert_int_equal(attempts_by(199), 0);
	assert_int_equal(attempts_by(200), 1);
}

/* Section 5.2, step 3: a CPU to which something came is no longer idle for the levels above: their interval is the busy one. */
static void test_walk_goes_on_as_busy(void **state)
{
	(void)state;
	test_machine(1, 2, 2, 1);
	test_boot(SWITCH_LABELS);
	test_spinners(1, 2);
	test_settle_loads();
	test_clock_run(NSEC_PER_MSEC);
	assert_int_equal(test_domain(0, "MC")->counts[CPU_IDLE].gained, 1);
	assert_int_equal(test_domain(0, "CPU")->counts[CPU_IDLE].count, 0);
	assert_int_equal(test_domain(0, "CPU")->counts[CPU_NOT_IDLE].count, 0);
}

/* ... and while nothing comes every level gets its turn. */
static void test_walk_goes_on_as_idle(void **state)
{
	(void)state;
	test_machine(1, 2, 2, 1);
	test_boot(SWITCH_LABELS);
	test_clock_run(NSEC_PER_MSEC);
	assert_int_equal(test_domain(0, "MC")->counts[CPU_IDLE].count, 1);
	assert_int_equal(test_domain(0, "CPU")->counts[CPU_IDLE].count, 1);
}

/* Section 5.3: only the first idle CPU of a group acts for it, or the first CPU; another one's attempt counts as balanced and stops
 * there. */
static void test_only_the_elected_cpu_balances(void **state)
{
	bool responsible = true;
	unsigned long flags;

	(void)state;
	test_machine(1, 2, 2, 1);
	test_boot(SWITCH_LABELS);
	test_spinners(0, 4);
	test_clock_advance(20 * NSEC_PER_MSEC);
	test_settle_loads();
	test_on_cpu(3);
	flags = machine_irq_save();
	assert_int_equal(load_balance(cpu_rq(3), test_domain(3, "CPU"), CPU_IDLE, &responsible), 0);
	machine_irq_restore(flags);
	assert_false(responsible);
	assert_int_equal(test_domain(3, "CPU")->counts[CPU_IDLE].balanced, 1);
	assert_int_equal(test_domain(3, "CPU")->counts[CPU_IDLE].nobusyg, 0);
	assert_true(pass(2, test_domain(2, "CPU"), CPU_IDLE) > 0);
}

/* ... and an idle CPU rather than the first. */
static void test_the_idle_cpu_is_elected(void **state)
{
	struct rq *busiest;

	(void)state;
	test_machine(1, 2, 2, 1);
	test_boot(SWITCH_LABELS);
	test_spinners(2, 1);
	test_spinners(0, 5);
	test_settle_loads();
	assert_true(imbalance(3, test_domain(3, "CPU"), CPU_IDLE, &busiest) > 0);
	assert_ptr_equal(busiest, cpu_rq(0));
}

static void walk_for_cpu_1(enum cost cost)
{
	if (cost == COST_BALANCE)
		rebalance_domains(cpu_rq(1), CPU_IDLE);
}

/* Section 5.2, step 2: across nodes one CPU of the machine at a time; who comes second has not balanced, and is not late. */
static void test_levels_across_nodes_are_serialized(void **state)
{
	struct sched_domain *first, *second;
	unsigned long flags;

	(void)state;
	test_machine(2, 1, 1, 1);
	test_boot(SWITCH_LABELS);
	first = test_domain(0, "NUMA");
	second = test_domain(1, "NUMA");
	test_clock_advance(10 * NSEC_PER_MSEC);
	flags = machine_irq_save();
	test_on_charge = walk_for_cpu_1; /* while CPU 0 is at it */
	rebalance_domains(cpu_rq(0), CPU_IDLE);
	test_on_charge = NULL;
	assert_int_equal(first->counts[CPU_IDLE].count, 1);
	assert_int_equal(second->counts[CPU_IDLE].count, 0);
	assert_int_equal(second->last_balance, 0);
	rebalance_domains(cpu_rq(1), CPU_IDLE);
	assert_int_equal(second->counts[CPU_IDLE].count, 1);
	machine_irq_restore(flags);
}

/* C11.5, section 11.2: every pass is balanced, failed or a success, and nobusyg and nobusyq are among the balanced ones. */
static void test_passes_add_up(void **state)
{
	struct sched_domain *sd;
	unsigned successes = 0;

	(void)state;
	boot_pair(0, 0);
	sd = cpu_rq(0)->sd;
	for (unsigned i = 0; i < 60; i++) {
		enum idle_type idle = (enum idle_type)(i % NR_IDLE_TYPES);
		struct sd_counts before = sd->counts[idle], *after = &sd->counts[idle];
		int moved;

		if (i % 5 == 0)
			test_spinners(1, 1 + i % 3);
		if (i % 7 == 0)
			test_clock_advance(NSEC_PER_MSEC); /* cold again */
		test_settle_loads();
		moved = pass_0(idle);
		successes += moved > 0;
		assert_int_equal(after->count - before.count, 1);
		assert_int_equal(after->balanced - before.balanced + after->failed - before.failed + (moved > 0), 1);
		assert_int_equal(after->gained - before.gained, moved);
		assert_true(after->nobusyg - before.nobusyg + after->nobusyq - before.nobusyq <= after->balanced - before.balanced);
	}
	assert_in_range(successes, 3, 50);
}

/* Section 5.9: the walk for a CPU that does not execute it: its domains, its dates. */
static void test_walk_for_another_cpu(void **state)
{
	unsigned long flags;

	(void)state;
	boot_pair(0, 0);
	flags = machine_irq_save();
	rebalance_domains(cpu_rq(1), CPU_IDLE);
	machine_irq_restore(flags);
	assert_int_equal(cpu_rq(1)->sd->counts[CPU_IDLE].count, 1);
	assert_int_equal(cpu_rq(1)->sd->last_balance, tick_now());
	assert_int_equal(cpu_rq(1)->next_balance, tick_now() + 1); /* the interval before the pass doubled it */
	assert_int_equal(cpu_rq(0)->sd->counts[CPU_IDLE].count, 0);
}

/* Section 5.2: no level within the next minute: next_balance stays. */
static void test_next_balance_is_left_alone_when_nothing_is_near(void **state)
{
	unsigned long flags;

	(void)state;
	boot_pair(1, 1);
	cpu_rq(0)->sd->flags &= ~(u32)SD_LOAD_BALANCE;
	cpu_rq(0)->next_balance = 7;
	flags = machine_irq_save();
	rebalance_domains(cpu_rq(0), CPU_NOT_IDLE);
	machine_irq_restore(flags);
	assert_int_equal(cpu_rq(0)->next_balance, 7);
	assert_int_equal(cpu_rq(0)->sd->counts[CPU_NOT_IDLE].count, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		machine_test(test_interval_of_a_balanced_domain),
		machine_test(test_totals_change_nothing),
		machine_test(test_interval_when_all_are_pinned),
		machine_test(test_pinned_queue_is_left_out),
		machine_test(test_busy_intervals_when_balanced),
		machine_test(test_busy_intervals_when_unbalanced),
		machine_test(test_longest_interval),
		machine_test(test_walk_goes_on_as_busy),
		machine_test(test_walk_goes_on_as_idle),
		machine_test(test_only_the_elected_cpu_balances),
		machine_test(test_the_idle_cpu_is_elected),
		machine_test(test_levels_across_nodes_are_serialized),
		machine_test(test_passes_add_up),
		machine_test(test_walk_for_another_cpu),
		machine_test(test_next_balance_is_left_alone_when_nothing_is_near),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
