/* SPDX-License-Identifier: GPL-2.0-or-later
 * Histograms of numbers of any size with the same relative precision everywhere, as HdrHistogram has them: below 2^(bits+1) each
 * number has a bucket of its own, above there are 2^bits buckets for every power of two. */
#ifndef BASE_HISTOGRAM_H
#define BASE_HISTOGRAM_H

#include "base/types.h"

/* All counts of one kind of thing. The owner of the memory guards it. */
struct histogram {
	u64 count, sum, least, most; /* of what was added; least is ~0 while that is nothing */
	u32 bits, nr_buckets;
	u64 *bucket;
};

/* Buckets that numbers below 2^magnitude need; magnitude > bits. */
static inline u32 histogram_buckets(u32 bits, u32 magnitude)
{
	return (magnitude - bits + 1) << bits;
}

/* Forget all; bucket[nr_buckets] is the memory. A number too large for it counts in the last one, and in sum and most as it is. */
void histogram_init(struct histogram *h, u32 bits, u64 *bucket, u32 nr_buckets);
void histogram_add(struct histogram *h, u64 value);
/* Of the same shape. */
void histogram_merge(struct histogram *to, const struct histogram *from);

/* The bucket of a number, and the smallest number in a bucket. */
static inline u32 histogram_index(u32 bits, u64 value)
{
	u32 shift = value >> bits >> 1 ? ilog2(value) - bits : 0;

	return (shift << bits) + (u32)(value >> shift);
}
u64 histogram_start(u32 bits, u32 index);

/*
 * The number that at least parts of 100,000 of all are not above: the middle of its bucket, but within least and most. 0 where
 * there are none.
 */
u64 histogram_percentile(const struct histogram *h, u32 parts);

#endif
