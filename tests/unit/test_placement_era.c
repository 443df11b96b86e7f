/* SPDX-License-Identifier: GPL-2.0-or-later
 * Placement by the rules of 2.6.32-rc1, 2.6.32, 2.6.32.2, 3.9 and Wasted Cores, against cfs.md sections 7 and 13.3 (checks C7.1 to
 * C7.7, C7.9, C7.10 and C13.4, where they differ from 3.8 or hold for both). test_placement.c has the 3.8 side. Flags of domains
 * are set here, whatever the knobs make of them. */
#include "tests/unit/machine.h"

#include "base/knobs.h"
#include "sched/rq.h"

static void set_era(const char *preset)
{
	char error[KNOB_ERROR_BYTES];

	assert_int_equal(preset_apply(preset, error), 0);
	sched_knobs_settle(nr_cpus);
	test_apply_knobs();
}

static void boot(unsigned llcs, unsigned cores_per_llc, unsigned threads, const char *preset)
{
	test_machine(1, llcs, cores_per_llc, threads);
	test_boot(SWITCH_LABELS);
	set_era(preset);
}

/* Pairs 0 1 and 2 3. */
static void boot_q6600(const char *preset)
{
	boot(2, 2, 1, preset);
}

/* Siblings c and c + 4. */
static void boot_4c_8t(const char *preset)
{
	boot(1, 4, 2, preset);
}

/* In the domains of that name of all CPUs. */
static void set_flag(const char *level, u32 flag, bool on)
{
	for (unsigned cpu = 0; cpu < nr_cpus; cpu++) {
		struct sched_domain *sd = test_domain(cpu, level);

		if (sd)
			sd->flags = on ? sd->flags | flag : sd->flags & ~flag;
	}
}

/* So many spinners, all to stay there. */
static void occupy(unsigned cpu, unsigned n)
{
	while (n--)
		test_pin(test_task(cpu, 0), cpu);
	test_schedule(cpu);
}

static void allow_only(struct task *t, unsigned cpu, unsigned other)
{
	test_pin(t, cpu);
	mask_set(&t->allowed, other);
	t->nr_allowed = mask_weight(&t->allowed);
}

/* ---- wake_affine in 2.6.32: a waker on CPU 0, alone there; a nice-0 wakee that was last on CPU 1 ---- */

/* With so many nice-0 tasks on CPU 1. */
static struct sched_domain *two_cpus(unsigned on_previous)
{
	boot(2, 1, 1, "v2.6.32");
	assert_int_equal(cpu_rq(0)->sd->imbalance_pct, 125);
	test_spinners(0, 1);
	for (unsigned i = 0; i < on_previous; i++)
		test_task(1, 0);
	return cpu_rq(0)->sd;
}

/* C7.1: nothing is left here, so it comes whatever waits there, and is not counted. An overlap of 0.5 ms is not long yet. */
static void test_sync_from_a_lone_waker(void **state)
{
	struct sched_domain *sd = two_cpus(0);
	struct task *t = test_sleeper(1, 0, 0);

	(void)state;
	assert_true(wake_affine(sd, t, true));
	test_task(1, 0);
	current()->se.avg_overlap = t->se.avg_overlap = 500000;
	assert_true(wake_affine(sd, t, true));
	assert_int_equal(t->nr_wakeups_affine_attempts, 0);
}

/* C7.2, C7.3: 100 * 2048 <= 112 * so many times 1024 holds from two on. */
static void test_not_sync(void **state)
{
	struct sched_domain *sd = two_cpus(0);
	struct task *t = test_sleeper(1, 0, 0);

	(void)state;
	assert_false(wake_affine(sd, t, false));
	test_task(1, 0);
	assert_false(wake_affine(sd, t, false));
	test_task(1, 0);
	assert_true(wake_affine(sd, t, false));
}

/* C7.4: the wakee, or the waker, runs on for 0.6 ms after it wakes others, so the hint is not believed. */
static void test_sync_with_overlap(void **state)
{
	struct sched_domain *sd = two_cpus(0);
	struct task *t = test_sleeper(1, 0, 0);

	(void)state;
	t->se.avg_overlap = 600000;
	assert_false(wake_affine(sd, t, true));
	t->se.avg_overlap = 0;
	assert_true(wake_affine(sd, t, true));
	current()->se.avg_overlap = 500001;
	assert_false(wake_affine(sd, t, true));
}

