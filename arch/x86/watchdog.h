/* SPDX-License-Identifier: GPL-2.0-or-later
 * The watchdog on real CPUs: who looks, and what is reported. base/watchdog.h says what is looked for. */
#ifndef ARCH_X86_WATCHDOG_H
#define ARCH_X86_WATCHDOG_H

#include "arch/x86/trap.h"
#include "base/watchdog.h"

/* watchdog_ms= and nmi_clock= take effect. Boot CPU, when the clock and the APIC work. */
void x86_watchdog_start(void);

/* A timer interrupt, before the kernel gets it. */
void x86_watchdog_tick(struct frame *f);

/* An NMI that was not sent to stop this CPU: was it the watchdog's own clock? */
bool x86_watchdog_nmi(struct frame *f);

/* Of one wait for a spinlock. */
struct lock_wait {
	u64 since; /* TSC */
	u32 holder, rounds;
};

/* The lock has just been seen held by `holder`, a CPU + 1, time and again; the same one for too long is a deadlock and does not
 * return. */
void x86_watchdog_wait(struct lock_wait *wait, u32 holder);

#endif
