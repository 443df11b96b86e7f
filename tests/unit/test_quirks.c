/* SPDX-License-Identifier: GPL-2.0-or-later
 * CPUs mended at boot: canned CPUID and one fake MSR at a time in, the bits that the manuals name out. A miss means TSCs that seem
 * to contradict each other (AMD, "Software techniques for managing speculation"), a timer that does not wake an idle machine (AMD,
 * erratum 400), half of CPUID hidden, or device registers that are cached. */
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "arch/x86/msr.h"
#include "arch/x86/quirks.h"

/* ---- one fake MSR, and what else was written is a mistake ---- */

static struct {
	u32 msr;
	u64 value;
	unsigned writes;
} fake;

int msr_try_read(u32 msr, u64 *value)
{
	*value = msr == fake.msr ? fake.value : 0;
	return msr == fake.msr ? 0 : -E_INVAL;
}

int msr_try_write(u32 msr, u64 value)
{
	assert_int_equal(msr, fake.msr);
	fake.value = value;
	fake.writes++;
	return 0;
}

static struct {
	const char *vendor;
	u32 signature;
} id;

static struct cpuid_regs read_id(void *ctx, u32 leaf, u32 subleaf)
{
	struct cpuid_regs r = { 0, 0, 0, 0 };

	(void)ctx, (void)subleaf;
	if (leaf == 0) {
		memcpy(&r.b, id.vendor, 4);
		memcpy(&r.d, id.vendor + 4, 4);
		memcpy(&r.c, id.vendor + 8, 4);
	} else if (leaf == 1) {
		r.a = id.signature;
	}
	return r;
}

/* What becomes of that value in that register, and how often it was written. */
static u64 mend(const char *vendor, u32 signature, u32 msr, u64 value, unsigned writes)
{
	id.vendor = vendor;
	id.signature = signature;
	fake.msr = msr;
	fake.value = value;
	fake.writes = 0;
	quirks_mend(read_id, NULL);
	assert_int_equal(fake.writes, writes);
	return fake.value;
}

static const char intel[] = "GenuineIntel", amd[] = "AuthenticAMD", hygon[] = "HygonGenuine";

/* Signatures by family: extended family in bits 27:20 is added to 0Fh. */
enum {
	K8 = 0x40f13,
	K10 = 0x100f42,
	GRIFFIN = 0x200f31,
	BULLDOZER = 0x600f12,
	ROME = 0x830f10,
	DHYANA = 0x900f02,
	CORE2 = 0x10676
};

/* Bit 1 of C0011029, on all families but 0Fh and 11h, and only where it is not set yet. */
static void lfence_orders_rdtsc(void **state)
{
	(void)state;
	assert_true(mend(amd, K10, 0xc0011029, 0x100, 1) == 0x102);
	assert_true(mend(amd, BULLDOZER, 0xc0011029, 0, 1) == 2);
	assert_true(mend(amd, ROME, 0xc0011029, 0x302, 0) == 0x302);
	assert_true(mend(hygon, DHYANA, 0xc0011029, 0, 1) == 2);
	assert_true(mend(amd, K8, 0xc0011029, 0, 0) == 0);
	assert_true(mend(amd, GRIFFIN, 0xc0011029, 0, 0) == 0);
	assert_true(mend(intel, CORE2, 0xc0011029, 0, 0) == 0);
}

/* Bits 28 (C1eOnCmpHalt) and 27 (SmiOnCmpHalt) of C0010055; the port in the lower ones stays. Later families wake from C1E. */
static void halt_is_c1(void **state)
{
	(void)state;
	assert_true(mend(amd, K10, 0xc0010055, 0x14000815, 1) == 0x4000815);
	assert_true(mend(amd, K8, 0xc0010055, 0x0c000815, 1) == 0x4000815);
	assert_true(mend(amd, K10, 0xc0010055, 0x815, 0) == 0x815);
	assert_true(mend(amd, BULLDOZER, 0xc0010055, 0x10000000, 0) == 0x10000000);
}

/* Bit 22 of IA32_MISC_ENABLE. */
static void cpuid_hides_nothing(void **state)
{
	(void)state;
	assert_true(mend(intel, CORE2, 0x1a0, 0xc50089, 1) == 0x850089);
	assert_true(mend(intel, CORE2, 0x1a0, 0x850089, 0) == 0x850089);
	assert_true(mend(amd, K10, 0x1a0, 0xc50089, 0) == 0xc50089);
}

/* The value after a reset, by both vendors' manuals. */
static void page_attributes_are_those_of_a_reset(void **state)
{
	const u64 reset = 0x0007040600070406;

	(void)state;
	assert_true(mend(intel, CORE2, 0x277, 0x0007010600070106, 1) == reset);
	assert_true(mend(amd, ROME, 0x277, reset, 0) == reset);
	assert_true(mend("CentaurHauls", CORE2, 0x277, 0, 1) == reset);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lfence_orders_rdtsc),
		cmocka_unit_test(halt_is_c1),
		cmocka_unit_test(cpuid_hides_nothing),
		cmocka_unit_test(page_attributes_are_those_of_a_reset),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
