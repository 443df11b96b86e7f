/* SPDX-License-Identifier: GPL-2.0-or-later
 * What every layer stands on: text, words, switches, records, bugs, locks, memory, CPU sets, timers, randomness.
 *
 * Expected numbers: checksums and whole record lines were computed with zlib's crc32; the sequence of SplitMix64 is the published
 * one for its seed; latency and granularities are the table of cfs.md 1.6, row 3.8; everything else is arithmetic beside the test.
 */
#include <stdio.h>

#include "tests/unit/machine.h"

#include "base/bug.h"
#include "base/cmdline.h"
#include "base/cpumask.h"
#include "base/knobs.h"
#include "base/mem.h"
#include "base/random.h"
#include "base/record.h"
#include "base/spinlock.h"
#include "base/text.h"
#include "base/timer.h"
#include "sched/knobs.h"

/* The scheduler is not started: interrupts are off, nothing runs but the test. */
static void start_machine(void)
{
	test_machine(1, 1, 4, 1);
	machine_stack_new(); /* the test machine learns where its own stack is when it makes the first other one */
}

static void expect_said(const char *text)
{
	assert_string_equal(test_console(), text);
}

/* ---- text ---- */

static void test_format(void **state)
{
	char s[32];

	(void)state;
	assert_int_equal(text_format(s, sizeof(s), "%s|%u|%-4s|%04x|%%", "a", 7u, "bc", 0x1fu), 15);
	assert_string_equal(s, "a|7|bc  |001f|%");
	text_format(s, sizeof(s), "%llu", 18446744073709551615ull);
	assert_string_equal(s, "18446744073709551615");
}

/* Cut with its terminator, and the length that all of it would have had. */
static void test_format_cuts(void **state)
{
	char s[8] = "......";

	(void)state;
	assert_int_equal(text_format(s, 5, "%s", "abcdefgh"), 8);
	assert_string_equal(s, "abcd");
	assert_int_equal(text_format(s, 1, "%s", "abcdefgh"), 8);
	assert_string_equal(s, "");
	assert_int_equal(text_copy(s, 5, "vwxyz"), 5);
	assert_string_equal(s, "vwxy");
	assert_int_equal(text_copy(s, 5, "vwxy"), 4);
	assert_string_equal(s, "vwxy");
}

static int number(const char *s, u64 *value)
{
	*value = 77;
	return text_number(s, strlen(s), value);
}

/* 2^64 - 1 is the largest; one more does not fit. */
static void test_number(void **state)
{
	u64 v;

	(void)state;
	assert_int_equal(number("0", &v), 0);
	assert_true(v == 0);
	assert_int_equal(number("007", &v), 0);
	assert_true(v == 7);
	assert_int_equal(number("18446744073709551615", &v), 0);
	assert_true(v == ~0ull);
	assert_int_equal(number("0xFfFfFfFfFfFfFfFf", &v), 0);
	assert_true(v == ~0ull);
	assert_int_equal(number("0X1a", &v), 0);
	assert_true(v == 26);
	assert_int_equal(number("18446744073709551616", &v), -E_RANGE);
	assert_int_equal(number("0x10000000000000000", &v), -E_RANGE);
	assert_int_equal(text_number("123", 2, &v), 0);
	assert_true(v == 12);
}

static void test_not_a_number(void **state)
{
	static const char *const bad[] = { "", "x", "0x", "-1", "+1", " 1", "1 ", "1.5", "12a", "0xg" };
	u64 v;

	(void)state;
	for (unsigned i = 0; i < ARRAY_SIZE(bad); i++)
		if (number(bad[i], &v) != -E_INVAL || v != 77)
			fail_msg("\"%s\" was taken for a number", bad[i]);
}

/* kitten to sitting is the textbook's 3: two letters replaced, one added. */
static void test_name_distance(void **state)
{
	char longest[49];

	(void)state;
	assert_int_equal(text_distance("kitten", "sitting"), 3);
	assert_int_equal(text_distance("sitting", "kitten"), 3);
	assert_int_equal(text_distance("NEXT_BUDDY", "next_buddy"), 0);
	assert_int_equal(text_distance("", "abc"), 3);
	assert_int_equal(text_distance("abc", ""), 3);
	assert_int_equal(text_distance("newidle", "newdile"), 2);
	memset(longest, 'a', 48);
	longest[48] = '\0';
	assert_int_equal(text_distance(longest, "b"), 48);
}

/* ---- the text stream ---- */

static void test_say_at_once(void **state)
{
	(void)state;
	start_machine();
	say("%u CPUs\n", 4u);
	expect_said("4 CPUs\n");
}

/* Held twice, it has to be released twice. */
static void test_say_held(void **state)
{
	(void)state;
	start_machine();
	say_hold();
	say("one ");
	say_hold();
	say("two ");
	say_release();
	say("three");
	expect_said("");
	say_release();
	expect_said("one two three");
}

