/* SPDX-License-Identifier: GPL-2.0-or-later
 * Options of commands that have their own. */
#include "tools/fairlog/option.h"

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool option_refuse(const char *command, const char *format, ...)
{
	va_list args;

	fprintf(stderr, "fairlog %s: ", command);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fprintf(stderr, "; fairlog --help shows the usage\n");
	return false;
}

bool option_take(const char *command, char ***args, const struct option *table, const char *expected, void *options)
{
	const char *word = **args;
	size_t length = strcspn(word, "=");

	for (; table->name; table++) {
		if (strlen(table->name) != length || strncmp(word, table->name, length) != 0)
			continue;
		if (word[length] == '=')
			return table->take(word + length + 1, options);
		if (!(*args)[1])
			return option_refuse(command, "%s: expected a value behind it", word);
		return table->take(*++*args, options);
	}
	return option_refuse(command, "%s: no such option; expected %s", word, expected);
}

bool option_boot(const char *command, const char *text, unsigned *boot)
{
	char *end;
	unsigned long value = strtoul(text, &end, 10);

	if (*text < '0' || *text > '9' || *end != '\0' || value == 0 || value > INT_MAX)
		return option_refuse(command, "--boot %s: expected a number from 1 on", text);
	*boot = (unsigned)value;
	return true;
}
