/* SPDX-License-Identifier: GPL-2.0-or-later
 * An NMI each second on the boot CPU, whatever it does: the real-time clock's, by way of the old interrupt controllers. */
#ifndef ARCH_X86_NMI_CLOCK_H
#define ARCH_X86_NMI_CLOCK_H

#include "base/types.h"

/* Boot CPU, with its APIC on and the PICs silent. */
void nmi_clock_start(void);

/* In the handler of an NMI: was it that? Then it is acknowledged. */
bool nmi_clock_take(void);

#endif
