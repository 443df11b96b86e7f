/* SPDX-License-Identifier: GPL-2.0-or-later
 * What the tests of sched domains share: chains, parameters and eras. */
#ifndef TESTS_UNIT_DOMAINS_H
#define TESTS_UNIT_DOMAINS_H

#include "tests/unit/machine.h"

#include "sched/rq.h"

static inline void boot(unsigned nodes, unsigned llcs, unsigned cores, unsigned threads)
{
	test_machine(nodes, llcs, cores, threads);
	test_boot(SWITCH_LABELS);
}

struct expected_level {
	const char *name;
	unsigned cpus, groups, per_group; /* per_group: CPUs in the local group */
};

static inline unsigned nr_groups(const struct sched_domain *sd)
{
	unsigned n = 1;

	for (const struct sched_group *g = sd->groups->next; g != sd->groups; g = g->next)
		n++;
	return n;
}

/* That CPU's chain, bottom up. */
static inline void expect_chain(unsigned cpu, const struct expected_level *level, unsigned n)
{
	unsigned i = 0;
	struct sched_domain *child = NULL;

	for_each_domain(cpu, sd) {
		assert_in_range(i, 0, n - 1);
		assert_string_equal(sd->name, level[i].name);
		assert_int_equal(sd->weight, level[i].cpus);
		assert_int_equal(mask_weight(&sd->span), level[i].cpus);
		assert_int_equal(nr_groups(sd), level[i].groups);
		assert_int_equal(sd->groups->weight, level[i].per_group);
		assert_true(mask_has(&sd->span, cpu));
		assert_true(mask_has(&sd->groups->span, cpu));
		assert_ptr_equal(sd->child, child);
		child = sd;
		i++;
	}
	assert_int_equal(i, n);
}

static inline void expect_chain_everywhere(const struct expected_level *level, unsigned n)
{
	for (unsigned cpu = 0; cpu < nr_cpus; cpu++)
		expect_chain(cpu, level, n);
}

/* The domains that a release or proposal would have made of the machine that is up. */
static inline void change_era(const char *preset)
{
	char error[KNOB_ERROR_BYTES];

	assert_int_equal(preset_apply(preset, error), 0);
	sched_knobs_settle(nr_cpus);
	test_apply_knobs();
}

/* Eight nodes in four pairs: 16 within a pair and to the pair's neighbours on a ring of pairs, 22 across. */
static inline void boot_eight_nodes(void)
{
	test_machine(8, 1, 2, 1);
	for (unsigned a = 0; a < 8; a++)
		for (unsigned b = 0; b < a; b++)
			test_distance(a, b, (a / 2 + 4 - b / 2) % 4 == 2 ? 22 : 16);
	test_boot(SWITCH_LABELS);
}

struct expected_parameters {
	u32 flags, first_interval, min_interval, max_interval, busy_factor, imbalance_pct, cache_nice_tries, busy_idx, idle_idx;
};

static inline void expect_parameters(const struct sched_domain *sd, struct expected_parameters p)
{
	assert_non_null(sd);
	assert_int_equal(sd->flags, p.flags);
	assert_int_equal(sd->min_interval, p.min_interval);
	assert_int_equal(sd->max_interval, p.max_interval);
	assert_int_equal(sd->balance_interval, p.first_interval);
	assert_int_equal(sd->busy_factor, p.busy_factor);
	assert_int_equal(sd->imbalance_pct, p.imbalance_pct);
	assert_int_equal(sd->cache_nice_tries, p.cache_nice_tries);
	assert_int_equal(sd->busy_idx, p.busy_idx);
	assert_int_equal(sd->idle_idx, p.idle_idx);
	assert_int_equal(sd->newidle_idx, 0);
	assert_int_equal(sd->wake_idx, 0);
	assert_int_equal(sd->forkexec_idx, 0);
}

enum {
	COMMON = SD_LOAD_BALANCE | SD_BALANCE_NEWIDLE | SD_BALANCE_EXEC | SD_BALANCE_FORK | SD_WAKE_AFFINE,
	FAR = SD_LOAD_BALANCE | SD_BALANCE_NEWIDLE | SD_SERIALIZE | SD_OVERLAP,
};

#endif
