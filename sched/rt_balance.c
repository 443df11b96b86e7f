/* SPDX-License-Identifier: GPL-2.0-or-later
 * Real-time tasks among CPUs: where one goes when it wakes, and the pushing and pulling by which the best of all run (cfs.md 10.2).
 *
 * Pull: a CPU about to run something lesser than before looks at those CPUs where more than one real-time task is queued. Push: a
 * CPU that has just picked one while others wait behind it, or got one that must wait, sends them to CPUs that run something
 * lesser.
 */
#include "sched/rq.h"

/* ---- which CPUs have one too many ---- */

static struct cpumask overloaded; /* atomic, word by word */

/* rq->lock. */
void rt_note_overload(struct rq *rq)
{
	u64 *word = &overloaded.word[rq->cpu / 64], bit = 1ull << rq->cpu % 64;
	bool now = rq->rt.nr_migratory && rq->rt.nr_running > 1;

	if (now == rq->rt.overloaded)
		return;
	rq->rt.overloaded = now;
	if (now)
		__atomic_fetch_or(word, bit, __ATOMIC_SEQ_CST);
	else
		__atomic_fetch_and(word, ~bit, __ATOMIC_SEQ_CST);
}

/* ---- which CPU runs the least ---- */

/* The CPUs where t may run whose best real-time task is worst, if that is worse than t; most have none at all. */
static bool lowest_cpus(const struct task *t, struct cpumask *out)
{
	int level = rt_level(t), lowest = level;

	mask_clear(out);
	for_each_cpu(cpu, &t->allowed) {
		int highest = READ_ONCE(cpu_rq(cpu)->rt.highest);

		if (highest < lowest)
			continue;
		if (highest > lowest)
			mask_clear(out);
		lowest = highest;
		mask_set(out, cpu);
	}
	machine_charge(COST_PLACE, 1);
	return lowest > level;
}

/* Of these the one whose cache is nearest to what t has left in its last CPU's. */
static unsigned nearest_cpu(const struct task *t, const struct cpumask *cpus)
{
	unsigned self = machine_cpu();
	bool self_will_do = mask_has(cpus, self);

	if (mask_has(cpus, t->cpu))
		return t->cpu;
	for_each_domain(t->cpu, sd) {
		struct cpumask inside = sd->span;

		if (!(sd->flags & SD_WAKE_AFFINE))
			continue;
		mask_and(&inside, cpus);
		if (!mask_empty(&inside))
			return mask_has(&inside, self) ? self : mask_first(&inside);
	}
	return self_will_do ? self : mask_first(cpus);
}

unsigned rt_lowest_cpu(struct task *t)
{
	struct cpumask cpus;

	if (t->nr_allowed < 2 || !lowest_cpus(t, &cpus))
		return MAX_CPUS;
	return nearest_cpu(t, &cpus);
}

/* ---- waking and forking ---- */

/* curr is a real-time task and will not make way for t. */
static bool holds_out(const struct task *curr, const struct task *t)
{
	return rt_level(curr) < RT_LEVELS && (curr->nr_allowed < 2 || rt_level(curr) <= rt_level(t));
}

static bool looks_elsewhere(const struct task *t, enum select_kind kind)
{
	const struct task *curr = READ_ONCE(task_rq(t)->curr);

	if (knob.rt_select == RT_SELECT_RT_RUNS)
		return kind == SELECT_WAKE && rt_level(curr) < RT_LEVELS;
	return kind != SELECT_EXEC && holds_out(curr, t);
}

static enum trace_word why_placed(const struct task *t, enum select_kind kind, unsigned cpu)
{
	if (cpu != MAX_CPUS && cpu != t->cpu)
		return PLACE_lowest;
	return kind == SELECT_WAKE ? PLACE_previous : PLACE_parent;
}

/* Its last CPU, as a rule: there it preempts whatever is lesser. A child's last CPU is its parent's. t->wakeup_lock. */
unsigned rt_select_cpu(struct task *t, enum select_kind kind, unsigned wake_flags)
{
	unsigned cpu = looks_elsewhere(t, kind) ? rt_lowest_cpu(t) : t->cpu;

	(void)wake_flags;
	TRACE(place(why_placed(t, kind, cpu)));
	if (cpu == MAX_CPUS)
		cpu = t->cpu;
	return mask_has(&t->allowed, cpu) ? cpu : placed(mask_first(&t->allowed), PLACE_fallback);
}

