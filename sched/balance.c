/* SPDX-License-Identifier: GPL-2.0-or-later
 * Load balancing: moving tasks from the busiest queue to this one, periodically and when asked (cfs.md 5, the rules of 3.8). */
#include "sched/rq.h"

/* ---- which tasks ---- */

/* Ran so recently that it would leave a warm cache behind. now: the clock of its queue. */
bool task_is_hot(struct task *t, u64 now)
{
	if (t->class != &fair_class || t->policy == POLICY_IDLE)
		return false;
	if (buddy_is_hot(t))
		return true;
	if (knob.sched_migration_cost_ns == MIGRATION_COST_ALWAYS_HOT)
		return true;
	return (s64)(now - t->se.exec_start) < (s64)knob.sched_migration_cost_ns;
}

/* Some CPU of our group could take it instead of us: 3.8 then goes on for that one. */
static void note_pinned(struct balance *b, struct task *t)
{
	if (b->some_pinned)
		return;
	for_each_cpu(cpu, &b->sd->groups->span)
		if (mask_has(&t->allowed, cpu) && cpu != b->src->cpu) {
			b->some_pinned = true;
			b->new_dst_cpu = cpu;
			return;
		}
}

/* Both locks are held. Repeated failure to move anything makes hot tasks fair game. */
static bool can_migrate(struct balance *b, struct task *t)
{
	if (!mask_has(&t->allowed, b->dst_cpu)) {
		note_pinned(b, t);
		return false;
	}
	b->all_pinned = false;
	if (b->src->curr == t)
		return false;
	if (!task_is_hot(t, b->src->clock))
		return true;
	if (b->sd->nr_balance_failed <= b->sd->cache_nice_tries)
		return false;
	b->sd->counts[b->idle].hot_gained++;
	return true;
}

/* ---- moving ---- */

static void move_task(struct balance *b, struct task *t)
{
	rq_deactivate(b->src, t, 0);
	task_set_cpu(t, b->dst_cpu);
	rq_activate(b->dst, t, 0);
	rq_check_preempt(b->dst, t, 0);
	machine_charge(COST_MOVE, 1);
}

enum { LOOP_BREAK = 32 };

static bool passes_over(struct balance *b, struct task *t)
{
	u64 weight = t->se.load.weight;

	if (knob.LB_MIN && weight < 16 && !b->sd->nr_balance_failed)
		return true;
	return weight / 2 > b->imbalance || !can_migrate(b, t);
}

/* With preemption a CPU about to go idle takes one task only, so that it is not kept from running it. */
static bool one_is_enough(const struct balance *b)
{
	return knob.preempt == PREEMPT_FULL && b->idle == CPU_NEWLY_IDLE;
}

/* Both locks are held. Looks at the newest task first; those passed over go to the end, so that the next attempt sees others. */
static unsigned move_tasks(struct balance *b)
{
	struct cfs_rq *cfs = &b->src->cfs;
	unsigned moved = 0, loop_max = (unsigned)min_u64(knob.sched_nr_migrate, b->src->nr_running);
	struct sched_entity *se;

	while (b->imbalance && (se = TAILQ_FIRST(&cfs->tasks)) && ++b->loop <= loop_max) {
		if (b->loop > b->loop_break) {
			b->loop_break += LOOP_BREAK;
			b->need_break = true;
			break;
		}
		if (passes_over(b, task_of(se))) {
			TAILQ_REMOVE(&cfs->tasks, se, peers);
			TAILQ_INSERT_TAIL(&cfs->tasks, se, peers);
			continue;
		}
		move_task(b, task_of(se));
		moved++;
		b->imbalance -= min_u64(b->imbalance, se->load.weight);
		if (one_is_enough(b))
			break;
	}
	return moved;
}

static unsigned move_locked(struct balance *b)
{
	unsigned moved;

	b->need_break = false;
	rq_lock_pair(b->dst, b->src);
	rq_update_clock(b->src);
	moved = move_tasks(b);
	if (moved && b->dst_cpu != machine_cpu())
		task_resched(b->dst->curr);
	rq_unlock_pair(b->dst, b->src);
	return moved;
}

/* Some tasks may only go to another CPU of our group: try for that one. False: there is none such, or nothing left to move. */
static bool retarget(struct balance *b)
{
	if (!b->some_pinned || !b->imbalance)
		return false;
	b->dst_cpu = b->new_dst_cpu;
	b->dst = cpu_rq(b->dst_cpu);
	b->some_pinned = false;
	b->loop = 0;
	b->loop_break = LOOP_BREAK;
	return true;
}

