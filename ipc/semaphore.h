/* SPDX-License-Identifier: GPL-2.0-or-later
 * A semaphore with System V's three operations (workloads.md 1): add, take once there is enough, wait for zero. */
#ifndef IPC_SEMAPHORE_H
#define IPC_SEMAPHORE_H

#include "sched/sched.h"

struct semaphore_waiter;

struct semaphore {
	struct spinlock lock;
	u64 value;				/* lock */
	TAILQ_HEAD(, semaphore_waiter) waiters; /* lock; oldest first */
};

void semaphore_init(struct semaphore *s, u64 value);

/*
 * A system call, semop() on one semaphore. change > 0: add so much. change < 0: take so much, asleep until there is. 0: sleep until
 * the value is 0, if only for a moment. Whoever can go on is let go on at once, the oldest first, and nobody has to wait behind one
 * who still cannot: all of them are woken, without the sync hint, after the lock is dropped.
 */
void semaphore_op(struct semaphore *s, s64 change);

#endif
