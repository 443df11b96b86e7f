/* SPDX-License-Identifier: GPL-2.0-or-later
 * CRC-32 as in IEEE 802.3 and zlib. */
#ifndef BASE_CRC32_H
#define BASE_CRC32_H

#include "base/types.h"

u32 crc32(const void *data, size_t bytes);

/* That of a text whose crc32() is `crc` with more behind it; that of no text is 0. */
u32 crc32_more(u32 crc, const void *data, size_t bytes);

#endif
