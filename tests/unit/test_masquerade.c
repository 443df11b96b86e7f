/* SPDX-License-Identifier: GPL-2.0-or-later
 * topo= on real CPUs. Which CPUs a shape gets and in which order, what is then seen, and what a move costs, are worked out by hand
 * from APIC ids: bits below smt_shift name the thread, those below llc_shift the CPU in its cache, those below package_shift the
 * CPU in its package. A miss means an experiment on another machine than its log says. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "arch/x86/masquerade.h"
#include "base/string.h"

enum { END = 0xffff, MOST = 24 };

static struct masquerade m;
static char error[240];

void say(const char *fmt, ...)
{
	(void)fmt;
}

static void parse(const char *topo, const char *cold, unsigned nr_cpus)
{
	memset(&m, 0xff, sizeof(m));
	if (masquerade_parse(topo, cold, nr_cpus, &m, error, sizeof(error)))
		fail_msg("topo=%s cold=%s: %s", topo, cold, error);
}

/* ---- what is asked for ---- */

static void test_words(void **state)
{
	(void)state;
	parse("real", COLD_DEFAULT, 8);
	assert_int_equal(m.kind, DISGUISE_NONE);
	parse("nosmt", COLD_DEFAULT, 8);
	assert_int_equal(m.kind, DISGUISE_NOSMT);
	parse("flat", COLD_DEFAULT, 8);
	assert_int_equal(m.kind, DISGUISE_FLAT);
	parse("2n:4c", COLD_DEFAULT, 8);
	assert_int_equal(m.kind, DISGUISE_SHAPE);
	parse("e5620", COLD_DEFAULT, 9);
	assert_int_equal(m.kind, DISGUISE_SHAPE);
	assert_int_equal(m.shown.nr_cpus, 8);
}

static void expect_refusal(const char *topo, const char *cold, const char *what)
{
	memset(error, 'x', sizeof(error));
	if (masquerade_parse(topo, cold, 8, &m, error, sizeof(error)) != -E_INVAL)
		fail_msg("topo=%s cold=%s was taken", topo, cold);
	assert_non_null(memchr(error, '\0', sizeof(error)));
	assert_null(strchr(error, '\n'));
	if (!strstr(error, what))
		fail_msg("topo=%s cold=%s: \"%s\"; expected \"%s\"", topo, cold, error, what);
	assert_int_equal(m.kind, DISGUISE_NONE);
}

static void test_refusals(void **state)
{
	(void)state;
	/* Both numbers. */
	expect_refusal("4n:4c", "0", "topo=4n:4c: a shape of 16 CPUs, and this machine has 8");
	expect_refusal("9c", "0", "topo=9c: a shape of 9 CPUs, and this machine has 8");
	/* What is wrong, and what would be right, the words too. */
	expect_refusal("nosmtt", "0", "\"nosmtt\"; expected [Nn:]");
	expect_refusal("nosmtt", "0", "or a preset, or real, nosmt or flat");
	expect_refusal("", "0", "no count above 0");
	expect_refusal("2c:2n", "0", "a level out of order");
	expect_refusal("Real", "0", "no count above 0");
	expect_refusal("2n:4c", "1,2,3", "cold=1,2,3: expected ns for the same core");
	expect_refusal("2n:4c", "1,", "cold=1,: expected");
	expect_refusal("2n:4c", "", "cold=: expected");
	expect_refusal("2n:4c", "1,2,3,4,5", "cold=1,2,3,4,5: expected");
	expect_refusal("2n:4c", "1,2,3,4,", "cold=1,2,3,4,: expected");
	expect_refusal("2n:4c", "0,0,0,1000000001", "expected"); /* above a second */
	expect_refusal("real", "much", "cold=much: expected");	 /* although nothing is pretended */
}

static void test_costs(void **state)
{
	static const u64 four[] = { 0, 1, 20, 1000000000 };

	(void)state;
	parse("real", "0,1,20,1000000000", 1);
	assert_memory_equal(m.cold_ns, four, sizeof(four));
	parse("real", "7", 1);
	for (unsigned i = 0; i < NR_DISTANCES; i++)
		assert_int_equal(m.cold_ns[i], 7);
}

/* ---- which CPUs ---- */

struct choice {
	const char *what, *topo;
	struct cpu_identity boot;
	u16 listed[MOST]; /* APIC ids, the boot CPU's first */
	u16 node[MOST];	  /* of each; all 0 if left out */
	u16 expected[MOST];
};

/* In the order of MADTs: first all first threads, then all second ones. */
#define FOUR_CORES_OF_TWO                                                                                                          \
	{                                                                                                                          \
		0, 2, 4, 6, 1, 3, 5, 7, END                                                                                        \
	}
#define ONE_PACKAGE                                                                                                                \
	{                                                                                                                          \
		.smt_shift = 1, .llc_shift = 3, .package_shift = 3                                                                 \
	}
