/* SPDX-License-Identifier: GPL-2.0-or-later
 * Memory and a log for decoders of firmware's data. phys_map hands out copies of exactly the bytes asked for, so that the
 * sanitizer sees every byte read beyond them; a miss there is a read of memory the kernel has not mapped. */
#include "tests/fuzz/image.h"

#include <stdlib.h>

#include "arch/x86/memmap.h"
#include "arch/x86/phys.h"
#include "base/string.h"
#include "base/text.h"

enum { MOST_PIECES = 512, MOST_MAPPINGS = 1 << 16, LONGEST_LINE = 200, MOST_SAID = 1 << 16 };

static struct {
	unsigned nr_pieces, nr_mappings, nr_lines;
	struct piece piece[MOST_PIECES];
	void *mapping[MOST_MAPPINGS];
	char said[MOST_SAID];
	size_t said_bytes;
} image;

void expect(bool is_so)
{
	if (!is_so)
		abort();
}

/* ---- memory ---- */

/* Memory is one thing at one place: a piece counts if none before it has some of its bytes. */
static void add_piece(struct piece p)
{
	for (unsigned i = 0; i < image.nr_pieces; i++) {
		const struct piece *other = &image.piece[i];

		if (p.phys < mem_end(other->phys, other->bytes) && other->phys < mem_end(p.phys, p.bytes))
			return;
	}
	image.piece[image.nr_pieces++] = p;
}

bool image_open(const u8 *input, size_t count)
{
	image.nr_pieces = image.nr_lines = 0;
	image.said_bytes = 0;
	image.said[0] = '\0';
	while (count >= PIECE_HEADER && image.nr_pieces < MOST_PIECES) {
		u32 bytes = (u32)min_u64(read_u16(input + 8), count - PIECE_HEADER);

		add_piece((struct piece){ read_u64(input), bytes, input + PIECE_HEADER });
		input += PIECE_HEADER + bytes;
		count -= PIECE_HEADER + bytes;
	}
	return image.nr_pieces;
}

const struct piece *image_piece(unsigned i)
{
	return i < image.nr_pieces ? &image.piece[i] : NULL;
}

void image_close(void)
{
	while (image.nr_mappings)
		free(image.mapping[--image.nr_mappings]);
}

/* What cannot be mapped on metal cannot be here. */
const void *phys_map(u64 phys, u64 bytes)
{
	if (!phys || mem_end(phys, bytes) > MEM_LIMIT)
		return NULL;
	for (unsigned i = 0; i < image.nr_pieces; i++) {
		const struct piece *p = &image.piece[i];
		u64 offset = phys - p->phys;
		void *copy;

		if (phys < p->phys || offset > p->bytes || bytes > p->bytes - offset)
			continue;
		copy = malloc(bytes);
		expect(copy && image.nr_mappings < MOST_MAPPINGS);
		image.mapping[image.nr_mappings++] = copy;
		return memcpy(copy, p->at + offset, bytes);
	}
	return NULL;
}

/* ---- the log ---- */

/* A line is a line: whole, of a length to be read, and of characters that a terminal shows. */
static void check_line(const char *line, int length)
{
	expect(length > 1 && length < LONGEST_LINE && line[length - 1] == '\n');
	for (int i = 0; i < length - 1; i++)
		expect(line[i] >= ' ' && line[i] <= '~');
}

void say(const char *fmt, ...)
{
	char line[2 * LONGEST_LINE];
	va_list args;
	int length;

	va_start(args, fmt);
	length = text_vformat(line, sizeof(line), fmt, args);
	va_end(args);
	check_line(line, length);
	expect(image.said_bytes + (size_t)length < MOST_SAID);
	memcpy(image.said + image.said_bytes, line, (size_t)length + 1);
	image.said_bytes += (size_t)length;
	image.nr_lines++;
}

unsigned image_lines(void)
{
	return image.nr_lines;
}

bool image_said(const char *text)
{
	return strstr(image.said, text);
}