/* More than any memory set aside for it: nothing is lost and nothing changes places. */
static void test_say_more_than_memory(void **state)
{
	enum { LINES = 20000 };
	char want[16];

	(void)state;
	start_machine();
	say_hold();
	for (unsigned i = 0; i < LINES; i++)
		say("%08u\n", i);
	say_release();
	assert_int_equal(strlen(test_console()), LINES * 9);
	for (unsigned i = 0; i < LINES; i++) {
		text_format(want, sizeof(want), "%08u\n", i);
		assert_memory_equal(test_console() + i * 9, want, 9);
	}
}

/* A line for people may hold a workload's text and a variant's name, 255 characters each; its end must come through. */
static void test_say_long_line(void **state)
{
	char word[256];
	size_t length;

	(void)state;
	start_machine();
	memset(word, 'w', 255);
	word[255] = '\0';
	say("\nRun 1 of 1: %s [%s]\n", word, word);
	length = strlen(test_console());
	assert_int_equal(length, 13 + 255 + 2 + 255 + 2);
	assert_int_equal(test_console()[length - 1], '\n');
}

/* What was held comes out at once, on a line of its own, and from then on nothing is held back. */
static void test_say_panic(void **state)
{
	(void)state;
	start_machine();
	say_hold();
	say("before");
	say_panic();
	say("after");
	say_hold();
	expect_said("\nbeforeafter");
}

/* ---- words ---- */

static void expect_words(const char *line, const char *const *want)
{
	char word[32];
	int got;

	for (; (got = cmdline_next(&line, word, sizeof(word))) > 0; want++) {
		assert_non_null(*want);
		assert_string_equal(word, *want);
	}
	assert_int_equal(got, 0);
	assert_null(*want);
	assert_string_equal(line, "");
}

static void test_words(void **state)
{
	(void)state;
	expect_words("", (const char *[]){ NULL });
	expect_words(" \t\r\n ", (const char *[]){ NULL });
	expect_words("a  b\tc\n", (const char *[]){ "a", "b", "c", NULL });
	expect_words("run=\"hackbench -g 2\" seed=1", (const char *[]){ "run=hackbench -g 2", "seed=1", NULL });
	expect_words("\"a b\"c\"d e\" f", (const char *[]){ "a bcd e", "f", NULL });
	expect_words("\"\" x", (const char *[]){ "", "x", NULL });
	expect_words("a\\ b \"c\\\"d\" e\\\\", (const char *[]){ "a b", "c\"d", "e\\", NULL });
	expect_words("\"a\tb\"", (const char *[]){ "a\tb", NULL });
}

static void test_words_refused(void **state)
{
	static const char *const open[] = { "\"", "a=\"b", "\"a\" \"b c", "\"a\\\"" };
	const char *line;
	char word[8];
	int got;

	(void)state;
	for (unsigned i = 0; i < ARRAY_SIZE(open); i++) {
		line = open[i];
		while ((got = cmdline_next(&line, word, sizeof(word))) > 0)
			;
		assert_int_equal(got, -E_INVAL);
	}
	line = "1234567 12345678";
	assert_int_equal(cmdline_next(&line, word, sizeof(word)), 1);
	assert_string_equal(word, "1234567");
	assert_int_equal(cmdline_next(&line, word, sizeof(word)), -E_RANGE);
}

/* ---- switches: a table of its own ---- */

static u8 a_feature, another_feature, a_choice;
static u64 a_number;
static char a_text[6];
static const char *const a_choice_words[] = { "red", "green", "blue", NULL };

static const struct knob some_knobs[] = {
	{ .name = "NEXT_BUDDY", .kind = KNOB_FEATURE, .value = &a_feature, .initial = 0, .unit = "", .era = "", .help = "" },
	{ .name = "LAST_BUDDY", .kind = KNOB_FEATURE, .value = &another_feature, .initial = 1, .unit = "", .era = "", .help = "" },
	{ .name = "cost_ns",
		.kind = KNOB_NUMBER,
		.value = &a_number,
		.initial = 500,
		.least = 10,
		.most = 1000,
		.unit = "ns",
		.era = "" },
	{ .name = "colour", .kind = KNOB_CHOICE, .value = &a_choice, .initial = 1, .words = a_choice_words, .unit = "", .era = "" },
	{ .name = "title",
		.kind = KNOB_TEXT,
		.value = a_text,
		.initial_text = "none",
		.most = sizeof(a_text),
		.unit = "",
		.era = "" },
};
static const struct knob_table some_table = { "test", some_knobs, ARRAY_SIZE(some_knobs) };

static char error[KNOB_ERROR_BYTES];

static int assign(const char *assignment)
{
	const struct knob_table *tables[] = { &sched_knob_table, &some_table };

	error[0] = '\0';
	return knob_assign(tables + 1, 1, assignment, error);
}

