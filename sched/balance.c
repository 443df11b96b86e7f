/* SPDX-License-Identifier: GPL-2.0-or-later
 * Load balancing: a pass for one CPU in one of its domains, and the walk through its domains that the tick starts (cfs.md 5.1, 5.2
 * and 5.7). */
#include "sched/balance.h"

/* ---- one pass ---- */

struct balance balance_begin(struct rq *rq, struct sched_domain *sd, enum idle_type idle, bool *responsible)
{
	bool held = idle == CPU_NEWLY_IDLE && spin_held(&rq->lock);

	return (struct balance){
		.sd = sd,
		.idle = idle,
		.rq = rq,
		.dst = rq,
		.dst_cpu = rq->cpu,
		.held = held ? rq : NULL,
		.responsible = responsible,
		.cpus = cpus_online,
	};
}

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
enum pass_result search_and_pull(struct balance *b, unsigned *moved)
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
		b->wanted = b->imbalance;
		if (READ_ONCE(b->src->nr_running) <= !b->power_mode)
			return PASS_FAILED;
		*moved = pull_tasks(b);
		if (!b->all_pinned)
			return *moved ? PASS_MOVED : PASS_FAILED;
		mask_unset(&b->cpus, b->src->cpu);
		if (mask_empty(&b->cpus))
			return PASS_ALL_PINNED;
	}
}

/* 2.6.32, at the level of a core's threads: one of those looked at has something to do. A busy CPU has seen itself. */
bool core_is_busy(const struct balance *b)
{
	return knob.smt_busy == SMT_BUSY_STOP && b->sd->flags & SD_SHARE_CPUPOWER && b->tasks_seen;
}

/*
 * One pass for that CPU, which need not be the one that executes it, in one of its domains. Returns how many tasks came, or -1:
 * none, and the core is not idle (smt_busy=stop), so that the CPU does not count as idle further up. Clears *responsible when
 * another CPU of our group should do this, here and above. Interrupts off; no run-queue lock held, but rq's if it is newly idle and
 * newidle_lock=held.
 */
int load_balance(struct rq *rq, struct sched_domain *sd, enum idle_type idle, bool *responsible)
{
	struct balance b = balance_begin(rq, sd, idle, responsible);
	struct sd_counts *counts = &sd->counts[idle];
	enum pass_result result;
	unsigned moved = 0;

	counts->count++;
	rq->count.balance_attempts[idle]++;
	result = search_and_pull(&b, &moved);
	walk_finds(rq, *responsible ? (enum waste_cause)b.met : WASTE_NOBODY);
	if (result == PASS_FAILED)
		result = pass_failed(&b);
	TRACE(balance(&b, result, moved));
	machine_charge(COST_BALANCE, 1);
	switch (result) {
	case PASS_MOVED:
		sd->nr_balance_failed = 0;
		sd->balance_interval = sd->min_interval;
		counts->gained += moved;
		rq->count.balance_pulls[idle] += moved;
		return (int)moved;
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
	return core_is_busy(&b) ? -1 : 0;
}

/* ---- the periodic walk ---- */

/* At most a tenth of a second for each CPU: 2.6.32 counted those that the kernel was built for. */
static u64 interval_ticks(const struct sched_domain *sd, enum idle_type idle)
{
	u64 ms = (u64)sd->balance_interval * (idle == CPU_IDLE ? 1 : sd->busy_factor);
	u64 cpus = knob.interval_cap == INTERVAL_CAP_BUILT ? MAX_CPUS : nr_cpus;

	return min_u64(ticks_of_ms(ms), NSEC_PER_SEC / tick_ns() * cpus / 10);
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

static void begin_look(struct rq *rq)
{
	rq->look = WASTE_NOT_DUE;
	waste_note_look(rq, WASTE_LOCK);
}

static void walk_due_domains(struct rq *rq, enum idle_type idle)
{
	u64 latest = tick_now() + 60 * NSEC_PER_SEC / tick_ns(), next = latest;
	bool responsible = true, looked = false, was_idle = idle == CPU_IDLE;

	for (struct sched_domain *sd = rq->sd; sd && responsible; sd = sd->parent) {
		u64 interval = interval_ticks(sd, idle);

		if (!(sd->flags & SD_LOAD_BALANCE))
			continue;
		if (level_enter(sd)) {
			if (tick_now() >= sd->last_balance + interval) {
				if (was_idle && !looked)
					begin_look(rq);
				looked = true;
				if (load_balance(rq, sd, idle, &responsible))
					idle = CPU_NOT_IDLE;
				sd->last_balance = tick_now();
			}
			level_leave(sd);
		}
		next = min_u64(next, sd->last_balance + interval);
	}
	if (was_idle && looked)
		waste_note_look(rq, (enum waste_cause)rq->look);
	if (next != latest)
		WRITE_ONCE(rq->next_balance, next);
}

/*
 * The periodic walk for that CPU, which need not be the one that executes it: all its domains in which a pass is due. Interrupts
 * off, no run-queue lock held. Afterwards rq->next_balance says when to come again.
 */
void rebalance_domains(struct rq *rq, enum idle_type idle)
{
	if (!balance_enter(rq))
		return;
	if (power_aware())
		pelt_balance(rq);
	if (knob.newidle == NEWIDLE_COST)
		decay_cost(rq);
	walk_due_domains(rq, idle);
	balance_leave(rq);
}

void balance_tick(struct rq *rq)
{
	enum idle_type idle;

	if (!rq->sd || (s64)(tick_now() - rq->next_balance) < 0)
		return;
	idle = cpu_is_idle(rq->cpu) ? CPU_IDLE : CPU_NOT_IDLE;
	rebalance_domains(rq, idle);
	if (unlikely(knob.nohz) && idle == CPU_IDLE)
		nohz_balance_as_owner(rq);
}
