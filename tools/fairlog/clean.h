/* SPDX-License-Identifier: GPL-2.0-or-later
 * Runs whose certificate is not clean: they count, and it is said. */
#ifndef FAIRLOG_CLEAN_H
#define FAIRLOG_CLEAN_H

#include "tools/fairlog/group.h"

enum { UNCLEAN_BYTES = 320 };

/* "3 of 20 runs (the first one: 2 SMIs)", or false: all that count are clean. */
bool describe_unclean(const struct group *group, char text[UNCLEAN_BYTES]);

#endif
