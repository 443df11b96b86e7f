/* SPDX-License-Identifier: GPL-2.0-or-later
 * What the passes over the variants have brought so far: each variant against the first, pass by pass. */
#ifndef LAB_TALLY_H
#define LAB_TALLY_H

#include "lab/pairs.h"
#include "lab/plan.h"

struct tally {
	unsigned in_pass;		  /* runs of the pass under way */
	s64 log[MAX_VARIANTS];		  /* of their figures */
	bool known[MAX_VARIANTS];	  /* not of runs that failed, or whose figure is 0 */
	struct pairs pairs[MAX_VARIANTS]; /* of a variant and the first one */
};

/* A measured run; all variants have theirs before any has the next. figure: what the workload is judged by, 0 if there is none. */
void tally_run(struct tally *t, const struct plan *plan, unsigned variant, u64 figure);

/* That figure of a run. */
u64 tally_figure(const struct workload *w, const struct run *r);

#endif
