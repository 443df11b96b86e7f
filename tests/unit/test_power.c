/* SPDX-License-Identifier: GPL-2.0-or-later
 * What real-time tasks leave of a CPU's power, against cfs.md 4.7: the arithmetic of the average, in ns, and where the power of
 * CPUs and groups is worked out. The half-life is 500 ms. */
#include "tests/unit/machine.h"

#include "sched/rq.h"

static void boot(unsigned cores, unsigned threads)
{
	test_machine(1, 1, cores, threads);
	test_boot(SWITCH_LABELS);
}

/* Real-time tasks have run for the last so many ns of the time up to now. */
static void note(struct rq *rq, u64 now_ns, u64 ran_ns)
{
	unsigned long flags = spin_lock_irq(&rq->lock);

	rq->clock = now_ns;
	power_note_rt(rq, ran_ns);
	spin_unlock_irq(&rq->lock, flags);
}

static u64 scale_at(struct rq *rq, u64 now_ns)
{
	rq->clock = now_ns;
	return power_rt_scale(rq);
}

/* As refreshed by that CPU when it balances at that level. */
static void refresh(unsigned cpu, const char *level)
{
	power_refresh(test_domain(cpu, level), cpu, CPU_NOT_IDLE, true);
}

/* ---- the average ---- */

/*
 * 100 ms of the first 100: total 500 + 100, left 500 ms: 500000000 / (600000000 >> 10) = 500000000 / 585937 = 853. At 500 ms
 * nothing is halved yet: 900000000 / 976562 = 921. A nanosecond later it is: (450000000 + 1) / 488281 = 921. At 600: (600 - 50) ms
 * / 585937 = 938. At 1000 ms: 950000000 / 976562 = 972; later the average is 25 ms, at 1500 ms 975000000 / 976562 = 998.
 */
static void test_average(void **state)
{
	struct rq *rq = cpu_rq(0);

	(void)state;
	boot(2, 1);
	note(rq, 100000000, 100000000);
	assert_int_equal(scale_at(rq, 100000000), 853);
	assert_int_equal(scale_at(rq, 500000000), 921);
	power_age(rq);
	assert_int_equal(rq->rt_avg, 100000000);
	assert_int_equal(scale_at(rq, 500000001), 921);
	power_age(rq);
	assert_int_equal(rq->rt_avg, 50000000);
	assert_int_equal(rq->age_stamp, 500000000);
	assert_int_equal(scale_at(rq, 600000000), 938);
	assert_int_equal(scale_at(rq, 1000000000), 972);
	rq->clock = 1500000000;
	power_age(rq);
	assert_int_equal(rq->rt_avg, 25000000);
	assert_int_equal(rq->age_stamp, 1000000000);
	assert_int_equal(power_rt_scale(rq), 998);
}

/*
 * Two seconds of nothing else, in ms: halved when 501, 1001 and 1501 have passed, to 250.5, 375.25 and 437.625; then 499 more.
 * Total 500 + 500: left 63375000 / 976562 = 64.
 */
static void test_nothing_but_real_time(void **state)
{
	struct rq *rq = cpu_rq(0);

	(void)state;
	boot(2, 1);
	for (u64 ms = 1; ms <= 2000; ms++)
		note(rq, ms * NSEC_PER_MSEC, NSEC_PER_MSEC);
	assert_int_equal(rq->rt_avg, 936625000);
	assert_int_equal(power_rt_scale(rq), 64);
}

/* More than there was: nothing is left, which counts as 1 of 1024. */
static void test_nothing_left(void **state)
{
	struct rq *rq = cpu_rq(0);

	(void)state;
	boot(2, 1);
	note(rq, 100000000, 600000000);
	assert_int_equal(power_rt_scale(rq), 0);
	note(rq, 100000000, 1);
	assert_int_equal(power_rt_scale(rq), 0);
	power_refresh(rq->sd, 0, CPU_NOT_IDLE, true);
	assert_int_equal(cpu_power(0), 1);
}

/* Forgotten after so many half-lives, however long nobody looked. */
static void test_long_ago(void **state)
{
	struct rq *rq = cpu_rq(0);

	(void)state;
	boot(2, 1);
	note(rq, 400000000, 400000000);
	rq->clock = 100 * NSEC_PER_SEC;
	power_age(rq);
	assert_int_equal(rq->rt_avg, 0);
	assert_int_equal(power_rt_scale(rq), 1024);
	assert_int_equal(rq->age_stamp, 99500000000); /* at exactly 100 s the last is not over */
}

