/* SPDX-License-Identifier: GPL-2.0-or-later
 * Puts records in sequence. The rule is to use only what is certain and to say what is not: a number that goes back is another
 * boot, unless it is the very same record once more; a number that jumps leaves records missing. */
#include "tools/fairlog/log.h"

#include "tools/fairlog/allocate.h"
#include "tools/fairlog/stream.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { CHUNK_BYTES = 65536 }; /* read at a time */

struct log {
	const struct log_reader *reader;
	log_record_fn *record; /* may be NULL */
	struct boot *boot;     /* the one being read, NULL before the first candidate */
	unsigned boots;
	uint64_t damaged_since; /* damaged candidates since the last good frame */
	struct stream stream;
};

static void say(struct log *log, unsigned long line, char *text)
{
	/* What is quoted from a log may be anything, and must not reach a terminal as it is. */
	for (char *c = text; *c != '\0'; c++) {
		if (*c < ' ' || *c > '~')
			*c = '?';
	}
	if (log->reader->say)
		log->reader->say(log->reader->context, log->boot->number, line, text);
}

static __attribute__((format(printf, 3, 4))) void note(struct log *log, unsigned long line, const char *format, ...)
{
	char text[PROBLEM_BYTES] = "note: ";
	va_list args;

	va_start(args, format);
	vsnprintf(text + strlen(text), sizeof text - strlen(text), format, args);
	va_end(args);
	say(log, line, text);
}

static __attribute__((format(printf, 3, 4))) void problem(struct log *log, unsigned long line, const char *format, ...)
{
	struct boot *boot = log->boot;
	char text[PROBLEM_BYTES - 32];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof text, format, args);
	va_end(args);
	say(log, line, text);
	if (boot->problems < PROBLEMS_KEPT)
		snprintf(boot->problem[boot->problems], PROBLEM_BYTES, "line %lu: %s", line, text);
	boot->problems++;
}

static void begin_boot(struct log *log, unsigned long line)
{
	log->boot = boot_new(++log->boots, line);
}

/* The end record counts the runs; comparing only makes sense when nothing else is wrong. */
static void check_end(struct log *log)
{
	struct boot *boot = log->boot;
	const json_t *end = boot->record[RECORD_end];
	uint64_t runs, failed;

	if (!boot->record[RECORD_boot])
		note(log, boot->first_line, "there is no boot record to tell the format; read as format %d", RECORD_FORMAT);
	if (!end && boot->next_seq == 0)
		problem(log, boot->last_line, "no end record: nothing in the log can be read");
	else if (!end)
		problem(log, boot->last_line, "no end record: the log breaks off after record %" PRIu64, boot->next_seq - 1);
	if (boot->problems > 0)
		return;
	runs = record_get_uint(end, FIELD_end_runs);
	failed = record_get_uint(end, FIELD_end_failed);
	if (runs != boot->run_records)
		problem(log, boot->last_line, "the end record counts %" PRIu64 " runs; the log has %" PRIu64, runs,
			boot->run_records);
	if (failed != boot->runs_failed)
		problem(log, boot->last_line, "the end record counts %" PRIu64 " failed runs; the log has %" PRIu64, failed,
			boot->runs_failed);
}

static void end_boot(struct log *log)
{
	if (!log->boot)
		return;
	if (log->boot->format_known)
		check_end(log);
	log->reader->boot_done(log->reader->context, log->boot);
	log->boot = NULL;
}

static void report_gap(struct log *log, unsigned long line, uint64_t seq)
{
	uint64_t first = log->boot->next_seq, last = seq - 1;
	char damaged[80] = "";

	if (seq == first)
		return;
	log->boot->missing += seq - first;
	if (log->damaged_since > 0)
		snprintf(damaged, sizeof damaged, "; damaged lines just before: %" PRIu64, log->damaged_since);
	if (first == last)
		problem(log, line, "record %" PRIu64 " is missing before this one, record %" PRIu64 "%s", first, seq, damaged);
	else
		problem(log, line, "records %" PRIu64 "..%" PRIu64 " are missing before this one, record %" PRIu64 "%s", first,
			last, seq, damaged);
}

