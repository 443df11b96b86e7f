/* SPDX-License-Identifier: GPL-2.0-or-later
 * What a CPU's registers say of an interval, from canned CPUID and fake MSRs; the addresses and bits are those of metal.md 6.4. A
 * miss means that a disturbed run passes for a clean one, or the other way round. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "arch/x86/certificate.h"
#include "arch/x86/msr.h"

/* ---- fake MSRs: by what they are for; absent ones are refused ---- */

static struct {
	bool has_smi, has_frequency, has_thermal;
	u64 smi, mperf, aperf, thermal;
} msrs;

int msr_try_read(u32 msr, u64 *value)
{
	*value = 0;
	if (msr == 0x34 && msrs.has_smi)
		*value = msrs.smi;
	else if (msr == 0xe7 && msrs.has_frequency)
		*value = msrs.mperf;
	else if (msr == 0xe8 && msrs.has_frequency)
		*value = msrs.aperf;
	else if (msr == 0x19c && msrs.has_thermal)
		*value = msrs.thermal;
	else
		return -E_INVAL;
	return 0;
}

int msr_try_write(u32 msr, u64 value)
{
	const u64 logs = 0xaaaa;

	assert_int_equal(msr, 0x19c); /* nothing else is changed */
	assert_int_equal(value & ~(logs & msrs.thermal), 0);
	msrs.thermal &= value | ~logs; /* logs are cleared by 0 and stay by 1 */
	return msrs.has_thermal ? 0 : -E_INVAL;
}

/* ---- fake CPUID ---- */

static struct {
	const char *vendor;
	u32 most, hypervisor, power_a, power_c;
} id;

static struct cpuid_regs read_id(void *ctx, u32 leaf, u32 subleaf)
{
	struct cpuid_regs r = { 0, 0, 0, 0 };

	(void)ctx, (void)subleaf;
	if (leaf == 0) {
		r.a = id.most;
		memcpy(&r.b, id.vendor, 4);
		memcpy(&r.d, id.vendor + 4, 4);
		memcpy(&r.c, id.vendor + 8, 4);
	} else if (leaf == 1) {
		r.c = id.hypervisor << 31;
	} else if (leaf == 6) {
		r.a = id.power_a;
		r.c = id.power_c;
	} else if (leaf == 0x40000000) {
		memcpy(&r.b, "TCGTCGTCGTCG", 4);
	}
	return r;
}

static int begin(void **state)
{
	(void)state;
	memset(&msrs, 0, sizeof(msrs));
	msrs.has_smi = msrs.has_frequency = msrs.has_thermal = true;
	id.vendor = "GenuineIntel";
	id.most = 0x16;
	id.hypervisor = 0;
	id.power_a = 1;
	id.power_c = 1;
	return 0;
}

static unsigned can(void)
{
	return certificate_can(read_id, NULL);
}

/* ---- what there is ---- */

static void test_what_is_known(void **state)
{
	(void)state;
	assert_int_equal(can(), CERTIFY_FREQUENCY | CERTIFY_SMI | CERTIFY_THERMAL);
	id.power_a = 0;
	assert_int_equal(can(), CERTIFY_FREQUENCY | CERTIFY_SMI);
	id.power_c = 0;
	assert_int_equal(can(), CERTIFY_SMI);
	id.vendor = "AuthenticAMD";
	id.power_a = id.power_c = 1;
	assert_int_equal(can(), CERTIFY_FREQUENCY);
	id.most = 5; /* no leaf 6 */
	assert_int_equal(can(), 0);
}

/* A hypervisor answers for SMIs and heat with a number that means nothing. */
static void test_virtual_machine(void **state)
{
	(void)state;
	id.hypervisor = 1;
	assert_int_equal(can(), CERTIFY_FREQUENCY);
	id.power_c = 0;
	assert_int_equal(can(), 0);
}

/* ---- intervals ---- */

static struct certificate_reading start;
static struct certificate result;

/* 1.2 times as many actual cycles as at base frequency; 3 SMIs, over the end of the 32-bit counter. */
static void test_interval(void **state)
{
	(void)state;
	msrs.mperf = ~0ull - 99; /* so is this: 1000 later it is 900 */
	msrs.aperf = 5000;
	msrs.smi = 0xfffffffe;
	certificate_begin(can(), &start);
	msrs.mperf = 900;
	msrs.aperf = 6200;
	msrs.smi = 1;
	certificate_end(&start, &result);
	assert_int_equal(result.known, CERTIFY_FREQUENCY | CERTIFY_SMI | CERTIFY_THERMAL);
	assert_int_equal(result.base_cycles, 1000);
	assert_int_equal(result.actual_cycles, 1200);
	assert_int_equal(result.smis, 3);
	assert_int_equal(result.hot, 0);
}

/* Logs: bits 1, 3, 5, 11, 13 and 15. What was hot before does not count; thresholds (7, 9) are no business of ours. The rest (here
 * a temperature in 22:16 and its being valid, 31) cannot be written. */
static void test_heat(void **state)
{
	(void)state;
	assert_true(THERMAL_LOG == 0xa82a);
	msrs.thermal = 0xa82a | 0x280 | 0x80320000;
	certificate_begin(can(), &start);
	assert_true(msrs.thermal == (0x280 | 0x80320000));
	certificate_end(&start, &result);
	assert_int_equal(result.hot, 0);
	certificate_begin(can(), &start);
	msrs.thermal |= 0x802;
	certificate_end(&start, &result);
	assert_int_equal(result.hot, 0x802);
}

/* The bit below each log says that it is so now; the log is set when that begins (SDM 14.7.5.2, and "on a 0 to 1 transition" in
 * datasheets). Slowed down by power (10) from before the interval till in it, and too hot (0) from in it till after: both count. */
static void test_heat_that_lasts(void **state)
{
	(void)state;
	assert_true(THERMAL_NOW == 0x5415);
	msrs.thermal = 0xc00;
	certificate_begin(can(), &start);
	assert_true(msrs.thermal == 0x400);
	msrs.thermal = 0x3;
	certificate_end(&start, &result);
	assert_int_equal(result.hot, 0x802);
	msrs.thermal = 0x1;
	certificate_begin(can(), &start);
	certificate_end(&start, &result);
	assert_int_equal(result.hot, 0x2);
}

static void test_refused(void **state)
{
	(void)state;
	memset(&msrs, 0, sizeof(msrs));
	certificate_begin(can(), &start);
	certificate_end(&start, &result);
	assert_int_equal(result.known, 0);
	assert_true(!result.actual_cycles && !result.base_cycles && !result.smis && !result.hot);
}

/* Promised by CPUID, and standing still: as good as absent. */
static void test_counters_that_stand_still(void **state)
{
	(void)state;
	certificate_begin(can(), &start);
	certificate_end(&start, &result);
	assert_int_equal(result.known, CERTIFY_SMI | CERTIFY_THERMAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_what_is_known, begin),
		cmocka_unit_test_setup(test_virtual_machine, begin),
		cmocka_unit_test_setup(test_interval, begin),
		cmocka_unit_test_setup(test_heat, begin),
		cmocka_unit_test_setup(test_heat_that_lasts, begin),
		cmocka_unit_test_setup(test_refused, begin),
		cmocka_unit_test_setup(test_counters_that_stand_still, begin),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
