/* SPDX-License-Identifier: GPL-2.0-or-later
 * Why time is wasted (docs/waste.md): of the CPUs that are lost, as many as something is on its way to wait for that. The rest is
 * shared out among the other idle CPUs, by what each of them found when it last looked for work.
 *
 * A finding counts as long as tasks have been waiting without a break since. When none waits all findings are void, so an idle CPU
 * beside which tasks begin to wait has not looked yet; what it waits for is its next date.
 */
#include "sched/waste.h"

static struct idlers idlers;
static u64 episode; /* number of the time without a break in which tasks wait */

/* ---- counting ---- */

static enum waste_cause finding(const struct rq *rq)
{
	return rq->found_in == episode ? (enum waste_cause)rq->found : WASTE_NOT_DUE;
}

void cause_count_out(struct rq *rq)
{
	if (!rq->counted)
		return;
	rq->counted = false;
	if (rq->reported_all) {
		idlers.arriving--;
		return;
	}
	idlers.nr--;
	idlers.by[finding(rq)]--;
}

void cause_count_in(struct rq *rq, bool idle)
{
	if (!idle)
		return;
	rq->counted = true;
	if (rq->reported_all) {
		idlers.arriving++;
		return;
	}
	idlers.nr++;
	idlers.by[finding(rq)]++;
}

void cause_forget(void)
{
	episode++;
	memset(idlers.by, 0, sizeof(idlers.by));
	idlers.by[WASTE_NOT_DUE] = idlers.nr;
}

void cause_set(struct rq *rq, enum waste_cause cause)
{
	rq->found = (u8)cause;
	rq->found_in = episode;
}

const struct idlers *cause_all(void)
{
	return &idlers;
}

void cause_of(const struct cpumask *cpus, struct idlers *out)
{
	*out = (struct idlers){ .nr = 0 };
	for_each_cpu(cpu, cpus) {
		const struct rq *rq = cpu_rq(cpu);

		if (rq->reported_all) {
			out->arriving++;
			continue;
		}
		out->nr++;
		out->by[finding(rq)]++;
	}
}

/* ---- sharing out ---- */

/* The division leaves some ns over, fewer than there are causes: they go to the first that has a share, so that the parts make up
 * the whole. */
static void share(const struct idlers *among, u64 lost, u64 sum[NR_WASTE_CAUSES])
{
	u64 left = lost, *first = NULL;

	for (unsigned i = 0; i < NR_WASTE_CAUSES && left; i++) {
		u64 part = among->by[i] == among->nr ? lost : lost * among->by[i] / among->nr;

		if (!among->by[i])
			continue;
		first = first ? first : &sum[i];
		sum[i] += part;
		left -= part;
	}
	*(first ? first : &sum[WASTE_NOT_DUE]) += left;
}

/* Whose tick is stopped does not look at any date. */
static struct idlers without_ticks(const struct idlers *among)
{
	struct idlers split = *among;
	u32 unseen = (u32)min_u64(READ_ONCE(nohz.nr_idle), split.by[WASTE_NOT_DUE]);

	split.by[WASTE_NOT_DUE] -= unseen;
	split.by[WASTE_NOBODY] += unseen;
	return split;
}

void cause_charge(const struct idlers *among, u64 lost, u64 delta, u64 sum[NR_WASTE_CAUSES])
{
	u64 arriving = min_u64(lost, among->arriving);
	struct idlers split;

	sum[WASTE_ARRIVING] += arriving * delta;
	if (lost == arriving)
		return;
	if (likely(!knob.nohz)) {
		share(among, (lost - arriving) * delta, sum);
		return;
	}
	split = without_ticks(among);
	share(&split, (lost - arriving) * delta, sum);
}
