/* SPDX-License-Identifier: GPL-2.0-or-later
 * arch/machine.h for unit tests; machine.h says how it behaves. */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/unit/machine.h"

#include "base/bug.h"
#include "base/knobs.h"
#include "base/mem.h"
#include "base/string.h"
#include "sched/rq.h"

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#else
#define __asan_unpoison_memory_region(start, bytes)		     ((void)(start), (void)(bytes))
#define __sanitizer_start_switch_fiber(save, bottom, bytes)	     ((void)(save), (void)(bottom), (void)(bytes))
#define __sanitizer_finish_switch_fiber(save, old_bottom, old_bytes) ((void)(save))
#endif

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

static void *reserve(size_t bytes)
{
	void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	assert_ptr_not_equal(p, MAP_FAILED);
	return p;
}

/* ---- a process for each test ---- */

static void read_all(int fd, char *text, size_t size)
{
	size_t used = 0;
	ssize_t n;

	while (used < size - 1 && ((n = read(fd, text + used, size - 1 - used)) > 0 || (n < 0 && errno == EINTR)))
		used += n > 0 ? (size_t)n : 0;
	text[used] = '\0';
}

static _Noreturn void be_child(CMUnitTestFunction function, int out)
{
	const struct CMUnitTest test[] = { { .name = "child", .test_func = function } };
	int failed;

	dup2(out, STDOUT_FILENO);
	dup2(out, STDERR_FILENO);
	setitimer(ITIMER_PROF, &(struct itimerval){ .it_value.tv_sec = 30 }, NULL); /* of CPU: others may be busy */
	cmocka_set_message_output(CM_OUTPUT_STDOUT);
	failed = cmocka_run_group_tests(test, NULL, NULL);
	fflush(NULL);
	if (failed)
		_exit(failed); /* what was left behind on the way out of a failure is no leak */
	exit(0);
}

/* cmocka's summary of a single test says nothing new. */
static void cut_summary(char *text)
{
	char *summary = strstr(text, "[  FAILED  ]");

	if (summary)
		*summary = '\0';
}

