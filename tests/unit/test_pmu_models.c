/* SPDX-License-Identifier: GPL-2.0-or-later
 * Which counters there are, and what they are told: canned CPUID against metal.md 6.2 and 6.3, and CPUs that do not keep what CPUID
 * promises. Event codes are the specification's; a miss means that a record calls something by the wrong name. */
#include "tests/unit/pmu.h"

static void assert_fixed(enum hw_event event, s8 counter)
{
	assert_true(pmu.event[event].is_there);
	assert_int_equal(pmu.event[event].fixed, counter);
}

static void assert_select(enum hw_event event, u32 select)
{
	assert_true(pmu.event[event].is_there);
	assert_int_equal(pmu.event[event].fixed, -1);
	assert_int_equal(pmu.event[event].select, select);
}

static void assert_absent(enum hw_event event)
{
	assert_false(pmu.event[event].is_there);
}

/* Whatever probing did, and that it wrote to no counter. */
static void assert_untouched(const struct fake *before)
{
	assert_memory_equal(before->select, fake.select, sizeof(fake.select));
	assert_int_equal(before->fixed_control, fake.fixed_control);
	assert_int_equal(before->global, fake.global);
	assert_int_equal(fake.counter_writes, 0);
}

/* ---- Intel: 6.2 ---- */

/* CHECK 6.2: Core 2 has 2 general and 3 fixed counters, version 2, and perf maps neither kind of stalls on it. */
static void test_core2(void **state)
{
	(void)state;
	fake_core2();
	fake_probe();
	assert_null(pmu.missing);
	assert_int_equal(pmu.version, 2);
	assert_int_equal(pmu.nr_general, 2);
	assert_int_equal(pmu.fixed, 7);
	assert_int_equal(pmu.width, 40);
	assert_int_equal(pmu.mask, (1ull << 40) - 1);
	assert_fixed(HW_INSTRUCTIONS, 0);
	assert_fixed(HW_CYCLES, 1);
	assert_fixed(HW_REF_CYCLES, 2);
	assert_select(HW_BRANCHES, 0x00c4);
	assert_select(HW_BRANCH_MISSES, 0x00c5);
	assert_select(HW_LLC_MISSES, 0x412e);
	assert_absent(HW_STALLED_FRONTEND);
	assert_absent(HW_STALLED_BACKEND);
}

/* Version 4: 8 general counters where hyper-threading is off; Haswell and later have no stalls by perf's mapping. */
static void test_skylake(void **state)
{
	(void)state;
	fake_skylake();
	fake_probe();
	assert_null(pmu.missing);
	assert_int_equal(pmu.nr_general, 8);
	assert_int_equal(pmu.fixed, 7);
	assert_int_equal(pmu.global, 0x38f);
	assert_absent(HW_STALLED_FRONTEND);
	assert_absent(HW_STALLED_BACKEND);
}

/* CHECK 6.2, what perf maps stalled cycles to: raw 0x0180010E and 0x01803FB1; 0x018001B1 on Sandy Bridge; Ivy Bridge only the
 * first. By signature: models 0x1a, 0x2c, 0x2a, 0x3e. */
static void test_stalls(void **state)
{
	static const struct {
		u32 signature, frontend, backend;
	} part[] = { { 0x106a5, 0x0180010e, 0x01803fb1 }, { 0x206c2, 0x0180010e, 0x01803fb1 }, { 0x206a7, 0x0180010e, 0x018001b1 },
		{ 0x306e4, 0x0180010e, 0 } };

	(void)state;
	for (unsigned i = 0; i < ARRAY_SIZE(part); i++) {
		fake_intel(part[i].signature, 3, 4, 48, 3, 3, 0);
		fake_probe();
		assert_select(HW_STALLED_FRONTEND, part[i].frontend);
		if (part[i].backend)
			assert_select(HW_STALLED_BACKEND, part[i].backend);
		else
			assert_absent(HW_STALLED_BACKEND);
	}
}

