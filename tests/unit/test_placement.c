/* SPDX-License-Identifier: GPL-2.0-or-later
 * Where a task goes when it wakes, forks or execs, against cfs.md section 7 (checks C7.1 to C7.3, C7.5, C7.6, C7.6b, C7.8, C7.10,
 * the 3.8 side; test_placement_era.c has the others). Expected CPUs follow from the loads by the rules there; a miss names the CPU
 * chosen instead. */
#include "tests/unit/machine.h"

#include "sched/rq.h"

static void boot_q6600(void)
{
	test_machine(1, 2, 2, 1); /* pairs 0 1 and 2 3 */
	test_boot(SWITCH_LABELS);
}

static void boot_4c_8t(void)
{
	test_machine(1, 1, 4, 2); /* siblings c and c + 4 */
	test_boot(SWITCH_LABELS);
}

/* ---- wake_affine: a waker on CPU 0, alone there; a nice-0 wakee that was last on CPU 1 ---- */

/* Two CPUs in one domain with imbalance_pct 125, which has so many nice-0 tasks on CPU 1. */
static bool affine(unsigned on_previous, bool sync)
{
	struct task *t;

	test_machine(1, 2, 1, 1);
	test_boot(SWITCH_LABELS);
	assert_int_equal(cpu_rq(0)->sd->imbalance_pct, 125);
	test_spinners(0, 1);
	for (unsigned i = 0; i < on_previous; i++)
		test_task(1, 0);
	t = test_sleeper(1, 0, 0);
	return wake_affine(cpu_rq(0)->sd, t, sync);
}

/* C7.1: sync, so the waker does not count: nothing is left here, and the wakee comes whatever its CPU has to do. */
static void test_sync_from_a_lone_waker_idle_previous(void **state)
{
	(void)state;
	assert_true(affine(0, true));
}

static void test_sync_from_a_lone_waker_busy_previous(void **state)
{
	(void)state;
	assert_true(affine(3, true));
	assert_int_equal(cpu_rq(0)->sd->move_affine, 0); /* section 7.5: counted only without sync */
}

/* Section 7.5: a pull by the hint alone is not counted, not even as an attempt; every other question is. */
static void test_counting_affine_wakeups(void **state)
{
	struct task *t;

	(void)state;
	test_machine(1, 2, 1, 1);
	test_boot(SWITCH_LABELS);
	test_spinners(0, 1);
	t = test_sleeper(1, 0, 0);
	assert_true(wake_affine(cpu_rq(0)->sd, t, true));
	assert_int_equal(t->nr_wakeups_affine_attempts, 0);
	assert_false(wake_affine(cpu_rq(0)->sd, t, false));
	assert_int_equal(t->nr_wakeups_affine_attempts, 1);
	assert_int_equal(t->nr_wakeups_affine, 0);
	test_spinners(1, 2);
	assert_true(wake_affine(cpu_rq(0)->sd, t, false));
	assert_int_equal(t->nr_wakeups_affine_attempts, 2);
	assert_int_equal(t->nr_wakeups_affine, 1);
	assert_int_equal(cpu_rq(0)->sd->move_affine, 1);
}

/* Section 7.5: scaled by power. A thread (589) draws no wakee from a core that has two: 100 * 1024 * 2048 > 112 * 589 * 2048; but
 * from one that has four: 209715200 <= 270204928. */
static void test_affine_scales_by_power(void **state)
{
	struct task *t;

	(void)state;
	test_machine(1, 2, 1, 1);
	test_boot(SWITCH_LABELS);
	cpu_rq(0)->power = 589;
	test_spinners(0, 1);
	test_spinners(1, 2);
	t = test_sleeper(1, 0, 0);
	assert_false(wake_affine(cpu_rq(0)->sd, t, false));
	test_spinners(1, 2);
	assert_true(wake_affine(cpu_rq(0)->sd, t, false));
}

/* C7.2: 100 * 2048 <= 112 * 0 does not hold, nor 1024 <= 0. */
static void test_idle_previous_keeps(void **state)
{
	(void)state;
	assert_false(affine(0, false));
}

