/* SPDX-License-Identifier: GPL-2.0-or-later
 * What our UEFI loader hands over is what the kernel reads: blocks written by boot/efi/multiboot2.c, read by arch/x86/bootinfo.c.
 * And the questions to UEFI's memory map, and the area for results. Which types of memory are free after the firmware has gone is
 * from the UEFI specification (section 7.2, table of memory types after ExitBootServices). */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "arch/x86/bootinfo.h"
#include "arch/x86/phys.h"
#include "base/string.h"
#include "base/text.h"
#include "boot/efi/multiboot2.h"
#include "boot/results.h"

#define MIB (1024 * 1024ull)

enum { BLOCK_AT = 0x7000000, STRIDE = 48 /* OVMF's; 40 is what is defined */ };

static u8 *block;
static u32 block_bytes;

void say(const char *fmt, ...)
{
	(void)fmt;
}

const void *phys_map(u64 phys, u64 bytes)
{
	return phys == BLOCK_AT && bytes <= block_bytes ? block : NULL;
}

static u8 entries[32 * STRIDE];
static struct memory_map map;

static void add_entry(u32 type, u64 start, u64 bytes)
{
	u8 *entry = entries + map.bytes;
	u64 pages = bytes / UEFI_PAGE;

	memset(entry, 0xEE, STRIDE);
	memcpy(entry, &type, 4);
	memcpy(entry + 8, &start, 8);
	memcpy(entry + 24, &pages, 8);
	map.bytes += STRIDE;
}

static int clear_map(void **state)
{
	(void)state;
	map = (struct memory_map){ entries, 0, STRIDE };
	return 0;
}

/* --- the information block --- */

static void test_block(void **state)
{
	static const char cmdline[] = "run=\"hackbench -g 4\" x";
	const struct mb2_screen screen = { 0x4080000000, 8192, 1920, 1080, { { 16, 8 }, { 8, 8 }, { 0, 8 } } };
	struct bootinfo bi;
	struct mb2 mb2;
	u8 rsdp[36];

	(void)state;
	memset(rsdp, 0x15, sizeof(rsdp));
	add_entry(UEFI_BOOT_DATA, 0, 0xA0000);
	add_entry(0, 32 * MIB, 1 * MIB);
	add_entry(UEFI_FREE, 1 * MIB, 31 * MIB);
	block_bytes = mb2_size(sizeof(cmdline) + sizeof("loader") + sizeof(RESULTS_MODULE), 3);
	block = malloc(block_bytes);
	mb2_begin(&mb2, block, block_bytes);
	mb2_cmdline(&mb2, cmdline);
	mb2_loader(&mb2, "loader");
	mb2_efi_table(&mb2, 0x123456789A);
	mb2_rsdp(&mb2, rsdp, true);
	mb2_screen(&mb2, &screen);
	mb2_module(&mb2, RESULTS_ADDR, RESULTS_ADDR + RESULTS_BYTES, RESULTS_MODULE);
	assert_true(mb2_finish(&mb2, &map));
	add_entry(UEFI_BROKEN, 40 * MIB, 1 * MIB); /* the map has changed: a second try to leave */
	assert_true(mb2_finish(&mb2, &map));
	assert_int_equal(bootinfo_parse(BOOT_MAGIC_MULTIBOOT2, BLOCK_AT, &bi), 0);
	free(block);
	assert_string_equal(bi.cmdline, cmdline);
	assert_string_equal(bi.loader, "loader");
	assert_int_equal(bi.firmware, FIRMWARE_UEFI);
	assert_int_equal(bi.rsdp_bytes, RSDP_BYTES_V2);
	assert_int_equal(bi.rsdp[35], 0x15);
	assert_int_equal(bi.fb.type, FB_RGB);
	assert_true(bi.fb.addr == 0x4080000000);
	assert_int_equal(bi.fb.pitch, 8192);
	assert_int_equal(bi.fb.width, 1920);
	assert_int_equal(bi.fb.height, 1080);
	assert_int_equal(bi.fb.bpp, 32);
	assert_int_equal(bi.results.start, 32 * MIB);
	assert_int_equal(bi.results.end, 33 * MIB);
	assert_int_equal(bi.nr_modules, 0);
	assert_int_equal(bi.nr_ranges, 5);
	assert_false(bi.range[0].usable); /* the area, from its module */
	assert_int_equal(bi.range[0].start, 32 * MIB);
	assert_true(bi.range[1].usable);
	assert_int_equal(bi.range[1].end, 0xA0000);
	assert_false(bi.range[2].usable);
	assert_true(bi.range[3].usable);
	assert_int_equal(bi.range[3].start, 1 * MIB);
	assert_int_equal(bi.range[3].end, 32 * MIB);
	assert_false(bi.range[4].usable);
	assert_int_equal(bi.range[4].start, 40 * MIB);
}

static void test_old_rsdp(void **state)
{
	struct bootinfo bi;
	struct mb2 mb2;
	u8 rsdp[20] = { 0x14 };

	(void)state;
	add_entry(UEFI_FREE, 0, 1 * MIB);
	block_bytes = mb2_size(0, 1);
	block = malloc(block_bytes);
	mb2_begin(&mb2, block, block_bytes);
	mb2_rsdp(&mb2, rsdp, false);
	assert_true(mb2_finish(&mb2, &map));
	assert_int_equal(bootinfo_parse(BOOT_MAGIC_MULTIBOOT2, BLOCK_AT, &bi), 0);
	free(block);
	assert_int_equal(bi.rsdp_bytes, RSDP_BYTES_V1);
	assert_int_equal(bi.results.end, 0);
}

