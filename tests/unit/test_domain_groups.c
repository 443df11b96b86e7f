/* SPDX-License-Identifier: GPL-2.0-or-later
 * Groups of domains that overlap, against cfs.md 4.6, 12 (FORCE_SD_OVERLAP) and 13.2 (check C13.3). */
#include "tests/unit/domains.h"

#include <string.h>

static bool node_has(const struct cpumask *span, unsigned node)
{
	for_each_cpu(cpu, span)
		if (machine_topology()->cpu[cpu].node == node)
			return true;
	return false;
}

/* The ring from that group on, as sets of nodes of two CPUs: "01246 12345". Nodes are in whole or not at all. */
static const char *ring_text(const struct sched_group *first)
{
	static char text[512];
	const struct sched_group *g = first;
	char *to = text;

	do {
		if (to != text)
			*to++ = ' ';
		for (unsigned node = 0; node < machine_topology()->nr_nodes; node++)
			if (node_has(&g->span, node))
				*to++ = (char)('0' + node);
		g = g->next;
	} while (g != first);
	*to = '\0';
	return text;
}

/* ---- the layout of 3.8 ---- */

/* Section 4.6, step 4: the scan for groups starts at the span's lowest CPU for everybody, so CPUs of one span see the same layout.
 */
static void test_groups_are_built_from_the_lowest_cpu(void **state)
{
	const struct sched_domain *of_0, *of_9;
	const struct sched_group *g, *h;

	(void)state;
	boot_eight_nodes();
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
	boot_eight_nodes();
	assert_int_equal(group_balance_cpu(test_domain(0, "NUMA")->parent->groups), 0);
	assert_int_equal(group_balance_cpu(test_domain(5, "NUMA")->parent->groups), 0);
	assert_int_equal(group_balance_cpu(test_domain(4, "NUMA")->parent->groups), 4);
	assert_int_equal(group_balance_cpu(test_domain(8, "NUMA")->parent->groups), 4);
}

/* ---- the machine of "A Decade of Wasted Cores" ---- */

/* Four Opteron 6272: eight nodes, 16 at one hop, 22 at two. Here each has two CPUs. */
static const u8 opteron[8][8] = {
	{ 10, 16, 16, 22, 16, 22, 16, 22 },
	{ 16, 10, 22, 16, 16, 22, 22, 16 },
	{ 16, 22, 10, 16, 16, 16, 16, 16 },
	{ 22, 16, 16, 10, 16, 16, 22, 22 },
	{ 16, 16, 16, 16, 10, 16, 16, 22 },
	{ 22, 22, 16, 16, 16, 10, 22, 16 },
	{ 16, 22, 16, 22, 16, 22, 10, 16 },
	{ 22, 16, 16, 22, 22, 16, 16, 10 },
};

static void boot_opterons(unsigned group_build)
{
	test_machine(8, 1, 2, 1);
	for (unsigned a = 0; a < 8; a++)
		for (unsigned b = 0; b < a; b++) {
			assert_int_equal(opteron[a][b], opteron[b][a]);
			test_distance(a, b, opteron[a][b]);
		}
	test_boot(SWITCH_LABELS);
	knob.group_build = (u8)group_build;
	test_apply_knobs();
}

static const struct sched_domain *top(unsigned cpu)
{
	const struct sched_domain *sd = cpu_rq(cpu)->sd;

	while (sd->parent)
		sd = sd->parent;
	return sd;
}

/* As `a` sees it: every group of its top level has both or neither. */
static bool never_apart(unsigned a, unsigned b)
{
	const struct sched_group *first = top(2 * a)->groups, *g = first;

	do {
		if (node_has(&g->span, a) != node_has(&g->span, b))
			return false;
		g = g->next;
	} while (g != first);
	return true;
}

/* Pairs two hops apart of which the first never sees the second but in its own company; *a and *b: the last. */
static unsigned pairs_never_apart(unsigned *a, unsigned *b)
{
	unsigned n = 0;

	for (unsigned i = 0; i < 8; i++)
		for (unsigned k = 0; k < 8; k++)
			if (opteron[i][k] == 22 && never_apart(i, k)) {
				*a = i;
				*b = k;
				n++;
			}
	return n;
}

