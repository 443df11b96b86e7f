/* SPDX-License-Identifier: GPL-2.0-or-later
 * Where the power policies put a task that wakes, forks or execs: into the fullest group that has room (cfs.md 9.3). */
#include "sched/rq.h"

/* What of that group is still to be filled. `balance` gives each task a core of its own, so less than a whole CPU is no room. */
static u64 group_room(u64 util, u64 threshold)
{
	u64 least = knob.policy == SCHED_POLICY_BALANCE ? CPU_FULL : 1;

	return util + least <= threshold ? threshold - util : 0;
}

static u64 group_util(const struct sched_group *g, bool waking)
{
	u64 util = 0;

	for_each_cpu(cpu, &g->span)
		util += cpu_util(cpu, waking);
	machine_charge(COST_PLACE, g->weight);
	return util;
}

/* The group with the least room, of those that have any; the local one first. NULL: none, or t would fill the domain. As in v7 it
 * is not asked whether t may go there. */
static struct sched_group *find_leader(struct sched_domain *sd, const struct task *t, bool waking)
{
	struct sched_group *g = sd->groups, *leader = NULL;
	u64 least = ~0ull, util_sum = 0;
	u32 power = 0;

	do {
		u64 util = group_util(g, waking), room = group_room(util, policy_threshold(sd, g->weight, g->power));

		util_sum += util;
		power += g->power;
		if (room && room < least) {
			least = room;
			leader = g;
		}
		g = g->next;
	} while (g != sd->groups);
	return util_sum + task_util(t) < policy_threshold(sd, sd->weight, power) ? leader : NULL;
}

/* What a light task, below a quarter of a CPU, leaves of that CPU if counted four times. Not above 0: it is not light enough. */
static s64 vacancy(unsigned cpu, const struct task *t)
{
	return (s64)CPU_FULL - (s64)cpu_util(cpu, true) - 4 * (s64)task_util(t);
}

/* Light wakees pack: on this CPU, else on the fullest of the leader that can still take it. MAX_CPUS: nowhere. */
static unsigned find_leader_cpu(const struct sched_group *g, const struct task *t)
{
	unsigned this_cpu = machine_cpu(), best = MAX_CPUS;
	s64 least = INT64_MAX;

	if (mask_has(&t->allowed, this_cpu) && vacancy(this_cpu, t) > 0)
		return this_cpu;
	for_each_cpu(cpu, &g->span) {
		s64 v = vacancy(cpu, t);

		if (cpu == this_cpu || !mask_has(&t->allowed, cpu) || v <= 0 || v >= least)
			continue;
		least = v;
		best = cpu;
	}
	return best;
}

static unsigned select_in(struct sched_domain *sd, struct task *t, enum select_kind kind)
{
	bool waking = kind == SELECT_WAKE;
	struct sched_group *leader = find_leader(sd, t, waking);
	unsigned cpu = MAX_CPUS;

	if (!leader)
		return MAX_CPUS;
	if (waking && !(sd->flags & SD_SHARE_CPUPOWER))
		cpu = find_leader_cpu(leader, t);
	return cpu != MAX_CPUS ? cpu : find_idlest_cpu(leader, t, machine_cpu());
}

/*
 * From the bottom up; the first level that has a leader decides, and nothing is looked for below it. A wakeup tries the level where
 * this CPU and the last one meet and no other, unless wakeups are balanced. Interrupts are off; t->wakeup_lock is held.
 */
unsigned policy_select_cpu(struct task *t, enum select_kind kind)
{
	static const u32 flag[] = {
		[SELECT_WAKE] = SD_BALANCE_WAKE, [SELECT_FORK] = SD_BALANCE_FORK, [SELECT_EXEC] = SD_BALANCE_EXEC
	};
	bool may_pull = kind == SELECT_WAKE && mask_has(&t->allowed, machine_cpu());

	for_each_domain(machine_cpu(), sd) {
		bool affine = may_pull && sd->flags & SD_WAKE_AFFINE && mask_has(&sd->span, t->cpu);
		unsigned cpu = MAX_CPUS;

		if (!(sd->flags & SD_LOAD_BALANCE))
			continue;
		if (affine || sd->flags & flag[kind])
			cpu = select_in(sd, t, kind);
		if (cpu != MAX_CPUS || affine)
			return cpu;
	}
	return MAX_CPUS;
}
