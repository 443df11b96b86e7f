/* SPDX-License-Identifier: GPL-2.0-or-later
 * UEFI's memory map is an unsorted list whose entries may grow in later versions. */
#include "boot/efi/memory_map.h"

#include "base/string.h"

/* An entry as of version 1; whatever follows is unknown. */
struct raw_entry {
	u32 type, pad;
	u64 start, virt, pages, attributes;
};

struct memory_entry memory_entry_at(const struct memory_map *map, u64 offset)
{
	struct raw_entry raw;

	memcpy(&raw, map->entries + offset, sizeof(raw));
	return (struct memory_entry){ raw.start, raw.pages * UEFI_PAGE, raw.type };
}

bool memory_is_free(u32 type)
{
	return type == UEFI_FREE;
}

bool memory_is_ours_later(u32 type)
{
	return type == UEFI_FREE || type == UEFI_BOOT_CODE || type == UEFI_BOOT_DATA;
}

static struct memory_entry entry_with(const struct memory_map *map, u64 address)
{
	for (u64 at = 0; at + map->stride <= map->bytes; at += map->stride) {
		struct memory_entry entry = memory_entry_at(map, at);

		if (address >= entry.start && address - entry.start < entry.bytes)
			return entry;
	}
	return (struct memory_entry){ address, 0, UEFI_NO_ENTRY };
}

bool memory_range_is(const struct memory_map *map, u64 start, u64 end, bool (*allowed)(u32 type), struct memory_entry *blocker)
{
	while (start < end) {
		struct memory_entry entry = entry_with(map, start);

		if (!allowed(entry.type)) {
			*blocker = (struct memory_entry){ start, entry.start + entry.bytes - start, entry.type };
			return false;
		}
		start = entry.start + entry.bytes;
	}
	return true;
}

const char *memory_type_name(u32 type)
{
	static const char *const name[] = { "reserved memory", "a loader's code", "a loader's data", "boot services' code",
		"boot services' data", "runtime services' code", "runtime services' data", "free memory", "broken memory",
		"ACPI tables", "ACPI non-volatile memory", "a device", "a device's ports", "processor firmware",
		"persistent memory", "unaccepted memory" };

	if (type == UEFI_NO_ENTRY)
		return "no memory at all";
	return type < ARRAY_SIZE(name) ? name[type] : "memory of a kind of its own";
}
