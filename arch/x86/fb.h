/* SPDX-License-Identifier: GPL-2.0-or-later
 * Text on a screen: EGA text or pixels. What is shown is kept in memory, and the screen itself is never read. */
#ifndef ARCH_X86_FB_H
#define ARCH_X86_FB_H

#include "arch/x86/bootinfo.h"

enum { FB_CELL_COLUMNS = 8, FB_CELL_ROWS = 16, FB_MOST_COLUMNS = 256, FB_MOST_ROWS = 96 };

/* Begin with an empty page on that screen; at NULL it is not there yet. Large screens get large letters. False: no use for it. */
bool fb_init(const struct boot_fb *fb, volatile void *at);

/* From now on it is there, or (NULL) not to be touched. What was written meanwhile appears. */
void fb_show(volatile void *at);

void fb_write(const char *text, size_t bytes);

unsigned fb_columns(void);
unsigned fb_rows(void);

#endif
