/* SPDX-License-Identifier: GPL-2.0-or-later
 * FADT, HPET and _S5_: timers, power-off and reset. Expected values are what was put in. */
#include "tests/unit/firmware.h"

/* --- FADT and HPET --- */

/* QEMU pc: 116 bytes, and in the memory behind them, here made a part of the region, another table. */
static void test_fadt_revision_1(void **state)
{
	struct test_table *t;

	(void)state;
	clear_memory();
	t = put_fadt(116, RESET_WORKS);
	for (unsigned i = 0; i < 200; i++)
		putn(t, 1, 1);
	assert_int_equal(finish(), 0);
	assert_int_equal(info.power.reset.address, 0);
	assert_int_equal(info.power.pm1a_control.address, 0x604);
	assert_int_equal(info.pm_timer_port, 0x608);
	assert_false(info.pm_timer_32bit);
}

static void test_fadt_long_registers(void **state)
{
	struct test_table *t;

	(void)state;
	clear_memory();
	t = put_fadt(276, 0);
	set(t, 172, 1 | 16 << 8, 4);
	set(t, 176, 0x1804, 8);
	set(t, 184, 0 | 16 << 8, 4);
	set(t, 188, 0x3FED1F000, 8);
	set(t, 208, 1 | 32 << 8, 4);
	set(t, 212, 0x1808, 8);
	end_sdt(t);
	assert_int_equal(finish(), 0);
	assert_int_equal(info.power.pm1a_control.address, 0x1804);
	assert_int_equal(info.power.pm1b_control.address, 0x3FED1F000);
	assert_int_equal(info.power.pm1b_control.space, ACPI_MEMORY_SPACE);
	assert_int_equal(info.pm_timer_port, 0x1808);
	assert_int_equal(info.power.reset.address, 0); /* its flag is clear */
}

/* A long register that makes no sense leaves the word to the short one. */
static void test_fadt_absurd_registers(void **state)
{
	struct test_table *t;

	(void)state;
	clear_memory();
	t = put_fadt(276, RESET_WORKS);
	set(t, 68, 0x12345, 4);
	set(t, 116, 0x7F, 1);
	set(t, 172, 1, 1);
	set(t, 176, 0x10000, 8);
	set(t, 208, 0, 1);
	set(t, 212, 1ull << 60, 8);
	end_sdt(t);
	assert_int_equal(finish(), 0);
	assert_int_equal(info.power.pm1a_control.address, 0x604);
	assert_int_equal(info.power.pm1b_control.address, 0);
	assert_int_equal(info.power.reset.address, 0);
	assert_int_equal(info.pm_timer_port, 0x608);
	assert_true(was_said("register 0xcf9 in space 127 (FACP + 116)"));
}

/* microvm: no PM1 block and no PM timer, a sleep control register in memory. */
static void test_fadt_hw_reduced(void **state)
{
	static const u8 s5[] = { 0x08, '\\', '_', 'S', '5', '_', 0x12, 0x07, 0x04, 0x0A, 0x05, 0x00, 0x00, 0x00 };
	struct test_table *t;

	(void)state;
	clear_memory();
	t = put_fadt(268, HW_REDUCED | RESET_WORKS);
	set(t, 244, 0 | 8 << 8, 4);
	set(t, 248, 0xFEA00200, 8);
	end_sdt(t);
	put_aml(DSDT_AT, "DSDT", s5, sizeof(s5));
	assert_int_equal(finish(), 0);
	assert_true(info.power.hw_reduced);
	assert_int_equal(info.power.sleep_control.address, 0xFEA00200);
	assert_int_equal(info.power.sleep_control.space, ACPI_MEMORY_SPACE);
	assert_int_equal(info.power.pm1a_control.address, 0);
	assert_int_equal(info.pm_timer_port, 0);
	assert_true(info.power.has_s5);
	assert_int_equal(info.power.s5_type_a, 5);
	assert_int_equal(info.power.s5_type_b, 0);
}

static void test_pm_timer_absent(void **state)
{
	struct test_table *t;

	(void)state;
	clear_memory();
	t = put_fadt(276, TIMER_32BIT);
	set(t, 91, 0, 1);
	end_sdt(t);
	assert_int_equal(finish(), 0);
	assert_int_equal(info.pm_timer_port, 0);
}