static unsigned pull(struct balance *b)
{
	unsigned moved = 0, rounds = 0;

	b->all_pinned = true;
	b->some_pinned = false;
	b->loop = 0;
	b->loop_break = LOOP_BREAK;
	do
		moved += move_locked(b);
	while (b->need_break || (rounds++ < b->sd->groups->weight && retarget(b)));
	return moved;
}

/* ---- active balance: push a task away from the CPU on which it runs ---- */

static struct sched_domain *common_domain(unsigned cpu, unsigned other)
{
	for_each_domain(cpu, sd)
		if (mask_has(&sd->span, other))
			return sd;
	return NULL;
}

/* The newest task that may go; hot ones too, after so many failures. Both locks are held. */
static bool push_one(struct balance *b)
{
	struct sched_entity *se;

	TAILQ_FOREACH(se, &b->src->cfs.tasks, peers)
		if (can_migrate(b, task_of(se))) {
			move_task(b, task_of(se));
			return true;
		}
	return false;
}

/* Runs in the stopper of the busiest CPU, which counts among its running tasks: with one victim there are two. */
static void push_running(void *argument)
{
	struct rq *src = argument, *dst = cpu_rq(src->push_cpu);
	unsigned long flags = machine_irq_save();
	struct balance b = { .idle = CPU_IDLE, .src = src, .dst = dst, .dst_cpu = dst->cpu };

	rq_lock_pair(src, dst);
	rq_update_clock(src);
	b.sd = common_domain(dst->cpu, src->cpu);
	if (src->nr_running > 1 && src != dst && b.sd) {
		b.sd->alb_count++;
		if (push_one(&b)) {
			b.sd->alb_pushed++;
			this_rq()->count.active_pushes++;
		} else {
			b.sd->alb_failed++;
		}
	}
	src->active_balance = false;
	rq_unlock_pair(src, dst);
	machine_irq_restore(flags);
}

enum push_result { PUSH_STARTED, PUSH_UNDER_WAY, PUSH_PINNED };

static enum push_result start_push(struct balance *b)
{
	struct rq *src = b->src;
	enum push_result result = PUSH_UNDER_WAY;

	spin_lock(&src->lock);
	if (!mask_has(&src->curr->allowed, b->cpu)) {
		result = PUSH_PINNED;
	} else if (!src->active_balance) {
		src->active_balance = true;
		src->push_cpu = b->cpu;
		src->push = (struct stop_work){ .fn = push_running, .argument = src };
		result = PUSH_STARTED;
	}
	spin_unlock(&src->lock);
	if (result == PUSH_STARTED)
		stop_queue(src->cpu, &src->push);
	return result;
}

/* ---- one pass ---- */

enum pass_result { PASS_MOVED, PASS_FAILED, PASS_BALANCED, PASS_ALL_PINNED, PASS_ONE_PINNED };

static void lengthen_interval(struct sched_domain *sd, bool pinned)
{
	enum { LONGEST_PINNED = 512 }; /* ms */

	if ((pinned && sd->balance_interval < LONGEST_PINNED) || sd->balance_interval < sd->max_interval)
		sd->balance_interval *= 2;
}

/* Nothing could be moved although it should. */
static enum pass_result pass_failed(struct balance *b)
{
	struct sched_domain *sd = b->sd;
	enum push_result push = PUSH_UNDER_WAY;

	sd->counts[b->idle].failed++;
	if (b->idle != CPU_NEWLY_IDLE)
		sd->nr_balance_failed++;
	if (sd->nr_balance_failed > sd->cache_nice_tries + 2) {
		push = start_push(b);
		if (push == PUSH_PINNED)
			return PASS_ONE_PINNED;
		sd->nr_balance_failed = sd->cache_nice_tries + 1;
	}
	if (push == PUSH_STARTED)
		lengthen_interval(sd, false);
	else
		sd->balance_interval = sd->min_interval;
	return PASS_FAILED;
}

/* A queue whose tasks are all bound elsewhere is left out and the search made again; that it was so is not forgotten. */
static enum pass_result search_and_pull(struct balance *b, unsigned *moved)
{
	struct sd_counts *counts = &b->sd->counts[b->idle];

	for (;;) {
		struct sched_group *g = find_busiest_group(b);

		b->src = g ? find_busiest_queue(b, g) : NULL;
		if (!b->src || b->src == b->dst) {
			counts->nobusyg += *b->responsible && !g;
			counts->nobusyq += g != NULL;
			return b->all_pinned ? PASS_ALL_PINNED : PASS_BALANCED;
		}
		counts->imbalance += b->imbalance;
		if (READ_ONCE(b->src->nr_running) <= 1)
			return PASS_FAILED;
		*moved = pull(b);
		if (!b->all_pinned)
			return *moved ? PASS_MOVED : PASS_FAILED;
		mask_unset(&b->cpus, b->src->cpu);
		if (mask_empty(&b->cpus))
			return PASS_ALL_PINNED;
	}
}

