/* SPDX-License-Identifier: GPL-2.0-or-later
 * Means, standard errors and Welch's interval for a ratio. */
#include "tools/fairlog/stat.h"

#include "tools/fairlog/allocate.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <stdbool.h>

struct estimate stat_estimate(const double *values, size_t n)
{
	struct estimate e = { .n = n, .mean = gsl_stats_mean(values, 1, n), .error = NAN };

	if (n >= 2)
		e.error = gsl_stats_sd_m(values, 1, n, e.mean) / sqrt((double)n);
	return e;
}

double stat_percent(const struct estimate *estimate)
{
	return estimate->mean != 0 ? 100 * estimate->error / estimate->mean : NAN;
}

struct spread stat_spread(const double *values, size_t n)
{
	struct spread s = { .n = n, .mean = gsl_stats_mean(values, 1, n), .variation = NAN };

	gsl_stats_minmax(&s.min, &s.max, values, 1, n);
	if (n >= 2 && s.mean != 0)
		s.variation = gsl_stats_sd_m(values, 1, n, s.mean) / s.mean;
	return s;
}

static bool has_zero(const double *values, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (values[i] <= 0)
			return true;
	}
	return false;
}

/* Mean and variance of the mean of the logarithms. */
static void log_mean(const double *values, size_t n, double *mean, double *variance)
{
	double *logs = allocate(NULL, n * sizeof *logs);

	for (size_t i = 0; i < n; i++)
		logs[i] = log(values[i]);
	*mean = gsl_stats_mean(logs, 1, n);
	*variance = gsl_stats_variance_m(logs, 1, n, *mean) / (double)n;
	free(logs);
}

struct ratio stat_ratio(const double *a, size_t na, const double *b, size_t nb, double level)
{
	struct ratio r = { .state = RATIO_KNOWN, .ratio = NAN, .low = NAN, .high = NAN, .error = NAN, .df = NAN };
	double mean_a, mean_b, variance_a, variance_b, half;

	if (na < 2 || nb < 2) {
		r.state = RATIO_TOO_FEW;
		return r;
	}
	if (has_zero(a, na) || has_zero(b, nb)) {
		r.state = RATIO_ZERO;
		return r;
	}
	log_mean(a, na, &mean_a, &variance_a);
	log_mean(b, nb, &mean_b, &variance_b);
	r.ratio = exp(mean_b - mean_a);
	if (variance_a + variance_b == 0) {
		r.state = RATIO_NO_SPREAD;
		return r;
	}
	r.df = pow(variance_a + variance_b, 2) / (pow(variance_a, 2) / (double)(na - 1) + pow(variance_b, 2) / (double)(nb - 1));
	r.error = sqrt(variance_a + variance_b);
	half = gsl_cdf_tdist_Pinv((1 + level) / 2, r.df) * r.error;
	r.low = exp(mean_b - mean_a - half);
	r.high = exp(mean_b - mean_a + half);
	return r;
}

struct ratio stat_paired_ratio(const double *log_a, const double *log_b, size_t n, double level)
{
	struct ratio r = { .state = RATIO_KNOWN, .low = NAN, .high = NAN, .error = NAN, .df = (double)n - 1 };
	double mean = 0, squares = 0, half;

	for (size_t i = 0; i < n; i++)
		mean += (log_b[i] - log_a[i]) / (double)n;
	for (size_t i = 0; i < n; i++)
		squares += pow(log_b[i] - log_a[i] - mean, 2);
	r.ratio = exp(mean);
	if (n < 2 || squares == 0) {
		r.state = n < 2 ? RATIO_TOO_FEW : RATIO_NO_SPREAD;
		return r;
	}
	r.error = sqrt(squares / (r.df * (double)n));
	half = gsl_cdf_tdist_Pinv((1 + level) / 2, r.df) * r.error;
	r.low = exp(mean - half);
	r.high = exp(mean + half);
	return r;
}
