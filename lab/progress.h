/* SPDX-License-Identifier: GPL-2.0-or-later
 * For whoever waits. */
#ifndef LAB_PROGRESS_H
#define LAB_PROGRESS_H

#include "lab/tally.h"

/* A line between two runs, where there are more than a few: how long it will take, and how the first comparison stands. Times are
 * from the machine's clock, so that the same command says the same on an exact machine. */
void progress_say(const struct plan *plan, const struct tally *t, u64 started_ns, u64 done, u64 total);

#endif
