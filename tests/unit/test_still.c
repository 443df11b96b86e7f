/* SPDX-License-Identifier: GPL-2.0-or-later
 * Holding registers: canned CPUID and a file of fake MSRs in; out come the bits that metal.md 6.4 and the manuals it draws on name,
 * and, in the end, every register as it was. A miss means that a run is measured under another frequency than it says, or that the
 * machine is left changed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "arch/x86/msr.h"
#include "arch/x86/still.h"

/* ---- fake MSRs: an address that is not in the file is refused; a register may drop bits, refuse writes, or be two CPUs' ---- */

enum { MOST_MSRS = 16, NR_CPUS = 4 };

struct fake_msr {
	u32 msr;
	bool shared;	/* by CPUs 2n and 2n + 1 */
	bool read_only; /* writes are refused */
	u64 kept;	/* bits that writes change */
	u64 value[NR_CPUS];
};

static struct fake_msr file[MOST_MSRS];
static unsigned nr_msrs, cpu;

static struct fake_msr *find_msr(u32 msr)
{
	for (unsigned i = 0; i < nr_msrs; i++)
		if (file[i].msr == msr)
			return &file[i];
	return NULL;
}

static u64 *value_at(struct fake_msr *m)
{
	return &m->value[m->shared ? cpu & ~1u : cpu];
}

int msr_try_read(u32 msr, u64 *value)
{
	struct fake_msr *m = find_msr(msr);

	*value = m ? *value_at(m) : 0;
	return m ? 0 : -E_INVAL;
}

int msr_try_write(u32 msr, u64 value)
{
	struct fake_msr *m = find_msr(msr);

	if (!m || m->read_only)
		return -E_INVAL;
	*value_at(m) = (*value_at(m) & ~m->kept) | (value & m->kept);
	return 0;
}

static struct fake_msr *add_msr(u32 msr, u64 value)
{
	struct fake_msr *m = &file[nr_msrs++];

	*m = (struct fake_msr){ .msr = msr, .kept = ~0ull };
	for (unsigned i = 0; i < NR_CPUS; i++)
		m->value[i] = value;
	return m;
}

/* ---- fake CPUID ---- */

static struct {
	const char *vendor;
	u32 signature, features, power_a, power_d; /* leaves 1 EAX and ECX, 6 EAX, 0x80000007 EDX */
	u32 monitor_c, monitor_d;
} id;

static struct cpuid_regs read_id(void *ctx, u32 leaf, u32 subleaf)
{
	struct cpuid_regs r = { 0, 0, 0, 0 };

	(void)ctx, (void)subleaf;
	switch (leaf) {
	case 0:
		r.a = 0x16;
		memcpy(&r.b, id.vendor, 4);
		memcpy(&r.d, id.vendor + 4, 4);
		memcpy(&r.c, id.vendor + 8, 4);
		break;
	case 1:
		r.a = id.signature;
		r.c = id.features;
		break;
	case 5:
		r.c = id.monitor_c;
		r.d = id.monitor_d;
		break;
	case 6:
		r.a = id.power_a;
		break;
	case 0x80000000:
		r.a = 0x80000008;
		break;
	case 0x80000007:
		r.d = id.power_d;
		break;
	}
	return r;
}

#define NEHALEM	      0x106a5u
#define WESTMERE_EX   0x206f2u
#define SANDY_BRIDGE  0x206d7u
#define HASWELL_EP    0x306f2u
#define CORE2_PENRYN  0x10676u
#define SILVERMONT    0x30678u
#define EPYC_ROME     0x830f10u
#define LEAF6_TURBO   (1u << 1)
#define LEAF6_ARAT    (1u << 2)
#define LEAF6_HWP     (1u << 7)
#define SPEEDSTEP     (1u << 7)
#define HAS_MONITOR   (1u << 3)
#define TURBO_DISABLE (1ull << 38)

