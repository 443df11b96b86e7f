/* SPDX-License-Identifier: GPL-2.0-or-later
 * Options of commands that have their own. */
#ifndef FAIRLOG_OPTION_H
#define FAIRLOG_OPTION_H

#include <stdbool.h>

/* One that has a value; a table ends with an entry without a name. take() is given the command's own options and returns false once
 * it has refused the text. */
struct option {
	const char *name;
	bool (*take)(const char *text, void *options);
};

/* Says on one line why the command is not run; false. */
__attribute__((format(printf, 2, 3))) bool option_refuse(const char *command, const char *format, ...);

/* The option at **args with its value, behind an equals sign or as the next word, to which *args then moves. Expected: the names of
 * all, for who has mistyped one. */
bool option_take(const char *command, char ***args, const struct option *table, const char *expected, void *options);

/* The number of a boot, from 1 on. */
bool option_boot(const char *command, const char *text, unsigned *boot);

#endif
