/* SPDX-License-Identifier: GPL-2.0-or-later
 * Formatting, number parsing and the text stream to whoever reads the console. */
#ifndef BASE_TEXT_H
#define BASE_TEXT_H

#include <stdarg.h>

#include "base/types.h"

/* printf without floating point, into dst[size]; returns the length the whole text has. */
int text_format(char *dst, size_t size, const char *fmt, ...) printf_like(3, 4);
int text_vformat(char *dst, size_t size, const char *fmt, va_list args);
/* The same text in pieces to put(). */
void text_stream(void (*put)(const char *text, size_t bytes), const char *fmt, va_list args);

/* An unsigned decimal or 0x-hexadecimal number that fills [s, s+n). 0, -E_INVAL (no number) or -E_RANGE (too large for 64 bits). */
int text_number(const char *s, size_t n, u64 *value);

/* numerator / denominator as text, with so many digits behind the point (at most 18), the last rounded half up: say("%s s",
 * text_decimal(ns, NSEC_PER_SEC, 3).text). Nothing is lost on the way, however large the numerator; 0 < denominator < 2^60. */
struct text_decimal {
	char text[44];
};
struct text_decimal text_decimal(u64 numerator, u64 denominator, unsigned digits);

/* Number of single-character edits between two names, for "did you mean"; capped at 99. Case does not count. */
unsigned text_distance(const char *a, const char *b);

bool text_is_space(char c);

/*
 * Append text to the console stream. Any context. While the stream is held (a measured interval) it only collects in memory; it is
 * written when released, or when the memory is full, so that nothing is ever lost.
 */
void say(const char *fmt, ...) printf_like(1, 2);
void say_bytes(const char *text, size_t bytes);
void say_hold(void);
void say_release(void);

/* The machine is broken: write at once, wait for no lock from now on. */
void say_panic(void);

#endif
