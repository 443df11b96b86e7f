/* SPDX-License-Identifier: GPL-2.0-or-later
 * The place in memory that outlives a reset, as the kernel fills it (boot/results.h): whatever was written, the next boot must find
 * it sound, and the report of a fault in it, however long the log was. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "arch/machine.h"
#include "arch/x86/console.h"
#include "arch/x86/results.h"
#include "base/mem.h"
#include "base/string.h"
#include "base/text.h"
#include "boot/results.h"

/* Behind the place, what must not be touched. */
static char area[RESULTS_BYTES + CACHE_LINE] cache_aligned;
static const struct results *const place = (const struct results *)area;

void say(const char *fmt, ...)
{
	(void)fmt;
}

void console_write(const char *text, size_t bytes)
{
	(void)text, (void)bytes;
}

void *mem_alloc_forever(size_t bytes)
{
	(void)bytes;
	return NULL;
}

static void prepare(void)
{
	static struct memmap map;
	const struct bootinfo info = { .results = { (u64)area, (u64)area + RESULTS_BYTES } };

	memset(area, 0, sizeof(area));
	results_claim(&info, &map);
	results_recall();
}

static void keep_lines(unsigned kib)
{
	static char line[1024];

	memset(line, 'x', sizeof(line));
	line[sizeof(line) - 1] = '\n';
	for (unsigned i = 0; i < kib; i++)
		results_keep(line, sizeof(line));
}

/* Bytes; the place is sound and nothing lies behind it. */
static u32 kept(void)
{
	for (unsigned i = 0; i < CACHE_LINE; i++)
		assert_int_equal(area[RESULTS_BYTES + i], 0);
	return results_bytes(place);
}

static bool is_kept(const char *text)
{
	u32 bytes = kept(), n = (u32)strlen(text);

	for (u32 i = 0; i + n <= bytes; i++)
		if (!memcmp(place->text + i, text, n))
			return true;
	return false;
}

/* One boot, at its worst: what is sent again, which takes no room; 2 MiB of log; then all that may wait in memory (64 KiB) and the
 * report for people and for machines (40 KiB); then somebody who does not stop, byte by byte, so that not one is left free. */
static void test_a_long_log_and_a_report(void **state)
{
	(void)state;
	prepare();
	results_keep("one\n", 4);
	results_keep("two\n", 4);
	assert_int_equal(kept(), 8);
	assert_memory_equal(place->text, "one\ntwo\n", 8);
	machine_console_repeats(true); /* the shell's log */
	keep_lines(2048);
	machine_console_repeats(false);
	assert_int_equal(kept(), 8);
	keep_lines(2048);
	assert_true(is_kept("[No more room: "));
	results_last_words();
	keep_lines(64 + 40);
	results_keep("the last word\n", 14);
	assert_true(is_kept("the last word\n"));
	for (unsigned i = 0; i < RESULTS_BYTES; i++)
		results_keep(".", 1);
	assert_true(kept() > RESULTS_TEXT_MOST - CACHE_LINE);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_a_long_log_and_a_report) };

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
