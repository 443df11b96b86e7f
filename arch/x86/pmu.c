/* SPDX-License-Identifier: GPL-2.0-or-later
 * Counting on one CPU. Counters are never written, only read at both ends: whoever used them before finds them as they would be.
 * Where there are more events than counters they take turns, one giving way to the next at each tick. */
#include "arch/x86/pmu.h"

#include "base/string.h"

enum msr_pmu { MSR_FIXED_COUNTER = 0x309, MSR_FIXED_CONTROL = 0x38d };
enum { FIXED_OS = 1, FIXED_BITS = 4 };

/* A counter must not wrap twice between two looks. At 16 events a nanosecond, more than any CPU does, 2^38 take 17 s. */
enum { LEAST_WIDTH = 38 };
#define COLLECT_NS (10 * NSEC_PER_SEC)

/* How long an event keeps its counter at least; no tick is shorter. */
#define TURN_NS NSEC_PER_MSEC

/* ---- registers: a refusal is remembered, and spoils what the CPU counts ---- */

static u64 get(struct pmu_cpu *cpu, u32 msr)
{
	u64 value = 0;

	if (cpu->access->read(cpu->access->ctx, msr, &value))
		cpu->refused = true;
	return value;
}

static void put(struct pmu_cpu *cpu, u32 msr, u64 value)
{
	if (cpu->access->write(cpu->access->ctx, msr, value))
		cpu->refused = true;
}

static void put_global(struct pmu_cpu *cpu, u64 value)
{
	if (cpu->pmu->global)
		put(cpu, cpu->pmu->global, value);
}

static u64 now_ns(const struct pmu_cpu *cpu)
{
	return cpu->access->now_ns(cpu->access->ctx);
}

static bool is_fixed(unsigned place)
{
	return place < PMU_FIXED;
}

static u32 select_msr(const struct pmu *pmu, unsigned counter)
{
	return pmu->select + counter * pmu->step;
}

static u64 look(struct pmu_cpu *cpu, unsigned place)
{
	if (is_fixed(place))
		return get(cpu, MSR_FIXED_COUNTER + place);
	return get(cpu, cpu->pmu->counter + (place - PMU_FIXED) * cpu->pmu->step);
}

/* The global register has the general counters from bit 0 and the fixed ones from bit 32. */
static u64 global_bit(unsigned place)
{
	return 1ull << (is_fixed(place) ? place + 32 : place - PMU_FIXED);
}

/* ---- somebody else's programming ---- */

static void take_over(struct pmu_cpu *cpu)
{
	const struct pmu *pmu = cpu->pmu;

	if (pmu->global)
		cpu->found.global = get(cpu, pmu->global);
	if (pmu->fixed)
		cpu->found.fixed_control = get(cpu, MSR_FIXED_CONTROL);
	for (unsigned i = 0; i < pmu->nr_general; i++)
		cpu->found.select[i] = get(cpu, select_msr(pmu, i));
	put_global(cpu, 0);
}

static void give_back(struct pmu_cpu *cpu)
{
	const struct pmu *pmu = cpu->pmu;

	put_global(cpu, 0);
	for (unsigned i = 0; i < pmu->nr_general; i++)
		put(cpu, select_msr(pmu, i), cpu->found.select[i]);
	if (pmu->fixed)
		put(cpu, MSR_FIXED_CONTROL, cpu->found.fixed_control);
	put_global(cpu, cpu->found.global);
}

/* ---- verifying ---- */

enum { LOOP_TURNS = 10000 };

/* What that counter, told so, makes of the loop. */
static u64 count_loop(struct pmu_cpu *cpu, unsigned place)
{
	const struct pmu *pmu = cpu->pmu;
	u64 before;

	put_global(cpu, global_bit(place));
	before = look(cpu, place);
	cpu->access->turn(cpu->access->ctx, LOOP_TURNS);
	before = (look(cpu, place) - before) & (is_fixed(place) ? pmu->fixed_mask : pmu->mask);
	put_global(cpu, 0);
	return before;
}

/* What a hypervisor does meanwhile may be added, but nothing may be missing. */
static bool is_right(u64 instructions)
{
	return instructions >= 2 * LOOP_TURNS && instructions <= 4 * LOOP_TURNS;
}

/* Firmware that keeps the counters for itself lets the enable bit drop. */
static bool keeps(struct pmu_cpu *cpu, u32 msr, u32 value)
{
	cpu->refused = false;
	put(cpu, msr, value);
	return (u32)get(cpu, msr) == value && !cpu->refused;
}

