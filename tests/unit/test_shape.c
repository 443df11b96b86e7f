/* SPDX-License-Identifier: GPL-2.0-or-later
 * The shape of virtual machines. Expected counts of presets are those of the machines in the mails: Q6600 (one package, two pairs
 * of cores that share an L2 each), E5620 (four cores of two threads, one L3), two and four quad-core packages of two pairs, two
 * Nehalem packages that are nodes, four nodes of ten cores. The rest is arithmetic on the text. A miss means an experiment that
 * runs on another machine than its command line says.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "arch/shape.h"
#include "base/string.h"

static struct topology t;
static char error[160];

static void parse(const char *text)
{
	memset(&t, 0xff, sizeof(t));
	if (shape_parse(text, &t, error, sizeof(error)))
		fail_msg("%s: %s", text, error);
}

static void expect_counts(const char *text, unsigned nodes, unsigned packages, unsigned llcs, unsigned cores, unsigned cpus)
{
	parse(text);
	assert_int_equal(t.nr_nodes, nodes);
	assert_int_equal(t.nr_packages, packages);
	assert_int_equal(t.nr_llcs, llcs);
	assert_int_equal(t.nr_cores, cores);
	assert_int_equal(t.nr_cpus, cpus);
}

static void expect_place(unsigned cpu, unsigned node, unsigned package, unsigned llc, unsigned core, unsigned thread)
{
	assert_true(cpu < t.nr_cpus);
	assert_int_equal(t.cpu[cpu].node, node);
	assert_int_equal(t.cpu[cpu].package, package);
	assert_int_equal(t.cpu[cpu].llc, llc);
	assert_int_equal(t.cpu[cpu].core, core);
	assert_int_equal(t.cpu[cpu].thread, thread);
}

/* ---- presets ---- */

static void test_presets(void **state)
{
	(void)state;
	expect_counts("q6600", 1, 1, 2, 4, 4);
	expect_place(1, 0, 0, 0, 1, 0);
	expect_place(2, 0, 0, 1, 2, 0);
	expect_counts("e5620", 1, 1, 1, 4, 8);
	expect_place(1, 0, 0, 0, 0, 1);
	expect_place(7, 0, 0, 0, 3, 1);
	expect_counts("2x4", 1, 2, 4, 8, 8);
	expect_place(3, 0, 0, 1, 3, 0);
	expect_place(4, 0, 1, 2, 4, 0);
	expect_counts("4x4", 1, 4, 8, 16, 16);
	expect_place(15, 0, 3, 7, 15, 0);
	expect_counts("nehalem", 2, 2, 2, 8, 16);
	expect_place(7, 0, 0, 0, 3, 1);
	expect_place(8, 1, 1, 1, 4, 0);
	expect_counts("4x10", 4, 4, 4, 40, 40);
	expect_place(9, 0, 0, 0, 9, 0);
	expect_place(10, 1, 1, 1, 10, 0);
	expect_place(39, 3, 3, 3, 39, 0);
}

/* The machine of "A Decade of Wasted Cores": 16 one hop away, 22 two hops; 10 of the 28 pairs are two apart, 1 and 2 among them. */
static void test_opterons(void **state)
{
	unsigned far = 0;

	(void)state;
	expect_counts("opterons", 8, 8, 8, 64, 64);
	for (unsigned a = 0; a < 8; a++)
		for (unsigned b = 0; b < 8; b++) {
			assert_int_equal(t.distance[a][b], t.distance[b][a]);
			assert_true(a == b ? t.distance[a][b] == 10 : t.distance[a][b] == 16 || t.distance[a][b] == 22);
			far += a < b && t.distance[a][b] == 22;
		}
	assert_int_equal(far, 10);
	assert_int_equal(t.distance[0][1], 16);
	assert_int_equal(t.distance[1][2], 22);
}

/* ---- the grammar ---- */

