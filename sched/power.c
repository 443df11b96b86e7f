/* SPDX-License-Identifier: GPL-2.0-or-later
 * What real-time tasks leave of a CPU's power (cfs.md 4.7, the rules of 3.8).
 *
 * rt_avg sums up the time that they run, halved every half sched_time_avg_ms; age_stamp is when it was last due to be. The balancer
 * of a group works out the power of its own CPU from that at the lowest level, and sums up groups at those above. As long as no
 * real-time task has run since the last reset nobody does any of it.
 */
#include "sched/rq.h"

enum { POWER_SHIFT = 10, FULL_POWER = 1 << POWER_SHIFT };

bool power_varies;

static u64 half_life_ns(void)
{
	return knob.sched_time_avg_ms * NSEC_PER_MSEC / 2;
}

void power_age(struct rq *rq)
{
	u64 period = half_life_ns(), elapsed = rq->clock - rq->age_stamp, halvings;

	if (elapsed <= period)
		return;
	halvings = (elapsed - 1) / period; /* at a whole period it is not due yet */
	WRITE_ONCE(rq->age_stamp, rq->age_stamp + halvings * period);
	WRITE_ONCE(rq->rt_avg, halvings < 64 ? rq->rt_avg >> halvings : 0);
}

void power_note_rt(struct rq *rq, u64 ran_ns)
{
	debug_bug_on(!spin_held(&rq->lock));
	WRITE_ONCE(rq->rt_avg, rq->rt_avg + ran_ns);
	power_age(rq);
	if (!READ_ONCE(power_varies))
		WRITE_ONCE(power_varies, true);
}

/* The clock is read last: it never falls behind the stamp. */
u64 power_rt_scale(const struct rq *rq)
{
	u64 busy = READ_ONCE(rq->rt_avg), stamp = READ_ONCE(rq->age_stamp);
	u64 total = half_life_ns() + READ_ONCE(rq->clock) - stamp;

	if (!busy)
		return FULL_POWER;
	return busy < total ? (total - busy) / (total >> POWER_SHIFT) : 0;
}

static void refresh_cpu(struct rq *rq)
{
	u64 power = rq->power_orig * power_rt_scale(rq) >> POWER_SHIFT;

	WRITE_ONCE(rq->power, (u32)max_u64(power, 1));
}

static u32 sum_cpus(const struct cpumask *span)
{
	u32 power = 0;

	for_each_cpu(cpu, span)
		power += cpu_power(cpu);
	return power;
}

static u32 sum_groups(const struct sched_group *ring)
{
	const struct sched_group *g = ring;
	u32 power = 0;

	do {
		power += READ_ONCE(g->power);
		g = g->next;
	} while (g != ring);
	return power;
}

static u32 own_group_power(const struct sched_domain *sd, unsigned cpu)
{
	if (!sd->child)
		return cpu_power(cpu);
	if (sd->child->flags & SD_OVERLAP)
		return sum_cpus(&sd->groups->span);
	return sum_groups(sd->child->groups);
}

/* A ring of overlapping groups is one CPU's alone, so that nobody else keeps the other groups in it up to date. */
static void refresh_others(struct sched_domain *sd)
{
	for (struct sched_group *g = sd->groups->next; g != sd->groups; g = g->next)
		WRITE_ONCE(g->power, sum_cpus(&g->span));
}

static u64 interval_ticks(const struct sched_domain *sd)
{
	u64 longest = NSEC_PER_SEC / tick_ns() * nr_cpus / 10;

	return max_u64(1, min_u64(ticks_of_ms(sd->balance_interval), longest));
}

static bool is_due(const struct sched_group *g, unsigned cpu, enum idle_type idle, bool elected)
{
	if (knob.power_refresh == POWER_REFRESH_FIRST_CPU)
		return cpu == mask_first(&g->span);
	if (idle == CPU_NEWLY_IDLE)
		return tick_now() >= READ_ONCE(g->next_update);
	return elected;
}

/* In a pass for that CPU, which owns sd and balances for its group if elected. */
void power_refresh(struct sched_domain *sd, unsigned cpu, enum idle_type idle, bool elected)
{
	struct sched_group *g = sd->groups;

	if (!is_due(g, cpu, idle, elected))
		return;
	WRITE_ONCE(g->next_update, tick_now() + interval_ticks(sd));
	if (!sd->child)
		refresh_cpu(cpu_rq(cpu));
	WRITE_ONCE(g->power, own_group_power(sd, cpu));
	if (sd->flags & SD_OVERLAP)
		refresh_others(sd);
}

/* Between runs. Each group but an overlapping one is some CPU's own. */
void power_reset(struct rq *rq)
{
	rq->rt_avg = 0;
	rq->age_stamp = rq->clock;
	rq->power = rq->power_orig;
	for_each_domain(rq->cpu, sd) {
		struct sched_group *g = sd->groups;

		do {
			g->power = g->power_orig;
			g->next_update = 0;
			g = g->next;
		} while (sd->flags & SD_OVERLAP && g != sd->groups);
	}
	WRITE_ONCE(power_varies, false);
}

/* A thread that has most of its power left although it rounds to no task at all. */
static bool is_whole_thread(const struct sched_domain *sd, const struct sched_group *g)
{
	return sd->flags & SD_SHARE_CPUPOWER && READ_ONCE(g->power) * 32 > g->power_orig * 29;
}

/* Tasks that fill so much power, of g or of a CPU in it: whole cores, rounded; a thread that rounds to nothing counts as one as
 * long as real-time tasks have not eaten its power (3.8). */
u32 power_capacity(const struct sched_domain *sd, const struct sched_group *g, u32 power)
{
	u32 capacity = (power + FULL_POWER / 2) / FULL_POWER;

	return capacity ? capacity : is_whole_thread(sd, g);
}