static void expect_refused(const char *assignment, int err, const char *const *said)
{
	assert_int_equal(assign(assignment), err);
	for (; *said; said++)
		if (!strstr(error, *said))
			fail_msg("%s: \"%s\" does not say \"%s\"", assignment, error, *said);
	assert_null(strchr(error, '\n'));
}

static void expect_printed(const void *value, const char *text)
{
	char s[32] = "";

	knob_print_of(&some_table, value, s, sizeof(s));
	assert_string_equal(s, text);
}

static void test_knobs_reset(void **state)
{
	(void)state;
	a_feature = another_feature = 0;
	a_number = 7;
	a_choice = 2;
	memset(a_text, 'x', sizeof(a_text));
	knobs_reset(&some_table);
	assert_int_equal(a_feature, 0);
	assert_int_equal(another_feature, 1);
	assert_true(a_number == 500);
	assert_int_equal(a_choice, 1);
	assert_string_equal(a_text, "none");
}

static void test_knobs_print(void **state)
{
	char s[4];

	(void)state;
	knobs_reset(&some_table);
	expect_printed(&a_feature, "0");
	expect_printed(&another_feature, "1");
	expect_printed(&a_number, "500");
	expect_printed(&a_choice, "green");
	expect_printed(a_text, "none");
	knob_print(&some_knobs[3], s, sizeof(s));
	assert_string_equal(s, "gre");
}

static void test_knobs_as_numbers(void **state)
{
	u64 v;

	(void)state;
	knobs_reset(&some_table);
	assert_true(knob_number(&some_knobs[1], &v) && v == 1);
	assert_true(knob_number(&some_knobs[2], &v) && v == 500);
	assert_false(knob_number(&some_knobs[3], &v));
	assert_false(knob_number(&some_knobs[4], &v));
}

static void test_knobs_assign(void **state)
{
	static const struct {
		const char *set, *clear;
	} way[] = { { "NEXT_BUDDY", "NO_NEXT_BUDDY" }, { "NEXT_BUDDY=1", "NEXT_BUDDY=0" }, { "NEXT_BUDDY=on", "NEXT_BUDDY=off" } };

	(void)state;
	knobs_reset(&some_table);
	for (unsigned i = 0; i < ARRAY_SIZE(way); i++) {
		assert_int_equal(assign(way[i].set), 0);
		assert_int_equal(a_feature, 1);
		assert_int_equal(assign(way[i].clear), 0);
		assert_int_equal(a_feature, 0);
	}
	assert_int_equal(assign("cost_ns=10"), 0);
	assert_true(a_number == 10);
	assert_int_equal(assign("cost_ns=0x3e8"), 0);
	assert_true(a_number == 1000);
	assert_int_equal(assign("colour=blue"), 0);
	assert_int_equal(a_choice, 2);
	assert_int_equal(assign("title=12345"), 0);
	assert_string_equal(a_text, "12345");
	assert_int_equal(assign("title="), 0);
	assert_string_equal(a_text, "");
}

/* What was expected is said, and nothing is changed. */
static void test_knobs_bad_values(void **state)
{
	(void)state;
	knobs_reset(&some_table);
	expect_refused("cost_ns=9", -E_INVAL, (const char *[]){ "cost_ns=9", "10 to 1000 ns", NULL });
	expect_refused("cost_ns=1001", -E_INVAL, (const char *[]){ "10 to 1000 ns", NULL });
	expect_refused("cost_ns=18446744073709551616", -E_INVAL, (const char *[]){ "10 to 1000 ns", NULL });
	expect_refused("cost_ns=-1", -E_INVAL, (const char *[]){ "10 to 1000 ns", NULL });
	expect_refused("cost_ns=", -E_INVAL, (const char *[]){ "10 to 1000 ns", NULL });
	expect_refused("cost_ns", -E_INVAL, (const char *[]){ "cost_ns", "value", NULL });
	expect_refused("colour=pink", -E_INVAL, (const char *[]){ "colour=pink", "red|green|blue", NULL });
	expect_refused("colour=Red", -E_INVAL, (const char *[]){ "red|green|blue", NULL });
	expect_refused("NEXT_BUDDY=2", -E_INVAL, (const char *[]){ "on or off", "NO_NEXT_BUDDY", NULL });
	expect_refused("title=123456", -E_INVAL, (const char *[]){ "title", "5 characters", NULL });
	assert_true(a_number == 500);
	assert_int_equal(a_choice, 1);
	assert_int_equal(a_feature, 0);
}

