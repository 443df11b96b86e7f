/* SPDX-License-Identifier: GPL-2.0-or-later
 * The way to ACPI's tables, and damage anywhere in them. The tables are built by the specification in the shapes seen in QEMU, in
 * hypervisors and on real boards. Expected values are what was put in. */
#include "tests/unit/firmware.h"

/* One of each, as a small NUMA machine has them. */
static void build_machine(void)
{
	clear_memory();
	put_machine();
}

static void expect_machine(void)
{
	static const u32 apic_id[] = { 0, 1, 8, 9, 0x1FF };
	static const u16 node[] = { 0, 0, 1, 1, 1 };

	assert_int_equal(info.nr_cpus, 5);
	for (unsigned i = 0; i < 5; i++) {
		assert_int_equal(info.cpu[i].apic_id, apic_id[i]);
		assert_int_equal(info.cpu[i].uid, i);
		assert_int_equal(info.cpu[i].node, node[i]);
	}
	assert_int_equal(info.lapic_address, 0xFEE01000);
	assert_int_equal(info.nr_ioapics, 1);
	assert_int_equal(info.ioapic[0], 0xFEC00000);
	assert_int_equal(info.nr_nodes, 2);
	assert_int_equal(info.nr_memory, 3);
	assert_int_equal(info.memory[2].start, 4 * GIB);
	assert_int_equal(info.memory[2].end, 5 * GIB);
	assert_int_equal(info.memory[2].node, 1);
	assert_int_equal(info.distance[0][1], 21);
	assert_int_equal(info.distance[1][0], 22);
	assert_int_equal(info.pm_timer_port, 0x608);
	assert_true(info.pm_timer_32bit);
	assert_int_equal(info.hpet_address, 0xFED00000);
	assert_true(info.power.has_s5);
	assert_int_equal(info.power.s5_type_a, 0);
	assert_int_equal(info.power.pm1a_control.address, 0x604);
	assert_int_equal(info.power.pm1a_control.space, ACPI_IO_SPACE);
	assert_int_equal(info.power.pm1b_control.address, 0);
	assert_int_equal(info.power.reset.address, 0xCF9);
	assert_int_equal(info.power.reset_value, 0xF);
	assert_int_equal(info.power.smi_command_port, 0xB2);
	assert_int_equal(info.power.acpi_enable, 2);
	assert_int_equal(info.power.sci_irq, 9);
}

/* --- the way to the tables --- */

static void test_xsdt(void **state)
{
	(void)state;
	build_machine();
	assert_int_equal(finish(), 0);
	expect_machine();
	assert_true(info.has_madt && info.has_srat && info.has_slit);
	assert_int_equal(info.warnings, 0);
	assert_string_equal(said, "");
}

/* SeaBIOS: revision 0, and garbage where a revision 2 RSDP goes on. */
static void test_rsdt(void **state)
{
	(void)state;
	build_machine();
	put_root("RSDT", RSDT_AT, 4);
	put(put_rsdp(0, RSDT_AT, 0), "garbage garbage!", 16);
	assert_int_equal(parse(), 0);
	expect_machine();
	assert_int_equal(info.warnings, 0);
}

static void test_rsdp_copy(void **state)
{
	struct test_table *rsdp;

	(void)state;
	build_machine();
	put_root("RSDT", RSDT_AT, 4);
	rsdp = put_rsdp(0, RSDT_AT, 0);
	assert_int_equal(acpi_parse(rsdp->bytes, 20, &info), 0);
	unmap_all();
	expect_machine();
}

/* Every table above 4 GiB, where a pointer cut to 32 bits finds nothing. */
static void test_above_4_gib(void **state)
{
	(void)state;
	build_machine();
	for (unsigned i = 0; i < nr_tables; i++) {
		memory[i].phys += 0x1F00000000;
		if (!memcmp(memory[i].bytes, "FACP", 4)) {
			set(&memory[i], 140, DSDT_AT + 0x1F00000000, 8);
			end_sdt(&memory[i]);
		}
	}
	put_root("XSDT", 0x1F80000004, 8);
	put_rsdp(2, 0, 0x1F80000004);
	assert_int_equal(parse(), 0);
	expect_machine();
	assert_int_equal(info.warnings, 0);
}

