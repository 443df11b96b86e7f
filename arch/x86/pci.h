/* SPDX-License-Identifier: GPL-2.0-or-later
 * Serial ports on PCI cards and in chip sets, found in configuration space. */
#ifndef ARCH_X86_PCI_H
#define ARCH_X86_PCI_H

#include "base/types.h"

/* What a function of class 07/00 offers. */
struct pci_serial {
	u32 function; /* bus << 16 | device << 11 | function << 8 */
	u64 base;     /* first port or physical address */
	bool memory;
	unsigned ports; /* UARTs that its address range has room for, 8 registers each; whether they are there is for a probe to say
			 */
};

/* Look through all buses; the functions found answer at their addresses from now on. Returns how many, at most `most`. */
unsigned pci_find_serial(struct pci_serial *found, unsigned most);

/* pci_access.c: configuration registers, 32 bits each; all ones where there is nothing. */
u32 pci_read(u32 function, unsigned offset);
void pci_write(u32 function, unsigned offset, u32 v);
bool pci_is_there(void);

#endif
