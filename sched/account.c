/* SPDX-License-Identifier: GPL-2.0-or-later
 * Between runs: forgetting what was learned, and reading the counters. */
#include "sched/rq.h"

/* On the CPU itself, in its stopper: no tick of it is half way with the old knobs. */
void rq_reset(void *argument)
{
	struct rq *rq = argument;
	unsigned long flags;

	while (!balance_enter(rq))
		machine_relax();
	flags = spin_lock_irq(&rq->lock);
	nohz_reset(rq);
	domains_reset(rq->cpu);
	cfs_rebase(&rq->cfs);
	memset(rq->cpu_load, 0, sizeof(rq->cpu_load));
	rq->load_tick = tick_now();
	rq->next_balance = rq->load_tick;
	rq->idle_stamp = 0;
	rq->avg_idle = 2 * knob.sched_migration_cost_ns;
	rq->max_idle_balance_cost = knob.sched_migration_cost_ns;
	spin_unlock_irq(&rq->lock, flags);
	balance_leave(rq);
}

void sched_apply_knobs(void)
{
	nohz_forget();
	for (unsigned cpu = 0; cpu < nr_cpus; cpu++) {
		if (cpu_rq(cpu)->stop)
			stop_run(cpu, rq_reset, cpu_rq(cpu));
		else
			rq_reset(cpu_rq(cpu));
	}
}

static void add_rq(struct rq *rq, struct sched_totals *out)
{
	const struct sched_counts *c = &rq->count;

	rq_update_clock(rq);
	cfs_update_curr(&rq->cfs);
	out->switches += c->switches;
	out->voluntary += c->voluntary;
	out->involuntary += c->involuntary;
	out->migrations += c->migrations;
	out->wakeups_local += c->wakeups_local;
	out->wakeups_remote += c->wakeups_remote;
	out->task_clock_ns += c->exec_ns;
	out->active_pushes += c->active_pushes;
	for (unsigned i = 0; i < NR_IDLE_TYPES; i++) {
		out->balance_attempts[i] += c->balance_attempts[i];
		out->balance_pulls[i] += c->balance_pulls[i];
	}
	out->idle_ns[rq->cpu] = c->idle_ns + (rq->curr == rq->idle ? rq->clock - rq->idle_since : 0);
}

void sched_totals(struct sched_totals *out)
{
	memset(out, 0, sizeof(*out));
	for (unsigned cpu = 0; cpu < nr_cpus; cpu++) {
		struct rq *rq = cpu_rq(cpu);
		unsigned long flags = spin_lock_irq(&rq->lock);

		add_rq(rq, out);
		spin_unlock_irq(&rq->lock, flags);
	}
}
