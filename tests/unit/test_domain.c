/* SPDX-License-Identifier: GPL-2.0-or-later
 * Sched domains of known machines, against cfs.md section 4 (checks C4.1 to C4.7, the 3.8 side) and its tables of parameters and
 * flags. A level too many or too few is degeneration; a wrong group is the way down from level to level. */
#include "tests/unit/machine.h"

#include "sched/rq.h"

static void boot(unsigned nodes, unsigned llcs, unsigned cores, unsigned threads)
{
	test_machine(nodes, llcs, cores, threads);
	test_boot(SWITCH_LABELS);
}

struct level {
	const char *name;
	unsigned cpus, groups, per_group; /* per_group: CPUs in the local group */
};

static unsigned nr_groups(const struct sched_domain *sd)
{
	unsigned n = 1;

	for (const struct sched_group *g = sd->groups->next; g != sd->groups; g = g->next)
		n++;
	return n;
}

/* That CPU's chain, bottom up. */
static void expect_chain(unsigned cpu, const struct level *level, unsigned n)
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

static void expect_chain_everywhere(const struct level *level, unsigned n)
{
	for (unsigned cpu = 0; cpu < nr_cpus; cpu++)
		expect_chain(cpu, level, n);
}

/* C4.1: Q6600, two pairs that share a cache. */
static void test_q6600(void **state)
{
	static const struct level chain[] = { { "MC", 2, 2, 1 }, { "CPU", 4, 2, 2 } };

	(void)state;
	boot(1, 2, 2, 1);
	expect_chain_everywhere(chain, 2);
	assert_true(mask_has(&cpu_rq(0)->sd->span, 1));
	assert_true(mask_has(&cpu_rq(2)->sd->span, 3));
	assert_int_equal(test_domain(0, "CPU")->imbalance_pct, 125);
	assert_int_equal(llc_id(1), 0);
	assert_int_equal(llc_id(3), 2);
	assert_ptr_equal(llc_domain(0), test_domain(0, "MC"));
}

/* C4.2: 4 cores of 2 threads, one cache. 3.8 keeps CPU for its PREFER_SIBLING, with one group; 2.6.32 had two levels. The E5620 of
 * section 4.4 has the same shape. */
static void test_4_cores_8_threads(void **state)
{
	static const struct level chain[] = { { "SIBLING", 2, 2, 1 }, { "MC", 8, 4, 2 }, { "CPU", 8, 1, 8 } };

	(void)state;
	boot(1, 1, 4, 2);
	expect_chain_everywhere(chain, 3);
	assert_true(mask_has(&cpu_rq(1)->sd->span, 5));
	assert_int_equal(llc_id(7), 0);
	assert_ptr_equal(llc_domain(6), test_domain(6, "MC"));
}

/* C4.3: power of a thread, a core and the whole, and the tasks that fill them. */
static void test_power_of_threads(void **state)
{
	const struct sched_domain *sibling, *mc, *cpu;

	(void)state;
	boot(1, 1, 4, 2);
	sibling = test_domain(0, "SIBLING");
	mc = test_domain(0, "MC");
	cpu = test_domain(0, "CPU");
	assert_int_equal(cpu_power(0), 589);
	assert_int_equal(sibling->groups->power, 589);
	assert_int_equal(power_capacity(sibling, sibling->groups, 589), 1);
	assert_int_equal(mc->groups->power, 1178);
	assert_int_equal(power_capacity(mc, mc->groups, 1178), 1);
	assert_int_equal(cpu->groups->power, 4712);
	assert_int_equal(power_capacity(cpu, cpu->groups, 4712), 5);
}

/* Section 4.7: four threads have 294 each, a core 1176; a thread rounds to 0 and then counts as 1 (3.8, at the SMT level only). */
static void test_power_of_four_threads(void **state)
{
	const struct sched_domain *sibling, *mc;

	(void)state;
	boot(1, 1, 2, 4);
	sibling = test_domain(0, "SIBLING");
	mc = test_domain(0, "MC");
	assert_int_equal(sibling->groups->power, 294);
	assert_int_equal(power_capacity(sibling, sibling->groups, 294), 1);
	assert_int_equal(power_capacity(mc, mc->groups, 294), 0);
	assert_int_equal(mc->groups->power, 1176);
	assert_int_equal(power_capacity(mc, mc->groups, 1176), 1);
	assert_int_equal(power_capacity(mc, mc->groups, 2048), 2);
}

