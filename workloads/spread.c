/* SPDX-License-Identifier: GPL-2.0-or-later
 * What benchmarks say of a list of figures. */
#include "workloads/spread.h"

/* Bit by bit from the top, as by hand. */
u64 square_root(u64 n)
{
	u64 root = 0;

	for (u64 bit = 1ull << 62; bit; bit >>= 2) {
		bool fits = n >= root + bit;

		n -= fits ? root + bit : 0;
		root = (root >> 1) + (fits ? bit : 0);
	}
	return root;
}

static u64 difference(u64 a, u64 b)
{
	return a > b ? a - b : b - a;
}

/* Differences are cut to 26 bits, so that the squares of 4096 of them add up in 64. */
static u64 deviation(const u64 *value, unsigned n, const struct spread *s)
{
	u64 largest = max_u64(s->most - s->mean, s->mean - s->least), squares = 0;
	unsigned shift = largest >> 26 ? ilog2(largest) - 25 : 0;

	for (unsigned i = 0; i < n; i++) {
		u64 d = difference(value[i], s->mean) >> shift;

		squares += d * d;
	}
	return square_root(squares / n) << shift;
}

struct spread spread_of(const u64 *value, unsigned n)
{
	struct spread s = { .least = ~0ull };

	for (unsigned i = 0; i < n; i++) {
		s.sum += value[i];
		s.least = min_u64(s.least, value[i]);
		s.most = max_u64(s.most, value[i]);
	}
	s.mean = s.sum / n;
	s.deviation = deviation(value, n, &s);
	return s;
}
