/* SPDX-License-Identifier: GPL-2.0-or-later
 * Finding whom to take from: the busiest group of a domain, how much, and the busiest queue in it (cfs.md 5.3 to 5.6, the rules
 * of 3.8).
 */
#include "sched/rq.h"

#define POWER_SCALE 1024ull

struct group_stats {
	struct sched_group *group;
	u64 avg_load;	   /* load per 1024 of power */
	u64 load;	   /* by source_load or target_load */
	u64 weighted;	   /* weights as they are now */
	u32 nr, idle_cpus; /* tasks; CPUs without any */
	u32 capacity;
	bool has_capacity, imbalanced;
};

struct domain_stats {
	struct group_stats local, busiest;
	u64 load, power, avg_load;
};

static unsigned load_index(const struct balance *b)
{
	switch (b->idle) {
	case CPU_NOT_IDLE:
		return b->sd->busy_idx;
	case CPU_NEWLY_IDLE:
		return b->sd->newidle_idx;
	default:
		return b->sd->idle_idx;
	}
}

static void add_cpu(struct group_stats *gs, unsigned cpu, u64 load)
{
	gs->load += load;
	gs->nr += READ_ONCE(cpu_rq(cpu)->nr_running);
	gs->weighted += rq_weight(cpu_rq(cpu));
	gs->idle_cpus += cpu_is_idle(cpu);
}

/* Uneven inside: one CPU carries at least a task more than another, in number and in weight. */
struct spread {
	u64 max_load, min_load;
	u32 max_nr, min_nr;
};

static void spread_add(struct spread *s, unsigned cpu, u64 load)
{
	u32 nr = READ_ONCE(cpu_rq(cpu)->nr_running);

	s->max_load = max_u64(s->max_load, load);
	s->min_load = min_u64(s->min_load, load);
	s->max_nr = (u32)max_u64(s->max_nr, nr);
	s->min_nr = (u32)min_u64(s->min_nr, nr);
}

static void gather_group(struct balance *b, struct sched_group *g, struct group_stats *gs)
{
	struct spread s = { .min_load = ~0ull, .min_nr = ~0u };
	bool local = g == b->sd->groups;
	unsigned idx = load_index(b);
	u64 per_task;

	*gs = (struct group_stats){ .group = g };
	for_each_cpu(cpu, &g->span) {
		u64 load = local ? target_load(cpu, idx) : source_load(cpu, idx);

		if (!mask_has(&b->cpus, cpu))
			continue;
		add_cpu(gs, cpu, load);
		if (!local)
			spread_add(&s, cpu, load);
	}
	machine_charge(COST_BALANCE_CPU, g->weight);
	gs->avg_load = gs->load * POWER_SCALE / g->power;
	per_task = gs->nr ? gs->weighted / gs->nr : 0;
	gs->imbalanced = s.max_nr > s.min_nr && s.max_load - s.min_load >= per_task && s.max_nr - s.min_nr > 1;
	gs->capacity = power_capacity(b->sd, g, g->power);
	gs->has_capacity = gs->capacity > gs->nr;
}

/* The first idle CPU of our group balances for all of it, or if none is idle the group's first. */
static bool is_elected(const struct balance *b)
{
	const struct sched_group *g = b->sd->groups;

	for_each_cpu(cpu, &g->span)
		if (mask_has(&b->cpus, cpu) && cpu_is_idle(cpu))
			return cpu == b->dst_cpu;
	return group_balance_cpu(g) == b->dst_cpu;
}

static bool is_candidate(const struct group_stats *gs, const struct group_stats *best)
{
	return gs->avg_load > (best->group ? best->avg_load : 0) && (gs->nr > gs->capacity || gs->imbalanced);
}

