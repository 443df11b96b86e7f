/* SPDX-License-Identifier: GPL-2.0-or-later
 * All randomness comes from the seed of the experiment: SplitMix64 (Steele, Lea, Flood 2014). */
#ifndef BASE_RANDOM_H
#define BASE_RANDOM_H

#include "base/types.h"

static inline u64 random_next(u64 *state)
{
	u64 z = *state += 0x9e3779b97f4a7c15ull;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ z >> 27) * 0x94d049bb133111ebull;
	return z ^ z >> 31;
}

#endif
