/* SPDX-License-Identifier: GPL-2.0-or-later
 * Real-time tasks among CPUs, against cfs.md section 10 (check C10.4 and the rules of 10.2 for waking, pushing and pulling). */
#include "tests/unit/machine.h"

#include "sched/rq.h"

static void boot(unsigned cpus)
{
	test_machine(1, 1, cpus, 1);
	test_boot(SWITCH_LABELS);
}

static struct task *fifo(unsigned cpu, unsigned priority)
{
	struct task *t = test_sleeper(cpu, 0, 0);

	task_set_realtime(t, POLICY_FIFO, priority);
	return t;
}

/* Wake it where it was last, so that it comes there whatever the rules for waking are. */
static void wake_there(struct task *t)
{
	struct cpumask allowed = t->allowed;
	u32 nr = t->nr_allowed;

	test_pin(t, t->cpu);
	assert_true(task_wake(t, 0));
	assert_true(t->on_rq);
	t->allowed = allowed;
	t->nr_allowed = nr;
	rt_class.allowed_changed(cpu_rq(t->cpu), t);
}

/* Runs on that CPU, alone. */
static struct task *running(unsigned cpu, unsigned priority)
{
	struct task *t = fifo(cpu, priority);

	wake_there(t);
	assert_ptr_equal(test_schedule(cpu), t);
	return t;
}

static struct task *running_pinned(unsigned cpu, unsigned priority)
{
	struct task *t = fifo(cpu, priority);

	test_pin(t, cpu);
	wake_there(t);
	assert_ptr_equal(test_schedule(cpu), t);
	return t;
}

static struct task *waiting(unsigned cpu, unsigned priority)
{
	struct task *t = fifo(cpu, priority);

	wake_there(t);
	return t;
}

static void allow(struct task *t, unsigned a, unsigned b)
{
	mask_clear(&t->allowed);
	mask_set(&t->allowed, a);
	mask_set(&t->allowed, b);
	t->nr_allowed = 2;
}

/* ---- waking ---- */

/* C10.4: although other CPUs are idle. */
static void test_wakes_over_a_fair_task(void **state)
{
	struct task *curr, *t;

	(void)state;
	boot(4);
	curr = test_spinners(2, 1);
	t = fifo(2, 1);
	assert_true(task_wake(t, 0));
	assert_int_equal(t->cpu, 2);
	assert_true(curr->need_resched);
	assert_true(test_kicked(2));
	assert_ptr_equal(test_schedule(2), t);
}

/* Where a task of priority 50 wakes or is forked that was last on CPU 2, where `curr` runs; all other CPUs have none of its kind.
 */
static unsigned place(struct task *curr, enum select_kind kind)
{
	struct task *t = fifo(2, 50);

	assert_int_equal(curr->cpu, 2);
	return rt_select_cpu(t, kind, 0);
}

/* 3.8: it goes to another CPU, this one first, when the running task is as good as it or better, or cannot go away itself. */
static void test_looks_elsewhere(void **state)
{
	(void)state;
	boot(4);
	assert_int_equal(place(running(2, 50), SELECT_WAKE), 0);
	assert_int_equal(place(cpu_rq(2)->curr, SELECT_FORK), 0);
	assert_int_equal(place(cpu_rq(2)->curr, SELECT_EXEC), 2);
	test_on_cpu(3);
	assert_int_equal(place(cpu_rq(2)->curr, SELECT_WAKE), 3);
}

static void test_preempts_the_lesser(void **state)
{
	(void)state;
	boot(4);
	assert_int_equal(place(running(2, 49), SELECT_WAKE), 2);
	assert_int_equal(place(cpu_rq(2)->curr, SELECT_FORK), 2);
}

static void test_avoids_the_pinned(void **state)
{
	(void)state;
	boot(4);
	assert_int_equal(place(running_pinned(2, 49), SELECT_WAKE), 0);
}

