/* SPDX-License-Identifier: GPL-2.0-or-later
 * Changing what a task is entitled to: nice level, policy and class, affinity; and the balancing that exec does. */
#include "sched/rq.h"

/* Both locks of a task, when it is not on its way to a queue: then nobody else changes where it is, or counts its weight meanwhile.
 */
static unsigned long lock_settled(struct task *t, struct rq **rq)
{
	for (;;) {
		unsigned long flags = spin_lock_irq(&t->wakeup_lock);

		if (READ_ONCE(t->state) != TASK_WAKING) {
			rq_lock_task(t, rq);
			return flags;
		}
		spin_unlock_irq(&t->wakeup_lock, flags);
		machine_relax();
	}
}

static void unlock_settled(struct task *t, struct rq *rq, unsigned long flags)
{
	spin_unlock(&rq->lock);
	spin_unlock_irq(&t->wakeup_lock, flags);
	preempt_point();
}

static void check_preempt(struct rq *rq, struct task *t)
{
	if (t->on_rq && rq->curr != t)
		rq_check_preempt(rq, t, 0);
	else if (rq->curr == t)
		task_resched(t); /* somebody else may deserve the CPU now */
}

/* A real-time task keeps its nice level for later. */
void task_set_nice(struct task *t, int nice)
{
	struct rq *rq;
	unsigned long flags = lock_settled(t, &rq);

	bug_on(nice < -20 || nice > 19);
	rq_update_clock(rq);
	t->nice = (s8)nice;
	cfs_reweight(rq, t);
	if (t->class == &fair_class)
		check_preempt(rq, t);
	unlock_settled(t, rq, flags);
}

/* ---- policy ---- */

static void change_sleeper(struct rq *rq, struct task *t, const struct sched_class *class)
{
	if (t->class == class)
		return;
	if (class == &fair_class)
		cfs_sleeper_joins(rq, t);
	else
		cfs_sleeper_leaves(rq, t);
}

static void change_fair(struct rq *rq, struct task *t, enum task_policy policy)
{
	t->policy = (u8)policy;
	cfs_reweight(rq, t);
}

/* Out of the old class as though it were preempted and moved, into the new one as though it were moved and picked; not a nanosecond
 * of a running one gets lost. rq->lock, clock updated. */
static void change_class(struct rq *rq, struct task *t, enum task_policy policy, unsigned rt_priority)
{
	const struct sched_class *class = class_of_policy(policy);
	bool running = rq->curr == t, queued = t->on_rq;

	if (running)
		t->class->put(rq, t);
	if (queued)
		t->class->dequeue(rq, t, 0);
	else
		change_sleeper(rq, t, class);
	t->policy = (u8)policy;
	t->rt_priority = (u8)rt_priority;
	t->rt.slice = rt_slice_ticks();
	t->class = class;
	weight_set(t);
	if (queued)
		class->enqueue(rq, t, 0);
	if (running)
		class->set_curr(rq, t);
}

static void set_policy(struct task *t, enum task_policy policy, unsigned rt_priority)
{
	struct rq *rq;
	unsigned long flags = lock_settled(t, &rq);
	int before = rt_level(t);

	rq_update_clock(rq);
	if (t->class == &fair_class && !rt_priority)
		change_fair(rq, t, policy);
	else
		change_class(rq, t, policy, rt_priority);
	check_preempt(rq, t);
	if (t->on_rq && t->class->woken)
		t->class->woken(rq, t);
	if (rt_level(t) > before) {
		rt_pull(rq); /* others may deserve this CPU now */
		if (rq->rt.highest < rt_level(rq->curr))
			task_resched(rq->curr);
	}
	unlock_settled(t, rq, flags);
}

void task_set_policy(struct task *t, enum task_policy policy)
{
	bug_on(class_of_policy(policy) != &fair_class);
	set_policy(t, policy, 0);
}

void task_set_realtime(struct task *t, enum task_policy policy, unsigned priority)
{
	bug_on(class_of_policy(policy) != &rt_class || !priority || priority > 99);
	set_policy(t, policy, priority);
}

/* ---- affinity and exec: both move a task off the CPU it may be running on ---- */

struct move_request {
	struct task *task;
	unsigned cpu;
	enum trace_word cause;
};

/*
 * In the stopper of the task's CPU: the task is not running now. If it has left meanwhile, its new place was chosen knowing its
 * mask; and if that has been changed again, whoever did so has asked for what it takes.
 */
static void move_here(void *argument)
{
	struct move_request *m = argument;
	struct rq *src = this_rq(), *dst = cpu_rq(m->cpu);
	unsigned long flags = machine_irq_save();

	rq_lock_pair(src, dst);
	if (task_rq(m->task) == src && m->task->on_rq && src != dst && mask_has(&m->task->allowed, m->cpu)) {
		rq_update_clock(src);
		rq_deactivate(src, m->task, 0);
		TRACE(migrate(m->task, m->cpu, m->cause));
		task_set_cpu(m->task, m->cpu);
		rq_activate(dst, m->task, 0);
		rq_check_preempt(dst, m->task, 0);
	}
	rq_unlock_pair(src, dst);
	machine_irq_restore(flags);
}

/* Who waits under another mask from now on waits for other CPUs. */
static void set_mask(struct rq *rq, struct task *t, const struct cpumask *usable)
{
	bool waits = t->on_rq && rq->curr != t;

	rq_update_clock(rq);
	if (waits)
		waste_wait_over(rq, t);
	t->allowed = *usable;
	t->nr_allowed = mask_weight(usable);
	t->mask_kind = waste_kind(usable, t->cpu);
	if (waits)
		waste_wait(rq, t);
}

int task_set_allowed(struct task *t, const struct cpumask *allowed)
{
	struct cpumask usable = *allowed;
	struct move_request m = { .task = t, .cause = MIGRATE_affinity };
	unsigned long flags;
	bool move;
	unsigned from;
	struct rq *rq;

	mask_and(&usable, &cpus_online);
	if (mask_empty(&usable))
		return -E_INVAL;
	flags = lock_settled(t, &rq);
	set_mask(rq, t, &usable);
	if (t->class->allowed_changed)
		t->class->allowed_changed(rq, t);
	from = t->cpu;
	move = t->on_rq && !mask_has(&usable, from);
	spin_unlock(&rq->lock);
	spin_unlock_irq(&t->wakeup_lock, flags);
	m.cpu = mask_first(&usable);
	if (move)
		stop_run(from, move_here, &m);
	return 0;
}

void exec_balance(void)
{
	struct task *t = current();
	unsigned long flags = spin_lock_irq(&t->wakeup_lock);
	struct move_request m = { .task = t, .cpu = t->class->select_cpu(t, SELECT_EXEC, 0), .cause = MIGRATE_exec };
	unsigned from = t->cpu;

	TRACE(exec(t, m.cpu));
	spin_unlock_irq(&t->wakeup_lock, flags);
	if (m.cpu != from)
		stop_run(from, move_here, &m);
}
