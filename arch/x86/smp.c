/* SPDX-License-Identifier: GPL-2.0-or-later
 * INIT, STARTUP, STARTUP: bringing all CPUs into 64-bit mode at once, and counting who has come. */
#include "arch/x86/smp.h"

#include "arch/x86/apic.h"
#include "arch/x86/clock.h"
#include "arch/x86/cpu.h"
#include "arch/x86/masquerade_machine.h"
#include "arch/x86/paging.h"
#include "arch/x86/results.h"
#include "arch/x86/topology.h"
#include "arch/x86/trap.h"
#include "arch/x86/x86.h"
#include "base/bug.h"
#include "base/mem.h"
#include "base/string.h"
#include "base/text.h"

extern char trampoline_start[], trampoline_end[], trampoline_params[];

/* As trampoline.asm has it. */
struct trampoline_params {
	u32 cr3, efer;
	u32 ticket, tickets;
	u64 stacks, entry;
};
static_assert(sizeof(struct trampoline_params) == 32, "trampoline.asm");

static struct {
	unsigned nr, missing;
	struct cpu_identity identity[MAX_CPUS];
	u16 node[MAX_CPUS];
	u64 stack[MAX_CPUS];   /* by ticket */
	u8 has_come[MAX_CPUS]; /* atomic */
	u32 arrived;	       /* atomic; without the boot CPU */
	u32 warp_gate;	       /* atomic */
	void (*entry)(void);   /* atomic */
	u32 stopper;	       /* 0, or the CPU that stops all others + 1 */
	bool deaf;	       /* kicks get lost */
	struct topology topology;
} smp;

/* ---- a CPU arrives ---- */

static unsigned index_of(u32 id)
{
	for (unsigned i = 1; i < smp.nr; i++)
		if (x86_cpus[i].apic_id == id)
			return i;
	return 0;
}

static void wait_for_release(void)
{
	while (!LOAD_ACQUIRE(smp.entry))
		machine_idle(); /* released by VECTOR_START */
}

/* Each CPU but the first, on a stack of its own, interrupts off. */
static _Noreturn void ap_boot(void)
{
	struct cpu_identity identity;
	unsigned index;

	topology_identify(cpuid_here, NULL, &identity);
	index = index_of(identity.apic_id);
	if (!index)
		cpu_stop(); /* nobody asked it to come */
	cpu_setup(index);
	apic_setup();
	topology_identify(cpuid_here, NULL, &smp.identity[index]); /* again: firmware may have hidden leaves till cpu_setup() */
	STORE_RELEASE(smp.has_come[index], 1);
	__atomic_add_fetch(&smp.arrived, 1, __ATOMIC_RELEASE);
	while (!LOAD_ACQUIRE(smp.warp_gate))
		cpu_pause();
	clock_check_warp(smp.nr);
	wait_for_release();
	apic_timer_setup();
	smp.entry();
	__builtin_unreachable();
}

/* ---- the boot CPU's side ---- */

/* The list, this CPU first. */
static void list_cpus(const struct acpi_info *acpi, u32 self)
{
	x86_cpus[0].apic_id = self;
	smp.node[0] = TOPOLOGY_NODE_UNKNOWN;
	smp.nr = 1;
	for (unsigned i = 0; i < acpi->nr_cpus; i++) {
		if (acpi->cpu[i].apic_id == self) {
			smp.node[0] = acpi->cpu[i].node;
		} else if (smp.nr < MAX_CPUS) {
			x86_cpus[smp.nr].apic_id = acpi->cpu[i].apic_id;
			smp.node[smp.nr++] = acpi->cpu[i].node;
		}
	}
}

/* A pretended topology wants some of them, in an order of its own. */
static void choose_cpus(void)
{
	static struct acpi_cpu cpu[MAX_CPUS];

	for (unsigned i = 0; i < smp.nr; i++)
		cpu[i] = (struct acpi_cpu){ .apic_id = x86_cpus[i].apic_id, .node = smp.node[i] };
	smp.nr = masquerade_prepare(&smp.identity[0], cpu, smp.nr);
	for (unsigned i = 0; i < smp.nr; i++) {
		x86_cpus[i].apic_id = cpu[i].apic_id;
		smp.node[i] = cpu[i].node;
	}
}

static u64 place_trampoline(struct memmap *map)
{
	enum { LOWEST_VIDEO = 0xa0000 };
	u64 page = memmap_find_low(map, MEM_PAGE, MEM_PAGE, LOWEST_VIDEO);
	struct trampoline_params params = { .cr3 = (u32)paging_root(),
		.efer = (u32)msr_read(MSR_EFER) & ~(1u << 10),
		.tickets = smp.nr - 1,
		.stacks = (u64)smp.stack,
		.entry = (u64)ap_boot };

	if (!page)
		return 0;
	memmap_reserve(map, page, page + MEM_PAGE);
	paging_set_trampoline(page, true);
	memcpy((void *)page, trampoline_start, (size_t)(trampoline_end - trampoline_start));
	memcpy((char *)page + (trampoline_params - trampoline_start), &params, sizeof(params));
	return page;
}

static bool all_came(u64 limit_ns)
{
	u64 start = clock_now_ns();

	while (LOAD_ACQUIRE(smp.arrived) < smp.nr - 1)
		if (clock_now_ns() - start > limit_ns)
			return false;
	return true;
}

