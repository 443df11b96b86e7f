/* SPDX-License-Identifier: GPL-2.0-or-later
 * Two-level designs: what was varied, and the effects that can be told from each other. */
#ifndef FAIRLOG_DESIGN_H
#define FAIRLOG_DESIGN_H

#include <stdbool.h>
#include <stddef.h>

enum { DESIGN_FACTORS = 10, DESIGN_VARIANTS = 1 << DESIGN_FACTORS, DESIGN_REASON_BYTES = 400 };

/* An effect: the factors in it as bits, and what else has the same column of signs, or the opposite one. */
struct term {
	unsigned factors;
	unsigned alias[2]; /* with fewest factors first */
	bool negative[2];
	unsigned aliases; /* may be more than are kept */
	double effect;	  /* on the logarithm: mean at + less mean at - */
};

struct design {
	unsigned factors, variants;
	char *text; /* what the names point into */
	const char *name[DESIGN_FACTORS], *low[DESIGN_FACTORS], *high[DESIGN_FACTORS];
	unsigned *levels; /* of each variant: bit f is set where factor f is high */
	struct term *term;
	unsigned terms; /* variants - 1, single factors first, then pairs */
};

/*
 * Variants called "NAME=VALUE NAME=VALUE ...", all with the same names, and two values of each, the first variant's being the low
 * ones. False and why if they are not such a design, or effects are neither the same nor independent.
 */
bool design_make(struct design *d, const char *const *variants, size_t count, char reason[DESIGN_REASON_BYTES]);
void design_free(struct design *d);

/* Fill in the effects from the mean logarithm of each variant. */
void design_fit(struct design *d, const double *mean_logs);

/* "A:C" */
void design_letters(unsigned factors, char text[2 * DESIGN_FACTORS]);

/* Lenth's pseudo standard error of the effects, and its degrees of freedom: most of them are taken for noise. */
double design_lenth(const struct design *d, double *df);

#endif
