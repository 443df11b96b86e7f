/* SPDX-License-Identifier: GPL-2.0-or-later
 * Futexes, and mutexes on them. */
#include "ipc/futex.h"

struct futex_waiter {
	TAILQ_ENTRY(futex_waiter) peers;
	struct task *task; /* of task_await() */
};

void futex_init(struct futex *f, u32 word)
{
	f->word = word;
	f->lock = SPINLOCK_INIT(RANK_OBJECT);
	TAILQ_INIT(&f->waiters);
}

static bool enter_queue(struct futex *f, struct futex_waiter *w, u32 expected)
{
	unsigned long flags = spin_lock_irq(&f->lock);
	bool waits = LOAD_ACQUIRE(f->word) == expected;

	if (waits)
		TAILQ_INSERT_TAIL(&f->waiters, w, peers);
	machine_charge(COST_PREPARE, 1);
	spin_unlock_irq(&f->lock, flags);
	return waits;
}

bool futex_wait(struct futex *f, u32 expected)
{
	struct futex_waiter w = { .task = current() };
	bool waits;

	syscall_enter();
	waits = enter_queue(f, &w, expected);
	if (waits)
		task_await(&w.task);
	syscall_exit();
	return waits;
}

static struct futex_waiter *leave_queue(struct futex *f)
{
	struct futex_waiter *w = f->waiters.tqh_first;

	if (w)
		TAILQ_REMOVE(&f->waiters, w, peers);
	return w;
}

unsigned futex_wake(struct futex *f, unsigned most)
{
	TAILQ_HEAD(, futex_waiter) chosen = TAILQ_HEAD_INITIALIZER(chosen);
	struct futex_waiter *w, *next;
	unsigned long flags;
	unsigned woken = 0;

	syscall_enter();
	flags = spin_lock_irq(&f->lock);
	while (woken < most && (w = leave_queue(f))) {
		TAILQ_INSERT_TAIL(&chosen, w, peers);
		woken++;
	}
	spin_unlock_irq(&f->lock, flags);
	TAILQ_FOREACH_SAFE(w, &chosen, peers, next)
		task_complete(&w->task); /* from here on *w may be gone */
	preempt_point();
	syscall_exit();
	return woken;
}

/* ---- mutex: the three states of Drepper's "Futexes are tricky" ---- */

void mutex_init(struct mutex *m)
{
	futex_init(&m->futex, 0);
}

bool mutex_lock(struct mutex *m)
{
	u32 free = 0;
	bool slept = false;

	if (__atomic_compare_exchange_n(&m->futex.word, &free, 1, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
		return false;
	while (__atomic_exchange_n(&m->futex.word, 2, __ATOMIC_ACQUIRE))
		slept |= futex_wait(&m->futex, 2);
	return slept;
}

void mutex_unlock(struct mutex *m)
{
	if (__atomic_exchange_n(&m->futex.word, 0, __ATOMIC_RELEASE) == 2)
		futex_wake(&m->futex, 1);
}
