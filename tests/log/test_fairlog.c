/* SPDX-License-Identifier: GPL-2.0-or-later
 * fairlog's parts on hand-made input. The expected numbers come from arithmetic beside each test; a miss in a stream test means
 * that a record would be lost or invented. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "tools/fairlog/latency.h"
#include "tools/fairlog/log.h"
#include "tools/fairlog/record.h"
#include "tools/fairlog/schema.h"
#include "tools/fairlog/stream.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* CRC-32 as in the definition, bit by bit, so that the tests do not trust the library that fairlog uses. */
static uint32_t crc_of(const char *text, size_t length)
{
	uint32_t crc = UINT32_MAX;

	for (size_t i = 0; i < length; i++) {
		crc ^= (unsigned char)text[i];
		for (int bit = 0; bit < 8; bit++)
			crc = crc >> 1 ^ (crc & 1 ? 0xedb88320 : 0);
	}
	return ~crc;
}

/* The record with its CRC; valid until the next but three call. */
static const char *seal(const char *text)
{
	static char ring[4][1024];
	static unsigned turn;
	char *sealed = ring[turn++ % 4];

	snprintf(sealed, sizeof ring[0], "%s *%08x", text, crc_of(text, strlen(text)));
	return sealed;
}

/* ---- stream ---- */

struct heard {
	size_t count;
	enum candidate_kind kind[16];
	unsigned long line[16];
	size_t length[16];
	char text[16][200];
};

static void hear(void *context, enum candidate_kind kind, unsigned long line, const char *text, size_t length)
{
	struct heard *heard = context;
	size_t i = heard->count++;

	assert_true(i < 16);
	heard->kind[i] = kind;
	heard->line[i] = line;
	heard->length[i] = length;
	snprintf(heard->text[i], sizeof heard->text[i], "%.*s", (int)length, text ? text : "");
}

static struct stream stream;
static struct heard heard;

static void listen_to(const char *bytes, size_t count)
{
	memset(&heard, 0, sizeof heard);
	stream_init(&stream, hear, &heard);
	stream_feed(&stream, bytes, count);
	stream_finish(&stream);
}

#define LISTEN(literal) listen_to(literal, sizeof(literal) - 1)
#define A		"@0 {\"t\":\"a\"} *01234567"
#define B		"@1 {\"t\":\"b\"} *89abcdef"

static void assert_heard_a_and_b(unsigned long line_a, unsigned long line_b)
{
	assert_int_equal(heard.count, 2);
	assert_int_equal(heard.kind[0], CANDIDATE_RECORD);
	assert_int_equal(heard.kind[1], CANDIDATE_RECORD);
	assert_string_equal(heard.text[0], A);
	assert_string_equal(heard.text[1], B);
	assert_int_equal(heard.line[0], line_a);
	assert_int_equal(heard.line[1], line_b);
}

static void stream_finds_lines(void **state)
{
	(void)state;
	LISTEN("Booting\n" A "\ntext @ 3 {\n" B "\n");
	assert_heard_a_and_b(2, 4);
	LISTEN(A "\r\n" B "\r\n");
	assert_heard_a_and_b(1, 2);
	LISTEN("\r" A "\r" B); /* lines are counted at LF */
	assert_heard_a_and_b(1, 1);
}

static void stream_finds_records_inside_lines(void **state)
{
	(void)state;
	LISTEN("GRUB @@7@ loading...\x80\xff" A "\n" B);
	assert_heard_a_and_b(1, 2);
	LISTEN("\n" A B);
	assert_heard_a_and_b(2, 2);
}

static void stream_strips_what_terminals_add(void **state)
{
	(void)state;
	LISTEN("\33[2J\33[1;1H" A "\33[0m\n\33]0;user@host\a@\33[31m1 {\"t\":\33(B\"b\"}\33[K *89ab\33[\0"
	       "0mcdef");
	assert_heard_a_and_b(1, 2);
	LISTEN("\0\0@0\0 {\"t\"\b:\"a\"} *01234567\n\33@1 {\"t\":\"b\"} *89abcdef");
	assert_heard_a_and_b(1, 2);
	LISTEN("\33]title without an end\n" A "\33[\n" B); /* a broken sequence hides no more than its line */
	assert_heard_a_and_b(2, 3);
}

