/* SPDX-License-Identifier: GPL-2.0-or-later
 * The power policies, against cfs.md 9 (checks C9.1, C9.2, C9.3, C9.3b). Utilisations are set by hand, 1024 a full CPU, after all
 * that would reckon them anew; a CPU counts with its own times the number of its tasks. A miss in who moves is a rule; in whether
 * anything does, a threshold. */
#include "tests/unit/machine.h"

#include "sched/rq.h"

static void choose(u8 policy)
{
	knob.policy = policy;
	test_apply_knobs();
}

static void set_util(unsigned cpu, u32 util)
{
	cpu_rq(cpu)->util = util;
}

/* Of 1024 units less one it was runnable in as many as that. */
static void set_task_util(struct task *t, u32 util)
{
	t->se.avg = (struct sched_avg){ .sum = util, .period = 1023 };
}

/* So many waiting nice-0 tasks on that CPU, which has that utilisation. */
static void load(unsigned cpu, unsigned tasks, u32 util)
{
	while (tasks--)
		test_task(cpu, 0);
	set_util(cpu, util);
}

static unsigned select_from(unsigned cpu, struct task *t, enum select_kind kind)
{
	test_on_cpu(cpu);
	return fair_select_cpu(t, kind, 0);
}

/* ---- utilisation ---- */

/* 9.3: not looked at while new; then 1024 * sum / (period + 1). */
static void test_task_util(void **state)
{
	struct task *t;

	(void)state;
	test_machine(1, 1, 2, 1);
	test_boot(SWITCH_LABELS);
	t = test_sleeper(0, 0, 0);
	t->se.avg = (struct sched_avg){ .sum = 500, .period = 999, .contribution = 512 };
	assert_int_equal(task_util(t), 512);
	t->se.avg.contribution = 1024;
	assert_int_equal(task_util(t), 1024);
}

/* 9.3: the queue's own times its tasks; for a wakeup, a CPU that idles below 100 us at a time is full. */
static void test_cpu_util(void **state)
{
	(void)state;
	test_machine(1, 1, 2, 1);
	test_boot(SWITCH_LABELS);
	set_util(0, 900);
	assert_int_equal(cpu_util(0, false), 0);
	load(0, 3, 700);
	assert_int_equal(cpu_util(0, false), 2100);
	cpu_rq(0)->avg_idle = 100000;
	assert_int_equal(cpu_util(0, true), 2100);
	cpu_rq(0)->avg_idle = 99999;
	assert_int_equal(cpu_util(0, true), 3 * 1024);
	assert_int_equal(cpu_util(0, false), 2100);
}

/* 9.3: no more than real-time tasks leave. They have had 375 of the last 500 ms: 125000000 / (500000000 >> 10) = 256. */
static void test_cpu_util_beside_realtime(void **state)
{
	struct rq *rq;

	(void)state;
	test_machine(1, 1, 2, 1);
	test_boot(SWITCH_LABELS);
	choose(SCHED_POLICY_POWERSAVING);
	load(1, 2, 1024);
	rq = cpu_rq(1);
	rq->age_stamp = rq->clock;
	rq->rt_avg = 375 * NSEC_PER_MSEC;
	assert_int_equal(cpu_util(1, false), 2 * 256);
	set_util(1, 100);
	assert_int_equal(cpu_util(1, false), 2 * 100);
}

/* 9.2: powersaving fills threads, balance cores: of 4 cores with 8 threads, power 4712, 8 and 5; of one core 2 and 1. */
static void test_thresholds(void **state)
{
	struct sched_domain *mc;

	(void)state;
	test_machine(1, 1, 4, 2);
	test_boot(SWITCH_LABELS);
	mc = test_domain(0, "MC");
	choose(SCHED_POLICY_POWERSAVING);
	assert_int_equal(policy_threshold(mc, 8, 4712), 8 * 1024);
	assert_int_equal(policy_threshold(mc, 2, 1178), 2 * 1024);
	choose(SCHED_POLICY_BALANCE);
	assert_int_equal(policy_threshold(mc, 8, 4712), 5 * 1024);
	assert_int_equal(policy_threshold(mc, 2, 1178), 1024);
}

/* ---- wakeups ---- */

/* CPU 2 of four in one cache runs a task and is 700 busy; the wakee was last on CPU 3 and is woken by CPU 0. */
static struct task *one_busy_cpu(u8 policy, u32 wakee_util)
{
	struct task *t;

