/* SPDX-License-Identifier: GPL-2.0-or-later
 * SRAT and SLIT: which node CPUs and memory belong to, and how far nodes are apart. Expected values are what was put in. */
#include "tests/unit/firmware.h"

static struct test_table *begin_cpus(unsigned n)
{
	struct test_table *t;

	clear_memory();
	t = begin_madt();
	for (unsigned i = 0; i < n; i++)
		put_apic(t, (u8)i, (u8)i, 1);
	end_sdt(t);
	return t;
}

/* Domains 4 and 0x10203, a node of memory alone, and what makes no node: absent CPUs, disabled or empty entries. */
static void test_sparse_domains(void **state)
{
	struct test_table *t;

	(void)state;
	begin_cpus(3);
	t = begin_srat(2);
	put_srat_apic(t, 0, 4, 1);
	put_srat_apic(t, 99, 50, 1);
	put_srat_apic(t, 1, 51, 0);
	put_srat_apic(t, 1, 0x10203, 1);
	put_srat_x2apic(t, 2, 4);
	put_srat_memory(t, 52, 0, 0, 0);
	put_srat_memory(t, 53, 0, 0, 1);
	put_srat_memory(t, 54, 0, GIB, 0);
	put_srat_memory(t, 7, GIB, GIB, 1);
	put(t, (u8[]){ 3, 4, 0, 0 }, 4);
	put_srat_memory(t, 4, 0x100000000, 0xFC00000000, 3); /* the hot-plug window */
	end_sdt(t);
	assert_int_equal(finish(), 0);
	assert_int_equal(info.nr_nodes, 3);
	assert_int_equal(info.domain[0], 4);
	assert_int_equal(info.domain[1], 0x10203);
	assert_int_equal(info.domain[2], 7);
	assert_int_equal(info.cpu[0].node, 0);
	assert_int_equal(info.cpu[1].node, 1);
	assert_int_equal(info.cpu[2].node, 0);
	assert_int_equal(info.nr_memory, 2);
	assert_int_equal(info.memory[0].node, 2);
	assert_int_equal(info.warnings, 0);
	assert_int_equal(info.distance[0][1], 20);
}

/* Revision 1 filled the upper bytes with anything. */
static void test_srat_revision_1(void **state)
{
	struct test_table *t;

	(void)state;
	begin_cpus(2);
	t = begin_srat(1);
	put_srat_apic(t, 0, 0xABCDEF00, 1);
	put_srat_apic(t, 1, 0x12345601, 1);
	put_srat_memory(t, 0x55555501, 0, GIB, 1);
	end_sdt(t);
	assert_int_equal(finish(), 0);
	assert_int_equal(info.nr_nodes, 2);
	assert_int_equal(info.domain[0], 0);
	assert_int_equal(info.domain[1], 1);
	assert_int_equal(info.memory[0].node, 1);
}

static void test_srat_contradictions(void **state)
{
	struct test_table *t;

	(void)state;
	begin_cpus(3);
	t = begin_srat(3);
	put_srat_apic(t, 0, 0, 1);
	put_srat_apic(t, 1, 1, 1);
	put_srat_x2apic(t, 1, 0); /* the first word counts */
	put_srat_memory(t, 0, 0, 2 * GIB, 1);
	put_srat_memory(t, 1, GIB, GIB, 1);
	put_srat_memory(t, 1, 8 * GIB, UINT64_MAX, 1);
	put_srat_memory(t, 1, 1ull << 52, GIB, 1);
	end_sdt(t);
	assert_int_equal(finish(), 0);
	assert_int_equal(info.cpu[1].node, 1);
	assert_int_equal(info.cpu[2].node, ACPI_NODE_UNKNOWN);
	assert_int_equal(info.nr_memory, 3);
	assert_int_equal(info.memory[2].end, 1ull << 52);
	assert_true(was_said("APIC id 1 in two nodes"));
	assert_true(was_said("memory at 0x40000000 to node 1 and to another"));
	assert_true(was_said("SRAT memory at 0x10000000000000 makes no sense"));
	assert_true(was_said("nothing of 1 CPUs"));
	assert_int_equal(info.warnings, 4);
}

