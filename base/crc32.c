/* SPDX-License-Identifier: GPL-2.0-or-later
 * CRC-32 by a table of sixteen entries: small enough for a boot loader, fast enough for a serial line. */
#include "base/crc32.h"

u32 crc32_more(u32 crc, const void *data, size_t bytes)
{
	static const u32 nibble[16] = {
		0x00000000,
		0x1db71064,
		0x3b6e20c8,
		0x26d930ac,
		0x76dc4190,
		0x6b6b51f4,
		0x4db26158,
		0x5005713c,
		0xedb88320,
		0xf00f9344,
		0xd6d6a3e8,
		0xcb61b38c,
		0x9b64c2b0,
		0x86d3d2d4,
		0xa00ae278,
		0xbdbdf21c,
	};
	const u8 *p = data;

	crc = ~crc;
	for (size_t i = 0; i < bytes; i++) {
		crc ^= p[i];
		crc = nibble[crc & 15] ^ crc >> 4;
		crc = nibble[crc & 15] ^ crc >> 4;
	}
	return ~crc;
}

u32 crc32(const void *data, size_t bytes)
{
	return crc32_more(0, data, bytes);
}