/* 2.6.32: on wakeups only, but then whatever the priority of the running task. */
static void test_old_rule_of_selection(void **state)
{
	(void)state;
	boot(4);
	knob.rt_select = RT_SELECT_RT_RUNS;
	assert_int_equal(place(running(2, 1), SELECT_WAKE), 0);
	assert_int_equal(place(cpu_rq(2)->curr, SELECT_FORK), 2);
}

static void test_pinned_stays(void **state)
{
	struct task *t;

	(void)state;
	boot(4);
	running(2, 50);
	t = fifo(2, 50);
	test_pin(t, 2);
	assert_int_equal(rt_select_cpu(t, SELECT_WAKE, 0), 2);
	test_pin(t, 1); /* since it slept */
	assert_int_equal(rt_select_cpu(t, SELECT_WAKE, 0), 1);
}

/* ---- the CPU that runs the least ---- */

/* Idle CPUs and those with fair tasks are alike, and all before any with a real-time task. */
static void test_lowest_level(void **state)
{
	struct task *t;

	(void)state;
	boot(4);
	t = fifo(0, 50);
	running(0, 30);
	running(1, 10);
	running(2, 20);
	test_spinners(3, 2);
	assert_int_equal(rt_lowest_cpu(t), 3);
	running(3, 60);
	assert_int_equal(rt_lowest_cpu(t), 1);
	allow(t, 0, 2);
	assert_int_equal(rt_lowest_cpu(t), 2);
	running(0, 50);
	running(2, 51);
	assert_int_equal(rt_lowest_cpu(t), MAX_CPUS); /* an equal is not lesser */
}

/* Among equals: its last CPU; in ever larger domains of that one this CPU, else the first; else this CPU. Two nodes of two CPUs. */
static void test_nearest_of_the_lowest(void **state)
{
	struct task *t;

	(void)state;
	test_machine(2, 1, 2, 1);
	test_boot(SWITCH_LABELS);
	knob.TTWU_QUEUE = 0;
	t = fifo(3, 50);
	assert_int_equal(rt_lowest_cpu(t), 3);
	running(3, 60);
	assert_int_equal(rt_lowest_cpu(t), 2); /* before CPU 0, which is farther */
	test_on_cpu(1);
	running(2, 60);
	assert_int_equal(rt_lowest_cpu(t), 1);
	running(1, 60);
	assert_int_equal(rt_lowest_cpu(t), 0);
}

/* ---- pushing ---- */

/* In schedule(), after the better one was picked: the preempted goes to a CPU that runs something lesser. */
static void test_push_after_a_pick(void **state)
{
	struct task *a, *b;

	(void)state;
	boot(2);
	test_spinners(1, 1);
	a = running(0, 10);
	b = waiting(0, 20);
	assert_true(a->need_resched);
	assert_true(cpu_rq(0)->rt.overloaded);
	assert_ptr_equal(test_schedule(0), b);
	assert_int_equal(a->cpu, 1);
	assert_int_equal(a->nr_migrations, 1);
	assert_true(cpu_rq(1)->curr->need_resched);
	assert_true(test_kicked(1));
	assert_false(cpu_rq(0)->rt.overloaded);
	assert_ptr_equal(test_schedule(1), a);
}

/* All that find a place go, best first; the last finds none. From a CPU to those before it, too: there the locks change order. */
static void test_push_all(void **state)
{
	struct task *a, *b, *c, *d;

	(void)state;
	boot(3);
	a = running(2, 10);
	b = waiting(2, 20);
	c = waiting(2, 30);
	d = waiting(2, 40);
	assert_ptr_equal(test_schedule(2), d);
	assert_int_equal(c->cpu + b->cpu, 0 + 1);
	assert_int_equal(a->cpu, 2);
	assert_true(cpu_rq(2)->rt.overloaded);
	assert_int_equal(cpu_rq(2)->rt.next, 89);
}