/* Section 7.5: without SYNC_LESS it is, and with SYNC_MORE no hint is needed of two that both sleep soon. */
static void test_sync_less_and_more(void **state)
{
	struct sched_domain *sd = two_cpus(0);
	struct task *t = test_sleeper(1, 0, 0);

	(void)state;
	t->se.avg_overlap = 600000;
	knob.SYNC_LESS = 0;
	assert_true(wake_affine(sd, t, true));
	knob.SYNC_MORE = 1;
	assert_false(wake_affine(sd, t, false));
	t->se.avg_overlap = 500000;
	assert_false(wake_affine(sd, t, false)); /* less than 0.5 ms is asked for */
	t->se.avg_overlap = 499999;
	assert_true(wake_affine(sd, t, false));
	current()->se.avg_overlap = 500000;
	assert_false(wake_affine(sd, t, false));
}

/* Section 7.5: this CPU is a thread and the other a core. Loads as they are: 204800 <= 229376. Scaled: 100 * 1024 * 2048 =
 * 209715200 is more than 112 * 589 * 2048 = 135102464. */
static void test_power_does_not_count(void **state)
{
	struct sched_domain *sd = two_cpus(2);
	struct task *t = test_sleeper(1, 0, 0);

	(void)state;
	cpu_rq(0)->power = 589;
	assert_true(wake_affine(sd, t, false));
	knob.affine_power = AFFINE_POWER_SCALED;
	assert_false(wake_affine(sd, t, false));
}

/* ---- wakeups in 2.6.32 and 2.6.32.2 ---- */

/* CPU 0 wakes a task that was last on `prev`; where it goes. */
static unsigned wakes_to(unsigned prev, unsigned wake_flags)
{
	test_on_cpu(0);
	return fair_select_cpu(test_sleeper(prev, 0, 0), SELECT_WAKE, wake_flags);
}

/* C7.9: this CPU (0 is sync and alone) or the last (C7.2, C7.3), although six others are idle. */
static void test_32_never_takes_a_third_cpu(void **state)
{
	(void)state;
	boot_4c_8t("v2.6.32");
	set_flag("MC", SD_PREFER_SIBLING, true);
	occupy(0, 1);
	occupy(2, 1);
	assert_int_equal(wakes_to(2, WAKE_SYNC), 0);
	assert_int_equal(wakes_to(2, 0), 2);
	assert_int_equal(wakes_to(0, WAKE_SYNC), 0);
	assert_int_equal(wakes_to(0, 0), 0);
	assert_int_equal(wakes_to(4, 0), 4);
	assert_int_equal(wakes_to(4, WAKE_SYNC), 0);
}

/* C7.9: 2.6.32.2 takes the first CPU of the span without tasks, if wake_affine() is for this one, */
static void test_32_2_searches(void **state)
{
	(void)state;
	boot_4c_8t("v2.6.32.2");
	set_flag("MC", SD_PREFER_SIBLING, true);
	occupy(0, 1);
	occupy(2, 1);
	assert_int_equal(wakes_to(2, WAKE_SYNC), 1);
	assert_int_equal(wakes_to(2, 0), 2);
	occupy(1, 1);
	assert_int_equal(wakes_to(2, WAKE_SYNC), 3);
}

/* but the last before it if that has none, */
static void test_32_2_prefers_the_last(void **state)
{
	(void)state;
	boot_4c_8t("v2.6.32.2");
	set_flag("MC", SD_PREFER_SIBLING, true);
	occupy(0, 1);
	assert_int_equal(wakes_to(3, WAKE_SYNC), 3);
	assert_int_equal(wakes_to(6, 0), 6);
}

/* only where the task may run, */
static void test_32_2_minds_affinity(void **state)
{
	struct task *t;

	(void)state;
	boot_4c_8t("v2.6.32.2");
	set_flag("MC", SD_PREFER_SIBLING, true);
	occupy(0, 1);
	occupy(2, 1);
	test_on_cpu(0);
	t = test_sleeper(2, 0, 0);
	mask_unset(&t->allowed, 1);
	mask_unset(&t->allowed, 3);
	t->nr_allowed = 6;
	assert_int_equal(fair_select_cpu(t, SELECT_WAKE, WAKE_SYNC), 4);
}

/* and this one if all have some. */
static void test_32_2_with_nothing_idle(void **state)
{
	(void)state;
	boot_4c_8t("v2.6.32.2");
	set_flag("MC", SD_PREFER_SIBLING, true);
	for (unsigned cpu = 0; cpu < 8; cpu++)
		occupy(cpu, 1);
	assert_int_equal(wakes_to(2, WAKE_SYNC), 0);
}