static int begin(void **state)
{
	(void)state;
	nr_msrs = 0;
	cpu = 0;
	memset(&id, 0, sizeof(id));
	id.vendor = "GenuineIntel";
	id.signature = HASWELL_EP;
	id.features = SPEEDSTEP;
	id.power_a = LEAF6_TURBO;
	return 0;
}

static const struct still_wish no_turbo = { .turbo = TURBO_OFF };

static struct still_rule rule_of(enum still_item item, const struct still_wish *wish)
{
	return still_rule_of(item, wish, read_id, NULL);
}

static void expect_rule(struct still_rule rule, u32 msr, u64 mask, u64 bits)
{
	if (rule.refusal)
		fail_msg("refused: %s", rule.refusal);
	assert_int_equal(rule.msr, msr);
	assert_true(rule.mask == mask);
	assert_true(rule.bits == bits);
}

static void expect_refusal(struct still_rule rule, const char *why)
{
	assert_non_null(rule.refusal);
	assert_string_equal(rule.refusal, why);
}

/* ---- turbo: Intel's bit 38 of 0x1A0, AMD's bit 25 of HWCR ---- */

static void test_turbo_intel(void **state)
{
	const struct still_wish on = { .turbo = TURBO_ON };

	(void)state;
	expect_refusal(rule_of(STILL_TURBO, &no_turbo), "there is no IA32_MISC_ENABLE");
	add_msr(MSR_MISC_ENABLE, 0x850089);
	expect_rule(rule_of(STILL_TURBO, &no_turbo), 0x1a0, TURBO_DISABLE, TURBO_DISABLE);
	expect_rule(rule_of(STILL_TURBO, &on), 0x1a0, TURBO_DISABLE, 0);
	id.power_a = 0;
	expect_refusal(rule_of(STILL_TURBO, &no_turbo), "CPUID says of no turbo");
	file[0].value[0] |= TURBO_DISABLE; /* the firmware has turned it off, and so CPUID hides it */
	expect_rule(rule_of(STILL_TURBO, &on), 0x1a0, TURBO_DISABLE, 0);
}

static void test_turbo_amd(void **state)
{
	(void)state;
	id.vendor = "AuthenticAMD";
	id.signature = EPYC_ROME;
	expect_refusal(rule_of(STILL_TURBO, &no_turbo), "CPUID says of no core performance boost");
	id.power_d = 1 << 9;
	expect_rule(rule_of(STILL_TURBO, &no_turbo), 0xc0010015, 1 << 25, 1 << 25);
	id.vendor = "CentaurHauls";
	expect_refusal(rule_of(STILL_TURBO, &no_turbo), "not known how on this vendor's CPUs");
}

/* ---- frequency ---- */

/* A ratio of 24 in bits 15:8 of PERF_CTL; PLATFORM_INFO says 12 (0xc) in 47:40 and 26 (0x1a) in 15:8. Up to Westmere the ratio is
 * in bits 7:0, as those machines' _PSS has it: 24 << 8 would ask them for 0. */
