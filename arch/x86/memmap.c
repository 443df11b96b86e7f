/* SPDX-License-Identifier: GPL-2.0-or-later
 * Firmware's memory map made usable: sorted, merged, whole pages, nothing reserved left inside. */
#include "arch/x86/memmap.h"

#include "base/string.h"
#include "base/text.h"

static u64 page_down(u64 address)
{
	return address & ~(u64)(MEM_PAGE - 1);
}

/* For addresses up to MEM_LIMIT, where the sum cannot wrap. */
static u64 page_up(u64 address)
{
	return page_down(address + MEM_PAGE - 1);
}

/* Puts `n` ranges in the place of ranges [at, past). There must be room. */
static void splice(struct memmap *map, unsigned at, unsigned past, const struct mem_range with[], unsigned n)
{
	memmove(&map->range[at + n], &map->range[past], (map->nr - past) * sizeof(map->range[0]));
	memcpy(&map->range[at], with, n * sizeof(map->range[0]));
	map->nr = map->nr + n - (past - at);
}

/* Adds bytes to the map, growing together with every range they overlap or touch. */
static void insert(struct memmap *map, u64 start, u64 end)
{
	struct mem_range merged = { start, end };
	unsigned at = 0, past;

	if (start >= end)
		return;
	while (at < map->nr && map->range[at].end < start)
		at++;
	for (past = at; past < map->nr && map->range[past].start <= end; past++) {
		merged.start = min_u64(merged.start, map->range[past].start);
		merged.end = max_u64(merged.end, map->range[past].end);
	}
	if (past == at && map->nr == MEMMAP_MAX) {
		map->lost_bytes += end - start;
		return;
	}
	splice(map, at, past, &merged, 1);
}

/* Takes bytes [start, end) out of range i. Returns the index of the range to look at next. */
static unsigned carve(struct memmap *map, unsigned i, u64 start, u64 end)
{
	struct mem_range old = map->range[i], piece[2];
	unsigned n = 0;

	if (old.start < start)
		piece[n++] = (struct mem_range){ old.start, start };
	if (end < old.end)
		piece[n++] = (struct mem_range){ end, old.end };
	if (n == 2 && map->nr == MEMMAP_MAX) {
		unsigned less = piece[0].end - piece[0].start < piece[1].end - piece[1].start ? 0 : 1;

		map->lost_bytes += piece[less].end - piece[less].start;
		piece[0] = piece[1 - less];
		n = 1;
	}
	splice(map, i, i + 1, piece, n);
	return i + n;
}

static void subtract(struct memmap *map, u64 start, u64 end)
{
	unsigned i = 0;

	if (start >= end)
		return;
	while (i < map->nr && map->range[i].start < end) {
		if (map->range[i].end <= start)
			i++;
		else
			i = carve(map, i, start, end);
	}
}

/* After the merging, so that a page made of two touching entries survives. */
static void drop_partial_pages(struct memmap *map)
{
	unsigned kept = 0;

	for (unsigned i = 0; i < map->nr; i++) {
		struct mem_range whole = { page_up(map->range[i].start), page_down(map->range[i].end) };

		if (whole.start < whole.end)
			map->range[kept++] = whole;
	}
	map->nr = kept;
}

/* One line, however many pieces it was. */
static void tell_lost(const struct memmap *map, u64 before)
{
	if (map->lost_bytes > before)
		say("memory map: more than %u pieces, %lu KiB are left out\n", MEMMAP_MAX, (map->lost_bytes - before) / 1024);
}

int memmap_build(struct memmap *map, const struct raw_range raw[], unsigned n)
{
	map->nr = 0;
	map->lost_bytes = 0;
	for (unsigned i = 0; i < n; i++)
		if (raw[i].usable)
			insert(map, raw[i].start, min_u64(raw[i].end, MEM_LIMIT));
	for (unsigned i = 0; i < n; i++)
		if (!raw[i].usable)
			subtract(map, raw[i].start, raw[i].end);
	drop_partial_pages(map);
	tell_lost(map, 0);
	return map->nr ? 0 : -E_NOMEM;
}

void memmap_reserve(struct memmap *map, u64 start, u64 end)
{
	u64 lost = map->lost_bytes;

	if (start >= end)
		return;
	subtract(map, page_down(start), page_up(min_u64(end, MEM_LIMIT)));
	tell_lost(map, lost);
}

u64 memmap_find_low(const struct memmap *map, u64 bytes, u64 align, u64 below)
{
	for (unsigned i = map->nr; i-- > 0;) {
		const struct mem_range *r = &map->range[i];
		u64 top = min_u64(r->end, below), address;

		if (top < bytes)
			continue;
		address = (top - bytes) & ~(align - 1);
		if (address >= max_u64(r->start, MEM_PAGE))
			return address;
	}
	return 0;
}

bool memmap_holds(const struct memmap *map, u64 start, u64 bytes)
{
	for (unsigned i = 0; i < map->nr; i++)
		if (map->range[i].start < mem_end(start, bytes) && start < map->range[i].end)
			return true;
	return false;
}

u64 memmap_top(const struct memmap *map)
{
	return map->nr ? map->range[map->nr - 1].end : 0;
}

u64 memmap_total(const struct memmap *map)
{
	u64 total = 0;

	for (unsigned i = 0; i < map->nr; i++)
		total += map->range[i].end - map->range[i].start;
	return total;
}
