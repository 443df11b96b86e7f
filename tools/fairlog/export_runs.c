/* SPDX-License-Identifier: GPL-2.0-or-later
 * fairlog export csv, jsonl: one row for each run, with every field of its record. The switches are columns knobs.NAME, the
 * workload's own figures result.NAME; a list is one cell of numbers with blanks between them. */
#define _GNU_SOURCE /* tdestroy */
#include "tools/fairlog/export.h"

#include "tools/fairlog/allocate.h"
#include "tools/fairlog/commands.h"
#include "tools/fairlog/log.h"
#include "tools/fairlog/record.h"
#include "tools/fairlog/schema.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

/* ---- reading: the runs of one boot, the last if none is chosen ---- */

struct runs {
	unsigned only_boot;
	unsigned boot; /* that they are of */
	json_t **run;
	size_t count, room;
	bool is_whole;
	char verdict[VERDICT_BYTES];
};

static void drop_runs(struct runs *runs)
{
	for (size_t i = 0; i < runs->count; i++)
		json_decref(runs->run[i]);
	runs->count = 0;
}

static void take_record(void *context, const struct boot *boot, enum record_type type, const json_t *record)
{
	struct runs *runs = context;

	if (type != RECORD_run || (runs->only_boot != 0 && runs->only_boot != boot->number))
		return;
	if (runs->boot != boot->number)
		drop_runs(runs);
	runs->boot = boot->number;
	if (runs->count == runs->room) {
		runs->room = runs->room ? 2 * runs->room : 64;
		runs->run = allocate(runs->run, runs->room * sizeof *runs->run);
	}
	runs->run[runs->count++] = json_incref((json_t *)record);
}

static void take_boot(void *context, struct boot *boot)
{
	struct runs *runs = context;

	if (runs->only_boot == 0 || runs->only_boot == boot->number) {
		if (runs->boot != boot->number)
			drop_runs(runs);
		runs->boot = boot->number;
		runs->is_whole = boot_is_whole(boot);
		boot_verdict(boot, runs->verdict);
	}
	boot_free(boot);
}

static int export_runs(FILE *in, const char *file, unsigned only_boot, void (*print)(const struct runs *runs))
{
	struct runs runs = { .only_boot = only_boot };
	struct log_reader reader = { .context = &runs, .boot_done = take_boot };
	int boots = log_read_records(in, &reader, take_record);

	if (boots < 0) {
		fprintf(stderr, "fairlog export: cannot read %s: %s\n", file, strerror(errno));
		return EXIT_UNREADABLE;
	}
	if (runs.boot == 0) {
		fprintf(stderr, "fairlog export: %s: no such boot; expected a number from 1 to %d\n", file, boots);
		return EXIT_UNREADABLE;
	}
	print(&runs);
	if (!runs.is_whole)
		fprintf(stderr, "fairlog export: %s: %s\n", file, runs.verdict);
	drop_runs(&runs);
	free(runs.run);
	return runs.is_whole ? EXIT_WHOLE : EXIT_DAMAGED;
}

/* ---- CSV, as in RFC 4180 with LF ---- */

static void print_cell(const char *text)
{
	bool quote = strpbrk(text, ",\" ") != NULL;

	if (!quote) {
		printf("%s", text);
		return;
	}
	putchar('"');
	for (; *text != '\0'; text++)
		printf(*text == '"' ? "\"\"" : "%c", *text);
	putchar('"');
}

static void print_value(const json_t *value)
{
	if (json_is_string(value))
		print_cell(json_string_value(value));
	else if (json_is_integer(value))
		printf("%" PRIu64, record_integer(value));
	for (size_t i = 0; i < json_array_size(value); i++)
		printf("%s%" PRIu64, i ? " " : "", record_integer(json_array_get(value, i)));
}

/* The names that any run has in that map, in the order of their first appearance. */
struct columns {
	const char **name;
	size_t count;
};

static bool has_column(const struct columns *columns, const char *name)
{
	for (size_t i = 0; i < columns->count; i++)
		if (strcmp(columns->name[i], name) == 0)
			return true;
	return false;
}

