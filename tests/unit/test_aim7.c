/* SPDX-License-Identifier: GPL-2.0-or-later
 * AIM7's compute mix from its arguments to its figures, on machines where only work takes time and CPUs take turns.
 *
 * Expected numbers are those of workloads.md 4.1 and 7.6: the mix, the formulas, the rows quoted there. How long jobs take is
 * aim7.c's own: 3 s of a task, which is added up here. A miss means that a figure is not the one that the suite would print of such
 * a run, or that a run is another load than the suite's. */
#include "tests/unit/running.h"

#include "ipc/channel.h"
#include "ipc/futex.h"
#include "ipc/sleep.h"

/* ---- aim7 with a tap on what its jobs do: counts it, and can do damage ---- */

static void tap_work(u64 ns);
static void tap_sleep(u64 ns);
static void tap_send(struct channel *c, const void *data, size_t bytes);
static void tap_receive(struct channel *c, void *data, size_t bytes);
static bool tap_lock(struct mutex *m);
static u64 tap_end(void);
extern const struct workload tapped_aim7;

#define aim7		tapped_aim7
#define machine_work_ns tap_work
#define sleep_ns	tap_sleep
#define channel_send	tap_send
#define channel_receive tap_receive
#define mutex_lock	tap_lock
#define task_cpu_ns	tap_end
#include "workloads/aim7.c"
#undef aim7
#undef machine_work_ns
#undef sleep_ns
#undef channel_send
#undef channel_receive
#undef mutex_lock
#undef task_cpu_ns

enum { JOBS = 101, MOST_TASKS = 4 };

static struct {
	u32 tasks, id[MOST_TASKS], bursts[MOST_TASKS];
	u64 burst_ms[MOST_TASKS][JOBS]; /* in the order of each task */
	u64 naps, nap_least_ns, nap_most_ns;
	u64 ready, sent[4097], received, locks;
	u64 ended, slept; /* tasks, and how often they had given up the CPU by then */
	u64 damage_at;	  /* the message received that suffers it, from 1 */
} tap;

static bool is_worker(void)
{
	return !strcmp(current()->name, "aim7");
}

/* In the order in which the workers are first seen. */
static u32 worker_number(void)
{
	u32 i = 0;

	while (i < tap.tasks && tap.id[i] != current()->id)
		i++;
	assert_true(is_worker() && i < MOST_TASKS);
	if (i == tap.tasks)
		tap.id[tap.tasks++] = current()->id;
	return i;
}

static void tap_work(u64 ns)
{
	u32 i = worker_number();

	if (!ns) /* by how much it is to stagger */
		return;
	assert_true(tap.bursts[i] < JOBS);
	tap.burst_ms[i][tap.bursts[i]++] = ns / NSEC_PER_MSEC;
	machine_work_ns(ns);
}

static void tap_sleep(u64 ns)
{
	if (is_worker()) {
		tap.nap_least_ns = tap.naps++ ? min_u64(tap.nap_least_ns, ns) : ns;
		tap.nap_most_ns = max_u64(tap.nap_most_ns, ns);
	}
	sleep_ns(ns);
}

/* What a worker says before its first job is that it is ready. */
static void tap_send(struct channel *c, const void *data, size_t bytes)
{
	if (tap.bursts[worker_number()])
		tap.sent[bytes]++;
	else
		tap.ready++;
	channel_send(c, data, bytes);
}

static void tap_receive(struct channel *c, void *data, size_t bytes)
{
	channel_receive(c, data, bytes);
	if (is_worker() && ++tap.received == tap.damage_at)
		((char *)data)[bytes - 1] ^= 0x40;
}

static bool tap_lock(struct mutex *m)
{
	bool slept = mutex_lock(m);

	tap.locks++;
	assert_false(slept);
	return slept;
}

static u64 tap_end(void)
{
	tap.ended++;
	tap.slept += current()->nr_voluntary;
	return task_cpu_ns();
}

