/* SPDX-License-Identifier: GPL-2.0-or-later
 * When the running task has to give way: to a wakee, or because its slice is over (cfs.md 1.12, 2). */
#include "sched/rq.h"

/*
 * 2.6.32's ADAPTIVE_GRAN: a wakee that usually wakes others after so long needs no lead over a task that has run that long for
 * everybody queued, twice. Only while somebody runs: a pick uses the plain granularity.
 */
static u64 adaptive_granularity(struct sched_entity *curr, struct sched_entity *se)
{
	u64 ran = curr->sum_exec - curr->prev_sum_exec;
	u64 expected = 2 * (u64)se->avg_wakeup * task_rq(task_of(se))->cfs.nr_running;

	return ran < expected ? min_u64(expected - ran, knob.sched_wakeup_granularity_ns) : 0;
}

/* How far se may lag behind before it preempts, in virtual time: se's own, or with NO_ASYM_GRAN that of the one it preempts. */
static u64 wakeup_granularity(struct sched_entity *curr, struct sched_entity *se)
{
	u64 granularity = knob.sched_wakeup_granularity_ns;

	if (knob.ADAPTIVE_GRAN && task_rq(task_of(curr))->cfs.curr)
		granularity = adaptive_granularity(curr, se);
	return calc_delta_fair(granularity, knob.ASYM_GRAN ? se : curr);
}

/* +1: se is so far left of curr that it should run; 0: left of it, but not by enough; -1: not left of it. */
int se_preempts(struct sched_entity *curr, struct sched_entity *se)
{
	s64 lead = vruntime_lead(curr, se);

	if (lead <= 0)
		return -1;
	return lead > (s64)wakeup_granularity(curr, se) ? 1 : 0;
}

/* Anybody goes before a task of the idle policy; in 2.6.32 a batch task does not. */
static bool beats_idle_policy(const struct task *curr, const struct task *t)
{
	if (curr->policy != POLICY_IDLE)
		return false;
	return knob.wake_over_idle == WAKE_OVER_IDLE_NORMAL ? t->policy == POLICY_NORMAL : t->policy != POLICY_IDLE;
}

static bool overlaps_little(const struct task *t)
{
	return t->se.avg_overlap < (s64)knob.sched_migration_cost_ns;
}

/* Features of 2.6.32 that preempt without regard to vruntime; all off by default. */
static bool preempts_by_habit(const struct task *curr, struct task *t, unsigned wake_flags)
{
	if (knob.WAKEUP_SYNC && wake_flags & WAKE_SYNC)
		return true;
	if (knob.WAKEUP_OVERLAP && overlaps_little(curr) && overlaps_little(t))
		return true;
	if (!knob.WAKEUP_RUNNING || t->se.avg_running >= curr->se.avg_running)
		return false;
	buddy_set_next(&t->se);
	return true;
}

static bool preempts_by_lag(struct rq *rq, struct task *t)
{
	if (!knob.WAKEUP_PREEMPTION || !knob.WAKEUP_PREEMPT)
		return false;
	cfs_update_curr(&rq->cfs);
	return se_preempts(&rq->curr->se, &t->se) == 1;
}

/* t has just been queued on rq, where a fair task runs. Tasks of the batch and idle policies wait. */
void fair_check_preempt(struct rq *rq, struct task *t, unsigned wake_flags)
{
	struct task *curr = rq->curr;

	if (t == curr)
		return;
	buddy_on_wakeup(rq, t, wake_flags);
	if (READ_ONCE(curr->need_resched)) {
		TRACE(rule(RULE_pending));
		return;
	}
	if (beats_idle_policy(curr, t)) {
		TRACE(rule(RULE_idle_policy));
		task_resched(curr);
		return;
	}
	if (t->policy != POLICY_NORMAL)
		return;
	if (preempts_by_habit(curr, t, wake_flags)) {
		TRACE(rule(RULE_habit));
		task_resched(curr);
	} else if (preempts_by_lag(rq, t)) {
		TRACE(rule(RULE_lag));
		task_resched(curr);
		buddy_on_preempt(rq, t);
	}
}

/*
 * Is the leftmost task more than a slice behind? Virtual time is compared with wall time, as Linux does. 2.6.32 on 64 bits lost
 * the sign: a running task that is behind the leftmost itself counted as far ahead.
 */
static bool leftmost_is_far(const struct cfs_rq *cfs, const struct sched_entity *curr, u64 slice)
{
	s64 lead;

	if (!cfs->leftmost)
		return false;
	lead = vruntime_lead(curr, cfs->leftmost);
	return knob.tick_leftmost == TICK_LEFTMOST_UNSIGNED ? (u64)lead > slice : lead > (s64)slice;
}

/* At the tick: the slice is over, or the leftmost task (since 2.6.32) has waited too long. */
void fair_check_tick(struct cfs_rq *cfs, struct sched_entity *curr)
{
	u64 slice = se_slice(cfs, curr), ran = curr->sum_exec - curr->prev_sum_exec;

	if (ran > slice) {
		task_resched(task_of(curr));
		buddy_clear(cfs, curr);
		return;
	}
	if (knob.tick_leftmost == TICK_LEFTMOST_OFF || !knob.WAKEUP_PREEMPT || ran < knob.sched_min_granularity_ns)
		return;
	if (leftmost_is_far(cfs, curr, slice))
		task_resched(task_of(curr));
}
