/* SPDX-License-Identifier: GPL-2.0-or-later
 * MADT: which CPUs there are. Expected values are what was put in. */
#include "tests/unit/firmware.h"

/* Sockets of 5 and of 5 x 2: the ids leave holes, and grow beyond the count. */
static void test_sparse_ids(void **state)
{
	struct test_table *t;

	(void)state;
	clear_memory();
	t = begin_madt();
	for (u8 id = 0; id <= 57; id++)
		if (id % 16 < 10)
			put_apic(t, id, id, 1);
	end_sdt(t);
	assert_int_equal(finish(), 0);
	assert_int_equal(info.nr_cpus, 40);
	assert_int_equal(info.cpu[10].apic_id, 16);
	assert_int_equal(info.cpu[39].apic_id, 57);
	assert_int_equal(info.cpu[39].node, 0);
	assert_int_equal(info.warnings, 0);
}

/* -smp 2,maxcpus=6, then what else is not a CPU: hot-pluggable only, and the ids that mean "none". */
static void test_disabled_entries(void **state)
{
	struct test_table *t;

	(void)state;
	clear_memory();
	t = begin_madt();
	for (u8 i = 0; i < 4; i++)
		put_apic(t, i, i + 2, 0); /* the placeholders first, as one board has them */
	put_apic(t, 4, 0, 1);
	put_apic(t, 5, 1, 3);
	put_apic(t, 6, 6, 2);
	put_x2apic(t, 7, 7, 0);
	put_apic(t, 8, 0xFF, 1);
	put_apic(t, 9, 0xFF, 0);
	for (unsigned i = 0; i < 30; i++)
		put_x2apic(t, 10 + i, 0xFFFFFFFF, i % 2);
	end_sdt(t);
	assert_int_equal(finish(), 0);
	assert_int_equal(info.nr_cpus, 2);
	assert_int_equal(info.cpu[0].apic_id, 0);
	assert_int_equal(info.cpu[1].apic_id, 1);
	assert_int_equal(info.cpu[1].uid, 5);
	assert_int_equal(info.nr_disabled, 6);
	assert_int_equal(info.warnings, 0);
}

/* The same CPU in both forms counts once; 255 is a real id in the long one. */
static void test_duplicates(void **state)
{
	struct test_table *t;

	(void)state;
	clear_memory();
	t = begin_madt();
	for (u8 i = 0; i < 4; i++)
		put_apic(t, i, i, 1);
	for (u8 i = 0; i < 4; i++)
		put_x2apic(t, i, i, 1);
	put_x2apic(t, 4, 0xFF, 1);
	put_x2apic(t, 5, 0x12345678, 1);
	end_sdt(t);
	assert_int_equal(finish(), 0);
	assert_int_equal(info.nr_cpus, 6);
	assert_int_equal(info.cpu[4].apic_id, 0xFF);
	assert_int_equal(info.cpu[5].apic_id, 0x12345678);
	assert_int_equal(info.nr_duplicates, 4);
	assert_true(was_said("4 CPUs again"));
	assert_int_equal(info.warnings, 1);
}

/* QEMU's 288 CPUs: 255 short entries, 33 long ones, of which MAX_CPUS fit. */
static void test_more_than_max_cpus(void **state)
{
	struct test_table *t;

	(void)state;
	clear_memory();
	t = begin_madt();
	for (u32 i = 0; i < 255; i++)
		put_apic(t, (u8)i, (u8)i, 1);
	for (u32 i = 255; i < 288; i++)
		put_x2apic(t, i, i, 1);
	end_sdt(t);
	assert_int_equal(finish(), 0);
	assert_int_equal(info.nr_cpus, MAX_CPUS);
	assert_int_equal(info.nr_beyond, 288 - MAX_CPUS);
	assert_true(was_said("32 CPUs beyond the first 256"));
}

static void test_damaged_madt_entries(void **state)
{
	static const u8 damage[][2] = { { 0, 0 }, { 0, 1 }, { 77, 0 }, { 0, 200 }, { 9, 17 } };

	(void)state;
	for (unsigned i = 0; i < ARRAY_SIZE(damage); i++) {
		struct test_table *t;

		clear_memory();
		t = begin_madt();
		put_apic(t, 0, 0, 1);
		put(t, damage[i], 2);
		put_zeros(t, 6);
		put_apic(t, 1, 1, 1);
		end_sdt(t);
		assert_int_equal(finish(), 0);
		assert_int_equal(info.nr_cpus, 1);
		assert_true(was_said("the rest is ignored"));
	}
}

/* An entry too short for its type says nothing, but the next one counts; so does one behind a type nobody knows. */
static void test_short_and_unknown_madt_entries(void **state)
{
	struct test_table *t;

	(void)state;
	clear_memory();
	t = begin_madt();
	put(t, (u8[]){ 0, 7, 9, 9, 1, 0, 0 }, 7);
	put(t, (u8[]){ 9, 12, 0, 0, 9, 0, 0, 0, 1, 0, 0, 0 }, 12);
	put(t, (u8[]){ 5, 2 }, 2);
	put(t, (u8[]){ 200, 3, 0 }, 3);
	put(t, (u8[]){ 10, 2 }, 2);
	put_apic(t, 1, 1, 1);
	end_sdt(t);
	assert_int_equal(finish(), 0);
	assert_int_equal(info.nr_cpus, 1);
	assert_int_equal(info.cpu[0].apic_id, 1);
	assert_int_equal(info.warnings, 3);
	assert_true(was_said("type 9 with 12 bytes is too short"));
}

static void test_more_ioapics_than_are_kept(void **state)
{
	struct test_table *t;

	(void)state;
	clear_memory();
	t = begin_madt();
	put_apic(t, 0, 0, 1);
	for (u32 i = 0; i <= ACPI_IOAPICS; i++) {
		put(t, (u8[]){ 1, 12, (u8)i, 0 }, 4);
		putn(t, 0xFEC00000 + i * 0x1000, 4);
		putn(t, i * 24, 4);
	}
	end_sdt(t);
	assert_int_equal(finish(), 0);
	assert_int_equal(info.nr_ioapics, ACPI_IOAPICS);
	assert_int_equal(info.ioapic[1], 0xFEC01000);
	assert_true(was_said("MADT has more than 64 I/O APICs, the one at 0xfec40000 is ignored"));
	assert_int_equal(info.warnings, 1);
}

static void test_lapic_address(void **state)
{
	static const u64 bad[] = { 0, 0xFEE00010, 1ull << 52, UINT64_MAX };
	struct test_table *t;

	(void)state;
	clear_memory();
	t = begin_madt();
	put_lapic_address(t, 0x1FEE00000);
	end_sdt(t);
	assert_int_equal(finish(), 0);
	assert_int_equal(info.lapic_address, 0x1FEE00000);
	for (unsigned i = 0; i < ARRAY_SIZE(bad); i++) {
		clear_memory();
		t = begin_madt();
		put_lapic_address(t, bad[i]);
		end_sdt(t);
		assert_int_equal(finish(), 0);
		assert_int_equal(info.lapic_address, 0xFEE00000);
		assert_int_equal(info.warnings, 1);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sparse_ids),
		cmocka_unit_test(test_disabled_entries),
		cmocka_unit_test(test_duplicates),
		cmocka_unit_test(test_more_than_max_cpus),
		cmocka_unit_test(test_damaged_madt_entries),
		cmocka_unit_test(test_short_and_unknown_madt_entries),
		cmocka_unit_test(test_more_ioapics_than_are_kept),
		cmocka_unit_test(test_lapic_address),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
