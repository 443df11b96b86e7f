/* SPDX-License-Identifier: GPL-2.0-or-later
 * Breaking the machine on purpose, so that a test can see whether it is reported. */
#include "lab/provoke.h"

#include "base/bug.h"
#include "base/spinlock.h"
#include "base/text.h"
#include "lab/plan.h"

/* ---- exceptions ---- */

static __attribute__((noinline)) void write_to_nowhere(void)
{
	volatile uintptr_t nowhere = 8;

	*(volatile u32 *)nowhere = 1;
}

static __attribute__((noinline)) void write_to_code(void)
{
	void (*volatile code)(void) = write_to_nowhere;

	*(volatile u8 *)(uintptr_t)code = 0;
}

static __attribute__((noinline)) void divide_by_zero(void)
{
	volatile u32 seven = 7, zero = 0;

	seven = seven / zero; /* cppcheck-suppress zerodiv */
}

static u32 recurse(u32 n);
static u32 (*volatile again)(u32) = recurse; /* so that the compiler neither sees through it nor makes it a loop */

static u32 recurse(u32 n)
{
	volatile u32 frame[64] = { n };

	return again(n + 1) + frame[n % 64];
}

/* What the report asks is broken too. */
static const char *fail_to_name(unsigned cpu)
{
	(void)cpu;
	write_to_nowhere();
	return "";
}

static void break_report(void)
{
	fault_task_name = fail_to_name;
	bug_on(param.provoke == PROVOKE_REPORT);
}

static void keep_to(unsigned cpu)
{
	struct cpumask only = { .word = { 0 } };

	mask_set(&only, cpu);
	bug_on(task_set_allowed(current(), &only));
}

/* On every CPU, with interrupts on and off. Not a fault: the experiment goes on. */
static void ask_impossible(void)
{
	const struct cpumask all = current()->allowed;
	unsigned refused = 0, total = 0, asked;
	unsigned long flags;

	for (unsigned cpu = 0; cpu < machine_nr_cpus(); cpu++) {
		keep_to(cpu);
		refused += machine_ask_impossible(&asked);
		total += asked;
		flags = machine_irq_save();
		refused += machine_ask_impossible(&asked);
		total += asked;
		bug_on(!machine_irqs_off());
		machine_irq_restore(flags);
		bug_on(machine_irqs_off());
	}
	bug_on(task_set_allowed(current(), &all));
	say("%u of %u impossible requests were refused\n", refused, total);
}

static void do_nothing(void *unused)
{
	(void)unused;
}

/* Without touching the guard page: what a wild pointer may do. A debug build notices when the task goes to sleep. */
static __attribute__((noinline)) void spoil_canary(void)
{
	*machine_stack_end(current()->stack_top) = 0;
	bug_on(!task_spawn("reaped", do_nothing, NULL, false));
	task_reap(REAP_ANY);
}

/* ---- standing still ---- */

/* Never comes to anything that a machine could use to go on. */
static __attribute__((noinline)) _Noreturn void turn_for_ever(void)
{
	for (volatile u64 turns = 0;;)
		turns++;
}

static __attribute__((noinline)) _Noreturn void loop_unpreemptible(void)
{
	current()->preempt_off++;
	turn_for_ever();
}

static __attribute__((noinline)) _Noreturn void loop_with_irqs_off(void)
{
	machine_irq_save();
	turn_for_ever();
}

static unsigned last_cpu(void)
{
	return machine_nr_cpus() - 1;
}

/* ---- all CPUs at once ---- */

static u32 gathered; /* atomic; tasks that are where they want to be */

static void gather(unsigned cpu, u32 all)
{
	keep_to(cpu);
	__atomic_add_fetch(&gathered, 1, __ATOMIC_ACQ_REL);
	while (LOAD_ACQUIRE(gathered) < all)
		machine_relax();
}

static void loop_on_cpu(void *cpu)
{
	gather((unsigned)(uintptr_t)cpu, machine_nr_cpus());
	loop_with_irqs_off();
}

