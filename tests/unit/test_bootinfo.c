/* SPDX-License-Identifier: GPL-2.0-or-later
 * Multiboot2 blocks, whole and damaged. Expected values are what was put in. */
#include "tests/unit/handover.h"

#include "boot/results.h"

/* --- multiboot2 --- */

static void test_bios(void **state)
{
	(void)state;
	begin_block();
	put_bios_tags();
	end_block();
	assert_int_equal(parse_at(0x100858), 0);
	assert_string_equal(bi.cmdline, "run=hackbench \"two words\"");
	assert_false(bi.cmdline_cut);
	assert_string_equal(bi.loader, "GRUB 2.06-13+deb12u2");
	assert_int_equal(bi.firmware, FIRMWARE_BIOS);
	assert_int_equal(bi.nr_ranges, 4);
	assert_true(range_is(0, 0x4000, 0x9640, false));
	assert_true(range_is(1, 0, 0x9FC00, true));
	assert_true(range_is(2, 0x9FC00, 0xA0000, false));
	assert_true(range_is(3, 1 * MIB, 128 * MIB, true));
	assert_int_equal(bi.nr_modules, 1);
	assert_int_equal(bi.module[0].start, 0x4000);
	assert_int_equal(bi.module[0].end, 0x9640);
	assert_int_equal(bi.fb.type, FB_TEXT);
	assert_int_equal(bi.fb.width, 80);
	assert_int_equal(bi.rsdp_bytes, RSDP_BYTES_V1);
	assert_int_equal(bi.rsdp[19], 0x14);
	assert_int_equal(bi.rsdp_phys, 0);
	assert_int_equal(bi.block.start, 0x100858);
	assert_int_equal(bi.block.end, 0x100858 + used);
}

/* Everything is a copy: the block may be overwritten as soon as it is parsed. */
static void test_block_may_go(void **state)
{
	(void)state;
	begin_block();
	put_bios_tags();
	end_block();
	assert_int_equal(parse_at(0x100858), 0);
	memset(block, 0xFF, sizeof(block));
	assert_string_equal(bi.loader, "GRUB 2.06-13+deb12u2");
	assert_true(range_is(3, 1 * MIB, 128 * MIB, true));
}

static void test_uefi_by_any_of_its_tags(void **state)
{
	static const u32 tags[] = { 11, 12, 17, 18, 19, 20 };
	static const u64 nothing[8];

	(void)state;
	for (unsigned i = 0; i < ARRAY_SIZE(tags); i++) {
		begin_block();
		put_map_tag(small_map, ARRAY_SIZE(small_map), 24);
		put_tag(tags[i], nothing, sizeof(nothing));
		end_block();
		assert_int_equal(parse_at(0xA000), 0);
		assert_int_equal(bi.firmware, FIRMWARE_UEFI);
		assert_int_equal(bi.rsdp_bytes, 0);
		assert_int_equal(bi.fb.type, FB_NONE);
	}
}

static void test_new_rsdp_wins(void **state)
{
	(void)state;
	for (unsigned first = 14; first <= 15; first++) {
		begin_block();
		put_map_tag(small_map, ARRAY_SIZE(small_map), 24);
		put_rsdp_tag(first, (u8)first);
		put_rsdp_tag(29 - first, (u8)(29 - first));
		end_block();
		assert_int_equal(parse_at(0xA000), 0);
		assert_int_equal(bi.rsdp_bytes, RSDP_BYTES_V2);
		assert_int_equal(bi.rsdp[0], 15);
		assert_int_equal(bi.rsdp[35], 15);
	}
}

