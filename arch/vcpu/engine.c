/* SPDX-License-Identifier: GPL-2.0-or-later
 * The virtual-time engine. */
#include "arch/vcpu/engine.h"

#include "arch/vcpu/cost.h"
#include "base/bug.h"
#include "base/text.h"

struct vcpu vcpus[MAX_CPUS];
struct vcpu *running = &vcpus[0];
u64 engine_points;

static bool dying; /* a report is under way: nothing moves any more */
static unsigned nr_vcpus;
static u64 resumed_ns;	    /* host time at which the running CPU was let go on */
static u64 longest_stretch; /* ns */
static u64 leak_ns;	    /* of the way into and out of an engine point, which is nobody's time */
static unsigned nr_waiting; /* CPUs that wait for a lock */
static u64 next_ticket;

/* ---- the queue: who goes on when ---- */

static int vcpu_order(const struct vcpu *a, const struct vcpu *b)
{
	if (a->instant != b->instant)
		return a->instant < b->instant ? -1 : 1;
	return a->index < b->index ? -1 : a->index > b->index;
}

RB_HEAD(vcpu_tree, vcpu);
RB_PROTOTYPE(vcpu_tree, vcpu, node, vcpu_order)
RB_GENERATE(vcpu_tree, vcpu, node, vcpu_order)

static struct vcpu_tree queue;
static struct vcpu *first; /* of the queue */

static void enqueue(struct vcpu *v, u64 instant)
{
	v->instant = instant;
	v->queued = true;
	RB_INSERT(vcpu_tree, &queue, v);
	if (!first || vcpu_order(v, first) < 0)
		first = v;
}

static void dequeue(struct vcpu *v)
{
	if (first == v)
		first = RB_NEXT(vcpu_tree, &queue, v);
	RB_REMOVE(vcpu_tree, &queue, v);
	v->queued = false;
}

/* ---- progress ---- */

/* Engine points without the clock of the earliest CPU moving on: far more than any honest program makes. */
enum { LIVELOCK_POINTS = 20000000 };

static void watch_progress(void)
{
	static u64 latest, points;

	if (running->clock > latest) {
		latest = running->clock;
		points = 0;
	} else if (++points > LIVELOCK_POINTS) {
		engine_die("livelock", "CPUs keep running but virtual time stands still");
	}
}

/* ---- switching between virtual CPUs ---- */

static void resume(struct vcpu *v)
{
	struct vcpu *previous = running;

	dequeue(v);
	if (v->instant > v->clock) {
		v->mark += v->instant - v->clock;
		v->clock = v->instant;
	}
	v->state = VCPU_RUNNING;
	if (v == previous)
		return;
	running = v;
	host_switch(&previous->flow, &v->flow);
}

/* The running CPU has given up its turn. */
static void run_next(void)
{
	if (!first)
		engine_die("deadlock", "every CPU waits for a lock or sleeps, and nothing is under way that could wake one");
	resume(first);
}

static u64 stretch_ns(void)
{
	u64 stretch = host_time_ns() - resumed_ns;

	return stretch - min_u64(stretch, leak_ns);
}

u64 engine_now(void)
{
	return running->clock + stretch_ns();
}

static void account(void)
{
	u64 stretch = stretch_ns();

	running->clock += stretch;
	if (stretch > longest_stretch)
		longest_stretch = stretch;
}

static void let_go_on(void)
{
	resumed_ns = host_time_ns();
}

static bool is_earlier(const struct vcpu *v)
{
	return v->instant < running->clock || (v->instant == running->clock && v->index < running->index);
}

static void let_earlier_go_first(void)
{
	if (!first || !is_earlier(first))
		return;
	running->state = VCPU_READY;
	enqueue(running, running->clock);
	run_next();
}

/* ---- interrupts ---- */

static bool is_due(const struct vcpu *v)
{
	return v->deadline <= v->clock || v->kick <= v->clock;
}

