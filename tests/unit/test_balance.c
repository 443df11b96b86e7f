/* SPDX-License-Identifier: GPL-2.0-or-later
 * Periodic load balancing and the load averages, against cfs.md sections 5 and 8 (checks C5.1 to C5.12, C8.1 and C8.2, the 3.8
 * side). Imbalances are weights (1024 a nice-0 task); a miss in one is arithmetic, a miss in who moves is a rule. */
#include "tests/unit/machine.h"

#include "sched/rq.h"

/* Two CPUs, each a group of the one domain (level CPU, pct 125, cache_nice_tries 1), with so many nice-0 tasks, one of them
 * running. */
static void boot_pair(unsigned on_0, unsigned on_1)
{
	test_machine(1, 2, 1, 1);
	test_boot(SWITCH_LABELS);
	if (on_1)
		test_spinners(1, on_1);
	if (on_0)
		test_spinners(0, on_0);
	test_clock_advance(20 * NSEC_PER_MSEC); /* all are cold now */
	test_settle_loads();
	test_on_cpu(0);
}

/* One pass for that CPU; how many tasks came. */
static unsigned pass(unsigned cpu, struct sched_domain *sd, enum idle_type idle)
{
	unsigned long flags;
	unsigned moved;
	bool responsible = true;

	test_on_cpu(cpu);
	flags = machine_irq_save();
	moved = load_balance(cpu_rq(cpu), sd, idle, &responsible);
	machine_irq_restore(flags);
	return moved;
}

static unsigned pass_0(enum idle_type idle)
{
	return pass(0, cpu_rq(0)->sd, idle);
}

/* What would be moved to that CPU; 0: it is balanced. */
static u64 imbalance(unsigned cpu, struct sched_domain *sd, enum idle_type idle, struct rq **busiest)
{
	bool responsible = true;
	struct balance b = {
		.sd = sd, .idle = idle, .dst = cpu_rq(cpu), .dst_cpu = cpu, .cpus = cpus_online, .responsible = &responsible
	};
	struct sched_group *g;

	test_on_cpu(cpu);
	g = find_busiest_group(&b);
	assert_true(responsible);
	*busiest = g ? find_busiest_queue(&b, g) : NULL;
	return g ? b.imbalance : 0;
}

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

/* ---- threads of one core ---- */

static void boot_busy_core(unsigned cores)
{
	test_machine(1, 1, cores, 2);
	test_boot(SWITCH_LABELS);
	test_spinners(cores, 1); /* the second thread of core 0 */
	test_spinners(0, 1);
	test_settle_loads();
}

/* C5.6: two spinners share core 0; CPU 1 balances at MC: 511 (1023 on two cores) is less than a task, so 1024, and a queue with a
 * single task of 1024 is not passed over. */
static void test_busy_core_imbalance_4_cores(void **state)
{
	struct rq *busiest;

	(void)state;
	boot_busy_core(4);
	assert_int_equal(imbalance(1, test_domain(1, "MC"), CPU_IDLE, &busiest), 1024);
	assert_ptr_equal(busiest, cpu_rq(0));
}

static void test_busy_core_imbalance_2_cores(void **state)
{
	struct rq *busiest;

	(void)state;
	boot_busy_core(2);
	assert_int_equal(imbalance(1, test_domain(1, "MC"), CPU_IDLE, &busiest), 1024);
	assert_ptr_equal(busiest, cpu_rq(0));
}

/* C5.6: the only task there runs, so nothing moves: failures 1, 2, 3, and on the 4th the stopper pushes it here. */
static void test_active_balance_on_the_fourth_failure(void **state)
{
	struct sched_domain *sd;
	struct task *victim;
	struct rq *rq;

	(void)state;
	boot_busy_core(4);
	rq = cpu_rq(0);
	victim = rq->curr;
	sd = test_domain(1, "MC");
	for (unsigned failures = 1; failures <= 3; failures++) {
		assert_int_equal(pass(1, sd, CPU_IDLE), 0);
		assert_int_equal(sd->nr_balance_failed, failures);
		assert_false(rq->active_balance);
	}
	assert_int_equal(pass(1, sd, CPU_IDLE), 0);
	assert_true(rq->active_balance);
	assert_int_equal(rq->push_cpu, 1);
	assert_int_equal(sd->nr_balance_failed, sd->cache_nice_tries + 1);
	test_machine_run(machine_clock_ns());
	assert_int_equal(victim->cpu, 1);
	assert_ptr_equal(cpu_rq(1)->curr, victim);
	assert_ptr_equal(rq->curr, rq->idle);
	assert_false(rq->active_balance);
	assert_int_equal(sd->alb_count, 1);
	assert_int_equal(sd->alb_pushed, 1);
	assert_int_equal(sd->alb_failed, 0);
}