static void stream_splits_a_cut_record_from_the_next(void **state)
{
	(void)state;
	LISTEN("@5 {\"t\":\"run\",\"wor@0 {\"t\":\"a\"} *01234567\n" B);
	assert_int_equal(heard.count, 3);
	assert_string_equal(heard.text[0], "@5 {\"t\":\"run\",\"wor");
	assert_string_equal(heard.text[1], A);
	assert_string_equal(heard.text[2], B);
}

static void stream_sees_an_end_without_beginning(void **state)
{
	(void)state;
	LISTEN("0 {\"t\":\"a\"}} *01234567\n" B "\n} *0123456x } *0123456");
	assert_int_equal(heard.count, 2);
	assert_int_equal(heard.kind[0], CANDIDATE_HEADLESS);
	assert_string_equal(heard.text[1], B);
}

/* Garbage without end is dropped as it comes; a record behind it is still found, one of more than 64 KiB is cut there. */
static void stream_needs_constant_memory(void **state)
{
	static char noise[70000];

	(void)state;
	memset(noise, 'x', sizeof noise);
	memset(&heard, 0, sizeof heard);
	stream_init(&stream, hear, &heard);
	for (int i = 0; i < 30; i++)
		stream_feed(&stream, noise, sizeof noise);
	stream_feed(&stream, A, sizeof A - 1);
	for (int i = 0; i < 30; i++)
		stream_feed(&stream, noise, sizeof noise);
	stream_feed(&stream, "} *01234567" B, sizeof B - 1 + 11);
	stream_finish(&stream);
	assert_int_equal(heard.count, 2);
	assert_int_equal(heard.kind[0], CANDIDATE_TOO_LONG);
	assert_int_equal(heard.length[0], 65536);
	assert_memory_equal(heard.text[0], A, sizeof A - 1);
	assert_string_equal(heard.text[1], B);
}

/* ---- record ---- */

/* The check value of CRC-32 in every catalogue: "123456789" has cbf43926. */
static void record_crc_is_ieee(void **state)
{
	struct frame frame;
	char reason[REASON_BYTES];
	const char *text = seal("@7 {\"t\":\"x\"}");

	(void)state;
	assert_int_equal(crc_of("123456789", 9), 0xcbf43926);
	assert_true(frame_read(text, strlen(text), &frame, reason));
	assert_int_equal(frame.seq, 7);
	assert_int_equal(frame.crc, crc_of("@7 {\"t\":\"x\"}", 12));
	assert_int_equal(frame.crc_length, 12);
	assert_memory_equal(frame.json, "{\"t\":\"x\"}", frame.json_length);
}

static void assert_no_frame(const char *text, const char *word)
{
	struct frame frame;
	char reason[REASON_BYTES];

	assert_false(frame_read(text, strlen(text), &frame, reason));
	assert_non_null(strstr(reason, word));
}

static void record_damage_is_named(void **state)
{
	char text[100];

	(void)state;
	strcpy(text, seal("@7 {\"t\":\"x\"}"));
	text[8] ^= 1;
	assert_no_frame(text, "CRC32");
	assert_no_frame("@7 {\"t\":\"x\"} *0123456", "does not end");
	assert_no_frame("@7 {\"t\":\"x\"} *0123456G", "does not end");
	assert_no_frame(seal("@18446744073709551616 {}"), "number");
	assert_no_frame(seal("@ {}"), "number");
	assert_no_frame("", "number");
}

/* Neither a string that looks like an end nor noise behind the end may hide a record. */
static void record_end_is_where_the_crc_says(void **state)
{
	struct frame frame;
	char reason[REASON_BYTES], text[200];

	(void)state;
	snprintf(text, sizeof text, "%s} *00000000", seal("@7 {\"t\":\"} *01234567\"}"));
	assert_true(frame_read(text, strlen(text), &frame, reason));
	assert_int_equal(frame.json_length, strlen("{\"t\":\"} *01234567\"}"));
}

