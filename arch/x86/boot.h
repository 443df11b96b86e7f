/* SPDX-License-Identifier: GPL-2.0-or-later
 * What differs between the machines that boot on a PC: metal with all its CPUs, and lockstep on one. */
#ifndef ARCH_X86_BOOT_H
#define ARCH_X86_BOOT_H

#include "arch/machine.h"
#include "arch/x86/acpi.h"
#include "arch/x86/memmap.h"

/* Fill in what this machine says of itself. */
void boot_facts(struct machine_info *info);

/* The machine's parameters, from the command line. */
void boot_params(const char *cmdline);

/* Console, memory, tables, this CPU's APIC and the clock work; make the machine ready and go to kernel_main(). */
_Noreturn void boot_machine(const struct acpi_info *acpi, struct memmap *map);

/* Say why the machine cannot go on, and end. */
_Noreturn void boot_refuse(const char *why);

/* Called once at the very end: the machine's last words, if it has any. */
void boot_farewell(void);

#endif