/* ---- moving ---- */

/* The lock of another queue besides that of rq. True: to keep the order rq's had to be let go. */
static bool lock_second(struct rq *rq, struct rq *other)
{
	debug_bug_on(!spin_held(&rq->lock));
	if (rq < other) {
		spin_lock(&other->lock);
		return false;
	}
	spin_unlock(&rq->lock);
	rq_lock_pair(rq, other);
	return true;
}

static void move(struct task *t, struct rq *src, struct rq *dst)
{
	rq_update_clock(src);
	rq_deactivate(src, t, 0);
	task_set_cpu(t, dst->cpu);
	rq_activate(dst, t, 0);
	machine_charge(COST_MOVE, 1);
}

/* The best that waits on src and may run on dst, if it is better than all there. Better than what runs on src itself: it is about
 * to run there. */
static struct task *find_pullable(struct rq *src, struct rq *dst)
{
	struct task *t;

	TAILQ_FOREACH(t, &src->rt.pushable, rt.waiting)
		if (mask_has(&t->allowed, dst->cpu))
			break;
	return t && rt_level(t) < dst->rt.highest && rt_level(t) >= rt_level(src->curr) ? t : NULL;
}

/* Goes on after it has found one: a better one may wait on the next CPU. */
void rt_pull(struct rq *rq)
{
	for_each_cpu(cpu, &overloaded) {
		struct rq *src = cpu_rq(cpu);
		struct task *t;

		if (src == rq || READ_ONCE(src->rt.next) >= rq->rt.highest)
			continue;
		lock_second(rq, src);
		t = find_pullable(src, rq);
		if (t) {
			TRACE(migrate(t, rq->cpu, MIGRATE_rt_pull));
			move(t, src, rq);
		}
		spin_unlock(&src->lock);
	}
}

/* A queue that runs something lesser than t, which is the first to be pushed from rq, with its lock. NULL: there is none. Whether
 * or not, rq's lock may have been let go. */
static struct rq *lock_lowest(struct rq *rq, struct task *t)
{
	enum { TRIES = 3 };

	for (unsigned i = 0; i < TRIES; i++) {
		unsigned cpu = rt_lowest_cpu(t);
		struct rq *lowest;
		bool gone;

		if (cpu == MAX_CPUS)
			return NULL;
		lowest = cpu_rq(cpu);
		gone = lock_second(rq, lowest) && (TAILQ_FIRST(&rq->rt.pushable) != t || !mask_has(&t->allowed, cpu));
		if (!gone && lowest->rt.highest > rt_level(t))
			return lowest;
		spin_unlock(&lowest->lock);
		if (gone)
			return NULL;
	}
	return NULL;
}

/* False: no more can be pushed. When the best finds no place nobody behind it is tried: others will pull. */
static bool push_one(struct rq *rq)
{
	struct task *t, *tried = NULL;

	while ((t = TAILQ_FIRST(&rq->rt.pushable)) && t != tried) {
		struct rq *lowest;

		if (rt_level(t) < rt_level(rq->curr)) {
			task_resched(rq->curr);
			return false;
		}
		lowest = lock_lowest(rq, t);
		if (lowest) {
			TRACE(migrate(t, lowest->cpu, MIGRATE_rt_push));
			move(t, rq, lowest);
			task_resched(lowest->curr);
			spin_unlock(&lowest->lock);
			return true;
		}
		tried = t;
	}
	return false;
}

void rt_push(struct rq *rq)
{
	rq->rt.push_due = false;
	while (rq->rt.overloaded && push_one(rq))
		;
}

/* t has been woken onto rq: if it must wait, perhaps not here. */
void rt_woken(struct rq *rq, struct task *t)
{
	struct task *curr = rq->curr;

	if (curr == t || READ_ONCE(curr->need_resched) || TAILQ_EMPTY(&rq->rt.pushable) || t->nr_allowed < 2)
		return;
	if (knob.rt_wake_push == RT_WAKE_PUSH_WAITING || holds_out(curr, t))
		rt_push(rq);
}
