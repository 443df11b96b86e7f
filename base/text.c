/* SPDX-License-Identifier: GPL-2.0-or-later
 * Formatting and number parsing. */
#include "base/text.h"

#include "base/string.h"

#define STB_SPRINTF_IMPLEMENTATION
#define STB_SPRINTF_STATIC
#define STB_SPRINTF_NOFLOAT
#define STB_SPRINTF_NOUNALIGNED
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-function"
#include <stb/stb_sprintf.h>
#pragma GCC diagnostic pop

int text_vformat(char *dst, size_t size, const char *fmt, va_list args)
{
	return stbsp_vsnprintf(dst, (int)size, fmt, args);
}

int text_format(char *dst, size_t size, const char *fmt, ...)
{
	va_list args;
	int n;

	va_start(args, fmt);
	n = text_vformat(dst, size, fmt, args);
	va_end(args);
	return n;
}

static char *pass_on(const char *text, void *put, int bytes)
{
	(*(void (**)(const char *, size_t))put)(text, (size_t)bytes);
	return (char *)text; /* the buffer may be filled again */
}

void text_stream(void (*put)(const char *text, size_t bytes), const char *fmt, va_list args)
{
	char buffer[STB_SPRINTF_MIN];

	stbsp_vsprintfcb(pass_on, &put, buffer, fmt, args);
}

static int digit_of(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return 99;
}

int text_number(const char *s, size_t n, u64 *value)
{
	unsigned base = 10;
	u64 v = 0;
	size_t i = 0;

	if (n > 2 && s[0] == '0' && (s[1] == 'x' || s[1] == 'X')) {
		base = 16;
		i = 2;
	}
	if (i == n)
		return -E_INVAL;
	for (; i < n; i++) {
		unsigned d = (unsigned)digit_of(s[i]);

		if (d >= base)
			return -E_INVAL;
		if (__builtin_mul_overflow(v, base, &v) || __builtin_add_overflow(v, d, &v))
			return -E_RANGE;
	}
	*value = v;
	return 0;
}

struct text_decimal text_decimal(u64 numerator, u64 denominator, unsigned digits)
{
	u64 whole = numerator / denominator, rest = numerator % denominator, fraction = 0, unit = 1;
	struct text_decimal d = { "" };

	for (unsigned i = 0; i < digits; i++) {
		fraction = 10 * fraction + 10 * rest / denominator;
		rest = 10 * rest % denominator;
		unit *= 10;
	}
	fraction += 2 * rest >= denominator;
	whole += fraction / unit;
	text_format(d.text, sizeof(d.text), digits ? "%llu.%0*llu" : "%llu", (unsigned long long)whole, (int)digits,
		(unsigned long long)(fraction % unit));
	return d;
}

static char lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c + 32) : c;
}

/* The textbook dynamic program over one row. */
unsigned text_distance(const char *a, const char *b)
{
	enum { LONGEST = 48 };
	unsigned row[LONGEST + 1];
	size_t na = strlen(a), nb = strlen(b);

	if (na > LONGEST || nb > LONGEST)
		return 99;
	for (size_t j = 0; j <= nb; j++)
		row[j] = (unsigned)j;
	for (size_t i = 1; i <= na; i++) {
		unsigned diagonal = row[0];

		row[0] = (unsigned)i;
		for (size_t j = 1; j <= nb; j++) {
			unsigned best = diagonal + (lower(a[i - 1]) != lower(b[j - 1]));

			diagonal = row[j];
			if (row[j] + 1 < best)
				best = row[j] + 1;
			if (row[j - 1] + 1 < best)
				best = row[j - 1] + 1;
			row[j] = best;
		}
	}
	return row[nb];
}

bool text_is_space(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}