/* Section 4.4: without threads SIBLING goes. */
static void test_cores_only(void **state)
{
	static const struct level chain[] = { { "MC", 4, 4, 1 }, { "CPU", 4, 1, 4 } };

	(void)state;
	boot(1, 1, 4, 1);
	expect_chain_everywhere(chain, 2);
	assert_int_equal(cpu_power(3), 1024);
	assert_int_equal(test_domain(0, "CPU")->groups->power, 4096);
}

/* Cores that share nothing: CPU only. */
static void test_private_caches(void **state)
{
	static const struct level chain[] = { { "CPU", 4, 4, 1 } };

	(void)state;
	boot(1, 4, 1, 1);
	expect_chain_everywhere(chain, 1);
	assert_null(llc_domain(2));
	assert_int_equal(llc_id(2), 2);
}

/* One core of two threads: 3.8 has no reason to drop MC's successor CPU, but MC adds nothing to SIBLING. */
static void test_one_core_two_threads(void **state)
{
	static const struct level chain[] = { { "SIBLING", 2, 2, 1 }, { "CPU", 2, 1, 2 } };

	(void)state;
	boot(1, 1, 1, 2);
	expect_chain_everywhere(chain, 2);
}

/* Section 4.4: one CPU has no domains. */
static void test_one_cpu(void **state)
{
	(void)state;
	boot(1, 1, 1, 1);
	assert_null(cpu_rq(0)->sd);
	assert_int_equal(llc_id(0), 0);
}

/* Section 4.4: 4 nodes of 10 cores, the machine of the power policies' mails. */
static void test_4_nodes_10_cores(void **state)
{
	static const struct level chain[] = { { "MC", 10, 10, 1 }, { "CPU", 10, 1, 10 }, { "NUMA", 40, 4, 10 } };

	(void)state;
	boot(4, 1, 10, 1);
	expect_chain_everywhere(chain, 3);
}

/* ---- tables 4.2 and 4.3 ---- */

struct parameters {
	u32 flags, min_interval, max_interval, busy_factor, imbalance_pct, cache_nice_tries, busy_idx, idle_idx;
};

