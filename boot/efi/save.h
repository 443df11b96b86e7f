/* SPDX-License-Identifier: GPL-2.0-or-later
 * Results of the boot before this one, and a place for those of the next. */
#ifndef BOOT_EFI_SAVE_H
#define BOOT_EFI_SAVE_H

#include "base/types.h"

/* Makes a file of what the boot before left at `results`, and takes the place from the firmware for the kernel. Says what it does.
 * Returns whether the kernel may use the place; a failure is no reason not to boot. */
bool results_keep(u64 results);

#endif
