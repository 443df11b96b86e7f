/* SPDX-License-Identifier: GPL-2.0-or-later
 * The list of workloads, and what they share. */
#include "workloads/workload.h"

#include "base/bug.h"
#include "base/random.h"

const struct workload *const workloads[] = { &hackbench, &kbuild, &massive_intr, &sched_pipe, &sched_yield, &spin, NULL };

static u64 perturbation;

void run_perturb(u64 seed)
{
	perturbation = seed;
	machine_perturb(seed);
	sched_set_tick_phases(seed);
}

u64 run_stagger_ns(u64 worker)
{
	enum { LONGEST_NS = 20000 };
	u64 state = perturbation + worker;

	return perturbation ? random_next(&state) % LONGEST_NS : 0;
}

void run_begin(struct run *r)
{
	machine_skew_ns(); /* from here on */
	sched_totals(&r->before);
	r->start_ns = machine_clock_ns();
}

void run_finish(struct run *r)
{
	r->elapsed_ns = machine_clock_ns() - r->start_ns;
	sched_totals(&r->after);
}

void run_metric(struct run *r, const char *name, u64 value)
{
	bug_on(r->nr_metrics == MAX_METRICS);
	r->metric[r->nr_metrics].name = name;
	r->metric[r->nr_metrics++].value = value;
}