/* Finds a frame's place in the sequence. Returns false if it is there already. */
static bool place_frame(struct log *log, unsigned long line, const struct frame *frame)
{
	if (!log->boot)
		begin_boot(log, line);
	if (boot_has(log->boot, frame)) {
		note(log, line, "record %" PRIu64 " comes again, the same to the letter; used once", frame->seq);
		return false;
	}
	if (log->boot->seen_count > 0 && frame->seq < log->boot->next_seq) {
		uint64_t last = log->boot->next_seq - 1;

		end_boot(log);
		begin_boot(log, line);
		note(log, line, "record %" PRIu64 " after record %" PRIu64 ": boot %u begins here", frame->seq, last, log->boots);
	}
	report_gap(log, line, frame->seq);
	boot_remember(log->boot, frame);
	log->boot->next_seq = frame->seq + 1;
	log->boot->last_line = line;
	log->damaged_since = 0;
	return true;
}

struct complaint {
	struct log *log;
	unsigned long line;
	uint64_t seq;
	const char *type;
};

static void complain(void *context, const char *text)
{
	const struct complaint *c = context;

	problem(c->log, c->line, "record %" PRIu64 "%s%s: %s; not used", c->seq, c->type ? " of type " : "", c->type ? c->type : "",
		text);
}

/* A boot record is read for its format before it is compared with a list that may not be its own. */
static bool check_format(struct log *log, unsigned long line, const json_t *record)
{
	const json_t *format = record_get(record, FIELD_boot_format);

	if (record_type(record) != RECORD_boot || !json_is_integer(format) || record_integer(format) == RECORD_FORMAT)
		return true;
	log->boot->format_known = false;
	problem(log, line, "the records have format %" PRIu64 "; this fairlog reads format %d and does not look further",
		record_integer(format), RECORD_FORMAT);
	return false;
}

static void check_place(struct log *log, unsigned long line, uint64_t seq, enum record_type type)
{
	if ((seq == 0) != (type == RECORD_boot))
		problem(log, line, "record %" PRIu64 " is of type %s; expected boot as record 0 and nowhere else", seq,
			record_type_name(type));
	if (log->boot->record[RECORD_end])
		problem(log, line, "record %" PRIu64 " comes after the end record; expected none", seq);
}

static void keep_run(struct log *log, const json_t *record)
{
	if (strcmp(record_get_string(record, FIELD_run_status), "ok") != 0)
		log->boot->runs_failed++;
	if (log->reader->keep_runs)
		boot_add_run(log->boot, run_new(record, &log->boot->names));
}

/* The run that a record behind it belongs to; NULL if that was lost or refused: then nobody can tell what the record is of. */
static struct run *run_at(const struct boot *boot, uint64_t position)
{
	struct run *run = boot->run_count > 0 ? boot->runs[boot->run_count - 1] : NULL;

	return run && run_uint(run, FIELD_run_position) == position ? run : NULL;
}

static void keep_latency(struct log *log, const json_t *record)
{
	struct run *run = run_at(log->boot, record_get_uint(record, FIELD_latency_position));

	if (run)
		run_add_latency(run, record, &log->boot->names);
}

static void keep_still(struct log *log, const json_t *record)
{
	struct run *run = run_at(log->boot, record_get_uint(record, FIELD_still_position));

	if (run)
		run_add_still(run, record, &log->boot->names);
}

static void keep_sample(struct log *log, const json_t *record)
{
	struct run *run = run_at(log->boot, record_get_uint(record, FIELD_sample_position));

	if (run && log->reader->keep_samples)
		run_add_sample(run, record);
}

static void keep_record(struct log *log, json_t *record)
{
	enum record_type type = record_type(record);

	log->boot->records++;
	if (log->record)
		log->record(log->reader->context, log->boot, type, record);
	if (type == RECORD_run)
		keep_run(log, record);
	else if (type == RECORD_latency)
		keep_latency(log, record);
	else if (type == RECORD_still)
		keep_still(log, record);
	else if (type == RECORD_sample)
		keep_sample(log, record);
	else if (!log->boot->record[type] && type != RECORD_trace && type != RECORD_trace_tasks)
		log->boot->record[type] = json_incref(record);
}

