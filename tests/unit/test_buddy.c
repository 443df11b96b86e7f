/* SPDX-License-Identifier: GPL-2.0-or-later
 * Buddies, against cfs.md section 3: how a pick uses the pointers (the table C3.1 to C3.5, one column per value of the knob
 * buddy_pick), who sets them (C3.6 to C3.8, buddy_set) and when they count as cache hot (C3.10, buddy_hot); `skip` is
 * test_yield.c's. A miss in one column only is a release's rule gone wrong; a miss in one row of all columns is the acceptance
 * test. */
#include "tests/unit/machine.h"

#include "sched/rq.h"

/* One CPU: latency 6 ms, minimum and wakeup granularity 0.75 ms and 1 ms. */
static struct cfs_rq *boot(void)
{
	test_machine(1, 1, 1, 1);
	test_boot(SWITCH_LABELS);
	return &cpu_rq(0)->cfs;
}

/* The tunables of 2.6.32-rc1 and 2.6.32 on one CPU: 5 tasks share a latency. */
static struct cfs_rq *boot_32(u8 buddy_set)
{
	struct cfs_rq *cfs = boot();

	knob.sched_latency_ns = 5000000;
	knob.sched_min_granularity_ns = 1000000;
	knob.buddy_set = buddy_set;
	assert_int_equal(cfs_nr_latency(), 5);
	return cfs;
}

/* ---- picking ---- */

enum who { NONE, LEFT, NEXT, LAST };

/* What a pick returns, and where the two pointers are afterwards. */
struct outcome {
	enum who picked, next, last;
};

enum { COLUMNS = 6 };

static const struct {
	const char *name;
	u8 buddy_pick;
	u8 next_buddy; /* the feature */
} column[COLUMNS] = {
	{ "rc1", BUDDY_PICK_CLEAR_ALL, 0 },
	{ "rc1+P2", BUDDY_PICK_CLEAR_SEEN, 0 },
	{ "seed, NEXT off", BUDDY_PICK_KEEP, 0 },
	{ "seed, NEXT on", BUDDY_PICK_KEEP, 1 },
	{ "32", BUDDY_PICK_LAST_FIRST, 0 },
	{ "3.8", BUDDY_PICK_NEXT_FIRST, 0 },
};

struct trio {
	struct task *task[4]; /* by enum who */
};

static enum who who_is(const struct trio *trio, const struct sched_entity *se)
{
	for (enum who w = LEFT; w <= LAST; w++)
		if (trio->task[w] && se == &trio->task[w]->se)
			return w;
	assert_null(se);
	return NONE;
}

/* Leftmost at 0, `next` and `last` so far right of it; last_ns < 0: there is none. */
static void expect_picks(s64 next_ns, s64 last_ns, const struct outcome *expected)
{
	struct cfs_rq *cfs = boot();
	struct trio trio = { .task = { NULL } };
	u64 base = cfs->min_vruntime;

	trio.task[LEFT] = test_task(0, 0);
	trio.task[NEXT] = test_task(0, 0);
	trio.task[LAST] = last_ns >= 0 ? test_task(0, 0) : NULL;
	test_place(trio.task[LEFT], base);
	test_place(trio.task[NEXT], base + (u64)next_ns);
	if (last_ns >= 0)
		test_place(trio.task[LAST], base + (u64)last_ns);
	for (unsigned i = 0; i < COLUMNS; i++) {
		struct outcome got;

		knob.buddy_pick = column[i].buddy_pick;
		knob.NEXT_BUDDY = column[i].next_buddy;
		cfs->next = &trio.task[NEXT]->se;
		cfs->last = last_ns >= 0 ? &trio.task[LAST]->se : NULL;
		got.picked = who_is(&trio, buddy_pick(cfs));
		got.next = who_is(&trio, cfs->next);
		got.last = who_is(&trio, cfs->last);
		if (memcmp(&got, &expected[i], sizeof(got)))
			fail_msg("%s: picked %d, next %d, last %d; expected %d, %d, %d (1 leftmost, 2 next, 3 last)",
				column[i].name, got.picked, got.next, got.last, expected[i].picked, expected[i].next,
				expected[i].last);
	}
}

