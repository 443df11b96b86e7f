/* SPDX-License-Identifier: GPL-2.0-or-later
 * The workload kbuild against the checks and the miniature of workloads.md 4.4: 5M + 2 tasks, never more than J objects in flight,
 * elapsed >= max(sum of CPU / C, critical path), no parent runs between vfork and exec, every object is built exactly once, and
 * what each program takes. A miss means that a build would not be the one that its figures are said to be of.
 *
 * kbuild is compiled into this test with taps on what it calls: they count, and can do damage. */
#include "tests/unit/running.h"

#include "ipc/channel.h"
#include "ipc/process.h"

static struct task *tap_vfork(const char *name, void (*entry)(void *), void *argument);
static int tap_exec(void);
static u32 tap_wait(struct task *child);
static void tap_work(u64 ns);
static void tap_receive(struct channel *c, void *data, size_t bytes);
extern const struct workload tapped_kbuild;

#define kbuild		tapped_kbuild
#define process_vfork	tap_vfork
#define process_exec	tap_exec
#define process_wait	tap_wait
#define machine_work_ns tap_work
#define channel_receive tap_receive
#include "workloads/kbuild.c"
#undef kbuild
#undef process_vfork
#undef process_exec
#undef process_wait
#undef machine_work_ns
#undef channel_receive

enum program { MAKE, SH, GCC, CC1, AS, FIXDEP, LD, NR_PROGRAMS };

static const char *const program_name[NR_PROGRAMS] = { "make", "sh", "gcc", "cc1", "as", "fixdep", "ld" };

enum { MOST_TASKS = 4096 };

static struct {
	/* damage */
	u64 fail_vfork, fail_exec; /* at which call, from 1 */
	u64 damage_page;	   /* at which message received */
	const char *skip, *repeat; /* a program that does nothing, or is run twice */
	u64 damage_at;		   /* at which start of that */
	u64 over_at;		   /* the run that this one accompanies ends at that start of a shell */

	/* counts */
	u64 vforks, execs, pages;
	u64 started[NR_PROGRAMS], work_ns[NR_PROGRAMS], kernel_ns, most_cc1_ns;
	u64 live, most_live; /* shells that have not been waited for */
	bool left_early;     /* a parent went on before its child's exec or end */
} tap;

static bool over;

/* By task: what it still is to its parent, and what it has worked. */
static struct {
	u32 id;
	bool released; /* has exec'd or ended */
	u64 work_ns;
} life[MOST_TASKS];

static unsigned nr_lives;

static unsigned life_of(u32 id)
{
	unsigned i = 0;

	while (i < nr_lives && life[i].id != id)
		i++;
	assert_true(i < MOST_TASKS);
	if (i == nr_lives)
		life[nr_lives++].id = id;
	return i;
}

static enum program program_of(const char *name)
{
	unsigned i = 0;

	while (strcmp(program_name[i], name))
		assert_in_range(++i, 0, NR_PROGRAMS - 1);
	return (enum program)i;
}

/* What a child really begins with: its entry, and the note that it has ended. */
struct wrapper {
	void (*entry)(void *);
	void *argument;
	bool idle, twice;
};

static void wrapped(void *argument)
{
	struct wrapper *w = argument;

	if (w->idle)
		assert_int_equal(tap_exec(), 0);
	else
		w->entry(w->argument);
	if (w->twice)
		w->entry(w->argument);
	life[life_of(current()->id)].released = true;
	free(w);
}

static struct wrapper *wrap(const char *name, void (*entry)(void *), void *argument)
{
	struct wrapper *w = malloc(sizeof(*w));
	bool now = tap.started[program_of(name)] == tap.damage_at;

	*w = (struct wrapper){ .entry = entry, .argument = argument };
	w->idle = now && tap.skip && !strcmp(tap.skip, name);
	w->twice = now && tap.repeat && !strcmp(tap.repeat, name);
	return w;
}

static void count_shell(void)
{
	tap.live++;
	tap.most_live = max_u64(tap.most_live, tap.live);
	if (tap.started[SH] != tap.over_at)
		return;
	over = true;
	result.over = &over;
}

static struct task *tap_vfork(const char *name, void (*entry)(void *), void *argument)
{
	enum program p = program_of(name);
	struct task *t;

	if (++tap.vforks == tap.fail_vfork)
		return NULL;
	tap.started[p]++;
	if (p == SH)
		count_shell();
	t = process_vfork(name, wrapped, wrap(name, entry, argument));
	assert_non_null(t);
	tap.left_early |= !life[life_of(t->id)].released;
	return t;
}

static int tap_exec(void)
{
	int err;

	if (++tap.execs == tap.fail_exec)
		return -E_NOMEM;
	life[life_of(current()->id)].released = true;
	err = process_exec();
	assert_int_equal(err, 0);
	return err;
}

