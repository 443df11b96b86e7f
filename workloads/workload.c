/* SPDX-License-Identifier: GPL-2.0-or-later
 * The list of workloads, and what they share. */
#include "workloads/workload.h"

#include "base/bug.h"
#include "base/random.h"

const struct workload *const workloads[] = { &aim7, &chat, &context_switch1, &cyclictest, &hackbench, &kbuild, &massive_intr,
	&schbench, &schbench_classic, &sched_pipe, &sched_yield, &spin, &sysbench_threads, &tbench, &vmark, NULL };

/* Of the run to come; set between runs. */
static u64 perturbation, content;

void run_prepare(u64 irregularity, u64 seed)
{
	perturbation = irregularity;
	content = seed;
	machine_perturb(irregularity);
	sched_set_tick_phases(irregularity);
}

/* Mixed: states that lie close to each other would soon repeat what their neighbours draw. */
u64 run_seed(u64 stream)
{
	return content ^ random_next(&stream);
}

u64 run_stagger_ns(u64 worker)
{
	enum { LONGEST_NS = 20000 };
	u64 state = perturbation + worker;

	return perturbation ? random_next(&state) % LONGEST_NS : 0;
}

void run_begin(struct run *r)
{
	if (!r->over) {
		machine_certificate_begin();
		machine_skew_ns(); /* from here on */
		sched_forget_latencies();
		sched_trace(true);
		sched_totals(&r->before);
		machine_counters_begin(r->wanted);
	}
	r->start_ns = machine_clock_ns();
	if (r->watch)
		r->watch->begin();
}

void run_finish(struct run *r)
{
	if (r->watch)
		r->watch->finish();
	r->elapsed_ns = machine_clock_ns() - r->start_ns;
	if (r->over)
		return;
	machine_counters_end(&r->counted);
	sched_trace(false);
	sched_totals(&r->after);
	machine_certificate_end(); /* behind that: its interrupts are in no account */
	sched_latencies(r->latency);
}

void run_metric(struct run *r, const char *name, u64 value)
{
	bug_on(r->nr_metrics == MAX_METRICS);
	r->metric[r->nr_metrics].name = name;
	r->metric[r->nr_metrics++].value = value;
}