static void take_frame(struct log *log, unsigned long line, const struct frame *frame)
{
	struct complaint complaint = { log, line, frame->seq, NULL };
	char reason[REASON_BYTES];
	json_t *record;
	enum record_type type;

	if (!log->boot->format_known)
		return;
	record = frame_json(frame, reason);
	if (!record) {
		log->boot->refused++;
		complain(&complaint, reason);
		return;
	}
	type = record_type(record);
	log->boot->run_records += type == RECORD_run;
	if (!check_format(log, line, record)) {
		json_decref(record);
		return;
	}
	if (type != NR_RECORDS) {
		complaint.type = record_type_name(type);
		check_place(log, line, frame->seq, type);
	}
	if (record_check(record, complain, &complaint) > 0)
		log->boot->refused++;
	else
		keep_record(log, record);
	json_decref(record);
}

static void report_damage(struct log *log, unsigned long line, const char *what, const char *reason)
{
	if (!log->boot)
		begin_boot(log, line);
	log->boot->damaged++;
	log->damaged_since++;
	problem(log, line, "%s is damaged: %s; not used", what, reason);
}

static void take_candidate(void *context, enum candidate_kind kind, unsigned long line, const char *text, size_t length)
{
	struct log *log = context;
	struct frame frame;
	char reason[REASON_BYTES], what[64];

	if (kind == CANDIDATE_HEADLESS) {
		report_damage(log, line, "a record", "it does not begin with @NUMBER {\"t\":");
		return;
	}
	if (frame_read(text, length, &frame, reason)) {
		if (place_frame(log, line, &frame))
			take_frame(log, line, &frame);
		return;
	}
	/* The stream only brings texts that have a number and a blank. */
	snprintf(what, sizeof what, "record %.*s", (int)strcspn(text + 1, " "), text + 1);
	report_damage(log, line, what, kind == CANDIDATE_TOO_LONG ? "it is longer than 64 KiB" : reason);
}

int log_read_records(FILE *in, const struct log_reader *reader, log_record_fn *record)
{
	struct log *log = allocate(NULL, sizeof *log);
	char *chunk = allocate(NULL, CHUNK_BYTES);
	size_t count;
	int boots, error;

	*log = (struct log){ .reader = reader, .record = record };
	stream_init(&log->stream, take_candidate, log);
	while ((count = fread(chunk, 1, CHUNK_BYTES, in)) > 0)
		stream_feed(&log->stream, chunk, count);
	error = ferror(in) ? errno : 0;
	stream_finish(&log->stream);
	end_boot(log);
	boots = (int)log->boots;
	free(chunk);
	free(log);
	errno = error;
	return error ? -1 : boots;
}

int log_read(FILE *in, const struct log_reader *reader)
{
	return log_read_records(in, reader, NULL);
}

struct choice {
	unsigned only_boot;
	struct boot *boot;
};

static void choose_boot(void *context, struct boot *boot)
{
	struct choice *choice = context;

	if (choice->only_boot != 0 && choice->only_boot != boot->number) {
		boot_free(boot);
		return;
	}
	boot_free(choice->boot);
	choice->boot = boot;
}

static struct boot *read_boot(FILE *in, unsigned only_boot, bool keep_samples, int *boots)
{
	struct choice choice = { .only_boot = only_boot };
	struct log_reader reader = { &choice, NULL, choose_boot, true, keep_samples };

	*boots = log_read(in, &reader);
	return choice.boot;
}

struct boot *log_read_boot(FILE *in, unsigned only_boot, int *boots)
{
	return read_boot(in, only_boot, false, boots);
}

struct boot *log_read_file(const char *file, unsigned only_boot, bool keep_samples, int *boots)
{
	bool is_stdin = strcmp(file, "-") == 0;
	FILE *in = is_stdin ? stdin : fopen(file, "rb");
	struct boot *boot;

	*boots = -1;
	if (!in)
		return NULL;
	boot = read_boot(in, only_boot, keep_samples, boots);
	if (!is_stdin)
		fclose(in);
	return boot;
}