	test_machine(1, 1, 4, 1);
	test_boot(SWITCH_LABELS);
	choose(policy);
	test_spinners(2, 1);
	set_util(2, 700);
	t = test_sleeper(3, 0, 0);
	set_task_util(t, wakee_util);
	return t;
}

/* C9.3b: below 25 % the waking CPU takes it: 1024 - 0 - 4 * 255 = 4. */
static void test_light_wakee(void **state)
{
	(void)state;
	assert_int_equal(select_from(0, one_busy_cpu(SCHED_POLICY_POWERSAVING, 255), SELECT_WAKE), 0);
}

/* C9.3b: at 25 % an empty CPU leaves 1024 - 0 - 4 * 256 = 0, and the idlest of the leader is taken; that is CPU 2, which has the
 * least room. */
static void test_wakee_not_light(void **state)
{
	(void)state;
	assert_int_equal(select_from(0, one_busy_cpu(SCHED_POLICY_POWERSAVING, 256), SELECT_WAKE), 2);
}

/* 9.3: if not on the waking CPU, a light one goes where the least is left over in the leader: here it is a group by itself. */
static void test_light_wakee_not_allowed_here(void **state)
{
	struct task *t;

	(void)state;
	t = one_busy_cpu(SCHED_POLICY_POWERSAVING, 80); /* 1024 - 700 - 320 = 4 */
	test_spinners(1, 1);
	set_util(1, 300);
	mask_unset(&t->allowed, 0);
	test_on_cpu(0);
	cpu_rq(0)->sd->flags |= SD_BALANCE_WAKE; /* no level is affine to a CPU where it may not be */
	assert_int_equal(select_from(0, t, SELECT_WAKE), 2);
}

/*
 * 9.3: of a leader with several CPUs, the one where a light wakee leaves the least: on CPU 1 1024 - 700 - 4 * 50 = 124, on CPU 2
 * 324, on CPU 3, the idlest, 824. This CPU is full, and the other group empty.
 */
static void test_light_wakee_on_the_fullest(void **state)
{
	static const u32 util[] = { 1024, 700, 500 };
	struct task *t;

	(void)state;
	test_machine(1, 2, 4, 1);
	test_boot(SWITCH_LABELS);
	choose(SCHED_POLICY_POWERSAVING);
	for (unsigned cpu = 0; cpu < 3; cpu++) {
		test_spinners(cpu, 1);
		set_util(cpu, util[cpu]);
	}
	t = test_sleeper(4, 0, 0);
	set_task_util(t, 50);
	assert_int_equal(select_from(0, t, SELECT_WAKE), 1);
}

/* C9.1: the same wakee under performance: wake_affine finds nothing on this CPU, which is idle. */
static void test_performance_wakee(void **state)
{
	(void)state;
	assert_int_equal(select_from(0, one_busy_cpu(SCHED_POLICY_PERFORMANCE, 256), SELECT_WAKE), 0);
}

/* docs/power.md: under balance a CPU with a task has no room for another, idle ones have; the first of them is this one. */
static void test_balance_wakee(void **state)
{
	(void)state;
	assert_int_equal(select_from(0, one_busy_cpu(SCHED_POLICY_BALANCE, 256), SELECT_WAKE), 0);
}

/* 9.3: full iff utilisation and wakee reach the power: 3 * 1000 + 840 + 256 = 4096. Then the ordinary rules: the last CPU, as this
 * one is busy. One less, and CPU 2 has the least room. */
static void test_full_domain(void **state)
{
	struct task *t;

	(void)state;
	t = one_busy_cpu(SCHED_POLICY_POWERSAVING, 256);
	for (unsigned cpu = 0; cpu < 4; cpu++)
		if (cpu != 2)
			test_spinners(cpu, 1);
	set_util(0, 1000);
	set_util(1, 1000);
	set_util(2, 1000);
	set_util(3, 840);
	test_on_cpu(0);
	assert_int_equal(policy_select_cpu(t, SELECT_WAKE), MAX_CPUS);
	assert_int_equal(select_from(0, t, SELECT_WAKE), 3);
	set_util(1, 999);
	set_util(2, 1001);
	set_util(3, 839);
	assert_int_equal(select_from(0, t, SELECT_WAKE), 2);
}

