/* SPDX-License-Identifier: GPL-2.0-or-later
 * The clock: how fast the TSC is, whether it agrees on all CPUs, and what tells the time if it does not. */
#include "arch/x86/clock.h"

#include "arch/x86/counters.h"
#include "arch/x86/cpuid.h"
#include "arch/x86/params.h"
#include "arch/x86/x86.h"
#include "arch/machine.h"
#include "base/spinlock.h"
#include "base/text.h"

enum { SCALE_SHIFT = 32 };

static struct {
	const struct counter *counter; /* NULL: the TSC */
	u64 base;		       /* its value when the clock stood at base_ns */
	u64 base_ns;
	u64 ns_scale; /* ns per count, shifted by SCALE_SHIFT */
	struct clock_facts facts;
	const struct counter *hpet, *pm, *reference;

	/* of a counter that wraps */
	struct spinlock lock;
	u64 last, total; /* lock */
} clock = { .lock = SPINLOCK_INIT(RANK_CLOCK) };

const struct clock_facts *clock_facts(void)
{
	return &clock.facts;
}

bool clock_is_tsc(void)
{
	return !clock.counter;
}

bool clock_wraps(void)
{
	return clock.counter && clock.counter->mask != ~0ull;
}

/* ---- reading ---- */

static u64 scale(u64 count)
{
	return (u64)((u128)count * clock.ns_scale >> SCALE_SHIFT);
}

/* Adds up a counter that wraps. Every tick reads it, and a CPU without ticks once a second, far more often than it wraps. One of 64
 * bits does not, and needs no lock. */
static u64 counter_total(void)
{
	const struct counter *c = clock.counter;
	unsigned long flags;
	u64 now, total;

	if (c->mask == ~0ull)
		return c->read();
	flags = spin_lock_irq(&clock.lock);
	now = c->read();
	clock.total += (now - clock.last) & c->mask;
	clock.last = now;
	total = clock.total;
	spin_unlock_irq(&clock.lock, flags);
	return total;
}

u64 clock_now_ns(void)
{
	u64 count = clock.counter ? counter_total() : tsc_read();

	return clock.base_ns + scale(count - clock.base);
}

u64 clock_tsc_at(u64 ns)
{
	u64 ahead = ns > clock.base_ns ? ns - clock.base_ns : 0;

	return clock.base + mul_div(ahead, clock.facts.tsc_hz, NSEC_PER_SEC) + 1;
}

void clock_wait_ns(u64 ns)
{
	u64 start = clock_now_ns();

	for (u64 i = 0; !clock.ns_scale && i < ns; i += 10) /* no clock yet: at least not for ever */
		cpu_pause();
	while (clock.ns_scale && clock_now_ns() - start < ns)
		cpu_pause();
}

void clock_wait_alone_ms(u64 ms)
{
	u64 start = tsc_read(), hz = clock.facts.tsc_hz;

	if (!hz)
		clock_wait_ns(ms * NSEC_PER_MSEC);
	while (tsc_read() - start < ms * hz / 1000)
		cpu_pause();
}

/* ---- how fast is the TSC ---- */

u64 median_of_3(u64 v[3])
{
	u64 low = min_u64(v[0], v[1]), high = max_u64(v[0], v[1]);

	return max_u64(low, min_u64(high, v[2]));
}

/* One window of about 10 ms against a reference. */
static u64 measure_window(const struct counter *c)
{
	u64 wanted = c->hz / 100, start = c->read(), tsc = tsc_read(), passed;

	do
		passed = (c->read() - start) & c->mask;
	while (passed < wanted);
	return mul_div(tsc_read() - tsc, c->hz, passed);
}

static u64 measure(const struct counter *c)
{
	u64 hz[3];

	for (unsigned i = 0; i < 3; i++)
		hz[i] = measure_window(c);
	return median_of_3(hz);
}

/* CPUID 0x15: crystal and ratio, where all three numbers are given. */
static u64 cpuid_tsc_hz(void)
{
	struct cpuid_regs r;

	if (cpuid_read(0, 0).a < 0x15)
		return 0;
	r = cpuid_read(0x15, 0);
	return r.a && r.b && r.c ? (u64)r.c * r.b / r.a : 0;
}

/* A leaf that some hypervisors offer: TSC in kHz. */
static u64 hypervisor_tsc_hz(void)
{
	if (!(cpuid_read(1, 0).c >> 31) || cpuid_read(0x40000000, 0).a < 0x40000010)
		return 0;
	return cpuid_read(0x40000010, 0).a * 1000ull;
}

static bool differ(u64 a, u64 b, unsigned percent)
{
	return (a > b ? a - b : b - a) > b / 100 * percent;
}

