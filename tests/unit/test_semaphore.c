/* SPDX-License-Identifier: GPL-2.0-or-later
 * Semaphores: who is let go on, when, and how it is woken. Real tasks on one CPU, so that who runs when is known to the step.
 *
 * Expected is what semop(2) says, and of wakeups the table of workloads.md 1: all whose operation became possible, without the sync
 * hint, by a list worked off after the lock is dropped. A miss means that chat would start or end with other wakeups. */
#include "tests/unit/noting.h"

#include "ipc/semaphore.h"

static struct semaphore semaphore;

/* Wakeups come when the lock is dropped. */
static void expect_lock_free(void)
{
	assert_false(spin_held(&semaphore.lock));
}

static void await_all(void)
{
	while (current()->nr_children)
		task_reap(REAP_ANY);
}

/* All others must have ended when the body has. */
static void start_with(u64 value)
{
	semaphore_init(&semaphore, value);
	test_on_wake = expect_lock_free;
	test_at_end = await_all;
}

/* ---- the other tasks: one operation each ---- */

enum { MOST_PARTIES = 40 };

static struct party {
	s64 change;
	struct task *task;
	bool done;
	u64 sleeps; /* by then */
} party[MOST_PARTIES];

static void operate(void *argument)
{
	struct party *p = argument;

	semaphore_op(&semaphore, p->change);
	p->sleeps = current()->nr_voluntary;
	p->done = true;
}

static void let_others_run(void)
{
	task_sleep_ns(NSEC_PER_MSEC);
}

/* The next party; it sleeps in its operation on return. */
static void start(unsigned i, s64 change)
{
	party[i].change = change;
	party[i].task = task_spawn("other", operate, &party[i], false);
	assert_non_null(party[i].task);
	party[i].task->class = &noting_class;
	let_others_run();
	assert_int_equal(party[i].task->state, TASK_SLEEPING);
	assert_int_equal(noted.nr, 0);
}

static void operate_awake(s64 change)
{
	u64 sleeps = current()->nr_voluntary;

	semaphore_op(&semaphore, change);
	assert_true(current()->nr_voluntary == sleeps);
}

/* Since the last look so many were woken, party[number[0]] first, and go on, never having slept but once. */
static void expect_wakes(unsigned n, const unsigned number[])
{
	assert_int_equal(noted.nr, n);
	for (unsigned i = 0; i < n; i++) {
		assert_ptr_equal(noted.wake[i].task, party[number[i]].task);
		assert_int_equal(noted.wake[i].flags, 0);
	}
	noted.nr = 0;
	let_others_run();
	for (unsigned i = 0; i < n; i++) {
		assert_true(party[number[i]].done);
		assert_true(party[number[i]].sleeps == 1);
	}
	assert_int_equal(noted.nr, 0);
}

#define EXPECT_WAKES(...) expect_wakes(sizeof((unsigned[]){ __VA_ARGS__ }) / sizeof(unsigned), (const unsigned[]){ __VA_ARGS__ })
#define EXPECT_NO_WAKES() expect_wakes(0, NULL)

/* ---- operations ---- */

TEST_IN_TASK(test_take_what_there_is)
{
	start_with(3);
	operate_awake(-1);
	operate_awake(-2);
	operate_awake(0);
	operate_awake(5);
	operate_awake(-5);
	assert_true(semaphore.value == 0);
}

/* chat's start: 40 wait for one each, and one operation that adds 40 wakes all, the oldest first. */
TEST_IN_TASK(test_one_addition_wakes_all)
{
	unsigned number[MOST_PARTIES];

	start_with(0);
	for (unsigned i = 0; i < MOST_PARTIES; i++) {
		number[i] = i;
		start(i, -1);
	}
	operate_awake(MOST_PARTIES);
	expect_wakes(MOST_PARTIES, number);
	assert_true(semaphore.value == 0);
}

/* 3 are enough for three of five; of the other 4 two are left. */
TEST_IN_TASK(test_oldest_go_first)
{
	start_with(0);
	for (unsigned i = 0; i < 5; i++)
		start(i, -1);
	operate_awake(3);
	EXPECT_WAKES(0, 1, 2);
	operate_awake(4);
	EXPECT_WAKES(3, 4);
	assert_true(semaphore.value == 2);
}

/* Who wants 3 waits; whoever wants less need not wait behind it, old or newly come. 2 less 1 are too few for the third. */
TEST_IN_TASK(test_nobody_waits_behind_others)
{
	start_with(0);
	start(0, -3);
	start(1, -1);
	start(2, -2);
	operate_awake(2);
	EXPECT_WAKES(1);
	operate_awake(-1);
	operate_awake(2);
	EXPECT_WAKES(2);
	operate_awake(3);
	EXPECT_WAKES(0);
	assert_true(semaphore.value == 0);
}

/* chat's end: a parent waits for zero, which the last of three decrements makes it. */
TEST_IN_TASK(test_wait_for_zero)
{
	start_with(3);
	start(0, 0);
	start(1, 0);
	operate_awake(-1);
	operate_awake(-1);
	EXPECT_NO_WAKES();
	operate_awake(-1);
	EXPECT_WAKES(0, 1);
	operate_awake(0);
}

/* 1 and 2 are 3, which the second waiter takes: 0, if only because of this, and so the first one goes on, too. */
TEST_IN_TASK(test_zero_by_a_waiter)
{
	start_with(1);
	start(0, 0);
	start(1, -3);
	start(2, -4);
	operate_awake(2);
	EXPECT_WAKES(1, 0);
	operate_awake(4);
	EXPECT_WAKES(2);
}

/* What has been given to a waiter is its own: nobody who comes before it has run can take it. */
TEST_IN_TASK(test_nobody_comes_in_between)
{
	start_with(0);
	start(0, -1);
	operate_awake(1);
	assert_false(party[0].done);
	assert_true(semaphore.value == 0);
	operate_awake(0);
	EXPECT_WAKES(0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		machine_test(test_take_what_there_is),
		machine_test(test_one_addition_wakes_all),
		machine_test(test_oldest_go_first),
		machine_test(test_nobody_waits_behind_others),
		machine_test(test_wait_for_zero),
		machine_test(test_zero_by_a_waiter),
		machine_test(test_nobody_comes_in_between),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
