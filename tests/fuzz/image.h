/* SPDX-License-Identifier: GPL-2.0-or-later
 * Physical memory as a fuzzer's input describes it: pieces, each an address (8 bytes), a number of bytes (2) and these. Nothing
 * else is there. A piece that is longer than the rest of the input has that rest; one that overlaps another before it is left out.
 */
#ifndef TESTS_FUZZ_IMAGE_H
#define TESTS_FUZZ_IMAGE_H

#include "base/types.h"

enum { PIECE_HEADER = 10 };

struct piece {
	u64 phys;
	u32 bytes;
	const u8 *at;
};

/* Memory is what the input says, and nothing has been said. Returns whether there is any: image_piece(0) is then where to begin. */
bool image_open(const u8 *input, size_t count);
const struct piece *image_piece(unsigned i); /* NULL: no more */

/* Pointers from phys_map die. */
void image_close(void);

/* How many lines have been said since image_open(), and whether one of them has that in it. */
unsigned image_lines(void);
bool image_said(const char *text);

void expect(bool is_so);

#endif