static void test_levels(void **state)
{
	(void)state;
	expect_counts("1c", 1, 1, 1, 1, 1);
	expect_counts("4c", 1, 1, 1, 4, 4);
	expect_counts("2t", 1, 1, 1, 1, 2);
	expect_counts("3l", 1, 1, 3, 3, 3);
	expect_counts("3p", 1, 3, 3, 3, 3);
	expect_counts("3n", 3, 3, 3, 3, 3);
	expect_counts("4n:10c:1t", 4, 4, 4, 40, 40);
	expect_counts("2n:2t", 2, 2, 2, 2, 4);
	expect_counts("2n:3p:2l:5c:2t", 2, 6, 12, 60, 120);
	expect_place(0, 0, 0, 0, 0, 0);
	expect_place(1, 0, 0, 0, 0, 1);
	expect_place(59, 0, 2, 5, 29, 1);
	expect_place(60, 1, 3, 6, 30, 0);
	expect_place(119, 1, 5, 11, 59, 1);
	expect_counts("64n", 64, 64, 64, 64, 64);
	expect_counts("256c", 1, 1, 1, 256, 256);
}

/* Numbers are dense and rise with the CPU; who shares an inner level shares all outer ones. */
static void test_places_are_nested(void **state)
{
	(void)state;
	parse("3n:2p:2l:3c:2t");
	for (unsigned cpu = 1; cpu < t.nr_cpus; cpu++) {
		const struct cpu_place *p = &t.cpu[cpu], *before = &t.cpu[cpu - 1];

		assert_int_equal(p->core, before->core + (p->thread == 0));
		assert_int_equal(p->llc, before->llc + (cpu % 6 == 0));
		assert_int_equal(p->package, before->package + (cpu % 12 == 0));
		assert_int_equal(p->node, before->node + (cpu % 24 == 0));
		assert_int_equal(p->thread, cpu % 2);
	}
	assert_int_equal(t.nr_cpus, 72);
}

/* What is wrong, and where, in one line that also says what would be right. */
static void expect_error(const char *text, const char *what, const char *where)
{
	memset(error, 'x', sizeof(error));
	if (shape_parse(text, &t, error, sizeof(error)) != -E_INVAL)
		fail_msg("%s was taken", text);
	assert_non_null(memchr(error, '\0', sizeof(error)));
	assert_null(strchr(error, '\n'));
	assert_ptr_equal(strstr(error, "topo: "), error);
	if (!strstr(error, what) || !strstr(error, where))
		fail_msg("%s: \"%s\"; expected \"%s\" and %s", text, error, what, where);
	assert_non_null(strstr(error, "[Nn:][Np:][Nl:][Nc:][Nt]"));
}

static void test_grammar_errors(void **state)
{
	(void)state;
	expect_error("", "no count above 0", "\"\"");
	expect_error("q6601", "no count above 0", "\"q6601\"");
	expect_error("Nehalem", "no count above 0", "\"Nehalem\"");
	expect_error("c", "no count above 0", "\"c\"");
	expect_error("-4c", "no count above 0", "\"-4c\"");
	expect_error(" 4c", "no count above 0", "\" 4c\"");
	expect_error("4c:", "no count above 0", "\"\"");
	expect_error("4n::2c", "no count above 0", "\":2c\"");
	expect_error("4", "no level", "\"\"");
	expect_error("4x", "no level", "\"x\"");
	expect_error("4C", "no level", "\"C\"");
	expect_error("4:2c", "no level", "\":2c\"");
	expect_error("2t:2c", "a level out of order", "\"c\"");
	expect_error("2c:2c", "a level out of order", "\"c\"");
	expect_error("2n:2c:2p", "a level out of order", "\"p\"");
	expect_error("4c4", "something more", "\"4\"");
	expect_error("4c 2t", "something more", "\" 2t\"");
	expect_error("4x100", "no level", "\"x100\"");
}

/* A count is named as it was given. */
static void test_errors_name_the_count(void **state)
{
	(void)state;
	expect_error("0c", "no count above 0", "0c\"");
	expect_error("2n:0c", "no count above 0", "0c\"");
	expect_error("2n:257c", "too many CPUs", "257c\"");
	expect_error("99999999999999999999c", "no count above 0", "99999999999999999999c\"");
}

