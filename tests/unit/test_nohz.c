/* SPDX-License-Identifier: GPL-2.0-or-later
 * Idle CPUs without ticks, and who balances for them, against cfs.md section 5.9 (and 8.1 for their averages).
 *
 * HZ is 1000 and all ticks fall on whole milliseconds, lower CPUs first. Every CPU boots with a tick and stops it at the first, at
 * 1 ms. At that it also makes one pass in its domain and finds it balanced, so its interval is 2 ticks and counts from tick 1.
 */
#include "tests/unit/machine.h"

#include "base/timer.h"
#include "sched/rq.h"

static void run_ms(u64 ms)
{
	test_machine_run(ms * NSEC_PER_MSEC);
}

static void boot_threads(unsigned cores, unsigned threads, u8 balancer)
{
	test_machine(1, 1, cores, threads);
	test_boot(SWITCH_LABELS);
	knob.nohz = ON;
	knob.nohz_balancer = balancer;
}

/* Four CPUs in one domain of four groups, at 1.5 ms, all idle. */
static void boot(u8 balancer)
{
	boot_threads(4, 1, balancer);
	run_ms(1);
	test_clock_set(1500000);
}

static bool is_tickless(unsigned cpu)
{
	return cpu_rq(cpu)->tick_stopped && test_deadline(cpu) == TIMER_NEVER;
}

/* So many spinners on that CPU that may not leave it. */
static void pinned_spinners(unsigned cpu, unsigned n)
{
	struct sched_entity *se;

	test_spinners(cpu, n);
	TAILQ_FOREACH(se, &cpu_rq(cpu)->cfs.tasks, peers)
		test_pin(task_of(se), cpu);
}

static u64 passes(unsigned cpu)
{
	return test_domain(cpu, "MC")->counts[CPU_IDLE].count;
}

/* ---- ticks ---- */

static void expect_ticks_while_idle(bool nohz, u64 ticks)
{
	boot_threads(4, 1, NOHZ_BALANCER_KICK);
	knob.nohz = nohz;
	run_ms(1);
	for (unsigned cpu = 0; cpu < 4; cpu++)
		assert_int_equal(cpu_rq(cpu)->count.ticks, 1);
	run_ms(1001);
	for (unsigned cpu = 0; cpu < 4; cpu++) {
		assert_int_equal(cpu_rq(cpu)->count.ticks, 1 + ticks);
		assert_int_equal(is_tickless(cpu), nohz);
	}
}

/* A second of nothing to do is a second without ticks, and without the switch, of 1000. */
static void test_idle_cpus_have_no_ticks(void **state)
{
	(void)state;
	expect_ticks_while_idle(true, 0);
	assert_int_equal(nohz.nr_idle, 4);
}

static void test_idle_cpus_have_ticks_without_nohz(void **state)
{
	(void)state;
	expect_ticks_while_idle(false, 1000);
	assert_int_equal(nohz.nr_idle, 0);
}

static u64 fired_ns;

static void note_time(struct timer *timer)
{
	(void)timer;
	fired_ns = machine_clock_ns();
}

/* A timer goes off when it is due, and does not bring the tick back. */
static void test_timers_without_ticks(void **state)
{
	struct timer timer = { .deadline_ns = 5300000, .fire = note_time };
	unsigned long flags;

	(void)state;
	boot(NOHZ_BALANCER_KICK);
	test_on_cpu(2);
	flags = machine_irq_save();
	timer_start(&timer);
	machine_irq_restore(flags);
	run_ms(20);
	assert_int_equal(fired_ns, 5300000);
	assert_true(is_tickless(2));
	assert_int_equal(cpu_rq(2)->count.ticks, 1);
}

/* A task brings the tick back, at the instants that are this CPU's own; when it sleeps the tick stops. */
static void test_a_task_has_ticks(void **state)
{
	struct rq *rq = cpu_rq(2);

	(void)state;
	boot(NOHZ_BALANCER_KICK);
	rq->tick_phase = 250000;
	pinned_spinners(2, 1);
	assert_false(rq->tick_stopped);
	assert_int_equal(test_deadline(2), 2250000);
	run_ms(12);
	assert_int_equal(rq->count.ticks, 11);
	test_sleep(2);
	assert_true(is_tickless(2));
}

