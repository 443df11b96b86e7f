/* SPDX-License-Identifier: GPL-2.0-or-later
 * Charts as SVG inside of a page, whose style sheet colours them: they follow it into the dark and onto paper. */
#ifndef FAIRLOG_SVG_H
#define FAIRLOG_SVG_H

#include "tools/fairlog/chart.h"

/* Legible from 340 pixels of width on: it is drawn for a phone and scaled up. */
void svg_chart(const struct chart *chart);

/* The mark of a variant or the patch of a cause, as large as a letter. */
void svg_variant_key(unsigned variant);
void svg_cause_key(unsigned cause);

#endif
