/* SPDX-License-Identifier: GPL-2.0-or-later
 * The four faults of "The Linux Scheduler: a Decade of Wasted Cores" (Lozi and others, EuroSys 2016), each by the rule that has it
 * and by the one that mends it (cfs.md 13; docs/waste.md). Prints TAP, and what was wasted.
 *
 * Each scenario is a machine in a process of its own. The state is set up and left alone; half a second later the account of waste
 * is read twice, two seconds apart, and the difference compared with arithmetic: so many CPUs idle and so many tasks waiting for
 * such a part of the time. Figures are in thousandths of a CPU, of a task or of a pair of the two.
 *
 * How to read a miss: tasks that only compute change nothing in those two seconds, so a figure that is off by more than the
 * rounding means that somebody moved.
 */
#include <stdlib.h>

#include "arch/machine.h"
#include "base/cmdline.h"
#include "base/text.h"
#include "sched/sched.h"
#include "tests/scenario/invariants.h"
#include "tests/scenario/vm.h"

enum { MOST_TASKS = 16, SETTLE_NS = 500000000, MEASURED_NS = 2000000000, UNIT = 1000 };

typedef unsigned long long ull; /* for formats */

/* Of struct waste, per second, in thousandths. */
struct rates {
	u64 lost, idle, waiting, pairs;
};

struct scenario {
	const char *name, *topo, *knobs;
	void (*set_up)(void);
	const struct rates *expected;
	u64 off; /* the first three may be off by so much, the fourth by seven times that */
};

static const struct scenario *scenario;

/* ---- tasks ---- */

static struct {
	struct task *task[MOST_TASKS];
	unsigned nr;
} crew;

static struct cpumask range(unsigned first, unsigned last)
{
	struct cpumask m = { .word = { 0 } };

	for (unsigned cpu = first; cpu <= last; cpu++)
		mask_set(&m, cpu);
	return m;
}

/* Also where the calling task's children begin. */
static void keep_to(unsigned first, unsigned last)
{
	struct cpumask m = range(first, last);

	require(!task_set_allowed(current(), &m), "CPUs %u-%u", first, last);
}

static struct task *spawn(void (*entry)(void *))
{
	struct task *t = task_spawn("crew", entry, NULL, false);

	require(t, "no memory");
	return t;
}

static void recruit(unsigned n, void (*entry)(void *))
{
	while (n--)
		crew.task[crew.nr++] = spawn(entry);
}

static void compute(void *argument)
{
	(void)argument;
	for (;;)
		machine_work_ns(NSEC_PER_MSEC);
}

static void place(unsigned cpu, unsigned n)
{
	keep_to(cpu, cpu);
	recruit(n, compute);
}

/* The calling task has gone to a CPU of its own before. */
static void let_crew(unsigned first, unsigned last)
{
	struct cpumask m = range(first, last);

	for (unsigned i = 0; i < crew.nr; i++)
		task_set_allowed(crew.task[i], &m);
}

/* ---- group imbalance: two nodes of four CPUs ---- */

/* One of nice -20 on the first node, `others` on the second. */
static void place_heavy_and(unsigned others)
{
	for (unsigned i = 0; i < others; i++)
		place(4 + i % 4, 1);
	place(0, 1);
	keep_to(3, 3);
	task_set_nice(crew.task[others], -20);
	let_crew(0, 7);
}

static void place_heavy_and_seven(void)
{
	place_heavy_and(7);
}

static void place_heavy_and_eight(void)
{
	place_heavy_and(8);
}

/* After which a CPU that idles becomes newly idle. */
static void visit(unsigned cpu)
{
	keep_to(cpu, cpu);
	task_sleep_ns(10 * NSEC_PER_MSEC);
}

static void place_heavy_and_visit_idle(void)
{
	place_heavy_and(7);
	for (unsigned cpu = 1; cpu < 4; cpu++)
		visit(cpu);
}

/* ---- scheduling group construction: eight nodes of eight CPUs, of which 1 and 2 are two hops apart ---- */

enum { NODE_1 = 8, NODE_2 = 16, NODE_3 = 24, LAST = 63 };

