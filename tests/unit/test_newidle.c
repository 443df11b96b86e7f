/* SPDX-License-Identifier: GPL-2.0-or-later
 * Newidle balancing and what a queue learns of its idle times, against cfs.md section 6 (checks C6.1 to C6.8, the 3.8 and 3.13
 * sides). The averages are exact: each is the one before plus an eighth of the difference, shifted arithmetically. */
#include "tests/unit/machine.h"

#include "sched/rq.h"

/* ---- avg_idle ---- */

/* An idle period of that length ends with a wakeup. */
static void sample(struct rq *rq, u64 idle_ns)
{
	rq->idle_stamp = rq->clock;
	rq->clock += idle_ns;
	avg_idle_update(rq);
	assert_int_equal(rq->idle_stamp, 0);
}

static struct rq *boot_pair(void)
{
	test_machine(1, 2, 1, 1);
	test_boot(SWITCH_LABELS);
	test_clock_set(20 * NSEC_PER_MSEC);
	rq_update_clock(cpu_rq(0));
	return cpu_rq(0);
}

/* CPU 1 has so many cold tasks, one of them running; CPU 0 the only other one. */
static void load_pair(unsigned on_1)
{
	test_spinners(1, on_1);
	test_pin(test_spinners(0, 1), 0);
	test_clock_advance(NSEC_PER_MSEC);
}

static u64 attempts(unsigned cpu)
{
	u64 n = 0;

	for_each_domain(cpu, sd)
		n += sd->counts[CPU_NEWLY_IDLE].count;
	return n;
}

/* Section 6.4: at the start, 2 * 0.5 ms. */
static void test_initial_average(void **state)
{
	(void)state;
	assert_int_equal(boot_pair()->avg_idle, 1000000);
}

/* C6.1: samples of 50 us. After the 6th the average is below the migration cost, and newidle stops. */
static void test_short_idle_times_throttle(void **state)
{
	static const u64 expected[] = { 881250, 777343, 686425, 606871, 537262, 476354 };
	struct rq *rq = boot_pair();

	(void)state;
	load_pair(3);
	for (unsigned i = 0; i < ARRAY_SIZE(expected); i++) {
		sample(rq, 50000);
		assert_int_equal(rq->avg_idle, expected[i]);
	}
	test_sleep(0);
	assert_int_equal(attempts(0), 0);
	assert_ptr_equal(rq->curr, rq->idle);
	assert_int_not_equal(rq->idle_stamp, 0);
}

static void test_fifth_short_idle_time_does_not_throttle(void **state)
{
	struct rq *rq = boot_pair();

	(void)state;
	load_pair(3);
	for (unsigned i = 0; i < 5; i++)
		sample(rq, 50000);
	test_sleep(0);
	assert_int_equal(attempts(0), 1);
	assert_ptr_not_equal(rq->curr, rq->idle);
}

/* C6.2: from 0 with samples of 600 us it takes more than 12 to get going again. */
static void test_average_rises_slowly(void **state)
{
	static const u64 expected[] = { 75000, 140625, 198046, 248290, 292253, 330721, 364380, 393832, 419603, 442152, 461883,
		479147 };
	struct rq *rq = boot_pair();

	(void)state;
	rq->avg_idle = 0;
	for (unsigned i = 0; i < ARRAY_SIZE(expected); i++) {
		sample(rq, 600000);
		assert_int_equal(rq->avg_idle, expected[i]);
	}
	load_pair(3);
	test_sleep(0);
	assert_int_equal(attempts(0), 0);
}

/* C6.3: a period of more than 1 ms sets the average to 1 ms, one of exactly 1 ms is a sample like others. */
static void test_one_long_idle_time(void **state)
{
	struct rq *rq = boot_pair();

	(void)state;
	rq->avg_idle = 100000;
	sample(rq, 1000001);
	assert_int_equal(rq->avg_idle, 1000000);
	rq->avg_idle = 100000;
	sample(rq, 1000000);
	assert_int_equal(rq->avg_idle, 212500);
}

