/* SPDX-License-Identifier: GPL-2.0-or-later
 * screen=: many switches at two values each, in few variants, so that no effect of one and no interaction of two is taken for
 * another. */
#ifndef LAB_SCREEN_H
#define LAB_SCREEN_H

#include "base/types.h"

enum { SCREEN_FACTORS = 8, SCREEN_TEXT_BYTES = 256 };

struct screen {
	char text[SCREEN_TEXT_BYTES];
	unsigned nr;
	struct {
		const char *name, *low, *high;
		char base[32]; /* a low value that is the one of the command line */
	} factor[SCREEN_FACTORS];
};

/*
 * NAME of a feature: off and on; NAME:LOW/HIGH; or NAME:HIGH, LOW then being what the switch is at now. With commas between them.
 * 0, or -E_INVAL with one line in error[size]. Whether there are such switches and values is for others to find out.
 */
int screen_parse(struct screen *s, const char *text, char *error, size_t size);

/* 2^n up to 4 factors, then 16, 32, 64 and 64. */
unsigned screen_variants(const struct screen *s);

/* The switches of that variant, the first of which has all at low. */
void screen_words(const struct screen *s, unsigned variant, char *words, size_t size);

/* A line on the design. */
void screen_say(const struct screen *s);

#endif
