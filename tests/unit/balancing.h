/* SPDX-License-Identifier: GPL-2.0-or-later
 * What the tests of load balancing have in common: the smallest machine that can be out of balance, and single steps. */
#ifndef TESTS_UNIT_BALANCING_H
#define TESTS_UNIT_BALANCING_H

#include "tests/unit/machine.h"

#include "sched/rq.h"

/* Two CPUs, each a group of the one domain (level CPU, pct 125, cache_nice_tries 1), with so many nice-0 tasks, one of them
 * running. */
static inline void boot_pair(unsigned on_0, unsigned on_1)
{
	test_machine(1, 2, 1, 1);
	test_boot(SWITCH_LABELS);
	if (on_1)
		test_spinners(1, on_1);
	if (on_0)
		test_spinners(0, on_0);
	test_clock_advance(20 * NSEC_PER_MSEC); /* all are cold now */
	test_settle_loads();
	test_on_cpu(0);
}

/* One pass for that CPU; how many tasks came, or -1. */
static inline int pass(unsigned cpu, struct sched_domain *sd, enum idle_type idle)
{
	unsigned long flags;
	int moved;
	bool responsible = true;

	test_on_cpu(cpu);
	flags = machine_irq_save();
	moved = load_balance(cpu_rq(cpu), sd, idle, &responsible);
	machine_irq_restore(flags);
	return moved;
}

static inline int pass_0(enum idle_type idle)
{
	return pass(0, cpu_rq(0)->sd, idle);
}

/* What would be moved to that CPU; 0: it is balanced. */
static inline u64 imbalance(unsigned cpu, struct sched_domain *sd, enum idle_type idle, struct rq **busiest)
{
	bool responsible = true;
	struct balance b = { .sd = sd,
		.idle = idle,
		.rq = cpu_rq(cpu),
		.dst = cpu_rq(cpu),
		.dst_cpu = cpu,
		.cpus = cpus_online,
		.responsible = &responsible };
	struct sched_group *g;

	test_on_cpu(cpu);
	g = find_busiest_group(&b);
	assert_true(responsible);
	*busiest = g ? find_busiest_queue(&b, g) : NULL;
	return g ? b.imbalance : 0;
}

#endif
