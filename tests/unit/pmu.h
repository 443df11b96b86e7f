/* SPDX-License-Identifier: GPL-2.0-or-later
 * A CPU with performance counters, as far as they can be told from outside: registers, CPUID, and time that passes when the test
 * says so. What an event select or a fixed counter counts goes by rates that are the test's. */
#ifndef TESTS_UNIT_PMU_H
#define TESTS_UNIT_PMU_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "arch/x86/pmu.h"
#include "base/string.h"

enum { MOST_LEAVES = 8, MOST_RATES = 16 };
enum { USR = 1 << 16, OS = 1 << 17, EN = 1 << 22 };

/* Which registers there are, by the manuals: what the driver writes must land in one of these. */
struct fake_layout {
	u32 select, counter, step, global;
	unsigned general, fixed, width;
};

static const struct fake_layout intel_layout = { .select = 0x186, .counter = 0xc1, .step = 1, .global = 0x38f, .width = 48 };
static const struct fake_layout legacy_layout = { .select = 0xc0010000, .counter = 0xc0010004, .step = 1, .width = 48 };
static const struct fake_layout core_layout = { .select = 0xc0010200, .counter = 0xc0010201, .step = 2, .width = 48 };

struct fake {
	struct fake_layout is;
	unsigned nr_leaves;
	struct {
		u32 leaf;
		struct cpuid_regs regs;
	} leaf[MOST_LEAVES];
	u64 select[16], counter[16], fixed[4], fixed_control, global;
	/* Of an event select without OS and enable bits, and of fixed counters: events per microsecond. */
	unsigned nr_rates;
	struct {
		u32 select;
		u64 per_us;
	} rate[MOST_RATES];
	u64 fixed_per_us[4];
	u64 now_ns, writes, counter_writes;
	u32 refuses_write, refuses_read; /* the MSR that faults; 0: none */
	u32 refuses_value;		 /* an event select that faults where it is written */
	bool drops_enable;		 /* firmware keeps the counters */
	bool frozen;			 /* takes everything and counts nothing */
};

static struct fake fake;

/* ---- CPUID ---- */

static struct cpuid_regs fake_cpuid(void *ctx, u32 leaf, u32 subleaf)
{
	(void)ctx, (void)subleaf;
	for (unsigned i = 0; i < fake.nr_leaves; i++)
		if (fake.leaf[i].leaf == leaf)
			return fake.leaf[i].regs;
	return (struct cpuid_regs){ 0, 0, 0, 0 };
}

static inline void fake_leaf(u32 leaf, u32 a, u32 b, u32 c, u32 d)
{
	assert_true(fake.nr_leaves < MOST_LEAVES);
	fake.leaf[fake.nr_leaves].leaf = leaf;
	fake.leaf[fake.nr_leaves++].regs = (struct cpuid_regs){ a, b, c, d };
}

/* ---- registers ---- */

/* The variable behind an MSR; NULL: there is none, and the access faults. */
static u64 *fake_register(u32 msr)
{
	const struct fake_layout *is = &fake.is;

	for (unsigned i = 0; i < is->general; i++) {
		if (msr == is->select + i * is->step)
			return &fake.select[i];
		if (msr == is->counter + i * is->step)
			return &fake.counter[i];
	}
	if (is->fixed && msr >= 0x309 && msr < 0x309 + is->fixed)
		return &fake.fixed[msr - 0x309];
	if (is->fixed && msr == 0x38d)
		return &fake.fixed_control;
	return is->global && msr == is->global ? &fake.global : NULL;
}

static bool is_select(const u64 *at)
{
	return at >= fake.select && at < fake.select + 16;
}

static int fake_read(void *ctx, u32 msr, u64 *value)
{
	const u64 *at = fake_register(msr);

	(void)ctx;
	*value = 0;
	if (!at || msr == fake.refuses_read)
		return -E_INVAL;
	*value = *at;
	return 0;
}

static int fake_write(void *ctx, u32 msr, u64 value)
{
	u64 *at = fake_register(msr);

	(void)ctx;
	fake.writes++;
	if (!at || msr == fake.refuses_write)
		return -E_INVAL;
	if (is_select(at) && fake.refuses_value && (value & ~(u64)(OS | EN)) == fake.refuses_value)
		return -E_INVAL;
	if (is_select(at) && fake.drops_enable)
		value &= ~(u64)EN;
	fake.counter_writes += (at >= fake.counter && at < fake.counter + 16) || (at >= fake.fixed && at < fake.fixed + 4);
	*at = value;
	return 0;
}

/* ---- time and events ---- */

static u64 fake_rate(u32 select)
{
	for (unsigned i = 0; i < fake.nr_rates; i++)
		if (fake.rate[i].select == select)
			return fake.rate[i].per_us;
	return 0;
}

