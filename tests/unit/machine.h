/* SPDX-License-Identifier: GPL-2.0-or-later
 * The machine that unit tests of the scheduler and of what is built on it run on: arch/machine.h, with the test in control.
 *
 * There is one flow of control. It executes as whichever CPU the test says, the clock moves only when the test (or a task's
 * machine_work_ns) moves it, and kicks and timer requests are noted until somebody delivers them. Two ways of switching tasks:
 *
 *   SWITCH_LABELS  A switch only changes who the CPU's current task is, and the test goes on in its name: it calls
 *                  task_set_sleeping(), schedule(), task_wake() as that task. Entry functions are never called. Several CPUs can be
 * busy. SWITCH_STACKS  Tasks run, each on its own stack. The test itself is the idle loop of every CPU: a CPU keeps the flow until
 * it is idle, then the CPUs that were kicked get their turn, then the earliest timer goes off (test_run()). So tasks on different
 * CPUs take turns rather than run at the same time.
 */
#ifndef TESTS_UNIT_MACHINE_H
#define TESTS_UNIT_MACHINE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "arch/machine.h"

struct sched_domain;
struct task;

/*
 * An entry of a cmocka test table. The test runs in a process of its own, so it finds the kernel as after power-on, and a crash, a
 * deadlock or a lock left held spoils no other test. 30 seconds of CPU time at most.
 */
#define machine_test(function)                                                                                                     \
	{                                                                                                                          \
		.name = #function, .test_func = test_in_child, .initial_state = (void *)(function)                                 \
	}
void test_in_child(void **state);

/* ---- starting ---- */

/*
 * Describe the machine, before test_boot(), and hand its memory to base/mem. CPUs are numbered as firmware does: the first threads
 * of all cores, LLC by LLC and node by node, then the second threads. A package is a node; other nodes are 20 away.
 */
void test_machine(unsigned nodes, unsigned llcs_per_node, unsigned cores_per_llc, unsigned threads);
void test_distance(unsigned node, unsigned other, u8 distance); /* both ways */

enum test_switch { SWITCH_LABELS, SWITCH_STACKS };

/* Knobs at their defaults, scheduler up, every CPU idle with its tick armed, CPU 0 executing, interrupts on. */
void test_boot(enum test_switch how);

/* For a test that boots by kernel_main(): how tasks switch from now on. What machine_info() says is the test's to change. */
void test_switching(enum test_switch how);
extern struct machine_info test_info;

/* ---- driving ---- */

/* Execute as that CPU from now on. */
void test_on_cpu(unsigned cpu);

void test_clock_set(u64 ns);
void test_clock_advance(u64 ns);

/* From now on a unit of that cost takes so long; at first nothing does. */
void test_cost(enum cost cost, u64 ns);

/* What a task is charged that runs where its cache is cold; at first nothing. */
extern u64 test_cold_ns;

/* What that CPU asked of its timer: an instant, or TIMER_NEVER. */
u64 test_deadline(unsigned cpu);
/* Is a kick to that CPU on its way? */
bool test_kicked(unsigned cpu);
/* How many it was sent, ever. */
unsigned test_kicks(unsigned cpu);

/* On the executing CPU: its timer interrupt, or the kick on its way, now; with the way out of an interrupt. */
void test_timer_interrupt(void);
void test_kick_interrupt(void);

/* On the executing CPU: move the clock to each deadline up to that instant and deliver it; at the end it is that instant. */
void test_clock_run(u64 until_ns);

/* SWITCH_LABELS: deliver kicks and timers on all CPUs, each when it is due, up to that instant. Busy CPUs spin, idle ones pick what
 * comes, stoppers do their jobs. */
void test_machine_run(u64 until_ns);

/*
 * SWITCH_STACKS: run body(argument) in a task "main" and all that comes of it, until that task has ended. Fork balancing places it
 * like any child of CPU 0's idle task. It is not reaped, so task_count() stays 1 too high. When for 10 seconds of the test's clock
 * no CPU has had anything to run, the test fails with "deadlock".
 */
void test_run(void (*body)(void *), void *argument);

/* ---- tasks by hand: for tests of the scheduler's inside, with SWITCH_LABELS; the CPU that executes stays the same ---- */

/* A task of that nice level, waiting on that CPU's queue with its vruntime at min_vruntime; nobody was told of it. */
struct task *test_task(unsigned cpu, int nice);

/* One asleep that last ran on that CPU; its vruntime is min_vruntime + ahead. */
struct task *test_sleeper(unsigned cpu, int nice, s64 ahead_ns);

/* Give a waiting task that vruntime. */
void test_place(struct task *t, u64 vruntime_ns);

/* Make it stay on that CPU, without moving it. */
void test_pin(struct task *t, unsigned cpu);

/* Have that CPU pick; what it runs then. */
struct task *test_schedule(unsigned cpu);

/* That CPU's running task goes to sleep; what it runs then. */
struct task *test_sleep(unsigned cpu);

/* n nice-0 spinners on that CPU, one of them running; the one that runs. */
struct task *test_spinners(unsigned cpu, unsigned n);

/* All averages of a queue's weight as though it had been as now for ever. */
void test_settle_loads(void);

/* That CPU's domain of that name, or NULL. */
struct sched_domain *test_domain(unsigned cpu, const char *name);

/* Called wherever the scheduler charges a cost: the way into the middle of what it does. NULL: nobody looks. */
extern void (*test_on_charge)(enum cost cost);

/* How many address spaces there still are for the taking. */
extern u64 test_spaces;

/* ---- counters: what the machine is to have counted; at first it has none ---- */

extern struct hw_counts test_counts;
/* Bits of what was wanted of them last, and whether they count now. */
extern u32 test_wanted;
extern bool test_counting;

/* ---- held still, and certified ---- */

/* How often the machine was held still, and let go; what the first CPUs' certificates say. */
enum { TEST_CERTIFIED = 8 };
extern unsigned test_holds, test_let_gos;
extern struct certificate test_certificate[TEST_CERTIFIED];
/* Called where an interval to be certified begins and ends. NULL: nobody looks. */
extern void (*test_on_certificate)(bool begin);

/* ---- the outside ---- */

/* What was written to the console, as a string (the first 256 KiB). */
const char *test_console(void);
void test_console_clear(void);
/* Who writes the byte of that number is stopped there for good, as though by machine_end(): test_end_of(). 0: nobody. */
extern size_t test_console_stop;
/* From now on that is typed; behind it the input ends. */
void test_type(const char *keys);

/* Run fn(argument), which must end the machine; returns with what verdict. Any other end of the machine fails the test. */
enum machine_verdict test_end_of(void (*fn)(void *), void *argument);

/* Where each CPU stands in a report of a fault; NULL: no answer. */
extern u64 (*test_stopped_at)(unsigned cpu);

/* fn(argument) must break a rule whose text contains that (VERDICT_FAULT). Once per test, as its last step. */
void test_expect_bug(void (*fn)(void *), void *argument, const char *rule);

/* What sched_apply_knobs() does, where no stopper can run: each CPU takes its new domains and forgets what it has learned. */
void test_apply_knobs(void);

#endif