static void test_knobs_unknown_names(void **state)
{
	(void)state;
	expect_refused("NEXT_BUDY", -E_NOENT, (const char *[]){ "\"NEXT_BUDY\"", "near: NEXT_BUDDY, LAST_BUDDY", NULL });
	expect_refused("last_buddy", -E_NOENT, (const char *[]){ "near: LAST_BUDDY", NULL });
	expect_refused("NO_LAST_BUDDI", -E_NOENT, (const char *[]){ "LAST_BUDDY", NULL });
	expect_refused("color=red", -E_NOENT, (const char *[]){ "\"color\"", "near: colour", NULL });
	expect_refused("COST_NS=20", -E_NOENT, (const char *[]){ "near: cost_ns", NULL });
	expect_refused("NO_colour", -E_NOENT, (const char *[]){ "colour", NULL });
	expect_refused("", -E_NOENT, (const char *[]){ "help=1", NULL });
	expect_refused("=1", -E_NOENT, (const char *[]){ "help=1", NULL });
	expect_refused("zzzzzzzzzzzzzzzz", -E_NOENT, (const char *[]){ "zzzz", "help=1", NULL });
}

/* However long the assignment, the error stays inside its memory; the sanitizer looks. */
static void test_knobs_long_assignments(void **state)
{
	static const char *const before[] = { "", "cost_ns=", "colour=", "NEXT_BUDDY=", "title=" };
	char assignment[600];

	(void)state;
	for (unsigned i = 0; i < ARRAY_SIZE(before); i++) {
		memset(assignment, 'y', sizeof(assignment) - 1);
		assignment[sizeof(assignment) - 1] = '\0';
		memcpy(assignment, before[i], strlen(before[i]));
		assert_true(assign(assignment) < 0);
		assert_true(strlen(error) < KNOB_ERROR_BYTES);
	}
}

/* Several tables are one name space. */
static void test_knobs_of_two_tables(void **state)
{
	const struct knob_table *tables[] = { &sched_knob_table, &some_table };

	(void)state;
	knobs_reset(&some_table);
	knobs_reset(&sched_knob_table);
	assert_int_equal(knob_assign(tables, 2, "colour=red", error), 0);
	assert_int_equal(a_choice, 0);
	assert_int_equal(knob_assign(tables, 2, "NEXT_BUDDY", error), 0);
	assert_int_equal(knob.NEXT_BUDDY, 1);
	assert_int_equal(a_feature, 0);
	assert_int_equal(knob_assign(tables, 2, "newidel=off", error), -E_NOENT);
	assert_non_null(strstr(error, "near: newidle"));
}

/* ---- the scheduler's switches ---- */

/* knobs.h: a printed value is one that can be assigned. It must also mean the same. */
static void test_sched_knobs_round_trip(void **state)
{
	const struct knob_table *tables[] = { &sched_knob_table };

	(void)state;
	knobs_reset(&sched_knob_table);
	sched_knobs_settle(4);
	for (unsigned i = 0; i < sched_knob_table.nr; i++) {
		const struct knob *k = &sched_knob_table.knob[i];
		struct sched_knobs before = knob;
		char value[32], assignment[80];

		knob_print(k, value, sizeof(value));
		text_format(assignment, sizeof(assignment), "%s=%s", k->name, value);
		memset(k->value, 0x55, k->kind == KNOB_NUMBER ? 8 : 1);
		if (knob_assign(tables, 1, assignment, error))
			fail_msg("%s", error);
		assert_memory_equal(&before, &knob, sizeof(knob));
	}
}

struct settled {
	unsigned cpus;
	u64 latency_us, min_granularity_us, wakeup_granularity_us;
};

static void expect_settled(u8 scaling, const struct settled *want, unsigned n)
{
	for (unsigned i = 0; i < n; i++, want++) {
		knobs_reset(&sched_knob_table);
		knob.sched_tunable_scaling = scaling;
		sched_knobs_settle(want->cpus);
		if (knob.sched_latency_ns != want->latency_us * 1000 ||
			knob.sched_min_granularity_ns != want->min_granularity_us * 1000 ||
			knob.sched_wakeup_granularity_ns != want->wakeup_granularity_us * 1000)
			fail_msg("%u CPUs: %llu, %llu, %llu ns", want->cpus, (unsigned long long)knob.sched_latency_ns,
				(unsigned long long)knob.sched_min_granularity_ns,
				(unsigned long long)knob.sched_wakeup_granularity_ns);
	}
}

/* cfs.md 1.6, row 3.8: 6/0.75/1 ms times 1 + log2(CPUs), counting at most 8 CPUs; between powers of two the logarithm is cut. */
static void test_settle_log(void **state)
{
	static const struct settled want[] = {
		{ 1, 6000, 750, 1000 },
		{ 2, 12000, 1500, 2000 },
		{ 3, 12000, 1500, 2000 },
		{ 4, 18000, 2250, 3000 },
		{ 7, 18000, 2250, 3000 },
		{ 8, 24000, 3000, 4000 },
		{ 10, 24000, 3000, 4000 },
		{ 40, 24000, 3000, 4000 },
		{ 64, 24000, 3000, 4000 },
	};

	(void)state;
	expect_settled(SCALING_LOG, want, ARRAY_SIZE(want));
}

