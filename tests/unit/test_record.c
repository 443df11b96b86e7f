/* SPDX-License-Identifier: GPL-2.0-or-later
 * Records, and the reports of bugs, which are some. Checksums and whole lines were computed with zlib's crc32. */
#include "tests/unit/bare.h"

#include "base/bug.h"
#include "base/record.h"
#include "base/text.h"

/* ---- checksums and records ---- */

/* "123456789" gives the check value that every description of CRC-32 quotes; the others are zlib's. */
static void test_crc(void **state)
{
	u8 all[256], same[32] = { 0 };

	(void)state;
	for (unsigned i = 0; i < 256; i++)
		all[i] = (u8)i;
	assert_true(crc32("", 0) == 0);
	assert_true(crc32("a", 1) == 0xe8b7be43);
	assert_true(crc32("123456789", 9) == 0xcbf43926);
	assert_true(crc32(all, sizeof(all)) == 0x29058c73);
	assert_true(crc32(same, sizeof(same)) == 0x190a55ad);
	memset(same, 0xff, sizeof(same));
	assert_true(crc32(same, sizeof(same)) == 0xff6cab0b);
}

static void write_end(const char *status, u64 runs, u64 failed, const char *message)
{
	record_begin(RECORD_end);
	record_str(FIELD_end_status, status);
	record_uint(FIELD_end_runs, runs);
	record_uint(FIELD_end_failed, failed);
	record_str(FIELD_end_message, message);
	record_end();
}

/* Every kind of field, and numbers that go up by one. */
static void test_record_lines(void **state)
{
	static const char *const run[] = { "hackbench -g 2", "massive_intr 8 1" };

	(void)state;
	start_machine();
	record_begin(RECORD_plan);
	record_strs(FIELD_plan_workloads, run, 2);
	record_strs(FIELD_plan_with, NULL, 0);
	record_strs(FIELD_plan_variants, NULL, 0);
	record_uint(FIELD_plan_runs, 4);
	record_uint(FIELD_plan_warmup, 0);
	record_str(FIELD_plan_order, "abba");
	record_uint(FIELD_plan_seed, ~0ull);
	record_strs(FIELD_plan_accounts, NULL, 0);
	record_str(FIELD_plan_then, "poweroff");
	record_str(FIELD_plan_experiment, "");
	record_uint(FIELD_plan_scale_percent, 100);
	record_uint(FIELD_plan_cpus, 8);
	record_end();
	record_begin(RECORD_knobs);
	record_map_open(FIELD_knobs_knobs);
	record_map_str("HZ", "1000");
	record_map_uint("LAST_BUDDY", 1);
	record_map_uint("sched_latency_ns", 18000000);
	record_map_close();
	record_end();
	write_end("ok", 0, 0, "");
	expect_said(
		"@0 {\"t\":\"plan\",\"workloads\":[\"hackbench -g 2\",\"massive_intr 8 1\"],\"with\":[],\"variants\":[],\"runs\":4,"
		"\"warmup\":0,\"order\":\"abba\",\"seed\":18446744073709551615,\"accounts\":[],\"then\":\"poweroff\",\"experiment\":\"\",\"scale_percent\":100,\"cpus\":8} *887ac7c7\n"
		"@1 {\"t\":\"knobs\",\"knobs\":{\"HZ\":\"1000\",\"LAST_BUDDY\":1,\"sched_latency_ns\":18000000}} *2ed06bd4\n"
		"@2 {\"t\":\"end\",\"status\":\"ok\",\"runs\":0,\"failed\":0,\"message\":\"\"} *ce315e0a\n");
}

/* JSON's own escapes for the two that need one, code points for the rest; the log stays printable ASCII on one line. */
static void test_record_escapes(void **state)
{
	(void)state;
	start_machine();
	write_end("q\" b\\ t\t n\n d\x7f e\xc3\xa9 ~", 1, 2, "\x1f !");
	expect_said("@0 {\"t\":\"end\",\"status\":\"q\\\" b\\\\ t\\u0009 n\\u000a d\\u007f e\\u00c3\\u00a9 ~\",\"runs\":1,"
		    "\"failed\":2,\"message\":\"\\u001f !\"} *b5ec7d16\n");
}

static void write_empty_map(void)
{
	record_begin(RECORD_knobs);
	record_map_open(FIELD_knobs_knobs);
	record_map_close();
	record_end();
}

static void test_record_empty_map(void **state)
{
	(void)state;
	start_machine();
	write_empty_map();
	expect_said("@0 {\"t\":\"knobs\",\"knobs\":{}} *ca2814ba\n");
}

/* A record is one line whenever it comes: held back like all text, and whole. */
static void test_record_held(void **state)
{
	(void)state;
	start_machine();
	say_hold();
	write_empty_map();
	expect_said("");
	say_release();
	expect_said("@0 {\"t\":\"knobs\",\"knobs\":{}} *ca2814ba\n");
}

/* ---- misuse of records: each stops the machine, with a record that says so ---- */

static void expect_misuse(void (*misuse)(void *))
{
	start_machine();
	test_expect_bug(misuse, NULL, "{\"t\":\"fault\",\"kind\":\"bug\",\"message\":\"not (");
}

static void omit_field(void *unused)
{
	(void)unused;
	record_begin(RECORD_end);
	record_str(FIELD_end_status, "ok");
	record_uint(FIELD_end_failed, 0);
}

static void test_record_field_omitted(void **state)
{
	(void)state;
	expect_misuse(omit_field);
}

static void omit_last_field(void *unused)
{
	(void)unused;
	record_begin(RECORD_end);
	record_str(FIELD_end_status, "ok");
	record_uint(FIELD_end_runs, 0);
	record_uint(FIELD_end_failed, 0);
	record_end();
}

