/* SPDX-License-Identifier: GPL-2.0-or-later
 * The decaying averages of a queue's weight that balancing looks at (cfs.md 8.1). */
#include "sched/rq.h"

/* Average i moves 1/2^i of the way to that weight; a rising one is rounded up so that it gets there. */
static void step_averages(struct rq *rq, u64 weight)
{
	for (unsigned i = 0; i < NR_CPU_LOADS; i++) {
		u64 old = rq->cpu_load[i], target = weight;

		if (target > old)
			target += (1ull << i) - 1;
		rq->cpu_load[i] = (old * ((1ull << i) - 1) + target) >> i;
	}
}

/* Once a tick. rq->lock; its clock is up to date. */
void cpu_load_tick(struct rq *rq)
{
	rq->load_tick = rq->clock / tick_ns();
	step_averages(rq, rq_weight(rq));
}

/* ---- ticks that an idle CPU has not had ---- */

/* What 2^b steps towards nothing leave of average i, in 1/128; and after how many nothing is left. */
static const u8 decay_factor[NR_CPU_LOADS][7] = {
	[2] = { 96, 72, 40, 12, 1 },
	[3] = { 112, 98, 75, 43, 15, 1 },
	[4] = { 120, 112, 98, 76, 45, 16, 2 },
};
static const u8 decayed_after[NR_CPU_LOADS] = { 1, 8, 32, 64, 128 };

/* Average i of that load after so many missed ticks: one factor for each bit of their number (3.8). */
u64 cpu_load_decay(u64 load, unsigned i, u64 missed)
{
	if (missed >= decayed_after[i])
		return 0;
	if (i == 1)
		return load >> missed;
	for (unsigned bit = 0; missed; bit++, missed >>= 1)
		if (missed & 1)
			load = load * decay_factor[i][bit] >> 7;
	return load;
}

/* The CPU has been idle since its last tick: all but the last of the ticks it missed by the short way. rq->lock; clock up to date.
 */
void cpu_load_catch_up(struct rq *rq)
{
	u64 now = rq->clock / tick_ns(), ticks = now - rq->load_tick;

	if (!ticks || knob.missed_ticks == MISSED_TICKS_STALE)
		return;
	rq->load_tick = now;
	for (unsigned i = 1; i < NR_CPU_LOADS; i++)
		rq->cpu_load[i] = cpu_load_decay(rq->cpu_load[i], i, ticks - 1);
	step_averages(rq, 0);
}

/* ---- reading them ---- */

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
