/* SPDX-License-Identifier: GPL-2.0-or-later
 * Semaphores. As on Linux whoever makes a waiter's operation possible also performs it, so that nobody can come in between and no
 * waiter is woken in vain. */
#include "ipc/semaphore.h"

struct semaphore_waiter {
	TAILQ_ENTRY(semaphore_waiter) peers;
	s64 change;
	struct task *task; /* of task_await() */
};

TAILQ_HEAD(waiter_list, semaphore_waiter);

void semaphore_init(struct semaphore *s, u64 value)
{
	s->lock = SPINLOCK_INIT(RANK_OBJECT);
	s->value = value;
	TAILQ_INIT(&s->waiters);
}

static bool is_possible(const struct semaphore *s, s64 change)
{
	return change ? change > 0 || s->value >= -(u64)change : !s->value;
}

static struct semaphore_waiter *first_possible(struct semaphore *s)
{
	struct semaphore_waiter *w;

	TAILQ_FOREACH(w, &s->waiters, peers)
		if (is_possible(s, w->change))
			break;
	return w;
}

/* Each operation may make one possible that was not, also of an older waiter. */
static void perform_all_possible(struct semaphore *s, struct waiter_list *done)
{
	struct semaphore_waiter *w;

	while ((w = first_possible(s))) {
		TAILQ_REMOVE(&s->waiters, w, peers);
		TAILQ_INSERT_TAIL(done, w, peers);
		s->value += (u64)w->change;
	}
}

/* True if it was possible; else *w waits for that. */
static bool perform(struct semaphore *s, struct semaphore_waiter *w, struct waiter_list *done)
{
	unsigned long flags = spin_lock_irq(&s->lock);
	bool possible = is_possible(s, w->change);

	if (possible) {
		s->value += (u64)w->change;
		perform_all_possible(s, done);
	} else {
		TAILQ_INSERT_TAIL(&s->waiters, w, peers);
	}
	machine_charge(COST_PREPARE, 1);
	spin_unlock_irq(&s->lock, flags);
	return possible;
}

static void wake_all(struct waiter_list *done)
{
	struct semaphore_waiter *w, *next;

	TAILQ_FOREACH_SAFE(w, done, peers, next)
		task_complete(&w->task); /* from here on *w may be gone */
	preempt_point();
}

void semaphore_op(struct semaphore *s, s64 change)
{
	struct waiter_list done = TAILQ_HEAD_INITIALIZER(done);
	struct semaphore_waiter w = { .change = change, .task = current() };

	syscall_enter();
	if (perform(s, &w, &done))
		wake_all(&done);
	else
		task_await(&w.task);
	syscall_exit();
}
