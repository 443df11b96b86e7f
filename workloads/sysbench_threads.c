/* SPDX-License-Identifier: GPL-2.0-or-later
 * sysbench's test of threads: many that want few locks, and yield the CPU while they hold one (workloads.md 4.8). Whoever wants a
 * lock that is held sleeps on its futex, and whoever lets go of it wakes one of them; with as many locks as threads there is little
 * of that, and what remains is yielding. */
#include "workloads/workload.h"

#include "base/histogram.h"
#include "base/mem.h"
#include "base/text.h"
#include "ipc/futex.h"
#include "ipc/gate.h"
#include "ipc/sleep.h"
#include "workloads/spread.h"

struct options {
	u64 threads, seconds, events, yields, locks;
};

static const struct option option_table[] = {
	NUMBER_OPTION('t', "threads", threads, 1, MAX_COUNTS, "threads"),
	NUMBER_OPTION('T', "time", seconds, 0, 86400, "seconds after which no event begins; 0: no limit"),
	NUMBER_OPTION('e', "events", events, 0, 1000000000, "events of all threads together; 0: no limit"),
	NUMBER_OPTION('y', "thread-yields", yields, 1, 1000000, "times that an event locks, yields and unlocks"),
	NUMBER_OPTION('l', "thread-locks", locks, 1, 4096, "locks; an event uses one of them"),
	{ 0 },
};

static const struct options defaults = { .threads = 1, .seconds = 10, .yields = 1000, .locks = 8 };

static bool is_endless(const void *options)
{
	const struct options *o = options;

	return !o->seconds && !o->events;
}

/* ---- the threads ---- */

/* Seven bits of precision, and latencies up to 2^40 ns. */
enum { EVENT_BITS = 7, EVENT_MAGNITUDE = 40 };

struct bench {
	const struct options *o;
	const struct run *run;
	struct futex ready; /* its word: threads that are there */
	struct gate start;
	bool called_off; /* the start is not followed by work */
	u64 spawned, end_ns;
	u64 next_event; /* atomic */
	struct mutex *mutexes;
	struct worker *workers;
	u64 *figures; /* one for each worker */
	struct spinlock lock;
	struct histogram latency; /* lock; ns */
};

/* Counted in with every yield, so none shares its cache line with another. */
struct worker {
	struct bench *bench;
	u64 number, events, yields, lock_sleeps, busy_ns;
} cache_aligned;

/* The event is given up when nobody wants it any more. */
static bool do_event(struct worker *w, struct mutex *m)
{
	for (u64 i = 0; i < w->bench->o->yields; i++) {
		if (run_is_over(w->bench->run))
			return false;
		w->lock_sleeps += mutex_lock(m);
		yield();
		w->yields++;
		mutex_unlock(m);
	}
	return true;
}

/* Time is looked at first: a number once taken is an event that must happen. */
static bool take_event(struct bench *b, u64 *event)
{
	if (b->o->seconds && machine_clock_ns() >= b->end_ns)
		return false;
	*event = __atomic_fetch_add(&b->next_event, 1, __ATOMIC_RELAXED);
	return !b->o->events || *event < b->o->events;
}

static void note_event(struct worker *w, u64 took_ns)
{
	struct bench *b = w->bench;
	unsigned long flags = spin_lock_irq(&b->lock);

	histogram_add(&b->latency, took_ns);
	spin_unlock_irq(&b->lock, flags);
	w->events++;
	w->busy_ns += took_ns;
}

/* The last one wakes the parent. */
static void say_ready(struct bench *b)
{
	if (__atomic_add_fetch(&b->ready.word, 1, __ATOMIC_RELEASE) == b->o->threads)
		futex_wake(&b->ready, 1);
}

static void worker(void *argument)
{
	struct worker *w = argument;
	struct bench *b = w->bench;
	u64 event;

	say_ready(b);
	gate_pass(&b->start);
	if (b->called_off)
		return;
	machine_work_ns(run_stagger_ns(w->number));
	while (take_event(b, &event)) {
		u64 begin_ns = machine_clock_ns();

		if (!do_event(w, &b->mutexes[event % b->o->locks]))
			return;
		note_event(w, machine_clock_ns() - begin_ns);
	}
}

/* ---- the figures ---- */

static u64 sum_of(const struct bench *b, size_t member)
{
	u64 sum = 0;

	for (u64 i = 0; i < b->spawned; i++)
		sum += *(const u64 *)((const char *)&b->workers[i] + member);
	return sum;
}

static void say_latency(const char *what, u64 ns)
{
	say("         %-16s%28s\n", what, text_decimal(ns, NSEC_PER_MSEC, 2).text);
}

/* The average to four places and the standard deviation to two, of figures in that unit. */
static void say_fairness(const struct bench *b, const char *what, u64 unit)
{
	struct spread s = spread_of(b->figures, (unsigned)b->spawned);

	say("    %-31s%s/%s\n", what, text_decimal(s.sum, b->spawned * unit, 4).text, text_decimal(s.deviation, unit, 2).text);
}

static void say_fairness_of_events(const struct bench *b)
{
	enum { FINE = 1000 }; /* so that a deviation has places behind the point */

	for (u64 i = 0; i < b->spawned; i++)
		b->figures[i] = b->workers[i].events * FINE;
	say_fairness(b, "events (avg/stddev):", FINE);
}

