/* SPDX-License-Identifier: GPL-2.0-or-later
 * What the firmware knows that the kernel wants to. */
#ifndef BOOT_EFI_FIRMWARE_H
#define BOOT_EFI_FIRMWARE_H

#include "boot/efi/multiboot2.h"

/* ACPI's root pointer, of version 2.0 before that of 1.0; NULL if there is none. */
const void *firmware_rsdp(bool *acpi2);

/* The screen as it is; the mode is left alone. False when there is none that can be written to as memory. */
bool firmware_screen(struct mb2_screen *screen);

bool firmware_secure_boot(void);

#endif
