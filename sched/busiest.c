/* SPDX-License-Identifier: GPL-2.0-or-later
 * Finding whom to take from: the busiest group of a domain and the busiest queue in it (cfs.md 5.3 and 5.6).
 *
 * A CPU about to go idle does this for each of its domains, the topmost of which spans the machine, so a CPU is looked at in two
 * steps. The first adds up what every group must tell: load and tasks. The second, which costs more, is made for those groups only
 * whose answer can matter: one that holds no more than it should must be uneven to be taken, one that holds more is asked only when
 * it is the busiest of all; one with a single CPU is not uneven, nor by the rule of 3.8 is one where no CPU has two tasks; and one
 * no busier than the busiest so far is not taken whatever it holds. A domain with a single group has nobody to take from. So the
 * decision is that of looking at everything; tests/unit/test_busiest_reference.c does that and compares.
 *
 * group_load=least is the repair of "Group Imbalance" (A Decade of Wasted Cores, 2016): one heavy task in a group hides its idle
 * CPUs behind the average. What is compared instead is the weight on the least loaded CPU of each group; all tests stay as they are
 * but for the amount, half of what lies between the busiest group's most loaded CPU and our least loaded one (none: balanced). So a
 * group that still has an idle CPU is never taken from: its own CPUs are nearer to what waits there.
 */
#include "sched/balance.h"

/* Of the averages of a queue's load; 0: the weight of this instant. */
static unsigned load_index(const struct balance *b)
{
	if (!knob.LB_BIAS)
		return 0;
	switch (b->idle) {
	case CPU_NOT_IDLE:
		return b->sd->busy_idx;
	case CPU_NEWLY_IDLE:
		return b->sd->newidle_idx;
	default:
		return b->sd->idle_idx;
	}
}

/* source_load() or, of our own group, target_load(). weight: rq's, read before. */
static u64 biased_load(const struct rq *rq, u64 weight, unsigned idx, bool local)
{
	if (!idx)
		return weight;
	return local ? max_u64(rq->cpu_load[idx - 1], weight) : min_u64(rq->cpu_load[idx - 1], weight);
}

/* Overlapping groups: we may be in several. None of them is remote: nodes that are together in all groups never take from each
 * other (Wasted Cores, "Scheduling Group Construction"). */
static bool is_local(const struct balance *b, const struct sched_group *g)
{
	return g == b->sd->groups || (b->sd->flags & SD_OVERLAP && mask_has(&g->span, b->dst_cpu));
}

/* ---- the first step ---- */

struct sums {
	u64 load, weighted;
	u32 nr, any_nr; /* tasks, and the numbers of each CPU or'ed */
};

static inline __attribute__((always_inline)) void add_cpu(struct sums *s, const struct rq *rq, unsigned idx, bool local)
{
	u64 weight = rq_weight(rq);
	u32 tasks = READ_ONCE(rq->nr_running);

	s->load += biased_load(rq, weight, idx, local);
	s->weighted += weight;
	s->nr += tasks;
	s->any_nr |= tasks;
}

/* Most groups of a machine's lower levels are single CPUs. */
static inline __attribute__((always_inline)) struct sums add_cpus(
	const struct balance *b, const struct sched_group *g, unsigned idx, bool local)
{
	struct sums s = { .load = 0 };
	const struct rq *rq;

	if (g->weight == 1) {
		if (mask_has(&b->cpus, g->first))
			add_cpu(&s, cpu_rq(g->first), idx, local);
		return s;
	}
	for_each_candidate(rq, b, g)
		add_cpu(&s, rq, idx, local);
	return s;
}

/* The loop is made twice: index 0, that of every newidle pass, needs no history. */
static inline struct sums sum_up(const struct balance *b, const struct sched_group *g, bool local)
{
	struct sums s = b->load_idx ? add_cpus(b, g, b->load_idx, local) : add_cpus(b, g, 0, local);

	machine_charge(COST_BALANCE_CPU, g->weight);
	return s;
}