static json_t *json_of(const char *text, char reason[REASON_BYTES])
{
	struct frame frame = { .json = text, .json_length = strlen(text) };

	return frame_json(&frame, reason);
}

static void record_numbers_have_64_bits(void **state)
{
	static const struct {
		const char *text;
		uint64_t value;
	} good[] = {
		{ "{\"n\":0}", 0 },
		{ "{\"n\":9223372036854775807}", INT64_MAX },
		{ "{\"n\":9223372036854775808}", (uint64_t)INT64_MAX + 1 },
		{ "{\"n\":18446744073709551615}", UINT64_MAX },
	};
	static const char *const bad[] = { "18446744073709551616", "-1", "1.0", "1e3", "99999999999999999999999999", "00",
		"018446744073709551615" };
	char reason[REASON_BYTES], text[64];

	(void)state;
	for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
		json_t *json = json_of(good[i].text, reason);

		assert_true(record_integer(json_object_get(json, "n")) == good[i].value);
		json_decref(json);
	}
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
		snprintf(text, sizeof text, "{\"n\":%s}", bad[i]);
		assert_null(json_of(text, reason));
		assert_non_null(strstr(reason, "is not an integer from 0"));
	}
}

static void record_strings_stay_printable(void **state)
{
	char reason[REASON_BYTES];
	json_t *json = json_of("{\"s\":\"-5 \\\"\\u001b\\\\n\"}", reason);

	(void)state;
	assert_string_equal(json_string_value(json_object_get(json, "s")), "-5 \"\\u001b\\n");
	json_decref(json);
	assert_null(json_of("{\"s\":\"\x80\"}", reason));
	assert_non_null(strstr(reason, "0x80"));
	assert_null(json_of("{\"s\":1,\"s\":2}", reason));
	assert_null(json_of("{\"s\":", reason));
	assert_null(json_of("", reason));
	/* What follows a NUL belongs to the record as well. */
	assert_null(frame_json(&(struct frame){ .json = "{}\0{", .json_length = 4 }, reason));
	assert_non_null(strstr(reason, "0x00"));
}

/* ---- schema ---- */

static char complaints[1000];

static void collect(void *context, const char *complaint)
{
	(void)context;
	strncat(complaints, complaint, sizeof complaints - strlen(complaints) - 1);
	strncat(complaints, "\n", sizeof complaints - strlen(complaints) - 1);
}

static void assert_complaint(const char *text, int count, const char *words)
{
	char reason[REASON_BYTES];
	json_t *json = json_of(text, reason);

	complaints[0] = '\0';
	assert_non_null(json);
	assert_int_equal(record_check(json, collect, NULL), count);
	assert_non_null(strstr(complaints, words));
	json_decref(json);
}

static void schema_names_each_deviation(void **state)
{
	(void)state;
	assert_complaint("{\"t\":\"end\",\"status\":\"ok\",\"runs\":1,\"failed\":0,\"message\":\"\"}", 0, "");
	assert_complaint("{\"t\":\"end\",\"status\":\"ok\",\"runs\":1,\"message\":\"\"}", 1, "field failed is missing");
	assert_complaint("{\"t\":\"end\",\"status\":3,\"runs\":\"1\",\"failed\":0,\"message\":\"\"}", 2, "status");
	assert_complaint(
		"{\"t\":\"end\",\"status\":\"ok\",\"runs\":1,\"failed\":0,\"message\":\"\",\"x\":0}", 1, "field x is not known");
	assert_complaint("{\"t\":\"end\",\"runs\":1,\"status\":\"ok\",\"failed\":0,\"message\":\"\"}", 1, "out of order");
	assert_complaint("{\"t\":\"coffee\"}", 1, "type \"coffee\" is not known");
	assert_complaint("{}", 1, "not known");
	assert_complaint("[]", 1, "not known");
	assert_complaint("{\"t\":\"knobs\",\"knobs\":{\"HZ\":1000,\"preempt\":\"none\"}}", 0, "");
	assert_complaint("{\"t\":\"knobs\",\"knobs\":{\"HZ\":[]}}", 1, "expected an object");
}

