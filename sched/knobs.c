/* SPDX-License-Identifier: GPL-2.0-or-later
 * The table of the scheduler's switches, made from knobs.def. */
#include "sched/knobs.h"

struct sched_knobs knob;

#define KNOB_LIST   "sched/knobs.def"
#define KNOB_STRUCT knob
#include "base/knob_table.inc"

const struct knob_table sched_knob_table = { "scheduler", knob_table_entries, ARRAY_SIZE(knob_table_entries) };

/* 3.8: 1 + log2(CPUs) or CPUs, counting at most 8. */
static u64 scaling_factor(unsigned nr_cpus)
{
	unsigned n = nr_cpus < 8 ? nr_cpus : 8;

	switch (knob.sched_tunable_scaling) {
	case SCALING_NONE:
		return 1;
	case SCALING_LINEAR:
		return n;
	default:
		return 1 + ilog2(n);
	}
}

/* Unscaled defaults of 3.8. */
#define BASE_LATENCY_NS		   6000000
#define BASE_MIN_GRANULARITY_NS	   750000
#define BASE_WAKEUP_GRANULARITY_NS 1000000

void sched_knobs_settle(unsigned nr_cpus)
{
	u64 factor = scaling_factor(nr_cpus);

	if (knob.sched_latency_ns == KNOB_AUTO)
		knob.sched_latency_ns = BASE_LATENCY_NS * factor;
	if (knob.sched_min_granularity_ns == KNOB_AUTO)
		knob.sched_min_granularity_ns = BASE_MIN_GRANULARITY_NS * factor;
	if (knob.sched_wakeup_granularity_ns == KNOB_AUTO)
		knob.sched_wakeup_granularity_ns = BASE_WAKEUP_GRANULARITY_NS * factor;
}