/* Types 5 and 20 were seen under UEFI, an empty type 0 on microvm; the entry size may grow. */
static void test_only_type_1_is_usable(void **state)
{
	static const u64 map[][3] = {
		{ 0, 0x9F000, 1 },
		{ 0x9F000, 0x1000, 5 },
		{ 1 * MIB, 1 * MIB, 20 },
		{ 2 * MIB, 1 * MIB, 3 },
		{ 4 * GIB, 4 * GIB, 1 },
		{ 8 * GIB, 1 * GIB, 0x100000001 }, /* the word behind the type says nothing */
		{ 0, 0, 0 },
		{ 0x1000, UINT64_MAX, 2 },
	};

	(void)state;
	begin_block();
	put_map_tag(map, ARRAY_SIZE(map), 40);
	end_block();
	assert_int_equal(parse_at(0xA000), 0);
	assert_int_equal(bi.nr_ranges, 5);
	assert_true(range_is(0, 0, 0x9F000, true));
	assert_true(range_is(1, 0x9F000, 0xA0000, false));
	assert_true(range_is(2, 1 * MIB, 3 * MIB, false)); /* neighbours are joined */
	assert_true(range_is(3, 4 * GIB, 9 * GIB, true));
	assert_true(range_is(4, 0x1000, UINT64_MAX, false));
}

static void test_no_usable_memory(void **state)
{
	static const u64 reserved[][3] = { { 0, 1 * GIB, 2 } };

	(void)state;
	begin_block();
	put_string_tag(1, "x");
	end_block();
	assert_int_equal(parse_at(0xA000), -E_NOENT);
	assert_string_equal(bi.cmdline, "x");
	begin_block();
	put_map_tag(reserved, 1, 24);
	end_block();
	assert_int_equal(parse_at(0xA000), -E_NOENT);
}

static void test_framebuffers(void **state)
{
	static const struct {
		u64 addr;
		u32 pitch, width, height;
		u8 bpp, type;
		bool good;
	} fb[] = {
		{ 0x80000000, 3200, 800, 600, 32, 1, true },
		{ 0x4000000000, 8192, 1920, 1080, 32, 1, true }, /* above 4 GiB, padded lines */
		{ 0xE0000000, 2400, 800, 600, 24, 1, true },
		{ 0xB8000, 160, 80, 25, 16, 2, true },
		{ 0xA0000, 80, 640, 480, 1, 0, false }, /* what GRUB claims where there is no VGA ROM */
		{ 0xE0000000, 800, 800, 600, 8, 1, false },
		{ 0xE0000000, 1600, 800, 600, 16, 1, false },
		{ 0xE0000000, 3199, 800, 600, 32, 1, false },
		{ 0xE0000000, 3200, 0, 600, 32, 1, false },
		{ 0xE0000000, 3200, 800, 0, 32, 1, false },
		{ 0, 3200, 800, 600, 32, 1, false },
		{ UINT64_MAX - 4096, 3200, 800, 600, 32, 1, false },
		{ 0xE0000000, 0xFFFFFFFF, 800, 600, 32, 1, false },
		{ 0xE0000000, 0xFFFFFFFF, 0x3FFFFFFF, 1, 32, 1, false },
		{ 0xB8000, 80, 80, 25, 16, 2, false },
		{ 0xE0000000, 3200, 800, 600, 32, 3, false },
	};

	(void)state;
	for (unsigned i = 0; i < ARRAY_SIZE(fb); i++) {
		begin_block();
		put_map_tag(small_map, ARRAY_SIZE(small_map), 24);
		put_fb_tag(fb[i].addr, fb[i].pitch, fb[i].width, fb[i].height, fb[i].bpp, fb[i].type);
		end_block();
		assert_int_equal(parse_at(0xA000), 0);
		if ((bi.fb.type != FB_NONE) != fb[i].good)
			fail_msg("framebuffer %u", i);
		if (!fb[i].good) {
			assert_non_null(strstr(last_line, "framebuffer"));
			continue;
		}
		assert_int_equal(bi.fb.addr, fb[i].addr);
		assert_int_equal(bi.fb.pitch, fb[i].pitch);
		assert_int_equal(bi.fb.width, fb[i].width);
		assert_int_equal(bi.fb.height, fb[i].height);
		assert_int_equal(bi.fb.bpp, fb[i].bpp);
	}
}

