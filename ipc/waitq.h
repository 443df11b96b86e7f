/* SPDX-License-Identifier: GPL-2.0-or-later
 * Wait queues, with Linux's two kinds of waiters: an event wakes all non-exclusive ones, newest first, and so many exclusive ones,
 * oldest first (workloads.md 1). */
#ifndef IPC_WAITQ_H
#define IPC_WAITQ_H

#include "sched/sched.h"

struct waiter {
	TAILQ_ENTRY(waiter) peers;
	struct task *task;
	bool exclusive;
	bool queued; /* waitq->lock to write */
};

struct waitq {
	struct spinlock lock;
	TAILQ_HEAD(, waiter) waiters; /* lock; non-exclusive ones in front */
};

void waitq_init(struct waitq *q);

/*
 * The current task will sleep on q: queue *w if it is not queued already and set the task's state. The caller then looks whether
 * the event has come, if not calls schedule(), and repeats. At the end waitq_finish().
 */
void waitq_prepare(struct waitq *q, struct waiter *w, bool exclusive);
void waitq_finish(struct waitq *q, struct waiter *w);

/* Is anybody queued? An event that finds nobody wakes nobody: who comes later looks for the event first. */
bool waitq_has_sleeper(struct waitq *q);

/* Wake all non-exclusive waiters and up to nr_exclusive others; each leaves the queue. Returns how many. */
unsigned waitq_wake(struct waitq *q, unsigned nr_exclusive, unsigned wake_flags);

#endif
