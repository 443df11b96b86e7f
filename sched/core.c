/* SPDX-License-Identifier: GPL-2.0-or-later
 * Run queues, the switch from task to task, and giving the CPU away. */
#include "sched/rq.h"

#include "base/text.h"
#include "sched/check.h"

struct rq runqueues[MAX_CPUS];
unsigned nr_cpus;
struct cpumask cpus_online;

/* ---- clocks ---- */

void rq_update_clock(struct rq *rq)
{
	u64 now = machine_clock_ns();

	if ((s64)(now - rq->clock) > 0)
		rq->clock = now;
}

/* ---- locks ---- */

/* A task's CPU may change until the lock of its queue is held. */
unsigned long rq_lock_task(struct task *t, struct rq **rq)
{
	unsigned long flags = machine_irq_save();

	for (;;) {
		*rq = task_rq(t);
		spin_lock(&(*rq)->lock);
		if (*rq == task_rq(t))
			return flags;
		spin_unlock(&(*rq)->lock);
	}
}

void rq_lock_pair(struct rq *a, struct rq *b)
{
	if (a == b) {
		spin_lock(&a->lock);
		return;
	}
	spin_lock(a < b ? &a->lock : &b->lock);
	spin_lock(a < b ? &b->lock : &a->lock);
}

void rq_unlock_pair(struct rq *a, struct rq *b)
{
	spin_unlock(&a->lock);
	if (a != b)
		spin_unlock(&b->lock);
}

/* ---- queues ---- */

void rq_activate(struct rq *rq, struct task *t, unsigned enqueue_flags)
{
	debug_bug_on(!spin_held(&rq->lock) || t == rq->curr);
	rq_update_clock(rq);
	rq->nr_running++;
	t->queued_at = rq->clock;
	class_call(t, enqueue, rq, t, enqueue_flags);
	t->on_rq = true;
	waste_wait(rq, t);
	machine_charge(COST_ENQUEUE, 1);
}

/* The queue's clock is up to date. Leaves t->on_rq to the caller: between two queues it stays true, so that wakers keep off. */
void rq_deactivate(struct rq *rq, struct task *t, unsigned dequeue_flags)
{
	debug_bug_on(!spin_held(&rq->lock));
	class_call(t, dequeue, rq, t, dequeue_flags);
	rq->nr_running--;
	if (t != rq->curr) {
		stats_leave(rq, t);
		waste_wait_over(rq, t);
	}
	machine_charge(COST_DEQUEUE, 1);
}

void task_set_cpu(struct task *t, unsigned cpu)
{
	if (t->cpu == cpu)
		return;
	if (t->class->migrate)
		t->class->migrate(t, cpu);
	t->nr_migrations++;
	this_rq()->count.migrations++;
	if (power_aware())
		pelt_migrate(t);
	WRITE_ONCE(t->cpu, cpu);
	if (t->nr_allowed == 1) /* it has got where it is bound to */
		t->mask_kind = MASK_HERE;
}

void task_resched(struct task *t)
{
	unsigned cpu = t->cpu;

	if (READ_ONCE(t->need_resched))
		return;
	__atomic_store_n(&t->need_resched, 1, __ATOMIC_SEQ_CST);
	if (cpu != machine_cpu())
		machine_kick(cpu);
}

/* 3.8: within a class its own rule, between classes the higher one wins. */
void rq_check_preempt(struct rq *rq, struct task *t, unsigned wake_flags)
{
	struct task *curr = rq->curr;

	TRACE(rule(RULE_waits));
	if (t->class == curr->class) {
		class_call(t, check_preempt, rq, t, wake_flags);
		return;
	}
	for (const struct sched_class *c = &stop_class; c; c = c->lower) {
		if (c == curr->class)
			return;
		if (c == t->class) {
			TRACE(rule(curr->is_idle ? RULE_idle : RULE_class));
			task_resched(curr);
			return;
		}
	}
}

/* ---- the switch ---- */

static struct task *pick_next(struct rq *rq)
{
	if (rq->nr_running == rq->cfs.nr_running && rq->nr_running)
		return fair_class.pick(rq);
	for (const struct sched_class *c = &stop_class;; c = c->lower) {
		struct task *t = c->pick(rq);

		if (t)
			return t;
	}
}

