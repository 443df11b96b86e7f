/* SPDX-License-Identifier: GPL-2.0-or-later
 * The contract between the kernel and whatever it runs on. Each machine implements all of it; the choice is made at link time.
 *
 * Unless a block says otherwise a call may be made from any context, with interrupts on or off, and never blocks.
 */
#ifndef ARCH_MACHINE_H
#define ARCH_MACHINE_H

#include "arch/cost.h"
#include "arch/topology.h"
#include "base/types.h"

struct knob_table;

/* ---- who and how many ---- */

/* The index of the CPU that executes this, 0..machine_nr_cpus()-1. Stable only while interrupts are off or preemption is. */
unsigned machine_cpu(void);
unsigned machine_nr_cpus(void);
const struct topology *machine_topology(void);

/* What a report says of the machine. Strings are ASCII and live for ever. */
struct machine_info {
	const char *machine; /* metal, lockstep, sim */
	const char *version, *build;
	const char *loader, *firmware, *cmdline;
	const char *cpu_vendor, *cpu_model, *hypervisor;
	const char *apic, *timer, *clocksource, *clock_reference;
	u64 memory_bytes, clocksource_hz, tsc_hz, tsc_warp_cycles;
	bool tsc_invariant;
	bool exact;		     /* the same command line gives the same log, byte for byte */
	const struct topology *real; /* where machine_topology() is only pretended: how the CPUs really sit; NULL: it is not */
	unsigned cpus_left_out;	     /* CPUs there are besides, which a pretended topology has no place for */
	const char *refusal;	     /* why the machine cannot be what its own parameters ask for, in one line; NULL: it is */
};
const struct machine_info *machine_info(void);

/* The machine's own command-line parameters; they were read before the kernel started and are listed here to be checked and shown.
 */
extern const struct knob_table *const machine_knobs[]; /* NULL-terminated, at most MACHINE_TABLES */
enum { MACHINE_TABLES = 2 };

/* ---- time ---- */

/* Nanoseconds since boot; monotonic, and the same on all CPUs up to machine_info()->tsc_warp_cycles. */
u64 machine_clock_ns(void);
/* The same for who must not be noticed: nothing happens meanwhile, and on virtual CPUs it takes no time of theirs. */
u64 machine_peek_ns(void);

/* Raise the timer interrupt on this CPU once, at or soon after that instant; replaces an earlier request. Interrupts are off. */
#define TIMER_NEVER (~0ull)
void machine_timer_arm(u64 deadline_ns);

/* ---- CPUs and interrupts ---- */

/*
 * Start every other CPU; each calls entry() on its idle stack with interrupts off. Returns when all have arrived at machine_cpu()
 * being valid there, or 0 < n = how many did not come (each was named on the console).
 */
unsigned machine_start_cpus(void (*entry)(void));

/* Make that CPU take an interrupt soon that calls kernel_kicked(). To kick oneself is allowed. */
void machine_kick(unsigned cpu);

/* Turn interrupts off and say how they were; put them back. */
unsigned long machine_irq_save(void);
void machine_irq_restore(unsigned long flags);
void machine_irq_enable(void);
bool machine_irqs_off(void);

/* Wait for an interrupt. Called with interrupts off, returns with them off; an interrupt that comes in between is not lost. */
void machine_idle(void);

/* Inside a loop that waits for another CPU. */
void machine_relax(void);

/* What the machine calls, interrupts off. kernel_main() once, on the boot CPU, when the machine is ready; it does not return. */
_Noreturn void kernel_main(void);
void kernel_timer(void);    /* the deadline of machine_timer_arm() has passed */
void kernel_kicked(void);   /* machine_kick() */
void kernel_irq_exit(void); /* after each of the two above: may switch to another task */

/* What a watchdog asks of any CPU, at any time and without locks; what changes meanwhile may be told as it was or as it is. */
struct pulse {
	u64 passed;  /* times that it has chosen what to run */
	bool wanted; /* it has been asked to choose again, or to take over wakeups */
	bool bound;  /* its task is where it cannot be preempted */
	bool idle;   /* its idle task runs, nothing waits there and no timer but the tick will ever fire */
};
void kernel_pulse(unsigned cpu, struct pulse *p);
/* The same in a few instructions, for each tick: bound; and passed. */
bool kernel_is_bound(unsigned cpu, u64 *passed);

