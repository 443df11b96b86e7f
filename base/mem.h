/* SPDX-License-Identifier: GPL-2.0-or-later
 * Memory: what lives for ever is taken from the top, what one run needs from the bottom, and given back all at once.
 */
#ifndef BASE_MEM_H
#define BASE_MEM_H

#include "base/types.h"

/* Collects the machine's memory. Once, at boot. */
void mem_init(void);

/* Zeroed memory, aligned to a cache line, or NULL. Any context. */
void *mem_alloc(size_t bytes);	       /* until mem_end_run(), or as base/aside.h says */
void *mem_alloc_shared(size_t bytes);  /* until mem_end_run() */
void *mem_alloc_forever(size_t bytes); /* never given back */
void *mem_alloc_pages(size_t bytes);   /* as forever, aligned to 4096 */

/* All that mem_alloc() has given out becomes free; nobody may use it any more. */
void mem_end_run(void);

/* Bytes that were never or are no longer in use. */
u64 mem_free_bytes(void);

#endif
