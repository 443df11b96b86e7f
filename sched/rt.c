/* SPDX-License-Identifier: GPL-2.0-or-later
 * The real-time class: a list for each priority, of which the first task of the best runs (cfs.md 10.2).
 *
 * A task stays in its list while it runs, so who is preempted keeps the head of it; who yields or has used up its slice goes to the
 * end. Of the weights that fair tasks are balanced by it has none in the queue.
 */
#include "sched/rq.h"

void rt_init(struct rt_rq *rt)
{
	for (unsigned i = 0; i < RT_LEVELS; i++)
		TAILQ_INIT(&rt->list[i]);
	TAILQ_INIT(&rt->pushable);
	rt->highest = rt->next = RT_LEVELS;
}

/* 100 ms. */
u32 rt_slice_ticks(void)
{
	return (u32)ticks_of_ms(100);
}

/* ---- accounting ---- */

/* Charge the running task for the time since it was last charged. The queue's clock is up to date. rq->lock. */
void rt_update_curr(struct rq *rq)
{
	struct task *curr = rq->curr;
	u64 delta;

	if (curr->class != &rt_class)
		return;
	delta = rq->clock - curr->se.exec_start;
	if (!delta)
		return;
	curr->se.exec_start = rq->clock;
	curr->se.sum_exec += delta;
	rq->count.exec_ns += delta;
	power_note_rt(rq, delta);
	if (rt_bandwidth_charge(rq, delta))
		task_resched(curr);
}

/* ---- those who could run elsewhere ---- */

static void note_next(struct rt_rq *rt)
{
	struct task *t = TAILQ_FIRST(&rt->pushable);

	WRITE_ONCE(rt->next, t ? (u8)rt_level(t) : RT_LEVELS);
}

/* Behind its equals. */
static void pushable_add(struct rt_rq *rt, struct task *t)
{
	struct task *worse;

	if (t->nr_allowed < 2)
		return;
	TAILQ_FOREACH(worse, &rt->pushable, rt.waiting)
		if (rt_level(worse) > rt_level(t))
			break;
	if (worse)
		TAILQ_INSERT_BEFORE(worse, t, rt.waiting);
	else
		TAILQ_INSERT_TAIL(&rt->pushable, t, rt.waiting);
	t->rt.pushable = true;
	note_next(rt);
}

static void pushable_remove(struct rt_rq *rt, struct task *t)
{
	if (!t->rt.pushable)
		return;
	TAILQ_REMOVE(&rt->pushable, t, rt.waiting);
	t->rt.pushable = false;
	note_next(rt);
}

static void count_migratory(struct rq *rq, struct task *t, bool migratory)
{
	rq->rt.nr_migratory += (u32)migratory - (u32)t->rt.migratory;
	t->rt.migratory = migratory;
	rt_note_overload(rq);
}

static void rt_allowed_changed(struct rq *rq, struct task *t)
{
	if (!t->rt.queued)
		return;
	count_migratory(rq, t, t->nr_allowed > 1);
	pushable_remove(&rq->rt, t);
	if (rq->curr != t)
		pushable_add(&rq->rt, t);
}

/* ---- the lists ---- */

static void list_add(struct rt_rq *rt, struct task *t)
{
	unsigned level = (unsigned)rt_level(t);

	TAILQ_INSERT_TAIL(&rt->list[level], t, rt.peers);
	rt->levels[level / 64] |= 1ull << level % 64;
	if (level < rt->highest)
		WRITE_ONCE(rt->highest, (u8)level);
}

static u8 first_level(const struct rt_rq *rt)
{
	if (rt->levels[0])
		return (u8)__builtin_ctzll(rt->levels[0]);
	return rt->levels[1] ? (u8)(64 + __builtin_ctzll(rt->levels[1])) : RT_LEVELS;
}

static void list_remove(struct rt_rq *rt, struct task *t)
{
	unsigned level = (unsigned)rt_level(t);

	TAILQ_REMOVE(&rt->list[level], t, rt.peers);
	if (!TAILQ_EMPTY(&rt->list[level]))
		return;
	rt->levels[level / 64] &= ~(1ull << level % 64);
	WRITE_ONCE(rt->highest, first_level(rt));
}