/* Scaling 0 of 3.8: a factor of 1 whatever the machine. */
static void test_settle_none(void **state)
{
	static const struct settled want[] = {
		{ 1, 6000, 750, 1000 },
		{ 2, 6000, 750, 1000 },
		{ 4, 6000, 750, 1000 },
		{ 8, 6000, 750, 1000 },
		{ 64, 6000, 750, 1000 },
	};

	(void)state;
	expect_settled(SCALING_NONE, want, ARRAY_SIZE(want));
}

/* Scaling 2 of 3.8: a factor of min(CPUs, 8). */
static void test_settle_linear(void **state)
{
	static const struct settled want[] = {
		{ 1, 6000, 750, 1000 },
		{ 2, 12000, 1500, 2000 },
		{ 4, 24000, 3000, 4000 },
		{ 8, 48000, 6000, 8000 },
		{ 64, 48000, 6000, 8000 },
	};

	(void)state;
	expect_settled(SCALING_LINEAR, want, ARRAY_SIZE(want));
}

/* What was set stays as it was set, whatever the scaling; the rest of 1.6 does not scale at all. */
static void test_settle_keeps_what_was_set(void **state)
{
	const struct knob_table *tables[] = { &sched_knob_table };

	(void)state;
	knobs_reset(&sched_knob_table);
	assert_int_equal(knob_assign(tables, 1, "sched_latency_ns=20000000", error), 0);
	assert_int_equal(knob_assign(tables, 1, "sched_wakeup_granularity_ns=0", error), 0);
	sched_knobs_settle(8);
	assert_true(knob.sched_latency_ns == 20000000);
	assert_true(knob.sched_min_granularity_ns == 3000000);
	assert_true(knob.sched_wakeup_granularity_ns == 0);
	assert_true(knob.sched_migration_cost_ns == 500000);
	assert_true(knob.sched_nr_migrate == 32);
	assert_true(knob.sched_child_runs_first == 0);
	sched_knobs_settle(1);
	assert_true(knob.sched_min_granularity_ns == 3000000);
}

/* cfs.md 1.6: the ranges that the files of 3.8 accept. */
static void test_sched_ranges(void **state)
{
	static const char *const good[] = { "sched_latency_ns=100000", "sched_latency_ns=1000000000",
		"sched_min_granularity_ns=100000", "sched_min_granularity_ns=1000000000", "sched_wakeup_granularity_ns=0",
		"sched_wakeup_granularity_ns=1000000000" };
	static const char *const bad[] = { "sched_latency_ns=99999", "sched_latency_ns=1000000001",
		"sched_min_granularity_ns=99999", "sched_min_granularity_ns=1000000001", "sched_wakeup_granularity_ns=1000000001",
		"sched_tunable_scaling=3" };
	const struct knob_table *tables[] = { &sched_knob_table };

	(void)state;
	for (unsigned i = 0; i < ARRAY_SIZE(good); i++)
		assert_int_equal(knob_assign(tables, 1, good[i], error), 0);
	for (unsigned i = 0; i < ARRAY_SIZE(bad); i++)
		assert_int_equal(knob_assign(tables, 1, bad[i], error), -E_INVAL);
}

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
	record_str(FIELD_plan_then, "poweroff");
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
		"\"warmup\":0,\"order\":\"abba\",\"seed\":18446744073709551615,\"then\":\"poweroff\"} *835faf21\n"
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
		"\"address\":0,\"error_code\":0,\"backtrace\":[]} *29a5d463\n");
}

/* ---- spinlocks: the lock order is that of enum lock_rank; a debug build looks after it ---- */

static struct spinlock outer = { .rank = RANK_OBJECT }, inner = { .rank = RANK_RQ };

static void test_locks_nest(void **state)
{
	unsigned long outside, inside;

	(void)state;
	start_machine();
	machine_irq_enable();
	outside = spin_lock_irq(&outer);
	inside = spin_lock_irq(&inner);
	assert_true(spin_held(&outer) && spin_held(&inner) && machine_irqs_off());
	assert_false(machine_trylock(&inner.owner));
	spin_unlock_irq(&inner, inside);
	assert_true(machine_irqs_off());
	spin_unlock_irq(&outer, outside);
	assert_false(machine_irqs_off() || spin_held(&outer) || spin_held(&inner));
}

static void lock_with_interrupts(void *unused)
{
	(void)unused;
	machine_irq_enable();
	spin_lock(&outer);
}

static void test_lock_with_interrupts(void **state)
{
	(void)state;
	start_machine();
	test_expect_bug(lock_with_interrupts, NULL, "machine_irqs_off");
}

static void lock_twice(void *unused)
{
	(void)unused;
	spin_lock(&outer);
	spin_lock(&outer);
}

