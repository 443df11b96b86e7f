/* SPDX-License-Identifier: GPL-2.0-or-later
 * I/O APICs: nothing here wants interrupts of devices. */
#ifndef ARCH_X86_IOAPIC_H
#define ARCH_X86_IOAPIC_H

#include "base/types.h"

/* From now on the one at that address sends nothing but what is meant for the firmware. */
void ioapic_silence(u64 address);

/* ioapic_access.c. The one that the next two are about; false: it cannot be reached. */
bool ioapic_choose(u64 address);
u32 ioapic_read(unsigned reg);
void ioapic_write(unsigned reg, u32 v);

#endif
