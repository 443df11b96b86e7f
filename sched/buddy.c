/* SPDX-License-Identifier: GPL-2.0-or-later
 * Buddies: hints that a certain task should run next although another is leftmost (cfs.md 3; docs/buddies.md).
 *
 * A queue has three pointers: `next` (somebody wants this one to run), `last` (this one was preempted, give the CPU back) and
 * `skip` (this one has yielded). They point at queued entities of their queue, or at none. Three knobs choose among the rules of
 * the releases and mails: who sets them (buddy_set), how a pick uses and clears them (buddy_pick), and whether they count as cache
 * hot (buddy_hot).
 */
#include "sched/rq.h"

void buddy_clear(struct cfs_rq *cfs, struct sched_entity *se)
{
	if (cfs->next == se)
		cfs->next = NULL;
	if (cfs->last == se)
		cfs->last = NULL;
	if (cfs->skip == se)
		cfs->skip = NULL;
}

/* Tasks of the idle policy are nobody's buddy. */
void buddy_set_next(struct sched_entity *se)
{
	if (task_of(se)->policy != POLICY_IDLE)
		task_rq(task_of(se))->cfs.next = se;
}

void buddy_set_last(struct sched_entity *se)
{
	if (task_of(se)->policy != POLICY_IDLE)
		task_rq(task_of(se))->cfs.last = se;
}

/* ---- setting ---- */

/* 2.6.32 on: buddies matter only where slices are at their shortest. The wakee is counted already. */
static bool queue_is_long(const struct rq *rq)
{
	return rq->cfs.nr_running >= cfs_nr_latency();
}

static void set_last_unless_idle(struct rq *rq)
{
	if (rq->curr->se.on_rq && !rq->curr->is_idle)
		buddy_set_last(&rq->curr->se);
}

/* A wakee has been queued; whether it preempts is not known yet. */
void buddy_on_wakeup(struct rq *rq, struct task *wakee, unsigned wake_flags)
{
	bool fork = wake_flags & WAKE_FORK;

	switch (knob.buddy_set) {
	case BUDDY_SET_WAKEUP:
		if (knob.LAST_BUDDY)
			set_last_unless_idle(rq);
		if (knob.NEXT_BUDDY && !fork)
			buddy_set_next(&wakee->se);
		break;
	case BUDDY_SET_ALWAYS:
		if (fork)
			break;
		set_last_unless_idle(rq);
		buddy_set_next(&wakee->se);
		break;
	default:
		if (knob.NEXT_BUDDY && queue_is_long(rq) && !fork)
			buddy_set_next(&wakee->se);
	}
}

/* By the test of vruntimes the wakee is about to preempt the running task. */
void buddy_on_preempt(struct rq *rq, struct task *wakee)
{
	if (knob.buddy_set == BUDDY_SET_PREEMPT_NEXT)
		buddy_set_next(&wakee->se);
	if (knob.buddy_set >= BUDDY_SET_PREEMPT && knob.LAST_BUDDY && queue_is_long(rq))
		set_last_unless_idle(rq);
}

/* ---- picking ---- */

/* A buddy is taken when that is not unfair to the leftmost by more than the wakeup granularity. */
static bool acceptable(struct sched_entity *buddy, struct sched_entity *left)
{
	return buddy && se_preempts(buddy, left) < 1;
}

/* 2.6.32-rc1: every pick forgets both. */
static struct sched_entity *pick_clear_all(struct cfs_rq *cfs)
{
	struct sched_entity *se = cfs->leftmost;

	if (acceptable(cfs->next, cfs->leftmost))
		se = cfs->next;
	else if (acceptable(cfs->last, cfs->leftmost))
		se = cfs->last;
	cfs->next = NULL;
	cfs->last = NULL;
	return se;
}

/* With the patches of 9 October 2009: a pick forgets those it has looked at. */
static struct sched_entity *pick_clear_seen(struct cfs_rq *cfs)
{
	struct sched_entity *se = cfs->next;

	cfs->next = NULL;
	if (acceptable(se, cfs->leftmost))
		return se;
	se = cfs->last;
	cfs->last = NULL;
	return acceptable(se, cfs->leftmost) ? se : cfs->leftmost;
}

/* Galbraith's mail of 16 October 2009: a buddy that was not taken stays; the features are looked at here, not when it is set. */
static struct sched_entity *pick_keep(struct cfs_rq *cfs)
{
	struct sched_entity *se = cfs->leftmost;

	if (knob.NEXT_BUDDY && acceptable(cfs->next, cfs->leftmost)) {
		se = cfs->next;
		cfs->next = NULL;
	} else if (knob.LAST_BUDDY && acceptable(cfs->last, cfs->leftmost)) {
		se = cfs->last;
		cfs->last = NULL;
	}
	return se;
}

/* 2.6.32: last wins over next; only the one picked is forgotten. */
static struct sched_entity *pick_last_first(struct cfs_rq *cfs)
{
	struct sched_entity *se = cfs->leftmost;

	if (acceptable(cfs->next, cfs->leftmost))
		se = cfs->next;
	if (acceptable(cfs->last, cfs->leftmost))
		se = cfs->last;
	buddy_clear(cfs, se);
	return se;
}

/* 3.8: next wins over last, and one that has yielded stands back for the second. */
static struct sched_entity *pick_next_first(struct cfs_rq *cfs)
{
	struct sched_entity *se = cfs->leftmost;

	if (cfs->skip == se && acceptable(cfs_second(cfs), cfs->leftmost))
		se = cfs_second(cfs);
	if (acceptable(cfs->last, cfs->leftmost))
		se = cfs->last;
	if (acceptable(cfs->next, cfs->leftmost))
		se = cfs->next;
	buddy_clear(cfs, se);
	return se;
}

/* The entity to run; something is queued and nothing of this queue is running, so all of it is in the tree. */
struct sched_entity *buddy_pick(struct cfs_rq *cfs)
{
	if (likely(knob.buddy_pick == BUDDY_PICK_NEXT_FIRST))
		return pick_next_first(cfs);
	switch (knob.buddy_pick) {
	case BUDDY_PICK_CLEAR_ALL:
		return pick_clear_all(cfs);
	case BUDDY_PICK_CLEAR_SEEN:
		return pick_clear_seen(cfs);
	case BUDDY_PICK_KEEP:
		return pick_keep(cfs);
	default:
		return pick_last_first(cfs);
	}
}

/* ---- balancing ---- */

/* Would moving t away lose a warm cache because it is a buddy? The CPU that executes this is the one that balances. */
bool buddy_is_hot(struct task *t)
{
	struct rq *rq = task_rq(t);

	if (!knob.CACHE_HOT_BUDDY || (rq->cfs.next != &t->se && rq->cfs.last != &t->se))
		return false;
	switch (knob.buddy_hot) {
	case BUDDY_HOT_SOURCE_BUSY:
		return rq->nr_running >= cfs_nr_latency();
	case BUDDY_HOT_HERE_RUNNING:
		return this_rq()->nr_running;
	default:
		return true;
	}
}