/* Section 6.4: the sample ends with a wakeup on this queue, by whomever; a pull leaves the stamp. */
static void test_what_ends_a_sample(void **state)
{
	struct rq *rq = boot_pair();
	struct task *t;

	(void)state;
	rq->avg_idle = 100000; /* so that nothing is pulled */
	test_spinners(0, 1);
	t = test_sleeper(0, 0, 0);
	test_pin(t, 0);
	test_sleep(0);
	assert_int_equal(rq->idle_stamp, 20 * NSEC_PER_MSEC);
	test_task(0, 0);
	assert_int_equal(rq->idle_stamp, 20 * NSEC_PER_MSEC);
	test_clock_advance(300000);
	test_on_cpu(1);
	task_wake(t, 0);
	test_on_cpu(0);
	test_kick_interrupt(); /* other cache: CPU 0 does it */
	assert_int_equal(rq->idle_stamp, 0);
	assert_int_equal(rq->avg_idle, 125000);
}

/* ---- the walk ---- */

/* C6.4: with all NEWIDLE bits off nobody looks, but the stamp is set and next_balance is pulled in: by at most the longest idle
 * interval. */
static void test_newidle_off(void **state)
{
	struct rq *rq = boot_pair();

	(void)state;
	knob.newidle = NEWIDLE_OFF;
	test_apply_knobs();
	load_pair(5);
	test_clock_advance(100 * NSEC_PER_MSEC);
	rq->next_balance = tick_now() - 1;
	for (unsigned i = 0; i < 3; i++) {
		assert_ptr_equal(test_sleep(0), rq->idle);
		assert_int_equal(attempts(0), 0);
		assert_int_not_equal(rq->idle_stamp, 0);
		assert_true(rq->next_balance <= tick_now() + 4);
		test_task(0, 0);
		assert_ptr_not_equal(test_schedule(0), rq->idle);
	}
	assert_int_equal(cpu_rq(1)->nr_running, 5);
}

/* Section 6.6: who never looks touches neither the stamp nor next_balance, which is what sets it apart from cleared bits. */
static void test_newidle_never(void **state)
{
	struct rq *rq = boot_pair();
	u64 overdue;

	(void)state;
	knob.newidle = NEWIDLE_NEVER;
	load_pair(5);
	overdue = rq->next_balance = tick_now() - 1;
	assert_ptr_equal(test_sleep(0), rq->idle);
	assert_int_equal(attempts(0), 0);
	assert_int_equal(rq->idle_stamp, 0);
	assert_int_equal(rq->next_balance, overdue);
}

/* Section 6.2: the next balance is due where the idle interval of a level ends, without busy_factor; only if it is overdue or a
 * task came. */
static void test_next_balance_is_pulled_in(void **state)
{
	struct rq *rq = boot_pair();

	(void)state;
	knob.newidle = NEWIDLE_OFF; /* the interval stays */
	test_apply_knobs();
	load_pair(1);
	rq->sd->last_balance = tick_now();
	rq->sd->balance_interval = 4;
	rq->next_balance = tick_now();
	test_sleep(0);
	assert_int_equal(rq->next_balance, tick_now()); /* due, not overdue */
	test_spinners(0, 1);
	rq->next_balance = tick_now() - 1;
	test_sleep(0);
	assert_int_equal(rq->next_balance, tick_now() + 4);
}

/* Section 6.2: throttled, next_balance is left alone. */
static void test_throttled_leaves_next_balance(void **state)
{
	struct rq *rq = boot_pair();

	(void)state;
	load_pair(5);
	rq->avg_idle = 499999;
	rq->next_balance = tick_now() + 5000;
	assert_ptr_equal(test_sleep(0), rq->idle);
	assert_int_equal(rq->next_balance, tick_now() + 5000);
	assert_int_equal(attempts(0), 0);
}

/* The throttle: avg_idle < migration cost. */
static void test_at_the_throttle(void **state)
{
	struct rq *rq = boot_pair();

	(void)state;
	load_pair(5);
	rq->avg_idle = 500000;
	test_sleep(0);
	assert_int_equal(attempts(0), 1);
}

/* Section 1.6: a migration cost of -1, always hot, throttles always, however long the idle times are. */
static void test_always_hot_throttles(void **state)
{
	struct rq *rq = boot_pair();

	(void)state;
	knob.sched_migration_cost_ns = MIGRATION_COST_ALWAYS_HOT;
	test_apply_knobs();
	load_pair(5);
	assert_ptr_equal(test_sleep(0), rq->idle);
	sample(rq, 100 * NSEC_PER_SEC);
	test_task(0, 0);
	assert_ptr_not_equal(test_schedule(0), rq->idle);
	assert_ptr_equal(test_sleep(0), rq->idle);
	assert_int_equal(attempts(0), 0);
}

