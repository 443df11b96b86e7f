/* SPDX-License-Identifier: GPL-2.0-or-later
 * Sched domains as 2.6.32 and its candidates made them, and as 3.8 does with some knobs changed, against cfs.md 4.2 to 4.4, 4.6 and
 * 13.4. The era is changed by its preset on a machine that has booted with 3.8's domains. */
#include "tests/unit/domains.h"

static void boot_era(unsigned nodes, unsigned llcs, unsigned cores, unsigned threads, const char *preset)
{
	boot(nodes, llcs, cores, threads);
	change_era(preset);
}

/* ---- tables 4.2 and 4.3 ---- */

enum { NODE_32 = COMMON | SD_SERIALIZE, MC_32 = COMMON | SD_SHARE_PKG_RESOURCES | SD_PREFER_SIBLING };

/* Two caches a node, so that no level is like another. */
static void test_parameters_of_2_6_32(void **state)
{
	(void)state;
	boot_era(2, 2, 2, 2, "v2.6.32");
	for (unsigned cpu = 0; cpu < nr_cpus; cpu++) {
		expect_parameters(test_domain(cpu, "SIBLING"),
			(struct expected_parameters){ COMMON | SD_SHARE_CPUPOWER, 1, 1, 2, 64, 110, 0, 0, 0 });
		expect_parameters(test_domain(cpu, "MC"), (struct expected_parameters){ MC_32, 1, 1, 4, 64, 125, 1, 2, 0 });
		expect_parameters(test_domain(cpu, "CPU"),
			(struct expected_parameters){ COMMON | SD_PREFER_SIBLING, 1, 1, 4, 64, 125, 1, 2, 1 });
		expect_parameters(test_domain(cpu, "NODE"), (struct expected_parameters){ NODE_32, 1, 8, 32, 32, 125, 2, 3, 2 });
	}
}

/* The four words of flags as /proc showed them, SIBLING first; 0x40 is PREFER_LOCAL. */
static void expect_flags(u32 sibling, u32 mc, u32 cpu, u32 node)
{
	assert_int_equal(test_domain(0, "SIBLING")->flags, sibling);
	assert_int_equal(test_domain(0, "MC")->flags, mc);
	assert_int_equal(test_domain(0, "CPU")->flags, cpu);
	assert_int_equal(test_domain(0, "NODE")->flags, node);
}

static void test_flag_bits_of_each_preset(void **state)
{
	(void)state;
	boot_era(2, 2, 2, 2, "v2.6.32-rc1");
	expect_flags(0xAF, 0x126F, 0x106F, 0x42F);
	change_era("v2.6.32-rc1+p2"); /* of 9 October 2009; until 2 November NODE preferred local groups */
	expect_flags(0xAF, 0x122F, 0x102F, 0x46F);
	change_era("v2.6.32-rc1+buddies");
	expect_flags(0xAF, 0x122F, 0x102F, 0x46F);
	change_era("v2.6.32");
	expect_flags(0xAF, 0x122F, 0x102F, 0x42F);
	change_era("v2.6.32.2");
	expect_flags(0xAF, 0x122F, 0x102F, 0x42F);
}

/* Alex Shi's MC level of January 2013 is 3.8's but for one flag (section 4.4). */
static void test_mc_of_the_power_policies(void **state)
{
	(void)state;
	boot_era(2, 2, 2, 2, "v3.8+power");
	assert_int_equal(test_domain(0, "SIBLING")->flags, 0x2AF);
	assert_int_equal(test_domain(0, "MC")->flags, 0x122F);
	assert_int_equal(test_domain(0, "CPU")->flags, 0x102F);
	assert_int_equal(test_domain(0, "NUMA")->flags, 0x242F);
}

/* Asked for beside 3.8's levels, a preference of nodes is one of every level across nodes. */
static void test_prefer_local_with_levels_by_distance(void **state)
{
	(void)state;
	boot(2, 2, 2, 2);
	knob.prefer_local = PREFER_LOCAL_NODE;
	test_apply_knobs();
	assert_int_equal(test_domain(0, "CPU")->flags, 0x102F);
	assert_int_equal(test_domain(0, "NUMA")->flags, 0x246F);
}

/* ---- degeneration, section 4.4 ---- */

/* C4.1: the same two levels as 3.8. */
static void test_q6600(void **state)
{
	static const struct expected_level chain[] = { { "MC", 2, 2, 1 }, { "CPU", 4, 2, 2 } };

	(void)state;
	boot_era(1, 2, 2, 1, "v2.6.32");
	expect_chain_everywhere(chain, 2);
}

/* C4.2: CPU adds nothing to an MC of the same span that prefers siblings already. */
static void test_4_cores_8_threads(void **state)
{
	static const struct expected_level chain[] = { { "SIBLING", 2, 2, 1 }, { "MC", 8, 4, 2 } };

	(void)state;
	boot_era(1, 1, 4, 2, "v2.6.32");
	expect_chain_everywhere(chain, 2);
	change_era("v2.6.32-rc1");
	expect_chain_everywhere(chain, 2);
	change_era("v3.8+power");
	expect_chain_everywhere(chain, 2);
}