/* C3.1 */
static void test_both_acceptable(void **state)
{
	static const struct outcome c3_1[COLUMNS] = {
		{ NEXT, NONE, NONE },
		{ NEXT, NONE, LAST },
		{ LAST, NEXT, NONE },
		{ NEXT, NONE, LAST },
		{ LAST, NEXT, NONE },
		{ NEXT, NONE, LAST },
	};

	(void)state;
	expect_picks(500000, 900000, c3_1);
}

/* C3.2 */
static void test_next_too_far(void **state)
{
	static const struct outcome c3_2[COLUMNS] = {
		{ LAST, NONE, NONE },
		{ LAST, NONE, NONE },
		{ LAST, NEXT, NONE },
		{ LAST, NEXT, NONE },
		{ LAST, NEXT, NONE },
		{ LAST, NEXT, NONE },
	};

	(void)state;
	expect_picks(1500000, 900000, c3_2);
}

/* C3.3 */
static void test_last_too_far(void **state)
{
	static const struct outcome c3_3[COLUMNS] = {
		{ NEXT, NONE, NONE },
		{ NEXT, NONE, LAST },
		{ LEFT, NEXT, LAST },
		{ NEXT, NONE, LAST },
		{ NEXT, NONE, LAST },
		{ NEXT, NONE, LAST },
	};

	(void)state;
	expect_picks(500000, 1500000, c3_3);
}

/* C3.4: rc1+P2 forgets both on sight (section 3.3). */
static void test_both_too_far(void **state)
{
	static const struct outcome c3_4[COLUMNS] = {
		{ LEFT, NONE, NONE },
		{ LEFT, NONE, NONE },
		{ LEFT, NEXT, LAST },
		{ LEFT, NEXT, LAST },
		{ LEFT, NEXT, LAST },
		{ LEFT, NEXT, LAST },
	};

	(void)state;
	expect_picks(1500000, 1500000, c3_4);
}

/* C3.5: exactly the granularity is still acceptable. */
static void test_next_at_the_granularity(void **state)
{
	static const struct outcome c3_5[COLUMNS] = {
		{ NEXT, NONE, NONE },
		{ NEXT, NONE, NONE },
		{ LEFT, NEXT, NONE },
		{ NEXT, NONE, NONE },
		{ NEXT, NONE, NONE },
		{ NEXT, NONE, NONE },
	};

	(void)state;
	expect_picks(1000000, -1, c3_5);
}

/* The other side of C3.5. */
static void test_next_beyond_the_granularity(void **state)
{
	static const struct outcome expected[COLUMNS] = {
		{ LEFT, NONE, NONE },
		{ LEFT, NONE, NONE },
		{ LEFT, NEXT, NONE },
		{ LEFT, NEXT, NONE },
		{ LEFT, NEXT, NONE },
		{ LEFT, NEXT, NONE },
	};

	(void)state;
	expect_picks(1000001, -1, expected);
}

/* Section 3.4, seed: LAST_BUDDY is looked at when picking. */
static void test_seed_without_last_buddy(void **state)
{
	struct cfs_rq *cfs = boot();
	struct task *left = test_task(0, 0), *last = test_task(0, 0);

	(void)state;
	knob.buddy_pick = BUDDY_PICK_KEEP;
	knob.LAST_BUDDY = 0;
	cfs->last = &last->se;
	assert_ptr_equal(buddy_pick(cfs), &left->se);
	assert_ptr_equal(cfs->last, &last->se);
}

/* ---- setting ---- */

/* Queue n tasks of nice 0 on CPU 0, with one running, and wake another that lags so far behind; it is returned. */
static struct task *wake_among(unsigned n, s64 lag_ns)
{
	struct task *t;

	test_spinners(0, n);
	t = test_sleeper(0, 0, -lag_ns);
	assert_true(task_wake(t, 0));
	return t;
}

static void expect_pointers(const struct task *next, const struct task *last)
{
	const struct cfs_rq *cfs = &cpu_rq(0)->cfs;

	assert_ptr_equal(cfs->next, next ? &next->se : NULL);
	assert_ptr_equal(cfs->last, last ? &last->se : NULL);
}

/* C3.6, 3.8, NEXT_BUDDY off, 2 tasks: a wakeup that preempts sets next; the pick takes and clears it; last is for 8 tasks and more.
 */
