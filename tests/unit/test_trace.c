/* SPDX-License-Identifier: GPL-2.0-or-later
 * The decision trace: that each decision leaves the event that base/trace.def promises, with the right reason; one test for each
 * reason of switches and placements (preemptions, forks and the ring: test_trace_rules.c; moves: test_trace_moves.c). The
 * situations are those in which cfs.md leaves the decision no choice. A miss means that `fairlog why` would tell a tale. */
#include "tests/unit/tracing.h"

static void boot(unsigned cpus)
{
	test_machine(1, 1, cpus, 1);
	test_boot(SWITCH_LABELS);
}

/* ---- switches: why the next was picked, how the previous left ---- */

static void expect_switch(unsigned cpu, const struct task *prev, enum trace_word left, const struct task *next, enum trace_word why)
{
	expect_last(cpu, switch, prev, prev->id);
	expect_last(cpu, switch, left, left);
	expect_last(cpu, switch, next, next->id);
	expect_last(cpu, switch, why, why);
}

static void test_only_one_and_idle(void **state)
{
	struct task *idle, *t;

	(void)state;
	boot(2);
	idle = cpu_rq(0)->idle;
	trace_from_here();
	t = test_task(0, 0);
	test_schedule(0);
	expect_switch(0, idle, LEFT_runs_on, t, PICK_only);
	test_sleep(0);
	expect_switch(0, t, LEFT_sleeps, idle, PICK_idle);
	assert_int_equal(count_events(0, TRACE_switch), 2);
	assert_int_equal(count_events(1, TRACE_switch), 0);
}

static void test_leftmost(void **state)
{
	struct task *left, *right, *t;
	u64 base;

	(void)state;
	boot(1);
	t = test_spinners(0, 1);
	left = test_task(0, 0);
	right = test_task(0, 0);
	base = cpu_rq(0)->cfs.min_vruntime;
	test_place(left, base + 1000);
	test_place(right, base + 2000);
	trace_from_here();
	test_sleep(0);
	expect_switch(0, t, LEFT_sleeps, left, PICK_leftmost);
}

/* The leftmost, another 0.1 ms to its right (less than the granularity of 1 ms), and a task that goes to sleep. */
static struct task *boot_trio(struct task **left, struct task **right)
{
	struct task *t;
	u64 base;

	boot(1);
	t = test_spinners(0, 1);
	*left = test_task(0, 0);
	*right = test_task(0, 0);
	base = cpu_rq(0)->cfs.min_vruntime;
	test_place(*left, base);
	test_place(*right, base + 100000);
	trace_from_here();
	return t;
}

static void test_next_buddy(void **state)
{
	struct task *left, *right, *t;

	(void)state;
	t = boot_trio(&left, &right);
	cpu_rq(0)->cfs.next = &right->se;
	test_sleep(0);
	expect_switch(0, t, LEFT_sleeps, right, PICK_next_buddy);
}

static void test_last_buddy(void **state)
{
	struct task *left, *right, *t;

	(void)state;
	t = boot_trio(&left, &right);
	cpu_rq(0)->cfs.last = &right->se;
	test_sleep(0);
	expect_switch(0, t, LEFT_sleeps, right, PICK_last_buddy);
}

/* 3.8 asks next first, 2.6.32 last. */
static void expect_of_both(u8 buddy_pick, enum trace_word why)
{
	struct task *left, *right, *t = boot_trio(&left, &right);

	knob.buddy_pick = buddy_pick;
	cpu_rq(0)->cfs.next = cpu_rq(0)->cfs.last = &right->se;
	test_sleep(0);
	expect_switch(0, t, LEFT_sleeps, right, why);
}

static void test_both_buddies_of_3_8(void **state)
{
	(void)state;
	expect_of_both(BUDDY_PICK_NEXT_FIRST, PICK_next_buddy);
}

static void test_both_buddies_of_2_6_32(void **state)
{
	(void)state;
	expect_of_both(BUDDY_PICK_LAST_FIRST, PICK_last_buddy);
}

/* A buddy that is too far right is not taken, and who is leftmost needs no buddy. */
static void test_buddy_that_does_not_matter(void **state)
{
	struct task *left, *right, *t;

	(void)state;
	t = boot_trio(&left, &right);
	cpu_rq(0)->cfs.next = &left->se;
	test_sleep(0);
	expect_switch(0, t, LEFT_sleeps, left, PICK_leftmost);
}

