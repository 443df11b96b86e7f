/* SPDX-License-Identifier: GPL-2.0-or-later
 * A word that tasks can wait at, and the mutex that C libraries build on it (workloads.md 1): who waits is woken in the order of
 * coming, without the sync hint, after the lock is dropped. */
#ifndef IPC_FUTEX_H
#define IPC_FUTEX_H

#include "sched/sched.h"

struct futex_waiter;

struct futex {
	u32 word; /* atomic; the caller's */
	struct spinlock lock;
	TAILQ_HEAD(, futex_waiter) waiters; /* lock; oldest first */
};

void futex_init(struct futex *f, u32 word);
/* A system call. Sleeps until woken, if the word is as expected; true if it was. */
bool futex_wait(struct futex *f, u32 expected);
/* A system call. Wakes up to that many; returns how many. */
unsigned futex_wake(struct futex *f, unsigned most);

/* Not recursive, not fair: whoever comes first after an unlock has it. A system call only where there is somebody to wait for or to
 * wake. */
struct mutex {
	struct futex futex; /* 0: free, 1: held, 2: held and perhaps waited for */
};

void mutex_init(struct mutex *m);
/* True if it had to sleep. */
bool mutex_lock(struct mutex *m);
void mutex_unlock(struct mutex *m);

#endif
