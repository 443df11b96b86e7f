/* SPDX-License-Identifier: GPL-2.0-or-later
 * What some CPUs have to be told before they keep what the rest of the kernel relies on. */
#ifndef ARCH_X86_QUIRKS_H
#define ARCH_X86_QUIRKS_H

#include "arch/x86/cpuid.h"

enum quirk_msr {
	MSR_CPU_FEATURES = 0x1a0, /* Intel's IA32_MISC_ENABLE */
	MSR_PAT = 0x277,
	MSR_INTERRUPT_PENDING = 0xc0010055,
	MSR_DECODE_CONFIG = 0xc0011029,
};

/* On the CPU, for which `read` speaks, as soon as it survives a refusal. For ever: nothing of it is put back. */
void quirks_mend(cpuid_fn read, void *ctx);

#endif
