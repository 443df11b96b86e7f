/* SPDX-License-Identifier: GPL-2.0-or-later
 * 2.6.32's habits of tasks (cfs.md 2.2), in CPU time as last accounted: how long a task runs before it wakes others (avg_wakeup),
 * how long it runs on after it has (avg_overlap), and how long it runs at all (avg_running). 3.8 has none of them.
 *
 * Of the running task, by its own CPU with interrupts off.
 */
#include "sched/rq.h"

/* They cost a few instructions per switch and wakeup. */
bool averages_wanted(void)
{
	return knob.ADAPTIVE_GRAN || knob.WAKEUP_OVERLAP || knob.WAKEUP_RUNNING || knob.SYNC_LESS || knob.SYNC_MORE;
}

/* An eighth of the way; the shift rounds down, below 0 too. */
static void sample(s64 *average, u64 ns)
{
	*average += ((s64)ns - *average) >> 3;
}

void averages_begin(struct sched_entity *se)
{
	se->avg_wakeup = (s64)knob.sched_wakeup_granularity_ns;
}

/* It has woken a task, not from an interrupt. */
void averages_on_wakeup(struct sched_entity *waker)
{
	sample(&waker->avg_wakeup, waker->sum_exec - (waker->last_wakeup ? waker->last_wakeup : waker->start_runtime));
	waker->last_wakeup = waker->sum_exec;
}

/* About to leave its queue to sleep. One that has woken nobody tends back to the plain granularity. */
void averages_on_sleep(struct sched_entity *se)
{
	if (se->last_wakeup) {
		sample(&se->avg_overlap, se->sum_exec - se->last_wakeup);
		se->last_wakeup = 0;
	} else {
		sample(&se->avg_wakeup, knob.sched_wakeup_granularity_ns);
	}
}

/* About to give up the CPU. Who is preempted would have run on: that counts as overlap, within limits. */
void averages_on_put(struct task *t)
{
	struct sched_entity *se = &t->se;
	u64 ran = se->sum_exec - se->prev_sum_exec;

	sample(&se->avg_running, ran);
	if (t->state == TASK_RUNNING)
		sample(&se->avg_overlap, min_u64(ran, 2 * knob.sched_migration_cost_ns));
	else
		sample(&se->avg_running, 0);
}
