/* SPDX-License-Identifier: GPL-2.0-or-later
 * The account of idle CPUs while tasks wait. Expected times are rates times intervals, by hand: a CPU counts while it is idle and
 * some waiting task may run there, a task while it waits and some CPU is idle where it may run; lost are as many CPUs at a time as
 * could have been given a task each. Nothing here lets the scheduler balance, so the states are what the test makes them. */
#include "tests/unit/machine.h"

#include "sched/rq.h"

static struct waste opened;

static void boot(unsigned cpus)
{
	test_machine(1, cpus, 1, 1);
	test_boot(SWITCH_LABELS);
	test_clock_set(NSEC_PER_MSEC);
}

/* What expect() compares is counted from here on. */
static void open_account(void)
{
	struct waste rate;
	u64 by[NR_WASTE_CAUSES];

	waste_read(&opened, &rate, by);
}

static void expect(u64 ns, u64 idle_ns, u64 wait_ns, u64 pairs_ns)
{
	struct waste sum, rate;
	u64 by[NR_WASTE_CAUSES];

	waste_read(&sum, &rate, by);
	assert_int_equal(sum.ns - opened.ns, ns);
	assert_int_equal(sum.idle_ns - opened.idle_ns, idle_ns);
	assert_int_equal(sum.wait_ns - opened.wait_ns, wait_ns);
	assert_int_equal(sum.pairs_ns - opened.pairs_ns, pairs_ns);
}

static void bind(struct task *t, u64 mask)
{
	struct cpumask allowed = { .word = { mask } };

	assert_int_equal(task_set_allowed(t, &allowed), 0);
}

/* The clock of each queue follows the machine's only when it is used. */
static void pass(u64 ns)
{
	test_clock_advance(ns);
	for (unsigned cpu = 0; cpu < nr_cpus; cpu++)
		rq_update_clock(cpu_rq(cpu));
}

static void test_nothing_waits(void **state)
{
	(void)state;
	boot(4);
	test_spinners(0, 1);
	open_account();
	pass(1000000);
	expect(0, 0, 0, 0);
}

/* CPU 0 has one running and three waiting, CPUs 1 to 3 are idle. */
static void test_three_wait_three_idle(void **state)
{
	(void)state;
	boot(4);
	test_spinners(0, 4);
	open_account();
	pass(1000);
	expect(3000, 3000, 3000, 9000);
}

/* Five wait for three CPUs; then one waits. */
static void test_more_tasks_than_cpus(void **state)
{
	struct rq *rq;

	(void)state;
	boot(4);
	test_spinners(0, 6);
	open_account();
	pass(1000);
	expect(3000, 3000, 5000, 15000);
	rq = cpu_rq(0);
	for (unsigned i = 0; i < 4; i++)
		test_sleep(0); /* two are left */
	assert_int_equal(rq->nr_running, 2);
	open_account();
	pass(1000);
	expect(1000, 3000, 1000, 3000);
}

/* No CPU is idle, so waiting is not lost; the first to become idle finds out who waits. */
static void test_found_out_when_one_becomes_idle(void **state)
{
	(void)state;
	boot(2);
	knob.newidle = NEWIDLE_NEVER;
	test_spinners(0, 3);
	test_spinners(1, 1);
	open_account();
	pass(1000);
	expect(0, 0, 0, 0);
	test_sleep(1);
	pass(500);
	expect(500, 500, 1000, 1000);
}

/* A task bound to the CPU on whose queue it waits is not lost to others. */
static void test_bound_tasks_do_not_count(void **state)
{
	struct task *t;

	(void)state;
	boot(4);
	test_spinners(0, 1);
	t = test_task(0, 0);
	bind(t, 1);
	open_account();
	pass(1000);
	expect(0, 0, 0, 0);
}

/* But if its own CPU is idle it is, until that CPU takes it: the kick is on its way. */
static void test_kick_on_its_way(void **state)
{
	struct task *t;

	(void)state;
	boot(4);
	t = test_task(2, 0);
	bind(t, 4);
	open_account();
	pass(300);
	test_schedule(2);
	pass(1000);
	expect(300, 300, 300, 300);
}

