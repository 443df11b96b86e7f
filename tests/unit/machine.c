/* SPDX-License-Identifier: GPL-2.0-or-later
 * arch/machine.h for unit tests; machine.h says how it behaves. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "tests/unit/machine.h"
#include "tests/unit/stacks.h"

#include "base/bug.h"
#include "base/knobs.h"
#include "base/mem.h"
#include "base/string.h"
#include "sched/rq.h"

struct test_cpu {
	struct context *current;
	bool irqs_off, kicked;
	unsigned kicks;
	u64 deadline_ns;
};

static struct test_cpu cpus[MAX_CPUS];
static unsigned executing;
static enum test_switch switching;
static u64 clock_ns, last_switch_ns;
static bool in_timer;
static struct topology topology;

static struct test_cpu *this_cpu(void)
{
	return &cpus[executing];
}

/* ---- who and how many ---- */

unsigned machine_cpu(void)
{
	return executing;
}

unsigned machine_nr_cpus(void)
{
	return topology.nr_cpus;
}

const struct topology *machine_topology(void)
{
	return &topology;
}

struct machine_info test_info = {
	.machine = "test",
	.version = "test",
	.build = "test",
	.loader = "none",
	.firmware = "none",
	.cmdline = "",
	.cpu_vendor = "none",
	.cpu_model = "none",
	.hypervisor = "none",
	.apic = "none",
	.timer = "test",
	.clocksource = "test",
	.clock_reference = "none",
	.clocksource_hz = NSEC_PER_SEC,
	.tsc_hz = NSEC_PER_SEC,
	.tsc_invariant = true,
};

const struct machine_info *machine_info(void)
{
	return &test_info;
}

const struct knob_table *const machine_knobs[] = { NULL };

void test_machine(unsigned nodes, unsigned llcs_per_node, unsigned cores_per_llc, unsigned threads)
{
	unsigned llcs = nodes * llcs_per_node, cores = llcs * cores_per_llc;

	topology = (struct topology){
		.nr_cpus = cores * threads,
		.nr_nodes = nodes,
		.nr_packages = nodes,
		.nr_llcs = llcs,
		.nr_cores = cores,
	};
	assert_in_range(topology.nr_cpus, 1, MAX_CPUS);
	for (unsigned cpu = 0; cpu < topology.nr_cpus; cpu++) {
		unsigned core = cpu % cores, llc = core / cores_per_llc, node = llc / llcs_per_node;

		topology.cpu[cpu] = (struct cpu_place){
			.node = (u16)node,
			.package = (u16)node,
			.llc = (u16)llc,
			.core = (u16)core,
			.thread = (u16)(cpu / cores),
		};
	}
	for (unsigned i = 0; i < nodes; i++)
		for (unsigned k = 0; k < nodes; k++)
			topology.distance[i][k] = i == k ? 10 : 20;
	for (unsigned cpu = 0; cpu < MAX_CPUS; cpu++)
		cpus[cpu] = (struct test_cpu){ .irqs_off = true, .deadline_ns = TIMER_NEVER };
	mem_init();
}

void test_distance(unsigned node, unsigned other, u8 distance)
{
	topology.distance[node][other] = distance;
	topology.distance[other][node] = distance;
}

void test_on_cpu(unsigned cpu)
{
	assert_in_range(cpu, 0, topology.nr_cpus - 1);
	executing = cpu;
}

/* ---- time ---- */

u64 machine_clock_ns(void)
{
	return clock_ns;
}

u64 machine_peek_ns(void)
{
	return clock_ns;
}

void machine_timer_arm(u64 deadline_ns)
{
	bug_on(!machine_irqs_off());
	bug_on(in_timer && deadline_ns <= clock_ns); /* one interrupt a deadline: what is due has been done */
	this_cpu()->deadline_ns = deadline_ns;
}

void test_clock_set(u64 ns)
{
	assert_true(ns >= clock_ns);
	clock_ns = ns;
}

void test_clock_advance(u64 ns)
{
	clock_ns += ns;
}

u64 test_deadline(unsigned cpu)
{
	return cpus[cpu].deadline_ns;
}

/* ---- interrupts ---- */

/* The CPU that returns from an interrupt need not be the one that took it: the task may have been moved in between. */
static void interrupt(void (*handler)(void))
{
	this_cpu()->irqs_off = true;
	handler();
	kernel_irq_exit();
	this_cpu()->irqs_off = false;
}

static void timer(void)
{
	in_timer = true;
	kernel_timer();
	in_timer = false;
}

void test_timer_interrupt(void)
{
	this_cpu()->deadline_ns = TIMER_NEVER;
	interrupt(timer);
}

void test_kick_interrupt(void)
{
	this_cpu()->kicked = false;
	interrupt(kernel_kicked);
}

void test_clock_run(u64 until_ns)
{
	while (this_cpu()->deadline_ns <= until_ns) {
		test_clock_set(this_cpu()->deadline_ns > clock_ns ? this_cpu()->deadline_ns : clock_ns);
		test_timer_interrupt();
	}
	test_clock_set(until_ns);
}

