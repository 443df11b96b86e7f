/* SPDX-License-Identifier: GPL-2.0-or-later
 * What a workload is to the lab that runs it. */
#ifndef WORKLOADS_WORKLOAD_H
#define WORKLOADS_WORKLOAD_H

#include "sched/sched.h"
#include "workloads/options.h"

enum { WORKLOAD_ERROR_BYTES = 640, OPTIONS_BYTES = 256, MAX_METRICS = 24, MAX_COUNTS = 1024 };

/* Told of the interval that a run measures, from within it. */
struct run_watch {
	void (*begin)(void);
	void (*finish)(void);
};

/* One run: filled in by the workload, reported by the lab. */
struct run {
	const char *status; /* "ok", or what went wrong */
	u64 start_ns, elapsed_ns;
	struct sched_totals before, after;
	unsigned nr_metrics;
	struct {
		const char *name;
		u64 value;
	} metric[MAX_METRICS];
	unsigned nr_counts;
	u64 count[MAX_COUNTS];
	struct latency latency[NR_WAKE_DISTANCES]; /* of wakeups after which a task ran in this time */
	u32 wanted;				   /* events to be counted, bits by enum hw_event */
	struct hw_counts counted;
	const struct run_watch *watch; /* NULL: nobody */
	const bool *over;	       /* atomic; the run that this one accompanies has ended. NULL: it accompanies none */
};

/* Around what is measured: takes the time, and the counters unless it only accompanies another run. */
void run_begin(struct run *r);
void run_finish(struct run *r);

/* In the background: there is no more need for it. Whatever has no end of its own ends soon after this. */
static inline bool run_is_over(const struct run *r)
{
	return r->over && READ_ONCE(*r->over);
}

/* Before a run: how irregular the machine is to be, 0: not at all; and what all that the workload draws depends on. */
void run_prepare(u64 irregularity, u64 seed);
/* A state for random_next(), another for each stream (a worker's number, say), the same in all variants of a run. */
u64 run_seed(u64 stream);
/* What the worker of that number should do first, once the gate is open: work so long. At most 20 us; 0 without perturbation. */
u64 run_stagger_ns(u64 worker);
void run_metric(struct run *r, const char *name, u64 value);

struct workload {
	const char *name, *purpose;	/* purpose: one line of what it does */
	const struct option *options;	/* NULL: it has none */
	const struct option *arguments; /* those without a dash, in their order; NULL: none */
	unsigned nr_required;		/* of the arguments */
	const void *defaults;		/* the options where nothing is given */
	size_t options_bytes;		/* at most OPTIONS_BYTES */
	/* May be NULL. Options that are fine one by one: put in order, or refused as options_refuse() does. */
	int (*check)(void *options, char *error);
	/* May be NULL. Would it run for ever? Then it can only accompany another. */
	bool (*endless)(const void *options);
	const char *figure;  /* the metric that it is judged by; NULL: the time that it takes */
	bool more_is_better; /* of that figure */
	/* In a task of its own kind: do it once. Everything started has ended on return. May say() what the classic program prints.
	 */
	void (*run)(const void *options, struct run *r);
};

extern const struct workload aim7, chat, context_switch1, cyclictest, hackbench, kbuild, massive_intr, schbench, schbench_classic,
	sched_pipe, sched_yield, spin, sysbench_threads, tbench, vmark;

/* NULL-terminated. */
extern const struct workload *const workloads[];

#endif
