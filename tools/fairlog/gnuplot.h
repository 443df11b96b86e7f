/* SPDX-License-Identifier: GPL-2.0-or-later
 * Charts through gnuplot, for paper and slides. */
#ifndef FAIRLOG_GNUPLOT_H
#define FAIRLOG_GNUPLOT_H

#include "tools/fairlog/chart.h"

/* One chart, and what stands above it. */
struct panel {
	struct chart chart;
	const char *file; /* NULL: only the workload */
};

bool gnuplot_is_there(void);

/* Draws panels of one kind below each other, to standard output. Title may be empty. Returns false, after gnuplot has said why, if
 * that does not work. */
bool gnuplot_draw(const struct panel *panel, size_t panels, const char *title, bool as_png);

#endif