/* A task that has moved brings nothing of its working set along. */
static void warm_up(struct task *t)
{
	if (t->warm_cpu == t->cpu || t->is_idle)
		return;
	stats_cold(t, machine_charge_cold(t->warm_cpu));
	t->warm_cpu = t->cpu;
}

static void leave_schedule(struct rq *rq)
{
	if (unlikely(rq->rt.push_due))
		rt_push(rq); /* now that the task switched from can be moved */
	spin_unlock(&rq->lock);
}

/* In the context of the task switched to: give up the CPU's claim on the one switched from, and the lock it took. */
void finish_switch(struct task *prev)
{
	struct rq *rq = this_rq();
	bool dead = prev->state == TASK_DEAD;

	STORE_RELEASE(prev->on_cpu, false);
	leave_schedule(rq);
	if (unlikely(dead))
		task_release(prev);
	warm_up(current());
}

static void switch_to(struct rq *rq, struct task *prev, struct task *next)
{
	struct context *from;

	rq->count.switches++;
	machine_charge(COST_SWITCH, 1);
	WRITE_ONCE(rq->curr, next);
	next->on_cpu = true;
	debug_bug_on(prev->stack_top && *machine_stack_end(prev->stack_top) != STACK_CANARY);
	from = machine_switch(&prev->context, &next->context);
	finish_switch((struct task *)from);
}

static void count_departure(struct rq *rq, struct task *prev, bool sleeps)
{
	if (sleeps) {
		prev->nr_voluntary++;
		rq->count.voluntary++;
	} else {
		prev->nr_involuntary++;
		rq->count.involuntary++;
	}
}

/* The order of cfs.md 0.5. A preempted task stays queued whatever its state says: it has not finished going to sleep. */
static void schedule_once(bool preempted)
{
	unsigned long flags = machine_irq_save();
	struct rq *rq = this_rq();
	struct task *prev, *next;
	bool sleeps;

	spin_lock(&rq->lock);
	rq_check_sometimes(rq);
	prev = rq->curr;
	rq->count.schedules++;
	rq_update_clock(rq);
	if (knob.resched_clear == RESCHED_CLEAR_EARLY)
		WRITE_ONCE(prev->need_resched, 0);
	sleeps = prev->state != TASK_RUNNING && !preempted;
	if (sleeps) {
		if (unlikely(rq->keeps_averages))
			averages_on_sleep(&prev->se);
		rq_deactivate(rq, prev, DEQUEUE_SLEEP);
		STORE_RELEASE(prev->on_rq, false);
	}
	if (unlikely(prev->class->pre_schedule != NULL))
		prev->class->pre_schedule(rq, prev);
	if (!rq->nr_running && knob.newidle != NEWIDLE_NEVER)
		newidle_balance(rq);
	if (unlikely(rq->keeps_averages))
		averages_on_put(prev);
	class_call(prev, put, rq, prev);
	TRACE(pick(rq));
	next = pick_next(rq);
	if (knob.resched_clear == RESCHED_CLEAR_LATE)
		WRITE_ONCE(prev->need_resched, 0);
	if (prev == next) {
		machine_charge(COST_SCHEDULE, 1);
		leave_schedule(rq);
	} else {
		count_departure(rq, prev, sleeps);
		waste_switch(rq, prev, next);
		stats_switch(rq, prev, next);
		TRACE(switched(prev, next, sleeps, preempted));
		switch_to(rq, prev, next);
	}
	machine_irq_restore(flags);
}

void schedule(void)
{
	do
		schedule_once(false);
	while (READ_ONCE(current()->need_resched));
}

static void schedule_preempted(void)
{
	do
		schedule_once(true);
	while (READ_ONCE(current()->need_resched));
}

/* ---- where preemption happens ---- */

static bool should_preempt(const struct task *t, bool in_kernel)
{
	return READ_ONCE(t->need_resched) && !t->preempt_off && (knob.preempt == PREEMPT_FULL || !in_kernel);
}

void kernel_irq_exit(void)
{
	struct task *t = current();

	if (should_preempt(t, t->syscall_depth))
		schedule_preempted();
}

void syscall_enter(void)
{
	current()->syscall_depth++;
	machine_charge(COST_SYSCALL, 1);
}

void syscall_exit(void)
{
	struct task *t = current();

	WRITE_ONCE(t->syscall_depth, t->syscall_depth - 1);
	__atomic_signal_fence(__ATOMIC_SEQ_CST); /* an interrupt from here on preempts by itself */
	if (!t->syscall_depth && unlikely(READ_ONCE(t->need_resched)))
		schedule();
}