static void test_lock_twice(void **state)
{
	(void)state;
	start_machine();
	test_expect_bug(lock_twice, NULL, "spin_held");
}

static void lock_against_order(void *unused)
{
	(void)unused;
	spin_lock(&inner);
	spin_lock(&outer);
}

static void test_lock_against_order(void **state)
{
	(void)state;
	start_machine();
	test_expect_bug(lock_against_order, NULL, "rank");
}

static void unlock_from_elsewhere(void *unused)
{
	(void)unused;
	spin_lock(&outer);
	test_on_cpu(1);
	spin_unlock(&outer);
}

static void test_unlock_from_elsewhere(void **state)
{
	(void)state;
	start_machine();
	test_expect_bug(unlock_from_elsewhere, NULL, "spin_held");
}

/* ---- memory ---- */

enum { MIB = 1024 * 1024 };

static bool is_zero(const char *p, size_t bytes)
{
	for (; bytes; bytes--)
		if (*p++)
			return false;
	return true;
}

/* A cache line is the smallest piece; a run's memory comes back as a whole, and clean. */
static void test_mem_of_a_run(void **state)
{
	char *one, *two;
	u64 before;

	(void)state;
	start_machine();
	before = mem_free_bytes();
	one = mem_alloc(1);
	two = mem_alloc(100);
	assert_int_equal(mem_free_bytes(), before - 64 - 128);
	assert_int_equal((uintptr_t)one % CACHE_LINE, 0);
	assert_int_equal((uintptr_t)two % CACHE_LINE, 0);
	assert_true(two >= one + 64 || one >= two + 128);
	memset(one, 0xff, 1);
	memset(two, 0xff, 100);
	mem_end_run();
	assert_int_equal(mem_free_bytes(), before);
	assert_true(is_zero(mem_alloc(192), 192));
}

/* What lives for ever survives the run; pages are whole. */
static void test_mem_for_ever(void **state)
{
	char *kept, *pages;
	u64 before;

	(void)state;
	start_machine();
	before = mem_free_bytes();
	kept = mem_alloc_forever(65);
	assert_int_equal(mem_free_bytes(), before - 128);
	pages = mem_alloc_pages(1);
	assert_int_equal((uintptr_t)kept % CACHE_LINE, 0);
	assert_int_equal((uintptr_t)pages % 4096, 0);
	assert_true(is_zero(kept, 65) && is_zero(pages, 4096));
	before = mem_free_bytes();
	memset(mem_alloc(MIB), 0xff, MIB);
	mem_end_run();
	assert_int_equal(mem_free_bytes(), before);
	assert_true(is_zero(kept, 65) && is_zero(pages, 4096));
}

/* Two ranges, as a machine with a hole has them: all of both is used, nothing twice, and what lives for ever is left alone. */
static void test_mem_exhausted(void **state)
{
	char *kept, *p;
	unsigned pieces = 0;
	u64 before;

	(void)state;
	start_machine();
	start_machine();
	kept = mem_alloc_forever(64);
	memset(kept, 0xaa, 64);
	before = mem_free_bytes();
	assert_null(mem_alloc(before / 2 + 64));
	assert_null(mem_alloc_forever(before / 2 + 128));
	assert_null(mem_alloc_pages(before / 2 + 128));
	assert_int_equal(mem_free_bytes(), before);
	while ((p = mem_alloc(8 * MIB))) {
		assert_true(kept < p || kept >= p + 8 * MIB);
		pieces++;
	}
	assert_int_equal(pieces, before / (8 * MIB));
	while (mem_alloc(64))
		pieces++;
	assert_null(mem_alloc_forever(1));
	assert_int_equal(mem_free_bytes(), 0);
	assert_int_equal(kept[0] & 0xff, 0xaa);
	mem_end_run();
	assert_int_equal(mem_free_bytes(), before);
}

/* Rounded up, these would be 0. */
static void test_mem_absurd_sizes(void **state)
{
	(void)state;
	start_machine();
	assert_null(mem_alloc_forever(SIZE_MAX));
	assert_null(mem_alloc_pages(SIZE_MAX - 4094));
	assert_null(mem_alloc(SIZE_MAX - 62));
	assert_null(mem_alloc(SIZE_MAX));
}

/* ---- CPU sets: 256 CPUs in words of 64 ---- */