/* C5.12: each failure resets the interval to 1 ms, so at HZ=1000 the push comes about 4 idle ticks after the first failure. */
static void test_active_balance_takes_four_ticks(void **state)
{
	(void)state;
	boot_busy_core(4);
	test_machine_run(3 * NSEC_PER_MSEC);
	assert_int_equal(cpu_rq(0)->nr_running + cpu_rq(4)->nr_running, 2);
	test_machine_run(6 * NSEC_PER_MSEC);
	assert_int_equal(cpu_rq(0)->nr_running + cpu_rq(4)->nr_running, 1);
	test_machine_run(100 * NSEC_PER_MSEC);
	assert_int_equal(cpu_rq(0)->nr_running + cpu_rq(4)->nr_running, 1); /* and the other stays */
}

/* Section 5.7, step 4: a running task that may not come here is no reason to stop it. */
static void test_no_push_of_a_pinned_task(void **state)
{
	struct sched_domain *sd;

	(void)state;
	boot_busy_core(4);
	test_pin(cpu_rq(0)->curr, 0);
	sd = test_domain(1, "MC");
	for (unsigned i = 0; i < 6; i++)
		pass(1, sd, CPU_IDLE);
	assert_false(cpu_rq(0)->active_balance);
	assert_int_equal(sd->nr_balance_failed, 6);
}

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

/* ---- hot tasks ---- */

/* CPU 1 has two tasks, one of them hot; CPU 0 is idle. After how many failed passes does it come? */
static unsigned failures_before_hot_moves(struct sched_domain *sd)
{
	unsigned failures = 0;
	struct task *hot;

	test_spinners(1, 2);
	hot = task_of(cpu_rq(1)->cfs.leftmost);
	test_settle_loads();
	hot->se.exec_start = machine_clock_ns(); /* it stopped running just now */
	while (!pass(0, sd, CPU_IDLE)) {
		failures++;
		assert_int_equal(sd->nr_balance_failed, failures);
		assert_in_range(failures, 0, 5);
	}
	assert_int_equal(hot->cpu, 0);
	assert_int_equal(sd->counts[CPU_IDLE].hot_gained, 1);
	assert_int_equal(sd->nr_balance_failed, 0);
	return failures;
}

/* C5.9: CPU level, cache_nice_tries 1: refused with 0 and 1 failures. */
static void test_hot_at_cpu_level(void **state)
{
	(void)state;
	boot_pair(0, 0);
	assert_int_equal(failures_before_hot_moves(cpu_rq(0)->sd), 2);
}

/* C5.9: SIBLING, tries 0. */
static void test_hot_at_sibling_level(void **state)
{
	(void)state;
	test_machine(1, 1, 1, 2);
	test_boot(SWITCH_LABELS);
	test_clock_advance(NSEC_PER_MSEC);
	assert_int_equal(failures_before_hot_moves(test_domain(0, "SIBLING")), 1);
}

/* C5.9: NUMA, tries 2. */
static void test_hot_at_numa_level(void **state)
{
	(void)state;
	test_machine(2, 1, 1, 1);
	test_boot(SWITCH_LABELS);
	test_clock_advance(NSEC_PER_MSEC);
	assert_int_equal(failures_before_hot_moves(test_domain(0, "NUMA")), 3);
}

/* ---- which tasks ---- */

/* C5.11: of 41 tasks, all hot, one pass looks at 32; they go to the end of the list, so that the next one sees the others. */
static void test_a_pass_looks_at_32_tasks(void **state)
{
	struct sched_entity *se, *thirty_third;
	struct rq *rq = cpu_rq(1);

	(void)state;
	boot_pair(0, 41);
	TAILQ_FOREACH(se, &rq->cfs.tasks, peers)
		se->exec_start = machine_clock_ns();
	thirty_third = TAILQ_FIRST(&rq->cfs.tasks);
	for (unsigned i = 0; i < 32; i++)
		thirty_third = TAILQ_NEXT(thirty_third, peers);
	assert_int_equal(pass_0(CPU_IDLE), 0);
	assert_ptr_equal(TAILQ_FIRST(&rq->cfs.tasks), thirty_third);
}