/* C7.3: 204800 <= 114688 does not hold; 1024 <= 1024, but 2048 <= 1024 does not. */
static void test_previous_with_one_keeps(void **state)
{
	(void)state;
	assert_false(affine(1, false));
}

/* C7.3: 204800 <= 229376. */
static void test_previous_with_two_gives(void **state)
{
	(void)state;
	assert_true(affine(2, false));
	assert_int_equal(cpu_rq(0)->sd->move_affine, 1);
}

/* Section 7.5: the factor of pct 125 is 112: 204800 <= 112 * 1829 = 204848, but not 112 * 1828 = 204736. */
static void test_affine_factor(void **state)
{
	struct task *t;

	(void)state;
	test_machine(1, 2, 1, 1);
	test_boot(SWITCH_LABELS);
	test_spinners(0, 1);
	t = test_sleeper(1, 0, 0);
	cpu_rq(1)->cfs.load.weight = 1829;
	assert_true(wake_affine(cpu_rq(0)->sd, t, false));
	cpu_rq(1)->cfs.load.weight = 1828;
	assert_false(wake_affine(cpu_rq(0)->sd, t, false));
}

/* The second rule of section 7.5: no more load here than there, and both together no more than this CPU's average task. It takes a
 * sync waker that is heavier than what else is queued here. */
static void test_affine_within_an_average_task(void **state)
{
	struct task *t;

	(void)state;
	test_machine(1, 2, 1, 1);
	test_boot(SWITCH_LABELS);
	test_spinners(0, 1);
	test_task(0, 19); /* sync: 15 are left here, an average task is (1024 + 15) / 2 = 519 */
	t = test_sleeper(1, 0, 0);
	cpu_rq(1)->cfs.load.weight = 504;
	assert_true(wake_affine(cpu_rq(0)->sd, t, true)); /* 15 <= 504 and 15 + 504 <= 519 */
	assert_int_equal(cpu_rq(0)->sd->move_affine, 1);
	cpu_rq(1)->cfs.load.weight = 505;
	assert_false(wake_affine(cpu_rq(0)->sd, t, true));
	cpu_rq(1)->cfs.load.weight = 14;
	assert_false(wake_affine(cpu_rq(0)->sd, t, true));
}

/* ---- select_idle_sibling ---- */

static void occupy(unsigned cpu)
{
	test_pin(test_task(cpu, 0), cpu);
	test_schedule(cpu);
}

/* C7.8: CPU 0 is busy and its sibling 4 idle; 1 and 5 are a whole idle core and win. */
static void test_idle_core_before_idle_thread(void **state)
{
	(void)state;
	boot_4c_8t();
	occupy(0);
	assert_int_equal(select_idle_sibling(test_sleeper(0, 0, 0), 0), 1);
}

/* C7.8: the first core in ring order, beginning with the target's own. */
static void test_first_idle_core_of_the_ring(void **state)
{
	(void)state;
	boot_4c_8t();
	occupy(2);
	occupy(3);
	assert_int_equal(select_idle_sibling(test_sleeper(2, 0, 0), 2), 0);
}

/* C7.8: no core is idle, but the target's second thread is. */
static void test_idle_thread_of_the_target(void **state)
{
	(void)state;
	boot_4c_8t();
	for (unsigned cpu = 0; cpu < 4; cpu++)
		occupy(cpu);
	assert_int_equal(select_idle_sibling(test_sleeper(0, 0, 0), 0), 4);
}

/* Section 7.6: an idle thread of another core is not looked for. */
static void test_idle_thread_of_another_core(void **state)
{
	(void)state;
	boot_4c_8t();
	for (unsigned cpu = 0; cpu < 5; cpu++)
		occupy(cpu);
	assert_int_equal(select_idle_sibling(test_sleeper(0, 0, 0), 0), 0);
}

/* C7.8 */
static void test_nothing_idle(void **state)
{
	(void)state;
	boot_4c_8t();
	for (unsigned cpu = 0; cpu < 8; cpu++)
		occupy(cpu);
	assert_int_equal(select_idle_sibling(test_sleeper(0, 0, 0), 0), 0);
}

