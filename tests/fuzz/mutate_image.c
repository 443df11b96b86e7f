/* SPDX-License-Identifier: GPL-2.0-or-later
 * A mutator for memory (image.h): changes fields, ends, order and addresses of its pieces, then mostly makes lengths and checksums
 * right again. Without that, few changes would get past the RSDP. */
#include "tests/fuzz/image.h"

#include <stdlib.h>

#include "arch/x86/phys.h"
#include "base/string.h"

size_t LLVMFuzzerMutate(u8 *bytes, size_t count, size_t room);
size_t LLVMFuzzerCustomMutator(u8 *bytes, size_t count, size_t room, unsigned seed);

enum { MOST_PIECES = 64, MOST_PIECE = 16384 };

static struct {
	u64 phys;
	u32 bytes;
	u8 at[MOST_PIECE];
} piece[MOST_PIECES];
static unsigned nr;

static unsigned draw(unsigned below)
{
	return (unsigned)rand() % below;
}

/* ---- between bytes and pieces ---- */

static void take_apart(const u8 *bytes, size_t count)
{
	const struct piece *p;

	image_open(bytes, count);
	for (nr = 0; nr < MOST_PIECES && (p = image_piece(nr)); nr++) {
		piece[nr].phys = p->phys;
		piece[nr].bytes = (u32)min_u64(p->bytes, MOST_PIECE);
		memcpy(piece[nr].at, p->at, piece[nr].bytes);
	}
}

static size_t put_together(u8 *bytes, size_t room)
{
	size_t used = 0;

	for (unsigned i = 0; i < nr && room - used >= PIECE_HEADER + piece[i].bytes; i++) {
		memcpy(bytes + used, &piece[i].phys, 8);
		memcpy(bytes + used + 8, &piece[i].bytes, 2);
		memcpy(bytes + used + PIECE_HEADER, piece[i].at, piece[i].bytes);
		used += PIECE_HEADER + piece[i].bytes;
	}
	return used;
}

/* ---- changes ---- */

/* What decoders have limits at, and where there is something to be found. */
static u64 draw_value(unsigned i)
{
	static const u64 values[] = { 0, 1, 2, 7, 8, 10, 35, 36, 37, 44, 0xFF, 0x100, 0xFFFF, 0x10000, 1 << 20, (1 << 20) + 1,
		0x7FFFFFFF, 0xFFFFFFFF, 1ull << 32, (1ull << 52) - 1, 1ull << 52, UINT64_MAX - 35, UINT64_MAX };
	const u64 near = (u64)draw(5) - 2;

	switch (draw(4)) {
	case 0:
		return piece[i].bytes + near;
	case 1:
		return piece[draw(nr)].phys + (draw(2) ? 0 : draw(64));
	default:
		return values[draw(ARRAY_SIZE(values))];
	}
}

static void change_field(unsigned i)
{
	const u32 width = 1u << draw(4), reach = draw(2) ? (u32)min_u64(64, piece[i].bytes) : piece[i].bytes;
	u64 value = draw_value(i);

	if (reach >= width)
		memcpy(piece[i].at + draw(reach - width + 1), &value, width);
}

static void change_bytes(unsigned i)
{
	u32 from = piece[i].bytes ? draw(piece[i].bytes) : 0;

	piece[i].bytes = from + (u32)LLVMFuzzerMutate(piece[i].at + from, piece[i].bytes - from, min_u64(MOST_PIECE - from, 2048));
}

/* A part of it once more behind itself: another entry, or hundreds. */
static void repeat_part(unsigned i)
{
	u32 bytes = piece[i].bytes ? 1 + draw((u32)min_u64(piece[i].bytes, 48)) : 0;

	for (unsigned times = draw(8) ? 1 : draw(600); bytes && times && piece[i].bytes + bytes <= MOST_PIECE; times--) {
		memcpy(piece[i].at + piece[i].bytes, piece[i].at + piece[i].bytes - bytes, bytes);
		piece[i].bytes += bytes;
	}
}

/* An entry for a root table, or any pointer for another. */
static void add_pointer(unsigned i)
{
	u32 width = draw(2) ? 8 : 4;

	if (piece[i].bytes + width > MOST_PIECE)
		return;
	memcpy(piece[i].at + piece[i].bytes, &piece[draw(nr)].phys, width);
	piece[i].bytes += width;
}

static void swap_pieces(unsigned i, unsigned j)
{
	u64 phys = piece[i].phys;

	piece[i].phys = piece[j].phys;
	piece[j].phys = phys;
}

static void copy_piece(unsigned i)
{
	if (nr == MOST_PIECES)
		return;
	piece[nr] = piece[i];
	piece[nr++].phys = draw(2) ? draw_value(i) : piece[i].phys + piece[i].bytes;
}

static void change_image(void)
{
	unsigned i = draw(nr);

	switch (draw(9)) {
	case 0:
	case 1:
	case 2:
		change_field(i);
		break;
	case 3:
		change_bytes(i);
		break;
	case 4:
		repeat_part(i);
		break;
	case 5:
		piece[i].bytes = draw(piece[i].bytes + 1);
		break;
	case 6:
		add_pointer(i);
		break;
	case 7:
		swap_pieces(i, draw(nr));
		break;
	case 8:
		copy_piece(i);
		break;
	}
}

/* ---- sealing ---- */

static void seal_bytes(u8 *sum, const u8 *at, u32 bytes)
{
	*sum = 0;
	*sum = (u8)-byte_sum(at, bytes);
}

static void seal_piece(unsigned i)
{
	u8 *at = piece[i].at;
	u32 bytes = piece[i].bytes;

	if (bytes >= 20 && !memcmp(at, "RSD PTR ", 8)) {
		seal_bytes(&at[8], at, 20);
		if (bytes >= 36)
			seal_bytes(&at[32], at, 36);
	} else if (bytes >= 36 && at[0] >= 'A' && at[0] <= 'Z') {
		if (draw(4))
			memcpy(at + 4, &bytes, 4);
		seal_bytes(&at[9], at, bytes);
	} else if (i == 0 && bytes >= 8 && read_u32(at) != 0x336EC578 && draw(4)) {
		memcpy(at, &bytes, 4); /* a multiboot2 block */
	}
}

size_t LLVMFuzzerCustomMutator(u8 *bytes, size_t count, size_t room, unsigned seed)
{
	srand(seed);
	take_apart(bytes, count);
	if (!nr || !draw(16))
		return LLVMFuzzerMutate(bytes, count, room);
	for (unsigned changes = 1 + draw(3); changes; changes--)
		change_image();
	for (unsigned i = 0; i < nr && draw(16); i++)
		seal_piece(i);
	return put_together(bytes, room);
}