static void test_speedstep(void **state)
{
	const struct still_wish fixed = { .pstate = PSTATE_RATIOS, .least_ratio = 24, .most_ratio = 24 };
	const struct still_wish base = { .pstate = PSTATE_BASE };
	const struct still_wish low = { .pstate = PSTATE_RATIOS, .least_ratio = 11, .most_ratio = 11 };
	const struct still_wish high = { .pstate = PSTATE_RATIOS, .least_ratio = 27, .most_ratio = 27 };
	const struct still_wish range = { .pstate = PSTATE_RATIOS, .least_ratio = 12, .most_ratio = 24 };

	(void)state;
	expect_refusal(rule_of(STILL_PSTATE, &fixed), "there is no MSR_PLATFORM_INFO");
	add_msr(MSR_PLATFORM_INFO, 0x0c0000001a00);
	expect_rule(rule_of(STILL_PSTATE, &fixed), 0x199, 0xff00, 24 << 8);
	expect_rule(rule_of(STILL_PSTATE, &base), 0x199, 0xff00, 26 << 8);
	id.signature = NEHALEM;
	expect_rule(rule_of(STILL_PSTATE, &fixed), 0x199, 0xffff, 24);
	id.signature = WESTMERE_EX;
	expect_rule(rule_of(STILL_PSTATE, &base), 0x199, 0xffff, 26);
	id.signature = SANDY_BRIDGE;
	expect_rule(rule_of(STILL_PSTATE, &base), 0x199, 0xff00, 26 << 8);
	expect_refusal(rule_of(STILL_PSTATE, &low), "the ratio is not among those of this CPU");
	expect_refusal(rule_of(STILL_PSTATE, &high), "the ratio is not among those of this CPU");
	expect_refusal(rule_of(STILL_PSTATE, &range), "a range wants hardware P-states, which the firmware has not turned on");
	file[0].value[0] = 0; /* as an emulator answers */
	expect_refusal(rule_of(STILL_PSTATE, &base), "the CPU does not say what its base ratio is");
	id.features = 0;
	expect_refusal(rule_of(STILL_PSTATE, &base), "CPUID says of no SpeedStep");
	id.vendor = "AuthenticAMD";
	expect_refusal(rule_of(STILL_PSTATE, &base), "not known how on this vendor's CPUs");
}

/* Their ratio goes with a voltage, which PERF_CTL would keep from the state before. */
static void test_models_with_voltages(void **state)
{
	static const u32 signature[] = { CORE2_PENRYN, SILVERMONT, 0x106c2, 0x006f6 };
	const struct still_wish base = { .pstate = PSTATE_BASE };

	(void)state;
	add_msr(MSR_PLATFORM_INFO, 0x0c0000001a00);
	for (unsigned i = 0; i < ARRAY_SIZE(signature); i++) {
		id.signature = signature[i];
		expect_refusal(rule_of(STILL_PSTATE, &base), "this model wants a voltage with each ratio");
	}
}

/* Capabilities: lowest 8, most efficient 12, guaranteed 26, highest 37. A request is minimum, maximum << 8, desired << 16; bit 42,
 * which would put the package's request in its place, has to go (SDM 14.4.4). */
static void test_hwp(void **state)
{
	const struct still_wish base = { .pstate = PSTATE_BASE };
	const struct still_wish range = { .pstate = PSTATE_RATIOS, .least_ratio = 12, .most_ratio = 30 };
	const struct still_wish high = { .pstate = PSTATE_RATIOS, .least_ratio = 38, .most_ratio = 38 };

	(void)state;
	id.power_a |= LEAF6_HWP;
	add_msr(MSR_PLATFORM_INFO, 0x0c0000001a00);
	add_msr(MSR_HWP_ENABLE, 0);
	add_msr(MSR_HWP_CAPABILITIES, 8u << 24 | 12 << 16 | 26 << 8 | 37);
	expect_rule(rule_of(STILL_PSTATE, &base), 0x199, 0xff00, 26 << 8); /* offered, but off: it could not be turned off again */
	file[1].value[0] = 1;
	expect_rule(rule_of(STILL_PSTATE, &base), 0x774, 0x400ffffffff, 26 << 16 | 26 << 8 | 26);
	expect_rule(rule_of(STILL_PSTATE, &range), 0x774, 0x400ffffffff, 30 << 8 | 12);
	expect_refusal(rule_of(STILL_PSTATE, &high), "the ratio is not among those of this CPU");
}

/* ---- prefetchers: 4 bits of 0x1A4, or bits 9, 19, 37 and 39 of 0x1A0 on Core 2 ---- */

