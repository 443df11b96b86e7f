/* SPDX-License-Identifier: GPL-2.0-or-later
 * Newidle balancing by the rules of 2.6.32 and 2.6.32.2, against cfs.md section 6 (the old side of checks C6.1 to C6.8). What 3.8
 * and 3.13 do in the same place is in test_newidle.c. */
#include "tests/unit/balancing.h"

/* That machine of one node with that release's switches, 20 ms after boot. */
static struct rq *boot_era(const char *release, unsigned llcs, unsigned cores, unsigned threads)
{
	char error[KNOB_ERROR_BYTES];

	test_machine(1, llcs, cores, threads);
	test_boot(SWITCH_LABELS);
	assert_int_equal(preset_apply(release, error), 0);
	sched_knobs_settle(nr_cpus);
	test_clock_set(20 * NSEC_PER_MSEC);
	test_apply_knobs();
	rq_update_clock(cpu_rq(0));
	return cpu_rq(0);
}

/* Two CPUs, as boot_pair() of test_newidle.c: so many cold tasks on CPU 1, one of them running, and one on CPU 0. */
static struct rq *boot_pair_era(const char *release, unsigned on_1)
{
	struct rq *rq = boot_era(release, 2, 1, 1);

	test_spinners(1, on_1);
	test_pin(test_spinners(0, 1), 0);
	test_clock_advance(NSEC_PER_MSEC);
	return rq;
}

static void heat(unsigned cpu)
{
	struct sched_entity *se;

	TAILQ_FOREACH(se, &cpu_rq(cpu)->cfs.tasks, peers)
		se->exec_start = machine_clock_ns();
}

static u64 attempts(const char *level)
{
	return test_domain(0, level)->counts[CPU_NEWLY_IDLE].count;
}

/* ---- whether ---- */

/* Section 6.2: 2.6.32 has no throttle, and measures no idle periods. */
static void test_no_throttle(void **state)
{
	struct rq *rq = boot_pair_era("v2.6.32", 3);

	(void)state;
	rq->avg_idle = 0;
	assert_ptr_not_equal(test_sleep(0), rq->idle);
	assert_int_equal(attempts("CPU"), 1);
}

static void test_no_stamp(void **state)
{
	struct rq *rq = boot_pair_era("v2.6.32", 1);

	(void)state;
	assert_ptr_equal(test_sleep(0), rq->idle);
	assert_int_equal(rq->idle_stamp, 0);
}

/* C6.1, 2.6.32.2: six idle periods of 50 us, and the seventh time nobody looks. */
static void test_short_idle_times_throttle(void **state)
{
	static const u64 expected[] = { 881250, 777343, 686425, 606871, 537262, 476354 };
	struct rq *rq = boot_pair_era("v2.6.32.2", 3);

	(void)state;
	for (unsigned i = 0; i < ARRAY_SIZE(expected); i++) {
		rq->idle_stamp = rq->clock;
		rq->clock += 50000;
		avg_idle_update(rq);
		assert_int_equal(rq->avg_idle, expected[i]);
	}
	assert_ptr_equal(test_sleep(0), rq->idle);
	assert_int_equal(attempts("CPU"), 0);
	assert_int_not_equal(rq->idle_stamp, 0);
}

/* C6.3, 2.6.32.2. */
static void test_one_long_idle_time(void **state)
{
	struct rq *rq = boot_era("v2.6.32.2", 2, 1, 1);

	(void)state;
	rq->avg_idle = 100000;
	rq->idle_stamp = rq->clock;
	rq->clock += 1000001;
	avg_idle_update(rq);
	assert_int_equal(rq->avg_idle, 1000000);
}

/* C6.4: with the flags cleared nobody looks, but the next balance is pulled in. */
static void test_newidle_off(void **state)
{
	struct rq *rq = boot_pair_era("v2.6.32", 3);

	(void)state;
	knob.newidle = NEWIDLE_OFF;
	test_apply_knobs();
	rq->next_balance = tick_now() - 1;
	assert_ptr_equal(test_sleep(0), rq->idle);
	assert_int_equal(attempts("CPU"), 0);
	assert_true(rq->next_balance <= tick_now() + 4);
}

