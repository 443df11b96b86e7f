/* SPDX-License-Identifier: GPL-2.0-or-later
 * One record's frame, @SEQ {json} *CRC32, and the JSON object in it. */
#ifndef FAIRLOG_RECORD_H
#define FAIRLOG_RECORD_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { REASON_BYTES = 256 };

/* Points into the text that it was read from. */
struct frame {
	uint64_t seq;
	const char *json;
	size_t json_length;
	uint32_t crc;	   /* IEEE CRC32 of everything from '@' to the final '}' */
	size_t crc_length; /* how many bytes those are */
};

/* Reads the frame at the start of text; what follows the CRC is not looked at. Returns false, and says why, if none of the ends
 * that the text offers has the right CRC. */
bool frame_read(const char *text, size_t length, struct frame *frame, char reason[REASON_BYTES]);

/* The object in a frame, owned by the caller, or NULL and why. Its numbers are integers from 0 to 2^64-1, to be read with
 * record_integer. Its strings are printable ASCII: what the writer had to escape shows as its escape, such as \u001b. */
json_t *frame_json(const struct frame *frame, char reason[REASON_BYTES]);

/* The value of an integer in a record. jansson's are signed and end at 2^63-1, where kernel addresses have yet to begin; records
 * have no negative ones, so frame_json keeps the upper half as two's complement. */
uint64_t record_integer(const json_t *integer);

#endif
