/* SPDX-License-Identifier: GPL-2.0-or-later
 * Writing a multiboot2 information block, the same that GRUB would hand over. */
#ifndef BOOT_EFI_MULTIBOOT2_H
#define BOOT_EFI_MULTIBOOT2_H

#include "base/types.h"
#include "boot/efi/memory_map.h"

struct mb2 {
	u8 *block;
	u32 used;
	u32 size;
};

/* One colour of a pixel: its lowest bit and their number. */
struct mb2_colour {
	u8 position;
	u8 bits;
};

struct mb2_screen {
	u64 addr;
	u32 pitch; /* bytes */
	u32 width;
	u32 height;
	struct mb2_colour colour[3]; /* red, green, blue; pixels have 32 bits */
};

/* Bytes that a block needs whose texts have so many bytes in all and whose map so many entries. */
u32 mb2_size(u64 text_bytes, u64 map_entries);

/* Begins a block in size bytes of memory, aligned to 8 and large enough for what follows: mb2_size(). */
void mb2_begin(struct mb2 *mb2, void *memory, u32 size);
void mb2_cmdline(struct mb2 *mb2, const char *text);
void mb2_loader(struct mb2 *mb2, const char *text);
void mb2_module(struct mb2 *mb2, u32 start, u32 end, const char *name);
void mb2_screen(struct mb2 *mb2, const struct mb2_screen *screen);
/* A copy of the RSDP: of 20 bytes as ACPI 1.0 has it, or of 36. */
void mb2_rsdp(struct mb2 *mb2, const void *rsdp, bool acpi2);
void mb2_efi_table(struct mb2 *mb2, u64 system_table);
/* The memory map and the end. Returns false if the map has more entries than there is room for. What comes last may be written
 * again. */
bool mb2_finish(struct mb2 *mb2, const struct memory_map *map);

#endif
