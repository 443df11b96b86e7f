/* SPDX-License-Identifier: GPL-2.0-or-later
 * Wait queues, and sleeping by the timer: who is woken, in which order, with which hint (workloads.md 1). */
#include "tests/unit/talking.h"

#include "ipc/sleep.h"

struct waiting {
	struct party party; /* first */
	struct waitq *q;
	bool exclusive;
};

static void wait_once(void *argument)
{
	struct waiting *w = argument;
	struct waiter waiter = { .queued = false };

	waitq_prepare(w->q, &waiter, w->exclusive);
	schedule();
	waitq_finish(w->q, &waiter);
	w->party.done++;
}

static void start_waiting(struct waiting *w, struct waitq *q, bool exclusive)
{
	*w = (struct waiting){ .q = q, .exclusive = exclusive };
	start(&w->party, wait_once);
	let_others_run();
	assert_true(sleeps(&w->party));
}

static void expect_woken(const struct waiting *w, const unsigned *order, unsigned n, unsigned flags)
{
	assert_int_equal(noted.nr, n);
	for (unsigned i = 0; i < n; i++) {
		assert_ptr_equal(noted.wake[i].task, w[order[i]].party.task);
		assert_int_equal(noted.wake[i].flags, flags);
	}
	noted.nr = 0;
}

/* Waiters 0, 2, 4 are exclusive, 1, 3, 5 are not, asleep in that order: first all that are not, newest first, then as many
 * exclusive ones as asked for, oldest first. */
TEST_IN_TASK(test_waitq_order)
{
	struct waiting w[6];
	struct waitq q;

	waitq_init(&q);
	assert_false(waitq_has_sleeper(&q));
	assert_int_equal(waitq_wake(&q, 1, WAKE_SYNC), 0);
	for (unsigned i = 0; i < 6; i++)
		start_waiting(&w[i], &q, i % 2 == 0);
	assert_true(waitq_has_sleeper(&q));
	assert_int_equal(waitq_wake(&q, 1, WAKE_SYNC), 4);
	expect_woken(w, (const unsigned[]){ 5, 3, 1, 0 }, 4, WAKE_SYNC);
	assert_true(waitq_has_sleeper(&q));
	assert_int_equal(waitq_wake(&q, 0, WAKE_SYNC), 0);
	assert_int_equal(waitq_wake(&q, 5, 0), 2);
	expect_woken(w, (const unsigned[]){ 2, 4 }, 2, 0);
	assert_false(waitq_has_sleeper(&q));
	let_others_run();
	for (unsigned i = 0; i < 6; i++)
		assert_int_equal(w[i].party.done, 1);
}

/* workloads.md 1: who is woken leaves the queue at once; a second event before it has run finds nobody. */
TEST_IN_TASK(test_waitq_leave_when_woken)
{
	struct waiting w;
	struct waitq q;

	waitq_init(&q);
	start_waiting(&w, &q, false);
	assert_int_equal(waitq_wake(&q, 1, 0), 1);
	assert_false(waitq_has_sleeper(&q));
	assert_int_equal(waitq_wake(&q, 1, 0), 0);
	expect_woken(&w, (const unsigned[]){ 0 }, 1, 0);
	let_others_run();
	assert_int_equal(w.party.done, 1);
}

/* The event has come between queueing and sleeping: finishing leaves the queue and the task runs on, whether it was woken or not.
 */
TEST_IN_TASK(test_waitq_event_before_sleep)
{
	struct waiter w = { .queued = false };
	struct waitq q;

	waitq_init(&q);
	waitq_prepare(&q, &w, false);
	assert_true(waitq_has_sleeper(&q) && w.queued);
	waitq_prepare(&q, &w, false);
	waitq_finish(&q, &w);
	assert_false(waitq_has_sleeper(&q) || w.queued);
	assert_int_equal(current()->state, TASK_RUNNING);
	waitq_prepare(&q, &w, true);
	assert_int_equal(waitq_wake(&q, 1, 0), 1);
	assert_false(waitq_has_sleeper(&q) || w.queued);
	schedule();
	waitq_finish(&q, &w);
	assert_int_equal(current()->state, TASK_RUNNING);
}

/* Preparing again does not move a waiter that is still queued; one that was woken goes to its kind's end once more. */
TEST_IN_TASK(test_waitq_prepare_again)
{
	struct waiter w = { .queued = false };
	struct waiting other;
	struct waitq q;

	waitq_init(&q);
	waitq_prepare(&q, &w, true);
	task_set_running();
	start_waiting(&other, &q, true);
	waitq_prepare(&q, &w, true);
	assert_ptr_equal(TAILQ_FIRST(&q.waiters), &w);
	assert_int_equal(waitq_wake(&q, 1, 0), 1);
	waitq_prepare(&q, &w, true);
	assert_ptr_equal(TAILQ_NEXT(TAILQ_FIRST(&q.waiters), peers), &w);
	waitq_finish(&q, &w);
	assert_int_equal(waitq_wake(&q, 2, 0), 1);
	let_others_run();
	assert_int_equal(other.party.done, 1);
}

/* ---- sleeping ---- */

/* An idle CPU's timer goes off when it should: the clock says exactly how long. */
TEST_IN_TASK(test_sleep_exactly)
{
	u64 before = machine_clock_ns();

	sleep_ns(1234567);
	assert_true(machine_clock_ns() == before + 1234567);
	sleep_ns(0);
	assert_true(machine_clock_ns() == before + 1234567);
}

static void sleep_once(void *argument)
{
	struct party *p = argument;

	sleep_ns(NSEC_PER_MSEC);
	p->done++;
}

/* workloads.md 1: a wakeup by the timer carries no sync hint. The main task works meanwhile. */
TEST_IN_TASK(test_sleep_is_not_sync)
{
	struct party p = { .done = 0 };

	start(&p, sleep_once);
	yield();
	for (unsigned ms = 0; !sleeps(&p) && ms < 50; ms++) {
		machine_work_ns(NSEC_PER_MSEC);
		yield();
	}
	assert_true(sleeps(&p));
	machine_work_ns(2 * NSEC_PER_MSEC);
	assert_int_equal(noted.nr, 1);
	assert_ptr_equal(noted.wake[0].task, p.task);
	assert_int_equal(noted.wake[0].flags, 0);
	let_others_run();
	assert_int_equal(p.done, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		machine_test(test_waitq_order),
		machine_test(test_waitq_leave_when_woken),
		machine_test(test_waitq_event_before_sleep),
		machine_test(test_waitq_prepare_again),
		machine_test(test_sleep_exactly),
		machine_test(test_sleep_is_not_sync),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
