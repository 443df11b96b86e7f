/* SPDX-License-Identifier: GPL-2.0-or-later
 * Which CPU a task goes to when it wakes, forks or execs (cfs.md 7): the walk up this CPU's domains, which differs between 2.6.32
 * and 3.8. What it leads to is in affine.c, idle_sibling.c and idlest.c. */
#include "sched/rq.h"

static bool wants_affine(const struct task *t, u32 flag)
{
	return flag == SD_BALANCE_WAKE && knob.AFFINE_WAKEUPS && mask_has(&t->allowed, machine_cpu());
}

/* SD_PREFER_LOCAL: as long as a span has fewer tasks than it has room for, they are not spread at this level. */
static bool has_room(const struct sched_domain *sd)
{
	u32 power = 0, running = 0;

	machine_charge(COST_PLACE, sd->weight);
	for_each_cpu(cpu, &sd->span) {
		power += cpu_power(cpu);
		running += READ_ONCE(cpu_rq(cpu)->cfs.nr_running);
	}
	return running < (power + NICE_0_WEIGHT / 2) / NICE_0_WEIGHT;
}

/* ---- 2.6.32 and 2.6.32.2 ---- */

static bool has_no_tasks(unsigned cpu)
{
	return !READ_ONCE(cpu_rq(cpu)->cfs.nr_running);
}

static unsigned first_without_tasks(const struct sched_domain *sd, const struct task *t)
{
	machine_charge(COST_PLACE, sd->weight);
	for_each_cpu(cpu, &sd->span)
		if (mask_has(&t->allowed, cpu) && has_no_tasks(cpu))
			return cpu;
	return MAX_CPUS;
}

/* Where a wakee goes by way of this domain if wake_affine() agrees: here; in 2.6.32.2 an idle CPU, its last one for choice, where
 * siblings are preferred. MAX_CPUS: this domain has nothing to offer. */
static unsigned affine_candidate(const struct sched_domain *sd, const struct task *t)
{
	unsigned this_cpu = machine_cpu(), prev = t->cpu, candidate = MAX_CPUS, idle;

	if (mask_has(&sd->span, prev))
		candidate = this_cpu;
	if (knob.wake_select != WAKE_SELECT_AFFINE_IDLE || !(sd->flags & SD_PREFER_SIBLING))
		return candidate;
	if (candidate == this_cpu && this_cpu != prev && has_no_tasks(prev))
		return prev;
	idle = first_without_tasks(sd, t);
	return idle != MAX_CPUS ? idle : candidate;
}

static enum trace_word why_affine(const struct task *t, unsigned target)
{
	if (target == machine_cpu())
		return PLACE_here;
	return target == t->cpu ? PLACE_previous_idle : PLACE_idle_sibling;
}

/* The walk does not end at the affine domain, and does not ask for SD_LOAD_BALANCE. */
static unsigned select_2_6_32(struct task *t, u32 flag, bool sync)
{
	unsigned this_cpu = machine_cpu(), stay = flag == SD_BALANCE_WAKE ? t->cpu : this_cpu, target = this_cpu;
	struct sched_domain *affine = NULL, *highest = NULL;
	bool want_affine = wants_affine(t, flag), want_balance = true;

	for_each_domain(this_cpu, sd) {
		if (sd->flags & SD_PREFER_LOCAL && has_room(sd))
			want_balance = false;
		if (want_affine && sd->flags & SD_WAKE_AFFINE) {
			unsigned candidate = affine_candidate(sd, t);

			if (candidate != MAX_CPUS) {
				affine = sd;
				target = candidate;
				want_affine = false;
			}
		}
		if (!want_affine && !want_balance)
			break;
		if (want_balance && sd->flags & flag)
			highest = sd;
	}
	if (affine && wake_affine(affine, t, sync))
		return placed(target, why_affine(t, target));
	return select_idlest(highest, t, target, stay, flag);
}

/* ---- 3.8 and after ---- */

/* The first affine domain decides a wakeup. SD_PREFER_LOCAL, which no domain of 3.8 has, keeps forks and execs as in 2.6.32. */
static unsigned select_3_8(struct task *t, u32 flag, bool sync)
{
	unsigned this_cpu = machine_cpu(), prev = t->cpu;
	struct sched_domain *highest = NULL;
	bool want_affine = wants_affine(t, flag);

	for_each_domain(this_cpu, sd) {
		if (!(sd->flags & SD_LOAD_BALANCE))
			continue;
		if (want_affine && sd->flags & SD_WAKE_AFFINE && mask_has(&sd->span, prev))
			return select_idle_sibling(t, this_cpu != prev && wake_affine(sd, t, sync) ? this_cpu : prev);
		if (!want_affine && sd->flags & SD_PREFER_LOCAL && has_room(sd))
			break;
		if (sd->flags & flag)
			highest = sd;
	}
	return select_idlest(highest, t, this_cpu, flag == SD_BALANCE_WAKE ? prev : this_cpu, flag);
}

/* The mend of the overload on wakeup (Wasted Cores): an idle CPU anywhere before what 3.8 would do. */
static unsigned select_idle_first(struct task *t, u32 flag, bool sync)
{
	unsigned cpu = flag == SD_BALANCE_WAKE ? select_longest_idle(t) : MAX_CPUS;

	return cpu != MAX_CPUS ? cpu : select_3_8(t, flag, sync);
}

/* ---- all ---- */

/* The CPU chosen is closed to the task: another of the node where it was last, else any. */
static unsigned fallback_cpu(const struct task *t)
{
	const struct cpu_place *place = machine_topology()->cpu;

	for_each_cpu(cpu, &t->allowed)
		if (place[cpu].node == place[t->cpu].node)
			return cpu;
	return mask_first(&t->allowed);
}

/* Interrupts are off; t->wakeup_lock is held. The result is in t->allowed. */
unsigned fair_select_cpu(struct task *t, enum select_kind kind, unsigned wake_flags)
{
	static const u32 flag_of[] = {
		[SELECT_WAKE] = SD_BALANCE_WAKE, [SELECT_FORK] = SD_BALANCE_FORK, [SELECT_EXEC] = SD_BALANCE_EXEC
	};
	bool sync = wake_flags & WAKE_SYNC && !current()->exiting;
	u32 flag = flag_of[kind];
	unsigned cpu;

	if (t->nr_allowed == 1)
		return placed(mask_has(&t->allowed, t->cpu) ? t->cpu : mask_first(&t->allowed), PLACE_bound);
	if (power_aware()) {
		cpu = policy_select_cpu(t, kind);
		if (cpu != MAX_CPUS)
			return placed(cpu, PLACE_policy);
	}
	if (knob.wake_select <= WAKE_SELECT_AFFINE_IDLE)
		cpu = select_2_6_32(t, flag, sync);
	else if (knob.wake_select == WAKE_SELECT_LONGEST_IDLE)
		cpu = select_idle_first(t, flag, sync);
	else
		cpu = select_3_8(t, flag, sync);
	return mask_has(&t->allowed, cpu) ? cpu : placed(fallback_cpu(t), PLACE_fallback);
}