/*
 * One pass for rq's CPU, in one of its domains, by whoever has set rq->balancing. Returns how many tasks came. Clears *responsible
 * when another CPU of our group should do this, here and above. Interrupts off, no run-queue lock held.
 */
unsigned load_balance(struct rq *rq, struct sched_domain *sd, enum idle_type idle, bool *responsible)
{
	struct balance b = { .sd = sd,
		.idle = idle,
		.cpu = rq->cpu,
		.dst = rq,
		.dst_cpu = rq->cpu,
		.responsible = responsible,
		.cpus = cpus_online };
	struct sd_counts *counts = &sd->counts[idle];
	enum pass_result result;
	unsigned moved = 0;

	counts->count++;
	rq->count.balance_attempts[idle]++;
	result = search_and_pull(&b, &moved);
	if (result == PASS_FAILED)
		result = pass_failed(&b);
	machine_charge(COST_BALANCE, 1);
	switch (result) {
	case PASS_MOVED:
		sd->nr_balance_failed = 0;
		sd->balance_interval = sd->min_interval;
		counts->gained += moved;
		rq->count.balance_pulls[idle] += moved;
		break;
	case PASS_BALANCED:
	case PASS_ALL_PINNED:
		counts->balanced++;
		sd->nr_balance_failed = 0;
		lengthen_interval(sd, result == PASS_ALL_PINNED);
		break;
	case PASS_ONE_PINNED:
		lengthen_interval(sd, true);
		break;
	case PASS_FAILED:
		break;
	}
	return moved;
}

/* ---- the periodic walk ---- */

static u64 interval_ticks(const struct sched_domain *sd, enum idle_type idle)
{
	u64 ms = (u64)sd->balance_interval * (idle == CPU_IDLE ? 1 : sd->busy_factor);
	u64 most = NSEC_PER_SEC / tick_ns() * nr_cpus / 10;

	return min_u64(ticks_of_ms(ms), max_u64(most, 1));
}

/* Levels across nodes are balanced by one CPU of the machine at a time. */
static u32 serialized; /* atomic */

static bool level_enter(const struct sched_domain *sd)
{
	return !(sd->flags & SD_SERIALIZE) || !__atomic_exchange_n(&serialized, 1, __ATOMIC_ACQUIRE);
}

static void level_leave(const struct sched_domain *sd)
{
	if (sd->flags & SD_SERIALIZE)
		STORE_RELEASE(serialized, 0);
}

/* newidle=cost (3.13): what a pass has cost at most is forgotten by 253/256 a second. */
static void decay_cost(struct rq *rq)
{
	u64 now = tick_now(), sum = 0;
	bool decayed = false;

	for (struct sched_domain *sd = rq->sd; sd; sd = sd->parent) {
		if (now >= sd->next_decay) {
			sd->max_newidle_lb_cost = sd->max_newidle_lb_cost * 253 / 256;
			sd->next_decay = now + NSEC_PER_SEC / tick_ns();
			decayed = true;
		}
		sum += sd->max_newidle_lb_cost;
	}
	if (decayed)
		rq->max_idle_balance_cost = max_u64(knob.sched_migration_cost_ns, sum);
}

void rebalance_domains(struct rq *rq, enum idle_type idle)
{
	u64 next = tick_now() + 60 * NSEC_PER_SEC / tick_ns();
	bool responsible = true;

	if (!balance_enter(rq))
		return;
	if (knob.newidle == NEWIDLE_COST)
		decay_cost(rq);
	for (struct sched_domain *sd = rq->sd; sd && responsible; sd = sd->parent) {
		u64 interval = interval_ticks(sd, idle);

		if (level_enter(sd)) {
			if (tick_now() >= sd->last_balance + interval) {
				if (load_balance(rq, sd, idle, &responsible))
					idle = CPU_NOT_IDLE;
				sd->last_balance = tick_now();
			}
			level_leave(sd);
		}
		next = min_u64(next, sd->last_balance + interval);
	}
	WRITE_ONCE(rq->next_balance, next);
	balance_leave(rq);
}

void balance_tick(struct rq *rq)
{
	enum idle_type idle;

	if (!rq->sd || tick_now() < rq->next_balance)
		return;
	idle = cpu_is_idle(rq->cpu) ? CPU_IDLE : CPU_NOT_IDLE;
	rebalance_domains(rq, idle);
	if (unlikely(knob.nohz) && idle == CPU_IDLE)
		nohz_balance_as_owner(rq);
}