/* ---- how far ---- */

/* Q6600: CPU 1 has three hot tasks, so the bottom level finds a queue and gets nothing of it. */
static struct rq *boot_hot(const char *release)
{
	struct rq *rq = boot_era(release, 2, 2, 1);

	test_spinners(1, 3);
	test_spinners(0, 1);
	heat(1);
	return rq;
}

/* C6.5: that ends the walk, as though something had been pulled; in 3.8 the level above is asked. */
static void test_failure_ends_the_walk(void **state)
{
	struct rq *rq = boot_hot("v2.6.32");
	struct sched_domain *mc = test_domain(0, "MC");

	(void)state;
	rq->next_balance = tick_now() + 5000;
	assert_ptr_equal(test_sleep(0), rq->idle);
	assert_int_equal(mc->counts[CPU_NEWLY_IDLE].count, 1);
	assert_int_equal(mc->counts[CPU_NEWLY_IDLE].failed, 1);
	assert_int_equal(attempts("CPU"), 0);
	assert_int_equal(rq->next_balance, mc->last_balance + 1); /* its interval is 1 ms */
}

static void test_failure_goes_on_when_common(void **state)
{
	boot_hot("v2.6.32");

	(void)state;
	knob.newidle_routine = NEWIDLE_ROUTINE_COMMON;
	test_sleep(0);
	assert_int_equal(attempts("CPU"), 1);
}

/* Section 6.2, 2.6.32.2: the stamp is erased, so that this idle period is no sample. */
static void test_failure_erases_the_stamp(void **state)
{
	struct rq *rq = boot_hot("v2.6.32.2");

	(void)state;
	assert_ptr_equal(test_sleep(0), rq->idle);
	assert_int_equal(attempts("MC"), 1);
	assert_int_equal(rq->idle_stamp, 0);
}

/* C6.5, SMT: a thread whose sibling is busy looks no further than its core. */
static void test_busy_sibling_ends_the_walk(void **state)
{
	(void)state;
	boot_era("v2.6.32", 1, 4, 2);
	test_spinners(4, 1);
	test_spinners(0, 1);
	test_domain(0, "SIBLING")->nr_balance_failed = 1;
	test_sleep(0);
	assert_int_equal(attempts("SIBLING"), 1);
	assert_int_equal(test_domain(0, "SIBLING")->counts[CPU_NEWLY_IDLE].balanced, 1);
	assert_int_equal(test_domain(0, "SIBLING")->nr_balance_failed, 1); /* section 6.3: zeroed on not-found, but not here */
	assert_int_equal(attempts("MC"), 0);
}

static void test_idle_sibling_lets_the_walk_go_on(void **state)
{
	(void)state;
	boot_era("v2.6.32", 1, 4, 2);
	test_spinners(5, 1);
	test_spinners(0, 1);
	test_domain(0, "SIBLING")->nr_balance_failed = 1;
	test_sleep(0);
	assert_int_equal(attempts("SIBLING"), 1);
	assert_int_equal(test_domain(0, "SIBLING")->nr_balance_failed, 0);
	assert_int_equal(attempts("MC"), 1);
}

/* ---- what it leaves behind: section 6.3 ---- */

/* Neither a failure nor the interval is noted in the domain, and nothing is taken by force. */
static void test_failure_leaves_no_trace(void **state)
{
	struct sched_domain *mc;

	(void)state;
	boot_hot("v2.6.32");
	mc = test_domain(0, "MC");
	mc->balance_interval = 4;
	mc->nr_balance_failed = 1; /* not enough for hot tasks to go */
	test_sleep(0);
	assert_int_equal(mc->nr_balance_failed, 1);
	assert_int_equal(mc->balance_interval, 4);
	assert_false(cpu_rq(1)->active_balance);
}