static void expect_parameters(const struct sched_domain *sd, struct parameters p)
{
	assert_non_null(sd);
	assert_int_equal(sd->flags, p.flags);
	assert_int_equal(sd->min_interval, p.min_interval);
	assert_int_equal(sd->max_interval, p.max_interval);
	assert_int_equal(sd->balance_interval, p.min_interval);
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

static void test_parameters_of_each_level(void **state)
{
	(void)state;
	boot(2, 1, 4, 2);
	expect_parameters(test_domain(0, "SIBLING"),
		(struct parameters){ COMMON | SD_SHARE_CPUPOWER | SD_SHARE_PKG_RESOURCES, 1, 2, 64, 110, 0, 0, 0 });
	expect_parameters(test_domain(0, "MC"), (struct parameters){ COMMON | SD_SHARE_PKG_RESOURCES, 1, 4, 64, 125, 1, 2, 0 });
	expect_parameters(test_domain(0, "CPU"), (struct parameters){ COMMON | SD_PREFER_SIBLING, 1, 4, 64, 125, 1, 2, 1 });
	expect_parameters(
		test_domain(0, "NUMA"), (struct parameters){ COMMON | SD_SERIALIZE | SD_OVERLAP, 16, 32, 32, 125, 2, 3, 2 });
}

/* Section 4.1: the bits are Linux's, because people know them from /proc. */
static void test_flag_bits(void **state)
{
	(void)state;
	boot(2, 1, 4, 2);
	assert_int_equal(test_domain(0, "SIBLING")->flags, 0x2AF);
	assert_int_equal(test_domain(0, "MC")->flags, 0x22F);
	assert_int_equal(test_domain(0, "CPU")->flags, 0x102F);
	assert_int_equal(test_domain(0, "NUMA")->flags, 0x242F);
}

/* C4.6: at CPU level intervals go from 1 to 4 ms idle, 64 to 256 ms busy. */
static void test_intervals_of_cpu_level(void **state)
{
	const struct sched_domain *sd;

	(void)state;
	boot(1, 2, 2, 1);
	sd = test_domain(0, "CPU");
	assert_int_equal(sd->min_interval, 1);
	assert_int_equal(sd->max_interval, 4);
	assert_int_equal(sd->min_interval * sd->busy_factor, 64);
	assert_int_equal(sd->max_interval * sd->busy_factor, 256);
}

/* C4.7: a NUMA level of 40 CPUs: 40 to 80 ms idle, 1280 to 2560 ms busy. */
static void test_intervals_of_numa_level(void **state)
{
	const struct sched_domain *sd;

	(void)state;
	boot(4, 1, 10, 1);
	sd = test_domain(0, "NUMA");
	assert_int_equal(sd->balance_interval, 40);
	assert_int_equal(sd->min_interval, 40);
	assert_int_equal(sd->max_interval, 80);
	assert_int_equal(sd->min_interval * sd->busy_factor, 1280);
	assert_int_equal(sd->max_interval * sd->busy_factor, 2560);
}

/* The newidle switch is the NEWIDLE bit of every domain, nothing else (section 4.3). */
static void test_newidle_off_clears_the_bit(void **state)
{
	(void)state;
	boot(2, 1, 4, 2);
	knob.newidle = NEWIDLE_OFF;
	test_apply_knobs();
	for (unsigned cpu = 0; cpu < nr_cpus; cpu++)
		for_each_domain(cpu, sd)
			assert_false(sd->flags & SD_BALANCE_NEWIDLE);
	assert_int_equal(test_domain(5, "MC")->flags, 0x22D);
	knob.newidle = NEWIDLE_THROTTLE;
	test_apply_knobs();
	assert_int_equal(test_domain(5, "MC")->flags, 0x22F);
}

/* ---- NUMA ---- */

/* C4.4: two nodes 20 apart may place across; 31 is beyond RECLAIM_DISTANCE (30). */
static void test_near_nodes(void **state)
{
	static const struct level chain[] = { { "MC", 2, 2, 1 }, { "CPU", 2, 1, 2 }, { "NUMA", 4, 2, 2 } };

	(void)state;
	boot(2, 1, 2, 1);
	expect_chain_everywhere(chain, 3);
	assert_int_equal(test_domain(0, "NUMA")->flags, COMMON | SD_SERIALIZE | SD_OVERLAP);
}

static void test_nodes_at_the_limit(void **state)
{
	(void)state;
	test_machine(2, 1, 2, 1);
	test_distance(0, 1, 30);
	test_boot(SWITCH_LABELS);
	assert_int_equal(test_domain(0, "NUMA")->flags, COMMON | SD_SERIALIZE | SD_OVERLAP);
}

static void test_far_nodes(void **state)
{
	(void)state;
	test_machine(2, 1, 2, 1);
	test_distance(0, 1, 31);
	test_boot(SWITCH_LABELS);
	assert_int_equal(test_domain(0, "NUMA")->flags, FAR);
}

/* Eight nodes in four pairs: 16 within a pair and to the pair's neighbours on a ring of pairs, 22 across. */
static void eight_nodes(void)
{
	test_machine(8, 1, 2, 1);
	for (unsigned a = 0; a < 8; a++)
		for (unsigned b = 0; b < a; b++)
			test_distance(a, b, (a / 2 + 4 - b / 2) % 4 == 2 ? 22 : 16);
	test_boot(SWITCH_LABELS);
}

/* C4.5: distances 16 and 22 over a local 10 make two NUMA levels, the near one first. */
static void test_two_hops(void **state)
{
	struct sched_domain *near, *far;

	(void)state;
	eight_nodes();
	for (unsigned cpu = 0; cpu < nr_cpus; cpu++) {
		near = test_domain(cpu, "NUMA");
		far = near->parent;
		assert_int_equal(near->weight, 12); /* its own pair and two more */
		assert_non_null(far);
		assert_string_equal(far->name, "NUMA");
		assert_int_equal(far->weight, 16);
		assert_null(far->parent);
		assert_true(mask_has(&near->groups->span, cpu));
		assert_true(mask_has(&far->groups->span, cpu));
	}
}

/* Section 4.6, step 4: the scan for groups starts at the span's lowest CPU for everybody, so CPUs of one span see the same layout.
 */
static void test_groups_are_built_from_the_lowest_cpu(void **state)
{
	const struct sched_domain *of_0, *of_9;
	const struct sched_group *g, *h;

	(void)state;
	eight_nodes();
	of_0 = test_domain(0, "NUMA")->parent;
	of_9 = test_domain(9, "NUMA")->parent;
	g = of_0->groups;
	while (!mask_has(&g->span, 0) || group_balance_cpu(g) != 0)
		g = g->next;
	h = of_9->groups;
	while (group_balance_cpu(h) != 0)
		h = h->next;
	assert_int_equal(nr_groups(of_0), nr_groups(of_9));
	for (unsigned n = nr_groups(of_0); n--; g = g->next, h = h->next)
		assert_true(mask_equal(&g->span, &h->span));
}

/* ... and where groups overlap, a CPU's own is the first that holds it, unless it is the first CPU of a later one: the second group
 * is what CPU 8 sees nearby, 4 to 15, and CPU 4 acts for it. */
static void test_own_group_of_overlapping_ones(void **state)
{
	(void)state;
	eight_nodes();
	assert_int_equal(group_balance_cpu(test_domain(0, "NUMA")->parent->groups), 0);
	assert_int_equal(group_balance_cpu(test_domain(5, "NUMA")->parent->groups), 0);
	assert_int_equal(group_balance_cpu(test_domain(4, "NUMA")->parent->groups), 4);
	assert_int_equal(group_balance_cpu(test_domain(8, "NUMA")->parent->groups), 4);
}

/* ---- rings ---- */

/* Section 4.1: a CPU's ring starts with its own group, then goes up and round; groups cover the span. */
static void test_rings_start_at_home_and_ascend(void **state)
{
	(void)state;
	boot(2, 2, 3, 2);
	for (unsigned cpu = 0; cpu < nr_cpus; cpu++)
		for_each_domain(cpu, sd) {
			struct sched_group *g = sd->groups;
			unsigned wraps = 0;
			struct cpumask covered;

			mask_clear(&covered);
			do {
				assert_false(mask_intersects(&covered, &g->span));
				mask_or(&covered, &g->span);
				wraps += mask_first(&g->next->span) <= mask_first(&g->span);
				g = g->next;
			} while (g != sd->groups);
			assert_true(mask_equal(&covered, &sd->span));
			assert_int_equal(wraps, 1);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		machine_test(test_q6600),
		machine_test(test_4_cores_8_threads),
		machine_test(test_power_of_threads),
		machine_test(test_power_of_four_threads),
		machine_test(test_cores_only),
		machine_test(test_private_caches),
		machine_test(test_one_core_two_threads),
		machine_test(test_one_cpu),
		machine_test(test_4_nodes_10_cores),
		machine_test(test_parameters_of_each_level),
		machine_test(test_flag_bits),
		machine_test(test_intervals_of_cpu_level),
		machine_test(test_intervals_of_numa_level),
		machine_test(test_newidle_off_clears_the_bit),
		machine_test(test_near_nodes),
		machine_test(test_nodes_at_the_limit),
		machine_test(test_far_nodes),
		machine_test(test_two_hops),
		machine_test(test_groups_are_built_from_the_lowest_cpu),
		machine_test(test_own_group_of_overlapping_ones),
		machine_test(test_rings_start_at_home_and_ascend),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
