/* SPDX-License-Identifier: GPL-2.0-or-later
 * Going to sleep and waking (cfs.md 0.6, 2.6). */
#include "sched/rq.h"

#include "base/timer.h"

void task_set_sleeping(void)
{
	__atomic_store_n(&current()->state, TASK_SLEEPING, __ATOMIC_SEQ_CST); /* before the caller looks for its event */
}

void task_set_running(void)
{
	WRITE_ONCE(current()->state, TASK_RUNNING);
}

/* The end of every wakeup: the queue's lock is held. */
static void wake_finish(struct rq *rq, struct task *t, unsigned wake_flags)
{
	machine_charge(COST_WAKEUP, 1);
	rq_check_preempt(rq, t, wake_flags);
	TRACE(wakeup(t, rq->cpu));
	STORE_RELEASE(t->state, TASK_RUNNING);
	if (t->class->woken)
		t->class->woken(rq, t);
	avg_idle_update(rq);
}

/* waker: the queue of the CPU that wakes it, which is this one; NULL: it was woken before, and comes from the list. */
static void wake_activate(const struct rq *waker, struct rq *rq, struct task *t, unsigned wake_flags)
{
	rq_activate(rq, t, ENQUEUE_WAKEUP | ENQUEUE_WAKING);
	if (waker)
		latency_begin(waker, t, rq->clock);
	if (unlikely(rq->keeps_averages))
		t->se.start_runtime = t->se.sum_exec;
	wake_finish(rq, t, wake_flags);
}

/* It had not left its queue yet: undo its going to sleep. If it has lost the CPU on its way there, it waits like any other. */
static bool wake_queued(struct task *t, unsigned wake_flags)
{
	struct rq *rq, *this;
	unsigned long flags = rq_lock_task(t, &rq);
	bool queued = t->on_rq;

	if (queued) {
		this = this_rq();
		rq_update_clock(rq);
		if (t == rq->curr)
			this->count.wakeups_running++;
		else
			latency_begin(this, t, rq->clock);
		TRACE(place(PLACE_leaving));
		TRACE(waking(t, rq->cpu, wake_flags));
		wake_finish(rq, t, wake_flags);
		stats_wakeup(this, rq->cpu);
	}
	spin_unlock_irq(&rq->lock, flags);
	return queued;
}

/* A task on its way to a queue waits for it as one that is there. */
static void wait_on_list(struct rq *rq, struct task *t)
{
	__atomic_add_fetch(&rq->waiting[t->mask_kind], 1, __ATOMIC_SEQ_CST);
	if (waste_watching())
		waste_report(rq, t->mask_kind, machine_clock_ns());
}

/* 3.8's TTWU_QUEUE: let the target do the work when its queue is in another cache. The kick is due when the list was empty. */
static void wake_remote(const struct rq *this, unsigned cpu, struct task *t)
{
	struct rq *rq = cpu_rq(cpu);
	struct task *first = READ_ONCE(rq->wake_list);

	TRACE(remote());
	wait_on_list(rq, t);
	if (likely(latency_kept))
		latency_begin(this, t, machine_clock_ns());
	do
		t->wake_next = first;
	while (!__atomic_compare_exchange_n(&rq->wake_list, &first, t, false, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED));
	if (!first)
		machine_kick(cpu);
}

void rq_drain_wake_list(struct rq *rq)
{
	struct task *t;

	if (!READ_ONCE(rq->wake_list))
		return;
	spin_lock(&rq->lock);
	t = __atomic_exchange_n(&rq->wake_list, NULL, __ATOMIC_SEQ_CST);
	while (t) {
		struct task *next = t->wake_next;

		rq_update_clock(rq);
		waste_wait_over(rq, t);
		wake_activate(NULL, rq, t, 0);
		t = next;
	}
	spin_unlock(&rq->lock);
}

void kernel_kicked(void)
{
	struct rq *rq = this_rq();

	rq->in_interrupt = true;
	rq_drain_wake_list(rq);
	if (unlikely(knob.HRTICK)) /* a slice has become shorter */
		rq_arm_timer(rq);
	if (unlikely(READ_ONCE(rq->nohz_kicked)))
		nohz_kicked(rq);
	rq->in_interrupt = false;
}

