/* SPDX-License-Identifier: GPL-2.0-or-later
 * Whom to take from and how much, against cfs.md sections 5.3 to 5.6 (checks C5.1 to C5.6, the 3.8 side; test_balance_era.c has
 * that of 2.6.32). Imbalances are weights, 1024 a nice-0 task. */
#include "tests/unit/balancing.h"

/* ---- how much ---- */

/* C5.1: 2 on CPU 1, 1 here: less than a task is out of balance, and moving a whole one makes it no worse: 1024. */
static void test_two_against_one(void **state)
{
	struct rq *busiest;

	(void)state;
	boot_pair(1, 2);
	assert_int_equal(imbalance(0, cpu_rq(0)->sd, CPU_NOT_IDLE, &busiest), 1024);
	assert_ptr_equal(busiest, cpu_rq(1));
	assert_int_equal(pass_0(CPU_NOT_IDLE), 1);
	assert_int_equal(cpu_rq(0)->nr_running, 2);
	assert_int_equal(cpu_rq(0)->sd->counts[CPU_NOT_IDLE].gained, 1);
}

/* C5.1 in the long run: the third of three equal spinners goes to and fro, so that each gets 2/3 of a CPU. Within 4 % over a
 * minute. */
static void test_three_spinners_on_two_cpus(void **state)
{
	struct task *t[3];
	u64 run_ns = 60 * NSEC_PER_SEC, start;

	(void)state;
	test_machine(1, 2, 1, 1);
	test_boot(SWITCH_LABELS);
	t[0] = test_task(0, 0);
	t[1] = test_task(0, 0);
	t[2] = test_task(1, 0);
	test_schedule(0);
	test_schedule(1);
	start = machine_clock_ns();
	test_machine_run(start + run_ns);
	for (unsigned i = 0; i < 3; i++)
		assert_in_range(t[i]->se.sum_exec, run_ns / 100 * 64, run_ns / 100 * 69);
}

/* C5.2 */
static void test_three_against_one(void **state)
{
	struct rq *busiest;

	(void)state;
	boot_pair(1, 3);
	assert_int_equal(imbalance(0, cpu_rq(0)->sd, CPU_NOT_IDLE, &busiest), 1024);
	assert_int_equal(pass_0(CPU_NOT_IDLE), 1);
	assert_int_equal(cpu_rq(0)->nr_running, 2);
	assert_int_equal(cpu_rq(1)->nr_running, 2);
}

/* C5.3 */
static void test_two_against_none(void **state)
{
	struct rq *busiest;

	(void)state;
	boot_pair(0, 2);
	assert_int_equal(imbalance(0, cpu_rq(0)->sd, CPU_IDLE, &busiest), 1024);
	assert_int_equal(pass_0(CPU_IDLE), 1);
	assert_true(cpu_rq(0)->idle->need_resched);
}

/* C5.4 */
static void test_one_against_none(void **state)
{
	struct rq *busiest;

	(void)state;
	boot_pair(0, 1);
	assert_int_equal(imbalance(0, cpu_rq(0)->sd, CPU_IDLE, &busiest), 0);
	assert_int_equal(pass_0(CPU_IDLE), 0);
	assert_int_equal(cpu_rq(0)->sd->counts[CPU_IDLE].nobusyg, 1);
	assert_int_equal(cpu_rq(0)->sd->counts[CPU_IDLE].balanced, 1);
}

/* C5.5: Q6600, both spinners in one pair. MC lacks PREFER_SIBLING in 3.8, so the pair may hold two: nobody spreads them. */
static void test_pair_of_spinners_stays(void **state)
{
	struct rq *busiest;

	(void)state;
	test_machine(1, 2, 2, 1);
	test_boot(SWITCH_LABELS);
	test_spinners(1, 1);
	test_spinners(0, 1);
	test_settle_loads();
	assert_int_equal(imbalance(2, test_domain(2, "CPU"), CPU_IDLE, &busiest), 0);
	test_machine_run(200 * NSEC_PER_MSEC);
	assert_int_equal(cpu_rq(0)->nr_running, 1);
	assert_int_equal(cpu_rq(1)->nr_running, 1);
}

/* Section 5.3: the number that a group may hold counts as 1 where the child has PREFER_SIBLING and this group has room: two nodes.
 */
static void test_pair_of_spinners_spreads_over_nodes(void **state)
{
	struct rq *busiest;

	(void)state;
	test_machine(2, 1, 2, 1);
	test_boot(SWITCH_LABELS);
	test_spinners(1, 1);
	test_spinners(0, 1);
	test_settle_loads();
	assert_int_equal(imbalance(2, test_domain(2, "NUMA"), CPU_IDLE, &busiest), 1024);
	assert_ptr_equal(busiest, cpu_rq(0));
}

/* ... but not where this group has no room either: two heavy tasks may then stay, though the loads differ. */
static void test_full_node_does_not_spread(void **state)
{
	struct rq *busiest;

	(void)state;
	test_machine(2, 1, 2, 1);
	test_boot(SWITCH_LABELS);
	for (unsigned cpu = 0; cpu < 4; cpu++) {
		test_task(cpu, cpu < 2 ? -5 : 0);
		test_schedule(cpu);
	}
	test_settle_loads();
	assert_int_equal(imbalance(2, test_domain(2, "NUMA"), CPU_NOT_IDLE, &busiest), 0);
}

