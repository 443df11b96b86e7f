/* SPDX-License-Identifier: GPL-2.0-or-later
 * Switching the machine off, or starting it again. */
#ifndef ARCH_X86_POWER_H
#define ARCH_X86_POWER_H

#include "arch/x86/acpi.h"

/* What machine_end() may use; until then it can only use the debug exit or halt. */
void power_init(const struct acpi_power *power, bool virtual_machine);

#endif
