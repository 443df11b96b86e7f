/* SPDX-License-Identifier: GPL-2.0-or-later
 * The fair class: a tree ordered by virtual runtime, slices, and where a task enters (cfs.md 1). Rules are those of 3.8. */
#include "sched/rq.h"

/* Equal vruntimes stay in the order of arrival. */
static int entity_order(const struct sched_entity *a, const struct sched_entity *b)
{
	return vruntime_lead(a, b) < 0 ? -1 : 1;
}

RB_GENERATE(entity_tree, sched_entity, node, entity_order)

/* Just below the wrap, where a comparison by value would show. */
#define FIRST_VRUNTIME (-(1ull << 20))

void cfs_init(struct cfs_rq *cfs)
{
	RB_INIT(&cfs->tree);
	TAILQ_INIT(&cfs->tasks);
	cfs->min_vruntime = FIRST_VRUNTIME;
}

/* Virtual time starts anew, so that a run does not depend on those before it. Equal vruntimes leave the tree in order. */
void cfs_rebase(struct cfs_rq *cfs)
{
	struct sched_entity *se;

	cfs->min_vruntime = FIRST_VRUNTIME;
	TAILQ_FOREACH(se, &cfs->tasks, peers)
		se->vruntime = FIRST_VRUNTIME;
}

/* ---- the tree ---- */

static void tree_insert(struct cfs_rq *cfs, struct sched_entity *se)
{
	RB_INSERT(entity_tree, &cfs->tree, se);
	if (!cfs->leftmost || vruntime_lead(se, cfs->leftmost) < 0)
		cfs->leftmost = se;
}

static void tree_remove(struct cfs_rq *cfs, struct sched_entity *se)
{
	if (cfs->leftmost == se)
		cfs->leftmost = RB_NEXT(entity_tree, &cfs->tree, se);
	RB_REMOVE(entity_tree, &cfs->tree, se);
}

struct sched_entity *cfs_second(struct cfs_rq *cfs)
{
	return cfs->leftmost ? RB_NEXT(entity_tree, &cfs->tree, cfs->leftmost) : NULL;
}

/* ---- accounting ---- */

static u64 later_vruntime(u64 a, u64 b)
{
	return (s64)(a - b) > 0 ? a : b;
}

/* Follows the smallest vruntime there is, and never goes back. */
static void update_min_vruntime(struct cfs_rq *cfs)
{
	u64 v = cfs->min_vruntime;

	if (cfs->curr)
		v = cfs->curr->vruntime;
	if (cfs->leftmost && (!cfs->curr || (s64)(cfs->leftmost->vruntime - v) < 0))
		v = cfs->leftmost->vruntime;
	cfs->min_vruntime = later_vruntime(cfs->min_vruntime, v);
}

/* Charge the running task for the time since it was last charged. The queue's clock is up to date. */
void cfs_update_curr(struct cfs_rq *cfs)
{
	struct sched_entity *curr = cfs->curr;
	struct rq *rq = rq_of(cfs);
	u64 delta;

	if (!curr)
		return;
	delta = rq->clock - curr->exec_start;
	if (!delta)
		return;
	curr->exec_start = rq->clock;
	curr->sum_exec += delta;
	curr->vruntime += calc_delta_fair(delta, curr);
	rq->count.exec_ns += delta;
	update_min_vruntime(cfs);
}

/* ---- slices ---- */

/* How many tasks share one latency before slices are at their shortest. */
u64 cfs_nr_latency(void)
{
	return (knob.sched_latency_ns + knob.sched_min_granularity_ns - 1) / knob.sched_min_granularity_ns;
}

static u64 period(u64 nr_running)
{
	return nr_running <= cfs_nr_latency() ? knob.sched_latency_ns : knob.sched_min_granularity_ns * nr_running;
}

/* Wall time that se should get in one period, in ns; if it is not queued, as though it were. */
u64 se_slice(struct cfs_rq *cfs, struct sched_entity *se)
{
	struct load_weight with_se;

	if (se->on_rq)
		return calc_delta(period(cfs->nr_running), se->load.weight, &cfs->load);
	with_se = cfs->load;
	weight_add(&with_se, se->load.weight);
	return calc_delta(period(cfs->nr_running + 1), se->load.weight, &with_se);
}

/* ---- entering and leaving ---- */

/* A new task starts one slice late, so that forking gains nothing; a sleeper gets up to a latency of credit, but never time it had
 * before. */
static void place_entity(struct cfs_rq *cfs, struct sched_entity *se, bool initial)
{
	u64 v = cfs->min_vruntime;

	if (initial && knob.START_DEBIT)
		v += calc_delta_fair(se_slice(cfs, se), se);
	if (!initial)
		v -= knob.sched_latency_ns >> knob.GENTLE_FAIR_SLEEPERS;
	se->vruntime = later_vruntime(se->vruntime, v);
}

