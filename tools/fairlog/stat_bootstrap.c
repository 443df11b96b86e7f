/* SPDX-License-Identifier: GPL-2.0-or-later
 * Intervals for tails: runs are drawn again, with repetition, and each draw's ratio is measured by that draw's own error. Plain
 * percentiles of the ratios would be too narrow for five or ten runs. */
#include "tools/fairlog/stat.h"

#include "tools/fairlog/allocate.h"

#include <float.h>
#include <gsl/gsl_rng.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>

enum { DRAWS = 2000, SEED = 1 };

struct sides {
	const double *a, *b;
	size_t na, nb;
	bool paired;
};

/* Logarithm of the ratio of the means, and the standard error of that. */
struct log_ratio {
	double value, error;
};

/* Of values relative to their mean, over n. In pairs: of the differences of those. */
static double relative_variance(const double *a, double mean_a, const double *b, double mean_b, size_t n)
{
	double squares = 0;

	for (size_t i = 0; i < n; i++)
		squares += pow(a[i] / mean_a - (b ? b[i] / mean_b : 1), 2);
	return squares / (double)(n - 1) / (double)n;
}

/* The error is right to the first order: the logarithm of a mean varies as the mean does relative to itself. */
static struct log_ratio log_ratio_of(const struct sides *s)
{
	double mean_a = gsl_stats_mean(s->a, 1, s->na), mean_b = gsl_stats_mean(s->b, 1, s->nb), variance;

	if (s->paired)
		variance = relative_variance(s->a, mean_a, s->b, mean_b, s->na);
	else
		variance = relative_variance(s->a, mean_a, NULL, 1, s->na) + relative_variance(s->b, mean_b, NULL, 1, s->nb);
	return (struct log_ratio){ log(mean_b / mean_a), sqrt(variance) };
}

static void draw(gsl_rng *random, const struct sides *from, double *a, double *b)
{
	for (size_t i = 0; i < from->nb; i++) {
		size_t k = gsl_rng_uniform_int(random, from->nb);

		b[i] = from->b[k];
		if (from->paired)
			a[i] = from->a[k];
	}
	for (size_t i = 0; i < from->na && !from->paired; i++)
		a[i] = from->a[gsl_rng_uniform_int(random, from->na)];
}

static int compare_doubles(const void *left, const void *right)
{
	double a = *(const double *)left, b = *(const double *)right;

	return (a > b) - (a < b);
}

/* A draw without spread misses by more than any other; a number, since quantiles are interpolated. */
static double miss_of(const struct log_ratio *drawn, double value)
{
	if (drawn->error > 0)
		return (drawn->value - value) / drawn->error;
	return drawn->value == value ? 0 : copysign(DBL_MAX, drawn->value - value);
}

/* By how many errors of its own each draw misses the value, ascending. */
static double *draw_misses(const struct sides *from, double value)
{
	gsl_rng *random = gsl_rng_alloc(gsl_rng_mt19937);
	double *miss = allocate(NULL, DRAWS * sizeof *miss);
	double *a = allocate(NULL, from->na * sizeof *a), *b = allocate(NULL, from->nb * sizeof *b);
	struct sides drawn = { a, b, from->na, from->nb, from->paired };

	gsl_rng_set(random, SEED);
	for (unsigned i = 0; i < DRAWS; i++) {
		struct log_ratio r;

		draw(random, from, a, b);
		r = log_ratio_of(&drawn);
		miss[i] = miss_of(&r, value);
	}
	qsort(miss, DRAWS, sizeof *miss, compare_doubles);
	free(a);
	free(b);
	gsl_rng_free(random);
	return miss;
}

/* Both tails together, each counted with the value itself so that no p is 0. */
static double p_of(const double *miss, double value)
{
	size_t below = 0, above = 0;

	for (unsigned i = 0; i < DRAWS; i++) {
		below += miss[i] <= value;
		above += miss[i] >= value;
	}
	return fmin(1, 2 * (fmin((double)below, (double)above) + 1) / (DRAWS + 1));
}

static enum ratio_state state_of(const struct sides *s)
{
	if (s->na < BOOTSTRAP_RUNS || s->nb < BOOTSTRAP_RUNS)
		return RATIO_TOO_FEW;
	if (gsl_stats_min(s->a, 1, s->na) <= 0 || gsl_stats_min(s->b, 1, s->nb) <= 0)
		return RATIO_ZERO;
	return RATIO_KNOWN;
}

static void set_interval(struct ratio *r, const double *miss, const struct log_ratio *measured, double level)
{
	r->low = exp(measured->value - gsl_stats_quantile_from_sorted_data(miss, 1, DRAWS, (1 + level) / 2) * measured->error);
	r->high = exp(measured->value - gsl_stats_quantile_from_sorted_data(miss, 1, DRAWS, (1 - level) / 2) * measured->error);
}

struct bootstrap stat_bootstrap(const double *a, size_t na, const double *b, size_t nb, bool paired)
{
	struct sides sides = { a, b, na, nb, paired };
	struct ratio r = { .state = state_of(&sides), .ratio = NAN, .low = NAN, .high = NAN, .error = NAN, .df = INFINITY };
	struct bootstrap bootstrap = { r, r, NAN };
	struct log_ratio measured;
	double *miss;

	if (r.state != RATIO_KNOWN)
		return bootstrap;
	measured = log_ratio_of(&sides);
	r.ratio = exp(measured.value);
	r.error = measured.error;
	r.state = measured.error > 0 ? RATIO_KNOWN : RATIO_NO_SPREAD;
	bootstrap.ratio = bootstrap.narrow = r;
	if (r.state != RATIO_KNOWN)
		return bootstrap;
	miss = draw_misses(&sides, measured.value);
	set_interval(&bootstrap.ratio, miss, &measured, 0.95);
	set_interval(&bootstrap.narrow, miss, &measured, 0.90);
	bootstrap.p = p_of(miss, measured.value / measured.error);
	free(miss);
	return bootstrap;
}