/* Counts anew. */
static void expect_tapped(const char *arguments, const char *status)
{
	u64 damage_at = tap.damage_at;

	memset(&tap, 0, sizeof(tap));
	tap.damage_at = damage_at;
	run_workload(&tapped_aim7, arguments);
	if (strcmp(result.status, status))
		fail_msg("aim7 %s: %s", arguments, result.status);
}

/* ---- the mix ---- */

struct row {
	u32 weight, jobs;
	const char *names; /* with a blank around each */
};

static const struct row rows[] = {
	{ 50, 6, " add_double matrix_rtns mul_double page_test " },
	{ 40, 5, " div_double mem_rtns_1 mem_rtns_2 new_raph num_rtns_1 series_1 trig_rtns " },
	{ 30, 4, " add_int add_long disk_rd div_int mul_int mul_long sieve string_rtns " },
	{ 20, 2, " disk_wrt stream_pipe udp_test " },
	{ 10, 1, " array_rtns disk_cp disk_src shared_memory " },
};

static const struct row *row_of(const char *name)
{
	char word[32];

	snprintf(word, sizeof(word), " %s ", name);
	for (unsigned i = 0; i < ARRAY_SIZE(rows); i++)
		if (strstr(rows[i].names, word))
			return &rows[i];
	fail_msg("no job is called %s", name);
	return NULL;
}

/* 7.6: 26 kinds whose weights add up to 820, and 6, 5, 4, 2 or 1 jobs of a kind, 101 in all. */
static void test_mix(void **state)
{
	u32 sum = 0, jobs = 0, burst_ms = 0;

	(void)state;
	assert_int_equal(ARRAY_SIZE(mix), 26);
	for (unsigned i = 0; i < ARRAY_SIZE(mix); i++) {
		const struct row *row = row_of(mix[i].name);

		assert_int_equal(mix[i].weight, row->weight);
		assert_int_equal(jobs_of(&mix[i]), row->jobs);
		for (unsigned k = 0; k < i; k++)
			assert_string_not_equal(mix[k].name, mix[i].name);
		assert_in_range(mix[i].burst_ms, 5, 60);
		sum += mix[i].weight;
		jobs += row->jobs;
		burst_ms += row->jobs * mix[i].burst_ms;
	}
	assert_int_equal(sum, 820);
	assert_int_equal(jobs, JOBS);
	assert_int_equal(jobs_per_task(), JOBS);
	assert_int_equal(burst_ms, 3000);
}

/* Every job is done once and no other, whatever the order; two tasks have different ones. */
static void test_order(void **state)
{
	u32 times[61] = { 0 }, places = 0;

	(void)state;
	start_machine(1, 1, 1, 1);
	expect_tapped("2 -p 0", "ok");
	assert_int_equal(tap.tasks, 2);
	for (unsigned t = 0; t < 2; t++) {
		memset(times, 0, sizeof(times));
		for (unsigned i = 0; i < JOBS; i++)
			times[tap.burst_ms[t][i]]++;
		for (unsigned i = 0; i < ARRAY_SIZE(mix); i++)
			times[mix[i].burst_ms] -= jobs_of(&mix[i]);
		for (unsigned i = 0; i < ARRAY_SIZE(times); i++)
			assert_int_equal(times[i], 0);
	}
	for (unsigned i = 0; i < JOBS; i++)
		places += tap.burst_ms[0][i] == tap.burst_ms[1][i];
	assert_in_range(places, 0, JOBS / 2);
}

/* The orders depend on the seed of the run and on nothing else. */
static void test_order_by_seed(void **state)
{
	u64 before[JOBS];

	(void)state;
	start_machine(1, 1, 1, 1);
	run_prepare(0, 42);
	expect_tapped("1 -p 0", "ok");
	memcpy(before, tap.burst_ms[0], sizeof(before));
	expect_tapped("1 -p 0", "ok");
	assert_memory_equal(before, tap.burst_ms[0], sizeof(before));
	run_prepare(0, 43);
	expect_tapped("1 -p 0", "ok");
	assert_memory_not_equal(before, tap.burst_ms[0], sizeof(before));
}

