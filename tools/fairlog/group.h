/* SPDX-License-Identifier: GPL-2.0-or-later
 * The runs of a boot, sorted by workload and variant. */
#ifndef FAIRLOG_GROUP_H
#define FAIRLOG_GROUP_H

#include "tools/fairlog/boot.h"

/* The runs of one workload under one variant. */
struct group {
	const char *workload, *variant;
	const char *with;  /* " (with cyclictest -t 2)", or empty: behind the workload's name */
	struct run **runs; /* measured and ok: those that count */
	size_t count;
	size_t warmups, failed;	   /* left out */
	const char *first_failure; /* status of the first failed one */
};

/* Workloads and variants come in the order of the plan, then those that it does not name, as they appear. A combination of the
 * plan that has no runs is there too, empty. All strings belong to the boot. */
struct groups {
	struct group *group;
	size_t count;
	char *with;
	uint64_t planned_runs; /* of each group; 0 if there is no plan record */
};

struct groups groups_make(const struct boot *boot);
void groups_free(struct groups *groups);

/* How many groups from the first one on have its workload. */
size_t groups_same_workload(const struct group *first, const struct groups *groups);

#endif