static void test_command_line_lengths(void **state)
{
	static char text[6000];

	(void)state;
	for (u32 n = BOOT_CMDLINE_MAX - 1; n <= BOOT_CMDLINE_MAX + 1; n++) {
		memset(text, 'a', n);
		text[n] = '\0';
		begin_block();
		put_string_tag(1, text);
		put_map_tag(small_map, ARRAY_SIZE(small_map), 24);
		end_block();
		assert_int_equal(parse_at(0xA000), 0);
		assert_int_equal(strlen(bi.cmdline), min_u64(n, BOOT_CMDLINE_MAX));
		assert_int_equal(bi.cmdline_cut, n > BOOT_CMDLINE_MAX);
	}
	assert_non_null(strstr(last_line, "longer"));
}

/* A string tag without its NUL ends where the tag ends. */
static void test_unterminated_string(void **state)
{
	(void)state;
	begin_block();
	put_tag(1, "abcdefgh", 8);
	put_map_tag(small_map, ARRAY_SIZE(small_map), 24);
	end_block();
	assert_int_equal(parse_at(0xA000), 0);
	assert_string_equal(bi.cmdline, "abcdefgh");
	assert_false(bi.cmdline_cut);
}

/* All are reserved, even those that no longer fit in the list. */
static void test_many_modules(void **state)
{
	(void)state;
	begin_block();
	put_map_tag(small_map, ARRAY_SIZE(small_map), 24);
	for (u32 i = 0; i < BOOT_MODULES + 2; i++)
		put_module_tag(0x200000 + i * 0x2000, 0x200000 + i * 0x2000 + 0x1000);
	put_module_tag(0x5000, 0x5000); /* empty */
	end_block();
	assert_int_equal(parse_at(0xA000), 0);
	assert_int_equal(bi.nr_modules, BOOT_MODULES);
	assert_int_equal(bi.nr_ranges, 3 + BOOT_MODULES + 2);
	assert_non_null(strstr(last_line, "modules"));
}

/* A reserved range beyond the last slot is cut out of the usable ones; a usable one is merely not used. */
static void test_too_many_ranges(void **state)
{
	static u64 map[BOOT_RANGES + 2][3];

	(void)state;
	for (unsigned i = 0; i < BOOT_RANGES; i++) {
		map[i][0] = i * MIB;
		map[i][1] = MIB / 2;
		map[i][2] = 1;
	}
	memcpy(map[BOOT_RANGES], (u64[]){ 5 * MIB + 4096, 2 * MIB, 2 }, 24);
	memcpy(map[BOOT_RANGES + 1], (u64[]){ 64 * GIB, 1 * GIB, 1 }, 24);
	begin_block();
	put_map_tag(map, BOOT_RANGES + 2, 24);
	end_block();
	assert_int_equal(parse_at(0xA000), 0);
	assert_int_equal(bi.nr_ranges, BOOT_RANGES);
	assert_true(range_is(4, 4 * MIB, 4 * MIB + MIB / 2, true));
	assert_true(range_is(5, 5 * MIB, 5 * MIB + 4096, true));
	assert_true(range_is(6, 6 * MIB, 6 * MIB, true));
	assert_true(range_is(7, 7 * MIB, 7 * MIB, true)); /* what is behind the cut is lost too */
	assert_true(range_is(8, 8 * MIB, 8 * MIB + MIB / 2, true));
	assert_non_null(strstr(last_line, "map entries"));
}

/* The table is full, and a reserved range found no place in it: usable memory that comes later and grows on must not cover it. */
static void test_full_table_grows_no_usable_memory(void **state)
{
	static u64 map[BOOT_RANGES + 2][3];
	const u64 last = (BOOT_RANGES - 1) * MIB;

	(void)state;
	for (unsigned i = 0; i < BOOT_RANGES; i++)
		memcpy(map[i], (u64[]){ i * MIB, MIB / 2, 1 }, 24);
	memcpy(map[BOOT_RANGES], (u64[]){ last + 3 * MIB / 4, 4096, 2 }, 24);
	memcpy(map[BOOT_RANGES + 1], (u64[]){ last + MIB / 2, MIB / 2, 1 }, 24);
	begin_block();
	put_map_tag(map, BOOT_RANGES + 2, 24);
	end_block();
	assert_int_equal(parse_at(0xA000), 0);
	assert_true(range_is(BOOT_RANGES - 1, last, last + MIB / 2, true));
}