/* C7.8: on the Q6600 only the pair is searched. */
static void test_search_stays_in_the_cache(void **state)
{
	(void)state;
	boot_q6600();
	occupy(0);
	assert_int_equal(select_idle_sibling(test_sleeper(0, 0, 0), 0), 1);
	occupy(1);
	assert_int_equal(select_idle_sibling(test_sleeper(0, 0, 0), 0), 0);
}

/* Section 7.6, steps 1 and 2: an idle target is taken at once when it is this CPU or the previous one; elsewhere the search
 * decides, and an own group that is idle comes first. */
static void test_idle_target(void **state)
{
	(void)state;
	boot_4c_8t();
	test_on_cpu(6);
	assert_int_equal(select_idle_sibling(test_sleeper(3, 0, 0), 6), 6);
	assert_int_equal(select_idle_sibling(test_sleeper(3, 0, 0), 3), 3);
	occupy(7);
	assert_int_equal(select_idle_sibling(test_sleeper(3, 0, 0), 3), 3); /* though its core is not */
}

/* Section 7.6: a group without an allowed CPU is passed over, and in a group only an allowed one is taken. */
static void test_search_minds_affinity(void **state)
{
	struct task *t;

	(void)state;
	boot_4c_8t();
	occupy(0);
	t = test_sleeper(0, 0, 0);
	mask_clear(&t->allowed);
	mask_set(&t->allowed, 0);
	mask_set(&t->allowed, 6);
	t->nr_allowed = 2;
	assert_int_equal(select_idle_sibling(t, 0), 6);
}

/* ---- wakeups as a whole ---- */

/* C7.10: pinned, so it goes back at once, busy as that CPU may be. */
static void test_pinned_wakee(void **state)
{
	struct task *t;

	(void)state;
	boot_4c_8t();
	test_spinners(3, 5);
	t = test_sleeper(3, 0, 0);
	test_pin(t, 3);
	assert_int_equal(fair_select_cpu(t, SELECT_WAKE, WAKE_SYNC), 3);
	test_spinners(0, 1);
	test_pin(t, 0);
	assert_int_equal(fair_select_cpu(t, SELECT_WAKE, 0), 0);
	assert_int_equal(t->nr_wakeups_affine_attempts, 0); /* nothing was asked */
}

/* Section 7.3: within an affine domain the target is searched around; a sync waker draws the wakee to its own CPU's neighbourhood.
 */
static void test_sync_wakeup_moves_to_the_wakers_cache(void **state)
{
	struct task *t;

	(void)state;
	boot_q6600();
	occupy(0);
	occupy(2);
	test_on_cpu(0);
	t = test_sleeper(2, 0, 0);
	assert_int_equal(fair_select_cpu(t, SELECT_WAKE, WAKE_SYNC), 1); /* target 0, busy; idle beside it: 1 */
	assert_int_equal(fair_select_cpu(t, SELECT_WAKE, 0), 3);	 /* not affine (C7.3): target 2, beside it 3 */
}

/* Section 7.3: a wakee whose domain with this CPU is not WAKE_AFFINE (beyond RECLAIM_DISTANCE) goes back, without a search. */
static void test_wakeup_from_far_away(void **state)
{
	struct task *t;

	(void)state;
	test_machine(2, 1, 2, 1);
	test_distance(0, 1, 31);
	test_boot(SWITCH_LABELS);
	occupy(0);
	occupy(2);
	test_on_cpu(0);
	t = test_sleeper(2, 0, 0);
	assert_int_equal(fair_select_cpu(t, SELECT_WAKE, WAKE_SYNC), 2);
}

/* ... and so does one that may not run on this CPU. */
static void test_wakeup_where_the_waker_is_not_allowed(void **state)
{
	struct task *t;

	(void)state;
	boot_4c_8t();
	occupy(0);
	occupy(2);
	t = test_sleeper(2, 0, 0);
	mask_unset(&t->allowed, 0);
	t->nr_allowed = 7;
	assert_int_equal(fair_select_cpu(t, SELECT_WAKE, WAKE_SYNC), 2);
}

