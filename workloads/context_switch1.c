/* SPDX-License-Identifier: GPL-2.0-or-later
 * context_switch1 of will-it-scale: pairs of tasks that hand a byte to and fro through two pipes, each pair on a core of its own.
 * Does the rate of switches grow with the number of pairs? (workloads.md 4.9)
 *
 * Rates are sampled: six times for warming up, then as often as asked for. The lines are per second, however long a sample is.
 */
#include "workloads/workload.h"

#include "base/mem.h"
#include "base/text.h"
#include "ipc/channel.h"
#include "ipc/sleep.h"

enum { BIND_CORE, BIND_THREAD, BIND_NOT };
enum { WARMUP_SAMPLES = 6 };

struct options {
	u64 tasks, samples, sample_ms, bind, threads;
};

static const struct option option_table[] = {
	NUMBER_OPTION('t', "tasks", tasks, 1, MAX_COUNTS, "pairs of tasks, each on the next core"),
	NUMBER_OPTION('s', "samples", samples, 1, 1000000, "samples, after six for warming up"),
	NUMBER_OPTION(0, "sample-ms", sample_ms, 1, 1000000, "milliseconds of a sample"),
	FLAG_OPTION('m', "thread-bound", bind, BIND_THREAD, "a pair is bound to a hardware thread instead of a core"),
	FLAG_OPTION('n', "unbound", bind, BIND_NOT, "a pair may run on all CPUs"),
	FLAG_OPTION('T', "threads", threads, 1, "threads instead of processes"),
	{ 0 },
};

static const struct options defaults = { .tasks = 1, .samples = 5, .sample_ms = 1000, .bind = BIND_CORE };

/* Far enough from the next one that CPUs do not fetch both. */
struct counter {
	u64 iterations; /* the pair's; read by who samples */
	char rest[256 - sizeof(u64)];
};

struct bench {
	const struct options *o;
	struct run *run;
	struct channel *start;
	struct counter *counter;
	u64 *sampled;	       /* what each counter was at the last sample */
	struct cpumask *place; /* where pairs go, in turn; of no use to unbound ones */
	u64 nr_places;
	bool over;  /* atomic */
	u32 failed; /* atomic; pairs without a second task */
	u32 wrong;  /* atomic; bytes that came back other than they went */
};

struct pair {
	struct bench *bench;
	u64 number;
	struct channel *to, *back;
};

/* ---- where pairs run ---- */

static void add_place(struct bench *b, const struct cpumask *cpus)
{
	if (!mask_empty(cpus))
		b->place[b->nr_places++] = *cpus;
}

static void add_core(struct bench *b, unsigned core)
{
	const struct topology *t = machine_topology();
	struct cpumask members = { .word = { 0 } };

	for_each_cpu(cpu, &current()->allowed) {
		struct cpumask only = { .word = { 0 } };

		if (t->cpu[cpu].core != core)
			continue;
		mask_set(&members, cpu);
		mask_set(&only, cpu);
		if (b->o->bind == BIND_THREAD)
			add_place(b, &only);
	}
	if (b->o->bind == BIND_CORE)
		add_place(b, &members);
}

/* Core by core, of the CPUs that the experiment may use. */
static bool list_places(struct bench *b)
{
	b->place = mem_alloc(mask_weight(&current()->allowed) * sizeof(*b->place));
	for (unsigned core = 0; b->place && core < machine_topology()->nr_cores; core++)
		add_core(b, core);
	return b->place;
}

/* The second task of the pair inherits it. */
static void bind(const struct pair *p)
{
	const struct bench *b = p->bench;

	if (b->o->bind != BIND_NOT)
		task_set_allowed(current(), &b->place[p->number % b->nr_places]);
}

/* ---- the pairs ---- */

enum { LAST = 0, BYTES = 255 }; /* others are 1 and up */

static void answer(void *argument)
{
	const struct pair *p = argument;
	u8 byte;

	for (channel_receive(p->to, &byte, 1); byte != LAST; channel_receive(p->to, &byte, 1))
		channel_send(p->back, &byte, 1);
}

static void ask(const struct pair *p)
{
	u64 *iterations = &p->bench->counter[p->number].iterations;
	u8 sent, received;

	while (!READ_ONCE(p->bench->over)) {
		sent = (u8)(1 + *iterations % BYTES);
		channel_send(p->to, &sent, 1);
		channel_receive(p->back, &received, 1);
		if (sent != received)
			__atomic_add_fetch(&p->bench->wrong, 1, __ATOMIC_RELAXED);
		WRITE_ONCE(*iterations, *iterations + 2);
	}
	sent = LAST;
	channel_send(p->to, &sent, 1);
}

