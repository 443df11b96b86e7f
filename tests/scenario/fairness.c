/* SPDX-License-Identifier: GPL-2.0-or-later
 * CPU time in proportion to weights: tasks of mixed nice levels that do nothing but compute, for 10 s of virtual time after they
 * have settled, on one CPU and on four, under the rules of several releases. Prints TAP; below each test what every task got.
 *
 * Expected is a task's weight over the sum of weights (cfs.md C1.1, and whatever mix), within 1 % of that share. How near CFS can
 * come follows from the tick: it looks once a ms, so a task keeps the CPU for its slice and up to a tick more, and the ends of the
 * 10 s cut through one such stretch. 1 % of a share must be at least that, or the mix could not pass but by luck; the test checks
 * this as well. At HZ=1000 this asks for about 1/70 of the CPU for every task. Where weights lie farther apart (`coarse`) a task
 * may be off by one such stretch instead: of nice -20 and 19 the latter is due 1.7 ms of the 10 s and gets two ticks or one.
 *
 * On several CPUs CFS balances weights, as far as it sees anything to balance. So there are four kinds of mixes.
 *
 * One that can be divided evenly, of so few and such different tasks that anything uneven lies beyond imbalance_pct: balancing gets
 * there, also from all tasks on one CPU, within 10 s, and stays. Then the shares hold over all CPUs.
 *
 * One of many tasks, alike in weight. It could be divided evenly too, but balancing stops as soon as no CPU has more than
 * imbalance_pct (117 within a cache under 3.8, else 125) of another's weight, and then nobody ever moves. What holds are the shares
 * of each CPU, and that bound; over all CPUs a task can be off by as much.
 *
 * Fewer tasks than CPUs: each has one to itself.
 *
 * Equal tasks, one more than CPUs: somebody always moves. C5.1 says how three of them take turns on two CPUs, each with 2/3 of one.
 * Who of five takes part depends on when CPUs come to balance: their periods are all alike, so a CPU that looks just after another
 * has pulled finds averages that do not show it yet, time after time. And who is moved has been waiting, and takes along what it is
 * behind by: one that is moved 322 times in the 10 s has 47 % of a CPU, less than the half that staying would have given it. What
 * holds is that all CPUs are busy and nobody starves.
 */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/timer.h"
#include "sched/rq.h"
#include "tests/scenario/vm.h"

enum { MOST_SPINNERS = 64, WATCH_NS = 10 * NSEC_PER_MSEC };

typedef unsigned long long ull; /* for formats */

enum expectation {
	OF_ALL,	     /* of all CPUs' time together, within 1 % */
	OF_ITS_CPU,  /* nobody moves any more, CPUs are as even as balancing asks for, and of the time of its CPU, within 1 % */
	NOT_STARVED, /* a third of a CPU at least, and no more than one */
};

enum how { COARSE = 1, FROM_ONE_CPU = 2 /* where all are at first */ };

static struct test {
	const char *topo, *nices; /* nices: A or A..B, each of them *N times */
	enum expectation expectation;
	unsigned how;
} test;

static const char *preset;

static struct spinner {
	struct task *task;
	int nice;
	u64 exec_before, exec;
	u64 moves_before, moves;
	unsigned cpu;
} spinner[MOST_SPINNERS];

static unsigned nr_spinners;

static struct {
	struct timer timer;
	u64 start_ns, settled_ns, begin_ns, end_ns;
	u64 moves; /* of all, when last looked at */
} watch;

static void spin(void *argument)
{
	(void)argument;
	for (;;)
		machine_work_ns(NSEC_PER_SEC);
}

static void start_spinner(int nice)
{
	struct spinner *s = &spinner[nr_spinners++];

	s->nice = nice;
	s->task = task_spawn("spinner", spin, NULL, false);
	bug_on(!s->task);
	task_set_nice(s->task, nice);
}

static void start_spinners(const char *nices)
{
	for (char *at = (char *)nices; *at; at += *at == ' ') {
		int first = (int)strtol(at, &at, 10), last = first;
		unsigned times = 1;

		if (!strncmp(at, "..", 2))
			last = (int)strtol(at + 2, &at, 10);
		if (*at == '*')
			times = (unsigned)strtol(at + 1, &at, 10);
		while (times--)
			for (int nice = first; nice <= last; nice++)
				start_spinner(nice);
	}
}

