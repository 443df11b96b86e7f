/* SPDX-License-Identifier: GPL-2.0-or-later
 * Logarithms bit by bit, and sums over pairs. */
#include "lab/pairs.h"

enum { LOG2_BITS = 40, PPM = 1000000 };

/* Squaring doubles the logarithm, so that its next binary digit shows in whether the square is 2 or more. What is cut off from a
 * square is below 2^-62 of it and doubles with each step: after 40 steps it is far below the last digit. */
static u64 log2_fixed(u64 x)
{
	u64 log = ilog2(x), mantissa = x << (63 - log); /* 2^63 stands for 1 */

	for (unsigned i = 0; i < LOG2_BITS; i++) {
		u64 square = (u64)((u128)mantissa * mantissa >> 64);
		bool digit = square >> 63;

		log = log << 1 | digit;
		mantissa = digit ? square : square << 1;
	}
	return log;
}

s64 log_fixed(u64 x)
{
	const u64 ln2 = 0xb17217f7d1cf79abull; /* in units of 2^-64 */
	u64 log = (u64)((u128)log2_fixed(x) * ln2 >> 64);

	return (s64)((log + (1ull << (LOG2_BITS - LOG_SHIFT - 1))) >> (LOG2_BITS - LOG_SHIFT));
}

u64 exp_ppm(s64 log)
{
	u64 low = 1, high = 1000ull * PPM;

	while (low < high) {
		u64 middle = low + (high - low) / 2;

		if (log_fixed(middle) - log_fixed(PPM) < log)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

void pairs_add(struct pairs *p, s64 difference)
{
	u64 size = (u64)(difference < 0 ? -difference : difference);

	p->n++;
	p->sum += difference;
	p->squares += size * size;
}

s64 pairs_mean(const struct pairs *p)
{
	s64 n = (s64)p->n;

	return (p->sum < 0 ? p->sum - n / 2 : p->sum + n / 2) / n;
}

/* The sum of (d - m)^2 is that of d^2, less 2 m times that of d, plus n m^2; for any m, rounded or not. All of it modulo 2^128. */
u64 pairs_squares(const struct pairs *p)
{
	s64 mean = pairs_mean(p), signed_part = mean * (s64)p->n - 2 * p->sum;
	u64 size = (u64)(mean < 0 ? -mean : mean), part = (u64)(signed_part < 0 ? -signed_part : signed_part);
	u128 product = (u128)size * part, squares;

	squares = (mean < 0) == (signed_part < 0) ? p->squares + product : p->squares - product;
	return squares >> 64 ? ~0ull : (u64)squares;
}

static u64 square_root(u64 n)
{
	u64 root = 0;

	for (u64 bit = 1ull << 31; bit; bit >>= 1)
		if ((root | bit) * (root | bit) <= n)
			root |= bit;
	return root;
}

/* Small ones, which are the rule, get 16 more binary digits on the way. */
u64 root_of(u64 squares, u64 divisor)
{
	u64 n = squares / divisor;

	if (squares >> 48)
		return square_root(n) << 8;
	return square_root((squares << 16) / divisor);
}
