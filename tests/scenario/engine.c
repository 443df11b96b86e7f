/* SPDX-License-Identifier: GPL-2.0-or-later
 * The virtual-time engine by itself, without a scheduler: each test boots a machine in a process of its own and looks at its
 * clocks, interrupts and locks, or at how it ends. Prints TAP.
 *
 * Expected values follow from the engine's rules (arch/vcpu/engine.h) by arithmetic: what is done at the same time on N CPUs takes
 * 1/N, what a lock serialises adds up, a kick takes kick= ns. SLACK_NS covers an interrupt and a few readings of the clock, by
 * arch/vcpu/cost.def. After a miss the machine's console follows, with the rule broken and the values seen.
 */
#include <stdlib.h>
#include <string.h>

#include "arch/machine.h"
#include "arch/vcpu/engine.h"
#include "base/random.h"
#include "base/text.h"
#include "tests/scenario/vm.h"

enum { SLACK_NS = 3000, MOST_TEST_CPUS = 64, MOST_WORDS = 8 };

static struct test {
	const char *name, *topo, *kick;
	void (*run)(void);	       /* on CPU 0 */
	void (*others)(void);	       /* on each of the others, before they idle for ever; NULL: nothing */
	int status;		       /* how the machine must end */
	const char *words[MOST_WORDS]; /* which must be in its log */
} test;

