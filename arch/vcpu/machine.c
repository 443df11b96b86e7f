/* SPDX-License-Identifier: GPL-2.0-or-later
 * The machine contract on virtual CPUs. */
#include "arch/machine.h"

#include "arch/vcpu/cost.h"
#include "arch/vcpu/engine.h"
#include "arch/vcpu/params.h"
#include "base/random.h"
#include "base/text.h"

/* ---- who and how many ---- */

unsigned machine_cpu(void)
{
	return running->index;
}

unsigned machine_nr_cpus(void)
{
	return shape.nr_cpus;
}

const struct topology *machine_topology(void)
{
	return &shape;
}

/* ---- time ---- */

u64 machine_clock_ns(void)
{
	machine_charge(COST_CLOCK, 1);
	engine_point();
	return running->clock;
}

u64 machine_peek_ns(void)
{
	return engine_now();
}

void machine_timer_arm(u64 deadline_ns)
{
	running->deadline = deadline_ns;
}

/* ---- interrupts ---- */

unsigned long machine_irq_save(void)
{
	bool were_on = running->irqs_on;

	running->irqs_on = false;
	return were_on;
}

void machine_irq_restore(unsigned long flags)
{
	if (!flags)
		return;
	running->irqs_on = true;
	engine_point();
}

void machine_irq_enable(void)
{
	machine_irq_restore(1);
}

bool machine_irqs_off(void)
{
	return !running->irqs_on;
}

void machine_idle(void)
{
	engine_park(running->deadline);
	running->irqs_on = true;
	engine_deliver();
	running->irqs_on = false;
}

void machine_relax(void)
{
	engine_relax();
}

/* ---- counters ---- */

const char *machine_counters(void)
{
	return "none on virtual CPUs";
}

const char *machine_counter_of(enum hw_event event)
{
	(void)event;
	return NULL;
}

void machine_counters_begin(u32 wanted)
{
	(void)wanted;
}

void machine_counters_end(struct hw_counts *out)
{
	*out = (struct hw_counts){ .supported = 0 };
}

/* ---- holding still: nothing here has a frequency, a prefetcher, a state to sleep in or a firmware ---- */

static struct still_wish wish;

void machine_hold_still(const struct still_wish *w)
{
	wish = *w;
}

void machine_let_go(void)
{
}

void machine_still(enum still_item item, struct still_note *note)
{
	const bool asked[] = { [STILL_TURBO] = wish.turbo,
		[STILL_PSTATE] = wish.pstate,
		[STILL_CSTATE] = wish.cstate,
		[STILL_PREFETCH] = wish.prefetch };

	*note = (struct still_note){ .before = "" };
	if (asked[item])
		text_format(note->state, sizeof(note->state), "not supported: the CPUs are virtual");
}

void machine_certificate_begin(void)
{
}

void machine_certificate_end(void)
{
}

void machine_certificate(unsigned cpu, struct certificate *out)
{
	(void)cpu;
	*out = (struct certificate){ .known = 0 };
}

/* ---- distance ---- */

static unsigned distance(unsigned from, unsigned to)
{
	return place_distance(&shape.cpu[from], &shape.cpu[to]);
}

/* ---- kicks: they take a while, the longer the farther ---- */

static u64 jitter_state; /* 0: none */

void machine_perturb(u64 seed)
{
	jitter_state = seed;
	cost_reset();
}

/* Up to a quarter more or less. */
static u64 jittered(u64 ns)
{
	return jitter_state && ns >= 4 ? ns - ns / 4 + random_next(&jitter_state) % (ns / 2 + 1) : ns;
}

void machine_kick(unsigned cpu)
{
	engine_point();
	engine_kick(cpu, running->clock + jittered(vcpu_kick_ns[distance(running->index, cpu)]));
}

unsigned machine_start_cpus(void (*entry)(void))
{
	for (unsigned cpu = 1; cpu < shape.nr_cpus; cpu++)
		engine_start_cpu(cpu, entry);
	return 0;
}

bool machine_break(enum machine_breakage what)
{
	(void)what;
	return false;
}

/* There is one flow of execution: whoever reports a fault is alone, but for the host's watch over it. */
void machine_stop_others(void)
{
	host_last_words();
}

/* ---- locks ---- */

void machine_lock(u32 *owner)
{
	engine_point();
	if (!*owner)
		*owner = running->index + 1;
	else
		engine_wait_for_lock(owner);
}

bool machine_trylock(u32 *owner)
{
	engine_point();
	if (*owner)
		return false;
	*owner = running->index + 1;
	return true;
}

/* Whoever is earlier must still find it taken: so they go first. */
void machine_unlock(u32 *owner)
{
	engine_point();
	engine_release_lock(owner);
}

/* ---- contexts ---- */

struct context *machine_current(void)
{
	return running->current;
}

void machine_adopt(struct context *c)
{
	running->current = c;
}

/* The virtual CPU stays; what it executes changes. */
struct context *machine_switch(struct context *from, struct context *to)
{
	running->current = to;
	return host_switch(from, to);
}

/* Virtual CPUs share one set of page tables. */
void machine_space_enter(u64 space)
{
	running->current->space = space;
}

/* ---- work and cost ---- */

/* Work is time, not instructions: the CPU is parked until it is done, and taken up early by what interrupts it. */
void machine_work_ns(u64 n)
{
	engine_point();
	while (n) {
		u64 start = running->clock, done;

		running->work_end = start + n;
		engine_park(min_u64(running->work_end, running->deadline));
		done = running->clock - start;
		running->work_end = TIMER_NEVER;
		n -= min_u64(n, done);
		engine_deliver();
	}
}

u64 machine_charge_cold(unsigned from)
{
	u64 ns = vcpu_cold_ns[distance(from, running->index)];

	engine_charge(ns);
	running->mark += ns;
	engine_point();
	return ns;
}

u64 machine_skew_ns(void)
{
	return engine_longest_stretch_ns();
}
