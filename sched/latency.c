/* SPDX-License-Identifier: GPL-2.0-or-later
 * The latency of wakeups: for how long did a task that was woken wait until it ran? (docs/latency.md)
 *
 * A wakeup leaves a mark on the task; the CPU that gives the task its first turn afterwards takes the mark away and counts the time
 * in a histogram of its own. So nobody writes what another CPU's cache holds, and a task that is moved while it waits keeps its
 * mark.
 */
#include "sched/rq.h"

#include "base/histogram.h"
#include "base/mem.h"

bool latency_kept;

void sched_keep_latencies(bool keep)
{
	latency_kept = keep;
}

void latency_init(struct rq *rq)
{
	rq->latency = mem_alloc_forever(NR_WAKE_DISTANCES * sizeof(*rq->latency));
	bug_on(!rq->latency);
}

/* ---- one wakeup ---- */

static enum wake_distance distance_between(unsigned cpu, unsigned other)
{
	const struct cpu_place *a = &machine_topology()->cpu[cpu], *b = &machine_topology()->cpu[other];

	if (a->core == b->core)
		return WAKE_CORE;
	if (a->llc == b->llc)
		return WAKE_CACHE;
	return a->node == b->node ? WAKE_NODE : WAKE_FAR;
}

static enum wake_distance distance_of(const struct rq *rq, const struct rq *woken_by)
{
	if (likely(woken_by == rq))
		return WAKE_CPU;
	return woken_by ? distance_between(rq->cpu, woken_by->cpu) : WAKE_INTERRUPT;
}

/* Longer than any before; or below 0, since the clocks of two CPUs may differ by more than it took. */
static u64 note_extreme(struct latency *l, u64 ns)
{
	if ((s64)ns < 0)
		return 0;
	l->max_ns = min_u64(ns, LATENCY_MOST);
	return l->max_ns;
}

/* Once a wakeup, so what is rare is found by one comparison; max_ns is at most LATENCY_MOST, for which there is a bucket. */
void latency_add(struct rq *rq, struct task *t)
{
	struct latency *l = &rq->latency[distance_of(rq, t->woken_by)];
	u64 ns = rq->clock - t->woken_at;

	t->woken_at = 0;
	if (unlikely(ns > l->max_ns))
		ns = note_extreme(l, ns);
	l->sum_ns += ns;
	l->bucket[histogram_index(LATENCY_BITS, ns)]++;
}

/* ---- all of them ---- */

void sched_forget_latencies(void)
{
	for (unsigned cpu = 0; cpu < nr_cpus; cpu++) {
		struct rq *rq = cpu_rq(cpu);
		unsigned long flags = spin_lock_irq(&rq->lock);

		memset(rq->latency, 0, NR_WAKE_DISTANCES * sizeof(*rq->latency));
		spin_unlock_irq(&rq->lock, flags);
	}
}

static void add(struct latency *sum, const struct latency *l)
{
	sum->sum_ns += l->sum_ns;
	sum->max_ns = max_u64(sum->max_ns, l->max_ns);
	for (unsigned i = 0; i < LATENCY_BUCKETS; i++)
		sum->bucket[i] += l->bucket[i];
}

void sched_latencies(struct latency out[NR_WAKE_DISTANCES])
{
	memset(out, 0, NR_WAKE_DISTANCES * sizeof(*out));
	for (unsigned cpu = 0; cpu < nr_cpus; cpu++) {
		struct rq *rq = cpu_rq(cpu);
		unsigned long flags = spin_lock_irq(&rq->lock);

		for (unsigned d = 0; d < NR_WAKE_DISTANCES; d++)
			add(&out[d], &rq->latency[d]);
		spin_unlock_irq(&rq->lock, flags);
	}
}
