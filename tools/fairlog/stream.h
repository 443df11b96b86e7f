/* SPDX-License-Identifier: GPL-2.0-or-later
 * From the bytes of a serial log to what looks like a record, whatever terminals, boot loaders and bad cables added. */
#ifndef FAIRLOG_STREAM_H
#define FAIRLOG_STREAM_H

#include <stdbool.h>
#include <stddef.h>

enum {
	RECORD_BYTES_MAX = 65536, /* of a record, from '@' to the last digit of its CRC */
	HEAD_DIGITS_MAX = 20,	  /* of a 64-bit number */
	HEAD_BYTES_MAX = 1 + HEAD_DIGITS_MAX + sizeof " {\"t\":\"",
};

enum candidate_kind {
	CANDIDATE_RECORD,   /* begins like a record and goes on to the end of its line or the next beginning */
	CANDIDATE_TOO_LONG, /* the same, cut after RECORD_BYTES_MAX bytes; may still be a record with noise behind it */
	CANDIDATE_HEADLESS, /* ends like a record but does not begin like one; has no text */
};

/* The text lasts for the length of the call. Lines count from 1 and end at LF, as grep -n and editors count them. */
typedef void candidate_fn(void *context, enum candidate_kind kind, unsigned long line, const char *text, size_t length);

struct stream {
	candidate_fn *emit;
	void *context;
	unsigned long line;

	enum { TEXT, ESCAPE, ESCAPE_MORE, CSI, STRING, STRING_ESCAPE } escape; /* where in a terminal's escape sequence */

	char head[HEAD_BYTES_MAX]; /* what has been seen of a record's beginning, @NUMBER {"t":" */
	size_t head_length;
	size_t head_digits;
	size_t tail_length;  /* how much has been seen of a record's end, outside of candidates */
	bool tail_explained; /* the rest of this line belongs to a candidate that was too long */

	char text[RECORD_BYTES_MAX]; /* the candidate being read */
	size_t text_length;	     /* 0 outside of candidates */
	unsigned long text_line;
};

void stream_init(struct stream *s, candidate_fn *emit, void *context);
void stream_feed(struct stream *s, const char *bytes, size_t count);
/* At the end of the input: a last line needs no line end. */
void stream_finish(struct stream *s);

#endif
