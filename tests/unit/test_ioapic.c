/* SPDX-License-Identifier: GPL-2.0-or-later
 * An I/O APIC as firmware leaves it, and none: metal.md 2.5, "mask everything inherited" (8.42). Registers by Intel's 82093AA: 1 is
 * the version with the highest pin in bits 23:16, pin n is 10h + 2n with the mask in bit 16 and the delivery in 10:8, of which 2 is
 * SMI. A miss means a boot CPU that is interrupted all the time, or firmware whose keyboard and heat control are dead. */
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "arch/x86/ioapic.h"

enum { MOST_REGISTERS = 0x10 + 2 * 256, ADDRESS = 0xfec00000 };

static struct {
	bool reachable;
	u32 version, reg[MOST_REGISTERS];
	unsigned writes;
} fake;

bool ioapic_choose(u64 address)
{
	assert_int_equal(address, ADDRESS);
	return fake.reachable;
}

u32 ioapic_read(unsigned reg)
{
	assert_true(reg < MOST_REGISTERS);
	return reg == 1 ? fake.version : fake.reg[reg];
}

void ioapic_write(unsigned reg, u32 v)
{
	assert_true(reg >= 0x10 && reg < MOST_REGISTERS);
	fake.reg[reg] = v;
	fake.writes++;
}

static int begin(void **state)
{
	(void)state;
	memset(&fake, 0, sizeof(fake));
	fake.reachable = true;
	fake.version = 0x170020; /* 24 pins */
	return 0;
}

/* Pin 2 a clock at its edge, 16 a level, 23 the last; where they would go stays as it was. */
static void pins_are_masked(void **state)
{
	(void)state;
	fake.reg[0x14] = 0x00030;
	fake.reg[0x15] = 0x12000000;
	fake.reg[0x30] = 0x0a051;
	fake.reg[0x3e] = 0x00060;
	fake.reg[0x40] = 0x00070; /* behind the last pin */
	ioapic_silence(ADDRESS);
	assert_int_equal(fake.reg[0x14], 0x10030);
	assert_int_equal(fake.reg[0x15], 0x12000000);
	assert_int_equal(fake.reg[0x30], 0x1a051);
	assert_int_equal(fake.reg[0x3e], 0x10060);
	assert_int_equal(fake.reg[0x40], 0x00070);
}

static void smi_is_the_firmwares(void **state)
{
	(void)state;
	fake.reg[0x12] = 0x00200;
	fake.reg[0x16] = 0x00700; /* ExtINT has one of its bits too */
	ioapic_silence(ADDRESS);
	assert_int_equal(fake.reg[0x12], 0x00200);
	assert_int_equal(fake.reg[0x16], 0x10700);
}

static void none_is_left_alone(void **state)
{
	(void)state;
	fake.version = ~0u;
	ioapic_silence(ADDRESS);
	fake.version = 0x170020;
	fake.reachable = false;
	ioapic_silence(ADDRESS);
	assert_int_equal(fake.writes, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(pins_are_masked, begin),
		cmocka_unit_test_setup(smi_is_the_firmwares, begin),
		cmocka_unit_test_setup(none_is_left_alone, begin),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
