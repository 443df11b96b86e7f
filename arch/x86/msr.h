/* SPDX-License-Identifier: GPL-2.0-or-later
 * Registers that a CPU, its firmware or a hypervisor may refuse: asking for one of them never stops the machine.
 *
 * On any CPU after its cpu_setup(), in any context, interrupts on or off; they stay as they are. The registers are those of the
 * CPU that executes this, so the caller must not move meanwhile. That a read succeeds proves little: emulators answer 0 to what
 * they do not know, and drop what is written. */
#ifndef ARCH_X86_MSR_H
#define ARCH_X86_MSR_H

#include "base/types.h"

/* 0; -E_INVAL if refused, then *value is 0. */
int msr_try_read(u32 msr, u64 *value);
/* 0; -E_INVAL if refused. */
int msr_try_write(u32 msr, u64 value);

/* A performance counter by RDPMC's numbering. 0; -E_INVAL if refused, then *value is 0. */
int pmc_try_read(u32 counter, u64 *value);

#endif
