/* SPDX-License-Identifier: GPL-2.0-or-later
 * The tick of each CPU: when it falls, what it does, and the other things that a CPU's timer is for. */
#include "sched/rq.h"

#include "base/random.h"
#include "base/timer.h"
#include "sched/check.h"

/* ---- counting ---- */

u64 tick_ns(void)
{
	static const u64 period[] = { [HZ_100] = 10 * NSEC_PER_MSEC, [HZ_250] = 4 * NSEC_PER_MSEC, [HZ_1000] = NSEC_PER_MSEC };

	return period[knob.HZ];
}

u64 tick_now(void)
{
	return machine_clock_ns() / tick_ns();
}

u64 ticks_of_ms(u64 ms)
{
	return max_u64(1, ms * NSEC_PER_MSEC / tick_ns());
}

/* ---- the tick ---- */

static void tick(struct rq *rq)
{
	spin_lock(&rq->lock);
	rq_update_clock(rq);
	rq->count.ticks++;
	cpu_load_tick(rq);
	rq->curr->class->tick(rq, rq->curr);
	if (unlikely(rq->rt.time))
		rt_bandwidth_tick(rq);
	if (unlikely(rq->rt_avg))
		power_age(rq);
	machine_charge(COST_TICK, 1);
	rq_check(rq);
	spin_unlock(&rq->lock);
	if (unlikely(knob.nohz))
		nohz_tick(rq);
	balance_tick(rq);
}

void rq_arm_timer(struct rq *rq)
{
	timer_set_tick(min_u64(rq->next_tick, READ_ONCE(rq->slice_end)));
}

/* Ticks fall on multiples of the period, or that much later; one that comes late is not made up for. */
void tick_arm(struct rq *rq)
{
	u64 period = tick_ns();

	u64 phase = READ_ONCE(rq->tick_phase) % period;

	rq->next_tick = ((machine_clock_ns() + period - phase) / period) * period + phase;
	rq->tick_stopped = false;
	rq_arm_timer(rq);
}

void tick_stop(struct rq *rq)
{
	rq->tick_stopped = true;
	rq->next_tick = TIMER_NEVER;
	rq_arm_timer(rq);
}

void sched_set_tick_phases(u64 seed)
{
	for (unsigned cpu = 0; cpu < nr_cpus; cpu++) {
		u64 state = seed + cpu;

		WRITE_ONCE(cpu_rq(cpu)->tick_phase, seed ? random_next(&state) : 0);
	}
}

static void run_timers(struct rq *rq, u64 now)
{
	if (!timer_run(now))
		return;
	if (unlikely(now >= READ_ONCE(rq->slice_end)))
		hrtick_expire(rq);
	if (now < rq->next_tick) {
		rq_arm_timer(rq);
		return;
	}
	rq->next_tick = TIMER_NEVER;
	tick(rq);
	if (likely(!rq->tick_stopped))
		tick_arm(rq);
}

void kernel_timer(void)
{
	struct rq *rq = this_rq();

	rq->in_interrupt = true;
	run_timers(rq, machine_clock_ns());
	rq->in_interrupt = false;
}