/* newidle=always, as 2.6.32: no throttle at all. */
static void test_newidle_always(void **state)
{
	struct rq *rq = boot_pair();

	(void)state;
	knob.newidle = NEWIDLE_ALWAYS;
	test_apply_knobs();
	load_pair(5);
	rq->avg_idle = 0;
	assert_ptr_not_equal(test_sleep(0), rq->idle);
	assert_int_equal(attempts(0), 1);
}

static void expect_pulled(u8 preempt, unsigned tasks)
{
	struct rq *rq = boot_pair();

	knob.preempt = preempt;
	load_pair(5);
	assert_ptr_not_equal(test_sleep(0), rq->idle);
	assert_int_equal(rq->nr_running, tasks);
	assert_int_equal(cpu_rq(1)->nr_running, 5 - tasks);
	assert_int_equal(rq->sd->counts[CPU_NEWLY_IDLE].gained, tasks);
	assert_int_equal(rq->sd->counts[CPU_NEWLY_IDLE].imbalance, 2560);
	assert_int_equal(rq->idle_stamp, 0); /* a pull ends the idle period without a sample */
}

/* C6.6: 5 cold tasks there, none here. A kernel with preemption takes one, so that it is not kept from running it. */
static void test_pull_with_preemption(void **state)
{
	(void)state;
	expect_pulled(PREEMPT_FULL, 1);
}

/* C6.6: one without takes up to the imbalance of 2560: 1024, 1024, and a third because half of it is no more than the 512 left. */
static void test_pull_without_preemption(void **state)
{
	(void)state;
	expect_pulled(PREEMPT_NONE, 3);
}

/* C6.5, 3.8: what the bottom level finds is hot, so the level above is asked too. */
static void test_failure_goes_on_upwards(void **state)
{
	struct sched_domain *mc, *cpu;
	struct sched_entity *se;

	(void)state;
	test_machine(1, 2, 2, 1);
	test_boot(SWITCH_LABELS);
	test_clock_set(20 * NSEC_PER_MSEC);
	test_spinners(1, 3);
	test_spinners(0, 1);
	TAILQ_FOREACH(se, &cpu_rq(1)->cfs.tasks, peers)
		se->exec_start = machine_clock_ns();
	test_sleep(0);
	mc = test_domain(0, "MC");
	cpu = test_domain(0, "CPU");
	assert_int_equal(mc->counts[CPU_NEWLY_IDLE].count, 1);
	assert_int_equal(mc->counts[CPU_NEWLY_IDLE].failed, 1);
	assert_int_equal(mc->nr_balance_failed, 0); /* section 6.3: only periodic failures count */
	assert_int_equal(cpu->counts[CPU_NEWLY_IDLE].count, 1);
}

/* C6.5, 3.8: all levels are asked, with the sibling busy or not. */
static void test_smt_asks_all_levels(void **state)
{
	(void)state;
	test_machine(1, 1, 2, 2);
	test_boot(SWITCH_LABELS);
	test_spinners(2, 1); /* the sibling */
	test_spinners(0, 1);
	test_sleep(0);
	assert_int_equal(test_domain(0, "SIBLING")->counts[CPU_NEWLY_IDLE].count, 1);
	assert_int_equal(test_domain(0, "MC")->counts[CPU_NEWLY_IDLE].count, 1);
	assert_int_equal(test_domain(0, "CPU")->counts[CPU_NEWLY_IDLE].count, 1);
}

/* Section 6.2: a pull stops the walk. */
static void test_pull_stops_the_walk(void **state)
{
	(void)state;
	test_machine(1, 2, 2, 1);
	test_boot(SWITCH_LABELS);
	test_clock_set(20 * NSEC_PER_MSEC);
	test_spinners(1, 2);
	test_spinners(0, 1);
	test_sleep(0);
	assert_int_equal(test_domain(0, "MC")->counts[CPU_NEWLY_IDLE].gained, 1);
	assert_int_equal(test_domain(0, "CPU")->counts[CPU_NEWLY_IDLE].count, 0);
}

