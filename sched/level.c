/* SPDX-License-Identifier: GPL-2.0-or-later
 * The levels of sched domains: what each spans, its parameters and its flags (cfs.md 4.2, 4.3, 4.6). */
#include "sched/domain.h"

enum { RECLAIM_DISTANCE = 30, NEAREST_NODES = 16 };

static_assert(MAX_NODES <= 64, "a set of nodes is one word");

/* ---- which ---- */

/* The least distance above `previous` in the first row of the table, the only one that 3.8 looks at; 256: there is none. */
static unsigned next_distance(const struct topology *topo, unsigned previous)
{
	unsigned best = 256;

	for (unsigned n = 0; n < topo->nr_nodes; n++)
		if (topo->distance[0][n] > previous && topo->distance[0][n] < best)
			best = topo->distance[0][n];
	return best;
}

/* 3.8: one level per distance beyond the local one. */
static unsigned list_distances(const struct topology *topo, struct level *level, unsigned nr)
{
	unsigned distance = topo->distance[0][0];

	while (nr < MAX_LEVELS && (distance = next_distance(topo, distance)) < 256) {
		level[nr] = (struct level){ LEVEL_NUMA, (u8)distance, (int)nr - 1 };
		nr++;
	}
	return nr;
}

/* 2.6.32: the nearest nodes, and all if those are not. The groups of both are nodes. */
static unsigned list_nearest(const struct topology *topo, struct level *level, unsigned nr)
{
	level[nr++] = (struct level){ .kind = LEVEL_NODE, .below = LEVEL_CPU };
	if (topo->nr_nodes > NEAREST_NODES)
		level[nr++] = (struct level){ .kind = LEVEL_ALLNODES, .below = LEVEL_CPU };
	return nr;
}

unsigned levels_list(const struct topology *topo, struct level level[MAX_LEVELS])
{
	enum { NR_LOCAL = LEVEL_CPU + 1 };

	for (int i = 0; i < NR_LOCAL; i++)
		level[i] = (struct level){ .kind = (u8)i, .below = i - 1 };
	if (knob.numa_levels == NUMA_LEVELS_DISTANCE)
		return list_distances(topo, level, NR_LOCAL);
	if (knob.numa_levels == NUMA_LEVELS_NEAREST)
		return list_nearest(topo, level, NR_LOCAL);
	return NR_LOCAL;
}

/* ---- spans ---- */

/* The nearest node not yet chosen; of equals the first from the own node on, so that not all nodes choose the same. */
static unsigned nearest_other(const struct topology *topo, unsigned node, u64 chosen)
{
	unsigned best = node, least = 256;

	for (unsigned i = 1; i < topo->nr_nodes; i++) {
		unsigned n = (node + i) % topo->nr_nodes;

		if (!(chosen >> n & 1) && topo->distance[node][n] < least) {
			least = topo->distance[node][n];
			best = n;
		}
	}
	return best;
}

static u64 nearest_nodes(const struct topology *topo, unsigned node)
{
	u64 chosen = 1ull << node;

	for (unsigned n = 1; n < NEAREST_NODES && n < topo->nr_nodes; n++)
		chosen |= 1ull << nearest_other(topo, node, chosen);
	return chosen;
}

static u64 nodes_within(const struct topology *topo, unsigned node, u8 distance)
{
	u64 nodes = 0;

	for (unsigned n = 0; n < topo->nr_nodes; n++)
		if (topo->distance[node][n] <= distance)
			nodes |= 1ull << n;
	return nodes;
}

static u64 level_nodes(const struct level *l, const struct topology *topo, unsigned node)
{
	switch (l->kind) {
	case LEVEL_NODE:
		return nearest_nodes(topo, node);
	case LEVEL_ALLNODES:
		return ~0ull;
	case LEVEL_NUMA:
		return nodes_within(topo, node, l->distance);
	default:
		return 1ull << node;
	}
}

void level_span(const struct level *l, const struct topology *topo, unsigned cpu, struct cpumask *span)
{
	const struct cpu_place *own = &topo->cpu[cpu], *p = topo->cpu;
	u64 nodes = level_nodes(l, topo, own->node);

	mask_clear(span);
	for (unsigned i = 0; i < topo->nr_cpus; i++, p++) {
		bool together = nodes >> p->node & 1;

		if (l->kind == LEVEL_SMT)
			together = p->core == own->core;
		else if (l->kind == LEVEL_MC)
			together = p->llc == own->llc;
		if (together)
			mask_set(span, i);
	}
}

/* ---- parameters and flags ---- */

enum {
	BALANCE = SD_LOAD_BALANCE | SD_BALANCE_NEWIDLE,
	PLACE = SD_BALANCE_EXEC | SD_BALANCE_FORK | SD_WAKE_AFFINE,
	SWITCHED = SD_BALANCE_NEWIDLE | SD_BALANCE_WAKE,
};

