/* SPDX-License-Identifier: GPL-2.0-or-later
 * Page tables: all memory one to one, task stacks with guard pages, one table per process. */
#ifndef ARCH_X86_PAGING_H
#define ARCH_X86_PAGING_H

#include "arch/x86/memmap.h"

/* Replace the boot tables by the kernel's own: memory not executable, code not writable, page 0 and guard pages absent. Takes the
 * pages it needs out of *map. 0, -E_NOMEM. Boot CPU, once. */
int paging_init(struct memmap *map);

/* The table every CPU starts with; below 4 GiB. */
u64 paging_root(void);

/* Device registers, uncached. NULL: no memory for tables. */
volatile void *paging_map_device(u64 phys, u64 bytes);

/* One page below 1 MiB from which CPUs start: executable, until taken back. */
void paging_set_trampoline(u64 page, bool on);

bool paging_is_mapped(u64 address);
/* Is this in the guard below a stack? */
bool paging_is_guard(u64 address);

#endif
