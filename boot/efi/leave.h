/* SPDX-License-Identifier: GPL-2.0-or-later
 * From the firmware to the kernel. */
#ifndef BOOT_EFI_LEAVE_H
#define BOOT_EFI_LEAVE_H

#include "boot/efi/elf.h"
#include "boot/efi/multiboot2.h"

/* All that is needed once the firmware is gone. */
struct departure {
	struct elf_image image;
	const u8 *staged; /* the image as it is to be, elsewhere below 4 GiB */
	struct mb2 mb2;	  /* complete but for the memory map */
	struct memory_map map;
	u64 map_size;
	void *page; /* for the last code before the kernel's, below 4 GiB */
};

/* Whether the image can lie where it wants to; says who is there if it cannot. */
bool leave_is_possible(struct departure *departure);

/* Ends the firmware and enters the kernel. Returns false, with a message, if the firmware does not want to end. */
bool leave(struct departure *departure);

#endif