/* One INIT for all, the 10 ms that old parts and some hypervisors need, one STARTUP for all, a second for the silent. */
static void call_all(u8 page)
{
	for (unsigned i = 1; i < smp.nr; i++)
		apic_send_init(x86_cpus[i].apic_id);
	clock_wait_ns(10 * NSEC_PER_MSEC);
	for (unsigned i = 1; i < smp.nr; i++)
		apic_send_startup(x86_cpus[i].apic_id, page);
	if (all_came(20 * NSEC_PER_MSEC))
		return;
	for (unsigned i = 1; i < smp.nr; i++)
		if (!LOAD_ACQUIRE(smp.has_come[i]))
			apic_send_startup(x86_cpus[i].apic_id, page);
	all_came(5 * NSEC_PER_SEC);
}

static int give_stacks(void)
{
	for (unsigned i = 1; i < smp.nr; i++) {
		smp.stack[i - 1] = (u64)machine_stack_new();
		if (!smp.stack[i - 1] || cpu_fault_stacks(i))
			return -E_NOMEM;
	}
	return 0;
}

static unsigned count_missing(void)
{
	unsigned missing = 0;

	for (unsigned i = 1; i < smp.nr; i++)
		if (!LOAD_ACQUIRE(smp.has_come[i])) {
			say("CPU %u (APIC id %u) does not answer\n", i, x86_cpus[i].apic_id);
			missing++;
		}
	return missing;
}

static unsigned start_others(struct memmap *map)
{
	unsigned missing;
	u64 page;

	if (give_stacks()) {
		say("No memory for the stacks of %u CPUs\n", smp.nr);
		return smp.nr - 1;
	}
	page = place_trampoline(map);
	if (!page) {
		say("No free page below 640 KiB from which to start the other CPUs\n");
		return smp.nr - 1;
	}
	call_all((u8)(page / MEM_PAGE));
	missing = count_missing();
	if (!missing) /* else somebody may still come, and must find its way */
		paging_set_trampoline(page, false);
	return missing;
}

unsigned smp_start(const struct acpi_info *acpi, struct memmap *map)
{
	static u16 node_map[MAX_NODES];

	topology_identify(cpuid_here, NULL, &smp.identity[0]);
	list_cpus(acpi, apic_id());
	choose_cpus();
	if (smp.nr > 1)
		smp.missing = start_others(map);
	if (!smp.missing) {
		STORE_RELEASE(smp.warp_gate, 1);
		clock_check_warp(smp.nr);
	}
	if (topology_build(smp.identity, smp.node, smp.nr, acpi->distance, &smp.topology, node_map))
		say("The topology of %u CPUs makes no sense\n", smp.nr);
	masquerade_begin(&smp.topology);
	return smp.missing;
}

unsigned machine_start_cpus(void (*entry)(void))
{
	if (smp.missing)
		return smp.missing;
	apic_timer_setup();
	STORE_RELEASE(smp.entry, entry);
	for (unsigned i = 1; i < smp.nr; i++)
		apic_send(x86_cpus[i].apic_id, VECTOR_START);
	return 0;
}

unsigned machine_nr_cpus(void)
{
	return smp.nr;
}

void machine_kick(unsigned cpu)
{
	if (unlikely(smp.deaf))
		return;
	apic_send(x86_cpus[cpu].apic_id, VECTOR_KICK);
}

/* ---- calls on all CPUs ---- */

static struct {
	void (*each)(void);
	u32 pending; /* atomic */
} call;

void smp_called(void)
{
	call.each();
	__atomic_sub_fetch(&call.pending, 1, __ATOMIC_RELEASE);
}

void smp_call_all(void (*each)(void))
{
	unsigned long flags;

	bug_on(machine_irqs_off());
	flags = machine_irq_save();
	call.each = each;
	STORE_RELEASE(call.pending, smp.nr - 1);
	for (unsigned i = 0; i < smp.nr; i++)
		if (i != machine_cpu())
			apic_send(x86_cpus[i].apic_id, VECTOR_CALL);
	each();
	machine_irq_restore(flags);
	while (LOAD_ACQUIRE(call.pending))
		cpu_pause();
}

void smp_lose_kicks(void)
{
	smp.deaf = true;
}

/* ---- the end of all others ---- */

static bool has_come(unsigned cpu)
{
	return !cpu || smp.has_come[cpu];
}

/* By the bare TSC: whoever was stopped may hold the clock's lock. */
static void wait_until_all_stand(void)
{
	enum { SECONDS = 2 };
	u64 start = tsc_read(), most = SECONDS * clock_facts()->tsc_hz;

	for (unsigned i = 0; i < smp.nr; i++)
		while (i != machine_cpu() && has_come(i) && !LOAD_ACQUIRE(x86_cpus[i].stands) && tsc_read() - start < most)
			cpu_pause();
}

void machine_stop_others(void)
{
	smp.stopper = machine_cpu() + 1;
	results_last_words();
	for (unsigned i = 0; i < smp.nr; i++)
		if (i != machine_cpu() && has_come(i))
			apic_send_nmi(x86_cpus[i].apic_id);
	wait_until_all_stand();
}

bool smp_stopping(void)
{
	return smp.stopper && smp.stopper != machine_cpu() + 1;
}

_Noreturn void smp_stand_still(struct frame *f)
{
	this_cpu()->frame = f;
	STORE_RELEASE(this_cpu()->stands, true);
	cpu_stop();
}

unsigned machine_stopped_at(unsigned cpu, bool *irqs_off, u64 *address, unsigned max)
{
	const struct x86_cpu *c = &x86_cpus[cpu];

	if (!c->frame || !max || (cpu != machine_cpu() && !LOAD_ACQUIRE(c->stands)))
		return 0;
	*irqs_off = !(c->frame->rflags & RFLAGS_IF);
	address[0] = c->frame->rip;
	return 1 + host_backtrace(c->frame->rbp, address + 1, max - 1);
}
