/* SPDX-License-Identifier: GPL-2.0-or-later
 * A file that is a string. */
#ifndef FAIRLOG_TEXT_STREAM_H
#define FAIRLOG_TEXT_STREAM_H

#include <stdio.h>

struct text_stream {
	FILE *file;
	char *text;
	size_t length;
};

void text_stream_open(struct text_stream *stream);
/* What was written, to be freed. */
char *text_stream_close(struct text_stream *stream);

#endif
