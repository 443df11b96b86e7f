/* SPDX-License-Identifier: GPL-2.0-or-later
 * Tasks that run beside the main thing: what they take by mem_alloc() and what they say is kept apart, so that they can begin
 * again and again without using up memory or filling the console. */
#ifndef BASE_ASIDE_H
#define BASE_ASIDE_H

#include <stdarg.h>

#include "base/types.h"

struct aside;

/* In the memory of the run, with room for so many bytes of text; NULL when memory is out. */
struct aside *aside_new(size_t text_bytes);
/* From now on the current task, and whoever it will spawn, is part of it. */
void aside_enter(struct aside *a);
/* Nobody uses any of its memory any more: give it out again, and forget what was said. */
void aside_begin(struct aside *a);
/* What was said since, as far as there was room, and how many bytes more. */
const char *aside_text(const struct aside *a, u64 *left_out);

/* For mem_alloc() and say(). Zeroed memory, aligned to a cache line; or NULL. */
void *aside_alloc(struct aside *a, size_t bytes);
void aside_say(struct aside *a, const char *fmt, va_list args);

/* That of the current task; NULL: it belongs to the main thing. */
struct aside *aside_current(void);

#endif