/* Section 6.2: domains that are not balanced at all have no say, not even in when the next balance is due. */
static void test_walk_skips_unbalanced_domains(void **state)
{
	struct rq *rq = boot_pair();

	(void)state;
	load_pair(5);
	rq->sd->flags &= ~(u32)SD_LOAD_BALANCE;
	rq->next_balance = tick_now() - 1;
	assert_ptr_equal(test_sleep(0), rq->idle);
	assert_int_equal(attempts(0), 0);
	assert_int_equal(rq->next_balance, tick_now() + 1000);
}

/* C6.8: newidle passes leave last_balance to the periodic ones. */
static void test_last_balance_is_periodic(void **state)
{
	struct rq *rq = boot_pair();
	u64 before = rq->sd->last_balance;

	(void)state;
	test_pin(test_spinners(1, 1), 1);
	for (unsigned i = 1; i <= 20; i++) {
		test_clock_advance(10 * NSEC_PER_MSEC);
		test_spinners(0, 1);
		test_sleep(0);
		assert_int_equal(attempts(0), i);
	}
	assert_int_equal(rq->sd->last_balance, before);
}

/* Section 6.3, 3.8: newidle does change the interval: doubled when balanced, the least when not. */
static void test_newidle_changes_the_interval(void **state)
{
	struct rq *rq = boot_pair();

	(void)state;
	test_pin(test_spinners(0, 1), 0);
	test_sleep(0);
	assert_int_equal(rq->sd->balance_interval, 2);
	load_pair(5);
	test_sleep(0);
	assert_int_equal(rq->sd->balance_interval, 1);
}

/* ---- newidle=cost, 3.13 ---- */

static struct rq *boot_cost(void)
{
	struct rq *rq = boot_pair();

	knob.newidle = NEWIDLE_COST;
	test_apply_knobs();
	assert_int_equal(rq->max_idle_balance_cost, 500000);
	assert_int_equal(rq->sd->max_newidle_lb_cost, 0);
	return rq;
}

/* Section 6.5: the walk stops where avg_idle is less than what was spent and what this level has cost at most. */
static void test_cost_stops_the_walk(void **state)
{
	struct rq *rq = boot_cost();

	(void)state;
	load_pair(5);
	rq->avg_idle = 600000;
	rq->sd->max_newidle_lb_cost = 600001;
	assert_ptr_equal(test_sleep(0), rq->idle);
	assert_int_equal(attempts(0), 0);
}

static void test_cost_just_affordable(void **state)
{
	struct rq *rq = boot_cost();

	(void)state;
	load_pair(5);
	rq->avg_idle = 600000;
	rq->sd->max_newidle_lb_cost = 600000;
	assert_ptr_not_equal(test_sleep(0), rq->idle);
	assert_int_equal(attempts(0), 1);
}

/* Q6600 with nothing to pull anywhere, so that each walk would make a pass at both levels, of so long each. CPU 0 goes idle with
 * that average; how many passes it makes. */
static u64 walk_at_cost(u64 pass_ns, u64 avg_idle)
{
	struct rq *rq = cpu_rq(0);
	u64 before = attempts(0);

	test_spinners(0, 1);
	test_cost(COST_BALANCE, pass_ns);
	rq->avg_idle = avg_idle;
	test_sleep(0);
	return attempts(0) - before;
}

/* Section 6.5: the walk's passes are timed; a level remembers its dearest, the queue the dearest walk; and what this walk has spent
 * so far counts before each level. */
static void test_cost_is_measured(void **state)
{
	struct rq *rq = cpu_rq(0);

	(void)state;
	test_machine(1, 2, 2, 1);
	test_boot(SWITCH_LABELS);
	knob.newidle = NEWIDLE_COST;
	test_apply_knobs();
	assert_int_equal(walk_at_cost(300000, 1000000), 2);
	assert_int_equal(rq->sd->max_newidle_lb_cost, 300000);
	assert_int_equal(rq->sd->parent->max_newidle_lb_cost, 300000);
	assert_int_equal(rq->max_idle_balance_cost, 600000);
	assert_int_equal(rq->count.newidle_calls, 1);
	assert_int_equal(rq->count.newidle_ns, 600000);
	assert_int_equal(walk_at_cost(300000, 600000), 2); /* 600000 >= 300000 + 300000 */
	assert_int_equal(walk_at_cost(300000, 599999), 1);
	assert_int_equal(walk_at_cost(100000, 599999), 2); /* 599999 >= 100000 + 300000 */
	assert_int_equal(rq->sd->max_newidle_lb_cost, 300000);
	assert_int_equal(rq->max_idle_balance_cost, 600000);
}

