/* SPDX-License-Identifier: GPL-2.0-or-later
 * What must hold of a run queue whenever its lock is held. Nothing here is taken from what the scheduler says of itself: the sums
 * are made anew from the queued tasks, the order from their virtual runtimes.
 */
#include "sched/check.h"

#ifdef DEBUG

#include "base/text.h"
#include "sched/rq.h"

void (*require_describe)(void);

_Noreturn void require_failed(const char *rule, const char *fmt, ...)
{
	char seen[160];
	va_list args;

	say_panic();
	va_start(args, fmt);
	text_vformat(seen, sizeof(seen), fmt, args);
	va_end(args);
	say("Broken: %s\n  %s\n", rule, seen);
	if (require_describe)
		require_describe();
	bug(rule);
}

/* What a queue was like when it was last looked at. rq->lock. */
static struct {
	u64 min_vruntime;
	bool began;	 /* it has been reset since boot */
	bool power_kept; /* and keeps averages since then */
} seen[MAX_CPUS];

/* ---- fair tasks ---- */

static void check_queued_task(struct rq *rq, struct task *t, bool fair)
{
	require(t->on_rq, "%s on CPU %u", t->name, rq->cpu);
	require(t->se.on_rq == fair && t->rt.queued == !fair, "%s on CPU %u: %u, %u", t->name, rq->cpu, t->se.on_rq, t->rt.queued);
	require((t->class == &rt_class) == !fair, "%s on CPU %u", t->name, rq->cpu);
	require((class_of_policy(t->policy) == &rt_class) == !fair, "%s on CPU %u: policy %u", t->name, rq->cpu, t->policy);
	require(fair ? !t->rt_priority : t->rt_priority >= 1 && t->rt_priority <= 99, "%s: %u", t->name, t->rt_priority);
	require(t->cpu == rq->cpu, "%s is on the queue of CPU %u and says %u", t->name, rq->cpu, t->cpu);
	require(mask_weight(&t->allowed) == t->nr_allowed, "%s: %u, %u", t->name, mask_weight(&t->allowed), t->nr_allowed);
}

/* The list has all that are queued, once. */
static void check_sums(struct rq *rq)
{
	struct cfs_rq *cfs = &rq->cfs;
	struct sched_entity *se;
	u64 weight = 0, contributions = 0;
	u32 count = 0;

	TAILQ_FOREACH(se, &cfs->tasks, peers) {
		require(count < cfs->nr_running, "CPU %u: more tasks than %u are listed", rq->cpu, cfs->nr_running);
		check_queued_task(rq, task_of(se), true);
		count++;
		weight += se->load.weight;
		contributions += se->avg.contribution;
	}
	require(count == cfs->nr_running, "CPU %u: %u listed, %u counted", rq->cpu, count, cfs->nr_running);
	require(weight == cfs->load.weight, "CPU %u: %llu listed, %llu counted", rq->cpu, (unsigned long long)weight,
		(unsigned long long)cfs->load.weight);
	require(!seen[rq->cpu].power_kept || !power_aware() || contributions == cfs->runnable_load_avg,
		"CPU %u: %llu listed, %llu counted", rq->cpu, (unsigned long long)contributions,
		(unsigned long long)cfs->runnable_load_avg);
	count += rq->rt.nr_running + (rq->stop && rq->stop->on_rq);
	require(count == rq->nr_running, "CPU %u: %u of all classes, %u counted", rq->cpu, count, rq->nr_running);
}

/* Of who is listed and does not run: equal for equal sets, without looking for each in the list. */
static uintptr_t mark_waiting(struct cfs_rq *cfs)
{
	struct sched_entity *se;
	uintptr_t mark = 0;

	TAILQ_FOREACH(se, &cfs->tasks, peers)
		mark ^= se == cfs->curr ? 0 : (uintptr_t)se;
	return mark;
}

