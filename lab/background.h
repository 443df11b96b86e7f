/* SPDX-License-Identifier: GPL-2.0-or-later
 * What accompanies a run: the workloads of with=, each in a task of its own, over and over until the run is done. */
#ifndef LAB_BACKGROUND_H
#define LAB_BACKGROUND_H

#include "lab/plan.h"

struct background;

struct companion {
	struct background *background;
	const struct planned_workload *planned;
	unsigned number; /* among those of its name, from 1 */
	struct run run;	 /* of the repetition that goes on or was the last */
	u64 repeats;	 /* atomic; how many times it was run */
	struct aside *aside;
};

/* Of one run. */
struct background {
	unsigned nr, started;
	struct companion companion[MAX_BACKGROUNDS];
	bool over; /* atomic */
	char status[TEXT_BYTES];
};

/* By the task that is about to run the workload proper, whose own children they become; they do not end before they are told to.
 * Returns when all have begun to measure: NULL, or why they have not, and background_finish() is due all the same. */
const char *background_start(struct background *b, const struct plan *plan);

/* Tell them to end, wait until they have, and let the run fail if one of them has. */
void background_finish(struct background *b, struct run *r);

/* What they have printed; before mem_end_run(), like the rest. */
void background_say(const struct background *b);

/* Their figures, for an open map: name.metric and name.repeats. The second of a name is called name2, and so on. */
void background_put_results(const struct background *b);

#endif
