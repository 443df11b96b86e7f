/* SPDX-License-Identifier: GPL-2.0-or-later
 * Writing the log's machine-readable records: one line each, numbered, with a checksum. record.def lists them.
 *
 * One record at a time: record_begin(), its fields in the order of the list, record_end(). A forgotten, repeated or misplaced field
 * is a bug and stops the machine. The caller is the only writer (the lab's main task, or a CPU that reports a fault).
 */
#ifndef BASE_RECORD_H
#define BASE_RECORD_H

#include "base/crc32.h"
#include "base/types.h"

enum { RECORD_FORMAT = 1 };

enum record_type {
#define RECORD(type, meaning) RECORD_##type,
#define FIELD(type, key, kind, meaning)
#include "base/record.def"
#undef RECORD
#undef FIELD
	NR_RECORDS,
};

enum record_field {
#define RECORD(type, meaning)
#define FIELD(type, key, kind, meaning) FIELD_##type##_##key,
#include "base/record.def"
#undef RECORD
#undef FIELD
	NR_FIELDS,
};

void record_begin(enum record_type type);
void record_uint(enum record_field field, u64 value);
void record_uints(enum record_field field, const u64 *value, unsigned n);
void record_str(enum record_field field, const char *value);
void record_strs(enum record_field field, const char *const *value, unsigned n);
/* A MAP: open, its entries, close. */
void record_map_open(enum record_field field);
void record_map_uint(const char *name, u64 value);
void record_map_str(const char *name, const char *value);
void record_map_close(void);
/* Completes the line and hands it to the text stream. */
void record_end(void);

#endif