/* Changing the switches ends it all; each CPU finds its way back by itself. */
static void test_reset(void **state)
{
	(void)state;
	boot(NOHZ_BALANCER_OWNER);
	assert_int_equal(nohz.owner, 1);
	test_apply_knobs();
	assert_int_equal(nohz.nr_idle, 0);
	assert_true(mask_empty(&nohz.idle));
	assert_int_equal(nohz.owner, 0);
	assert_int_equal(nohz.next_balance, 1);
}

/* ---- averages (8.1) ---- */

/* CPU 2 was as busy as can be until it became idle with its tick of 1 ms, and runs a task again 9 ticks later. */
static void be_idle_for_9_ticks(u8 missed_ticks)
{
	boot(NOHZ_BALANCER_KICK);
	knob.missed_ticks = missed_ticks;
	for (unsigned i = 0; i < NR_CPU_LOADS; i++)
		cpu_rq(2)->cpu_load[i] = 1024;
	run_ms(10);
	assert_int_equal(cpu_rq(2)->cpu_load[4], 1024);
	pinned_spinners(2, 1);
}

/* 3.8: C8.3's values for 8 missed ticks and one step to 0: 0 / 0 / 96*3>>2 / 344*7>>3 / 608*15>>4. */
static void test_missed_ticks_decay(void **state)
{
	static const u64 expected[NR_CPU_LOADS] = { 0, 0, 72, 301, 570 };

	(void)state;
	be_idle_for_9_ticks(MISSED_TICKS_DECAY);
	for (unsigned i = 0; i < NR_CPU_LOADS; i++)
		assert_int_equal(cpu_rq(2)->cpu_load[i], expected[i]);
}

/* 2.6.32: nothing happens. */
static void test_missed_ticks_stay(void **state)
{
	(void)state;
	be_idle_for_9_ticks(MISSED_TICKS_STALE);
	for (unsigned i = 0; i < NR_CPU_LOADS; i++)
		assert_int_equal(cpu_rq(2)->cpu_load[i], 1024);
}

/* ---- nohz_balancer=owner ---- */

/* The first to stop its tick keeps it. CPU 0 is busy, so that is CPU 1. */
static void boot_with_owner(void)
{
	boot_threads(4, 1, NOHZ_BALANCER_OWNER);
	pinned_spinners(0, 1);
	run_ms(1);
	assert_int_equal(nohz.owner, 1 + 1);
	test_clock_set(1500000);
}

static void test_the_owner_keeps_its_tick(void **state)
{
	(void)state;
	boot_with_owner();
	run_ms(101);
	assert_int_equal(cpu_rq(0)->count.ticks, 101);
	assert_int_equal(cpu_rq(1)->count.ticks, 101);
	for (unsigned cpu = 2; cpu < 4; cpu++) {
		assert_int_equal(cpu_rq(cpu)->count.ticks, 1);
		assert_true(is_tickless(cpu));
	}
}

/* All idle: nobody. The owner sees it at its next tick. */
static void test_no_owner_when_all_are_idle(void **state)
{
	(void)state;
	boot_with_owner();
	test_sleep(0);
	assert_true(is_tickless(0));
	assert_false(is_tickless(1));
	run_ms(2);
	assert_int_equal(nohz.owner, 0);
	for (unsigned cpu = 0; cpu < 4; cpu++)
		assert_true(is_tickless(cpu));
}

/* And the first CPU that is busy for a tick finds one again: the first of those left. */
static void test_a_busy_cpu_names_an_owner(void **state)
{
	(void)state;
	boot_with_owner();
	test_sleep(0);
	run_ms(2);
	pinned_spinners(2, 1);
	assert_int_equal(nohz.nr_idle, 3);
	run_ms(3);
	assert_int_equal(nohz.owner, 0 + 1);
	run_ms(13);
	assert_int_equal(cpu_rq(0)->count.ticks, 1 + 10);
	assert_true(is_tickless(1));
}