/* ---- the second step ---- */

/* How far the CPUs of a group lie apart. */
struct spread {
	u64 max_load, min_load;
	u64 mean_tasks; /* sum of the mean weight of a task on each CPU */
	u32 max_nr, min_nr;
};

static struct spread measure_spread(const struct balance *b, const struct sched_group *g)
{
	struct spread s = { .min_load = ~0ull, .min_nr = ~0u };
	bool local = is_local(b, g);
	const struct rq *rq;

	for_each_candidate(rq, b, g) {
		u64 weight = rq_weight(rq), load = biased_load(rq, weight, b->load_idx, local);
		u32 nr = READ_ONCE(rq->nr_running);

		s.max_load = max_u64(s.max_load, load);
		s.min_load = min_u64(s.min_load, load);
		s.max_nr = nr > s.max_nr ? nr : s.max_nr;
		s.min_nr = nr < s.min_nr ? nr : s.min_nr;
		if (knob.group_imb == GROUP_IMB_TWICE_MEAN && nr)
			s.mean_tasks += weight / nr;
	}
	return s;
}

/* What groups are compared by. */
static inline void set_avg_load(const struct balance *b, struct group_stats *gs)
{
	struct spread s;

	if (knob.group_load == GROUP_LOAD_AVERAGE) {
		gs->avg_load = gs->load * POWER_SCALE / gs->group->power;
		return;
	}
	s = measure_spread(b, gs->group);
	gs->max_load = s.max_load;
	gs->min_load = gs->avg_load = min_u64(s.min_load, s.max_load); /* 0 if there is no candidate */
}

static bool may_be_uneven(const struct sched_group *g, bool crowded)
{
	return g->weight > 1 && (crowded || knob.group_imb == GROUP_IMB_TWICE_MEAN);
}

/* 2.6.32: loads lie apart by more than twice the mean task. 3.8: by one or more, and there are two tasks more on one CPU than on
 * another. */
static inline bool is_uneven(const struct balance *b, const struct group_stats *gs)
{
	struct spread s = measure_spread(b, gs->group);
	u64 apart = s.max_load - s.min_load;

	if (s.max_load < s.min_load) /* no candidate */
		return false;
	if (knob.group_imb == GROUP_IMB_TWICE_MEAN)
		return apart > 2 * (s.mean_tasks * POWER_SCALE / gs->group->power);
	return s.max_nr - s.min_nr > 1 && apart >= (gs->nr ? gs->weighted / gs->nr : 0);
}

/* ---- the domain ---- */

/* Siblings are to be spread over first: a group then holds one task. */
static bool clamps_capacity(const struct balance *b, const struct domain_stats *ds)
{
	if (!b->sd->child || !(b->sd->child->flags & SD_PREFER_SIBLING))
		return false;
	return knob.sibling_clamp == SIBLING_CLAMP_ALL || ds->local.has_capacity;
}

static struct group_stats take_stock(struct sched_group *g, const struct sums *s, u32 capacity, u32 clamped)
{
	return (struct group_stats){
		.group = g,
		.load = s->load,
		.weighted = s->weighted,
		.nr = s->nr,
		.crowded = s->any_nr > 1,
		.capacity = clamped,
		.has_capacity = capacity > s->nr,
	};
}

/* The busiest so far is replaced by a busier one that holds more than it should or is uneven. */
static void consider(const struct balance *b, struct sched_group *g, const struct sums *s, struct domain_stats *ds)
{
	u32 capacity = power_capacity(b->sd, g, g->power), clamped = capacity;
	struct group_stats gs;

	if (capacity > 1 && clamps_capacity(b, ds))
		clamped = 1;
	if (s->nr <= clamped && !may_be_uneven(g, s->any_nr > 1))
		return;
	gs = take_stock(g, s, capacity, clamped);
	set_avg_load(b, &gs);
	if (gs.avg_load <= ds->busiest.avg_load)
		return;
	gs.imbalanced = gs.nr <= clamped && is_uneven(b, &gs);
	if (gs.nr > clamped || gs.imbalanced)
		ds->busiest = gs;
}

