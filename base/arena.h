/* SPDX-License-Identifier: GPL-2.0-or-later
 * Memory for many objects that are made one by one and let go all at once, to be used again. */
#ifndef BASE_ARENA_H
#define BASE_ARENA_H

#include "base/types.h"

/* All zero: empty. It keeps what it has ever taken from mem_alloc_forever(). Its owner sees to it that one CPU uses it at a time.
 */
struct arena {
	struct arena_chunk *first, *current;
};

/* Zeroed memory, aligned to a cache line, for up to 8 KiB; or NULL. */
void *arena_alloc(struct arena *a, size_t bytes);

/* Nobody uses any of it any more. */
void arena_reset(struct arena *a);

#endif