static void test_bad_hpets(void **state)
{
	static const struct {
		u8 space;
		u64 address;
	} hpet[] = { { 1, 0xFED0 }, { 0, 0 }, { 0, 0xFED00004 }, { 0, 1ull << 52 }, { 2, 0xFED00000 } };

	(void)state;
	for (unsigned i = 0; i < ARRAY_SIZE(hpet); i++) {
		struct test_table *t;

		clear_memory();
		t = begin_sdt(0x7FE9000, "HPET", 1);
		putn(t, 0x8086A201, 4);
		putn(t, hpet[i].space, 4);
		putn(t, hpet[i].address, 8);
		put_zeros(t, 4);
		end_sdt(t);
		assert_int_equal(finish(), 0);
		assert_int_equal(info.hpet_address, 0);
		assert_true(was_said("HPET"));
	}
}

/* --- devices where memory is --- */

/* The HPET, a port in memory, the sleep register, an I/O APIC and the local one, all moved into the memory from 1 MiB to 3 GiB; and
 * as they are. */
static void test_misplaced_devices(void **state)
{
	static const struct memmap map = { .nr = 1, .range = { { 0x100000, 3 * GIB } } };
	static const struct acpi_info there = {
		.lapic_address = 0xFEE01000,
		.hpet_address = 0xFED00000,
		.nr_ioapics = 2,
		.ioapic = { 0xFEC00000, 0xFEC01000 },
		.nr_uarts = 2,
		.uart = { { { 0xFEDC9000, ACPI_MEMORY_SPACE }, 4, 4, 0 }, { { 0x3F8, ACPI_IO_SPACE }, 1, 1, 0 } },
		.power = { .sleep_control = { 0xFEA00200, ACPI_MEMORY_SPACE }, .reset = { 0xCF9, ACPI_IO_SPACE } },
	};

	(void)state;
	clear_memory();
	info = there;
	acpi_forget_misplaced(&info, &map);
	assert_memory_equal(&info, &there, sizeof(info));
	assert_int_equal(lines_said(), 0);
	info.lapic_address = 0x100000;
	info.hpet_address = 0x100000 - 1024 + 8; /* its last register is in memory */
	info.uart[0].at.address = 3 * GIB - 4;
	info.ioapic[0] = 0x80000000;
	info.power.sleep_control.address = 3 * GIB - 1;
	acpi_forget_misplaced(&info, &map);
	assert_int_equal(info.lapic_address, 0xFEE00000);
	assert_int_equal(info.hpet_address, 0);
	assert_int_equal(info.nr_uarts, 1);
	assert_int_equal(info.uart[0].at.address, 0x3F8);
	assert_int_equal(info.power.sleep_control.address, 0);
	assert_int_equal(info.power.reset.address, 0xCF9);
	assert_int_equal(info.nr_ioapics, 1);
	assert_int_equal(info.ioapic[0], 0xFEC01000);
	assert_int_equal(lines_said(), 5);
	assert_true(was_said("the HPET at 0xffc08 is where the memory map has memory, ignored"));
}

/* --- _S5_ --- */

struct s5_case {
	const char *what;
	bool found;
	u8 a, b;
	u32 bytes;
	u8 aml[24];
};

#define NAME	  0x08, '_', 'S', '5', '_'
#define ROOT_NAME 0x08, '\\', '_', 'S', '5', '_'

