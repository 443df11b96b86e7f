/* SPDX-License-Identifier: GPL-2.0-or-later
 * The checks of spinlocks in a debug build. */
#include "base/spinlock.h"

#include "base/bug.h"

#ifdef DEBUG

/*
 * The lock of each rank that this CPU has taken last and still holds, the one before it, and how many of that rank it holds. Of
 * more than two, those below the upper two are not remembered: once they are released, any is taken for in order.
 */
static struct {
	const struct spinlock *last[NR_RANKS], *before[NR_RANKS];
	u8 count[NR_RANKS];
} cache_aligned held[MAX_CPUS]; /* owner CPU */

void spin_check_acquire(const struct spinlock *lock)
{
	unsigned cpu = machine_cpu();

	bug_on(!machine_irqs_off());
	bug_on(spin_held(lock));
	for (u32 rank = lock->rank + 1; rank < NR_RANKS; rank++)
		bug_on(held[cpu].count[rank]);
	bug_on(held[cpu].count[lock->rank] && (lock->rank != RANK_RQ || lock < held[cpu].last[RANK_RQ]));
}

void spin_check_acquired(const struct spinlock *lock)
{
	unsigned cpu = machine_cpu();

	held[cpu].before[lock->rank] = held[cpu].count[lock->rank]++ ? held[cpu].last[lock->rank] : NULL;
	held[cpu].last[lock->rank] = lock;
}

void spin_check_release(const struct spinlock *lock)
{
	unsigned cpu = machine_cpu();

	bug_on(!spin_held(lock));
	held[cpu].count[lock->rank]--;
	if (held[cpu].last[lock->rank] == lock) {
		held[cpu].last[lock->rank] = held[cpu].before[lock->rank];
		held[cpu].before[lock->rank] = NULL;
	}
}

#endif
