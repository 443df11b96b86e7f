/* SPDX-License-Identifier: GPL-2.0-or-later
 * The decision trace: by what rule a wakee preempts, what forks, execs and ends leave, and the ring that all events are in. The
 * situations are those in which cfs.md leaves the decision no choice. */
#include "tests/unit/tracing.h"

static void boot(unsigned cpus)
{
	test_machine(1, 1, cpus, 1);
	test_boot(SWITCH_LABELS);
}

static void do_nothing(void *unused)
{
	(void)unused;
}

/* ---- wakeups: preempting or not ---- */

/* A wakee so far behind the running task, in ns of virtual time, on the only CPU. */
static struct task *wake_behind(u64 lag_ns)
{
	struct task *t;

	boot(1);
	test_spinners(0, 1);
	knob.FAIR_SLEEPERS = 0;
	t = test_sleeper(0, 0, 0);
	test_clock_advance(lag_ns);
	return t;
}

/* Placed at min_vruntime, which is the running task's. */
static void test_rule_of_waiting(void **state)
{
	(void)state;
	wake_from(0, wake_behind(20000000), 0);
	expect_last(0, wakeup, rule, RULE_waits);
	assert_false(cpu_rq(0)->curr->need_resched);
}

/* Half of 6 ms of credit are more than the granularity of 1 ms. */
static void test_rule_of_lag(void **state)
{
	(void)state;
	(void)wake_behind(0);
	knob.FAIR_SLEEPERS = 1;
	wake_from(0, test_sleeper(0, 0, -20000000), 0);
	expect_last(0, wakeup, rule, RULE_lag);
	assert_true(cpu_rq(0)->curr->need_resched);
}

static void test_rule_of_pending(void **state)
{
	struct task *t;

	(void)state;
	t = wake_behind(0);
	task_resched(cpu_rq(0)->curr);
	wake_from(0, t, 0);
	expect_last(0, wakeup, rule, RULE_pending);
}

static void test_rule_of_idle_policy(void **state)
{
	struct task *t;

	(void)state;
	t = wake_behind(0);
	cpu_rq(0)->curr->policy = POLICY_IDLE;
	wake_from(0, t, 0);
	expect_last(0, wakeup, rule, RULE_idle_policy);
}

static void test_rule_of_habit(void **state)
{
	struct task *t;

	(void)state;
	t = wake_behind(0);
	knob.WAKEUP_SYNC = 1;
	wake_from(0, t, WAKE_SYNC);
	expect_last(0, wakeup, rule, RULE_habit);
}

static struct task *fifo(unsigned cpu, unsigned priority)
{
	struct task *t = test_sleeper(cpu, 0, 0);

	task_set_realtime(t, POLICY_FIFO, priority);
	return t;
}

static void test_rule_of_rt_priority(void **state)
{
	(void)state;
	boot(1);
	task_wake(fifo(0, 10), 0);
	test_schedule(0);
	wake_from(0, fifo(0, 11), 0);
	expect_last(0, wakeup, rule, RULE_rt_priority);
	wake_from(0, fifo(0, 9), 0);
	expect_last(0, wakeup, rule, RULE_waits);
}

/* Of the same priority, bound to this CPU, while the running one may go to CPU 1. */
static void test_rule_of_rt_pinned(void **state)
{
	struct task *t;

	(void)state;
	boot(2);
	task_wake(fifo(0, 10), 0);
	test_schedule(0);
	t = fifo(0, 10);
	test_pin(t, 0);
	wake_from(0, t, 0);
	expect_last(0, wakeup, rule, RULE_rt_pinned);
}

/* ---- fork, exec, exit ---- */

/* CPU 1 has nothing; or it has more than this one. */
static void test_fork(void **state)
{
	struct task *parent, *child;

	(void)state;
	test_machine(1, 2, 1, 1);
	test_boot(SWITCH_LABELS);
	parent = test_spinners(0, 2);
	trace_from_here();
	child = task_spawn("child", do_nothing, NULL, false);
	expect_last(0, fork, parent, parent->id);
	expect_last(0, fork, child, child->id);
	expect_last(0, fork, cpu, 1);
	expect_last(0, fork, why, PLACE_idlest);
	expect_last(0, migrate, cause, MIGRATE_fork);
	expect_last(0, wakeup_new, task, child->id);
	expect_last(0, wakeup_new, cpu, 1);
	expect_last(0, wakeup_new, rule, RULE_idle);
}