static void wake_on(struct rq *this, unsigned cpu, struct task *t, unsigned wake_flags)
{
	struct rq *rq = cpu == this->cpu ? this : cpu_rq(cpu);

	if (rq != this && knob.TTWU_QUEUE && llc_id(cpu) != llc_id(this->cpu)) {
		wake_remote(this, cpu, t);
		return;
	}
	spin_lock(&rq->lock);
	wake_activate(this, rq, t, wake_flags);
	spin_unlock(&rq->lock);
}

/*
 * wakeup_lock held. The order of 3.8 (cfs.md 0.6). A stopper that is still leaving its CPU is woken by that CPU itself: two CPUs
 * that go idle after running their stoppers and pull at the same time would else wait for each other's.
 */
static void wake_sleeping(struct task *t, unsigned wake_flags)
{
	struct rq *this = this_rq();
	unsigned cpu;

	if (t->class == &stop_class && LOAD_ACQUIRE(t->on_cpu)) {
		WRITE_ONCE(t->state, TASK_WAKING);
		TRACE(waking(t, t->cpu, wake_flags));
		stats_wakeup(this, t->cpu);
		wake_remote(this, t->cpu, t);
		return;
	}
	while (LOAD_ACQUIRE(t->on_cpu))
		machine_relax();
	WRITE_ONCE(t->state, TASK_WAKING);
	class_call(t, waking, t);
	cpu = class_call(t, select_cpu, t, SELECT_WAKE, wake_flags);
	TRACE(waking(t, cpu, wake_flags));
	stats_wakeup(this, cpu);
	if (cpu != t->cpu)
		task_set_cpu(t, cpu);
	wake_on(this, cpu, t, wake_flags);
	if (unlikely(this->keeps_averages) && !this->in_interrupt)
		averages_on_wakeup(&current()->se); /* which queueing it here has charged */
}

/* wakeup_lock held. */
static bool wake_locked(struct task *t, unsigned wake_flags)
{
	bool asleep = LOAD_ACQUIRE(t->state) == TASK_SLEEPING;

	if (asleep && (!LOAD_ACQUIRE(t->on_rq) || !wake_queued(t, wake_flags)))
		wake_sleeping(t, wake_flags);
	return asleep;
}

bool task_wake(struct task *t, unsigned wake_flags)
{
	unsigned long flags = spin_lock_irq(&t->wakeup_lock);
	bool woken;

	if (!knob.SYNC_WAKEUPS)
		wake_flags &= ~(unsigned)WAKE_SYNC;
	woken = wake_locked(t, wake_flags);
	spin_unlock_irq(&t->wakeup_lock, flags);
	return woken;
}

void task_complete(struct task **waiter)
{
	struct task *t = *waiter;
	unsigned long flags = spin_lock_irq(&t->wakeup_lock);

	STORE_RELEASE(*waiter, NULL); /* from here on *waiter may be gone, but not t: it will want this lock */
	wake_locked(t, 0);
	spin_unlock_irq(&t->wakeup_lock, flags);
}

void task_await(struct task **waiter)
{
	struct task *t = current();
	unsigned long flags;

	for (task_set_sleeping(); LOAD_ACQUIRE(*waiter); task_set_sleeping())
		schedule();
	task_set_running();
	flags = spin_lock_irq(&t->wakeup_lock); /* until the waker has let go of us */
	spin_unlock_irq(&t->wakeup_lock, flags);
}

struct sleeper {
	struct timer timer;
	struct task *task;
};

static void sleeper_wake(struct timer *timer)
{
	task_complete(&container_of(timer, struct sleeper, timer)->task);
}

/* Interrupts are off, and are as flags says on return. */
static void sleep_until(u64 instant_ns, unsigned long flags)
{
	struct sleeper s = { .timer = { .deadline_ns = instant_ns, .fire = sleeper_wake }, .task = current() };

	timer_start(&s.timer);
	machine_irq_restore(flags);
	task_await(&s.task);
}

void task_sleep_ns(u64 ns)
{
	unsigned long flags = machine_irq_save();

	sleep_until(machine_clock_ns() + ns, flags);
}

void task_sleep_until_ns(u64 instant_ns)
{
	unsigned long flags = machine_irq_save();

	if (machine_clock_ns() < instant_ns)
		sleep_until(instant_ns, flags);
	else
		machine_irq_restore(flags);
}
