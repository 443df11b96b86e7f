/* SPDX-License-Identifier: GPL-2.0-or-later
 * The checks that debug builds make of run queues (sched/check.c): a queue as the scheduler leaves it passes, and each kind of
 * damage is told from all others by the rule in the report. */
#include "tests/unit/machine.h"

#include "sched/check.h"
#include "sched/rq.h"

/* CPU 0 runs a nice-0 task while a second of nice 0 and one of nice 5 wait; nobody runs on CPU 1. */
static struct rq *boot(void)
{
	struct rq *rq;

	test_machine(1, 1, 2, 1);
	test_boot(SWITCH_LABELS);
	test_spinners(0, 2);
	test_task(0, 5);
	rq = cpu_rq(0);
	machine_irq_save();
	spin_lock(&rq->lock);
	return rq;
}

/* Woken on that CPU; free: it may go to the other one. */
static void add_realtime(unsigned cpu, unsigned priority, bool free)
{
	struct task *t = test_sleeper(cpu, 0, 0);

	if (!free)
		test_pin(t, cpu);
	task_set_realtime(t, POLICY_FIFO, priority);
	task_wake(t, 0);
	test_schedule(cpu);
}

/* The same, but a real-time task runs on each CPU, and on CPU 0 a lesser one waits that could run on either. */
static struct rq *boot_realtime(void)
{
	struct rq *rq = boot();

	spin_unlock(&rq->lock);
	add_realtime(0, 9, false);
	add_realtime(1, 9, false);
	add_realtime(0, 5, true);
	assert_int_equal(rq->rt.nr_running, 2);
	spin_lock(&rq->lock);
	return rq;
}

static void check(void *rq)
{
	rq_check(rq);
}

static void expect_broken(struct rq *rq, const char *rule)
{
	test_expect_bug(check, rq, rule);
}

static void test_whole(void **state)
{
	struct rq *rq = boot();

	(void)state;
	rq_check(rq);
	spin_unlock(&rq->lock);
	spin_lock(&cpu_rq(1)->lock);
	rq_check(cpu_rq(1));
	spin_unlock(&cpu_rq(1)->lock);
}

static void test_without_lock(void **state)
{
	struct rq *rq = boot();

	(void)state;
	spin_unlock(&rq->lock);
	expect_broken(rq, "spin_held");
}

/* ---- fair tasks ---- */

static void test_count(void **state)
{
	struct rq *rq = boot();

	(void)state;
	rq->cfs.nr_running++;
	expect_broken(rq, "count == cfs->nr_running");
}

static void test_count_of_all(void **state)
{
	struct rq *rq = boot();

	(void)state;
	rq->nr_running--;
	expect_broken(rq, "count == rq->nr_running");
}

/* 1024 for each of nice 0 and 335 for nice 5. */
static void test_weight(void **state)
{
	struct rq *rq = boot();

	(void)state;
	assert_int_equal(rq->cfs.load.weight, 1024 + 1024 + 335);
	rq->cfs.load.weight -= 335;
	expect_broken(rq, "weight == cfs->load.weight");
}

static void test_order(void **state)
{
	struct rq *rq = boot();

	(void)state;
	rq->cfs.leftmost->vruntime += NSEC_PER_SEC;
	expect_broken(rq, "vruntime_lead");
}

static void test_leftmost(void **state)
{
	struct rq *rq = boot();

	(void)state;
	rq->cfs.leftmost = RB_NEXT(entity_tree, &rq->cfs.tree, rq->cfs.leftmost);
	expect_broken(rq, "cfs->leftmost");
}

/* The one that runs is taken for one that waits, in the place of one that does. */
static void test_running_in_tree(void **state)
{
	struct rq *rq = boot();

	(void)state;
	RB_REMOVE(entity_tree, &rq->cfs.tree, rq->cfs.leftmost);
	RB_INSERT(entity_tree, &rq->cfs.tree, rq->cfs.curr);
	expect_broken(rq, "se != cfs->curr");
}

/* As many as there should be, but another one. */
static void test_stranger_in_tree(void **state)
{
	static struct sched_entity stranger;
	struct rq *rq = boot();

	(void)state;
	stranger.vruntime = rq->cfs.leftmost->vruntime;
	RB_REMOVE(entity_tree, &rq->cfs.tree, rq->cfs.leftmost);
	RB_INSERT(entity_tree, &rq->cfs.tree, &stranger);
	expect_broken(rq, "mark == mark_waiting");
}

