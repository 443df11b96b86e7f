/* SPDX-License-Identifier: GPL-2.0-or-later
 * Splitting a command line into words. */
#include "base/cmdline.h"

#include "base/text.h"

int cmdline_next(const char **s, char *word, size_t size)
{
	const char *p = *s;
	bool quoted = false;
	size_t n = 0;

	while (text_is_space(*p))
		p++;
	if (!*p) {
		*s = p;
		return 0;
	}
	for (; *p && (quoted || !text_is_space(*p)); p++) {
		if (*p == '"') {
			quoted = !quoted;
			continue;
		}
		if (*p == '\\' && p[1])
			p++;
		if (n + 1 == size)
			return -E_RANGE;
		word[n++] = *p;
	}
	word[n] = '\0';
	*s = p;
	return quoted ? -E_INVAL : 1;
}