/* Q6600: 2 and 2 tasks in the pair of CPU 0; so many on CPUs 2 and 3, 5 altogether. */
static u64 imbalance_of_pair(unsigned on_2, unsigned on_3)
{
	struct rq *busiest;

	test_machine(1, 2, 2, 1);
	test_boot(SWITCH_LABELS);
	test_spinners(3, on_3);
	test_spinners(2, on_2);
	test_spinners(1, 2);
	test_spinners(0, 2);
	test_settle_loads();
	return imbalance(0, test_domain(0, "CPU"), CPU_NOT_IDLE, &busiest);
}

/* Sections 5.3 and 5.4: 5 tasks against 4 are balanced, 100 * 2560 <= 125 * 2048, */
static void test_five_against_four(void **state)
{
	(void)state;
	assert_int_equal(imbalance_of_pair(3, 2), 0);
}

/* ... unless they are uneven among themselves, by more than one task and by the weight of one. */
static void test_five_uneven_against_four(void **state)
{
	(void)state;
	assert_int_equal(imbalance_of_pair(4, 1), 1024);
}

/* Section 5.4, exit 6: room here and none there: a newly idle CPU takes something, although a heavy task makes its group the busier
 * one; a busy CPU does not. */
static void test_room_decides_when_newly_idle(void **state)
{
	struct rq *busiest;

	(void)state;
	test_machine(1, 2, 2, 1);
	test_boot(SWITCH_LABELS);
	test_spinners(3, 1);
	test_spinners(2, 2);
	test_task(1, -10);
	test_schedule(1);
	test_settle_loads();
	assert_int_equal(imbalance(0, test_domain(0, "CPU"), CPU_NEWLY_IDLE, &busiest), 1024);
	assert_int_equal(imbalance(0, test_domain(0, "CPU"), CPU_IDLE, &busiest), 0);
}

/* Section 5.5, fix_small: 2 tasks of 1991 against 3 of 1024 are 455 out of balance, less than a task; they are heavier than ours,
 * so one may come. 455 would mean the rule for equal ones was used: 3982 - 3072 + 1991 is less than two of them. */
static void test_heavier_tasks_may_come(void **state)
{
	struct rq *busiest;

	(void)state;
	boot_pair(3, 0);
	test_task(1, -3);
	test_task(1, -3);
	test_schedule(1);
	test_settle_loads();
	assert_int_equal(imbalance(0, cpu_rq(0)->sd, CPU_NOT_IDLE, &busiest), 1991);
}

/* 4 cores of 2 threads, all threads busy but those of core 1 that are given as idle. */
static u64 imbalance_of_idle_core(unsigned idle_threads)
{
	struct rq *busiest;

	test_machine(1, 1, 4, 2);
	test_boot(SWITCH_LABELS);
	for (unsigned cpu = 8; cpu-- > 0;)
		if (cpu != 1 && (cpu != 5 || idle_threads < 2))
			test_spinners(cpu, 1);
	test_settle_loads();
	return imbalance(1, test_domain(1, "MC"), CPU_IDLE, &busiest);
}

/* Section 5.4, exit 9: an idle CPU leaves a group alone that has as many tasks as threads and at most one idle thread fewer. */
static void test_one_idle_thread_more(void **state)
{
	(void)state;
	assert_int_equal(imbalance_of_idle_core(1), 0);
}

static void test_two_idle_threads_more(void **state)
{
	(void)state;
	assert_int_equal(imbalance_of_idle_core(2), 1024);
}

/* ---- "Group Imbalance", section 13.1 ---- */

/* Two nodes of 4: a task of nice -20 (88761) and three idle CPUs here, two tasks on each CPU there. CPU 1 balances across nodes. */
static struct sched_domain *boot_heavy(void)
{
	test_machine(2, 1, 4, 1);
	test_boot(SWITCH_LABELS);
	for (unsigned cpu = 8; cpu-- > 4;)
		test_spinners(cpu, 2);
	test_task(0, -20);
	test_schedule(0);
	test_clock_advance(20 * NSEC_PER_MSEC);
	test_settle_loads();
	return test_domain(1, "NUMA");
}

/* C13.1: 22190 here is no less than 2048 there. */
static void test_heavy_task_hides_idle_cpus(void **state)
{
	struct rq *busiest;

	(void)state;
	assert_int_equal(imbalance(1, boot_heavy(), CPU_IDLE, &busiest), 0);
}

/* C13.1: newly idle, with room here and none there, a task is taken by force: 2048 is below the average of 12119, and 2048 - 22190
 * wraps. */
static void test_newidle_sees_through_a_heavy_task(void **state)
{
	struct rq *busiest;

	(void)state;
	assert_int_equal(imbalance(1, boot_heavy(), CPU_NEWLY_IDLE, &busiest), 1024);
	test_on_cpu(1);
	assert_int_equal(pass(1, test_domain(1, "NUMA"), CPU_NEWLY_IDLE), 1);
}