static void test_prefetchers(void **state)
{
	const struct still_wish off = { .prefetch = PREFETCH_OFF };
	const u64 core2 = 0xa000080200;

	(void)state;
	expect_rule(rule_of(STILL_PREFETCH, &off), 0x1a4, 15, 15);
	id.signature = NEHALEM;
	expect_rule(rule_of(STILL_PREFETCH, &off), 0x1a4, 15, 15);
	id.signature = CORE2_PENRYN;
	expect_rule(rule_of(STILL_PREFETCH, &off), 0x1a0, core2, core2);
	id.vendor = "AuthenticAMD";
	id.signature = EPYC_ROME;
	expect_refusal(rule_of(STILL_PREFETCH, &off), "not known how on this model");
}

/* ---- idle states: sub-states in four bits each, C0 lowest; C6 is 0x20 in Intel's numbering of hints ---- */

static void expect_no_hint(const char *why)
{
	u32 hint = 77;

	assert_string_equal(still_deepest_hint(read_id, NULL, &hint), why);
	assert_int_equal(hint, 77);
}

static void test_deepest_state(void **state)
{
	u32 hint;

	(void)state;
	expect_no_hint("there is no MWAIT");
	id.features |= HAS_MONITOR;
	expect_no_hint("MWAIT knows no states");
	id.monitor_c = 3;
	id.monitor_d = 0x1120; /* C1: 2 sub-states, C2: 1, C3: 1 */
	expect_no_hint("the timer would stop");
	id.power_a |= LEAF6_ARAT;
	expect_no_hint("the TSC might stop");
	id.power_d = 1 << 8;
	assert_null(still_deepest_hint(read_id, NULL, &hint));
	assert_int_equal(hint, 0x20);
	id.monitor_d = 0x20; /* C1 and C1E */
	assert_null(still_deepest_hint(read_id, NULL, &hint));
	assert_int_equal(hint, 0x01);
	id.monitor_d = 0; /* as QEMU has it */
	expect_no_hint("MWAIT knows no states");
}

/* ---- holding and putting back ---- */

static struct still_hold hold[NR_CPUS];
static struct still_note note;

static void on_each(void (*step)(struct still_hold *h))
{
	for (cpu = 0; cpu < NR_CPUS; cpu++)
		step(&hold[cpu]);
	cpu = 0;
}

static void hold_all(struct still_rule rule)
{
	for (cpu = 0; cpu < NR_CPUS; cpu++)
		still_look(&hold[cpu], &rule);
	on_each(still_write);
	on_each(still_verify);
}

static void let_go(void)
{
	on_each(still_put_back);
	on_each(still_look_again);
	still_describe(hold, sizeof(hold[0]), NR_CPUS, &note);
}

static struct still_rule turbo_off_rule(void)
{
	return (struct still_rule){ MSR_MISC_ENABLE, TURBO_DISABLE, TURBO_DISABLE, NULL };
}

static void test_hold(void **state)
{
	struct fake_msr *m = add_msr(MSR_MISC_ENABLE, 0x850089);

	(void)state;
	hold_all(turbo_off_rule());
	for (unsigned i = 0; i < NR_CPUS; i++)
		assert_true(m->value[i] == 0x4000850089);
	let_go();
	for (unsigned i = 0; i < NR_CPUS; i++)
		assert_true(m->value[i] == 0x850089);
	assert_string_equal(note.state, "held");
	assert_string_equal(note.before, "0x850089");
	assert_string_equal(note.during, "0x4000850089");
	assert_string_equal(note.after, "0x850089");
}

/* The second of two CPUs must not take for found what the first has written. */
static void test_shared_register(void **state)
{
	struct fake_msr *m = add_msr(MSR_MISC_ENABLE, 0x850089);

	(void)state;
	m->shared = true;
	hold_all(turbo_off_rule());
	let_go();
	assert_string_equal(note.state, "held");
	assert_true(m->value[0] == 0x850089 && m->value[2] == 0x850089);
}

/* Two wishes in one register, as turbo and prefetchers on Core 2: neither undoes the other's bits, and what is put back is each
 * one's own, in whatever order. */
