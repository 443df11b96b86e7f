/* SPDX-License-Identifier: GPL-2.0-or-later
 * How sched domains are made: what domain.c, level.c and group.c share. */
#ifndef SCHED_DOMAIN_H
#define SCHED_DOMAIN_H

#include "base/arena.h"
#include "sched/rq.h"

enum { MAX_LEVELS = 3 + 8 };

struct level {
	u8 kind;     /* enum level_kind */
	u8 distance; /* of LEVEL_NUMA: nodes up to here belong to the span */
	int below;   /* index of the level whose spans are the groups; -1: each CPU is one */
};

/* A CPU's domains at all levels, before those that add nothing are removed. */
struct chain {
	struct sched_domain *at[MAX_LEVELS];
	struct sched_group *ring[MAX_LEVELS]; /* the group made first; the domain's own is another one of the ring */
};

/* ---- level.c ---- */

/* The levels that the knobs give that machine, from the bottom up; returns how many. */
unsigned levels_list(const struct topology *topo, struct level level[MAX_LEVELS]);
void level_span(const struct level *l, const struct topology *topo, unsigned cpu, struct cpumask *span);
/* Flags and parameters of a domain whose span is set. */
void level_describe(const struct level *l, struct sched_domain *sd);
/* Set the flags that change without a rebuild: of balancing when newly idle and on wakeups. */
void level_switch_flags(struct sched_domain *sd);

/* ---- group.c ---- */

/* Give that CPU's domain of that level its ring; all CPUs have their spans, and the CPUs before it their rings. 0, -E_NOMEM. */
int groups_build(struct arena *a, struct chain *chain, unsigned cpu, unsigned depth, const struct level *l);

static inline bool is_alone(const struct sched_group *g)
{
	return g->next == g;
}

#endif
