/* SPDX-License-Identifier: GPL-2.0-or-later
 * The one-pass reader of records. It may take nothing that frame_json or record_check would refuse; each text below deviates in one
 * place from one that is right. A miss means that a record which is not as the list says gets into the figures. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "tools/fairlog/pack.h"
#include "tools/fairlog/record.h"
#include "tools/fairlog/scan.h"
#include "tools/fairlog/schema.h"

#include <stdlib.h>
#include <string.h>

#define END(runs, message) "{\"t\":\"end\",\"status\":\"ok\",\"runs\":" runs ",\"failed\":0,\"message\":\"" message "\"}"
#define KNOBS(entries)	   "{\"t\":\"knobs\",\"knobs\":{" entries "}}"
#define SAMPLE(queued)                                                                                                             \
	"{\"t\":\"sample\",\"position\":0,\"number\":0,\"at_ns\":0,\"lost\":0,\"tasks\":0,\"free_bytes\":0,\"ticks\":0,"           \
	"\"queued\":[" queued "],\"switches\":[],\"migrations\":[],\"idle_ns\":[]}"

static struct scan scan;

static bool reads(const char *text)
{
	return scan_record(text, strlen(text), &scan);
}

static void scan_reads_numbers(void **state)
{
	(void)state;
	assert_true(reads(END("0", "")));
	assert_int_equal(scan.type, RECORD_end);
	assert_int_equal(scan_uint(&scan, FIELD_end_runs), 0);
	assert_true(reads(END("18446744073709551615", "")));
	assert_true(scan_uint(&scan, FIELD_end_runs) == UINT64_MAX);
	assert_true(scan_is_uint(FIELD_end_runs) && !scan_is_uint(FIELD_end_status) && !scan_is_uint(FIELD_sample_queued));
}

static void scan_reads_strings(void **state)
{
	char text[40];

	(void)state;
	assert_true(reads(END("0", "a \\\"b\\\" \\\\ \\u001b")));
	scan_string(scan.value[FIELD_end_message], text);
	assert_string_equal(text, "a \"b\" \\ \\u001b");
	assert_true(reads(END("0", "\\\\u")));
	scan_string(scan.value[FIELD_end_message], text);
	assert_string_equal(text, "\\u");
}

static void scan_reads_arrays(void **state)
{
	struct span rest;
	uint64_t number;

	(void)state;
	assert_true(reads(SAMPLE("7,18446744073709551615")));
	rest = scan.value[FIELD_sample_queued];
	assert_int_equal(scan_room(rest), 2);
	assert_true(scan_next_uint(&rest, &number) && number == 7);
	assert_true(scan_next_uint(&rest, &number) && number == UINT64_MAX);
	assert_false(scan_next_uint(&rest, &number));
	rest = scan.value[FIELD_sample_switches];
	assert_int_equal(scan_room(rest), 0);
	assert_false(scan_next_uint(&rest, &number));
}

static void scan_reads_maps(void **state)
{
	struct span rest, name;
	uint64_t number;

	(void)state;
	assert_true(reads(KNOBS("\"HZ\":1000,\"preempt\":\"1,2\",\"x\\\"\":0")));
	rest = scan.value[FIELD_knobs_knobs];
	assert_true(scan_room(rest) >= 3);
	assert_true(scan_next_figure(&rest, &name, &number) && number == 1000);
	assert_memory_equal(name.at, "HZ", 2);
	assert_true(name.end == name.at + 2);
	assert_true(scan_next_figure(&rest, &name, &number) && number == 0);
	assert_memory_equal(name.at, "x\\\"", 3);
	assert_false(scan_next_figure(&rest, &name, &number));
}

static void ignore(void *context, const char *complaint)
{
	(void)context;
	(void)complaint;
}

static void scan_refuses_what_the_others_refuse(void **state)
{
	static const char *const bad[] = { "", "{", "{}", "[]", "{\"t\":\"coffee\"}", "{\"t\":\"end\"}", END("01", ""),
		END("-1", ""), END("1.0", ""), END("1e3", ""), END("", ""), END("18446744073709551616", ""),
		END("99999999999999999999999", ""), END("\"1\"", ""), END("[]", ""), END("1", "\177"), END("1", "\x80"),
		END("1", "\t"), END("1", "\""), END("1", "") "x", END("1", "") "}", KNOBS("\"a\":1,\"a\":1"), KNOBS("\"a\":1,"),
		KNOBS(",\"a\":1"), KNOBS("\"a\":[]"), KNOBS("\"a\":{}"), KNOBS("\"a\":"), KNOBS("\"a\""), KNOBS("a:1"),
		KNOBS("\"a\":true"), KNOBS("\"a\":01\"x\""), KNOBS("\"a\":18446744073709551616\"x\""),
		KNOBS("\"b\":0,\"a\":1,\"c\":2,\"a\":\"\""), SAMPLE("1,"), SAMPLE(",1"), SAMPLE("1,,2"), SAMPLE("00"),
		SAMPLE("\"1\""), SAMPLE("[1]"), SAMPLE("18446744073709551616"),
		"{\"t\":\"end\",\"runs\":1,\"status\":\"ok\",\"failed\":0,\"message\":\"\"}",
		"{\"t\":\"end\",\"status\":\"ok\",\"runs\":1,\"message\":\"\"}",
		"{\"t\":\"end\",\"status\":\"ok\",\"runs\":1,\"failed\":0,\"message\":\"\",\"more\":0}" };
	char reason[REASON_BYTES];

	(void)state;
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
		struct frame frame = { .json = bad[i], .json_length = strlen(bad[i]) };
		json_t *json = frame_json(&frame, reason);

		if (reads(bad[i]))
			fail_msg("scan_record takes %s", bad[i]);
		if (json && record_check(json, ignore, NULL) == 0)
			fail_msg("frame_json and record_check take %s", bad[i]);
		json_decref(json);
	}
}

/* These two would take, but the kernel never writes. */
static void scan_wants_the_kernels_style(void **state)
{
	(void)state;
	assert_false(reads(END(" 1", "")));
	assert_false(reads(END("1", "") " "));
	assert_false(reads(END("1", "\\/")));
	assert_false(reads(END("1", "\\n")));
	assert_false(reads(END("1", "\\u001B")));
	assert_false(reads(END("1", "\\u1234")));
}