static void test_record_last_field_omitted(void **state)
{
	(void)state;
	expect_misuse(omit_last_field);
}

static void repeat_field(void *unused)
{
	(void)unused;
	record_begin(RECORD_end);
	record_str(FIELD_end_status, "ok");
	record_str(FIELD_end_status, "ok");
}

static void test_record_field_repeated(void **state)
{
	(void)state;
	expect_misuse(repeat_field);
}

static void give_wrong_kind(void *unused)
{
	(void)unused;
	record_begin(RECORD_end);
	record_uint(FIELD_end_status, 0);
}

static void test_record_field_of_wrong_kind(void **state)
{
	(void)state;
	expect_misuse(give_wrong_kind);
}

/* The field that the list has next, but it belongs to the next record. */
static void give_field_of_another(void *unused)
{
	(void)unused;
	record_begin(RECORD_knobs);
	record_map_open(FIELD_knobs_knobs);
	record_map_close();
	record_str(FIELD_run_workload, "");
}

static void test_record_field_of_another(void **state)
{
	(void)state;
	expect_misuse(give_field_of_another);
}

static void give_field_after_end(void *unused)
{
	(void)unused;
	write_empty_map();
	record_str(FIELD_run_workload, "");
}

static void test_record_field_after_end(void **state)
{
	(void)state;
	expect_misuse(give_field_after_end);
}

static void overflow_record(void *unused)
{
	static char text[64 * 1024];

	(void)unused;
	memset(text, 'x', sizeof(text) - 1);
	record_begin(RECORD_end);
	record_str(FIELD_end_status, text);
}

static void test_record_too_long(void **state)
{
	(void)state;
	expect_misuse(overflow_record);
}

static void end_record_twice(void *unused)
{
	(void)unused;
	write_end("ok", 0, 0, "");
	record_end();
}

static void test_record_ended_twice(void **state)
{
	(void)state;
	expect_misuse(end_record_twice);
}

/* record.h: a map is open, its entries, close. What is written otherwise is no JSON, and its reader drops it. */
static void leave_map_open_at_field(void *unused)
{
	(void)unused;
	record_begin(RECORD_run);
	for (unsigned f = FIELD_run_workload; f < FIELD_run_result; f++) {
		if (f == FIELD_run_workload || f == FIELD_run_variant || f == FIELD_run_status)
			record_str(f, "");
		else if (f == FIELD_run_idle_ns)
			record_uints(f, NULL, 0);
		else
			record_uint(f, 0);
	}
	record_map_open(FIELD_run_result);
	record_uints(FIELD_run_counts, NULL, 0);
}

static void test_record_map_left_open(void **state)
{
	(void)state;
	expect_misuse(leave_map_open_at_field);
}

static void leave_map_open_at_end(void *unused)
{
	(void)unused;
	record_begin(RECORD_knobs);
	record_map_open(FIELD_knobs_knobs);
	record_end();
}

static void test_record_map_open_at_end(void **state)
{
	(void)state;
	expect_misuse(leave_map_open_at_end);
}

static void give_entry_without_map(void *unused)
{
	(void)unused;
	record_begin(RECORD_end);
	record_map_uint("entry", 1);
}

static void test_record_entry_without_map(void **state)
{
	(void)state;
	expect_misuse(give_entry_without_map);
}

static void close_map_twice(void *unused)
{
	(void)unused;
	record_begin(RECORD_knobs);
	record_map_open(FIELD_knobs_knobs);
	record_map_close();
	record_map_close();
}

static void test_record_map_closed_twice(void **state)
{
	(void)state;
	expect_misuse(close_map_twice);
}

/* ---- bugs ---- */

static void break_a_rule(void *unused)
{
	(void)unused;
	write_end("ok", 0, 0, "");
	record_begin(RECORD_end);
	test_on_cpu(3);
	bug("two and two are five");
}

/* For people first, then the record; the one that was being written is given up, and numbers go on without a gap. */
static void test_bug_report(void **state)
{
	const char *line;

	(void)state;
	start_machine();
	assert_int_equal(test_end_of(break_a_rule, NULL), VERDICT_FAULT);
	assert_non_null(strstr(test_console(), "\nFault: bug on CPU 3 in task none\n  two and two are five\n"));
	line = strstr(test_console(), "\n@1 ");
	assert_non_null(line);
	assert_string_equal(line + 1,
		"@1 {\"t\":\"fault\",\"kind\":\"bug\",\"message\":\"two and two are five\",\"cpu\":3,\"task\":\"none\",\"rip\":0,"
		"\"address\":0,\"error_code\":0,\"backtrace\":[],\"others\":[\"CPUs 0-2 (none), no answer\"]} *c609413e\n");
}
int main(void)
{
	const struct CMUnitTest tests[] = {
		machine_test(test_crc),
		machine_test(test_record_lines),
		machine_test(test_record_escapes),
		machine_test(test_record_empty_map),
		machine_test(test_record_held),
		machine_test(test_record_field_omitted),
		machine_test(test_record_last_field_omitted),
		machine_test(test_record_field_repeated),
		machine_test(test_record_field_of_wrong_kind),
		machine_test(test_record_field_of_another),
		machine_test(test_record_field_after_end),
		machine_test(test_record_too_long),
		machine_test(test_record_ended_twice),
		machine_test(test_record_map_left_open),
		machine_test(test_record_map_open_at_end),
		machine_test(test_record_entry_without_map),
		machine_test(test_record_map_closed_twice),
		machine_test(test_bug_report),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
