/* SPDX-License-Identifier: GPL-2.0-or-later
 * The counters of all CPUs: each is programmed and read by itself, in an interrupt that the scheduler does not notice. */
#include "arch/x86/pmu_machine.h"

#include "arch/x86/clock.h"
#include "arch/x86/msr.h"
#include "arch/x86/pmu.h"
#include "arch/x86/smp.h"
#include "arch/x86/x86.h"
#include "base/text.h"

/* ---- this CPU ---- */

static int read_msr(void *ctx, u32 msr, u64 *value)
{
	(void)ctx;
	return msr_try_read(msr, value);
}

static int write_msr(void *ctx, u32 msr, u64 value)
{
	(void)ctx;
	return msr_try_write(msr, value);
}

static u64 now_ns(void *ctx)
{
	(void)ctx;
	return clock_now_ns();
}

static void turn(void *ctx, u64 n)
{
	(void)ctx;
	__asm__ volatile("1: decq %0; jnz 1b" : "+r"(n)::"cc");
}

static const struct pmu_access here = { .cpuid = cpuid_here, .read = read_msr, .write = write_msr, .now_ns = now_ns, .turn = turn };

/* ---- all of them ---- */

static struct {
	struct pmu pmu;
	char description[96], source[NR_HW_EVENTS][16];
	struct pmu_cpu cpu[MAX_CPUS];
	u32 wanted; /* of them; 0: none */
} all;

static unsigned count_bits(u32 bits)
{
	unsigned n = 0;

	for (; bits; bits &= bits - 1)
		n++;
	return n;
}

static void describe(void)
{
	const struct pmu *pmu = &all.pmu;
	int used = text_format(all.description, sizeof(all.description), "%s version %u, %u+%u of %u bits", pmu->vendor,
		pmu->version, pmu->nr_general, count_bits(pmu->fixed), pmu->width);

	if (pmu->nr_found_counting)
		text_format(all.description + used, sizeof(all.description) - (size_t)used, ", %u in use by firmware",
			pmu->nr_found_counting);
	for (unsigned e = 0; e < NR_HW_EVENTS; e++) {
		if (pmu->event[e].fixed >= 0)
			text_format(all.source[e], sizeof(all.source[e]), "fixed %d", pmu->event[e].fixed);
		else
			text_format(all.source[e], sizeof(all.source[e]), "0x%x", pmu->event[e].select);
	}
}

void pmu_init(void)
{
	pmu_identify(&here, &all.pmu);
	pmu_verify(&all.pmu, &here);
	if (!all.pmu.missing)
		describe();
}

const char *machine_counters(void)
{
	return all.pmu.missing ? all.pmu.missing : all.description;
}

const char *machine_counter_of(enum hw_event event)
{
	return !all.pmu.missing && all.pmu.event[event].is_there ? all.source[event] : NULL;
}

static void start(void)
{
	pmu_start(&all.cpu[machine_cpu()], &all.pmu, &here, all.wanted);
}

static void stop(void)
{
	pmu_stop(&all.cpu[machine_cpu()]);
}

void pmu_timer(void)
{
	pmu_tick(&all.cpu[machine_cpu()]);
}

void machine_counters_begin(u32 wanted)
{
	all.wanted = all.pmu.missing ? 0 : wanted;
	if (all.wanted)
		smp_call_all(start);
}

void machine_counters_end(struct hw_counts *out)
{
	*out = (struct hw_counts){ .supported = 0 };
	if (!all.wanted)
		return;
	smp_call_all(stop);
	for (unsigned cpu = 0; cpu < machine_nr_cpus(); cpu++)
		pmu_add(&all.cpu[cpu], cpu == 0, out);
	all.wanted = 0;
}
