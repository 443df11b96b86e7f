/* SPDX-License-Identifier: GPL-2.0-or-later
 * Takes records apart. */
#include "tools/fairlog/scan.h"

#include "tools/fairlog/stream.h"

#include <string.h>

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool skip_text(struct span *s, const char *text, size_t length)
{
	if ((size_t)(s->end - s->at) < length || memcmp(s->at, text, length) != 0)
		return false;
	s->at += length;
	return true;
}

static bool skip_char(struct span *s, char wanted)
{
	if (s->at == s->end || *s->at != wanted)
		return false;
	s->at++;
	return true;
}

/* ---- the kinds: each skips one value, or returns false where there is none ---- */

/* Takes nothing if there is none: something else may be expected in its place. */
static bool take_uint(struct span *s, uint64_t *value)
{
	const char *c = s->at;

	*value = 0;
	for (; c < s->end && is_digit(*c); c++) {
		if (__builtin_mul_overflow(*value, 10, value) || __builtin_add_overflow(*value, (unsigned)(*c - '0'), value))
			return false;
	}
	if (c == s->at || (*s->at == '0' && c > s->at + 1))
		return false;
	s->at = c;
	return true;
}

static bool skip_uint(struct span *s)
{
	uint64_t value;

	return take_uint(s, &value);
}

static bool skip_hex_digit(struct span *s)
{
	if (s->at == s->end || !(is_digit(*s->at) || (*s->at >= 'a' && *s->at <= 'f')))
		return false;
	s->at++;
	return true;
}

/* What the writer escapes: quotation mark, backslash, and as \u00xx what is not printable. */
static bool skip_escape(struct span *s)
{
	if (skip_char(s, '"') || skip_char(s, '\\'))
		return true;
	return skip_text(s, "u00", 3) && skip_hex_digit(s) && skip_hex_digit(s);
}

static bool skip_str(struct span *s)
{
	if (!skip_char(s, '"'))
		return false;
	while (s->at < s->end) {
		char next = *s->at++;

		if (next == '"')
			return true;
		if (next < ' ' || next > '~' || (next == '\\' && !skip_escape(s)))
			return false;
	}
	return false;
}

static bool skip_list(struct span *s, char opening, char closing, bool (*skip_element)(struct span *s))
{
	if (!skip_char(s, opening))
		return false;
	if (skip_char(s, closing))
		return true;
	do {
		if (!skip_element(s))
			return false;
	} while (skip_char(s, ','));
	return skip_char(s, closing);
}

static bool skip_uints(struct span *s)
{
	return skip_list(s, '[', ']', skip_uint);
}

static bool skip_strs(struct span *s)
{
	return skip_list(s, '[', ']', skip_str);
}

/* ---- maps: no key may come twice ---- */

enum {
	CHAINS = 256,
	KEYS_MAX = RECORD_BYTES_MAX / (sizeof "\"\":0," - 1),
};

/* Those of the map being read, from 1. */
static struct {
	uint16_t first[CHAINS]; /* of the keys of one hash; 0: none */
	uint16_t count;
	struct key {
		struct span text;
		uint16_t next;
	} key[KEYS_MAX + 1];
} keys;

static unsigned hash_of(struct span text)
{
	unsigned hash = 0;

	for (const char *c = text.at; c < text.end; c++)
		hash = hash * 31 + (unsigned char)*c;
	return hash % CHAINS;
}

static bool is_same(struct span a, struct span b)
{
	return a.end - a.at == b.end - b.at && memcmp(a.at, b.at, (size_t)(a.end - a.at)) == 0;
}

static bool keys_add(struct span text)
{
	uint16_t *first = &keys.first[hash_of(text)];

	for (unsigned k = *first; k != 0; k = keys.key[k].next) {
		if (is_same(keys.key[k].text, text))
			return false;
	}
	if (keys.count == KEYS_MAX)
		return false;
	keys.key[++keys.count] = (struct key){ text, *first };
	*first = keys.count;
	return true;
}

