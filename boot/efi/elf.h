/* SPDX-License-Identifier: GPL-2.0-or-later
 * A kernel's ELF file: is it whole, where does it want to be, and what is there. */
#ifndef BOOT_EFI_ELF_H
#define BOOT_EFI_ELF_H

#include "base/types.h"

struct elf_image {
	u64 start; /* physical, whole pages, below 4 GiB */
	u64 end;
	u64 entry;
};

/* Looks at a file in memory, at an address of 8 bytes' alignment. Returns NULL, *image set, or what is wrong with the file. */
const char *elf_check(const u8 *file, u64 bytes, struct elf_image *image);

/* Lays out a checked file as it is to be at image->start, gaps and uninitialised data zeroed, in image->end - image->start bytes.
 */
void elf_unpack(const u8 *file, const struct elf_image *image, u8 *memory);

#endif