/* A kind with most of the jobs left is drawn most often: with 3 of one and 1 of another the latter is the first in a quarter of
 * 10,000 cases, which 4 standard deviations of sqrt(10000 * 0.25 * 0.75) = 43 make 2500 +- 173. */
static void test_draws_are_even(void **state)
{
	struct worker w = { .random = 1 };
	unsigned first = 0;

	(void)state;
	for (unsigned i = 0; i < 10000; i++) {
		memset(w.left, 0, sizeof(w.left));
		w.left[3] = 3;
		w.left[20] = 1;
		w.all_left = 4;
		first += draw_job(&w) == &mix[20];
		assert_int_equal(w.all_left, 3);
	}
	assert_in_range(first, 2500 - 173, 2500 + 173);
}

/* ---- what jobs do beside computing ---- */

/* The socket jobs are 2 + 2 of 99 messages each, the sizes 1, 2, 4 .. 4096 over and over: 99 = 7 * 13 + 8, so 8 rounds of each of
 * the 8 smallest and 7 of the others. The semaphore is locked 100 times. All that by each task with itself. */
static void test_talk_and_lock(void **state)
{
	(void)state;
	start_machine(1, 1, 1, 1);
	expect_tapped("3 -p 0", "ok");
	assert_true(tap.ready == 3 && tap.received == 3 * 4 * 99 && tap.locks == 3 * 100);
	for (unsigned i = 0; i <= 4096; i++)
		assert_true(tap.sent[i] == (i & (i - 1) || !i ? 0 : i <= 128 ? 3 * 4 * 8 : 3 * 4 * 7));
}

static void test_damage_is_noticed(void **state)
{
	static const u64 at[] = { 1, 99, 200, 396 };

	(void)state;
	start_machine(1, 1, 1, 1);
	for (unsigned i = 0; i < ARRAY_SIZE(at); i++) {
		tap.damage_at = at[i];
		expect_tapped("1 -p 0", "messages were lost, repeated or damaged");
	}
	tap.damage_at = 0;
	expect_tapped("1 -p 0", "ok");
}

static void test_missing_jobs_are_noticed(void **state)
{
	struct options o = { .tasks = 3 };
	struct bench b = { .o = &o, .jobs = 303 };

	(void)state;
	assert_string_equal(judge_work(&b), "ok");
	b.jobs = 302;
	assert_string_equal(judge_work(&b), "jobs were skipped or repeated");
	b.jobs = 304;
	assert_string_equal(judge_work(&b), "jobs were skipped or repeated");
}

/* Disks are 4 disk_rd, 2 disk_wrt, 1 disk_cp and 1 disk_src: 8 naps of 1 to 20 ms, or to what was said. */
static void test_disks(void **state)
{
	(void)state;
	start_machine(1, 1, 1, 1);
	expect_tapped("3 -p 0", "ok");
	assert_int_equal(tap.naps, 24);
	assert_true(tap.nap_least_ns >= NSEC_PER_MSEC && tap.nap_most_ns <= 20 * NSEC_PER_MSEC);
	assert_true(tap.nap_most_ns > 10 * NSEC_PER_MSEC); /* all 24 below the middle: once in 10 million */
	expect_tapped("1 -p 0 --disk-ms 1", "ok");
	assert_true(tap.naps == 8 && tap.nap_least_ns == NSEC_PER_MSEC && tap.nap_most_ns == NSEC_PER_MSEC);
	assert_true(result.elapsed_ns == 3008 * NSEC_PER_MSEC);
	expect_tapped("1 -p 0 --disk-ms 0", "ok");
	assert_int_equal(tap.naps, 0);
}

