/* SPDX-License-Identifier: GPL-2.0-or-later
 * The certificate of an interval: what each CPU's registers say, and how late its timer came. */
#include "arch/x86/witness.h"

#include "arch/x86/certificate.h"
#include "arch/x86/clock.h"
#include "arch/x86/params.h"
#include "arch/x86/smp.h"

static struct witness {
	u64 due_ns; /* when its timer was to come; TIMER_NEVER: it is not armed */
	u64 gaps, longest_ns;
	struct certificate_reading start;
	struct certificate result;
} cache_aligned witnesses[MAX_CPUS] = { [0 ... MAX_CPUS - 1] = { .due_ns = TIMER_NEVER } }; /* owner CPU */

static struct witness *this_witness(void)
{
	return &witnesses[machine_cpu()];
}

/* Armed for an instant that has passed, it can come no sooner than now. */
void witness_armed(u64 deadline_ns)
{
	this_witness()->due_ns = max_u64(deadline_ns, clock_now_ns());
}

/* Interrupts are off for microseconds here: whoever keeps a timer waiting for much longer is the host, the firmware, or a mistake
 * that should be seen as well. */
void witness_timer(void)
{
	struct witness *w = this_witness();
	u64 now = clock_now_ns(), late = now > w->due_ns ? now - w->due_ns : 0;

	w->due_ns = TIMER_NEVER;
	if (late < machine_param.gap_us * NSEC_PER_USEC)
		return;
	w->gaps++;
	w->longest_ns = max_u64(w->longest_ns, late);
}

static void begin(void)
{
	struct witness *w = this_witness();

	w->gaps = 0;
	w->longest_ns = 0;
	w->result = (struct certificate){ .known = 0 };
	certificate_begin(certificate_can(cpuid_here, NULL), &w->start);
}

static void end(void)
{
	struct witness *w = this_witness();

	certificate_end(&w->start, &w->result);
	w->result.known |= CERTIFY_GAPS;
	w->result.gaps = w->gaps;
	w->result.longest_gap_ns = w->longest_ns;
}

void machine_certificate_begin(void)
{
	smp_call_all(begin);
}

void machine_certificate_end(void)
{
	smp_call_all(end);
}

void machine_certificate(unsigned cpu, struct certificate *out)
{
	*out = witnesses[cpu].result;
}
