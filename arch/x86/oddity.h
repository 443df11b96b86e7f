/* SPDX-License-Identifier: GPL-2.0-or-later
 * How much is said of a damaged structure. One that is nonsense throughout has room for a hundred thousand oddities, and a serial
 * port takes milliseconds for a line. */
#ifndef ARCH_X86_ODDITY_H
#define ARCH_X86_ODDITY_H

#include "base/text.h"

enum { ODDITIES_TOLD = 8 };

/* Whether the next oddity of a structure is told: the first few are, and then that there are more. *seen counts them. */
static inline bool oddity_is_told(unsigned *seen, const char *who)
{
	if (*seen == ODDITIES_TOLD)
		say("%s: what else is odd there is not told\n", who);
	return (*seen)++ < ODDITIES_TOLD;
}

#endif
