/* SPDX-License-Identifier: GPL-2.0-or-later
 * Page tables, stacks and address spaces. */
#include "arch/x86/paging.h"

#include "arch/x86/phys.h"
#include "arch/x86/x86.h"
#include "arch/machine.h"
#include "base/bug.h"
#include "base/mem.h"
#include "base/spinlock.h"
#include "base/string.h"

enum {
	PTE_PRESENT = 1,
	PTE_WRITE = 2,
	PTE_UNCACHED = 8 | 16, /* PWT and PCD: strong uncacheable in the default PAT */
	PTE_LARGE = 1 << 7,
	PTE_GLOBAL = 1 << 8,
};
#define PTE_NX	    (1ull << 63)
#define PTE_ADDRESS 0x000ffffffffff000ull

enum { PAGE = 4096, LARGE_PAGE = 1 << 21 };
#define GIB (1ull << 30)

/* Stacks lie in a part of the address space of their own: each in the upper half of a slot whose lower half is never mapped. */
#define STACK_AREA     0xffffa00000000000ull
#define STACK_SLOT     (2ull * STACK_BYTES)
#define STACK_AREA_END (STACK_AREA + (1ull << 39))

static u64 *root;
static u64 nx;			       /* PTE_NX where the CPU has it */
static u64 early_page, early_page_end; /* tables made before base/mem works */

extern char image_start[], text_end[], rodata_end[], data_end[], image_end[];

/* ---- tables ---- */

static u64 *table_new(void)
{
	u64 *table;

	if (early_page < early_page_end) {
		table = (u64 *)early_page;
		early_page += PAGE;
		memset(table, 0, PAGE);
		return table;
	}
	return mem_alloc_pages(PAGE);
}

static u64 *table_below(u64 *entry)
{
	u64 *table;

	if (*entry & PTE_PRESENT)
		return (u64 *)(*entry & PTE_ADDRESS);
	table = table_new();
	if (table)
		*entry = (u64)table | PTE_PRESENT | PTE_WRITE;
	return table;
}

/* A 2 MiB page becomes 512 small ones that map the same. */
static u64 *split(u64 *entry)
{
	u64 large = *entry, *table = table_new();

	if (!table)
		return NULL;
	for (unsigned i = 0; i < 512; i++)
		table[i] = (large & ~(u64)PTE_LARGE) + i * (u64)PAGE;
	*entry = (u64)table | PTE_PRESENT | PTE_WRITE;
	return table;
}

static u64 *walk_to_directory(u64 address)
{
	u64 *table = root;

	for (unsigned shift = 39; table && shift > 21; shift -= 9)
		table = table_below(&table[address >> shift & 511]);
	return table ? &table[address >> 21 & 511] : NULL;
}

static int map_small(u64 address, u64 entry)
{
	u64 *directory = walk_to_directory(address), *table;

	if (!directory)
		return -E_NOMEM;
	table = *directory & PTE_PRESENT && *directory & PTE_LARGE ? split(directory) : table_below(directory);
	if (!table)
		return -E_NOMEM;
	table[address >> 12 & 511] = entry;
	page_flush(address);
	return 0;
}

/* One to one, with large pages where nothing smaller is mapped yet. */
static int map_identity(u64 start, u64 end, u64 flags)
{
	for (u64 a = start; a < end;) {
		u64 *directory = walk_to_directory(a);

		if (!directory)
			return -E_NOMEM;
		if (a % LARGE_PAGE == 0 && end - a >= LARGE_PAGE && (!(*directory & PTE_PRESENT) || *directory & PTE_LARGE)) {
			*directory = a | flags | PTE_LARGE;
			a += LARGE_PAGE;
			continue;
		}
		if (map_small(a, a | flags))
			return -E_NOMEM;
		a += PAGE;
	}
	return 0;
}

/* ---- the kernel's own tables ---- */

static u64 data_flags(void)
{
	return PTE_PRESENT | PTE_WRITE | PTE_GLOBAL | nx;
}

static int map_image(void)
{
	int err = map_identity((u64)image_start, (u64)text_end, PTE_PRESENT | PTE_GLOBAL);

	err = err ? err : map_identity((u64)text_end, (u64)rodata_end, PTE_PRESENT | PTE_GLOBAL | nx);
	err = err ? err : map_identity((u64)rodata_end, (u64)data_end, data_flags());
	return err ? err : map_identity((u64)data_end, (u64)image_end, PTE_PRESENT | PTE_GLOBAL | nx);
}

static int map_all(const struct memmap *map)
{
	u64 image = (u64)image_start & ~(u64)(LARGE_PAGE - 1), beyond = ((u64)image_end + LARGE_PAGE - 1) & ~(u64)(LARGE_PAGE - 1);
	int err = map_identity(PAGE, LARGE_PAGE, data_flags());

	err = err ? err : map_identity(LARGE_PAGE, image, data_flags());
	err = err ? err : map_image();
	err = err ? err : map_identity((u64)image_end, beyond, data_flags());
	err = err ? err : map_identity(beyond, 4 * GIB, data_flags());
	for (unsigned i = 0; !err && i < map->nr; i++)
		if (map->range[i].end > 4 * GIB)
			err = map_identity((u64)max_u64(map->range[i].start, 4 * GIB) & ~(u64)(LARGE_PAGE - 1), map->range[i].end,
				data_flags());
	return err;
}

