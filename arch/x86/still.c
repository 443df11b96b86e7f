/* SPDX-License-Identifier: GPL-2.0-or-later
 * Turbo, frequency and prefetchers: the registers behind them, by vendor and model, as Intel's and AMD's manuals describe them. */
#include "arch/x86/still.h"

#include "arch/x86/msr.h"
#include "base/text.h"

#define BIT(n) (1ull << (n))

static struct still_rule refuse(const char *why)
{
	return (struct still_rule){ .refusal = why };
}

/* ---- which CPU ---- */

struct model {
	bool intel, amd;
	u32 family, model;
};

static struct model model_of(cpuid_fn read, void *ctx)
{
	char vendor[CPUID_VENDOR_SIZE];
	u32 signature = read(ctx, 1, 0).a;
	struct model m = { .family = signature >> 8 & 15, .model = signature >> 4 & 15 };

	cpuid_vendor(read, ctx, vendor);
	m.intel = !strcmp(vendor, "GenuineIntel");
	m.amd = !strcmp(vendor, "AuthenticAMD");
	if (m.family == 6 || m.family == 15)
		m.model += signature >> 12 & 0xf0;
	if (m.family == 15)
		m.family += signature >> 20 & 0xff;
	return m;
}

static bool is_core2(const struct model *m)
{
	return m->intel && m->family == 6 && (m->model == 0x0f || m->model == 0x16 || m->model == 0x17 || m->model == 0x1d);
}

/* Nehalem, and all that came after it. */
static bool is_nehalem_or_later(const struct model *m)
{
	return m->intel && m->family == 6 && m->model >= 0x1a;
}

/* They and Westmere have the ratio in the lowest byte of PERF_CTL, where all later ones have nothing. */
static bool has_low_ratio(const struct model *m)
{
	static const u8 model[] = { 0x1a, 0x1e, 0x1f, 0x2e, 0x25, 0x2c, 0x2f };

	for (unsigned i = 0; i < ARRAY_SIZE(model); i++)
		if (m->model == model[i])
			return true;
	return false;
}

/* Atoms that are told a voltage beside the ratio, as Core 2 is. A ratio alone would leave them with the wrong one. */
static bool wants_voltage(const struct model *m)
{
	static const u8 atom[] = { 0x1c, 0x26, 0x27, 0x35, 0x36, 0x37, 0x4a, 0x4c, 0x4d, 0x5a, 0x5d };

	for (unsigned i = 0; i < ARRAY_SIZE(atom); i++)
		if (m->model == atom[i])
			return true;
	return !is_nehalem_or_later(m);
}

static struct cpuid_regs power_leaf(cpuid_fn read, void *ctx)
{
	const struct cpuid_regs nothing = { 0, 0, 0, 0 };

	return cpuid_max_leaf(read, ctx, 0) < 6 ? nothing : read(ctx, 6, 0);
}

static u32 extended_power_bits(cpuid_fn read, void *ctx)
{
	return cpuid_max_leaf(read, ctx, 0x80000000) < 0x80000007 ? 0 : read(ctx, 0x80000007, 0).d;
}

/* ---- turbo ---- */

enum { LEAF6_ARAT = 1 << 2, LEAF6_TURBO = 1 << 1, LEAF6_HWP = 1 << 7, POWER_BOOST = 1 << 9, POWER_INVARIANT_TSC = 1 << 8 };

/* CPUID says of no turbo while it is turned off: then the register does. */
static struct still_rule intel_turbo(bool off, cpuid_fn read, void *ctx)
{
	const u64 disabled = BIT(38);
	u64 misc;

	if (msr_try_read(MSR_MISC_ENABLE, &misc))
		return refuse("there is no IA32_MISC_ENABLE");
	if (!(power_leaf(read, ctx).a & LEAF6_TURBO) && !(misc & disabled))
		return refuse("CPUID says of no turbo");
	return (struct still_rule){ MSR_MISC_ENABLE, disabled, off ? disabled : 0, NULL };
}

static struct still_rule turbo_rule(const struct still_wish *wish, cpuid_fn read, void *ctx)
{
	struct model m = model_of(read, ctx);
	bool off = wish->turbo == TURBO_OFF;

	if (m.intel)
		return intel_turbo(off, read, ctx);
	if (m.amd && extended_power_bits(read, ctx) & POWER_BOOST)
		return (struct still_rule){ MSR_HWCR, BIT(25), off ? BIT(25) : 0, NULL };
	return refuse(m.amd ? "CPUID says of no core performance boost" : "not known how on this vendor's CPUs");
}

/* ---- frequency ---- */

