/* SPDX-License-Identifier: GPL-2.0-or-later
 * The part of the machine that an experiment keeps to: numactl's --physcpubind and --cpunodebind, as cpus= and nodes=. */
#ifndef LAB_CPUSET_H
#define LAB_CPUSET_H

#include "base/cpumask.h"
#include "lab/plan.h"

/*
 * Lists of numbers and ranges, as in 0-9,12; an empty one means all, two of them what is in both. 0 and the CPUs in *set, or
 * -E_INVAL with one line that names the part of the list that is wrong and says what was expected.
 */
int cpuset_parse(const char *cpus, const char *nodes, struct cpumask *set, char error[PLAN_ERROR_BYTES]);

/* A line of its own: "what 3" or "whats 0-9,12". */
void cpuset_say(const char *what, const struct cpumask *set);

#endif
