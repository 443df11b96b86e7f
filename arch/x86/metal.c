/* SPDX-License-Identifier: GPL-2.0-or-later
 * The machine contract on real CPUs: what is a few instructions each. */
#include "arch/x86/apic.h"
#include "arch/x86/boot.h"
#include "arch/x86/clock.h"
#include "arch/x86/console.h"
#include "arch/x86/cpu.h"
#include "arch/x86/masquerade_machine.h"
#include "arch/x86/params.h"
#include "arch/x86/pmu_machine.h"
#include "arch/x86/results.h"
#include "arch/x86/smp.h"
#include "arch/x86/trap.h"
#include "arch/x86/watchdog.h"
#include "arch/x86/witness.h"
#include "arch/x86/work.h"
#include "arch/x86/x86.h"

unsigned machine_cpu(void)
{
	unsigned index;

	__asm__ volatile("movl %%gs:8, %0" : "=r"(index));
	return index;
}

u64 machine_clock_ns(void)
{
	return clock_now_ns();
}

u64 machine_peek_ns(void)
{
	return clock_now_ns();
}

void machine_console_write(const char *text, size_t bytes)
{
	results_keep(text, bytes);
	console_write(text, bytes);
}

int machine_console_read(char *c)
{
	return console_read(c);
}

/* ---- interrupts ---- */

unsigned long machine_irq_save(void)
{
	unsigned long flags = rflags_read();

	irq_off();
	return flags;
}

void machine_irq_restore(unsigned long flags)
{
	if (flags & RFLAGS_IF)
		irq_on();
}

void machine_irq_enable(void)
{
	irq_on();
}

bool machine_irqs_off(void)
{
	return !(rflags_read() & RFLAGS_IF);
}

void machine_relax(void)
{
	cpu_pause();
}

bool interrupt_handle(struct frame *f)
{
	switch (f->vector) {
	case VECTOR_TIMER:
		apic_eoi();
		x86_watchdog_tick(f);
		pmu_timer();
		witness_timer();
		kernel_timer();
		kernel_irq_exit();
		return true;
	case VECTOR_KICK:
		apic_eoi();
		kernel_kicked();
		kernel_irq_exit();
		return true;
	case VECTOR_CALL:
		apic_eoi();
		smp_called();
		return true;
	case VECTOR_START:
		apic_eoi();
		return true;
	case VECTOR_NMI:
		if (smp_stopping())
			smp_stand_still(f);
		return x86_watchdog_nmi(f);
	default:
		return false;
	}
}

/* ---- locks ----
 * Test-and-test-and-set rather than tickets: under an emulator the next ticket's CPU may not be running at all, and everybody
 * behind it would wait for it. */

bool machine_trylock(u32 *owner)
{
	u32 free = 0;

	return __atomic_compare_exchange_n(owner, &free, machine_cpu() + 1, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
}

static bool becomes_free(const u32 *owner)
{
	enum { LOOKS = 1 << 16 };

	for (unsigned i = 0; i < LOOKS; i++) {
		if (!READ_ONCE(*owner))
			return true;
		cpu_pause();
	}
	return false;
}

/* Wait until it looks free before trying again: readers share the cache line, writers fight for it. */
static __attribute__((noinline)) void wait_for_lock(u32 *owner)
{
	do {
		struct lock_wait wait = { 0 };

		while (!becomes_free(owner))
			x86_watchdog_wait(&wait, READ_ONCE(*owner));
	} while (!machine_trylock(owner));
}

void machine_lock(u32 *owner)
{
	if (unlikely(!machine_trylock(owner)))
		wait_for_lock(owner);
}

void machine_unlock(u32 *owner)
{
	STORE_RELEASE(*owner, 0);
}

/* ---- contexts ---- */

struct context *machine_current(void)
{
	struct context *c;

	__asm__ volatile("movq %%gs:16, %0" : "=r"(c));
	return c;
}

void machine_adopt(struct context *c)
{
	this_cpu()->current = c;
}

/* Contexts without a space of their own (idle, stoppers) run in whatever is loaded. */
struct context *machine_switch(struct context *from, struct context *to)
{
	if (to->space && to->space != cr3_read())
		cr3_write(to->space);
	this_cpu()->current = to;
	return context_switch(from, to);
}

/* Whoever preempts it in between has it come back with the new space. */
void machine_space_enter(u64 space)
{
	machine_current()->space = space;
	cr3_write(space);
}

/* ---- costs: here they are incurred, not charged ---- */

void machine_charge(enum cost cost, u64 units)
{
	(void)cost, (void)units;
}

void machine_perturb(u64 seed)
{
	(void)seed;
}

u64 machine_skew_ns(void)
{
	const struct clock_facts *clock = clock_facts();

	return mul_div(clock->warp_cycles, NSEC_PER_SEC, clock->tsc_hz);
}

/* ---- breaking it ---- */

bool machine_break(enum machine_breakage what)
{
	if (what == BREAK_TIMER)
		apic_write(APIC_LVT_TIMER, LVT_MASKED | VECTOR_TIMER);
	else
		smp_lose_kicks();
	return true;
}

/* ---- start ---- */

const struct knob_table *const machine_knobs[] = { &x86_knob_table, &masquerade_knob_table, NULL };

void boot_params(const char *cmdline)
{
	knobs_parse_known(machine_knobs, MACHINE_TABLES, cmdline);
}

void boot_facts(struct machine_info *info)
{
	info->machine = "metal";
	info->apic = apic_mode();
	info->timer = apic_timer_name();
	masquerade_facts(info);
}

void boot_farewell(void)
{
}

_Noreturn void boot_machine(const struct acpi_info *acpi, struct memmap *map)
{
	smp_start(acpi, map);
	clock_settle();
	apic_timer_init();
	work_calibrate();
	pmu_init();
	x86_watchdog_start();
	kernel_main();
}