static bool skip_entry(struct span *s)
{
	const char *key = s->at;

	return skip_str(s) && keys_add((struct span){ key, s->at }) && skip_char(s, ':') && (skip_uint(s) || skip_str(s));
}

static bool skip_map(struct span *s)
{
	memset(keys.first, 0, sizeof keys.first);
	keys.count = 0;
	return skip_list(s, '{', '}', skip_entry);
}

/* ---- records ---- */

static const struct {
	const char *head;
	size_t length;
} heads[NR_RECORDS] = {
#define RECORD(type, meaning) [RECORD_##type] = { "{\"t\":\"" #type "\"", sizeof "{\"t\":\"" #type "\"" - 1 },
#define FIELD(type, key, kind, meaning)
#include "base/record.def"
#undef RECORD
#undef FIELD
};

enum kind { UINT, UINTS, STR, STRS, MAP };

static bool (*const skip_kind[])(struct span *s) = {
	[UINT] = skip_uint,
	[UINTS] = skip_uints,
	[STR] = skip_str,
	[STRS] = skip_strs,
	[MAP] = skip_map,
};

static const struct field {
	const char *head;
	size_t length;
	enum record_type type;
	enum kind kind;
} fields[NR_FIELDS] = {
#define RECORD(type, meaning)
#define FIELD(type, key, kind, meaning)                                                                                            \
	[FIELD_##type##_##key] = { ",\"" #key "\":", sizeof ",\"" #key "\":" - 1, RECORD_##type, kind },
#include "base/record.def"
#undef RECORD
#undef FIELD
};

static bool scan_type(struct span *s, enum record_type *type)
{
	for (*type = 0; *type < NR_RECORDS; (*type)++) {
		if (skip_text(s, heads[*type].head, heads[*type].length))
			return true;
	}
	return false;
}

static bool scan_field(struct span *s, const struct field *field, struct span *value)
{
	const size_t enclosed = field->kind == UINT ? 0 : 1;

	if (!skip_text(s, field->head, field->length))
		return false;
	value->at = s->at + enclosed;
	if (!skip_kind[field->kind](s))
		return false;
	value->end = s->at - enclosed;
	return true;
}

bool scan_record(const char *json, size_t length, struct scan *scan)
{
	struct span s = { json, json + length };

	if (!scan_type(&s, &scan->type))
		return false;
	for (unsigned f = 0; f < NR_FIELDS; f++) {
		if (fields[f].type == scan->type && !scan_field(&s, &fields[f], &scan->value[f]))
			return false;
	}
	return skip_char(&s, '}') && s.at == s.end;
}

/* ---- what is in a value, which was found right ---- */

bool scan_is_uint(enum record_field field)
{
	return fields[field].kind == UINT;
}

uint64_t scan_uint(const struct scan *scan, enum record_field field)
{
	struct span text = scan->value[field];
	uint64_t number;

	take_uint(&text, &number);
	return number;
}

size_t scan_room(struct span list)
{
	size_t commas = 0;

	for (const char *c = list.at; c < list.end; c++)
		commas += *c == ',';
	return list.at == list.end ? 0 : commas + 1;
}

bool scan_next_uint(struct span *rest, uint64_t *number)
{
	bool is_there = take_uint(rest, number);

	skip_char(rest, ',');
	return is_there;
}

bool scan_next_figure(struct span *rest, struct span *name, uint64_t *number)
{
	bool is_figure = false;

	while (!is_figure && rest->at < rest->end) {
		name->at = rest->at + 1;
		skip_str(rest);
		name->end = rest->at - 1;
		skip_char(rest, ':');
		is_figure = take_uint(rest, number);
		if (!is_figure)
			skip_str(rest);
		skip_char(rest, ',');
	}
	return is_figure;
}

void scan_string(struct span string, char *text)
{
	for (const char *c = string.at; c < string.end; c++) {
		if (*c == '\\' && c[1] != 'u')
			c++;
		*text++ = *c;
	}
	*text = '\0';
}