/* Sections 7.3 and 7.4: no affine domain, but one that balances wakeups (relax_domain_level): to an idler CPU, else back to the
 * last. */
static void test_wakeup_balances(void **state)
{
	struct task *t;

	(void)state;
	test_machine(1, 2, 1, 1);
	test_boot(SWITCH_LABELS);
	cpu_rq(0)->sd->flags &= ~(u32)SD_WAKE_AFFINE;
	cpu_rq(0)->sd->flags |= SD_BALANCE_WAKE;
	test_spinners(0, 1);
	t = test_sleeper(1, 0, 0);
	assert_int_equal(fair_select_cpu(t, SELECT_WAKE, 0), 1); /* the idlest */
	test_spinners(1, 1);
	assert_int_equal(fair_select_cpu(t, SELECT_WAKE, 0), 1); /* none is better than here: the last */
	t->cpu = 0;
	test_spinners(0, 1);
	assert_int_equal(fair_select_cpu(t, SELECT_WAKE, 0), 1);
}

/* Section 7.1: the last CPU is closed to it: another of that node before one of a lower number. */
static void test_fallback_to_the_same_node(void **state)
{
	struct task *t;

	(void)state;
	test_machine(2, 1, 2, 1);
	test_boot(SWITCH_LABELS);
	t = test_sleeper(2, 0, 0);
	test_pin(t, 1);
	mask_set(&t->allowed, 3);
	t->nr_allowed = 2;
	assert_int_equal(fair_select_cpu(t, SELECT_WAKE, 0), 3);
	mask_unset(&t->allowed, 3);
	t->nr_allowed = 1;
	assert_int_equal(fair_select_cpu(t, SELECT_WAKE, 0), 1);
}

/* A CPU that is no longer allowed is not gone back to. */
static void test_wakeup_after_affinity_changed(void **state)
{
	struct task *t;

	(void)state;
	boot_4c_8t();
	t = test_sleeper(2, 0, 0);
	test_pin(t, 5);
	assert_int_equal(fair_select_cpu(t, SELECT_WAKE, 0), 5);
}

/* ---- forks ---- */

/* Two CPUs, each a group; so many tasks of nice 0 on each; the parent is on CPU 0. */
static unsigned fork_goes_to(unsigned here, unsigned there)
{
	struct task *t;

	test_machine(1, 2, 1, 1);
	test_boot(SWITCH_LABELS);
	test_spinners(0, here);
	for (unsigned i = 0; i < there; i++)
		test_task(1, 0);
	t = test_sleeper(0, 0, 0);
	return fair_select_cpu(t, SELECT_FORK, 0);
}

/* C7.5 */
static void test_fork_to_an_idle_group(void **state)
{
	(void)state;
	assert_int_equal(fork_goes_to(1, 0), 1); /* 102400 < 0 does not hold */
}

static void test_fork_stays_when_equal(void **state)
{
	(void)state;
	assert_int_equal(fork_goes_to(1, 1), 0); /* 102400 < 114688 */
}

static void test_fork_leaves_a_busier_group(void **state)
{
	(void)state;
	assert_int_equal(fork_goes_to(2, 1), 1); /* 204800 < 114688 does not hold */
}

/* Section 7.4: the factor of pct 125 is 112: 100 * 1146 < 112 * 1024 = 114688, but not 100 * 1147. */
static void test_fork_factor(void **state)
{
	struct task *t;

	(void)state;
	test_machine(1, 2, 1, 1);
	test_boot(SWITCH_LABELS);
	t = test_sleeper(0, 0, 0);
	cpu_rq(1)->cfs.load.weight = 1024;
	cpu_rq(0)->cfs.load.weight = 1146;
	assert_int_equal(fair_select_cpu(t, SELECT_FORK, 0), 0);
	cpu_rq(0)->cfs.load.weight = 1147;
	assert_int_equal(fair_select_cpu(t, SELECT_FORK, 0), 1);
}

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
		assert_int_equal(cpu_rq(cpu[i])->nr_running, 1);
		assert_int_equal(t->nr_migrations, 1); /* section 11.1: a fork to another CPU counts */
	}
}

