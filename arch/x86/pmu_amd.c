/* SPDX-License-Identifier: GPL-2.0-or-later
 * AMD's counters: four of old, six of the extension, and PerfMonV2, which says how many and can switch them together. */
#include "arch/x86/pmu.h"

enum { WIDTH = 48 };
enum { MSR_LEGACY_SELECT0 = 0xc0010000, MSR_LEGACY_COUNTER0 = 0xc0010004 };
enum { MSR_CORE_SELECT0 = 0xc0010200, MSR_CORE_COUNTER0 = 0xc0010201, MSR_GLOBAL_CONTROL = 0xc0000301 };
enum { LEAF_FEATURES = 0x80000001, LEAF_PERFMON2 = 0x80000022 };
enum { FEATURE_PERFCTR_CORE = 1 << 23, PERFMON2 = 1 };

/* No event that is the same over the families counts last-level misses or reference cycles. */
static void add_events(const struct pmu_access *access, struct pmu *pmu)
{
	unsigned family, model;

	pmu_family(access, &family, &model);
	pmu->event[HW_CYCLES] = pmu_select(0x76);
	pmu->event[HW_INSTRUCTIONS] = pmu_select(0xc0);
	pmu->event[HW_BRANCHES] = pmu_select(0xc2);
	pmu->event[HW_BRANCH_MISSES] = pmu_select(0xc3);
	if (family <= 0x15) {
		pmu->event[HW_STALLED_FRONTEND] = pmu_select(0xd0); /* the decoder had nothing */
		pmu->event[HW_STALLED_BACKEND] = pmu_select(0xd1);  /* dispatch stalled */
	} else if (family == 0x17) {
		pmu->event[HW_STALLED_FRONTEND] = pmu_select(0x0287);
		pmu->event[HW_STALLED_BACKEND] = pmu_select(0x0187);
	}
}

/* No bit of CPUID says that the first four are there; they have to prove it. */
static void use_legacy(struct pmu *pmu)
{
	pmu->nr_general = 4;
	pmu->select = MSR_LEGACY_SELECT0;
	pmu->counter = MSR_LEGACY_COUNTER0;
	pmu->step = 1;
}

static void use_core(struct pmu *pmu)
{
	pmu->nr_general = 6;
	pmu->select = MSR_CORE_SELECT0;
	pmu->counter = MSR_CORE_COUNTER0;
	pmu->step = 2;
}

void pmu_identify_amd(const struct pmu_access *access, struct pmu *pmu)
{
	u32 highest = cpuid_max_leaf(access->cpuid, access->ctx, 0x80000000);
	struct cpuid_regs perfmon = { 0 };

	if (highest >= LEAF_PERFMON2)
		perfmon = access->cpuid(access->ctx, LEAF_PERFMON2, 0);
	pmu->vendor = "AMD";
	pmu->version = 1;
	pmu->width = WIDTH;
	pmu->mask = (1ull << WIDTH) - 1;
	if (highest >= LEAF_FEATURES && access->cpuid(access->ctx, LEAF_FEATURES, 0).c & FEATURE_PERFCTR_CORE)
		use_core(pmu);
	else
		use_legacy(pmu);
	if (perfmon.a & PERFMON2) {
		use_core(pmu);
		pmu->version = 2;
		pmu->nr_general = (unsigned)min_u64(perfmon.b & 15, PMU_GENERAL);
		pmu->global = MSR_GLOBAL_CONTROL;
	}
	add_events(access, pmu);
}
