/* SPDX-License-Identifier: GPL-2.0-or-later
 * Per-entity load tracking, against cfs.md 8.2 (checks C8.4 to C8.6). The arithmetic is exact, so every number is: a miss by one is
 * a division or a shift in another place. PERIOD_NS is both a period of the sums and a step of the sleepers' decay. */
#include "tests/unit/machine.h"

#include "sched/rq.h"

enum { PERIOD_NS = 1024 * 1024 };

/* ---- the arithmetic ---- */

/* C8.4. */
static void test_series(void **state)
{
	(void)state;
	assert_int_equal(pelt_series(0), 0);
	assert_int_equal(pelt_series(1), 1002);
	assert_int_equal(pelt_series(32), 23371);
	assert_int_equal(pelt_series(33), 23872);
	assert_int_equal(pelt_series(64), 35055);
	assert_int_equal(pelt_series(100), 41384);
	assert_int_equal(pelt_series(200), 46127);
	assert_int_equal(pelt_series(344), 46714);
	assert_int_equal(pelt_series(345), 47742);
	assert_int_equal(pelt_series(1ull << 40), 47742);
}

/* C8.4; and a multiple of the half-life still multiplies by slightly less than 1. */
static void test_decay(void **state)
{
	(void)state;
	assert_int_equal(pelt_decay(1024, 0), 1024);
	assert_int_equal(pelt_decay(1024, 1), 1002);
	assert_int_equal(pelt_decay(1024, 8), 861);
	assert_int_equal(pelt_decay(1024, 16), 724);
	assert_int_equal(pelt_decay(1024, 32), 511);
	assert_int_equal(pelt_decay(1024, 64), 255);
	assert_int_equal(pelt_decay(1024, 100), 117);
	assert_int_equal(pelt_decay(1024, 345), 0);
	assert_int_equal(pelt_decay(0xffffffff, 2016), 0);
	assert_int_equal(pelt_decay(0xffffffff, 2017), 0);
}

static u64 contribution(const struct sched_avg *avg, u64 weight)
{
	return avg->sum * weight / (avg->period + 1);
}

/* C8.5: with updates of a period each, sum and period after n of them; what a nice-0 task then contributes. */
static void test_always_runnable(void **state)
{
	static const struct {
		unsigned n, sum;
	} expected[] = { { 1, 1002 }, { 2, 2004 }, { 10, 9228 }, { 32, 23626 }, { 100, 41840 }, { 345, 47096 } };
	struct sched_avg avg = { .sum = 0 };
	unsigned row = 0;

	(void)state;
	for (unsigned n = 1; n <= 345; n++) {
		assert_true(pelt_update(&avg, (u64)n * PERIOD_NS, true));
		assert_int_equal(contribution(&avg, 1024), n == 1 ? 1022 : 1023);
		if (n != expected[row].n)
			continue;
		assert_int_equal(avg.sum, expected[row].sum);
		assert_int_equal(avg.period, expected[row].sum);
		row++;
	}
	assert_int_equal(row, ARRAY_SIZE(expected));
}

static u64 spend(struct sched_avg *avg, u64 *now, unsigned ms, bool runnable)
{
	for (unsigned i = 0; i < ms; i++) {
		*now += NSEC_PER_MSEC;
		pelt_update(avg, *now, runnable);
	}
	return contribution(avg, 1024);
}

/* C8.6: what is contributed at the end of running and at the end of sleeping, after 400 rounds. */
static void test_duty_cycles(void **state)
{
	static const struct {
		unsigned run_ms, sleep_ms, low, high;
	} cycle[] = { { 8, 1, 900, 919 }, { 1, 8, 103, 123 }, { 1, 1, 506, 517 }, { 5, 5, 484, 539 }, { 16, 16, 424, 598 },
		{ 32, 32, 342, 680 } };

	(void)state;
	for (unsigned i = 0; i < ARRAY_SIZE(cycle); i++) {
		struct sched_avg avg = { .sum = 0 };
		u64 now = 0, high = 0, low = 0;

		for (unsigned round = 0; round < 400; round++) {
			high = spend(&avg, &now, cycle[i].run_ms, true);
			low = spend(&avg, &now, cycle[i].sleep_ms, false);
		}
		assert_int_equal(high, cycle[i].high);
		assert_int_equal(low, cycle[i].low);
	}
}

