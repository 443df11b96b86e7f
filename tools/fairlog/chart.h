/* SPDX-License-Identifier: GPL-2.0-or-later
 * What is drawn of the runs of one workload, apart from how. */
#ifndef FAIRLOG_CHART_H
#define FAIRLOG_CHART_H

#include "tools/fairlog/account.h"
#include "tools/fairlog/metric.h"
#include "tools/fairlog/scale.h"

enum chart_kind {
	CHART_RUNS,	    /* x: position of the run, y: its figure; a series for each variant */
	CHART_DISTRIBUTION, /* x: the figure, y: 0 to 1 in the order of time; a series and a row for each variant */
	CHART_WASTE,	    /* x: mean msec, y: row; a series for each cause, a row for each variant */
	CHART_LATENCY,	    /* x: -log10 of the share of wakeups that waited longer, y: usec; a series for each variant */
	CHART_TIMELINE,	    /* x: msec of one run, y: CPU, a cell for each time; a series for each length of the queue */
	CHART_KINDS,
};

enum mark { MARK_COUNTED, MARK_WARMUP, MARK_FAILED };

struct point {
	double x_end; /* of a cell */
	double x, y;  /* y of a failed run is not a number */
	enum mark mark;
};

struct series {
	const char *name;
	unsigned colour; /* in the palette of variants or of causes */
	struct point *point;
	size_t points;
	double quartile[3]; /* of a distribution */
};

/* Names belong to the boot. */
struct chart {
	enum chart_kind kind;
	const char *workload, *with; /* as in the group */
	struct metric metric;	     /* of runs and of a distribution */
	struct series *series;
	size_t count; /* 0: there is nothing to draw */
	size_t rows;  /* variants */
	const char **row;
	size_t cpus; /* of a timeline */
	struct scale x, y;
};

struct colour {
	const char *light, *dark; /* on paper and on a dark screen, at least 3:1 against it; told apart by the colour-blind */
};
enum { VARIANT_COLOURS = 7 };
extern const struct colour variant_colour[VARIANT_COLOURS];
extern const struct colour cause_colour[WASTE_CAUSES];
enum { QUEUE_COLOURS = 5 };
extern const char *const queue_colour[QUEUE_COLOURS]; /* on paper */

/* Of the groups of one workload. */
struct chart chart_make(
	enum chart_kind kind, const struct boot *boot, const struct group *group, size_t variants, const struct metric *metric);
void chart_free(struct chart *chart);

#endif
