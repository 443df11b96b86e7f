/* SPDX-License-Identifier: GPL-2.0-or-later
 * CPUID as a function that tests can replace, and the strings that it spells. */
#ifndef ARCH_X86_CPUID_H
#define ARCH_X86_CPUID_H

#include "base/string.h"
#include "base/types.h"

struct cpuid_regs {
	u32 a, b, c, d;
};

/* Answers for one CPU: the one it runs on, or a canned one. Must be pure: any leaf may be asked, any number of times. */
typedef struct cpuid_regs (*cpuid_fn)(void *ctx, u32 leaf, u32 subleaf);

enum {
	CPUID_VENDOR_SIZE = 13,	    /* bytes with the final NUL */
	CPUID_BRAND_SIZE = 49,	    /* likewise */
	CPUID_HYPERVISOR_SIZE = 13, /* likewise */
};

static inline struct cpuid_regs cpuid_read(u32 leaf, u32 subleaf)
{
	struct cpuid_regs r;

	__asm__ volatile("cpuid" : "=a"(r.a), "=b"(r.b), "=c"(r.c), "=d"(r.d) : "a"(leaf), "c"(subleaf));
	return r;
}

/* cpuid_read as a cpuid_fn; ctx is not used. */
static inline struct cpuid_regs cpuid_here(void *ctx, u32 leaf, u32 subleaf)
{
	(void)ctx;
	return cpuid_read(leaf, subleaf);
}

/* The highest leaf of the range that `base` (0, 0x40000000 or 0x80000000) opens, 0 when there is no such range.
 * A CPU without the range answers with something unrelated, which this catches. */
static inline u32 cpuid_max_leaf(cpuid_fn read, void *ctx, u32 base)
{
	u32 max = read(ctx, base, 0).a;

	return (max & 0xFFFF0000) == base ? max : 0;
}

/* "GenuineIntel", "AuthenticAMD", ... */
static inline void cpuid_vendor(cpuid_fn read, void *ctx, char out[CPUID_VENDOR_SIZE])
{
	struct cpuid_regs r = read(ctx, 0, 0);

	memcpy(out, &r.b, 4);
	memcpy(out + 4, &r.d, 4);
	memcpy(out + 8, &r.c, 4);
	out[12] = '\0';
}

/* The brand string without its leading blanks; "" when the CPU has none. */
static inline void cpuid_brand(cpuid_fn read, void *ctx, char out[CPUID_BRAND_SIZE])
{
	unsigned skip = 0;

	memset(out, 0, CPUID_BRAND_SIZE);
	if (cpuid_max_leaf(read, ctx, 0x80000000) < 0x80000004)
		return;
	for (unsigned i = 0; i < 3; i++) {
		struct cpuid_regs r = read(ctx, 0x80000002 + i, 0);

		memcpy(out + 16 * i, &r, sizeof(r));
	}
	while (out[skip] == ' ')
		skip++;
	memmove(out, out + skip, CPUID_BRAND_SIZE - skip);
}

/* The hypervisor's signature ("KVMKVMKVM", "TCGTCGTCGTCG", "Microsoft Hv", ...); "" on bare metal. */
static inline void cpuid_hypervisor(cpuid_fn read, void *ctx, char out[CPUID_HYPERVISOR_SIZE])
{
	const u32 present = 1u << 31; /* leaf 1 ECX: reserved for hypervisors, 0 on every real CPU */
	struct cpuid_regs r;

	memset(out, 0, CPUID_HYPERVISOR_SIZE);
	if (!(read(ctx, 1, 0).c & present))
		return;
	r = read(ctx, 0x40000000, 0);
	memcpy(out, &r.b, 12);
}

static_assert(sizeof(struct cpuid_regs) == 16, "cpuid_brand copies four registers at once");

#endif
