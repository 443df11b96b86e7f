/* SPDX-License-Identifier: GPL-2.0-or-later
 * Times whose logarithms are normally distributed. Fractions have 16 bits behind the point. */
#include "base/lognormal.h"

#include "base/random.h"

enum { ONE = 1 << 16, LOG2_E = 94548 };

/* Twelve uniform numbers have a variance of 1 together; 12 * 65535 / 2 is the mean of their sum. */
static s64 draw_normal(u64 *state)
{
	s64 sum = -6 * 65535;

	for (unsigned i = 0; i < 3; i++)
		for (u64 four = random_next(state); four; four >>= 16)
			sum += (s64)(four & 0xffff);
	return sum;
}

/* 2^f for a fraction f: 1 + f - f (1 - f) (0.305 + 0.077 f), exact at both ends and to 0.015 % between them. */
static u64 power_of_fraction(u64 f)
{
	u64 sag = f * (ONE - f) / ONE;

	return ONE + f - sag * (19988 + 5046 * f / ONE) / ONE;
}

/* No overflow: |z| < 6, so the exponent of 2 is below 6 * 1.5 * 1.4427 = 13, and 32 + 17 + 13 bits are enough. */
u64 lognormal_next(u64 *state, u64 median, u32 sigma_permille)
{
	s64 exponent = draw_normal(state) * (s64)sigma_permille * LOG2_E / 1000 / ONE;
	u64 value = median * power_of_fraction((u64)exponent % ONE);
	s64 whole = exponent >> 16;

	return (whole < 0 ? value >> -whole : value << whole) / ONE;
}