static void fair_enqueue(struct rq *rq, struct task *t, unsigned enqueue_flags)
{
	struct cfs_rq *cfs = &rq->cfs;
	struct sched_entity *se = &t->se;

	if (!(enqueue_flags & ENQUEUE_WAKEUP) || enqueue_flags & ENQUEUE_WAKING)
		se->vruntime += cfs->min_vruntime;
	cfs_update_curr(cfs);
	weight_add(&cfs->load, se->load.weight);
	TAILQ_INSERT_HEAD(&cfs->tasks, se, peers);
	cfs->nr_running++;
	if (enqueue_flags & ENQUEUE_WAKEUP)
		place_entity(cfs, se, false);
	if (se != cfs->curr)
		tree_insert(cfs, se);
	se->on_rq = true;
	if (unlikely(knob.HRTICK))
		hrtick_update(rq);
}

static void fair_dequeue(struct rq *rq, struct task *t, unsigned dequeue_flags)
{
	struct cfs_rq *cfs = &rq->cfs;
	struct sched_entity *se = &t->se;

	cfs_update_curr(cfs);
	buddy_clear(cfs, se);
	if (se != cfs->curr)
		tree_remove(cfs, se);
	se->on_rq = false;
	weight_sub(&cfs->load, se->load.weight);
	TAILQ_REMOVE(&cfs->tasks, se, peers);
	cfs->nr_running--;
	if (!(dequeue_flags & DEQUEUE_SLEEP))
		se->vruntime -= cfs->min_vruntime;
	update_min_vruntime(cfs);
	if (unlikely(knob.HRTICK))
		hrtick_update(rq);
}

/* A sleeper's vruntime goes along to another queue as its distance from min_vruntime. */
static void fair_waking(struct task *t)
{
	struct rq *rq = task_rq(t);

	t->se.vruntime -= READ_ONCE(rq->cfs.min_vruntime);
}

/* The child starts from its parent's vruntime; the queue it will join adds its own min_vruntime. Task context. */
void cfs_fork(struct task *child)
{
	unsigned long flags = machine_irq_save();
	struct rq *rq = this_rq();
	struct cfs_rq *cfs = &rq->cfs;
	struct sched_entity *curr, *se = &child->se;

	spin_lock(&rq->lock);
	rq_update_clock(rq);
	child->cpu = rq->cpu;
	child->warm_cpu = rq->cpu;
	cfs_update_curr(cfs);
	curr = cfs->curr;
	if (curr)
		se->vruntime = curr->vruntime;
	place_entity(cfs, se, true);
	if (knob.sched_child_runs_first && curr && vruntime_lead(curr, se) < 0) {
		u64 v = curr->vruntime;

		curr->vruntime = se->vruntime;
		se->vruntime = v;
		task_resched(rq->curr);
	}
	se->vruntime -= cfs->min_vruntime;
	spin_unlock_irq(&rq->lock, flags);
}

/* After the weight of a queued task has to change: take it out of the sums with the old one, put it back with the new. rq->lock. */
void cfs_reweight(struct rq *rq, struct task *t)
{
	struct cfs_rq *cfs = &rq->cfs;

	if (t->se.on_rq) {
		cfs_update_curr(cfs);
		weight_sub(&cfs->load, t->se.load.weight);
	}
	weight_set(t);
	if (t->se.on_rq)
		weight_add(&cfs->load, t->se.load.weight);
}

/* ---- running ---- */

static struct task *fair_pick(struct rq *rq)
{
	struct cfs_rq *cfs = &rq->cfs;
	struct sched_entity *se;

	if (!cfs->nr_running)
		return NULL;
	se = buddy_pick(cfs);
	tree_remove(cfs, se);
	se->exec_start = rq->clock;
	se->prev_sum_exec = se->sum_exec; /* a new slice, even for the same task */
	cfs->curr = se;
	if (unlikely(knob.HRTICK))
		hrtick_update(rq);
	return task_of(se);
}

static void fair_put(struct rq *rq, struct task *t)
{
	struct cfs_rq *cfs = &rq->cfs;

	if (t->se.on_rq) {
		cfs_update_curr(cfs);
		tree_insert(cfs, &t->se);
	}
	cfs->curr = NULL;
	if (unlikely(rq->slice_end != TIMER_NEVER))
		hrtick_stop(rq);
}

static void fair_tick(struct rq *rq, struct task *t)
{
	cfs_update_curr(&rq->cfs);
	if (rq->cfs.nr_running > 1 && !hrtick_rules(rq))
		fair_check_tick(&rq->cfs, &t->se);
}

static void fair_yield(struct rq *rq)
{
	struct cfs_rq *cfs = &rq->cfs;

	if (rq->nr_running == 1)
		return;
	buddy_clear(cfs, cfs->curr);
	if (rq->curr->policy != POLICY_BATCH) {
		rq_update_clock(rq);
		cfs_update_curr(cfs);
	}
	cfs->skip = cfs->curr;
}

const struct sched_class fair_class = {
	.lower = &idle_class,
	.enqueue = fair_enqueue,
	.dequeue = fair_dequeue,
	.pick = fair_pick,
	.put = fair_put,
	.check_preempt = fair_check_preempt,
	.tick = fair_tick,
	.yield = fair_yield,
	.waking = fair_waking,
	.select_cpu = fair_select_cpu,
};
