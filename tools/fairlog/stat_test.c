/* SPDX-License-Identifier: GPL-2.0-or-later
 * Tests of means, of several figures at a time, and of being the same. */
#include "tools/fairlog/stat.h"

#include "tools/fairlog/allocate.h"

#include <gsl/gsl_cdf.h>
#include <math.h>

static struct t_test t_of(double difference, double error, double df)
{
	struct t_test test = { .difference = difference, .error = error, .t = NAN, .df = df, .p = NAN };

	if (!(error > 0))
		return test;
	test.t = difference / error;
	test.p = 2 * gsl_cdf_tdist_Q(fabs(test.t), df);
	return test;
}

struct t_test stat_welch(const struct estimate *a, const struct estimate *b)
{
	double va = a->error * a->error, vb = b->error * b->error;
	double df = pow(va + vb, 2) / (va * va / (double)(a->n - 1) + vb * vb / (double)(b->n - 1));

	return t_of(b->mean - a->mean, sqrt(va + vb), df);
}

struct t_test stat_paired(const double *a, const double *b, size_t n)
{
	double *difference = allocate(NULL, n * sizeof *difference);
	struct estimate e;

	for (size_t i = 0; i < n; i++)
		difference[i] = b[i] - a[i];
	e = stat_estimate(difference, n);
	free(difference);
	return t_of(e.mean, e.error, (double)n - 1);
}

static int compare_p(const void *left, const void *right)
{
	double a = **(double *const *)left, b = **(double *const *)right;

	return (a > b) - (a < b);
}

void stat_holm(double *p, size_t n)
{
	double **ordered = allocate(NULL, n * sizeof *ordered), least = 0;
	size_t known = 0;

	for (size_t i = 0; i < n; i++)
		if (!isnan(p[i]))
			ordered[known++] = &p[i];
	qsort(ordered, known, sizeof *ordered, compare_p);
	for (size_t i = 0; i < known; i++) {
		least = fmax(least, fmin(1, *ordered[i] * (double)(known - i)));
		*ordered[i] = least;
	}
	free(ordered);
}

bool stat_is_within(const struct ratio *ratio, double margin)
{
	return ratio->state == RATIO_KNOWN && ratio->high < 1 + margin && ratio->low > 1 / (1 + margin);
}
