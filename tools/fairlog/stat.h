/* SPDX-License-Identifier: GPL-2.0-or-later
 * What a handful of runs says about a figure, and about the ratio of two. */
#ifndef FAIRLOG_STAT_H
#define FAIRLOG_STAT_H

#include <stddef.h>

struct estimate {
	size_t n;
	double mean;
	double error; /* standard error of the mean, sd / sqrt(n); NAN for n < 2 */
};

/* Needs n >= 1. */
struct estimate stat_estimate(const double *values, size_t n);
/* The standard error in per cent of the mean, as perf stat -r prints it; NAN where there is none. */
double stat_percent(const struct estimate *estimate);

struct spread {
	size_t n;
	double mean, min, max;
	double variation; /* coefficient of variation, sd / mean; NAN for n < 2 or a mean of 0 */
};

/* Needs n >= 1. */
struct spread stat_spread(const double *values, size_t n);

enum ratio_state {
	RATIO_KNOWN,
	RATIO_NO_SPREAD, /* no value differs from the others of its sample: the ratio is known, an interval is not */
	RATIO_TOO_FEW,	 /* one of the samples has less than two values */
	RATIO_ZERO,	 /* one of the values is 0 and has no logarithm */
};

struct ratio {
	enum ratio_state state;
	double ratio; /* of the geometric means, b / a */
	double low, high;
	double df; /* degrees of freedom */
};

/* The ratio b / a with its interval at a level such as 0.95. On the logarithms of the values: difference of the means, Welch's
 * standard error, degrees of freedom after Welch and Satterthwaite, quantile of Student's t. */
struct ratio stat_ratio(const double *a, size_t na, const double *b, size_t nb, double level);

/* The same of pairs: the mean of b[i] - a[i], which are logarithms already, over n pairs, with the quantile of Student's t for n
 * - 1. */
struct ratio stat_paired_ratio(const double *log_a, const double *log_b, size_t n, double level);

#endif
