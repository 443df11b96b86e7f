/* SPDX-License-Identifier: GPL-2.0-or-later
 * Per-entity load tracking (3.8; cfs.md 8.2): of the time since it began, recent time counting more, for how much has a task been
 * runnable, or a queue had any? In 3.8 only the shares of task groups follow from it, and there are none here: it is kept for the
 * power policies, and while they are on.
 *
 * Time is counted in units of 1024 ns. What lies n periods of 1024 units back counts y^n of what it did, with y^32 = 1/2.
 */
#include "sched/rq.h"

enum {
	UNIT_SHIFT = 10,
	PERIOD = 1024,
	HALF_LIFE = 32,
	SETTLED_PERIODS = 345, /* after which the series grows no more: */
	SETTLED_SUM = 47742,
	GONE_PERIODS = 63 * HALF_LIFE, /* after which nothing is left of any value */
	BLOCKED_SHIFT = 20,	       /* sleepers' sums decay in steps of 2^20 ns */
};

/* The integer part of (2^32 - 1) * y^n. */
static const u32 inverse_power[HALF_LIFE] = { 0xffffffff, 0xfa83b2da, 0xf5257d14, 0xefe4b99a, 0xeac0c6e6, 0xe5b906e6, 0xe0ccdeeb,
	0xdbfbb796, 0xd744fcc9, 0xd2a81d91, 0xce248c14, 0xc9b9bd85, 0xc5672a10, 0xc12c4cc9, 0xbd08a39e, 0xb8fbaf46, 0xb504f333,
	0xb123f581, 0xad583ee9, 0xa9a15ab4, 0xa5fed6a9, 0xa2704302, 0x9ef5325f, 0x9b8d39b9, 0x9837f050, 0x94f4efa8, 0x91c3d373,
	0x8ea4398a, 0x8b95c1e3, 0x88980e80, 0x85aac367, 0x82cd8698 };

/* What n whole periods in a row add up to: s(n) = (s(n - 1) + 1024) * y, rounded down at each step. */
static const u32 series[HALF_LIFE + 1] = { 0, 1002, 1982, 2941, 3880, 4798, 5697, 6576, 7437, 8279, 9103, 9909, 10698, 11470, 12226,
	12966, 13690, 14398, 15091, 15769, 16433, 17082, 17718, 18340, 18949, 19545, 20128, 20698, 21256, 21802, 22336, 22859,
	23371 };

/* ---- the arithmetic ---- */

/* value * y^periods. value below 2^32. */
u64 pelt_decay(u64 value, u64 periods)
{
	if (!periods)
		return value;
	if (periods > GONE_PERIODS)
		return 0;
	return (value >> periods / HALF_LIFE) * inverse_power[periods % HALF_LIFE] >> 32;
}

/* The sum over so many whole periods, runnable all the time, that ended just now. */
u32 pelt_series(u64 periods)
{
	u32 sum = 0;

	if (periods >= SETTLED_PERIODS)
		return SETTLED_SUM;
	for (; periods > HALF_LIFE; periods -= HALF_LIFE)
		sum = sum / 2 + series[HALF_LIFE];
	return (u32)pelt_decay(sum, periods) + series[periods];
}

static void add_time(struct sched_avg *avg, u64 units, bool runnable)
{
	avg->period += (u32)units;
	if (runnable)
		avg->sum += (u32)units;
}

/* Whole periods have gone by: the rest of the one begun, those, and older time made less of. Returns what of units is left. */
static u64 pass_periods(struct sched_avg *avg, u64 units, bool runnable)
{
	u64 rest = PERIOD - avg->period % PERIOD, whole = (units - rest) / PERIOD;

	add_time(avg, rest, runnable);
	avg->sum = (u32)pelt_decay(avg->sum, whole + 1);
	avg->period = (u32)pelt_decay(avg->period, whole + 1);
	add_time(avg, pelt_series(whole), runnable);
	return (units - rest) % PERIOD;
}

/* Account the time since the last update, all of it runnable or none. True: older time has decayed. now: ns. */
bool pelt_update(struct sched_avg *avg, u64 now, bool runnable)
{
	s64 passed = (s64)(now - avg->last_update);
	u64 units = (u64)passed >> UNIT_SHIFT;
	bool decays;

	if (passed < 0) {
		avg->last_update = now;
		return false;
	}
	if (!units)
		return false;
	avg->last_update = now; /* 3.8: what is left of the last unit is lost */
	decays = units + avg->period % PERIOD >= PERIOD;
	if (decays)
		units = pass_periods(avg, units, runnable);
	add_time(avg, units, runnable);
	return decays;
}

/* ---- a queue ---- */

/* rq->util is stored and not worked out when asked for: other CPUs read it without the lock. */
static void update_rq(struct rq *rq, bool runnable)
{
	pelt_update(&rq->avg, rq->clock, runnable);
	if (rq->avg.period)
		WRITE_ONCE(rq->util, rq->avg.sum * CPU_FULL / rq->avg.period);
}

/* Contributions decay one by one and their sum as a whole, which loses more to rounding. */
static void sub_blocked(struct cfs_rq *cfs, u64 contribution)
{
	cfs->blocked_load_avg -= min_u64(cfs->blocked_load_avg, contribution);
}

