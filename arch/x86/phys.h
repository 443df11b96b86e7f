/* SPDX-License-Identifier: GPL-2.0-or-later
 * Reading physical memory, where firmware's structures lie at any alignment. */
#ifndef ARCH_X86_PHYS_H
#define ARCH_X86_PHYS_H

#include "base/string.h"
#include "base/types.h"

/* A pointer to `bytes` bytes at physical address `phys`, of any alignment, which stays valid beside later ones;
 * NULL when the range cannot be mapped. */
const void *phys_map(u64 phys, u64 bytes);

static inline u16 read_u16(const u8 *at)
{
	u16 v;

	memcpy(&v, at, sizeof(v));
	return v;
}

static inline u32 read_u32(const u8 *at)
{
	u32 v;

	memcpy(&v, at, sizeof(v));
	return v;
}

static inline u64 read_u64(const u8 *at)
{
	u64 v;

	memcpy(&v, at, sizeof(v));
	return v;
}

/* The sum modulo 256; 0 for an ACPI structure with a good checksum. */
static inline u8 byte_sum(const u8 *at, size_t bytes)
{
	u8 sum = 0;

	while (bytes--)
		sum = (u8)(sum + *at++);
	return sum;
}

#endif
