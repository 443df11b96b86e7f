/* SPDX-License-Identifier: GPL-2.0-or-later
 * Yielding, against cfs.md sections 3.7 and 3.8: sched_yield by the rules of 3.8 (check C3.9) and of 2.6.32, and yield_to. */
#include "tests/unit/era.h"

/* One CPU: latency 6 ms, minimum and wakeup granularity 0.75 ms and 1 ms. */
static struct cfs_rq *boot(void)
{
	test_machine(1, 1, 1, 1);
	test_boot(SWITCH_LABELS);
	return &cpu_rq(0)->cfs;
}

/* What the class does for sched_yield, without the reschedule that follows. */
static void step_back(void)
{
	struct rq *rq = cpu_rq(0);
	unsigned long flags = spin_lock_irq(&rq->lock);

	fair_class.yield(rq);
	spin_unlock_irq(&rq->lock, flags);
}

/* ---- 3.8 ---- */

/* One of two tasks runs, the other is that much to its right; the first yields. Returns whether the other one runs then. */
static bool yield_reaches_second(u64 apart_ns)
{
	struct cfs_rq *cfs = boot();
	struct task *first = test_spinners(0, 2), *second = task_of(cfs->leftmost);

	test_place(second, first->se.vruntime + apart_ns);
	task_yield();
	return current() == second;
}

/* C3.9, 3.8: with equal vruntimes the other one runs next, and up to a granularity of 1 ms apart. */
static void test_yield_to_an_equal(void **state)
{
	(void)state;
	assert_true(yield_reaches_second(0));
}

static void test_yield_to_one_within_granularity(void **state)
{
	(void)state;
	assert_true(yield_reaches_second(1000000));
}

/* C3.9: further apart the one that yielded runs again. */
static void test_yield_to_one_too_far(void **state)
{
	(void)state;
	assert_false(yield_reaches_second(1000001));
	assert_int_equal(cpu_rq(0)->count.yields, 1);
}

/* Section 3.4, 3.8: a pick leaves `skip` alone unless it takes that very one. */
static void test_skip_stays_until_picked(void **state)
{
	struct cfs_rq *cfs = boot();
	struct task *first = test_spinners(0, 2);

	(void)state;
	task_yield();
	assert_ptr_not_equal(current(), first);
	assert_ptr_equal(cfs->skip, &first->se);
	assert_ptr_equal(test_sleep(0), first);
	assert_null(cfs->skip);
}

/* Section 3.7: a task alone has nobody to skip for. */
static void test_yield_alone(void **state)
{
	struct cfs_rq *cfs = boot();
	struct task *t = test_spinners(0, 1);

	(void)state;
	task_yield();
	assert_ptr_equal(current(), t);
	assert_null(cfs->skip);
}

/* Section 3.7: who yields is no buddy any more; others are. */
static void test_yield_clears_buddies(void **state)
{
	struct cfs_rq *cfs = boot();
	struct task *first = test_spinners(0, 2), *second = task_of(cfs->leftmost);

	(void)state;
	cfs->next = &first->se;
	cfs->last = &second->se;
	step_back();
	assert_null(cfs->next);
	assert_ptr_equal(cfs->last, &second->se);
	assert_ptr_equal(cfs->skip, &first->se);
}

/* Section 3.7, 3.8: a batch task is not charged, but steps back all the same. */
static void expect_charge(enum task_policy policy, u64 charged_ns)
{
	struct cfs_rq *cfs = boot();
	struct task *first = test_spinners(0, 2);

	first->policy = (u8)policy;
	test_clock_advance(300000);
	step_back();
	assert_int_equal(first->se.sum_exec, charged_ns);
	assert_ptr_equal(cfs->skip, &first->se);
}

static void test_yield_charges(void **state)
{
	(void)state;
	expect_charge(POLICY_NORMAL, 300000);
}

static void test_yield_of_a_batch_task(void **state)
{
	(void)state;
	expect_charge(POLICY_BATCH, 0);
}

/* ---- 2.6.32: 1 CPU, granularity 1 ms ---- */

static struct cfs_rq *boot_32(void)
{
	test_machine(1, 1, 1, 1);
	test_boot_preset("v2.6.32");
	return &cpu_rq(0)->cfs;
}

