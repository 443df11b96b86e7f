/* SPDX-License-Identifier: GPL-2.0-or-later
 * A random program for a machine, each from one number: what switches it runs under and what its tasks do. */
#ifndef TESTS_SCENARIO_PROGRAM_H
#define TESTS_SCENARIO_PROGRAM_H

#include "base/random.h"

struct program {
	u64 seed, steps, tasks; /* as actors_run() takes them */
	u64 runs;		/* each under switches of its own */
};

static inline u64 draw(u64 *state, u64 below)
{
	return random_next(state) % below;
}

/* All that kernel_main() does. Whatever does not hold ends the machine. */
_Noreturn void program_main(struct program *p);

#endif
