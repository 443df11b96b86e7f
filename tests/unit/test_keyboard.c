/* SPDX-License-Identifier: GPL-2.0-or-later
 * Scan codes of a PC keyboard, as the specification of set 1 lists them. */
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "arch/x86/keyboard.h"

static struct keyboard keyboard;
static char typed[64];

/* What so many codes stand for, as a string. */
static const char *type(const u8 *codes, unsigned n)
{
	size_t used = 0;

	memset(&keyboard, 0, sizeof(keyboard));
	for (unsigned i = 0; i < n; i++)
		used += keyboard_decode(&keyboard, codes[i], typed + used);
	typed[used] = '\0';
	return typed;
}

#define TYPED(...) type((const u8[]){ __VA_ARGS__ }, sizeof((const u8[]){ __VA_ARGS__ }))

static void letters_and_digits(void **state)
{
	(void)state;
	assert_string_equal(TYPED(0x13, 0x93, 0x16, 0x96, 0x31, 0xb1, 0x39, 0x02, 0x0b, 0x1c), "run 10\r");
	assert_string_equal(TYPED(0x0d, 0x28, 0x35, 0x2b, 0x29, 0x0e, 0x0f), "='/\\`\b\t");
}

static void shift_holds_until_released(void **state)
{
	(void)state;
	assert_string_equal(TYPED(0x2a, 0x1e, 0x28, 0xaa, 0x1e, 0x36, 0x0c, 0xb6, 0x0c), "A\"a_-");
}

/* Caps lock turns letters only, and shift turns them back. */
static void caps_lock(void **state)
{
	(void)state;
	assert_string_equal(TYPED(0x3a, 0xba, 0x1e, 0x02, 0x2a, 0x1e, 0xaa, 0x3a, 0xba, 0x1e), "A1aa");
}

static void control_letters(void **state)
{
	(void)state;
	assert_string_equal(TYPED(0x1d, 0x1e, 0x25, 0x9d, 0x1e), "\001\013a");
	assert_string_equal(TYPED(0xe0, 0x1d, 0x16, 0xe0, 0x9d, 0x16), "\025u");
}

/* Grey arrows come with a prefix, and with shifts of their own when num lock is on: e0 2a. */
static void arrows_are_a_terminals(void **state)
{
	(void)state;
	assert_string_equal(TYPED(0xe0, 0x48, 0xe0, 0xc8, 0xe0, 0x4b), "\033[A\033[D");
	assert_string_equal(TYPED(0xe0, 0x2a, 0xe0, 0x50, 0xe0, 0xd0, 0xe0, 0xaa, 0x1e), "\033[Ba");
	assert_string_equal(TYPED(0xe0, 0x1c, 0xe0, 0x35), "\r/");
}

/* Any byte in any state: at most KEY_BYTES, and nothing beyond the tables. */
static void every_code(void **state)
{
	char text[KEY_BYTES];

	(void)state;
	for (unsigned flags = 0; flags < 16; flags++)
		for (unsigned code = 0; code < 256; code++) {
			struct keyboard k = { flags & 1, flags & 2, flags & 4, flags & 8 };

			assert_true(keyboard_decode(&k, (u8)code, text) <= KEY_BYTES);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(letters_and_digits),
		cmocka_unit_test(shift_holds_until_released),
		cmocka_unit_test(caps_lock),
		cmocka_unit_test(control_letters),
		cmocka_unit_test(arrows_are_a_terminals),
		cmocka_unit_test(every_code),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