static void gather_domain(struct balance *b, struct domain_stats *ds)
{
	bool prefer_sibling = b->sd->child && b->sd->child->flags & SD_PREFER_SIBLING;
	struct sched_group *g = b->sd->groups;

	*ds = (struct domain_stats){ .load = 0 };
	do {
		struct group_stats gs;

		gather_group(b, g, &gs);
		ds->load += gs.load;
		ds->power += g->power;
		if (g == b->sd->groups) {
			ds->local = gs;
		} else {
			if (prefer_sibling && ds->local.has_capacity) /* spread over the siblings first */
				gs.capacity = (u32)min_u64(gs.capacity, 1);
			if (is_candidate(&gs, &ds->busiest))
				ds->busiest = gs;
		}
		g = g->next;
	} while (g != b->sd->groups);
	ds->avg_load = ds->load * POWER_SCALE / ds->power;
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

/* Less than a task is out of balance: move a whole one, or what was worked out before stays. */
static void fix_small_imbalance(struct balance *b, const struct domain_stats *ds, u64 per_task)
{
	const struct group_stats *busiest = &ds->busiest, *local = &ds->local;
	u64 this_per_task, scaled, factor = 2;

	if (local->nr) {
		this_per_task = local->weighted / local->nr;
		if (per_task > this_per_task)
			factor = 1;
	} else {
		u32 nr = READ_ONCE(cpu_rq(b->dst_cpu)->nr_running);

		this_per_task = nr ? rq_weight(cpu_rq(b->dst_cpu)) / nr : 0;
	}
	scaled = per_task * POWER_SCALE / busiest->group->power;
	/* Unsigned on purpose: a busiest group with the lower load (it was forced) wraps and passes, in 3.8 as well. */
	if (busiest->avg_load - local->avg_load + scaled >= scaled * factor || raises_throughput(ds, per_task, this_per_task))
		b->imbalance = per_task;
}

static void calculate_imbalance(struct balance *b, struct domain_stats *ds)
{
	const struct group_stats *busiest = &ds->busiest, *local = &ds->local;
	u64 per_task = busiest->weighted / busiest->nr, above = ~0ull, pull;

	if (busiest->imbalanced)
		per_task = min_u64(per_task, ds->avg_load);
	b->imbalance = 0;
	if (busiest->avg_load < ds->avg_load) {
		fix_small_imbalance(b, ds, per_task);
		return;
	}
	if (!busiest->imbalanced)
		above = (u64)(busiest->nr - busiest->capacity) * POWER_SCALE * POWER_SCALE / busiest->group->power;
	pull = min_u64(busiest->avg_load - ds->avg_load, above);
	/* The second term wraps when this group is above the average (forced cases): then the first decides, in 3.8 as well. */
	b->imbalance = min_u64(pull * busiest->group->power, (ds->avg_load - local->avg_load) * local->group->power) / POWER_SCALE;
	if (b->imbalance < per_task)
		fix_small_imbalance(b, ds, per_task);
}

/* ---- whether ---- */

static bool is_balanced(const struct balance *b, const struct domain_stats *ds)
{
	const struct group_stats *busiest = &ds->busiest, *local = &ds->local;

	if (busiest->imbalanced)
		return false;
	if (b->idle == CPU_NEWLY_IDLE && local->has_capacity && !busiest->has_capacity)
		return false;
	if (local->avg_load >= busiest->avg_load || local->avg_load >= ds->avg_load)
		return true;
	if (b->idle == CPU_IDLE)
		return local->idle_cpus <= busiest->idle_cpus + 1 && busiest->nr <= busiest->group->weight;
	return 100 * busiest->avg_load <= b->sd->imbalance_pct * local->avg_load;
}

/* The group to take b->imbalance of weight from. NULL: balanced, or (*b->responsible cleared) another CPU's business. No lock held.
 */
struct sched_group *find_busiest_group(struct balance *b)
{
	bool elected = b->idle == CPU_NEWLY_IDLE || is_elected(b);
	struct domain_stats ds;

	if (unlikely(READ_ONCE(power_varies)))
		power_refresh(b->sd, b->dst_cpu, b->idle, elected);
	if (!elected) {
		*b->responsible = false;
		return NULL;
	}
	gather_domain(b, &ds);
	if (!ds.busiest.group || !ds.busiest.nr || is_balanced(b, &ds))
		return NULL;
	calculate_imbalance(b, &ds);
	return ds.busiest.group;
}

/* The queue with the most weight for its power; one with a single task too heavy to move is passed over. */
struct rq *find_busiest_queue(struct balance *b, struct sched_group *g)
{
	struct rq *busiest = NULL;
	u64 most = 0;

	for_each_cpu(cpu, &g->span) {
		struct rq *rq = cpu_rq(cpu);
		u64 weight = rq_weight(rq), load;

		if (!mask_has(&b->cpus, cpu))
			continue;
		if (power_capacity(b->sd, g, rq->power) && READ_ONCE(rq->nr_running) == 1 && weight > b->imbalance)
			continue;
		load = weight * POWER_SCALE / rq->power;
		if (load > most) {
			most = load;
			busiest = rq;
		}
	}
	return busiest;
}