/* In the tree is who is listed and does not run, by rising vruntime. */
static void check_tree(struct rq *rq)
{
	struct cfs_rq *cfs = &rq->cfs;
	struct sched_entity *se, *previous = NULL;
	u32 count = 0, expected = cfs->nr_running - (cfs->curr && cfs->curr->on_rq);
	uintptr_t mark = 0;

	for (se = RB_MIN(entity_tree, &cfs->tree); se; se = RB_NEXT(entity_tree, &cfs->tree, se)) {
		require(count < expected, "CPU %u: more tasks than %u are in the tree", rq->cpu, expected);
		require(se != cfs->curr, "CPU %u: %s runs and is in the tree", rq->cpu, task_of(se)->name);
		require(!previous || vruntime_lead(se, previous) >= 0, "CPU %u: %llu after %llu", rq->cpu,
			(unsigned long long)se->vruntime, (unsigned long long)previous->vruntime);
		previous = se;
		mark ^= (uintptr_t)se;
		count++;
	}
	require(count == expected, "CPU %u: %u in the tree, %u queued and not running", rq->cpu, count, expected);
	require(mark == mark_waiting(cfs), "CPU %u: others are in the tree than are listed", rq->cpu);
	require(cfs->leftmost == RB_MIN(entity_tree, &cfs->tree), "CPU %u", rq->cpu);
}

static bool is_listed(struct cfs_rq *cfs, const struct sched_entity *wanted)
{
	struct sched_entity *se;

	TAILQ_FOREACH(se, &cfs->tasks, peers)
		if (se == wanted)
			return true;
	return false;
}

static void check_buddies(struct rq *rq)
{
	struct cfs_rq *cfs = &rq->cfs;

	require(!cfs->next || is_listed(cfs, cfs->next), "CPU %u", rq->cpu);
	require(!cfs->last || is_listed(cfs, cfs->last), "CPU %u", rq->cpu);
	require(!cfs->skip || is_listed(cfs, cfs->skip), "CPU %u", rq->cpu);
}

static void check_min_vruntime(struct rq *rq)
{
	u64 *latest = &seen[rq->cpu].min_vruntime;

	require(!seen[rq->cpu].began || (s64)(rq->cfs.min_vruntime - *latest) >= 0, "CPU %u: %llu after %llu", rq->cpu,
		(unsigned long long)rq->cfs.min_vruntime, (unsigned long long)*latest);
	*latest = rq->cfs.min_vruntime;
}

/* ---- real-time tasks ---- */

/* Each in the list of its priority, a bit for each list that has any. */
static void check_rt_lists(struct rq *rq)
{
	struct rt_rq *rt = &rq->rt;
	u32 count = 0, migratory = 0;
	unsigned highest = RT_LEVELS;
	struct task *t;

	for (unsigned level = RT_LEVELS; level-- > 0;) {
		bool marked = rt->levels[level / 64] >> level % 64 & 1;

		require(marked == !TAILQ_EMPTY(&rt->list[level]), "CPU %u, level %u: %u", rq->cpu, level, marked);
		TAILQ_FOREACH(t, &rt->list[level], rt.peers) {
			require(count++ < rt->nr_running, "CPU %u: more tasks than %u are listed", rq->cpu, rt->nr_running);
			require(t->rt_priority == 99 - level, "%s of %u at level %u", t->name, t->rt_priority, level);
			check_queued_task(rq, t, false);
			require(t->rt.migratory == (t->nr_allowed > 1), "%s on CPU %u: %u", t->name, rq->cpu, t->nr_allowed);
			require(t->rt.pushable == (t->rt.migratory && t != rq->curr), "%s on CPU %u", t->name, rq->cpu);
			migratory += t->rt.migratory;
			highest = level;
		}
	}
	require(count == rt->nr_running, "CPU %u: %u listed, %u counted", rq->cpu, count, rt->nr_running);
	require(migratory == rt->nr_migratory, "CPU %u: %u listed, %u counted", rq->cpu, migratory, rt->nr_migratory);
	require(rt->highest == highest, "CPU %u: %u, %u", rq->cpu, rt->highest, highest);
	require(rt->overloaded == (migratory && count > 1), "CPU %u: %u of %u", rq->cpu, migratory, count);
}

