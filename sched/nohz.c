/* SPDX-License-Identifier: GPL-2.0-or-later
 * nohz=on: an idle CPU stops its tick, and another one balances for it (cfs.md 5.9).
 *
 * nohz_balancer chooses who. `owner` (2.6.32): the first CPU to stop its tick keeps it instead and balances for all, until it is
 * busy and names another; when all are idle nobody does. `kick` (3.8): a busy CPU that has too much to do kicks the first idle one,
 * which does so once.
 */
#include "sched/rq.h"

struct nohz nohz cache_aligned;

/* ---- who is idle ---- */

static void join(struct rq *rq)
{
	if (rq->nohz_idle)
		return;
	rq->nohz_idle = true;
	__atomic_fetch_or(&nohz.idle.word[rq->cpu / 64], 1ull << rq->cpu % 64, __ATOMIC_SEQ_CST);
	__atomic_add_fetch(&nohz.nr_idle, 1, __ATOMIC_SEQ_CST);
}

static void leave(struct rq *rq)
{
	if (!rq->nohz_idle)
		return;
	rq->nohz_idle = false;
	__atomic_fetch_and(&nohz.idle.word[rq->cpu / 64], ~(1ull << rq->cpu % 64), __ATOMIC_SEQ_CST);
	__atomic_sub_fetch(&nohz.nr_idle, 1, __ATOMIC_SEQ_CST);
}

/* The first that is not below `from`, or MAX_CPUS. Others come and go meanwhile. */
static unsigned next_idle(unsigned from)
{
	for (unsigned i = from / 64; i < MASK_WORDS; i++) {
		u64 w = READ_ONCE(nohz.idle.word[i]);

		if (i == from / 64)
			w &= ~0ull << from % 64;
		if (w)
			return i * 64 + (unsigned)__builtin_ctzll(w);
	}
	return MAX_CPUS;
}

/* ---- balancing for them ---- */

/* What an interrupt would have told if they were not off. */
static bool is_wanted(const struct rq *rq)
{
	return READ_ONCE(rq->curr->need_resched) || READ_ONCE(rq->wake_list);
}

/* Its tick would have done so. */
static void bring_up_to_date(struct rq *rq)
{
	spin_lock(&rq->lock);
	rq_update_clock(rq);
	if (!rq_weight(rq))
		cpu_load_catch_up(rq);
	spin_unlock(&rq->lock);
}

/* In the end rq->next_balance is the earliest of all. */
static void balance_others(struct rq *rq)
{
	bool checks = knob.nohz_balancer == NOHZ_BALANCER_KICK;

	for (unsigned cpu = next_idle(0); cpu < MAX_CPUS; cpu = next_idle(cpu + 1)) {
		struct rq *other = cpu_rq(cpu);

		if (other == rq || (checks && !cpu_is_idle(cpu)))
			continue;
		if (is_wanted(rq))
			break;
		if (checks)
			bring_up_to_date(other);
		rebalance_domains(other, CPU_IDLE);
		WRITE_ONCE(rq->next_balance, min_u64(rq->next_balance, READ_ONCE(other->next_balance)));
	}
}

/* ---- nohz_balancer=owner ---- */

static bool replace_owner(u32 old, u32 new)
{
	return __atomic_compare_exchange_n(&nohz.owner, &old, new, false, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED);
}

/* An idle CPU's tick goes on if it is the owner or can become so. */
static bool owns(unsigned cpu)
{
	u32 self = cpu + 1;

	if (LOAD_ACQUIRE(nohz.nr_idle) == nr_cpus) {
		replace_owner(self, 0);
		return false;
	}
	return LOAD_ACQUIRE(nohz.owner) == self || replace_owner(0, self);
}

/* Have the first idle CPU look around: when it finds nothing to run it will be the owner. */
static void nominate(void)
{
	unsigned cpu = next_idle(0);

	if (cpu == MAX_CPUS)
		return;
	spin_lock(&cpu_rq(cpu)->lock);
	task_resched(cpu_rq(cpu)->curr);
	spin_unlock(&cpu_rq(cpu)->lock);
}

