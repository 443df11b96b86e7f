/* SPDX-License-Identifier: GPL-2.0-or-later
 * Which tasks move from the busiest queue, and moving them: pulled to the CPU balanced for, or, if all that is there runs, pushed
 * by that CPU's stopper (cfs.md 5.7, steps 3 and 4, and 5.8). */
#include "sched/balance.h"

/* ---- which tasks ---- */

/* Ran so recently that it would leave a warm cache behind. now: the clock of its queue. */
bool task_is_hot(struct task *t, u64 now)
{
	if (t->class != &fair_class || (t->policy == POLICY_IDLE && !knob.hot_idle_policy))
		return false;
	if (buddy_is_hot(t))
		return true;
	if (knob.sched_migration_cost_ns == MIGRATION_COST_ALWAYS_HOT)
		return true;
	return (s64)(now - t->se.exec_start) < (s64)knob.sched_migration_cost_ns;
}

/* Some CPU of our group could take it instead of us: 3.8 then goes on for that one. */
static void note_pinned(struct balance *b, struct task *t)
{
	if (b->some_pinned || knob.some_pinned == SOME_PINNED_GIVE_UP)
		return;
	for_each_cpu(cpu, &b->sd->groups->span)
		if (mask_has(&t->allowed, cpu) && cpu != b->src->cpu) {
			b->some_pinned = true;
			b->new_dst_cpu = cpu;
			return;
		}
}

/* Both locks are held. Repeated failure to move anything makes hot tasks fair game. */
static bool can_migrate(struct balance *b, struct task *t)
{
	if (!mask_has(&t->allowed, b->dst_cpu)) {
		t->nr_failed_migrations_affine++;
		balance_meet(b, WASTE_AFFINITY);
		note_pinned(b, t);
		return false;
	}
	b->all_pinned = false;
	if (b->src->curr == t) {
		t->nr_failed_migrations_running++;
		return false;
	}
	if (!task_is_hot(t, b->src->clock))
		return true;
	if (b->sd->nr_balance_failed <= b->sd->cache_nice_tries) {
		t->nr_failed_migrations_hot++;
		balance_meet(b, t->class == &fair_class && buddy_is_hot(t) ? WASTE_BUDDY : WASTE_HOT);
		return false;
	}
	b->sd->counts[b->idle].hot_gained++;
	t->nr_forced_migrations++;
	return true;
}

static bool passes_over(struct balance *b, struct task *t)
{
	u64 weight = t->se.load.weight;

	if (knob.LB_MIN && weight < 16 && !b->sd->nr_balance_failed)
		return true;
	return weight / 2 > b->imbalance || !can_migrate(b, t);
}

/* ---- moving; both locks are held ---- */

static void move_task(struct balance *b, struct task *t)
{
	rq_deactivate(b->src, t, 0);
	TRACE(pull(b, t));
	task_set_cpu(t, b->dst_cpu);
	rq_activate(b->dst, t, 0);
	rq_check_preempt(b->dst, t, 0);
	machine_charge(COST_MOVE, 1);
}

static void take(struct balance *b, struct sched_entity *se)
{
	if (b->idle == CPU_NEWLY_IDLE)
		stats_pull(b->src, task_of(se));
	move_task(b, task_of(se));
	b->imbalance -= min_u64(b->imbalance, se->load.weight);
}

/* With preemption a CPU about to go idle takes one task only, so that it is not kept from running it. */
static bool one_is_enough(const struct balance *b)
{
	return knob.preempt == PREEMPT_FULL && b->idle == CPU_NEWLY_IDLE;
}

/* 2.6.32: from the newest on through one more than sched_nr_migrate; those passed over stay where they are, in the way of the next
 * attempt. If there is nobody to look at, nobody is pinned. */
static unsigned move_in_order(struct balance *b)
{
	struct sched_entity *se = TAILQ_FIRST(&b->src->cfs.tasks), *next;
	unsigned moved = 0;

	b->all_pinned &= se && b->imbalance;
	for (u64 left = knob.sched_nr_migrate + 1; se && b->imbalance && left; se = next, left--) {
		next = TAILQ_NEXT(se, peers);
		if (passes_over(b, task_of(se)))
			continue;
		take(b, se);
		moved++;
		if (one_is_enough(b))
			break;
	}
	return moved;
}

enum { LOOP_BREAK = 32 };

/* 3.8: those passed over go to the end, so that the next attempt sees others; after 32 the locks are let go for a moment. */
static unsigned move_rotating(struct balance *b)
{
	struct cfs_rq *cfs = &b->src->cfs;
	unsigned moved = 0, loop_max = (unsigned)min_u64(knob.sched_nr_migrate, b->src->nr_running);
	struct sched_entity *se;

	while (b->imbalance && (se = TAILQ_FIRST(&cfs->tasks)) && ++b->loop <= loop_max) {
		if (b->loop > b->loop_break) {
			b->loop_break += LOOP_BREAK;
			b->need_break = true;
			break;
		}
		if (passes_over(b, task_of(se))) {
			TAILQ_REMOVE(&cfs->tasks, se, peers);
			TAILQ_INSERT_TAIL(&cfs->tasks, se, peers);
			continue;
		}
		take(b, se);
		moved++;
		if (one_is_enough(b))
			break;
	}
	return moved;
}