void engine_deliver(void)
{
	while (running->irqs_on && is_due(running)) {
		bool kicked = running->kick <= running->clock;
		u64 pending;

		running->irqs_on = false;
		if (kicked)
			running->kick = TIMER_NEVER;
		else
			running->deadline = TIMER_NEVER;
		pending = running->clock - running->mark; /* of what was interrupted */
		engine_charge(cost_ns(COST_INTERRUPT, 1));
		running->mark = running->clock;
		let_go_on();
		if (kicked)
			kernel_kicked();
		else
			kernel_timer();
		kernel_irq_exit(); /* may return much later, and on another virtual CPU */
		account();
		let_go_on();
		running->mark = running->clock - min_u64(pending, running->clock);
		running->irqs_on = true;
	}
}

void engine_leave(void)
{
	account();
}

void engine_return(void)
{
	let_go_on();
}

/* ---- engine points ---- */

void engine_point(void)
{
	engine_points++;
	if (dying)
		return;
	account();
	watch_progress();
	let_earlier_go_first();
	engine_deliver();
	let_go_on();
}

void engine_charge(u64 ns)
{
	running->clock += ns;
	if (ns > longest_stretch)
		longest_stretch = ns;
}

void engine_park(u64 instant)
{
	account();
	running->state = VCPU_PARKED;
	instant = min_u64(instant, running->kick);
	if (instant != TIMER_NEVER)
		enqueue(running, max_u64(instant, running->clock));
	run_next();
	let_go_on();
}

void engine_kick(unsigned cpu, u64 arrival)
{
	struct vcpu *v = &vcpus[cpu];

	if (arrival >= v->kick)
		return;
	v->kick = arrival;
	if (v->state != VCPU_PARKED)
		return;
	if (v->queued && v->instant <= arrival)
		return;
	if (v->queued)
		dequeue(v);
	enqueue(v, max_u64(arrival, v->clock));
}

/* ---- spinlocks ---- */

/* From holder to what that one waits for, and so on: does it come back to us? */
static void look_for_circle(const u32 *lock)
{
	while (lock) {
		const struct vcpu *holder = &vcpus[*lock - 1];

		if (holder == running)
			engine_die("deadlock", "CPUs wait for each other's locks");
		lock = holder->state == VCPU_WAITING ? holder->lock : NULL;
	}
}

void engine_wait_for_lock(u32 *lock)
{
	account();
	running->state = VCPU_WAITING;
	running->lock = lock;
	look_for_circle(lock);
	running->ticket = next_ticket++;
	nr_waiting++;
	run_next();
	let_go_on();
}

/* The lock goes to whoever has waited longest, not to whoever comes by: ties by index would starve the CPUs of high numbers. */
void engine_release_lock(u32 *lock)
{
	struct vcpu *heir = NULL;

	*lock = 0;
	for (unsigned i = 0; nr_waiting && i < nr_vcpus; i++) {
		struct vcpu *v = &vcpus[i];

		if (v->state == VCPU_WAITING && v->lock == lock && (!heir || v->ticket < heir->ticket))
			heir = v;
	}
	if (!heir)
		return;
	nr_waiting--;
	*lock = heir->index + 1;
	heir->lock = NULL;
	heir->state = VCPU_READY;
	enqueue(heir, max_u64(heir->clock, running->clock));
}

/* Who waits for another CPU's action must not be the earliest for ever: step behind whoever is next. */
void engine_relax(void)
{
	u64 behind, due;

	engine_points++;
	account();
	behind = first && first->instant >= running->clock ? first->instant + 1 : running->clock + 1;
	due = min_u64(running->deadline, running->kick);
	running->clock = due > running->clock ? min_u64(behind, due) : behind; /* but past no interrupt of its own */
	let_earlier_go_first();
	engine_deliver();
	let_go_on();
}

/* ---- start ---- */

/*
 * What an engine point costs whoever makes it, beyond the instructions that stand there on a real CPU. A lock taken and released
 * with interrupts off is three engine points here and 13 instructions there (arch/x86/metal.c).
 */
