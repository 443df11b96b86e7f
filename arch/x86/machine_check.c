/* SPDX-License-Identifier: GPL-2.0-or-later
 * The banks of the machine check architecture. */
#include "arch/x86/machine_check.h"

#include "arch/x86/msr.h"
#include "base/text.h"

enum {
	MSR_MCG_CAP = 0x179,
	MSR_MCG_CTL = 0x17b,
	MSR_MC_CTL = 0x400,    /* of bank 0 */
	MSR_MC_STATUS = 0x401, /* of bank 0; each has 4 registers */
	BANK_MSRS = 4,
	ADDRESS = 1, /* after its status */
	MCG_BANKS = 0xff,
	MCG_HAS_CTL = 1 << 8,
	MOST_BANKS = 32, /* behind these other registers begin */
};
#define STATUS_VALID	     (1ull << 63)
#define STATUS_ADDRESS_VALID (1ull << 58)

/* 0: the CPU has no such architecture. */
static u64 capabilities(cpuid_fn read, void *ctx)
{
	u64 value = 0;

	if (read(ctx, 1, 0).d >> 14 & 1)
		msr_try_read(MSR_MCG_CAP, &value);
	return value;
}

static unsigned nr_banks(cpuid_fn read, void *ctx)
{
	return (unsigned)min_u64(capabilities(read, ctx) & MCG_BANKS, MOST_BANKS);
}

/* ---- enabling ---- */

enum cpu_kind { USUAL, INTEL_P6, AMD_K8 };

static enum cpu_kind kind_of(cpuid_fn read, void *ctx)
{
	char vendor[CPUID_VENDOR_SIZE];
	u32 signature = read(ctx, 1, 0).a, family = signature >> 8 & 15, extended = signature >> 20 & 0xff;
	u32 model = (signature >> 12 & 0xf0) | (signature >> 4 & 15);

	cpuid_vendor(read, ctx, vendor);
	if (!strcmp(vendor, "GenuineIntel") && family == 6 && model < 0x1a)
		return INTEL_P6;
	return !strcmp(vendor, "AuthenticAMD") && family == 15 && !extended ? AMD_K8 : USUAL;
}

/* A P6, up to Core 2, has the bus's own settings in the first bank's place. A K8 would report each speculative miss of its GART. */
static void enable_bank(enum cpu_kind kind, unsigned bank)
{
	const u64 gart = 1 << 10;

	if (kind != INTEL_P6 || bank)
		msr_try_write(MSR_MC_CTL + bank * BANK_MSRS, kind == AMD_K8 && bank == 4 ? ~gart : ~0ull);
}

/* A reset enables nothing, and an error in what is not enabled passes in silence. */
void machine_check_enable(cpuid_fn read, void *ctx)
{
	enum cpu_kind kind = kind_of(read, ctx);

	if (capabilities(read, ctx) & MCG_HAS_CTL)
		msr_try_write(MSR_MCG_CTL, ~0ull);
	for (unsigned bank = 0, n = nr_banks(read, ctx); bank < n; bank++)
		enable_bank(kind, bank);
}

/* ---- reading ---- */

/* "bank 2 status 0xb200000000000005 address 0x1234"; false: there is nothing in it. */
static bool describe_bank(unsigned bank, char *dst, size_t size)
{
	u32 msr = MSR_MC_STATUS + bank * BANK_MSRS;
	u64 status, address;
	int used;

	if (msr_try_read(msr, &status) || !(status & STATUS_VALID))
		return false;
	used = text_format(dst, size, "bank %u status 0x%llx", bank, (unsigned long long)status);
	if (status & STATUS_ADDRESS_VALID && !msr_try_read(msr + ADDRESS, &address))
		text_format(dst + used, size - (size_t)used, " address 0x%llx", (unsigned long long)address);
	return true;
}

void machine_check_say_old(void)
{
	char error[80];

	for (unsigned bank = 0, n = nr_banks(cpuid_here, NULL); bank < n; bank++)
		if (describe_bank(bank, error, sizeof(error))) {
			say("A hardware error from before this boot: %s\n", error);
			msr_try_write(MSR_MC_STATUS + bank * BANK_MSRS, 0);
		}
}

void machine_check_describe(char *dst, size_t size)
{
	unsigned more = 0;
	char error[80], first[80] = "no bank has it";

	for (unsigned bank = 0, found = 0, n = nr_banks(cpuid_here, NULL); bank < n; bank++)
		if (describe_bank(bank, error, sizeof(error))) {
			if (!found++)
				text_format(first, sizeof(first), "%s", error);
			else
				more++;
		}
	text_format(dst, size, "hardware error: %s, and %u more", first, more);
}