/* Account and reschedule is all: with equal vruntimes the other one runs, having come first. */
static void test_32_yield_to_an_equal(void **state)
{
	struct cfs_rq *cfs = boot_32();
	struct task *first = test_spinners(0, 2), *second = task_of(cfs->leftmost);

	(void)state;
	task_yield();
	assert_ptr_equal(current(), second);
	assert_ptr_not_equal(first, second);
	assert_null(cfs->skip);
	assert_int_equal(cpu_rq(0)->count.yields, 1);
}

/* And who is still leftmost after 0.3 ms runs again, though the second is within the granularity. */
static void test_32_yield_may_change_nothing(void **state)
{
	struct cfs_rq *cfs = boot_32();
	struct task *first = test_spinners(0, 2), *second = task_of(cfs->leftmost);
	u64 switches = cpu_rq(0)->count.switches, v = first->se.vruntime;

	(void)state;
	test_place(second, v + 300001);
	test_clock_advance(300000);
	cfs->last = &first->se;
	task_yield();
	assert_ptr_equal(current(), first);
	assert_int_equal(first->se.vruntime, v + 300000);
	assert_int_equal(cpu_rq(0)->count.switches, switches);
	assert_null(cfs->last);
}

/* Three tasks, 1 and 2 ms apart; the first yields. Where is it afterwards, from where it was? */
static s64 yield_moves(u64 compat_yield, enum task_policy policy, s64 ahead_ns)
{
	struct cfs_rq *cfs = boot_32();
	struct task *first = test_spinners(0, 3), *second = task_of(cfs->leftmost), *third = task_of(cfs_second(cfs));
	u64 v = first->se.vruntime;

	knob.sched_compat_yield = compat_yield;
	test_place(second, v + 1000000);
	test_place(third, v + 2000000);
	first->policy = (u8)policy;
	first->se.vruntime = v + (u64)ahead_ns;
	step_back();
	assert_null(cfs->skip);
	return (s64)(first->se.vruntime - v);
}

static void test_32_yield_stays(void **state)
{
	(void)state;
	assert_int_equal(yield_moves(0, POLICY_NORMAL, 0), 0);
}

/* sched_compat_yield: behind the rightmost. */
static void test_32_compat_yield(void **state)
{
	(void)state;
	assert_int_equal(yield_moves(1, POLICY_NORMAL, 0), 2000001);
}

static void test_32_compat_yield_level_with_the_rightmost(void **state)
{
	(void)state;
	assert_int_equal(yield_moves(1, POLICY_NORMAL, 2000000), 2000001);
}

/* Unless it is there already. */
static void test_32_compat_yield_of_the_rightmost(void **state)
{
	(void)state;
	assert_int_equal(yield_moves(1, POLICY_NORMAL, 2000002), 2000002);
}

/* A batch task does so without being told. */
static void test_32_yield_of_a_batch_task(void **state)
{
	(void)state;
	assert_int_equal(yield_moves(0, POLICY_BATCH, 0), 2000001);
}

static void test_32_compat_yield_runs_the_others(void **state)
{
	struct cfs_rq *cfs = boot_32();
	struct task *first = test_spinners(0, 3), *second = task_of(cfs->leftmost), *third = task_of(cfs_second(cfs));

	(void)state;
	knob.sched_compat_yield = 1;
	task_yield();
	assert_ptr_equal(current(), second);
	assert_ptr_equal(test_sleep(0), third);
	assert_ptr_equal(test_sleep(0), first);
}

/* 3.8 has no such switch. */
static void test_compat_yield_means_nothing_to_38(void **state)
{
	struct task *first;
	u64 v;

	(void)state;
	boot();
	knob.sched_compat_yield = 1;
	first = test_spinners(0, 2);
	v = first->se.vruntime;
	step_back();
	assert_int_equal(first->se.vruntime, v);
}

/* The only fair task, with a stopper queued: 2.6.32 counts fair tasks and leaves all as it is, 3.8 counts all and goes on. */
static void yield_beside_a_stopper(void)
{
	static struct stop_work work;
	struct task *first = test_spinners(0, 1);

	stop_queue(0, &work);
	assert_int_equal(cpu_rq(0)->nr_running, 2);
	cpu_rq(0)->cfs.last = &first->se;
	step_back();
}

