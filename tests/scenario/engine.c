/* SPDX-License-Identifier: GPL-2.0-or-later
 * The virtual-time engine by itself, without a scheduler: each test boots a machine in a process of its own and looks at its clocks,
 * interrupts and locks, or at how it ends. Prints TAP.
 *
 * Expected values follow from the engine's rules (arch/vcpu/engine.h) by arithmetic: what is done at the same time on N CPUs takes
 * 1/N, what a lock serialises adds up, a kick takes kick= ns. SLACK_NS covers what an interrupt and a few readings of the clock
 * cost by arch/vcpu/cost.def. A test's report names the rule broken and the values seen.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "arch/machine.h"
#include "arch/vcpu/engine.h"
#include "base/bug.h"
#include "base/random.h"
#include "base/spinlock.h"
#include "base/text.h"
#include "tests/scenario/vm.h"

enum { SLACK_NS = 3000, MOST_TEST_CPUS = 64 };

#define require(holds, ...)                                                                                                        \
	do {                                                                                                                       \
		if (!(holds)) {                                                                                                    \
			say_panic();                                                                                               \
			say("Broken: " #holds "\n  " __VA_ARGS__);                                                                 \
			say("\n");                                                                                                 \
			machine_end(END_POWEROFF, VERDICT_FAILED);                                                                 \
		}                                                                                                                  \
	} while (0)

typedef unsigned long long ull; /* for formats */

/* ---- in the machine: CPU 0 runs the test, the others what it gives them ---- */

static struct test {
	const char *name;
	const char *topo, *kick;
	void (*run)(void);	/* on CPU 0 */
	void (*others)(void);	/* on each of the others; NULL: they idle */
	int status;		/* how the machine must end */
	const char *words[8];	/* which the log must have then */
	unsigned run_again_cpus; /* for tests that compare machines */
} test;

static u32 arrived, finished; /* atomic */
static u64 end_ns[MOST_TEST_CPUS];

static struct {
	u64 kicks, timers, kicked_ns, timer_ns;
} seen[MOST_TEST_CPUS]; /* owner CPU */

void kernel_kicked(void)
{
	seen[machine_cpu()].kicked_ns = machine_clock_ns();
	__atomic_add_fetch(&seen[machine_cpu()].kicks, 1, __ATOMIC_RELEASE);
}

void kernel_timer(void)
{
	seen[machine_cpu()].timer_ns = machine_clock_ns();
	__atomic_add_fetch(&seen[machine_cpu()].timers, 1, __ATOMIC_RELEASE);
}

void kernel_irq_exit(void)
{
}

static _Noreturn void idle_for_ever(void)
{
	machine_irq_save();
	for (;;)
		machine_idle();
}

static void secondary(void)
{
	__atomic_add_fetch(&arrived, 1, __ATOMIC_RELEASE);
	if (test.others)
		test.others();
	__atomic_add_fetch(&finished, 1, __ATOMIC_RELEASE);
	idle_for_ever();
}

static void await(const u32 *count, u32 value)
{
	while (LOAD_ACQUIRE(*count) < value)
		machine_relax();
}

static void await_others(void)
{
	await(&finished, machine_nr_cpus() - 1);
}

_Noreturn void kernel_main(void)
{
	machine_start_cpus(secondary);
	await(&arrived, machine_nr_cpus() - 1);
	test.run();
	machine_end(END_POWEROFF, VERDICT_OK);
}

/* ---- parallel work ---- */

enum { JOBS = 16, JOB_NS = 1000000, LOCKED_ROUNDS = 20, LOCKED_NS = 1000 };

static u64 begin_ns;

/* Its part of the jobs; parked. */
static void work_part(void)
{
	machine_irq_enable();
	machine_work_ns(JOBS / machine_nr_cpus() * JOB_NS);
	end_ns[machine_cpu()] = machine_clock_ns();
}

static void charge_ns(u64 ns)
{
	engine_charge(ns);
}

/* The same, running: in steps of 100 ns with the clock looked at after each 10 us. */
static void charge_part(void)
{
	machine_irq_enable();
	for (u64 done = 0; done < JOBS / machine_nr_cpus() * JOB_NS; done += 100) {
		charge_ns(100);
		if (done % 10000 == 0)
			machine_clock_ns();
	}
	end_ns[machine_cpu()] = machine_clock_ns();
}

static u64 latest_end(void)
{
	u64 latest = 0;

	for (unsigned cpu = 0; cpu < machine_nr_cpus(); cpu++)
		latest = max_u64(latest, end_ns[cpu]);
	return latest;
}
