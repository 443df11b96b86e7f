/* SPDX-License-Identifier: GPL-2.0-or-later
 * A two-ended stack over the machine's memory ranges. */
#include "base/mem.h"

#include "base/aside.h"
#include "base/spinlock.h"
#include "base/string.h"

enum { MAX_RANGES = 64, PAGE = 4096 };

static struct {
	struct spinlock lock;
	unsigned nr;
	struct {
		char *low, *high; /* lock; free between them */
		char *start;
	} range[MAX_RANGES];
} mem = { .lock = SPINLOCK_INIT(RANK_MEMORY) };

static void give(void *start, u64 bytes)
{
	if (mem.nr == MAX_RANGES)
		return;
	mem.range[mem.nr].start = start;
	mem.range[mem.nr].low = start;
	mem.range[mem.nr].high = (char *)start + bytes;
	mem.nr++;
}

void mem_init(void)
{
	machine_memory(give);
}

/* 0 where that is more than a size can be. */
static size_t round_up(size_t n, size_t to)
{
	return (n + to - 1) & ~(to - 1);
}

static void *take_low(size_t bytes)
{
	for (unsigned i = 0; i < mem.nr; i++)
		if (bytes && (size_t)(mem.range[i].high - mem.range[i].low) >= bytes) {
			mem.range[i].low += bytes;
			return mem.range[i].low - bytes;
		}
	return NULL;
}

static void *take_high(size_t bytes, size_t align)
{
	for (unsigned i = mem.nr; i-- > 0;) {
		uintptr_t start = ((uintptr_t)mem.range[i].high - bytes) & ~(align - 1);

		if (bytes && (size_t)(mem.range[i].high - mem.range[i].low) >= bytes && start >= (uintptr_t)mem.range[i].low)
			return mem.range[i].high = (char *)start;
	}
	return NULL;
}

static void *zeroed(void *p, size_t bytes)
{
	return p ? memset(p, 0, bytes) : NULL;
}

void *mem_alloc_shared(size_t bytes)
{
	unsigned long flags = spin_lock_irq(&mem.lock);
	void *p = take_low(round_up(bytes, CACHE_LINE));

	spin_unlock_irq(&mem.lock, flags);
	return zeroed(p, bytes);
}

void *mem_alloc(size_t bytes)
{
	struct aside *a = aside_current();

	return unlikely(a) ? aside_alloc(a, bytes) : mem_alloc_shared(bytes);
}

static void *alloc_high(size_t bytes, size_t align)
{
	unsigned long flags = spin_lock_irq(&mem.lock);
	void *p = take_high(round_up(bytes, align), align);

	spin_unlock_irq(&mem.lock, flags);
	return zeroed(p, bytes);
}

void *mem_alloc_forever(size_t bytes)
{
	return alloc_high(bytes, CACHE_LINE);
}

void *mem_alloc_pages(size_t bytes)
{
	return alloc_high(bytes, PAGE);
}

void mem_end_run(void)
{
	unsigned long flags = spin_lock_irq(&mem.lock);

	for (unsigned i = 0; i < mem.nr; i++)
		mem.range[i].low = mem.range[i].start;
	spin_unlock_irq(&mem.lock, flags);
}

u64 mem_free_bytes(void)
{
	u64 n = 0;

	for (unsigned i = 0; i < mem.nr; i++)
		n += (u64)(mem.range[i].high - mem.range[i].low);
	return n;
}