/* CHECK 6.2, erratum AAJ80: EBX bit 6 on Nehalem: event 89, umask 7F in its place. Elsewhere the bit means that there is none. */
static void test_nehalem_branch_misses(void **state)
{
	(void)state;
	fake_intel(0x106a5, 3, 4, 48, 3, 3, 1 << 6);
	fake_probe();
	assert_select(HW_BRANCH_MISSES, 0x7f89);
	fake_intel(0x106a5, 3, 4, 48, 3, 3, 0);
	fake_probe();
	assert_select(HW_BRANCH_MISSES, 0x00c5);
	fake_intel(0x206c2, 3, 4, 48, 3, 3, 1 << 6);
	fake_probe();
	assert_absent(HW_BRANCH_MISSES);
}

/* Version 1 has no fixed counters and no global switch; cycles and instructions need general ones. General ones count no reference
 * cycles at the TSC's rate: event 3C/01 is of the bus clock, the crystal or the TSC (SDM 19.2.1.2). */
static void test_version_1(void **state)
{
	(void)state;
	fake_intel(0x6e8, 1, 2, 40, 0, 0, 0);
	fake_probe();
	assert_null(pmu.missing);
	assert_int_equal(pmu.fixed, 0);
	assert_int_equal(pmu.global, 0);
	assert_select(HW_CYCLES, 0x003c);
	assert_select(HW_INSTRUCTIONS, 0x00c0);
	assert_absent(HW_REF_CYCLES);
}

/* CHECK 6.2: on bare metal version 2 may promise less than the three fixed counters that are there; a hypervisor's word holds. */
static void test_fixed_counters_not_promised(void **state)
{
	(void)state;
	fake_intel(0x6fb, 2, 2, 40, 0, 3, 0);
	fake_probe();
	assert_int_equal(pmu.fixed, 7);
	fake_intel(0x6fb, 2, 2, 40, 0, 3, 0);
	fake.leaf[2].regs.c = 1u << 31;
	fake_leaf(0x40000000, 0, 0x4b4d564b, 0x564b4d56, 0x4d);
	fake_probe();
	assert_int_equal(pmu.fixed, 0);
	assert_select(HW_CYCLES, 0x003c);
}

/* Version 5: ECX names counters one by one: here 1 and 2 beside the one of EDX, though a hypervisor tells. */
static void test_version_5(void **state)
{
	(void)state;
	fake_intel(0x806c1, 5, 8, 48, 1, 3, 0);
	fake.leaf[2].regs.c = 1u << 31;
	fake_leaf(0x40000000, 0, 0x4b4d564b, 0x564b4d56, 0x4d);
	fake.leaf[3].regs.c = 6;
	fake_probe();
	assert_int_equal(pmu.fixed, 7);
}

/* Bits set in EBX and those beyond the length in EAX are events that are not there; what has a fixed counter needs none. */
static void test_unavailable_events(void **state)
{
	(void)state;
	fake_intel(0x506e3, 4, 4, 48, 3, 3, 1 << 4 | 1 << 0);
	fake_probe();
	assert_absent(HW_LLC_MISSES);
	assert_fixed(HW_CYCLES, 1);
	assert_select(HW_BRANCHES, 0x00c4);
	fake_intel(0x506e3, 4, 4, 48, 3, 3, 0);
	fake.leaf[3].regs.a = (fake.leaf[3].regs.a & 0xffffff) | 5u << 24;
	fake_probe();
	assert_select(HW_LLC_MISSES, 0x412e);
	assert_absent(HW_BRANCHES);
	assert_absent(HW_BRANCH_MISSES);
}