void preempt_point(void)
{
	struct task *t = current();

	if (unlikely(should_preempt(t, true)) && !machine_irqs_off())
		schedule_preempted();
}

/* ---- yielding ---- */

void task_yield(void)
{
	unsigned long flags = machine_irq_save();
	struct rq *rq = this_rq();

	spin_lock(&rq->lock);
	rq->count.yields++;
	current()->class->yield(rq);
	spin_unlock_irq(&rq->lock, flags);
	schedule();
}

static bool can_yield_to(const struct rq *rq, const struct task *t)
{
	const struct task *curr = current();

	return curr->class == t->class && t->class->yield_to && t->on_rq && rq->curr != t && t->state == TASK_RUNNING;
}

/* Our queue's lock and that of t's queue, which is returned; t may have moved before it is held. */
static struct rq *lock_with_queue_of(struct rq *rq, const struct task *t)
{
	for (;;) {
		struct rq *other = task_rq(t);

		rq_lock_pair(rq, other);
		if (other == task_rq(t))
			return other;
		rq_unlock_pair(rq, other);
	}
}

bool task_yield_to(struct task *t, bool preempt)
{
	unsigned long flags = machine_irq_save();
	struct rq *rq = this_rq(), *other = lock_with_queue_of(rq, t);
	bool yields = can_yield_to(other, t);

	if (yields) {
		rq->count.yields++;
		t->class->yield_to(rq, t);
		if (preempt && rq != other)
			task_resched(other->curr);
	}
	rq_unlock_pair(rq, other);
	machine_irq_restore(flags);
	if (yields)
		schedule();
	return yields;
}

/* ---- start of a CPU ---- */

static void rq_init(unsigned cpu)
{
	struct rq *rq = cpu_rq(cpu);

	rq->lock = SPINLOCK_INIT(RANK_RQ);
	rq->cpu = cpu;
	rq->next_tick = TIMER_NEVER;
	rq->slice_end = TIMER_NEVER;
	cfs_init(&rq->cfs);
	rt_init(&rq->rt);
	latency_init(rq);
}

static u32 cpus_ready; /* atomic; CPUs that can be given tasks */

static const char *current_name(unsigned cpu)
{
	const struct task *t = cpu == machine_cpu() ? (const struct task *)machine_current() : READ_ONCE(cpu_rq(cpu)->curr);

	return t ? t->name : "none";
}

/* Make the flow of control that runs here the idle task of this CPU. */
static void become_idle(void)
{
	struct rq *rq = this_rq();
	struct task *idle = rq->idle;

	idle->cpu = rq->cpu;
	idle->on_cpu = true;
	idle->is_idle = true;
	idle->preempt_off = 1; /* it gives the CPU up in its loop only */
	idle->class = &idle_class;
	rq->curr = idle;
	rq_update_clock(rq);
	rq->idle_since = rq->clock;
	waste_cpu_starts(rq);
	machine_adopt(&idle->context);
	__atomic_add_fetch(&cpus_ready, 1, __ATOMIC_RELEASE);
}

void sched_await_cpus(void)
{
	while (LOAD_ACQUIRE(cpus_ready) < nr_cpus)
		machine_relax();
}

void sched_init(void)
{
	nr_cpus = machine_nr_cpus();
	for (unsigned cpu = 0; cpu < nr_cpus; cpu++) {
		char name[24];

		mask_set(&cpus_online, cpu);
		rq_init(cpu);
		text_format(name, sizeof(name), "idle/%u", cpu);
		cpu_rq(cpu)->idle = task_new(name, NULL, NULL);
		bug_on(!cpu_rq(cpu)->idle);
	}
	become_idle();
	fault_task_name = current_name;
	bug_on(domains_build(machine_topology()));
	sched_apply_knobs();
	for (unsigned cpu = 0; cpu < nr_cpus; cpu++)
		stop_init(cpu);
}

void sched_secondary(void)
{
	become_idle();
	sched_run_cpu();
}

_Noreturn void sched_run_cpu(void)
{
	struct task *idle = current();

	tick_arm(this_rq());
	for (;;) {
		while (!READ_ONCE(idle->need_resched))
			machine_idle();
		schedule_once(false);
	}
}
