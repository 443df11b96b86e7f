/* SPDX-License-Identifier: GPL-2.0-or-later
 * Sched domains: for each CPU a chain of ever larger spans, each divided into groups between which load is balanced (cfs.md 4).
 * Levels and parameters are those of 3.8 on x86.
 */
#include "sched/rq.h"

#include "base/mem.h"
#include "base/text.h"

static const struct topology *topo;

/* ---- levels ---- */

enum level_kind { LEVEL_SMT, LEVEL_MC, LEVEL_CPU, LEVEL_NUMA };

struct level {
	enum level_kind kind;
	u8 distance; /* of LEVEL_NUMA: nodes up to here belong to the span */
};

enum { MAX_LEVELS = 3 + 8, RECLAIM_DISTANCE = 30, SMT_GAIN = 1178, CPU_POWER = 1024 };

static bool together(const struct level *l, unsigned a, unsigned b)
{
	const struct cpu_place *x = &topo->cpu[a], *y = &topo->cpu[b];

	switch (l->kind) {
	case LEVEL_SMT:
		return x->core == y->core;
	case LEVEL_MC:
		return x->llc == y->llc;
	case LEVEL_CPU:
		return x->node == y->node;
	default:
		return topo->distance[x->node][y->node] <= l->distance;
	}
}

/* One level per distinct distance beyond the local one in the first row of the table, ascending: 3.8 looks at that row only. */
static unsigned numa_levels(struct level *level, unsigned most)
{
	unsigned nr = 0;
	u8 previous = topo->distance[0][0];

	while (nr < most) {
		unsigned best = 256;

		for (unsigned n = 0; n < topo->nr_nodes; n++)
			if (topo->distance[0][n] > previous && topo->distance[0][n] < best)
				best = topo->distance[0][n];
		if (best == 256)
			break;
		previous = (u8)best;
		level[nr++] = (struct level){ LEVEL_NUMA, previous };
	}
	return nr;
}

enum {
	BALANCE_ALWAYS = SD_LOAD_BALANCE | SD_BALANCE_NEWIDLE,
	PLACE = SD_BALANCE_EXEC | SD_BALANCE_FORK | SD_WAKE_AFFINE,
};

static void set_parameters(struct sched_domain *sd, const struct level *l)
{
	sd->flags = BALANCE_ALWAYS | PLACE;
	sd->min_interval = 1;
	sd->max_interval = 4;
	sd->busy_factor = 64;
	sd->imbalance_pct = 125;
	sd->cache_nice_tries = 1;
	sd->busy_idx = 2;
	switch (l->kind) {
	case LEVEL_SMT:
		sd->name = "SIBLING";
		sd->flags |= SD_SHARE_CPUPOWER | SD_SHARE_PKG_RESOURCES;
		sd->max_interval = 2;
		sd->imbalance_pct = 110;
		sd->cache_nice_tries = 0;
		sd->busy_idx = 0;
		break;
	case LEVEL_MC:
		sd->name = "MC";
		sd->flags |= SD_SHARE_PKG_RESOURCES;
		break;
	case LEVEL_CPU:
		sd->name = "CPU";
		sd->flags |= SD_PREFER_SIBLING;
		sd->idle_idx = 1;
		break;
	case LEVEL_NUMA:
		sd->name = "NUMA";
		sd->flags |= SD_SERIALIZE | SD_OVERLAP;
		if (l->distance > RECLAIM_DISTANCE)
			sd->flags &= ~(u32)PLACE;
		sd->min_interval = sd->weight;
		sd->max_interval = 2 * sd->weight;
		sd->busy_factor = 32;
		sd->cache_nice_tries = 2;
		sd->busy_idx = 3;
		sd->idle_idx = 2;
		break;
	}
	sd->balance_interval = sd->min_interval;
}

/* ---- groups ---- */

static u32 thread_power(unsigned cpu)
{
	unsigned threads = 0;

	for (unsigned i = 0; i < topo->nr_cpus; i++)
		threads += topo->cpu[i].core == topo->cpu[cpu].core;
	return threads > 1 ? SMT_GAIN / threads : CPU_POWER;
}