static void test_skip(void **state)
{
	struct task *left, *right, *t;

	(void)state;
	t = boot_trio(&left, &right);
	cpu_rq(0)->cfs.skip = &left->se;
	test_sleep(0);
	expect_switch(0, t, LEFT_sleeps, right, PICK_skip);
}

static void test_real_time(void **state)
{
	struct task *curr, *t;

	(void)state;
	boot(1);
	curr = test_spinners(0, 1);
	t = test_sleeper(0, 0, 0);
	task_set_realtime(t, POLICY_FIFO, 10);
	trace_from_here();
	task_wake(t, 0);
	test_schedule(0);
	expect_switch(0, curr, LEFT_runs_on, t, PICK_real_time);
	expect_last(0, wakeup, rule, RULE_class);
}

static void do_nothing(void *unused)
{
	(void)unused;
}

static void test_stopper(void **state)
{
	struct stop_work work = { .fn = do_nothing };
	struct task *curr;

	(void)state;
	boot(1);
	curr = test_spinners(0, 1);
	trace_from_here();
	stop_queue(0, &work);
	test_schedule(0);
	expect_switch(0, curr, LEFT_runs_on, cpu_rq(0)->stop, PICK_stopper);
	expect_last(0, waking, why, PLACE_bound);
}

/* By an interrupt, in code that may be preempted: not at the end of a system call. */
static void test_preempted(void **state)
{
	struct task *curr, *other;

	(void)state;
	boot(1);
	curr = test_spinners(0, 1);
	other = test_task(0, 0);
	trace_from_here();
	task_resched(curr);
	test_place(other, cpu_rq(0)->cfs.min_vruntime - 1000);
	test_kick_interrupt();
	expect_switch(0, curr, LEFT_preempted, other, PICK_leftmost);
}

/* ---- wakeups: where to ---- */

/* n tasks on each of the CPUs 0 to 3; the wakee was last on CPU 1. */
static struct task *boot_loads(unsigned a, unsigned b, unsigned c, unsigned d)
{
	unsigned n[] = { a, b, c, d };

	boot(4);
	for (unsigned cpu = 0; cpu < 4; cpu++)
		if (n[cpu])
			test_spinners(cpu, n[cpu]);
	test_settle_loads();
	return test_sleeper(1, 0, 0);
}

/* 2 tasks and the wakee are more than the none of CPU 1: it stays, and CPU 1 is idle. */
static void test_previous_idle(void **state)
{
	(void)state;
	wake_from(0, boot_loads(2, 0, 1, 1), 0);
	expect_last(0, waking, why, PLACE_previous_idle);
	expect_last(0, waking, cpu, 1);
}

/* All are busy, and CPU 1 has less than CPU 0. */
static void test_previous(void **state)
{
	(void)state;
	wake_from(0, boot_loads(3, 1, 1, 1), 0);
	expect_last(0, waking, why, PLACE_previous);
	assert_int_equal(count_events(0, TRACE_migrate), 0);
}

/* 1 task and the wakee are less than 3. */
static void test_here(void **state)
{
	struct task *t;

	(void)state;
	t = wake_from(0, boot_loads(1, 3, 1, 1), 0);
	expect_last(0, waking, why, PLACE_here);
	expect_last(0, migrate, task, t->id);
	expect_last(0, migrate, from, 1);
	expect_last(0, migrate, to, 0);
	expect_last(0, migrate, cause, MIGRATE_wakeup);
}

static void test_here_idle(void **state)
{
	(void)state;
	wake_from(0, boot_loads(0, 3, 1, 1), 0);
	expect_last(0, waking, why, PLACE_here_idle);
}

static void test_idle_sibling(void **state)
{
	(void)state;
	wake_from(0, boot_loads(1, 3, 1, 0), 0);
	expect_last(0, waking, why, PLACE_idle_sibling);
	expect_last(0, waking, cpu, 3);
}

static void test_bound(void **state)
{
	struct task *t;

	(void)state;
	t = boot_loads(1, 1, 0, 0);
	test_pin(t, 1);
	wake_from(0, t, 0);
	expect_last(0, waking, why, PLACE_bound);
}

static void test_longest_idle(void **state)
{
	struct task *t;

	(void)state;
	t = boot_loads(1, 1, 1, 0);
	knob.wake_select = WAKE_SELECT_LONGEST_IDLE;
	wake_from(0, t, 0);
	expect_last(0, waking, why, PLACE_longest_idle);
	expect_last(0, waking, cpu, 3);
}

