/* SPDX-License-Identifier: GPL-2.0-or-later
 * What a workload is to the lab that runs it. */
#ifndef WORKLOADS_WORKLOAD_H
#define WORKLOADS_WORKLOAD_H

#include "sched/sched.h"

enum { WORKLOAD_ERROR_BYTES = 240, MAX_METRICS = 8, MAX_COUNTS = 1024 };

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
};

/* Around what is measured: takes the time and the counters. */
void run_begin(struct run *r);
void run_finish(struct run *r);
/* Before a run: how irregular it is to be; 0: not at all. */
void run_perturb(u64 seed);
/* What the worker of that number should do first, once the gate is open: work so long. At most 20 us; 0 without perturbation. */
u64 run_stagger_ns(u64 worker);
void run_metric(struct run *r, const char *name, u64 value);

struct workload {
	const char *name, *usage;
	size_t options_bytes;
	/* Check the arguments behind the name and fill in *options (zeroed). 0 or -E_INVAL with one line in
	 * error[WORKLOAD_ERROR_BYTES]. */
	int (*parse)(unsigned argc, const char *const argv[], void *options, char *error);
	/* In a task of its own kind: do it once. Everything started has ended on return. May say() what the classic program prints.
	 */
	void (*run)(const void *options, struct run *r);
};

extern const struct workload hackbench, kbuild, massive_intr, sched_pipe, sched_yield, spin;

/* NULL-terminated. */
extern const struct workload *const workloads[];

#endif
