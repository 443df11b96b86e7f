/* SPDX-License-Identifier: GPL-2.0-or-later
 * Between runs: forgetting what was learned, and reading the counters. */
#include "sched/check.h"
#include "sched/rq.h"

/* On the CPU itself, in its stopper: no tick of it is half way with the old knobs. */
void rq_reset(void *argument)
{
	struct rq *rq = argument;
	unsigned long flags;

	while (!balance_enter(rq))
		machine_relax();
	flags = spin_lock_irq(&rq->lock);
	domains_take(rq->cpu);
	rq_update_clock(rq);
	nohz_reset(rq);
	domains_reset(rq->cpu);
	power_reset(rq);
	rt_bandwidth_reset(rq);
	cfs_rebase(&rq->cfs);
	rq->keeps_averages = averages_wanted();
	if (power_aware())
		pelt_reset(rq);
	memset(rq->cpu_load, 0, sizeof(rq->cpu_load));
	rq->load_tick = tick_now();
	rq->next_balance = rq->load_tick;
	rq->pulled.since = 0;
	rq->idle_stamp = 0;
	rq->avg_idle = longest_avg_idle();
	rq->max_idle_balance_cost = knob.sched_migration_cost_ns;
	rq_check_anew(rq);
	spin_unlock_irq(&rq->lock, flags);
	balance_leave(rq);
}

/* It slept while queues were reset, and came back with averages of its own; a run must not depend on those before it. */
static void forget_caller(void)
{
	unsigned long flags = machine_irq_save();
	struct rq *rq = this_rq();

	spin_lock(&rq->lock);
	pelt_reset(rq);
	spin_unlock_irq(&rq->lock, flags);
}

/* In every CPU's stopper, or here while there are none. */
static void on_each_cpu(void (*fn)(void *))
{
	for (unsigned cpu = 0; cpu < nr_cpus; cpu++) {
		if (cpu_rq(cpu)->stop)
			stop_run(cpu, fn, cpu_rq(cpu));
		else
			fn(cpu_rq(cpu));
	}
}

/* That it runs means that its CPU has left every section with interrupts off that it was in. */
static void pass_by(void *argument)
{
	(void)argument;
}

void sched_apply_knobs(void)
{
	int rebuilt = domains_rebuild();

	bug_on(rebuilt == -E_NOMEM);
	nohz_forget();
	on_each_cpu(rq_reset);
	if (rebuilt) {
		on_each_cpu(pass_by);
		domains_retire();
	}
	if (power_aware())
		forget_caller();
}

void sched_keep_waste(bool keep)
{
	waste_keep(keep);
	if (keep)
		on_each_cpu(pass_by); /* and become idle anew */
}

void rq_charge(struct rq *rq)
{
	debug_bug_on(!spin_held(&rq->lock));
	rq_update_clock(rq);
	cfs_update_curr(&rq->cfs);
	rt_update_curr(rq);
	stop_update_curr(rq);
}

u64 task_cpu_ns(void)
{
	unsigned long flags = machine_irq_save();
	struct rq *rq = this_rq();
	u64 ns;

	spin_lock(&rq->lock);
	rq_charge(rq);
	ns = current()->se.sum_exec;
	spin_unlock_irq(&rq->lock, flags);
	return ns;
}

static void add_rq(struct rq *rq, struct sched_totals *out)
{
	const struct sched_counts *c = &rq->count;

	rq_charge(rq);
	out->switches += c->switches;
	out->voluntary += c->voluntary;
	out->involuntary += c->involuntary;
	out->migrations += c->migrations;
	out->wakeups_local += c->wakeups_local;
	out->wakeups_remote += c->wakeups_remote;
	out->wakeups_running += c->wakeups_running;
	out->task_clock_ns += c->exec_ns;
	out->active_pushes += c->active_pushes;
	out->run_delay_ns += c->run_delay_ns;
	out->newidle_calls += c->newidle_calls;
	out->newidle_ns += c->newidle_ns;
	out->newidle_locks += c->newidle_locks;
	out->newidle_followed += c->newidle_followed;
	out->newidle_saved_ns += c->newidle_saved_ns;
	out->cold_ns += c->cold_ns;
	out->newidle_cold_ns += c->newidle_cold_ns;
	for (unsigned i = 0; i < NR_IDLE_TYPES; i++) {
		out->balance_attempts[i] += c->balance_attempts[i];
		out->balance_pulls[i] += c->balance_pulls[i];
	}
	TRACE(follow(rq->cpu));
	out->idle_ns[rq->cpu] = c->idle_ns + (rq->curr == rq->idle ? rq->clock - rq->idle_since : 0);
}

void sched_totals(struct sched_totals *out)
{
	struct waste rate;

	memset(out, 0, sizeof(*out));
	for (unsigned cpu = 0; cpu < nr_cpus; cpu++) {
		struct rq *rq = cpu_rq(cpu);
		unsigned long flags = spin_lock_irq(&rq->lock);

		add_rq(rq, out);
		spin_unlock_irq(&rq->lock, flags);
	}
	waste_read(&out->waste, &rate, out->wasted_by);
}
