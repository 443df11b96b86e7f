/* SPDX-License-Identifier: GPL-2.0-or-later
 * Letters for screens that have only pixels. */
#ifndef ARCH_X86_FONT_H
#define ARCH_X86_FONT_H

#include "base/types.h"

enum { FONT_FIRST = ' ', FONT_LAST = '~', FONT_GLYPHS = FONT_LAST - FONT_FIRST + 1, FONT_ROWS = 13, FONT_COLUMNS = 8 };

/* Of each row a byte, its leftmost pixel the highest bit. */
extern const u8 font_glyph[FONT_GLYPHS][FONT_ROWS];

#endif