/* ---- sequence ---- */

static struct boot *boots[4];
static unsigned boots_done;

static void keep_boot(void *context, struct boot *boot)
{
	(void)context;
	assert_true(boots_done < 4);
	boots[boots_done++] = boot;
}

static int read_log(const char *const *records, size_t count)
{
	struct log_reader reader = { .boot_done = keep_boot };
	FILE *file = tmpfile();
	int found;

	assert_non_null(file);
	for (size_t i = 0; i < count; i++)
		fprintf(file, "%s\n", seal(records[i]));
	rewind(file);
	boots_done = 0;
	found = log_read(file, &reader);
	fclose(file);
	assert_int_equal(found, boots_done);
	return found;
}

static void free_boots(void)
{
	while (boots_done > 0)
		boot_free(boots[--boots_done]);
}

#define BOOT(build)                                                                                                                \
	"@0 {\"t\":\"boot\",\"format\":1,\"version\":\"1\",\"build\":\"" build "\",\"machine\":\"sim\","                           \
	"\"loader\":\"\",\"firmware\":\"none\",\"cmdline\":\"\",\"exact\":0}"
#define KNOBS(seq) "@" #seq " {\"t\":\"knobs\",\"knobs\":{}}"
#define END(seq)   "@" #seq " {\"t\":\"end\",\"status\":\"ok\",\"runs\":0,\"failed\":0,\"message\":\"\"}"

static void log_whole(void **state)
{
	static const char *const records[] = { BOOT("a"), KNOBS(1), END(2) };

	(void)state;
	assert_int_equal(read_log(records, 3), 1);
	assert_true(boot_is_whole(boots[0]));
	assert_int_equal(boots[0]->records, 3);
	free_boots();
}

static void log_gap_and_repetition(void **state)
{
	static const char *const records[] = { BOOT("a"), BOOT("a"), KNOBS(3), KNOBS(4), KNOBS(3), END(5) };

	(void)state;
	assert_int_equal(read_log(records, 6), 1);
	assert_int_equal(boots[0]->problems, 1);
	assert_int_equal(boots[0]->missing, 2);
	assert_int_equal(boots[0]->records, 4);
	assert_non_null(strstr(boots[0]->problem[0], "line 3: records 1..2 are missing"));
	free_boots();
}

/* A number that goes back is another boot, with or without its record 0, even if that is the same as before. */
static void log_boots(void **state)
{
	static const char *const records[] = { BOOT("a"), KNOBS(1), BOOT("a"), END(1), KNOBS(1), END(2) };

	(void)state;
	assert_int_equal(read_log(records, 6), 3);
	assert_non_null(strstr(boots[0]->problem[0], "no end record"));
	assert_true(boot_is_whole(boots[1]));
	assert_non_null(strstr(boots[2]->problem[0], "line 5: record 0 is missing"));
	free_boots();
}

/* 20000 records are more than the reader remembers. Either way nothing that came before is taken for the repetition's. */
static void log_repetition_of_long_ago(void **state)
{
	static char text[20003][40];
	static const char *records[20003];

	(void)state;
	records[0] = BOOT("a");
	for (int i = 1; i <= 20000; i++) {
		snprintf(text[i], sizeof text[i], "@%d {\"t\":\"knobs\",\"knobs\":{}}", i);
		records[i] = text[i];
	}
	records[20001] = text[15000];
	records[20002] = END(20001);
	assert_int_equal(read_log(records, 20003), 1);
	assert_true(boot_is_whole(boots[0]));
	free_boots();

	records[20001] = text[2];
	assert_int_equal(read_log(records, 20003), 2);
	assert_false(boot_is_whole(boots[0]));
	assert_false(boot_is_whole(boots[1]));
	assert_int_equal(boots[0]->records, 20001);
	free_boots();
}