/* Who could run elsewhere, the best first. */
static void check_pushable(struct rq *rq)
{
	struct rt_rq *rt = &rq->rt;
	struct task *t, *first = TAILQ_FIRST(&rt->pushable);
	u32 count = rt->nr_migratory - (rq->curr->class == &rt_class && rq->curr->rt.migratory);
	int level = 0;

	TAILQ_FOREACH(t, &rt->pushable, rt.waiting) {
		require(count-- && t->rt.pushable && t->rt.queued, "%s on CPU %u", t->name, rq->cpu);
		require(rt_level(t) >= level, "CPU %u: %d after %d", rq->cpu, rt_level(t), level);
		level = rt_level(t);
	}
	require(!count, "CPU %u: %u are missing", rq->cpu, count);
	require(rt->next == (first ? rt_level(first) : RT_LEVELS), "CPU %u: %u", rq->cpu, rt->next);
}

/* The best runs, or the CPU is about to look, or they have run for too long. Who has left the queue is in schedule(). */
static void check_best_runs(struct rq *rq)
{
	struct task *curr = rq->curr;
	bool looks = curr->need_resched || !(curr->on_rq || curr->is_idle);

	require(looks || rq->rt.throttled || rt_level(curr) <= rq->rt.highest, "CPU %u: %d runs, %u waits", rq->cpu, rt_level(curr),
		rq->rt.highest);
	require(looks || !rq->rt.throttled || curr->class != &rt_class, "%s on CPU %u", curr->name, rq->cpu);
}

/* ---- who runs ---- */

static bool is_fair(const struct rq *rq, const struct task *t)
{
	return t != rq->idle && t != rq->stop && t->class != &rt_class;
}

/* One on its way to sleep has left the queue and may still run, while its CPU looks for other work. */
static void check_running(struct rq *rq)
{
	struct task *t = rq->curr;

	require(t->cpu == rq->cpu, "%s runs on CPU %u and says %u", t->name, rq->cpu, t->cpu);
	require(t->on_cpu, "%s on CPU %u", t->name, rq->cpu);
	if (is_fair(rq, t)) {
		require(rq->cfs.curr == &t->se, "%s on CPU %u", t->name, rq->cpu);
		require(t->on_rq == is_listed(&rq->cfs, &t->se), "%s on CPU %u", t->name, rq->cpu);
		require(t->on_rq || t->state != TASK_RUNNING, "%s on CPU %u", t->name, rq->cpu);
	} else {
		require(!rq->cfs.curr, "%s on CPU %u", t->name, rq->cpu);
		require(t->class != &rt_class || t->on_rq == t->rt.queued, "%s on CPU %u", t->name, rq->cpu);
	}
}

/* A CPU that runs a task has its tick, and one without is known to who balances for it, unless it is about to look for itself. */
static void check_nohz(struct rq *rq)
{
	require(!rq->tick_stopped || rq->curr == rq->idle, "CPU %u runs %s", rq->cpu, rq->curr->name);
	require(!rq->tick_stopped || mask_has(&nohz.idle, rq->cpu) || rq->idle->need_resched || !cpu_is_idle(rq->cpu), "CPU %u",
		rq->cpu);
}

/* ---- all of it ---- */

void rq_check(struct rq *rq)
{
	require(spin_held(&rq->lock), "CPU %u", rq->cpu);
	check_sums(rq);
	check_tree(rq);
	check_buddies(rq);
	check_min_vruntime(rq);
	check_rt_lists(rq);
	check_pushable(rq);
	check_best_runs(rq);
	check_running(rq);
	check_nohz(rq);
}

void rq_check_sometimes(struct rq *rq)
{
	enum { EVERY = 16 };

	if (rq->count.schedules % EVERY == 0)
		rq_check(rq);
}

void rq_check_anew(struct rq *rq)
{
	seen[rq->cpu].began = true;
	seen[rq->cpu].min_vruntime = rq->cfs.min_vruntime;
	seen[rq->cpu].power_kept = power_aware();
}

#endif
