/* SPDX-License-Identifier: GPL-2.0-or-later
 * schbench as it is since 2023 (workloads.md 4.6): requests that sleep a little and then compute with the lock of their CPU held,
 * so that who is preempted in between keeps others from using that CPU; and the wakeups of crew.h between them.
 *
 * The computation, multiplying matrices that fill the given part of a cache, is CPU time here: there are side^3 steps in each, at
 * --op-ps a step.
 */
#include "workloads/crew.h"

#include "base/mem.h"
#include "base/string.h"
#include "base/text.h"
#include "ipc/sleep.h"
#include "workloads/spread.h"

struct options {
	u64 messengers, workers, seconds, run_ms, warmup;
	u64 footprint_kb, operations, op_ps, sleep_us, unlocked;
	u64 rate, pipe_bytes;
};

static const struct option option_table[] = {
	NUMBER_OPTION('m', "message-threads", messengers, 1, 1000, "messengers"),
	NUMBER_OPTION('t', "threads", workers, 1, 10000, "workers of each; as many as there are CPUs for each if not given"),
	NUMBER_OPTION('r', "runtime", seconds, 0, 86400, "seconds to run; 0 in the background: as long as what it accompanies"),
	NUMBER_OPTION(0, "run-ms", run_ms, 1, 86400000, "milliseconds to run, instead of runtime"),
	NUMBER_OPTION('w', "warmuptime", warmup, 0, 3600, "seconds to run before that"),
	NUMBER_OPTION('F', "cache_footprint", footprint_kb, 1, 1048576, "KB of three matrices"),
	NUMBER_OPTION('n', "operations", operations, 1, 1000000, "multiplications of them in a request"),
	NUMBER_OPTION(0, "op-ps", op_ps, 1, 1000000, "picoseconds of CPU time in a step of a multiplication"),
	NUMBER_OPTION('s', "sleep_usec", sleep_us, 0, 10000000, "microseconds that a request sleeps first"),
	FLAG_OPTION('L', "no-locking", unlocked, 1, "compute without the lock of the CPU"),
	NUMBER_OPTION('R', "rps", rate, 1, 10000000, "requests per second that all messengers together give out, in turn"),
	NUMBER_OPTION('p', "pipe", pipe_bytes, 1, 1048576, "bytes that each wakeup brings, and nothing but wakeups"),
	{ 0 },
};

static const struct options defaults = {
	.messengers = 1, .seconds = 2, .footprint_kb = 256, .operations = 5, .op_ps = 1000, .sleep_us = 100
};

static int check(void *options, char *error)
{
	struct options *o = options;

	if (o->rate && o->pipe_bytes)
		return options_refuse(&schbench, "with -p there are no requests that -R could give out", error);
	if (!o->run_ms)
		o->run_ms = o->seconds * 1000;
	return 0;
}

static bool endless(const void *options)
{
	return !((const struct options *)options)->run_ms;
}

/* ---- the computation ---- */

/* Rows of square matrices of 64-bit numbers, three of which fill so much memory. */
static u64 matrix_side(u64 footprint_kb)
{
	return square_root(footprint_kb * 1024 / 3 / sizeof(u64));
}

static u64 multiplication_ns(const struct options *o)
{
	u64 side = matrix_side(o->footprint_kb);

	return side * side * side * o->op_ps / 1000;
}

struct cpu_lock {
	u32 taken; /* atomic */
} cache_aligned;

struct bench {
	struct crew crew; /* first: a worker finds the bench by it */
	const struct options *o;
	u64 multiplication_ns;
	struct cpu_lock *lock; /* [machine_nr_cpus()] */
	u32 damaged;	       /* atomic; buffers that arrived other than they were sent */
};

static struct bench *bench_of(const struct worker *w)
{
	return (struct bench *)w->messenger->crew;
}

/* Only while the task is on that CPU: it may have been moved since it looked. */
static bool try_lock(struct cpu_lock *lock, unsigned cpu)
{
	if (__atomic_exchange_n(&lock->taken, 1, __ATOMIC_ACQUIRE))
		return false;
	if (machine_cpu() == cpu)
		return true;
	STORE_RELEASE(lock->taken, 0);
	return false;
}

/* Spins, as user code does that knows nothing of who runs: the holder may well be waiting for this very CPU. NULL: time to end. */
static struct cpu_lock *lock_this_cpu(struct bench *b)
{
	enum { SPIN_NS = 1000 };
	unsigned cpu = machine_cpu();

