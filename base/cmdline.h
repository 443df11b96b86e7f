/* SPDX-License-Identifier: GPL-2.0-or-later
 * Splitting a command line into words. */
#ifndef BASE_CMDLINE_H
#define BASE_CMDLINE_H

#include "base/types.h"

/*
 * The next word of *s into word[size], without the double quotes that may enclose all or part of it; a backslash keeps the next
 * character. Advances *s. Returns 1; 0 at the end; -E_INVAL for an unclosed quote; -E_RANGE for a word that does not fit.
 */
int cmdline_next(const char **s, char *word, size_t size);

#endif