static void test_fork_that_stays(void **state)
{
	(void)state;
	test_machine(1, 2, 1, 1);
	test_boot(SWITCH_LABELS);
	test_spinners(0, 1);
	test_spinners(1, 3);
	test_settle_loads();
	trace_from_here();
	assert_non_null(task_spawn("child", do_nothing, NULL, false));
	expect_last(0, fork, why, PLACE_parent);
	assert_int_equal(count_events(0, TRACE_migrate), 0);
}

static struct task *the_child;

static void make_a_child(void *unused)
{
	(void)unused;
	trace_from_here();
	the_child = task_spawn("a child", do_nothing, NULL, true);
	task_set_nice(the_child, 5);
	task_reap(REAP_ANY);
	task_exec();
	trace_up_to_here();
}

/* It dies, is named with the priority that it had then, and so are those who outlive runs: this task, an idle task and a stopper.
 */
static void test_end(void **state)
{
	const struct traced_task *task;
	u64 left_out, id;
	unsigned n;

	(void)state;
	test_machine(1, 1, 1, 1);
	test_boot(SWITCH_STACKS);
	test_run(make_a_child, NULL);
	id = LAST(0, exit, task);
	assert_int_equal(count_events(0, TRACE_exit), 1);
	expect_last(0, fork, child, id);
	expect_last(0, exec, why, PLACE_bound);
	n = sched_trace_tasks(&task, &left_out);
	assert_int_equal(n, 2 + 3); /* the child, the main task, and three */
	assert_int_equal(left_out, 0);
	assert_int_equal(task[0].id, id);
	assert_string_equal(task[0].name, "a child");
	assert_int_equal(task[0].priority, 125);
	assert_false(task[0].idle);
	assert_string_equal(task[n - 2].name, "idle/0");
	assert_true(task[n - 2].idle);
	assert_string_equal(task[n - 1].name, "stopper/0");
	assert_int_equal(task[n - 1].priority, 0);
	sched_trace_forget();
	assert_int_equal(sched_trace_tasks(&task, &left_out), 3);
}

/* ---- the ring ---- */

/* 2 events for each task that comes and goes: 150 of them are 300, of which 256 are kept, the newest. */
static void test_overwriting(void **state)
{
	u64 lost, first, last, number[TRACE_NUMBERS];

	(void)state;
	boot(1);
	knob.newidle = NEWIDLE_NEVER;
	trace_from_here();
	for (unsigned i = 0; i < 150; i++) {
		test_clock_advance(1000);
		test_task(0, 0);
		test_schedule(0);
		test_sleep(0);
	}
	assert_int_equal(sched_trace_events(0, &lost), TRACED_EVENTS);
	assert_int_equal(lost, 300 - TRACED_EVENTS);
	sched_trace_event(0, 0, &first, number);
	sched_trace_event(0, TRACED_EVENTS - 1, &last, number);
	assert_int_equal(last - first, 127 * 1000); /* 256 events are of 128 tasks */
	assert_int_equal(number[1 + TRACE_ARG(switch, why)], PICK_idle);
}

/* Nothing is noted before a trace begins and after it ends, and a new one forgets the old. */
static void test_only_while_traced(void **state)
{
	u64 lost;

	(void)state;
	boot(1);
	knob.newidle = NEWIDLE_NEVER;
	sched_trace(true); /* there is no room */
	assert_false(trace_on);
	test_spinners(0, 1);
	trace_from_here();
	test_sleep(0);
	trace_up_to_here();
	assert_false(trace_on);
	test_spinners(0, 1);
	assert_int_equal(sched_trace_events(0, &lost), 1);
	trace_from_here();
	assert_int_equal(sched_trace_events(0, &lost), 0);
}

static void test_too_little_memory(void **state)
{
	(void)state;
	boot(4);
	assert_int_equal(sched_trace_reserve(100000000), -E_NOMEM);
	assert_false(trace_kept);
	assert_true(sched_trace_bytes(1000) >= 4 * 1000 * 24);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		machine_test(test_rule_of_waiting),
		machine_test(test_rule_of_lag),
		machine_test(test_rule_of_pending),
		machine_test(test_rule_of_idle_policy),
		machine_test(test_rule_of_habit),
		machine_test(test_rule_of_rt_priority),
		machine_test(test_rule_of_rt_pinned),
		machine_test(test_fork),
		machine_test(test_fork_that_stays),
		machine_test(test_end),
		machine_test(test_overwriting),
		machine_test(test_only_while_traced),
		machine_test(test_too_little_memory),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
