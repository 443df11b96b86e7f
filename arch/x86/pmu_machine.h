/* SPDX-License-Identifier: GPL-2.0-or-later
 * The machine's way to its counters: the rest of it is in the contract, arch/machine.h. */
#ifndef ARCH_X86_PMU_MACHINE_H
#define ARCH_X86_PMU_MACHINE_H

/* Find out what there is. Boot CPU, with the clock, before any other call. */
void pmu_init(void);
/* At each timer interrupt of a CPU. */
void pmu_timer(void);

#endif