/*
 * C13.3, 3.8: node 0 has 0 1 2 4 6 within a hop, the first that is missing is 3 with 1 2 3 4 5, then 7 with 1 2 5 6 7. All eight
 * see just these, and 1 and 2, two hops apart, are in all three.
 */
static void test_two_nodes_that_never_part(void **state)
{
	unsigned a = 0, b = 0;

	(void)state;
	boot_opterons(GROUP_BUILD_FIRST_CPU);
	assert_string_equal(ring_text(top(0)->groups), "01246 12345 12567");
	for (unsigned cpu = 0; cpu < nr_cpus; cpu++)
		assert_int_equal(nr_groups(top(cpu)), 3);
	assert_int_equal(pairs_never_apart(&a, &b), 2); /* 1 of 2, 2 of 1 */
	assert_int_equal(a, 2);
	assert_int_equal(b, 1);
}

/* C13.3, the fix: node 1 begins with its own 0 1 3 4 7, and then has node 2 in another group: 0 2 3 4 5 6 7. */
static void test_no_such_nodes_from_the_own_cpu(void **state)
{
	unsigned a = 0, b = 0;

	(void)state;
	boot_opterons(GROUP_BUILD_OWN_CPU);
	assert_string_equal(ring_text(top(2)->groups), "01347 0234567");
	assert_string_equal(ring_text(top(3)->groups), "01347 0234567");
	/* Node 7: 1 2 5 6 7, then around to 0. */
	assert_string_equal(ring_text(top(15)->groups), "12567 01246 12345");
	assert_int_equal(pairs_never_apart(&a, &b), 0);
}

/*
 * 4.13: node 2 alone has the group 0 2 3 4 5 6 7, so only its CPUs act for it. By the mask of 3.8 all do, and the first idle one is
 * elected: where node 2 is idle and node 0 too that is CPU 0, which sees other groups.
 */
static void test_only_owners_act_for_a_group(void **state)
{
	struct cpumask of_node_2 = { .word = { 3 << 4 } };
	const struct sched_group *first, *g;

	(void)state;
	boot_opterons(GROUP_BUILD_OWN_CPU);
	assert_int_equal(group_balance_cpu(top(4)->groups), 0);
	knob.group_build = GROUP_BUILD_OWN_MASK;
	test_apply_knobs();
	assert_string_equal(ring_text(top(4)->groups), "0234567 01347");
	assert_true(mask_equal(&top(4)->groups->balance, &of_node_2));
	for (unsigned cpu = 0; cpu < nr_cpus; cpu++) {
		assert_true(mask_has(&top(cpu)->groups->balance, cpu));
		for (first = g = test_domain(cpu, "NUMA")->groups; g->next != first; g = g->next)
			assert_true(mask_equal(&g->balance, &g->span)); /* nodes are the own group of all their CPUs */
	}
}

/* The levels themselves are the same: 16 then 22 (C4.5), one hop of node 2 reaching all but node 1. */
static void test_levels_of_the_opterons(void **state)
{
	(void)state;
	boot_opterons(GROUP_BUILD_FIRST_CPU);
	assert_int_equal(test_domain(0, "NUMA")->weight, 10);
	assert_int_equal(test_domain(4, "NUMA")->weight, 14);
	assert_int_equal(top(0)->weight, 16);
	assert_ptr_equal(test_domain(4, "NUMA")->parent, top(4));
}

/* Where nothing overlaps, own_cpu changes nothing. */
static void test_own_cpu_is_for_overlapping_levels(void **state)
{
	const struct sched_group *first, *g;

	(void)state;
	boot_opterons(GROUP_BUILD_OWN_CPU);
	first = test_domain(1, "MC")->groups;
	assert_int_equal(mask_first(&first->span), 1);
	assert_int_equal(mask_first(&first->next->span), 0);
	assert_ptr_equal(first->next, test_domain(0, "MC")->groups);
	for (g = first->next; g != first; g = g->next)
		assert_int_equal(g->weight, 1);
}

/* ---- the balance mask, section 4.6 step 5 ---- */

