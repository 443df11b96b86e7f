/* SPDX-License-Identifier: GPL-2.0-or-later
 * The record writer. */
#include "base/record.h"

#include "base/bug.h"
#include "base/results.h"
#include "base/string.h"
#include "base/text.h"

enum record_kind { KIND_UINT, KIND_UINTS, KIND_STR, KIND_STRS, KIND_MAP };

static const char *const record_name[NR_RECORDS] = {
#define RECORD(type, meaning) [RECORD_##type] = #type,
#define FIELD(type, key, kind, meaning)
#include "base/record.def"
#undef RECORD
#undef FIELD
};

static const struct {
	const char *key;
	u8 record, kind;
} field_of[NR_FIELDS] = {
#define RECORD(type, meaning)
#define FIELD(type, key, kind, meaning) [FIELD_##type##_##key] = { #key, RECORD_##type, KIND_##kind },
#include "base/record.def"
#undef RECORD
#undef FIELD
};

enum { RECORD_BYTES = 60 * 1024 };

static struct {
	char text[RECORD_BYTES];
	size_t used;
	u64 seq;
	unsigned type, next; /* the record being written, and the field that must come now */
	bool open, in_map, first_entry;
} line;

static void put_bytes(const char *s, size_t n)
{
	bug_on(line.used + n > RECORD_BYTES);
	memcpy(line.text + line.used, s, n);
	line.used += n;
}

static void put(const char *s)
{
	put_bytes(s, strlen(s));
}

static void put_uint(u64 value)
{
	char digits[24];

	put_bytes(digits, (size_t)text_format(digits, sizeof(digits), "%llu", (unsigned long long)value));
}

/* JSON string of ASCII; what is not printable is written as its byte's code point. */
static void put_string(const char *s)
{
	put("\"");
	for (; *s; s++) {
		u8 c = (u8)*s;
		char escape[8];

		if (c == '"' || c == '\\')
			put("\\");
		if (c >= 0x20 && c < 0x7f)
			put_bytes(s, 1);
		else
			put_bytes(escape, (size_t)text_format(escape, sizeof(escape), "\\u%04x", c));
	}
	put("\"");
}

static void put_field(enum record_field field, enum record_kind kind)
{
	bug_on(!line.open || line.in_map);
	bug_on(field != line.next || field_of[field].record != line.type || field_of[field].kind != kind);
	line.next++;
	put(",");
	put_string(field_of[field].key);
	put(":");
}

static unsigned first_field(enum record_type type)
{
	unsigned field = 0;

	while (field_of[field].record != type)
		field++;
	return field;
}

void record_begin(enum record_type type)
{
	line.used = 0;
	line.open = true;
	line.in_map = false;
	line.type = type;
	line.next = first_field(type);
	put("@");
	put_uint(line.seq);
	put(" {\"t\":");
	put_string(record_name[type]);
}

void record_uint(enum record_field field, u64 value)
{
	put_field(field, KIND_UINT);
	put_uint(value);
}

void record_uints(enum record_field field, const u64 *value, unsigned n)
{
	put_field(field, KIND_UINTS);
	put("[");
	for (unsigned i = 0; i < n; i++) {
		if (i)
			put(",");
		put_uint(value[i]);
	}
	put("]");
}

void record_str(enum record_field field, const char *value)
{
	put_field(field, KIND_STR);
	put_string(value);
}

void record_strs(enum record_field field, const char *const *value, unsigned n)
{
	put_field(field, KIND_STRS);
	put("[");
	for (unsigned i = 0; i < n; i++) {
		if (i)
			put(",");
		put_string(value[i]);
	}
	put("]");
}

void record_map_open(enum record_field field)
{
	put_field(field, KIND_MAP);
	put("{");
	line.in_map = true;
	line.first_entry = true;
}

static void put_entry(const char *name)
{
	bug_on(!line.in_map);
	if (!line.first_entry)
		put(",");
	line.first_entry = false;
	put_string(name);
	put(":");
}

void record_map_uint(const char *name, u64 value)
{
	put_entry(name);
	put_uint(value);
}

void record_map_str(const char *name, const char *value)
{
	put_entry(name);
	put_string(value);
}

void record_map_close(void)
{
	bug_on(!line.in_map);
	line.in_map = false;
	put("}");
}

void record_end(void)
{
	char tail[16];

	bug_on(!line.open || line.in_map);
	bug_on(line.next < NR_FIELDS && field_of[line.next].record == line.type);
	put("}");
	put_bytes(tail, (size_t)text_format(tail, sizeof(tail), " *%08x\n", crc32(line.text, line.used)));
	line.seq++;
	line.open = false;
	results_note(line.text, line.used);
	say_bytes(line.text, line.used);
}
