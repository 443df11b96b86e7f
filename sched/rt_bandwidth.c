/* SPDX-License-Identifier: GPL-2.0-or-later
 * The limit on real-time tasks: on each CPU they may run sched_rt_runtime_us in every sched_rt_period_us, so that a runaway one can
 * still be dealt with (cfs.md 10.2).
 *
 * A CPU that has used up its own may borrow what others have not used (RT_RUNTIME_SHARE). Loans are not paid back: the lender
 * borrows in turn when it runs short. A throttled queue keeps its tasks, and they keep counting in nr_running, as in 3.8.
 */
#include "sched/rq.h"

static u64 period_ns(void)
{
	return knob.sched_rt_period_us * NSEC_PER_USEC;
}

/* With none at all nobody is throttled either, as in 3.8. */
static bool is_limited(void)
{
	return knob.sched_rt_runtime_us && knob.sched_rt_runtime_us < knob.sched_rt_period_us;
}

void rt_bandwidth_reset(struct rq *rq)
{
	struct rt_rq *rt = &rq->rt;

	rt->time = 0;
	rt->runtime = knob.sched_rt_runtime_us * NSEC_PER_USEC;
	rt->period_end = rq->clock + period_ns();
	rt->throttled = false;
}

/* ---- borrowing ---- */

/* Its part of what that CPU has not used so far, at most so much. Others may be borrowing from it too. */
static u64 lend(struct rt_rq *lender, u64 most)
{
	u64 runtime = READ_ONCE(lender->runtime), used = READ_ONCE(lender->time), part;

	do
		part = used < runtime ? min_u64((runtime - used) / nr_cpus, most) : 0;
	while (part && !__atomic_compare_exchange_n(
			       &lender->runtime, &runtime, runtime - part, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
	return part;
}

static void borrow(struct rt_rq *rt)
{
	for (unsigned cpu = 0; cpu < nr_cpus; cpu++) {
		struct rt_rq *lender = &cpu_rq(cpu)->rt;
		u64 runtime = READ_ONCE(rt->runtime);

		if (runtime >= period_ns())
			return;
		if (lender != rt)
			__atomic_fetch_add(&rt->runtime, lend(lender, period_ns() - runtime), __ATOMIC_RELAXED);
	}
}

/* ---- time ---- */

/* How many have ended since this was last asked. */
static u64 periods_ended(struct rq *rq)
{
	u64 late = rq->clock - rq->rt.period_end, ended;

	if ((s64)late < 0)
		return 0;
	ended = late / period_ns() + 1;
	rq->rt.period_end += ended * period_ns();
	return ended;
}

bool rt_bandwidth_charge(struct rq *rq, u64 ran_ns)
{
	struct rt_rq *rt = &rq->rt;

	debug_bug_on(!spin_held(&rq->lock));
	if (!is_limited())
		return false;
	if (!rt->time)
		periods_ended(rq); /* nobody has looked since it became 0 */
	WRITE_ONCE(rt->time, rt->time + ran_ns);
	if (rt->throttled || READ_ONCE(rt->runtime) >= period_ns())
		return rt->throttled;
	if (rt->time > READ_ONCE(rt->runtime) && knob.RT_RUNTIME_SHARE)
		borrow(rt);
	rt->throttled = rt->time > READ_ONCE(rt->runtime);
	return rt->throttled;
}

/* At every tick while there is time to write off. Nobody borrows for an empty queue: between runs those reset already would lose.
 */
void rt_bandwidth_tick(struct rq *rq)
{
	struct rt_rq *rt = &rq->rt;
	u64 ended = periods_ended(rq), runtime;

	debug_bug_on(!spin_held(&rq->lock));
	if (!ended)
		return;
	if (rt->throttled && rt->nr_running && knob.RT_RUNTIME_SHARE)
		borrow(rt);
	runtime = READ_ONCE(rt->runtime);
	WRITE_ONCE(rt->time, rt->time - min_u64(rt->time, ended * runtime));
	if (!rt->throttled || rt->time >= runtime)
		return;
	rt->throttled = false;
	if (rt->highest < rt_level(rq->curr))
		task_resched(rq->curr);
}
