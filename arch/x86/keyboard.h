/* SPDX-License-Identifier: GPL-2.0-or-later
 * A PC keyboard's scan codes (set 1, US layout) as the bytes that a serial terminal would send. */
#ifndef ARCH_X86_KEYBOARD_H
#define ARCH_X86_KEYBOARD_H

#include "base/types.h"

struct keyboard {
	bool shift, control, caps, extended;
};

enum { KEY_BYTES = 4 };

/* What one more scan code means: the bytes it stands for in text[], and how many; 0: none. */
unsigned keyboard_decode(struct keyboard *k, u8 code, char text[KEY_BYTES]);

#endif