/* C5.11, 3.8: and never at more than there are. */
static void test_a_pass_looks_at_each_task_once(void **state)
{
	struct sched_entity *se, *first;
	struct rq *rq = cpu_rq(1);

	(void)state;
	boot_pair(0, 5);
	TAILQ_FOREACH(se, &rq->cfs.tasks, peers)
		se->exec_start = machine_clock_ns();
	first = TAILQ_FIRST(&rq->cfs.tasks);
	assert_int_equal(pass_0(CPU_IDLE), 0);
	assert_ptr_equal(TAILQ_FIRST(&rq->cfs.tasks), first);
}

/* Section 5.8: the newest in the queue goes first. */
static void test_the_newest_moves_first(void **state)
{
	struct task *newest;

	(void)state;
	boot_pair(1, 2);
	newest = test_task(1, 0);
	test_settle_loads();
	assert_int_equal(pass_0(CPU_NOT_IDLE), 1);
	assert_int_equal(newest->cpu, 0);
}

/* Section 5.8: a task of more than twice the imbalance stays. 9548 + 2 * 1024 against 1024: 2048 is less than the average task on
 * CPU 1, so that is to be moved, 11596 / 3 = 3865. Half of 9548 is more; a nice-0 task goes, and with 2841 left nobody else can. */
static void test_too_heavy_stays(void **state)
{
	struct task *heavy;
	struct rq *busiest;

	(void)state;
	boot_pair(1, 2);
	heavy = test_task(1, -10);
	test_settle_loads();
	assert_int_equal(imbalance(0, cpu_rq(0)->sd, CPU_NOT_IDLE, &busiest), 3865);
	assert_int_equal(pass_0(CPU_NOT_IDLE), 1);
	assert_int_equal(heavy->cpu, 1);
	assert_int_equal(rq_weight(cpu_rq(0)), 2048);
}

/* LB_MIN leaves weights below 16 alone as long as nothing has failed (section 5.8). */
static void test_lb_min(void **state)
{
	(void)state;
	boot_pair(0, 1);
	test_task(1, 19); /* 15 */
	test_settle_loads();
	knob.LB_MIN = 1;
	assert_int_equal(pass_0(CPU_IDLE), 0);
	assert_int_equal(pass_0(CPU_IDLE), 1);
}

/* Section 5.7, step 3: a task that may go to another CPU of our group only is taken there. */
static void test_some_pinned_goes_to_a_sibling(void **state)
{
	struct sched_entity *se;

	(void)state;
	test_machine(1, 2, 2, 1);
	test_boot(SWITCH_LABELS);
	test_spinners(2, 4);
	test_clock_advance(20 * NSEC_PER_MSEC);
	test_settle_loads();
	TAILQ_FOREACH(se, &cpu_rq(2)->cfs.tasks, peers) {
		mask_unset(&task_of(se)->allowed, 0);
		task_of(se)->nr_allowed = 3;
	}
	assert_true(pass(0, test_domain(0, "CPU"), CPU_IDLE) > 0);
	assert_int_equal(cpu_rq(0)->nr_running, 0);
	assert_true(cpu_rq(1)->nr_running > 0);
	assert_true(cpu_rq(1)->idle->need_resched);
}

/* Section 11.1: a pull counts as a migration of the task, on the CPU that pulls. */
static void test_a_pull_is_a_migration(void **state)
{
	(void)state;
	boot_pair(0, 2);
	assert_int_equal(pass_0(CPU_IDLE), 1);
	assert_int_equal(task_of(cpu_rq(0)->cfs.leftmost)->nr_migrations, 1);
	assert_int_equal(cpu_rq(0)->count.migrations, 1);
	assert_int_equal(cpu_rq(1)->count.migrations, 0);
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
		machine_test(test_busy_core_imbalance_4_cores),
		machine_test(test_busy_core_imbalance_2_cores),
		machine_test(test_active_balance_on_the_fourth_failure),
		machine_test(test_active_balance_takes_four_ticks),
		machine_test(test_no_push_of_a_pinned_task),
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
		machine_test(test_hot_at_cpu_level),
		machine_test(test_hot_at_sibling_level),
		machine_test(test_hot_at_numa_level),
		machine_test(test_a_pass_looks_at_32_tasks),
		machine_test(test_a_pass_looks_at_each_task_once),
		machine_test(test_the_newest_moves_first),
		machine_test(test_too_heavy_stays),
		machine_test(test_lb_min),
		machine_test(test_some_pinned_goes_to_a_sibling),
		machine_test(test_a_pull_is_a_migration),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
