/* SPDX-License-Identifier: GPL-2.0-or-later
 * Wait queues. */
#include "ipc/waitq.h"

void waitq_init(struct waitq *q)
{
	q->lock = SPINLOCK_INIT(RANK_WAITQ);
	TAILQ_INIT(&q->waiters);
}

void waitq_prepare(struct waitq *q, struct waiter *w, bool exclusive)
{
	unsigned long flags = spin_lock_irq(&q->lock);

	if (!w->queued) {
		w->task = current();
		w->exclusive = exclusive;
		w->queued = true;
		if (exclusive)
			TAILQ_INSERT_TAIL(&q->waiters, w, peers);
		else
			TAILQ_INSERT_HEAD(&q->waiters, w, peers);
	}
	machine_charge(COST_PREPARE, 1);
	task_set_sleeping();
	spin_unlock_irq(&q->lock, flags);
}

void waitq_finish(struct waitq *q, struct waiter *w)
{
	unsigned long flags;

	task_set_running();
	if (!LOAD_ACQUIRE(w->queued))
		return;
	flags = spin_lock_irq(&q->lock);
	if (w->queued)
		TAILQ_REMOVE(&q->waiters, w, peers);
	w->queued = false;
	spin_unlock_irq(&q->lock, flags);
}

bool waitq_has_sleeper(struct waitq *q)
{
	return READ_ONCE(q->waiters.tqh_first);
}

unsigned waitq_wake(struct waitq *q, unsigned nr_exclusive, unsigned wake_flags)
{
	unsigned long flags = spin_lock_irq(&q->lock);
	struct waiter *w, *next;
	unsigned woken = 0;

	TAILQ_FOREACH_SAFE(w, &q->waiters, peers, next) {
		if (w->exclusive && !nr_exclusive)
			break;
		nr_exclusive -= w->exclusive;
		TAILQ_REMOVE(&q->waiters, w, peers);
		woken += task_wake(w->task, wake_flags);
		STORE_RELEASE(w->queued, false); /* last: from here on *w and its task may be gone */
	}
	spin_unlock_irq(&q->lock, flags);
	return woken;
}