void machine_kick(unsigned cpu)
{
	cpus[cpu].kicked = true;
	cpus[cpu].kicks++;
}

bool test_kicked(unsigned cpu)
{
	return cpus[cpu].kicked;
}

unsigned test_kicks(unsigned cpu)
{
	return cpus[cpu].kicks;
}

unsigned long machine_irq_save(void)
{
	unsigned long off = this_cpu()->irqs_off;

	this_cpu()->irqs_off = true;
	return off;
}

void machine_irq_enable(void)
{
	this_cpu()->irqs_off = false;
	while (switching == SWITCH_STACKS && this_cpu()->kicked)
		test_kick_interrupt();
}

void machine_irq_restore(unsigned long flags)
{
	if (!flags)
		machine_irq_enable();
}

bool machine_irqs_off(void)
{
	return this_cpu()->irqs_off;
}

/* Nobody else is there who could end the wait. */
void machine_relax(void)
{
	fail_msg("deadlock: CPU %u waits for another CPU", executing);
}

/* ---- the idle loop of all CPUs ---- */

static jmp_buf *arrival; /* where a CPU goes that has come to its idle loop for the first time */

static unsigned next_cpu(void)
{
	unsigned soonest = 0;

	for (unsigned cpu = 0; cpu < topology.nr_cpus; cpu++)
		if (cpus[cpu].kicked)
			return cpu;
	for (unsigned cpu = 1; cpu < topology.nr_cpus; cpu++)
		if (cpus[cpu].deadline_ns < cpus[soonest].deadline_ns)
			soonest = cpu;
	return soonest;
}

/* The next interrupt, and what its CPU then has to run. With SWITCH_STACKS every CPU is idle. */
static void run_next_cpu(void)
{
	executing = next_cpu();
	if (this_cpu()->kicked) {
		test_kick_interrupt();
	} else {
		if (switching == SWITCH_STACKS && this_cpu()->deadline_ns > last_switch_ns + 10 * NSEC_PER_SEC)
			fail_msg("deadlock: no CPU has anything to run");
		test_clock_set(this_cpu()->deadline_ns > clock_ns ? this_cpu()->deadline_ns : clock_ns);
		test_timer_interrupt();
	}
	this_cpu()->irqs_off = true;
	while (current()->need_resched)
		schedule();
	this_cpu()->irqs_off = switching == SWITCH_STACKS;
}

/* What the body of stop.c's tasks does. */
static void act_as_stopper(void)
{
	struct stop_work *work;

	while (current()->class == &stop_class) {
		work = this_rq()->stop_list;
		this_rq()->stop_list = NULL;
		assert_true(!work || !work->next);
		if (work)
			work->fn(work->argument);
		task_set_sleeping();
		schedule();
	}
}

void test_machine_run(u64 until_ns)
{
	unsigned self = executing;

	assert_int_equal(switching, SWITCH_LABELS);
	while (cpus[next_cpu()].kicked || cpus[next_cpu()].deadline_ns <= until_ns) {
		run_next_cpu();
		act_as_stopper();
	}
	test_clock_set(until_ns);
	executing = self;
}

void machine_idle(void)
{
	unsigned self = executing;

	if (arrival)
		longjmp(*arrival, 1);
	do
		run_next_cpu();
	while (executing != self);
}

/* Each CPU's way to its idle loop, on this stack; the loop itself is then left for good, and the test acts in its place. */
static void arrive(void (*entry)(void))
{
	jmp_buf here;

	arrival = &here;
	if (!setjmp(here))
		entry();
	arrival = NULL;
}

unsigned machine_start_cpus(void (*entry)(void))
{
	unsigned self = executing;

	for (executing = 0; executing < topology.nr_cpus; executing++)
		if (executing != self)
			arrive(entry);
	executing = self;
	return 0;
}

void test_switching(enum test_switch how)
{
	switching = how;
}

void test_boot(enum test_switch how)
{
	test_switching(how);
	knobs_reset(&sched_knob_table);
	sched_knobs_settle(topology.nr_cpus);
	sched_init();
	machine_start_cpus(sched_secondary);
	arrive(sched_run_cpu);
	for (unsigned cpu = 0; cpu < topology.nr_cpus; cpu++)
		cpus[cpu].irqs_off = false;
}

void test_run(void (*body)(void *), void *argument)
{
	struct task *t;

	assert_int_equal(switching, SWITCH_STACKS);
	test_on_cpu(0);
	this_cpu()->irqs_off = true;
	last_switch_ns = clock_ns;
	t = task_spawn("main", body, argument, false);
	assert_non_null(t);
	while (current()->need_resched)
		schedule();
	while (READ_ONCE(t->state) != TASK_DEAD || READ_ONCE(t->on_cpu))
		run_next_cpu();
	test_on_cpu(0);
	this_cpu()->irqs_off = false;
}

/* ---- contexts ---- */

struct context *context_switch(struct context *from, struct context *to);
void context_begin(void);

