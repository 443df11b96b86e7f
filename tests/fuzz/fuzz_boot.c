/* SPDX-License-Identifier: GPL-2.0-or-later
 * Any memory may be what a loader hands over: a multiboot2 block, or a PVH start info if it begins like one, at the first piece
 * (image.h). The memory map made of it has only memory that the loader called usable in one place and reserved in none. */
#include <stdlib.h>

#include "tests/fuzz/image.h"

#include "arch/x86/bootinfo.h"
#include "arch/x86/memmap.h"
#include "arch/x86/oddity.h"
#include "arch/x86/phys.h"
#include "base/string.h"

int LLVMFuzzerTestOneInput(const u8 *bytes, size_t count);

enum { LINES_MOST = ODDITIES_TOLD + 1 + 6 }; /* the command line, PVH's arrays and version, the memory map's pieces */

/* ---- what the loader said, read once more and more slowly ---- */

enum { MOST_WORDS = 8192 };

static struct {
	unsigned nr;
	struct raw_range range[MOST_WORDS];
} words;

/* An empty range says nothing. */
static void add_word(u64 start, u64 end, bool usable)
{
	if (start < end && words.nr < MOST_WORDS)
		words.range[words.nr++] = (struct raw_range){ start, end, usable };
}

static void add_words(const u8 *map, const u8 *end, u32 entry_bytes)
{
	for (; entry_bytes >= 20 && (size_t)(end - map) >= entry_bytes; map += entry_bytes)
		add_word(read_u64(map), mem_end(read_u64(map), read_u64(map + 8)), read_u32(map + 16) == 1);
}

static void read_multiboot2(const u8 *block, u32 bytes)
{
	for (u32 at = 8; at < bytes && bytes - at >= 8 && read_u32(block + at);) {
		u32 type = read_u32(block + at), size = read_u32(block + at + 4);

		if (size < 8 || size > bytes - at)
			return;
		if (type == 6 && size >= 16)
			add_words(block + at + 16, block + at + size, read_u32(block + at + 8));
		if (type == 3 && size >= 16)
			add_word(read_u32(block + at + 8), read_u32(block + at + 12), false);
		at += (size + 7) & ~7u;
	}
}

static void read_pvh(const u8 *start)
{
	u32 entries = read_u32(start + 4) ? read_u32(start + 48) : 0; /* version 0 ends before it */
	const u8 *map = entries && entries <= 4096 ? phys_map(read_u64(start + 40), entries * 24ull) : NULL;

	if (map)
		add_words(map, map + entries * 24, 24);
}

static bool read_words(u32 magic, const struct bootinfo *bi)
{
	const u8 *block = phys_map(bi->block.start, bi->block.end - bi->block.start);

	words.nr = 0;
	expect(block);
	if (magic == BOOT_MAGIC_PVH)
		read_pvh(block);
	else
		read_multiboot2(block, (u32)(bi->block.end - bi->block.start));
	return words.nr < MOST_WORDS;
}

/* ---- what was made of it ---- */

static bool is_called_usable(u64 start, u64 end)
{
	u64 known = start;

	for (bool moved = true; moved && known < end;) {
		moved = false;
		for (unsigned i = 0; i < words.nr; i++)
			if (words.range[i].usable && words.range[i].start <= known && words.range[i].end > known) {
				known = words.range[i].end;
				moved = true;
			}
	}
	return known >= end;
}

static bool is_called_reserved(u64 start, u64 end)
{
	for (unsigned i = 0; i < words.nr; i++)
		if (!words.range[i].usable && words.range[i].start < end && start < words.range[i].end)
			return true;
	return false;
}

static void check_map(const struct memmap *map)
{
	for (unsigned i = 0; i < map->nr; i++) {
		const struct mem_range *r = &map->range[i];

		expect(r->start < r->end && r->start % MEM_PAGE == 0 && r->end % MEM_PAGE == 0 && r->end <= MEM_LIMIT);
		expect(!i || r[-1].end < r->start);
	}
	expect(memmap_total(map) <= memmap_top(map));
}