/* ---- the verdict ---- */

static u64 weight_of(const struct spinner *s)
{
	return s->task->se.load.weight;
}

static u64 ran(const struct spinner *s)
{
	return s->exec - s->exec_before;
}

/* Of those it shares with: on the same CPU, or all. */
static u64 weight_beside(const struct spinner *s)
{
	u64 sum = 0;

	for (unsigned i = 0; i < nr_spinners; i++)
		if (test.expectation == OF_ALL || spinner[i].cpu == s->cpu)
			sum += weight_of(&spinner[i]);
	return sum;
}

static u64 share_of(const struct spinner *s)
{
	u64 cpus = test.expectation == OF_ALL ? nr_cpus : 1;

	return (watch.end_ns - watch.begin_ns) * cpus * weight_of(s) / weight_beside(s);
}

/* The longest time for which it keeps the CPU: its slice, and up to a tick until somebody looks. */
static u64 granule(const struct spinner *s)
{
	struct cfs_rq *cfs = &cpu_rq(s->cpu)->cfs;
	u64 period = max_u64(knob.sched_latency_ns, knob.sched_min_granularity_ns * cfs->nr_running);

	return tick_ns() + period * weight_of(s) / cfs->load.weight;
}

static u64 distance(u64 a, u64 b)
{
	return a > b ? a - b : b - a;
}

static bool is_proportional(const struct spinner *s)
{
	u64 percent = share_of(s) / 100, off = distance(ran(s), share_of(s));

	if (test.how & COARSE)
		return off <= max_u64(percent, granule(s));
	return off <= percent && granule(s) <= percent;
}

static bool is_just(const struct spinner *s)
{
	u64 elapsed = watch.end_ns - watch.begin_ns;

	if (test.expectation == NOT_STARVED)
		return ran(s) >= elapsed / 3 && ran(s) <= elapsed + tick_ns();
	return is_proportional(s) && (test.expectation != OF_ITS_CPU || s->moves == s->moves_before);
}

static void say_spinner(const struct spinner *s, bool just)
{
	say("  nice %d on CPU %u: ran %llu of %llu us, off by %llu; keeps the CPU for up to %llu; moved %llu times%s\n", s->nice,
		s->cpu, (ull)ran(s) / 1000, (ull)share_of(s) / 1000, (ull)distance(ran(s), share_of(s)) / 1000,
		(ull)granule(s) / 1000, (ull)(s->moves - s->moves_before), just ? "" : " <- unjust");
}

/* As the CPU with the least weight sees it; one with a single task has nothing to give. */
static bool is_balanced(void)
{
	u64 least = ~0ull, most = 0;

	for (unsigned cpu = 0; cpu < nr_cpus; cpu++) {
		const struct rq *rq = cpu_rq(cpu);

		least = min_u64(least, rq_weight(rq));
		if (rq->nr_running > 1)
			most = max_u64(most, rq_weight(rq));
	}
	say("weights of CPUs: %llu to %llu\n", (ull)least, (ull)most);
	return test.expectation != OF_ITS_CPU || nr_cpus == 1 || 100 * most <= this_rq()->sd->imbalance_pct * least;
}

/* No time may be missing, but for idle CPUs where there are fewer tasks. */
static bool is_all_used(void)
{
	u64 elapsed = watch.end_ns - watch.begin_ns, all = elapsed * min_u64(nr_cpus, nr_spinners), sum = 0;

	for (unsigned i = 0; i < nr_spinners; i++)
		sum += ran(&spinner[i]);
	say("together %llu of %llu us\n", (ull)sum / 1000, (ull)all / 1000);
	return distance(sum, all) <= all / 1000;
}

static bool is_fair(void)
{
	bool fair = is_balanced() & is_all_used();

	say("%llu moves, the last within %llu ms\n", (ull)watch.moves, (ull)(watch.settled_ns - watch.start_ns) / NSEC_PER_MSEC);
	for (unsigned i = 0; i < nr_spinners; i++) {
		bool just = is_just(&spinner[i]);

		say_spinner(&spinner[i], just);
		fair &= just;
	}
	return fair;
}

/* ---- watching, in the timer interrupt: no task has to be woken for it ---- */

