/* SPDX-License-Identifier: GPL-2.0-or-later
 * Access to registers that may not be there: the instruction that faults has an entry in the table of fix-ups. */
#include "arch/x86/msr.h"

#include "arch/machine.h"
#include "arch/x86/trap.h"

/* Each sequence clears `refused` behind the instruction, and lands behind that if it faults. */
#define OR_REFUSED(instruction) "1: " instruction "\n\txorl %0, %0\n2:\n" FIXUP("1b", "2b")

int msr_try_read(u32 msr, u64 *value)
{
	u32 refused = 1, low = 0, high = 0;

	__asm__ volatile(OR_REFUSED("rdmsr") : "+r"(refused), "+a"(low), "+d"(high) : "c"(msr) : "cc", "memory");
	*value = refused ? 0 : (u64)high << 32 | low;
	return refused ? -E_INVAL : 0;
}

int msr_try_write(u32 msr, u64 value)
{
	u32 refused = 1;

	__asm__ volatile(OR_REFUSED("wrmsr") : "+r"(refused) : "c"(msr), "a"((u32)value), "d"((u32)(value >> 32)) : "cc", "memory");
	return refused ? -E_INVAL : 0;
}

int pmc_try_read(u32 counter, u64 *value)
{
	u32 refused = 1, low = 0, high = 0;

	__asm__ volatile(OR_REFUSED("rdpmc") : "+r"(refused), "+a"(low), "+d"(high) : "c"(counter) : "cc", "memory");
	*value = refused ? 0 : (u64)high << 32 | low;
	return refused ? -E_INVAL : 0;
}

/* ---- for tests ---- */

/* Architecture has it that writing a reserved bit faults, whoever knows the register, and so does a counter of no number. */
unsigned machine_ask_impossible(unsigned *asked)
{
	enum { MSR_PKRS = 0x6e1 };
	const u64 reserved = 1ull << 63;
	unsigned refused = 0;
	u64 value;

	*asked = 2;
	refused += msr_try_write(MSR_PKRS, reserved) != 0;
	refused += pmc_try_read(~0u, &value) != 0 && !value;
	return refused;
}
