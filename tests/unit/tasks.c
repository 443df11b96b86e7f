/* SPDX-License-Identifier: GPL-2.0-or-later
 * Tasks by hand: put where a test wants them, and made to switch when it says so. */
#include "tests/unit/machine.h"

#include "base/string.h"
#include "sched/rq.h"

static struct rq *lock_queue(struct task *t, unsigned long *flags)
{
	struct rq *rq;

	*flags = rq_lock_task(t, &rq);
	return rq;
}

static struct task *new_task(unsigned cpu, int nice)
{
	struct task *t = task_new("task", NULL, NULL);

	assert_non_null(t);
	t->cpu = cpu;
	t->nice = (s8)nice;
	weight_set(t);
	return t;
}

/* The vruntime with which a task comes to a queue where it is to have that one. */
static u64 arriving(const struct rq *rq, u64 vruntime)
{
	return knob.vruntime == VRUNTIME_RELATIVE ? vruntime - rq->cfs.min_vruntime : vruntime;
}

struct task *test_task(unsigned cpu, int nice)
{
	struct task *t = new_task(cpu, nice);
	unsigned long flags;
	struct rq *rq = lock_queue(t, &flags);

	t->se.vruntime = arriving(rq, rq->cfs.min_vruntime);
	rq_activate(rq, t, 0);
	spin_unlock_irq(&rq->lock, flags);
	return t;
}

struct task *test_sleeper(unsigned cpu, int nice, s64 ahead_ns)
{
	struct task *t = new_task(cpu, nice);

	t->state = TASK_SLEEPING;
	t->se.vruntime = cpu_rq(cpu)->cfs.min_vruntime + (u64)ahead_ns;
	return t;
}

void test_place(struct task *t, u64 vruntime_ns)
{
	unsigned long flags;
	struct rq *rq = lock_queue(t, &flags);

	assert_ptr_not_equal(rq->curr, t);
	rq_update_clock(rq);
	rq_deactivate(rq, t, 0);
	t->se.vruntime = arriving(rq, vruntime_ns);
	rq_activate(rq, t, 0);
	spin_unlock_irq(&rq->lock, flags);
}

void test_pin(struct task *t, unsigned cpu)
{
	mask_clear(&t->allowed);
	mask_set(&t->allowed, cpu);
	t->nr_allowed = 1;
}

struct task *test_schedule(unsigned cpu)
{
	unsigned self = machine_cpu();
	struct task *t;

	test_on_cpu(cpu);
	schedule();
	t = current();
	test_on_cpu(self);
	return t;
}

struct task *test_sleep(unsigned cpu)
{
	unsigned self = machine_cpu();
	struct task *t;

	test_on_cpu(cpu);
	task_set_sleeping();
	schedule();
	t = current();
	test_on_cpu(self);
	return t;
}

struct task *test_spinners(unsigned cpu, unsigned n)
{
	while (n--)
		test_task(cpu, 0);
	return test_schedule(cpu);
}

void test_settle_loads(void)
{
	for (unsigned cpu = 0; cpu < nr_cpus; cpu++)
		for (unsigned i = 0; i < NR_CPU_LOADS; i++)
			cpu_rq(cpu)->cpu_load[i] = rq_weight(cpu_rq(cpu));
}

struct sched_domain *test_domain(unsigned cpu, const char *name)
{
	for_each_domain(cpu, sd)
		if (!strcmp(sd->name, name))
			return sd;
	return NULL;
}

void test_apply_knobs(void)
{
	assert_true(domains_rebuild() >= 0);
	nohz_forget();
	for (unsigned cpu = 0; cpu < nr_cpus; cpu++)
		rq_reset(cpu_rq(cpu));
	domains_retire();
}
