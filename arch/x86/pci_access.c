/* SPDX-License-Identifier: GPL-2.0-or-later
 * PCI configuration space through its two ports. Only the boot CPU comes here, before the others start. */
#include "arch/x86/pci.h"
#include "arch/x86/x86.h"

enum { PORT_ADDRESS = 0xcf8, PORT_DATA = 0xcfc };

#define ENABLE 0x80000000u

u32 pci_read(u32 function, unsigned offset)
{
	out32(PORT_ADDRESS, ENABLE | function | offset);
	return in32(PORT_DATA);
}

void pci_write(u32 function, unsigned offset, u32 v)
{
	out32(PORT_ADDRESS, ENABLE | function | offset);
	out32(PORT_DATA, v);
}

/* The address can be read back; a machine without PCI shows ones. */
bool pci_is_there(void)
{
	out32(PORT_ADDRESS, ENABLE);
	return in32(PORT_ADDRESS) == ENABLE;
}