/* By way of a FIFO task that runs and the tick; fair ones take nothing. */
static void test_tasks(void **state)
{
	struct rq *rq = cpu_rq(0);
	struct task *t;

	(void)state;
	boot(2, 1);
	test_pin(test_spinners(0, 1), 0);
	test_clock_run(100 * NSEC_PER_MSEC);
	assert_int_equal(rq->rt_avg, 0);
	assert_false(power_varies);
	t = test_sleeper(0, 0, 0);
	test_pin(t, 0);
	task_set_realtime(t, POLICY_FIFO, 1);
	task_wake(t, 0);
	test_schedule(0);
	test_clock_run(300 * NSEC_PER_MSEC);
	assert_int_equal(rq->rt_avg, 200000000);
	assert_true(power_varies);
	test_sleep(0);
	test_clock_run(501 * NSEC_PER_MSEC);
	assert_int_equal(rq->rt_avg, 100000000);
}

/* ---- power ---- */

/* 2 cores of 2 threads; half of CPU 0's time of late was real-time: 500000000 / 976562 = 512, 589 * 512 >> 10 = 294. */
static void use_half_of_cpu_0(void)
{
	note(cpu_rq(0), 500 * NSEC_PER_MSEC, 500 * NSEC_PER_MSEC);
	assert_int_equal(power_rt_scale(cpu_rq(0)), 512);
}

/* A level sums up what the one below last had: 294 + 589 = 883. */
static void test_groups(void **state)
{
	(void)state;
	boot(2, 2);
	use_half_of_cpu_0();
	refresh(0, "MC");
	assert_int_equal(test_domain(0, "MC")->groups->power, 1178);
	refresh(0, "SIBLING");
	assert_int_equal(cpu_power(0), 294);
	assert_int_equal(cpu_power(2), 589);
	assert_int_equal(test_domain(0, "SIBLING")->groups->power, 294);
	assert_int_equal(test_domain(0, "MC")->groups->power, 1178);
	refresh(0, "MC");
	assert_int_equal(test_domain(0, "MC")->groups->power, 883);
	assert_int_equal(test_domain(1, "MC")->groups->power, 1178);
	assert_int_equal(test_domain(1, "MC")->groups->next->power, 883); /* they share the ring */
	test_apply_knobs();
	assert_int_equal(cpu_power(0), 589);
	assert_int_equal(test_domain(0, "SIBLING")->groups->power, 589);
	assert_int_equal(test_domain(0, "MC")->groups->power, 1178);
	assert_false(power_varies);
}

/* Across nodes each CPU has groups of its own, and sees those of others as these have left their CPUs. */
static void test_overlapping_groups(void **state)
{
	const struct sched_group *g;

	(void)state;
	test_machine(2, 1, 2, 1);
	test_boot(SWITCH_LABELS);
	use_half_of_cpu_0();
	refresh(0, "MC");
	assert_int_equal(cpu_power(0), 512);
	g = test_domain(2, "NUMA")->groups;
	assert_int_equal(g->next->power, 2048);
	refresh(2, "NUMA");
	assert_int_equal(g->power, 2048);
	assert_int_equal(g->next->power, 1536);
	test_apply_knobs();
	assert_int_equal(g->next->power, 2048);
}

/* Newly idle a CPU does so once a balance interval only, here of 4 ms. */
static void test_newly_idle(void **state)
{
	struct sched_domain *sd;

	(void)state;
	boot(2, 1);
	sd = cpu_rq(0)->sd;
	sd->balance_interval = 4;
	test_clock_set(500 * NSEC_PER_MSEC);
	power_refresh(sd, 0, CPU_NEWLY_IDLE, true);
	use_half_of_cpu_0();
	test_clock_set(504 * NSEC_PER_MSEC - 1);
	power_refresh(sd, 0, CPU_NEWLY_IDLE, true);
	assert_int_equal(cpu_power(0), 1024);
	test_clock_set(504 * NSEC_PER_MSEC);
	power_refresh(sd, 0, CPU_NEWLY_IDLE, true);
	assert_int_equal(cpu_power(0), 512);
	assert_int_equal(sd->groups->next_update, 508);
	cpu_rq(0)->rt_avg = 0;
	power_refresh(sd, 0, CPU_NEWLY_IDLE, true);
	assert_int_equal(cpu_power(0), 512);
	power_refresh(sd, 0, CPU_IDLE, true);
	assert_int_equal(cpu_power(0), 1024);
}

