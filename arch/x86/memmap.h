/* SPDX-License-Identifier: GPL-2.0-or-later
 * The machine's usable memory as a short, sorted list of whole pages. */
#ifndef ARCH_X86_MEMMAP_H
#define ARCH_X86_MEMMAP_H

#include "base/types.h"

enum {
	MEM_PAGE = 4096,  /* bytes */
	MEMMAP_MAX = 256, /* usable ranges kept; real machines have a few dozen */
};

/* Physical addresses end here on every x86-64 part (52 bits). */
#define MEM_LIMIT (1ull << 52)

/* Bytes [start, end) of physical memory. */
struct mem_range {
	u64 start;
	u64 end;
};

/* One entry as the firmware gave it: any order, any alignment, overlaps and empty ranges included. */
struct raw_range {
	u64 start;
	u64 end;
	bool usable;
};

/* Usable memory: ranges of whole pages, ascending, neither overlapping nor touching. */
struct memmap {
	unsigned nr;
	struct mem_range range[MEMMAP_MAX];
	u64 lost_bytes; /* usable, but left out for want of a slot in range[] */
};

/* The end of a range that firmware describes as start and length; it stops at the last address instead of wrapping. */
static inline u64 mem_end(u64 start, u64 length)
{
	return length > UINT64_MAX - start ? UINT64_MAX : start + length;
}

/* Builds the map from `n` firmware entries: usable minus reserved, merged, clipped to MEM_LIMIT, partial pages dropped.
 * Returns 0, or -E_NOMEM when nothing usable is left. */
int memmap_build(struct memmap *map, const struct raw_range raw[], unsigned n);

/* Takes every page that [start, end) touches out of the map. Nothing happens for an empty range or one outside the map. */
void memmap_reserve(struct memmap *map, u64 start, u64 end);

/* The highest `align`ed address (a power of two, at least MEM_PAGE) with `bytes` usable bytes that end at or below `below`.
 * Returns 0 when there is none; page 0 is never offered. The caller reserves what it takes. */
u64 memmap_find_low(const struct memmap *map, u64 bytes, u64 align, u64 below);

/* Whether any of `bytes` bytes (at least one) at `start` is usable memory. */
bool memmap_holds(const struct memmap *map, u64 start, u64 bytes);

/* The end of the highest usable page: what page tables and page arrays are sized by. 0 for an empty map. */
u64 memmap_top(const struct memmap *map);

/* Usable bytes in all. */
u64 memmap_total(const struct memmap *map);

#endif