/* It may not stay, nor come here. */
static void test_fallback(void **state)
{
	struct task *t;

	(void)state;
	t = boot_loads(1, 1, 1, 1);
	mask_unset(&t->allowed, 0);
	mask_unset(&t->allowed, 1);
	t->nr_allowed = 2;
	wake_from(0, t, 0);
	expect_last(0, waking, why, PLACE_fallback);
	expect_last(0, waking, cpu, 2);
}

/* 2.6.32.2: the wakee's last CPU has nothing to do; where others are to be preferred is no matter of the reasons. */
static void test_affine_of_2_6_32(void **state)
{
	struct task *t;

	(void)state;
	t = boot_loads(1, 3, 1, 1);
	knob.wake_select = WAKE_SELECT_AFFINE;
	wake_from(0, t, 0);
	expect_last(0, waking, why, PLACE_here);
}

/* Still on its CPU, on its way to sleep. */
static void test_leaving(void **state)
{
	struct task *t;

	(void)state;
	boot(2);
	t = test_spinners(1, 1);
	test_on_cpu(1);
	task_set_sleeping();
	wake_from(0, t, 0);
	expect_last(0, waking, why, PLACE_leaving);
	expect_last(0, wakeup, rule, RULE_itself);
}

static void test_lowest_for_real_time(void **state)
{
	struct task *better, *t;

	(void)state;
	boot(4);
	better = test_sleeper(1, 0, 0);
	task_set_realtime(better, POLICY_FIFO, 60);
	test_pin(better, 1);
	task_wake(better, 0);
	test_schedule(1);
	t = test_sleeper(1, 0, 0);
	task_set_realtime(t, POLICY_FIFO, 50);
	wake_from(0, t, 0);
	expect_last(0, waking, why, PLACE_lowest);
	better->rt_priority = 40;
	t = test_sleeper(2, 0, 0);
	task_set_realtime(t, POLICY_FIFO, 50);
	wake_from(0, t, 0);
	expect_last(0, waking, why, PLACE_previous);
}

/* powersaving: a light task goes into the fullest group that has room. */
static void test_policy(void **state)
{
	struct task *t;

	(void)state;
	test_machine(1, 2, 2, 1);
	test_boot(SWITCH_LABELS);
	knob.policy = SCHED_POLICY_POWERSAVING;
	test_apply_knobs();
	t = test_spinners(0, 1);
	trace_from_here();
	assert_non_null(task_spawn("child", do_nothing, NULL, false));
	expect_last(0, fork, parent, t->id);
	expect_last(0, fork, why, PLACE_policy);
}

/* The hint and the interrupt; a wakee in another cache is queued there (3.8's TTWU_QUEUE). */
static void test_flags(void **state)
{
	struct task *t;

	(void)state;
	test_machine(1, 2, 1, 1);
	test_boot(SWITCH_LABELS);
	t = test_sleeper(1, 0, 0);
	test_pin(t, 1);
	wake_from(0, t, WAKE_SYNC);
	expect_last(0, waking, flags, TRACE_FLAG_SYNC | TRACE_FLAG_REMOTE);
	assert_int_equal(count_events(0, TRACE_wakeup), 0);
	test_on_cpu(1);
	test_kick_interrupt();
	expect_last(1, wakeup, task, t->id);
	expect_last(1, wakeup, cpu, 1);
	expect_last(1, wakeup, rule, RULE_idle);
	t = test_sleeper(1, 0, 0);
	cpu_rq(1)->in_interrupt = true;
	wake_from(1, t, 0);
	cpu_rq(1)->in_interrupt = false;
	expect_last(1, waking, flags, TRACE_FLAG_INTERRUPT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		machine_test(test_only_one_and_idle),
		machine_test(test_leftmost),
		machine_test(test_next_buddy),
		machine_test(test_last_buddy),
		machine_test(test_both_buddies_of_3_8),
		machine_test(test_both_buddies_of_2_6_32),
		machine_test(test_buddy_that_does_not_matter),
		machine_test(test_skip),
		machine_test(test_real_time),
		machine_test(test_stopper),
		machine_test(test_preempted),
		machine_test(test_previous_idle),
		machine_test(test_previous),
		machine_test(test_here),
		machine_test(test_here_idle),
		machine_test(test_idle_sibling),
		machine_test(test_bound),
		machine_test(test_longest_idle),
		machine_test(test_fallback),
		machine_test(test_affine_of_2_6_32),
		machine_test(test_leaving),
		machine_test(test_lowest_for_real_time),
		machine_test(test_policy),
		machine_test(test_flags),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