/* Section 7.2: pure SMT pairs do not search: the level that decides does not prefer siblings. */
static void test_32_2_does_not_search_siblings(void **state)
{
	(void)state;
	boot_4c_8t("v2.6.32.2");
	set_flag("MC", SD_PREFER_SIBLING, true);
	occupy(0, 1);
	occupy(4, 1);
	assert_int_equal(wakes_to(4, WAKE_SYNC), 0);
	assert_int_equal(wakes_to(4, 0), 4);
}

/* Section 7.2: a preferring level without the last CPU is searched as well, before the one that spans both. */
static void test_32_2_searches_below(void **state)
{
	(void)state;
	boot_q6600("v2.6.32.2");
	set_flag("MC", SD_PREFER_SIBLING, true);
	occupy(0, 1);
	occupy(2, 1);
	assert_int_equal(wakes_to(2, WAKE_SYNC), 1);
	occupy(1, 1);
	assert_int_equal(wakes_to(2, WAKE_SYNC), 3); /* the CPU level prefers siblings too */
	set_flag("CPU", SD_PREFER_SIBLING, false);
	assert_int_equal(wakes_to(2, WAKE_SYNC), 0);
}

/* C7.10: pinned; this CPU not allowed. */
static void test_32_pinned_wakee(void **state)
{
	struct task *t;

	(void)state;
	boot_4c_8t("v2.6.32.2");
	set_flag("MC", SD_PREFER_SIBLING, true);
	occupy(0, 1);
	occupy(3, 5);
	test_on_cpu(0);
	t = test_sleeper(3, 0, 0);
	test_pin(t, 3);
	assert_int_equal(fair_select_cpu(t, SELECT_WAKE, WAKE_SYNC), 3);
	assert_int_equal(t->nr_wakeups_affine_attempts, 0);
}

/* Section 7.2: with NO_AFFINE_WAKEUPS this CPU is not considered, */
static void test_without_affine_wakeups(void **state)
{
	(void)state;
	boot_q6600("v2.6.32");
	knob.AFFINE_WAKEUPS = 0;
	occupy(0, 1);
	occupy(1, 3);
	assert_int_equal(wakes_to(1, WAKE_SYNC), 1);
}

/* section 0.6: and with NO_SYNC_WAKEUPS no hint reaches anybody. */
static void test_without_sync_wakeups(void **state)
{
	struct task *t[2];

	(void)state;
	boot_q6600("v2.6.32");
	occupy(0, 1);
	test_on_cpu(0);
	for (unsigned i = 0; i < 2; i++) {
		t[i] = test_sleeper(1, 0, 0);
		knob.SYNC_WAKEUPS = i;
		assert_true(task_wake(t[i], WAKE_SYNC));
	}
	assert_int_equal(t[0]->cpu, 1);
	assert_int_equal(t[1]->cpu, 0);
}

/* Section 7.2: LOAD_BALANCE is not asked for in 2.6.32. In 3.8 the domain would not be seen at all. */
static void test_32_without_load_balance(void **state)
{
	(void)state;
	two_cpus(0);
	set_flag("CPU", SD_LOAD_BALANCE, false);
	assert_int_equal(wakes_to(1, WAKE_SYNC), 0);
	assert_int_equal(fair_select_cpu(test_sleeper(0, 0, 0), SELECT_FORK, 0), 1);
	knob.wake_select = WAKE_SELECT_IDLE_SIBLING;
	assert_int_equal(wakes_to(1, WAKE_SYNC), 1);
	assert_int_equal(fair_select_cpu(test_sleeper(0, 0, 0), SELECT_FORK, 0), 0);
}

/* Section 7.2, steps a and d: a level that balances wakeups (relax_domain_level) sends one to its idlest CPU, unless it prefers
 * local and has room; then the last is left. */
static void test_32_wakeup_balances(void **state)
{
	(void)state;
	boot_q6600("v2.6.32");
	set_flag("MC", SD_BALANCE_WAKE, true);
	occupy(0, 1);
	occupy(2, 1);
	assert_int_equal(wakes_to(2, 0), 1);
	set_flag("MC", SD_PREFER_LOCAL, true);
	assert_int_equal(wakes_to(2, 0), 2);
	occupy(0, 1);
	assert_int_equal(wakes_to(2, 0), 1);
}

/* ---- forks ---- */