/* CPU 0 runs one; two wait that may go to CPUs 0 and 1, one that may go anywhere. Idle are 1, 2, 3: two can be given tasks. */
static void test_masks(void **state)
{
	(void)state;
	boot(4);
	test_spinners(0, 1);
	bind(test_task(0, 0), 3);
	bind(test_task(0, 0), 3);
	test_task(0, 0);
	open_account();
	pass(1000);
	/* CPU 1 for one of the bound, CPU 2 or 3 for the free one; wanted are all three; pairs 2 x 1 + 1 x 3. */
	expect(2000, 3000, 3000, 5000);
}

/* Idle are 1, 2, 3. One may go to 1 or 2, one to 2 or 3, one to 1 only or 0: each finds a place if they give way to each other. */
static void test_masks_that_give_way(void **state)
{
	(void)state;
	boot(4);
	test_spinners(0, 1);
	bind(test_task(0, 0), 1 | 2 | 4);
	bind(test_task(0, 0), 1 | 4 | 8);
	bind(test_task(0, 0), 1 | 2);
	open_account();
	pass(1000);
	expect(3000, 3000, 3000, 5000);
}

/* A waiting task that is bound elsewhere counts by its new mask from then on. */
static void test_mask_of_a_waiting_task_changes(void **state)
{
	struct task *t;

	(void)state;
	boot(4);
	test_spinners(0, 1);
	t = test_task(0, 0);
	open_account();
	pass(1000);
	bind(t, 1 | 8);
	pass(1000);
	expect(2000, 4000, 2000, 4000); /* first CPUs 1, 2, 3 are wanted, then 3 */
}

/* A task woken across caches waits from the wakeup on, not from its arrival on the queue. */
static void test_on_the_wake_list(void **state)
{
	struct task *t;

	(void)state;
	boot(2);
	assert_int_not_equal(llc_id(0), llc_id(1));
	t = test_sleeper(1, 0, 0);
	bind(t, 2);
	open_account();
	assert_true(task_wake(t, 0));
	assert_int_equal(cpu_rq(1)->nr_running, 0);
	pass(3000);
	expect(3000, 3000, 3000, 3000);
	test_on_cpu(1);
	test_kick_interrupt();
	test_schedule(1);
	pass(1000);
	expect(3000, 3000, 3000, 3000);
}

/* Between runs the list of masks begins anew, and what was counted under the old ones is not carried on. */
static void test_masks_are_forgotten(void **state)
{
	struct task *t;

	(void)state;
	boot(4);
	test_spinners(0, 1);
	t = test_task(0, 0);
	bind(t, 3);
	test_sleep(0);
	test_sleep(0);
	waste_forget_kinds();
	assert_int_equal(waste_kind(&(struct cpumask){ .word = { 12 } }, 0), MASK_FIRST);
	open_account();
	pass(1000);
	expect(0, 0, 0, 0);
}

/* With more masks than the list has room for the rest count as bound to where they wait: too little rather than too much. */
static void test_too_many_masks(void **state)
{
	(void)state;
	boot(8);
	for (u64 mask = 3, kind = MASK_FIRST; mask < 256; mask++) {
		struct cpumask allowed = { .word = { mask } };
		u8 found = waste_kind(&allowed, mask_first(&allowed));

		if (mask_weight(&allowed) == 1 || mask == 255)
			continue;
		assert_int_equal(found, kind < NR_MASK_KINDS ? kind : MASK_HERE);
		kind++;
		assert_int_equal(sched_waste_is_exact(), kind < NR_MASK_KINDS);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		machine_test(test_nothing_waits),
		machine_test(test_three_wait_three_idle),
		machine_test(test_more_tasks_than_cpus),
		machine_test(test_found_out_when_one_becomes_idle),
		machine_test(test_bound_tasks_do_not_count),
		machine_test(test_kick_on_its_way),
		machine_test(test_masks),
		machine_test(test_masks_that_give_way),
		machine_test(test_mask_of_a_waiting_task_changes),
		machine_test(test_on_the_wake_list),
		machine_test(test_masks_are_forgotten),
		machine_test(test_too_many_masks),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("waste", tests, NULL, NULL);
}
