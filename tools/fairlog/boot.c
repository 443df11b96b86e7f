/* SPDX-License-Identifier: GPL-2.0-or-later
 * Keeps what one boot wrote and sums up in one line how much of it is there. */
#include "tools/fairlog/boot.h"

#include "tools/fairlog/allocate.h"
#include "tools/fairlog/page.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct boot *boot_new(unsigned number, unsigned long line)
{
	struct boot *boot = allocate(NULL, sizeof *boot);

	*boot = (struct boot){ .number = number, .first_line = line, .last_line = line, .format_known = true };
	return boot;
}

void boot_free(struct boot *boot)
{
	if (!boot)
		return;
	for (enum record_type type = 0; type < NR_RECORDS; type++)
		json_decref(boot->record[type]);
	for (size_t i = 0; i < boot->run_count; i++)
		run_free(boot->runs[i]);
	free(boot->runs);
	for (size_t i = 0; i < boot->sequences; i++)
		json_decref(boot->sequence[i]);
	free(boot->sequence);
	names_free(&boot->names);
	free(boot);
}

void boot_add_run(struct boot *boot, struct run *run)
{
	if (boot->run_count == boot->run_room) {
		boot->run_room = boot->run_room ? boot->run_room * 2 : 64;
		boot->runs = allocate(boot->runs, boot->run_room * sizeof(struct run *));
	}
	boot->runs[boot->run_count++] = run;
}

void boot_add_sequence(struct boot *boot, json_t *record)
{
	boot->sequence = allocate(boot->sequence, (boot->sequences + 1) * sizeof(json_t *));
	boot->sequence[boot->sequences++] = json_incref(record);
}

bool boot_is_whole(const struct boot *boot)
{
	return boot->problems == 0;
}

static __attribute__((format(printf, 2, 3))) void append(char text[VERDICT_BYTES], const char *format, ...)
{
	size_t used = strlen(text);
	va_list args;

	va_start(args, format);
	vsnprintf(text + used, VERDICT_BYTES - used, format, args);
	va_end(args);
}

static void append_count(char text[VERDICT_BYTES], uint64_t count, const char *what)
{
	if (count > 0)
		append(text, ", %" PRIu64 " %s", count, what);
}

static void append_end(char text[VERDICT_BYTES], const json_t *end)
{
	const char *message = record_get_string(end, FIELD_end_message);

	append(text, "; ended %s%s%s", record_get_string(end, FIELD_end_status), *message ? ": " : "", message);
}

const char *boot_verdict(const struct boot *boot, char text[VERDICT_BYTES])
{
	const json_t *end = boot->record[RECORD_end];
	const char *word = "damaged";

	if (boot_is_whole(boot))
		word = "whole";
	else if (!boot->format_known)
		word = "unknown format";
	else if (!end && boot->problems == 1)
		word = "incomplete";

	snprintf(text, VERDICT_BYTES, "%s: %" PRIu64 " good record%s", word, boot->records, plural(boot->records));
	append_count(text, boot->damaged, "damaged");
	append_count(text, boot->missing, "missing");
	append_count(text, boot->refused, "not as expected");
	append(text, "; %" PRIu64 " run%s, %" PRIu64 " failed", boot->run_records, plural(boot->run_records), boot->runs_failed);
	if (boot->record[RECORD_fault])
		append(text, "; stopped by a fault");
	if (end)
		append_end(text, end);
	else
		append(text, "; no end record");
	return text;
}
