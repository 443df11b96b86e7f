/* SPDX-License-Identifier: GPL-2.0-or-later
 * A list of chunks, filled from the first on. */
#include "base/arena.h"

#include "base/bug.h"
#include "base/mem.h"
#include "base/string.h"

enum { CHUNK_BYTES = 16 * 1024, MOST_BYTES = 8 * 1024 };

struct arena_chunk {
	struct arena_chunk *next;
	size_t used; /* bytes, this head included */
} cache_aligned;

static struct arena_chunk *next_chunk(struct arena *a)
{
	struct arena_chunk **link = a->current ? &a->current->next : &a->first;

	if (!*link)
		*link = mem_alloc_forever(CHUNK_BYTES);
	if (!*link)
		return NULL;
	a->current = *link;
	a->current->used = sizeof(struct arena_chunk);
	return a->current;
}

void *arena_alloc(struct arena *a, size_t bytes)
{
	size_t room = (bytes + CACHE_LINE - 1) & ~(size_t)(CACHE_LINE - 1);
	struct arena_chunk *c = a->current;
	void *p;

	bug_on(bytes > MOST_BYTES);
	if (!c || c->used + room > CHUNK_BYTES)
		c = next_chunk(a);
	if (!c)
		return NULL;
	p = (char *)c + c->used;
	c->used += room;
	return memset(p, 0, bytes);
}

#ifdef DEBUG
/* So that whoever still uses it comes to grief. */
static void spoil(struct arena *a)
{
	for (struct arena_chunk *c = a->first; c; c = c->next)
		memset(c + 1, 0xA5, CHUNK_BYTES - sizeof(*c));
}
#else
static void spoil(struct arena *a)
{
	(void)a;
}
#endif

void arena_reset(struct arena *a)
{
	spoil(a);
	a->current = NULL;
}