/* C7.6: pair {2,3}, where 0 < 0 sends it to the other CPU; then beside the parent; then CPU 2. */
static void test_forks_on_q6600(void **state)
{
	static const unsigned cpu[] = { 3, 1, 2 };

	(void)state;
	boot_q6600();
	expect_children(cpu, 3);
}

/* C7.6b: the same quirk picks the second thread of each idle core first. */
static void test_forks_on_4c_8t(void **state)
{
	static const unsigned cpu[] = { 5, 6, 7, 4, 1, 2, 3 };

	(void)state;
	boot_4c_8t();
	expect_children(cpu, 7);
}

/* Section 7.4: only allowed CPUs count, and one allowed CPU decides at once. */
static void test_fork_minds_affinity(void **state)
{
	struct task *t;

	(void)state;
	boot_q6600();
	test_spinners(0, 1);
	t = test_sleeper(0, 0, 0);
	mask_unset(&t->allowed, 3);
	t->nr_allowed = 3;
	assert_int_equal(fair_select_cpu(t, SELECT_FORK, 0), 2);
	test_pin(t, 1);
	assert_int_equal(fair_select_cpu(t, SELECT_FORK, 0), 1);
}

/* Section 7.3: exec goes by the same loads, from the CPU of the caller. */
static void test_exec_balances(void **state)
{
	struct task *t;

	(void)state;
	test_machine(1, 2, 1, 1);
	test_boot(SWITCH_LABELS);
	t = test_spinners(0, 2);
	assert_int_equal(fair_select_cpu(t, SELECT_EXEC, 0), 1);
}

/* Section 7.3: beyond RECLAIM_DISTANCE (NUMA without EXEC and FORK) a child stays in its node. */
static void test_fork_stays_in_a_far_node(void **state)
{
	struct task *t;

	(void)state;
	test_machine(2, 1, 2, 1);
	test_distance(0, 1, 31);
	test_boot(SWITCH_LABELS);
	test_spinners(0, 2);
	t = test_sleeper(0, 0, 0);
	assert_int_equal(fair_select_cpu(t, SELECT_FORK, 0), 1);
	test_spinners(1, 2);
	assert_in_range(fair_select_cpu(t, SELECT_FORK, 0), 0, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		machine_test(test_sync_from_a_lone_waker_idle_previous),
		machine_test(test_sync_from_a_lone_waker_busy_previous),
		machine_test(test_counting_affine_wakeups),
		machine_test(test_affine_scales_by_power),
		machine_test(test_idle_previous_keeps),
		machine_test(test_previous_with_one_keeps),
		machine_test(test_previous_with_two_gives),
		machine_test(test_affine_factor),
		machine_test(test_affine_within_an_average_task),
		machine_test(test_idle_core_before_idle_thread),
		machine_test(test_first_idle_core_of_the_ring),
		machine_test(test_idle_thread_of_the_target),
		machine_test(test_idle_thread_of_another_core),
		machine_test(test_nothing_idle),
		machine_test(test_search_stays_in_the_cache),
		machine_test(test_idle_target),
		machine_test(test_search_minds_affinity),
		machine_test(test_pinned_wakee),
		machine_test(test_sync_wakeup_moves_to_the_wakers_cache),
		machine_test(test_wakeup_from_far_away),
		machine_test(test_wakeup_where_the_waker_is_not_allowed),
		machine_test(test_wakeup_balances),
		machine_test(test_fallback_to_the_same_node),
		machine_test(test_wakeup_after_affinity_changed),
		machine_test(test_fork_to_an_idle_group),
		machine_test(test_fork_stays_when_equal),
		machine_test(test_fork_leaves_a_busier_group),
		machine_test(test_fork_factor),
		machine_test(test_forks_on_q6600),
		machine_test(test_forks_on_4c_8t),
		machine_test(test_fork_minds_affinity),
		machine_test(test_exec_balances),
		machine_test(test_fork_stays_in_a_far_node),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