/* An owner that is busy for less than a tick stays; at its first busy tick it passes on, to the first of those left. */
static void test_a_busy_owner_passes_on(void **state)
{
	(void)state;
	boot_with_owner();
	pinned_spinners(1, 1);
	test_sleep(1);
	run_ms(2);
	assert_int_equal(nohz.owner, 1 + 1);
	pinned_spinners(1, 1);
	assert_int_equal(nohz.owner, 1 + 1);
	assert_int_equal(nohz.nr_idle, 3);
	run_ms(3);
	assert_int_equal(nohz.owner, 2 + 1);
	assert_int_equal(nohz.nr_idle, 2);
	assert_false(is_tickless(2));
	assert_true(is_tickless(3));
}

/* With nobody left to pass on to there is none, until the next CPU stops its tick. */
static void test_no_owner_when_all_are_busy(void **state)
{
	(void)state;
	boot_with_owner();
	for (unsigned cpu = 1; cpu < 4; cpu++)
		pinned_spinners(cpu, 1);
	run_ms(2);
	assert_int_equal(nohz.owner, 0);
	assert_int_equal(nohz.nr_idle, 0);
	test_sleep(3);
	assert_int_equal(nohz.owner, 3 + 1);
	assert_false(is_tickless(3));
}

/* CPU 0 has one task too many, which may go to CPU 3 only. */
static void task_for_cpu_3(void)
{
	struct task *t = test_task(0, 0);

	test_pin(t, 3);
	mask_set(&t->allowed, 0);
	t->nr_allowed = 2;
}

/*
 * CPU 3, without a tick, gets it by the hand of the owner, at the first of the owner's ticks at which CPU 3's interval is over:
 * tick 1 + 2. It is told, and the pass counts as its own.
 */
static void test_the_owner_balances_for_others(void **state)
{
	u64 before;

	(void)state;
	boot_with_owner();
	task_for_cpu_3();
	before = passes(3);
	run_ms(2);
	assert_int_equal(passes(3), before);
	test_on_cpu(1);
	test_clock_run(3 * NSEC_PER_MSEC);
	assert_int_equal(passes(3), before + 1);
	assert_int_equal(cpu_rq(3)->nr_running, 1);
	assert_int_equal(cpu_rq(1)->nr_running, 0);
	assert_int_equal(cpu_rq(3)->count.balance_pulls[CPU_IDLE], 1);
	assert_true(test_kicked(3));
	assert_int_equal(nohz.owner, 1 + 1);
}

/* ---- nohz_balancer=kick: when ---- */

/* Left at the first busy tick, not before. */
static void test_leaving_at_the_first_busy_tick(void **state)
{
	(void)state;
	boot(NOHZ_BALANCER_KICK);
	pinned_spinners(2, 1);
	assert_int_equal(nohz.nr_idle, 4);
	run_ms(2);
	assert_int_equal(nohz.nr_idle, 3);
	assert_false(mask_has(&nohz.idle, 2));
	test_sleep(2);
	assert_int_equal(nohz.nr_idle, 4);
}

/* One task is no reason to kick, two are; the first idle CPU is it. */
static void expect_kick(unsigned tasks, unsigned kicks)
{
	boot(NOHZ_BALANCER_KICK);
	pinned_spinners(0, tasks);
	run_ms(2);
	assert_int_equal(test_kicks(1), kicks);
	assert_int_equal(test_kicks(2), 0);
	assert_int_equal(test_kicks(3), 0);
}

static void test_one_task_does_not_kick(void **state)
{
	(void)state;
	expect_kick(1, 0);
}

static void test_two_tasks_kick(void **state)
{
	(void)state;
	expect_kick(2, 1);
}

static void test_no_kick_before_next_balance(void **state)
{
	(void)state;
	boot(NOHZ_BALANCER_KICK);
	pinned_spinners(0, 2);
	nohz.next_balance = 5;
	run_ms(4);
	assert_int_equal(test_kicks(1), 0);
	run_ms(5);
	assert_int_equal(test_kicks(1), 1);
}

/* No CPU is without ticks: nobody is kicked, and nothing is counted. */
static void test_no_kick_when_all_are_busy(void **state)
{
	(void)state;
	boot(NOHZ_BALANCER_KICK);
	for (unsigned cpu = 0; cpu < 4; cpu++)
		pinned_spinners(cpu, 2);
	nohz.next_balance = 3;
	run_ms(4);
	for (unsigned cpu = 0; cpu < 4; cpu++)
		assert_int_equal(test_kicks(cpu), 0);
	assert_int_equal(nohz.next_balance, 3);
}

