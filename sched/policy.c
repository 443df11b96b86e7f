/* SPDX-License-Identifier: GPL-2.0-or-later
 * Power-aware scheduling (Shi, January to April 2013; cfs.md 9): how busy tasks and CPUs are, and how much a group is to take. The
 * policies are described in docs/power.md. Utilisation is counted in CPU_FULL a CPU.
 */
#include "sched/rq.h"

enum { BURST_NS = 100000 };

/* A task that has kept the contribution it was given at its fork has not shown yet what it needs. */
u64 task_util(const struct task *t)
{
	const struct sched_avg *avg = &t->se.avg;

	if (avg->contribution == t->se.load.weight)
		return CPU_FULL;
	return (u64)avg->sum * CPU_FULL / (avg->period + 1);
}

/* A CPU that has been idle for short times only is woken in bursts: take it for full, so that they spread. Otherwise each of its
 * tasks counts as the CPU does, as in v7: how busy it is says nothing of how many wait. What real-time tasks take does not count.
 */
u64 cpu_util(unsigned cpu, bool waking)
{
	const struct rq *rq = cpu_rq(cpu);

	if (waking && READ_ONCE(rq->avg_idle) < BURST_NS)
		return (u64)READ_ONCE(rq->nr_running) * CPU_FULL;
	return min_u64(READ_ONCE(rq->util), power_rt_scale(rq)) * READ_ONCE(rq->cfs.nr_running);
}

/* Utilisation that so many CPUs with that power are filled to before others are used: each thread, or each core. */
u64 policy_threshold(const struct sched_domain *sd, u32 weight, u32 power)
{
	u64 full = knob.policy == SCHED_POLICY_POWERSAVING ? weight : power_capacity(sd, sd->groups, power);

	return full * CPU_FULL;
}
