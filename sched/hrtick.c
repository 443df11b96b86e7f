/* SPDX-License-Identifier: GPL-2.0-or-later
 * HRTICK: a timer that ends a slice when it is over, not at the tick after that (cfs.md 1.12).
 *
 * The end is kept in the queue and changed by whoever changes what the slice depends on, under the queue's lock; the timer is its
 * CPU's. So another CPU that brings the end nearer kicks that one. An end that has moved away needs nobody: the timer goes off too
 * early, finds nothing to do and is armed again.
 */
#include "sched/rq.h"

static void set_end(struct rq *rq, u64 end)
{
	bool sooner = end < rq->slice_end;

	WRITE_ONCE(rq->slice_end, end);
	if (!sooner)
		return;
	if (rq == this_rq())
		rq_arm_timer(rq);
	else
		machine_kick(rq->cpu);
}

void hrtick_stop(struct rq *rq)
{
	WRITE_ONCE(rq->slice_end, TIMER_NEVER);
}

void hrtick_update(struct rq *rq)
{
	struct sched_entity *curr = rq->cfs.curr;
	u64 slice, ran;

	debug_bug_on(!spin_held(&rq->lock));
	if (!curr || !curr->on_rq || rq->cfs.nr_running < 2) {
		hrtick_stop(rq);
		return;
	}
	slice = se_slice(&rq->cfs, curr);
	ran = curr->sum_exec - curr->prev_sum_exec;
	if (ran < slice) {
		set_end(rq, curr->exec_start + slice - ran);
		return;
	}
	hrtick_stop(rq);
	task_resched(task_of(curr));
}

/* The queue's clock may be behind the timer's, or the end have moved since it was looked at: then the timer is armed again. */
void hrtick_expire(struct rq *rq)
{
	spin_lock(&rq->lock);
	rq_update_clock(rq);
	if (rq->clock >= rq->slice_end) {
		hrtick_stop(rq);
		cfs_update_curr(&rq->cfs);
		task_resched(rq->curr);
	}
	spin_unlock(&rq->lock);
}