/*
 * Four nodes in a row, 10 apart each: at distance 30 node 3 has 1, 2 and 3, in groups of what 1 and 3 have at 20: 0 1 2 and 2 3.
 * Node 0 is in the first, but not in the domain: node 1 acts for that group. Node 2 has all four and the groups 0 1 and 1 2 3.
 */
static void test_who_is_outside_does_not_balance(void **state)
{
	const struct sched_domain *of_3, *of_2;
	const struct sched_group *beyond;

	(void)state;
	test_machine(4, 1, 2, 1);
	for (unsigned a = 0; a < 4; a++)
		for (unsigned b = 0; b < a; b++)
			test_distance(a, b, (u8)(10 + 10 * (a - b)));
	test_boot(SWITCH_LABELS);
	of_3 = test_domain(6, "NUMA")->parent;
	assert_int_equal(of_3->weight, 6);
	assert_string_equal(ring_text(of_3->groups), "23 012");
	beyond = of_3->groups->next;
	assert_int_equal(mask_weight(&beyond->span), 6);
	assert_int_equal(mask_weight(&beyond->balance), 4);
	assert_int_equal(group_balance_cpu(beyond), 2);
	of_2 = test_domain(4, "NUMA")->parent;
	assert_int_equal(of_2->weight, 8);
	assert_string_equal(ring_text(of_2->groups), "123 01");
	assert_true(mask_equal(&of_2->groups->span, &of_2->groups->balance));
}

/* Only a CPU of the mask may be elected to balance for its group: the idle CPU 1 is, unless it is not of it. */
static void test_only_the_mask_is_elected(void **state)
{
	struct sched_domain *sd;
	bool responsible = true;

	(void)state;
	boot(2, 1, 2, 1);
	test_spinners(0, 1);
	sd = test_domain(1, "NUMA");
	test_on_cpu(1);
	machine_irq_save();
	load_balance(cpu_rq(1), sd, CPU_IDLE, &responsible);
	assert_true(responsible);
	mask_unset(&sd->groups->balance, 1);
	load_balance(cpu_rq(1), sd, CPU_IDLE, &responsible);
	assert_false(responsible);
}

/* ---- FORCE_SD_OVERLAP ---- */

/* The flag at every level, the same levels and groups; nothing is lost by degeneration. */
static void test_overlap_everywhere(void **state)
{
	static const struct expected_level chain[] = { { "SIBLING", 2, 2, 1 }, { "MC", 4, 2, 2 }, { "CPU", 8, 2, 4 },
		{ "NUMA", 16, 2, 8 } };

	(void)state;
	boot(2, 2, 2, 2);
	expect_chain_everywhere(chain, 4);
	assert_false(test_domain(0, "SIBLING")->flags & SD_OVERLAP);
	knob.FORCE_SD_OVERLAP = 1;
	test_apply_knobs();
	expect_chain_everywhere(chain, 4);
	for (unsigned cpu = 0; cpu < nr_cpus; cpu++)
		for_each_domain(cpu, sd) {
			assert_true(sd->flags & SD_OVERLAP);
			assert_int_equal(group_balance_cpu(sd->groups), mask_first(&sd->groups->span));
		}
	/* Threads are 0 and 8, 1 and 9: with the own CPU first a ring begins at home and goes up from there. */
	knob.group_build = GROUP_BUILD_OWN_CPU;
	test_apply_knobs();
	expect_chain_everywhere(chain, 4);
	assert_true(mask_has(&test_domain(9, "MC")->groups->span, 1));
	assert_true(mask_has(&test_domain(9, "MC")->groups->next->span, 0));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		machine_test(test_groups_are_built_from_the_lowest_cpu),
		machine_test(test_own_group_of_overlapping_ones),
		machine_test(test_two_nodes_that_never_part),
		machine_test(test_no_such_nodes_from_the_own_cpu),
		machine_test(test_only_owners_act_for_a_group),
		machine_test(test_levels_of_the_opterons),
		machine_test(test_own_cpu_is_for_overlapping_levels),
		machine_test(test_who_is_outside_does_not_balance),
		machine_test(test_only_the_mask_is_elected),
		machine_test(test_overlap_everywhere),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
