/* SPDX-License-Identifier: GPL-2.0-or-later
 * A terminal on a screen. Text changes cells in memory; afterwards those cells are drawn that look different from what is shown. So
 * a page that scrolls costs its changed letters, and nothing is ever read back from the screen, which is slow beyond belief. */
#include "arch/x86/fb.h"

#include "arch/x86/font.h"
#include "base/string.h"

enum {
	INVERSE = 0x80, /* in a cell, for the cursor; the rest is ASCII */
	TEXT_PLAIN = 0x07,
	TEXT_INVERSE = 0x70,
	TAB = 8,
	GLYPH_TOP = 1, /* rows of a cell above its letter */
	LARGE_WIDTH = 960,
	LARGE_HEIGHT = 540,
};

enum screen_state { PLAIN, RECORD, ESCAPE, SEQUENCE };

static struct {
	struct boot_fb fb;
	volatile u8 *at;
	unsigned columns, rows, scale;
	unsigned column, row; /* of the next letter; column == columns: it begins the next line */
	enum screen_state state;
	u8 wanted[FB_MOST_ROWS][FB_MOST_COLUMNS], shown[FB_MOST_ROWS][FB_MOST_COLUMNS];
} screen;

/* ---- drawing ---- */

/* White and black are the same in every order of the colours. */
static void draw_pixels(volatile u8 *line, unsigned x, unsigned n, bool on)
{
	unsigned bytes = screen.fb.bpp / 8;
	volatile u8 *to = line + (size_t)x * bytes;

	for (; n; n--, to += bytes)
		if (bytes == 4)
			*(volatile u32 *)to = on ? 0xffffff : 0;
		else
			to[0] = to[1] = to[2] = on ? 0xff : 0;
}

static u8 glyph_row(u8 c, unsigned y)
{
	y -= GLYPH_TOP;
	return c >= FONT_FIRST && c <= FONT_LAST && y < FONT_ROWS ? font_glyph[c - FONT_FIRST][y] : 0;
}

static void draw_letter(unsigned row, unsigned column, u8 cell)
{
	unsigned left = column * FB_CELL_COLUMNS * screen.scale, top = row * FB_CELL_ROWS * screen.scale;

	for (unsigned y = 0; y < FB_CELL_ROWS * screen.scale; y++) {
		u8 bits = glyph_row(cell & ~INVERSE, y / screen.scale) ^ (cell & INVERSE ? 0xff : 0);

		for (unsigned x = 0; x < FB_CELL_COLUMNS; x++)
			draw_pixels(screen.at + (size_t)(top + y) * screen.fb.pitch, left + x * screen.scale, screen.scale,
				bits & 0x80 >> x);
	}
}

static void draw_cell(unsigned row, unsigned column, u8 cell)
{
	u16 attribute = cell & INVERSE ? TEXT_INVERSE : TEXT_PLAIN;

	if (screen.fb.type == FB_TEXT)
		*(volatile u16 *)(screen.at + (size_t)row * screen.fb.pitch + 2 * (size_t)column) =
			(u16)(attribute << 8 | (cell & ~INVERSE));
	else
		draw_letter(row, column, cell);
	screen.shown[row][column] = cell;
}

static void mark_cursor(void)
{
	if (screen.column < screen.columns)
		screen.wanted[screen.row][screen.column] ^= INVERSE;
}

static void draw_changes(void)
{
	if (!screen.at)
		return;
	mark_cursor();
	for (unsigned row = 0; row < screen.rows; row++)
		for (unsigned column = 0; column < screen.columns; column++)
			if (screen.wanted[row][column] != screen.shown[row][column])
				draw_cell(row, column, screen.wanted[row][column]);
	mark_cursor();
}

/* ---- a terminal, as far as a line editor needs one ---- */

static void new_line(void)
{
	screen.column = 0;
	if (++screen.row < screen.rows)
		return;
	screen.row--;
	memmove(screen.wanted[0], screen.wanted[1], sizeof(screen.wanted[0]) * (screen.rows - 1));
	memset(screen.wanted[screen.row], ' ', screen.columns);
}

static void put_letter(char c)
{
	if (screen.column == screen.columns)
		new_line();
	screen.wanted[screen.row][screen.column++] = c > ' ' && c <= FONT_LAST ? (u8)c : ' ';
}

static void put_plain(char c)
{
	switch (c) {
	case '\n':
		new_line();
		break;
	case '\r':
		screen.column = 0;
		break;
	case '\b':
		screen.column -= screen.column > 0;
		break;
	case '\t':
		do
			put_letter(' ');
		while (screen.column % TAB);
		break;
	case '\033':
		screen.state = ESCAPE;
		break;
	case '\a':
		break;
	default:
		put_letter(c);
		break;
	}
}

/* Erase to the end of the line is all that is ever sent. */
static void end_sequence(char c)
{
	screen.state = PLAIN;
	if (c == 'K')
		memset(screen.wanted[screen.row] + screen.column, ' ', screen.columns - screen.column);
}

/* A line that begins with an @ is a record for machines, of thousands of letters. */
static void put(char c)
{
	switch (screen.state) {
	case PLAIN:
		if (c == '@' && !screen.column)
			screen.state = RECORD;
		else
			put_plain(c);
		break;
	case RECORD:
		if (c == '\n')
			screen.state = PLAIN;
		break;
	case ESCAPE:
		screen.state = c == '[' ? SEQUENCE : PLAIN;
		break;
	case SEQUENCE:
		if (c >= '@')
			end_sequence(c);
		break;
	}
}

void fb_write(const char *text, size_t bytes)
{
	while (bytes--)
		put(*text++);
	draw_changes();
}

/* ---- beginning ---- */

static void measure(const struct boot_fb *fb)
{
	screen.scale = 1;
	screen.columns = fb->width;
	screen.rows = fb->height;
	if (fb->type == FB_RGB) {
		screen.scale = (unsigned)max_u64(min_u64(fb->width / LARGE_WIDTH, fb->height / LARGE_HEIGHT), 1);
		screen.columns /= FB_CELL_COLUMNS * screen.scale;
		screen.rows /= FB_CELL_ROWS * screen.scale;
	}
	screen.columns = (unsigned)min_u64(screen.columns, FB_MOST_COLUMNS);
	screen.rows = (unsigned)min_u64(screen.rows, FB_MOST_ROWS);
}

bool fb_init(const struct boot_fb *fb, volatile void *at)
{
	memset(&screen, 0, sizeof(screen));
	if (fb->type == FB_NONE)
		return false;
	screen.fb = *fb;
	measure(fb);
	memset(screen.wanted, ' ', sizeof(screen.wanted)); /* and nothing of it is shown yet: zeros are no blanks */
	fb_show(at);
	return screen.columns && screen.rows;
}

void fb_show(volatile void *at)
{
	screen.at = at;
	draw_changes();
}

unsigned fb_columns(void)
{
	return screen.columns;
}

unsigned fb_rows(void)
{
	return screen.rows;
}