/* 8.2: below a unit nothing happens and the time is kept; what is beyond whole units is lost; a clock behind only sets the time. */
static void test_fractions(void **state)
{
	struct sched_avg avg = { .last_update = 5000 };

	(void)state;
	assert_false(pelt_update(&avg, 5000 + 1023, true));
	assert_int_equal(avg.last_update, 5000);
	assert_int_equal(avg.period, 0);
	assert_false(pelt_update(&avg, 5000 + 3000, true));
	assert_int_equal(avg.last_update, 8000);
	assert_int_equal(avg.sum, 2);
	assert_false(pelt_update(&avg, 7000, true));
	assert_int_equal(avg.last_update, 7000);
	assert_int_equal(avg.sum, 2);
	assert_false(pelt_update(&avg, 7000 + 1021 * 1024, false)); /* 1023 units: the period has one more */
	assert_int_equal(avg.period, 1023);
	assert_true(pelt_update(&avg, 7000 + 1022 * 1024, false)); /* 1024: it ends, and counts y of itself: 1002; sum 2 y = 1.96 */
	assert_int_equal(avg.period, 1002);
	assert_int_equal(avg.sum, 1);
}

/* ---- queues and tasks ---- */

static void boot(unsigned cpus, u8 policy)
{
	test_machine(1, 1, cpus, 1);
	test_boot(SWITCH_LABELS);
	test_clock_advance(NSEC_PER_SEC);
	knob.policy = policy;
	test_apply_knobs();
}

/* A nice-0 task that has run for a period on CPU 0 and gone to sleep: sum 1002 of 1002, contribution 1002 * 1024 / 1003 = 1022. */
static struct task *one_period_then_asleep(void)
{
	struct task *t = test_task(0, 0);

	test_schedule(0);
	test_clock_advance(PERIOD_NS);
	test_sleep(0);
	assert_int_equal(t->se.avg.sum, 1002);
	assert_int_equal(t->se.avg.contribution, 1022);
	return t;
}

/* C9.1: with policy=performance nothing is kept. */
static void test_off(void **state)
{
	struct task *t;

	(void)state;
	boot(1, SCHED_POLICY_PERFORMANCE);
	t = test_task(0, 0);
	test_schedule(0);
	test_clock_advance(PERIOD_NS);
	test_sleep(0);
	assert_int_equal(t->se.avg.period, 0);
	assert_int_equal(cpu_rq(0)->avg.period, 0);
	assert_int_equal(cpu_rq(0)->cfs.blocked_load_avg, 0);
}

/* 8.2: queued tasks' contributions add up, the running one's as it grows; a sleeper's goes over to the other sum. */
static void test_sums(void **state)
{
	struct cfs_rq *cfs;
	struct task *t;

	(void)state;
	boot(1, SCHED_POLICY_POWERSAVING);
	cfs = &cpu_rq(0)->cfs;
	t = test_task(0, 0);
	test_schedule(0);
	assert_int_equal(cfs->runnable_load_avg, 0); /* nothing until the first decay */
	test_clock_advance(PERIOD_NS);
	rq_update_clock(cpu_rq(0));
	pelt_tick(cpu_rq(0), &t->se);
	assert_int_equal(cfs->runnable_load_avg, 1022);
	test_clock_advance(PERIOD_NS);
	test_sleep(0);
	assert_int_equal(cfs->runnable_load_avg, 0);
	assert_int_equal(cfs->blocked_load_avg, 1023); /* 2004 * 1024 / 2005 */
	assert_int_equal(t->se.avg.decay_count, cfs->decay_counter);
}

/*
 * 8.2, asleep for 3 periods: 1022 y^3 = 957 is taken off the sleepers. The 22 units that its period still had, then whole ones: sum
 * 1002 y^3 = 938; period (1002 + 22) y^3 = 959, + 1982 for two, + 1002 = 3943: contribution 938 * 1024 / 3944 = 243.
 */