/* A program bound to the two nodes that begins on the first, as with taskset: its first thread makes the others and works too. */
static void fork_fifteen(void *argument)
{
	keep_to(NODE_1, NODE_3 - 1);
	for (unsigned i = 1; i < 16; i++)
		spawn(compute);
	compute(argument);
}

static void fork_on_one_of_two(void)
{
	keep_to(NODE_1, NODE_1);
	spawn(fork_fifteen);
	keep_to(LAST, LAST);
}

static void place_two_each(unsigned node)
{
	for (unsigned i = 0; i < 8; i++)
		place(node + i, 2);
	keep_to(LAST, LAST);
	let_crew(NODE_1, NODE_3 - 1);
}

static void place_on_one_of_two(void)
{
	place_two_each(NODE_1);
}

static void place_on_other_of_two(void)
{
	place_two_each(NODE_2);
}

static void place_and_occupy_other_nodes(void)
{
	for (unsigned cpu = 0; cpu <= LAST; cpu++)
		if (cpu < NODE_1 || cpu >= NODE_3) {
			keep_to(cpu, cpu);
			spawn(compute);
		}
	place_on_one_of_two();
}

/* ---- overload on wakeup: two nodes of four CPUs, HZ=250 ---- */

/*
 * Every 4 ms six tasks on the first node are woken, and each works 1 ms. On four CPUs that takes 2 ms, in the first of which two
 * tasks wait and the four CPUs of the second node idle: for a quarter of the time.
 */
enum { PERIOD_NS = 4 * NSEC_PER_MSEC, WORK_NS = NSEC_PER_MSEC, WOKEN = 6 };

static u64 phase_ns; /* when, counted from the tick */
static unsigned wake_flags;

static void work_when_woken(void *argument)
{
	(void)argument;
	for (;;) {
		task_set_sleeping();
		schedule();
		machine_work_ns(WORK_NS);
	}
}

static void wake_crew(void *argument)
{
	(void)argument;
	for (;;) {
		task_sleep_ns(PERIOD_NS - (machine_clock_ns() - phase_ns) % PERIOD_NS);
		for (unsigned i = 0; i < WOKEN; i++)
			task_wake(crew.task[i], wake_flags);
	}
}

static void wake_at(u64 phase, unsigned flags)
{
	phase_ns = phase;
	wake_flags = flags;
	keep_to(0, 3);
	recruit(WOKEN, work_when_woken);
	recruit(1, wake_crew);
	keep_to(7, 7);
	let_crew(0, 7);
}

/* All sleep at the ticks, so that periodic balancing never finds anybody. */
static void wake_between_ticks(void)
{
	wake_at(NSEC_PER_MSEC, 0);
}

static void wake_between_ticks_sync(void)
{
	wake_at(NSEC_PER_MSEC, WAKE_SYNC);
}

static void wake_before_ticks(void)
{
	wake_at(PERIOD_NS - WORK_NS / 2, 0);
}

/* ---- missing scheduling domains: two nodes of four CPUs ---- */

static void fork_six(void)
{
	keep_to(0, 0);
	keep_to(0, 7);
	recruit(6, compute);
	keep_to(7, 7);
}

/* ---- all of them ---- */

/*
 * What may be off. Every wakee waits for the kick that fetches it: at most 3 us of flight (kick=) and 3 more for the interrupt and
 * the switch, for seven wakeups in 4 ms 10.5 thousandths. Where there is one task more than CPUs it goes round (C5.1), and when it
 * is pulled from a CPU in the same tick in which another is pushed away, that one idles until its next pass, which it had set when
 * it was busy: 64 ms. Allowed is a tenth of what the fault costs.
 */
enum { EXACT = 1, KICKS = 11, GOES_ROUND = 300 };

static const struct rates nothing = { 0, 0, 0, 0 };

/* Three CPUs of node 0 idle. What waits on node 1 is not for them: its load is 8192 / 4 = 2048, theirs 88761 / 4 = 22190. */
static const struct rates four_wait = { 3 * UNIT, 3 * UNIT, 4 * UNIT, 3 * 4 * UNIT };
static const struct rates three_wait = { 3 * UNIT, 3 * UNIT, 3 * UNIT, 3 * 3 * UNIT };
/* A CPU that becomes newly idle takes one task: the one where the test went to sleep. */
static const struct rates three_still_wait = { 2 * UNIT, 2 * UNIT, 3 * UNIT, 2 * 3 * UNIT };