/* 4.1: there are no task-to-task wakeups. The start wakes each task, its end may wake the parent, a nap ends by the timer; nothing
 * else wakes anybody. A task sleeps when it waits for the start and in its naps, and nowhere else. */
static void expect_quiet(const char *arguments, u64 tasks, u64 naps)
{
	u64 wakeups;

	expect_tapped(arguments, "ok");
	wakeups = result.after.wakeups_local + result.after.wakeups_remote - result.before.wakeups_local -
		  result.before.wakeups_remote;
	assert_in_range(wakeups, tasks + naps + 1, tasks + naps + tasks);
	assert_true(tap.ended == tasks && tap.slept == tasks + naps && tap.naps == naps);
}

static void test_wakes_nobody(void **state)
{
	(void)state;
	start_machine(1, 1, 4, 1);
	for (unsigned preempt = 0; preempt < 2; preempt++) {
		knob.preempt = preempt ? PREEMPT_FULL : PREEMPT_NONE;
		test_apply_knobs();
		expect_quiet("1 -d 0", 1, 0);
		expect_quiet("4 -d 0", 4, 0);
		expect_quiet("4", 4, 32);
	}
}

/* ---- the figures ---- */

static void expect_per_minute(u64 jobs, u64 real_ms, unsigned digits, const char *text)
{
	assert_string_equal(per_minute(jobs, real_ms * NSEC_PER_MSEC, digits).text, text);
}

/* 4.1: at N = 1 in 13.80 s 439.13 jobs a minute; 7.6: 6060 * N / real, so as many tasks in as many times the seconds are as many.
 */
static void test_jobs_per_minute(void **state)
{
	(void)state;
	expect_per_minute(JOBS, 13800, 2, "439.13");
	expect_per_minute(JOBS, 13800, 4, "439.1304");
	expect_per_minute(JOBS, 6060 * 1000, 2, "1.00");
	expect_per_minute(100 * JOBS, 606 * 1000, 2, "1000.00");
	expect_per_minute(1024 * JOBS, 1000, 2, "6205440.00");
}

/* The row of 2005 that 4.1 quotes, of a mix of 97 jobs. Its seconds are rounded to two places, so that the figure lies between
 * those of half a hundredth more and less. */
static void expect_row(u64 tasks, u64 jobs_per_minute_x100, u64 real_ms)
{
	u64 jobs = tasks * 97;

	assert_true(jobs * 60 * 100 * 1000 / (real_ms + 5) <= jobs_per_minute_x100);
	assert_true(jobs_per_minute_x100 <= jobs * 60 * 100 * 1000 / (real_ms - 5));
}

static void test_quoted_row(void **state)
{
	(void)state;
	expect_row(1, 48468, 12010);
	expect_row(100, 2714046, 21440);
	expect_per_minute(97, 12010, 0, "485");	    /* of 484.68 */
	expect_per_minute(9700, 21440, 0, "27146"); /* of 27140.46 */
}

static u64 jti_of(const u64 *value, unsigned n)
{
	struct spread s = spread_of(value, n);

	return job_timing_index(&s);
}

/* 4.1: 100 where all are equal and where there is one, 90 of 9 and 11 s: their mean is 10, their deviation 1. A part of a percent
 * is cut off: 9.9 and 10.1 s deviate by 1 % and leave 99, and with 100 ns more leave less than 99. */
static void test_jti(void **state)
{
	const u64 s = NSEC_PER_SEC;

	(void)state;
	assert_int_equal(jti_of((u64[]){ 5 * s }, 1), 100);
	assert_int_equal(jti_of((u64[]){ 5 * s, 5 * s, 5 * s }, 3), 100);
	assert_int_equal(jti_of((u64[]){ 9, 11 }, 2), 90);
	assert_int_equal(jti_of((u64[]){ 9 * s, 11 * s }, 2), 90);
	assert_int_equal(jti_of((u64[]){ 99 * s / 10, 101 * s / 10 }, 2), 99);
	assert_int_equal(jti_of((u64[]){ 99 * s / 10 - 100, 101 * s / 10 + 100 }, 2), 98);
	assert_int_equal(jti_of((u64[]){ 0, 10 * s }, 2), 0);
	assert_int_equal(jti_of((u64[]){ 0, 0, 0, 12 * s }, 4), 0); /* mean 3, deviation 5.2 */
}