/* The first of those listed runs a task by now, which its first busy tick will show: no kick, but the try is counted. */
static void test_no_kick_of_a_busy_cpu(void **state)
{
	(void)state;
	boot(NOHZ_BALANCER_KICK);
	nohz.next_balance = 2;
	pinned_spinners(0, 2);
	pinned_spinners(1, 1);
	test_on_cpu(0);
	test_clock_run(2 * NSEC_PER_MSEC);
	assert_int_equal(test_kicks(1) + test_kicks(2) + test_kicks(3), 0);
	assert_int_equal(nohz.next_balance, 3);
}

/*
 * Two cores of two threads: 0 and 2, 1 and 3. One task each on both threads of a core: the core has two busy CPUs, and the second
 * of them to tick sees it. On threads of two cores there is no reason.
 */
static void expect_kick_by_threads(unsigned first, unsigned second, unsigned target, unsigned kicks)
{
	boot_threads(2, 2, NOHZ_BALANCER_KICK);
	run_ms(1);
	pinned_spinners(first, 1);
	pinned_spinners(second, 1);
	run_ms(2);
	assert_int_equal(test_kicks(target), kicks);
}

static void test_a_full_core_kicks(void **state)
{
	(void)state;
	expect_kick_by_threads(0, 2, 1, 1);
}

static void test_two_half_cores_do_not(void **state)
{
	(void)state;
	expect_kick_by_threads(0, 1, 2, 0);
}

/* ---- nohz_balancer=kick: what then ---- */

/*
 * Two tasks that cannot leave CPU 0. The interval of each idle CPU is 2 from tick 1; a pass that finds all pinned doubles it, and
 * the next is due after the interval as it was before the pass. The level above has a single group, and passes that find it
 * balanced until its interval is 4.
 *
 *           MC                              CPU                   next_balance
 *   tick  2 none due (1 + 2)                none due (1 + 2)      3
 *   tick  3 pass, 3 + 2; interval 4         pass, 3 + 2           5
 *   tick  5 none due (3 + 4)                none due (3 + 4)      7
 *   tick  7 pass, 7 + 4; interval 8         pass, 7 + 4           11
 *   tick 11 none due (7 + 8)                pass, 11 + 4          15
 *   tick 15 pass, 15 + 8; interval 16       pass, 15 + 4          19
 */
static void test_next_balance(void **state)
{
	static const u64 next[] = { [2] = 3, [3] = 5, [4] = 5, 7, 7, 11, 11, 11, 11, 15, 15, 15, 15, 19, 19 };
	unsigned kicks = 0;

	(void)state;
	boot(NOHZ_BALANCER_KICK);
	pinned_spinners(0, 2);
	for (u64 tick = 2; tick < ARRAY_SIZE(next); tick++) {
		run_ms(tick);
		kicks += next[tick] != next[tick - 1];
		assert_int_equal(nohz.next_balance, next[tick]);
		assert_int_equal(test_kicks(1), kicks);
	}
	for (unsigned cpu = 1; cpu < 4; cpu++)
		assert_int_equal(passes(cpu), 1 + 3);
}

/* The earliest of all counts: CPU 3's interval of 2, not those of 8 of who was kicked and of CPU 2. */
static void test_next_balance_of_the_earliest(void **state)
{
	(void)state;
	boot(NOHZ_BALANCER_KICK);
	pinned_spinners(0, 2);
	for (unsigned cpu = 1; cpu < 3; cpu++)
		for_each_domain(cpu, sd)
			sd->balance_interval = 8;
	run_ms(2);
	assert_int_equal(test_kicks(1), 1);
	assert_int_equal(nohz.next_balance, 1 + 2);
}

/* The kick itself puts the next one off by a tick, should nobody answer it. */
static void test_a_kick_counts_itself(void **state)
{
	(void)state;
	boot(NOHZ_BALANCER_KICK);
	nohz.next_balance = 2;
	pinned_spinners(0, 2);
	test_on_cpu(0);
	test_clock_run(2 * NSEC_PER_MSEC);
	assert_true(test_kicked(1));
	assert_int_equal(nohz.next_balance, 3);
	test_clock_run(3 * NSEC_PER_MSEC); /* one is under way: no second one */
	assert_int_equal(test_kicks(1), 1);
	assert_int_equal(nohz.next_balance, 4);
}