/* By the CPU elected to balance, as it does: half of CPU 1's power is gone by then. */
static void test_balancing_refreshes(void **state)
{
	bool responsible = true;

	(void)state;
	boot(2, 1);
	note(cpu_rq(1), 500 * NSEC_PER_MSEC, 500 * NSEC_PER_MSEC);
	machine_irq_save();
	load_balance(cpu_rq(0), cpu_rq(0)->sd, CPU_IDLE, &responsible);
	assert_int_equal(cpu_power(1), 1024);
	test_on_cpu(1);
	machine_irq_save();
	load_balance(cpu_rq(1), cpu_rq(1)->sd, CPU_IDLE, &responsible);
	assert_int_equal(cpu_power(1), 512);
	assert_int_equal(cpu_rq(0)->sd->groups->next->power, 512);
	assert_int_equal(cpu_power(0), 1024);
}

/* Of the core of CPUs 0 and 2, after a pass for one of them; its thread 2 has lost half: 589 + 294 = 883, else 1178 as before.
 * Newly idle it is not due yet. */
static u32 core_power(u8 rule, unsigned cpu, enum idle_type idle, bool elected)
{
	struct sched_domain *mc = test_domain(cpu, "MC");

	test_apply_knobs();
	knob.power_refresh = rule;
	test_domain(2, "SIBLING")->groups->power = 294;
	mc->groups->next_update = 1;
	power_refresh(mc, cpu, idle, elected);
	return mc->groups->power;
}

/* 3.8: whoever balances for the core. 2.6.32: its first CPU, in any pass. */
static void test_who_refreshes(void **state)
{
	(void)state;
	boot(2, 2);
	assert_int_equal(core_power(POWER_REFRESH_ELECTED, 0, CPU_NOT_IDLE, true), 883);
	assert_int_equal(core_power(POWER_REFRESH_ELECTED, 0, CPU_NOT_IDLE, false), 1178);
	assert_int_equal(core_power(POWER_REFRESH_ELECTED, 2, CPU_IDLE, true), 883);
	assert_int_equal(core_power(POWER_REFRESH_ELECTED, 2, CPU_NEWLY_IDLE, true), 1178);
	assert_int_equal(core_power(POWER_REFRESH_FIRST_CPU, 0, CPU_NOT_IDLE, false), 883);
	assert_int_equal(core_power(POWER_REFRESH_FIRST_CPU, 0, CPU_NEWLY_IDLE, true), 883);
	assert_int_equal(core_power(POWER_REFRESH_FIRST_CPU, 2, CPU_IDLE, true), 1178);
}

/* ---- capacity ---- */

/*
 * A quarter of a core, 294, rounds to no task, and counts as one while it has more than 29/32 of its power: 267 * 32 = 8544 is more
 * than 294 * 29 = 8526, 266 * 32 = 8512 is not. At higher levels there is no such rule.
 */
static void test_capacity_of_small_threads(void **state)
{
	struct sched_domain *sibling, *mc;

	(void)state;
	boot(2, 4);
	sibling = test_domain(0, "SIBLING");
	mc = test_domain(0, "MC");
	assert_int_equal(power_capacity(sibling, sibling->groups, 294), 1);
	sibling->groups->power = 267;
	assert_int_equal(power_capacity(sibling, sibling->groups, 267), 1);
	sibling->groups->power = 266;
	assert_int_equal(power_capacity(sibling, sibling->groups, 266), 0);
	assert_int_equal(power_capacity(mc, mc->groups, 511), 0);
	assert_int_equal(power_capacity(mc, mc->groups, 512), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		machine_test(test_average),
		machine_test(test_nothing_but_real_time),
		machine_test(test_nothing_left),
		machine_test(test_long_ago),
		machine_test(test_tasks),
		machine_test(test_groups),
		machine_test(test_overlapping_groups),
		machine_test(test_newly_idle),
		machine_test(test_balancing_refreshes),
		machine_test(test_who_refreshes),
		machine_test(test_capacity_of_small_threads),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