/* The task that runs on CPU 0 makes n children, which stay runnable; where each went. */
static void expect_children(const unsigned *cpu, unsigned n)
{
	test_spinners(0, 1);
	test_on_cpu(0);
	for (unsigned i = 0; i < n; i++) {
		struct task *t = task_spawn("child", (void (*)(void *))abort, NULL, false);

		assert_non_null(t);
		if (t->cpu != cpu[i])
			fail_msg("child %u went to CPU %u, not %u", i, t->cpu, cpu[i]);
		assert_int_equal(t->nr_migrations, t->cpu != 0); /* section 11.1 */
	}
}

/* C7.5: the parent's load against that of the other group. */
static void test_32_fork_between_two(void **state)
{
	struct task *t;

	(void)state;
	two_cpus(0);
	t = test_sleeper(0, 0, 0);
	assert_int_equal(fair_select_cpu(t, SELECT_FORK, 0), 1);
	test_task(1, 0);
	assert_int_equal(fair_select_cpu(t, SELECT_FORK, 0), 0);
	test_task(0, 0);
	assert_int_equal(fair_select_cpu(t, SELECT_FORK, 0), 1);
}

/* C7.6 */
static void test_32_forks_on_q6600(void **state)
{
	static const unsigned cpu[] = { 3, 1, 2 };

	(void)state;
	boot_q6600("v2.6.32");
	expect_children(cpu, 3);
}

/* C7.6b */
static void test_32_forks_on_4c_8t(void **state)
{
	static const unsigned cpu[] = { 5, 6, 7, 4, 1, 2, 3 };

	(void)state;
	boot_4c_8t("v2.6.32");
	expect_children(cpu, 7);
}

/*
 * C7.7: MC and CPU prefer local. One task in the pair, which has room for two: the child stays on CPU 0. Then MC is considered, but
 * not CPU (2 and 3 are less than 4): twice the idlest of the pair, CPU 1. With four the CPU level is used: pair {2,3}, there CPU 2
 * and, 0 < 0 not holding, its neighbour.
 */
static void test_rc1_forks_on_q6600(void **state)
{
	static const unsigned cpu[] = { 0, 1, 1, 3 };

	(void)state;
	boot_q6600("v2.6.32-rc1");
	set_flag("MC", SD_PREFER_LOCAL, true);
	set_flag("CPU", SD_PREFER_LOCAL, true);
	expect_children(cpu, 4);
}

/*
 * Section 7.2: spread over the threads of the parent's core only, where SIBLING does not prefer local: to the idle one; equal (1780
 * < 105 % of 1780), so it stays; and so on. The 8 threads have a power of 8 * 589 = 4712, rounded room for 5. With five tasks MC is
 * considered: core {1,5}, CPU 1, and its other thread.
 */
static void test_rc1_forks_stay_in_the_core(void **state)
{
	static const unsigned cpu[] = { 4, 0, 4, 0, 5 };

	(void)state;
	boot_4c_8t("v2.6.32-rc1");
	set_flag("MC", SD_PREFER_LOCAL, true);
	expect_children(cpu, 5);
}

/* The same flag means the same to the walk of 3.8, where no domain has it. */
static void test_prefer_local_with_the_walk_of_3_8(void **state)
{
	static const unsigned cpu[] = { 0, 1, 1, 3 };

	(void)state;
	boot_q6600("v3.8");
	set_flag("MC", SD_PREFER_LOCAL, true);
	set_flag("CPU", SD_PREFER_LOCAL, true);
	expect_children(cpu, 4);
}

/* ---- 3.9: the bouncing cow ---- */

/* Section 7.6: the waker is on 0, the wakee was on 2, which is idle; it is drawn to the neighbourhood of 0. 3.8: the first idle CPU
 * from there on. 3.9: its last. */
static void test_cow(void **state)
{
	(void)state;
	boot(1, 4, 1, "v3.8");
	occupy(0, 1);
	assert_int_equal(wakes_to(2, WAKE_SYNC), 1);
	knob.wake_select = WAKE_SELECT_PREVIOUS_IDLE;
	assert_int_equal(wakes_to(2, WAKE_SYNC), 2);
	occupy(2, 1);
	assert_int_equal(wakes_to(2, WAKE_SYNC), 1);
	assert_int_equal(wakes_to(2, 0), 3); /* not affine: around 2 */
}

/* An idle last CPU in another cache is not gone back to, and an idle target comes before it. */
static void test_cow_knows_its_cache(void **state)
{
	(void)state;
	boot_q6600("v3.13");
	occupy(0, 1);
	assert_int_equal(wakes_to(3, WAKE_SYNC), 1);
	test_on_cpu(1);
	assert_int_equal(fair_select_cpu(test_sleeper(0, 0, 0), SELECT_WAKE, WAKE_SYNC), 1);
}

