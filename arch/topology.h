/* SPDX-License-Identifier: GPL-2.0-or-later
 * What the scheduler may know of the machine's shape. Every machine fills one of these. */
#ifndef ARCH_TOPOLOGY_H
#define ARCH_TOPOLOGY_H

#include "base/types.h"

/* Where one CPU sits. Numbers are dense, start at 0 and are unique over the whole machine; only `thread` counts within its core. */
struct cpu_place {
	u16 node;
	u16 package;
	u16 llc; /* CPUs with the same number share their last-level cache */
	u16 core;
	u16 thread;
};

struct topology {
	unsigned nr_cpus, nr_nodes, nr_packages, nr_llcs, nr_cores;
	struct cpu_place cpu[MAX_CPUS];
	u8 distance[MAX_NODES][MAX_NODES]; /* ACPI SLIT units: 10 is local */
};

/* How far two CPUs are apart, as a task feels it that moves from one to the other. */
enum { DISTANCE_CORE, DISTANCE_CACHE, DISTANCE_NODE, DISTANCE_FAR, NR_DISTANCES };

static inline unsigned place_distance(const struct cpu_place *a, const struct cpu_place *b)
{
	if (a->core == b->core)
		return DISTANCE_CORE;
	if (a->llc == b->llc)
		return DISTANCE_CACHE;
	return a->node == b->node ? DISTANCE_NODE : DISTANCE_FAR;
}

#endif
