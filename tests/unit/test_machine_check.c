/* SPDX-License-Identifier: GPL-2.0-or-later
 * Machine check banks from canned CPUID and fake MSRs: metal.md 7, and the initialisation in Intel's manual (example 15-1). Bank n
 * has its control at 400h + 4n, its status and address behind. A miss means results that broken memory has spoilt in silence, or a
 * CPU told what it must not be told. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "arch/x86/machine_check.h"
#include "arch/x86/msr.h"
#include "base/text.h"

enum { FIRST = 0x400, MOST = 0x100 };

static struct {
	const char *vendor;
	u32 signature, features;
	u64 capabilities, all; /* MCG_CAP, MCG_CTL */
	u64 bank[MOST];	       /* from FIRST on */
	unsigned present;      /* of these; the others are refused */
} fake;

int msr_try_read(u32 msr, u64 *value)
{
	bool there = msr >= FIRST && msr - FIRST < fake.present;

	*value = msr == 0x179 ? fake.capabilities : there ? fake.bank[msr - FIRST] : 0;
	return msr == 0x179 || there ? 0 : -E_INVAL;
}

int msr_try_write(u32 msr, u64 value)
{
	assert_true(msr == 0x17b || (msr >= FIRST && msr < FIRST + 4 * 32)); /* what is behind is VMX's */
	if (msr == 0x17b)
		fake.all = value;
	else
		fake.bank[msr - FIRST] = value;
	return 0;
}

static char said[1024];

void say(const char *format, ...)
{
	va_list args;
	size_t used = strlen(said);

	va_start(args, format);
	vsnprintf(said + used, sizeof(said) - used, format, args);
	va_end(args);
}

static struct cpuid_regs read_id(void *ctx, u32 leaf, u32 subleaf)
{
	struct cpuid_regs r = { 0, 0, 0, 0 };

	(void)ctx, (void)subleaf;
	if (leaf == 0) {
		memcpy(&r.b, fake.vendor, 4);
		memcpy(&r.d, fake.vendor + 4, 4);
		memcpy(&r.c, fake.vendor + 8, 4);
	} else if (leaf == 1) {
		r.a = fake.signature;
		r.d = fake.features;
	}
	return r;
}

static int begin(void **state)
{
	(void)state;
	memset(&fake, 0, sizeof(fake));
	memset(said, 0, sizeof(said));
	fake.vendor = "GenuineIntel";
	fake.signature = 0x306f2;
	fake.features = 1 << 14;
	fake.capabilities = 6;
	fake.present = 4 * 6;
	return 0;
}

static unsigned nr_enabled(void)
{
	unsigned n = 0;

	for (unsigned i = 0; i < MOST; i += 4)
		n += fake.bank[i] == ~0ull;
	return n;
}

/* All ones in each bank, and in MCG_CTL where bit 8 of MCG_CAP says that there is one. */
static void all_banks_report(void **state)
{
	(void)state;
	machine_check_enable(read_id, NULL);
	assert_int_equal(nr_enabled(), 6);
	assert_true(!fake.all && !fake.bank[1] && !fake.bank[2]);
	fake.capabilities |= 1 << 8;
	machine_check_enable(read_id, NULL);
	assert_true(fake.all == ~0ull);
}

/* "IF processor family is 6H and extended model:model is less than 1AH": not bank 0. */
static void first_bank_of_a_p6_is_left_alone(void **state)
{
	(void)state;
	fake.signature = 0x1067a; /* 17h */
	machine_check_enable(read_id, NULL);
	assert_int_equal(nr_enabled(), 5);
	assert_int_equal(fake.bank[0], 0);
	fake.signature = 0x106a5; /* 1Ah */
	machine_check_enable(read_id, NULL);
	assert_int_equal(nr_enabled(), 6);
}

/* Bit 10 of bank 4 reports walks of the GART's table, also those that nothing depends on. */
static void gart_of_a_k8_is_left_alone(void **state)
{
	(void)state;
	fake.vendor = "AuthenticAMD";
	fake.signature = 0x40f13;
	machine_check_enable(read_id, NULL);
	assert_int_equal(nr_enabled(), 5);
	assert_true(fake.bank[16] == ~0x400ull);
	fake.signature = 0x100f42;
	machine_check_enable(read_id, NULL);
	assert_int_equal(nr_enabled(), 6);
}

/* A number of banks that would reach into other registers, and a CPU that has none. */
static void not_more_than_there_are(void **state)
{
	(void)state;
	fake.capabilities = 64;
	machine_check_enable(read_id, NULL);
	assert_int_equal(nr_enabled(), 32);
	begin(NULL);
	fake.features = 0;
	machine_check_enable(read_id, NULL);
	assert_int_equal(nr_enabled(), 0);
}

/* Reading asks the CPU that runs this test whether it has banks; any has. Old errors are named once; a bank that is refused is
 * none.
 */
static void errors_are_named(void **state)
{
	char text[160];

	(void)state;
	machine_check_describe(text, sizeof(text));
	assert_string_equal(text, "hardware error: no bank has it, and 0 more");
	fake.capabilities = 10;
	fake.bank[4 * 2 + 1] = 0xb600000000000005; /* valid (63), address valid (58) */
	fake.bank[4 * 2 + 2] = 0x1234;
	fake.bank[4 * 5 + 1] = 0x8000000000000001;
	machine_check_describe(text, sizeof(text));
	assert_string_equal(text, "hardware error: bank 2 status 0xb600000000000005 address 0x1234, and 1 more");
	machine_check_say_old();
	assert_string_equal(said, "A hardware error from before this boot: bank 2 status 0xb600000000000005 address 0x1234\n"
				  "A hardware error from before this boot: bank 5 status 0x8000000000000001\n");
	machine_check_describe(text, sizeof(text));
	assert_string_equal(text, "hardware error: no bank has it, and 0 more");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(all_banks_report, begin),
		cmocka_unit_test_setup(first_bank_of_a_p6_is_left_alone, begin),
		cmocka_unit_test_setup(gart_of_a_k8_is_left_alone, begin),
		cmocka_unit_test_setup(not_more_than_there_are, begin),
		cmocka_unit_test_setup(errors_are_named, begin),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
