/* SPDX-License-Identifier: GPL-2.0-or-later
 * What a figure's name says of it. */
#ifndef FAIRLOG_DIRECTION_H
#define FAIRLOG_DIRECTION_H

#include <stdbool.h>

enum direction { DIRECTION_UNKNOWN, LESS_IS_BETTER, MORE_IS_BETTER };

/* A switch or a migration is neither good nor bad: most counts are of unknown direction. */
enum direction direction_of(const char *name);

/* True for the p99 or the largest of a run, and the like: what its few slowest events decide. */
bool is_tail(const char *name);

#endif
