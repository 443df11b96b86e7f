/* SPDX-License-Identifier: GPL-2.0-or-later
 * perf bench sched pipe: two tasks that hand a word to and fro through two pipes. At any time one of them sleeps, so what is
 * measured is a wakeup and, on one CPU, a switch (workloads.md 4.5). */
#include "workloads/workload.h"

#include "base/text.h"
#include "ipc/channel.h"

struct options {
	u64 loops, threads;
};

static const struct option option_table[] = {
	NUMBER_OPTION('l', "loop", loops, 1, 1000000000, "round trips"),
	FLAG_OPTION('T', "threaded", threads, 1, "threads instead of processes"),
	{ 0 },
};

static const struct options defaults = { .loops = 1000000 };

struct bench {
	u64 loops;
	struct channel *to, *back;
	u64 lost; /* words that came back other than they went; the asking task's */
};

static void answer(void *argument)
{
	struct bench *b = argument;

	for (u32 i = 0; i < b->loops; i++) {
		u32 word;

		channel_receive(b->to, &word, sizeof(word));
		channel_send(b->back, &word, sizeof(word));
	}
}

static void ask(void *argument)
{
	struct bench *b = argument;

	for (u32 i = 0; i < b->loops; i++) {
		u32 word = i;

		channel_send(b->to, &word, sizeof(word));
		channel_receive(b->back, &word, sizeof(word));
		b->lost += word != i;
	}
}

/* perf's own lines. It takes the time in whole microseconds, and rates are of that. */
static void say_result(const struct options *o, u64 elapsed_ns)
{
	u64 us = elapsed_ns / NSEC_PER_USEC;

	say("# Executed %llu pipe operations between two %s\n\n", (unsigned long long)o->loops,
		o->threads ? "threads" : "processes");
	say(" %14s: %llu.%03llu [sec]\n\n", "Total time", (unsigned long long)(us / 1000000),
		(unsigned long long)(us / 1000 % 1000));
	say(" %14s usecs/op\n", text_decimal(us, o->loops, 6).text);
	say(" %14llu ops/sec\n", (unsigned long long)(o->loops * 1000000 / max_u64(us, 1)));
}

static void run(const void *options, struct run *r)
{
	const struct options *o = options;
	struct bench b = {
		.loops = o->loops, .to = channel_new(TRANSPORT_PIPE, sizeof(u32)), .back = channel_new(TRANSPORT_PIPE, sizeof(u32))
	};
	unsigned spawned = 0;

	r->status = "not enough memory for two tasks and two pipes";
	if (!b.to || !b.back)
		return;
	run_begin(r);
	spawned += task_spawn("sched-pipe", answer, &b, !o->threads) != NULL;
	if (spawned)
		spawned += task_spawn("sched-pipe", ask, &b, !o->threads) != NULL;
	if (spawned == 1)
		ask(&b); /* or the other would wait for ever */
	for (unsigned i = 0; i < spawned; i++)
		task_reap(REAP_ANY);
	run_finish(r);
	if (spawned < 2)
		return;
	say_result(o, r->elapsed_ns);
	run_metric(r, "operations", o->loops);
	r->status = b.lost ? "a word was lost" : "ok";
}

const struct workload sched_pipe = {
	.name = "pipe",
	.purpose = "perf bench sched pipe: two tasks that hand a word to and fro through two pipes",
	.options = option_table,
	.defaults = &defaults,
	.options_bytes = sizeof(struct options),
	.run = run,
};