static void test_32_yield_beside_a_stopper(void **state)
{
	struct cfs_rq *cfs = boot_32();

	(void)state;
	yield_beside_a_stopper();
	assert_ptr_equal(cfs->last, cfs->curr);
}

static void test_38_yield_beside_a_stopper(void **state)
{
	struct cfs_rq *cfs = boot();

	(void)state;
	yield_beside_a_stopper();
	assert_null(cfs->last);
	assert_ptr_equal(cfs->skip, cfs->curr);
}

/* ---- yield_to: two CPUs in one cache, granularity 2 ms; CPU 0 runs a task that gives way ---- */

static void boot_two(void)
{
	test_machine(1, 1, 2, 1);
	test_boot(SWITCH_LABELS);
	assert_int_equal(knob.sched_wakeup_granularity_ns, 2000000);
}

static void expect_refused(struct task *t)
{
	struct task *self = current();
	u64 schedules = cpu_rq(0)->count.schedules;

	assert_false(task_yield_to(t, true));
	assert_ptr_equal(current(), self);
	assert_int_equal(cpu_rq(0)->count.yields, 0);
	assert_int_equal(cpu_rq(0)->count.schedules, schedules);
	for (unsigned cpu = 0; cpu < nr_cpus; cpu++) {
		assert_null(cpu_rq(cpu)->cfs.next);
		assert_null(cpu_rq(cpu)->cfs.skip);
		assert_int_equal(cpu_rq(cpu)->lock.owner, 0);
	}
	assert_false(machine_irqs_off());
}

static void must_not_yield_to(struct rq *rq, struct task *t)
{
	(void)rq, (void)t;
	fail();
}

static void test_yield_to_refused(void **state)
{
	static const struct sched_class other_class = { .yield_to = must_not_yield_to };
	static struct stop_work work;
	struct task *t;

	(void)state;
	boot_two();
	test_spinners(0, 2);
	expect_refused(current());
	expect_refused(test_spinners(1, 1)); /* it runs */
	expect_refused(cpu_rq(0)->idle);     /* another class */
	stop_queue(1, &work);
	expect_refused(cpu_rq(1)->stop); /* it waits, but in another class */
	t = test_task(1, 0);
	t->class = &other_class;
	expect_refused(t);
	t = test_sleeper(1, 0, 0);
	expect_refused(t);
	t->state = TASK_RUNNING; /* awake, but not on a queue yet */
	expect_refused(t);
	t = test_task(1, 0);
	t->state = TASK_SLEEPING; /* on its queue, but on its way to sleep */
	expect_refused(t);
}

/* A class without the method: one stopper cannot yield to another. */
static void test_yield_to_between_stoppers(void **state)
{
	static struct stop_work work[2];

	(void)state;
	boot_two();
	test_spinners(0, 1);
	stop_queue(0, &work[0]);
	assert_ptr_equal(test_schedule(0), cpu_rq(0)->stop);
	stop_queue(1, &work[1]);
	assert_true(cpu_rq(1)->stop->on_rq && cpu_rq(1)->stop->state == TASK_RUNNING);
	expect_refused(cpu_rq(1)->stop);
}

/* On one queue: t goes before another that is further left, if that is not unfair by more than the granularity. */
static bool yield_to_third(u64 apart_ns)
{
	struct task *first, *second, *third;

	boot_two();
	first = test_spinners(0, 3);
	second = task_of(cpu_rq(0)->cfs.leftmost);
	third = task_of(cfs_second(&cpu_rq(0)->cfs));
	test_place(second, first->se.vruntime + 1);
	test_place(third, first->se.vruntime + apart_ns);
	assert_true(task_yield_to(third, false));
	assert_int_equal(cpu_rq(0)->count.yields, 1);
	return current() == third;
}

static void test_yield_to_within_granularity(void **state)
{
	(void)state;
	assert_true(yield_to_third(2000000));
	assert_null(cpu_rq(0)->cfs.next);
	assert_non_null(cpu_rq(0)->cfs.skip);
}