static bool general_works(struct pmu_cpu *cpu, unsigned i)
{
	u32 msr = select_msr(cpu->pmu, i);
	bool works = keeps(cpu, msr, cpu->pmu->event[HW_INSTRUCTIONS].select | PMU_OS | PMU_ENABLE) &&
		     is_right(count_loop(cpu, PMU_FIXED + i)) && !cpu->refused;

	put(cpu, msr, 0);
	return works;
}

/* Fixed counter 0 counts instructions, the others kinds of cycles. */
static bool fixed_works(struct pmu_cpu *cpu, unsigned i)
{
	u64 counted;

	if (!keeps(cpu, MSR_FIXED_CONTROL, FIXED_OS << FIXED_BITS * i))
		return false;
	counted = count_loop(cpu, i);
	return (i ? counted > 0 : is_right(counted)) && !cpu->refused;
}

static bool event_works(struct pmu_cpu *cpu, const struct pmu_event *event)
{
	const struct pmu *pmu = cpu->pmu;

	if (event->fixed >= 0)
		return true;
	return pmu->nr_general && keeps(cpu, select_msr(pmu, 0), event->select | PMU_OS | PMU_ENABLE);
}

/* An event that has lost its fixed counter may be one that general ones count. */
static void lose_fixed(struct pmu *pmu, unsigned i)
{
	pmu->fixed &= ~(1u << i);
	for (unsigned e = 0; e < NR_HW_EVENTS; e++)
		if (pmu->event[e].fixed == (s8)i) {
			pmu->event[e].fixed = -1;
			pmu->event[e].is_there = pmu->event[e].select != 0;
		}
}

static void verify_all(struct pmu *pmu, struct pmu_cpu *cpu)
{
	unsigned nr = pmu->nr_general;

	for (unsigned i = 0; i < PMU_FIXED; i++)
		if (pmu->fixed >> i & 1 && !fixed_works(cpu, i))
			lose_fixed(pmu, i);
	for (pmu->nr_general = 0; pmu->nr_general < nr && general_works(cpu, pmu->nr_general);)
		pmu->nr_general++;
	for (unsigned e = 0; e < NR_HW_EVENTS; e++)
		pmu->event[e].is_there = pmu->event[e].is_there && event_works(cpu, &pmu->event[e]);
	if (!pmu->fixed && !pmu->nr_general)
		pmu->missing = "none that counts what it should";
}

void pmu_verify(struct pmu *pmu, const struct pmu_access *access)
{
	const struct pmu promised = *pmu;
	struct pmu_cpu cpu = { .pmu = &promised, .access = access };

	if (!pmu->missing && pmu->width < LEAST_WIDTH)
		pmu->missing = "none wide enough";
	if (pmu->missing)
		return;
	take_over(&cpu);
	if (cpu.refused) {
		pmu->missing = "none that may be used";
		return;
	}
	for (unsigned i = 0; i < pmu->nr_general; i++)
		pmu->nr_found_counting += cpu.found.select[i] >> 22 & 1;
	cpu.pmu = pmu;
	verify_all(pmu, &cpu);
	cpu.pmu = &promised;
	give_back(&cpu);
}

/* ---- counting ---- */

/* Bring a place's event up to date. */
static void collect(struct pmu_cpu *cpu, unsigned place, u64 now)
{
	struct pmu_place *p = &cpu->place[place];
	u64 value = look(cpu, place);

	cpu->counts.value[p->event] += (value - p->last) & (is_fixed(place) ? cpu->pmu->fixed_mask : cpu->pmu->mask);
	cpu->counts.running_ns[p->event] += now - p->since_ns;
	p->last = value;
	p->since_ns = now;
}

static void collect_all(struct pmu_cpu *cpu, u64 now)
{
	for (unsigned i = 0; i < PMU_PLACES; i++)
		if (cpu->place[i].in_use)
			collect(cpu, i, now);
	cpu->collected_ns = now;
}

static void occupy(struct pmu_cpu *cpu, unsigned place, unsigned event)
{
	cpu->place[place] = (struct pmu_place){ .in_use = true, .event = (u8)event };
	if (!is_fixed(place))
		put(cpu, select_msr(cpu->pmu, place - PMU_FIXED), cpu->pmu->event[event].select | PMU_OS | PMU_ENABLE);
}

/* From here on what is in that place is counted. */
static void note_start(struct pmu_cpu *cpu, unsigned place, u64 now)
{
	cpu->place[place].last = look(cpu, place);
	cpu->place[place].since_ns = now;
}

