/* SPDX-License-Identifier: GPL-2.0-or-later
 * The watchdog (metal.md 7: heartbeats, thresholds, no false alarms under an emulator): what it finds, after how many rounds, and
 * what it must not take for a fault. The limit is 8 s, so that a round is a second; what is wrong must have been seen in 8 rounds,
 * and the first round only has something to compare with. So a finding comes with the 9th, or with the 8th where nothing is
 * compared. */
#include "tests/unit/machine.h"

#include "base/timer.h"
#include "base/watchdog.h"
#include "sched/rq.h"

enum { CPUS = 4 };

static unsigned found_cpu;
static struct task *spinner[CPUS];

static void prepare(bool busy)
{
	test_machine(1, 1, CPUS, 1);
	test_boot(SWITCH_LABELS);
	test_clock_advance(NSEC_PER_SEC);
	watchdog_init(8 * NSEC_PER_SEC);
	for (unsigned cpu = 0; busy && cpu < CPUS; cpu++)
		spinner[cpu] = test_spinners(cpu, 1);
}

/* What is found in so many rounds, a second apart; on_the_way() is called before each. */
static enum watchdog_finding rounds(unsigned n, void (*on_the_way)(void))
{
	enum watchdog_finding found = WATCHDOG_FINE;

	for (unsigned i = 0; i < n && found == WATCHDOG_FINE; i++) {
		test_clock_advance(NSEC_PER_SEC);
		if (on_the_way)
			on_the_way();
		found = watchdog_look(machine_clock_ns(), &found_cpu);
	}
	return found;
}

/* So many ticks of a CPU; the watchdog's part of them only. */
static void ticks(unsigned cpu, unsigned n)
{
	test_on_cpu(cpu);
	while (n--)
		watchdog_tick();
	test_on_cpu(0);
}

/* ---- timers ---- */

static void test_timer_that_stays_due(void **state)
{
	(void)state;
	prepare(true);
	watchdog_of[2].deadline = machine_clock_ns();
	assert_int_equal(rounds(8, NULL), WATCHDOG_FINE);
	assert_int_equal(rounds(1, NULL), WATCHDOG_LATE);
	assert_int_equal(found_cpu, 2);
	assert_false(watchdog_all_late());
}

static void rearm_cpu_2(void)
{
	watchdog_of[2].deadline = machine_clock_ns() - 1;
}

/* However late it always is: it comes. */
static void test_timer_that_comes_late(void **state)
{
	(void)state;
	prepare(true);
	assert_int_equal(rounds(100, rearm_cpu_2), WATCHDOG_FINE);
}

static void test_timer_that_is_not_due_yet(void **state)
{
	(void)state;
	prepare(true);
	watchdog_of[2].deadline = machine_clock_ns() + 50 * NSEC_PER_SEC;
	watchdog_of[3].deadline = TIMER_NEVER;
	assert_int_equal(rounds(50, NULL), WATCHDOG_FINE);
}

static void test_all_timers_stay_due(void **state)
{
	(void)state;
	prepare(true);
	for (unsigned cpu = 0; cpu < CPUS; cpu++)
		watchdog_of[cpu].deadline = machine_clock_ns();
	assert_int_equal(rounds(9, NULL), WATCHDOG_LATE);
	assert_true(watchdog_all_late());
}

/* A machine that was stopped for an hour, as a laptop's lid does: that is one round, not 3600. */
static void test_time_that_jumps(void **state)
{
	(void)state;
	prepare(true);
	watchdog_of[2].deadline = machine_clock_ns();
	assert_int_equal(rounds(4, NULL), WATCHDOG_FINE);
	test_clock_advance(3600 * NSEC_PER_SEC);
	assert_int_equal(rounds(1, NULL), WATCHDOG_FINE);
	watchdog_of[2].deadline = TIMER_NEVER;
	assert_int_equal(rounds(20, NULL), WATCHDOG_FINE);
}

/* Many CPUs may ask in one round; it is looked once. */
static void test_one_look_a_round(void **state)
{
	(void)state;
	prepare(true);
	watchdog_of[2].deadline = machine_clock_ns();
	test_clock_advance(NSEC_PER_SEC);
	for (unsigned i = 0; i < 100; i++)
		assert_int_equal(watchdog_look(machine_clock_ns(), &found_cpu), WATCHDOG_FINE);
	assert_int_equal(rounds(7, NULL), WATCHDOG_FINE);
	assert_int_equal(rounds(1, NULL), WATCHDOG_LATE);
}

/* ---- tasks ---- */

static void tick_cpu_1(void)
{
	ticks(1, 100);
}

static void test_task_that_cannot_be_preempted(void **state)
{
	(void)state;
	prepare(true);
	spinner[1]->preempt_off = 1;
	assert_int_equal(rounds(7, tick_cpu_1), WATCHDOG_FINE);
	assert_int_equal(rounds(2, tick_cpu_1), WATCHDOG_HELD);
	assert_int_equal(found_cpu, 1);
}