#define TWO_PACKAGES                                                                                                               \
	{                                                                                                                          \
		.smt_shift = 1, .llc_shift = 2, .package_shift = 2                                                                 \
	}
#define NO_THREADS(bits)                                                                                                           \
	{                                                                                                                          \
		.smt_shift = 0, .llc_shift = bits, .package_shift = bits                                                           \
	}

static const struct choice choices[] = {
	{ "pretended threads are real ones", "4c:2t", ONE_PACKAGE, FOUR_CORES_OF_TWO, { 0 }, { 0, 1, 2, 3, 4, 5, 6, 7, END } },
	{ "pretended caches hold whole cores", "2l:4c", ONE_PACKAGE, FOUR_CORES_OF_TWO, { 0 }, { 0, 1, 2, 3, 4, 5, 6, 7, END } },
	{ "as many cores as there are: one thread of each", "4c", ONE_PACKAGE, FOUR_CORES_OF_TWO, { 0 }, { 0, 2, 4, 6, END } },
	{ "two of them", "2c", ONE_PACKAGE, FOUR_CORES_OF_TWO, { 0 }, { 0, 2, END } },
	{ "two cores of two threads", "2c:2t", ONE_PACKAGE, FOUR_CORES_OF_TWO, { 0 }, { 0, 1, 2, 3, END } },
	/* One thread of each would be 4. */
	{ "more cores than there are: threads as they come", "6c", ONE_PACKAGE, FOUR_CORES_OF_TWO, { 0 },
		{ 0, 1, 2, 3, 4, 5, END } },
	/* xor 5: 5 -> 0, 4 -> 1, 7 -> 2, 6 -> 3, 1 -> 4, 0 -> 5, 3 -> 6, 2 -> 7; cores 5+4 and 7+6, then the other package. */
	{ "the boot CPU is the first, and its core and package come first", "2p:2c:2t", TWO_PACKAGES,
		{ 5, 0, 1, 2, 3, 4, 6, 7, END }, { 0 }, { 5, 4, 7, 6, 1, 0, 3, 2, END } },
	{ "two of each node", "2n:2c", NO_THREADS(2), { 0, 1, 2, 3, 4, 5, 6, 7, END }, { 0, 0, 0, 0, 1, 1, 1, 1 },
		{ 0, 1, 4, 5, END } },
	{ "two of each node of one package", "2n:2c", NO_THREADS(3), { 0, 1, 2, 3, 4, 5, 6, 7, END }, { 0, 0, 0, 0, 1, 1, 1, 1 },
		{ 0, 1, 4, 5, END } },
	/* Two of each would be 4. */
	{ "more in a node than it has", "2n:3c", NO_THREADS(2), { 0, 1, 4, 5, 8, 9, END }, { 0, 0, 1, 1, 2, 2 },
		{ 0, 1, 4, 5, 8, 9, END } },
	{ "nodes that the ids do not show", "2n:2c", NO_THREADS(2), { 0, 1, 2, 3, END }, { 0, 1, 0, 1 }, { 0, 2, 1, 3, END } },
	{ "the boot CPU's node first, then by number", "3n:1c", NO_THREADS(1), { 2, 0, 4, END }, { 1, 0, 2 }, { 2, 0, 4, END } },
	/* Of 2 packages of 5: ids with gaps. */
	{ "four of each package", "2p:4c", NO_THREADS(3), { 0, 1, 2, 3, 4, 8, 9, 10, 11, 12, END }, { 0 },
		{ 0, 1, 2, 3, 8, 9, 10, 11, END } },
	{ "one package of two", "4c", NO_THREADS(2), { 0, 1, 2, 3, 4, 5, 6, 7, END }, { 0 }, { 0, 1, 2, 3, END } },
	{ "one core of each of a Q6600's caches", "2l:1c", { .smt_shift = 0, .llc_shift = 1, .package_shift = 2 },
		{ 0, 1, 2, 3, END }, { 0 }, { 0, 2, END } },
	{ "both cores of one", "2c", { .smt_shift = 0, .llc_shift = 1, .package_shift = 2 }, { 0, 1, 2, 3, END }, { 0 },
		{ 0, 1, END } },
	/* 1 in each of 4 packages is 2 on this machine, 1 in each of 4 caches as well. */
	{ "more packages than there are", "4p:1c", NO_THREADS(1), { 0, 1, 2, 3, END }, { 0 }, { 0, 1, 2, 3, END } },
	{ "CPUs that say nothing of themselves", "2n:2c", NO_THREADS(32), { 3, 0, 1, 2, END }, { 0 }, { 3, 2, 1, 0, END } },
	{ "one CPU", "1c", NO_THREADS(3), { 4, 0, 1, END }, { 0 }, { 4, END } },
};

