/* SPDX-License-Identifier: GPL-2.0-or-later
 * The groups of a sched domain: the spans of the level below, in a ring (cfs.md 4.1, 4.6). */
#include "sched/domain.h"

/* The CPU that acts for a group in which none is idle. */
unsigned group_balance_cpu(const struct sched_group *g)
{
	return mask_first(&g->balance);
}

static u32 nominal_power(const struct cpumask *span)
{
	u32 power = 0;

	for_each_cpu(cpu, span)
		power += cpu_rq(cpu)->power_orig;
	return power;
}

/* A group of overlapping ones may reach beyond the domain; who is not in that does not balance for it. */
static struct sched_group *group_new(struct arena *a, const struct cpumask *span, const struct cpumask *domain)
{
	struct sched_group *g = arena_alloc(a, sizeof(*g));

	if (!g)
		return NULL;
	g->span = *span;
	g->balance = *span;
	mask_and(&g->balance, domain);
	g->first = mask_first(span);
	g->weight = mask_weight(span);
	g->power = g->power_orig = nominal_power(span);
	return g;
}

static void group_span(const struct chain *chain, unsigned cpu, int below, struct cpumask *span)
{
	if (below >= 0) {
		*span = chain[cpu].at[below]->span;
		return;
	}
	mask_clear(span);
	mask_set(span, cpu);
}

static bool starts_at_own_cpu(const struct sched_domain *sd)
{
	return sd->flags & SD_OVERLAP && knob.group_build != GROUP_BUILD_FIRST_CPU;
}

/* 4.13: a CPU acts only for the group that is its own, else nobody may be left to act for a node: it would wait for an idle CPU of
 * another one, which sees other groups. */
static void leave_to_owners(struct sched_group *g, const struct chain *chain, int below)
{
	for_each_cpu(cpu, &g->span) {
		struct cpumask own;

		group_span(chain, cpu, below, &own);
		if (!mask_equal(&own, &g->span))
			mask_unset(&g->balance, cpu);
	}
}

static struct sched_group *ring_add(
	struct arena *a, struct sched_group *last, const struct cpumask *span, const struct cpumask *domain)
{
	struct sched_group *g = group_new(a, span, domain);

	if (!g)
		return NULL;
	g->next = last ? last->next : g;
	if (last)
		last->next = g;
	return g;
}

static unsigned next_around(const struct cpumask *span, unsigned cpu)
{
	unsigned next = mask_next(span, cpu + 1);

	return next < MAX_CPUS ? next : mask_first(span);
}

/*
 * Each CPU not yet covered adds the span it has in the level below. 3.8 begins at the lowest CPU for every domain, so that where
 * spans overlap all nodes see the groups of the first; the authors of "A Decade of Wasted Cores" begin at the CPU whose domain it
 * is. Returns the group made first.
 */
static struct sched_group *ring_new(
	struct arena *a, const struct chain *chain, unsigned cpu, const struct sched_domain *sd, int below)
{
	unsigned start = starts_at_own_cpu(sd) ? cpu : mask_first(&sd->span), i = start;
	struct sched_group *last = NULL;
	struct cpumask covered, group;

	mask_clear(&covered);
	do {
		if (!mask_has(&covered, i)) {
			group_span(chain, i, below, &group);
			mask_or(&covered, &group);
			last = ring_add(a, last, &group, &sd->span);
			if (!last)
				return NULL;
			if (knob.group_build == GROUP_BUILD_OWN_MASK)
				leave_to_owners(last, chain, below);
		}
		i = next_around(&sd->span, i);
	} while (i != start);
	return last->next;
}

/* CPUs that have the same span and begin at the same place share a ring. */
static struct sched_group *shared_ring(const struct chain *chain, unsigned cpu, unsigned depth)
{
	const struct sched_domain *sd = chain[cpu].at[depth];

	if (starts_at_own_cpu(sd))
		return NULL;
	for (unsigned i = mask_first(&sd->span); i < cpu; i = mask_next(&sd->span, i + 1))
		if (mask_equal(&chain[i].at[depth]->span, &sd->span))
			return chain[i].ring[depth];
	return NULL;
}

/* The CPU's own: the first that holds it, unless it acts for another one (only overlapping groups leave a choice). */
static struct sched_group *own_group(struct sched_group *first, unsigned cpu)
{
	struct sched_group *g = first, *own = NULL;

	do {
		if (mask_has(&g->span, cpu) && (!own || group_balance_cpu(g) == cpu))
			own = g;
		g = g->next;
	} while (g != first);
	return own;
}

int groups_build(struct arena *a, struct chain *chain, unsigned cpu, unsigned depth, const struct level *l)
{
	struct sched_domain *sd = chain[cpu].at[depth];
	struct sched_group *ring = shared_ring(chain, cpu, depth);

	if (!ring)
		ring = ring_new(a, chain, cpu, sd, l->below);
	if (!ring)
		return -E_NOMEM;
	chain[cpu].ring[depth] = ring;
	sd->groups = own_group(ring, cpu);
	return 0;
}