/* ---- locks: base/spinlock.h builds on these; *owner is 0 or the CPU that holds it + 1. Interrupts are off ---- */

void machine_lock(u32 *owner);
bool machine_trylock(u32 *owner);
void machine_unlock(u32 *owner);

/* ---- contexts ---- */

/* A flow of control that is not running: its registers are on its stack. Sits first in a task. */
struct aside;
struct context {
	void *sp;
	u64 space;	     /* address space, from machine_space_new(); 0: any will do */
	struct aside *aside; /* base/aside.h; NULL: none */
};

/* The context that runs on this CPU. */
struct context *machine_current(void);

/* From now on the running flow of control of this CPU is *c. Once per CPU, for the flow that boots it. */
void machine_adopt(struct context *c);

/* Prepare *c to begin at entry(prev), interrupts off, on an empty stack; prev as machine_switch() returns it. entry never returns.
 */
void machine_context_init(struct context *c, void *stack_top, void (*entry)(struct context *prev));

/* Interrupts are off. Save this flow in *from, go on with *to; when somebody switches back, return the context that ran just
 * before. */
struct context *machine_switch(struct context *from, struct context *to);

/* A stack with a guard page below, 16-byte aligned top; NULL when memory is out. */
enum { STACK_BYTES = 16384 };
void *machine_stack_new(void);
void machine_stack_free(void *top);
/* Its lowest word, next to the guard page. */
u64 *machine_stack_end(void *top);

/* An address space that shares all of the kernel's; 0 when memory is out. Freed when no context uses it any more. */
u64 machine_space_new(void);
void machine_space_free(u64 space);
/* The running context goes on in that address space. */
void machine_space_enter(u64 space);

/* ---- work and cost ---- */

/* Consume n ns of CPU time; time while preempted does not count. Interrupts are on. Granularity: about 1 us. */
void machine_work_ns(u64 n);

/*
 * So many units of a named cost have just been incurred. Where real time passes this is nothing; in the sim it advances the CPU's
 * clock by arch/vcpu/cost.def, and in lockstep it tells what the instructions since the last one went into.
 */
void machine_charge(enum cost cost, u64 units);

/* The current task begins to run here and ran on CPU `from` before: on virtual CPUs it finds its cache cold, and on real ones it is
 * made to wait where they are pretended to be farther apart than they are. Interrupts are off, no lock is held. Returns for how
 * many ns it was charged; 0 where real caches do this by themselves. */
u64 machine_charge_cold(unsigned from);

/* From now on be as irregular as real machines are, in a way that depends on the seed only; 0: do not. Real machines need no
 * telling. */
void machine_perturb(u64 seed);

/* By how much the clocks of two CPUs may have differed at most since this was last asked, in ns. */
u64 machine_skew_ns(void);

/* ---- counters in hardware ---- */

#define HW_EVENT_NAMES(E)                                                                                                          \
	E(HW_CYCLES, cycles)                                                                                                       \
	E(HW_INSTRUCTIONS, instructions)                                                                                           \
	E(HW_BRANCHES, branches)                                                                                                   \
	E(HW_BRANCH_MISSES, branch_misses)                                                                                         \
	E(HW_STALLED_FRONTEND, stalled_frontend)                                                                                   \
	E(HW_STALLED_BACKEND, stalled_backend) E(HW_LLC_MISSES, llc_misses) E(HW_REF_CYCLES, ref_cycles)

#define HW_EVENT_ENUMERATOR(id, name) id,
enum hw_event { HW_EVENT_NAMES(HW_EVENT_ENUMERATOR) NR_HW_EVENTS };

/* Sums over the CPUs. Where a CPU has fewer counters than events they take turns, and running_ns is less than enabled_ns. */
struct hw_counts {
	u32 supported;	/* bits, by enum hw_event: counted on every CPU */
	u64 enabled_ns; /* for how long */
	u64 value[NR_HW_EVENTS], running_ns[NR_HW_EVENTS];
};

/* What counters there are, in a few words, or "none" and why. ASCII, for ever. */
const char *machine_counters(void);
/* What counts that event: a fixed counter's name or an event's code; NULL: nothing. */
const char *machine_counter_of(enum hw_event event);

/* Count those events (bits) on all CPUs, whatever they run, idle loops included; then stop, and leave the counters as they were
 * found. In a task, interrupts on, one after the other. */
