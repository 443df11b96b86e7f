/* SPDX-License-Identifier: GPL-2.0-or-later
 * What a handful of runs says about a figure, and about the ratio of two. */
#ifndef FAIRLOG_STAT_H
#define FAIRLOG_STAT_H

#include <stdbool.h>
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
	double error; /* standard error of its logarithm */
	double df;    /* degrees of freedom */
};

/* The ratio b / a with its interval at a level such as 0.95. On the logarithms of the values: difference of the means, Welch's
 * standard error, degrees of freedom after Welch and Satterthwaite, quantile of Student's t. */
struct ratio stat_ratio(const double *a, size_t na, const double *b, size_t nb, double level);

/* The same of pairs: the mean of b[i] - a[i], which are logarithms already, over n pairs, with the quantile of Student's t for n
 * - 1. */
struct ratio stat_paired_ratio(const double *log_a, const double *log_b, size_t n, double level);

/* ---- tests (stat_test.c) ---- */

struct t_test {
	double difference; /* b - a, or the mean of the differences */
	double error;	   /* its standard error */
	double t, df;
	double p; /* two-sided; NAN where there are too few values or no spread */
};

/* Welch's, of two means. */
struct t_test stat_welch(const struct estimate *a, const struct estimate *b);
/* Student's, of b[i] - a[i] over n pairs; needs n >= 1. */
struct t_test stat_paired(const double *a, const double *b, size_t n);

/* Holm's correction: from the p of each of n tests to those that may be held against one level together. NAN stays and does not
 * count. */
void stat_holm(double *p, size_t n);

/* Two one-sided tests: true if the ratio is neither above 1 + margin nor below 1 / (1 + margin), at the 5 % level if the interval
 * is of level 0.90. */
bool stat_is_within(const struct ratio *ratio, double margin);

/* Two-sided p of Mann and Whitney's U (stat_rank.c): exact where there are no ties and at most RANK_EXACT values on each side,
 * otherwise by the normal approximation with corrections for ties and continuity. Never below one ordering in all, 2 / C(na + nb,
 * na), which the approximation does not know. NAN if all values are equal or one side has none. */
enum { RANK_EXACT = 50 };
double stat_rank_test(const double *a, size_t na, const double *b, size_t nb);

/* ---- power (stat_power.c) ---- */

/* The effect that a two-sided test at the 5 % level sees with a power of 80 %, in the unit of the standard error. For df INFINITY
 * it is 2.80 errors, the normal approximation. */
double stat_detectable(double error, double df);
/* How many values as many as n with that standard error would have to become for that to be the effect: 15.7 (CV / effect)^2 on
 * each of two sides. */
double stat_needed(size_t n, double error, double effect);

/* ---- tails (stat_bootstrap.c) ---- */

/* Of the ratio of the means of b and a. */
struct bootstrap {
	struct ratio ratio;  /* interval of 95 % */
	struct ratio narrow; /* of 90 % */
	double p;	     /* of a ratio of 1 */
};

/* For figures that are tails already (the p99 or the largest of each run) and so far from normal that neither they nor their
 * logarithms suit Student's t: a studentised bootstrap over runs, in pairs if paired (then na = nb). The same values give the same
 * answer. */
enum { BOOTSTRAP_RUNS = 5 }; /* fewer on a side have no interval: too few ways to draw them */
struct bootstrap stat_bootstrap(const double *a, size_t na, const double *b, size_t nb, bool paired);

#endif
