/* SPDX-License-Identifier: GPL-2.0-or-later
 * A record taken apart in one pass over its text, for logs of which there is much. There is one writer, and it has one way of
 * writing a record (base/record.c): what deviates from that by as much as a blank is none. */
#ifndef FAIRLOG_SCAN_H
#define FAIRLOG_SCAN_H

#include "base/record.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct span {
	const char *at, *end;
};

/* Points into the text that it was read from. */
struct scan {
	enum record_type type;
	/* The text of each field of that type, what encloses it left out: quotation marks, brackets, braces. */
	struct span value[NR_FIELDS];
};

/* Reads an object of the list in base/record.def. Returns false if the text is anything else; it says no more than that, but
 * frame_json and record_check do. Whatever it takes, these two take as well. */
bool scan_record(const char *json, size_t length, struct scan *scan);

/* The kind of a field, and the value of one that is. */
bool scan_is_uint(enum record_field field);
uint64_t scan_uint(const struct scan *scan, enum record_field field);

/* How many elements a UINTS, STRS or MAP has at most. */
size_t scan_room(struct span list);

/* Take the next number of a UINTS, or the next entry of a MAP that is a number, off its front; false at its end. */
bool scan_next_uint(struct span *rest, uint64_t *number);
bool scan_next_figure(struct span *rest, struct span *name, uint64_t *number);

/* Copies a string as frame_json has it: quotation marks and backslashes are themselves, other escapes stay. Text has room for it
 * and a NUL. */
void scan_string(struct span string, char *text);

#endif
