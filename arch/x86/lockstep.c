/* SPDX-License-Identifier: GPL-2.0-or-later
 * Lockstep: the kernel on one real CPU that multiplexes virtual ones. Time is the TSC, which under QEMU's icount counts
 * instructions. */
#include "arch/vcpu/cost.h"
#include "arch/vcpu/engine.h"
#include "arch/vcpu/params.h"
#include "arch/x86/apic.h"
#include "arch/x86/boot.h"
#include "arch/x86/clock.h"
#include "arch/x86/console.h"
#include "arch/x86/cpu.h"
#include "arch/x86/params.h"
#include "arch/x86/results.h"
#include "arch/x86/trap.h"
#include "arch/x86/x86.h"
#include "base/text.h"

const struct knob_table *const machine_knobs[] = { &x86_knob_table, &vcpu_knob_table, NULL };

/* ---- time ---- */

static struct {
	bool exact;
	u64 base;     /* TSC at time 0 */
	u64 ns_scale; /* ns per cycle, shifted by 32; not if exact */
} tsc;

u64 host_time_ns(void)
{
	u64 cycles = tsc_read() - tsc.base;

	return tsc.exact ? cycles : (u64)((u128)cycles * tsc.ns_scale >> 32);
}

/* Two instructions a turn. */
static u64 cycles_of_turns(u64 n)
{
	u64 start = tsc_read();

	__asm__ volatile("1: decq %0; jnz 1b" : "+r"(n)::"cc");
	return tsc_read() - start;
}

/* Does every instruction advance the TSC by one? Twice as many turns then take exactly so many cycles more, each time. */
static bool counts_instructions(void)
{
	enum { TURNS = 5000, TRIES = 5 };

	for (unsigned i = 0; i < TRIES; i++)
		if (cycles_of_turns(2 * TURNS) - cycles_of_turns(TURNS) != 2 * TURNS)
			return false;
	return true;
}

static void time_init(void)
{
	tsc.exact = counts_instructions();
	tsc.ns_scale = mul_div(NSEC_PER_SEC, 1ull << 32, clock_facts()->tsc_hz);
	tsc.base = tsc_read();
}

/* ---- costs: the instructions are the cost; a build for `make calibrate` notes where they went ---- */

void machine_charge(enum cost cost, u64 units)
{
#ifdef CALIBRATE
	engine_leave();
	cost_note(cost, units);
	engine_return();
#else
	(void)cost, (void)units;
#endif
}

/* ---- contexts ---- */

struct context *host_switch(struct context *from, struct context *to)
{
	return context_switch(from, to);
}

/* ---- the outside ---- */

void machine_console_write(const char *text, size_t bytes)
{
	engine_leave();
	results_keep(text, bytes);
	console_write(text, bytes);
	engine_return();
}

int machine_console_read(char *c)
{
	int got;

	engine_leave();
	got = console_read(c);
	engine_return();
	return got;
}

/* A task that never comes to an engine point is seen by the real timer, which nothing else uses here. */
enum { WATCH_NS = 1000000000, STUCK_AFTER = 3 };

static struct {
	u64 hz, seen;
	unsigned still;
} watchdog;

static void watchdog_arm(void)
{
	apic_write(APIC_TIMER_INITIAL, (u32)min_u64(watchdog.hz * WATCH_NS / NSEC_PER_SEC, ~0u));
}

static void watchdog_init(void)
{
	u64 start;

	apic_write(APIC_TIMER_DIVIDE, DIVIDE_BY_1);
	apic_write(APIC_TIMER_INITIAL, ~0u);
	start = clock_now_ns();
	while (clock_now_ns() - start < 5 * NSEC_PER_MSEC)
		cpu_pause();
	watchdog.hz = (u64)(~0u - apic_read(APIC_TIMER_CURRENT)) * 200;
	apic_write(APIC_LVT_TIMER, VECTOR_TIMER);
	watchdog_arm();
}

bool interrupt_handle(struct frame *f)
{
	if (f->vector != VECTOR_TIMER)
		return false;
	apic_eoi();
	watchdog.still = engine_points == watchdog.seen ? watchdog.still + 1 : 0;
	watchdog.seen = engine_points;
	if (watchdog.still == STUCK_AFTER)
		engine_die_at(f->rip, f->rbp, "stuck", "the running task has not come to an engine point for 3 s");
	watchdog_arm();
	return true;
}

void host_last_words(void)
{
	irq_off();
	results_last_words();
}

/* ---- start ---- */

void boot_params(const char *cmdline)
{
	knobs_parse_known(machine_knobs, MACHINE_TABLES, cmdline);
}

void boot_facts(struct machine_info *info)
{
	info->machine = "lockstep";
	info->apic = "virtual";
	info->timer = "virtual";
	info->exact = tsc.exact;
	if (tsc.exact)
		info->clock_reference = "instructions";
}

void boot_farewell(void)
{
#ifdef CALIBRATE
	cost_say_table();
#endif
}

static _Noreturn void refuse_shape(const char *error)
{
	say("Error: %s\n", error);
	machine_end(END_POWEROFF, VERDICT_REFUSED);
}

_Noreturn void boot_machine(const struct acpi_info *acpi, struct memmap *map)
{
	static char error[160];

	(void)acpi, (void)map;
	if (vcpu_params_settle(error, sizeof(error)))
		refuse_shape(error);
	time_init();
	if (!tsc.exact)
		say("Time is the TSC at %llu Hz, which does not count instructions here: runs are not reproducible\n",
			(unsigned long long)clock_facts()->tsc_hz);
	engine_init(shape.nr_cpus);
	watchdog_init();
	irq_on();
	kernel_main();
}