#define require(holds, ...)                                                                                                        \
	do {                                                                                                                       \
		if (!(holds)) {                                                                                                    \
			say_panic();                                                                                               \
			say("Broken: %s\n  ", #holds);                                                                             \
			say(__VA_ARGS__);                                                                                          \
			say("\n");                                                                                                 \
			machine_end(END_POWEROFF, VERDICT_FAILED);                                                                 \
		}                                                                                                                  \
	} while (0)

typedef unsigned long long ull; /* for formats */

/* ---- the kernel of these machines ---- */

static struct {
	u64 kicks, timers;	 /* so many have been taken */
	u64 kicked_ns, timer_ns; /* the last of them */
	u64 begin_ns, end_ns;
} on[MOST_TEST_CPUS]; /* owner CPU; atomic */

static u32 arrived, finished, go; /* atomic */
static u64 start_ns;		  /* clock of all at the start */

void kernel_kicked(void)
{
	on[machine_cpu()].kicked_ns = machine_clock_ns();
	on[machine_cpu()].kicks++;
}

void kernel_timer(void)
{
	on[machine_cpu()].timer_ns = machine_clock_ns();
	on[machine_cpu()].timers++;
}

void kernel_irq_exit(void)
{
}

void kernel_pulse(unsigned cpu, struct pulse *p)
{
	(void)cpu;
	*p = (struct pulse){ 0 };
}

static void await(const u32 *count, u32 value)
{
	while (LOAD_ACQUIRE(*count) < value)
		machine_relax();
}

static void add(u32 *count)
{
	__atomic_add_fetch(count, 1, __ATOMIC_RELEASE);
}

static void secondary(void)
{
	add(&arrived);
	if (test.others)
		test.others();
	add(&finished);
	machine_irq_save();
	for (;;)
		machine_idle();
}

static void await_others(void)
{
	await(&finished, machine_nr_cpus() - 1);
}

_Noreturn void kernel_main(void)
{
	start_ns = running->clock;
	require(!machine_start_cpus(secondary), "CPUs are missing");
	await(&arrived, machine_nr_cpus() - 1);
	test.run();
	machine_end(END_POWEROFF, VERDICT_OK);
}

/* ---- what is done in parallel takes 1/N ---- */

enum { JOBS = 16, JOB_NS = 1000000 };

static void work_part(void)
{
	machine_irq_enable();
	machine_work_ns(JOBS / machine_nr_cpus() * JOB_NS);
	on[machine_cpu()].end_ns = machine_clock_ns();
}

/* The same not as one piece of work but by executing: 100 ns at a time, with the clock looked at every 50 us. */
static void execute_part(void)
{
	machine_irq_enable();
	for (u64 done = 0; done < JOBS / machine_nr_cpus() * JOB_NS; done += 100) {
		engine_charge(100);
		if (done % 50000 == 0)
			machine_clock_ns();
	}
	on[machine_cpu()].end_ns = machine_clock_ns();
}

/* The others have started and do their part as well. */
static void run_parts(void (*part)(void))
{
	u64 latest = 0, ideal = JOBS / machine_nr_cpus() * JOB_NS;

	part();
	await_others();
	for (unsigned cpu = 0; cpu < machine_nr_cpus(); cpu++)
		latest = max_u64(latest, on[cpu].end_ns - start_ns);
	require(latest >= ideal && latest <= ideal * 102 / 100, "%llu of %llu ns", (ull)latest, (ull)ideal);
}

static void run_work(void)
{
	run_parts(work_part);
}

static void run_execution(void)
{
	run_parts(execute_part);
}

/* ---- locks ---- */

enum { ROUNDS = 20, HELD_NS = 10000 };

static u32 lock, other_lock;
static u64 left_ns, turns; /* lock */

static void take_turns(void)
{
	u64 mine = 0;

	for (unsigned i = 0; i < ROUNDS; i++) {
		machine_lock(&lock);
		require(running->clock >= left_ns, "taken at %llu, released at %llu ns", (ull)running->clock, (ull)left_ns);
		turns++;
		require(!i || turns - mine <= machine_nr_cpus(), "turn %llu, before it %llu", (ull)turns, (ull)mine);
		mine = turns;
		engine_charge(HELD_NS);
		left_ns = running->clock;
		machine_unlock(&lock);
	}
}

static void run_contention(void)
{
	u64 least = (u64)machine_nr_cpus() * ROUNDS * HELD_NS, taken;

	take_turns();
	await_others();
	taken = left_ns - start_ns;
	require(taken >= least && taken <= least + SLACK_NS, "%llu of %llu ns", (ull)taken, (ull)least);
}

static void hold_for_a_while(void)
{
	machine_lock(&lock);
	add(&go);
	engine_charge(HELD_NS);
	machine_unlock(&lock);
}

static void run_trylock(void)
{
	await(&go, 1);
	require(!machine_trylock(&lock), "held by CPU %u", lock - 1);
	require(lock == 2, "held by CPU %u", lock - 1);
	await_others();
	require(machine_trylock(&lock) && lock == 1, "held by CPU %u", lock - 1);
	machine_unlock(&lock);
	require(!lock, "held by CPU %u", lock - 1);
}

/* ---- clocks ---- */

enum { ACTS = 400 };

static u64 latest_ns; /* read on any CPU */

/* Never earlier than what any CPU has read before. */
static void look_at_clock(void)
{
	u64 now = machine_clock_ns();

	require(now >= latest_ns, "%llu after %llu ns", (ull)now, (ull)latest_ns);
	latest_ns = now;
}

static void nap(u64 ns)
{
	machine_timer_arm(machine_clock_ns() + ns);
	machine_idle();
}

static void do_anything(void)
{
	u64 state = machine_cpu() + 1;

	for (unsigned i = 0; i < ACTS; i++) {
		u64 n = random_next(&state) % 5000, before = machine_clock_ns();

		switch (random_next(&state) % 6) {
		case 0:
			machine_irq_enable();
			machine_work_ns(n);
			machine_irq_save();
			break;
		case 1:
			engine_charge(n);
			break;
		case 2:
			machine_lock(&lock);
			engine_charge(n / 8);
			machine_unlock(&lock);
			break;
		case 3:
			nap(n);
			break;
		case 4:
			machine_kick((unsigned)n % machine_nr_cpus());
			break;
		default:
			machine_relax();
		}
		require(running->clock >= before, "%llu after %llu ns", (ull)running->clock, (ull)before);
		look_at_clock();
	}
}

static void run_anything(void)
{
	do_anything();
	await_others();
}

static void run_idle_clock(void)
{
	u64 begin;

	await_others();
	machine_irq_enable();
	machine_work_ns(10 * NSEC_PER_MSEC);
	begin = machine_clock_ns();
	machine_kick(1);
	machine_work_ns(NSEC_PER_MSEC);
	require(on[1].kicks == 1, "%llu kicks", (ull)on[1].kicks);
	require(on[1].kicked_ns >= begin && begin >= 10 * NSEC_PER_MSEC, "%llu, kicked at %llu ns", (ull)on[1].kicked_ns,
		(ull)begin);
}

static void work_long(void)
{
	machine_irq_enable();
	on[machine_cpu()].begin_ns = machine_clock_ns();
	machine_work_ns(NSEC_PER_MSEC);
	on[machine_cpu()].end_ns = machine_clock_ns();
}

/* Waiting for another CPU steps behind it, but not past what this one is due. */
static void run_relax(void)
{
	u64 deadline = machine_clock_ns() + 20000;

	machine_timer_arm(deadline);
	machine_irq_enable();
	await_others();
	require(on[0].timers == 1, "%llu timers", (ull)on[0].timers);
	require(on[0].timer_ns >= deadline && on[0].timer_ns <= deadline + SLACK_NS, "%llu for %llu ns", (ull)on[0].timer_ns,
		(ull)deadline);
}

/* ---- interrupts ---- */

static void kick_boot_cpu(void)
{
	machine_kick(0);
}

static void run_masked(void)
{
	unsigned long flags;

	await_others();
	machine_irq_enable();
	flags = machine_irq_save();
	machine_irq_restore(machine_irq_save()); /* inside, they stay off */
	require(machine_irqs_off(), "interrupts are on");
	on[0].kicks = on[0].timers = 0;
	machine_kick(0);
	machine_timer_arm(machine_clock_ns() + 1000);
	for (unsigned i = 0; i < 100; i++) {
		engine_charge(1000);
		machine_lock(&lock);
		machine_unlock(&lock);
		machine_clock_ns();
		require(!on[0].kicks && !on[0].timers, "%llu kicks, %llu timers", (ull)on[0].kicks, (ull)on[0].timers);
	}
	machine_irq_restore(flags);
	require(on[0].kicks == 1 && on[0].timers == 1, "%llu kicks, %llu timers", (ull)on[0].kicks, (ull)on[0].timers);
	require(!machine_irqs_off(), "interrupts are off");
}

/* It is on its way while this CPU idles, and arrives. */
static void run_idle_kicked(void)
{
	for (unsigned i = 1; i < machine_nr_cpus(); i++)
		if (!on[0].kicks)
			machine_idle();
	require(on[0].kicks, "%llu kicks", (ull)on[0].kicks);
	require(machine_irqs_off(), "interrupts are on");
}

static void run_timer(void)
{
	u64 deadline = machine_clock_ns() + 5 * NSEC_PER_MSEC;

	machine_timer_arm(deadline - NSEC_PER_MSEC);
	machine_timer_arm(deadline); /* replaces it */
	machine_idle();
	require(on[0].timers == 1, "%llu timers", (ull)on[0].timers);
	require(on[0].timer_ns >= deadline && on[0].timer_ns <= deadline + SLACK_NS, "%llu for %llu ns", (ull)on[0].timer_ns,
		(ull)deadline);
}

/* Work that is interrupted is not shortened. */
static void run_interrupted_work(void)
{
	u64 begin = machine_clock_ns(), passed;

	machine_timer_arm(begin + 400000);
	machine_irq_enable();
	machine_work_ns(NSEC_PER_MSEC);
	passed = machine_clock_ns() - begin;
	require(on[0].timers == 1 && on[0].timer_ns >= begin + 400000 && on[0].timer_ns <= begin + 400000 + SLACK_NS,
		"%llu timers, the last at %llu ns", (ull)on[0].timers, (ull)(on[0].timer_ns - begin));
	require(passed >= NSEC_PER_MSEC && passed <= NSEC_PER_MSEC + SLACK_NS, "%llu ns", (ull)passed);
}

/* ---- kicks ---- */

static void expect_kick(unsigned cpu, u64 flight_ns)
{
	u64 sent = machine_clock_ns();

	machine_kick(cpu);
	while (!READ_ONCE(on[cpu].kicks))
		machine_relax();
	require(on[cpu].kicked_ns >= sent + flight_ns && on[cpu].kicked_ns <= sent + flight_ns + SLACK_NS,
		"CPU %u: taken %llu ns after it was sent, flight %llu", cpu, (ull)(on[cpu].kicked_ns - sent), (ull)flight_ns);
}

/* With 2n:2l:2c:2t these share with CPU 0: its core, its cache, its node, nothing. */
static void run_kicks(void)
{
	expect_kick(1, 1000);
	expect_kick(2, 10000);
	expect_kick(4, 20000);
	expect_kick(8, 50000);
}

static void run_kicked_work(void)
{
	run_kicks();
	await_others();
	for (unsigned cpu = 1; cpu < machine_nr_cpus(); cpu++) {
		u64 passed = on[cpu].end_ns - on[cpu].begin_ns;

		require(passed >= NSEC_PER_MSEC && passed <= NSEC_PER_MSEC + SLACK_NS, "CPU %u: %llu ns", cpu, (ull)passed);
	}
}

/* ---- ends; not static, so that backtraces name them ---- */

void take_crosswise(u32 *one, u32 *two);
__attribute__((noinline)) void take_crosswise(u32 *one, u32 *two)
{
	machine_lock(one);
	add(&go);
	await(&go, 2);
	machine_lock(two);
	machine_unlock(two);
	machine_unlock(one);
}

static void lock_one_way(void)
{
	take_crosswise(&lock, &other_lock);
}

static void lock_the_other_way(void)
{
	if (machine_cpu() == 1)
		take_crosswise(&other_lock, &lock);
}

static void lock_twice(void)
{
	await_others();
	machine_lock(&lock);
	machine_lock(&lock);
}

static void sleep_for_ever(void)
{
	machine_idle();
}

/* Both look at the same time, and again, and no time passes. */
void poll_under_lock(void);
__attribute__((noinline)) void poll_under_lock(void)
{
	bool over = false;

	while (!over) {
		machine_lock(&lock);
		over = READ_ONCE(go);
		machine_unlock(&lock);
	}
}

/* Who waits for it, on a CPU of a higher number at the same time, never gets to set it. */
void poll_without_relax(void);
__attribute__((noinline)) void poll_without_relax(void)
{
	machine_irq_enable();
	while (!READ_ONCE(go))
		machine_irq_restore(machine_irq_save());
}

static void go_later(void)
{
	engine_charge(1000);
	machine_irq_enable();
	add(&go);
}

void spin_for_ever(void);
__attribute__((noinline)) void spin_for_ever(void)
{
	while (!READ_ONCE(go))
		;
}

/* What is due then must not be delivered in the middle of the report. */
static void run_stuck(void)
{
	machine_timer_arm(running->clock + 500);
	engine_charge(1000);
	running->irqs_on = true;
	spin_for_ever();
}

/* ---- all of them ---- */

#define ON_CPUS(n, what, function, part)                                                                                           \
	{                                                                                                                          \
		.name = what ", " #n " CPUs", .topo = #n "c", .run = function, .others = part                                      \
	}

static const struct test tests[] = {
	{ .name = "a busy loop without an engine point is stuck",
		.topo = "2c",
		.run = run_stuck,
		.status = VERDICT_FAULT,
		.words = { "stuck: the running task has not come to an engine point", "CPU 0 runs at", "interrupts on, timer at",
			"CPU 1 parked at", "spin_for_ever+", "\"kind\":\"stuck\"" } },
	{ .name = "two CPUs that poll under a lock are a livelock",
		.topo = "2c",
		.run = poll_under_lock,
		.others = poll_under_lock,
		.status = VERDICT_FAULT,
		.words = { "livelock: CPUs keep running but virtual time stands still", "CPU 0 ", "CPU 1 ", "poll_under_lock+",
			"\"kind\":\"livelock\"" } },
	{ .name = "a CPU that polls while no time passes is a livelock",
		.topo = "2c",
		.run = poll_without_relax,
		.others = go_later,
		.status = VERDICT_FAULT,
		.words = { "livelock: ", "CPU 0 runs at", "CPU 1 ready at", "poll_without_relax+", "\"kind\":\"livelock\"" } },
	ON_CPUS(1, "work", run_work, work_part),
	ON_CPUS(2, "work", run_work, work_part),
	ON_CPUS(4, "work", run_work, work_part),
	ON_CPUS(8, "work", run_work, work_part),
	ON_CPUS(16, "work", run_work, work_part),
	ON_CPUS(1, "execution", run_execution, execute_part),
	ON_CPUS(2, "execution", run_execution, execute_part),
	ON_CPUS(4, "execution", run_execution, execute_part),
	ON_CPUS(8, "execution", run_execution, execute_part),
	ON_CPUS(16, "execution", run_execution, execute_part),
	ON_CPUS(1, "a lock serialises, in order of arrival", run_contention, take_turns),
	ON_CPUS(2, "a lock serialises, in order of arrival", run_contention, take_turns),
	ON_CPUS(8, "a lock serialises, in order of arrival", run_contention, take_turns),
	ON_CPUS(64, "a lock serialises, in order of arrival", run_contention, take_turns),
	ON_CPUS(2, "trylock", run_trylock, hold_for_a_while),
	ON_CPUS(1, "no clock goes back", run_anything, do_anything),
	ON_CPUS(2, "no clock goes back", run_anything, do_anything),
	ON_CPUS(16, "no clock goes back", run_anything, do_anything),
	ON_CPUS(2, "waiting for another CPU skips no interrupt", run_relax, work_long),
	ON_CPUS(2, "the clock of an idle CPU follows", run_idle_clock, NULL),
	ON_CPUS(1, "interrupts wait while they are off", run_masked, NULL),
	ON_CPUS(2, "interrupts wait while they are off, with a kick from outside", run_masked, kick_boot_cpu),
	ON_CPUS(2, "a kick ends idling", run_idle_kicked, kick_boot_cpu),
	ON_CPUS(1, "a timer ends idling when it is due", run_timer, NULL),
	ON_CPUS(1, "interrupted work goes on", run_interrupted_work, NULL),
	{ .name = "kicks of idle CPUs take as long as they are far",
		.topo = "2n:2l:2c:2t",
		.kick = "1000,10000,20000,50000",
		.run = run_kicks },
	{ .name = "kicks of working CPUs take as long as they are far",
		.topo = "2n:2l:2c:2t",
		.kick = "1000,10000,20000,50000",
		.run = run_kicked_work,
		.others = work_long },
	{ .name = "two locks taken crosswise are a deadlock",
		.topo = "3c",
		.run = lock_one_way,
		.others = lock_the_other_way,
		.status = VERDICT_FAULT,
		.words = { "deadlock: CPUs wait for each other's locks", "CPU 0 waits for a lock at", "held by CPU 1",
			"CPU 1 waits for a lock at", "held by CPU 0", "CPU 2 parked at", "take_crosswise+",
			"\"kind\":\"deadlock\"" } },
	{ .name = "a lock taken twice is a deadlock",
		.topo = "2c",
		.run = lock_twice,
		.status = VERDICT_FAULT,
		.words = { "deadlock: ", "CPU 0 waits for a lock at", "held by CPU 0", "CPU 1 parked at", "kernel_main+" } },
	{ .name = "CPUs that all idle without a timer are a deadlock",
		.topo = "2c",
		.run = sleep_for_ever,
		.status = VERDICT_FAULT,
		.words = { "deadlock: ", "CPU 0 parked at", "CPU 1 parked at", "kernel_main+" } },
};

/* ---- outside ---- */

static char log_text[64 * 1024];

static void read_log(FILE *log)
{
	log_text[fread(log_text, 1, sizeof(log_text) - 1, log)] = '\0';
	fclose(log);
}

static bool is_as_expected(const struct test *t, int status)
{
	bool good = status == t->status;

	if (!good)
		printf("# status %d; expected %d\n", status, t->status);
	for (unsigned i = 0; i < MOST_WORDS && t->words[i]; i++)
		if (!strstr(log_text, t->words[i])) {
			printf("# missing in the log: %s\n", t->words[i]);
			good = false;
		}
	return good;
}

static void print_log(void)
{
	for (char *line = strtok(log_text, "\n"); line; line = strtok(NULL, "\n"))
		printf("#   %.200s\n", line);
}

int main(void)
{
	static struct vm vm[ARRAY_SIZE(tests)];
	unsigned failed = 0;

	for (unsigned i = 0; i < ARRAY_SIZE(tests); i++) {
		test = tests[i];
		vm[i].topo = test.topo;
		vm[i].kick = test.kick;
		vm_start(&vm[i]);
	}
	for (unsigned i = 0; i < ARRAY_SIZE(tests); i++) {
		int status = vm_wait(&vm[i]);
		bool good;

		read_log(vm[i].log);
		good = is_as_expected(&tests[i], status);
		printf("%sok %u - %s\n", good ? "" : "not ", i + 1, tests[i].name);
		if (!good)
			print_log();
		failed += !good;
	}
	printf("1..%u\n", (unsigned)ARRAY_SIZE(tests));
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