static const struct s5_case s5_cases[] = {
	{ "QEMU pc: all ZeroOp", true, 0, 0, 12, { NAME, 0x12, 6, 4, 0, 0, 0, 0 } },
	{ "microvm: a byte, then ZeroOp", true, 5, 0, 13, { NAME, 0x12, 7, 4, 0x0A, 5, 0, 0, 0 } },
	{ "bytes", true, 7, 6, 14, { NAME, 0x12, 8, 4, 0x0A, 7, 0x0A, 6, 0 } },
	{ "OneOp", true, 1, 1, 12, { NAME, 0x12, 6, 4, 1, 1, 0, 0 } },
	{ "words", true, 5, 4, 14, { NAME, 0x12, 8, 2, 0x0B, 5, 0, 0x0B, 4, 0 } },
	{ "a double word", true, 5, 1, 14, { NAME, 0x12, 8, 2, 0x0C, 5, 0, 0, 0, 1 } },
	{ "one element", true, 5, 0, 10, { NAME, 0x12, 4, 1, 0x0A, 5 } },
	{ "one element that holds both", true, 5, 4, 11, { NAME, 0x12, 5, 1, 0x0B, 5, 4 } },
	{ "root prefix", true, 5, 5, 14, { ROOT_NAME, 0x12, 7, 4, 0x0A, 5, 0x0A, 5 } },
	{ "package length of two bytes", true, 5, 0, 13, { NAME, 0x12, 0x47, 0, 2, 0x0A, 5, 0 } },
	{ "package length of four bytes", true, 5, 0, 15, { NAME, 0x12, 0xC9, 0, 0, 0, 2, 0x0A, 5, 0 } },
	{ "behind a mere mention", true, 3, 3, 19, { '_', 'S', '5', '_', 0x12, NAME, 0x12, 6, 2, 0x0A, 3, 0x0A, 3, 0 } },
	{ "behind a broken one", true, 3, 1, 22, { NAME, 0x12, 4, 1, 0x0A, 9, NAME, 0x12, 6, 2, 0x0A, 3, 0x0A, 1 } },
	{ "no name operator", false, 0, 0, 11, { '_', 'S', '5', '_', 0x12, 6, 4, 0, 0, 0, 0 } },
	{ "no package", false, 0, 0, 7, { NAME, 0x0A, 5 } },
	{ "no elements", false, 0, 0, 8, { NAME, 0x12, 2, 0 } },
	{ "a type beyond three bits", false, 0, 0, 12, { NAME, 0x12, 6, 2, 0x0A, 8, 0, 0 } },
	{ "OnesOp", false, 0, 0, 9, { NAME, 0x12, 3, 1, 0xFF } },
	{ "a name for an element", false, 0, 0, 14, { NAME, 0x12, 8, 2, 'F', 'O', 'O', '_', 0, 0 } },
	{ "package longer than the table", false, 0, 0, 12, { NAME, 0x12, 7, 4, 0, 0, 0, 0 } },
	{ "package shorter than its elements", false, 0, 0, 12, { NAME, 0x12, 3, 4, 0, 0, 0, 0 } },
	{ "package shorter than its own length", false, 0, 0, 12, { NAME, 0x12, 0x40, 0, 4, 0, 0, 0 } },
	{ "package of length 0", false, 0, 0, 12, { NAME, 0x12, 0, 4, 0, 0, 0, 0 } },
	{ "ends behind the name", false, 0, 0, 5, { NAME } },
	{ "ends in the package length", false, 0, 0, 7, { NAME, 0x12, 0xC0 } },
	{ "ends in a word", false, 0, 0, 10, { NAME, 0x12, 4, 1, 0x0B, 5 } },
	{ "ends in the name", false, 0, 0, 4, { 0x08, '_', 'S', '5' } },
};

static void test_s5_shapes(void **state)
{
	(void)state;
	for (unsigned i = 0; i < ARRAY_SIZE(s5_cases); i++) {
		const struct s5_case *c = &s5_cases[i];

		clear_memory();
		put_fadt(116, 0);
		put_aml(DSDT_AT, "DSDT", c->aml, c->bytes);
		assert_int_equal(finish(), 0);
		if (info.power.has_s5 != c->found)
			fail_msg("%s: %sfound", c->what, c->found ? "not " : "");
		if (c->found && (info.power.s5_type_a != c->a || info.power.s5_type_b != c->b))
			fail_msg("%s: types %u and %u", c->what, info.power.s5_type_a, info.power.s5_type_b);
	}
}

/* The DSDT's word counts before an SSDT's, and that of any SSDT where the DSDT has none or does not exist. */
static void test_s5_search_order(void **state)
{
	static const u8 five[] = { NAME, 0x12, 6, 2, 0x0A, 5, 0x0A, 5 };

	(void)state;
	clear_memory();
	put_aml(0x7FEA000, "SSDT", "nothing", 7);
	put_aml(0x7FEB000, "SSDT", five, sizeof(five));
	put_aml(0x7FEC000, "SSDT", qemu_s5, sizeof(qemu_s5));
	put_fadt(116, 0);
	put_root("XSDT", XSDT_AT, 8);
	put_rsdp(2, 0, XSDT_AT);
	assert_int_equal(parse(), 0);
	assert_int_equal(info.power.s5_type_a, 5);
	assert_true(was_said("no DSDT at"));
	put_aml(DSDT_AT, "DSDT", qemu_s5, sizeof(qemu_s5));
	assert_int_equal(parse(), 0);
	assert_true(info.power.has_s5);
	assert_int_equal(info.power.s5_type_a, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_fadt_revision_1),
		cmocka_unit_test(test_fadt_long_registers),
		cmocka_unit_test(test_fadt_absurd_registers),
		cmocka_unit_test(test_fadt_hw_reduced),
		cmocka_unit_test(test_pm_timer_absent),
		cmocka_unit_test(test_bad_hpets),
		cmocka_unit_test(test_misplaced_devices),
		cmocka_unit_test(test_s5_shapes),
		cmocka_unit_test(test_s5_search_order),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