static void test_cpumask(void **state)
{
	static const unsigned member[] = { 0, 1, 63, 64, 127, 128, 200, 255 };
	struct cpumask m, other;
	unsigned i = 0;

	(void)state;
	mask_clear(&m);
	assert_true(mask_empty(&m));
	assert_int_equal(mask_first(&m), MAX_CPUS);
	for (unsigned k = 0; k < ARRAY_SIZE(member); k++)
		mask_set(&m, member[k]);
	assert_int_equal(mask_weight(&m), ARRAY_SIZE(member));
	for_each_cpu(cpu, &m)
		assert_int_equal(cpu, member[i++]);
	assert_int_equal(i, ARRAY_SIZE(member));
	assert_int_equal(mask_next(&m, 2), 63);
	assert_int_equal(mask_next(&m, 63), 63);
	assert_int_equal(mask_next(&m, 65), 127);
	assert_int_equal(mask_next(&m, 201), 255);
	assert_int_equal(mask_next(&m, 256), MAX_CPUS);
	assert_true(mask_has(&m, 255) && !mask_has(&m, 254));
	other = m;
	assert_true(mask_equal(&m, &other) && mask_intersects(&m, &other));
	mask_unset(&m, 255);
	assert_false(mask_has(&m, 255) || mask_equal(&m, &other));
	assert_int_equal(mask_next(&m, 201), MAX_CPUS);
}

static void test_cpumask_and_or(void **state)
{
	struct cpumask a, b, c;

	(void)state;
	mask_clear(&a);
	mask_clear(&b);
	mask_set(&a, 3);
	mask_set(&a, 70);
	mask_set(&b, 70);
	mask_set(&b, 255);
	c = a;
	mask_and(&c, &b);
	assert_int_equal(mask_first(&c), 70);
	assert_int_equal(mask_weight(&c), 1);
	c = a;
	mask_or(&c, &b);
	assert_int_equal(mask_weight(&c), 3);
	mask_unset(&b, 70);
	assert_false(mask_intersects(&a, &b));
}

/* ---- timers ---- */

enum { MOST_FIRED = 4096 };

static struct {
	struct timer *timer[MOST_FIRED];
	unsigned nr;
} fired;

static void note_fired(struct timer *t)
{
	fired.timer[fired.nr++] = t;
}

static void start(struct timer *t, u64 deadline_ns)
{
	t->deadline_ns = deadline_ns;
	t->fire = note_fired;
	timer_start(t);
}

static void expect_fired(unsigned i, const struct timer *t)
{
	assert_true(i < fired.nr);
	assert_ptr_equal(fired.timer[i], t);
}

static void expect_armed(u64 deadline_ns)
{
	assert_true(test_deadline(machine_cpu()) == deadline_ns);
}

/* The machine is asked for the soonest. */
static void test_timers_in_order(void **state)
{
	struct timer t[3];

	(void)state;
	start_machine();
	start(&t[0], 30);
	expect_armed(30);
	start(&t[1], 10);
	expect_armed(10);
	start(&t[2], 20);
	expect_armed(10);
	timer_run(9);
	assert_int_equal(fired.nr, 0);
	expect_armed(10);
	timer_run(10);
	assert_int_equal(fired.nr, 1);
	expect_fired(0, &t[1]);
	expect_armed(20);
	timer_run(35);
	assert_int_equal(fired.nr, 3);
	expect_fired(1, &t[2]);
	expect_fired(2, &t[0]);
	expect_armed(TIMER_NEVER);
}

static void test_timers_of_one_instant(void **state)
{
	struct timer t[8];

	(void)state;
	start_machine();
	for (unsigned i = 0; i < 8; i++)
		start(&t[i], 50);
	timer_run(50);
	assert_int_equal(fired.nr, 8);
	for (unsigned i = 0; i < 8; i++)
		expect_fired(i, &t[i]);
}

/* One that was stopped does not fire; the interrupt that it had asked for comes, and asks for the next. It may be started again. */
static void test_timers_stopped(void **state)
{
	struct timer t[3];

	(void)state;
	start_machine();
	for (unsigned i = 0; i < 3; i++)
		start(&t[i], 10 * (i + 1));
	timer_stop(&t[0]);
	timer_run(10);
	assert_int_equal(fired.nr, 0);
	expect_armed(20);
	timer_stop(&t[2]);
	timer_run(35);
	assert_int_equal(fired.nr, 1);
	expect_fired(0, &t[1]);
	expect_armed(TIMER_NEVER);
	start(&t[0], 50);
	expect_armed(50);
	timer_run(50);
	assert_int_equal(fired.nr, 2);
	expect_fired(1, &t[0]);
}

/* The tick and the timers share the machine's one deadline: the sooner of the two. */
static void test_timers_and_tick(void **state)
{
	struct timer t[2];

	(void)state;
	start_machine();
	timer_set_tick(15);
	expect_armed(15);
	start(&t[0], 20);
	expect_armed(15);
	start(&t[1], 5);
	expect_armed(5);
	timer_run(5);
	expect_armed(15);
	timer_set_tick(25);
	expect_armed(20);
	timer_run(20);
	expect_armed(25);
	assert_int_equal(fired.nr, 2);
}

static struct timer due_at_once, due_later;

static void fire_and_start_two(struct timer *t)
{
	note_fired(t);
	start(&due_later, 100);
	start(&due_at_once, 40);
}