void machine_counters_begin(u32 wanted);
void machine_counters_end(struct hw_counts *out);

/* ---- holding the machine still, and certifying that it was: docs/still.md ---- */

enum still_item { STILL_TURBO, STILL_PSTATE, STILL_CSTATE, STILL_PREFETCH, NR_STILL_ITEMS };

enum { TURBO_AS_IS, TURBO_OFF, TURBO_ON };
enum { PSTATE_AS_IS, PSTATE_BASE, PSTATE_RATIOS };
enum { CSTATE_C1, CSTATE_POLL, CSTATE_ANY };
enum { PREFETCH_AS_IS, PREFETCH_OFF };

struct still_wish {
	u8 turbo, pstate, cstate, prefetch;
	u8 least_ratio, most_ratio; /* of the bus clock; PSTATE_RATIOS */
};

/* What became of one item, as text; state is "held", "held on n of m CPUs: why" or "not supported: why". */
struct still_note {
	char before[56], during[56], after[56]; /* empty: not known */
	char state[96];
};

/* Hold all CPUs so, as far as the machine can; let them be as they were. In a task, interrupts on, one after the other. Never
 * fails: what is refused is left alone. */
void machine_hold_still(const struct still_wish *wish);
void machine_let_go(void);
/* Of an item that was asked for last, and once it was let go; of another all is empty. */
void machine_still(enum still_item item, struct still_note *note);

/* What disturbed one CPU in an interval. */
enum { CERTIFY_FREQUENCY = 1, CERTIFY_SMI = 2, CERTIFY_THERMAL = 4, CERTIFY_GAPS = 8 };
struct certificate {
	unsigned known;			/* bits: of what the machine knows something; the rest is 0 */
	u64 actual_cycles, base_cycles; /* while it was not idle: those it had, and those it would have had at its base frequency */
	u64 smis;			/* interrupts by firmware */
	u64 hot;			/* not 0: it was slowed down because of heat, power or current */
	u64 gaps, longest_gap_ns;	/* times that its timer came late by gap_us= or more: somebody had taken the CPU away */
};

/* Around the interval, as machine_hold_still(); then for each CPU. */
void machine_certificate_begin(void);
void machine_certificate_end(void);
void machine_certificate(unsigned cpu, struct certificate *out);

/* ---- memory ---- */

/* Hand every usable range, page aligned and already addressable, to give(). Once, at boot. */
void machine_memory(void (*give)(void *start, u64 bytes));

/* ---- the outside ---- */

void machine_console_write(const char *text, size_t bytes);
/* What is written while this is so has been written before: where a log is kept for the next boot, it has no room for that. */
void machine_console_repeats(bool so);

/* One byte that somebody has typed, into *c. Returns 1; 0: nothing has come yet; -E_NOENT: nothing will ever come. Waits only where
 * no time passes meanwhile: the sim reads its standard input when it is asked, and not before. Interrupts are on. */
int machine_console_read(char *c);

/* How a run of the whole machine ends, and what it tells its starter. */
enum machine_end { END_POWEROFF, END_RESET, END_HALT };
enum machine_verdict { VERDICT_OK, VERDICT_FAILED, VERDICT_REFUSED, VERDICT_FAULT };
_Noreturn void machine_end(enum machine_end how, enum machine_verdict verdict);

/* Ask this CPU for what none has, and survive: how many of *asked requests it refused, 0 of 0 where there is nothing to ask. For
 * tests. */
unsigned machine_ask_impossible(unsigned *asked);

/* Stop all other CPUs where they are, for good. For a report of a broken machine. */
void machine_stop_others(void);

/* After that, of another CPU; or in the handler of an interrupt, of the flow that it interrupted here: its return addresses as
 * machine_backtrace() gives them, the instruction first, and whether interrupts were off. 0: not known. */
unsigned machine_stopped_at(unsigned cpu, bool *irqs_off, u64 *address, unsigned max);

/* Break the machine on purpose: this CPU's timer falls silent; no kick arrives any more. False: that cannot be done here. */
enum machine_breakage { BREAK_TIMER, BREAK_KICKS };
bool machine_break(enum machine_breakage what);

/* Return addresses of the calling flow, innermost first, at most max; returns how many. */
unsigned machine_backtrace(u64 *address, unsigned max);
/* The function that holds this address and the offset in it; NULL if none does. */
const char *machine_symbol(u64 address, u64 *offset);

#endif
