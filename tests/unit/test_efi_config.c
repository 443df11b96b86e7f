/* SPDX-License-Identifier: GPL-2.0-or-later
 * fairmetal.cfg by the rules in boot/efi/config.h. Line numbers are counted by hand; a miss is a menu that shows something else
 * than the file says, or a message that sends its reader to the wrong line. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/string.h"
#include "boot/efi/config.h"
#include "boot/results.h"

static char text[4096];
static struct config config;
static struct config_error error;

static bool parse(const char *file)
{
	snprintf(text, sizeof(text), "%s", file);
	return config_parse(text, &config, &error);
}

static void assert_wrong(const char *file, unsigned line, const char *why)
{
	assert_false(parse(file));
	assert_int_equal(error.line, line);
	if (!strstr(error.why, why))
		fail_msg("\"%s\", not \"%s\"", error.why, why);
}

static void test_whole(void **state)
{
	(void)state;
	assert_true(parse("# a comment\n"
			  "timeout=3\n"
			  "default=1\n"
			  "results=0x3000000\n"
			  "\n"
			  "title \"One: it says\"\n"
			  "cmdline run=\"hackbench -g 4\" vary=newidle:throttle,off\n"
			  "title 'Two'\n"
			  "kernel /fairmetal/fairmetal-lockstep.elf\n"
			  "cmdline topo=2n:4c\n"
			  "title Three words bare\n"
			  "cmdline\n"));
	assert_int_equal(config.timeout_s, 3);
	assert_int_equal(config.first, 1);
	assert_int_equal(config.results, 0x3000000);
	assert_int_equal(config.nr, 3);
	assert_string_equal(config.entry[0].title, "One: it says");
	assert_string_equal(config.entry[0].kernel, "/fairmetal/fairmetal.elf");
	assert_string_equal(config.entry[0].cmdline, "run=\"hackbench -g 4\" vary=newidle:throttle,off");
	assert_string_equal(config.entry[1].title, "Two");
	assert_string_equal(config.entry[1].kernel, "/fairmetal/fairmetal-lockstep.elf");
	assert_string_equal(config.entry[1].cmdline, "topo=2n:4c");
	assert_string_equal(config.entry[2].title, "Three words bare");
	assert_string_equal(config.entry[2].kernel, "/fairmetal/fairmetal-lockstep.elf"); /* as before */
	assert_string_equal(config.entry[2].cmdline, "");
}

static void test_defaults(void **state)
{
	(void)state;
	assert_true(parse("title x\ncmdline y"));
	assert_int_equal(config.timeout_s, 10);
	assert_int_equal(config.first, 0);
	assert_int_equal(config.results, RESULTS_ADDR);
	assert_string_equal(config.entry[0].cmdline, "y");
}

/* Editors of other systems: byte order mark, CR LF, tabs, spaces at the ends, no last line end. */
static void test_other_editors(void **state)
{
	(void)state;
	assert_true(parse("\xef\xbb\xbf# first\r\ntimeout=0\r\n\ttitle\t\"A\"  \r\n  cmdline  b=1  c=2 \t\r\n\r\n"));
	assert_int_equal(config.timeout_s, 0);
	assert_string_equal(config.entry[0].title, "A");
	assert_string_equal(config.entry[0].cmdline, "b=1  c=2");
}

static void test_wrong_lines(void **state)
{
	(void)state;
	assert_wrong("# x\n\nkernal /a\n", 3, "expected title");
	assert_wrong("titles x\n", 1, "expected title");
	assert_wrong("timeout 5\n", 1, "expected title"); /* GRUB would not take it either */
	assert_wrong("timeout=soon\n", 1, "expected a number");
	assert_wrong("timeout=\n", 1, "expected a number");
	assert_wrong("timeout=3601\n", 1, "too large");
	assert_wrong("default=35\n", 1, "too large");
	assert_wrong("title a\ncmdline\nresults=0xfff00001\n", 3, "too large");
	assert_wrong("results=0x2000800\n", 1, "not that of a page");
	assert_wrong("kernel fairmetal.elf\n", 1, "does not begin with /");
	assert_wrong("cmdline x\n", 1, "without a title");
	assert_wrong("title a\ntitle b\ncmdline\n", 2, "has no cmdline");
}

static void test_wrong_wholes(void **state)
{
	(void)state;
	assert_wrong("", 0, "nothing to boot");
	assert_wrong("# x\ntimeout=1\n", 0, "nothing to boot");
	assert_wrong("title a\n", 0, "the last title");
	assert_wrong("default=1\ntitle a\ncmdline\n", 0, "names no entry");
}

static void test_no_results(void **state)
{
	(void)state;
	assert_true(parse("results=0\ntitle a\ncmdline\n"));
	assert_int_equal(config.results, 0);
}

static void test_as_many_as_keys(void **state)
{
	char file[1024] = "";

	(void)state;
	for (unsigned i = 0; i < CONFIG_ENTRIES; i++)
		strcat(file, "title t\ncmdline\n");
	assert_true(parse(file));
	assert_int_equal(config.nr, 35); /* 9 digits and 26 letters */
	strcat(file, "title t\ncmdline\n");
	assert_wrong(file, 72, "more entries");
}

/* The file that is shipped is understood, and its first kernel is not that of its last entry. */
static void test_shipped(void **state)
{
	FILE *file = fopen("boot/fairmetal.cfg", "r");
	char shipped[sizeof(text)];
	size_t n;

	(void)state;
	assert_non_null(file);
	n = fread(shipped, 1, sizeof(shipped) - 1, file);
	shipped[n] = '\0';
	fclose(file);
	if (!parse(shipped))
		fail_msg("line %u: %s", error.line, error.why);
	assert_string_equal(config.entry[0].kernel, "/fairmetal/fairmetal.elf");
	assert_string_equal(config.entry[config.nr - 1].kernel, "/fairmetal/fairmetal-lockstep.elf");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_whole),
		cmocka_unit_test(test_defaults),
		cmocka_unit_test(test_other_editors),
		cmocka_unit_test(test_wrong_lines),
		cmocka_unit_test(test_wrong_wholes),
		cmocka_unit_test(test_no_results),
		cmocka_unit_test(test_as_many_as_keys),
		cmocka_unit_test(test_shipped),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