/* One task without disks takes its 3 s and nothing else: 6060 / 3 = 2020 jobs a minute, 101 / 3 = 33.6667 a second. */
static void test_text(void **state)
{
	(void)state;
	start_machine(1, 1, 1, 1);
	expect_ok(&aim7, "1 -d 0");
	assert_true(result.elapsed_ns == 3 * NSEC_PER_SEC);
	assert_true(metric("jobs") == JOBS && metric("jobs_per_min_x100") == 202000 && metric("jti") == 100);
	assert_true(metric("real_ns") == 3 * NSEC_PER_SEC && metric("cpu_ns") == 3 * NSEC_PER_SEC);
	assert_true(result.nr_counts == 1 && result.count[0] == 3000000);
	assert_string_equal(test_console(), "Tasks    jobs/min  jti  jobs/min/task      real       cpu\n"
					    "    1     2020.00  100      2020.0000      3.00      3.00\n"
					    "\n"
					    "Tasks\tJobs/Min\tJTI\tReal\tCPU\tJobs/sec/task\n"
					    "1\t2020.0\t100\t3.0\t3.0\t33.6667\n");
}

/* Four tasks on one CPU are 404 jobs in 12 s, each done when it is done, the last at the end. */
static void test_text_of_four(void **state)
{
	u64 last = 0;

	(void)state;
	start_machine(1, 1, 1, 1);
	expect_ok(&aim7, "4 -d 0");
	assert_true(metric("jobs") == 404 && metric("jobs_per_min_x100") == 202000);
	assert_true(metric("real_ns") == 12 * NSEC_PER_SEC && metric("cpu_ns") == 12 * NSEC_PER_SEC);
	assert_int_equal(result.nr_counts, 4);
	for (unsigned i = 0; i < 4; i++)
		last = max_u64(last, result.count[i]);
	assert_int_equal(last, 12000000);
	assert_int_equal(metric("jti"), jti_of(result.count, 4));
	assert_non_null(strstr(test_console(), "\n    4     2020.00"));
	assert_non_null(strstr(test_console(), "       505.0000     12.00     12.00\n"));
}

/* The pause counts in the original's real time: 6060 / 4 = 1515, and 3 s of CPU time as before; what is measured is the same. */
static void test_both_real_times(void **state)
{
	(void)state;
	start_machine(1, 1, 1, 1);
	expect_ok(&aim7, "1 -d 0 --original");
	assert_true(metric("real_ns") == 4 * NSEC_PER_SEC && metric("jobs_per_min_x100") == 151500);
	assert_true(metric("cpu_ns") == 3 * NSEC_PER_SEC && result.count[0] == 3000000);
	assert_true(result.elapsed_ns == 3 * NSEC_PER_SEC);
	expect_ok(&aim7, "1 -d 0 --original --pause-ms 500");
	assert_true(metric("real_ns") == 3500 * NSEC_PER_MSEC);
	expect_ok(&aim7, "1 -d 0 --reaim");
	assert_true(metric("real_ns") == 3 * NSEC_PER_SEC);
}

