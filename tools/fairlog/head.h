/* SPDX-License-Identifier: GPL-2.0-or-later
 * What stands above the tables: how much of the log is there, what it ran on, and what to mind in reading it. */
#ifndef FAIRLOG_HEAD_H
#define FAIRLOG_HEAD_H

#include "tools/fairlog/boot.h"

enum { NOTE_BYTES = 300 };
/* Says where the times come from, if that is not a clock on hardware; otherwise false. */
bool note_on_times(const json_t *boot, const json_t *machine, char text[NOTE_BYTES]);

/* Boots is how many the file has. */
void print_head(const char *file, const struct boot *boot, unsigned boots);

#endif