/* With the long checksum wrong, the XSDT missing, of another name or empty, the RSDT must do. */
static void test_rsdt_instead_of_xsdt(void **state)
{
	(void)state;
	for (unsigned fault = 0; fault < 5; fault++) {
		struct test_table *rsdp;

		build_machine();
		put_root("RSDT", RSDT_AT, 4);
		if (fault == 1)
			put_root("XSDX", XSDT_AT, 8);
		if (fault == 2)
			end_sdt(begin_sdt(XSDT_AT, "XSDT", 1));
		rsdp = put_rsdp(2, RSDT_AT, fault == 3 ? 0 : XSDT_AT);
		if (fault == 4)
			rsdp->bytes[35] ^= 1;
		assert_int_equal(parse(), 0);
		expect_machine();
	}
}

static void test_no_rsdp(void **state)
{
	struct test_table *t;

	(void)state;
	clear_memory();
	assert_int_equal(parse(), -E_INVAL);
	assert_int_equal(info.nr_cpus, 0);
	assert_int_equal(info.nr_nodes, 1);
	assert_int_equal(info.lapic_address, 0xFEE00000);
	assert_int_equal(info.distance[0][0], 10);
	assert_int_equal(info.distance[0][1], 20);
	t = put_rsdp(0, RSDT_AT, 0);
	assert_int_equal(parse(), -E_NOENT);
	t->bytes[19] ^= 1;
	assert_int_equal(parse(), -E_INVAL);
	assert_int_equal(acpi_parse(t->bytes, 19, &info), -E_INVAL);
	assert_true(info.warnings);
}

/* QEMU's -acpitable gives a second table of a name; entries may be null, or lead nowhere. */
static void test_odd_root_entries(void **state)
{
	struct test_table *t;

	(void)state;
	build_machine();
	t = begin_sdt(0x7FEB000, "APIC", 1);
	putn(t, 0xFEE00000, 8);
	put_apic(t, 77, 77, 1);
	end_sdt(t);
	t = begin_sdt(XSDT_AT, "XSDT", 1);
	putn(t, 0, 8);
	putn(t, 0xDEAD0000, 8);
	putn(t, UINT64_MAX, 8);
	for (unsigned i = 0; i < nr_tables - 1; i++)
		putn(t, memory[i].phys, 8);
	putn(t, 0x1234, 7); /* not a whole entry */
	end_sdt(t);
	put_rsdp(2, 0, XSDT_AT);
	assert_int_equal(parse(), 0);
	expect_machine();
	assert_true(was_said("0xdead0000 cannot be read"));
	assert_true(was_said("another APIC at 0x7feb000"));
	assert_int_equal(info.warnings, 3);
}

/* A root that is whole but lists nothing, and an RSDP without a root: each is said, once. */
static void test_roots_of_nothing(void **state)
{
	(void)state;
	clear_memory();
	end_sdt(begin_sdt(XSDT_AT, "XSDT", 1));
	put_rsdp(2, 0, XSDT_AT);
	assert_int_equal(parse(), -E_NOENT);
	assert_true(was_said("XSDT at 0x7fe2004 lists no table"));
	assert_int_equal(lines_said(), 1);
	clear_memory();
	put_rsdp(2, 0, 0);
	assert_int_equal(parse(), -E_NOENT);
	assert_true(was_said("the RSDP has the address of neither an RSDT nor an XSDT"));
	assert_int_equal(lines_said(), 1);
}

static void test_too_many_tables(void **state)
{
	(void)state;
	build_machine();
	for (u32 i = 0; i < 300; i++)
		put_aml(0x10000000 + i * 0x1000, "OEMx", "", 0);
	assert_int_equal(finish(), 0);
	expect_machine();
	assert_true(was_said("more than 256 tables"));
}

