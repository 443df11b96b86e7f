/* SPDX-License-Identifier: GPL-2.0-or-later
 * Intel's architectural performance monitoring, versions 1 to 5, and the few events beside it that perf knew names for. */
#include "arch/x86/pmu.h"

enum { LEAF_PMU = 0xa, MSR_EVENT_SELECT0 = 0x186, MSR_COUNTER0 = 0xc1, MSR_GLOBAL_CONTROL = 0x38f };

/* In the order of the bits of CPUID 0xA EBX. Last-level references are not among our events. Reference cycles are those of the
 * fixed counter, at the TSC's rate: what general ones count by that name is the bus clock or a crystal's, and nobody says which. */
static const struct {
	s8 event, fixed;
	u32 select;
} architectural[] = {
	{ HW_CYCLES, 1, 0x003c },
	{ HW_INSTRUCTIONS, 0, 0x00c0 },
	{ HW_REF_CYCLES, 2, 0 },
	{ -1, -1, 0x4f2e },
	{ HW_LLC_MISSES, -1, 0x412e },
	{ HW_BRANCHES, -1, 0x00c4 },
	{ HW_BRANCH_MISSES, -1, 0x00c5 },
};

/* ---- beyond the architecture ---- */

#define NONE_AT_ALL(code) (PMU_INVERT | 1 << PMU_CMASK_SHIFT | (code)) /* cycles in which there was none */
enum { UOPS_ISSUED_ANY = 0x010e, UOPS_EXECUTED_CORE = 0x3fb1, UOPS_DISPATCHED_THREAD = 0x01b1, BR_MISP_EXEC_ANY = 0x7f89 };

enum generation { OTHER, NEHALEM, WESTMERE, SANDY_BRIDGE, IVY_BRIDGE };

static enum generation generation_of(const struct pmu_access *access)
{
	static const struct {
		u8 model, generation;
	} known[] = { { 0x1a, NEHALEM }, { 0x1e, NEHALEM }, { 0x1f, NEHALEM }, { 0x2e, NEHALEM }, { 0x25, WESTMERE },
		{ 0x2c, WESTMERE }, { 0x2f, WESTMERE }, { 0x2a, SANDY_BRIDGE }, { 0x2d, SANDY_BRIDGE }, { 0x3a, IVY_BRIDGE },
		{ 0x3e, IVY_BRIDGE } };
	unsigned family, model;

	pmu_family(access, &family, &model);
	for (unsigned i = 0; family == 6 && i < ARRAY_SIZE(known); i++)
		if (known[i].model == model)
			return known[i].generation;
	return OTHER;
}

/* Stalls as perf mapped them; nothing stands in where it had nothing (Core 2, and Haswell and later). The back end's event of
 * Nehalem and Westmere counts for the core: of two threads each sees both. */
static void add_stalls(enum generation generation, struct pmu *pmu)
{
	if (generation == OTHER)
		return;
	pmu->event[HW_STALLED_FRONTEND] = pmu_select(NONE_AT_ALL(UOPS_ISSUED_ANY));
	if (generation != IVY_BRIDGE)
		pmu->event[HW_STALLED_BACKEND] =
			pmu_select(NONE_AT_ALL(generation == SANDY_BRIDGE ? UOPS_DISPATCHED_THREAD : UOPS_EXECUTED_CORE));
}

/* ---- CPUID 0xA ---- */

/* On bare metal parts of version 2 report fewer fixed counters than they have. From version 5 on ECX names more, one by one. */
static unsigned fixed_counters(const struct pmu *pmu, const struct cpuid_regs *leaf, bool bare)
{
	unsigned nr = leaf->d & 0x1f;

	if (pmu->version < 2)
		return 0;
	if (bare && nr < PMU_FIXED)
		nr = PMU_FIXED;
	return (((1u << (nr < PMU_FIXED ? nr : PMU_FIXED)) - 1) | (pmu->version >= 5 ? leaf->c : 0)) & ((1u << PMU_FIXED) - 1);
}

/* Bits beyond the length that EAX gives are not there either. A fixed counter needs no event of the general ones. */
static void add_architectural(const struct cpuid_regs *leaf, struct pmu *pmu)
{
	unsigned length = leaf->a >> 24;

	for (unsigned i = 0; i < ARRAY_SIZE(architectural); i++) {
		bool general = i < length && architectural[i].select && !(leaf->b >> i & 1);
		s8 fixed = architectural[i].fixed;

		if (architectural[i].event < 0)
			continue;
		if (fixed >= 0 && !(pmu->fixed >> fixed & 1))
			fixed = -1;
		pmu->event[architectural[i].event] = (struct pmu_event){
			.is_there = general || fixed >= 0, .fixed = fixed, .select = general ? architectural[i].select : 0
		};
	}
}

void pmu_identify_intel(const struct pmu_access *access, struct pmu *pmu)
{
	enum generation generation = generation_of(access);
	char hypervisor[CPUID_HYPERVISOR_SIZE];
	struct cpuid_regs leaf = { 0 };
	unsigned fixed_width;

	if (cpuid_max_leaf(access->cpuid, access->ctx, 0) >= LEAF_PMU)
		leaf = access->cpuid(access->ctx, LEAF_PMU, 0);
	pmu->vendor = "Intel";
	pmu->version = leaf.a & 0xff;
	if (!pmu->version) {
		pmu->missing = "none by CPUID";
		return;
	}
	cpuid_hypervisor(access->cpuid, access->ctx, hypervisor);
	pmu->nr_general = (unsigned)min_u64(leaf.a >> 8 & 0xff, PMU_GENERAL);
	pmu->width = leaf.a >> 16 & 0xff;
	fixed_width = leaf.d >> 5 & 0xff;
	pmu->fixed = fixed_counters(pmu, &leaf, !hypervisor[0]);
	pmu->mask = pmu->width < 64 ? (1ull << pmu->width) - 1 : ~0ull;
	pmu->fixed_mask = fixed_width && fixed_width < 64 ? (1ull << fixed_width) - 1 : pmu->mask;
	pmu->select = MSR_EVENT_SELECT0;
	pmu->counter = MSR_COUNTER0;
	pmu->step = 1;
	pmu->global = pmu->version >= 2 ? MSR_GLOBAL_CONTROL : 0;
	add_architectural(&leaf, pmu);
	add_stalls(generation, pmu);
	/* Erratum AAJ80: the architectural one miscounts, CPUID says so, and this is what is left. */
	if (generation == NEHALEM && !pmu->event[HW_BRANCH_MISSES].is_there)
		pmu->event[HW_BRANCH_MISSES] = pmu_select(BR_MISP_EXEC_ANY);
}
