/* SPDX-License-Identifier: GPL-2.0-or-later
 * CRC-32 as in IEEE 802.3 and zlib. */
#ifndef BASE_CRC32_H
#define BASE_CRC32_H

#include "base/types.h"

u32 crc32(const void *data, size_t bytes);

#endif