/* docs/power.md: a leader where it may not go is no decision: as under performance. */
static void test_leader_not_allowed(void **state)
{
	struct task *t;

	(void)state;
	t = one_busy_cpu(SCHED_POLICY_POWERSAVING, 256);
	mask_unset(&t->allowed, 2);
	test_on_cpu(0);
	assert_int_equal(policy_select_cpu(t, SELECT_WAKE), MAX_CPUS);
	assert_int_equal(select_from(0, t, SELECT_WAKE), 0);
}

/* ---- forks and execs: 4 cores, siblings c and c + 4; the parent on CPU 0 is 600 busy ---- */

static struct task *fork_beside(u8 policy, u32 parent_util)
{
	struct task *t;

	test_machine(1, 1, 4, 2);
	test_boot(SWITCH_LABELS);
	choose(policy);
	test_spinners(0, 1);
	set_util(0, parent_util);
	t = test_sleeper(0, 0, 0);
	pelt_fork(t);
	return t;
}

/* 9.3: 600 + 1024 < 2048: the core is not full, and the parent's own thread has the least room. */
static void test_powersaving_fork_on_its_thread(void **state)
{
	(void)state;
	assert_int_equal(select_from(0, fork_beside(SCHED_POLICY_POWERSAVING, 600), SELECT_FORK), 0);
}

/* 1024 + 1024 fill the core as seen at its own level. One level up it has room for 1024 more, less than the others: the idle
 * thread. */
static void test_powersaving_exec_on_its_core(void **state)
{
	(void)state;
	assert_int_equal(select_from(0, fork_beside(SCHED_POLICY_POWERSAVING, 1024), SELECT_EXEC), 4);
}

/* One task a core: the next core. */
static void test_balance_fork_on_another_core(void **state)
{
	(void)state;
	assert_int_equal(select_from(0, fork_beside(SCHED_POLICY_BALANCE, 600), SELECT_FORK), 1);
}

/* 9.2: balance falls back at its capacity: no core has room, and 4 * 1024 + 1024 fill what rounds to five. */
static void test_balance_full(void **state)
{
	struct task *t;

	(void)state;
	t = fork_beside(SCHED_POLICY_BALANCE, 1024);
	for (unsigned cpu = 1; cpu < 4; cpu++) {
		test_spinners(cpu, 1);
		set_util(cpu, 1024);
	}
	test_on_cpu(0);
	assert_int_equal(policy_select_cpu(t, SELECT_FORK), MAX_CPUS);
}

/* ---- balancing: level CPU, two groups of 4 with thresholds of 4096 ---- */

static struct sched_domain *top(unsigned cpu)
{
	return test_domain(cpu, "CPU");
}

static unsigned pass(unsigned cpu, enum idle_type idle)
{
	unsigned long flags;
	unsigned moved;
	bool responsible = true;

	test_on_cpu(cpu);
	flags = machine_irq_save();
	moved = load_balance(cpu_rq(cpu), top(cpu), idle, &responsible);
	machine_irq_restore(flags);
	assert_true(responsible);
	return moved;
}

static void boot_two_groups(void)
{
	test_machine(1, 2, 4, 1);
	test_boot(SWITCH_LABELS);
	test_clock_advance(NSEC_PER_SEC);
	choose(SCHED_POLICY_POWERSAVING);
}

/* A task waits on CPU 0 and one on CPU 4, each group at 512. CPUs 1 and 5 are the first idle ones of their groups for those whose
 * running task is not the idle task; so 0 and 4 run theirs if `running`. */
static void boot_even(bool running_4)
{
	boot_two_groups();
	test_spinners(0, 1);
	test_task(4, 0);
	if (running_4)
		test_schedule(4);
	test_clock_advance(20 * NSEC_PER_MSEC); /* all are cold */
	set_util(0, 512);
	set_util(4, 512);
	top(1)->last_balance = tick_now();
}

/* C9.2: the tie makes group 0 the leader and group 1 the one to empty; a waiting task moves at once. */
static void test_waiting_task_moves(void **state)
{
	(void)state;
	boot_even(false);
	assert_int_equal(pass(1, CPU_IDLE), 1);
	assert_int_equal(cpu_rq(1)->nr_running, 1);
	assert_int_equal(cpu_rq(4)->nr_running, 0);
	assert_int_equal(top(1)->perf_history, 0);
}

