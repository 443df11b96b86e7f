/* SPDX-License-Identifier: GPL-2.0-or-later
 * Bits that firmware may have left otherwise than the manuals ask of it, or that they leave to the operating system. */
#include "arch/x86/quirks.h"

#include "arch/x86/msr.h"

#define BIT(n) (1ull << (n))

/* As after a reset: entry 0 is write-back, 3 (PWT and PCD) strong uncacheable. The others map nothing. */
#define PAT_DEFAULT 0x0007040600070406ull

/* A CPU without the register has nothing to be mended there. */
static void change_bits(u32 msr, u64 clear, u64 set)
{
	u64 before, after;

	if (msr_try_read(msr, &before))
		return;
	after = (before & ~clear) | set;
	if (after != before)
		msr_try_write(msr, after);
}

static u32 family_of(cpuid_fn read, void *ctx)
{
	u32 signature = read(ctx, 1, 0).a, family = signature >> 8 & 15;

	return family == 15 ? family + (signature >> 20 & 0xff) : family;
}

/* A setup option for systems of old hides all leaves of CPUID above 3: topology, idle states and counters. */
static void show_all_leaves(void)
{
	change_bits(MSR_CPU_FEATURES, BIT(22), 0);
}

/* LFENCE holds RDTSC back only where it is told to: else a TSC is read before the lock is had under which it should be, and the
 * CPUs seem to contradict each other. Families 0Fh and 11h do it unasked and have no such register. */
static void order_by_lfence(u32 family)
{
	if (family >= 0x10 && family != 0x11)
		change_bits(MSR_DECODE_CONFIG, 0, BIT(1));
}

/* HLT on all cores would be C1E, from which the local APIC's timer does not wake (erratum 400). */
static void stay_in_c1(u32 family)
{
	if (family >= 0x0f && family <= 0x11)
		change_bits(MSR_INTERRUPT_PENDING, BIT(27) | BIT(28), 0);
}

void quirks_mend(cpuid_fn read, void *ctx)
{
	char vendor[CPUID_VENDOR_SIZE];

	cpuid_vendor(read, ctx, vendor);
	if (!strcmp(vendor, "GenuineIntel")) {
		show_all_leaves();
	} else if (!strcmp(vendor, "AuthenticAMD") || !strcmp(vendor, "HygonGenuine")) {
		order_by_lfence(family_of(read, ctx));
		stay_in_c1(family_of(read, ctx));
	}
	change_bits(MSR_PAT, ~0ull, PAT_DEFAULT);
}
