/* SPDX-License-Identifier: GPL-2.0-or-later
 * Newidle balancing: a CPU with nothing left to run looks for work before it goes idle (cfs.md 6).
 *
 * The knob newidle chooses who does: `off` clears the flag in every domain, so that the walk happens and pulls nothing (what
 * clearing SD_BALANCE_NEWIDLE did); `throttle` leaves it when idle periods are short on average (2.6.32.2 to 3.12); `always` has no
 * throttle (2.6.32); `cost` also weighs what a pass costs at each level (3.13). With `never` core.c does not even come here.
 */
#include "sched/balance.h"

/*
 * newidle_routine=separate: the pass of 2.6.32. What it cannot move it does not get by force, and neither the interval nor a
 * failure is noted in the domain. -1: a busiest queue was found and nothing of it could be had, or the core is not idle: then no
 * larger domain is tried, and the CPU counts as though something had come.
 */
static int separate_pass(struct rq *rq, struct sched_domain *sd, bool *responsible)
{
	struct balance b = balance_begin(rq, sd, CPU_NEWLY_IDLE, responsible);
	struct sd_counts *counts = &sd->counts[CPU_NEWLY_IDLE];
	enum pass_result result;
	unsigned moved = 0;

	counts->count++;
	rq->count.balance_attempts[CPU_NEWLY_IDLE]++;
	result = search_and_pull(&b, &moved);
	walk_finds(rq, *responsible ? (enum waste_cause)b.met : WASTE_NOBODY);
	TRACE(balance(&b, result, moved));
	machine_charge(COST_BALANCE, 1);
	if (result == PASS_FAILED) {
		counts->failed++;
		return -1;
	}
	if (result != PASS_MOVED) {
		counts->balanced++;
		if (core_is_busy(&b))
			return -1;
	}
	sd->nr_balance_failed = 0;
	counts->gained += moved;
	rq->count.balance_pulls[CPU_NEWLY_IDLE] += moved;
	return (int)moved;
}

static int one_pass(struct rq *rq, struct sched_domain *sd)
{
	bool responsible = true;

	if (knob.newidle_routine == NEWIDLE_ROUTINE_SEPARATE)
		return separate_pass(rq, sd, &responsible);
	return load_balance(rq, sd, CPU_NEWLY_IDLE, &responsible);
}

static bool cost_allows(const struct rq *rq, const struct sched_domain *sd, u64 spent)
{
	return knob.newidle != NEWIDLE_COST || rq->avg_idle >= spent + sd->max_newidle_lb_cost;
}

static int timed_pass(struct rq *rq, struct sched_domain *sd, u64 *spent)
{
	u64 start = machine_clock_ns(), cost;
	int pulled = one_pass(rq, sd);

	cost = machine_clock_ns() - start;
	sd->max_newidle_lb_cost = max_u64(sd->max_newidle_lb_cost, cost);
	*spent += cost;
	return pulled;
}

/* Bottom up until something came. Levels without the flag still say when they are due. */
static bool walk_domains(struct rq *rq, u64 *next_balance, u64 *spent)
{
	int pulled = 0;

	for (struct sched_domain *sd = rq->sd; sd && !pulled; sd = sd->parent) {
		if (!(sd->flags & SD_LOAD_BALANCE))
			continue;
		if (!cost_allows(rq, sd, *spent)) {
			walk_finds(rq, WASTE_THROTTLED);
			break;
		}
		if (sd->flags & SD_BALANCE_NEWIDLE)
			pulled = knob.newidle == NEWIDLE_COST ? timed_pass(rq, sd, spent) : one_pass(rq, sd);
		*next_balance = min_u64(*next_balance, sd->last_balance + ticks_of_ms(sd->balance_interval));
	}
	return pulled;
}

/* Before 2.6.32.2 idle periods were not measured at all. */
static bool is_throttled(struct rq *rq)
{
	if (knob.newidle == NEWIDLE_ALWAYS)
		return false;
	rq->idle_stamp = rq->clock;
	return rq->avg_idle < knob.sched_migration_cost_ns;
}

/*
 * From schedule(): nothing is queued on rq. Its lock is held and held again on return; newidle_lock says whether it is dropped
 * for the whole walk (3.8) or only where the order of locks demands it.
 */
void newidle_balance(struct rq *rq)
{
	u64 start, spent = 0, next_balance;
	bool pulled, dropped = knob.newidle_lock == NEWIDLE_LOCK_DROPPED; /* the knob may change while the walk lasts */

	rq->look = WASTE_THROTTLED;
	if (is_throttled(rq)) {
		TRACE(newidle(rq, WALK_throttled, 0));
		return;
	}
	if (!balance_enter(rq)) {
		TRACE(newidle(rq, WALK_taken, 0));
		return;
	}
	rq->look = WASTE_NOT_DUE;
	if (power_aware())
		pelt_decay_blocked(rq);
	start = machine_clock_ns();
	next_balance = (start + NSEC_PER_SEC) / tick_ns();
	if (dropped)
		spin_unlock(&rq->lock);
	pulled = walk_domains(rq, &next_balance, &spent);
	if (dropped)
		spin_lock(&rq->lock);
	rq_update_clock(rq);
	if (pulled)
		rq->idle_stamp = 0;
	if (pulled || rq->clock / tick_ns() > rq->next_balance)
		rq->next_balance = next_balance;
	rq->max_idle_balance_cost = max_u64(rq->max_idle_balance_cost, spent);
	rq->count.newidle_calls++;
	rq->count.newidle_ns += rq->clock - start;
	TRACE(newidle(rq, pulled ? WALK_pulled : WALK_nothing, rq->clock - start));
	balance_leave(rq);
}

/*
 * A task has been woken onto this queue: if that ends an idle period, learn how long it was. Only wakeups end one; what a pull or a
 * fork brings does not. rq->lock held.
 */
void avg_idle_update(struct rq *rq)
{
	s64 period;
	u64 most;

	if (!rq->idle_stamp)
		return;
	period = (s64)(rq->clock - rq->idle_stamp);
	if (knob.newidle == NEWIDLE_COST) {
		most = 2 * rq->max_idle_balance_cost;
		rq->avg_idle = min_u64(rq->avg_idle + (u64)((period - (s64)rq->avg_idle) >> 3), most);
	} else {
		most = longest_avg_idle();
		if (period > (s64)most)
			rq->avg_idle = most;
		else
			rq->avg_idle += (u64)((period - (s64)rq->avg_idle) >> 3);
	}
	rq->idle_stamp = 0;
}