/* No text may be read beyond its end: it need not be followed by anything. */
static void scan_stops_at_the_end(void **state)
{
	static const char *const whole[] = { END("1", "\\u001b"), KNOBS("\"a\":1,\"b\":\"\\\\\""), SAMPLE("1,2") };

	(void)state;
	for (size_t i = 0; i < sizeof whole / sizeof whole[0]; i++) {
		assert_true(reads(whole[i]));
		for (size_t length = 0; length < strlen(whole[i]); length++) {
			char *cut = malloc(length + 1);

			memcpy(cut + 1, whole[i], length);
			assert_false(scan_record(cut + 1, length, &scan));
			free(cut);
		}
	}
}

/* Seven bits to the byte: 127 is the last of one byte, 2^14 - 1 of two, and 2^64 - 1 has ten, where its digits are twenty. */
static void pack_keeps_numbers(void **state)
{
	static const char text[] = "0,1,127,128,16383,16384,18446744073709551615";
	static const uint64_t numbers[] = { 0, 1, 127, 128, 16383, 16384, UINT64_MAX };
	struct pack pack = pack_new((struct span){ text, text + strlen(text) });
	const unsigned char *at = pack.bytes;

	(void)state;
	assert_int_equal(pack.count, 7);
	for (size_t i = 0; i < 7; i++)
		assert_true(pack_next(&at) == numbers[i]);
	assert_int_equal(at - pack.bytes, 3 * 1 + 2 * 2 + 3 + 10);
	pack_free(&pack);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(scan_reads_numbers),
		cmocka_unit_test(scan_reads_strings),
		cmocka_unit_test(scan_reads_arrays),
		cmocka_unit_test(scan_reads_maps),
		cmocka_unit_test(scan_refuses_what_the_others_refuse),
		cmocka_unit_test(scan_wants_the_kernels_style),
		cmocka_unit_test(scan_stops_at_the_end),
		cmocka_unit_test(pack_keeps_numbers),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("scan", tests, NULL, NULL);
}