static void test_wake(void **state)
{
	struct cfs_rq *cfs;
	struct task *t;

	(void)state;
	boot(1, SCHED_POLICY_POWERSAVING);
	cfs = &cpu_rq(0)->cfs;
	t = one_period_then_asleep();
	cfs->blocked_load_avg += 1000; /* another's */
	test_clock_advance(3 * PERIOD_NS);
	assert_true(task_wake(t, 0));
	assert_int_equal(cfs->blocked_load_avg, 1894 - 957); /* 2022 y^3 = 1894.8 */
	assert_int_equal(t->se.avg.sum, 938);
	assert_int_equal(t->se.avg.period, 3943);
	assert_int_equal(t->se.avg.contribution, 243);
	assert_int_equal(cfs->runnable_load_avg, 243);
}

/* 8.2: asleep across a step of the queue but not over the end of its own period: the contribution decays, the sums do not. */
static void test_wake_within_its_period(void **state)
{
	struct task *t;

	(void)state;
	boot(1, SCHED_POLICY_POWERSAVING);
	t = test_task(0, 0);
	test_schedule(0);
	test_clock_advance(
		PERIOD_NS + 200 * 1024); /* the queue's step has 824 units to go, its own period 1024 - 1202 % 1024 = 846 */
	test_sleep(0);
	assert_int_equal(t->se.avg.period, 1202);
	assert_int_equal(t->se.avg.contribution, 1023); /* 1202 * 1024 / 1203 */
	test_clock_advance(825 * 1024);
	assert_true(task_wake(t, 0));
	assert_int_equal(t->se.avg.contribution, 1001); /* 1023 y = 1001.1 */
	assert_int_equal(t->se.avg.sum, 1202);
	assert_int_equal(t->se.avg.period, 1202 + 825);
}

/* What happens to CPU 0's sleepers when it balances. */
static void balance_0(void)
{
	unsigned long flags = machine_irq_save();

	pelt_balance(cpu_rq(0));
	machine_irq_restore(flags);
}

/* 8.2: asleep for 3 periods and woken elsewhere: the old queue still has to take 957 off, the new one goes by its counter. */
static void test_migrate_asleep(void **state)
{
	struct cfs_rq *old, *new;
	struct task *t;

	(void)state;
	boot(2, SCHED_POLICY_POWERSAVING);
	old = &cpu_rq(0)->cfs;
	new = &cpu_rq(1)->cfs;
	t = one_period_then_asleep();
	test_pin(t, 1);
	test_clock_advance(3 * PERIOD_NS);
	balance_0();
	assert_int_equal(old->blocked_load_avg, 957);
	assert_true(task_wake(t, 0));
	assert_int_equal(t->cpu, 1);
	assert_int_equal(old->removed_load, 957);
	assert_int_equal(new->blocked_load_avg, 0);
	assert_int_equal(t->se.avg.sum, 938); /* as in test_wake */
	assert_int_equal(t->se.avg.contribution, 243);
	assert_int_equal(t->se.avg.decay_count, 0);
	assert_int_equal(new->runnable_load_avg, 243);
	balance_0();
	assert_int_equal(old->blocked_load_avg, 0);
	assert_int_equal(old->removed_load, 0);
}

/* 8.2: it knows only the time that its old queue's counter has noticed; here none. */
static void test_migrate_asleep_unnoticed(void **state)
{
	struct task *t;

	(void)state;
	boot(2, SCHED_POLICY_POWERSAVING);
	t = one_period_then_asleep();
	test_pin(t, 1);
	test_clock_advance(3 * PERIOD_NS);
	assert_true(task_wake(t, 0));
	assert_int_equal(cpu_rq(0)->cfs.removed_load, 1022);
	assert_int_equal(t->se.avg.sum, 1002);
	assert_int_equal(cpu_rq(1)->cfs.runnable_load_avg, 1022);
}