static void test_cpu(void **state)
{
	struct rq *rq = boot();

	(void)state;
	task_of(rq->cfs.leftmost)->cpu = 1;
	expect_broken(rq, "t->cpu == rq->cpu");
}

static void test_buddy(void **state)
{
	struct rq *rq = boot();

	(void)state;
	rq->cfs.next = &rq->idle->se;
	expect_broken(rq, "cfs->next");
}

/* It may begin anew only where that is said. */
static void test_min_vruntime(void **state)
{
	struct rq *rq = boot();

	(void)state;
	rq->cfs.min_vruntime -= 5;
	rq_check_anew(rq);
	rq_check(rq);
	rq->cfs.min_vruntime--;
	expect_broken(rq, "min_vruntime");
}

/* ---- who runs ---- */

static void test_on_cpu_of_another(void **state)
{
	struct rq *rq = boot();

	(void)state;
	rq->curr->on_cpu = false;
	expect_broken(rq, "t->on_cpu");
}

static void test_idle_with_fair_curr(void **state)
{
	struct rq *rq = boot();

	(void)state;
	rq->curr = rq->idle;
	rq->idle->on_cpu = true;
	expect_broken(rq, "rq->cfs.curr");
}

static void test_busy_without_tick(void **state)
{
	struct rq *rq = boot();

	(void)state;
	rq->tick_stopped = true;
	expect_broken(rq, "tick_stopped");
}

/* ---- real-time tasks ---- */

static void test_realtime_whole(void **state)
{
	struct rq *rq = boot_realtime();

	(void)state;
	rq_check(rq);
	spin_unlock(&rq->lock);
}

static void test_level_mark(void **state)
{
	struct rq *rq = boot_realtime();

	(void)state;
	rq->rt.levels[1] &= ~(1ull << (94 - 64)); /* 99 - 5 */
	expect_broken(rq, "marked ==");
}

static void test_highest(void **state)
{
	struct rq *rq = boot_realtime();

	(void)state;
	rq->rt.highest = 94;
	expect_broken(rq, "rt->highest == highest");
}

static void test_better_one_waits(void **state)
{
	struct rq *rq = boot_realtime();

	(void)state;
	rq->rt.throttled = true;
	expect_broken(rq, "rt.throttled");
}

static void test_pushable(void **state)
{
	struct rq *rq = boot_realtime();

	(void)state;
	rq->rt.next = RT_LEVELS;
	expect_broken(rq, "rt->next");
}

/* ---- when they are made ---- */

static void tick(void *unused)
{
	(void)unused;
	test_timer_interrupt();
}

static void test_at_ticks(void **state)
{
	struct rq *rq = boot();

	(void)state;
	spin_unlock(&rq->lock);
	rq->cfs.load.weight++;
	test_clock_set(test_deadline(0));
	test_expect_bug(tick, NULL, "weight == cfs->load.weight");
}

static void schedule_sixteen_times(void *unused)
{
	(void)unused;
	for (unsigned i = 0; i < 16; i++)
		test_schedule(0);
}

static void test_in_schedule(void **state)
{
	struct rq *rq = boot();

	(void)state;
	spin_unlock(&rq->lock);
	rq->nr_running++;
	test_expect_bug(schedule_sixteen_times, NULL, "count == rq->nr_running");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		machine_test(test_whole),
		machine_test(test_without_lock),
		machine_test(test_count),
		machine_test(test_count_of_all),
		machine_test(test_weight),
		machine_test(test_order),
		machine_test(test_leftmost),
		machine_test(test_running_in_tree),
		machine_test(test_stranger_in_tree),
		machine_test(test_cpu),
		machine_test(test_buddy),
		machine_test(test_min_vruntime),
		machine_test(test_on_cpu_of_another),
		machine_test(test_idle_with_fair_curr),
		machine_test(test_busy_without_tick),
		machine_test(test_realtime_whole),
		machine_test(test_level_mark),
		machine_test(test_highest),
		machine_test(test_better_one_waits),
		machine_test(test_pushable),
		machine_test(test_at_ticks),
		machine_test(test_in_schedule),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
