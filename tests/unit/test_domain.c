/* SPDX-License-Identifier: GPL-2.0-or-later
 * Sched domains of known machines, against cfs.md section 4 (checks C4.1 to C4.7, the 3.8 side) and its tables of parameters and
 * flags. The eras before, the knobs, the groups across nodes and rebuilding have files of their own. A level too many or too few is
 * degeneration; a wrong group is the way down from level to level. */
#include "tests/unit/domains.h"

/* C4.1: Q6600, two pairs that share a cache. */
static void test_q6600(void **state)
{
	static const struct expected_level chain[] = { { "MC", 2, 2, 1 }, { "CPU", 4, 2, 2 } };

	(void)state;
	boot(1, 2, 2, 1);
	expect_chain_everywhere(chain, 2);
	assert_true(mask_has(&cpu_rq(0)->sd->span, 1));
	assert_true(mask_has(&cpu_rq(2)->sd->span, 3));
	assert_int_equal(100 + (test_domain(0, "CPU")->imbalance_pct - 100) / 2, 112); /* what wake_affine multiplies by */
	assert_int_equal(llc_id(1), 0);
	assert_int_equal(llc_id(3), 2);
	assert_ptr_equal(llc_domain(0), test_domain(0, "MC"));
}

/* C4.2: 4 cores of 2 threads, one cache. 3.8 keeps CPU for its PREFER_SIBLING, with one group. The E5620 of
 * section 4.4 has the same shape. */
static void test_4_cores_8_threads(void **state)
{
	static const struct expected_level chain[] = { { "SIBLING", 2, 2, 1 }, { "MC", 8, 4, 2 }, { "CPU", 8, 1, 8 } };

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
	assert_int_equal(100 + (sibling->imbalance_pct - 100) / 2, 105); /* C4.1's other factor */
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
	static const struct expected_level chain[] = { { "MC", 4, 4, 1 }, { "CPU", 4, 1, 4 } };

	(void)state;
	boot(1, 1, 4, 1);
	expect_chain_everywhere(chain, 2);
	assert_int_equal(cpu_power(3), 1024);
	assert_int_equal(test_domain(0, "CPU")->groups->power, 4096);
}

/* Cores that share nothing: CPU only. */
static void test_private_caches(void **state)
{
	static const struct expected_level chain[] = { { "CPU", 4, 4, 1 } };

	(void)state;
	boot(1, 4, 1, 1);
	expect_chain_everywhere(chain, 1);
	assert_null(llc_domain(2));
	assert_int_equal(llc_id(2), 2);
}

/* One core of two threads: 3.8 has no reason to drop MC's successor CPU, but MC adds nothing to SIBLING. */
static void test_one_core_two_threads(void **state)
{
	static const struct expected_level chain[] = { { "SIBLING", 2, 2, 1 }, { "CPU", 2, 1, 2 } };

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
	static const struct expected_level chain[] = { { "MC", 10, 10, 1 }, { "CPU", 10, 1, 10 }, { "NUMA", 40, 4, 10 } };

	(void)state;
	boot(4, 1, 10, 1);
	expect_chain_everywhere(chain, 3);
}

/* ---- tables 4.2 and 4.3 ---- */

static void test_parameters_of_each_level(void **state)
{
	(void)state;
	boot(2, 1, 4, 2);
	expect_parameters(test_domain(0, "SIBLING"),
		(struct expected_parameters){ COMMON | SD_SHARE_CPUPOWER | SD_SHARE_PKG_RESOURCES, 1, 1, 2, 64, 110, 0, 0, 0 });
	expect_parameters(
		test_domain(0, "MC"), (struct expected_parameters){ COMMON | SD_SHARE_PKG_RESOURCES, 1, 1, 4, 64, 125, 1, 2, 0 });
	expect_parameters(
		test_domain(0, "CPU"), (struct expected_parameters){ COMMON | SD_PREFER_SIBLING, 1, 1, 4, 64, 125, 1, 2, 1 });
	expect_parameters(test_domain(0, "NUMA"),
		(struct expected_parameters){ COMMON | SD_SERIALIZE | SD_OVERLAP, 16, 16, 32, 32, 125, 2, 3, 2 });
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

/* ---- NUMA ---- */

/* C4.4: two nodes 20 apart may place across; 31 is beyond RECLAIM_DISTANCE (30). */
static void test_near_nodes(void **state)
{
	static const struct expected_level chain[] = { { "MC", 2, 2, 1 }, { "CPU", 2, 1, 2 }, { "NUMA", 4, 2, 2 } };

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

/* C4.5: distances 16 and 22 over a local 10 make two NUMA levels, the near one first. */
static void test_two_hops(void **state)
{
	struct sched_domain *near, *far;

	(void)state;
	boot_eight_nodes();
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
		machine_test(test_near_nodes),
		machine_test(test_nodes_at_the_limit),
		machine_test(test_far_nodes),
		machine_test(test_two_hops),
		machine_test(test_rings_start_at_home_and_ascend),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