u32 cpu_power(unsigned cpu)
{
	return cpu_rq(cpu)->power;
}

static u32 mask_power(const struct cpumask *span)
{
	u32 power = 0;

	for_each_cpu(cpu, span)
		power += cpu_power(cpu);
	return power;
}

static struct sched_group *group_new(struct sched_group *previous, const struct cpumask *span)
{
	struct sched_group *g = mem_alloc_forever(sizeof(*g));

	if (!g)
		return NULL;
	g->span = *span;
	g->weight = mask_weight(span);
	g->power = g->power_orig = mask_power(span);
	if (previous) {
		g->next = previous->next;
		previous->next = g;
	} else {
		g->next = g;
	}
	return g;
}

static void child_span(unsigned cpu, const struct level *below, struct cpumask *span)
{
	mask_clear(span);
	mask_set(span, cpu);
	for (unsigned i = 0; below && i < topo->nr_cpus; i++)
		if (together(below, cpu, i))
			mask_set(span, i);
}

/*
 * The ring for one span, by ascending CPU; each group is what the level below spans from its first CPU. Where spans overlap (NUMA)
 * every CPU gets a ring of its own, but all start the scan at the lowest CPU, as 3.8 does.
 */
static struct sched_group *groups_build(const struct cpumask *span, const struct level *below)
{
	struct sched_group *first = NULL, *last = NULL;
	struct cpumask covered;

	mask_clear(&covered);
	for_each_cpu(cpu, span) {
		struct cpumask group;

		if (mask_has(&covered, cpu))
			continue;
		child_span(cpu, below, &group);
		mask_or(&covered, &group);
		last = group_new(last, &group);
		if (!last)
			return NULL;
		if (!first)
			first = last;
	}
	return first;
}

/* The CPU that acts for a group in which none is idle. */
unsigned group_balance_cpu(const struct sched_group *g)
{
	return mask_first(&g->span);
}

/* The CPU's own group: the first in the ring that holds it, unless it acts for a later one (only overlapping groups leave a
 * choice). */
static struct sched_group *group_of(struct sched_group *ring, unsigned cpu)
{
	struct sched_group *g = ring, *own = NULL;

	do {
		if (mask_has(&g->span, cpu) && (!own || group_balance_cpu(g) == cpu))
			own = g;
		g = g->next;
	} while (g != ring);
	return own;
}

/* CPUs with the same span of the same level share a ring, entering it at their own group. */
static struct sched_group *ring_for(
	unsigned cpu, struct sched_domain *sd, unsigned depth, struct sched_domain *(*made)[MAX_LEVELS], const struct level *below)
{
	unsigned first = mask_first(&sd->span);

	if (!(sd->flags & SD_OVERLAP) && first < cpu && made[first][depth])
		return made[first][depth]->groups;
	return groups_build(&sd->span, below);
}

/* ---- degeneration ---- */

enum {
	NEEDS_GROUPS = SD_LOAD_BALANCE | SD_BALANCE_NEWIDLE | SD_BALANCE_FORK | SD_BALANCE_EXEC | SD_SHARE_CPUPOWER |
		       SD_SHARE_PKG_RESOURCES
};

static bool is_useless(const struct sched_domain *sd)
{
	if (sd->weight == 1)
		return true;
	if (sd->flags & NEEDS_GROUPS && sd->groups != sd->groups->next)
		return false;
	return !(sd->flags & SD_WAKE_AFFINE);
}

static bool adds_nothing(const struct sched_domain *parent, const struct sched_domain *child)
{
	u32 flags = parent->flags;

	if (is_useless(parent))
		return true;
	if (!mask_equal(&parent->span, &child->span))
		return false;
	if (parent->groups == parent->groups->next) {
		flags &= ~(u32)NEEDS_GROUPS;
		if (topo->nr_nodes == 1)
			flags &= ~(u32)SD_SERIALIZE;
	}
	return !(flags & ~child->flags);
}

