/* SPDX-License-Identifier: GPL-2.0-or-later
 * until=: as many runs as an interval of a given width needs, by a rule that keeps the interval valid. */
#ifndef LAB_SEQUENTIAL_H
#define LAB_SEQUENTIAL_H

#include "lab/tally.h"

/* "0.5%": by so much the interval may differ from the ratio, up. 0 and *ppm in millionths, 0 for "", or -E_INVAL. */
int sequential_parse(const char *text, u64 *ppm);

/* May this plan be run until something? 0, or -E_INVAL with one line in plan->error; sets plan->within_ppm. */
int sequential_check(struct plan *plan);

/* How many pairs there must be in all, counting those there are, of which there are 2 or more; SEQUENTIAL_MOST: so many or more. */
enum { SEQUENTIAL_MOST = 1000000 };
u64 sequential_needed(const struct pairs *p, u64 ppm);

/* After the first stage: how many passes there are to be in all. Says why, in records too. */
u64 sequential_passes(const struct tally *t, const struct plan *plan, const struct planned_workload *w);

#endif
