/* SPDX-License-Identifier: GPL-2.0-or-later
 * Which tasks move, against cfs.md sections 5.7 (steps 3 and 4) and 5.8 (checks C5.6, C5.9, C5.11 and C5.12, the 3.8 side; C10.3).
 * A miss is a rule about who moves. */
#include "tests/unit/balancing.h"

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

/* Three failures have been; on the fourth the stopper of CPU 0 is woken and picked. */
static struct rq *start_push_of(struct task **victim, struct sched_domain **sd)
{
	struct rq *rq;

	boot_busy_core(4);
	rq = cpu_rq(0);
	*victim = rq->curr;
	*sd = test_domain(1, "MC");
	(*sd)->nr_balance_failed = 3;
	assert_int_equal(pass(1, *sd, CPU_IDLE), 0);
	assert_true(rq->active_balance);
	return rq;
}

/* C10.3: the stopper counts, so that one victim beside it makes two, which is more than the one that there must not be. */
static void test_the_stopper_counts(void **state)
{
	struct sched_domain *sd;
	struct task *victim;
	struct rq *rq;

	(void)state;
	rq = start_push_of(&victim, &sd);
	assert_ptr_equal(test_schedule(0), rq->stop);
	assert_int_equal(rq->nr_running, 2);
	test_machine_run(machine_clock_ns());
	assert_int_equal(victim->cpu, 1);
	assert_int_equal(sd->alb_pushed, 1);
}