static void test_38_preemption_sets_next(void **state)
{
	struct task *curr, *t;

	(void)state;
	boot();
	t = wake_among(1, 2000000);
	curr = cpu_rq(0)->curr;
	assert_true(curr->need_resched);
	expect_pointers(t, NULL);
	assert_ptr_equal(test_schedule(0), t);
	expect_pointers(NULL, NULL);
}

/* C3.6: the wakee makes it 8. */
static void test_38_preemption_among_8_sets_last(void **state)
{
	struct task *curr, *t;

	(void)state;
	boot();
	t = wake_among(7, 2000000);
	curr = cpu_rq(0)->curr;
	expect_pointers(t, curr);
	assert_ptr_equal(test_schedule(0), t);
	expect_pointers(NULL, curr);
	assert_ptr_equal(test_sleep(0), curr); /* who was preempted gets the CPU back, before equals that came earlier */
}

static void test_38_preemption_among_7_sets_no_last(void **state)
{
	struct task *t;

	(void)state;
	boot();
	t = wake_among(6, 2000000);
	expect_pointers(t, NULL);
}

/* Section 2.4, step 5: without preemption only NEXT_BUDDY marks the wakee, in a long queue, and not a new task. */
static void test_38_wakeup_without_preemption(void **state)
{
	struct task *t;

	(void)state;
	boot();
	t = wake_among(7, 0);
	assert_false(cpu_rq(0)->curr->need_resched);
	expect_pointers(NULL, NULL);
	knob.NEXT_BUDDY = 1;
	t = test_sleeper(0, 0, 0);
	task_wake(t, 0);
	expect_pointers(t, NULL);
	cpu_rq(0)->cfs.next = NULL;
	fair_check_preempt(cpu_rq(0), t, WAKE_FORK);
	expect_pointers(NULL, NULL);
}

static void test_38_next_buddy_in_a_short_queue(void **state)
{
	(void)state;
	boot();
	knob.NEXT_BUDDY = 1;
	wake_among(6, 0);
	expect_pointers(NULL, NULL);
}

/* C12.1, NO_LAST_BUDDY: `next` alone. */
static void test_38_without_last_buddy(void **state)
{
	(void)state;
	boot();
	knob.LAST_BUDDY = 0;
	expect_pointers(wake_among(7, 2000000), NULL);
}

/* Section 3.2, 3.8: a new task that preempts is `next` too. */
static void test_38_fork_that_preempts(void **state)
{
	struct task *t;

	(void)state;
	boot();
	test_spinners(0, 1);
	t = test_task(0, 0);
	test_place(t, cpu_rq(0)->curr->se.vruntime - 2000000);
	fair_check_preempt(cpu_rq(0), t, WAKE_FORK);
	expect_pointers(t, NULL);
}

/* Section 2.4, step 6: a CPU that is to be rescheduled anyway is not asked again, so the next pointer stays with the first. */
static void test_38_second_wakeup_before_the_reschedule(void **state)
{
	struct task *first, *second;

	(void)state;
	boot();
	first = wake_among(1, 2000000);
	second = test_sleeper(0, 0, -3000000);
	task_wake(second, 0);
	expect_pointers(first, NULL);
}

/* C3.7, 32, NEXT_BUDDY off: 4 tasks set neither; with the 5th `last` is set on preemption, `next` is not. */
static void test_32_preemption_among_4(void **state)
{
	(void)state;
	boot_32(BUDDY_SET_PREEMPT);
	wake_among(3, 2000000);
	assert_true(cpu_rq(0)->curr->need_resched);
	expect_pointers(NULL, NULL);
}

static void test_32_preemption_among_5(void **state)
{
	(void)state;
	boot_32(BUDDY_SET_PREEMPT);
	wake_among(4, 2000000);
	assert_true(cpu_rq(0)->curr->need_resched);
	expect_pointers(NULL, cpu_rq(0)->curr);
}

/* Section 2.4, 32, step 5: with NEXT_BUDDY a wakeup among 5 marks the wakee whatever comes of it, one among 4 does not. */
static void test_32_next_buddy(void **state)
{
	struct task *t;

	(void)state;
	boot_32(BUDDY_SET_PREEMPT);
	knob.NEXT_BUDDY = 1;
	wake_among(3, 0);
	expect_pointers(NULL, NULL);
	t = test_sleeper(0, 0, 0);
	task_wake(t, 0);
	expect_pointers(t, NULL);
}