static inline void fake_count(u32 select, u64 per_us)
{
	assert_true(fake.nr_rates < MOST_RATES);
	fake.rate[fake.nr_rates].select = select;
	fake.rate[fake.nr_rates++].per_us = per_us;
}

static u64 wrapped(u64 value)
{
	return value & ((1ull << fake.is.width) - 1);
}

static bool general_counts(unsigned i)
{
	return (fake.select[i] & (OS | EN)) == (OS | EN) && (!fake.is.global || fake.global >> i & 1) && !fake.frozen;
}

static bool fixed_counts(unsigned i)
{
	return fake.fixed_control >> 4 * i & 1 && (!fake.is.global || fake.global >> (32 + i) & 1) && !fake.frozen;
}

/* So much time passes; what counts, counts. */
static inline void fake_run_us(u64 us)
{
	fake.now_ns += us * NSEC_PER_USEC;
	for (unsigned i = 0; i < fake.is.general; i++)
		if (general_counts(i))
			fake.counter[i] = wrapped(fake.counter[i] + us * fake_rate((u32)fake.select[i] & ~(u32)(USR | OS | EN)));
	for (unsigned i = 0; i < fake.is.fixed; i++)
		if (fixed_counts(i))
			fake.fixed[i] = wrapped(fake.fixed[i] + us * fake.fixed_per_us[i]);
}

static u64 fake_now(void *ctx)
{
	(void)ctx;
	return fake.now_ns;
}

/* The loop in no time: 2 n instructions, and 3 n cycles. */
static void fake_turn(void *ctx, u64 n)
{
	(void)ctx;
	for (unsigned i = 0; i < fake.is.general; i++)
		if (general_counts(i))
			fake.counter[i] = wrapped(fake.counter[i] + ((fake.select[i] & 0xffff) == 0xc0 ? 2 * n : 0));
	for (unsigned i = 0; i < fake.is.fixed; i++)
		if (fixed_counts(i))
			fake.fixed[i] = wrapped(fake.fixed[i] + (i ? 3 : 2) * n);
}

static const struct pmu_access fake_access = { fake_cpuid, fake_read, fake_write, fake_now, fake_turn, NULL };

/* ---- parts ---- */

static inline void fake_vendor(const char *vendor, u32 highest, u32 highest_extended, u32 signature)
{
	u32 word[3];

	memset(&fake, 0, sizeof(fake));
	memcpy(word, vendor, 12);
	fake_leaf(0, highest, word[0], word[2], word[1]);
	fake_leaf(0x80000000, highest_extended, 0, 0, 0);
	fake_leaf(1, signature, 0, 0, 0);
}

/* Leaf 0xA: version, general counters and their width, 7 architectural events; fixed counters as promised and as there. */
static inline void fake_intel(
	u32 signature, unsigned version, unsigned general, unsigned width, unsigned promised, unsigned fixed, u32 missing)
{
	fake_vendor("GenuineIntel", 0xd, 0x80000008, signature);
	fake_leaf(0xa, version | general << 8 | width << 16 | 7u << 24, missing, 0, promised | (promised ? width << 5 : 0));
	fake.is = intel_layout;
	fake.is.general = general;
	fake.is.fixed = fixed;
	fake.is.width = width;
	if (version < 2)
		fake.is.global = 0;
}

/* Core 2 Quad Q6600: family 6, model 0xf; version 2, 2 general and 3 fixed counters of 40 bits. */
static inline void fake_core2(void)
{
	fake_intel(0x6fb, 2, 2, 40, 3, 3, 0);
}

/* A Skylake without hyper-threading: model 0x5e; version 4, 8 general and 3 fixed counters of 48 bits. */
static inline void fake_skylake(void)
{
	fake_intel(0x506e3, 4, 8, 48, 3, 3, 0);
}

/* Family 10h, model 4, without the extension. */
static inline void fake_phenom(void)
{
	fake_vendor("AuthenticAMD", 5, 0x8000001b, 0x100f42);
	fake_leaf(0x80000001, 0, 0, 0, 0);
	fake.is = legacy_layout;
	fake.is.general = 4;
}

/* Family 19h, model 11h, PerfMonV2 with six counters. */
static inline void fake_genoa(void)
{
	fake_vendor("AuthenticAMD", 0x10, 0x80000028, 0xa10f11);
	fake_leaf(0x80000001, 0, 0, 1 << 23, 0);
	fake_leaf(0x80000022, 1, 6, 0, 0);
	fake.is = core_layout;
	fake.is.general = 6;
	fake.is.global = 0xc0000301;
}

static struct pmu pmu;

static inline void fake_probe(void)
{
	pmu_identify(&fake_access, &pmu);
	pmu_verify(&pmu, &fake_access);
}

#endif