/* 8.2: moved while queued: its contribution goes along, and nobody takes it for a sleeper. */
static void test_migrate_queued(void **state)
{
	unsigned long flags;
	struct task *t;

	(void)state;
	boot(2, SCHED_POLICY_POWERSAVING);
	t = one_period_then_asleep();
	assert_true(task_wake(t, 0));
	flags = machine_irq_save();
	rq_lock_pair(cpu_rq(0), cpu_rq(1));
	rq_deactivate(cpu_rq(0), t, 0);
	assert_int_equal(t->se.avg.decay_count, 0);
	assert_int_equal(cpu_rq(0)->cfs.runnable_load_avg, 0);
	task_set_cpu(t, 1);
	rq_activate(cpu_rq(1), t, 0);
	rq_unlock_pair(cpu_rq(0), cpu_rq(1));
	machine_irq_restore(flags);
	assert_int_equal(cpu_rq(0)->cfs.removed_load, 0);
	assert_int_equal(cpu_rq(0)->cfs.blocked_load_avg, 0);
	assert_int_equal(cpu_rq(1)->cfs.runnable_load_avg, 1022);
}

/* 9.2, patches 6 to 8 of the series: a new task counts in full, and so looks new, until its first decay. */
static void test_fork(void **state)
{
	struct task *t;

	(void)state;
	boot(1, SCHED_POLICY_POWERSAVING);
	t = test_sleeper(0, 0, 0);
	cfs_fork(t);
	assert_int_equal(t->se.avg.contribution, 1024);
	assert_int_equal(task_util(t), 1024);
	assert_true(task_wake(t, 0));
	test_schedule(0);
	test_clock_advance(PERIOD_NS - 1024);
	rq_update_clock(cpu_rq(0));
	pelt_tick(cpu_rq(0), &t->se);
	assert_int_equal(task_util(t), 1024);
	test_clock_advance(1024);
	rq_update_clock(cpu_rq(0));
	pelt_tick(cpu_rq(0), &t->se);
	assert_int_equal(t->se.avg.contribution, 1022);
	assert_int_equal(task_util(t), 1022);
	assert_int_equal(cpu_rq(0)->cfs.runnable_load_avg, 1022);
}

/* 8.2, rq.avg: a period idle, a period busy: (0 + 22) y = 21, + 1002 = 1023 of (1002 + 22) y + 1002 = 2004. */
static void test_queue_average(void **state)
{
	(void)state;
	boot(1, SCHED_POLICY_POWERSAVING);
	test_clock_advance(PERIOD_NS);
	test_task(0, 0);
	test_schedule(0);
	assert_int_equal(cpu_rq(0)->util, 0);
	test_clock_advance(PERIOD_NS);
	test_sleep(0);
	assert_int_equal(cpu_rq(0)->avg.sum, 1023);
	assert_int_equal(cpu_rq(0)->avg.period, 2004);
	assert_int_equal(cpu_rq(0)->util, 522); /* 1023 * 1024 / 2004 = 522.7 */
}

/* A change of knobs forgets the averages of queues and of who is queued. */
static void test_reset(void **state)
{
	struct task *t;

	(void)state;
	boot(1, SCHED_POLICY_POWERSAVING);
	t = one_period_then_asleep();
	assert_true(task_wake(t, 0));
	test_apply_knobs();
	assert_int_equal(t->se.avg.contribution, 0);
	assert_int_equal(cpu_rq(0)->cfs.runnable_load_avg, 0);
	assert_int_equal(cpu_rq(0)->util, 0);
	test_schedule(0);
	test_sleep(0);
	assert_int_equal(cpu_rq(0)->cfs.runnable_load_avg, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		machine_test(test_series),
		machine_test(test_decay),
		machine_test(test_always_runnable),
		machine_test(test_duty_cycles),
		machine_test(test_fractions),
		machine_test(test_off),
		machine_test(test_sums),
		machine_test(test_wake),
		machine_test(test_wake_within_its_period),
		machine_test(test_migrate_asleep),
		machine_test(test_migrate_asleep_unnoticed),
		machine_test(test_migrate_queued),
		machine_test(test_fork),
		machine_test(test_queue_average),
		machine_test(test_reset),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("pelt", tests, NULL, NULL);
}