static void rt_enqueue(struct rq *rq, struct task *t, unsigned enqueue_flags)
{
	(void)enqueue_flags;
	list_add(&rq->rt, t);
	rq->rt.nr_running++;
	t->rt.queued = true;
	count_migratory(rq, t, t->nr_allowed > 1);
	if (rq->curr != t)
		pushable_add(&rq->rt, t);
}

static void rt_dequeue(struct rq *rq, struct task *t, unsigned dequeue_flags)
{
	(void)dequeue_flags;
	rt_update_curr(rq);
	pushable_remove(&rq->rt, t);
	list_remove(&rq->rt, t);
	rq->rt.nr_running--;
	t->rt.queued = false;
	count_migratory(rq, t, false);
}

static void move_to_tail(struct rt_rq *rt, struct task *t)
{
	TAILQ_REMOVE(&rt->list[rt_level(t)], t, rt.peers);
	TAILQ_INSERT_TAIL(&rt->list[rt_level(t)], t, rt.peers);
}

static void move_to_head(struct rt_rq *rt, struct task *t)
{
	TAILQ_REMOVE(&rt->list[rt_level(t)], t, rt.peers);
	TAILQ_INSERT_HEAD(&rt->list[rt_level(t)], t, rt.peers);
}

/* ---- running ---- */

static void rt_set_curr(struct rq *rq, struct task *t)
{
	t->se.exec_start = rq->clock;
	pushable_remove(&rq->rt, t);
	rq->rt.push_due = !TAILQ_EMPTY(&rq->rt.pushable);
}

static struct task *rt_pick(struct rq *rq)
{
	struct rt_rq *rt = &rq->rt;
	struct task *t;

	if (!rt->nr_running || rt->throttled)
		return NULL;
	t = TAILQ_FIRST(&rt->list[rt->highest]);
	rt_set_curr(rq, t);
	return t;
}

static void rt_put(struct rq *rq, struct task *t)
{
	rt_update_curr(rq);
	if (t->rt.queued)
		pushable_add(&rq->rt, t);
}

/* Equals wait. But when t, of curr's priority, can run nowhere else and curr can, curr goes behind it, and is pushed away then. */
static void rt_check_preempt(struct rq *rq, struct task *t, unsigned wake_flags)
{
	struct task *curr = rq->curr;

	(void)wake_flags;
	if (rt_level(t) < rt_level(curr)) {
		TRACE(rule(RULE_rt_priority));
		task_resched(curr);
		return;
	}
	if (rt_level(t) > rt_level(curr) || curr->need_resched)
		return;
	if (rt_lowest_cpu(t) != MAX_CPUS || rt_lowest_cpu(curr) == MAX_CPUS)
		return;
	move_to_head(&rq->rt, t);
	TRACE(rule(RULE_rt_pinned));
	task_resched(curr);
}

static bool is_alone(const struct rt_rq *rt, const struct task *t)
{
	return TAILQ_FIRST(&rt->list[rt_level(t)]) == t && !TAILQ_NEXT(t, rt.peers);
}

static void rt_tick(struct rq *rq, struct task *t)
{
	rt_update_curr(rq);
	if (t->policy != POLICY_RR || --t->rt.slice)
		return;
	t->rt.slice = rt_slice_ticks();
	if (is_alone(&rq->rt, t))
		return;
	move_to_tail(&rq->rt, t);
	task_resched(t);
}

static void rt_yield(struct rq *rq)
{
	move_to_tail(&rq->rt, rq->curr);
}

static void rt_waking(struct task *t)
{
	(void)t;
}

static void rt_pre_schedule(struct rq *rq, struct task *prev)
{
	if (rq->rt.highest > rt_level(prev))
		rt_pull(rq);
}

const struct sched_class rt_class = {
	.lower = &fair_class,
	.enqueue = rt_enqueue,
	.dequeue = rt_dequeue,
	.pick = rt_pick,
	.put = rt_put,
	.check_preempt = rt_check_preempt,
	.tick = rt_tick,
	.yield = rt_yield,
	.waking = rt_waking,
	.select_cpu = rt_select_cpu,
	.migrate = cfs_migrate,
	.set_curr = rt_set_curr,
	.allowed_changed = rt_allowed_changed,
	.pre_schedule = rt_pre_schedule,
	.woken = rt_woken,
};