static void log_end_is_the_end(void **state)
{
	static const char *const records[] = { BOOT("a"), END(1), KNOBS(2) };

	(void)state;
	assert_int_equal(read_log(records, 3), 1);
	assert_non_null(strstr(boots[0]->problem[0], "comes after the end record"));
	free_boots();
}

/* ---- latencies ---- */

static void attach(struct run *run, struct names *names, const char *distance, unsigned max_ns, const char *pairs)
{
	char text[400];
	struct scan record;

	snprintf(text, sizeof text,
		"{\"t\":\"latency\",\"position\":0,\"distance\":\"%s\",\"count\":0,\"mean_ns\":0,\"p50_ns\":0,\"p90_ns\":0,"
		"\"p99_ns\":0,\"p999_ns\":0,\"max_ns\":%u,\"buckets\":[%s]}",
		distance, max_ns, pairs);
	assert_true(scan_record(text, strlen(text), &record));
	run_add_latency(run, &record, names);
}

/* Together 20 of 10 ns, 50 of 30, 29 of 100 and one of 1055, but none longer than 1040: the 20th is a 10, the 50th a 30, the 90th
 * and the 99th a 100, the 100th 1040. Of the distance cpu alone, 20 of 10 and 30 of 30, the 20th is a 10 and the 25th a 30. */
static void latencies_of_two_runs(void **state)
{
	struct names names = { NULL };
	struct run *run[2] = { calloc(1, sizeof *run[0]), calloc(1, sizeof *run[1]) };
	struct group group = { .runs = run, .count = 2 };
	struct latencies l;

	(void)state;
	l = latencies_of(&group, NULL);
	assert_int_equal(l.count, 0);
	assert_int_equal(latencies_percentile(&l, 50000), 0);
	free(l.bucket);
	attach(run[0], &names, "cpu", 31, "10,15,30,30");
	attach(run[0], &names, "far", 1040, "30,20,100,9,1055,1");
	attach(run[1], &names, "far", 101, "100,20");
	attach(run[1], &names, "cpu", 10, "10,5");
	l = latencies_of(&group, NULL);
	assert_int_equal(l.count, 100);
	assert_int_equal(l.buckets, 4);
	assert_int_equal(latencies_percentile(&l, 20000), 10);
	assert_int_equal(latencies_percentile(&l, 20001), 30);
	assert_int_equal(latencies_percentile(&l, 50000), 30);
	assert_int_equal(latencies_percentile(&l, 90000), 100);
	assert_int_equal(latencies_percentile(&l, 99000), 100);
	assert_int_equal(latencies_percentile(&l, 99900), 1040);
	free(l.bucket);
	l = latencies_of(&group, "cpu");
	assert_int_equal(l.count, 50);
	assert_int_equal(l.max_ns, 31);
	assert_int_equal(latencies_percentile(&l, 40000), 10);
	assert_int_equal(latencies_percentile(&l, 50000), 30);
	free(l.bucket);
	run_free(run[0]);
	run_free(run[1]);
	names_free(&names);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(stream_finds_lines),
		cmocka_unit_test(stream_finds_records_inside_lines),
		cmocka_unit_test(stream_strips_what_terminals_add),
		cmocka_unit_test(stream_splits_a_cut_record_from_the_next),
		cmocka_unit_test(stream_sees_an_end_without_beginning),
		cmocka_unit_test(stream_needs_constant_memory),
		cmocka_unit_test(record_crc_is_ieee),
		cmocka_unit_test(record_damage_is_named),
		cmocka_unit_test(record_end_is_where_the_crc_says),
		cmocka_unit_test(record_numbers_have_64_bits),
		cmocka_unit_test(record_strings_stay_printable),
		cmocka_unit_test(schema_names_each_deviation),
		cmocka_unit_test(log_whole),
		cmocka_unit_test(log_gap_and_repetition),
		cmocka_unit_test(log_boots),
		cmocka_unit_test(log_repetition_of_long_ago),
		cmocka_unit_test(log_end_is_the_end),
		cmocka_unit_test(latencies_of_two_runs),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("fairlog", tests, NULL, NULL);
}