static void test_task_that_stays_in_the_kernel(void **state)
{
	(void)state;
	prepare(true);
	spinner[1]->syscall_depth = 1;
	assert_int_equal(rounds(9, tick_cpu_1), WATCHDOG_HELD);
}

/* A CPU's own ticks count, not the time: an emulator may not have let it run. */
static void test_task_that_has_had_no_ticks(void **state)
{
	(void)state;
	prepare(true);
	spinner[1]->preempt_off = 1;
	ticks(1, 3);
	assert_int_equal(rounds(50, NULL), WATCHDOG_FINE);
}

static void tick_and_pass(void)
{
	ticks(1, 100);
	cpu_rq(1)->count.schedules++;
}

static void test_task_that_passes_scheduling_points(void **state)
{
	(void)state;
	prepare(true);
	spinner[1]->preempt_off = 1;
	assert_int_equal(rounds(50, tick_and_pass), WATCHDOG_FINE);
}

/* Mostly in system calls, but one tick in fifty finds it outside. */
static void tick_with_pauses(void)
{
	for (unsigned i = 0; i < 2; i++) {
		spinner[1]->syscall_depth = 0;
		ticks(1, 1);
		spinner[1]->syscall_depth = 1;
		ticks(1, 49);
	}
}

static void test_task_of_many_system_calls(void **state)
{
	(void)state;
	prepare(true);
	assert_int_equal(rounds(50, tick_with_pauses), WATCHDOG_FINE);
}

/* A task alone on its CPU may run as long as it likes. */
static void test_task_that_runs_for_ever(void **state)
{
	(void)state;
	prepare(true);
	assert_int_equal(rounds(50, tick_cpu_1), WATCHDOG_FINE);
}

/* ---- kicks ---- */

static void test_cpu_that_does_not_hear(void **state)
{
	(void)state;
	prepare(true);
	test_sleep(3); /* it idles */
	cpu_rq(3)->idle->need_resched = 1;
	assert_int_equal(rounds(8, NULL), WATCHDOG_FINE);
	assert_int_equal(rounds(1, NULL), WATCHDOG_DEAF);
	assert_int_equal(found_cpu, 3);
}

/* All idle, and a task on the list of one: not a machine that nothing will wake. */
static void test_wakeup_that_nobody_hears_of(void **state)
{
	(void)state;
	prepare(true);
	for (unsigned cpu = 0; cpu < CPUS; cpu++)
		test_sleep(cpu);
	cpu_rq(2)->wake_list = spinner[2];
	assert_int_equal(rounds(8, NULL), WATCHDOG_FINE);
	assert_int_equal(rounds(1, NULL), WATCHDOG_DEAF);
	assert_int_equal(found_cpu, 2);
}

/* ---- a machine that sleeps ---- */

static void test_machine_that_nothing_will_wake(void **state)
{
	(void)state;
	prepare(false);
	assert_int_equal(rounds(7, NULL), WATCHDOG_FINE);
	assert_int_equal(rounds(1, NULL), WATCHDOG_STILL);
}

static void test_machine_with_one_task_left(void **state)
{
	(void)state;
	prepare(false);
	test_spinners(1, 1);
	assert_int_equal(rounds(50, NULL), WATCHDOG_FINE);
}

static void do_nothing(struct timer *t)
{
	(void)t;
}

static void test_machine_with_a_timer_left(void **state)
{
	static struct timer t = { .fire = do_nothing };
	unsigned long flags;

	(void)state;
	prepare(false);
	t.deadline_ns = machine_clock_ns() + 3600 * NSEC_PER_SEC;
	flags = machine_irq_save();
	timer_start(&t);
	machine_irq_restore(flags);
	assert_int_equal(rounds(50, NULL), WATCHDOG_FINE);
}

/* ---- off ---- */

static void test_no_limit(void **state)
{
	(void)state;
	prepare(false);
	watchdog_init(0);
	assert_int_equal(rounds(50, NULL), WATCHDOG_FINE);
}

static void test_stopped(void **state)
{
	(void)state;
	prepare(false);
	watchdog_stop();
	assert_int_equal(rounds(50, NULL), WATCHDOG_FINE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		machine_test(test_timer_that_stays_due),
		machine_test(test_timer_that_comes_late),
		machine_test(test_timer_that_is_not_due_yet),
		machine_test(test_all_timers_stay_due),
		machine_test(test_time_that_jumps),
		machine_test(test_one_look_a_round),
		machine_test(test_task_that_cannot_be_preempted),
		machine_test(test_task_that_stays_in_the_kernel),
		machine_test(test_task_that_has_had_no_ticks),
		machine_test(test_task_that_passes_scheduling_points),
		machine_test(test_task_of_many_system_calls),
		machine_test(test_task_that_runs_for_ever),
		machine_test(test_cpu_that_does_not_hear),
		machine_test(test_wakeup_that_nobody_hears_of),
		machine_test(test_machine_that_nothing_will_wake),
		machine_test(test_machine_with_one_task_left),
		machine_test(test_machine_with_a_timer_left),
		machine_test(test_no_limit),
		machine_test(test_stopped),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
