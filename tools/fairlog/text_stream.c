/* SPDX-License-Identifier: GPL-2.0-or-later
 * A file that is a string. */
#define _GNU_SOURCE /* open_memstream */
#include "tools/fairlog/text_stream.h"

#include <stdlib.h>

void text_stream_open(struct text_stream *stream)
{
	stream->file = open_memstream(&stream->text, &stream->length);
	if (!stream->file) {
		fprintf(stderr, "fairlog: out of memory\n");
		exit(2);
	}
}

char *text_stream_close(struct text_stream *stream)
{
	fclose(stream->file);
	return stream->text;
}
