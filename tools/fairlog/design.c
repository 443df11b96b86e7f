/* SPDX-License-Identifier: GPL-2.0-or-later
 * Takes a design from the names of its variants. How it was made is nothing that has to be known: which effects are the same shows
 * in the signs. */
#include "tools/fairlog/design.h"

#include "tools/fairlog/allocate.h"

#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { NAME_BYTES = 1024 };

/* ---- factors and levels ---- */

/* Cuts "NAME=VALUE NAME=VALUE" into its parts; returns how many there are, or 0 if it is something else. */
static unsigned split(char *text, const char *name[DESIGN_FACTORS], const char *value[DESIGN_FACTORS])
{
	unsigned count = 0;

	for (char *word = text, *end; word; word = end) {
		char *equals = strchr(word, '=');

		end = strchr(word, ' ');
		if (!equals || (end && end < equals) || count == DESIGN_FACTORS)
			return 0;
		if (end)
			*end++ = '\0';
		*equals = '\0';
		name[count] = word;
		value[count++] = equals + 1;
	}
	return count;
}

static bool take_variant(struct design *d, unsigned variant, const char *const *name, const char *const *value)
{
	for (unsigned f = 0; f < d->factors; f++) {
		if (strcmp(name[f], d->name[f]) != 0)
			return false;
		if (strcmp(value[f], d->low[f]) == 0)
			continue;
		if (!d->high[f])
			d->high[f] = value[f];
		if (strcmp(value[f], d->high[f]) != 0)
			return false;
		d->levels[variant] |= 1u << f;
	}
	return true;
}

static bool take_variants(struct design *d, const char *const *variants)
{
	const char *name[DESIGN_FACTORS], *value[DESIGN_FACTORS];

	for (unsigned v = 0; v < d->variants; v++) {
		char *text = d->text + (size_t)v * NAME_BYTES;

		snprintf(text, NAME_BYTES, "%s", variants[v]);
		if (v == 0)
			d->factors = split(text, d->name, d->low);
		else if (split(text, name, value) != d->factors || !take_variant(d, v, name, value))
			return false;
	}
	for (unsigned f = 0; f < d->factors; f++)
		if (!d->high[f])
			return false;
	return d->factors > 0;
}

/* ---- terms ---- */

/* The sign of an effect in a variant: the product of its factors' signs. */
static int sign(const struct design *d, unsigned factors, unsigned variant)
{
	return __builtin_parity(factors & ~d->levels[variant]) ? -1 : 1;
}

static int product(const struct design *d, unsigned one, unsigned other)
{
	int sum = 0;

	for (unsigned v = 0; v < d->variants; v++)
		sum += sign(d, one, v) * sign(d, other, v);
	return sum;
}

/* False if it is neither new nor the same as another. */
static bool place_term(struct design *d, unsigned factors)
{
	int size = (int)d->variants, constant = product(d, factors, 0);

	if (abs(constant) == size)
		return true; /* a defining word: this is no effect at all */
	for (unsigned i = 0; i < d->terms; i++) {
		struct term *t = &d->term[i];
		int p = product(d, factors, t->factors);

		if (abs(p) == size) {
			if (t->aliases < sizeof t->alias / sizeof t->alias[0]) {
				t->alias[t->aliases] = factors;
				t->negative[t->aliases] = p < 0;
			}
			t->aliases++;
			return true;
		}
		if (p != 0)
			return false;
	}
	if (constant != 0 || d->terms == d->variants - 1)
		return false;
	d->term[d->terms++] = (struct term){ .factors = factors };
	return true;
}

static bool place_terms(struct design *d)
{
	for (int size = 1; size <= (int)d->factors; size++)
		for (unsigned factors = 1; factors < 1u << d->factors; factors++)
			if (__builtin_popcount(factors) == size && !place_term(d, factors))
				return false;
	return true;
}

bool design_make(struct design *d, const char *const *variants, size_t count, char reason[DESIGN_REASON_BYTES])
{
	*d = (struct design){ .variants = (unsigned)count };
	if (count < 2 || count > DESIGN_VARIANTS) {
		snprintf(reason, DESIGN_REASON_BYTES, "%zu variants; expected 2 to %d", count, DESIGN_VARIANTS);
		return false;
	}
	d->text = allocate(NULL, count * NAME_BYTES);
	d->levels = allocate(NULL, count * sizeof *d->levels);
	d->term = allocate(NULL, count * sizeof *d->term);
	memset(d->levels, 0, count * sizeof *d->levels);
	if (take_variants(d, variants) && place_terms(d))
		return true;
	snprintf(reason, DESIGN_REASON_BYTES,
		"variants from \"%.100s\" to \"%.100s\"; expected the same switches in all, two values of each, and combinations as screen= "
		"or vary= make them",
		variants[0], variants[count - 1]);
	design_free(d);
	return false;
}

void design_free(struct design *d)
{
	free(d->text);
	free(d->levels);
	free(d->term);
	*d = (struct design){ .factors = 0 };
}

/* ---- effects ---- */

void design_fit(struct design *d, const double *mean_logs)
{
	for (unsigned i = 0; i < d->terms; i++) {
		d->term[i].effect = 0;
		for (unsigned v = 0; v < d->variants; v++)
			d->term[i].effect += sign(d, d->term[i].factors, v) * mean_logs[v] * 2 / d->variants;
	}
}

void design_letters(unsigned factors, char text[2 * DESIGN_FACTORS])
{
	size_t used = 0;

	for (unsigned f = 0; f < DESIGN_FACTORS; f++) {
		if (!(factors >> f & 1))
			continue;
		if (used > 0)
			text[used++] = ':';
		text[used++] = (char)('A' + f);
	}
	text[used] = '\0';
}

static double median_below(const double *sorted, unsigned count, double limit)
{
	unsigned below = 0;

	while (below < count && sorted[below] < limit)
		below++;
	return below > 0 ? gsl_stats_median_from_sorted_data(sorted, 1, below) : 0;
}

/* Lenth 1989. */
double design_lenth(const struct design *d, double *df)
{
	double *sizes = allocate(NULL, d->terms * sizeof *sizes), first, error;

	for (unsigned i = 0; i < d->terms; i++)
		sizes[i] = fabs(d->term[i].effect);
	gsl_sort(sizes, 1, d->terms);
	first = 1.5 * median_below(sizes, d->terms, INFINITY);
	error = 1.5 * median_below(sizes, d->terms, 2.5 * first);
	free(sizes);
	*df = d->terms / 3.0;
	return error;
}
