/* SPDX-License-Identifier: GPL-2.0-or-later
 * What two samples say about a figure, and the decision that follows from it. */
#ifndef FAIRLOG_VERDICT_H
#define FAIRLOG_VERDICT_H

#include "tools/fairlog/direction.h"
#include "tools/fairlog/stat.h"

#include <stdbool.h>
#include <stddef.h>

struct samples {
	const double *a, *b;
	size_t na, nb;
	bool paired; /* a[i] and b[i] belong together, and na = nb */
};

struct effect {
	struct ratio ratio;  /* b / a with its interval of 95 % */
	struct ratio narrow; /* the same of 90 %, for the two one-sided tests of a margin */
	double p;	     /* of a ratio of 1, by the test that the interval is of */
	double welch_p;	     /* of the logarithms like the interval, or of the values if one of them is not above 0 */
	double rank_p;	     /* Mann and Whitney's */
	double detectable;   /* the least change up that would have been seen, 0.01 for 1 %; NAN if not known */
	bool constant;	     /* each side by itself: its runs are one run, repeated */
};

/* Tail: the figure is the p99 or the largest of each run, and the bootstrap takes the place of Student's t. */
struct effect effect_of(const struct samples *samples, bool tail);

enum verdict {
	VERDICT_BETTER,
	VERDICT_SAME,	      /* every pair of runs gave the same figure */
	VERDICT_NOT_SEEN,     /* no difference seen, with no margin asked for */
	VERDICT_WITHIN,	      /* the margin, up and down */
	VERDICT_NO_WORSE,     /* not by more than the margin */
	VERDICT_WORSE,	      /* by more than the margin */
	VERDICT_UNDECIDED,    /* whether by more than the margin */
	VERDICT_TOO_FEW,      /* runs */
	VERDICT_ONE_REPEATED, /* run: there is no spread */
	VERDICT_ZERO,	      /* a value has no logarithm */
	VERDICT_NO_DIRECTION, /* there is a difference, and nobody said which side is better */
};

/* With a margin of 0.01 worse means by more than 1 %: of less than 1 / 1.01 where more is better. Fewer runs on a side, or pairs,
 * than VERDICT_RUNS decide nothing. */
enum { VERDICT_RUNS = 3 };
enum verdict verdict_of(const struct effect *effect, size_t na, size_t nb, enum direction direction, double margin);

/* For the exit code. Not asked: the workload does not have the figure. */
enum decision { DECIDED_NO_WORSE, DECIDED_WORSE, UNDECIDED, NOT_ASKED, DECISIONS };
enum decision decision_of(enum verdict verdict);

#endif
