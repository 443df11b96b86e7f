/* SPDX-License-Identifier: GPL-2.0-or-later
 * spin: tasks that compute and do nothing else, each the same number of turns of the same loop. What they show: how well CPUs are
 * kept busy, and how fairly one is shared. Some of them may be real-time tasks. */
#include "workloads/workload.h"

#include "base/mem.h"
#include "ipc/gate.h"

struct options {
	u64 tasks, turns, pinned, heavy;
	u64 fifo, rr, realtime; /* priorities, 0: none; so many of the tasks */
};

static const struct option option_table[] = {
	NUMBER_OPTION('t', "tasks", tasks, 1, MAX_COUNTS, "tasks"),
	NUMBER_OPTION('n', "turns", turns, 1000, 1000000000000, "turns of the loop in each task"),
	NUMBER_OPTION('f', "fifo", fifo, 1, 99, "run at this priority, first in first out"),
	NUMBER_OPTION('r', "rr", rr, 1, 99, "run at this priority, round robin"),
	NUMBER_OPTION('R', "realtime", realtime, 1, MAX_COUNTS, "how many of the tasks that is for"),
	FLAG_OPTION('P', "pinned", pinned, 1, "task n stays on the nth CPU"),
	FLAG_OPTION('H', "heavy", heavy, 1, "the first task is at nice -20"),
	{ 0 },
};

static const struct options defaults = { .tasks = 4, .turns = 10000000, .realtime = MAX_COUNTS };

static int check(void *options, char *error)
{
	const struct options *o = options;

	return o->fifo && o->rr ? options_refuse(&spin, "-f and -r exclude each other", error) : 0;
}

struct bench {
	const struct options *o;
	struct run *run;
	struct gate start;
};

struct worker {
	struct bench *bench;
	u64 number;
};

/* Round the CPUs that the experiment may use. */
static void pin(u64 number)
{
	const struct cpumask *allowed = &current()->allowed;
	struct cpumask only = { .word = { 0 } };
	unsigned cpu = mask_first(allowed);

	for (u64 i = number % mask_weight(allowed); i; i--)
		cpu = mask_next(allowed, cpu + 1);
	mask_set(&only, cpu);
	task_set_allowed(current(), &only);
}

static void become_realtime(const struct options *o)
{
	if (o->fifo)
		task_set_realtime(current(), POLICY_FIFO, (unsigned)o->fifo);
	if (o->rr)
		task_set_realtime(current(), POLICY_RR, (unsigned)o->rr);
}

/* Looks at the clock every thousand turns, as a program does that is to stop some time. */
static void worker(void *argument)
{
	enum { STRETCH = 1000 };
	const struct worker *w = argument;
	struct bench *b = w->bench;
	volatile u64 sink = 0;
	u64 now_ns = 0;

	if (b->o->pinned)
		pin(w->number);
	if (w->number < b->o->realtime)
		become_realtime(b->o);
	if (b->o->heavy && !w->number)
		task_set_nice(current(), -20);
	gate_pass(&b->start);
	for (u64 done = 0; done < b->o->turns; done += STRETCH) {
		for (u64 i = 0; i < STRETCH; i++)
			sink += i;
		machine_charge(COST_TURN, STRETCH);
		now_ns = machine_clock_ns();
	}
	b->run->count[w->number] = now_ns; /* once: neighbours share its cache line */
}

static bool spawn(struct bench *b, u64 number)
{
	struct worker *w = mem_alloc(sizeof(*w));

	if (w)
		*w = (struct worker){ b, number };
	return w && task_spawn("spin", worker, w, false);
}

/* Each task's count is the time it took, from the start to its last turn, in microseconds. */
static void take_times(struct bench *b, u64 spawned)
{
	b->run->nr_counts = (unsigned)spawned;
	for (u64 i = 0; i < spawned; i++)
		b->run->count[i] = (b->run->count[i] - b->run->start_ns) / NSEC_PER_USEC;
}

static void run(const void *options, struct run *r)
{
	struct bench b = { .o = options, .run = r };
	u64 spawned = 0;

	gate_init(&b.start);
	while (spawned < b.o->tasks && spawn(&b, spawned))
		spawned++;
	if (b.o->pinned)
		task_sleep_ns(NSEC_PER_MSEC); /* let all get to their CPUs */
	run_begin(r);
	gate_open(&b.start);
	for (u64 i = 0; i < spawned; i++)
		task_reap(REAP_ANY);
	run_finish(r);
	take_times(&b, spawned);
	run_metric(r, "turns", spawned * b.o->turns);
	r->status = spawned == b.o->tasks ? "ok" : "not enough memory for so many tasks";
}

const struct workload spin = {
	.name = "spin",
	.purpose = "tasks that compute and do nothing else, some of them real-time ones",
	.options = option_table,
	.defaults = &defaults,
	.options_bytes = sizeof(struct options),
	.check = check,
	.run = run,
};
