/* SPDX-License-Identifier: GPL-2.0-or-later
 * schbench as it was from 2016 to 2022 (workloads.md 4.6): messengers that rest between bursts, and workers that think for a while
 * after each wakeup.
 *
 * They think until a deadline, so who waits for a CPU meanwhile thinks less: the one workload here whose work is not CPU time.
 */
#include "workloads/crew.h"

#include "base/random.h"
#include "base/string.h"
#include "ipc/sleep.h"

struct options {
	u64 messengers, workers, seconds, run_ms, warmup, sleep_us, cpu_us;
};

static const struct option option_table[] = {
	NUMBER_OPTION('m', "message-threads", messengers, 1, 1000, "messengers"),
	NUMBER_OPTION('t', "threads", workers, 1, 10000, "workers of each"),
	NUMBER_OPTION('r', "runtime", seconds, 0, 86400, "seconds to run; 0 in the background: as long as what it accompanies"),
	NUMBER_OPTION(0, "run-ms", run_ms, 1, 86400000, "milliseconds to run, instead of runtime"),
	NUMBER_OPTION('w', "warmuptime", warmup, 0, 3600, "seconds to run before that"),
	NUMBER_OPTION('s', "sleeptime", sleep_us, 4, 1000000, "microseconds between bursts, and up to a quarter more"),
	NUMBER_OPTION('c', "cputime", cpu_us, 1, 1000000, "microseconds by the clock that a worker thinks"),
	{ 0 },
};

static const struct options defaults = { .messengers = 2, .workers = 16, .seconds = 30, .sleep_us = 30000, .cpu_us = 30000 };

static int check(void *options, char *error)
{
	struct options *o = options;

	(void)error;
	if (!o->run_ms)
		o->run_ms = o->seconds * 1000;
	return 0;
}

static bool endless(const void *options)
{
	return !((const struct options *)options)->run_ms;
}

struct bench {
	struct crew crew; /* first: messengers and workers find the bench by it */
	const struct options *o;
};

/* Looks at the clock every 100 us: after a preemption it ends late by no more than that. */
static void think(u64 ns)
{
	enum { LOOK_NS = 100000 };
	u64 now_ns = machine_clock_ns(), deadline_ns = now_ns + ns;

	for (; now_ns < deadline_ns; now_ns = machine_clock_ns())
		machine_work_ns(min_u64(deadline_ns - now_ns, LOOK_NS));
}

static void work(struct worker *w)
{
	const struct bench *b = (const struct bench *)w->messenger->crew;

	while (worker_ask(w)) {
		u64 start_ns = machine_clock_ns();

		think(b->o->cpu_us * NSEC_PER_USEC);
		worker_note_request(w, machine_clock_ns() - start_ns);
	}
}

/* Rests after it was asked and before it answers, so that more will ask and the burst is one. */
static void serve(struct messenger *m)
{
	const struct bench *b = (const struct bench *)m->crew;
	u64 ns = b->o->sleep_us * NSEC_PER_USEC, random = run_seed(m->number);

	while (messenger_serve(m))
		sleep_ns(ns + random_next(&random) % (ns / 4));
}

static void report(const struct crew *c, struct run *r)
{
	static const struct percentile list[] = { { 50000, false }, { 75000, false }, { 90000, false }, { 95000, false },
		{ 99000, true }, { 99500, false }, { 99900, false }, { 0, false } };

	say_percentiles("Wakeup Latencies", "usec", r->elapsed_ns, &c->wakeups, list);
	crew_metrics(c, r);
}

static void run(const void *options, struct run *r)
{
	const struct options *o = options;
	struct bench b = {
		.crew = {
			.nr_messengers = o->messengers,
			.nr_workers = o->workers,
			.run_ns = o->run_ms * NSEC_PER_MSEC,
			.warmup_ns = o->warmup * NSEC_PER_SEC,
			.messenger_body = serve,
			.worker_body = work,
		},
		.o = o,
	};

	r->status = "not enough memory for so many tasks";
	if (crew_prepare(&b.crew))
		return;
	crew_run(&b.crew, r);
	if (!strcmp(r->status, "ok"))
		report(&b.crew, r);
}

const struct workload schbench_classic = {
	.name = "schbench-classic",
	.purpose = "messengers that wake workers in bursts, and workers that think until a deadline",
	.options = option_table,
	.defaults = &defaults,
	.options_bytes = sizeof(struct options),
	.check = check,
	.endless = endless,
	.figure = "wakeup_p99_us",
	.run = run,
};
