/* SPDX-License-Identifier: GPL-2.0-or-later
 * Whether a domain is out of balance, and how much weight should move (cfs.md 5.4 and 5.5). Subtractions wrap where 3.8's did: a
 * group that is taken from by force may have the lower load. */
#include "sched/balance.h"

/* The mean weight of a task in the busiest group; of an uneven one no more than the domain's average load. */
static u64 busiest_per_task(const struct domain_stats *ds)
{
	u64 per_task = ds->busiest.weighted / ds->busiest.nr;

	return ds->busiest.imbalanced ? min_u64(per_task, ds->avg_load) : per_task;
}

/* ---- whether ---- */

/* 3.8: whatever the loads. */
static bool is_forced(const struct balance *b, const struct domain_stats *ds)
{
	if (knob.imbalance_force && ds->busiest.imbalanced)
		return true;
	return knob.newidle_force && b->idle == CPU_NEWLY_IDLE && ds->local.has_capacity && !ds->busiest.has_capacity;
}

static unsigned count_idle(const struct balance *b, const struct sched_group *g)
{
	const struct rq *rq;
	unsigned idle = 0;

	for_each_candidate(rq, b, g)
		idle += cpu_is_idle(rq->cpu);
	return idle;
}

/* The difference is too small to mind. */
static bool is_near(const struct balance *b, const struct domain_stats *ds)
{
	const struct group_stats *busiest = &ds->busiest, *local = &ds->local;

	if (b->idle != CPU_IDLE || knob.idle_exit == IDLE_EXIT_PERCENT)
		return 100 * busiest->avg_load <= b->sd->imbalance_pct * local->avg_load;
	return busiest->nr <= busiest->group->weight && count_idle(b, local->group) <= count_idle(b, busiest->group) + 1;
}

bool domain_is_balanced(const struct balance *b, const struct domain_stats *ds)
{
	const struct group_stats *busiest = &ds->busiest, *local = &ds->local;

	if (knob.group_load == GROUP_LOAD_LEAST && busiest->max_load <= local->min_load)
		return true;
	if (is_forced(b, ds))
		return false;
	if (local->avg_load >= busiest->avg_load || local->avg_load >= ds->avg_load || is_near(b, ds))
		return true;
	return knob.balanced == BALANCED_MEAN_TASK && busiest->avg_load <= busiest_per_task(ds);
}

/* ---- how much ---- */

/* Would moving one task use the two groups' power better? */
static bool raises_throughput(const struct domain_stats *ds, u64 per_task, u64 this_per_task)
{
	const struct group_stats *busiest = &ds->busiest, *local = &ds->local;
	u64 power_b = busiest->group->power, power_t = local->group->power, now, moved = 0, scaled, arriving;

	now = power_b * min_u64(per_task, busiest->avg_load) + power_t * min_u64(this_per_task, local->avg_load);
	scaled = per_task * POWER_SCALE / power_b;
	if (busiest->avg_load > scaled)
		moved = power_b * min_u64(per_task, busiest->avg_load - scaled);
	if (busiest->avg_load * power_b < per_task * POWER_SCALE)
		arriving = busiest->avg_load * power_b / power_t;
	else
		arriving = per_task * POWER_SCALE / power_t;
	moved += power_t * min_u64(this_per_task, local->avg_load + arriving);
	return moved / POWER_SCALE > now / POWER_SCALE;
}

/* The mean weight of a task where it would go. */
static u64 local_per_task(const struct balance *b, const struct domain_stats *ds)
{
	const struct rq *rq = cpu_rq(b->dst_cpu);
	u32 nr = ds->local.nr;

	if (nr)
		return ds->local.weighted / nr;
	nr = READ_ONCE(rq->nr_running);
	return nr ? rq_weight(rq) / nr : 0;
}

/* Less than a task is out of balance: move a whole one, or what was worked out before stays. */
static void fix_small_imbalance(struct balance *b, const struct domain_stats *ds, u64 per_task)
{
	const struct group_stats *busiest = &ds->busiest, *local = &ds->local;
	u64 this_per_task = local_per_task(b, ds), scaled = per_task, factor = 2;

	if (local->nr && per_task > this_per_task)
		factor = 1;
	if (knob.small_imbalance == SMALL_IMBALANCE_SCALED)
		scaled = per_task * POWER_SCALE / busiest->group->power;
	if (busiest->avg_load - local->avg_load + scaled >= scaled * factor || raises_throughput(ds, per_task, this_per_task))
		b->imbalance = per_task;
}

/* The most that the busiest group should give, as load per 1024 of power: not so much that it falls below the average, nor what it
 * keeps in any case. */
static u64 most_to_pull(const struct domain_stats *ds, u64 per_task)
{
	const struct group_stats *busiest = &ds->busiest;
	u64 above = ~0ull;

	if (knob.balanced == BALANCED_MEAN_TASK)
		above = busiest->avg_load - per_task;
	else if (!busiest->imbalanced)
		above = (u64)(busiest->nr - busiest->capacity) * POWER_SCALE * POWER_SCALE / busiest->group->power;
	return min_u64(busiest->avg_load - ds->avg_load, above);
}

void calculate_imbalance(struct balance *b, const struct domain_stats *ds)
{
	const struct group_stats *busiest = &ds->busiest, *local = &ds->local;
	u64 per_task = busiest_per_task(ds), room;

	if (knob.group_load == GROUP_LOAD_LEAST) {
		b->imbalance = (busiest->max_load - local->min_load) / 2;
		return;
	}
	b->imbalance = 0;
	if (busiest->avg_load >= ds->avg_load) {
		room = (ds->avg_load - local->avg_load) * local->group->power;
		b->imbalance = min_u64(most_to_pull(ds, per_task) * busiest->group->power, room) / POWER_SCALE;
	}
	if (b->imbalance < per_task)
		fix_small_imbalance(b, ds, per_task);
}
