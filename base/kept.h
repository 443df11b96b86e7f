/* SPDX-License-Identifier: GPL-2.0-or-later
 * A copy of the records that went out, so that they can be sent once more. */
#ifndef BASE_KEPT_H
#define BASE_KEPT_H

#include "base/types.h"

enum { KEPT_BYTES = 512 * 1024 };

/* One line. What is oldest makes room. */
void kept_put(const char *line, size_t bytes);

/* All whole lines there are, oldest first, to the text stream. */
void kept_say(void);

#endif
