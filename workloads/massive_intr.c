/* SPDX-License-Identifier: GPL-2.0-or-later
 * massive_intr (Satoru Takeuchi, 2007): tasks that work a little and sleep a little, over and over; is the CPU shared fairly among
 * them? (workloads.md 3)
 *
 * The work is CPU time, so that being preempted does not count as working. The end is tested against the clock, not in whole
 * seconds.
 */
#include "workloads/workload.h"

#include "base/mem.h"
#include "base/text.h"
#include "ipc/gate.h"
#include "ipc/sleep.h"
#include "workloads/spread.h"

enum { UNIT_LOOPS, UNIT_WORK_MS };

struct options {
	u64 tasks, seconds, run_ms, work_us, sleep_us, unit;
};

static const struct option option_table[] = {
	NUMBER_OPTION('w', "work-us", work_us, 1, 1000000, "microseconds of CPU time in a loop"),
	NUMBER_OPTION('s', "sleep-us", sleep_us, 1, 1000000, "microseconds of sleep in a loop"),
	NUMBER_OPTION('m', "run-ms", run_ms, 1, 86400000, "milliseconds to run, instead of runtime"),
	FLAG_OPTION('L', "loops", unit, UNIT_LOOPS, "print loops"),
	FLAG_OPTION('W', "work-ms", unit, UNIT_WORK_MS, "print the milliseconds worked in them"),
	{ 0 },
};

static const struct option argument_table[] = {
	ARGUMENT("nproc", tasks, 1, MAX_COUNTS, "tasks"),
	ARGUMENT("runtime", seconds, 1, 86400, "seconds to run"),
	{ 0 },
};

static const struct options defaults = { .work_us = 8000, .sleep_us = 1000, .unit = UNIT_LOOPS };

static int check(void *options, char *error)
{
	struct options *o = options;

	(void)error;
	if (!o->run_ms)
		o->run_ms = o->seconds * 1000;
	return 0;
}

/* ---- the tasks ---- */

struct bench {
	const struct options *o;
	struct gate start;
	bool called_off; /* before the gate opens: memory is out */
	u64 start_ns;
	struct spinlock lock;
	struct run *run; /* lock: its counts */
};

struct worker {
	struct bench *bench;
	u64 number;
};

/* Lines come in the order in which tasks finish. */
static void report(struct bench *b, u64 value)
{
	unsigned long flags = spin_lock_irq(&b->lock);

	b->run->count[b->run->nr_counts++] = value;
	spin_unlock_irq(&b->lock, flags);
	say("%06u\t%08llu\n", current()->id, (unsigned long long)value);
}

static void worker(void *argument)
{
	const struct worker *w = argument;
	struct bench *b = w->bench;
	const struct options *o = b->o;
	u64 loops = 0, end;

	gate_pass(&b->start);
	if (b->called_off)
		return;
	machine_work_ns(run_stagger_ns(w->number));
	end = b->start_ns + o->run_ms * NSEC_PER_MSEC;
	do {
		machine_work_ns(o->work_us * NSEC_PER_USEC);
		sleep_ns(o->sleep_us * NSEC_PER_USEC);
		loops++;
	} while (machine_clock_ns() < end);
	report(b, o->unit == UNIT_WORK_MS ? loops * o->work_us / 1000 : loops);
}

/* ---- the parent ---- */

static void start_all(struct bench *b)
{
	b->start_ns = machine_clock_ns();
	gate_open(&b->start);
}

static bool spawn(struct bench *b, u64 number)
{
	struct worker *w = mem_alloc(sizeof(*w));

	if (w)
		*w = (struct worker){ b, number };
	return w && task_spawn("massive_intr", worker, w, true);
}

static void run(const void *options, struct run *r)
{
	struct bench *b = mem_alloc(sizeof(*b));
	u64 spawned = 0;

	r->status = "not enough memory for so many tasks";
	if (!b)
		return;
	b->o = options;
	b->run = r;
	b->lock = SPINLOCK_INIT(RANK_OBJECT);
	gate_init(&b->start);
	while (spawned < b->o->tasks && spawn(b, spawned))
		spawned++;
	b->called_off = spawned < b->o->tasks;
	run_begin(r);
	start_all(b);
	for (u64 i = 0; i < spawned; i++)
		task_reap(REAP_ANY);
	run_finish(r);
	if (b->called_off)
		return;
	run_metric(r, "counted", spread_of(r->count, r->nr_counts).sum);
	r->status = "ok";
}

const struct workload massive_intr = {
	.name = "massive_intr",
	.purpose = "tasks that work a little and sleep a little, over and over: is the CPU shared fairly?",
	.options = option_table,
	.arguments = argument_table,
	.nr_required = 2,
	.defaults = &defaults,
	.options_bytes = sizeof(struct options),
	.check = check,
	.figure = "counted",
	.more_is_better = true,
	.run = run,
};
