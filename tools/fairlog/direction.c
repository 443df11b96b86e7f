/* SPDX-License-Identifier: GPL-2.0-or-later
 * Reads names of figures. They are words between underscores or blanks, the unit last. */
#include "tools/fairlog/direction.h"

#include <string.h>

/* Without the scale of a fixed-point figure, such as rps_x100. */
static size_t length_without_scale(const char *name)
{
	size_t length = strlen(name), end = length;

	while (end > 0 && name[end - 1] >= '0' && name[end - 1] <= '9')
		end--;
	return end < length && end >= 2 && strncmp(name + end - 2, "_x", 2) == 0 ? end - 2 : length;
}

static bool is_boundary(char c)
{
	return c == '_' || c == ' ' || c == ',' || c == '\0';
}

static bool ends_with(const char *name, size_t length, const char *words)
{
	size_t n = strlen(words);

	return length >= n && strncmp(name + length - n, words, n) == 0 && (length == n || is_boundary(name[length - n - 1]));
}

static bool has_word(const char *name, const char *word)
{
	size_t n = strlen(word);

	for (const char *at = name; (at = strstr(at, word)); at++)
		if ((at == name || is_boundary(at[-1])) && is_boundary(at[n]))
			return true;
	return false;
}

enum direction direction_of(const char *name)
{
	static const char *const more[] = { "per_s", "per_sec", "per_min", "rps", "ops", "throughput", "jti" };
	static const char *const less[] = { "elapsed", "task-clock", "wasted", "ns", "us", "ms", "latency" };
	size_t length = length_without_scale(name);

	for (size_t i = 0; i < sizeof more / sizeof more[0]; i++)
		if (ends_with(name, length, more[i]))
			return MORE_IS_BETTER;
	for (size_t i = 0; i < sizeof less / sizeof less[0]; i++)
		if (ends_with(name, length, less[i]))
			return LESS_IS_BETTER;
	return DIRECTION_UNKNOWN;
}

bool is_tail(const char *name)
{
	static const char *const tail[] = { "p95", "p99", "p999", "max", "longest" };

	for (size_t i = 0; i < sizeof tail / sizeof tail[0]; i++)
		if (has_word(name, tail[i]))
			return true;
	return false;
}