/* ---- pulling ---- */

/* If our own lock is held already, it stays so where the order allows, else it is let go and taken again. */
static void lock_queues(struct balance *b)
{
	if (b->held && b->held == b->dst && b->dst < b->src) {
		spin_lock(&b->src->lock);
		return;
	}
	if (b->held)
		spin_unlock(&b->held->lock);
	rq_lock_pair(b->dst, b->src);
}

static void unlock_queues(struct balance *b)
{
	if (b->held == b->dst) {
		spin_unlock(&b->src->lock);
		return;
	}
	rq_unlock_pair(b->dst, b->src);
	if (b->held)
		spin_lock(&b->held->lock);
}

static unsigned move_locked(struct balance *b)
{
	unsigned moved;

	b->need_break = false;
	lock_queues(b);
	b->rq->count.newidle_locks += b->idle == CPU_NEWLY_IDLE;
	rq_update_clock(b->src);
	moved = knob.move_scan == MOVE_SCAN_IN_ORDER ? move_in_order(b) : move_rotating(b);
	if (moved && b->dst_cpu != machine_cpu())
		task_resched(b->dst->curr);
	unlock_queues(b);
	return moved;
}

/* Some tasks may only go to another CPU of our group: try for that one. False: there is none such, or nothing left to move. */
static bool retarget(struct balance *b)
{
	if (!b->some_pinned || !b->imbalance)
		return false;
	b->dst_cpu = b->new_dst_cpu;
	b->dst = cpu_rq(b->dst_cpu);
	b->some_pinned = false;
	b->loop = 0;
	b->loop_break = LOOP_BREAK;
	return true;
}

/* One round for each CPU of our group at most. */
unsigned pull_tasks(struct balance *b)
{
	unsigned moved = 0, rounds = 1;

	b->all_pinned = true;
	b->some_pinned = false;
	b->loop = 0;
	b->loop_break = LOOP_BREAK;
	do
		moved += move_locked(b);
	while (b->need_break || (rounds++ < b->sd->groups->weight && retarget(b)));
	return moved;
}

/* ---- active balance: push a task away from the CPU on which it runs ---- */

struct sched_domain *common_domain(unsigned cpu, unsigned other)
{
	for_each_domain(cpu, sd)
		if (sd->flags & SD_LOAD_BALANCE && mask_has(&sd->span, other))
			return sd;
	return NULL;
}

/* The newest task that may go; hot ones too, after so many failures. */
static bool push_one(struct balance *b)
{
	struct sched_entity *se;

	TAILQ_FOREACH(se, &b->src->cfs.tasks, peers)
		if (can_migrate(b, task_of(se))) {
			move_task(b, task_of(se));
			return true;
		}
	return false;
}

/* Runs in the stopper of the busiest CPU, which counts among its running tasks: with one victim there are two. */
static void push_running(void *argument)
{
	struct rq *src = argument, *dst = cpu_rq(src->push_cpu);
	unsigned long flags = machine_irq_save();
	struct balance b = { .idle = CPU_IDLE, .src = src, .dst = dst, .dst_cpu = dst->cpu };

	rq_lock_pair(src, dst);
	rq_update_clock(src);
	b.sd = common_domain(dst->cpu, src->cpu);
	if (src->nr_running > 1 && src != dst && b.sd) {
		b.sd->alb_count++;
		if (push_one(&b)) {
			b.sd->alb_pushed++;
			this_rq()->count.active_pushes++;
		} else {
			b.sd->alb_failed++;
		}
	}
	src->active_balance = false;
	rq_unlock_pair(src, dst);
	machine_irq_restore(flags);
}

static enum push_result claim_push(struct balance *b)
{
	struct rq *src = b->src;
	enum push_result result = PUSH_UNDER_WAY;

	spin_lock(&src->lock);
	if (!mask_has(&src->curr->allowed, b->rq->cpu)) {
		result = PUSH_PINNED;
	} else if (!src->active_balance) {
		src->active_balance = true;
		src->push_cpu = b->rq->cpu;
		src->push = (struct stop_work){ .fn = push_running, .argument = src };
		result = PUSH_STARTED;
	}
	spin_unlock(&src->lock);
	return result;
}

/* Waking the stopper takes its wakeup_lock, which comes before that of a queue. */
enum push_result start_push(struct balance *b)
{
	enum push_result result;

	if (b->held)
		spin_unlock(&b->held->lock);
	result = claim_push(b);
	if (result == PUSH_STARTED)
		stop_queue(b->src->cpu, &b->src->push);
	if (b->held)
		spin_lock(&b->held->lock);
	return result;
}