static void test_wrong_checksums(void **state)
{
	(void)state;
	build_machine();
	for (unsigned i = 0; i < nr_tables; i++)
		memory[i].bytes[9] ^= 0x55;
	assert_int_equal(finish(), 0);
	expect_machine();
	assert_int_equal(info.warnings, nr_tables - 2); /* not XSDT and RSDP */
	assert_true(was_said("APIC at 0x7fe3000 has a wrong checksum"));
}

static void test_absurd_lengths(void **state)
{
	static const u32 lengths[] = { 0, 35, (1 << 20) + 1, 0xFFFFFFFF };

	(void)state;
	for (unsigned i = 0; i < ARRAY_SIZE(lengths); i++) {
		build_machine();
		for (unsigned j = 0; j < nr_tables; j++)
			set(&memory[j], 4, lengths[i], 4);
		assert_int_equal(finish(), 0);
		assert_false(info.has_madt || info.has_srat || info.has_slit || info.hpet_address || info.power.has_s5);
		assert_true(was_said("claims"));
	}
}

/* --- damage --- */

static const struct damage {
	const char *table;
	u32 at, bytes;
	u64 value;
	const char *line; /* what is said of it, in one line */
} damages[] = {
	{ "SRAT", 4, 4, 0, "SRAT at 0x7fe5000 claims 0 bytes and not 36 to 1048576, ignored" },
	{ "SRAT", 4, 4, 0x10000, "SRAT at 0x7fe5000 cannot be read" },
	{ "SRAT", 9, 1, 0x55, "SRAT at 0x7fe5000 has a wrong checksum, used anyway" },
	{ "APIC", 9, 1, 0x55, "APIC at 0x7fe3000 has a wrong checksum, used anyway" },
	{ "SLIT", 4, 4, 35, "SLIT at 0x7fe7004 claims 35 bytes and not 36 to 1048576, ignored" },
	{ "FACP", 4, 4, 0xFFFFFFFF, "FACP at 0x7fe8000 claims 4294967295 bytes and not 36 to 1048576, ignored" },
	{ "HPET", 9, 1, 0x55, "HPET at 0x7fe9000 has a wrong checksum, used anyway" },
	{ "SSDT", 9, 1, 0x55, "SSDT at 0x7fea000 has a wrong checksum, used anyway" },
};

/* The same in tables with good checksums. MADT and SRAT of put_machine() have their last entries at 104 and 216. */
static const struct damage sealed_damages[] = {
	{ "XSDT", 36, 8, XSDT_AT, "no MADT that names a CPU" }, /* itself instead of the MADT, as a table that nobody looks for */
	{ "XSDT", 44, 8, 0xDEAD0000, "the table at 0xdead0000 cannot be read" },
	{ "XSDT", 44, 8, UINT64_MAX - 35, "the table at 0xffffffffffffffdc cannot be read" },
	{ "XSDT", 44, 8, 0x7FE3000, "another APIC at 0x7fe3000, ignored" },
	{ "APIC", 105, 1, 0, "MADT entry at 104 claims 0 bytes and not 2 to 12, the rest is ignored" },
	{ "APIC", 105, 1, 11, "MADT entry of type 5 with 11 bytes is too short, it takes 12" },
	{ "APIC", 47, 1, 8, "MADT lists 1 CPUs again, which count once" },
	{ "SRAT", 217, 1, 1, "SRAT entry at 216 claims 1 bytes and not 2 to 40, the rest is ignored" },
	{ "SLIT", 44, 1, 11, "SLIT of 48 bytes for 2 nodes is no square of distances" },
	{ "SLIT", 36, 1, 3, "SLIT of 48 bytes for 3 nodes is no square of distances" },
	{ "FACP", 66, 1, 1, "FADT + 64 has port 0x10604, which is above 0xffff: ignored" },
	{ "HPET", 44, 1, 4, "HPET at 0xfed00004 is no multiple of 8 in memory, ignored" },
	{ "HPET", 40, 1, 2, "register 0xfed00000 in space 2 (HPET + 40) cannot be used" },
	{ "HPET", 44, 8, 0, "HPET at 0x0 is no multiple of 8 in memory, ignored" },
	{ "SSDT", 44, 1, 0xFF, "_S5_ at 37 of a table of 48 bytes is no package of numbers up to 7" },
};