/* QEMU's TCG: leaf 0xA is zero; or there is no such leaf, and what is read there means nothing. */
static void test_no_pmu(void **state)
{
	(void)state;
	fake_intel(0x506e3, 0, 0, 0, 0, 0, 0);
	fake_probe();
	assert_string_equal(pmu.missing, "none by CPUID");
	fake_intel(0x506e3, 2, 2, 40, 3, 3, 0);
	fake.leaf[0].regs.a = 9;
	fake_probe();
	assert_string_equal(pmu.missing, "none by CPUID");
	fake_vendor("CentaurHauls", 0xd, 0x80000008, 0x6fb);
	fake_probe();
	assert_string_equal(pmu.missing, "none of a known vendor");
	assert_int_equal(fake.writes, 0);
}

/* ---- AMD: 6.3 ---- */

/* CHECK 6.3: four counters from C0010000 and C0010004; D0 and D1 for stalls from K7 to 15h. */
static void test_legacy_amd(void **state)
{
	(void)state;
	fake_phenom();
	fake_probe();
	assert_null(pmu.missing);
	assert_int_equal(pmu.nr_general, 4);
	assert_int_equal(pmu.select, 0xc0010000);
	assert_int_equal(pmu.counter, 0xc0010004);
	assert_int_equal(pmu.step, 1);
	assert_int_equal(pmu.global, 0);
	assert_int_equal(pmu.mask, (1ull << 48) - 1);
	assert_select(HW_CYCLES, 0x76);
	assert_select(HW_INSTRUCTIONS, 0xc0);
	assert_select(HW_BRANCHES, 0xc2);
	assert_select(HW_BRANCH_MISSES, 0xc3);
	assert_select(HW_STALLED_FRONTEND, 0xd0);
	assert_select(HW_STALLED_BACKEND, 0xd1);
	assert_absent(HW_LLC_MISSES);
	assert_absent(HW_REF_CYCLES);
}

/* CHECK 6.3: PERFCTR_CORE: six pairs, interleaved; family 17h: 87/02 and 87/01. */
static void test_core_amd(void **state)
{
	(void)state;
	fake_vendor("AuthenticAMD", 0xd, 0x8000001f, 0x800f11);
	fake_leaf(0x80000001, 0, 0, 1 << 23, 0);
	fake.is = core_layout;
	fake.is.general = 6;
	fake_probe();
	assert_null(pmu.missing);
	assert_int_equal(pmu.nr_general, 6);
	assert_int_equal(pmu.select, 0xc0010200);
	assert_int_equal(pmu.counter, 0xc0010201);
	assert_int_equal(pmu.step, 2);
	assert_int_equal(pmu.global, 0);
	assert_select(HW_STALLED_FRONTEND, 0x0287);
	assert_select(HW_STALLED_BACKEND, 0x0187);
}

/* CHECK 6.3: PerfMonV2 has a global switch at C0000301. Family 19h documents no stalls. */
static void test_perfmon2(void **state)
{
	(void)state;
	fake_genoa();
	fake_probe();
	assert_null(pmu.missing);
	assert_int_equal(pmu.version, 2);
	assert_int_equal(pmu.nr_general, 6);
	assert_int_equal(pmu.global, 0xc0000301);
	assert_absent(HW_STALLED_FRONTEND);
	assert_absent(HW_STALLED_BACKEND);
}

/* ---- promises that are not kept: 6.1, 6.2 ---- */

/* "Writes dropped": QEMU's TCG with an AMD model takes everything and answers 0. */
static void test_registers_of_nothing(void **state)
{
	(void)state;
	fake_phenom();
	fake.frozen = fake.drops_enable = true;
	fake_probe();
	assert_string_equal(pmu.missing, "none that counts what it should");
}

/* CHECK 6.1: a hypervisor's PMU that accepted writes yet counted nothing. */
static void test_counts_nothing(void **state)
{
	struct fake before;

	(void)state;
	fake_skylake();
	fake.frozen = true;
	fake.select[1] = 0x4300c5;
	fake.global = 2;
	before = fake;
	fake_probe();
	assert_string_equal(pmu.missing, "none that counts what it should");
	assert_untouched(&before);
}