/* ... and when the victim has gone to sleep meanwhile the stopper is alone, and gives up. */
static void test_the_stopper_alone_gives_up(void **state)
{
	struct sched_domain *sd;
	struct task *victim;
	struct rq *rq;

	(void)state;
	rq = start_push_of(&victim, &sd);
	assert_ptr_equal(test_sleep(0), rq->stop);
	assert_int_equal(rq->nr_running, 1);
	test_machine_run(machine_clock_ns());
	assert_int_equal(victim->cpu, 0);
	assert_false(rq->active_balance);
	assert_int_equal(sd->alb_count, 0);
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

/* Section 5.8: who does not move says why, and who moves although hot is counted as forced. */
static void test_why_tasks_stay_is_counted(void **state)
{
	struct task *pinned, *running, *hot;

	(void)state;
	boot_pair(0, 1);
	running = cpu_rq(1)->curr;
	pinned = test_task(1, 0);
	hot = test_task(1, 0);
	test_pin(pinned, 1);
	hot->se.exec_start = machine_clock_ns();
	test_settle_loads();
	assert_int_equal(pass_0(CPU_IDLE), 0);
	assert_int_equal(pinned->nr_failed_migrations_affine, 1);
	assert_int_equal(running->nr_failed_migrations_running, 1);
	assert_int_equal(hot->nr_failed_migrations_hot, 1);
	assert_int_equal(hot->nr_forced_migrations, 0);
	pass_0(CPU_IDLE);
	assert_int_equal(pass_0(CPU_IDLE), 1);
	assert_int_equal(hot->nr_failed_migrations_hot, 2);
	assert_int_equal(hot->nr_forced_migrations, 1);
}

/* Section 5.8: with more than 32 to look at the locks are dropped after 32, and the pass goes on. The break counts as a look, so of
 * 41 tasks the 40th is the last that is seen. */
static void expect_moved_from(unsigned place, int moved)
{
	struct sched_entity *se;
	struct rq *rq = cpu_rq(1);
	unsigned n = 0;

	boot_pair(0, 41);
	knob.sched_nr_migrate = 64;
	TAILQ_REMOVE(&rq->cfs.tasks, &rq->curr->se, peers);
	TAILQ_INSERT_HEAD(&rq->cfs.tasks, &rq->curr->se, peers);
	TAILQ_FOREACH(se, &rq->cfs.tasks, peers)
		se->exec_start = ++n == place ? 0 : machine_clock_ns();
	assert_int_equal(pass_0(CPU_IDLE), moved);
}

static void test_locks_are_let_go_after_32(void **state)
{
	(void)state;
	expect_moved_from(40, 1);
}

static void test_the_break_counts_as_a_look(void **state)
{
	(void)state;
	expect_moved_from(41, 0);
}

/* Section 5.7, step 3: as many rounds as our group has CPUs. a may only come to CPU 0 and b only to CPU 1; both are hot. Each is
 * tried once where it may go and once where it may not, and then not for CPU 0 again. */
static void test_retargeting_ends(void **state)
{
	struct task *a, *b;

	(void)state;
	test_machine(1, 2, 2, 1);
	test_boot(SWITCH_LABELS);
	test_spinners(2, 1);
	a = test_task(2, 0);
	b = test_task(2, 0);
	mask_unset(&a->allowed, 1);
	mask_unset(&b->allowed, 0);
	test_clock_advance(20 * NSEC_PER_MSEC);
	test_settle_loads();
	a->se.exec_start = machine_clock_ns();
	b->se.exec_start = machine_clock_ns();
	assert_int_equal(pass(0, test_domain(0, "CPU"), CPU_IDLE), 0);
	assert_int_equal(a->nr_failed_migrations_hot, 1);
	assert_int_equal(a->nr_failed_migrations_affine, 1);
	assert_int_equal(b->nr_failed_migrations_hot, 1);
	assert_int_equal(b->nr_failed_migrations_affine, 1);
}

/* ---- on behalf of another CPU: section 5.9 does so for idle ones ---- */

/* CPU 0 executes a pass for CPU 1, which gets the task and is told of it. */
static void test_balancing_for_another_cpu(void **state)
{
	bool responsible = true;
	unsigned long flags;

	(void)state;
	test_machine(1, 3, 1, 1);
	test_boot(SWITCH_LABELS);
	test_spinners(2, 3);
	test_spinners(0, 1);
	test_clock_advance(20 * NSEC_PER_MSEC);
	test_settle_loads();
	test_on_cpu(0);
	flags = machine_irq_save();
	assert_int_equal(load_balance(cpu_rq(1), cpu_rq(1)->sd, CPU_IDLE, &responsible), 1);
	machine_irq_restore(flags);
	assert_int_equal(cpu_rq(1)->nr_running, 1);
	assert_int_equal(cpu_rq(1)->sd->counts[CPU_IDLE].gained, 1);
	assert_true(cpu_rq(1)->idle->need_resched);
	assert_true(test_kicked(1));
	assert_int_equal(cpu_rq(0)->sd->counts[CPU_IDLE].count, 0);
}

/* ... and a busy one looks again whom to run, though the newcomer does not preempt. */
static void test_another_busy_cpu_is_told(void **state)
{
	bool responsible = true;
	unsigned long flags;

	(void)state;
	test_machine(1, 3, 1, 1);
	test_boot(SWITCH_LABELS);
	test_spinners(2, 4);
	test_spinners(1, 1);
	test_clock_advance(20 * NSEC_PER_MSEC);
	test_settle_loads();
	knob.WAKEUP_PREEMPTION = 0;
	test_on_cpu(0);
	flags = machine_irq_save();
	assert_true(load_balance(cpu_rq(1), cpu_rq(1)->sd, CPU_NOT_IDLE, &responsible) > 0);
	machine_irq_restore(flags);
	assert_true(cpu_rq(1)->curr->need_resched);
}

/* A push that it starts goes to CPU 1 too, and whether the running task may go is asked for CPU 1. */
static void test_push_for_another_cpu(void **state)
{
	struct sched_domain *sd;
	bool responsible = true;
	unsigned long flags;
	struct task *victim;

	(void)state;
	boot_busy_core(4);
	victim = cpu_rq(0)->curr;
	mask_unset(&victim->allowed, 2);
	victim->nr_allowed--;
	sd = test_domain(1, "MC");
	sd->nr_balance_failed = sd->cache_nice_tries + 2;
	test_on_cpu(2);
	flags = machine_irq_save();
	assert_int_equal(load_balance(cpu_rq(1), sd, CPU_IDLE, &responsible), 0);
	machine_irq_restore(flags);
	assert_true(cpu_rq(0)->active_balance);
	assert_int_equal(cpu_rq(0)->push_cpu, 1);
	test_machine_run(machine_clock_ns());
	assert_int_equal(victim->cpu, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		machine_test(test_busy_core_imbalance_4_cores),
		machine_test(test_busy_core_imbalance_2_cores),
		machine_test(test_active_balance_on_the_fourth_failure),
		machine_test(test_active_balance_takes_four_ticks),
		machine_test(test_the_stopper_counts),
		machine_test(test_the_stopper_alone_gives_up),
		machine_test(test_no_push_of_a_pinned_task),
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
		machine_test(test_why_tasks_stay_is_counted),
		machine_test(test_locks_are_let_go_after_32),
		machine_test(test_the_break_counts_as_a_look),
		machine_test(test_retargeting_ends),
		machine_test(test_balancing_for_another_cpu),
		machine_test(test_push_for_another_cpu),
		machine_test(test_another_busy_cpu_is_told),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