	while (!try_lock(&b->lock[cpu], cpu)) {
		if (!crew_goes_on(&b->crew))
			return NULL;
		machine_work_ns(SPIN_NS);
		cpu = machine_cpu();
	}
	return &b->lock[cpu];
}

/* What does not count any more is left undone: many workers who spin for each other would go on for minutes. */
static void compute(struct bench *b)
{
	struct cpu_lock *lock = b->o->unlocked ? NULL : lock_this_cpu(b);

	for (u64 i = 0; i < b->o->operations && crew_goes_on(&b->crew); i++)
		machine_work_ns(b->multiplication_ns);
	if (lock)
		STORE_RELEASE(lock->taken, 0);
}

static void do_request(struct worker *w)
{
	struct bench *b = bench_of(w);
	u64 start_ns = machine_clock_ns();

	if (b->o->sleep_us)
		sleep_ns(b->o->sleep_us * NSEC_PER_USEC);
	compute(b);
	worker_note_request(w, machine_clock_ns() - start_ns);
}

/* ---- workers that come for their next request when they are done with one ---- */

static void serve(struct messenger *m)
{
	while (messenger_serve(m))
		;
}

static void work(struct worker *w)
{
	while (crew_goes_on(w->messenger->crew)) {
		do_request(w);
		worker_ask(w);
	}
}

/* ---- requests at a rate, whether or not the workers can keep up ---- */

/* Those of the messengers alternate. In two steps, so that a long run does not overflow. */
static u64 due_ns(const struct messenger *m)
{
	const struct bench *b = (const struct bench *)m->crew;
	u64 rate = b->o->rate, before = m->queued * b->crew.nr_messengers + m->number;

	return b->crew.start_ns + before / rate * NSEC_PER_SEC + before % rate * NSEC_PER_SEC / rate;
}

static void queue_request(struct messenger *m, u64 now_ns)
{
	struct worker *w = &m->worker[m->queued++ % m->crew->nr_workers];

	__atomic_add_fetch(&w->pending, 1, __ATOMIC_SEQ_CST);
	messenger_post(m, w, now_ns);
}

/* What is due at the same time makes one burst. Naps are short so that the end does not come late. */
static void dispatch(struct messenger *m)
{
	enum { LONGEST_NAP_NS = 10000000 };

	while (crew_goes_on(m->crew)) {
		u64 now_ns = machine_clock_ns();

		while (due_ns(m) <= now_ns)
			queue_request(m, now_ns);
		sleep_ns(min_u64(due_ns(m) - now_ns, LONGEST_NAP_NS));
	}
}

static void work_off(struct worker *w)
{
	while (worker_await_pending(w))
		while (READ_ONCE(w->pending) && crew_goes_on(w->messenger->crew)) {
			__atomic_sub_fetch(&w->pending, 1, __ATOMIC_RELAXED);
			w->taken++;
			do_request(w);
		}
}

/* ---- buffers to and fro instead of requests ---- */

static void fill(struct worker *w, u8 with)
{
	size_t bytes = bench_of(w)->o->pipe_bytes;

	memset(w->buffer, with, bytes);
	machine_charge(COST_COPY, bytes);
}

/* By both ends: whoever filled it filled all of it. */
static void expect_filled(struct worker *w, u8 with)
{
	struct bench *b = bench_of(w);

	if (w->buffer[0] != with || w->buffer[b->o->pipe_bytes - 1] != with)
		__atomic_add_fetch(&b->damaged, 1, __ATOMIC_RELAXED);
}

/* The worker sends the number of the transfer, and the messenger its complement. */
static void send_back(struct worker *w)
{
	u8 number = (u8)w->asked;

	expect_filled(w, number);
	fill(w, (u8)~number);
}

static void transfer(struct worker *w)
{
	while (crew_goes_on(w->messenger->crew)) {
		u64 start_ns = machine_clock_ns();

		fill(w, (u8)(w->asked + 1));
		if (!worker_ask(w))
			return;
		expect_filled(w, (u8)~w->asked);
		worker_note_request(w, machine_clock_ns() - start_ns);
	}
}

/* ---- what it says ---- */

static const struct percentile latency_list[] = { { 50000, false }, { 90000, false }, { 99000, true }, { 99900, false },
	{ 0, false } };
static const struct percentile rate_list[] = { { 20000, false }, { 50000, true }, { 90000, false }, { 0, false } };

static u64 mean_wait_ns(const struct waits *w)
{
	return w->ns / max_u64(w->times, 1);
}

