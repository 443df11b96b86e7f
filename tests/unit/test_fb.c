/* SPDX-License-Identifier: GPL-2.0-or-later
 * Text on screens of both kinds, in memory that stands for them: metal.md 1.3 and 5. A letter is where column * 8 and row * 16 say,
 * its shape is the font's; around the picture there is memory that nobody may touch. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "arch/x86/fb.h"
#include "arch/x86/font.h"

static u8 *memory;
static struct boot_fb fb;

/* Exactly as large as said, so that AddressSanitizer sees who leaves it. */
static void make_screen(enum boot_fb_type type, u32 width, u32 height, u32 pitch, u8 bpp)
{
	fb = (struct boot_fb){ .type = type, .width = width, .height = height, .pitch = pitch, .bpp = bpp, .addr = 1 };
	free(memory);
	memory = malloc((size_t)pitch * height);
	memset(memory, 0x55, (size_t)pitch * height);
	assert_true(fb_init(&fb, memory));
}

static void write_text(const char *text)
{
	fb_write(text, strlen(text));
}

static bool lit(unsigned x, unsigned y)
{
	const u8 *at = memory + (size_t)y * fb.pitch + (size_t)x * (fb.bpp / 8);

	assert_true(!memcmp(at, "\0\0\0", 3) || !memcmp(at, "\xff\xff\xff", 3));
	return *at;
}

/* Is that letter there, in pixels of that size? */
static void expect_letter(unsigned row, unsigned column, char c, unsigned scale)
{
	for (unsigned y = 0; y < FB_CELL_ROWS; y++)
		for (unsigned x = 0; x < FB_CELL_COLUMNS; x++) {
			bool want = y >= 1 && y < 1 + FONT_ROWS && font_glyph[c - FONT_FIRST][y - 1] & 0x80 >> x;

			assert_int_equal(lit((column * 8 + x) * scale, (row * 16 + y) * scale), want);
			assert_int_equal(lit((column * 8 + x) * scale + scale - 1, (row * 16 + y) * scale + scale - 1), want);
		}
}

/* A letter that nobody can mistake: the font has not come in upside down or mirrored. */
static void font_is_the_right_way_up(void **state)
{
	static const u8 f[FONT_ROWS] = { 0, 0, 0x7e, 0x40, 0x40, 0x40, 0x78, 0x40, 0x40, 0x40, 0x40, 0, 0 };

	(void)state;
	assert_memory_equal(font_glyph['F' - FONT_FIRST], f, sizeof(f));
}

static void pixels_of_both_depths(void **state)
{
	(void)state;
	for (u8 bpp = 24; bpp <= 32; bpp += 8) {
		make_screen(FB_RGB, 640, 400, 640 * 4 + 64, bpp); /* a line is longer than its pixels */
		assert_int_equal(fb_columns(), 80);
		assert_int_equal(fb_rows(), 25);
		write_text("Hi\n y");
		expect_letter(0, 0, 'H', 1);
		expect_letter(0, 1, 'i', 1);
		expect_letter(1, 0, ' ', 1);
		expect_letter(1, 1, 'y', 1);
		assert_int_equal(memory[640 * 4], 0x55); /* and what is between lines is left alone */
	}
}

/* 1920 x 1080 has letters twice as large: 120 columns, 33 rows. */
static void large_screen_has_large_letters(void **state)
{
	(void)state;
	make_screen(FB_RGB, 1920, 1080, 1920 * 4, 32);
	assert_int_equal(fb_columns(), 120);
	assert_int_equal(fb_rows(), 33);
	write_text("ab");
	expect_letter(0, 1, 'b', 2);
}

static u16 cell(unsigned row, unsigned column)
{
	u16 v;

	memcpy(&v, memory + (size_t)row * fb.pitch + 2 * (size_t)column, 2);
	return v;
}

static void expect_row(unsigned row, const char *text)
{
	for (unsigned i = 0; i < 20; i++)
		assert_int_equal(cell(row, i) & 0xff, i < strlen(text) ? text[i] : ' ');
}

static void ega_text(void **state)
{
	(void)state;
	make_screen(FB_TEXT, 20, 4, 40, 16);
	write_text("one\ntwo\tx\r\nthree");
	expect_row(0, "one");
	expect_row(1, "two     x");
	expect_row(2, "three");
	assert_int_equal(cell(0, 0), 0x0700 | 'o');
	assert_int_equal(cell(2, 5), 0x7000 | ' '); /* the cursor */
}

static void page_scrolls_and_long_lines_break(void **state)
{
	(void)state;
	make_screen(FB_TEXT, 20, 4, 40, 16);
	write_text("1\n2\n3\n4\n5\n01234567890123456789ab");
	expect_row(0, "4");
	expect_row(1, "5");
	expect_row(2, "01234567890123456789");
	expect_row(3, "ab");
}

/* What a line editor sends. */
static void editing(void **state)
{
	(void)state;
	make_screen(FB_TEXT, 20, 4, 40, 16);
	write_text("> abc\b\b\bX\033[K\rY\a");
	expect_row(0, "Y X");
}

/* Records are for machines; an @ elsewhere is a letter; what is not ASCII is a blank. */
static void records_are_not_shown(void **state)
{
	(void)state;
	make_screen(FB_TEXT, 20, 4, 40, 16);
	write_text("a@b\n@0 {\"t\":\"boot\"} *00000000\n");
	write_text("@1 {");
	write_text("}\nc\x80\xff");
	write_text("d");
	expect_row(0, "a@b");
	expect_row(1, "c  d");
}

/* Only what changes is drawn: paint over the picture, and see what comes back. */
static void unchanged_cells_are_not_drawn(void **state)
{
	(void)state;
	make_screen(FB_TEXT, 20, 4, 40, 16);
	write_text("aa\nab\nac\nad");
	memset(memory, 0, 40 * 4);
	write_text("\nae");
	assert_int_equal(cell(0, 0), 0);
	assert_int_equal(cell(0, 1), 0x0700 | 'b');
}

static void hidden_screen_is_left_alone(void **state)
{
	(void)state;
	make_screen(FB_TEXT, 20, 4, 40, 16);
	fb_show(NULL);
	write_text("later");
	expect_row(0, "");
	fb_show(memory);
	expect_row(0, "later");
}

/* Larger than what is kept, and smaller than a letter. */
static void odd_sizes(void **state)
{
	(void)state;
	make_screen(FB_TEXT, 400, 100, 800, 16);
	assert_int_equal(fb_columns(), FB_MOST_COLUMNS);
	assert_int_equal(fb_rows(), FB_MOST_ROWS);
	fb = (struct boot_fb){ .type = FB_RGB, .width = 7, .height = 7, .pitch = 28, .bpp = 32 };
	assert_false(fb_init(&fb, memory));
	fb.type = FB_NONE;
	assert_false(fb_init(&fb, memory));
	free(memory);
	memory = NULL;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(font_is_the_right_way_up),
		cmocka_unit_test(pixels_of_both_depths),
		cmocka_unit_test(large_screen_has_large_letters),
		cmocka_unit_test(ega_text),
		cmocka_unit_test(page_scrolls_and_long_lines_break),
		cmocka_unit_test(editing),
		cmocka_unit_test(records_are_not_shown),
		cmocka_unit_test(unchanged_cells_are_not_drawn),
		cmocka_unit_test(hidden_screen_is_left_alone),
		cmocka_unit_test(odd_sizes),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