/* C13.1: without newidle balancing it stays so. */
static void test_heavy_task_without_newidle(void **state)
{
	(void)state;
	boot_heavy();
	knob.newidle = NEWIDLE_OFF;
	test_apply_knobs();
	test_machine_run(machine_clock_ns() + 500 * NSEC_PER_MSEC);
	for (unsigned cpu = 1; cpu < 4; cpu++)
		assert_int_equal(cpu_rq(cpu)->nr_running, 0);
}

/* C13.2: the least load here is 0, there 2048: half of 2048 - 0 moves, a task. */
static void test_least_loads_are_compared(void **state)
{
	struct sched_domain *sd = boot_heavy();
	struct rq *busiest;

	(void)state;
	knob.group_load = GROUP_LOAD_LEAST;
	assert_int_equal(imbalance(1, sd, CPU_IDLE, &busiest), 1024);
	assert_int_equal(pass(1, sd, CPU_IDLE), 1);
}

/* ... and where a CPU of the other group is idle nothing is taken from it: CPU 7 can help its own. */
static void test_least_load_leaves_idle_groups_alone(void **state)
{
	struct rq *busiest;

	(void)state;
	test_machine(2, 1, 4, 1);
	test_boot(SWITCH_LABELS);
	for (unsigned cpu = 7; cpu-- > 4;)
		test_spinners(cpu, 4);
	test_settle_loads();
	assert_true(imbalance(0, test_domain(0, "NUMA"), CPU_IDLE, &busiest) > 0);
	knob.group_load = GROUP_LOAD_LEAST;
	assert_int_equal(imbalance(0, test_domain(0, "NUMA"), CPU_IDLE, &busiest), 0);
}

/* ---- groups ---- */

/* Four nodes in a square, sections 4.6 and 13.2: at the top there are the groups of nodes 0, 1, 3 and of 1, 2, 3. Node 1 is in
 * both, so neither is remote to it, and what runs on node 2 is no reason for it to pull at this level. */
static void test_overlapping_group_with_us_is_not_remote(void **state)
{
	enum { OURS = 2, THEIRS = 4 }; /* the first CPUs of nodes 1 and 2 */
	struct sched_domain *sd;
	struct rq *busiest;

	(void)state;
	test_machine(4, 1, 2, 1);
	test_distance(0, 2, 30);
	test_distance(1, 3, 30);
	test_boot(SWITCH_LABELS);
	for (sd = cpu_rq(OURS)->sd; sd->parent;)
		sd = sd->parent;
	assert_true(mask_has(&sd->groups->span, OURS));
	assert_true(mask_has(&sd->groups->next->span, OURS));
	assert_ptr_equal(sd->groups->next->next, sd->groups);
	test_spinners(THEIRS + 1, 4);
	test_spinners(THEIRS, 4);
	test_settle_loads();
	assert_int_equal(imbalance(OURS, sd, CPU_NEWLY_IDLE, &busiest), 0);
}

/* Section 5.7, step 6: a domain with a single group (section 4.4: CPU above an equal MC) is always balanced, and the pass counts
 * like any other. */
static void test_single_group_is_balanced(void **state)
{
	struct sched_domain *sd;
	struct sd_counts *counts;

	(void)state;
	test_machine(1, 1, 4, 1);
	test_boot(SWITCH_LABELS);
	sd = test_domain(0, "CPU");
	assert_ptr_equal(sd->groups->next, sd->groups);
	test_spinners(1, 5);
	test_settle_loads();
	counts = &sd->counts[CPU_NEWLY_IDLE];
	sd->nr_balance_failed = 1;
	assert_int_equal(pass(0, sd, CPU_NEWLY_IDLE), 0);
	assert_int_equal(counts->count, 1);
	assert_int_equal(counts->nobusyg, 1);
	assert_int_equal(counts->balanced, 1);
	assert_int_equal(sd->nr_balance_failed, 0);
	assert_int_equal(sd->balance_interval, 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		machine_test(test_two_against_one),
		machine_test(test_three_spinners_on_two_cpus),
		machine_test(test_three_against_one),
		machine_test(test_two_against_none),
		machine_test(test_one_against_none),
		machine_test(test_pair_of_spinners_stays),
		machine_test(test_pair_of_spinners_spreads_over_nodes),
		machine_test(test_full_node_does_not_spread),
		machine_test(test_five_against_four),
		machine_test(test_five_uneven_against_four),
		machine_test(test_room_decides_when_newly_idle),
		machine_test(test_heavier_tasks_may_come),
		machine_test(test_one_idle_thread_more),
		machine_test(test_two_idle_threads_more),
		machine_test(test_heavy_task_hides_idle_cpus),
		machine_test(test_newidle_sees_through_a_heavy_task),
		machine_test(test_heavy_task_without_newidle),
		machine_test(test_least_loads_are_compared),
		machine_test(test_least_load_leaves_idle_groups_alone),
		machine_test(test_overlapping_group_with_us_is_not_remote),
		machine_test(test_single_group_is_balanced),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
