/* SPDX-License-Identifier: GPL-2.0-or-later
 * Runs that were disturbed, or not held still as they should have been: they count, and it is said. */
#ifndef FAIRLOG_CLEAN_H
#define FAIRLOG_CLEAN_H

#include "tools/fairlog/group.h"

enum { UNCLEAN_BYTES = 320 };

/* "3 of 20 runs (the first one: 2 SMIs)", or false: all that count are clean. */
bool describe_unclean(const struct group *group, char text[UNCLEAN_BYTES]);

/* What was to be held still in these runs and was not, such as "turbo=off: not supported: ..."; NULL: nothing. */
const char *find_not_held(const struct group *group);

#endif