static _Noreturn void stall_all(void)
{
	for (unsigned cpu = 0; cpu < last_cpu(); cpu++)
		bug_on(!task_spawn("stall", loop_on_cpu, (void *)(uintptr_t)cpu, false));
	loop_on_cpu((void *)(uintptr_t)last_cpu());
	__builtin_unreachable();
}

/* ---- two locks, taken crosswise ---- */

static struct spinlock crossed[2] = { { .rank = RANK_OBJECT }, { .rank = RANK_OBJECT } };

static void take_crosswise(void *which)
{
	unsigned mine = (unsigned)(uintptr_t)which;

	gather(mine, 2);
	machine_irq_save();
	spin_lock(&crossed[mine]);
	__atomic_add_fetch(&gathered, 1, __ATOMIC_ACQ_REL);
	while (LOAD_ACQUIRE(gathered) < 4)
		machine_relax();
	spin_lock(&crossed[!mine]);
}

static void cross_locks(void)
{
	if (machine_nr_cpus() < 2) {
		say("provoke=deadlock: that takes two CPUs\n");
		return;
	}
	bug_on(!task_spawn("crosswise", take_crosswise, (void *)1, false));
	take_crosswise((void *)0);
}

/* ---- interrupts that do not come ---- */

static bool breaks(enum machine_breakage what)
{
	bool can = machine_break(what);

	if (!can)
		say("provoke: this machine cannot be broken in that way\n");
	return can;
}

static void lose_timer(void)
{
	keep_to(last_cpu());
	if (breaks(BREAK_TIMER))
		turn_for_ever();
}

static void move_away(void *unused)
{
	(void)unused;
	keep_to(last_cpu());
}

/* With nohz=on, or a tick finds out what the kick was to tell. */
static void lose_kick(void)
{
	keep_to(0);
	machine_work_ns(100 * NSEC_PER_MSEC); /* until the others have nothing to tick for */
	if (!breaks(BREAK_KICKS))
		return;
	bug_on(!task_spawn("unheard", move_away, NULL, false));
	turn_for_ever();
}

/* Between the first CPU and the last. The experiment goes on. */
static void move_about(void)
{
	enum { MOVES = 1000 };
	const struct cpumask all = current()->allowed;
	u64 start, ran;

	keep_to(0);
	start = machine_clock_ns();
	ran = current()->se.sum_exec;
	for (unsigned i = 0; i < MOVES; i++)
		keep_to(i % 2 ? 0 : last_cpu());
	say("%u moves between CPU 0 and CPU %u took %llu ns, of which the task ran for %llu ns\n", MOVES, last_cpu(),
		(unsigned long long)(machine_clock_ns() - start), (unsigned long long)(current()->se.sum_exec - ran));
	bug_on(task_set_allowed(current(), &all));
}

void provoke(void)
{
	switch (param.provoke) {
	case PROVOKE_NULL:
		write_to_nowhere();
		break;
	case PROVOKE_CODE:
		write_to_code();
		break;
	case PROVOKE_DIVIDE:
		divide_by_zero();
		break;
	case PROVOKE_OVERFLOW:
		recurse(0);
		break;
	case PROVOKE_BUG:
		bug_on(param.provoke == PROVOKE_BUG);
		break;
	case PROVOKE_REPORT:
		break_report();
		break;
	case PROVOKE_REFUSAL:
		ask_impossible();
		break;
	case PROVOKE_CANARY:
		spoil_canary();
		break;
	case PROVOKE_DEADLOCK:
		cross_locks();
		break;
	case PROVOKE_SOFT:
		loop_unpreemptible();
	case PROVOKE_HARD:
		keep_to(last_cpu());
		loop_with_irqs_off();
	case PROVOKE_STALL:
		stall_all();
	case PROVOKE_SLEEP:
		task_set_sleeping();
		schedule();
		break;
	case PROVOKE_TIMER:
		lose_timer();
		break;
	case PROVOKE_KICK:
		lose_kick();
		break;
	case PROVOKE_MOVES:
		move_about();
		break;
	case PROVOKE_GAP: /* during runs */
	case PROVOKE_NOTHING:
		break;
	}
}
