/* SPDX-License-Identifier: GPL-2.0-or-later
 * Prints text in lines that end at a blank. */
#include "tools/fairlog/page.h"

#include "tools/fairlog/allocate.h"

#include <stdarg.h>
#include <string.h>

/* How much of text goes on a line with that much room: up to a blank, or all that fits where a word is longer. */
static size_t line_length(const char *text, size_t room)
{
	size_t length = strlen(text);

	if (length <= room)
		return length;
	for (length = room; length > 0; length--) {
		if (text[length] == ' ')
			return length;
	}
	return room;
}

void print_wrapped_at(unsigned columns, const char *label, const char *text)
{
	size_t indent = strlen(label);

	printf("%s", label);
	for (;;) {
		size_t length = line_length(text, columns - indent);

		printf("%.*s\n", (int)length, text);
		text += length;
		text += strspn(text, " ");
		if (*text == '\0')
			return;
		printf("%*s", (int)indent, "");
	}
}

void print_wrapped(const char *label, const char *text)
{
	print_wrapped_at(PAGE_COLUMNS, label, text);
}

void print_line(const char *label, const char *format, ...)
{
	va_list args, again;
	char *text;
	int length;

	va_start(args, format);
	va_copy(again, args);
	length = vsnprintf(NULL, 0, format, args);
	text = allocate(NULL, (size_t)length + 1);
	vsnprintf(text, (size_t)length + 1, format, again);
	va_end(again);
	va_end(args);
	print_wrapped(label, text);
	free(text);
}

const char *plural(uint64_t count)
{
	return count == 1 ? "" : "s";
}
