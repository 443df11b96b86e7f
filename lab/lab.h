/* SPDX-License-Identifier: GPL-2.0-or-later
 * Running a plan and reporting it. */
#ifndef LAB_LAB_H
#define LAB_LAB_H

#include "lab/background.h"
#include "lab/certify.h"
#include "lab/plan.h"

struct outcome {
	u64 runs, failed;
	const char *message; /* the first failure, or "" */
};

/* Run all of it; between runs the records go out. */
void experiment_run(const struct plan *plan, struct outcome *out);

/* The counters of /proc/schedstat, and the tasks of a run that has ended; for people. */
void say_schedstat(void);
void say_tasks(void);

/* Two lines: what the run wasted and why, and what newidle balancing cost and brought. */
void say_account(const struct run *r);

void report_machine(void);
/* The machine and its CPUs, for people. */
void say_machine(const struct machine_info *m);
void report_plan(const struct plan *plan);
void report_knobs(void);
void report_end(const char *status, const struct outcome *outcome);

/* What a run record says beside the run itself. */
struct run_label {
	const struct workload *judged;
	const char *workload, *variant;
	u64 index, position;
	bool warmup;
	const struct background *background;
	const struct certified *certified;
};
void report_run(const struct run_label *label, const struct run *r);

/* What run= may name, for run=list. */
void say_workloads(void);

/* Latencies of wakeups: what the run record has of them all, and the records behind it, which go by the run's position. */
void put_wakeup_latency(const struct run *r);
void report_latencies(u64 position, const struct run *r);

/* trace=on: room for the decision trace, before the first run, 0, or -E_NOMEM with one line in error; and the records of a run. */
enum { TRACE_ERROR_BYTES = 240 };
int trace_prepare(char error[TRACE_ERROR_BYTES]);
void report_trace(u64 position);

/* All parameters and switches, for help=1; one of them; the presets. */
void report_help(void);
void say_knob(const struct knob *k);
void say_presets(void);

#endif
