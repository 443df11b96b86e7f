/* SPDX-License-Identifier: GPL-2.0-or-later
 * The list of workloads, and what they share. */
#include "workloads/workload.h"

#include "base/bug.h"

const struct workload *const workloads[] = { &hackbench, &massive_intr, NULL };

void run_begin(struct run *r)
{
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
