/* SPDX-License-Identifier: GPL-2.0-or-later
 * Strings, each kept once. */
#define _GNU_SOURCE /* tdestroy */
#include "tools/fairlog/names.h"

#include "tools/fairlog/allocate.h"

#include <search.h>
#include <string.h>

static int compare(const void *a, const void *b)
{
	return strcmp(a, b);
}

const char *names_keep(struct names *names, const char *text)
{
	char **found = tfind(text, &names->tree, compare);
	size_t bytes = strlen(text) + 1;
	char *copy;

	if (found)
		return *found;
	copy = memcpy(allocate(NULL, bytes), text, bytes);
	if (!tsearch(copy, &names->tree, compare)) {
		fprintf(stderr, "fairlog: out of memory\n");
		exit(2);
	}
	return copy;
}

void names_free(struct names *names)
{
	tdestroy(names->tree, free);
	names->tree = NULL;
}
