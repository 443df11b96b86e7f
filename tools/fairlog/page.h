/* SPDX-License-Identifier: GPL-2.0-or-later
 * Text for people, in lines that fit a mail. */
#ifndef FAIRLOG_PAGE_H
#define FAIRLOG_PAGE_H

#include <stdint.h>

enum { PAGE_COLUMNS = 100 };

/* Prints text behind a label, wrapped at PAGE_COLUMNS; further lines are indented as far as the label is long. */
void print_wrapped(const char *label, const char *text);
/* The same at another width. */
void print_wrapped_at(unsigned columns, const char *label, const char *text);
/* As print_wrapped for formatted text. */
void print_line(const char *label, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The s of "2 runs". */
const char *plural(uint64_t count);

#endif
