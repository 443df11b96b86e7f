/* SPDX-License-Identifier: GPL-2.0-or-later
 * fairmetal.cfg: what can be booted. Each line is also a command or an assignment of GRUB's, which reads the same file on BIOS
 * machines.
 *
 *   # a comment
 *   timeout=10                        seconds until the default entry starts; 0: at once
 *   default=0                         the number of that entry, from 0
 *   results=0x2000000                 where results survive a reset; 0: nowhere
 *   title "Text for the menu"         begins an entry
 *   kernel /fairmetal/fairmetal.elf   for this entry and those after it
 *   cmdline run="hackbench"           ends it
 */
#ifndef BOOT_EFI_CONFIG_H
#define BOOT_EFI_CONFIG_H

#include "base/types.h"

enum {
	CONFIG_ENTRIES = 35, /* as many as have a key of their own: 1 to 9, a to z */
	CONFIG_TIMEOUT_MOST = 3600,
};

struct config_entry {
	const char *title;
	const char *kernel;
	const char *cmdline;
};

struct config {
	unsigned nr;
	unsigned first; /* the entry that starts by itself */
	unsigned timeout_s;
	u64 results;
	struct config_entry entry[CONFIG_ENTRIES];
};

struct config_error {
	unsigned line; /* from 1; 0: the whole file */
	const char *why;
};

/* Reads `text`, which ends with a NUL and is cut up and stays in use: *config points into it. Windows' line ends and byte order
 * mark are no harm. Returns whether all of it was understood; *error says what was not. */
bool config_parse(char *text, struct config *config, struct config_error *error);

#endif