static void measure_leak(void)
{
	enum { ROUNDS = 1000, POINTS = 3, REAL_INSTRUCTIONS = 13 };
	u64 start = running->clock, each;
	u32 lock = 0;

	running->irqs_on = true;
	for (unsigned i = 0; i < ROUNDS; i++) {
		unsigned long flags = machine_irq_save();

		machine_lock(&lock);
		machine_unlock(&lock);
		machine_irq_restore(flags);
	}
	running->irqs_on = false;
	each = (running->clock - start) / ROUNDS;
	leak_ns = (each - min_u64(each, REAL_INSTRUCTIONS)) / POINTS;
	longest_stretch = 0;
}

void engine_init(unsigned nr)
{
	nr_vcpus = nr;
	for (unsigned i = 0; i < nr; i++) {
		vcpus[i].index = i;
		vcpus[i].state = i ? VCPU_ABSENT : VCPU_RUNNING;
		vcpus[i].deadline = vcpus[i].kick = vcpus[i].work_end = TIMER_NEVER;
	}
	running = &vcpus[0];
	let_go_on();
	measure_leak();
}

static void (*start_entry)(void);

static void start(struct context *previous)
{
	(void)previous;
	let_go_on();
	start_entry();
}

void engine_start_cpu(unsigned cpu, void (*entry)(void))
{
	struct vcpu *v = &vcpus[cpu];
	void *stack = machine_stack_new();

	bug_on(!stack);
	start_entry = entry;
	machine_context_init(&v->flow, stack, start);
	v->clock = running->clock;
	v->mark = running->clock;
	v->state = VCPU_READY;
	enqueue(v, v->clock);
}

/* ---- the end ---- */

static const char *const state_name[] = { [VCPU_RUNNING] = "runs",
	[VCPU_READY] = "ready",
	[VCPU_PARKED] = "parked",
	[VCPU_WAITING] = "waits for a lock",
	[VCPU_ABSENT] = "not started" };

enum { MOST_FRAMES = 16, SAVED_RBP = 5 /* words above the stack pointer: switch.asm pushes it first */ };

unsigned machine_stopped_at(unsigned cpu, bool *irqs_off, u64 *address, unsigned max)
{
	const struct vcpu *v = &vcpus[cpu];

	if (v == running || v->state == VCPU_ABSENT)
		return 0;
	*irqs_off = !v->irqs_on;
	return host_backtrace(((u64 *)v->flow.sp)[SAVED_RBP], address, max);
}

static void say_vcpu(const struct vcpu *v)
{
	say("  CPU %u %s at %llu ns, interrupts %s", v->index, state_name[v->state], (unsigned long long)v->clock,
		v->irqs_on ? "on" : "off");
	if (v->deadline != TIMER_NEVER)
		say(", timer at %llu ns", (unsigned long long)v->deadline);
	if (v->lock)
		say(", lock %p held by CPU %u", (void *)v->lock, *v->lock - 1);
	say("\n");
}

static _Noreturn void die(const u64 *trace, unsigned n, const char *kind, const char *message)
{
	struct fault f = { .kind = kind, .message = message, .rip = trace[0], .backtrace = trace, .nr_backtrace = n };

	dying = true;
	machine_stop_others();
	say_panic();
	say("%s: %s\n", kind, message);
	for (unsigned i = 0; i < nr_vcpus; i++)
		say_vcpu(&vcpus[i]);
	fault_die(&f);
}

_Noreturn void engine_die(const char *kind, const char *message)
{
	u64 trace[MOST_FRAMES] = { 0 };
	unsigned n = machine_backtrace(trace, MOST_FRAMES);

	die(trace, n, kind, message);
}

_Noreturn void engine_die_at(u64 rip, u64 frame_pointer, const char *kind, const char *message)
{
	u64 trace[MOST_FRAMES] = { rip };
	unsigned n = host_backtrace(frame_pointer, trace + 1, MOST_FRAMES - 1);

	die(trace, n + 1, kind, message);
}

u64 engine_longest_stretch_ns(void)
{
	u64 longest = longest_stretch;

	longest_stretch = 0;
	return longest;
}