/* When the best may not go anywhere nobody behind it is tried. */
static void test_push_gives_up(void **state)
{
	struct task *a, *b;

	(void)state;
	boot(3);
	running_pinned(1, 60);
	running(0, 70);
	a = fifo(0, 50);
	allow(a, 0, 1);
	wake_there(a);
	b = waiting(0, 40);
	test_schedule(0);
	assert_int_equal(a->cpu, 0);
	assert_int_equal(b->cpu, 0);
}

/* A step of the scheduler for t, with the lock of CPU 0. */
static void locked(void (*step)(struct rq *, struct task *), struct task *t)
{
	unsigned long flags = spin_lock_irq(&cpu_rq(0)->lock);

	step(cpu_rq(0), t);
	spin_unlock_irq(&cpu_rq(0)->lock, flags);
}

/* A queue with one task more than runs, and the wakeup of t, which has just come there behind `curr`. */
static unsigned cpu_after_wakeup(struct task *curr, unsigned priority)
{
	struct task *t = waiting(0, priority);

	curr->need_resched = 0;
	locked(rt_woken, t);
	return t->cpu;
}

/* 3.8: pushed at once when the running task is as good or better, or pinned. */
static void test_push_after_a_wakeup(void **state)
{
	struct task *curr;

	(void)state;
	boot(3);
	curr = running(0, 50);
	assert_int_equal(cpu_after_wakeup(curr, 50), 1);
	assert_int_equal(cpu_after_wakeup(curr, 40), 2);
	assert_int_equal(cpu_after_wakeup(curr, 60), 0);
}

/* The same by way of task_wake(): t may go nowhere, but what has waited here finds a place. */
static void test_wakeup_pushes(void **state)
{
	struct task *waits, *t;

	(void)state;
	boot(3);
	running(0, 60);
	running(1, 70);
	waits = waiting(0, 55);
	t = fifo(0, 50);
	allow(t, 0, 1);
	assert_true(task_wake(t, 0));
	assert_int_equal(t->cpu, 0);
	assert_int_equal(waits->cpu, 2);
}

static void test_push_past_a_pinned_task(void **state)
{
	(void)state;
	boot(2);
	assert_int_equal(cpu_after_wakeup(running_pinned(0, 49), 50), 0); /* better than what runs: that is told to go */
	assert_true(cpu_rq(0)->curr->need_resched);
}

/* 3.8 leaves a fair task to be preempted; 2.6.32 asks nothing of the running task. A flagged one makes way in both. */
static void expect_push_past_fair(u8 rule, bool flagged, unsigned cpu)
{
	struct task *t;

	boot(2);
	knob.rt_wake_push = rule;
	test_spinners(0, 1);
	waiting(0, 50);
	t = waiting(0, 40);
	cpu_rq(0)->curr->need_resched = flagged;
	locked(rt_woken, t);
	assert_int_equal(t->cpu, cpu);
	assert_int_equal(cpu_rq(0)->curr->need_resched, flagged || rule == RT_WAKE_PUSH_WAITING);
}

static void test_no_push_past_a_fair_task(void **state)
{
	(void)state;
	expect_push_past_fair(RT_WAKE_PUSH_BLOCKED, false, 0);
}

/* The best is better than the fair task, which is then told to make way; nobody is moved. */
static void test_old_rule_of_pushing(void **state)
{
	(void)state;
	expect_push_past_fair(RT_WAKE_PUSH_WAITING, false, 0);
}

static void test_no_push_past_a_flagged_task(void **state)
{
	(void)state;
	expect_push_past_fair(RT_WAKE_PUSH_WAITING, true, 0);
}

/* ---- pulling ---- */

/* Both CPUs run something better than the two that wait on CPU 0. */
static struct task *busy_pair(struct task *t[2])
{
	boot(2);
	running(0, 60);
	t[0] = waiting(0, 40);
	t[1] = waiting(0, 30);
	return running(1, 60);
}