/* Fixed counters to those that have one of their own; the rest queues for general ones. */
static void seat(struct pmu_cpu *cpu, u32 wanted)
{
	u64 control = 0;

	for (unsigned e = 0; e < NR_HW_EVENTS; e++) {
		const struct pmu_event *event = &cpu->pmu->event[e];

		if (!(wanted >> e & 1) || !event->is_there)
			continue;
		cpu->counts.supported |= 1u << e;
		if (event->fixed < 0) {
			cpu->general[cpu->nr_general++] = (u8)e;
			continue;
		}
		occupy(cpu, (unsigned)event->fixed, e);
		control |= (u64)FIXED_OS << FIXED_BITS * event->fixed;
	}
	if (cpu->pmu->fixed)
		put(cpu, MSR_FIXED_CONTROL, control);
	for (unsigned i = 0; i < cpu->pmu->nr_general; i++) {
		if (i < cpu->nr_general)
			occupy(cpu, PMU_FIXED + i, cpu->general[i]);
		else
			put(cpu, select_msr(cpu->pmu, i), 0);
	}
}

void pmu_start(struct pmu_cpu *cpu, const struct pmu *pmu, const struct pmu_access *access, u32 wanted)
{
	u64 global = 0, now;

	memset(cpu, 0, sizeof(*cpu));
	cpu->pmu = pmu;
	cpu->access = access;
	if (pmu->missing)
		return;
	cpu->counting = true;
	take_over(cpu);
	seat(cpu, wanted);
	now = now_ns(cpu);
	cpu->begun_ns = cpu->collected_ns = now;
	cpu->last_turn = now / TURN_NS;
	for (unsigned i = 0; i < PMU_PLACES; i++)
		if (cpu->place[i].in_use) {
			note_start(cpu, i, now);
			global |= global_bit(i);
		}
	put_global(cpu, global);
}

/* Whoever has had a general counter for longest gives way to whoever has been without for longest: with m events for n counters
 * each of them has one for n of m turns. */
static void give_way(struct pmu_cpu *cpu, u64 now)
{
	unsigned n = cpu->pmu->nr_general, place = PMU_FIXED + (unsigned)(cpu->turns % n);

	collect(cpu, place, now);
	occupy(cpu, place, cpu->general[(cpu->turns + n) % cpu->nr_general]);
	note_start(cpu, place, now);
	cpu->turns++;
}

void pmu_tick(struct pmu_cpu *cpu)
{
	u64 now;

	if (likely(!cpu->counting))
		return;
	now = now_ns(cpu);
	if (now / TURN_NS == cpu->last_turn)
		return;
	cpu->last_turn = now / TURN_NS;
	if (cpu->nr_general > cpu->pmu->nr_general)
		give_way(cpu, now);
	if (now - cpu->collected_ns >= COLLECT_NS)
		collect_all(cpu, now);
}

void pmu_stop(struct pmu_cpu *cpu)
{
	u64 now;

	if (!cpu->counting)
		return;
	put_global(cpu, 0);
	now = now_ns(cpu);
	collect_all(cpu, now);
	cpu->counts.enabled_ns = now - cpu->begun_ns;
	give_back(cpu);
	cpu->counting = false;
	if (cpu->refused)
		cpu->counts.supported = 0;
}

void pmu_add(const struct pmu_cpu *cpu, bool first, struct hw_counts *sum)
{
	if (first)
		*sum = (struct hw_counts){ .supported = ~0u };
	sum->supported &= cpu->counts.supported;
	sum->enabled_ns += cpu->counts.enabled_ns;
	for (unsigned e = 0; e < NR_HW_EVENTS; e++) {
		sum->value[e] += cpu->counts.value[e];
		sum->running_ns[e] += cpu->counts.running_ns[e];
	}
}

/* ---- who is it? ---- */

void pmu_family(const struct pmu_access *access, unsigned *family, unsigned *model)
{
	u32 signature = access->cpuid(access->ctx, 1, 0).a;
	unsigned base = signature >> 8 & 15;

	*family = base == 15 ? base + (signature >> 20 & 0xff) : base;
	*model = (signature >> 4 & 15) | (base == 6 || base == 15 ? signature >> 12 & 0xf0 : 0);
}

void pmu_identify(const struct pmu_access *access, struct pmu *pmu)
{
	char vendor[CPUID_VENDOR_SIZE];

	memset(pmu, 0, sizeof(*pmu));
	for (unsigned e = 0; e < NR_HW_EVENTS; e++)
		pmu->event[e].fixed = -1;
	cpuid_vendor(access->cpuid, access->ctx, vendor);
	if (!memcmp(vendor, "GenuineIntel", 12))
		pmu_identify_intel(access, pmu);
	else if (!memcmp(vendor, "AuthenticAMD", 12))
		pmu_identify_amd(access, pmu);
	else
		pmu->missing = "none of a known vendor";
}