/* CPU 1 runs its only task that may come: with any number of failures it is not stopped for a newly idle CPU. */
static void test_no_push(void **state)
{
	struct rq *rq = boot_pair_era("v2.6.32", 1);

	(void)state;
	test_pin(test_task(1, 0), 1);
	test_settle_loads();
	rq->sd->nr_balance_failed = 100;
	test_sleep(0);
	assert_int_equal(rq->sd->counts[CPU_NEWLY_IDLE].failed, 1);
	assert_int_equal(rq->sd->nr_balance_failed, 100);
	assert_false(cpu_rq(1)->active_balance);
}

/* Success, and that there is nothing to find, end a series of failures; the interval stays. */
static void expect_series_ends(unsigned on_1, int pulled)
{
	struct rq *rq = boot_pair_era("v2.6.32", on_1);

	rq->sd->nr_balance_failed = 2;
	rq->sd->balance_interval = 2;
	test_sleep(0);
	assert_int_equal(rq->sd->counts[CPU_NEWLY_IDLE].gained, pulled);
	assert_int_equal(rq->sd->nr_balance_failed, 0);
	assert_int_equal(rq->sd->balance_interval, 2);
}

static void test_success_ends_a_series(void **state)
{
	(void)state;
	expect_series_ends(2, 1);
}

static void test_nothing_ends_a_series(void **state)
{
	(void)state;
	expect_series_ends(1, 0);
}

/* C6.6: max_pull = min(5120 - 2560, 5120 - 1024) = 2560: three tasks, or with preemption one. */
static void expect_pulled(u8 preempt, unsigned tasks)
{
	struct rq *rq = boot_pair_era("v2.6.32", 5);

	knob.preempt = preempt;
	assert_ptr_not_equal(test_sleep(0), rq->idle);
	assert_int_equal(rq->nr_running, tasks);
	assert_int_equal(rq->sd->counts[CPU_NEWLY_IDLE].imbalance, 2560);
}

static void test_pull_without_preemption(void **state)
{
	(void)state;
	expect_pulled(PREEMPT_NONE, 3);
}

static void test_pull_with_preemption(void **state)
{
	(void)state;
	expect_pulled(PREEMPT_FULL, 1);
}

/* C6.8 */
static void test_last_balance_is_periodic(void **state)
{
	struct rq *rq = boot_pair_era("v2.6.32", 1);
	u64 before = rq->sd->last_balance;

	(void)state;
	for (unsigned i = 1; i <= 20; i++) {
		test_clock_advance(10 * NSEC_PER_MSEC);
		if (i > 1)
			test_spinners(0, 1);
		test_sleep(0);
		assert_int_equal(attempts("CPU"), i);
	}
	assert_int_equal(rq->sd->last_balance, before);
}

/* ---- the lock: section 6.2 ---- */

/* A pull from a lower CPU has to let our own lock go, one from a higher CPU has not; either way it comes, and the lock order holds
 * (a miss is a fault of base/spinlock.c). */
static void expect_pull_between(unsigned from, unsigned to)
{
	boot_era("v2.6.32", 2, 1, 1);
	test_spinners(from, 3);
	test_pin(test_spinners(to, 1), to);
	test_clock_advance(NSEC_PER_MSEC);
	assert_ptr_not_equal(test_sleep(to), cpu_rq(to)->idle);
	assert_true(cpu_rq(to)->nr_running > 0);
}

static void test_held_pull_from_below(void **state)
{
	(void)state;
	expect_pull_between(0, 1);
}

static void test_held_pull_from_above(void **state)
{
	(void)state;
	expect_pull_between(1, 0);
}