/* Too far: it stays `next`, and the yield is one to the second. */
static void test_yield_to_too_far(void **state)
{
	struct cfs_rq *cfs = &cpu_rq(0)->cfs;

	(void)state;
	assert_false(yield_to_third(2000001));
	assert_ptr_equal(cfs->next, cfs_second(cfs)); /* behind the yielder */
	assert_ptr_equal(cfs->skip, cfs->leftmost);
}

/* On another queue: t is `next` there, and that CPU is made to look if so asked. The yielder steps back on its own. */
static void expect_yield_to_other_cpu(bool preempt)
{
	struct task *self, *there, *t;

	boot_two();
	self = test_spinners(0, 2);
	there = test_spinners(1, 1);
	t = test_task(1, 0);
	assert_true(task_yield_to(t, preempt));
	assert_ptr_not_equal(current(), self);
	assert_ptr_equal(cpu_rq(0)->cfs.skip, &self->se);
	assert_ptr_equal(cpu_rq(1)->cfs.next, &t->se);
	assert_null(cpu_rq(1)->cfs.skip);
	assert_int_equal(there->need_resched, preempt);
	assert_int_equal(test_kicked(1), preempt);
	assert_int_equal(cpu_rq(0)->count.yields, 1);
	assert_int_equal(cpu_rq(1)->count.yields, 0);
	assert_ptr_equal(test_schedule(1), t);
}

static void test_yield_to_another_cpu(void **state)
{
	(void)state;
	expect_yield_to_other_cpu(false);
}

static void test_yield_to_another_cpu_at_once(void **state)
{
	(void)state;
	expect_yield_to_other_cpu(true);
}

/* Alone on its own queue it has nobody to stand back for, and goes on; t is helped all the same. */
static void test_yield_to_when_alone(void **state)
{
	struct task *self, *t;

	(void)state;
	boot_two();
	self = test_spinners(0, 1);
	test_spinners(1, 1);
	t = test_task(1, 0);
	assert_true(task_yield_to(t, true));
	assert_ptr_equal(current(), self);
	assert_null(cpu_rq(0)->cfs.skip);
	assert_ptr_equal(cpu_rq(1)->cfs.next, &t->se);
	assert_int_equal(cpu_rq(0)->count.yields, 1);
}

/* Section 3.1: a task of the idle policy is nobody's buddy, so this is a plain yield. */
static void test_yield_to_idle_policy(void **state)
{
	struct task *self, *t;

	(void)state;
	boot_two();
	self = test_spinners(0, 2);
	t = test_task(1, 0);
	t->policy = POLICY_IDLE;
	assert_true(task_yield_to(t, false));
	assert_null(cpu_rq(1)->cfs.next);
	assert_ptr_equal(cpu_rq(0)->cfs.skip, &self->se);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		machine_test(test_yield_to_an_equal),
		machine_test(test_yield_to_one_within_granularity),
		machine_test(test_yield_to_one_too_far),
		machine_test(test_skip_stays_until_picked),
		machine_test(test_yield_alone),
		machine_test(test_yield_clears_buddies),
		machine_test(test_yield_charges),
		machine_test(test_yield_of_a_batch_task),
		machine_test(test_32_yield_to_an_equal),
		machine_test(test_32_yield_may_change_nothing),
		machine_test(test_32_yield_stays),
		machine_test(test_32_compat_yield),
		machine_test(test_32_compat_yield_level_with_the_rightmost),
		machine_test(test_32_compat_yield_of_the_rightmost),
		machine_test(test_32_yield_of_a_batch_task),
		machine_test(test_32_compat_yield_runs_the_others),
		machine_test(test_compat_yield_means_nothing_to_38),
		machine_test(test_32_yield_beside_a_stopper),
		machine_test(test_38_yield_beside_a_stopper),
		machine_test(test_yield_to_refused),
		machine_test(test_yield_to_between_stoppers),
		machine_test(test_yield_to_within_granularity),
		machine_test(test_yield_to_too_far),
		machine_test(test_yield_to_another_cpu),
		machine_test(test_yield_to_another_cpu_at_once),
		machine_test(test_yield_to_when_alone),
		machine_test(test_yield_to_idle_policy),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
