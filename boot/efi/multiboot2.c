/* SPDX-License-Identifier: GPL-2.0-or-later
 * A multiboot2 information block: a size, then tags of type, size and payload, each aligned to 8 bytes. */
#include "boot/efi/multiboot2.h"

#include "base/string.h"

enum {
	TAG_END = 0,
	TAG_CMDLINE = 1,
	TAG_LOADER = 2,
	TAG_MODULE = 3,
	TAG_MEMORY_MAP = 6,
	TAG_FRAMEBUFFER = 8,
	TAG_EFI64_TABLE = 12,
	TAG_RSDP_OLD = 14,
	TAG_RSDP_NEW = 15,
};

enum {
	MAP_ENTRY_BYTES = 24,
	SMALL_TAGS_BYTES = 512, /* everything but texts and the map */
	SCREEN_RGB = 1,
};

/* Multiboot2's kinds of memory. */
enum { MEMORY_USABLE = 1, MEMORY_RESERVED = 2, MEMORY_ACPI = 3, MEMORY_NVS = 4, MEMORY_BROKEN = 5 };

u32 mb2_size(u64 text_bytes, u64 map_entries)
{
	return (u32)(SMALL_TAGS_BYTES + text_bytes + map_entries * MAP_ENTRY_BYTES);
}

static void put(struct mb2 *mb2, const void *bytes, size_t n)
{
	memcpy(mb2->block + mb2->used, bytes, n);
	mb2->used += (u32)n;
}

static void put_u32(struct mb2 *mb2, u32 value)
{
	put(mb2, &value, sizeof(value));
}

static void put_u64(struct mb2 *mb2, u64 value)
{
	put(mb2, &value, sizeof(value));
}

static void begin_tag(struct mb2 *mb2, u32 type, size_t payload)
{
	mb2->used = (mb2->used + 7) & ~7u;
	put_u32(mb2, type);
	put_u32(mb2, (u32)(8 + payload));
}

static void put_text(struct mb2 *mb2, u32 type, const char *text)
{
	size_t n = strlen(text) + 1;

	begin_tag(mb2, type, n);
	put(mb2, text, n);
}

void mb2_begin(struct mb2 *mb2, void *memory, u32 size)
{
	memset(memory, 0, size);
	*mb2 = (struct mb2){ .block = memory, .used = 8, .size = size };
}

void mb2_cmdline(struct mb2 *mb2, const char *text)
{
	put_text(mb2, TAG_CMDLINE, text);
}

void mb2_loader(struct mb2 *mb2, const char *text)
{
	put_text(mb2, TAG_LOADER, text);
}

void mb2_module(struct mb2 *mb2, u32 start, u32 end, const char *name)
{
	size_t n = strlen(name) + 1;

	begin_tag(mb2, TAG_MODULE, 8 + n);
	put_u32(mb2, start);
	put_u32(mb2, end);
	put(mb2, name, n);
}

void mb2_screen(struct mb2 *mb2, const struct mb2_screen *screen)
{
	const u8 kind[4] = { 32, SCREEN_RGB };

	begin_tag(mb2, TAG_FRAMEBUFFER, 24 + sizeof(screen->colour));
	put_u64(mb2, screen->addr);
	put_u32(mb2, screen->pitch);
	put_u32(mb2, screen->width);
	put_u32(mb2, screen->height);
	put(mb2, kind, sizeof(kind));
	put(mb2, screen->colour, sizeof(screen->colour));
}

void mb2_rsdp(struct mb2 *mb2, const void *rsdp, bool acpi2)
{
	size_t n = acpi2 ? 36 : 20;

	begin_tag(mb2, acpi2 ? TAG_RSDP_NEW : TAG_RSDP_OLD, n);
	put(mb2, rsdp, n);
}

void mb2_efi_table(struct mb2 *mb2, u64 system_table)
{
	begin_tag(mb2, TAG_EFI64_TABLE, 8);
	put_u64(mb2, system_table);
}

/* Once the firmware has gone, so have its boot services, and what is the loader's has served. */
static u32 kind_of(u32 type)
{
	if (memory_is_ours_later(type) || type == UEFI_LOADER_CODE || type == UEFI_LOADER_DATA)
		return MEMORY_USABLE;
	if (type == UEFI_BROKEN)
		return MEMORY_BROKEN;
	if (type == UEFI_ACPI_TABLES)
		return MEMORY_ACPI;
	return type == UEFI_ACPI_NVS ? MEMORY_NVS : MEMORY_RESERVED;
}

bool mb2_finish(struct mb2 *mb2, const struct memory_map *map)
{
	u32 begin = mb2->used;
	u64 entries = map->bytes / map->stride, need = 7 + 16 + entries * MAP_ENTRY_BYTES + 8;

	if (need > mb2->size - mb2->used)
		return false;
	begin_tag(mb2, TAG_MEMORY_MAP, 8 + entries * MAP_ENTRY_BYTES);
	put_u32(mb2, MAP_ENTRY_BYTES);
	put_u32(mb2, 0);
	for (u64 i = 0; i < entries; i++) {
		struct memory_entry entry = memory_entry_at(map, i * map->stride);

		put_u64(mb2, entry.start);
		put_u64(mb2, entry.bytes);
		put_u32(mb2, kind_of(entry.type));
		put_u32(mb2, 0);
	}
	begin_tag(mb2, TAG_END, 0);
	memcpy(mb2->block, &mb2->used, sizeof(mb2->used));
	mb2->used = begin;
	return true;
}
