/* SPDX-License-Identifier: GPL-2.0-or-later
 * Tasks that do random things to themselves and to each other, with the scheduler's invariants checked after each. */
#ifndef TESTS_SCENARIO_ACTORS_H
#define TESTS_SCENARIO_ACTORS_H

#include "base/types.h"

enum { MOST_ACTORS = 32 };

/*
 * Run about `steps` random actions in up to `tasks` (1..MOST_ACTORS) tasks at a time, and return when all have ended. The calling
 * task is their parent. Whatever does not hold ends the machine.
 */
void actors_run(u64 seed, u64 steps, unsigned tasks);

#endif
