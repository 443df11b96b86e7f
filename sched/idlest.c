/* SPDX-License-Identifier: GPL-2.0-or-later
 * Where a fork or exec goes: the idlest group, the idlest CPU in it, and down again (cfs.md 7.4, the same in 2.6.32 and 3.8). */
#include "sched/rq.h"

static u64 group_load(struct sched_group *g, bool local, unsigned idx)
{
	u64 load = 0;

	for_each_cpu(cpu, &g->span)
		load += local ? source_load(cpu, idx) : target_load(cpu, idx);
	machine_charge(COST_PLACE, g->weight);
	return load * NICE_0_WEIGHT / g->power;
}

/* NULL: stay in the local group. With all idle a remote group wins, since 0 < 0 does not hold; Linux did that too. */
static struct sched_group *find_idlest_group(struct sched_domain *sd, struct task *t, unsigned cpu, unsigned idx)
{
	struct sched_group *g = sd->groups, *idlest = NULL;
	u64 this_load = 0, least = ~0ull;

	do {
		bool local = mask_has(&g->span, cpu);
		u64 load;

		if (mask_intersects(&g->span, &t->allowed)) {
			load = group_load(g, local, idx);
			if (local) {
				this_load = load;
			} else if (load < least) {
				least = load;
				idlest = g;
			}
		}
		g = g->next;
	} while (g != sd->groups);
	if (!idlest || 100 * this_load < (100 + (sd->imbalance_pct - 100) / 2) * least)
		return NULL;
	return idlest;
}

/* Ties go to the earlier CPU, unless the later is this one. MAX_CPUS: t may be on none of them. */
unsigned find_idlest_cpu(struct sched_group *g, struct task *t, unsigned this_cpu)
{
	u64 least = ~0ull;
	unsigned idlest = MAX_CPUS;

	for_each_cpu(cpu, &g->span) {
		u64 load = rq_weight(cpu_rq(cpu));

		if (!mask_has(&t->allowed, cpu))
			continue;
		if (load < least || (load == least && cpu == this_cpu)) {
			least = load;
			idlest = cpu;
		}
	}
	return idlest;
}

/* The highest domain of that CPU which is smaller than `weight` CPUs and has the flag. */
static struct sched_domain *smaller_domain(unsigned cpu, u32 weight, u32 flag)
{
	struct sched_domain *found = NULL;

	for_each_domain(cpu, sd) {
		if (sd->weight >= weight)
			break;
		if (sd->flags & flag)
			found = sd;
	}
	return found;
}

/* From sd, a domain of `cpu` or NULL, down through those that have the flag; `stay` if no group is better than where we are. */
unsigned select_idlest(struct sched_domain *sd, struct task *t, unsigned cpu, unsigned stay, u32 flag)
{
	unsigned found = stay;

	while (sd) {
		unsigned idx = flag == SD_BALANCE_WAKE ? sd->wake_idx : sd->forkexec_idx;
		struct sched_group *g = sd->flags & flag ? find_idlest_group(sd, t, cpu, idx) : NULL;

		if (g)
			found = find_idlest_cpu(g, t, cpu);
		if (!g || found == cpu) {
			sd = sd->child;
			continue;
		}
		cpu = found;
		sd = smaller_domain(cpu, sd->weight, flag);
	}
	return placed(found, found != stay ? PLACE_idlest : flag == SD_BALANCE_WAKE ? PLACE_previous : PLACE_parent);
}