static void test_two_wishes_in_one_register(void **state)
{
	struct fake_msr *m = add_msr(MSR_MISC_ENABLE, 1);
	const struct still_rule other = { MSR_MISC_ENABLE, 0x200, 0x200, NULL }, turbo = turbo_off_rule();
	struct still_hold a, b;

	(void)state;
	still_look(&a, &turbo);
	still_look(&b, &other);
	still_write(&a);
	still_write(&b);
	still_verify(&a);
	still_verify(&b);
	assert_true(still_is_held(&a) && still_is_held(&b));
	assert_true(m->value[0] == (TURBO_DISABLE | 0x201));
	still_put_back(&a);
	assert_true(m->value[0] == 0x201);
	still_put_back(&b);
	assert_true(m->value[0] == 1);
}

/* An emulator that drops what is written, a register that refuses writes, and none at all. */
static void test_refusals(void **state)
{
	struct fake_msr *m = add_msr(MSR_MISC_ENABLE, 1);

	(void)state;
	m->kept = 0;
	hold_all(turbo_off_rule());
	let_go();
	assert_string_equal(note.state, "not supported: the register does not keep what is written");
	m->read_only = true;
	hold_all(turbo_off_rule());
	let_go();
	assert_string_equal(note.state, "not supported: the register cannot be written");
	assert_true(m->value[0] == 1);
	nr_msrs = 0;
	hold_all(turbo_off_rule());
	let_go();
	assert_string_equal(note.state, "not supported: the register cannot be read");
	hold_all((struct still_rule){ .refusal = "there is none" });
	let_go();
	assert_string_equal(note.state, "not supported: there is none");
	assert_string_equal(note.before, "");
}

/* Of four bits only two stay: that is no success, and is undone all the same. */
static void test_half_kept(void **state)
{
	struct fake_msr *m = add_msr(MSR_PREFETCH, 0);

	(void)state;
	m->kept = 5;
	hold_all((struct still_rule){ MSR_PREFETCH, 15, 15, NULL });
	assert_true(m->value[0] == 5);
	let_go();
	assert_true(m->value[0] == 0);
	assert_string_equal(note.state, "not supported: the register does not keep what is written");
	assert_string_equal(note.during, "0x5");
}

/* CPU 3's firmware had it off already; CPU 1 does not give in. */
static void test_cpus_differ(void **state)
{
	struct fake_msr *m = add_msr(MSR_MISC_ENABLE, 0);

	(void)state;
	m->value[3] = TURBO_DISABLE;
	for (cpu = 0; cpu < NR_CPUS; cpu++) {
		const struct still_rule rule = turbo_off_rule(), none = { .refusal = "not this one" };

		still_look(&hold[cpu], cpu == 1 ? &none : &rule);
	}
	on_each(still_write);
	on_each(still_verify);
	let_go();
	assert_string_equal(note.state, "held on 3 of 4 CPUs: not this one");
	assert_string_equal(note.before, "0x0, on 1 of 4 CPUs 0x4000000000 or another");
	assert_true(m->value[0] == 0 && m->value[3] == TURBO_DISABLE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_turbo_intel, begin),
		cmocka_unit_test_setup(test_turbo_amd, begin),
		cmocka_unit_test_setup(test_speedstep, begin),
		cmocka_unit_test_setup(test_models_with_voltages, begin),
		cmocka_unit_test_setup(test_hwp, begin),
		cmocka_unit_test_setup(test_prefetchers, begin),
		cmocka_unit_test_setup(test_deepest_state, begin),
		cmocka_unit_test_setup(test_hold, begin),
		cmocka_unit_test_setup(test_shared_register, begin),
		cmocka_unit_test_setup(test_two_wishes_in_one_register, begin),
		cmocka_unit_test_setup(test_refusals, begin),
		cmocka_unit_test_setup(test_half_kept, begin),
		cmocka_unit_test_setup(test_cpus_differ, begin),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