/* Another module's name is not ours, nor is one that only begins like it. */
static void test_other_modules(void **state)
{
	struct bootinfo bi;
	struct mb2 mb2;

	(void)state;
	add_entry(UEFI_FREE, 0, 1 * MIB);
	block_bytes = mb2_size(64, 1);
	block = malloc(block_bytes);
	mb2_begin(&mb2, block, block_bytes);
	mb2_module(&mb2, 0x4000, 0x5000, RESULTS_MODULE "2");
	mb2_module(&mb2, 0x6000, 0x7000, "");
	assert_true(mb2_finish(&mb2, &map));
	assert_int_equal(bootinfo_parse(BOOT_MAGIC_MULTIBOOT2, BLOCK_AT, &bi), 0);
	free(block);
	assert_int_equal(bi.results.end, 0);
	assert_int_equal(bi.nr_modules, 2);
}

static void test_each_type(void **state)
{
	/* Loader 1, 2, boot services 3, 4 and free memory 7 are the kernel's; nothing else is, known or not. */
	static const bool usable[] = { false, true, true, true, true, false, false, true, false, false, false, false, false, false,
		false, false };
	struct bootinfo bi;
	struct mb2 mb2;

	(void)state;
	for (u32 type = 0; type < ARRAY_SIZE(usable); type++)
		add_entry(type, (2 * type + 1) * MIB, 1 * MIB);
	add_entry(0x80000001, 64 * MIB, 1 * MIB);
	block_bytes = mb2_size(0, 17);
	block = malloc(block_bytes);
	mb2_begin(&mb2, block, block_bytes);
	assert_true(mb2_finish(&mb2, &map));
	assert_int_equal(bootinfo_parse(BOOT_MAGIC_MULTIBOOT2, BLOCK_AT, &bi), 0);
	free(block);
	assert_int_equal(bi.nr_ranges, 17);
	for (u32 type = 0; type < ARRAY_SIZE(usable); type++)
		assert_int_equal(bi.range[type].usable, usable[type]);
	assert_false(bi.range[16].usable);
}

static void test_map_without_room(void **state)
{
	struct mb2 mb2;

	(void)state;
	for (unsigned i = 0; i < 31; i++)
		add_entry(UEFI_FREE, i * MIB, 1 * MIB);
	block_bytes = mb2_size(0, 0);
	block = malloc(block_bytes);
	mb2_begin(&mb2, block, block_bytes);
	assert_false(mb2_finish(&mb2, &map)); /* 31 entries of 24 bytes, in 512 */
	free(block);
}

/* --- the memory map --- */

static void test_ranges(void **state)
{
	struct memory_entry blocker;

	(void)state;
	add_entry(UEFI_BOOT_DATA, 4 * MIB, 2 * MIB);
	add_entry(UEFI_FREE, 2 * MIB, 2 * MIB);
	add_entry(UEFI_ACPI_NVS, 6 * MIB, 1 * MIB);
	assert_true(memory_range_is(&map, 2 * MIB, 4 * MIB, memory_is_free, &blocker));
	assert_true(memory_range_is(&map, 2 * MIB, 6 * MIB, memory_is_ours_later, &blocker));
	assert_true(memory_range_is(&map, 3 * MIB, 5 * MIB, memory_is_ours_later, &blocker));
	assert_false(memory_range_is(&map, 3 * MIB, 5 * MIB, memory_is_free, &blocker));
	assert_int_equal(blocker.start, 4 * MIB);
	assert_int_equal(blocker.type, UEFI_BOOT_DATA);
	assert_false(memory_range_is(&map, 5 * MIB, 8 * MIB, memory_is_ours_later, &blocker));
	assert_int_equal(blocker.start, 6 * MIB);
	assert_int_equal(blocker.type, UEFI_ACPI_NVS);
	assert_string_equal(memory_type_name(blocker.type), "ACPI non-volatile memory");
	assert_false(memory_range_is(&map, 1 * MIB, 3 * MIB, memory_is_free, &blocker));
	assert_int_equal(blocker.start, 1 * MIB);
	assert_string_equal(memory_type_name(blocker.type), "no memory at all");
	assert_string_equal(memory_type_name(0x80000001), "memory of a kind of its own");
}

/* --- results --- */

static void test_results(void **state)
{
	static const char text[] = "123456789";
	struct results *results = calloc(1, sizeof(*results) + 9);

	(void)state;
	assert_true(results_extent(text, 9) == 0xcbf4392600000009); /* the check value of this CRC-32 */
	assert_int_equal(results_bytes(results), 0);
	*results = (struct results){ .magic = RESULTS_MAGIC, .version = RESULTS_VERSION, .extent = results_extent(text, 9) };
	memcpy(results->text, text, 9);
	assert_int_equal(results_bytes(results), 9);
	results->text[8] ^= 1;
	assert_int_equal(results_bytes(results), 0);
	results->extent = results_extent(text, 8); /* a reset before the last character was told of */
	assert_int_equal(results_bytes(results), 8);
	results->extent = 0;
	assert_int_equal(results_bytes(results), 0);
	results->extent = (u64)RESULTS_TEXT_MOST + 1; /* refused before it is read */
	assert_int_equal(results_bytes(results), 0);
	results->extent = results_extent(text, 8);
	results->version++;
	assert_int_equal(results_bytes(results), 0);
	free(results);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_block, clear_map),
		cmocka_unit_test_setup(test_old_rsdp, clear_map),
		cmocka_unit_test_setup(test_other_modules, clear_map),
		cmocka_unit_test_setup(test_each_type, clear_map),
		cmocka_unit_test_setup(test_map_without_room, clear_map),
		cmocka_unit_test_setup(test_ranges, clear_map),
		cmocka_unit_test(test_results),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
