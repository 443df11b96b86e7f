/* SPDX-License-Identifier: GPL-2.0-or-later
 * Samples of all CPUs in the course of a run, as vmstat takes them, but without a task of its own: a timer on the CPU where the
 * run's interval began copies counters into memory set aside before. */
#ifndef LAB_SAMPLER_H
#define LAB_SAMPLER_H

#include "lab/plan.h"

/* The period of sample=, such as 100ms, in ns; 0 for an empty one. 0, or -E_INVAL with one line that says what was expected. */
int sampler_parse(const char *text, u64 *period_ns, char error[PLAN_ERROR_BYTES]);

/* Before the first run; period 0: take no samples. */
void sampler_init(u64 period_ns);

/* For run->watch; NULL: take none. */
const struct run_watch *sampler_watch(void);

/* After a run: nothing of the sampler goes on. By the task that has called the workload. */
void sampler_stop(void);

/* The run's samples as records, and for people as lines of vmstat. */
void sampler_report(u64 position);

#endif
