/* SPDX-License-Identifier: GPL-2.0-or-later
 * vfork, exec, exit and wait by real tasks (workloads.md 1: the rows on vfork, exec and a child's exit; 4.4: a parent blocked by
 * vfork must not run between clone and the child's exec; cfs.md 7.1 on exec balancing). A miss means that kbuild's processes would
 * run at other times, or wake each other in another way, than those of a real build. */
#include "tests/unit/machine.h"

#include "base/mem.h"
#include "ipc/process.h"
#include "ipc/sleep.h"
#include "sched/rq.h"

/* What happened, in its order. */
static char trail[64];

static void mark(char c)
{
	trail[strlen(trail)] = c;
}

static struct cpumask cpus(unsigned first, unsigned last)
{
	struct cpumask m = { 0 };

	for (unsigned cpu = first; cpu <= last; cpu++)
		mask_set(&m, cpu);
	return m;
}

static void (*test_body)(void *);

/* What it starts inherits its CPUs. */
static void run_bound(void *last_cpu)
{
	struct cpumask allowed = cpus(0, *(unsigned *)last_cpu);

	task_set_allowed(current(), &allowed);
	test_body(NULL);
}

static void boot(void)
{
	test_machine(1, 1, 4, 1);
	test_boot(SWITCH_STACKS);
}

static void run(unsigned nr, u32 preempt, void (*body)(void *))
{
	unsigned last_cpu = nr - 1;

	knob.preempt = preempt;
	test_apply_knobs();
	memset(trail, 0, sizeof(trail));
	test_body = body;
	test_run(run_bound, &last_cpu);
	while (current()->nr_children) /* the main task */
		task_reap(REAP_ANY);
}

/* On one CPU and on four, preempted in the kernel or not. */
static void expect_trail(void (*body)(void *), const char *expected)
{
	boot();
	for (unsigned i = 0; i < 4; i++) {
		run(i & 1 ? 4 : 1, i & 2 ? PREEMPT_FULL : PREEMPT_NONE, body);
		assert_string_equal(trail, expected);
	}
}

/* ---- the parent does not run in between ---- */

static void work_and_sleep(void)
{
	machine_work_ns(20 * NSEC_PER_MSEC); /* some ticks, at which others would have their turn */
	sleep_ns(NSEC_PER_MSEC);
}

static void exec_late(void *argument)
{
	(void)argument;
	mark('c');
	work_and_sleep();
	mark('e');
	assert_int_equal(process_exec(), 0);
	work_and_sleep();
	mark('x');
}

static void vfork_once(void *argument)
{
	struct task *t = process_vfork("child", exec_late, NULL);

	(void)argument;
	assert_non_null(t);
	mark('p');
	process_wait(t);
	mark('q');
}

/* The child begins, execs, the parent goes on while the child does, and then waits for it: c e p x q. */
static void test_vfork_until_exec(void **state)
{
	(void)state;
	expect_trail(vfork_once, "cepxq");
}

static void end_early(void *argument)
{
	(void)argument;
	work_and_sleep();
	mark('x');
}

static void vfork_without_exec(void *argument)
{
	struct task *t = process_vfork("child", end_early, NULL);

	(void)argument;
	mark('p');
	process_wait(t);
	mark('q');
}

static void test_vfork_until_exit(void **state)
{
	(void)state;
	expect_trail(vfork_without_exec, "xpq");
}

/* Neither a stray wakeup nor the end of another child counts: both come while the child still sleeps before its exec. */
static void end_soon(void *argument)
{
	(void)argument;
	sleep_ns(NSEC_PER_MSEC / 2);
	mark('o');
}

static void wake_parent(void *argument)
{
	(void)argument;
	sleep_ns(NSEC_PER_MSEC / 4);
	assert_true(task_wake(current()->parent, 0));
	mark('w');
}

static void sleep_and_exec(void *argument)
{
	(void)argument;
	sleep_ns(NSEC_PER_MSEC);
	mark('e');
	assert_int_equal(process_exec(), 0);
}

static void vfork_among_others(void *argument)
{
	(void)argument;
	task_spawn("other", end_soon, NULL, false);
	task_spawn("waker", wake_parent, NULL, false);
	process_vfork("child", sleep_and_exec, NULL);
	mark('p');
	for (unsigned i = 0; i < 3; i++)
		process_wait(REAP_ANY);
}

static void test_only_exec_releases(void **state)
{
	(void)state;
	expect_trail(vfork_among_others, "woep");
}