/* What the CPU says counts if a measurement does not contradict it: emulators have been seen to lie by a factor of 875. */
static u64 find_tsc_hz(void)
{
	u64 told = cpuid_tsc_hz(), measured = clock.reference ? measure(clock.reference) : 0;
	const char *teller = "cpuid 0x15";

	if (machine_param.tsc_hz) {
		clock.facts.reference = "command line";
		return machine_param.tsc_hz;
	}
	if (!told) {
		told = hypervisor_tsc_hz();
		teller = "hypervisor";
	}
	if (told && measured && differ(told, measured, 1)) {
		say("The TSC runs at %llu Hz by the %s, but %s says %llu Hz: using the measured rate\n",
			(unsigned long long)measured, clock.reference->name, teller, (unsigned long long)told);
		told = 0;
	}
	clock.facts.reference = told ? teller : clock.reference ? clock.reference->name : "nothing";
	return told ? told : measured;
}

/* ---- choosing ---- */

static void clock_use(const struct counter *c)
{
	u64 now = clock.ns_scale ? clock_now_ns() : 0;

	clock.counter = c;
	clock.base_ns = now;
	clock.facts.source = c ? c->name : "tsc";
	clock.facts.source_hz = c ? c->hz : clock.facts.tsc_hz;
	clock.ns_scale = mul_div(NSEC_PER_SEC, 1ull << SCALE_SHIFT, clock.facts.source_hz);
	clock.last = c ? c->read() : 0;
	clock.total = 0;
	clock.base = !c ? tsc_read() : c->mask == ~0ull ? clock.last : 0;
}

int clock_init(const struct acpi_info *acpi)
{
	clock.hpet = counter_hpet(acpi);
	clock.pm = counter_pm(acpi);
	clock.reference = clock.hpet ? clock.hpet : clock.pm ? clock.pm : counter_pit();
	clock.facts.invariant = cpuid_max_leaf(cpuid_here, NULL, 0x80000000) >= 0x80000007 && cpuid_read(0x80000007, 0).d >> 8 & 1;
	clock.facts.tsc_hz = find_tsc_hz();
	if (!clock.facts.tsc_hz)
		return -E_NOENT;
	clock_use(NULL);
	return 0;
}

/* ---- do the CPUs agree ---- */

static struct {
	struct spinlock lock;
	u64 last, warp; /* lock */
	u32 met;	/* atomic */
} check = { .lock = SPINLOCK_INIT(RANK_CLOCK) };

static void compare_once(u64 lag)
{
	unsigned long flags = spin_lock_irq(&check.lock);
	u64 now = tsc_read() - lag;

	if (now < check.last)
		check.warp = max_u64(check.warp, check.last - now);
	check.last = now;
	spin_unlock_irq(&check.lock, flags);
}

/* A barrier: all have come so often. */
static void meet(unsigned nr_cpus, unsigned times)
{
	__atomic_add_fetch(&check.met, 1, __ATOMIC_SEQ_CST);
	while (LOAD_ACQUIRE(check.met) < times * nr_cpus)
		cpu_pause();
}

/*
 * In turn, under a lock, each reads its TSC; one that is behind what another has read before is a contradiction. On an emulator the
 * CPUs may have come one after the other, and a CPU alone contradicts nobody: so each looks once more when all have been there.
 */
void clock_check_warp(unsigned nr_cpus)
{
	unsigned rounds = 20 + 4000 / nr_cpus;
	u64 lag = machine_cpu() == 1 ? machine_param.tsc_lag : 0;

	meet(nr_cpus, 1);
	for (unsigned i = 0; i < rounds; i++)
		compare_once(lag);
	meet(nr_cpus, 2);
	for (unsigned i = 0; i < 20; i++)
		compare_once(lag);
	meet(nr_cpus, 3);
}

static const struct counter *wanted_counter(void)
{
	switch (machine_param.clock) {
	case CLOCK_HPET:
		return clock.hpet;
	case CLOCK_PM:
		return clock.pm;
	default:
		return clock.hpet ? clock.hpet : clock.pm;
	}
}

void clock_settle(void)
{
	const struct counter *other = wanted_counter();
	bool leave_tsc = machine_param.clock > CLOCK_TSC || (machine_param.clock == CLOCK_AUTO && check.warp);

	clock.facts.warp_cycles = check.warp;
	if (check.warp)
		say("The TSCs of the CPUs contradict each other by up to %llu cycles\n", (unsigned long long)check.warp);
	if (!leave_tsc)
		return;
	if (other)
		clock_use(other);
	else
		say("No other clock to use instead of the TSC\n");
}
