/* SPDX-License-Identifier: GPL-2.0-or-later
 * Times whose logarithms are normally distributed: many short ones, few very long ones. */
#ifndef BASE_LOGNORMAL_H
#define BASE_LOGNORMAL_H

#include "base/types.h"

/*
 * The next of them: median * exp(sigma * z). state: of random_next(). median: below 2^32; sigma_permille: up to 1500.
 * Integers only, so that every machine draws the same. Between the quantiles of 1 % and 99 % z is exact to 1.1 % (it is the sum
 * of twelve uniform numbers, whose tails end at 6), the power to 0.02 %.
 */
u64 lognormal_next(u64 *state, u64 median, u32 sigma_permille);

#endif
