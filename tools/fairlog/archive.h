/* SPDX-License-Identifier: GPL-2.0-or-later
 * A .tar.gz on standard output: POSIX ustar, compressed. What cannot be written ends the program with a message. */
#ifndef FAIRLOG_ARCHIVE_H
#define FAIRLOG_ARCHIVE_H

#include <stdio.h>

void archive_begin(void);
/* A file of that text. */
void archive_put(const char *name, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* All that has been written to the stream, which stands at its end. */
void archive_put_stream(const char *name, FILE *stream);
void archive_end(void);

#endif