/* A second exec of the child is nobody's business any more, nor is its end. */
static void exec_twice(void *argument)
{
	(void)argument;
	assert_int_equal(process_exec(), 0);
	sleep_ns(NSEC_PER_MSEC);
	mark('2');
	assert_int_equal(process_exec(), 0);
}

static void vfork_and_sleep(void *argument)
{
	struct task *t = process_vfork("child", exec_twice, NULL);

	(void)argument;
	mark('p');
	sleep_ns(2 * NSEC_PER_MSEC);
	mark('s');
	process_wait(t);
}

static void test_released_once(void **state)
{
	(void)state;
	expect_trail(vfork_and_sleep, "p2s");
}

/* A chain, as make, shell and driver are. */
static void vfork_deeper(void *argument)
{
	unsigned depth = *(unsigned *)argument;
	unsigned next = depth + 1;

	assert_int_equal(process_exec(), 0);
	if (depth < 3)
		process_wait(process_vfork("child", vfork_deeper, &next));
	mark((char)('0' + depth));
}

static void begin_chain(void *argument)
{
	unsigned depth = 1;

	(void)argument;
	vfork_deeper(&depth);
}

static void test_chain(void **state)
{
	(void)state;
	expect_trail(begin_chain, "321");
}

/* ---- who is woken, and how ---- */

static struct {
	unsigned nr, flags[8];
} noted;

static unsigned note_and_select(struct task *t, enum select_kind kind, unsigned wake_flags)
{
	if (kind == SELECT_WAKE && noted.nr < ARRAY_SIZE(noted.flags))
		noted.flags[noted.nr++] = wake_flags;
	return fair_class.select_cpu(t, kind, wake_flags);
}

static struct sched_class noting_class;

static void note_wakes_of(struct task *t)
{
	noting_class = fair_class;
	noting_class.select_cpu = note_and_select;
	t->class = &noting_class;
	memset(&noted, 0, sizeof(noted));
}

static void be_fair(void)
{
	current()->class = &fair_class;
	work_and_sleep(); /* so that the parent sleeps, wherever it is */
	assert_int_equal(noted.nr, 0);
	assert_int_equal(process_exec(), 0);
	assert_int_equal(noted.nr, 1);
	assert_int_equal(noted.flags[0], 0);
	sleep_ns(NSEC_PER_MSEC);
}

static void exec_as_fair(void *argument)
{
	(void)argument;
	be_fair();
}

static void exec_and_linger(void *argument)
{
	(void)argument;
	be_fair();
	sleep_ns(100 * NSEC_PER_MSEC);
}

/* Section 1: exec makes one wakeup without the sync hint; the end of a child one of the parent that waits for it, with the hint,
 * which means nothing as the waker is exiting. One that waits for another child, or sleeps for another reason, is let sleep. */
static void count_wakes(void *argument)
{
	struct task *first, *second;

	(void)argument;
	note_wakes_of(current());
	first = process_vfork("child", exec_and_linger, NULL);
	assert_int_equal(noted.nr, 1);
	noted.nr = 0;
	second = process_vfork("child", exec_as_fair, NULL);
	assert_int_equal(noted.nr, 1);
	process_wait(first);
	assert_int_equal(noted.nr, 2);
	assert_int_equal(noted.flags[1], WAKE_SYNC);
	process_wait(second);
	assert_int_equal(noted.nr, 2);
	current()->class = &fair_class;
}

static void test_wakes(void **state)
{
	(void)state;
	boot();
	run(1, PREEMPT_NONE, count_wakes);
}

/* wait() says who has ended. */
static void wait_for_any(void *argument)
{
	struct task *first = process_vfork("child", exec_late, NULL), *second = process_vfork("child", end_early, NULL);
	u32 ids[2] = { first->id, second->id };

	(void)argument;
	assert_int_equal(process_wait(second), ids[1]);
	assert_int_equal(process_wait(REAP_ANY), ids[0]);
}

static void test_wait_says_whom(void **state)
{
	(void)state;
	boot();
	run(1, PREEMPT_NONE, wait_for_any);
}

/* ---- address spaces ---- */

static void check_space(void *argument)
{
	u64 parents = *(u64 *)argument, left = test_spaces;

	assert_true(current()->context.space == parents);
	assert_int_equal(process_exec(), 0);
	assert_true(current()->context.space && current()->context.space != parents);
	assert_true(test_spaces == left - 1);
	parents = current()->context.space;
	assert_int_equal(process_exec(), 0);
	assert_true(current()->context.space != parents);
	assert_true(test_spaces == left - 1); /* the first has gone back */
}