static unsigned length_of(const u16 list[])
{
	unsigned n = 0;

	while (list[n] != END)
		n++;
	return n;
}

static void test_choices(void **state)
{
	(void)state;
	for (unsigned i = 0; i < ARRAY_SIZE(choices); i++) {
		const struct choice *c = &choices[i];
		unsigned listed = length_of(c->listed), expected = length_of(c->expected);
		struct acpi_cpu cpu[MOST];

		for (unsigned k = 0; k < listed; k++)
			cpu[k] = (struct acpi_cpu){ .apic_id = c->listed[k], .node = c->node[k] };
		parse(c->topo, "0", listed);
		assert_int_equal(m.shown.nr_cpus, expected);
		masquerade_choose(&m.shown, &c->boot, cpu, listed);
		for (unsigned k = 0; k < expected; k++)
			if (cpu[k].apic_id != c->expected[k])
				fail_msg("%s: CPU %u is APIC id %u, not %u", c->what, k, cpu[k].apic_id, c->expected[k]);
	}
}

/* A node goes with its CPU. */
static void test_nodes_move_along(void **state)
{
	const struct cpu_identity boot = NO_THREADS(2);
	struct acpi_cpu cpu[] = { { .apic_id = 0, .node = 7 }, { .apic_id = 9, .node = 1 }, { .apic_id = 1, .node = 7 } };

	(void)state;
	parse("3c", "0", 3);
	masquerade_choose(&m.shown, &boot, cpu, 3);
	assert_int_equal(cpu[1].apic_id, 1);
	assert_int_equal(cpu[1].node, 7);
	assert_int_equal(cpu[2].apic_id, 9);
	assert_int_equal(cpu[2].node, 1);
}

/* ---- what is seen ---- */

static struct topology real;

/* Two nodes, 21 apart, of one package each, of two cores of two threads; ids 0 to 7. */
static void build_real(void)
{
	static u8 distance[MAX_NODES][MAX_NODES] = { { 10, 21 }, { 21, 10 } };
	struct cpu_identity id[8];
	u16 node[8], map[MAX_NODES];

	for (u32 i = 0; i < 8; i++) {
		id[i] = (struct cpu_identity){ .apic_id = i,
			.smt_id = i & 1,
			.core_id = i >> 1,
			.llc_id = i >> 2,
			.package_id = i >> 2,
			.smt_shift = 1,
			.llc_shift = 2,
			.package_shift = 2,
			.llc_level = 3,
			.source = TOPOLOGY_FROM_LEAF_B };
		node[i] = (u16)(i >> 2);
	}
	assert_int_equal(topology_build(id, node, 8, distance, &real, map), 0);
}

static void wear(const char *topo, const char *cold)
{
	build_real();
	parse(topo, cold, 8);
	masquerade_wear(&m, &real);
}

static void expect_seen(const char *topo, const char *shape)
{
	char text[SHAPE_BYTES];

	wear(topo, "0");
	shape_print(&m.shown, text, sizeof(text));
	assert_string_equal(text, shape);
}

static void expect_place(unsigned cpu, unsigned node, unsigned package, unsigned llc, unsigned core, unsigned thread)
{
	const struct cpu_place *p = &m.shown.cpu[cpu];

	assert_int_equal(p->node, node);
	assert_int_equal(p->package, package);
	assert_int_equal(p->llc, llc);
	assert_int_equal(p->core, core);
	assert_int_equal(p->thread, thread);
}

static void test_disguises(void **state)
{
	(void)state;
	expect_seen("real", "2n:2c:2t/21");
	/* Threads are cores; caches, packages, nodes and their distance are what they are. */
	expect_seen("nosmt", "2n:4c/21");
	expect_place(0, 0, 0, 0, 0, 0);
	expect_place(1, 0, 0, 0, 1, 0);
	expect_place(7, 1, 1, 1, 7, 0);
	/* Cores and threads are what they are. */
	expect_seen("flat", "1n:4c:2t");
	expect_place(1, 0, 0, 0, 0, 1);
	expect_place(7, 0, 0, 0, 3, 1);
	/* A shape is as it is on virtual CPUs, distance and all. */
	expect_seen("4n:2c", "4n:2c");
	expect_place(7, 3, 3, 3, 7, 0);
	assert_int_equal(m.shown.distance[0][3], 20);
	expect_seen("2n:4c/31", "2n:4c/31");
	assert_int_equal(m.shown.distance[1][0], 31);
}

/* ---- what a move costs ---- */

