/* SPDX-License-Identifier: GPL-2.0-or-later
 * Stacks of the test machine: equal slots in one region, each with a page below it that may not be touched. */
#define _GNU_SOURCE
#include <pthread.h>
#include <sys/mman.h>

#include "tests/unit/machine.h"
#include "tests/unit/stacks.h"

void *reserve(size_t bytes)
{
	void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	assert_ptr_not_equal(p, MAP_FAILED);
	return p;
}

enum { SLOT_BYTES = 64 * 1024, MOST_STACKS = 8192, GUARD_BYTES = 4096 };

static struct {
	void *own; /* the test's */
	size_t own_bytes;
	char *region;
	unsigned used;
	unsigned nr_free;
	u32 free[MOST_STACKS];
} stacks;

static void stacks_init(void)
{
	pthread_attr_t attr;

	assert_int_equal(pthread_getattr_np(pthread_self(), &attr), 0);
	pthread_attr_getstack(&attr, &stacks.own, &stacks.own_bytes);
	pthread_attr_destroy(&attr);
	stacks.region = reserve((size_t)MOST_STACKS * SLOT_BYTES);
}

void *machine_stack_new(void)
{
	char *slot;

	if (!stacks.region)
		stacks_init();
	if (!stacks.nr_free && stacks.used == MOST_STACKS)
		return NULL;
	slot = stacks.region + (size_t)SLOT_BYTES * (stacks.nr_free ? stacks.free[--stacks.nr_free] : stacks.used++);
	mprotect(slot, GUARD_BYTES, PROT_NONE);
	__asan_unpoison_memory_region(slot + GUARD_BYTES, SLOT_BYTES - GUARD_BYTES);
	return slot + SLOT_BYTES;
}

u64 *machine_stack_end(void *top)
{
	return (u64 *)((char *)top - SLOT_BYTES + GUARD_BYTES);
}

void machine_stack_free(void *top)
{
	size_t end = (size_t)((char *)top - stacks.region);

	assert_int_equal(end % SLOT_BYTES, 0);
	stacks.free[stacks.nr_free++] = (u32)(end / SLOT_BYTES - 1);
}

/* The stack that an address lies on: a slot, or else the test's own. */
static void stack_of(const void *sp, void **bottom, size_t *bytes)
{
	size_t offset = (size_t)((const char *)sp - stacks.region);

	if (offset < (size_t)MOST_STACKS * SLOT_BYTES) {
		*bottom = stacks.region + offset / SLOT_BYTES * SLOT_BYTES;
		*bytes = SLOT_BYTES;
		return;
	}
	*bottom = stacks.own;
	*bytes = stacks.own_bytes;
}

void announce_switch(void **save, const void *sp)
{
	void *bottom;
	size_t bytes;

	stack_of(sp, &bottom, &bytes);
	__sanitizer_start_switch_fiber(save, bottom, bytes);
}