/* A block that is nonsense throughout gets eight lines and a ninth. */
static void test_flood(void **state)
{
	(void)state;
	begin_block();
	put_map_tag(small_map, ARRAY_SIZE(small_map), 24);
	for (unsigned i = 0; i < 500; i++)
		put_tag(3, "", 0);
	end_block();
	assert_int_equal(parse_at(0xA000), 0);
	assert_int_equal(bi.oddities, 500);
	assert_int_equal(lines, 9);
	assert_string_equal(last_line, "boot: what else is odd there is not told\n");
}

/* What is drawn on a screen in the middle of memory would be drawn over somebody's data; memory that is reserved may be a screen.
 */
static void test_framebuffer_in_memory(void **state)
{
	static const u64 around[][3] = { { 1 * MIB, 127 * MIB, 1 }, { 64 * MIB, 4 * MIB, 2 } };
	static const struct {
		u64 addr;
		bool good;
	} fb[] = { { 8 * MIB, false }, { 128 * MIB - 4096, false }, { 128 * MIB, true }, { 64 * MIB, true }, { 67 * MIB, false } };

	(void)state;
	for (unsigned i = 0; i < ARRAY_SIZE(fb); i++) {
		begin_block();
		put_fb_tag(fb[i].addr, 3200, 800, 600, 32, 1); /* 1.83 MiB */
		put_map_tag(around, ARRAY_SIZE(around), 24);
		end_block();
		assert_int_equal(parse_at(0xA000), 0);
		assert_int_equal(bi.fb.type != FB_NONE, fb[i].good);
		assert_int_equal(strstr(last_line, "where the memory map has memory") == NULL, fb[i].good);
	}
}

/* Where results lie in memory: what ends before it begins is nowhere. */
static void test_results_module(void **state)
{
	static const u32 bounds[][2] = { { 0x2000000, 0x2100000 }, { 0x2100000, 0x2000000 }, { 0, 0 } };
	u8 payload[8 + sizeof(RESULTS_MODULE)];

	(void)state;
	for (unsigned i = 0; i < ARRAY_SIZE(bounds); i++) {
		memcpy(payload, bounds[i], 8);
		memcpy(payload + 8, RESULTS_MODULE, sizeof(RESULTS_MODULE));
		begin_block();
		put_map_tag(small_map, ARRAY_SIZE(small_map), 24);
		put_tag(3, payload, sizeof(payload));
		end_block();
		assert_int_equal(parse_at(0xA000), 0);
		assert_int_equal(bi.results.start, bounds[i][0]);
		assert_int_equal(bi.results.end, i ? bounds[i][0] : 0x2100000);
		assert_int_equal(bi.nr_modules, 0);
	}
}

static void test_unknown_magic_and_unreadable_block(void **state)
{
	(void)state;
	begin_block();
	put_bios_tags();
	end_block();
	place(0xA000, block, used);
	assert_int_equal(bootinfo_parse(0x2BADB002, 0xA000, &bi), -E_INVAL);
	assert_int_equal(bootinfo_parse(BOOT_MAGIC_MULTIBOOT2, 0xB0000000, &bi), -E_INVAL);
	assert_int_equal(bootinfo_parse(BOOT_MAGIC_PVH, 0xA000, &bi), -E_INVAL);
	unmap_all();
}

static void test_absurd_total_size(void **state)
{
	static const u32 sizes[] = { 0, 7, 0x80000000, 0xFFFFFFFF };

	(void)state;
	for (unsigned i = 0; i < ARRAY_SIZE(sizes); i++) {
		begin_block();
		put_bios_tags();
		end_block();
		memcpy(block, &sizes[i], 4);
		assert_int_equal(parse_at(0xA000), -E_INVAL);
		assert_non_null(strstr(last_line, "makes no sense"));
	}
}