/* Held in the common routine too, where a task that may only go to CPU 1 is taken there on our behalf: three queues are in play. */
static void test_held_for_a_sibling(void **state)
{
	struct sched_entity *se;

	(void)state;
	boot_era("v3.8", 2, 2, 1);
	knob.newidle_lock = NEWIDLE_LOCK_HELD;
	test_spinners(2, 4);
	test_spinners(0, 1);
	test_clock_advance(NSEC_PER_MSEC);
	TAILQ_FOREACH(se, &cpu_rq(2)->cfs.tasks, peers) {
		mask_unset(&task_of(se)->allowed, 0);
		task_of(se)->nr_allowed = 3;
	}
	assert_ptr_equal(test_sleep(0), cpu_rq(0)->idle);
	assert_true(cpu_rq(1)->nr_running > 0);
	assert_int_equal(test_domain(0, "CPU")->counts[CPU_NEWLY_IDLE].gained, cpu_rq(1)->nr_running);
}

/* ... and a push, which wakes a stopper, whose wakeup_lock comes before the lock that is held. */
static void test_held_push(void **state)
{
	struct rq *rq = boot_pair_era("v3.8", 1);

	(void)state;
	knob.newidle_lock = NEWIDLE_LOCK_HELD;
	test_pin(test_task(1, 0), 1);
	rq->sd->nr_balance_failed = rq->sd->cache_nice_tries + 3;
	test_sleep(0);
	assert_true(cpu_rq(1)->active_balance);
	assert_int_equal(cpu_rq(1)->push_cpu, 0);
}

/* The knobs are set for a run that is to come while this CPU looks around. What it does about its lock it has decided before. */
static void change_the_lock(enum cost cost)
{
	if (cost == COST_BALANCE)
		knob.newidle_lock = knob.newidle_lock == NEWIDLE_LOCK_HELD ? NEWIDLE_LOCK_DROPPED : NEWIDLE_LOCK_HELD;
}

/* A miss is a fault of base/spinlock.c. CPUs 0 and 1 are a core, 2 and 3 another, so there are two passes and so two changes where
 * nothing is found in the first, and then three. */
static void expect_one_mind(u8 newidle_lock)
{
	for (unsigned busy = 1; busy <= 2; busy++) {
		knob.newidle_lock = newidle_lock;
		test_spinners(busy, 3);
		test_pin(test_spinners(0, 1), 0);
		test_clock_advance(20 * NSEC_PER_MSEC);
		test_on_charge = change_the_lock;
		test_sleep(0);
		test_on_charge = NULL;
		assert_true(spin_held(&cpu_rq(0)->lock) == false);
		assert_int_equal(cpu_rq(0)->balancing, 0);
	}
}

static void test_lock_changes_to_held(void **state)
{
	(void)state;
	boot_era("v3.8", 2, 1, 2);
	expect_one_mind(NEWIDLE_LOCK_DROPPED);
}

static void test_lock_changes_to_dropped(void **state)
{
	(void)state;
	boot_era("v3.8", 2, 1, 2);
	expect_one_mind(NEWIDLE_LOCK_HELD);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		machine_test(test_no_throttle),
		machine_test(test_no_stamp),
		machine_test(test_short_idle_times_throttle),
		machine_test(test_one_long_idle_time),
		machine_test(test_newidle_off),
		machine_test(test_failure_ends_the_walk),
		machine_test(test_failure_goes_on_when_common),
		machine_test(test_failure_erases_the_stamp),
		machine_test(test_busy_sibling_ends_the_walk),
		machine_test(test_idle_sibling_lets_the_walk_go_on),
		machine_test(test_failure_leaves_no_trace),
		machine_test(test_no_push),
		machine_test(test_success_ends_a_series),
		machine_test(test_nothing_ends_a_series),
		machine_test(test_pull_without_preemption),
		machine_test(test_pull_with_preemption),
		machine_test(test_last_balance_is_periodic),
		machine_test(test_held_pull_from_below),
		machine_test(test_held_pull_from_above),
		machine_test(test_held_for_a_sibling),
		machine_test(test_held_push),
		machine_test(test_lock_changes_to_held),
		machine_test(test_lock_changes_to_dropped),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
