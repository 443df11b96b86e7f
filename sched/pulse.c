/* SPDX-License-Identifier: GPL-2.0-or-later
 * What a watchdog sees of a CPU from outside: no locks, since those may be what is wrong. */
#include "sched/rq.h"

#include "base/timer.h"

static bool is_bound(const struct task *t)
{
	return !t->is_idle && (READ_ONCE(t->preempt_off) | READ_ONCE(t->syscall_depth));
}

bool kernel_is_bound(unsigned cpu, u64 *passed)
{
	const struct rq *rq = cpu_rq(cpu);

	*passed = READ_ONCE(rq->count.schedules);
	return is_bound(READ_ONCE(rq->curr)); /* it ticks, so it has one */
}

void kernel_pulse(unsigned cpu, struct pulse *p)
{
	const struct rq *rq = cpu_rq(cpu);
	const struct task *t = READ_ONCE(rq->curr); /* its memory stays a task's when it has ended */

	*p = (struct pulse){ 0 };
	if (!t) /* it has not come up yet */
		return;
	p->passed = READ_ONCE(rq->count.schedules);
	p->wanted = READ_ONCE(t->need_resched) || READ_ONCE(rq->wake_list); /* whose kick may be the one that got lost */
	p->bound = is_bound(t);
	p->idle = t->is_idle && !p->wanted && !READ_ONCE(rq->nr_running) && timer_next_ns(cpu) == TIMER_NEVER;
}
