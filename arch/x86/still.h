/* SPDX-License-Identifier: GPL-2.0-or-later
 * How a CPU is held still: which bits of which register a wish comes to, and how they are set and put back. */
#ifndef ARCH_X86_STILL_H
#define ARCH_X86_STILL_H

#include "arch/machine.h"
#include "arch/x86/cpuid.h"

enum still_msr {
	MSR_PLATFORM_INFO = 0xce,
	MSR_PERF_CTL = 0x199,
	MSR_MISC_ENABLE = 0x1a0,
	MSR_PREFETCH = 0x1a4,
	MSR_HWP_ENABLE = 0x770,
	MSR_HWP_CAPABILITIES = 0x771,
	MSR_HWP_REQUEST = 0x774,
	MSR_HWCR = 0xc0010015,
};

/* Bits of one register, or why there are none: then refusal is not NULL. */
struct still_rule {
	u32 msr;
	u64 mask, bits;
	const char *refusal;
};

/* What a wish about registers comes to on the CPU that executes this and for which `read` speaks. Not STILL_CSTATE. */
struct still_rule still_rule_of(enum still_item item, const struct still_wish *wish, cpuid_fn read, void *ctx);

/* MWAIT's hint for the deepest state of this CPU in which its TSC and its timer go on. NULL; or why there is none. */
const char *still_deepest_hint(cpuid_fn read, void *ctx, u32 *hint);

/* One register of one CPU. */
struct still_hold {
	struct still_rule rule;
	bool written;
	u64 before, during, after;
};

/*
 * On the CPU, in this order. CPUs may share a register without knowing of it, so each step wants to be done on all of them before
 * the next: else one takes for found what another has just written. A refusal ends up in h->rule.refusal and ends the matter.
 */
void still_look(struct still_hold *h, const struct still_rule *rule);
void still_write(struct still_hold *h);
void still_verify(struct still_hold *h);
void still_put_back(struct still_hold *h);
void still_look_again(struct still_hold *h);

/* Did all the bits stay as they were written? */
bool still_is_held(const struct still_hold *h);

/* n CPUs' holds of one item, `step` apart, in words. */
void still_describe(const struct still_hold *h, size_t step, unsigned n, struct still_note *note);

#endif