/* 16 tasks on the eight CPUs of one node. From node 0 the groups are 0 1 2 4 6, 1 2 3 4 5 and 1 2 5 6 7, so no CPU of node 1 or 2
 * has a remote one (C13.3). */
static const struct rates eight_wait = { 8 * UNIT, 8 * UNIT, 8 * UNIT, 8 * 8 * UNIT };
/* From node 1 they are 0 1 3 4 7 and 0 2 3 4 5 6 7, of 40 and 56 CPUs. With 7 tasks here and 8 there a fork compares 100 * 7 / 40
 * with 112 * 8 / 56 and goes there; with 6 here it stays. That ends with 7 and 9. */
static const struct rates one_waits = { UNIT, UNIT, UNIT, UNIT };

/* Two tasks wait and four CPUs idle for a quarter of the time. */
static const struct rates bursts = { 2 * UNIT / 4, 4 * UNIT / 4, 2 * UNIT / 4, 2 * 4 * UNIT / 4 };

/* Six tasks on the four CPUs of a node, the other node idle. */
static const struct rates two_wait = { 2 * UNIT, 4 * UNIT, 2 * UNIT, 2 * 4 * UNIT };

static const struct scenario scenarios[] = {
	/* C13.1 */
	{ "group imbalance: averages, 8 tasks", "2n:4c", "newidle=off group_load=average", place_heavy_and_eight, &four_wait,
		EXACT },
	{ "group imbalance: averages, 7 tasks", "2n:4c", "newidle=off group_load=average", place_heavy_and_seven, &three_wait,
		EXACT },
	{ "group imbalance: averages, one CPU newly idle", "2n:4c", "group_load=average", place_heavy_and_eight, &three_still_wait,
		EXACT },
	{ "group imbalance: averages, each CPU newly idle", "2n:4c", "group_load=average", place_heavy_and_visit_idle, &nothing,
		EXACT },
	/* C13.2 */
	{ "group imbalance: least loads, 7 tasks", "2n:4c", "newidle=off group_load=least", place_heavy_and_seven, &nothing,
		EXACT },
	{ "group imbalance: least loads, 8 tasks", "2n:4c", "newidle=off group_load=least", place_heavy_and_eight, &nothing,
		GOES_ROUND },
	{ "group construction: first CPU", "opterons", "group_build=first_cpu", place_on_one_of_two, &eight_wait, EXACT },
	{ "group construction: first CPU, begun on the other", "opterons", "group_build=first_cpu", place_on_other_of_two,
		&eight_wait, EXACT },
	{ "group construction: first CPU, forked", "opterons", "group_build=first_cpu", fork_on_one_of_two, &eight_wait, EXACT },
	{ "group construction: own CPU, other nodes busy", "opterons", "group_build=own_cpu", place_and_occupy_other_nodes,
		&nothing, EXACT },
	/* Node 2 leaves its group to the first idle CPU in it, which is one of node 0 and has other groups. */
	{ "group construction: own CPU, other nodes idle", "opterons", "group_build=own_cpu", place_on_one_of_two, &eight_wait,
		EXACT },
	{ "group construction: own CPU, forked", "opterons", "group_build=own_cpu", fork_on_one_of_two, &one_waits, GOES_ROUND },
	{ "group construction: own mask", "opterons", "group_build=own_mask", place_on_one_of_two, &nothing, EXACT },
	{ "group construction: own mask, begun on the other", "opterons", "group_build=own_mask", place_on_other_of_two, &nothing,
		EXACT },
	{ "group construction: own mask, forked", "opterons", "group_build=own_mask", fork_on_one_of_two, &nothing, EXACT },
	/* C13.4, and that it lasts until balanced. */
	{ "overload on wakeup: 3.8", "2n:4c", "HZ=250 wake_select=idle_sibling", wake_between_ticks, &bursts, KICKS },
	{ "overload on wakeup: 3.8, synchronous", "2n:4c", "HZ=250 wake_select=idle_sibling", wake_between_ticks_sync, &bursts,
		KICKS },
	{ "overload on wakeup: 3.9", "2n:4c", "HZ=250 wake_select=previous_idle", wake_between_ticks, &bursts, KICKS },
	{ "overload on wakeup: 3.8, seen at ticks", "2n:4c", "HZ=250 wake_select=idle_sibling", wake_before_ticks, &nothing,
		KICKS },
	{ "overload on wakeup: longest idle", "2n:4c", "HZ=250 wake_select=longest_idle", wake_between_ticks, &nothing, KICKS },
	{ "overload on wakeup: longest idle, synchronous", "2n:4c", "HZ=250 wake_select=longest_idle", wake_between_ticks_sync,
		&nothing, KICKS },
	{ "missing domains: lost", "2n:4c", "numa_levels=lost", fork_six, &two_wait, EXACT },
	{ "missing domains: there", "2n:4c", "numa_levels=distance", fork_six, &nothing, EXACT },
};

