/* SPDX-License-Identifier: GPL-2.0-or-later
 * The CPU's own timer: counting down at a measured rate, or comparing with the TSC where that can be trusted. */
#include "arch/x86/apic.h"
#include "arch/x86/clock.h"
#include "arch/x86/cpuid.h"
#include "arch/x86/cpu.h"
#include "arch/x86/msr.h"
#include "arch/x86/params.h"
#include "arch/x86/trap.h"
#include "arch/x86/witness.h"
#include "arch/x86/x86.h"
#include "base/watchdog.h"

enum { LVT_TSC_DEADLINE = 2 << 17 };

static struct {
	bool deadline_mode;
	u64 hz; /* of the countdown */
} timer;

/* Microcode from which the deadline mode of some Intel parts can be relied on; published errata, by family-model-stepping. */
static const struct {
	u32 signature, mask, microcode;
} deadline_errata[] = {
	{ 0x306f2, ~0u, 0x3a },
	{ 0x306f4, ~0u, 0x0f },
	{ 0x406f0, ~0xfu, 0x0b000020 },
	{ 0x50662, ~0u, 0x11 },
	{ 0x50663, ~0u, 0x0700000e },
	{ 0x50664, ~0u, 0x0f00000c },
	{ 0x50665, ~0u, 0x0e000003 },
	{ 0x50653, ~0u, 0x01000136 },
	{ 0x50654, ~0u, 0x02000014 },
	{ 0x306c0, ~0xfu, 0x22 },
	{ 0x40650, ~0xfu, 0x20 },
	{ 0x40660, ~0xfu, 0x17 },
	{ 0x306d0, ~0xfu, 0x25 },
	{ 0x40670, ~0xfu, 0x17 },
	{ 0x406e0, ~0xfu, 0xb2 },
	{ 0x506e0, ~0xfu, 0xb2 },
	{ 0x806e0, ~0xfu, 0x52 },
	{ 0x906e0, ~0xfu, 0x52 },
};

/* CPUID puts it where a 0 was written before. Intel's way: others refuse the write. */
static u32 microcode(void)
{
	u64 revision;

	msr_try_write(MSR_MICROCODE, 0);
	cpuid_read(1, 0);
	msr_try_read(MSR_MICROCODE, &revision);
	return (u32)(revision >> 32);
}

static bool has_erratum(void)
{
	u32 signature = cpuid_read(1, 0).a;

	for (unsigned i = 0; i < ARRAY_SIZE(deadline_errata); i++)
		if ((signature & deadline_errata[i].mask) == deadline_errata[i].signature)
			return microcode() < deadline_errata[i].microcode;
	return false;
}

static bool deadline_mode_usable(void)
{
	struct cpuid_regs r = cpuid_read(1, 0);
	bool offered = r.c >> 24 & 1, virtual = r.c >> 31 & 1;

	return offered && machine_param.timer != TIMER_LAPIC && clock_is_tsc() && (virtual || !has_erratum());
}

/* Middle of three windows of 2 ms against the clock. */
static u64 measure_hz(void)
{
	enum { WINDOW_NS = 2000000, ROUNDS = 3 };
	u64 hz[ROUNDS];

	apic_write(APIC_TIMER_DIVIDE, DIVIDE_BY_1);
	for (unsigned i = 0; i < ROUNDS; i++) {
		u64 start = clock_now_ns(), end;
		u32 left;

		apic_write(APIC_TIMER_INITIAL, ~0u);
		do
			end = clock_now_ns();
		while (end - start < WINDOW_NS);
		left = apic_read(APIC_TIMER_CURRENT);
		hz[i] = (u64)(~0u - left) * NSEC_PER_SEC / (end - start);
	}
	apic_write(APIC_TIMER_INITIAL, 0);
	return median_of_3(hz);
}

void apic_timer_init(void)
{
	timer.deadline_mode = deadline_mode_usable();
	if (!timer.deadline_mode)
		timer.hz = measure_hz();
}

const char *apic_timer_name(void)
{
	return timer.deadline_mode ? "tsc-deadline" : "lapic";
}

/* The mode must be set before the deadline register is written. */
void apic_timer_setup(void)
{
	if (!timer.deadline_mode)
		apic_write(APIC_TIMER_DIVIDE, DIVIDE_BY_1);
	apic_write(APIC_LVT_TIMER, VECTOR_TIMER | (timer.deadline_mode ? LVT_TSC_DEADLINE : 0));
	__asm__ volatile("mfence" ::: "memory");
}

static void arm_countdown(u64 deadline_ns)
{
	u64 now = clock_now_ns(), ns = deadline_ns > now ? deadline_ns - now : 0, count;

	if (ns > NSEC_PER_SEC) /* longer than any tick: come back and look again, at the clock too */
		ns = NSEC_PER_SEC;
	count = mul_div(ns, timer.hz, NSEC_PER_SEC) + 1; /* 0 would stop it */
	apic_write(APIC_TIMER_INITIAL, count > ~0u ? ~0u : (u32)count);
}

void machine_timer_arm(u64 deadline_ns)
{
	witness_armed(deadline_ns);
	watchdog_armed(deadline_ns);
	if (deadline_ns == TIMER_NEVER && !clock_wraps()) {
		if (timer.deadline_mode)
			msr_write(MSR_TSC_DEADLINE, 0);
		else
			apic_write(APIC_TIMER_INITIAL, 0);
		return;
	}
	if (timer.deadline_mode)
		msr_write(MSR_TSC_DEADLINE, clock_tsc_at(deadline_ns));
	else
		arm_countdown(deadline_ns);
}
