/* SPDX-License-Identifier: GPL-2.0-or-later
 * Changing what a task is entitled to: nice level, policy, affinity; and the balancing that exec does. */
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

static void reweight(struct task *t, int nice, enum task_policy policy)
{
	struct rq *rq;
	unsigned long flags = lock_settled(t, &rq);

	rq_update_clock(rq);
	t->nice = (s8)nice;
	t->policy = (u8)policy;
	cfs_reweight(rq, t);
	if (t->on_rq && rq->curr != t)
		rq_check_preempt(rq, t, 0);
	else if (rq->curr == t)
		task_resched(t); /* somebody else may deserve the CPU now */
	spin_unlock(&rq->lock);
	spin_unlock_irq(&t->wakeup_lock, flags);
	preempt_point();
}

void task_set_nice(struct task *t, int nice)
{
	bug_on(nice < -20 || nice > 19);
	reweight(t, nice, (enum task_policy)t->policy);
}

void task_set_policy(struct task *t, enum task_policy policy)
{
	reweight(t, t->nice, policy);
}

/* ---- affinity and exec: both move a task off the CPU it may be running on ---- */

struct move_request {
	struct task *task;
	unsigned cpu;
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
		rq_deactivate(src, m->task, 0);
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
	struct move_request m = { .task = t };
	unsigned long flags;
	bool move;
	unsigned from;
	struct rq *rq;

	mask_and(&usable, &cpus_online);
	if (mask_empty(&usable))
		return -E_INVAL;
	flags = lock_settled(t, &rq);
	set_mask(rq, t, &usable);
	from = t->cpu;
	move = t->on_rq && !mask_has(&usable, from);
	spin_unlock(&rq->lock);
	spin_unlock_irq(&t->wakeup_lock, flags);
	m.cpu = mask_first(&usable);
	if (move)
		stop_run(from, move_here, &m);
	return 0;
}

void task_exec(void)
{
	struct task *t = current();
	unsigned long flags = spin_lock_irq(&t->wakeup_lock);
	struct move_request m = { .task = t, .cpu = t->class->select_cpu(t, SELECT_EXEC, 0) };
	unsigned from = t->cpu;

	spin_unlock_irq(&t->wakeup_lock, flags);
	if (m.cpu != from)
		stop_run(from, move_here, &m);
}
