/* SPDX-License-Identifier: GPL-2.0-or-later
 * Figures that mails have reported, and how ours stand to them. */
#ifndef FAIRLOG_PUBLISHED_H
#define FAIRLOG_PUBLISHED_H

#include "tools/fairlog/boot.h"
#include "tools/fairlog/stat.h"

struct published {
	const char *experiment, *machine;
	enum part { WHOLE, ONE_NODE } part; /* of the machine */
	unsigned workload;		    /* its number in the experiment */
	const char *name;		    /* the workload's first word */
	const char *first, *other;	    /* variants */
	const char *metric, *unit;
	double value[2];	 /* of first and other; NAN: none was given */
	double error[2];	 /* standard errors in per cent */
	const double *counts[2]; /* of each task, in place of both */
};

/* Calls back for each figure of the experiment on that machine and that part of it; returns how many there are. */
typedef void published_fn(void *context, const struct published *figure);
size_t published_each(const char *experiment, const char *machine, enum part part, published_fn *call, void *context);

/* The machine that the mails speak of and that has this one's shape, or NULL. */
const char *published_machine(const json_t *machine);

enum { PUBLISHED_TASKS = 10 };

/*
 * Other against first, with a normal interval of 95 %: hundreds of runs need no other. Rounded figures have one that is as wide as
 * the rounding. Counts come from one run of each. What is known of its noise is how far the tasks were from each other, so that
 * makes the interval; it is too narrow, since runs differ by more than that.
 */
struct ratio published_ratio(const struct published *figure);

enum agreement {
	AGREES,	      /* the same direction, and the intervals meet */
	OTHER_SIZE,   /* the same direction, and they do not */
	CONTRADICTED, /* another direction, or none here */
	CANNOT_SAY,   /* one of them has no figure, or cannot tell its own direction where they meet */
};

/* Ours is taken as it stands where all runs agree to the digit. */
enum agreement published_agreement(const struct ratio *published, const struct ratio *ours);

#endif
