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

enum {
	CHUNK_BYTES = 65536,	/* read at a time */
	RECORDS_SEEN = 1 << 14, /* how far back a record is known again */
};

/* A record that came, to tell a line that is there twice from a new boot. */
struct seen {
	uint64_t seq;
	uint32_t crc;
	uint32_t bytes;
	unsigned boot;
};

struct log {
	const struct log_reader *reader;
	log_record_fn *record; /* may be NULL */
	struct boot *boot;     /* the one being read, NULL before the first candidate */
	unsigned boots;
	uint64_t damaged_since; /* damaged candidates since the last good frame */
	struct stream stream;
	struct scan scan; /* the record being read */
	struct seen seen[RECORDS_SEEN];
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

static struct seen *seen_at(struct log *log, uint64_t seq)
{
	return &log->seen[seq % RECORDS_SEEN];
}

static void remember(struct log *log, const struct frame *frame)
{
	*seen_at(log, frame->seq) = (struct seen){ frame->seq, frame->crc, (uint32_t)frame->crc_length, log->boot->number };
}

/* True if this very record came before in this boot. Further back than is remembered it begins another one, and whatever is in a
 * log like that, it will not be called whole. */
static bool is_repetition(struct log *log, const struct frame *frame)
{
	const struct seen *seen = seen_at(log, frame->seq);

	/* Boots that do the same write the same first record: only next to itself is it a repetition. */
	if (frame->seq == 0 && log->boot->next_seq > 1)
		return false;
	return seen->boot == log->boot->number && seen->seq == frame->seq && seen->crc == frame->crc &&
	       seen->bytes == frame->crc_length;
}

/* Finds a frame's place in the sequence. Returns false if it is there already. */
static bool place_frame(struct log *log, unsigned long line, const struct frame *frame)
{
	if (!log->boot)
		begin_boot(log, line);
	if (is_repetition(log, frame)) {
		note(log, line, "record %" PRIu64 " comes again, the same to the letter; used once", frame->seq);
		return false;
	}
	if (frame->seq < log->boot->next_seq) {
		uint64_t last = log->boot->next_seq - 1;

		end_boot(log);
		begin_boot(log, line);
		note(log, line, "record %" PRIu64 " after record %" PRIu64 ": boot %u begins here", frame->seq, last, log->boots);
	}
	report_gap(log, line, frame->seq);
	remember(log, frame);
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
static bool check_format(struct log *log, unsigned long line, uint64_t format)
{
	if (format == RECORD_FORMAT)
		return true;
	log->boot->format_known = false;
	problem(log, line, "the records have format %" PRIu64 "; this fairlog reads format %d and does not look further", format,
		RECORD_FORMAT);
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

/* "ok" has nothing in it that would be escaped. */
static bool is_ok(struct span status)
{
	return status.end - status.at == 2 && memcmp(status.at, "ok", 2) == 0;
}

static void keep_run(struct log *log, const struct scan *record)
{
	if (!is_ok(record->value[FIELD_run_status]))
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

static void keep_latency(struct log *log, const struct scan *record)
{
	struct run *run = run_at(log->boot, scan_uint(record, FIELD_latency_position));

	if (run)
		run_add_latency(run, record, &log->boot->names);
}

static void keep_still(struct log *log, const struct scan *record)
{
	struct run *run = run_at(log->boot, scan_uint(record, FIELD_still_position));

	if (run)
		run_add_still(run, record, &log->boot->names);
}

static void keep_sample(struct log *log, const struct scan *record)
{
	struct run *run = run_at(log->boot, scan_uint(record, FIELD_sample_position));

	if (run && log->reader->keep_samples)
		run_add_sample(run, record);
}

/* Those of which a log may have many come with a run, and only as much of them is kept as is asked for. */
static bool is_single(enum record_type type)
{
	return type != RECORD_run && type != RECORD_certificate && type != RECORD_still && type != RECORD_latency &&
	       type != RECORD_sample && type != RECORD_trace && type != RECORD_trace_tasks;
}

/* Making a tree of a record takes ten times as long as reading it: only if it is kept as such, or handed on. */
static void keep_tree(struct log *log, const struct frame *frame, enum record_type type)
{
	bool is_first = is_single(type) && !log->boot->record[type], is_sequence = type == RECORD_sequence;
	char reason[REASON_BYTES];
	json_t *tree = is_first || is_sequence || log->record ? frame_json(frame, reason) : NULL;

	if (log->record && tree)
		log->record(log->reader->context, log->boot, type, tree);
	if (is_sequence && tree)
		boot_add_sequence(log->boot, tree);
	if (is_first)
		log->boot->record[type] = json_incref(tree);
	json_decref(tree);
}

static void keep_record(struct log *log, const struct frame *frame, const struct scan *record)
{
	log->boot->records++;
	keep_tree(log, frame, record->type);
	if (record->type == RECORD_run)
		keep_run(log, record);
	else if (record->type == RECORD_latency)
		keep_latency(log, record);
	else if (record->type == RECORD_still)
		keep_still(log, record);
	else if (record->type == RECORD_sample)
		keep_sample(log, record);
}

/* Finds out in what way a record is not as the list says. */
static void refuse_frame(struct log *log, unsigned long line, const struct frame *frame)
{
	struct complaint complaint = { log, line, frame->seq, NULL };
	char reason[REASON_BYTES];
	json_t *record = frame_json(frame, reason);
	enum record_type type = record_type(record);
	const json_t *format = type == RECORD_boot ? record_get(record, FIELD_boot_format) : NULL;

	log->boot->run_records += type == RECORD_run;
	if (json_is_integer(format) && !check_format(log, line, record_integer(format))) {
		json_decref(record);
		return;
	}
	if (type != NR_RECORDS) {
		complaint.type = record_type_name(type);
		check_place(log, line, frame->seq, type);
	}
	log->boot->refused++;
	if (!record)
		complain(&complaint, reason);
	else if (record_check(record, complain, &complaint) == 0)
		complain(&complaint, "it is right, but not written as the kernel writes it");
	json_decref(record);
}

static void take_frame(struct log *log, unsigned long line, const struct frame *frame)
{
	struct scan *record = &log->scan;

	if (!log->boot->format_known)
		return;
	if (!scan_record(frame->json, frame->json_length, record)) {
		refuse_frame(log, line, frame);
		return;
	}
	log->boot->run_records += record->type == RECORD_run;
	if (record->type == RECORD_boot && !check_format(log, line, scan_uint(record, FIELD_boot_format)))
		return;
	check_place(log, line, frame->seq, record->type);
	keep_record(log, frame, record);
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
	struct log *log = allocate_zeroed(sizeof *log);
	char *chunk = allocate(NULL, CHUNK_BYTES);
	size_t count;
	int boots, error;

	log->reader = reader;
	log->record = record;
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