/* ... a level without the flag costs nothing, but the test is made there too. */
static void test_cost_of_a_level_left_out(void **state)
{
	(void)state;
	test_machine(1, 2, 2, 1);
	test_boot(SWITCH_LABELS);
	knob.newidle = NEWIDLE_COST;
	test_apply_knobs();
	cpu_rq(0)->sd->flags &= ~(u32)SD_BALANCE_NEWIDLE;
	assert_int_equal(walk_at_cost(300000, 1000000), 1);
	assert_int_equal(cpu_rq(0)->sd->max_newidle_lb_cost, 0);
	cpu_rq(0)->sd->max_newidle_lb_cost = 600001;
	assert_int_equal(walk_at_cost(300000, 600000), 0);
}

/* ... the old test of avg_idle against the migration cost remains. */
static void test_cost_keeps_the_throttle(void **state)
{
	struct rq *rq = boot_cost();

	(void)state;
	load_pair(5);
	rq->avg_idle = 499999;
	assert_ptr_equal(test_sleep(0), rq->idle);
	assert_int_equal(attempts(0), 0);
}

/* Section 6.5: first the average, then the cap, which is twice the queue's dearest walk. */
static void test_cost_average_is_capped_last(void **state)
{
	struct rq *rq = boot_cost();

	(void)state;
	rq->avg_idle = 100000;
	sample(rq, 4900000);
	assert_int_equal(rq->avg_idle, 700000); /* 3.8 would say 1000000 */
	sample(rq, 100 * NSEC_PER_MSEC);
	assert_int_equal(rq->avg_idle, 1000000);
	rq->max_idle_balance_cost = 800000;
	sample(rq, 100 * NSEC_PER_MSEC);
	assert_int_equal(rq->avg_idle, 1600000);
}

/* C6.7: what a level has cost at most halves in 59 decays of 253/256, a second apart: a balance of an idle CPU does it, and those
 * are up to 4 ms apart. */
static void test_cost_decays(void **state)
{
	struct rq *rq = boot_cost();
	u64 *cost = &rq->sd->max_newidle_lb_cost, last = 1000000, since = 0;

	(void)state;
	*cost = last;
	for (unsigned decays = 0; decays < 59; since++) {
		test_clock_run(machine_clock_ns() + NSEC_PER_MSEC);
		if (*cost == last)
			continue;
		if (decays++)
			assert_in_range(since, 1000, 1004);
		assert_int_equal(*cost, last * 253 / 256);
		assert_int_equal(*cost <= 500000, decays == 59);
		last = *cost;
		since = 0;
	}
	assert_int_equal(rq->max_idle_balance_cost, 500000); /* the migration cost is the least */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		machine_test(test_initial_average),
		machine_test(test_short_idle_times_throttle),
		machine_test(test_fifth_short_idle_time_does_not_throttle),
		machine_test(test_average_rises_slowly),
		machine_test(test_one_long_idle_time),
		machine_test(test_what_ends_a_sample),
		machine_test(test_newidle_off),
		machine_test(test_newidle_never),
		machine_test(test_next_balance_is_pulled_in),
		machine_test(test_throttled_leaves_next_balance),
		machine_test(test_at_the_throttle),
		machine_test(test_always_hot_throttles),
		machine_test(test_newidle_always),
		machine_test(test_pull_with_preemption),
		machine_test(test_pull_without_preemption),
		machine_test(test_failure_goes_on_upwards),
		machine_test(test_smt_asks_all_levels),
		machine_test(test_pull_stops_the_walk),
		machine_test(test_walk_skips_unbalanced_domains),
		machine_test(test_last_balance_is_periodic),
		machine_test(test_newidle_changes_the_interval),
		machine_test(test_cost_stops_the_walk),
		machine_test(test_cost_just_affordable),
		machine_test(test_cost_is_measured),
		machine_test(test_cost_of_a_level_left_out),
		machine_test(test_cost_keeps_the_throttle),
		machine_test(test_cost_average_is_capped_last),
		machine_test(test_cost_decays),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
