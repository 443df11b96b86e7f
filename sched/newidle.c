/* SPDX-License-Identifier: GPL-2.0-or-later
 * Newidle balancing: a CPU with nothing left to run looks for work before it goes idle (cfs.md 6).
 *
 * The knob newidle chooses who does: `off` clears the flag in every domain, so that the walk happens and pulls nothing (what
 * clearing SD_BALANCE_NEWIDLE did); `throttle` leaves it when idle periods are short on average (2.6.32.2 to 3.12); `always` has no
 * throttle (2.6.32); `cost` also weighs what a pass costs at each level (3.13).
 */
#include "sched/rq.h"

static bool cost_allows(const struct rq *rq, const struct sched_domain *sd, u64 spent)
{
	return knob.newidle != NEWIDLE_COST || rq->avg_idle >= spent + sd->max_newidle_lb_cost;
}

static unsigned timed_balance(struct rq *rq, struct sched_domain *sd, u64 *spent)
{
	u64 start = machine_clock_ns(), cost;
	bool responsible = true;
	unsigned pulled = load_balance(rq, sd, CPU_NEWLY_IDLE, &responsible);

	if (knob.newidle == NEWIDLE_COST) {
		cost = machine_clock_ns() - start;
		sd->max_newidle_lb_cost = max_u64(sd->max_newidle_lb_cost, cost);
		*spent += cost;
	}
	return pulled;
}

/* Bottom up until something came. Levels without the flag still say when they are due. */
static unsigned walk_domains(struct rq *rq, u64 *next_balance, u64 *spent)
{
	unsigned pulled = 0;

	for (struct sched_domain *sd = rq->sd; sd && !pulled; sd = sd->parent) {
		if (!cost_allows(rq, sd, *spent))
			break;
		if (sd->flags & SD_BALANCE_NEWIDLE)
			pulled = timed_balance(rq, sd, spent);
		*next_balance = min_u64(*next_balance, sd->last_balance + ticks_of_ms(sd->balance_interval));
	}
	return pulled;
}

/* From schedule(): nothing is queued on rq. Its lock is held, is dropped during the walk and held again on return. */
void newidle_balance(struct rq *rq)
{
	u64 next_balance = tick_now() + NSEC_PER_SEC / tick_ns(), spent = 0;
	bool throttled = knob.newidle != NEWIDLE_ALWAYS;
	unsigned pulled;

	rq->idle_stamp = rq->clock;
	if (throttled && rq->avg_idle < knob.sched_migration_cost_ns)
		return;
	if (!balance_enter(rq))
		return;
	spin_unlock(&rq->lock);
	pulled = walk_domains(rq, &next_balance, &spent);
	spin_lock(&rq->lock);
	rq_update_clock(rq);
	if (pulled)
		rq->idle_stamp = 0;
	if (pulled || tick_now() > rq->next_balance)
		rq->next_balance = next_balance;
	rq->max_idle_balance_cost = max_u64(rq->max_idle_balance_cost, spent);
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
		most = 2 * knob.sched_migration_cost_ns;
		if (period > (s64)most)
			rq->avg_idle = most;
		else
			rq->avg_idle += (u64)((period - (s64)rq->avg_idle) >> 3);
	}
	rq->idle_stamp = 0;
}
