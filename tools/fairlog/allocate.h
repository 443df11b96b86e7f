/* SPDX-License-Identifier: GPL-2.0-or-later
 * Memory that is there, or the end of the program with a message. */
#ifndef FAIRLOG_ALLOCATE_H
#define FAIRLOG_ALLOCATE_H

#include <stdio.h>
#include <stdlib.h>

static inline void *require_memory(void *memory)
{
	if (!memory) {
		fprintf(stderr, "fairlog: out of memory\n");
		exit(2);
	}
	return memory;
}

/* As realloc, but never NULL. */
static inline void *allocate(void *old, size_t bytes)
{
	return require_memory(realloc(old, bytes ? bytes : 1));
}

/* What is never touched costs nothing. */
static inline void *allocate_zeroed(size_t bytes)
{
	return require_memory(calloc(1, bytes));
}

#endif
