/* SPDX-License-Identifier: GPL-2.0-or-later
 * Starting the other CPUs. */
#ifndef ARCH_X86_SMP_H
#define ARCH_X86_SMP_H

#include "arch/x86/acpi.h"
#include "arch/x86/memmap.h"
#include "arch/x86/trap.h"

/*
 * Give every CPU of the list an index (this one: 0, then in the order of the list) and a stack, and start the others; each
 * identifies itself, compares its TSC with the others', and waits for machine_start_cpus(). The trampoline takes a page below 640
 * KiB out of *map. Returns how many did not come, each named on the console; then machine_start_cpus() will start none.
 */
unsigned smp_start(const struct acpi_info *acpi, struct memmap *map);

/* Have every CPU, this one too, call each() with interrupts off, and return when all have. In a task, interrupts on, holding
 * nothing that others might wait for; one at a time. */
void smp_call_all(void (*each)(void));
void smp_called(void); /* VECTOR_CALL */

/* Is this CPU to stop because another reports a fault? */
bool smp_stopping(void);
/* In an NMI: keep what was interrupted for the report, and stand still for good. */
_Noreturn void smp_stand_still(struct frame *f);

/* From now on kicks are not sent. */
void smp_lose_kicks(void);

#endif
