/* SPDX-License-Identifier: GPL-2.0-or-later
 * The records of this boot once more: the newest few megabytes stay in memory. */
#ifndef BASE_RESULTS_H
#define BASE_RESULTS_H

#include "base/types.h"

enum { RESULTS_MOST_BYTES = 4 << 20, RESULTS_SHARE = 16 /* of the memory, at most this part */ };

/* Find room. Until then, and if there is none, nothing is kept. */
void results_init(void);

/* A whole line. The oldest ones make room. By whoever writes records. */
void results_note(const char *line, size_t bytes);

/* All there are, oldest first, to the text stream, after a line that says how many are gone. */
void results_replay(void);

#endif