/* The kicked CPU cannot use the task; CPU 3, for which it balances next, can, and is told. The pass counts as CPU 3's. */
static void test_the_kicked_cpu_balances_for_others(void **state)
{
	u64 before;

	(void)state;
	boot(NOHZ_BALANCER_KICK);
	pinned_spinners(0, 1);
	task_for_cpu_3();
	nohz.next_balance = 3;
	test_on_cpu(0);
	test_clock_run(3 * NSEC_PER_MSEC);
	before = passes(3);
	test_on_cpu(1);
	test_kick_interrupt();
	assert_int_equal(passes(3), before + 1);
	assert_int_equal(cpu_rq(3)->nr_running, 1);
	assert_int_equal(cpu_rq(1)->nr_running, 0);
	assert_true(test_kicked(3));
	assert_true(is_tickless(1));
}

/* Section 5.7, step 4: a push that a pass made for CPU 3 asks for goes to CPU 3: the running task of CPU 0 may go only there. */
static void test_a_push_goes_to_the_idle_cpu(void **state)
{
	struct task *running;

	(void)state;
	boot(NOHZ_BALANCER_KICK);
	pinned_spinners(0, 2);
	running = cpu_rq(0)->curr;
	mask_set(&running->allowed, 3);
	running->nr_allowed = 2;
	test_domain(3, "MC")->nr_balance_failed = test_domain(3, "MC")->cache_nice_tries + 2;
	nohz.next_balance = 3;
	test_on_cpu(0);
	test_clock_run(3 * NSEC_PER_MSEC);
	test_on_cpu(1);
	test_kick_interrupt();
	assert_true(cpu_rq(0)->active_balance);
	assert_int_equal(cpu_rq(0)->push_cpu, 3);
	run_ms(4);
	assert_int_equal(running->cpu, 3);
}

/* It brings the clocks and averages of the others up to date, not its own: 2 ticks, so (1024 >> 1) * 1 >> 1 for average 1. */
static void test_the_kicked_cpu_catches_up(void **state)
{
	(void)state;
	boot(NOHZ_BALANCER_KICK);
	for (unsigned cpu = 1; cpu < 4; cpu++)
		cpu_rq(cpu)->cpu_load[1] = 1024;
	nohz.next_balance = 3;
	pinned_spinners(0, 2);
	run_ms(3);
	assert_int_equal(cpu_rq(1)->cpu_load[1], 1024);
	for (unsigned cpu = 2; cpu < 4; cpu++) {
		assert_int_equal(cpu_rq(cpu)->cpu_load[1], 256);
		assert_int_equal(cpu_rq(cpu)->clock, 3 * NSEC_PER_MSEC);
	}
}

/* Having taken a task itself, it stops there. */
static void test_the_kicked_cpu_stops_for_a_task(void **state)
{
	(void)state;
	boot(NOHZ_BALANCER_KICK);
	nohz.next_balance = 3;
	test_spinners(0, 3);
	run_ms(3);
	assert_int_equal(cpu_rq(1)->nr_running, 1);
	assert_int_equal(passes(1), 2);
	assert_int_equal(passes(2), 1);
	assert_int_equal(passes(3), 1);
}

/* A CPU that has got a task before the kick arrived has no time for that, but may be kicked again. */
static void test_a_kick_comes_too_late(void **state)
{
	(void)state;
	boot(NOHZ_BALANCER_KICK);
	nohz.next_balance = 3;
	pinned_spinners(0, 2);
	test_on_cpu(0);
	test_clock_run(3 * NSEC_PER_MSEC);
	pinned_spinners(1, 1);
	test_on_cpu(1);
	test_kick_interrupt();
	assert_int_equal(passes(1), 1);
	assert_int_equal(passes(2), 1);
	assert_false(cpu_rq(1)->nohz_kicked);
}

/* Who balances for a CPU has its domains to itself: CPU 2 is passed over by the kicked one, and does not look for itself either. */
static void test_one_at_a_time(void **state)
{
	struct rq *rq = cpu_rq(2);

	(void)state;
	boot(NOHZ_BALANCER_KICK);
	nohz.next_balance = 3;
	pinned_spinners(0, 2);
	assert_true(balance_enter(rq));
	run_ms(3);
	assert_int_equal(passes(2), 1);
	assert_int_equal(passes(3), 2);
	pinned_spinners(2, 1);
	test_spinners(1, 3);
	test_sleep(2);
	assert_int_equal(test_domain(2, "MC")->counts[CPU_NEWLY_IDLE].count, 0);
	assert_false(balance_enter(rq));
}

