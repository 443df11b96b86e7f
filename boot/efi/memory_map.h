/* SPDX-License-Identifier: GPL-2.0-or-later
 * Questions to UEFI's memory map. */
#ifndef BOOT_EFI_MEMORY_MAP_H
#define BOOT_EFI_MEMORY_MAP_H

#include "base/types.h"

/* UEFI's types, as far as they are told apart here. */
enum {
	UEFI_LOADER_CODE = 1,
	UEFI_LOADER_DATA = 2,
	UEFI_BOOT_CODE = 3,
	UEFI_BOOT_DATA = 4,
	UEFI_FREE = 7,
	UEFI_BROKEN = 8,
	UEFI_ACPI_TABLES = 9,
	UEFI_ACPI_NVS = 10,
	UEFI_NO_ENTRY = 99,
};

enum { UEFI_PAGE = 4096 };

struct memory_map {
	const u8 *entries;
	u64 bytes;
	u64 stride; /* from one entry to the next, never sizeof anything */
};

struct memory_entry {
	u64 start;
	u64 bytes;
	u32 type;
};

struct memory_entry memory_entry_at(const struct memory_map *map, u64 offset);

/* What may hold a program once the firmware is gone: nobody has it, or nobody will have had it. */
bool memory_is_ours_later(u32 type);

/* Whether one of the types for which allowed() holds covers each byte of [start, end); if not, *blocker is where the first other
 * begins and its type, UEFI_NO_ENTRY where the map has none. */
bool memory_range_is(const struct memory_map *map, u64 start, u64 end, bool (*allowed)(u32 type), struct memory_entry *blocker);

bool memory_is_free(u32 type);

/* For a message. */
const char *memory_type_name(u32 type);

#endif