int paging_init(struct memmap *map)
{
	u64 pages = memmap_top(map) / GIB + 64, *stacks;
	int err;

	nx = msr_read(MSR_EFER) >> 11 & 1 ? PTE_NX : 0;
	early_page = memmap_find_low(map, pages * PAGE, PAGE, 4 * GIB);
	if (!early_page)
		return -E_NOMEM;
	early_page_end = early_page + pages * PAGE;
	memmap_reserve(map, early_page, early_page_end);
	root = table_new();
	err = map_all(map);
	if (err)
		return err;
	stacks = table_below(&root[STACK_AREA >> 39 & 511]); /* now, so that every space made later shares it */
	if (!stacks)
		return -E_NOMEM;
	cr3_write((u64)root);
	return 0;
}

u64 paging_root(void)
{
	return (u64)root;
}

/* ---- looking ---- */

static bool is_present(u64 address)
{
	u64 *table = root;

	if (!root)
		return address < 4 * GIB; /* the boot tables */
	for (unsigned shift = 39;; shift -= 9) {
		u64 entry = table[address >> shift & 511];

		if (!(entry & PTE_PRESENT))
			return false;
		if (shift == 12 || entry & PTE_LARGE)
			return true;
		table = (u64 *)(entry & PTE_ADDRESS);
	}
}

bool paging_is_mapped(u64 address)
{
	bool canonical = (s64)(address << 16) >> 16 == (s64)address;

	return canonical && is_present(address);
}

bool paging_is_guard(u64 address)
{
	return address >= STACK_AREA && address < STACK_AREA_END && !is_present(address);
}

/* ---- mapping on demand ---- */

const void *phys_map(u64 phys, u64 bytes)
{
	u64 end = mem_end(phys, bytes);

	if (!phys || end > MEM_LIMIT || (!root && end > 4 * GIB))
		return NULL;
	for (u64 a = phys & ~(u64)(PAGE - 1); root && a < end; a += PAGE)
		if (!is_present(a) && map_small(a, a | PTE_PRESENT | nx))
			return NULL;
	return (const void *)phys;
}

volatile void *paging_map_device(u64 phys, u64 bytes)
{
	for (u64 a = phys & ~(u64)(PAGE - 1); a < phys + bytes; a += PAGE)
		if (map_small(a, a | data_flags() | PTE_UNCACHED))
			return NULL;
	return (volatile void *)phys;
}

void paging_set_trampoline(u64 page, bool on)
{
	bug_on(map_small(page, page | (on ? PTE_PRESENT | PTE_WRITE : data_flags())));
}

/* ---- stacks ---- */

/* Stacks once made stay mapped and are handed out again; the link lies in the stack itself. */
static struct {
	struct spinlock lock;
	u64 *free; /* lock; the word at the top of a free stack */
	u64 next;  /* lock */
} stacks = { .lock = SPINLOCK_INIT(RANK_POOL), .next = STACK_AREA };

/* The stack's pages, mapped but not global: a switch to another address space pays for them again, as it does for user memory. */
static int stack_map(u64 bottom)
{
	char *pages = mem_alloc_pages(STACK_BYTES);

	if (!pages)
		return -E_NOMEM;
	for (u64 i = 0; i < STACK_BYTES; i += PAGE)
		if (map_small(bottom + i, ((u64)pages + i) | PTE_PRESENT | PTE_WRITE | nx))
			return -E_NOMEM;
	return 0;
}

void *machine_stack_new(void)
{
	unsigned long flags = spin_lock_irq(&stacks.lock);
	u64 *top = stacks.free;

	if (top) {
		stacks.free = (u64 *)top[-1];
	} else if (stacks.next < STACK_AREA_END && !stack_map(stacks.next + STACK_SLOT - STACK_BYTES)) {
		stacks.next += STACK_SLOT;
		top = (u64 *)stacks.next;
	}
	spin_unlock_irq(&stacks.lock, flags);
	return top;
}

void machine_stack_free(void *stack_top)
{
	unsigned long flags = spin_lock_irq(&stacks.lock);
	u64 *top = stack_top;

	top[-1] = (u64)stacks.free;
	stacks.free = top;
	spin_unlock_irq(&stacks.lock, flags);
}

u64 *machine_stack_end(void *top)
{
	return (u64 *)((u64)top - STACK_BYTES);
}

/* ---- address spaces ---- */

/* A space is a top-level table with the kernel's entries. A CPU that idles keeps the last one loaded even if that has been freed,
 * so a free one must stay usable: the free list is linked through an entry that nothing uses, and a page's address reads as "not
 * present" there. */
enum { LINK_ENTRY = 511 };

static struct {
	struct spinlock lock;
	u64 *free; /* lock */
} spaces = { .lock = SPINLOCK_INIT(RANK_POOL) };

u64 machine_space_new(void)
{
	unsigned long flags = spin_lock_irq(&spaces.lock);
	u64 *space = spaces.free;

	if (space)
		spaces.free = (u64 *)space[LINK_ENTRY];
	spin_unlock_irq(&spaces.lock, flags);
	if (space)
		return (u64)space;
	space = mem_alloc_pages(PAGE);
	if (space)
		memcpy(space, root, PAGE);
	return (u64)space;
}

void machine_space_free(u64 space)
{
	unsigned long flags;

	if (!space)
		return;
	flags = spin_lock_irq(&spaces.lock);
	((u64 *)space)[LINK_ENTRY] = (u64)spaces.free;
	spaces.free = (u64 *)space;
	spin_unlock_irq(&spaces.lock, flags);
}
