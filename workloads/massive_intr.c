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
#include "workloads/options.h"

enum { UNIT_LOOPS, UNIT_WORK_MS };

struct options {
	u64 tasks, seconds, run_ms, work_us, sleep_us, unit;
};

static const struct option option_table[] = {
	{ 'w', "work-us", offsetof(struct options, work_us), true, 1, 1000000, 0 },
	{ 's', "sleep-us", offsetof(struct options, sleep_us), true, 1, 1000000, 0 },
	{ 'm', "run-ms", offsetof(struct options, run_ms), true, 1, 86400000, 0 },
	{ 'L', "loops", offsetof(struct options, unit), false, 0, 0, UNIT_LOOPS },
	{ 'W', "work-ms", offsetof(struct options, unit), false, 0, 0, UNIT_WORK_MS },
	{ 0 },
};

static int parse(unsigned argc, const char *const argv[], void *options, char *error)
{
	struct options *o = options;
	u64 positional[2];
	int err;

	*o = (struct options){ .work_us = 8000, .sleep_us = 1000, .unit = UNIT_LOOPS };
	err = options_parse(argc, argv, option_table, o, positional, 2, massive_intr.usage, error);
	if (err)
		return err;
	o->tasks = positional[0];
	o->seconds = positional[1];
	if (o->tasks < 1 || o->tasks > MAX_COUNTS || o->seconds < 1 || o->seconds > 86400) {
		text_format(error, WORKLOAD_ERROR_BYTES, "nproc is 1 to %u, runtime 1 to 86400 seconds; usage: %s", MAX_COUNTS,
			massive_intr.usage);
		return -E_INVAL;
	}
	if (!o->run_ms)
		o->run_ms = o->seconds * 1000;
	return 0;
}

/* ---- the tasks ---- */

struct bench {
	const struct options *o;
	struct gate start;
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
	run_begin(r);
	start_all(b);
	for (u64 i = 0; i < spawned; i++)
		task_reap(REAP_ANY);
	run_finish(r);
	if (spawned == b->o->tasks)
		r->status = "ok";
}

const struct workload massive_intr = {
	.name = "massive_intr",
	.usage = "massive_intr [--work-us N] [--sleep-us N] [--run-ms N] [--loops|--work-ms] nproc runtime",
	.options_bytes = sizeof(struct options),
	.parse = parse,
	.run = run,
};