/* Intervals are in ms: of NUMA for each CPU it spans, and so the longest of ALLNODES. */
static const struct parameters {
	const char *name;
	u32 flags, first_interval, min_interval, max_interval, busy_factor, imbalance_pct, cache_nice_tries, busy_idx, idle_idx;
} parameters[] = {
	[LEVEL_SMT] = { "SIBLING", BALANCE | PLACE | SD_SHARE_CPUPOWER, 1, 1, 2, 64, 110, 0, 0, 0 },
	[LEVEL_MC] = { "MC", BALANCE | PLACE | SD_SHARE_PKG_RESOURCES, 1, 1, 4, 64, 125, 1, 2, 0 },
	[LEVEL_CPU] = { "CPU", BALANCE | PLACE | SD_PREFER_SIBLING, 1, 1, 4, 64, 125, 1, 2, 1 },
	[LEVEL_NODE] = { "NODE", BALANCE | PLACE | SD_SERIALIZE, 1, 8, 32, 32, 125, 2, 3, 2 },
	[LEVEL_ALLNODES] = { "ALLNODES", BALANCE | SD_SERIALIZE, 64, 64, 64, 128, 133, 1, 3, 3 },
	[LEVEL_NUMA] = { "NUMA", BALANCE | SD_SERIALIZE | SD_OVERLAP, 1, 1, 2, 32, 125, 2, 3, 2 },
};

static u32 prefer_local(unsigned where)
{
	return knob.prefer_local == where ? SD_PREFER_LOCAL : 0;
}

static u32 flags_of_knobs(const struct level *l)
{
	switch (l->kind) {
	case LEVEL_SMT:
		return knob.smt_shares_pkg == ON ? SD_SHARE_PKG_RESOURCES : 0;
	case LEVEL_MC:
		return prefer_local(PREFER_LOCAL_MC_CPU) | (knob.mc_prefer_sibling == ON ? SD_PREFER_SIBLING : 0);
	case LEVEL_CPU:
		return prefer_local(PREFER_LOCAL_MC_CPU);
	case LEVEL_NODE:
		return prefer_local(PREFER_LOCAL_NODE);
	case LEVEL_NUMA:
		return prefer_local(PREFER_LOCAL_NODE) | (l->distance <= RECLAIM_DISTANCE ? PLACE : 0);
	default:
		return 0;
	}
}

static void stretch_intervals(struct sched_domain *sd)
{
	if (sd->kind == LEVEL_NUMA) {
		sd->first_interval *= sd->weight;
		sd->min_interval *= sd->weight;
		sd->max_interval *= sd->weight;
	} else if (sd->kind == LEVEL_ALLNODES) {
		sd->max_interval *= sd->weight;
	}
}

void level_describe(const struct level *l, struct sched_domain *sd)
{
	const struct parameters *p = &parameters[l->kind];

	sd->name = p->name;
	sd->kind = l->kind;
	sd->flags = p->flags | flags_of_knobs(l) | (knob.FORCE_SD_OVERLAP ? SD_OVERLAP : 0);
	sd->first_interval = p->first_interval;
	sd->min_interval = p->min_interval;
	sd->max_interval = p->max_interval;
	sd->busy_factor = p->busy_factor;
	sd->imbalance_pct = p->imbalance_pct;
	sd->cache_nice_tries = p->cache_nice_tries;
	sd->busy_idx = p->busy_idx;
	sd->idle_idx = p->idle_idx;
	stretch_intervals(sd);
}

/* ---- flags that are switched ---- */

static bool newidle_at(unsigned kind)
{
	const u8 at[] = {
		[LEVEL_SMT] = knob.newidle_smt,
		[LEVEL_MC] = knob.newidle_mc,
		[LEVEL_CPU] = knob.newidle_cpu,
		[LEVEL_NODE] = knob.newidle_node,
		[LEVEL_ALLNODES] = knob.newidle_node,
		[LEVEL_NUMA] = knob.newidle_node,
	};

	return knob.newidle != NEWIDLE_OFF && at[kind] == ON;
}

/* relax_domain_level is of the boot and gives both flags or none; newidle, as through /proc later, only takes. */
void level_switch_flags(struct sched_domain *sd)
{
	u32 flags = SD_BALANCE_NEWIDLE;

	if (knob.relax_domain_level != RELAX_NONE)
		flags = sd->level <= knob.relax_domain_level - RELAX_0 ? SWITCHED : 0;
	if (!newidle_at(sd->kind))
		flags &= ~(u32)SD_BALANCE_NEWIDLE;
	sd->flags = (sd->flags & ~(u32)SWITCHED) | flags;
}