static struct test_table *find(const char *signature)
{
	for (unsigned i = 0; i < nr_tables; i++)
		if (!memcmp(memory[i].bytes, signature, 4))
			return &memory[i];
	fail_msg("no %s", signature);
	return NULL;
}

static void expect_line(const char *line)
{
	if (lines_said() != 1 || !was_said(line))
		fail_msg("expected one line with \"%s\", got:\n%s", line, said);
}

/* Each damage leaves one line, which names the table and what was wrong with it. */
static void expect_one_line(const struct damage *d, bool seal)
{
	build_machine();
	put_root("XSDT", XSDT_AT, 8);
	put_rsdp(2, 0, XSDT_AT);
	set(find(d->table), d->at, d->value, d->bytes);
	if (seal)
		end_sdt(find(d->table));
	assert_int_equal(parse(), 0);
	expect_line(d->line);
}

static void test_one_line_for_each_damage(void **state)
{
	(void)state;
	for (unsigned i = 0; i < ARRAY_SIZE(damages); i++)
		expect_one_line(&damages[i], false);
	for (unsigned i = 0; i < ARRAY_SIZE(sealed_damages); i++)
		expect_one_line(&sealed_damages[i], true);
}

/* Without a MADT to be believed there is one CPU, and a line that says so behind the one that says what is wrong. */
static void test_no_madt(void **state)
{
	static const u32 lengths[] = { 0, 43, 0xFFFFFFFF };

	(void)state;
	for (unsigned i = 0; i < ARRAY_SIZE(lengths); i++) {
		build_machine();
		set(find("APIC"), 4, lengths[i], 4);
		assert_int_equal(finish(), 0);
		assert_int_equal(info.nr_cpus, 0);
		assert_int_equal(info.nr_nodes, 2); /* of memory */
		assert_true(was_said("no MADT that names a CPU: running on one\n"));
	}
	clear_memory();
	end_sdt(begin_madt());
	assert_int_equal(finish(), 0);
	assert_true(info.has_madt);
	expect_line("no MADT that names a CPU: running on one\n");
}

/* However many oddities a table has, the log gets eight and a ninth line; each table has its own eight. */
static void test_floods(void **state)
{
	struct test_table *t;

	(void)state;
	build_machine();
	t = find("APIC");
	for (unsigned i = 0; i < 500; i++)
		put(t, (u8[]){ 0, 2 }, 2);
	end_sdt(t);
	t = find("SRAT");
	for (unsigned i = 0; i < 500; i++)
		put(t, (u8[]){ 0, 2 }, 2);
	end_sdt(t);
	t = begin_sdt(XSDT_AT, "XSDT", 1);
	for (unsigned i = 0; i < nr_tables - 1; i++)
		putn(t, memory[i].phys, 8);
	for (unsigned i = 0; i < 500; i++)
		putn(t, 0xDEAD0000, 8);
	end_sdt(t);
	put_rsdp(2, 0, XSDT_AT);
	assert_int_equal(parse(), 0);
	expect_machine();
	assert_int_equal(info.warnings, 3 * 500);
	assert_int_equal(lines_said(), 3 * 9);
	assert_true(was_said("what else is odd there is not told"));
}