/* A CPU whose real-time task goes to sleep takes the best that waits elsewhere, rather than a fair task or nothing. */
static void test_pull(void **state)
{
	struct task *t[2];

	(void)state;
	busy_pair(t);
	test_task(1, 0);
	assert_ptr_equal(test_sleep(1), t[0]);
	assert_int_equal(cpu_rq(0)->rt.nr_running, 2);
	assert_int_equal(cpu_rq(0)->rt.next, 69);
	assert_ptr_equal(test_sleep(1), t[1]);
	assert_false(cpu_rq(0)->rt.overloaded);
	assert_int_equal(cpu_rq(1)->count.balance_attempts[CPU_NEWLY_IDLE], 0);
}

/* Of equals the one that has waited longest. */
static void test_pull_of_equals(void **state)
{
	struct task *t[2];

	(void)state;
	busy_pair(t);
	task_set_realtime(t[1], POLICY_FIFO, 40);
	assert_ptr_equal(test_sleep(1), t[0]);
}

/* Not when it has something as good itself. */
static void test_no_pull_of_an_equal(void **state)
{
	struct task *t[2], *own;

	(void)state;
	busy_pair(t);
	own = fifo(1, 40);
	test_pin(own, 1);
	wake_there(own);
	assert_ptr_equal(test_sleep(1), own);
	assert_int_equal(t[0]->cpu, 0);
}

/* The best that may come. */
static void test_pull_minds_affinity(void **state)
{
	struct cpumask only = { .word = { 1 } };
	struct task *t[2];

	(void)state;
	busy_pair(t);
	task_set_allowed(t[0], &only);
	assert_int_equal(cpu_rq(0)->rt.nr_migratory, 2);
	assert_int_equal(cpu_rq(0)->rt.next, 69);
	assert_ptr_equal(test_sleep(1), t[1]);
}

/* What is better than the task that runs over there is about to run there. */
static void test_no_pull_of_the_next_there(void **state)
{
	struct task *next;

	(void)state;
	boot(2);
	running(0, 30);
	waiting(0, 20);
	next = waiting(0, 40);
	running(1, 60);
	assert_ptr_equal(test_sleep(1), cpu_rq(1)->idle);
	assert_int_equal(next->cpu, 0);
}

/* Three CPUs: the better of those that wait on two. */
static void test_pull_goes_on(void **state)
{
	struct task *t[2], *better;

	(void)state;
	boot(3);
	running(0, 60);
	t[0] = waiting(0, 30);
	running(2, 60);
	better = waiting(2, 40);
	running(1, 60);
	assert_ptr_equal(test_sleep(1), better);
	assert_int_equal(t[0]->cpu, 1); /* came first, and waits there now */
}

/* A running task that becomes lesser, or fair, makes room for those that wait elsewhere. */
static void test_pull_when_priority_falls(void **state)
{
	struct task *t[2], *curr;

	(void)state;
	curr = busy_pair(t);
	task_set_realtime(curr, POLICY_FIFO, 35);
	assert_int_equal(t[0]->cpu, 1);
	assert_true(curr->need_resched);
	task_set_policy(curr, POLICY_NORMAL);
	assert_int_equal(t[1]->cpu, 0); /* 40 is better, and is here */
	assert_ptr_equal(test_schedule(1), t[0]);
}

/* ---- equals ---- */

/* The exception: a pinned wakee, and a running equal that can go elsewhere: this one does. */
static void test_equal_makes_way_for_a_pinned_one(void **state)
{
	struct task *curr, *t;

	(void)state;
	boot(2);
	curr = running(0, 50);
	t = fifo(0, 50);
	test_pin(t, 0);
	assert_true(task_wake(t, 0));
	assert_true(curr->need_resched);
	assert_ptr_equal(test_schedule(0), t);
	assert_int_equal(curr->cpu, 1);
}

