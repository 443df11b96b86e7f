/* SPDX-License-Identifier: GPL-2.0-or-later
 * PVH start infos, whole and damaged, and the search for an RSDP in a BIOS's memory. Expected values are what was put in. */
#include "tests/unit/handover.h"

static void test_pvh(void **state)
{
	(void)state;
	build_pvh("quiet run=massive_intr");
	assert_int_equal(parse_pvh(), 0);
	assert_string_equal(bi.cmdline, "quiet run=massive_intr");
	assert_string_equal(bi.loader, "");
	assert_int_equal(bi.firmware, FIRMWARE_NONE);
	assert_int_equal(bi.rsdp_bytes, 0);
	assert_int_equal(bi.rsdp_phys, 0x1F5A20000);
	assert_int_equal(bi.fb.type, FB_NONE);
	assert_int_equal(bi.nr_ranges, 4);
	assert_true(range_is(0, 0x7000000, 0x7001234, false));
	assert_true(range_is(3, 1 * MIB, 128 * MIB, true));
	assert_int_equal(bi.nr_modules, 1);
	assert_int_equal(bi.block.start, PVH_START);
	assert_int_equal(bi.block.end, PVH_START + 56);
}

/* The line of 4000 bytes here crosses a page; the longest one is cut. */
static void test_pvh_command_line_lengths(void **state)
{
	static char text[5000];

	(void)state;
	memset(text, 'p', 4000);
	build_pvh(text);
	poke64(PVH_START + 24, PVH_CMDLINE);
	assert_true(PVH_CMDLINE + 4000 > 0x2000 && PVH_CMDLINE + 4000 < PVH_MODULES);
	assert_int_equal(parse_pvh(), 0);
	assert_int_equal(strlen(bi.cmdline), 4000);
	assert_false(bi.cmdline_cut);

	build_pvh("");
	memset(text, 'q', BOOT_CMDLINE_MAX + 1);
	place(0x100000 - 5, (const u8 *)text, BOOT_CMDLINE_MAX + 2);
	poke64(PVH_START + 24, 0x100000 - 5);
	assert_int_equal(parse_pvh(), 0);
	assert_string_equal(bi.cmdline, "qqqqq"); /* the second page ends too early to be mapped */
	assert_non_null(strstr(last_line, "cannot be read"));

	build_pvh("");
	place(0x100000 - 5, (const u8 *)text, sizeof(text));
	place(0x100000, (const u8 *)text + 5, 4096);
	poke64(PVH_START + 24, 0x100000 - 5);
	assert_int_equal(parse_pvh(), 0);
	assert_int_equal(strlen(bi.cmdline), BOOT_CMDLINE_MAX);
	assert_true(bi.cmdline_cut);
}

static void test_pvh_oddities(void **state)
{
	(void)state;
	build_pvh("");
	poke64(PVH_START + 24, 0); /* no command line, no module */
	poke32(PVH_START + 12, 0);
	poke64(PVH_START + 16, 0);
	assert_int_equal(parse_pvh(), 0);
	assert_string_equal(bi.cmdline, "");
	assert_int_equal(bi.nr_modules, 0);
	assert_string_equal(last_line, "");

	build_pvh("x");
	poke32(PVH_START + 4, 0);
	assert_int_equal(parse_pvh(), -E_NOENT);
	assert_non_null(strstr(last_line, "version 0"));

	build_pvh("x");
	poke32(PVH_START + 48, 0xFFFFFFFF);
	assert_int_equal(parse_pvh(), -E_NOENT);
	assert_non_null(strstr(last_line, "memory map"));

	build_pvh("x");
	poke32(PVH_START + 12, 0xFFFFFFFF);
	assert_int_equal(parse_pvh(), 0);
	assert_int_equal(bi.nr_modules, 0);
	assert_non_null(strstr(last_line, "module list"));

	build_pvh("x");
	poke64(PVH_START + 40, UINT64_MAX - 8);
	assert_int_equal(parse_pvh(), -E_NOENT);
	poke32(PVH_START, 0);
	assert_int_equal(parse_pvh(), -E_INVAL);
}

/* Memory that ends at every byte behind the start of hvm_start_info. */
static void test_pvh_truncated(void **state)
{
	(void)state;
	build_pvh("x");
	for (u64 size = sizeof(pvh_memory); size-- > PVH_START - PVH_BASE;) {
		nr_regions = 0;
		place(PVH_BASE, pvh_memory, size);
		assert_int_equal(parse_pvh() == -E_INVAL, size < PVH_START - PVH_BASE + 56);
	}
}
/* The result must be within bounds whatever the input; the seed is fixed. */
static void test_pvh_flipped_bytes(void **state)
{
	(void)state;
	srand(2);
	for (unsigned round = 0; round < 2000; round++) {
		build_pvh("some words");
		for (int flips = 1 + rand() % 8; flips > 0; flips--)
			pvh_memory[PVH_MODULES - PVH_BASE + (u32)rand() % 0x200] = (u8)rand();
		parse_pvh();
		assert_true(bi.nr_ranges <= BOOT_RANGES && bi.nr_modules <= BOOT_MODULES);
	}
}
/* --- RSDP --- */

static u8 bios_area[0x20000];
static u8 ebda[1024];
static u8 bios_data[0x100];

static void put_rsdp(u8 *at)
{
	memcpy(at, "RSD PTR \0FMTEST\0\0\0\0\0", RSDP_BYTES_V1);
	at[8] = (u8)-byte_sum(at, RSDP_BYTES_V1);
}

static u64 scan(u16 ebda_segment)
{
	u64 found;

	clear_memory();
	memcpy(bios_data + 0xE, &ebda_segment, 2);
	place(0x400, bios_data, sizeof(bios_data));
	place(0x9FC00, ebda, sizeof(ebda));
	place(0xE0000, bios_area, sizeof(bios_area));
	found = rsdp_scan();
	unmap_all();
	return found;
}

static void test_rsdp_scan(void **state)
{
	(void)state;
	assert_int_equal(scan(0x9FC0), 0);
	put_rsdp(bios_area + 0x1FFE0);
	assert_int_equal(scan(0x9FC0), 0xFFFE0);
	put_rsdp(bios_area + 0x5678); /* not on 16 bytes */
	assert_int_equal(scan(0x9FC0), 0xFFFE0);
	put_rsdp(bios_area + 0x100);
	bios_area[0x10A] ^= 1; /* wrong checksum */
	assert_int_equal(scan(0x9FC0), 0xFFFE0);
	put_rsdp(bios_area);
	assert_int_equal(scan(0x9FC0), 0xE0000);
	put_rsdp(ebda + 0x3E0);
	assert_int_equal(scan(0x9FC0), 0x9FFE0);
	assert_int_equal(scan(0), 0xE0000);	 /* no EBDA */
	assert_int_equal(scan(0xFFFF), 0xE0000); /* nor where there is none */
	clear_memory();
	assert_int_equal(rsdp_scan(), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_pvh),
		cmocka_unit_test(test_pvh_command_line_lengths),
		cmocka_unit_test(test_pvh_oddities),
		cmocka_unit_test(test_pvh_truncated),
		cmocka_unit_test(test_pvh_flipped_bytes),
		cmocka_unit_test(test_rsdp_scan),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
