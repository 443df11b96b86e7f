/* SPDX-License-Identifier: GPL-2.0-or-later
 * Sched domains: for each CPU a chain of ever larger spans, each divided into groups between which load is balanced (cfs.md 4).
 * Which levels there are, and what their groups are, is for level.c and group.c.
 *
 * Knobs shape them, so they are made anew between runs where a knob asks for other ones. Balancing, placement and wakeups read the
 * chains of other CPUs without a lock, but with interrupts off: old chains are left alone until every CPU has taken its new one and
 * then once more run its stopper (sched_apply_knobs()). A new domain counts from zero.
 */
#include "sched/domain.h"

static const struct topology *topo;

/* ---- power ---- */

enum { SMT_GAIN = 1178, CPU_POWER = 1024 };

static u32 thread_power(unsigned cpu)
{
	unsigned threads = 0;

	for (unsigned i = 0; i < topo->nr_cpus; i++)
		threads += topo->cpu[i].core == topo->cpu[cpu].core;
	return threads > 1 ? SMT_GAIN / threads : CPU_POWER;
}

u32 cpu_power(unsigned cpu)
{
	return cpu_rq(cpu)->power;
}

/* ---- degeneration ---- */

enum {
	NEEDS_GROUPS = SD_LOAD_BALANCE | SD_BALANCE_NEWIDLE | SD_BALANCE_FORK | SD_BALANCE_EXEC | SD_SHARE_CPUPOWER |
		       SD_SHARE_PKG_RESOURCES
};

static bool is_useless(const struct sched_domain *sd)
{
	if (sd->weight == 1)
		return true;
	if (sd->flags & NEEDS_GROUPS && !is_alone(sd->groups))
		return false;
	return !(sd->flags & SD_WAKE_AFFINE);
}

static bool adds_nothing(const struct sched_domain *parent, const struct sched_domain *child)
{
	u32 flags = parent->flags;

	if (is_useless(parent))
		return true;
	if (!mask_equal(&parent->span, &child->span))
		return false;
	if (is_alone(parent->groups)) {
		flags &= ~(u32)NEEDS_GROUPS;
		if (topo->nr_nodes == 1)
			flags &= ~(u32)SD_SERIALIZE;
	}
	return !(flags & ~child->flags);
}

static struct sched_domain *prune(struct sched_domain *sd)
{
	for (struct sched_domain *d = sd; d && d->parent;) {
		if (!adds_nothing(d->parent, d)) {
			d = d->parent;
			continue;
		}
		d->parent = d->parent->parent;
		if (d->parent)
			d->parent->child = d;
	}
	if (sd && is_useless(sd)) {
		sd = sd->parent;
		if (sd)
			sd->child = NULL;
	}
	return sd;
}

/* ---- building ---- */

/* The knobs that chains depend on in more than the flags that are switched. */
struct shape {
	u8 numa_levels, prefer_local, mc_prefer_sibling, smt_shares_pkg, group_build, force_overlap;
};

static struct {
	struct shape shape;
	struct sched_domain *bottom[MAX_CPUS]; /* of each CPU's newest chain */
	struct arena arena[2];
	unsigned newest; /* the arena those are in; the other holds what they replaced, until that is retired */
} built;

static struct shape wanted_shape(void)
{
	return (struct shape){ knob.numa_levels, knob.prefer_local, knob.mc_prefer_sibling, knob.smt_shares_pkg, knob.group_build,
		knob.FORCE_SD_OVERLAP };
}

static int build_chain(struct arena *a, struct chain *chain, unsigned cpu, const struct level *level, unsigned nr)
{
	struct sched_domain *child = NULL;

	for (unsigned i = 0; i < nr; i++) {
		struct sched_domain *sd = arena_alloc(a, sizeof(*sd));

		if (!sd)
			return -E_NOMEM;
		level_span(&level[i], topo, cpu, &sd->span);
		sd->weight = mask_weight(&sd->span);
		sd->level = (u8)(i + 1);
		level_describe(&level[i], sd);
		level_switch_flags(sd);
		sd->child = child;
		if (child)
			child->parent = sd;
		chain[cpu].at[i] = child = sd;
	}
	return 0;
}

/* Groups are spans of the level below, of other CPUs too: first all domains, then their groups, then what is useless goes. */
static int build_all(struct arena *a)
{
	static struct chain chain[MAX_CPUS];
	struct level level[MAX_LEVELS];
	unsigned nr = levels_list(topo, level);
	int err = 0;

	for (unsigned cpu = 0; cpu < topo->nr_cpus && !err; cpu++)
		err = build_chain(a, chain, cpu, level, nr);
	for (unsigned cpu = 0; cpu < topo->nr_cpus; cpu++)
		for (unsigned i = 0; i < nr && !err; i++)
			err = groups_build(a, chain, cpu, i, &level[i]);
	for (unsigned cpu = 0; cpu < topo->nr_cpus && !err; cpu++)
		built.bottom[cpu] = prune(chain[cpu].at[0]);
	return err;
}

void domains_retire(void)
{
	arena_reset(&built.arena[!built.newest]);
}

static int build(void)
{
	int err = build_all(&built.arena[!built.newest]);

	if (err) {
		domains_retire();
		return err;
	}
	built.newest = !built.newest;
	built.shape = wanted_shape();
	return 0;
}

int domains_build(const struct topology *topology)
{
	topo = topology;
	for (unsigned cpu = 0; cpu < topo->nr_cpus; cpu++)
		cpu_rq(cpu)->power = cpu_rq(cpu)->power_orig = thread_power(cpu);
	return build();
}

int domains_rebuild(void)
{
	struct shape wanted = wanted_shape();
	int err;

	if (!memcmp(&wanted, &built.shape, sizeof(wanted)))
		return 0;
	err = build();
	return err ? err : 1;
}

void domains_take(unsigned cpu)
{
	struct rq *rq = cpu_rq(cpu);
	struct sched_domain *llc;

	STORE_RELEASE(rq->sd, built.bottom[cpu]);
	llc = llc_domain(cpu);
	WRITE_ONCE(rq->llc_id, llc ? mask_first(&llc->span) : cpu);
}

void domains_reset(unsigned cpu)
{
	for_each_domain(cpu, sd) {
		level_switch_flags(sd);
		sd->balance_interval = sd->first_interval;
		sd->nr_balance_failed = 0;
		sd->last_balance = tick_now();
		sd->max_newidle_lb_cost = 0;
		sd->next_decay = tick_now();
		sd->perf_history = 0;
	}
}

/* ---- finding ---- */

struct sched_domain *llc_domain(unsigned cpu)
{
	struct sched_domain *highest = NULL;

	for_each_domain(cpu, sd)
		if (sd->flags & SD_SHARE_PKG_RESOURCES)
			highest = sd;
	return highest;
}

unsigned llc_id(unsigned cpu)
{
	return READ_ONCE(cpu_rq(cpu)->llc_id);
}