/* Let the sum of the sleepers decay up to now. rq->lock. */
void pelt_decay_blocked(struct rq *rq)
{
	struct cfs_rq *cfs = &rq->cfs;
	u64 steps = (rq->clock - cfs->last_decay) >> BLOCKED_SHIFT;

	sub_blocked(cfs, __atomic_exchange_n(&cfs->removed_load, 0, __ATOMIC_RELAXED));
	if (!steps)
		return;
	cfs->blocked_load_avg = pelt_decay(cfs->blocked_load_avg, steps);
	cfs->last_decay += steps << BLOCKED_SHIFT;
	WRITE_ONCE(cfs->decay_counter, cfs->decay_counter + steps);
}

/* 3.8 does so before each periodic balance: nobody else keeps an idle queue's counter going, by which those leave that sleep there.
 */
void pelt_balance(struct rq *rq)
{
	spin_lock(&rq->lock);
	rq_update_clock(rq);
	pelt_decay_blocked(rq);
	spin_unlock(&rq->lock);
}

/* ---- a task ---- */

/* Only when older time has decayed, so that a new task keeps for a while what it was given. */
static void update_contribution(struct sched_entity *se, u64 now, bool runnable)
{
	if (pelt_update(&se->avg, now, runnable))
		se->avg.contribution = se->avg.sum * se->load.weight / (se->avg.period + 1);
}

static void update_queued(struct cfs_rq *cfs, struct sched_entity *se)
{
	u64 before = se->avg.contribution;

	update_contribution(se, rq_of(cfs)->clock, true);
	cfs->runnable_load_avg += se->avg.contribution - before; /* wraps both ways */
}

/* It has slept on this queue. */
static void unblock(struct cfs_rq *cfs, struct sched_avg *avg)
{
	avg->contribution = pelt_decay(avg->contribution, cfs->decay_counter - (u64)avg->decay_count);
	avg->decay_count = 0;
	sub_blocked(cfs, avg->contribution);
}

/* It comes from another queue, or is new, or slept elsewhere: then for as long as that queue's counter knows of. */
static void arrive(struct sched_avg *avg, u64 now)
{
	u64 slept = (u64)-avg->decay_count;

	avg->last_update = now - (slept << BLOCKED_SHIFT);
	avg->decay_count = 0;
}

/* Before se counts as queued; rq->nr_running counts it already. rq->lock. */
void pelt_enqueue(struct rq *rq, struct sched_entity *se)
{
	struct cfs_rq *cfs = &rq->cfs;
	struct sched_avg *avg = &se->avg;

	update_rq(rq, rq->nr_running > 1);
	pelt_decay_blocked(rq);
	if (avg->decay_count > 0)
		unblock(cfs, avg);
	else
		arrive(avg, rq->clock);
	update_contribution(se, rq->clock, false);
	cfs->runnable_load_avg += avg->contribution;
}

/* While se and rq->nr_running are still counted. rq->lock. */
void pelt_dequeue(struct rq *rq, struct sched_entity *se, bool sleeps)
{
	struct cfs_rq *cfs = &rq->cfs;

	update_rq(rq, true);
	pelt_decay_blocked(rq);
	update_queued(cfs, se);
	cfs->runnable_load_avg -= se->avg.contribution;
	if (!sleeps)
		return;
	cfs->blocked_load_avg += se->avg.contribution;
	se->avg.decay_count = (s64)cfs->decay_counter;
}

void pelt_put(struct rq *rq, struct sched_entity *se)
{
	update_queued(&rq->cfs, se);
}

void pelt_tick(struct rq *rq, struct sched_entity *se)
{
	update_rq(rq, true);
	pelt_decay_blocked(rq);
	update_queued(&rq->cfs, se);
}

/* A sleeper is about to leave its queue, whose lock is not held: that queue takes the contribution off when it next has it. */
void pelt_migrate(struct task *t)
{
	struct cfs_rq *old = &task_rq(t)->cfs;
	struct sched_avg *avg = &t->se.avg;
	u64 slept;

	if (avg->decay_count <= 0)
		return;
	slept = READ_ONCE(old->decay_counter) - (u64)avg->decay_count;
	avg->contribution = pelt_decay(avg->contribution, slept);
	avg->decay_count = -(s64)slept;
	__atomic_add_fetch(&old->removed_load, avg->contribution, __ATOMIC_RELAXED);
}

/* Shi, January 2013: nothing is known of a new task, so it counts in full until its first decay. In 3.8 it counted as nothing. */
void pelt_fork(struct task *child)
{
	child->se.avg = (struct sched_avg){ .contribution = child->se.load.weight };
}

/* Forget what has been learned of a queue and of all that are on it. rq->lock. */
void pelt_reset(struct rq *rq)
{
	struct cfs_rq *cfs = &rq->cfs;
	struct sched_entity *se;

	rq_update_clock(rq);
	rq->avg = (struct sched_avg){ .last_update = rq->clock };
	rq->util = 0;
	cfs->runnable_load_avg = 0;
	cfs->blocked_load_avg = 0;
	cfs->removed_load = 0;
	cfs->last_decay = rq->clock;
	cfs->decay_counter += !cfs->decay_counter; /* from 1, and never back: sleepers remember it */
	TAILQ_FOREACH(se, &cfs->tasks, peers)
		se->avg = (struct sched_avg){ .last_update = rq->clock };
}