/* CHECK 6.2: firmware that locks the counters shows in an enable bit that does not stick. The fixed ones are left. */
static void test_enable_does_not_stick(void **state)
{
	(void)state;
	fake_core2();
	fake.drops_enable = true;
	fake_probe();
	assert_null(pmu.missing);
	assert_int_equal(pmu.nr_general, 0);
	assert_fixed(HW_CYCLES, 1);
	assert_absent(HW_BRANCHES);
	assert_absent(HW_LLC_MISSES);
}

/* #GP on reading or writing: registers of counters that are not there, a global switch that is kept, one event. */
static void test_refusals(void **state)
{
	(void)state;
	fake_core2();
	fake.refuses_read = 0x38f;
	fake_probe();
	assert_string_equal(pmu.missing, "none that may be used");
	fake_core2();
	fake.refuses_write = 0x38d;
	fake_probe();
	assert_null(pmu.missing);
	assert_int_equal(pmu.fixed, 0);
	assert_select(HW_CYCLES, 0x003c);
	fake_core2();
	fake.refuses_write = 0x187;
	fake_probe();
	assert_int_equal(pmu.nr_general, 1);
	fake_core2();
	fake.refuses_value = 0x412e;
	fake_probe();
	assert_int_equal(pmu.nr_general, 2);
	assert_absent(HW_LLC_MISSES);
	assert_select(HW_BRANCHES, 0x00c4);
	fake_core2();
	fake.refuses_read = 0x30b;
	fake_probe();
	assert_int_equal(pmu.fixed, 3);
	assert_absent(HW_REF_CYCLES);
}

/* A switch that cannot be written: nothing can be turned on. */
static void test_global_refused(void **state)
{
	(void)state;
	fake_genoa();
	fake.refuses_write = 0xc0000301;
	fake_probe();
	assert_string_equal(pmu.missing, "none that may be used");
}

/* 2^37 is 9 s of 16 events a nanosecond, less than lies between two looks. */
static void test_too_narrow(void **state)
{
	(void)state;
	fake_intel(0x6fb, 2, 2, 37, 3, 3, 0);
	fake_probe();
	assert_string_equal(pmu.missing, "none wide enough");
	fake_intel(0x6fb, 2, 2, 38, 3, 3, 0);
	fake_probe();
	assert_null(pmu.missing);
}

/* CHECK 6.2: counters that somebody uses already; 8.: probing leaves them programmed as they were, and writes to none. */
static void test_found_in_use(void **state)
{
	struct fake before;

	(void)state;
	fake_core2();
	fake.select[0] = 0x4300c5;
	fake.select[1] = 0x0300c4;
	fake.fixed_control = 0x0b0;
	fake.global = 1ull << 33 | 1;
	before = fake;
	fake_probe();
	assert_null(pmu.missing);
	assert_int_equal(pmu.nr_found_counting, 1);
	assert_untouched(&before);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_core2),
		cmocka_unit_test(test_skylake),
		cmocka_unit_test(test_stalls),
		cmocka_unit_test(test_nehalem_branch_misses),
		cmocka_unit_test(test_version_1),
		cmocka_unit_test(test_fixed_counters_not_promised),
		cmocka_unit_test(test_version_5),
		cmocka_unit_test(test_unavailable_events),
		cmocka_unit_test(test_no_pmu),
		cmocka_unit_test(test_legacy_amd),
		cmocka_unit_test(test_core_amd),
		cmocka_unit_test(test_perfmon2),
		cmocka_unit_test(test_registers_of_nothing),
		cmocka_unit_test(test_counts_nothing),
		cmocka_unit_test(test_enable_does_not_stick),
		cmocka_unit_test(test_refusals),
		cmocka_unit_test(test_global_refused),
		cmocka_unit_test(test_too_narrow),
		cmocka_unit_test(test_found_in_use),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("pmu_models", tests, NULL, NULL);
}
