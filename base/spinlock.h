/* SPDX-License-Identifier: GPL-2.0-or-later
 * Spinlocks. Interrupts are off while one is held, so a holder is never preempted.
 * A debug build (DEBUG) checks the owner and that ranks only rise.
 */
#ifndef BASE_SPINLOCK_H
#define BASE_SPINLOCK_H

#include "arch/machine.h"

/* The lock order, outermost first. Of one rank only one is held at a time, but for run queues: those in ascending order of CPU. */
enum lock_rank {
	RANK_OBJECT,  /* a channel, a pipe */
	RANK_WAITQ,   /* a wait queue */
	RANK_WAKEUP,  /* task->wakeup_lock */
	RANK_RQ,      /* a run queue */
	RANK_LEDGER,  /* who is idle and who waits */
	RANK_POOL,    /* recycled tasks, stacks, spaces */
	RANK_MEMORY,  /* memory itself */
	RANK_CONSOLE, /* the text stream */
	RANK_CLOCK,   /* a counter that wraps */
	NR_RANKS,
};

struct spinlock {
	u32 owner; /* CPU + 1; 0: free */
	u32 rank;
};

#define SPINLOCK_INIT(r) ((struct spinlock){ .owner = 0, .rank = (r) })

#ifdef DEBUG
void spin_check_acquire(const struct spinlock *lock);
void spin_check_acquired(const struct spinlock *lock);
void spin_check_release(const struct spinlock *lock);
#else
static inline void spin_check_acquire(const struct spinlock *lock)
{
	(void)lock;
}
static inline void spin_check_acquired(const struct spinlock *lock)
{
	(void)lock;
}
static inline void spin_check_release(const struct spinlock *lock)
{
	(void)lock;
}
#endif

/* Interrupts are off. */
static inline void spin_lock(struct spinlock *lock)
{
	spin_check_acquire(lock);
	machine_lock(&lock->owner);
	spin_check_acquired(lock);
}

static inline void spin_unlock(struct spinlock *lock)
{
	spin_check_release(lock);
	machine_unlock(&lock->owner);
}

static inline unsigned long spin_lock_irq(struct spinlock *lock)
{
	unsigned long flags = machine_irq_save();

	spin_lock(lock);
	return flags;
}

static inline void spin_unlock_irq(struct spinlock *lock, unsigned long flags)
{
	spin_unlock(lock);
	machine_irq_restore(flags);
}

static inline bool spin_held(const struct spinlock *lock)
{
	return READ_ONCE(lock->owner) == machine_cpu() + 1;
}

#endif
