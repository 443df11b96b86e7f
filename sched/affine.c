/* SPDX-License-Identifier: GPL-2.0-or-later
 * Should a wakee come to the CPU of its waker, or stay with its last one? (cfs.md 7.5) */
#include "sched/rq.h"

/* How both sides of the question stand. */
struct affine {
	u64 here, there; /* load of this CPU and of the last one */
	u64 weight;	 /* the wakee's */
	u64 percent;	 /* what `here` may come to, of `there` */
};

/* 2.6.32: SYNC_LESS drops the hint when either task runs on for long after it wakes others, SYNC_MORE adds it when neither does. */
static bool is_synchronous(const struct task *t, bool sync)
{
	s64 long_ns = (s64)knob.sched_migration_cost_ns, ours = current()->se.avg_overlap, its = t->se.avg_overlap;

	if (sync)
		return !knob.SYNC_LESS || (ours <= long_ns && its <= long_ns);
	return knob.SYNC_MORE && ours < long_ns && its < long_ns;
}

/* Was this the waker's last task here, or is there no more here, with the wakee, than on its last CPU? */
static bool is_balanced(const struct affine *a, unsigned this_cpu, unsigned prev)
{
	u64 ours = 100 * (a->here + a->weight), theirs = a->percent * a->there;

	if (knob.affine_power == AFFINE_POWER_PLAIN)
		return !a->here || ours <= theirs;
	return (s64)a->here <= 0 || ours * cpu_power(prev) <= theirs * cpu_power(this_cpu);
}

/* No more here than there, and both together no more than a task of this CPU, the waker included. */
static bool fits_one_task(const struct affine *a, unsigned this_cpu, u64 there_high)
{
	u32 running = READ_ONCE(cpu_rq(this_cpu)->nr_running);

	return a->here <= a->there && a->here + there_high <= (running ? rq_weight(cpu_rq(this_cpu)) / running : 0);
}

/* Interrupts off, t->wakeup_lock held. sd: of this CPU, with t's last one in it. A synchronous pull is not counted. */
bool wake_affine(struct sched_domain *sd, struct task *t, bool sync)
{
	unsigned this_cpu = machine_cpu(), prev = t->cpu;
	struct affine a = {
		.here = target_load(this_cpu, sd->wake_idx),
		.there = source_load(prev, sd->wake_idx),
		.weight = t->se.load.weight,
		.percent = 100 + (sd->imbalance_pct - 100) / 2,
	};
	bool balanced;

	sync = is_synchronous(t, sync);
	if (sync) /* the waker says it is about to sleep; one that is not counted here makes this wrap, as in Linux */
		a.here -= current()->se.load.weight;
	balanced = is_balanced(&a, this_cpu, prev);
	if (sync && balanced)
		return true;
	t->nr_wakeups_affine_attempts++;
	if (!balanced && !fits_one_task(&a, this_cpu, target_load(prev, sd->wake_idx)))
		return false;
	sd->move_affine++;
	t->nr_wakeups_affine++;
	return true;
}
