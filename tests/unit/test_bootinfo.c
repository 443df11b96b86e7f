/* SPDX-License-Identifier: GPL-2.0-or-later
 * Boot hand-over: multiboot2 blocks and PVH start infos, built here by the specifications, whole and damaged. The tag sets are
 * those GRUB 2.06 was seen to pass on BIOS and UEFI. phys_map hands out copies of exactly the bytes asked for, so that
 * AddressSanitizer sees every byte read beyond them; a miss there is a read of memory the kernel has not mapped. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "arch/x86/bootinfo.h"
#include "arch/x86/phys.h"
#include "base/string.h"
#include "base/text.h"

#define MIB (1024 * 1024ull)
#define GIB (1024 * MIB)

static char last_line[256];

void say(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vsnprintf(last_line, sizeof(last_line), fmt, args);
	va_end(args);
}

/* --- physical memory: a few regions, the rest does not exist --- */

enum { MOST_REGIONS = 8, MOST_MAPPINGS = 8192 };

static struct {
	u64 phys;
	const u8 *bytes;
	u64 size;
} region[MOST_REGIONS];
static unsigned nr_regions;
static void *mapping[MOST_MAPPINGS];
static unsigned nr_mappings;

static void place(u64 phys, const u8 *bytes, u64 size)
{
	assert_true(nr_regions < MOST_REGIONS);
	region[nr_regions].phys = phys;
	region[nr_regions].bytes = bytes;
	region[nr_regions++].size = size;
}

static void unmap_all(void)
{
	while (nr_mappings)
		free(mapping[--nr_mappings]);
}

static void clear_memory(void)
{
	unmap_all();
	nr_regions = 0;
	last_line[0] = '\0';
}

const void *phys_map(u64 phys, u64 bytes)
{
	for (unsigned i = 0; i < nr_regions; i++) {
		u64 offset = phys - region[i].phys;

		if (phys < region[i].phys || offset > region[i].size || bytes > region[i].size - offset)
			continue;
		assert_true(nr_mappings < MOST_MAPPINGS);
		mapping[nr_mappings] = malloc(bytes);
		memcpy(mapping[nr_mappings], region[i].bytes + offset, bytes);
		return mapping[nr_mappings++];
	}
	return NULL;
}

/* --- building blocks --- */

static u8 block[65536];
static u32 used;
static struct bootinfo bi;

static void put(const void *bytes, u32 n)
{
	assert_true(used + n <= sizeof(block));
	memcpy(block + used, bytes, n);
	used += n;
}

static void put32(u32 v)
{
	put(&v, 4);
}

static void put64(u64 v)
{
	put(&v, 8);
}

static void begin_block(void)
{
	clear_memory();
	memset(block, 0, sizeof(block));
	used = 8;
}

static void put_tag(u32 type, const void *payload, u32 n)
{
	put32(type);
	put32(8 + n);
	put(payload, n);
	used = (used + 7) & ~7u;
}

static void put_string_tag(u32 type, const char *text)
{
	put_tag(type, text, (u32)strlen(text) + 1);
}

static void put_map_tag(const u64 (*entry)[3], u32 n, u32 entry_bytes)
{
	put32(6);
	put32(16 + n * entry_bytes);
	put32(entry_bytes);
	put32(0);
	for (u32 i = 0; i < n; i++) {
		put64(entry[i][0]);
		put64(entry[i][1]);
		put64(entry[i][2]);
		used += entry_bytes - 24;
	}
	used = (used + 7) & ~7u;
}

static void put_fb_tag(u64 addr, u32 pitch, u32 width, u32 height, u8 bpp, u8 type)
{
	u8 payload[30] = { 0 };

	memcpy(payload, &addr, 8);
	memcpy(payload + 8, &pitch, 4);
	memcpy(payload + 12, &width, 4);
	memcpy(payload + 16, &height, 4);
	payload[20] = bpp;
	payload[21] = type;
	put_tag(8, payload, sizeof(payload));
}

static void put_module_tag(u32 start, u32 end)
{
	u32 payload[3] = { start, end, 0 };

	put_tag(3, payload, sizeof(payload));
}

