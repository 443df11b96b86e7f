/* SPDX-License-Identifier: GPL-2.0-or-later
 * The few memory and string primitives a freestanding kernel must bring itself. */
#include "base/string.h"

#if !__STDC_HOSTED__

#undef memcpy
#undef memmove
#undef memset
#undef memcmp

/* One word at a time, not "rep movs": emulators and instruction counters charge that per byte. */
typedef u64 __attribute__((may_alias, aligned(1))) word;

void *memcpy(void *restrict dst, const void *restrict src, size_t n)
{
	char *d = dst;
	const char *s = src;
	size_t i = 0;

	if (n >= sizeof(word)) {
		for (; i + sizeof(word) < n; i += sizeof(word))
			*(word *)(d + i) = *(const word *)(s + i);
		i = n - sizeof(word); /* the last word, which may overlap the one before */
		*(word *)(d + i) = *(const word *)(s + i);
		return dst;
	}
	for (; i < n; i++)
		d[i] = s[i];
	return dst;
}

void *memmove(void *dst, const void *src, size_t n)
{
	char *d = dst;
	const char *s = src;

	if (d >= s + n || d + n <= s)
		return memcpy(dst, src, n);
	if (d < s)
		for (size_t i = 0; i < n; i++)
			d[i] = s[i];
	else
		while (n--)
			d[n] = s[n];
	return dst;
}

void *memset(void *dst, int c, size_t n)
{
	char *d = dst;
	word pattern = (u8)c * 0x0101010101010101ull;

	for (; n >= sizeof(word); n -= sizeof(word), d += sizeof(word))
		*(word *)d = pattern;
	while (n--)
		*d++ = (char)c;
	return dst;
}

int memcmp(const void *a, const void *b, size_t n)
{
	const u8 *x = a, *y = b;

	for (; n >= sizeof(word); n -= sizeof(word), x += sizeof(word), y += sizeof(word))
		if (*(const word *)x != *(const word *)y)
			break;
	for (; n; n--, x++, y++)
		if (*x != *y)
			return *x - *y;
	return 0;
}

size_t strlen(const char *s)
{
	size_t n = 0;

	while (s[n])
		n++;
	return n;
}

int strcmp(const char *a, const char *b)
{
	while (*a && *a == *b)
		a++, b++;
	return (u8)*a - (u8)*b;
}

int strncmp(const char *a, const char *b, size_t n)
{
	for (; n; n--, a++, b++)
		if (*a != *b || !*a)
			return (u8)*a - (u8)*b;
	return 0;
}

char *strchr(const char *s, int c)
{
	for (; *s != (char)c; s++)
		if (!*s)
			return NULL;
	return (char *)s;
}

#endif

size_t text_copy(char *dst, size_t size, const char *src)
{
	size_t n = strlen(src), keep = n < size ? n : size - 1;

	memcpy(dst, src, keep);
	dst[keep] = '\0';
	return n;
}