static u32 tap_wait(struct task *child)
{
	u32 id = process_wait(child);

	tap.live -= !strcmp(current()->name, "make") && tap.live;
	return id;
}

static void tap_work(u64 ns)
{
	enum program p = program_of(current()->name);
	u64 *own = &life[life_of(current()->id)].work_ns;

	machine_work_ns(ns);
	tap.work_ns[p] += ns;
	*own += ns;
	if (p == CC1)
		tap.most_cc1_ns = max_u64(tap.most_cc1_ns, *own);
	if (current()->syscall_depth)
		tap.kernel_ns += ns;
}

static void tap_receive(struct channel *c, void *data, size_t bytes)
{
	channel_receive(c, data, bytes);
	assert_int_equal(bytes, 4096);
	if (++tap.pages == tap.damage_page)
		((char *)data)[0] ^= 1;
}

/* ---- running ---- */

static void run_tapped(const char *arguments)
{
	memset(&tap.vforks, 0, sizeof(tap) - offsetof(__typeof__(tap), vforks));
	nr_lives = 0;
	memset(life, 0, sizeof(life));
	run_workload(&tapped_kbuild, arguments);
}

static const struct options *options_given(void)
{
	return (const struct options *)running_options;
}

/* 5M + 2: shell, driver, cc1, as, fixdep of each object, make, the link job. */
static void expect_tasks(u64 objects)
{
	for (unsigned p = 0; p < NR_PROGRAMS; p++)
		assert_true(tap.started[p] == (p == MAKE || p == LD ? 1 : objects));
	assert_true(tap.vforks == 5 * objects + 2 && tap.execs == tap.vforks);
	assert_true(metric("tasks") == 5 * objects + 2);
	assert_true(metric("objects") == objects);
}

/* 0.3 ms for the shell, 1 ms the driver, 6 ms as, 1 ms fixdep, 150 ms the link. */
static void expect_work(u64 objects)
{
	u64 cpu = 0;

	for (unsigned p = 0; p < NR_PROGRAMS; p++)
		cpu += tap.work_ns[p];
	assert_true(tap.work_ns[MAKE] == 0);
	assert_true(tap.work_ns[SH] == objects * 300000);
	assert_true(tap.work_ns[GCC] == objects * 1000000);
	assert_true(tap.work_ns[AS] == objects * 6000000);
	assert_true(tap.work_ns[FIXDEP] == objects * 1000000);
	assert_true(tap.work_ns[LD] == 150000000);
	assert_true(metric("cpu_ns") == cpu);
}

/* Serially an object's chain is the shell's 0.3 ms, the driver's 1 ms, cc1, 6 ms, 1 ms; with a pipe only the last of 16 parts of as
 * is behind the longest cc1, which is here longer than as. Behind all of them is the link. */
static void expect_elapsed(void)
{
	u64 behind_cc1 = options_given()->pipe ? 6000000 / 16 : 6000000;
	u64 path = 300000 + 1000000 + tap.most_cc1_ns + behind_cc1 + 1000000 + 150000000;

	assert_true(tap.most_cc1_ns > 6000000);
	assert_true(metric("critical_path_ns") == path);
	assert_true(result.elapsed_ns >= path);
	assert_true(result.elapsed_ns * machine_nr_cpus() >= metric("cpu_ns"));
}

static void expect_build(const char *arguments)
{
	u64 jobs;

	run_tapped(arguments);
	if (strcmp(result.status, "ok"))
		fail_msg("%s: %s", arguments, result.status);
	jobs = options_given()->jobs ? options_given()->jobs : machine_nr_cpus();
	expect_tasks(options_given()->objects);
	expect_work(options_given()->objects);
	expect_elapsed();
	assert_true(metric("most_in_flight") == tap.most_live);
	assert_true(tap.most_live == min_u64(jobs, options_given()->objects));
	assert_false(tap.left_early);
	assert_true(tap.pages == (options_given()->pipe ? 16 * options_given()->objects : 0));
}

/* ---- all checks on some builds ---- */

static void expect_builds(void)
{
	static const char *const arguments[] = { "-j 1 -n 1", "-j 1 -n 7", "-j 3 -n 10", "-j 16 -n 9", "-j 4 -n 12 -s 10" };

	for (unsigned i = 0; i < 2 * ARRAY_SIZE(arguments); i++) {
		char text[64];

		snprintf(text, sizeof(text), "%s %s", arguments[i / 2], i % 2 ? "--pipe" : "");
		expect_build(text);
	}
}

static void test_builds_on_one_cpu(void **state)
{
	(void)state;
	start_machine(1, 1, 1, 1);
	expect_builds();
	knob.preempt = PREEMPT_FULL;
	test_apply_knobs();
	expect_builds();
}