/* The first busy tick after an idle time. */
static void pass_on(struct rq *rq)
{
	if (!rq->nohz_recent)
		return;
	rq->nohz_recent = false;
	leave(rq);
	replace_owner(rq->cpu + 1, 0);
	if (!LOAD_ACQUIRE(nohz.owner))
		nominate();
}

void nohz_balance_as_owner(struct rq *rq)
{
	if (knob.nohz_balancer == NOHZ_BALANCER_OWNER && LOAD_ACQUIRE(nohz.owner) == rq->cpu + 1)
		balance_others(rq);
}

/* ---- nohz_balancer=kick ---- */

static unsigned nr_busy(const struct sched_group *g)
{
	unsigned idle = 0;

	for (unsigned i = 0; i < MASK_WORDS; i++)
		for (u64 w = READ_ONCE(nohz.idle.word[i]) & g->span.word[i]; w; w &= w - 1)
			idle++;
	return g->weight - idle;
}

/* This busy CPU could do with help: tasks wait, or others are busy too on what it shares power or cache with. */
static bool wants_help(const struct rq *rq)
{
	if (!LOAD_ACQUIRE(nohz.nr_idle) || tick_now() < READ_ONCE(nohz.next_balance))
		return false;
	if (READ_ONCE(rq->nr_running) >= 2)
		return true;
	for (struct sched_domain *sd = rq->sd; sd && sd->flags & SD_SHARE_PKG_RESOURCES; sd = sd->parent)
		if (nr_busy(sd->groups) > 1)
			return true;
	return false;
}

static void kick_first_idle(void)
{
	unsigned cpu = next_idle(0);

	__atomic_add_fetch(&nohz.next_balance, 1, __ATOMIC_RELAXED);
	if (cpu == MAX_CPUS || !cpu_is_idle(cpu))
		return;
	if (!__atomic_exchange_n(&cpu_rq(cpu)->nohz_kicked, true, __ATOMIC_SEQ_CST))
		machine_kick(cpu);
}

void nohz_kicked(struct rq *rq)
{
	if (cpu_is_idle(rq->cpu) && !is_wanted(rq)) {
		rebalance_domains(rq, CPU_IDLE);
		balance_others(rq);
		WRITE_ONCE(nohz.next_balance, rq->next_balance);
	}
	STORE_RELEASE(rq->nohz_kicked, false);
}

/* ---- coming and going ---- */

void nohz_enter(struct rq *rq)
{
	debug_bug_on(!spin_held(&rq->lock));
	if (rq->nr_running || rq->rt.time) /* the tick gives real-time tasks their runtime back, and what this CPU may lend */
		return;
	join(rq);
	rq->nohz_recent = true;
	if (knob.nohz_balancer == NOHZ_BALANCER_OWNER && owns(rq->cpu))
		return;
	tick_stop(rq);
}

/* With an owner, who has a tick again is no longer balanced for; in 3.8 only its first busy tick ends that. */
void nohz_exit(struct rq *rq)
{
	cpu_load_catch_up(rq);
	tick_arm(rq);
	if (knob.nohz_balancer == NOHZ_BALANCER_OWNER)
		leave(rq);
}

void nohz_tick(struct rq *rq)
{
	if (cpu_is_idle(rq->cpu))
		return;
	if (knob.nohz_balancer == NOHZ_BALANCER_OWNER) {
		pass_on(rq);
		return;
	}
	leave(rq);
	if (wants_help(rq))
		kick_first_idle();
}

void nohz_forget(void)
{
	STORE_RELEASE(nohz.owner, 0);
	WRITE_ONCE(nohz.next_balance, tick_now());
}

void nohz_reset(struct rq *rq)
{
	leave(rq);
	rq->nohz_recent = false;
}