/* Holds for whatever was read. */
static void expect_bounds(void)
{
	assert_true(info.nr_cpus <= MAX_CPUS);
	assert_in_range(info.nr_nodes, 1, MAX_NODES);
	assert_true(info.nr_memory <= ACPI_MEMORY_MAX);
	for (unsigned i = 0; i < info.nr_cpus; i++) {
		assert_true(info.cpu[i].node < info.nr_nodes || info.cpu[i].node == ACPI_NODE_UNKNOWN);
		for (unsigned j = 0; j < i; j++)
			assert_true(info.cpu[i].apic_id != info.cpu[j].apic_id);
	}
	for (unsigned i = 0; i < info.nr_memory; i++)
		assert_true(info.memory[i].node < info.nr_nodes && info.memory[i].start < info.memory[i].end);
	for (unsigned i = 0; i < info.nr_nodes; i++)
		for (unsigned j = 0; j < info.nr_nodes; j++)
			assert_true(i == j ? info.distance[i][j] == 10 : info.distance[i][j] > 10);
	assert_true(info.lapic_address && info.lapic_address % 4096 == 0);
	assert_true(info.power.s5_type_a <= 7 && info.power.s5_type_b <= 7);
}

static void build_all(void)
{
	build_machine();
	put_root("RSDT", RSDT_AT, 4);
	nr_tables--; /* for the XSDT not to list the RSDT */
	put_root("XSDT", XSDT_AT, 8);
	put_rsdp(2, 0, XSDT_AT);
}

/* Memory that ends at every byte of every table. */
static void test_memory_ends(void **state)
{
	(void)state;
	build_all();
	for (unsigned i = 0; i < nr_tables; i++) {
		u32 full = memory[i].size;

		for (u32 n = full; n-- > 0;) {
			said_bytes = 0;
			memory[i].size = n;
			parse();
			expect_bounds();
			assert_true(info.warnings);
		}
		memory[i].size = full;
	}
}

/* Tables that say they end at every byte, with a good checksum. */
static void test_tables_end(void **state)
{
	static u8 original[MOST_TABLE];

	(void)state;
	build_all();
	for (unsigned i = 0; i < nr_tables - 1; i++) { /* not the RSDP, which has no such length */
		u32 full = memory[i].size;

		memcpy(original, memory[i].bytes, full);
		for (u32 n = full; n-- > 36;) {
			said_bytes = 0;
			memory[i].size = n;
			end_sdt(&memory[i]);
			parse();
			expect_bounds();
			memcpy(memory[i].bytes, original, full);
		}
		memory[i].size = full;
	}
	parse();
	expect_machine();
}

/* The seed is fixed. Half of the damage goes where the lengths and counts are. */
static void test_flipped_bytes(void **state)
{
	static struct test_table original[16];
	unsigned n;

	(void)state;
	srand(4);
	build_all();
	n = nr_tables;
	memcpy(original, memory, n * sizeof(memory[0]));
	for (unsigned round = 0; round < 5000; round++) {
		said_bytes = 0;
		memcpy(memory, original, n * sizeof(memory[0]));
		for (int flips = 1 + rand() % 6; flips > 0; flips--) {
			struct test_table *t = &memory[(unsigned)rand() % n];
			u32 most = rand() % 2 && t->size > 64 ? 64 : t->size;

			t->bytes[(u32)rand() % most] ^= (u8)(1 << rand() % 8);
		}
		memory[n - 1].bytes[8] = 0;
		memory[n - 1].bytes[8] = (u8)-byte_sum(memory[n - 1].bytes, 20);
		parse();
		expect_bounds();
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_xsdt),
		cmocka_unit_test(test_rsdt),
		cmocka_unit_test(test_rsdp_copy),
		cmocka_unit_test(test_above_4_gib),
		cmocka_unit_test(test_rsdt_instead_of_xsdt),
		cmocka_unit_test(test_no_rsdp),
		cmocka_unit_test(test_odd_root_entries),
		cmocka_unit_test(test_roots_of_nothing),
		cmocka_unit_test(test_too_many_tables),
		cmocka_unit_test(test_wrong_checksums),
		cmocka_unit_test(test_absurd_lengths),
		cmocka_unit_test(test_one_line_for_each_damage),
		cmocka_unit_test(test_no_madt),
		cmocka_unit_test(test_floods),
		cmocka_unit_test(test_memory_ends),
		cmocka_unit_test(test_tables_end),
		cmocka_unit_test(test_flipped_bytes),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