static void test_builds_on_eight_cpus(void **state)
{
	(void)state;
	start_machine(2, 1, 4, 1);
	expect_builds();
	knob.preempt = PREEMPT_FULL;
	test_apply_knobs();
	expect_builds();
}

/* Where only work takes time and the CPU is never idle, a build takes the sum of all work. */
static void test_one_cpu_never_waits(void **state)
{
	(void)state;
	start_machine(1, 1, 1, 1);
	expect_build("-j 4 -n 20");
	assert_true(result.elapsed_ns == metric("cpu_ns"));
	expect_build("-j 4 -n 20 --pipe");
	assert_true(result.elapsed_ns == metric("cpu_ns"));
}

/* One job slot: each object is built from its shell to its fixdep before the next, so CPUs beyond the first do not help. */
static void test_one_slot_is_serial(void **state)
{
	(void)state;
	start_machine(1, 1, 4, 1);
	expect_build("-j 1 -n 8");
	assert_true(result.elapsed_ns == metric("cpu_ns"));
	assert_true(tap.most_live == 1);
}

/* ---- what is compiled ---- */

static u64 cc1_ns(const char *arguments)
{
	run_tapped(arguments);
	assert_string_equal(result.status, "ok");
	return tap.work_ns[CC1];
}

/* The seed alone says what the objects take, not how they are built or on what. */
static void test_objects_come_from_the_seed(void **state)
{
	u64 serial;

	(void)state;
	start_machine(1, 1, 4, 1);
	run_prepare(0, 5);
	serial = cc1_ns("-j 2 -n 9");
	assert_true(cc1_ns("-j 9 -n 9 --pipe -f 1000") == serial);
	assert_true(cc1_ns("-j 2 -n 9") == serial);
	knob.preempt = PREEMPT_FULL;
	test_apply_knobs();
	assert_true(cc1_ns("-j 3 -n 9") == serial);
	run_prepare(0, 6);
	assert_true(cc1_ns("-j 2 -n 9") != serial);
}

/* The scale is one of cc1's time: a tenth, but for the rounding of 16 ns and of the power of two, 64 ns an object. */
static void test_scale(void **state)
{
	u64 whole, tenth;

	(void)state;
	start_machine(1, 1, 1, 1);
	whole = cc1_ns("-n 20 -j 2");
	tenth = cc1_ns("-n 20 -j 2 --scale 10");
	assert_in_range(tenth, whole / 10 - 20 * 64, whole / 10 + 20 * 64);
	expect_work(20);
	assert_true(cc1_ns("-n 20 -j 2 -s 100") == whole);
}

/* 4.4: median 300 ms, sigma about 1.2: of 500 objects some 250 stay below the median (+- 3 * sqrt(500) / 2 = 34), some 50 below
 * the 10 % quantile of 64.5 ms and above the 90 % one of 1.396 s (+- 3 * sqrt(500 * 0.09) = 20). */
static void test_median_and_spread(void **state)
{
	unsigned below = 0, low = 0, high = 0;

	(void)state;
	start_machine(1, 1, 1, 1);
	expect_build("-n 500 -j 2");
	for (unsigned i = 0; i < nr_lives; i++) {
		u64 ns = life[i].work_ns;

		if (ns == 300000 || ns == 1000000 || ns == 6000000 || ns == 150000000 || !ns)
			continue; /* no cc1 */
		below += ns < 300000000;
		low += ns < 64460000;
		high += ns > 1396300000;
	}
	assert_in_range(below, 250 - 34, 250 + 34);
	assert_in_range(low, 50 - 20, 50 + 20);
	assert_in_range(high, 50 - 20, 50 + 20);
}

/* Every full millisecond of cc1 but what is left at the end has 20 us in the kernel, and the build takes no longer by it. */
static void test_faults(void **state)
{
	u64 without, most;

	(void)state;
	start_machine(1, 1, 1, 1);
	without = cc1_ns("-n 6 -j 2");
	assert_true(tap.kernel_ns == 0);
	expect_build("-n 6 -j 2 --fault-us 1000");
	assert_true(tap.work_ns[CC1] == without);
	most = without / 1000000 * 20000;
	assert_in_range(tap.kernel_ns, most - 6 * 20000, most);
}

/* ---- every object exactly once ---- */

static void expect_not_ok(const char *arguments)
{
	run_tapped(arguments);
	assert_string_equal(result.status, "an object was not built, or built more than once");
	assert_true(metric("objects") < options_given()->objects);
}

static void test_skipped_and_repeated_work_is_noticed(void **state)
{
	static const char *const programs[] = { "sh", "gcc", "cc1", "as", "fixdep" };

	(void)state;
	start_machine(1, 1, 4, 1);
	for (unsigned i = 0; i < ARRAY_SIZE(programs); i++) {
		tap.damage_at = 3;
		tap.skip = programs[i];
		expect_not_ok("-j 2 -n 5");
		assert_true(metric("objects") == 4);
		tap.skip = NULL;
		tap.repeat = programs[i];
		expect_not_ok("-j 2 -n 5");
		tap.repeat = NULL;
	}
	expect_build("-j 2 -n 5");
}

