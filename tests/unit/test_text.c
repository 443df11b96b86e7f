/* SPDX-License-Identifier: GPL-2.0-or-later
 * Text: formatting, numbers, the stream to the console, words of the command line. Expected numbers are arithmetic beside the test.
 */
#include "tests/unit/bare.h"

#include "base/cmdline.h"
#include "base/text.h"

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

static void expect_decimal(u64 numerator, u64 denominator, unsigned digits, const char *text)
{
	struct text_decimal d = text_decimal(numerator, denominator, digits);

	if (strcmp(d.text, text))
		fail_msg("%llu / %llu to %u places: %s, not %s", (unsigned long long)numerator, (unsigned long long)denominator,
			digits, d.text, text);
}

/* 1/8 is 0.125, so to two places it lies halfway, and goes up; 0.1249 does not. A carry goes through all nines. */
static void test_decimal_rounds(void **state)
{
	(void)state;
	expect_decimal(0, 7, 0, "0");
	expect_decimal(0, 7, 3, "0.000");
	expect_decimal(6, 3, 2, "2.00");
	expect_decimal(1, 8, 3, "0.125");
	expect_decimal(1, 8, 2, "0.13");
	expect_decimal(1249, 10000, 2, "0.12");
	expect_decimal(1, 2, 0, "1");
	expect_decimal(1, 3, 0, "0");
	expect_decimal(2, 3, 4, "0.6667");
	expect_decimal(1, 1000, 2, "0.00");
	expect_decimal(5, 1000, 2, "0.01");
	expect_decimal(199999, 100000, 4, "2.0000");
	expect_decimal(99995, 100000, 4, "1.0000");
	expect_decimal(9999, 1000, 2, "10.00");
}

/* workloads.md 4.1: 6060 jobs in 13.80 s are 439.13 a minute. */
static void test_decimal_of_times(void **state)
{
	(void)state;
	expect_decimal(6060 * NSEC_PER_SEC, 13800 * NSEC_PER_MSEC, 2, "439.13");
	expect_decimal(1234567890, NSEC_PER_SEC, 9, "1.234567890");
	expect_decimal(1000000001, NSEC_PER_SEC, 8, "1.00000000");
}

/* 2^64 - 1 is 18446744073709551615; 2/3 and 1/7 have the digits that division by hand gives; 2^60 - 1 is 1152921504606846975, and
 * one less than it divided by it is 1 - 8.67e-19: 18 nines, which the next digit, an 1, leaves as they are. */
static void test_decimal_limits(void **state)
{
	const u64 most = (1ull << 60) - 1;

	(void)state;
	expect_decimal(~0ull, 1, 0, "18446744073709551615");
	expect_decimal(~0ull, 1, 18, "18446744073709551615.000000000000000000");
	expect_decimal(~0ull, 10, 1, "1844674407370955161.5");
	expect_decimal(2, 3, 18, "0.666666666666666667");
	expect_decimal(1, 7, 18, "0.142857142857142857");
	expect_decimal(most - 1, most, 18, "0.999999999999999999");
	expect_decimal(most - 1, most, 17, "1.00000000000000000");
	expect_decimal(most, most, 18, "1.000000000000000000");
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

#define RECORD_6 "@6 {\"t\":\"plan\"} *00000000\n"
#define RECORD_7 "@7 {\"t\":\"run\",\"of\":\"more than a piece, which is 64 bytes: so it is cut\"} *00000000\n"

static void say_records(void *unused)
{
	(void)unused;
	say(RECORD_6 RECORD_7);
}

/* Whoever was writing is stopped in the middle of record 7, at any byte of it: it comes again, in whole, on a line of its own. */
static void test_say_panic_in_a_record(void **state)
{
	(void)state;
	for (unsigned at = sizeof(RECORD_6); at < sizeof(RECORD_6 RECORD_7); at++) {
		start_machine();
		test_console_clear();
		test_console_stop = at;
		test_end_of(say_records, NULL);
		say_panic();
		say("after\n");
		if (!strstr(test_console(), "\n" RECORD_7 "after\n"))
			fail_msg("stopped at %u: %s", at, test_console());
	}
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
	expect_said("\nbefore\nafter");
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
int main(void)
{
	const struct CMUnitTest tests[] = {
		machine_test(test_format),
		machine_test(test_format_cuts),
		machine_test(test_number),
		machine_test(test_not_a_number),
		machine_test(test_decimal_rounds),
		machine_test(test_decimal_of_times),
		machine_test(test_decimal_limits),
		machine_test(test_name_distance),
		machine_test(test_say_at_once),
		machine_test(test_say_held),
		machine_test(test_say_more_than_memory),
		machine_test(test_say_long_line),
		machine_test(test_say_panic),
		machine_test(test_say_panic_in_a_record),
		machine_test(test_words),
		machine_test(test_words_refused),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