static void test_32_without_last_buddy(void **state)
{
	(void)state;
	boot_32(BUDDY_SET_PREEMPT);
	knob.LAST_BUDDY = 0;
	wake_among(4, 2000000);
	expect_pointers(NULL, NULL);
}

/* Section 3.2, rc1: every wakeup sets `last`, whatever comes of it; `next` only with NEXT_BUDDY. */
static void test_rc1_wakeup(void **state)
{
	struct task *t;

	(void)state;
	boot_32(BUDDY_SET_WAKEUP);
	wake_among(1, 0);
	expect_pointers(NULL, cpu_rq(0)->curr);
	knob.NEXT_BUDDY = 1;
	t = test_sleeper(0, 0, 0);
	task_wake(t, 0);
	expect_pointers(t, cpu_rq(0)->curr);
}

/* C3.8, rc1: a fork sets `last` but not `next`, with NEXT_BUDDY on as well. */
static void test_rc1_fork(void **state)
{
	struct task *t;

	(void)state;
	boot_32(BUDDY_SET_WAKEUP);
	knob.NEXT_BUDDY = 1;
	test_spinners(0, 1);
	t = test_task(0, 0);
	fair_check_preempt(cpu_rq(0), t, WAKE_FORK);
	expect_pointers(NULL, cpu_rq(0)->curr);
}

/* Section 3.2, seed: no feature is asked. */
static void test_seed_wakeup(void **state)
{
	struct task *t;

	(void)state;
	boot_32(BUDDY_SET_ALWAYS);
	knob.LAST_BUDDY = 0;
	t = wake_among(1, 0);
	expect_pointers(t, cpu_rq(0)->curr);
}

/* C3.8, seed: a fork sets nothing. */
static void test_seed_fork(void **state)
{
	struct task *t;

	(void)state;
	boot_32(BUDDY_SET_ALWAYS);
	test_spinners(0, 1);
	t = test_task(0, 0);
	fair_check_preempt(cpu_rq(0), t, WAKE_FORK);
	expect_pointers(NULL, NULL);
}

/* Section 3.1: tasks of the idle policy are nobody's buddy, here neither the wakee nor the running one. */
static void test_idle_policy_is_no_buddy(void **state)
{
	struct task *curr, *t;

	(void)state;
	boot_32(BUDDY_SET_ALWAYS);
	curr = test_spinners(0, 1);
	task_set_policy(curr, POLICY_IDLE);
	t = test_sleeper(0, 0, 0);
	task_set_policy(t, POLICY_IDLE);
	task_wake(t, 0);
	expect_pointers(NULL, NULL);
}

/* ---- clearing ---- */

/* Section 3.3: leaving the queue clears pointers to the one that leaves, no others. */
static void test_dequeue_clears(void **state)
{
	struct cfs_rq *cfs = boot();
	struct task *curr = test_spinners(0, 2), *other = task_of(cfs->leftmost);

	(void)state;
	cfs->next = cfs->skip = &curr->se;
	cfs->last = &other->se;
	assert_ptr_equal(test_sleep(0), other);
	assert_null(cfs->next);
	assert_null(cfs->skip);
}

/* Section 3.3: so does a slice that ends. */
static void test_end_of_slice_clears(void **state)
{
	struct cfs_rq *cfs = boot();
	struct task *curr = test_spinners(0, 2), *other = task_of(cfs->leftmost);

	(void)state;
	cfs->next = &curr->se;
	cfs->last = &other->se;
	curr->se.sum_exec = curr->se.prev_sum_exec + 3000001;
	fair_check_tick(cfs, &curr->se);
	expect_pointers(NULL, other);
}

/* ---- cache hot ---- */

/* CPU 1 has n tasks, one of them running and one its `last` buddy, which ran 10 ms ago; CPU 0 has so many. Would CPU 0 find it hot?
 */
static bool last_is_hot(u8 buddy_hot, unsigned n, unsigned here)
{
	struct task *t;

	test_machine(1, 1, 2, 1);
	test_boot(SWITCH_LABELS);
	knob.sched_latency_ns = 5000000;
	knob.sched_min_granularity_ns = 1000000;
	knob.buddy_hot = buddy_hot;
	t = test_spinners(1, n);
	test_clock_advance(10 * NSEC_PER_MSEC);
	if (here)
		test_spinners(0, here);
	cpu_rq(1)->cfs.last = cpu_rq(1)->cfs.leftmost;
	t = task_of(cpu_rq(1)->cfs.last);
	test_on_cpu(0);
	return task_is_hot(t, machine_clock_ns());
}

