/* SPDX-License-Identifier: GPL-2.0-or-later
 * Makes what the fuzz target boot begins with: what GRUB hands over on BIOS and UEFI, what QEMU does, and a BIOS with an RSDP.
 * Usage: seed-boot FOLDER */
#include "tests/fuzz/seed.h"
#include "tests/unit/handover.h"

static const char *folder;

static void write_block(const char *name)
{
	FILE *file = seed_begin(folder, name);

	end_block();
	seed_piece(file, 0x100858, block, (u16)used);
	fclose(file);
}

static void write_multiboot2(void)
{
	static const u64 uefi[][3] = { { 0, 0x9F000, 1 }, { 0x9F000, 0x1000, 5 }, { MIB, 62 * MIB, 1 }, { 0x7000000, MIB, 20 },
		{ 4 * GIB, GIB, 1 }, { 0xFD00000000, 0x300000000, 2 }, { 0x40000, 0x50000, 2 }, { 0, 0, 0 } };
	static const u64 nothing[8];

	begin_block();
	put_bios_tags();
	write_block("bios");
	begin_block();
	put_string_tag(1, "run=list");
	put_map_tag(uefi, ARRAY_SIZE(uefi), 24);
	put_fb_tag(0x80000000, 3200, 800, 600, 32, 1);
	put_tag(12, nothing, 8);
	put_rsdp_tag(15, 0);
	put_tag(17, nothing, 64);
	put_tag(3, "\0\0\0\2\0\0\20\2fairmetal-results", 26);
	write_block("uefi");
}

/* A map that fills the table, and then goes on with memory that grows over what is reserved. */
static void write_full_map(void)
{
	static u64 map[BOOT_RANGES + 3][3];

	for (unsigned i = 0; i < BOOT_RANGES; i++)
		memcpy(map[i], (u64[]){ i * MIB, MIB / 2, 1 }, 24);
	memcpy(map[BOOT_RANGES], (u64[]){ BOOT_RANGES * MIB - MIB / 4, MIB / 8, 2 }, 24);
	memcpy(map[BOOT_RANGES + 1], (u64[]){ BOOT_RANGES * MIB - MIB / 2, MIB / 2, 1 }, 24);
	memcpy(map[BOOT_RANGES + 2], (u64[]){ BOOT_RANGES * MIB, MIB, 1 }, 24);
	begin_block();
	put_map_tag((const u64(*)[3])map, ARRAY_SIZE(map), 24);
	write_block("full-map");
}

static void write_pvh(void)
{
	FILE *file = seed_begin(folder, "pvh");
	const u32 start = PVH_START - PVH_BASE;

	build_pvh("run=hackbench");
	seed_piece(file, PVH_START, pvh_memory + start, (u16)(sizeof(pvh_memory) - start));
	seed_piece(file, PVH_MODULES, pvh_memory + (PVH_MODULES - PVH_BASE), 32);
	seed_piece(file, PVH_CMDLINE, pvh_memory + (PVH_CMDLINE - PVH_BASE), 0x2000 - PVH_CMDLINE);
	fclose(file);
}

/* The RSDP is in the EBDA; a piece that no loader's block is at comes first. */
static void write_bios_area(void)
{
	FILE *file = seed_begin(folder, "ebda");
	u8 ebda[1024] = "RSD PTR \0FMTEST";

	ebda[8] = (u8)-byte_sum(ebda, 20);
	seed_piece(file, 0x5000, "", 0);
	seed_piece(file, 0x40E, "\xC0\x9F", 2);
	seed_piece(file, 0x9FC00, ebda, sizeof(ebda));
	fclose(file);
}

int main(int argc, char **argv)
{
	if (argc != 2)
		return 2;
	folder = argv[1];
	write_multiboot2();
	write_full_map();
	write_pvh();
	write_bios_area();
	return 0;
}