static void check_against_words(const struct memmap *map)
{
	for (unsigned i = 0; i < map->nr; i++) {
		expect(is_called_usable(map->range[i].start, map->range[i].end));
		expect(!is_called_reserved(map->range[i].start, map->range[i].end));
	}
}

static void check_taking(struct memmap *map)
{
	u64 before = memmap_total(map), page = memmap_find_low(map, MEM_PAGE, MEM_PAGE, 0xA0000);

	if (!page)
		return;
	expect(page % MEM_PAGE == 0 && page + MEM_PAGE <= 0xA0000 && memmap_holds(map, page, MEM_PAGE));
	memmap_reserve(map, page, page + 1);
	expect(!memmap_holds(map, page, MEM_PAGE) && memmap_total(map) <= before - MEM_PAGE);
	check_map(map);
}

static void check_framebuffer(const struct boot_fb *fb, const struct memmap *map)
{
	if (fb->type == FB_NONE)
		return;
	expect(fb->addr && fb->width && fb->height && (fb->type == FB_TEXT || fb->bpp == 24 || fb->bpp == 32));
	expect(fb->pitch >= (u64)fb->width * (fb->type == FB_TEXT ? 2 : fb->bpp / 8));
	expect(!memmap_holds(map, fb->addr, (u64)fb->pitch * fb->height));
}

static void check_lists(const struct bootinfo *bi)
{
	expect(memchr(bi->cmdline, '\0', sizeof(bi->cmdline)) && memchr(bi->loader, '\0', sizeof(bi->loader)));
	expect(bi->rsdp_bytes == 0 || bi->rsdp_bytes == RSDP_BYTES_V1 || bi->rsdp_bytes == RSDP_BYTES_V2);
	expect(bi->nr_ranges <= BOOT_RANGES && bi->nr_modules <= BOOT_MODULES);
	for (unsigned i = 0; i < bi->nr_ranges; i++)
		expect(bi->range[i].start <= bi->range[i].end);
	for (unsigned i = 0; i < bi->nr_modules; i++)
		expect(bi->module[i].start < bi->module[i].end);
	expect(bi->results.start <= bi->results.end);
}

static void check_scan(void)
{
	u64 rsdp = rsdp_scan();
	const u8 *at = rsdp ? phys_map(rsdp, RSDP_BYTES_V1) : NULL;

	expect(!rsdp || (rsdp % 16 == 0 && rsdp >= 0x500 && rsdp < 0x100000));
	expect(!rsdp || (at && !memcmp(at, "RSD PTR ", 8) && !byte_sum(at, RSDP_BYTES_V1)));
}

int LLVMFuzzerTestOneInput(const u8 *bytes, size_t count)
{
	static struct bootinfo bi;
	static struct memmap map;
	const struct piece *first;
	u32 magic = BOOT_MAGIC_MULTIBOOT2;
	int err;

	if (!image_open(bytes, count))
		return 0;
	first = image_piece(0);
	if (first->bytes >= 4 && read_u32(first->at) == BOOT_MAGIC_PVH)
		magic = BOOT_MAGIC_PVH;
	memset(&bi, 0xff, sizeof(bi));
	err = bootinfo_parse(magic, first->phys, &bi);
	expect(err == 0 || err == -E_INVAL || err == -E_NOENT);
	check_lists(&bi);
	if (err != -E_INVAL) {
		err = memmap_build(&map, bi.range, bi.nr_ranges);
		expect((err == 0) == (map.nr > 0));
		check_map(&map);
		check_framebuffer(&bi.fb, &map);
		if (read_words(magic, &bi))
			check_against_words(&map);
		check_taking(&map);
	}
	check_scan();
	expect(image_lines() <= LINES_MOST);
	image_close();
	return 0;
}