/* C3.10, 32 (and 3.8): seen from a CPU with running tasks it is hot, from one about to go idle it is not. */
static void test_hot_for_a_busy_cpu(void **state)
{
	(void)state;
	assert_true(last_is_hot(BUDDY_HOT_HERE_RUNNING, 2, 1));
}

static void test_cold_for_a_newly_idle_cpu(void **state)
{
	(void)state;
	assert_false(last_is_hot(BUDDY_HOT_HERE_RUNNING, 9, 0));
}

/* C3.10, seed: hot where the source has 5 tasks; whether this CPU is busy does not matter. */
static void test_seed_hot_in_a_long_queue(void **state)
{
	(void)state;
	assert_true(last_is_hot(BUDDY_HOT_SOURCE_BUSY, 5, 0));
}

static void test_seed_cold_in_a_short_queue(void **state)
{
	(void)state;
	assert_false(last_is_hot(BUDDY_HOT_SOURCE_BUSY, 4, 1));
}

/* Section 3.6, rc1: always. */
static void test_rc1_always_hot(void **state)
{
	(void)state;
	assert_true(last_is_hot(BUDDY_HOT_ANY, 2, 0));
}

static void test_without_cache_hot_buddy(void **state)
{
	struct task *t;

	(void)state;
	assert_true(last_is_hot(BUDDY_HOT_ANY, 2, 0));
	t = task_of(cpu_rq(1)->cfs.last);
	knob.CACHE_HOT_BUDDY = 0;
	assert_false(task_is_hot(t, machine_clock_ns()));
}

/* Section 3.6: hot for less than the migration cost after it stopped running; the idle policy never; cost 0 never, -1 always. */
static void test_hot_by_time(void **state)
{
	struct task *t;

	(void)state;
	boot();
	t = test_task(0, 0);
	t->se.exec_start = 1000000;
	assert_true(task_is_hot(t, 1499999));
	assert_false(task_is_hot(t, 1500000));
	knob.sched_migration_cost_ns = 0;
	assert_false(task_is_hot(t, 1000000));
	knob.sched_migration_cost_ns = MIGRATION_COST_ALWAYS_HOT;
	assert_true(task_is_hot(t, 3600 * NSEC_PER_SEC));
	task_set_policy(t, POLICY_IDLE);
	assert_false(task_is_hot(t, 1000000));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		machine_test(test_both_acceptable),
		machine_test(test_next_too_far),
		machine_test(test_last_too_far),
		machine_test(test_both_too_far),
		machine_test(test_next_at_the_granularity),
		machine_test(test_next_beyond_the_granularity),
		machine_test(test_seed_without_last_buddy),
		machine_test(test_38_preemption_sets_next),
		machine_test(test_38_preemption_among_8_sets_last),
		machine_test(test_38_preemption_among_7_sets_no_last),
		machine_test(test_38_wakeup_without_preemption),
		machine_test(test_38_next_buddy_in_a_short_queue),
		machine_test(test_38_without_last_buddy),
		machine_test(test_38_fork_that_preempts),
		machine_test(test_38_second_wakeup_before_the_reschedule),
		machine_test(test_32_preemption_among_4),
		machine_test(test_32_preemption_among_5),
		machine_test(test_32_next_buddy),
		machine_test(test_32_without_last_buddy),
		machine_test(test_rc1_wakeup),
		machine_test(test_rc1_fork),
		machine_test(test_seed_wakeup),
		machine_test(test_seed_fork),
		machine_test(test_idle_policy_is_no_buddy),
		machine_test(test_dequeue_clears),
		machine_test(test_end_of_slice_clears),
		machine_test(test_hot_for_a_busy_cpu),
		machine_test(test_cold_for_a_newly_idle_cpu),
		machine_test(test_seed_hot_in_a_long_queue),
		machine_test(test_seed_cold_in_a_short_queue),
		machine_test(test_rc1_always_hot),
		machine_test(test_without_cache_hot_buddy),
		machine_test(test_hot_by_time),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
