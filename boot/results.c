/* SPDX-License-Identifier: GPL-2.0-or-later
 * Telling results from whatever else a reset left in memory. */
#include "boot/results.h"

#include "base/crc32.h"

u64 results_extent(const char *text, u32 bytes)
{
	return (u64)crc32(text, bytes) << 32 | bytes;
}

u32 results_bytes(const struct results *results)
{
	u32 bytes = (u32)results->extent;

	if (results->magic != RESULTS_MAGIC || results->version != RESULTS_VERSION || bytes > RESULTS_TEXT_MOST)
		return 0;
	return results_extent(results->text, bytes) == results->extent ? bytes : 0;
}