static struct columns columns_of(const struct runs *runs, enum record_field map)
{
	struct columns columns = { 0 };

	for (size_t i = 0; i < runs->count; i++) {
		json_t *entries = (json_t *)record_get(runs->run[i], map); /* jansson's iterators are not const */

		for (void *at = json_object_iter(entries); at; at = json_object_iter_next(entries, at)) {
			if (has_column(&columns, json_object_iter_key(at)))
				continue;
			columns.name = allocate(columns.name, (columns.count + 1) * sizeof *columns.name);
			columns.name[columns.count++] = json_object_iter_key(at);
		}
	}
	return columns;
}

static void print_head(const struct columns *result, const struct columns *knobs)
{
	const char *before = "";

#define RECORD(type, meaning)
#define FIELD(type, key, kind, meaning)                                                                                            \
	if (RECORD_##type == RECORD_run && FIELD_##type##_##key != FIELD_run_result && FIELD_##type##_##key != FIELD_run_knobs) {  \
		printf("%s%s", before, #key);                                                                                      \
		before = ",";                                                                                                      \
	}
#include "base/record.def"
#undef RECORD
#undef FIELD
	for (size_t i = 0; i < result->count; i++)
		printf(",result.%s", result->name[i]);
	for (size_t i = 0; i < knobs->count; i++)
		printf(",knobs.%s", knobs->name[i]);
	putchar('\n');
}

static void print_map(const json_t *map, const struct columns *columns)
{
	for (size_t i = 0; i < columns->count; i++) {
		putchar(',');
		print_value(json_object_get(map, columns->name[i]));
	}
}

static void print_row(const json_t *run, const struct columns *result, const struct columns *knobs)
{
	for (enum record_field f = FIELD_run_workload; f <= FIELD_run_knobs; f++) {
		if (f == FIELD_run_result || f == FIELD_run_knobs)
			continue;
		if (f != FIELD_run_workload)
			putchar(',');
		print_value(record_get(run, f));
	}
	print_map(record_get(run, FIELD_run_result), result);
	print_map(record_get(run, FIELD_run_knobs), knobs);
	putchar('\n');
}

static void print_csv(const struct runs *runs)
{
	struct columns result = columns_of(runs, FIELD_run_result), knobs = columns_of(runs, FIELD_run_knobs);

	print_head(&result, &knobs);
	for (size_t i = 0; i < runs->count; i++)
		print_row(runs->run[i], &result, &knobs);
	free(result.name);
	free(knobs.name);
}

int export_csv(FILE *in, const char *file, unsigned only_boot)
{
	return export_runs(in, file, only_boot, print_csv);
}

/* ---- JSON lines: the record as it is, without its type ---- */

static void print_json_string(const char *text)
{
	putchar('"');
	for (; *text != '\0'; text++)
		printf(*text == '"' || *text == '\\' ? "\\%c" : "%c", *text);
	putchar('"');
}

static void print_json(json_t *value)
{
	const char *before = "";

	if (json_is_string(value)) {
		print_json_string(json_string_value(value));
	} else if (json_is_integer(value)) {
		printf("%" PRIu64, record_integer(value));
	} else if (json_is_array(value)) {
		putchar('[');
		for (size_t i = 0; i < json_array_size(value); i++, before = ",") {
			printf("%s", before);
			print_json(json_array_get(value, i));
		}
		putchar(']');
	} else {
		putchar('{');
		for (void *at = json_object_iter(value); at; at = json_object_iter_next(value, at)) {
			if (strcmp(json_object_iter_key(at), "t") == 0)
				continue;
			printf("%s", before);
			print_json_string(json_object_iter_key(at));
			putchar(':');
			print_json(json_object_iter_value(at));
			before = ",";
		}
		putchar('}');
	}
}

static void print_jsonl(const struct runs *runs)
{
	for (size_t i = 0; i < runs->count; i++) {
		print_json(runs->run[i]);
		putchar('\n');
	}
}

int export_jsonl(FILE *in, const char *file, unsigned only_boot)
{
	return export_runs(in, file, only_boot, print_jsonl);
}