static void say_fairness_of_time(const struct bench *b)
{
	for (u64 i = 0; i < b->spawned; i++)
		b->figures[i] = b->workers[i].busy_ns;
	say_fairness(b, "execution time (avg/stddev):", NSEC_PER_SEC);
}

static u64 mean_latency(const struct histogram *h)
{
	return h->sum / max_u64(h->count, 1);
}

static u64 least_latency(const struct histogram *h)
{
	return h->count ? h->least : 0;
}

enum { PARTS_95 = 95000 }; /* of 100,000 */

static void say_result(const struct bench *b, u64 elapsed_ns)
{
	const struct histogram *h = &b->latency;

	say("General statistics:\n");
	say("    %-37s%ss\n", "total time:", text_decimal(elapsed_ns, NSEC_PER_SEC, 4).text);
	say("    %-37s%llu\n\n", "total number of events:", (unsigned long long)h->count);
	say("Latency (ms):\n");
	say_latency("min:", least_latency(h));
	say_latency("avg:", mean_latency(h));
	say_latency("max:", h->most);
	say_latency("95th percentile:", histogram_percentile(h, PARTS_95));
	say_latency("sum:", h->sum);
	say("\nThreads fairness:\n");
	say_fairness_of_events(b);
	say_fairness_of_time(b);
}

static void put_result(const struct bench *b, struct run *r)
{
	const struct histogram *h = &b->latency;

	run_metric(r, "events", h->count);
	run_metric(r, "events_per_s", h->count * NSEC_PER_SEC / max_u64(r->elapsed_ns, 1));
	run_metric(r, "yields", sum_of(b, offsetof(struct worker, yields)));
	run_metric(r, "lock_sleeps", sum_of(b, offsetof(struct worker, lock_sleeps)));
	run_metric(r, "latency_min_ns", least_latency(h));
	run_metric(r, "latency_avg_ns", mean_latency(h));
	run_metric(r, "latency_p95_ns", histogram_percentile(h, PARTS_95));
	run_metric(r, "latency_max_ns", h->most);
	run_metric(r, "latency_sum_ns", h->sum);
	r->nr_counts = (unsigned)b->spawned;
	for (u64 i = 0; i < b->spawned; i++)
		r->count[i] = b->workers[i].events;
}

/* Every number taken is an event of one thread, unless the run was called off in its midst. */
static const char *judge(const struct bench *b)
{
	u64 taken = b->o->events ? min_u64(b->next_event, b->o->events) : b->next_event, events = b->latency.count;
	bool over = run_is_over(b->run);

	if (sum_of(b, offsetof(struct worker, events)) != events || (events != taken && !over))
		return "events were lost or repeated";
	if (sum_of(b, offsetof(struct worker, yields)) != events * b->o->yields && !over)
		return "yields were lost or repeated";
	return "ok";
}

/* ---- the parent ---- */

static int prepare(struct bench *b)
{
	u32 buckets = histogram_buckets(EVENT_BITS, EVENT_MAGNITUDE);
	u64 *bucket = mem_alloc(buckets * sizeof(*bucket));

	b->mutexes = mem_alloc(b->o->locks * sizeof(*b->mutexes));
	b->workers = mem_alloc(b->o->threads * sizeof(*b->workers));
	b->figures = mem_alloc(b->o->threads * sizeof(*b->figures));
	if (!bucket || !b->mutexes || !b->workers || !b->figures)
		return -E_NOMEM;
	histogram_init(&b->latency, EVENT_BITS, bucket, buckets);
	for (u64 i = 0; i < b->o->locks; i++)
		mutex_init(&b->mutexes[i]);
	b->lock = SPINLOCK_INIT(RANK_OBJECT);
	futex_init(&b->ready, 0);
	gate_init(&b->start);
	return 0;
}

static bool spawn(struct bench *b)
{
	struct worker *w = &b->workers[b->spawned];

	w->bench = b;
	w->number = b->spawned;
	if (!task_spawn("sysbench", worker, w, false))
		return false;
	b->spawned++;
	return true;
}

static void await_all(struct bench *b)
{
	u32 there;

	while ((there = LOAD_ACQUIRE(b->ready.word)) < b->o->threads)
		futex_wait(&b->ready, there);
}

static void start_and_reap(struct bench *b)
{
	gate_open(&b->start);
	for (u64 i = 0; i < b->spawned; i++)
		task_reap(REAP_ANY);
}

static void measure(struct bench *b, struct run *r)
{
	await_all(b);
	run_begin(r);
	b->end_ns = r->start_ns + b->o->seconds * NSEC_PER_SEC;
	start_and_reap(b);
	run_finish(r);
	say_result(b, r->elapsed_ns);
	put_result(b, r);
	r->status = judge(b);
}

static void run(const void *options, struct run *r)
{
	struct bench b = { .o = options, .run = r };

	r->status = "not enough memory for so many threads and locks";
	if (prepare(&b))
		return;
	while (b.spawned < b.o->threads && spawn(&b))
		;
	b.called_off = b.spawned < b.o->threads;
	if (b.called_off)
		start_and_reap(&b);
	else
		measure(&b, r);
}

const struct workload sysbench_threads = {
	.name = "sysbench",
	.purpose = "sysbench's threads test: threads that yield the CPU while they hold one of a few locks",
	.options = option_table,
	.defaults = &defaults,
	.options_bytes = sizeof(struct options),
	.endless = is_endless,
	.figure = "events_per_s",
	.more_is_better = true,
	.run = run,
};
