/* SPDX-License-Identifier: GPL-2.0-or-later
 * The decaying averages of a queue's weight that balancing looks at (cfs.md 8.1). */
#include "sched/rq.h"

/* Once a tick: average i moves 1/2^i of the way to the weight of now; a rising one is rounded up so that it gets there. rq->lock.
 */
void cpu_load_tick(struct rq *rq)
{
	u64 now = rq_weight(rq);

	for (unsigned i = 0; i < NR_CPU_LOADS; i++) {
		u64 old = rq->cpu_load[i], target = now;

		if (target > old)
			target += (1ull << i) - 1;
		rq->cpu_load[i] = (old * ((1ull << i) - 1) + target) >> i;
	}
}

/* A guess of a CPU's weight that is rather too low, for whom we might take from. idx 0: the weight of this instant. */
u64 source_load(unsigned cpu, unsigned idx)
{
	const struct rq *rq = cpu_rq(cpu);

	return !idx || !knob.LB_BIAS ? rq_weight(rq) : min_u64(rq->cpu_load[idx - 1], rq_weight(rq));
}

/* And one that is rather too high, for whom we might give to. */
u64 target_load(unsigned cpu, unsigned idx)
{
	const struct rq *rq = cpu_rq(cpu);

	return !idx || !knob.LB_BIAS ? rq_weight(rq) : max_u64(rq->cpu_load[idx - 1], rq_weight(rq));
}
