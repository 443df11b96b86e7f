/* SPDX-License-Identifier: GPL-2.0-or-later
 * Seeing that a CPU was taken away: its timer comes late. */
#ifndef ARCH_X86_WITNESS_H
#define ARCH_X86_WITNESS_H

#include "base/types.h"

/* On the CPU, interrupts off: its timer has been armed for that instant; its timer has come. */
void witness_armed(u64 deadline_ns);
void witness_timer(void);

#endif
