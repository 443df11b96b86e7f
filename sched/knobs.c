/* SPDX-License-Identifier: GPL-2.0-or-later
 * The table of the scheduler's switches, made from knobs.def. */
#include "sched/knobs.h"

struct sched_knobs knob;

#define KNOB_LIST   "sched/knobs.def"
#define KNOB_STRUCT knob
#include "base/knob_table.inc"

const struct knob_table sched_knob_table = { "scheduler", knob_table_entries, ARRAY_SIZE(knob_table_entries) };

/* 2.6.32: 1 + log2(CPUs). 3.8: that, or CPUs, counting at most 8. */
static u64 scaling_factor(unsigned nr_cpus)
{
	unsigned n = nr_cpus < 8 ? nr_cpus : 8;

	switch (knob.sched_tunable_scaling) {
	case SCALING_NONE:
		return 1;
	case SCALING_LINEAR:
		return n;
	case SCALING_LOG_ALL:
		return 1 + ilog2(nr_cpus);
	default:
		return 1 + ilog2(n);
	}
}

/* 2.6.32 lets neither the latency nor the shortest slice grow beyond this. */
#define LOG_ALL_MOST_NS 200000000

static void settle(u64 *value, u64 normalized, u64 factor, u64 most)
{
	if (*value == KNOB_AUTO)
		*value = min_u64(normalized * factor, most);
}

void sched_knobs_settle(unsigned nr_cpus)
{
	u64 factor = scaling_factor(nr_cpus);
	u64 most = knob.sched_tunable_scaling == SCALING_LOG_ALL ? LOG_ALL_MOST_NS : KNOB_AUTO;

	settle(&knob.sched_latency_ns, knob.normalized_latency_ns, factor, most);
	settle(&knob.sched_min_granularity_ns, knob.normalized_min_granularity_ns, factor, most);
	settle(&knob.sched_wakeup_granularity_ns, knob.normalized_wakeup_granularity_ns, factor, KNOB_AUTO);
}
