/* SPDX-License-Identifier: GPL-2.0-or-later
 * A contrast figure by figure, as a table with a verdict below. */
#ifndef FAIRLOG_COMPARISON_H
#define FAIRLOG_COMPARISON_H

#include "tools/fairlog/contrast.h"

/* What was decided before anybody looked. */
struct question {
	const char *metric;	  /* the one that decides; NULL: what the workload is judged by */
	enum direction direction; /* of that metric; unknown: by its name, or as the workload says */
	double margin;		  /* 0.01 for 1 % */
};

enum decision comparison_print(const struct contrast *contrast, const struct question *question);

#endif