static void worker(void *argument)
{
	struct pair *p = argument;
	struct bench *b = p->bench;

	bind(p);
	channel_poll(b->start);
	if (READ_ONCE(b->over))
		return;
	machine_work_ns(run_stagger_ns(p->number));
	if (task_spawn("answer", answer, p, !b->o->threads)) {
		ask(p);
		task_reap(REAP_ANY);
	} else {
		__atomic_add_fetch(&b->failed, 1, __ATOMIC_RELAXED);
	}
}

/* ---- who samples ---- */

static bool prepare(struct bench *b)
{
	b->start = channel_new(TRANSPORT_PIPE, 1);
	b->counter = mem_alloc(b->o->tasks * sizeof(*b->counter));
	b->sampled = mem_alloc(b->o->tasks * sizeof(*b->sampled));
	return b->start && b->counter && b->sampled && list_places(b);
}

static bool spawn(struct bench *b, u64 number)
{
	struct pair *p = mem_alloc(sizeof(*p));

	if (!p)
		return false;
	*p = (struct pair){ b, number, channel_new(TRANSPORT_PIPE, 1), channel_new(TRANSPORT_PIPE, 1) };
	return p->to && p->back && task_spawn("ask", worker, p, !b->o->threads);
}

static void open_gate(struct bench *b)
{
	char go = 0;

	channel_send(b->start, &go, 1);
}

static u64 per_second(const struct bench *b, u64 iterations, u64 samples)
{
	return iterations * 1000 / (samples * b->o->sample_ms);
}

/* Sleeps until then, prints a line and adds to the counts of the run. Returns the sum of all pairs. */
static u64 sample(struct bench *b, u64 at_ns)
{
	u64 least = ~0ull, most = 0, total = 0, now = machine_clock_ns();

	if (now < at_ns)
		sleep_ns(at_ns - now);
	for (u64 i = 0; i < b->o->tasks; i++) {
		u64 iterations = READ_ONCE(b->counter[i].iterations), since = iterations - b->sampled[i];

		b->sampled[i] = iterations;
		b->run->count[i] += since;
		least = min_u64(least, since);
		most = max_u64(most, since);
		total += since;
	}
	say("min:%llu max:%llu total:%llu\n", (unsigned long long)per_second(b, least, 1),
		(unsigned long long)per_second(b, most, 1), (unsigned long long)per_second(b, total, 1));
	return total;
}

static bool goes_on(const struct bench *b)
{
	return !READ_ONCE(b->failed) && !run_is_over(b->run);
}

static void measure(struct bench *b)
{
	struct run *r = b->run;
	u64 taken = 0, total = 0, sample_ns = b->o->sample_ms * NSEC_PER_MSEC, at = machine_clock_ns();

	say("warmup\n");
	for (unsigned i = 0; i < WARMUP_SAMPLES && goes_on(b); i++)
		sample(b, at += sample_ns);
	memset(r->count, 0, sizeof(r->count));
	say("measurement\n");
	run_begin(r);
	for (; taken < b->o->samples && goes_on(b); taken++)
		total += sample(b, at += sample_ns);
	run_finish(r);
	if (!taken)
		return;
	say("average:%llu\n", (unsigned long long)per_second(b, total, taken));
	r->nr_counts = (unsigned)b->o->tasks;
	run_metric(r, "iterations", total);
	run_metric(r, "iterations_per_s", per_second(b, total, taken));
}

static void run(const void *options, struct run *r)
{
	struct bench b = { .o = options, .run = r };
	u64 spawned = 0;

	r->status = "not enough memory for so many pairs";
	if (!prepare(&b))
		return;
	while (spawned < b.o->tasks && spawn(&b, spawned))
		spawned++;
	b.over = spawned < b.o->tasks;
	open_gate(&b);
	if (!b.over)
		measure(&b);
	WRITE_ONCE(b.over, true);
	for (u64 i = 0; i < spawned; i++)
		task_reap(REAP_ANY);
	if (spawned == b.o->tasks && !b.failed)
		r->status = b.wrong ? "a byte was lost" : "ok";
}

const struct workload context_switch1 = {
	.name = "context_switch1",
	.purpose = "will-it-scale context_switch1: pairs of tasks that hand a byte to and fro, each pair on a core of its own",
	.options = option_table,
	.defaults = &defaults,
	.options_bytes = sizeof(struct options),
	.figure = "iterations_per_s",
	.more_is_better = true,
	.run = run,
};
