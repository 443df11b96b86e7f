/* SPDX-License-Identifier: GPL-2.0-or-later
 * Rows of numbers in no more memory than their digits took: most are small. */
#ifndef FAIRLOG_PACK_H
#define FAIRLOG_PACK_H

#include "tools/fairlog/scan.h"

struct pack {
	size_t count;
	unsigned char *bytes; /* seven bits in each, the lowest first; the eighth is set if more follow */
};

/* From the text of a UINTS; to be given back to pack_free(). */
struct pack pack_new(struct span uints);
void pack_free(struct pack *pack);

/* Takes the next number; *at begins as pack.bytes. Must not be called more than pack.count times. */
static inline uint64_t pack_next(const unsigned char **at)
{
	uint64_t number = 0;
	unsigned shift = 0;

	while (**at & 0x80) {
		number |= (uint64_t)(*(*at)++ & 0x7f) << shift;
		shift += 7;
	}
	return number | (uint64_t) * (*at)++ << shift;
}

#endif
