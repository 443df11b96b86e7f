/* SPDX-License-Identifier: GPL-2.0-or-later
 * From scan codes to text. */
#include "arch/x86/keyboard.h"

enum {
	CODE_EXTENDED = 0xe0,
	CODE_RELEASED = 0x80,
	CODE_CONTROL = 0x1d,
	CODE_SHIFT_LEFT = 0x2a,
	CODE_SHIFT_RIGHT = 0x36,
	CODE_CAPS = 0x3a,
};

/* By scan code from 0. */
static const char plain[] = "\0\033"
			    "1234567890-=\b\tqwertyuiop[]\r\0asdfghjkl;'`\0\\zxcvbnm,./\0*\0 ";
static const char shifted[] = "\0\033"
			      "!@#$%^&*()_+\b\tQWERTYUIOP{}\r\0ASDFGHJKL:\"~\0|ZXCVBNM<>?\0*\0 ";
static_assert(sizeof(plain) == 0x3b && sizeof(shifted) == sizeof(plain), "the space bar is code 0x39");

/* Behind ESC [ on a terminal; the numeric pad's keys have the same codes without the prefix. */
static char arrow_of(u8 code)
{
	switch (code) {
	case 0x48:
		return 'A';
	case 0x50:
		return 'B';
	case 0x4d:
		return 'C';
	case 0x4b:
		return 'D';
	case 0x47:
		return 'H';
	case 0x4f:
		return 'F';
	default:
		return 0;
	}
}

static unsigned modify(struct keyboard *k, u8 code)
{
	bool pressed = !(code & CODE_RELEASED);

	switch (code & ~CODE_RELEASED) {
	case CODE_SHIFT_LEFT:
	case CODE_SHIFT_RIGHT:
		k->shift = pressed;
		break;
	case CODE_CONTROL:
		k->control = pressed;
		break;
	case CODE_CAPS:
		k->caps ^= pressed;
		break;
	}
	return 0;
}

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static unsigned put_character(const struct keyboard *k, u8 code, char text[KEY_BYTES])
{
	char c = code < sizeof(plain) ? plain[code] : 0;
	bool upper = k->shift ^ (k->caps && is_letter(c));

	if (!c)
		return 0;
	c = upper ? shifted[code] : c;
	text[0] = k->control && is_letter(c) ? (char)(c & 0x1f) : c;
	return 1;
}

unsigned keyboard_decode(struct keyboard *k, u8 code, char text[KEY_BYTES])
{
	bool extended = k->extended;
	char arrow = arrow_of(code);

	k->extended = code == CODE_EXTENDED;
	if (code >= CODE_EXTENDED)
		return 0;
	/* Print Screen and the grey keys send shifts of their own behind the prefix. */
	if (extended && (code & ~CODE_RELEASED) != CODE_CONTROL && code != 0x1c && code != 0x35 && !arrow)
		return 0;
	if (arrow) {
		text[0] = '\033';
		text[1] = '[';
		text[2] = arrow;
		return 3;
	}
	return code & CODE_RELEASED || !put_character(k, code, text) ? modify(k, code) : 1;
}
