/* SPDX-License-Identifier: GPL-2.0-or-later
 * Silencing what firmware has left on: its clock would interrupt the boot CPU a hundred times a second, and a device that keeps its
 * line would never let it go on. */
#include "arch/x86/ioapic.h"

enum {
	REG_VERSION = 1, /* bits 23:16: the highest pin */
	REG_PIN0 = 0x10, /* lower half; two registers a pin */
	MOST_PINS = 240,
	PIN_DELIVERY = 7 << 8,
	PIN_SMI = 2 << 8,
	PIN_MASKED = 1 << 16,
};

/* All ones where there is none. */
static unsigned nr_pins(void)
{
	u32 version = ioapic_read(REG_VERSION);
	unsigned nr = (version >> 16 & 0xff) + 1;

	return version == ~0u || nr > MOST_PINS ? 0 : nr;
}

void ioapic_silence(u64 address)
{
	if (!ioapic_choose(address))
		return;
	for (unsigned i = 0, nr = nr_pins(); i < nr; i++) {
		u32 pin = ioapic_read(REG_PIN0 + 2 * i);

		if ((pin & PIN_DELIVERY) != PIN_SMI)
			ioapic_write(REG_PIN0 + 2 * i, pin | PIN_MASKED);
	}
}
