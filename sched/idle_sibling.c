/* SPDX-License-Identifier: GPL-2.0-or-later
 * An idle CPU for a wakee: near the one chosen for it (3.8, 3.9; cfs.md 7.6), or anywhere (Wasted Cores; 13.3). */
#include "sched/rq.h"

static bool all_idle(const struct sched_group *g)
{
	machine_charge(COST_PLACE, 1);
	for_each_cpu(cpu, &g->span)
		if (!cpu_is_idle(cpu))
			return false;
	return true;
}

static unsigned first_common(const struct cpumask *a, const struct cpumask *b)
{
	for_each_cpu(cpu, a)
		if (mask_has(b, cpu))
			return cpu;
	return MAX_CPUS;
}

/* The first group with nothing running, nearest domains last: with SMT that is an idle core before an idle thread. */
static unsigned search_cache(struct task *t, unsigned target)
{
	for (struct sched_domain *sd = llc_domain(target); sd; sd = sd->child) {
		struct sched_group *g = sd->groups;

		do {
			if (mask_intersects(&g->span, &t->allowed) && all_idle(g))
				return placed(first_common(&g->span, &t->allowed), PLACE_idle_sibling);
			g = g->next;
		} while (g != sd->groups);
	}
	return placed(target, target == t->cpu ? PLACE_previous : PLACE_here);
}

/* target: this CPU or the wakee's last. 3.8 takes the first idle core around it, so that a pair of tasks wanders over the package;
 * 3.9 goes back to an idle last CPU first. */
unsigned select_idle_sibling(struct task *t, unsigned target)
{
	unsigned prev = t->cpu;

	if ((target == machine_cpu() || target == prev) && cpu_is_idle(target))
		return placed(target, target == prev ? PLACE_previous_idle : PLACE_here_idle);
	if (knob.wake_select == WAKE_SELECT_PREVIOUS_IDLE && llc_id(prev) == llc_id(target) && cpu_is_idle(prev))
		return placed(prev, PLACE_previous_idle);
	return search_cache(t, target);
}

/* The last CPU if it is idle, else the one that has been idle longest in the whole machine; MAX_CPUS: none is. */
unsigned select_longest_idle(struct task *t)
{
	unsigned longest = MAX_CPUS;
	u64 earliest = ~0ull;

	if (mask_has(&t->allowed, t->cpu) && cpu_is_idle(t->cpu))
		return placed(t->cpu, PLACE_previous_idle);
	machine_charge(COST_PLACE, t->nr_allowed);
	for_each_cpu(cpu, &t->allowed) {
		u64 since = READ_ONCE(cpu_rq(cpu)->idle_since);

		if (since < earliest && cpu_is_idle(cpu)) {
			earliest = since;
			longest = cpu;
		}
	}
	return placed(longest, PLACE_longest_idle);
}