static void look_at(struct spinner *s)
{
	struct rq *rq;
	unsigned long flags = rq_lock_task(s->task, &rq);

	rq_charge(rq);
	s->exec = s->task->se.sum_exec;
	s->moves = s->task->nr_migrations;
	s->cpu = rq->cpu;
	spin_unlock_irq(&rq->lock, flags);
}

static void note_moves(void)
{
	u64 moves = 0;

	for (unsigned i = 0; i < nr_spinners; i++)
		moves += spinner[i].moves;
	if (moves != watch.moves)
		watch.settled_ns = machine_clock_ns();
	watch.moves = moves;
}

static void begin(void)
{
	watch.begin_ns = machine_clock_ns();
	for (unsigned i = 0; i < nr_spinners; i++) {
		spinner[i].exec_before = spinner[i].exec;
		spinner[i].moves_before = spinner[i].moves;
	}
}

static void look(struct timer *timer)
{
	u64 settle_ns = nr_cpus > 1 ? 20 * NSEC_PER_SEC : NSEC_PER_SEC, now = machine_clock_ns();

	for (unsigned i = 0; i < nr_spinners; i++)
		look_at(&spinner[i]);
	note_moves();
	if (!watch.begin_ns && now >= watch.start_ns + settle_ns)
		begin();
	watch.end_ns = now;
	if (watch.begin_ns && now >= watch.begin_ns + 10 * NSEC_PER_SEC)
		machine_end(END_POWEROFF, is_fair() ? VERDICT_OK : VERDICT_FAILED);
	timer->deadline_ns += WATCH_NS;
	timer_start(timer);
}

static void start_watch(void)
{
	unsigned long flags = machine_irq_save();

	watch.start_ns = machine_clock_ns();
	watch.settled_ns = watch.start_ns;
	watch.timer.fire = look;
	watch.timer.deadline_ns = watch.start_ns + WATCH_NS;
	timer_start(&watch.timer);
	machine_irq_restore(flags);
}

/* ---- the machine ---- */

/* Bound to CPU 0 for a while, then free. */
static void bind_all(const struct cpumask *allowed)
{
	for (unsigned i = 0; i < nr_spinners; i++)
		bug_on(task_set_allowed(spinner[i].task, allowed));
}

static void gather_on_one_cpu(void)
{
	const struct cpumask first = { .word = { 1 } };

	bind_all(&first);
	task_sleep_ns(100 * NSEC_PER_MSEC);
	bind_all(&cpus_online);
}

static void run_test(void *argument)
{
	char error[KNOB_ERROR_BYTES];

	(void)argument;
	bug_on(preset_apply(preset, error));
	sched_knobs_settle(machine_nr_cpus());
	sched_apply_knobs();
	sched_set_tick_phases(1);
	start_spinners(test.nices);
	if (test.how & FROM_ONE_CPU)
		gather_on_one_cpu();
	start_watch();
	task_reap(REAP_ANY); /* none ends */
}

_Noreturn void kernel_main(void)
{
	knobs_reset(&sched_knob_table);
	sched_knobs_settle(machine_nr_cpus());
	sched_init();
	bug_on(machine_start_cpus(sched_secondary));
	sched_await_cpus();
	bug_on(!task_spawn("main", run_test, NULL, false));
	sched_run_cpu();
}

/* ---- all tests ---- */

static const char *const presets[] = { "v2.6.32-rc1", "v2.6.32", "v3.8", "v3.13" };

