/* SPDX-License-Identifier: GPL-2.0-or-later
 * Compares records with the list in base/record.def. */
#include "tools/fairlog/schema.h"

#include "tools/fairlog/record.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* That integers are unsigned and strings printable is record.c's doing. */
enum kind { UINT, UINTS, STR, STRS, MAP };

static const char *const kind_text[] = {
	[UINT] = "an unsigned integer",
	[UINTS] = "an array of unsigned integers",
	[STR] = "a string of printable ASCII",
	[STRS] = "an array of strings of printable ASCII",
	[MAP] = "an object with unsigned integers and strings of printable ASCII",
};

static const char *const type_name[] = {
#define RECORD(type, meaning) [RECORD_##type] = #type,
#define FIELD(type, key, kind, meaning)
#include "base/record.def"
#undef RECORD
#undef FIELD
};

static const struct {
	const char *key;
	enum record_type type;
	enum kind kind;
	const char *meaning;
} fields[] = {
#define RECORD(type, meaning)
#define FIELD(type, key, kind, meaning) [FIELD_##type##_##key] = { #key, RECORD_##type, kind, meaning },
#include "base/record.def"
#undef RECORD
#undef FIELD
};

/* The first field of a type that comes at f or later, in the order of the list, or NR_FIELDS. */
static enum record_field next_field(enum record_type type, unsigned f)
{
	while (f < NR_FIELDS && fields[f].type != type)
		f++;
	return f;
}

struct report {
	complain_fn *complain;
	void *context;
	int count;
};

static __attribute__((format(printf, 2, 3))) void complain(struct report *report, const char *format, ...)
{
	char text[REASON_BYTES];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof text, format, args);
	va_end(args);
	report->complain(report->context, text);
	report->count++;
}

static bool is_uint(const json_t *value)
{
	return json_is_integer(value);
}

static bool is_str(const json_t *value)
{
	return json_is_string(value);
}

static bool is_array_of(const json_t *array, bool (*is_element)(const json_t *value))
{
	if (!json_is_array(array))
		return false;
	for (size_t i = 0; i < json_array_size(array); i++) {
		if (!is_element(json_array_get(array, i)))
			return false;
	}
	return true;
}

static bool is_map(json_t *map)
{
	if (!json_is_object(map))
		return false;
	for (void *at = json_object_iter(map); at; at = json_object_iter_next(map, at)) {
		const json_t *value = json_object_iter_value(at);

		if (!is_uint(value) && !is_str(value))
			return false;
	}
	return true;
}

static bool is_kind(json_t *value, enum kind kind)
{
	switch (kind) {
	case UINT:
		return is_uint(value);
	case UINTS:
		return is_array_of(value, is_uint);
	case STR:
		return is_str(value);
	case STRS:
		return is_array_of(value, is_str);
	case MAP:
		return is_map(value);
	}
	return false;
}

static bool has_field(enum record_type type, const char *key)
{
	for (unsigned f = next_field(type, 0); f < NR_FIELDS; f = next_field(type, f + 1)) {
		if (strcmp(fields[f].key, key) == 0)
			return true;
	}
	return false;
}

enum record_type record_type(const json_t *record)
{
	const char *name = json_string_value(json_object_get(record, "t"));

	for (enum record_type type = 0; name && type < NR_RECORDS; type++) {
		if (strcmp(type_name[type], name) == 0)
			return type;
	}
	return NR_RECORDS;
}

const char *record_meaning(enum record_field field)
{
	return fields[field].meaning;
}

const char *record_type_name(enum record_type type)
{
	return type_name[type];
}

static void check_fields_present(json_t *record, enum record_type type, struct report *report)
{
	for (unsigned f = next_field(type, 0); f < NR_FIELDS; f = next_field(type, f + 1)) {
		json_t *value = json_object_get(record, fields[f].key);

		if (!value)
			complain(report, "field %s is missing; expected %s", fields[f].key, kind_text[fields[f].kind]);
		else if (!is_kind(value, fields[f].kind))
			complain(
				report, "field %s is not what it should be; expected %s", fields[f].key, kind_text[fields[f].kind]);
	}
}

static void check_fields_known(json_t *record, enum record_type type, struct report *report)
{
	for (void *at = json_object_iter(record); at; at = json_object_iter_next(record, at)) {
		const char *key = json_object_iter_key(at);

		if (strcmp(key, "t") != 0 && !has_field(type, key))
			complain(report, "field %.60s is not known in this type", key);
	}
}

/* For a record that has the right fields: they come in the order of the list, behind "t". jansson keeps the order of the text. */
static void check_fields_order(json_t *record, enum record_type type, struct report *report)
{
	void *at = json_object_iter(record);

	for (unsigned f = next_field(type, 0); f < NR_FIELDS; f = next_field(type, f + 1)) {
		at = json_object_iter_next(record, at);
		if (!at || strcmp(json_object_iter_key(at), fields[f].key) != 0) {
			complain(report, "field %s is out of order", fields[f].key);
			return;
		}
	}
}

int record_check(const json_t *record, complain_fn *complain_to, void *context)
{
	struct report report = { complain_to, context, 0 };
	enum record_type type = record_type(record);
	const char *name = json_string_value(json_object_get(record, "t"));
	json_t *object = (json_t *)record; /* jansson's iterators are not const */

	if (type == NR_RECORDS) {
		complain(&report, "type \"%.60s\" is not known", name ? name : "");
		return report.count;
	}
	check_fields_present(object, type, &report);
	check_fields_known(object, type, &report);
	if (report.count == 0)
		check_fields_order(object, type, &report);
	return report.count;
}

const json_t *record_get(const json_t *record, enum record_field field)
{
	return json_object_get(record, fields[field].key);
}

uint64_t record_get_uint(const json_t *record, enum record_field field)
{
	return record_integer(record_get(record, field));
}

const char *record_get_string(const json_t *record, enum record_field field)
{
	return json_string_value(record_get(record, field));
}