static struct sched_domain *prune(struct sched_domain *sd)
{
	for (struct sched_domain *d = sd; d && d->parent;) {
		if (!adds_nothing(d->parent, d)) {
			d = d->parent;
			continue;
		}
		d->parent = d->parent->parent;
		if (d->parent)
			d->parent->child = d;
	}
	if (sd && is_useless(sd)) {
		sd = sd->parent;
		if (sd)
			sd->child = NULL;
	}
	return sd;
}

/* ---- building ---- */

static struct sched_domain *domain_new(unsigned cpu, const struct level *l)
{
	struct sched_domain *sd = mem_alloc_forever(sizeof(*sd));

	if (!sd)
		return NULL;
	child_span(cpu, l, &sd->span);
	sd->weight = mask_weight(&sd->span);
	set_parameters(sd, l);
	return sd;
}

static int build_cpu(unsigned cpu, const struct level *level, unsigned nr, struct sched_domain *(*made)[MAX_LEVELS])
{
	struct sched_domain *child = NULL;

	for (unsigned i = 0; i < nr; i++) {
		struct sched_domain *sd = domain_new(cpu, &level[i]);
		const struct level *below = i ? &level[i - 1] : NULL;
		struct sched_group *ring;

		if (!sd)
			return -E_NOMEM;
		ring = ring_for(cpu, sd, i, made, below);
		if (!ring)
			return -E_NOMEM;
		sd->groups = group_of(ring, cpu);
		sd->child = child;
		if (child)
			child->parent = sd;
		made[cpu][i] = child = sd;
	}
	cpu_rq(cpu)->sd = prune(made[cpu][0]);
	return 0;
}

int domains_build(const struct topology *topology)
{
	static struct sched_domain *made[MAX_CPUS][MAX_LEVELS];
	struct level level[MAX_LEVELS] = { { LEVEL_SMT, 0 }, { LEVEL_MC, 0 }, { LEVEL_CPU, 0 } };
	unsigned nr;

	topo = topology;
	memset(made, 0, sizeof(made));
	nr = 3 + numa_levels(level + 3, MAX_LEVELS - 3);
	for (unsigned cpu = 0; cpu < topo->nr_cpus; cpu++)
		cpu_rq(cpu)->power = cpu_rq(cpu)->power_orig = thread_power(cpu);
	for (unsigned cpu = 0; cpu < topo->nr_cpus; cpu++) {
		int err = build_cpu(cpu, level, nr, made);

		if (err)
			return err;
	}
	for (unsigned cpu = 0; cpu < topo->nr_cpus; cpu++) {
		struct sched_domain *llc = llc_domain(cpu);

		cpu_rq(cpu)->llc_id = llc ? mask_first(&llc->span) : cpu;
	}
	return 0;
}

void domains_reset(unsigned cpu)
{
	for_each_domain(cpu, sd) {
		sd->flags &= ~(u32)SD_BALANCE_NEWIDLE;
		if (knob.newidle != NEWIDLE_OFF)
			sd->flags |= SD_BALANCE_NEWIDLE;
		sd->balance_interval = sd->min_interval;
		sd->nr_balance_failed = 0;
		sd->last_balance = tick_now();
		sd->max_newidle_lb_cost = 0;
		sd->next_decay = tick_now();
	}
}

struct sched_domain *llc_domain(unsigned cpu)
{
	struct sched_domain *highest = NULL;

	for_each_domain(cpu, sd)
		if (sd->flags & SD_SHARE_PKG_RESOURCES)
			highest = sd;
	return highest;
}

unsigned llc_id(unsigned cpu)
{
	return cpu_rq(cpu)->llc_id;
}

/* ---- showing ---- */

/* CPU 0's chain stands for all: "SIBLING 2, MC 8 (4 groups of 2)". */
void sched_say_domains(void)
{
	if (!cpu_rq(0)->sd)
		say("Sched domains: none, there is one CPU\n");
	for_each_domain(0, sd) {
		unsigned groups = 1;

		for (struct sched_group *g = sd->groups->next; g != sd->groups; g = g->next)
			groups++;
		say("Sched domain of CPU 0: %-7s spans %u CPUs in %u group%s of %u, flags 0x%x\n", sd->name, sd->weight, groups,
			groups == 1 ? "" : "s", sd->groups->weight, sd->flags);
	}
}