/* 9.3: no lone queue is passed over in power mode: nice -5 weighs 3121, more than the mean of 2072, and half of it does not. */
static void test_heavy_lone_task_moves(void **state)
{
	(void)state;
	boot_two_groups();
	test_spinners(0, 1);
	test_task(4, -5);
	test_task(5, 0);
	test_clock_advance(20 * NSEC_PER_MSEC);
	set_util(0, 512);
	set_util(4, 200);
	set_util(5, 200);
	top(1)->last_balance = tick_now();
	assert_int_equal(pass(1, CPU_IDLE), 1);
	assert_int_equal(cpu_rq(4)->nr_running, 0);
}

/* C9.2: a newly idle CPU of the leader does the same. */
static void test_newly_idle_moves(void **state)
{
	(void)state;
	boot_even(false);
	assert_int_equal(pass(1, CPU_NEWLY_IDLE), 1);
}

/* C9.2: a running one is pushed after cache_nice_tries + 3 = 4 failures. */
static void test_running_task_is_pushed(void **state)
{
	(void)state;
	boot_even(true);
	assert_int_equal(top(1)->cache_nice_tries, 1);
	for (unsigned failures = 1; failures <= 4; failures++) {
		assert_false(cpu_rq(4)->active_balance);
		assert_int_equal(pass(1, CPU_IDLE), 0);
		assert_int_equal(top(1)->counts[CPU_IDLE].failed, failures);
	}
	assert_true(cpu_rq(4)->active_balance);
	assert_int_equal(cpu_rq(4)->push_cpu, 1);
	test_machine_run(machine_clock_ns());
	assert_int_equal(cpu_rq(4)->nr_running, 0);
	assert_int_equal(cpu_rq(1)->nr_running, 1);
}

/* C9.2: a CPU of group 1 is not in the leader. */
static void test_other_group_takes_nothing(void **state)
{
	(void)state;
	boot_even(true);
	for (unsigned i = 0; i < 8; i++)
		assert_int_equal(pass(5, CPU_IDLE), 0);
	assert_int_equal(top(5)->counts[CPU_IDLE].failed, 0);
	assert_int_equal(top(5)->counts[CPU_IDLE].balanced, 8);
}

/* C9.2: without tasks in group 1 group 0 is both, and nothing happens on either side. */
static void test_empty_half(void **state)
{
	(void)state;
	boot_two_groups();
	test_spinners(0, 1);
	test_clock_advance(20 * NSEC_PER_MSEC);
	set_util(0, 512);
	assert_int_equal(pass(1, CPU_IDLE), 0);
	assert_int_equal(pass(4, CPU_IDLE), 0);
	assert_int_equal(top(1)->counts[CPU_IDLE].failed + top(4)->counts[CPU_IDLE].failed, 0);
}

/* Group 0 has one task a CPU, 875 busy each: 3500. Group 1 has 2, 2, 2, 2 waiting, 512 busy each: 4096, not above its threshold. */
static void boot_uneven(void)
{
	boot_two_groups();
	for (unsigned cpu = 0; cpu < 4; cpu++)
		test_spinners(cpu, 1);
	for (unsigned cpu = 4; cpu < 8; cpu++)
		load(cpu, 2, 512);
	test_clock_advance(20 * NSEC_PER_MSEC);
	test_settle_loads();
	for (unsigned cpu = 0; cpu < 4; cpu++)
		set_util(cpu, 875);
	top(0)->last_balance = tick_now();
}

/* C9.3: 3500 + 1024 > 4096: no power mode, and no balancing for performance either. */
static void test_no_room_for_a_cpu(void **state)
{
	(void)state;
	boot_uneven();
	assert_int_equal(pass(0, CPU_NEWLY_IDLE), 0);
	assert_int_equal(top(0)->perf_history, 0);
	assert_int_equal(top(0)->counts[CPU_NEWLY_IDLE].nobusyg, 1);
}

/* C9.3: group 1 at 4097 (a third task on CPU 4 makes 3 * 341 + 2 * (513 + 512 + 512) = 1023 + 3074): ordinary balancing. */
static void test_above_threshold(void **state)
{
	(void)state;
	boot_uneven();
	load(4, 1, 341);
	set_util(5, 513);
	assert_int_not_equal(pass(0, CPU_NEWLY_IDLE), 0);
	assert_int_equal(top(0)->perf_history, 1);
}