/* ---- how soon ---- */

/*
 * Three spinners on CPU 0, of which two wait. By the rules above and section 5.2:
 *
 *   kick   tick 2: CPU 1 is kicked, its interval is not over (1 + 2). Tick 3: it takes one; the next balance is due at 3 + 2.
 *          Tick 4: CPU 1 is busy and leaves. Tick 5: CPU 2, now the first, takes the other.
 *   owner  CPU 0 stopped its tick first, so it is the owner. Tick 2: it is busy and names CPU 1. Tick 3: CPU 1 takes one. Tick 4:
 * it is busy and names CPU 2. Tick 5: CPU 2 takes the other.
 *
 * Without newidle balancing, that is: with it who is named takes one on its way through schedule(), at ticks 2 and 3.
 */
static void expect_spread_by_tick_5(u8 balancer)
{
	boot(balancer);
	knob.newidle = NEWIDLE_NEVER;
	nohz.next_balance = 2;
	test_spinners(0, 3);
	run_ms(2);
	assert_int_equal(cpu_rq(0)->nr_running, 3);
	run_ms(3);
	assert_int_equal(cpu_rq(0)->nr_running, 2);
	run_ms(4);
	assert_int_equal(cpu_rq(0)->nr_running, 2);
	run_ms(5);
	for (unsigned cpu = 0; cpu < 3; cpu++) {
		assert_int_equal(cpu_rq(cpu)->nr_running, 1);
		assert_false(is_tickless(cpu));
	}
}

static void test_spread_by_kicks(void **state)
{
	(void)state;
	expect_spread_by_tick_5(NOHZ_BALANCER_KICK);
	assert_true(is_tickless(3));
}

static void test_spread_by_owners(void **state)
{
	(void)state;
	expect_spread_by_tick_5(NOHZ_BALANCER_OWNER);
}

static void test_spread_by_owners_newly_idle(void **state)
{
	(void)state;
	boot(NOHZ_BALANCER_OWNER);
	test_spinners(0, 3);
	run_ms(2);
	assert_int_equal(cpu_rq(0)->nr_running, 2);
	run_ms(3);
	assert_int_equal(cpu_rq(0)->nr_running, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		machine_test(test_idle_cpus_have_no_ticks),
		machine_test(test_idle_cpus_have_ticks_without_nohz),
		machine_test(test_timers_without_ticks),
		machine_test(test_a_task_has_ticks),
		machine_test(test_reset),
		machine_test(test_missed_ticks_decay),
		machine_test(test_missed_ticks_stay),
		machine_test(test_the_owner_keeps_its_tick),
		machine_test(test_no_owner_when_all_are_idle),
		machine_test(test_a_busy_cpu_names_an_owner),
		machine_test(test_a_busy_owner_passes_on),
		machine_test(test_no_owner_when_all_are_busy),
		machine_test(test_the_owner_balances_for_others),
		machine_test(test_leaving_at_the_first_busy_tick),
		machine_test(test_one_task_does_not_kick),
		machine_test(test_two_tasks_kick),
		machine_test(test_no_kick_before_next_balance),
		machine_test(test_no_kick_when_all_are_busy),
		machine_test(test_no_kick_of_a_busy_cpu),
		machine_test(test_a_full_core_kicks),
		machine_test(test_two_half_cores_do_not),
		machine_test(test_next_balance),
		machine_test(test_next_balance_of_the_earliest),
		machine_test(test_a_kick_counts_itself),
		machine_test(test_the_kicked_cpu_balances_for_others),
		machine_test(test_a_push_goes_to_the_idle_cpu),
		machine_test(test_the_kicked_cpu_catches_up),
		machine_test(test_the_kicked_cpu_stops_for_a_task),
		machine_test(test_a_kick_comes_too_late),
		machine_test(test_one_at_a_time),
		machine_test(test_spread_by_kicks),
		machine_test(test_spread_by_owners),
		machine_test(test_spread_by_owners_newly_idle),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