/* ---- Wasted Cores: overload on wakeup ---- */

/* Let that CPU's idle time begin now. */
static void busy_until_now(unsigned cpu)
{
	test_spinners(cpu, 1);
	test_clock_advance(NSEC_PER_MSEC);
	test_sleep(cpu);
	assert_true(cpu_is_idle(cpu));
}

/* Two nodes of two CPUs; node 0 is busy, and CPU 2 has become idle after CPU 3. */
static void boot_overload(void)
{
	test_machine(2, 1, 2, 1);
	test_boot(SWITCH_LABELS);
	occupy(0, 1);
	occupy(1, 1);
	busy_until_now(2);
}

/* C13.4: 3.8 stays in the busy node, until balanced. */
static void test_overload_in_3_8(void **state)
{
	struct task *t;

	(void)state;
	boot_overload();
	test_on_cpu(0);
	t = test_sleeper(1, 0, 0);
	task_wake(t, 0);
	assert_int_equal(t->cpu, 1);
	test_machine_run(100 * NSEC_PER_MSEC);
	for (unsigned cpu = 0; cpu < 2; cpu++)
		assert_int_equal(cpu_rq(cpu)->nr_running, 1);
	assert_int_equal(cpu_rq(2)->nr_running + cpu_rq(3)->nr_running, 1);
}

/* Section 13.3: the CPU that has been idle longest, whose cache ever it has; the last one if that is idle. */
static void test_overload_mended(void **state)
{
	(void)state;
	boot_overload();
	knob.wake_select = WAKE_SELECT_LONGEST_IDLE;
	assert_int_equal(wakes_to(1, 0), 3);
	assert_int_equal(wakes_to(1, WAKE_SYNC), 3);
	assert_int_equal(wakes_to(2, 0), 2);
	busy_until_now(3);
	assert_int_equal(wakes_to(1, 0), 2);
}

/* Only where the task may run; */
static void test_overload_mended_minds_affinity(void **state)
{
	struct task *t;

	(void)state;
	boot_overload();
	knob.wake_select = WAKE_SELECT_LONGEST_IDLE;
	test_on_cpu(0);
	t = test_sleeper(1, 0, 0);
	allow_only(t, 1, 2);
	assert_int_equal(fair_select_cpu(t, SELECT_WAKE, 0), 2);
	allow_only(t, 0, 1);
	assert_int_equal(fair_select_cpu(t, SELECT_WAKE, 0), 1);
}

/* with nothing idle, and for forks, what 3.8 does. */
static void test_overload_mended_as_3_8(void **state)
{
	(void)state;
	boot_overload();
	knob.wake_select = WAKE_SELECT_LONGEST_IDLE;
	busy_until_now(3);
	assert_int_equal(fair_select_cpu(test_sleeper(0, 0, 0), SELECT_FORK, 0), 3); /* C7.6 */
	occupy(2, 1);
	occupy(3, 1);
	assert_int_equal(wakes_to(1, 0), 1);
	assert_int_equal(wakes_to(1, WAKE_SYNC), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		machine_test(test_sync_from_a_lone_waker),
		machine_test(test_not_sync),
		machine_test(test_sync_with_overlap),
		machine_test(test_sync_less_and_more),
		machine_test(test_power_does_not_count),
		machine_test(test_32_never_takes_a_third_cpu),
		machine_test(test_32_2_searches),
		machine_test(test_32_2_prefers_the_last),
		machine_test(test_32_2_minds_affinity),
		machine_test(test_32_2_with_nothing_idle),
		machine_test(test_32_2_does_not_search_siblings),
		machine_test(test_32_2_searches_below),
		machine_test(test_32_pinned_wakee),
		machine_test(test_without_affine_wakeups),
		machine_test(test_without_sync_wakeups),
		machine_test(test_32_without_load_balance),
		machine_test(test_32_wakeup_balances),
		machine_test(test_32_fork_between_two),
		machine_test(test_32_forks_on_q6600),
		machine_test(test_32_forks_on_4c_8t),
		machine_test(test_rc1_forks_on_q6600),
		machine_test(test_rc1_forks_stay_in_the_core),
		machine_test(test_prefer_local_with_the_walk_of_3_8),
		machine_test(test_cow),
		machine_test(test_cow_knows_its_cache),
		machine_test(test_overload_in_3_8),
		machine_test(test_overload_mended),
		machine_test(test_overload_mended_minds_affinity),
		machine_test(test_overload_mended_as_3_8),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
