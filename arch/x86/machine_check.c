/* SPDX-License-Identifier: GPL-2.0-or-later
 * The banks of the machine check architecture: read, never configured. */
#include "arch/x86/machine_check.h"

#include "arch/x86/cpuid.h"
#include "arch/x86/msr.h"
#include "arch/x86/x86.h"
#include "base/text.h"

enum {
	MSR_MCG_CAP = 0x179,
	MSR_MC_STATUS = 0x401, /* of bank 0; each has 4 registers */
	BANK_MSRS = 4,
	ADDRESS = 1, /* after its status */
	MCG_BANKS = 0xff,
	MOST_BANKS = 32, /* behind these other registers begin */
};
#define STATUS_VALID	     (1ull << 63)
#define STATUS_ADDRESS_VALID (1ull << 58)

static unsigned nr_banks(void)
{
	bool has_mca = cpuid_read(1, 0).d >> 14 & 1;
	u64 capabilities;

	if (!has_mca || msr_try_read(MSR_MCG_CAP, &capabilities))
		return 0;
	return (unsigned)min_u64(capabilities & MCG_BANKS, MOST_BANKS);
}

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

	for (unsigned bank = 0, n = nr_banks(); bank < n; bank++)
		if (describe_bank(bank, error, sizeof(error))) {
			say("A hardware error from before this boot: %s\n", error);
			msr_try_write(MSR_MC_STATUS + bank * BANK_MSRS, 0);
		}
}

void machine_check_describe(char *dst, size_t size)
{
	unsigned more = 0;
	char error[80], first[80] = "no bank has it";

	for (unsigned bank = 0, found = 0, n = nr_banks(); bank < n; bank++)
		if (describe_bank(bank, error, sizeof(error))) {
			if (!found++)
				text_format(first, sizeof(first), "%s", error);
			else
				more++;
		}
	text_format(dst, size, "hardware error: %s, and %u more", first, more);
}