/* ---- in the machine ---- */

static bool is_near(u64 found, u64 expected, u64 off)
{
	return found <= expected + off && found + off >= expected;
}

static void say_rates(const char *what, const struct rates *r)
{
	say("%s: lost %llu, idle %llu, waiting %llu, pairs %llu\n", what, (ull)r->lost, (ull)r->idle, (ull)r->waiting,
		(ull)r->pairs);
}

static bool compare(const struct rates *found, const struct rates *expected, u64 off)
{
	bool good = is_near(found->lost, expected->lost, off) && is_near(found->idle, expected->idle, off) &&
		    is_near(found->waiting, expected->waiting, off) && is_near(found->pairs, expected->pairs, 7 * off);

	say_rates("in thousandths", found);
	if (!good)
		say_rates("expected", expected);
	return good;
}

static u64 rate(u64 before, u64 after)
{
	return (after - before) / (MEASURED_NS / UNIT);
}

static void measure(void *argument)
{
	static struct sched_totals before, after;
	struct rates found;

	(void)argument;
	scenario->set_up();
	task_sleep_ns(SETTLE_NS);
	sched_totals(&before);
	task_sleep_ns(MEASURED_NS);
	sched_totals(&after);
	found.lost = rate(before.waste.ns, after.waste.ns);
	found.idle = rate(before.waste.idle_ns, after.waste.idle_ns);
	found.waiting = rate(before.waste.wait_ns, after.waste.wait_ns);
	found.pairs = rate(before.waste.pairs_ns, after.waste.pairs_ns);
	machine_end(END_POWEROFF, compare(&found, scenario->expected, scenario->off) ? VERDICT_OK : VERDICT_FAILED);
}

static void set_knobs(const char *words)
{
	const struct knob_table *tables[] = { &sched_knob_table };
	char word[64], error[KNOB_ERROR_BYTES];

	knobs_reset(&sched_knob_table);
	while (cmdline_next(&words, word, sizeof(word)) == 1)
		require(!knob_assign(tables, 1, word, error), "%s", error);
	sched_knobs_settle(machine_nr_cpus());
}

_Noreturn void kernel_main(void)
{
	set_knobs(scenario->knobs);
	sched_init();
	require(!machine_start_cpus(sched_secondary), "CPUs are missing");
	sched_await_cpus();
	require(task_spawn("measure", measure, NULL, false), "no memory");
	sched_run_cpu();
}

/* ---- outside ---- */

static void print_log(FILE *log)
{
	char line[512];

	while (fgets(line, sizeof(line), log))
		printf("#   %s", line);
	fclose(log);
}

int main(void)
{
	static struct vm vm[ARRAY_SIZE(scenarios)];
	unsigned failed = 0;

	for (unsigned i = 0; i < ARRAY_SIZE(scenarios); i++) {
		scenario = &scenarios[i];
		vm[i].topo = scenario->topo;
		vm_start(&vm[i]);
	}
	for (unsigned i = 0; i < ARRAY_SIZE(scenarios); i++) {
		bool good = vm_wait(&vm[i]) == VERDICT_OK;

		printf("%sok %u - %s\n", good ? "" : "not ", i + 1, scenarios[i].name);
		print_log(vm[i].log);
		failed += !good;
	}
	printf("1..%u\n", (unsigned)ARRAY_SIZE(scenarios));
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