/* Ratios that can be asked for, of the bus clock. */
struct ratios {
	u8 least, base, most;
};

static struct still_rule check_ratios(const struct still_wish *wish, const struct ratios *r, u8 *least, u8 *most)
{
	*least = wish->pstate == PSTATE_BASE ? r->base : wish->least_ratio;
	*most = wish->pstate == PSTATE_BASE ? r->base : wish->most_ratio;
	if (!r->base)
		return refuse("the CPU does not say what its base ratio is");
	return *least < r->least || *most > r->most ? refuse("the ratio is not among those of this CPU") : refuse(NULL);
}

/* Minimum, maximum and desired performance and a preference for it over energy; desired is 0, the CPU's own choice, of a range.
 * A set bit 42 would have the CPU listen to the package's request instead. */
static struct still_rule hwp_rule(const struct still_wish *wish)
{
	u64 capabilities;
	u8 least, most;
	struct still_rule rule;

	if (msr_try_read(MSR_HWP_CAPABILITIES, &capabilities))
		return refuse("there is no IA32_HWP_CAPABILITIES");
	rule = check_ratios(
		wish, &(struct ratios){ (u8)(capabilities >> 24), (u8)(capabilities >> 8), (u8)capabilities }, &least, &most);
	if (rule.refusal)
		return rule;
	return (struct still_rule){ MSR_HWP_REQUEST, BIT(42) | 0xffffffff,
		least | (u64)most << 8 | (least == most ? (u64)least << 16 : 0), NULL };
}

/* Above the base ratio is turbo, which takes no orders. */
static struct still_rule speedstep_rule(const struct still_wish *wish, const struct model *m)
{
	u64 info;
	u8 least, most;
	struct still_rule rule;

	if (msr_try_read(MSR_PLATFORM_INFO, &info))
		return refuse("there is no MSR_PLATFORM_INFO");
	rule = check_ratios(wish, &(struct ratios){ (u8)(info >> 40), (u8)(info >> 8), (u8)(info >> 8) }, &least, &most);
	if (rule.refusal)
		return rule;
	if (least != most)
		return refuse("a range wants hardware P-states, which the firmware has not turned on");
	if (has_low_ratio(m))
		return (struct still_rule){ MSR_PERF_CTL, 0xffff, least, NULL };
	return (struct still_rule){ MSR_PERF_CTL, 0xff00, (u64)least << 8, NULL };
}

/* Hardware P-states cannot be turned off again before a reset, so they are used only where the firmware has turned them on. */
static struct still_rule pstate_rule(const struct still_wish *wish, cpuid_fn read, void *ctx)
{
	struct model m = model_of(read, ctx);
	u64 on;

	if (!m.intel)
		return refuse("not known how on this vendor's CPUs");
	if (power_leaf(read, ctx).a & LEAF6_HWP && !msr_try_read(MSR_HWP_ENABLE, &on) && on & 1)
		return hwp_rule(wish);
	if (!(read(ctx, 1, 0).c & BIT(7)))
		return refuse("CPUID says of no SpeedStep");
	return wants_voltage(&m) ? refuse("this model wants a voltage with each ratio") : speedstep_rule(wish, &m);
}

/* ---- prefetchers ---- */

/* A set bit turns one off: stream, adjacent line, next line, by instruction. */
static struct still_rule prefetch_rule(cpuid_fn read, void *ctx)
{
	const u64 core2 = BIT(9) | BIT(19) | BIT(37) | BIT(39);
	struct model m = model_of(read, ctx);

	if (is_core2(&m))
		return (struct still_rule){ MSR_MISC_ENABLE, core2, core2, NULL };
	if (is_nehalem_or_later(&m))
		return (struct still_rule){ MSR_PREFETCH, 15, 15, NULL };
	return refuse("not known how on this model");
}

struct still_rule still_rule_of(enum still_item item, const struct still_wish *wish, cpuid_fn read, void *ctx)
{
	switch (item) {
	case STILL_TURBO:
		return turbo_rule(wish, read, ctx);
	case STILL_PSTATE:
		return pstate_rule(wish, read, ctx);
	case STILL_PREFETCH:
		return prefetch_rule(read, ctx);
	default:
		return refuse("not a matter of registers");
	}
}

/* ---- idle states ---- */

/* Leaf 5 has four bits for each of C0 to C7: how many sub-states MWAIT knows of it. The hint is the state, from C1 = 0, and the
 * sub-state. */
static u32 deepest_hint(u32 substates)
{
	for (unsigned c = 7; c > 0; c--)
		if (substates >> 4 * c & 15)
			return (c - 1) << 4 | ((substates >> 4 * c & 15) - 1);
	return 0;
}

