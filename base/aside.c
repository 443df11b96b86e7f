/* SPDX-License-Identifier: GPL-2.0-or-later
 * Memory and text of tasks that run beside the main thing. */
#include "base/aside.h"

#include "base/mem.h"
#include "base/spinlock.h"
#include "base/string.h"
#include "base/text.h"

enum { CHUNK_BYTES = 256 * 1024 };

/* What is larger has a chunk to itself. */
struct chunk {
	struct chunk *next;
	size_t used, bytes; /* this head included */
} cache_aligned;

struct aside {
	struct spinlock memory_lock, text_lock;
	struct chunk *first; /* memory_lock */
	char *text;
	size_t text_used, text_bytes; /* text_lock */
	u64 left_out;		      /* text_lock */
};

/* While there is none nobody asks who is current: early in the boot it would be nobody. */
static bool in_use;

struct aside *aside_current(void)
{
	return READ_ONCE(in_use) ? machine_current()->aside : NULL;
}

struct aside *aside_new(size_t text_bytes)
{
	struct aside *a = mem_alloc_shared(sizeof(*a));
	char *text = mem_alloc_shared(text_bytes + 1);

	if (!a || !text)
		return NULL;
	a->memory_lock = SPINLOCK_INIT(RANK_POOL);
	a->text_lock = SPINLOCK_INIT(RANK_CONSOLE);
	a->text = text;
	a->text_bytes = text_bytes;
	return a;
}

void aside_enter(struct aside *a)
{
	WRITE_ONCE(in_use, true);
	machine_current()->aside = a;
}

void aside_begin(struct aside *a)
{
	for (struct chunk *c = a->first; c; c = c->next)
		c->used = sizeof(*c);
	a->text_used = 0;
	a->left_out = 0;
}

/* ---- memory ---- */

static struct chunk *find_room(struct aside *a, size_t bytes)
{
	struct chunk *c = a->first;

	while (c && c->bytes - c->used < bytes)
		c = c->next;
	return c;
}

static struct chunk *new_chunk(struct aside *a, size_t bytes)
{
	size_t size = max_u64(CHUNK_BYTES, bytes + sizeof(struct chunk));
	struct chunk *c = mem_alloc_shared(size);

	if (!c)
		return NULL;
	*c = (struct chunk){ .next = a->first, .used = sizeof(*c), .bytes = size };
	a->first = c;
	return c;
}

static void *take(struct aside *a, size_t bytes)
{
	struct chunk *c = find_room(a, bytes);

	if (!c)
		c = new_chunk(a, bytes);
	if (!c)
		return NULL;
	c->used += bytes;
	return (char *)c + c->used - bytes;
}

void *aside_alloc(struct aside *a, size_t bytes)
{
	size_t room = (bytes + CACHE_LINE - 1) & ~(size_t)(CACHE_LINE - 1);
	unsigned long flags;
	void *p;

	if (!room || room < bytes || room + sizeof(struct chunk) < room)
		return NULL;
	flags = spin_lock_irq(&a->memory_lock);
	p = take(a, room);
	spin_unlock_irq(&a->memory_lock, flags);
	return p ? memset(p, 0, bytes) : NULL;
}

/* ---- text ---- */

/* text_lock held, which the current task has taken. */
static void put(const char *text, size_t bytes)
{
	struct aside *a = aside_current();
	size_t n = min_u64(bytes, a->text_bytes - a->text_used);

	memcpy(a->text + a->text_used, text, n);
	a->text_used += n;
	a->left_out += bytes - n;
}

void aside_say(struct aside *a, const char *fmt, va_list args)
{
	unsigned long flags = spin_lock_irq(&a->text_lock);

	text_stream(put, fmt, args);
	spin_unlock_irq(&a->text_lock, flags);
}

const char *aside_text(const struct aside *a, u64 *left_out)
{
	a->text[a->text_used] = '\0';
	*left_out = a->left_out;
	return a->text;
}