static void test_srat_without_nodes(void **state)
{
	struct test_table *t;

	(void)state;
	begin_cpus(2);
	t = begin_srat(3);
	put_srat_apic(t, 0, 0, 0);
	end_sdt(t);
	assert_int_equal(finish(), 0);
	assert_false(info.has_srat);
	assert_int_equal(info.nr_nodes, 1);
	assert_int_equal(info.cpu[1].node, 0);
	assert_int_equal(info.warnings, 1);
}

static void test_too_many_domains_and_ranges(void **state)
{
	struct test_table *t;

	(void)state;
	begin_cpus(MAX_NODES + 1);
	t = begin_srat(3);
	for (u32 i = 0; i <= MAX_NODES; i++)
		put_srat_apic(t, (u8)i, i * 2, 1);
	put_srat_memory(t, 1000, 0, GIB, 1);
	end_sdt(t);
	assert_int_equal(finish(), 0);
	assert_int_equal(info.nr_nodes, MAX_NODES);
	assert_int_equal(info.cpu[MAX_NODES - 1].node, MAX_NODES - 1);
	assert_int_equal(info.cpu[MAX_NODES].node, ACPI_NODE_UNKNOWN);
	assert_int_equal(info.nr_memory, 0);

	begin_cpus(1);
	t = begin_srat(3);
	for (u32 i = 0; i < ACPI_MEMORY_MAX + 2; i++)
		put_srat_memory(t, 0, i * GIB, GIB, 1);
	end_sdt(t);
	assert_int_equal(finish(), 0);
	assert_int_equal(info.nr_memory, ACPI_MEMORY_MAX);
	assert_true(was_said("more than 256 memory ranges"));
}

static void build_two_nodes(u32 domain_a, u32 domain_b)
{
	struct test_table *t;

	begin_cpus(2);
	t = begin_srat(3);
	put_srat_apic(t, 0, domain_a, 1);
	put_srat_apic(t, 1, domain_b, 1);
	end_sdt(t);
}

/* The matrix speaks of domains 0 to 2; nodes 0 and 1 are domains 2 and 0. */
static void test_slit_by_domain(void **state)
{
	static const u8 matrix[] = { 10, 11, 12, 13, 10, 15, 16, 17, 10 };

	(void)state;
	build_two_nodes(2, 0);
	put_slit(3, matrix, 9);
	assert_int_equal(finish(), 0);
	assert_true(info.has_slit);
	assert_int_equal(info.distance[0][1], 16);
	assert_int_equal(info.distance[1][0], 12);
	assert_int_equal(info.distance[1][1], 10);
}

static void test_bad_slits(void **state)
{
	static const struct {
		u64 n;
		u8 matrix[4];
		u32 bytes;
	} slit[] = {
		{ 0, { 10, 20, 20, 10 }, 4 },
		{ 1, { 10, 20, 20, 10 }, 4 }, /* no domain 1 */
		{ 2, { 10, 20, 20, 10 }, 3 },
		{ 2, { 11, 20, 20, 10 }, 4 },
		{ 2, { 10, 20, 20, 0 }, 4 },
		{ 2, { 10, 10, 20, 10 }, 4 },
		{ 2, { 10, 20, 0, 10 }, 4 },
		{ 3, { 10, 20, 20, 10 }, 4 },
		{ 0x100000000, { 10, 20, 20, 10 }, 4 }, /* whose square is 0 in 64 bits */
		{ UINT64_MAX, { 10, 20, 20, 10 }, 4 },
	};

	(void)state;
	for (unsigned i = 0; i < ARRAY_SIZE(slit); i++) {
		build_two_nodes(0, 1);
		put_slit(slit[i].n, slit[i].matrix, slit[i].bytes);
		assert_int_equal(finish(), 0);
		assert_false(info.has_slit);
		assert_int_equal(info.distance[0][1], 20);
		assert_int_equal(info.distance[1][1], 10);
		assert_int_equal(info.warnings, 1);
		assert_true(was_said("SLIT"));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sparse_domains),
		cmocka_unit_test(test_srat_revision_1),
		cmocka_unit_test(test_srat_contradictions),
		cmocka_unit_test(test_srat_without_nodes),
		cmocka_unit_test(test_too_many_domains_and_ranges),
		cmocka_unit_test(test_slit_by_domain),
		cmocka_unit_test(test_bad_slits),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