/* stubs.asm wants it for the interrupt vectors, which nobody uses here. */
void interrupt_dispatch(void *frame);
void interrupt_dispatch(void *frame)
{
	(void)frame;
	abort();
}

struct context *machine_current(void)
{
	return this_cpu()->current;
}

void machine_adopt(struct context *c)
{
	this_cpu()->current = c;
}

/* The first thing on a new stack. Where to go from here lies on top of the stack. */
static void begin(struct context *prev)
{
	void (*entry)(struct context *);
	void *top = ((struct task *)machine_current())->stack_top;

	__sanitizer_finish_switch_fiber(NULL, NULL, NULL);
	memcpy(&entry, (char *)top - sizeof(entry), sizeof(entry));
	entry(prev);
}

void machine_context_init(struct context *c, void *stack_top, void (*entry)(struct context *prev))
{
	u64 *sp = stack_top;

	*--sp = (u64)entry;
	*--sp = 0; /* context_begin finds the stack aligned, and calls */
	*--sp = (u64)context_begin;
	*--sp = 0;	    /* rbp: the end of every backtrace */
	*--sp = (u64)begin; /* rbx */
	for (unsigned i = 12; i <= 15; i++)
		*--sp = 0;
	c->sp = sp;
}

struct context *machine_switch(struct context *from, struct context *to)
{
	struct context *prev;
	void *save = NULL;

	bug_on(!machine_irqs_off());
	last_switch_ns = clock_ns;
	this_cpu()->current = to;
	if (switching == SWITCH_LABELS)
		return from;
	announce_switch(&save, to->sp);
	prev = context_switch(from, to);
	__sanitizer_finish_switch_fiber(save, NULL, NULL);
	return prev;
}

u64 test_spaces = ~0ull >> 1;

u64 machine_space_new(void)
{
	static u64 last;

	if (!test_spaces)
		return 0;
	test_spaces--;
	return ++last;
}

void machine_space_free(u64 space)
{
	test_spaces += space != 0;
}

void machine_space_enter(u64 space)
{
	this_cpu()->current->space = space;
}

/* ---- work ---- */

void machine_work_ns(u64 n)
{
	bug_on(machine_irqs_off());
	while (n) {
		u64 until = this_cpu()->deadline_ns > clock_ns ? this_cpu()->deadline_ns : clock_ns;
		u64 step = n < until - clock_ns ? n : until - clock_ns;

		clock_ns += step;
		n -= step;
		if (clock_ns >= this_cpu()->deadline_ns)
			test_timer_interrupt();
	}
}

/* ---- memory ---- */

enum { MEMORY_BYTES = 256 * 1024 * 1024 };

void machine_memory(void (*give)(void *start, u64 bytes))
{
	test_info.memory_bytes = MEMORY_BYTES;
	give(reserve(MEMORY_BYTES), MEMORY_BYTES);
}

/* ---- the end ---- */

static struct {
	jmp_buf *landing; /* NULL: nobody expects an end */
	enum machine_verdict verdict;
} end;

_Noreturn void machine_end(enum machine_end how, enum machine_verdict verdict)
{
	(void)how;
	if (!end.landing) {
		fail_msg("the machine ended with verdict %d; its console:\n%s", verdict, test_console());
		abort();
	}
	end.verdict = verdict;
	announce_switch(NULL, end.landing);
	longjmp(*end.landing, 1);
}

enum machine_verdict test_end_of(void (*fn)(void *), void *argument)
{
	jmp_buf here;

	end.landing = &here;
	if (!setjmp(here)) {
		fn(argument);
		fail_msg("the machine did not end");
	}
	__sanitizer_finish_switch_fiber(NULL, NULL, NULL);
	end.landing = NULL;
	return end.verdict;
}

void test_expect_bug(void (*fn)(void *), void *argument, const char *rule)
{
	assert_int_equal(test_end_of(fn, argument), VERDICT_FAULT);
	if (!strstr(test_console(), rule))
		fail_msg("\"%s\" was not the rule broken; the console:\n%s", rule, test_console());
}

/* ---- locks and costs: one flow of execution, so a lock found taken is a deadlock; nothing costs time but by test_cost() ---- */

void machine_lock(u32 *owner)
{
	bug_on(*owner);
	*owner = machine_cpu() + 1;
}

bool machine_trylock(u32 *owner)
{
	if (*owner)
		return false;
	*owner = machine_cpu() + 1;
	return true;
}

void machine_unlock(u32 *owner)
{
	*owner = 0;
}

void (*test_on_charge)(enum cost cost);

static u64 cost_ns[NR_COSTS];

void test_cost(enum cost cost, u64 ns)
{
	cost_ns[cost] = ns;
}

void machine_charge(enum cost cost, u64 units)
{
	clock_ns += cost_ns[cost] * units;
	if (test_on_charge)
		test_on_charge(cost);
}

u64 test_cold_ns;

u64 machine_charge_cold(unsigned from)
{
	(void)from;
	test_clock_advance(test_cold_ns);
	return test_cold_ns;
}

void machine_perturb(u64 seed)
{
	(void)seed;
}

u64 machine_skew_ns(void)
{
	return 0;
}
