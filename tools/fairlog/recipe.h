/* SPDX-License-Identifier: GPL-2.0-or-later
 * How to make the runs of a log again. */
#ifndef FAIRLOG_RECIPE_H
#define FAIRLOG_RECIPE_H

#include "tools/fairlog/boot.h"

struct recipe {
	bool by_hand;  /* there is no command for it: text is the kernel's command line */
	char *text;    /* a line for a shell; to be freed */
	bool same_log; /* with the same image it gives the same log, byte for byte */
};

/* Needs a boot with its boot and machine records. */
struct recipe recipe_of(const struct boot *boot);

#endif
