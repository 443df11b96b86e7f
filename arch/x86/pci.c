/* SPDX-License-Identifier: GPL-2.0-or-later
 * A walk over PCI's configuration space. Every bus is looked at: servers have root buses that no bridge leads to. */
#include "arch/x86/pci.h"

enum {
	REG_ID = 0x00,
	REG_COMMAND = 0x04,
	REG_CLASS = 0x08,
	REG_HEADER = 0x0c,
	REG_BAR0 = 0x10,
	NR_BARS = 6,
	COMMAND_IO = 1,
	COMMAND_MEMORY = 2,
	HEADER_MULTI = 0x80,
	BAR_IO = 1,
	BAR_TYPE = 6,
	BAR_64 = 4,
	CLASS_SERIAL = 0x0700,
	UART_BYTES = 8,
	MOST_PORTS = 8,
};

#define NOTHING 0xffffffffu

/* Which bits of a BAR stick tells its size. The function is deaf meanwhile: it would answer at odd addresses. */
static u32 bar_mask(u32 function, unsigned offset)
{
	u32 command = pci_read(function, REG_COMMAND), bar = pci_read(function, offset), mask;

	/* The status bits above are cleared by writing ones. */
	pci_write(function, REG_COMMAND, command & 0xffff & ~(u32)(COMMAND_IO | COMMAND_MEMORY));
	pci_write(function, offset, ~0u);
	mask = pci_read(function, offset);
	pci_write(function, offset, bar);
	pci_write(function, REG_COMMAND, command & 0xffff);
	return mask;
}

/* Ports decode 16 bits on a PC, and some cards leave the upper half of the mask zero. */
static bool take_ports(u32 function, unsigned offset, struct pci_serial *s)
{
	u32 bar = pci_read(function, offset), bytes;

	if (!(bar & BAR_IO) || !(bar & 0xfffc))
		return false;
	bytes = (~(bar_mask(function, offset) & 0xfffc) & 0xffff) + 1;
	*s = (struct pci_serial){ function, bar & 0xfffc, false, (unsigned)min_u64(bytes / UART_BYTES, MOST_PORTS) };
	return s->ports > 0;
}

/* What follows the lower half of a long address is its upper half, whatever it looks like. */
static unsigned words_of(u32 bar)
{
	return !(bar & BAR_IO) && (bar & BAR_TYPE) == BAR_64 ? 2 : 1;
}

static bool take_memory(u32 function, unsigned offset, struct pci_serial *s)
{
	u32 bar = pci_read(function, offset);
	u64 base = bar & ~0xfu;

	if (bar & BAR_IO)
		return false;
	if (words_of(bar) == 2)
		base |= (u64)pci_read(function, offset + 4) << 32;
	*s = (struct pci_serial){ function, base, true, 1 };
	return base;
}

/* Ports where there are any, for they work the same on every card. */
static bool take_function(u32 function, struct pci_serial *s)
{
	for (unsigned i = 0; i < NR_BARS; i += words_of(pci_read(function, REG_BAR0 + 4 * i)))
		if (take_ports(function, REG_BAR0 + 4 * i, s))
			return true;
	return take_memory(function, REG_BAR0, s);
}

static void enable(const struct pci_serial *s)
{
	u32 command = pci_read(s->function, REG_COMMAND) & 0xffff;

	pci_write(s->function, REG_COMMAND, command | (s->memory ? COMMAND_MEMORY : COMMAND_IO));
}

static bool is_serial(u32 function)
{
	return pci_read(function, REG_ID) != NOTHING && pci_read(function, REG_CLASS) >> 16 == CLASS_SERIAL;
}

static unsigned functions_of(u32 device)
{
	if (pci_read(device, REG_ID) == NOTHING)
		return 0;
	return pci_read(device, REG_HEADER) >> 16 & HEADER_MULTI ? 8 : 1;
}

unsigned pci_find_serial(struct pci_serial *found, unsigned most)
{
	unsigned n = 0;

	if (!pci_is_there())
		return 0;
	for (u32 device = 0; device < 1u << 24; device += 1u << 11)
		for (unsigned i = 0, nr = functions_of(device); i < nr && n < most; i++) {
			u32 function = device | i << 8;

			if (!is_serial(function) || !take_function(function, &found[n]))
				continue;
			enable(&found[n]);
			n++;
		}
	return n;
}