/* 9.3: a busy CPU always balances for performance. */
static void test_busy_is_for_performance(void **state)
{
	(void)state;
	boot_uneven();
	assert_int_not_equal(pass(0, CPU_NOT_IDLE), 0);
	assert_int_equal(top(0)->perf_history, 1);
}

/* C9.1: under performance nothing is noted, and the ordinary rules hold, where powersaving moved nothing. */
static void test_performance_balances(void **state)
{
	(void)state;
	boot_uneven();
	choose(SCHED_POLICY_PERFORMANCE);
	assert_int_not_equal(pass(0, CPU_NEWLY_IDLE), 0);
	assert_int_equal(top(0)->perf_history, 0);
}

/* C9.3: the pass for performance and the 31 after it empty nothing; the next does. */
static void test_waits_after_performance(void **state)
{
	(void)state;
	boot_even(false);
	top(1)->perf_history = 1;
	for (unsigned i = 1; i < 32; i++)
		assert_int_equal(pass(1, CPU_IDLE), 0);
	assert_int_equal(top(1)->perf_history, 1ull << 31);
	assert_int_equal(pass(1, CPU_IDLE), 1);
	assert_int_equal(top(1)->perf_history, 1ull << 32);
}

/* 9.3: at most 4 of the 32 passes before those. Each pass shifts first. */
static void test_four_of_the_older(void **state)
{
	(void)state;
	boot_even(false);
	top(1)->perf_history = 0x1full << 32;
	assert_int_equal(pass(1, CPU_IDLE), 0);
	top(1)->perf_history = 0x0full << 32;
	assert_int_equal(pass(1, CPU_IDLE), 1);
}

/* 9.3: 8 * 4 ms after the last balance, at HZ=1000 32 ticks, is long enough; one more tick, and the past is forgotten. */
static void test_history_is_forgotten(void **state)
{
	(void)state;
	boot_even(false);
	top(1)->perf_history = ~0ull;
	top(1)->last_balance = tick_now() - 32;
	assert_int_equal(pass(1, CPU_IDLE), 0);
	top(1)->last_balance = tick_now() - 33;
	assert_int_equal(pass(1, CPU_IDLE), 1);
}

/* 9.3: power mode ends with the pass: another domain's ordinary search passes lone queues over again. */
static void test_smt_level_is_for_performance(void **state)
{
	struct sched_domain *sd;
	struct sched_group *g = NULL;
	bool responsible = true;
	struct balance b;

	(void)state;
	test_machine(1, 1, 2, 2);
	test_boot(SWITCH_LABELS);
	choose(SCHED_POLICY_POWERSAVING);
	sd = test_domain(0, "SIBLING");
	b = (struct balance){
		.sd = sd, .idle = CPU_IDLE, .dst = cpu_rq(0), .cpus = cpus_online, .responsible = &responsible, .power_mode = true
	};
	assert_false(policy_balance(&b, &g));
	assert_false(b.power_mode);
	assert_int_equal(sd->perf_history, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		machine_test(test_task_util),
		machine_test(test_cpu_util),
		machine_test(test_cpu_util_beside_realtime),
		machine_test(test_thresholds),
		machine_test(test_light_wakee),
		machine_test(test_wakee_not_light),
		machine_test(test_light_wakee_not_allowed_here),
		machine_test(test_light_wakee_on_the_fullest),
		machine_test(test_performance_wakee),
		machine_test(test_balance_wakee),
		machine_test(test_full_domain),
		machine_test(test_leader_not_allowed),
		machine_test(test_powersaving_fork_on_its_thread),
		machine_test(test_powersaving_exec_on_its_core),
		machine_test(test_balance_fork_on_another_core),
		machine_test(test_balance_full),
		machine_test(test_waiting_task_moves),
		machine_test(test_heavy_lone_task_moves),
		machine_test(test_newly_idle_moves),
		machine_test(test_running_task_is_pushed),
		machine_test(test_other_group_takes_nothing),
		machine_test(test_empty_half),
		machine_test(test_no_room_for_a_cpu),
		machine_test(test_above_threshold),
		machine_test(test_busy_is_for_performance),
		machine_test(test_performance_balances),
		machine_test(test_waits_after_performance),
		machine_test(test_four_of_the_older),
		machine_test(test_history_is_forgotten),
		machine_test(test_smt_level_is_for_performance),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("policy", tests, NULL, NULL);
}
