/* SPDX-License-Identifier: GPL-2.0-or-later
 * Counts the runs of a group that something disturbed. */
#include "tools/fairlog/clean.h"

#include "tools/fairlog/page.h"

#include <stdio.h>

bool describe_unclean(const struct group *group, char text[UNCLEAN_BYTES])
{
	const struct run *first = NULL;
	size_t unclean = 0;

	for (size_t i = 0; i < group->count; i++) {
		if (run_uint(group->runs[i], FIELD_run_clean))
			continue;
		first = first ? first : group->runs[i];
		unclean++;
	}
	if (!first)
		return false;
	snprintf(text, UNCLEAN_BYTES, "%zu of %zu run%s (%s%.200s)", unclean, group->count, plural(group->count),
		unclean > 1 ? "the first one: " : "", first->dirty);
	return true;
}

const char *find_not_held(const struct group *group)
{
	for (size_t i = 0; i < group->count; i++)
		if (group->runs[i]->not_held)
			return group->runs[i]->not_held;
	return NULL;
}