static void have_child_exec(void *argument)
{
	u64 own = current()->context.space, left = test_spaces;

	(void)argument;
	process_wait(process_vfork("child", check_space, &own));
	assert_true(current()->context.space == own);
	while (test_spaces < left)
		sleep_ns(NSEC_PER_MSEC); /* its last switch may not be over */
	assert_true(test_spaces == left);
}

/* Of a process that has a space of its own, too: a child of hackbench -P that execs. */
static void have_process_exec(void *argument)
{
	u64 left = test_spaces;

	(void)argument;
	have_child_exec(NULL);
	process_wait(task_spawn("process", have_child_exec, NULL, true));
	while (test_spaces < left)
		sleep_ns(NSEC_PER_MSEC);
	assert_true(test_spaces == left);
}

static void test_spaces_come_and_go(void **state)
{
	(void)state;
	boot();
	run(1, PREEMPT_NONE, have_process_exec);
	run(4, PREEMPT_FULL, have_process_exec);
}

static void exec_in_vain(void *argument)
{
	u64 space = current()->context.space;
	unsigned long long sleeps = current()->parent->nr_voluntary;

	(void)argument;
	test_spaces = 0;
	assert_int_equal(process_exec(), -E_NOMEM);
	assert_true(current()->context.space == space && !current()->owns_space);
	work_and_sleep();
	assert_true(current()->parent->nr_voluntary == sleeps); /* it has not been woken */
	mark('x');
}

static void vfork_in_vain(void *argument)
{
	struct task *t = process_vfork("child", exec_in_vain, NULL);

	(void)argument;
	mark('p');
	process_wait(t);
	assert_int_equal(test_spaces, 0);
	test_spaces = 1000;
}

/* The error reaches who called exec, nothing has changed, and the parent still waits for its end. */
static void test_exec_without_memory(void **state)
{
	(void)state;
	expect_trail(vfork_in_vain, "xp");
}

static void end_at_once(void *argument)
{
	(void)argument;
}

static void take_all_stacks(void *argument)
{
	unsigned n = 0;

	(void)argument;
	while (task_spawn("hoarder", end_at_once, NULL, false))
		n++;
	assert_null(process_vfork("child", end_at_once, NULL));
	assert_int_equal(current()->nr_children, n);
	while (n--)
		process_wait(REAP_ANY);
	mark('q');
}

/* Nobody is waited for who is not there. */
static void test_vfork_without_memory(void **state)
{
	(void)state;
	boot();
	run(1, PREEMPT_NONE, take_all_stacks);
	assert_string_equal(trail, "q");
}

/* ---- exec balancing ---- */

static void exec_elsewhere(void *argument)
{
	struct cpumask both = cpus(0, 1);

	(void)argument;
	task_set_allowed(current(), &both);
	assert_int_equal(machine_cpu(), 0);
	mark('c');
	assert_int_equal(process_exec(), 0);
	assert_int_equal(machine_cpu(), 1);
}

static void vfork_beside_another(void *argument)
{
	struct cpumask zero = cpus(0, 0);

	(void)argument;
	task_set_allowed(current(), &zero);
	task_spawn("other", end_early, NULL, false); /* waits on CPU 0 */
	process_vfork("child", exec_elsewhere, NULL);
	assert_int_equal(machine_cpu(), 0);
	process_wait(REAP_ANY);
	process_wait(REAP_ANY);
	mark('q');
}

/* cfs.md 7.1: exec goes through SD_BALANCE_EXEC: two tasks want CPU 0 and none CPU 1, so the caller moves there. */
static void test_exec_balances(void **state)
{
	(void)state;
	test_machine(1, 2, 1, 1);
	test_boot(SWITCH_STACKS);
	run(2, PREEMPT_FULL, vfork_beside_another);
	assert_string_equal(trail, "cxq");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		machine_test(test_vfork_until_exec),
		machine_test(test_vfork_until_exit),
		machine_test(test_only_exec_releases),
		machine_test(test_released_once),
		machine_test(test_chain),
		machine_test(test_wakes),
		machine_test(test_wait_says_whom),
		machine_test(test_spaces_come_and_go),
		machine_test(test_exec_without_memory),
		machine_test(test_vfork_without_memory),
		machine_test(test_exec_balances),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
