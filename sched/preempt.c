/* SPDX-License-Identifier: GPL-2.0-or-later
 * When the running task has to give way: to a wakee, or because its slice is over (cfs.md 1.12, 2). */
#include "sched/rq.h"

/* How far se may lag behind before it preempts: the wakeup granularity in se's own virtual time. */
static u64 wakeup_granularity(struct sched_entity *se)
{
	return calc_delta_fair(knob.sched_wakeup_granularity_ns, se);
}

/* +1: se is so far left of curr that it should run; 0: left of it, but not by enough; -1: not left of it. */
int se_preempts(struct sched_entity *curr, struct sched_entity *se)
{
	s64 lead = vruntime_lead(curr, se);

	if (lead <= 0)
		return -1;
	return lead > (s64)wakeup_granularity(se) ? 1 : 0;
}

static bool wakee_wins(struct rq *rq, struct task *t)
{
	struct task *curr = rq->curr;

	if (curr->policy == POLICY_IDLE && t->policy != POLICY_IDLE)
		return true;
	if (t->policy != POLICY_NORMAL || !knob.WAKEUP_PREEMPTION)
		return false;
	cfs_update_curr(&rq->cfs);
	return se_preempts(&curr->se, &t->se) == 1;
}

/* t has just been queued on rq, where a fair task runs. */
void fair_check_preempt(struct rq *rq, struct task *t, unsigned wake_flags)
{
	struct task *curr = rq->curr;

	if (t == curr)
		return;
	buddy_on_wakeup(rq, t, wake_flags);
	if (READ_ONCE(curr->need_resched) || !wakee_wins(rq, t))
		return;
	task_resched(curr);
	buddy_on_preempt(rq, t);
}

/*
 * At the tick, with competitors queued: the slice is over, or the leftmost task is more than a slice behind. The second test
 * compares virtual time with wall time, as Linux does.
 */
void fair_check_tick(struct cfs_rq *cfs, struct sched_entity *curr)
{
	u64 ideal = se_slice(cfs, curr), ran = curr->sum_exec - curr->prev_sum_exec;

	if (ran > ideal) {
		task_resched(task_of(curr));
		buddy_clear(cfs, curr);
		return;
	}
	if (ran < knob.sched_min_granularity_ns)
		return;
	if (cfs->leftmost && vruntime_lead(curr, cfs->leftmost) > (s64)ideal)
		task_resched(task_of(curr));
}
