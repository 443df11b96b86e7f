/* SPDX-License-Identifier: GPL-2.0-or-later
 * Packs rows of numbers. */
#include "tools/fairlog/pack.h"

#include "tools/fairlog/allocate.h"

static unsigned char *put(unsigned char *to, uint64_t number)
{
	for (; number >= 0x80; number >>= 7)
		*to++ = (unsigned char)number | 0x80;
	*to++ = (unsigned char)number;
	return to;
}

struct pack pack_new(struct span uints)
{
	/* A decimal digit holds three bits and a third, so N digits never need more than N bytes of seven bits. */
	unsigned char *bytes = allocate(NULL, (size_t)(uints.end - uints.at)), *end = bytes;
	struct pack pack = { .count = 0 };
	uint64_t number;

	for (; scan_next_uint(&uints, &number); pack.count++)
		end = put(end, number);
	pack.bytes = allocate(bytes, (size_t)(end - bytes));
	return pack;
}

void pack_free(struct pack *pack)
{
	free(pack->bytes);
}
