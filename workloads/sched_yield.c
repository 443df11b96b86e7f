/* SPDX-License-Identifier: GPL-2.0-or-later
 * yield: tasks that do nothing but give the CPU to each other, as will-it-scale's sched_yield does. All of them but the one that
 * runs wait on the queue, so on one CPU (topo=1c or cpus=0) a turn costs what it costs to put a task among so many others and to
 * pick the next.
 *
 * With --rest there is always one that sleeps, and a turn is to wake it and to sleep in its place: that puts one task on the queue
 * by a wakeup, takes one from it, and picks the next, again among all the others.
 */
#include "workloads/workload.h"

#include "base/mem.h"
#include "ipc/gate.h"

struct options {
	u64 tasks, loops, rest;
};

static const struct option option_table[] = {
	NUMBER_OPTION('t', "tasks", tasks, 1, 100000, "tasks"),
	NUMBER_OPTION('l', "loops", loops, 1, 1000000000, "turns of each task"),
	FLAG_OPTION('r', "rest", rest, 1, "a turn is to wake the one that sleeps, and to sleep in its place"),
	{ 0 },
};

static const struct options defaults = { .tasks = 2, .loops = 100000 };

struct bench {
	const struct options *o;
	struct gate start;
	struct worker *resting; /* atomic; NULL: nobody */
	struct worker *latest;	/* atomic; had the last turn */
	u64 left;		/* atomic; workers that have not ended */
	u64 turns, handovers;	/* atomic; the latter: turns after which somebody else had one */
	u64 done;		/* atomic; turns as the workers have counted them themselves */
};

struct worker {
	struct bench *bench;
	struct task *waiter; /* of task_await() */
};

/* Wake whoever rests; next rests from now on. */
static void relieve(struct bench *b, struct worker *next)
{
	struct worker *rested = __atomic_exchange_n(&b->resting, next, __ATOMIC_SEQ_CST);

	if (rested)
		task_complete(&rested->waiter);
}

/* The last one may not: nobody would wake it. */
static void rest(struct worker *w)
{
	struct bench *b = w->bench;

	w->waiter = current();
	relieve(b, w);
	if (__atomic_load_n(&b->left, __ATOMIC_SEQ_CST) == 1)
		relieve(b, NULL);
	task_await(&w->waiter);
}

static void note_turn(struct worker *w)
{
	struct bench *b = w->bench;

	__atomic_add_fetch(&b->turns, 1, __ATOMIC_RELAXED);
	if (__atomic_exchange_n(&b->latest, w, __ATOMIC_RELAXED) != w)
		__atomic_add_fetch(&b->handovers, 1, __ATOMIC_RELAXED);
}

static void worker(void *argument)
{
	struct worker *w = argument;
	struct bench *b = w->bench;
	u64 done = 0;

	gate_pass(&b->start);
	for (; done < b->o->loops; done++) {
		note_turn(w);
		syscall_enter();
		if (b->o->rest)
			rest(w);
		else
			task_yield();
		syscall_exit();
	}
	__atomic_add_fetch(&b->done, done, __ATOMIC_RELAXED);
	__atomic_sub_fetch(&b->left, 1, __ATOMIC_SEQ_CST);
	relieve(b, NULL);
}

static bool spawn(struct bench *b)
{
	struct worker *w = mem_alloc(sizeof(*w));

	if (w)
		*w = (struct worker){ .bench = b };
	return w && task_spawn("yield", worker, w, false);
}

static const char *judge(const struct bench *b, u64 spawned)
{
	if (spawned < b->o->tasks)
		return "not enough memory for so many tasks";
	if (b->turns != spawned * b->o->loops || b->done != b->turns)
		return "turns were lost or repeated";
	return "ok";
}

/* Whoever has slept for longer than a sleeper is given credit for is placed like all others, so they will take turns in order and
 * end together; else those furthest behind would have all their turns first. */
static void let_all_start_even(void)
{
	machine_work_ns(2 * knob.sched_latency_ns);
}

static void run(const void *options, struct run *r)
{
	struct bench b = { .o = options };
	u64 spawned = 0;

	gate_init(&b.start);
	while (spawned < b.o->tasks && spawn(&b))
		spawned++;
	b.left = spawned;
	let_all_start_even();
	run_begin(r);
	gate_open(&b.start);
	for (u64 i = 0; i < spawned; i++)
		task_reap(REAP_ANY);
	run_finish(r);
	run_metric(r, "turns", b.turns);
	run_metric(r, "handovers", b.handovers);
	r->status = judge(&b, spawned);
}

const struct workload sched_yield = {
	.name = "yield",
	.purpose = "tasks that do nothing but give the CPU to each other",
	.options = option_table,
	.defaults = &defaults,
	.options_bytes = sizeof(struct options),
	.run = run,
};