/* Half the bursts, and what they are: 26 lines, the first kind's 30 ms halved. */
static void test_scale_and_mix(void **state)
{
	const char *line;
	unsigned lines = 0;

	(void)state;
	start_machine(1, 1, 1, 1);
	expect_ok(&aim7, "1 -d 0 --scale 50 --mix");
	assert_true(metric("cpu_ns") == 1500 * NSEC_PER_MSEC);
	assert_int_equal(strncmp(test_console(), "      add_double  6 x    15.00 ms\n", 34), 0);
	assert_non_null(strstr(test_console(), "\n   shared_memory  1 x     2.50 ms\nTasks "));
	for (line = test_console(); (line = strstr(line, " ms\n")); line++)
		lines++;
	assert_int_equal(lines, 26);
}

/* ---- runs ---- */

static void run_everywhere(unsigned nodes, unsigned llcs, unsigned cores, unsigned threads)
{
	start_machine(nodes, llcs, cores, threads);
	for (unsigned preempt = 0; preempt < 2; preempt++) {
		knob.preempt = preempt ? PREEMPT_FULL : PREEMPT_NONE;
		test_apply_knobs();
		expect_ok(&aim7, "1 -s 2 -p 1");
		expect_ok(&aim7, "70 -s 1 -p 0");
		assert_true(metric("jobs") == 70 * JOBS && result.nr_counts == 70);
	}
}

static void test_1_cpu(void **state)
{
	(void)state;
	run_everywhere(1, 1, 1, 1);
}

static void test_2_threads(void **state)
{
	(void)state;
	run_everywhere(1, 1, 1, 2);
}

static void test_8_cpus(void **state)
{
	(void)state;
	run_everywhere(2, 2, 2, 1);
}

static void test_64_cpus(void **state)
{
	(void)state;
	run_everywhere(4, 1, 8, 2);
}

/* A channel for pages takes 44 * 4160 bytes and more, 180 KiB; 64 MiB are less than 1024 of them, though more than 300. Said so,
 * nobody left waiting, no job done (of 30 ms in each task), and the next run is fine. */
static void test_out_of_memory(void **state)
{
	u64 before;

	(void)state;
	start_machine(1, 1, 2, 1);
	assert_non_null(mem_alloc(mem_free_bytes() - 64 * 1024 * 1024));
	before = machine_clock_ns();
	run_workload(&aim7, "1024 -s 1");
	assert_string_equal(result.status, "not enough memory for so many tasks");
	assert_true(machine_clock_ns() - before < 30 * NSEC_PER_MSEC);
	assert_true(result.elapsed_ns == 0 && result.nr_metrics == 0 && result.nr_counts == 0);
	assert_string_equal(test_console(), "");
	expect_ok(&aim7, "1024 -s 1 -d 0 -p 0");
	assert_true(metric("jobs") == 1024 * JOBS && result.nr_counts == 1024);
}

static void test_refused(void **state)
{
	(void)state;
	expect_refused(&aim7, "", "too few arguments");
	expect_refused(&aim7, "0", "tasks takes a number from 1 to 1024");
	expect_refused(&aim7, "1025", "tasks takes a number from 1 to 1024");
	expect_refused(&aim7, "1 -s 0", "scale takes a number from 1");
	expect_refused(&aim7, "1 -d 1001", "disk-ms takes a number from 0 to 1000");
	expect_refused(&aim7, "1 2", "unexpected argument");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		machine_test(test_mix),
		machine_test(test_order),
		machine_test(test_order_by_seed),
		machine_test(test_draws_are_even),
		machine_test(test_talk_and_lock),
		machine_test(test_damage_is_noticed),
		machine_test(test_missing_jobs_are_noticed),
		machine_test(test_disks),
		machine_test(test_wakes_nobody),
		machine_test(test_jobs_per_minute),
		machine_test(test_quoted_row),
		machine_test(test_jti),
		machine_test(test_text),
		machine_test(test_text_of_four),
		machine_test(test_both_real_times),
		machine_test(test_scale_and_mix),
		machine_test(test_1_cpu),
		machine_test(test_2_threads),
		machine_test(test_8_cpus),
		machine_test(test_64_cpus),
		machine_test(test_out_of_memory),
		machine_test(test_refused),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