static const struct test tests[] = {
	/* C1.1 */
	{ "1c", "0 0 5", OF_ALL, 0 },
	{ "1c", "0 5", OF_ALL, 0 },
	{ "1c", "0 1", OF_ALL, 0 },
	{ "1c", "0 -1", OF_ALL, 0 },
	{ "1c", "0 10", OF_ALL, 0 },
	{ "1c", "0 19", OF_ALL, 0 },
	{ "1c", "-5 0", OF_ALL, 0 },
	{ "1c", "-20 19", OF_ALL, COARSE },
	{ "1c", "0 0 1", OF_ALL, 0 },
	/* Every level beside its neighbours, three at a time; more tasks; all levels. */
	{ "1c", "-20..-18", OF_ALL, 0 },
	{ "1c", "-18..-16", OF_ALL, 0 },
	{ "1c", "-16..-14", OF_ALL, 0 },
	{ "1c", "-14..-12", OF_ALL, 0 },
	{ "1c", "-12..-10", OF_ALL, 0 },
	{ "1c", "-10..-8", OF_ALL, 0 },
	{ "1c", "-8..-6", OF_ALL, 0 },
	{ "1c", "-6..-4", OF_ALL, 0 },
	{ "1c", "-4..-2", OF_ALL, 0 },
	{ "1c", "-2..0", OF_ALL, 0 },
	{ "1c", "0..2", OF_ALL, 0 },
	{ "1c", "2..4", OF_ALL, 0 },
	{ "1c", "4..6", OF_ALL, 0 },
	{ "1c", "6..8", OF_ALL, 0 },
	{ "1c", "8..10", OF_ALL, 0 },
	{ "1c", "10..12", OF_ALL, 0 },
	{ "1c", "12..14", OF_ALL, 0 },
	{ "1c", "14..16", OF_ALL, 0 },
	{ "1c", "16..19", OF_ALL, 0 },
	{ "1c", "-5..4", OF_ALL, 0 },
	{ "1c", "0..4*4", OF_ALL, 0 },
	{ "1c", "-1..2*10", OF_ALL, 0 },
	{ "1c", "-20..19", OF_ALL, COARSE },
	/* An even division is found. */
	{ "4c", "0*8", OF_ALL, 0 },
	{ "4c", "0*4 5*4", OF_ALL, 0 },
	{ "4c", "5*4 0*4", OF_ALL, 0 },
	{ "4c", "-5*4 0*12", OF_ALL, 0 },
	{ "4c", "0*8", OF_ALL, FROM_ONE_CPU },
	{ "4c", "0*4 5*4", OF_ALL, FROM_ONE_CPU },
	{ "4c", "5*4 0*4", OF_ALL, FROM_ONE_CPU },
	{ "2n:2c", "0*8", OF_ALL, FROM_ONE_CPU },
	{ "2n:2c", "0*4 5*4", OF_ALL, FROM_ONE_CPU },
	{ "2n:2c", "0*12 -5*4", OF_ALL, FROM_ONE_CPU },
	/* One that is near enough. */
	{ "4c", "0*3", OF_ITS_CPU, 0 },
	{ "4c", "0*12 -5*4", OF_ITS_CPU, FROM_ONE_CPU },
	{ "4c", "0..4*4", OF_ITS_CPU, 0 },
	{ "4c", "0..3*8", OF_ITS_CPU, 0 },
	{ "4c", "0*8 1*10", OF_ITS_CPU, 0 },
	{ "4c", "0..4*4", OF_ITS_CPU, FROM_ONE_CPU },
	{ "4c", "0..3*8", OF_ITS_CPU, FROM_ONE_CPU },
	{ "4c", "0*8 1*10", OF_ITS_CPU, FROM_ONE_CPU },
	/* None. */
	{ "4c", "0*5", NOT_STARVED, 0 },
	{ "4c", "0*5", NOT_STARVED, FROM_ONE_CPU },
};

static void print_log(FILE *log)
{
	char line[512];

	while (fgets(line, sizeof(line), log))
		printf("# %s", line);
}

static bool run_one(const struct test *t, unsigned number)
{
	static const char *const what[] = { "shares of all CPUs", "shares of each CPU", "nobody starves" };
	struct vm vm = { .topo = t->topo };
	bool fair;

	test = *t;
	vm_start(&vm);
	fair = vm_wait(&vm) == VERDICT_OK;
	printf("%sok %u - %s, topo=%s, nice %s%s: %s\n", fair ? "" : "not ", number, preset, t->topo, t->nices,
		t->how & FROM_ONE_CPU ? " from one CPU" : "", what[t->expectation]);
	print_log(vm.log);
	fclose(vm.log);
	return fair;
}

int main(void)
{
	unsigned number = 0, failed = 0;

	for (unsigned p = 0; p < ARRAY_SIZE(presets); p++) {
		preset = presets[p];
		for (unsigned i = 0; i < ARRAY_SIZE(tests); i++)
			failed += !run_one(&tests[i], ++number);
	}
	printf("1..%u\n", number);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
