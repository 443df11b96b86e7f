/* SPDX-License-Identifier: GPL-2.0-or-later
 * Pairs of runs: logarithms of ratios and their spread, in integers. */
#ifndef LAB_PAIRS_H
#define LAB_PAIRS_H

#include "base/types.h"

/* Logarithms are in units of 2^-24, which is 0.000006 %. */
enum { LOG_SHIFT = 24 };

/* The natural logarithm of x, which is not 0, to the nearest unit. */
s64 log_fixed(u64 x);

/* The other way round, in millionths; from 0.000001 to 1000. */
u64 exp_ppm(s64 log);

/* Differences of logarithms, each below 2^30: that of any two numbers of 64 bits is. */
struct pairs {
	u64 n;
	s64 sum;
	u128 squares;
};

void pairs_add(struct pairs *p, s64 difference);

/* To the nearest unit; n is not 0. */
s64 pairs_mean(const struct pairs *p);

/* The sum of the squares about the mean, in units of 2^-48; 2^64-1 for that and more. */
u64 pairs_squares(const struct pairs *p);

/* The square root of squares / divisor, in units of 2^-32. */
u64 root_of(u64 squares, u64 divisor);

#endif