/* A timer that starts others: what is due by now fires in the same pass, and then the machine is asked for the rest. */
static void test_timers_started_by_timers(void **state)
{
	struct timer t = { .deadline_ns = 40, .fire = fire_and_start_two };

	(void)state;
	start_machine();
	timer_start(&t);
	timer_run(41);
	assert_int_equal(fired.nr, 2);
	expect_fired(0, &t);
	expect_fired(1, &due_at_once);
	expect_armed(100);
	timer_run(100);
	expect_fired(2, &due_later);
}

static void test_timers_of_each_cpu(void **state)
{
	struct timer here, there;

	(void)state;
	start_machine();
	start(&here, 10);
	test_on_cpu(3);
	start(&there, 20);
	timer_run(30);
	assert_int_equal(fired.nr, 1);
	expect_fired(0, &there);
	test_on_cpu(0);
	expect_armed(10);
	timer_run(30);
	assert_int_equal(fired.nr, 2);
	expect_fired(1, &here);
}

/* 2000 timers with 100 different deadlines, in steps: all fire, none early, in order of deadline and then of starting. */
static void test_timers_against_sorting(void **state)
{
	enum { TIMERS = 2000 };
	static struct timer t[TIMERS];
	u64 random = 1;

	(void)state;
	start_machine();
	for (unsigned i = 0; i < TIMERS; i++)
		start(&t[i], 1000 + random_next(&random) % 100);
	for (u64 now = 1000; now < 1100; now += 7) {
		timer_run(now);
		for (unsigned i = 0; i < fired.nr; i++)
			assert_true(fired.timer[i]->deadline_ns <= now);
		assert_true(test_deadline(0) > now);
	}
	timer_run(1100);
	assert_int_equal(fired.nr, TIMERS);
	for (unsigned i = 1; i < TIMERS; i++) {
		const struct timer *a = fired.timer[i - 1], *b = fired.timer[i];

		assert_true(a->deadline_ns < b->deadline_ns || (a->deadline_ns == b->deadline_ns && a < b));
	}
}

static void start_with_interrupts(void *timer)
{
	machine_irq_enable();
	start(timer, 1);
}

static void test_timer_needs_interrupts_off(void **state)
{
	struct timer t;

	(void)state;
	start_machine();
	test_expect_bug(start_with_interrupts, &t, "machine_irqs_off");
}

/* ---- randomness ---- */

/* The first five of SplitMix64 for seed 1234567, as published with the algorithm's implementations, and the first for seed 0. */
static void test_random(void **state)
{
	static const u64 want[] = { 6457827717110365317ull, 3203168211198807973ull, 9817491932198370423ull, 4593380528125082431ull,
		16408922859458223821ull };
	u64 random = 1234567, zero = 0;

	(void)state;
	for (unsigned i = 0; i < ARRAY_SIZE(want); i++)
		assert_true(random_next(&random) == want[i]);
	assert_true(random_next(&zero) == 0xe220a8397b1dcdafull);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		machine_test(test_format),
		machine_test(test_format_cuts),
		machine_test(test_number),
		machine_test(test_not_a_number),
		machine_test(test_name_distance),
		machine_test(test_say_at_once),
		machine_test(test_say_held),
		machine_test(test_say_more_than_memory),
		machine_test(test_say_long_line),
		machine_test(test_say_panic),
		machine_test(test_words),
		machine_test(test_words_refused),
		machine_test(test_knobs_reset),
		machine_test(test_knobs_print),
		machine_test(test_knobs_as_numbers),
		machine_test(test_knobs_assign),
		machine_test(test_knobs_bad_values),
		machine_test(test_knobs_unknown_names),
		machine_test(test_knobs_long_assignments),
		machine_test(test_knobs_of_two_tables),
		machine_test(test_sched_knobs_round_trip),
		machine_test(test_settle_log),
		machine_test(test_settle_none),
		machine_test(test_settle_linear),
		machine_test(test_settle_keeps_what_was_set),
		machine_test(test_sched_ranges),
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
		machine_test(test_locks_nest),
		machine_test(test_lock_with_interrupts),
		machine_test(test_lock_twice),
		machine_test(test_lock_against_order),
		machine_test(test_unlock_from_elsewhere),
		machine_test(test_mem_of_a_run),
		machine_test(test_mem_for_ever),
		machine_test(test_mem_exhausted),
		machine_test(test_mem_absurd_sizes),
		machine_test(test_cpumask),
		machine_test(test_cpumask_and_or),
		machine_test(test_timers_in_order),
		machine_test(test_timers_of_one_instant),
		machine_test(test_timers_stopped),
		machine_test(test_timers_and_tick),
		machine_test(test_timers_started_by_timers),
		machine_test(test_timers_of_each_cpu),
		machine_test(test_timers_against_sorting),
		machine_test(test_timer_needs_interrupts_off),
		machine_test(test_random),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
