/* SPDX-License-Identifier: GPL-2.0-or-later
 * Reading the registers in which a CPU notes how it was disturbed. */
#include "arch/x86/certificate.h"

#include "arch/x86/msr.h"

enum { LEAF6_SENSOR = 1 << 0, LEAF6_APERF = 1 << 0 };

/* Nehalem and later have MSR_SMI_COUNT; whoever has none refuses it. */
unsigned certificate_can(cpuid_fn read, void *ctx)
{
	char vendor[CPUID_VENDOR_SIZE], hypervisor[CPUID_HYPERVISOR_SIZE];
	struct cpuid_regs power = { .a = 0 };
	unsigned can = 0;

	cpuid_vendor(read, ctx, vendor);
	cpuid_hypervisor(read, ctx, hypervisor);
	if (cpuid_max_leaf(read, ctx, 0) >= 6)
		power = read(ctx, 6, 0);
	if (power.c & LEAF6_APERF)
		can |= CERTIFY_FREQUENCY;
	if (!strcmp(vendor, "GenuineIntel") && !hypervisor[0])
		can |= CERTIFY_SMI | (power.a & LEAF6_SENSOR ? CERTIFY_THERMAL : 0);
	return can;
}

static void read_counters(struct certificate_reading *r)
{
	if (r->known & CERTIFY_FREQUENCY && (msr_try_read(MSR_MPERF, &r->mperf) || msr_try_read(MSR_APERF, &r->aperf)))
		r->known &= ~CERTIFY_FREQUENCY;
	if (r->known & CERTIFY_SMI && msr_try_read(MSR_SMI_COUNT, &r->smis))
		r->known &= ~CERTIFY_SMI;
}

static u64 going_on(u64 status)
{
	return (status & THERMAL_NOW) << 1;
}

/* Logs want 1 to stay as they are. All other bits are read-only or reserved, and some CPUs refuse ones there. */
static bool forget_heat(struct certificate_reading *start)
{
	u64 status;

	if (msr_try_read(MSR_THERM_STATUS, &status) || msr_try_write(MSR_THERM_STATUS, status & THERMAL_THRESHOLDS))
		return false;
	start->hot = going_on(status);
	return true;
}

void certificate_begin(unsigned can, struct certificate_reading *start)
{
	*start = (struct certificate_reading){ .known = can };
	if (can & CERTIFY_THERMAL && !forget_heat(start))
		start->known &= ~CERTIFY_THERMAL;
	read_counters(start);
}

/* Counters that do not count are no counters. */
void certificate_end(const struct certificate_reading *start, struct certificate *out)
{
	struct certificate_reading end = { .known = start->known };
	u64 status;

	read_counters(&end);
	*out = (struct certificate){ .known = end.known };
	if (end.mperf - start->mperf && end.aperf - start->aperf && end.known & CERTIFY_FREQUENCY) {
		out->actual_cycles = end.aperf - start->aperf;
		out->base_cycles = end.mperf - start->mperf;
	} else {
		out->known &= ~CERTIFY_FREQUENCY;
	}
	if (end.known & CERTIFY_SMI)
		out->smis = (u32)(end.smis - start->smis);
	if (end.known & CERTIFY_THERMAL && msr_try_read(MSR_THERM_STATUS, &status))
		out->known &= ~CERTIFY_THERMAL;
	else if (end.known & CERTIFY_THERMAL)
		out->hot = start->hot | going_on(status) | (status & THERMAL_LOG);
}