/* A page that as reads is not the one that it should be. */
static void test_damaged_page_is_noticed(void **state)
{
	(void)state;
	start_machine(1, 1, 4, 1);
	tap.damage_page = 1;
	expect_not_ok("-j 2 -n 5 --pipe");
	tap.damage_page = 16 * 5;
	expect_not_ok("-j 2 -n 5 --pipe");
	tap.damage_page = 0;
	expect_build("-j 2 -n 5 --pipe");
}

/* ---- when memory is out ---- */

/* Wherever it happens: said so, no new object is begun, nobody is left behind (run_in_task() looks), and there is no link. */
static void expect_given_up(const char *arguments)
{
	run_tapped(arguments);
	assert_string_equal(result.status, "not enough memory for so many objects and processes");
	assert_int_equal(result.nr_metrics, 0);
	assert_false(tap.left_early);
}

static void test_out_of_memory_anywhere(void **state)
{
	(void)state;
	start_machine(1, 1, 4, 1);
	for (unsigned pipe = 0; pipe < 2; pipe++)
		for (u64 at = 1; at <= 5 * 6 + 2; at++) {
			tap.fail_vfork = at;
			expect_given_up(pipe ? "-j 3 -n 6 --pipe -s 5" : "-j 3 -n 6 -s 5");
			tap.fail_vfork = 0;
			tap.fail_exec = at;
			expect_given_up(pipe ? "-j 3 -n 6 --pipe -s 5" : "-j 3 -n 6 -s 5");
			tap.fail_exec = 0;
		}
	expect_build("-j 3 -n 6 --pipe -s 10");
}

/* 10,000 job slots with a pipe of 64 KiB each are more than there is. */
static void test_no_memory_to_begin_with(void **state)
{
	(void)state;
	start_machine(1, 1, 1, 1);
	expect_given_up("-j 10000 -n 1000000 --pipe");
	assert_true(tap.vforks == 0);
}

/* ---- in the background, options, text ---- */

/* When the run that it accompanies is over, it begins no more objects, and links those that it has. */
static void test_background(void **state)
{
	(void)state;
	start_machine(1, 1, 4, 1);
	tap.over_at = 5;
	run_tapped("-j 2 -n 1000000 -s 10");
	assert_string_equal(result.status, "ok");
	expect_tasks(5);
	expect_work(5);
}

static void test_text(void **state)
{
	char expected[256];

	(void)state;
	start_machine(1, 1, 1, 1);
	expect_build("-j 2 -n 3");
	snprintf(expected, sizeof(expected),
		"make -j2, 3 objects\nElapsed Time %s\nCPU Time %s\nPercent CPU 100\nContext Switches %llu\nSleeps %llu\nProcesses 17\n",
		text_decimal(result.elapsed_ns, NSEC_PER_SEC, 3).text, text_decimal(metric("cpu_ns"), NSEC_PER_SEC, 3).text,
		(unsigned long long)(result.after.involuntary - result.before.involuntary),
		(unsigned long long)(result.after.voluntary - result.before.voluntary));
	assert_string_equal(test_console(), expected);
}

/* As many jobs as CPUs, and 64 objects. */
static void test_defaults(void **state)
{
	(void)state;
	start_machine(1, 1, 6, 1);
	expect_build("");
	assert_int_equal(metric("most_in_flight"), 6);
	assert_true(options_given()->objects == 64 && options_given()->scale_percent == 100);
}

static void test_refused(void **state)
{
	(void)state;
	start_machine(1, 1, 1, 1);
	expect_refused(&tapped_kbuild, "-j 0", "jobs");
	expect_refused(&tapped_kbuild, "-n 0", "objects");
	expect_refused(&tapped_kbuild, "--scale 1001", "scale");
	expect_refused(&tapped_kbuild, "-f 20", "fault-us");
	expect_refused(&tapped_kbuild, "4", "4");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		machine_test(test_builds_on_one_cpu),
		machine_test(test_builds_on_eight_cpus),
		machine_test(test_one_cpu_never_waits),
		machine_test(test_one_slot_is_serial),
		machine_test(test_objects_come_from_the_seed),
		machine_test(test_scale),
		machine_test(test_median_and_spread),
		machine_test(test_faults),
		machine_test(test_skipped_and_repeated_work_is_noticed),
		machine_test(test_damaged_page_is_noticed),
		machine_test(test_out_of_memory_anywhere),
		machine_test(test_no_memory_to_begin_with),
		machine_test(test_background),
		machine_test(test_text),
		machine_test(test_defaults),
		machine_test(test_refused),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
