/* SPDX-License-Identifier: GPL-2.0-or-later
 * Which entry of fairmetal.cfg? */
#ifndef BOOT_EFI_MENU_H
#define BOOT_EFI_MENU_H

#include "boot/efi/config.h"

/* Shows the entries and waits: for a key that names one, for Enter, for the timeout. Returns the index. */
unsigned menu_choose(const struct config *config);

#endif
