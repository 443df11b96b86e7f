/* SPDX-License-Identifier: GPL-2.0-or-later
 * What the boot loader handed over, copied out of its memory so that this memory can be used again. */
#ifndef ARCH_X86_BOOTINFO_H
#define ARCH_X86_BOOTINFO_H

#include "arch/x86/memmap.h"
#include "base/types.h"

enum {
	BOOT_MAGIC_MULTIBOOT2 = 0x36D76289, /* EAX as a multiboot2 loader leaves it; EBX is the information block */
	BOOT_MAGIC_PVH = 0x336EC578,	    /* first word of hvm_start_info, to which EBX points */
	BOOT_CMDLINE_MAX = 4095,	    /* bytes, without the final NUL */
	BOOT_LOADER_MAX = 63,		    /* likewise */
	BOOT_RANGES = 512,		    /* memory map entries kept */
	BOOT_MODULES = 16,		    /* modules listed */
	RSDP_BYTES_V1 = 20,
	RSDP_BYTES_V2 = 36,
};

enum boot_firmware {
	FIRMWARE_NONE, /* PVH */
	FIRMWARE_BIOS,
	FIRMWARE_UEFI,
};

/* Values of multiboot2's framebuffer types, but for FB_NONE, which takes the place of the palette type never accepted. */
enum boot_fb_type {
	FB_NONE = 0,
	FB_RGB = 1,  /* 24 or 32 bits a pixel */
	FB_TEXT = 2, /* EGA text: width and height in characters */
};

struct boot_fb {
	enum boot_fb_type type;
	u64 addr;  /* physical; may be above 4 GiB */
	u32 pitch; /* bytes from one line to the next, not always width * bpp / 8 */
	u32 width;
	u32 height;
	u8 bpp; /* bits */
};

struct bootinfo {
	char cmdline[BOOT_CMDLINE_MAX + 1];
	bool cmdline_cut;		  /* it was longer: its last word may be half a word */
	char loader[BOOT_LOADER_MAX + 1]; /* "" when the loader did not say */
	enum boot_firmware firmware;

	unsigned nr_ranges;
	struct raw_range range[BOOT_RANGES]; /* the memory map, and every module as a reserved range */

	u8 rsdp[RSDP_BYTES_V2];
	unsigned rsdp_bytes; /* 0: no copy of it; RSDP_BYTES_V1 or _V2 */
	u64 rsdp_phys;	     /* 0: not known; only PVH gives an address */

	struct boot_fb fb;

	unsigned nr_modules;
	struct mem_range module[BOOT_MODULES];

	struct mem_range results; /* where results survive a reset, boot/results.h, reserved; empty: nowhere */

	unsigned oddities; /* found in the block, of which the first few were told */

	struct mem_range block; /* the information block itself, as long as somebody reads it */
};

/* Decodes the block at physical address `info`, of the kind that `magic` (BOOT_MAGIC_*) names, into *out, all of it set.
 * A damaged block is read as far as it makes sense, with a message.
 * Returns 0; -E_INVAL for an unknown magic or an unreadable block, -E_NOENT when it holds no usable memory. */
int bootinfo_parse(u32 magic, u64 info, struct bootinfo *out);

/* Looks for the RSDP where a PC BIOS puts it: the first KiB of the EBDA, then 0xE0000 to 0xFFFFF.
 * Not for UEFI machines, whose low memory may hold a stale one. Returns its physical address, or 0. */
u64 rsdp_scan(void);

#endif
