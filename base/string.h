/* SPDX-License-Identifier: GPL-2.0-or-later
 * Memory and string primitives: libc's on the host, our own in the kernel. */
#ifndef BASE_STRING_H
#define BASE_STRING_H

#include "base/types.h"

#if __STDC_HOSTED__
#include <string.h>
#else
void *memcpy(void *restrict dst, const void *restrict src, size_t n);
void *memmove(void *dst, const void *src, size_t n);
void *memset(void *dst, int c, size_t n);
int memcmp(const void *a, const void *b, size_t n);
size_t strlen(const char *s);
int strcmp(const char *a, const char *b);
int strncmp(const char *a, const char *b, size_t n);
char *strchr(const char *s, int c);

/* -ffreestanding hides what these do from the compiler; so small copies become single moves again. */
#define memcpy	__builtin_memcpy
#define memmove __builtin_memmove
#define memset	__builtin_memset
#define memcmp	__builtin_memcmp
#endif

/* Copy src with its terminator into dst[size], cut where it does not fit. Returns strlen(src): cut if that is >= size. */
size_t text_copy(char *dst, size_t size, const char *src);

#endif