static void test_costs_of_moves(void **state)
{
	static const struct {
		const char *topo, *cold;
		unsigned from, to;
		u64 ns;
	} moves[] = {
		/* Siblings (0) shown as cores of one cache (1664). */
		{ "nosmt", COLD_DEFAULT, 0, 1, 1664 - 0 },
		/* Cores of one cache are shown as such. */
		{ "nosmt", COLD_DEFAULT, 0, 2, 0 },
		{ "nosmt", COLD_DEFAULT, 0, 4, 0 },
		/* Nearer than they are: real caches take what they take. */
		{ "flat", COLD_DEFAULT, 0, 4, 0 },
		{ "1c:8t", COLD_DEFAULT, 0, 7, 0 },
		/* 0 and 2 share a cache (1664) and are shown in two nodes (13568), in two caches of one node (8320). */
		{ "4n:2c", COLD_DEFAULT, 0, 2, 13568 - 1664 },
		{ "4l:2c", COLD_DEFAULT, 0, 2, 8320 - 1664 },
		{ "4n:2c", COLD_DEFAULT, 2, 0, 13568 - 1664 },
		/* 0 and 1 are siblings, shown in two nodes. */
		{ "8n:1c", COLD_DEFAULT, 0, 1, 13568 - 0 },
		/* 0 and 4 are in two nodes, and so they are shown. */
		{ "4n:2c", COLD_DEFAULT, 0, 4, 0 },
		{ "real", COLD_DEFAULT, 0, 1, 0 },
		/* Costs that do not rise leave no difference to wait for. */
		{ "8n:1c", "500", 0, 1, 0 },
		{ "8n:1c", "500,400,300,200", 0, 1, 0 },
		{ "8n:1c", "0", 0, 1, 0 },
		/* Shown nearer than they are, at a cost that is out of order. */
		{ "flat", "0,500,300,200", 0, 4, 0 },
	};

	(void)state;
	for (unsigned i = 0; i < ARRAY_SIZE(moves); i++) {
		u64 ns;

		wear(moves[i].topo, moves[i].cold);
		ns = masquerade_cold_ns(&m, &real, moves[i].from, moves[i].to);
		if (ns != moves[i].ns)
			fail_msg("topo=%s cold=%s, %u to %u: %llu ns, not %llu", moves[i].topo, moves[i].cold, moves[i].from,
				moves[i].to, (unsigned long long)ns, (unsigned long long)moves[i].ns);
	}
}

/* ---- shapes as text ---- */

/* What is printed is read as the same shape. */
static void test_shapes_print(void **state)
{
	static const struct {
		const char *text, *printed;
	} shapes[] = {
		{ "1c", "1n:1c" },
		{ "8c", "1n:8c" },
		{ "4c:2t", "1n:4c:2t" },
		{ "q6600", "1n:2l:2c" },
		{ "2x4", "1n:2p:2l:2c" },
		{ "nehalem", "2n:4c:2t/21" },
		{ "2n:4c", "2n:4c" },
		{ "2n:3p:2l:5c:2t", "2n:3p:2l:5c:2t" },
	};
	static struct topology t, again;
	char text[SHAPE_BYTES];

	(void)state;
	for (unsigned i = 0; i < ARRAY_SIZE(shapes); i++) {
		memset(&t, 0, sizeof(t));
		memset(&again, 0, sizeof(again));
		assert_int_equal(shape_parse(shapes[i].text, &t, error, sizeof(error)), 0);
		shape_print(&t, text, sizeof(text));
		assert_string_equal(text, shapes[i].printed);
		assert_int_equal(shape_parse(text, &again, error, sizeof(error)), 0);
		assert_memory_equal(&t, &again, sizeof(t));
	}
	/* Distances that differ are too many for a line. */
	assert_int_equal(shape_parse("opterons", &t, error, sizeof(error)), 0);
	shape_print(&t, text, sizeof(text));
	assert_string_equal(text, "8n:8c/16..22");
}

/* Without the last thread of 2n:2c:2t: nodes of 4 and of 3. And a package that spans both nodes. */
static void test_irregular_shapes_print(void **state)
{
	char text[SHAPE_BYTES];

	(void)state;
	build_real();
	real.nr_cpus = 7;
	shape_print(&real, text, sizeof(text));
	assert_string_equal(text, "not alike: nodes 2, packages 2, caches 2, cores 4, CPUs 7");
	build_real();
	real.nr_packages = 1;
	for (unsigned cpu = 0; cpu < 8; cpu++)
		real.cpu[cpu].package = 0;
	shape_print(&real, text, sizeof(text));
	assert_string_equal(text, "not alike: nodes 2, packages 1, caches 2, cores 4, CPUs 8");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_words),
		cmocka_unit_test(test_refusals),
		cmocka_unit_test(test_costs),
		cmocka_unit_test(test_choices),
		cmocka_unit_test(test_nodes_move_along),
		cmocka_unit_test(test_disguises),
		cmocka_unit_test(test_costs_of_moves),
		cmocka_unit_test(test_shapes_print),
		cmocka_unit_test(test_irregular_shapes_print),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("masquerade", tests, NULL, NULL);
}
