/* SPDX-License-Identifier: GPL-2.0-or-later
 * Which CPU a task goes to when it wakes, forks or execs (cfs.md 7, the rules of 3.8). */
#include "sched/rq.h"

/* ---- forks and execs: the idlest group, the idlest CPU in it, and down again ---- */

static u64 group_load(struct sched_group *g, bool local, unsigned idx)
{
	u64 load = 0;

	for_each_cpu(cpu, &g->span)
		load += local ? source_load(cpu, idx) : target_load(cpu, idx);
	machine_charge(COST_PLACE, g->weight);
	return load * NICE_0_WEIGHT / g->power;
}

/* NULL: stay in the local group. With all idle a remote group wins, since 0 < 0 does not hold; 3.8 did that too. */
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

static unsigned descend(struct sched_domain *sd, struct task *t, unsigned cpu, u32 flag)
{
	while (sd) {
		unsigned idx = flag == SD_BALANCE_WAKE ? sd->wake_idx : sd->forkexec_idx, to;
		struct sched_group *g = sd->flags & flag ? find_idlest_group(sd, t, cpu, idx) : NULL;

		to = g ? find_idlest_cpu(g, t, cpu) : cpu;
		if (to == cpu || to == MAX_CPUS) {
			sd = sd->child;
			continue;
		}
		cpu = to;
		sd = smaller_domain(cpu, sd->weight, flag);
	}
	return cpu;
}

/* ---- wakeups: the CPU of the waker or the one before, or an idle one that shares its cache ---- */

/* Pull the wakee to this CPU? Not if that would overload it against the previous one. */
bool wake_affine(struct sched_domain *sd, struct task *t, bool sync)
{
	unsigned this_cpu = machine_cpu(), prev = t->cpu;
	u64 load = source_load(prev, sd->wake_idx), this_load = target_load(this_cpu, sd->wake_idx);
	u64 weight = t->se.load.weight, per_task, pct = 100 + (sd->imbalance_pct - 100) / 2;
	u32 running = READ_ONCE(cpu_rq(this_cpu)->nr_running);
	bool balanced;

	per_task = running ? rq_weight(cpu_rq(this_cpu)) / running : 0;
	if (sync) /* the waker says it is about to sleep */
		this_load -= min_u64(this_load, current()->se.load.weight);
	balanced = !this_load || 100 * (u64)cpu_power(prev) * (this_load + weight) <= pct * cpu_power(this_cpu) * load;
	if (sync && balanced)
		return true;
	if (!balanced && (this_load > load || this_load + target_load(prev, sd->wake_idx) > per_task))
		return false;
	sd->move_affine++;
	return true;
}

static bool all_idle(const struct sched_group *g)
{
	machine_charge(COST_PLACE, 1);
	for_each_cpu(cpu, &g->span)
		if (!cpu_is_idle(cpu))
			return false;
	return true;
}

/* The first group with nothing running, nearest domains last: with SMT that is an idle core before an idle thread. */
unsigned select_idle_sibling(struct task *t, unsigned target)
{
	if ((target == machine_cpu() || target == t->cpu) && cpu_is_idle(target))
		return target;
	for (struct sched_domain *sd = llc_domain(target); sd; sd = sd->child) {
		struct sched_group *g = sd->groups;

		do {
			if (mask_intersects(&g->span, &t->allowed) && all_idle(g)) {
				for_each_cpu(cpu, &g->span)
					if (mask_has(&t->allowed, cpu))
						return cpu;
			}
			g = g->next;
		} while (g != sd->groups);
	}
	return target;
}

static unsigned select_wake(struct task *t, unsigned wake_flags)
{
	unsigned this_cpu = machine_cpu(), prev = t->cpu, target = prev;
	bool sync = wake_flags & WAKE_SYNC && !current()->exiting;

	for_each_domain(this_cpu, sd) {
		if (!(sd->flags & SD_LOAD_BALANCE))
			continue;
		if (!mask_has(&t->allowed, this_cpu) || !(sd->flags & SD_WAKE_AFFINE) || !mask_has(&sd->span, prev))
			continue;
		if (this_cpu != prev && wake_affine(sd, t, sync))
			target = this_cpu;
		return select_idle_sibling(t, target);
	}
	return prev;
}

static unsigned select_balance(struct task *t, u32 flag)
{
	struct sched_domain *highest = NULL;

	for_each_domain(machine_cpu(), sd)
		if (sd->flags & SD_LOAD_BALANCE && sd->flags & flag)
			highest = sd;
	return descend(highest, t, machine_cpu(), flag);
}

/* Interrupts are off; t->wakeup_lock is held. The result is in t->allowed. */
unsigned fair_select_cpu(struct task *t, enum select_kind kind, unsigned wake_flags)
{
	unsigned cpu;

	if (t->nr_allowed == 1)
		return mask_has(&t->allowed, t->cpu) ? t->cpu : mask_first(&t->allowed);
	if (power_aware()) {
		cpu = policy_select_cpu(t, kind);
		if (cpu != MAX_CPUS)
			return cpu;
	}
	switch (kind) {
	case SELECT_WAKE:
		cpu = select_wake(t, wake_flags);
		break;
	case SELECT_FORK:
		cpu = select_balance(t, SD_BALANCE_FORK);
		break;
	default:
		cpu = select_balance(t, SD_BALANCE_EXEC);
	}
	return mask_has(&t->allowed, cpu) ? cpu : mask_first(&t->allowed);
}
