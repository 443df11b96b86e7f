/* SPDX-License-Identifier: GPL-2.0-or-later
 * The performance counters of one CPU: which there are, what tells them to count what, and counting with too few of them. */
#ifndef ARCH_X86_PMU_H
#define ARCH_X86_PMU_H

#include "arch/machine.h"
#include "arch/x86/cpuid.h"

enum { PMU_FIXED = 3, PMU_GENERAL = 8, PMU_PLACES = PMU_FIXED + PMU_GENERAL };

/* How the CPU that executes this is reached: a real one, or a test's. */
struct pmu_access {
	cpuid_fn cpuid;
	int (*read)(void *ctx, u32 msr, u64 *value); /* 0, or -E_INVAL if the CPU refuses; likewise */
	int (*write)(void *ctx, u32 msr, u64 value);
	u64 (*now_ns)(void *ctx);
	void (*turn)(void *ctx, u64 n); /* executes n branches and n other instructions */
	void *ctx;
};

/* Bits of an event select register, behind event | umask << 8. */
enum { PMU_OS = 1 << 17, PMU_ENABLE = 1 << 22, PMU_INVERT = 1 << 23, PMU_CMASK_SHIFT = 24 };

/* What counts an event: a general counter that was told this, or the fixed one of that number. */
struct pmu_event {
	bool is_there;
	s8 fixed; /* below 0: none */
	u32 select;
};

/* What CPUID promises; after pmu_verify() what was seen to be true. */
struct pmu {
	const char *missing; /* why there are no counters; NULL: there are */
	const char *vendor;
	unsigned version, nr_general, width;
	unsigned fixed;		    /* bits: of the fixed counters that are there */
	u64 mask, fixed_mask;	    /* where their counting wraps */
	u32 select, counter, step;  /* MSRs of general counter 0, and how far apart those of the next are */
	u32 global;		    /* MSR that turns them on and off together; 0: none */
	unsigned nr_found_counting; /* general counters that were counting for somebody when we came */
	struct pmu_event event[NR_HW_EVENTS];
};

/* By vendor; leaves in *pmu what differs from zero. */
void pmu_identify(const struct pmu_access *access, struct pmu *pmu);
void pmu_identify_intel(const struct pmu_access *access, struct pmu *pmu);
void pmu_identify_amd(const struct pmu_access *access, struct pmu *pmu);

/* An event that general counters count. */
static inline struct pmu_event pmu_select(u32 select)
{
	return (struct pmu_event){ .is_there = true, .fixed = -1, .select = select };
}

/* Family and model as CPUID spells them. */
void pmu_family(const struct pmu_access *access, unsigned *family, unsigned *model);

/* What one CPU is counting. Zeroed: nothing. */
struct pmu_cpu {
	const struct pmu *pmu;
	const struct pmu_access *access;
	bool counting, refused;
	u64 begun_ns, collected_ns, last_turn;
	u64 turns; /* how often an event has given way to another */
	unsigned nr_general;
	u8 general[NR_HW_EVENTS]; /* events that need a general counter; the first ones have one at first */
	struct pmu_place {
		bool in_use;
		u8 event;
		u64 last, since_ns;
	} place[PMU_PLACES]; /* fixed counters first */
	struct {
		u64 global, fixed_control, select[PMU_GENERAL];
	} found; /* programming that is not ours, to be put back */
	struct hw_counts counts;
};

/* Interrupts are off for all of these. */

/* Keep of *pmu only what this CPU takes, keeps and does: a known loop must be counted right. Leaves the CPU as it was. */
void pmu_verify(struct pmu *pmu, const struct pmu_access *access);

/* Count `wanted` (bits, by enum hw_event) from now on, as far as it is supported. */
void pmu_start(struct pmu_cpu *cpu, const struct pmu *pmu, const struct pmu_access *access, u32 wanted);
/* At every timer interrupt: whose turn it is, and nothing that has wrapped twice. */
void pmu_tick(struct pmu_cpu *cpu);
/* The end: cpu->counts is complete, and the counters do again what they did before. */
void pmu_stop(struct pmu_cpu *cpu);

/* Add what a CPU has counted to the sum over the CPUs; the first one says so. */
void pmu_add(const struct pmu_cpu *cpu, bool first, struct hw_counts *sum);

#endif