const char *still_deepest_hint(cpuid_fn read, void *ctx, u32 *hint)
{
	struct cpuid_regs monitor;

	if (!(read(ctx, 1, 0).c & BIT(3)) || cpuid_max_leaf(read, ctx, 0) < 5)
		return "there is no MWAIT";
	monitor = read(ctx, 5, 0);
	if (!(monitor.c & 1) || !(monitor.d >> 4))
		return "MWAIT knows no states";
	if (!(power_leaf(read, ctx).a & LEAF6_ARAT))
		return "the timer would stop";
	if (!(extended_power_bits(read, ctx) & POWER_INVARIANT_TSC))
		return "the TSC might stop";
	*hint = deepest_hint(monitor.d);
	return NULL;
}

/* ---- holding ---- */

static u64 with_bits(u64 value, const struct still_rule *r, u64 bits)
{
	return (value & ~r->mask) | (bits & r->mask);
}

/* Into what the register holds now: the other bits may belong to another wish. */
static bool change_register(const struct still_rule *r, u64 bits)
{
	u64 now;

	return !msr_try_read(r->msr, &now) && !msr_try_write(r->msr, with_bits(now, r, bits));
}

void still_look(struct still_hold *h, const struct still_rule *rule)
{
	*h = (struct still_hold){ .rule = *rule };
	if (!rule->refusal && msr_try_read(rule->msr, &h->before))
		h->rule.refusal = "the register cannot be read";
	h->during = h->after = h->before;
}

void still_write(struct still_hold *h)
{
	if (h->rule.refusal)
		return;
	h->written = change_register(&h->rule, h->rule.bits);
	if (!h->written)
		h->rule.refusal = "the register cannot be written";
}

void still_verify(struct still_hold *h)
{
	if (!h->written)
		return;
	msr_try_read(h->rule.msr, &h->during);
	if (!still_is_held(h))
		h->rule.refusal = "the register does not keep what is written";
}

void still_put_back(struct still_hold *h)
{
	if (h->written)
		change_register(&h->rule, h->before);
}

void still_look_again(struct still_hold *h)
{
	if (h->written)
		msr_try_read(h->rule.msr, &h->after);
}

bool still_is_held(const struct still_hold *h)
{
	return h->written && (h->during & h->rule.mask) == h->rule.bits;
}

/* ---- in words ---- */

static const struct still_hold *nth(const struct still_hold *h, size_t step, unsigned i)
{
	return (const struct still_hold *)((const char *)h + i * step);
}

/* The value that all CPUs have, or the first CPU's and the others' that is not it. offset: of the value. */
static void describe_values(const struct still_hold *h, size_t step, unsigned n, size_t offset, char *text, size_t size)
{
	u64 first = *(const u64 *)((const char *)h + offset), other = first;
	unsigned differ = 0;

	for (unsigned i = 0; i < n; i++) {
		u64 v = *(const u64 *)((const char *)nth(h, step, i) + offset);

		if (v != first)
			other = differ++ ? other : v;
	}
	if (differ)
		text_format(text, size, "0x%llx, on %u of %u CPUs 0x%llx or another", (unsigned long long)first, differ, n,
			(unsigned long long)other);
	else
		text_format(text, size, "0x%llx", (unsigned long long)first);
}

static void describe_state(const struct still_hold *h, size_t step, unsigned n, char *text, size_t size)
{
	const char *why = NULL;
	unsigned held = 0;

	for (unsigned i = 0; i < n; i++) {
		held += still_is_held(nth(h, step, i));
		why = why ? why : nth(h, step, i)->rule.refusal;
	}
	if (held == n)
		text_format(text, size, "held");
	else if (held)
		text_format(text, size, "held on %u of %u CPUs: %s", held, n, why);
	else
		text_format(text, size, "not supported: %s", why);
}

static bool any_read(const struct still_hold *h, size_t step, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		if (nth(h, step, i)->rule.msr)
			return true;
	return false;
}

void still_describe(const struct still_hold *h, size_t step, unsigned n, struct still_note *note)
{
	*note = (struct still_note){ .before = "" };
	describe_state(h, step, n, note->state, sizeof(note->state));
	if (!any_read(h, step, n))
		return;
	describe_values(h, step, n, offsetof(struct still_hold, before), note->before, sizeof(note->before));
	describe_values(h, step, n, offsetof(struct still_hold, during), note->during, sizeof(note->during));
	describe_values(h, step, n, offsetof(struct still_hold, after), note->after, sizeof(note->after));
}
