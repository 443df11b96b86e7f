/* SPDX-License-Identifier: GPL-2.0-or-later
 * What time it is: the TSC where it can be trusted, else the HPET or the ACPI timer. */
#ifndef ARCH_X86_CLOCK_H
#define ARCH_X86_CLOCK_H

#include "arch/x86/acpi.h"

/* Find the counters there are, measure the TSC, start the clock. Boot CPU. 0; -E_NOENT if nothing here tells the time. */
int clock_init(const struct acpi_info *acpi);

/* All CPUs together, each once: look whether their TSCs ever contradict each other. */
void clock_check_warp(unsigned nr_cpus);
/* Boot CPU, after that: leave the TSC for another source if they do. */
void clock_settle(void);

/* ns since the clock was started. */
u64 clock_now_ns(void);

bool clock_is_tsc(void);
bool clock_wraps(void);	  /* it must be read every few seconds */
u64 clock_tsc_at(u64 ns); /* the TSC's value at that instant */

struct clock_facts {
	const char *source, *reference;
	u64 source_hz, tsc_hz, warp_cycles;
	bool invariant;
};
const struct clock_facts *clock_facts(void);

/* Busy waiting, interrupts as they are. */
void clock_wait_ns(u64 ns);
/* The same by the bare TSC: whoever was stopped for a report of a fault may hold the clock's lock. */
void clock_wait_alone_ms(u64 ms);

u64 median_of_3(u64 v[3]);

#endif