/* ... and 3.8 keeps it, also when it comes back. */
static void test_back_to_3_8(void **state)
{
	static const struct expected_level chain[] = { { "SIBLING", 2, 2, 1 }, { "MC", 8, 4, 2 }, { "CPU", 8, 1, 8 } };

	(void)state;
	boot_era(1, 1, 4, 2, "v2.6.32");
	change_era("v3.8");
	expect_chain_everywhere(chain, 3);
}

/* One core of two threads: what MC adds to SIBLING is the preference, which its one group does not make void. */
static void test_one_core_two_threads(void **state)
{
	static const struct expected_level chain[] = { { "SIBLING", 2, 2, 1 }, { "MC", 2, 1, 2 } };

	(void)state;
	boot_era(1, 1, 1, 2, "v2.6.32");
	expect_chain_everywhere(chain, 2);
}

/* Sharing a cache needs groups: an MC of one group has nothing over a SIBLING that lacks the flag, and no domain says who shares.
 */
static void test_sharing_needs_groups(void **state)
{
	static const struct expected_level chain[] = { { "SIBLING", 2, 2, 1 }, { "CPU", 2, 1, 2 } };

	(void)state;
	boot(1, 1, 1, 2);
	assert_ptr_equal(llc_domain(1), test_domain(1, "SIBLING"));
	assert_int_equal(llc_id(1), 0);
	knob.smt_shares_pkg = OFF;
	test_apply_knobs();
	expect_chain_everywhere(chain, 2);
	assert_null(llc_domain(1));
	assert_int_equal(llc_id(1), 1);
}

/* Private caches: CPU alone. NODE has its span, and on a machine of one node its SERIALIZE does not count. */
static void test_one_node(void **state)
{
	static const struct expected_level chain[] = { { "CPU", 4, 4, 1 } };

	(void)state;
	boot_era(1, 4, 1, 1, "v2.6.32");
	expect_chain_everywhere(chain, 1);
}

static void test_one_cpu(void **state)
{
	(void)state;
	boot_era(1, 1, 1, 1, "v2.6.32");
	assert_null(cpu_rq(0)->sd);
}

static void test_4_nodes_10_cores(void **state)
{
	static const struct expected_level chain[] = { { "MC", 10, 10, 1 }, { "NODE", 40, 4, 10 } };

	(void)state;
	boot_era(4, 1, 10, 1, "v2.6.32");
	expect_chain_everywhere(chain, 2);
}

/* 3.8, nodes in a row 10 apart each: what the middle one sees at 30 it has seen at 20. */
static void test_far_level_that_adds_nothing(void **state)
{
	static const struct expected_level end[] = { { "MC", 2, 2, 1 }, { "CPU", 2, 1, 2 }, { "NUMA", 4, 2, 2 },
		{ "NUMA", 6, 2, 4 } };
	static const struct expected_level middle[] = { { "MC", 2, 2, 1 }, { "CPU", 2, 1, 2 }, { "NUMA", 6, 3, 2 } };

	(void)state;
	test_machine(3, 1, 2, 1);
	test_distance(0, 2, 30);
	test_boot(SWITCH_LABELS);
	expect_chain(0, end, 4);
	expect_chain(3, middle, 3);
}

/* 3.8, a node with no other at the first distance: its level there has its CPUs only, but OVERLAP is new. And
 * where that is everywhere, SERIALIZE still is: it is void on machines of one node only. */
static void test_lonely_node_keeps_a_level(void **state)
{
	static const struct expected_level near[] = { { "MC", 2, 2, 1 }, { "CPU", 2, 1, 2 }, { "NUMA", 4, 2, 2 },
		{ "NUMA", 6, 2, 4 } };
	static const struct expected_level far[] = { { "MC", 2, 2, 1 }, { "CPU", 2, 1, 2 }, { "NUMA", 2, 1, 2 },
		{ "NUMA", 6, 2, 2 } };

	(void)state;
	test_machine(3, 1, 2, 1);
	test_distance(0, 1, 16);
	test_distance(0, 2, 22);
	test_distance(1, 2, 22);
	test_boot(SWITCH_LABELS);
	expect_chain(0, near, 4);
	expect_chain(2, near, 4);
	expect_chain(4, far, 4);
	knob.FORCE_SD_OVERLAP = 1;
	test_apply_knobs();
	expect_chain(0, near, 4);
	expect_chain(4, far, 4);
}

/* ---- levels across nodes ---- */

enum { RING = 18, PER_NODE = 2 };

