/* SPDX-License-Identifier: GPL-2.0-or-later
 * Memory that is there, or the end of the program with a message. */
#ifndef FAIRLOG_ALLOCATE_H
#define FAIRLOG_ALLOCATE_H

#include <stdio.h>
#include <stdlib.h>

/* As realloc, but never NULL. */
static inline void *allocate(void *old, size_t bytes)
{
	void *memory = realloc(old, bytes ? bytes : 1);

	if (!memory) {
		fprintf(stderr, "fairlog: out of memory\n");
		exit(2);
	}
	return memory;
}

#endif