/* Not if it cannot go either. */
static void test_equal_with_nowhere_to_go_stays(void **state)
{
	struct task *curr, *t;

	(void)state;
	boot(2);
	running(1, 50);
	curr = running(0, 50);
	t = fifo(0, 50);
	test_pin(t, 0);
	assert_true(task_wake(t, 0));
	assert_false(curr->need_resched);
}

static void check_preempt(struct rq *rq, struct task *t)
{
	rq_check_preempt(rq, t, 0);
}

/* Nor if the wakee could. */
static void test_equal_that_can_go_makes_nobody_go(void **state)
{
	struct task *curr, *t;

	(void)state;
	boot(2);
	curr = running(0, 50);
	t = waiting(0, 50);
	curr->need_resched = 0; /* which waking it as a pinned one set */
	locked(check_preempt, t);
	assert_false(curr->need_resched);
}

/* A child of a running real-time task finds its parent in its way. */
static void nothing(void *argument)
{
	(void)argument;
}

static void test_fork_goes_elsewhere(void **state)
{
	(void)state;
	boot(2);
	running(0, 50);
	assert_int_equal(task_spawn("child", nothing, NULL, false)->cpu, 1);
	assert_int_equal(task_spawn("child", nothing, NULL, false)->cpu, 0); /* an equal is everywhere */
}

/* After a fork as after a wakeup: the child may go nowhere, what has waited here may. */
static void test_fork_pushes(void **state)
{
	struct task *parent, *waits, *child;

	(void)state;
	boot(3);
	running(1, 70);
	parent = running(0, 50);
	waits = waiting(0, 50);
	allow(parent, 0, 1);
	parent->need_resched = 0; /* which waking the other as a pinned one set */
	child = task_spawn("child", nothing, NULL, false);
	assert_int_equal(child->cpu, 0);
	assert_int_equal(waits->cpu, 2);
}

/* Balancing moves fair tasks only, but counts all. */
static void test_balancing_leaves_it_alone(void **state)
{
	struct sched_domain *sd;
	bool responsible = true;
	struct task *t;

	(void)state;
	boot(2);
	running_pinned(0, 60);
	t = waiting(0, 50);
	t->se.exec_start = 0;
	test_clock_set(100 * NSEC_PER_MSEC);
	sd = cpu_rq(1)->sd;
	test_on_cpu(1);
	machine_irq_save();
	assert_int_equal(load_balance(cpu_rq(1), sd, CPU_IDLE, &responsible), 0);
	assert_int_equal(t->cpu, 0);
	assert_int_equal(cpu_rq(0)->nr_running, 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		machine_test(test_wakes_over_a_fair_task),
		machine_test(test_looks_elsewhere),
		machine_test(test_preempts_the_lesser),
		machine_test(test_avoids_the_pinned),
		machine_test(test_old_rule_of_selection),
		machine_test(test_pinned_stays),
		machine_test(test_lowest_level),
		machine_test(test_nearest_of_the_lowest),
		machine_test(test_push_after_a_pick),
		machine_test(test_push_all),
		machine_test(test_push_gives_up),
		machine_test(test_push_after_a_wakeup),
		machine_test(test_wakeup_pushes),
		machine_test(test_push_past_a_pinned_task),
		machine_test(test_no_push_past_a_fair_task),
		machine_test(test_old_rule_of_pushing),
		machine_test(test_no_push_past_a_flagged_task),
		machine_test(test_pull),
		machine_test(test_pull_of_equals),
		machine_test(test_no_pull_of_an_equal),
		machine_test(test_pull_minds_affinity),
		machine_test(test_no_pull_of_the_next_there),
		machine_test(test_pull_goes_on),
		machine_test(test_pull_when_priority_falls),
		machine_test(test_equal_makes_way_for_a_pinned_one),
		machine_test(test_equal_with_nowhere_to_go_stays),
		machine_test(test_equal_that_can_go_makes_nobody_go),
		machine_test(test_fork_goes_elsewhere),
		machine_test(test_fork_pushes),
		machine_test(test_balancing_leaves_it_alone),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