/* Our own group comes first in the ring. */
static void gather_domain(struct balance *b, struct domain_stats *ds)
{
	struct sched_group *g = b->sd->groups;

	*ds = (struct domain_stats){ .load = 0 };
	do {
		bool local = is_local(b, g);
		struct sums s = sum_up(b, g, local);

		ds->load += s.load;
		ds->power += g->power;
		b->tasks_seen |= s.nr != 0;
		if (s.any_nr > 1)
			balance_meet(b, WASTE_THRESHOLD);
		if (g == b->sd->groups) {
			u32 capacity = power_capacity(b->sd, g, g->power);

			ds->local = take_stock(g, &s, capacity, capacity);
			set_avg_load(b, &ds->local);
		} else if (s.nr && !local) { /* who has no tasks has no load */
			consider(b, g, &s, ds);
		}
		g = g->next;
	} while (g != b->sd->groups);
	if (ds->busiest.group && !ds->busiest.imbalanced && may_be_uneven(ds->busiest.group, ds->busiest.crowded))
		ds->busiest.imbalanced = is_uneven(b, &ds->busiest);
	ds->avg_load = ds->load * POWER_SCALE / ds->power;
}

/* ---- whom to take from ---- */

/* The first idle CPU of our group balances for all of it, or if none is idle the group's first. */
static bool is_elected(const struct balance *b)
{
	const struct sched_group *g = b->sd->groups;

	for_each_cpu(cpu, &g->balance)
		if (mask_has(&b->cpus, cpu) && cpu_is_idle(cpu))
			return cpu == b->dst_cpu;
	return group_balance_cpu(g) == b->dst_cpu;
}

/* The group to take b->imbalance of weight from. NULL: balanced, or (*b->responsible cleared) another CPU's business. No lock held
 * but b->held. */
struct sched_group *find_busiest_group(struct balance *b)
{
	struct sched_group *busiest;
	bool elected = b->idle == CPU_NEWLY_IDLE || is_elected(b);
	struct domain_stats ds;

	if (unlikely(READ_ONCE(power_varies)))
		power_refresh(b->sd, b->dst_cpu, b->idle, elected);
	if (!elected) {
		*b->responsible = false;
		return NULL;
	}
	if (power_aware() && policy_balance(b, &busiest))
		return busiest;
	if (b->sd->groups->next == b->sd->groups)
		return NULL;
	b->load_idx = load_index(b);
	gather_domain(b, &ds);
	if (!ds.busiest.group || !ds.busiest.nr || domain_is_balanced(b, &ds))
		return NULL;
	calculate_imbalance(b, &ds);
	return ds.busiest.group;
}

/* The one task of a queue is too heavy to move. 2.6.32 scaled its weight by the CPU's power, so that a thread's only task of nice 0
 * always was. */
static bool is_lone_and_heavy(const struct balance *b, const struct sched_group *g, const struct rq *rq, u64 weight, u64 scaled)
{
	if (b->power_mode || READ_ONCE(rq->nr_running) != 1 || !power_capacity(b->sd, g, rq->power))
		return false;
	return (knob.lone_queue == LONE_QUEUE_SCALED ? scaled : weight) > b->imbalance;
}

/* The queue with the most weight for its power. */
struct rq *find_busiest_queue(struct balance *b, struct sched_group *g)
{
	struct rq *busiest = NULL, *rq;
	u64 most = 0;

	for_each_candidate(rq, b, g) {
		u64 weight = rq_weight(rq), scaled = weight * POWER_SCALE / rq->power;

		if (scaled > most && !is_lone_and_heavy(b, g, rq, weight, scaled)) {
			most = scaled;
			busiest = rq;
		}
	}
	return busiest;
}
