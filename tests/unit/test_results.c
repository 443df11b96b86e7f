/* SPDX-License-Identifier: GPL-2.0-or-later
 * Records once more (metal.md 5 and 7: repeat the results on request): a ring of whole lines that counts what it has dropped. */
#include "tests/unit/machine.h"

#include "base/mem.h"
#include "base/results.h"
#include "base/string.h"
#include "base/text.h"

#include <string.h>

static void prepare(void)
{
	test_machine(1, 1, 1, 1);
	results_init();
}

static const char *replayed(void)
{
	test_console_clear();
	results_replay();
	return test_console();
}

static void test_all_lines_come_again(void **state)
{
	(void)state;
	prepare();
	results_note("one\n", 4);
	results_note("two\n", 4);
	assert_string_equal(replayed(), "== Records of this boot once more; 0 older ones are gone\none\ntwo\n");
	results_note("three\n", 6);
	assert_string_equal(replayed(), "== Records of this boot once more; 0 older ones are gone\none\ntwo\nthree\n");
}

/* Lines of 100 kB but for the line end; 4 MiB hold 41 of them (4194304 / 100000 = 41.9), so of 50 the first 9 are gone. The console
 * of the test machine keeps 256 KiB: what is first in it is looked at, and how long it is. */
static void test_the_oldest_make_room(void **state)
{
	enum { BYTES = 100000, LINES = 50, FIT = 41 };
	static char line[BYTES];
	const char *text;

	(void)state;
	prepare();
	if (mem_free_bytes() / RESULTS_SHARE < RESULTS_MOST_BYTES)
		skip();
	memset(line, 'x', BYTES);
	line[BYTES - 1] = '\n';
	for (unsigned i = 0; i < LINES; i++) {
		text_format(line, sizeof(line), "%02u", i);
		line[2] = 'x';
		results_note(line, BYTES);
	}
	text = strchr(replayed(), '\n');
	assert_non_null(strstr(test_console(), "; 9 older ones are gone"));
	assert_memory_equal(text + 1, "09x", 3);
	assert_memory_equal(text + 1 + BYTES, "10x", 3);
}

/* Too long for the whole ring: dropped by itself. */
static void test_a_line_that_never_fits(void **state)
{
	static char line[RESULTS_MOST_BYTES + 1];

	(void)state;
	prepare();
	results_note("one\n", 4);
	results_note(line, sizeof(line));
	assert_string_equal(replayed(), "== Records of this boot once more; 1 older ones are gone\none\n");
}

static void test_before_there_is_room(void **state)
{
	(void)state;
	test_machine(1, 1, 1, 1);
	results_note("one\n", 4);
	assert_string_equal(replayed(), "== Records of this boot once more; 1 older ones are gone\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		machine_test(test_all_lines_come_again),
		machine_test(test_the_oldest_make_room),
		machine_test(test_a_line_that_never_fits),
		machine_test(test_before_there_is_room),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
