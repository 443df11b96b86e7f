/* SPDX-License-Identifier: GPL-2.0-or-later
 * What a CPU's own registers know of disturbances: its real frequency, SMIs, and being too hot. */
#ifndef ARCH_X86_CERTIFICATE_H
#define ARCH_X86_CERTIFICATE_H

#include "arch/machine.h"
#include "arch/x86/cpuid.h"

enum certificate_msr {
	MSR_SMI_COUNT = 0x34,
	MSR_MPERF = 0xe7,
	MSR_APERF = 0xe8,
	MSR_THERM_STATUS = 0x19c,
};

/* Bits of MSR_THERM_STATUS that note what has happened until they are written 0: too hot, PROCHOT, critical, over the power limit,
 * over the current limit, slowed down for another part of the chip. */
#define THERMAL_LOG (1ull << 1 | 1ull << 3 | 1ull << 5 | 1ull << 11 | 1ull << 13 | 1ull << 15)
/* Below each of them, that it is so at this moment. It is noted when it begins, so what lasts from before is not noted again. */
#define THERMAL_NOW (THERMAL_LOG >> 1)
/* Notes of thresholds, which are somebody else's. */
#define THERMAL_THRESHOLDS (1ull << 7 | 1ull << 9)

/* A CPU's counters at one moment. */
struct certificate_reading {
	unsigned known; /* bits CERTIFY_FREQUENCY, _SMI, _THERMAL */
	u64 aperf, mperf, smis;
	u64 hot; /* of THERMAL_LOG: what was going on */
};

/* On the CPU, for which `read` speaks: what it counts, as bits. What a hypervisor lets through are no counts of this machine. */
unsigned certificate_can(cpuid_fn read, void *ctx);

/* On the CPU: begin an interval, and forget what has been noted of heat before; end it, and say what happened in it. `can` is what
 * certificate_can() said; what a register refuses is not known. */
void certificate_begin(unsigned can, struct certificate_reading *start);
void certificate_end(const struct certificate_reading *start, struct certificate *out);

#endif
