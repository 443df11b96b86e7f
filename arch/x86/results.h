/* SPDX-License-Identifier: GPL-2.0-or-later
 * The log of this boot in memory that a warm reset leaves alone, and that of the boot before. boot/results.h has the layout. */
#ifndef ARCH_X86_RESULTS_H
#define ARCH_X86_RESULTS_H

#include "arch/x86/bootinfo.h"

/* Find the place, the loader's or RESULTS_ADDR if that is free memory, and take it out of *map. Boot CPU, before the map is used.
 */
void results_claim(const struct bootinfo *info, struct memmap *map);

/* What the boot before left there goes to the console, once; from now on the place is for this boot. When memory can be allocated.
 */
void results_recall(void);

/* Keep what goes to the console. By whoever writes there, one at a time. */
void results_keep(const char *text, size_t bytes);

/* What comes now is the end: it may use the room set aside for that. */
void results_last_words(void);

#endif