void test_in_child(void **state)
{
	CMUnitTestFunction function;
	char text[8192];
	int out[2], status;
	pid_t child;

	memcpy(&function, state, sizeof(function));
	fflush(NULL);
	assert_int_equal(pipe(out), 0);
	child = fork();
	assert_int_not_equal(child, -1);
	if (!child)
		be_child(function, out[1]);
	close(out[1]);
	read_all(out[0], text, sizeof(text));
	close(out[0]);
	assert_int_equal(waitpid(child, &status, 0), child);
	cut_summary(text);
	if (WIFSIGNALED(status))
		fail_msg("died of signal %d%s\n%s", WTERMSIG(status), WTERMSIG(status) == SIGPROF ? " (too slow)" : "", text);
	if (WEXITSTATUS(status) || strstr(text, "runtime error")) /* UBSan only prints */
		fail_msg("%s", text);
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

/* ---- counters ---- */

struct hw_counts test_counts;
u32 test_wanted;
bool test_counting;

const char *machine_counters(void)
{
	return test_counts.supported ? "test" : "none";
}

const char *machine_counter_of(enum hw_event event)
{
	return test_counts.supported >> event & 1 ? "0x3c" : NULL;
}

void machine_counters_begin(u32 wanted)
{
	assert_false(test_counting || machine_irqs_off());
	test_counting = wanted;
	test_wanted = wanted;
}

void machine_counters_end(struct hw_counts *out)
{
	*out = test_counting ? test_counts : (struct hw_counts){ .supported = 0 };
	test_counting = false;
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

/* ---- tasks by hand ---- */

static struct rq *lock_queue(struct task *t, unsigned long *flags)
{
	struct rq *rq;

	*flags = rq_lock_task(t, &rq);
	return rq;
}

static struct task *new_task(unsigned cpu, int nice)
{
	struct task *t = task_new("task", NULL, NULL);

	assert_non_null(t);
	t->cpu = cpu;
	t->nice = (s8)nice;
	weight_set(t);
	return t;
}

/* The vruntime with which a task comes to a queue where it is to have that one. */
static u64 arriving(const struct rq *rq, u64 vruntime)
{
	return knob.vruntime == VRUNTIME_RELATIVE ? vruntime - rq->cfs.min_vruntime : vruntime;
}

struct task *test_task(unsigned cpu, int nice)
{
	struct task *t = new_task(cpu, nice);
	unsigned long flags;
	struct rq *rq = lock_queue(t, &flags);

	t->se.vruntime = arriving(rq, rq->cfs.min_vruntime);
	rq_activate(rq, t, 0);
	spin_unlock_irq(&rq->lock, flags);
	return t;
}

struct task *test_sleeper(unsigned cpu, int nice, s64 ahead_ns)
{
	struct task *t = new_task(cpu, nice);

	t->state = TASK_SLEEPING;
	t->se.vruntime = cpu_rq(cpu)->cfs.min_vruntime + (u64)ahead_ns;
	return t;
}

void test_place(struct task *t, u64 vruntime_ns)
{
	unsigned long flags;
	struct rq *rq = lock_queue(t, &flags);

	assert_ptr_not_equal(rq->curr, t);
	rq_update_clock(rq);
	rq_deactivate(rq, t, 0);
	t->se.vruntime = arriving(rq, vruntime_ns);
	rq_activate(rq, t, 0);
	spin_unlock_irq(&rq->lock, flags);
}

void test_pin(struct task *t, unsigned cpu)
{
	mask_clear(&t->allowed);
	mask_set(&t->allowed, cpu);
	t->nr_allowed = 1;
}

struct task *test_schedule(unsigned cpu)
{
	unsigned self = executing;
	struct task *t;

	test_on_cpu(cpu);
	schedule();
	t = current();
	test_on_cpu(self);
	return t;
}

struct task *test_sleep(unsigned cpu)
{
	unsigned self = executing;
	struct task *t;

	test_on_cpu(cpu);
	task_set_sleeping();
	schedule();
	t = current();
	test_on_cpu(self);
	return t;
}

struct task *test_spinners(unsigned cpu, unsigned n)
{
	while (n--)
		test_task(cpu, 0);
	return test_schedule(cpu);
}

void test_settle_loads(void)
{
	for (unsigned cpu = 0; cpu < nr_cpus; cpu++)
		for (unsigned i = 0; i < NR_CPU_LOADS; i++)
			cpu_rq(cpu)->cpu_load[i] = rq_weight(cpu_rq(cpu));
}

struct sched_domain *test_domain(unsigned cpu, const char *name)
{
	for_each_domain(cpu, sd)
		if (!strcmp(sd->name, name))
			return sd;
	return NULL;
}

/* ---- stacks: equal slots in one region, each with a page below it that may not be touched ---- */

enum { SLOT_BYTES = 64 * 1024, MOST_STACKS = 8192, GUARD_BYTES = 4096 };

static struct {
	void *own; /* the test's */
	size_t own_bytes;
	char *region;
	unsigned used;
	unsigned nr_free;
	u32 free[MOST_STACKS];
} stacks;

static void stacks_init(void)
{
	pthread_attr_t attr;

	assert_int_equal(pthread_getattr_np(pthread_self(), &attr), 0);
	pthread_attr_getstack(&attr, &stacks.own, &stacks.own_bytes);
	pthread_attr_destroy(&attr);
	stacks.region = reserve((size_t)MOST_STACKS * SLOT_BYTES);
}

void *machine_stack_new(void)
{
	char *slot;

	if (!stacks.region)
		stacks_init();
	if (!stacks.nr_free && stacks.used == MOST_STACKS)
		return NULL;
	slot = stacks.region + (size_t)SLOT_BYTES * (stacks.nr_free ? stacks.free[--stacks.nr_free] : stacks.used++);
	mprotect(slot, GUARD_BYTES, PROT_NONE);
	__asan_unpoison_memory_region(slot + GUARD_BYTES, SLOT_BYTES - GUARD_BYTES);
	return slot + SLOT_BYTES;
}

u64 *machine_stack_end(void *top)
{
	return (u64 *)((char *)top - SLOT_BYTES + GUARD_BYTES);
}

void machine_stack_free(void *top)
{
	size_t end = (size_t)((char *)top - stacks.region);

	assert_int_equal(end % SLOT_BYTES, 0);
	stacks.free[stacks.nr_free++] = (u32)(end / SLOT_BYTES - 1);
}

/* The stack that an address lies on: a slot, or else the test's own. */
static void stack_of(const void *sp, void **bottom, size_t *bytes)
{
	size_t offset = (size_t)((const char *)sp - stacks.region);

	if (offset < (size_t)MOST_STACKS * SLOT_BYTES) {
		*bottom = stacks.region + offset / SLOT_BYTES * SLOT_BYTES;
		*bytes = SLOT_BYTES;
		return;
	}
	*bottom = stacks.own;
	*bytes = stacks.own_bytes;
}

static void announce_switch(void **save, const void *sp)
{
	void *bottom;
	size_t bytes;

	stack_of(sp, &bottom, &bytes);
	__sanitizer_start_switch_fiber(save, bottom, bytes);
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

/* ---- the outside ---- */

static char console[256 * 1024];
static size_t console_bytes;

size_t test_console_stop;

void machine_console_write(const char *text, size_t bytes)
{
	bool stops = test_console_stop && console_bytes + bytes >= test_console_stop;

	if (stops)
		bytes = test_console_stop - console_bytes;
	size_t room = sizeof(console) - 1 - console_bytes, n = bytes < room ? bytes : room;

	memcpy(console + console_bytes, text, n);
	console_bytes += n;
	if (stops) {
		test_console_stop = 0;
		machine_end(END_HALT, VERDICT_OK);
	}
}

void machine_console_repeats(bool so)
{
	(void)so;
}

const char *test_console(void)
{
	console[console_bytes] = '\0';
	return console;
}

void test_console_clear(void)
{
	console_bytes = 0;
}

static const char *typed = "";

void test_type(const char *keys)
{
	typed = keys;
}

int machine_console_read(char *c)
{
	if (!*typed)
		return -E_NOENT;
	*c = *typed++;
	return 1;
}

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

void machine_stop_others(void)
{
}

u64 (*test_stopped_at)(unsigned cpu);

unsigned machine_stopped_at(unsigned cpu, bool *irqs_off, u64 *address, unsigned max)
{
	(void)max;
	if (!test_stopped_at)
		return 0;
	*irqs_off = false;
	*address = test_stopped_at(cpu);
	return 1;
}

bool machine_break(enum machine_breakage what)
{
	(void)what;
	return false;
}

unsigned machine_backtrace(u64 *address, unsigned max)
{
	(void)address, (void)max;
	return 0;
}

const char *machine_symbol(u64 address, u64 *offset)
{
	(void)address, (void)offset;
	return NULL;
}

void test_apply_knobs(void)
{
	assert_true(domains_rebuild() >= 0);
	nohz_forget();
	for (unsigned cpu = 0; cpu < nr_cpus; cpu++)
		rq_reset(cpu_rq(cpu));
	domains_retire();
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

/* ---- holding still ---- */

unsigned test_holds, test_let_gos;
struct certificate test_certificate[TEST_CERTIFIED];
void (*test_on_certificate)(bool begin);

void machine_hold_still(const struct still_wish *wish)
{
	(void)wish;
	assert_false(machine_irqs_off());
	assert_int_equal(test_holds, test_let_gos);
	test_holds++;
}

void machine_let_go(void)
{
	test_let_gos++;
	assert_int_equal(test_holds, test_let_gos);
}

void machine_still(enum still_item item, struct still_note *note)
{
	static const char *const name[] = {
		[STILL_TURBO] = "turbo", [STILL_PSTATE] = "pstate", [STILL_CSTATE] = "cstate", [STILL_PREFETCH] = "prefetch"
	};

	snprintf(note->before, sizeof(note->before), "%s before", name[item]);
	snprintf(note->during, sizeof(note->during), "%s during", name[item]);
	snprintf(note->after, sizeof(note->after), "%s after", name[item]);
	snprintf(note->state, sizeof(note->state), "held");
}

void machine_certificate_begin(void)
{
	if (test_on_certificate)
		test_on_certificate(true);
}

void machine_certificate_end(void)
{
	if (test_on_certificate)
		test_on_certificate(false);
}

void machine_certificate(unsigned cpu, struct certificate *out)
{
	*out = cpu < TEST_CERTIFIED ? test_certificate[cpu] : (struct certificate){ .known = 0 };
}
