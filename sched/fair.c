/* SPDX-License-Identifier: GPL-2.0-or-later
 * The fair class: a tree ordered by virtual runtime, slices, and where a task enters (cfs.md 1). */
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
static bool charge_curr(struct cfs_rq *cfs)
{
	struct sched_entity *curr = cfs->curr;
	struct rq *rq = rq_of(cfs);
	u64 delta;

	if (!curr)
		return false;
	delta = rq->clock - curr->exec_start;
	if (!delta)
		return false;
	curr->exec_start = rq->clock;
	curr->sum_exec += delta;
	curr->vruntime += calc_delta_fair(delta, curr);
	rq->count.exec_ns += delta;
	return true;
}

void cfs_update_curr(struct cfs_rq *cfs)
{
	if (charge_curr(cfs))
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

/* What a sleeper may have missed, in virtual time; the weight counts only with NORMALIZED_SLEEPER, so a light task gets as much. */
static u64 sleeper_credit(struct sched_entity *se)
{
	u64 credit = knob.sched_latency_ns;

	if (!knob.FAIR_SLEEPERS)
		return 0;
	if (knob.NORMALIZED_SLEEPER && task_of(se)->policy != POLICY_IDLE)
		credit = calc_delta_fair(credit, se);
	return credit >> knob.GENTLE_FAIR_SLEEPERS;
}

/* A new task starts one slice late, so that forking gains nothing; a sleeper gets up to a latency of credit, but never time it had
 * before. */
static void place_entity(struct cfs_rq *cfs, struct sched_entity *se, bool initial)
{
	u64 v = cfs->min_vruntime;

	if (initial && knob.START_DEBIT)
		v += calc_delta_fair(se_slice(cfs, se), se);
	if (!initial)
		v -= sleeper_credit(se);
	se->vruntime = later_vruntime(se->vruntime, v);
}

/* A child's first vruntime, on the queue that decides it; it is not queued yet. */
static void place_child(struct cfs_rq *cfs, struct sched_entity *se)
{
	struct sched_entity *curr = cfs->curr;
	struct rq *rq = rq_of(cfs);
	u64 v;

	if (curr)
		se->vruntime = curr->vruntime;
	place_entity(cfs, se, true);
	if (!knob.sched_child_runs_first || !curr || vruntime_lead(curr, se) >= 0 || rq != this_rq())
		return;
	v = curr->vruntime;
	curr->vruntime = se->vruntime;
	se->vruntime = v;
	task_resched(rq->curr);
}

/* 3.8: between queues a vruntime is a distance from min_vruntime. */
static bool is_relative(void)
{
	return knob.vruntime == VRUNTIME_RELATIVE;
}

static void fair_enqueue(struct rq *rq, struct task *t, unsigned enqueue_flags)
{
	struct cfs_rq *cfs = &rq->cfs;
	struct sched_entity *se = &t->se;

	if (is_relative() && (!(enqueue_flags & ENQUEUE_WAKEUP) || enqueue_flags & ENQUEUE_WAKING))
		se->vruntime += cfs->min_vruntime;
	cfs_update_curr(cfs);
	if (enqueue_flags & ENQUEUE_NEW)
		place_child(cfs, se);
	if (power_aware())
		pelt_enqueue(rq, se);
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
	bool sleeps = dequeue_flags & DEQUEUE_SLEEP;

	if (sleeps)
		charge_curr(cfs); /* it is the running task; min_vruntime follows below */
	else
		cfs_update_curr(cfs);
	if (power_aware())
		pelt_dequeue(rq, se, sleeps);
	buddy_clear(cfs, se);
	if (se != cfs->curr)
		tree_remove(cfs, se);
	se->on_rq = false;
	weight_sub(&cfs->load, se->load.weight);
	TAILQ_REMOVE(&cfs->tasks, se, peers);
	cfs->nr_running--;
	if (is_relative() && !sleeps)
		se->vruntime -= cfs->min_vruntime;
	update_min_vruntime(cfs);
	if (unlikely(knob.HRTICK))
		hrtick_update(rq);
}

/* A sleeper's vruntime goes along to another queue as its distance from min_vruntime. */
static void fair_waking(struct task *t)
{
	struct rq *rq = task_rq(t);

	if (is_relative())
		t->se.vruntime -= READ_ONCE(rq->cfs.min_vruntime);
}

/* 2.6.32: a vruntime is absolute, and shifted by what the two queues are apart when the task's CPU changes, whatever its
 * class. */
void cfs_migrate(struct task *t, unsigned cpu)
{
	if (!is_relative())
		t->se.vruntime += READ_ONCE(cpu_rq(cpu)->cfs.min_vruntime) - READ_ONCE(task_rq(t)->cfs.min_vruntime);
}

/* The child starts from its parent's vruntime, in 3.8 plus a debit; the queue it joins adds its own min_vruntime. Task context. */
void cfs_fork(struct task *child)
{
	unsigned long flags = machine_irq_save();
	struct rq *rq = this_rq();
	struct cfs_rq *cfs = &rq->cfs;
	struct sched_entity *se = &child->se;

	spin_lock(&rq->lock);
	rq_update_clock(rq);
	child->cpu = rq->cpu;
	child->warm_cpu = rq->cpu;
	if (power_aware())
		pelt_fork(child);
	if (knob.fork_place == FORK_PLACE_LATE) {
		cfs_update_curr(cfs);
		place_child(cfs, se);
	} else if (cfs->curr) {
		se->vruntime = cfs->curr->vruntime;
	} else if (child->class == &rt_class) { /* nobody to follow, and it may become fair one day */
		se->vruntime = cfs->min_vruntime;
	}
	if (is_relative())
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
	if (!t->se.on_rq)
		return;
	weight_add(&cfs->load, t->se.load.weight);
	if (unlikely(knob.HRTICK))
		hrtick_update(rq);
}

/* A sleeper of this class keeps an absolute vruntime, one of another class its distance from min_vruntime. rq->lock. */
void cfs_sleeper_leaves(struct rq *rq, struct task *t)
{
	if (knob.vruntime == VRUNTIME_ABSOLUTE)
		return;
	place_entity(&rq->cfs, &t->se, false); /* else it could come back with time it had long before */
	t->se.vruntime -= rq->cfs.min_vruntime;
}

void cfs_sleeper_joins(struct rq *rq, struct task *t)
{
	if (knob.vruntime == VRUNTIME_RELATIVE)
		t->se.vruntime += rq->cfs.min_vruntime;
}

/* ---- running ---- */

static void set_curr(struct cfs_rq *cfs, struct sched_entity *se)
{
	if (se->on_rq)
		tree_remove(cfs, se);
	se->exec_start = rq_of(cfs)->clock;
	se->prev_sum_exec = se->sum_exec; /* a new slice, even for the same task */
	cfs->curr = se;
}

static struct task *fair_pick(struct rq *rq)
{
	struct cfs_rq *cfs = &rq->cfs;
	struct sched_entity *se;

	if (!cfs->nr_running)
		return NULL;
	se = buddy_pick(cfs);
	set_curr(cfs, se);
	if (unlikely(knob.HRTICK))
		hrtick_update(rq);
	return task_of(se);
}

static void fair_set_curr(struct rq *rq, struct task *t)
{
	set_curr(&rq->cfs, &t->se);
}

static void fair_put(struct rq *rq, struct task *t)
{
	struct cfs_rq *cfs = &rq->cfs;

	if (t->se.on_rq) {
		cfs_update_curr(cfs);
		tree_insert(cfs, &t->se);
		if (power_aware())
			pelt_put(rq, &t->se);
	}
	cfs->curr = NULL;
	if (unlikely(rq->slice_end != TIMER_NEVER))
		hrtick_stop(rq);
}

static void fair_tick(struct rq *rq, struct task *t)
{
	cfs_update_curr(&rq->cfs);
	if (power_aware())
		pelt_tick(rq, &t->se);
	if ((rq->cfs.nr_running > 1 || !knob.WAKEUP_PREEMPT) && !hrtick_rules(rq))
		fair_check_tick(&rq->cfs, &t->se);
}

/* Behind everybody else, as sched_compat_yield had it. */
static void go_rightmost(struct cfs_rq *cfs)
{
	struct sched_entity *last = RB_MAX(entity_tree, &cfs->tree);

	if (vruntime_lead(cfs->curr, last) <= 0)
		cfs->curr->vruntime = last->vruntime + 1;
}

static void fair_yield(struct rq *rq)
{
	struct cfs_rq *cfs = &rq->cfs;
	bool batch = rq->curr->policy == POLICY_BATCH;

	if ((knob.yield == YIELD_SKIP ? rq->nr_running : cfs->nr_running) == 1)
		return;
	buddy_clear(cfs, cfs->curr);
	if (knob.yield == YIELD_UPDATE && (knob.sched_compat_yield || batch)) {
		go_rightmost(cfs);
		return;
	}
	if (!batch) {
		rq_update_clock(rq);
		cfs_update_curr(cfs);
	}
	if (knob.yield == YIELD_SKIP)
		cfs->skip = cfs->curr;
}

/* 3.8, for virtual machines: t is to run next on its own queue. */
static void fair_yield_to(struct rq *rq, struct task *t)
{
	buddy_set_next(&t->se);
	fair_yield(rq);
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
	.yield_to = fair_yield_to,
	.waking = fair_waking,
	.migrate = cfs_migrate,
	.select_cpu = fair_select_cpu,
	.set_curr = fair_set_curr,
};
