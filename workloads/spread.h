/* SPDX-License-Identifier: GPL-2.0-or-later
 * What benchmarks say of a list of figures, in integers. */
#ifndef WORKLOADS_SPREAD_H
#define WORKLOADS_SPREAD_H

#include "base/types.h"

/* The largest whole number whose square is not above n. */
u64 square_root(u64 n);

struct spread {
	u64 sum, mean, least, most;
	u64 deviation; /* the population's standard deviation, exact to 2^-24 of the largest difference from the mean */
};

/* Of value[0..n), 1 <= n <= 4096; the sum stays below 2^64. */
struct spread spread_of(const u64 *value, unsigned n);

#endif