static void put_rsdp_tag(u32 type, u8 fill)
{
	u8 payload[RSDP_BYTES_V2];

	memset(payload, fill, sizeof(payload));
	put_tag(type, payload, type == 15 ? RSDP_BYTES_V2 : RSDP_BYTES_V1);
}

static void end_block(void)
{
	put32(0);
	put32(8);
	memcpy(block, &used, 4);
}

static int parse_at(u64 phys)
{
	int err;

	place(phys, block, used);
	err = bootinfo_parse(BOOT_MAGIC_MULTIBOOT2, phys, &bi);
	unmap_all();
	return err;
}

static const u64 small_map[][3] = {
	{ 0, 0x9FC00, 1 },
	{ 0x9FC00, 0x400, 2 },
	{ 1 * MIB, 127 * MIB, 1 },
};

static void put_bios_tags(void)
{
	static const u32 payload[4];

	put_string_tag(1, "run=hackbench \"two words\"");
	put_string_tag(2, "GRUB 2.06-13+deb12u2");
	put_tag(21, payload, 4);
	put_module_tag(0x4000, 0x9640);
	put_tag(4, payload, 8);
	put_tag(5, payload, 12);
	put_map_tag(small_map, ARRAY_SIZE(small_map), 24);
	put_fb_tag(0xB8000, 160, 80, 25, 16, 2);
	put_rsdp_tag(14, 0x14);
}

static bool range_is(unsigned i, u64 start, u64 end, bool usable)
{
	return i < bi.nr_ranges && bi.range[i].start == start && bi.range[i].end == end && bi.range[i].usable == usable;
}

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

/* --- PVH --- */

static u8 pvh_memory[0x3000];

enum { PVH_BASE = 0x1000, PVH_START = 0x21E0, PVH_CMDLINE = 0x11C0, PVH_MODULES = 0x21C0, PVH_MAP = 0x2300 };

static void poke(u64 phys, const void *bytes, size_t n)
{
	memcpy(pvh_memory + phys - PVH_BASE, bytes, n);
}

static void poke32(u64 phys, u32 v)
{
	poke(phys, &v, 4);
}

static void poke64(u64 phys, u64 v)
{
	poke(phys, &v, 8);
}

/* Where QEMU's -kernel puts things for pc and q35. */
static void build_pvh(const char *cmdline)
{
	clear_memory();
	memset(pvh_memory, 0, sizeof(pvh_memory));
	poke32(PVH_START, BOOT_MAGIC_PVH);
	poke32(PVH_START + 4, 1);
	poke32(PVH_START + 12, 1);
	poke64(PVH_START + 16, PVH_MODULES);
	poke64(PVH_START + 24, PVH_CMDLINE);
	poke64(PVH_START + 32, 0x1F5A20000);
	poke64(PVH_START + 40, PVH_MAP);
	poke32(PVH_START + 48, 3);
	poke(PVH_CMDLINE, cmdline, strlen(cmdline) + 1);
	poke64(PVH_MODULES, 0x7000000);
	poke64(PVH_MODULES + 8, 0x1234);
	for (unsigned i = 0; i < 3; i++)
		poke(PVH_MAP + i * 24, small_map[i], 24);
	place(PVH_BASE, pvh_memory, sizeof(pvh_memory));
}

static int parse_pvh(void)
{
	int err = bootinfo_parse(BOOT_MAGIC_PVH, PVH_START, &bi);

	unmap_all();
	return err;
}

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
		cmocka_unit_test(test_unknown_magic_and_unreadable_block),
		cmocka_unit_test(test_absurd_total_size),
		cmocka_unit_test(test_damaged_tag_sizes),
		cmocka_unit_test(test_bad_map_entry_size),
		cmocka_unit_test(test_truncated_everywhere),
		cmocka_unit_test(test_pvh),
		cmocka_unit_test(test_pvh_command_line_lengths),
		cmocka_unit_test(test_pvh_oddities),
		cmocka_unit_test(test_pvh_truncated),
		cmocka_unit_test(test_flipped_bytes),
		cmocka_unit_test(test_rsdp_scan),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
