/* SPDX-License-Identifier: GPL-2.0-or-later
 * What the power policies do when a CPU without work balances: empty the group that does least into the fullest one (cfs.md 9.3),
 * or leave it to the ordinary rules as soon as any group has more to do than it should. */
#include "sched/rq.h"

/* Of one domain, seen from one CPU. A later group may still revoke what the earlier ones allow. */
struct power_view {
	bool power, perf;		  /* move for power; for performance. Neither: move nothing */
	struct sched_group *leader, *min; /* the fullest with room for a whole CPU; the emptiest that has tasks */
	u64 leader_util, min_util;
	u64 min_per_task; /* weight */
};

struct group_view {
	u64 util, threshold, weighted;
	u32 nr;
};

static struct group_view view_group(const struct balance *b, const struct sched_group *g)
{
	struct group_view v = { .threshold = policy_threshold(b->sd, g->weight, g->power) };

	for_each_cpu(cpu, &g->span) {
		if (!mask_has(&b->cpus, cpu))
			continue;
		v.util += cpu_util(cpu, false);
		v.nr += READ_ONCE(cpu_rq(cpu)->nr_running);
		v.weighted += rq_weight(cpu_rq(cpu));
	}
	return v;
}

static bool starts_above(const struct sched_group *g, const struct sched_group *other)
{
	return mask_first(&g->span) > mask_first(&other->span);
}

/* Ties: the least is the higher one, the leader the lower, so that two even groups do not empty into each other. */
static void rank_group(struct power_view *d, struct sched_group *g, const struct group_view *v)
{
	if (v->nr && (!d->min || v->util < d->min_util || (v->util == d->min_util && starts_above(g, d->min)))) {
		d->min = g;
		d->min_util = v->util;
		d->min_per_task = v->weighted / v->nr;
	}
	if (v->util + CPU_FULL > v->threshold)
		return;
	if (v->util > d->leader_util || (d->leader && v->util == d->leader_util && starts_above(d->leader, g))) {
		d->leader = g;
		d->leader_util = v->util;
	}
}

static void consider_group(const struct balance *b, struct power_view *d, struct sched_group *g)
{
	struct group_view v = view_group(b, g);

	/* Ours could not become the leader either way: v7 spares itself the ranking. */
	if (g == b->sd->groups && (!v.nr || v.util + CPU_FULL > v.threshold))
		d->power = false;
	if (v.util > v.threshold) {
		d->power = false;
		d->perf = true;
	}
	if (d->power)
		rank_group(d, g, &v);
}

static void view_domain(const struct balance *b, struct power_view *d)
{
	struct sched_group *g = b->sd->groups;

	do {
		consider_group(b, d, g);
		g = g->next;
	} while (g != b->sd->groups);
}

static unsigned count_ones(u64 word)
{
	unsigned n = 0;

	for (; word; word &= word - 1)
		n++;
	return n;
}

/* Where performance was called for lately, packing would be undone soon: wait for 32 passes without, of which few before had it. */
static bool lately_quiet(struct sched_domain *sd)
{
	if (tick_now() > sd->last_balance + ticks_of_ms(8ull * sd->max_interval))
		sd->perf_history = 0;
	return !(u32)sd->perf_history && count_ones(sd->perf_history >> 32) <= 4;
}

/* True: *busiest is the group to empty into ours, or NULL: nothing is to be moved. False: the ordinary rules hold. */
bool policy_balance(struct balance *b, struct sched_group **busiest)
{
	bool eligible = !(b->sd->flags & SD_SHARE_CPUPOWER) && b->idle != CPU_NOT_IDLE;
	struct power_view d = { .power = eligible, .perf = !eligible };

	b->power_mode = false;
	if (eligible)
		view_domain(b, &d);
	b->sd->perf_history = b->sd->perf_history << 1 | d.perf;
	if (d.perf)
		return false;
	machine_charge(COST_BALANCE_CPU, b->sd->weight);
	*busiest = NULL;
	if (!d.power || d.leader != b->sd->groups || d.leader == d.min || !lately_quiet(b->sd))
		return true;
	b->power_mode = true;
	b->imbalance = d.min_per_task;
	*busiest = d.min;
	return true;
}
