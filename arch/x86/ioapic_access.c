/* SPDX-License-Identifier: GPL-2.0-or-later
 * An I/O APIC's registers, behind a window. Only the boot CPU comes here, before the others start. */
#include "arch/x86/ioapic.h"

#include "arch/x86/paging.h"

enum { INDEX = 0, WINDOW = 0x10, BYTES = 0x20 };

static volatile u32 *chosen;

bool ioapic_choose(u64 address)
{
	chosen = address ? paging_map_device(address, BYTES) : NULL;
	return chosen;
}

u32 ioapic_read(unsigned reg)
{
	chosen[INDEX / 4] = reg;
	return chosen[WINDOW / 4];
}

void ioapic_write(unsigned reg, u32 v)
{
	chosen[INDEX / 4] = reg;
	chosen[WINDOW / 4] = v;
}