/* 18 nodes of 2 CPUs on a ring, 2 further apart for each step. */
static void boot_ring(const char *preset)
{
	test_machine(RING, 1, PER_NODE, 1);
	for (unsigned a = 0; a < RING; a++)
		for (unsigned b = 0; b < a; b++)
			test_distance(a, b, (u8)(10 + 2 * min_u64(a - b, RING - (a - b))));
	test_boot(SWITCH_LABELS);
	change_era(preset);
}

static bool node_has(const struct cpumask *span, unsigned node)
{
	return mask_has(span, PER_NODE * node);
}

/* Of 18 nodes each sees itself, seven to either side, and of the two 8 steps away the one that is above it: 16. Groups are nodes.
 */
static void test_16_nearest_nodes(void **state)
{
	(void)state;
	boot_ring("v2.6.32");
	for (unsigned node = 0; node < RING; node++)
		for (unsigned cpu = PER_NODE * node; cpu < PER_NODE * (node + 1); cpu++) {
			const struct sched_domain *sd = test_domain(cpu, "NODE");

			assert_int_equal(sd->weight, 32);
			assert_int_equal(nr_groups(sd), 16);
			assert_int_equal(sd->groups->weight, PER_NODE);
			assert_true(node_has(&sd->groups->span, node));
			assert_true(node_has(&sd->span, (node + 8) % RING));
			assert_false(node_has(&sd->span, (node + 9) % RING));
			assert_false(node_has(&sd->span, (node + 10) % RING));
		}
}

/* Table 4.2's last old column: 36 CPUs, so 64 to 64 x 36 = 2304 ms. Table 4.3: only balanced, one CPU at a time. */
static void test_all_nodes(void **state)
{
	static const struct expected_level chain[] = { { "MC", 2, 2, 1 }, { "NODE", 32, 16, 2 }, { "ALLNODES", 36, 18, 2 } };

	(void)state;
	boot_ring("v2.6.32");
	expect_chain_everywhere(chain, 3);
	expect_parameters(
		test_domain(0, "ALLNODES"), (struct expected_parameters){ SD_LOAD_BALANCE | SD_BALANCE_NEWIDLE | SD_SERIALIZE, 64,
						    64, 2304, 128, 133, 1, 3, 3 });
	assert_int_equal(test_domain(0, "ALLNODES")->flags, 0x403);
	change_era("v2.6.32-rc1+p2");
	assert_int_equal(test_domain(0, "ALLNODES")->flags, 0x403); /* never PREFER_LOCAL */
	assert_int_equal(test_domain(0, "NODE")->flags, 0x46F);
}

static void test_16_nodes_need_no_more(void **state)
{
	static const struct expected_level chain[] = { { "NODE", 16, 16, 1 } };

	(void)state;
	boot_era(16, 1, 1, 1, "v2.6.32");
	expect_chain_everywhere(chain, 1);
}

/* A ring of NODE groups goes up and around (section 4.1), though its nodes are not in one piece: node 0 has 0..8 and 11..17. */
static void test_ring_of_node_groups(void **state)
{
	static const unsigned nodes[] = { 5, 6, 7, 8, 9, 10, 11, 12, 13, 16, 17, 0, 1, 2, 3, 4 };
	const struct sched_group *g;

	(void)state;
	boot_ring("v2.6.32");
	g = test_domain(PER_NODE * 5 + 1, "NODE")->groups; /* node 5 has 16, 17, 0..13 */
	for (unsigned i = 0; i < ARRAY_SIZE(nodes); i++, g = g->next)
		assert_true(node_has(&g->span, nodes[i]));
	assert_ptr_equal(g, test_domain(PER_NODE * 5 + 1, "NODE")->groups);
}

/* Section 13.4: nothing joins the nodes any more. */
static void test_lost_levels(void **state)
{
	static const struct expected_level chain[] = { { "MC", 10, 10, 1 }, { "CPU", 10, 1, 10 } };

	(void)state;
	boot(4, 1, 10, 1);
	knob.numa_levels = NUMA_LEVELS_LOST;
	test_apply_knobs();
	expect_chain_everywhere(chain, 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		machine_test(test_parameters_of_2_6_32),
		machine_test(test_flag_bits_of_each_preset),
		machine_test(test_mc_of_the_power_policies),
		machine_test(test_prefer_local_with_levels_by_distance),
		machine_test(test_q6600),
		machine_test(test_4_cores_8_threads),
		machine_test(test_back_to_3_8),
		machine_test(test_one_core_two_threads),
		machine_test(test_sharing_needs_groups),
		machine_test(test_one_node),
		machine_test(test_one_cpu),
		machine_test(test_4_nodes_10_cores),
		machine_test(test_far_level_that_adds_nothing),
		machine_test(test_lonely_node_keeps_a_level),
		machine_test(test_16_nearest_nodes),
		machine_test(test_all_nodes),
		machine_test(test_16_nodes_need_no_more),
		machine_test(test_ring_of_node_groups),
		machine_test(test_lost_levels),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
