/* SPDX-License-Identifier: GPL-2.0-or-later
 * What loaders hand over, built by the specifications: multiboot2 blocks and PVH start infos, for tests and for the fuzzers' seeds.
 * The tag sets are those GRUB 2.06 was seen to pass on BIOS and UEFI. phys_map hands out copies of exactly the bytes asked for, so
 * that AddressSanitizer sees every byte read beyond them; a miss there is a read of memory the kernel has not mapped. */
#ifndef TESTS_UNIT_HANDOVER_H
#define TESTS_UNIT_HANDOVER_H

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
static unsigned lines; /* said since clear_memory() */

void say(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vsnprintf(last_line, sizeof(last_line), fmt, args);
	va_end(args);
	lines++;
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

static inline void place(u64 phys, const u8 *bytes, u64 size)
{
	assert_true(nr_regions < MOST_REGIONS);
	region[nr_regions].phys = phys;
	region[nr_regions].bytes = bytes;
	region[nr_regions++].size = size;
}

static inline void unmap_all(void)
{
	while (nr_mappings)
		free(mapping[--nr_mappings]);
}

static inline void clear_memory(void)
{
	unmap_all();
	nr_regions = 0;
	last_line[0] = '\0';
	lines = 0;
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

static inline void put(const void *bytes, u32 n)
{
	assert_true(used + n <= sizeof(block));
	memcpy(block + used, bytes, n);
	used += n;
}

static inline void put32(u32 v)
{
	put(&v, 4);
}

static inline void put64(u64 v)
{
	put(&v, 8);
}

static inline void begin_block(void)
{
	clear_memory();
	memset(block, 0, sizeof(block));
	used = 8;
}

static inline void put_tag(u32 type, const void *payload, u32 n)
{
	put32(type);
	put32(8 + n);
	put(payload, n);
	used = (used + 7) & ~7u;
}

static inline void put_string_tag(u32 type, const char *text)
{
	put_tag(type, text, (u32)strlen(text) + 1);
}

static inline void put_map_tag(const u64 (*entry)[3], u32 n, u32 entry_bytes)
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

static inline void put_fb_tag(u64 addr, u32 pitch, u32 width, u32 height, u8 bpp, u8 type)
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

static inline void put_module_tag(u32 start, u32 end)
{
	u32 payload[3] = { start, end, 0 };

	put_tag(3, payload, sizeof(payload));
}

static inline void put_rsdp_tag(u32 type, u8 fill)
{
	u8 payload[RSDP_BYTES_V2];

	memset(payload, fill, sizeof(payload));
	put_tag(type, payload, type == 15 ? RSDP_BYTES_V2 : RSDP_BYTES_V1);
}

static inline void end_block(void)
{
	put32(0);
	put32(8);
	memcpy(block, &used, 4);
}

static inline int parse_at(u64 phys)
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

static inline void put_bios_tags(void)
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

static inline bool range_is(unsigned i, u64 start, u64 end, bool usable)
{
	return i < bi.nr_ranges && bi.range[i].start == start && bi.range[i].end == end && bi.range[i].usable == usable;
}

/* --- PVH --- */

static u8 pvh_memory[0x3000];

enum { PVH_BASE = 0x1000, PVH_START = 0x21E0, PVH_CMDLINE = 0x11C0, PVH_MODULES = 0x21C0, PVH_MAP = 0x2300 };

static inline void poke(u64 phys, const void *bytes, size_t n)
{
	memcpy(pvh_memory + phys - PVH_BASE, bytes, n);
}

static inline void poke32(u64 phys, u32 v)
{
	poke(phys, &v, 4);
}

static inline void poke64(u64 phys, u64 v)
{
	poke(phys, &v, 8);
}

/* Where QEMU's -kernel puts things for pc and q35. */
static inline void build_pvh(const char *cmdline)
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

static inline int parse_pvh(void)
{
	int err = bootinfo_parse(BOOT_MAGIC_PVH, PVH_START, &bi);

	unmap_all();
	return err;
}

#endif