static void say_transfers(const struct bench *b, u64 elapsed_us)
{
	u64 done = b->crew.done;

	say("avg worker transfer: %s ops/sec %s MB/s\n", text_decimal(done * 1000000, elapsed_us, 2).text,
		text_decimal(done * b->o->pipe_bytes, elapsed_us, 2).text);
}

static void say_requests(const struct crew *c, u64 elapsed_us)
{
	u64 elapsed_ns = elapsed_us * NSEC_PER_USEC;

	say_percentiles("Request Latencies", "usec", elapsed_ns, &c->requests, latency_list);
	say_percentiles("RPS", "requests", elapsed_ns, &c->rates, rate_list);
	say("average rps: %s\n", text_decimal(c->done * 1000000, elapsed_us, 2).text);
	say("sched delay: message %llu (usec) worker %llu (usec)\n",
		(unsigned long long)(mean_wait_ns(&c->messengers_waits) / NSEC_PER_USEC),
		(unsigned long long)(mean_wait_ns(&c->workers_waits) / NSEC_PER_USEC));
}

static void report(const struct bench *b, struct run *r)
{
	const struct crew *c = &b->crew;
	u64 elapsed_us = max_u64(r->elapsed_ns / NSEC_PER_USEC, 1);

	say_percentiles("Wakeup Latencies", "usec", r->elapsed_ns, &c->wakeups, latency_list);
	if (b->o->pipe_bytes)
		say_transfers(b, elapsed_us);
	else
		say_requests(c, elapsed_us);
	crew_metrics(c, r);
	run_metric(r, "rps_x100", c->done * 100000000 / elapsed_us);
	run_metric(r, "message_delay_ns", mean_wait_ns(&c->messengers_waits));
	run_metric(r, "worker_delay_ns", mean_wait_ns(&c->workers_waits));
}

/* ---- the run ---- */

static u64 default_workers(const struct options *o)
{
	return (mask_weight(&current()->allowed) + o->messengers - 1) / o->messengers;
}

static void choose_bodies(struct crew *c, const struct options *o)
{
	c->messenger_body = o->rate ? dispatch : serve;
	c->worker_body = o->rate ? work_off : o->pipe_bytes ? transfer : work;
	c->answer = o->pipe_bytes ? send_back : NULL;
}

static int add_buffers(struct bench *b)
{
	struct crew *c = &b->crew;

	for (u64 i = 0; i < c->nr_messengers; i++)
		for (u64 k = 0; k < c->nr_workers; k++) {
			c->messenger[i].worker[k].buffer = mem_alloc(b->o->pipe_bytes);
			if (!c->messenger[i].worker[k].buffer)
				return -E_NOMEM;
		}
	return 0;
}

static int prepare(struct bench *b, const struct options *o)
{
	*b = (struct bench){
		.crew = {
			.nr_messengers = o->messengers,
			.nr_workers = o->workers ? o->workers : default_workers(o),
			.run_ns = o->run_ms * NSEC_PER_MSEC,
			.warmup_ns = o->warmup * NSEC_PER_SEC,
		},
		.o = o,
		.multiplication_ns = multiplication_ns(o),
		.lock = mem_alloc(machine_nr_cpus() * sizeof(*b->lock)),
	};
	choose_bodies(&b->crew, o);
	if (!b->lock || crew_prepare(&b->crew))
		return -E_NOMEM;
	return o->pipe_bytes ? add_buffers(b) : 0;
}

/* Every request given out was begun by one worker, or waits still. */
static bool all_requests_taken(const struct crew *c)
{
	u64 queued = 0, taken = 0;

	for (u64 i = 0; i < c->nr_messengers; i++) {
		const struct messenger *m = &c->messenger[i];

		queued += m->queued;
		for (u64 k = 0; k < c->nr_workers; k++)
			taken += m->worker[k].taken + m->worker[k].pending;
	}
	return queued == taken;
}

static void run(const void *options, struct run *r)
{
	struct bench b;

	r->status = "not enough memory for so many tasks";
	if (prepare(&b, options))
		return;
	crew_run(&b.crew, r);
	if (strcmp(r->status, "ok"))
		return;
	report(&b, r);
	if (b.damaged)
		r->status = "buffers did not arrive as they were sent";
	if (!all_requests_taken(&b.crew))
		r->status = "requests were lost or done twice";
}

const struct workload schbench = {
	.name = "schbench",
	.purpose = "messengers that wake workers in bursts, and workers that compute with a lock of their CPU held",
	.options = option_table,
	.defaults = &defaults,
	.options_bytes = sizeof(struct options),
	.check = check,
	.endless = endless,
	.figure = "wakeup_p99_us",
	.run = run,
};
