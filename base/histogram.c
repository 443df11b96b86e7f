/* SPDX-License-Identifier: GPL-2.0-or-later
 * Histograms of the same relative precision everywhere. */
#include "base/histogram.h"

#include "base/string.h"

void histogram_init(struct histogram *h, u32 bits, u64 *bucket, u32 nr_buckets)
{
	*h = (struct histogram){ .least = ~0ull, .bits = bits, .nr_buckets = nr_buckets, .bucket = bucket };
	memset(bucket, 0, nr_buckets * sizeof(*bucket));
}

void histogram_add(struct histogram *h, u64 value)
{
	h->count++;
	h->sum += value;
	h->least = min_u64(h->least, value);
	h->most = max_u64(h->most, value);
	h->bucket[min_u64(histogram_index(h->bits, value), h->nr_buckets - 1)]++;
}

void histogram_merge(struct histogram *to, const struct histogram *from)
{
	to->count += from->count;
	to->sum += from->sum;
	to->least = min_u64(to->least, from->least);
	to->most = max_u64(to->most, from->most);
	for (u32 i = 0; i < to->nr_buckets; i++)
		to->bucket[i] += from->bucket[i];
}

u64 histogram_start(u32 bits, u32 index)
{
	u32 shift = index >> bits ? (index >> bits) - 1 : 0;

	return (u64)(index - (shift << bits)) << shift;
}

/* Of the numbers in it, the one in the middle, or below where there are two. */
static u64 middle(u32 bits, u32 index)
{
	u64 start = histogram_start(bits, index);

	return start + (histogram_start(bits, index + 1) - start - 1) / 2;
}

u64 histogram_percentile(const struct histogram *h, u32 parts)
{
	/* Rounded up, and in two steps so that nothing overflows. */
	u64 rank = h->count / 100000 * parts + (h->count % 100000 * parts + 99999) / 100000, passed = 0;

	for (u32 i = 0; i < h->nr_buckets && h->count; i++) {
		passed += h->bucket[i];
		if (passed && passed >= rank)
			return max_u64(h->least, min_u64(h->most, middle(h->bits, i)));
	}
	return 0;
}
