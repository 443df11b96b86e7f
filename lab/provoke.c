/* SPDX-License-Identifier: GPL-2.0-or-later
 * Breaking the machine on purpose, so that a test can see whether it is reported. */
#include "lab/provoke.h"

#include "base/bug.h"
#include "base/text.h"
#include "lab/plan.h"

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

/* On every CPU, with interrupts on and off. Not a fault: the experiment goes on. */
static void ask_impossible(void)
{
	const struct cpumask all = current()->allowed;
	unsigned refused = 0, total = 0, asked;
	unsigned long flags;

	for (unsigned cpu = 0; cpu < machine_nr_cpus(); cpu++) {
		struct cpumask only = { .word = { 0 } };

		mask_set(&only, cpu);
		bug_on(task_set_allowed(current(), &only));
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

static void move_to(unsigned cpu)
{
	struct cpumask only = { .word = { 0 } };

	mask_set(&only, cpu);
	bug_on(task_set_allowed(current(), &only));
}

/* Between the first CPU and the last. The experiment goes on. */
static void move_about(void)
{
	enum { MOVES = 1000 };
	const struct cpumask all = current()->allowed;
	unsigned last = machine_nr_cpus() - 1;
	u64 start, ran;

	move_to(0);
	start = machine_clock_ns();
	ran = current()->se.sum_exec;
	for (unsigned i = 0; i < MOVES; i++)
		move_to(i % 2 ? 0 : last);
	say("%u moves between CPU 0 and CPU %u took %llu ns, of which the task ran for %llu ns\n", MOVES, last,
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
	case PROVOKE_REFUSAL:
		ask_impossible();
		break;
	case PROVOKE_MOVES:
		move_about();
		break;
	case PROVOKE_NOTHING:
		break;
	}
}
