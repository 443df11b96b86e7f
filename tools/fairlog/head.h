/* SPDX-License-Identifier: GPL-2.0-or-later
 * What stands above the tables: how much of the log is there, what it ran on, and what to mind in reading it. */
#ifndef FAIRLOG_HEAD_H
#define FAIRLOG_HEAD_H

#include "tools/fairlog/boot.h"

/* Boots is how many the file has. */
void print_head(const char *file, const struct boot *boot, unsigned boots);

/* Where the times come from, or empty if that is a clock on hardware. Returns the note. */
enum { NOTE_BYTES = 256 };
const char *head_note(const struct boot *boot, char note[NOTE_BYTES]);
/* Whether a plan says so: waste or latency. */
bool is_accounted_for(const json_t *plan, const char *account);

#endif
