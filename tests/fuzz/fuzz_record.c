/* SPDX-License-Identifier: GPL-2.0-or-later
 * Any text is a record: scan.c, which reads those that are right, and record.c with schema.c, which explain those that are not,
 * must agree on which are which, and on every value. */
#include "tools/fairlog/allocate.h"
#include "tools/fairlog/record.h"
#include "tools/fairlog/run.h"
#include "tools/fairlog/schema.h"

#include <stdint.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

static void expect(bool is_so)
{
	if (!is_so)
		abort();
}

/* ---- values ---- */

static void compare_string(const char *text, struct span string)
{
	char *copy = allocate(NULL, (size_t)(string.end - string.at) + 1);

	scan_string(string, copy);
	expect(strcmp(copy, text) == 0);
	free(copy);
}

static void compare_uints(const json_t *array, struct span uints)
{
	struct pack pack = pack_new(uints);
	const unsigned char *at = pack.bytes;
	uint64_t number;

	expect(pack.count == json_array_size(array));
	for (size_t i = 0; i < json_array_size(array); i++) {
		expect(scan_next_uint(&uints, &number));
		expect(number == record_integer(json_array_get(array, i)));
		expect(number == pack_next(&at));
	}
	expect(!scan_next_uint(&uints, &number));
	pack_free(&pack);
}

static void compare_map(json_t *map, struct span entries)
{
	struct span name;
	uint64_t number;

	expect(scan_room(entries) >= json_object_size(map));
	for (void *at = json_object_iter(map); at; at = json_object_iter_next(map, at)) {
		if (!json_is_integer(json_object_iter_value(at)))
			continue;
		expect(scan_next_figure(&entries, &name, &number));
		compare_string(json_object_iter_key(at), name);
		expect(number == record_integer(json_object_iter_value(at)));
	}
	expect(!scan_next_figure(&entries, &name, &number));
}

static void compare_field(const json_t *record, const struct scan *scan, enum record_field field)
{
	json_t *value = (json_t *)record_get(record, field);
	struct span text = scan->value[field];

	expect(scan_is_uint(field) == json_is_integer(value));
	if (json_is_integer(value))
		expect(scan_uint(scan, field) == record_integer(value));
	else if (json_is_string(value))
		compare_string(json_string_value(value), text);
	else if (json_is_object(value))
		compare_map(value, text);
	else if (json_array_size(value) == 0 || json_is_integer(json_array_get(value, 0)))
		compare_uints(value, text);
}

static const enum record_type type_of[NR_FIELDS] = {
#define RECORD(type, meaning)
#define FIELD(type, key, kind, meaning) [FIELD_##type##_##key] = RECORD_##type,
#include "base/record.def"
#undef RECORD
#undef FIELD
};

/* ---- records ---- */

static void ignore(void *context, const char *complaint)
{
	(void)context;
	(void)complaint;
}

/* How long the escape at the start of the text is, if the kernel writes such; else 0. */
static size_t escape_length(const char *text)
{
	if (text[1] == '"' || text[1] == '\\')
		return 2;
	return strncmp(text + 1, "u00", 3) == 0 && strspn(text + 4, "0123456789abcdef") >= 2 ? 6 : 0;
}

/* JSON that the kernel could have written: no blanks between its parts, and only the escapes that it uses. */
static bool is_kernel_style(const char *text)
{
	bool in_string = false;

	while (*text != '\0') {
		size_t length = in_string && *text == '\\' ? escape_length(text) : 1;

		if (length == 0 || (!in_string && *text == ' '))
			return false;
		if (*text == '"')
			in_string = !in_string;
		text += length;
	}
	return true;
}

static void compare_readings(const struct frame *frame, const char *text)
{
	struct scan scan;
	char reason[REASON_BYTES];
	json_t *record = frame_json(frame, reason);
	bool is_right = record && record_check(record, ignore, NULL) == 0;

	if (scan_record(frame->json, frame->json_length, &scan)) {
		expect(is_right && record_type(record) == scan.type);
		for (enum record_field f = 0; f < NR_FIELDS; f++) {
			if (type_of[f] == scan.type)
				compare_field(record, &scan, f);
		}
	} else {
		expect(!is_right || !is_kernel_style(text));
	}
	json_decref(record);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
	struct frame frame = { .json_length = count };
	/* To the byte, so that the sanitizer sees what is read behind it. */
	char *json = memcpy(allocate(NULL, count), bytes, count);
	char reason[REASON_BYTES], *copy;

	frame.json = json;
	copy = memcpy(allocate(NULL, count + 1), bytes, count);
	copy[count] = '\0';
	compare_readings(&frame, copy);
	frame_read(json, count, &frame, reason);
	free(copy);
	free(json);
	return 0;
}