static void test_too_many(void **state)
{
	(void)state;
	expect_error("257c", "too many CPUs", "");
	expect_error("129c:2t", "too many CPUs", "");
	expect_error("65n", "too many CPUs or nodes", "");
	expect_error("256n:256p:256l:256c:256t", "too many CPUs", "");
	expect_error("18446744073709551615c", "too many CPUs", "");
	expect_error("18446744073709551616c", "no count above 0", "");
}

/* ---- distances ---- */

static void expect_distances(const char *text, const u8 *row_by_row)
{
	parse(text);
	for (unsigned a = 0; a < t.nr_nodes; a++)
		for (unsigned b = 0; b < t.nr_nodes; b++)
			assert_int_equal(t.distance[a][b], row_by_row[a * t.nr_nodes + b]);
}

static void test_distances(void **state)
{
	static const u8 local[] = { 10 }, twenty[] = { 10, 20, 20, 10 }, all_21[] = { 10, 21, 21, 21, 10, 21, 21, 21, 10 };
	static const u8 uneven[] = { 10, 16, 22, 17, 10, 16, 22, 255, 10 };

	(void)state;
	expect_distances("4c", local);
	expect_distances("1n:4c/40", local);
	expect_distances("1n/10", local);
	expect_distances("2n:2c", twenty);
	expect_distances("3n:2c/21", all_21);
	expect_distances("2n/10,20,20,10", twenty);
	expect_distances("3n:1t/10,16,22,17,10,16,22,255,10", uneven);
	expect_distances("nehalem", (const u8[]){ 10, 21, 21, 10 });
	parse("4x10");
	for (unsigned a = 0; a < 4; a++)
		for (unsigned b = 0; b < 4; b++)
			assert_int_equal(t.distance[a][b], a == b ? 10 : 21);
}

static void test_distance_errors(void **state)
{
	(void)state;
	expect_error("2n/", "no distance from 10 to 255", "\"\"");
	expect_error("2n/x", "no distance from 10 to 255", "\"x\"");
	expect_error("2n/9", "no distance from 10 to 255", "");
	expect_error("2n/256", "no distance from 10 to 255", "");
	expect_error("2n/10", "", "");
	expect_error("2n/21,", "", "");
	expect_error("2n/10,20,20\0beyond", "not one distance for each pair of nodes", "\"\"");
	expect_error("2n/10,20,20,9", "not one distance for each pair of nodes", "");
	expect_error("2n/10,20,20,256", "not one distance for each pair of nodes", "");
	expect_error("2n/10;20;20;10", "not one distance for each pair of nodes", "20;20;10\"");
	expect_error("2n/10,20,20,10,10", "something more", "\",10\"");
	expect_error("2n/20,10,10,20", "the distance 10 anywhere but from a node to itself", "");
	expect_error("2n/10,10,20,10", "the distance 10 anywhere but from a node to itself", "");
	expect_error("2n/10,20,20,20", "the distance 10 anywhere but from a node to itself", "");
	expect_error("2n/21/21", "", "");
}

/* A long text is shown in part, and the line ends inside its room whatever that is. */
static void test_error_room(void **state)
{
	char text[200], small[16];

	(void)state;
	memset(text, 'x', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	expect_error(text, "no count above 0", "xxxxxxxx");
	assert_int_equal(shape_parse("x", &t, small, sizeof(small)), -E_INVAL);
	assert_int_equal(strlen(small), sizeof(small) - 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_presets),
		cmocka_unit_test(test_opterons),
		cmocka_unit_test(test_levels),
		cmocka_unit_test(test_places_are_nested),
		cmocka_unit_test(test_grammar_errors),
		cmocka_unit_test(test_errors_name_the_count),
		cmocka_unit_test(test_too_many),
		cmocka_unit_test(test_distances),
		cmocka_unit_test(test_distance_errors),
		cmocka_unit_test(test_error_room),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