/* What came before the damage counts. */
static void test_damaged_tag_sizes(void **state)
{
	static const u32 sizes[] = { 0, 7, 0x1000, 0xFFFFFFF9, 0xFFFFFFFF };

	(void)state;
	for (unsigned i = 0; i < ARRAY_SIZE(sizes); i++) {
		begin_block();
		put_map_tag(small_map, ARRAY_SIZE(small_map), 24);
		put32(1);
		put32(sizes[i]);
		put("is lost", 8);
		end_block();
		assert_int_equal(parse_at(0xA000), 0);
		assert_string_equal(bi.cmdline, "");
		assert_int_equal(bi.nr_ranges, 3);
		assert_non_null(strstr(last_line, "breaks the multiboot2 block"));
	}
}

static void test_bad_map_entry_size(void **state)
{
	static const u32 sizes[] = { 0, 1, 19, 0xFFFFFFFF };

	(void)state;
	for (unsigned i = 0; i < ARRAY_SIZE(sizes); i++) {
		begin_block();
		put_map_tag(small_map, ARRAY_SIZE(small_map), 24);
		end_block();
		memcpy(block + 16, &sizes[i], 4);
		assert_int_equal(parse_at(0xA000), -E_NOENT);
	}
}

/* Cut at every length, twice: memory that ends there, and a block that says it ends there. */
static void test_truncated_everywhere(void **state)
{
	u32 full;

	(void)state;
	begin_block();
	put_bios_tags();
	put_rsdp_tag(15, 1);
	end_block();
	full = used;
	for (u32 n = full; n-- > 0;) {
		clear_memory();
		memcpy(block, &full, 4);
		used = n;
		assert_int_equal(parse_at(0xA000), -E_INVAL);
		clear_memory();
		memcpy(block, &n, 4);
		used = n < 8 ? 8 : n;
		assert_int_equal(parse_at(0xA000) == -E_INVAL, n < 8);
		assert_true(last_line[0]);
	}
}
/* --- damage at random --- */

/* The result must be within bounds whatever the input; the seed is fixed. */
static void test_flipped_bytes(void **state)
{
	static u8 original[sizeof(block)];
	u32 full;

	(void)state;
	srand(2);
	begin_block();
	put_bios_tags();
	put_rsdp_tag(15, 1);
	end_block();
	full = used;
	memcpy(original, block, full);
	for (unsigned round = 0; round < 4000; round++) {
		clear_memory();
		memcpy(block, original, full);
		for (int flips = 1 + rand() % 8; flips > 0; flips--)
			block[(u32)rand() % full] = (u8)rand();
		used = full;
		parse_at(0xA000);
		assert_true(bi.nr_ranges <= BOOT_RANGES && bi.nr_modules <= BOOT_MODULES && strlen(bi.cmdline) <= BOOT_CMDLINE_MAX);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_bios),
		cmocka_unit_test(test_block_may_go),
		cmocka_unit_test(test_uefi_by_any_of_its_tags),
		cmocka_unit_test(test_new_rsdp_wins),
		cmocka_unit_test(test_only_type_1_is_usable),
		cmocka_unit_test(test_no_usable_memory),
		cmocka_unit_test(test_framebuffers),
		cmocka_unit_test(test_command_line_lengths),
		cmocka_unit_test(test_unterminated_string),
		cmocka_unit_test(test_many_modules),
		cmocka_unit_test(test_too_many_ranges),
		cmocka_unit_test(test_full_table_grows_no_usable_memory),
		cmocka_unit_test(test_flood),
		cmocka_unit_test(test_framebuffer_in_memory),
		cmocka_unit_test(test_results_module),
		cmocka_unit_test(test_unknown_magic_and_unreadable_block),
		cmocka_unit_test(test_absurd_total_size),
		cmocka_unit_test(test_damaged_tag_sizes),
		cmocka_unit_test(test_bad_map_entry_size),
		cmocka_unit_test(test_truncated_everywhere),
		cmocka_unit_test(test_flipped_bytes),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
