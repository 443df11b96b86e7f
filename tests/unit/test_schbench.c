/* SPDX-License-Identifier: GPL-2.0-or-later
 * schbench from its arguments to its figures, on machines where only work takes time.
 *
 * Expected numbers are the checks and texts of workloads.md 4.6 and 7.11, and arithmetic on them: with the defaults a request
 * sleeps 100 us and makes 5 * 104^3 = 5,624,320 steps of a nanosecond, so on an idle CPU it takes 5,724,320 ns, and a second has
 * 174 of them. A miss means that wakeups or requests are counted that did not happen, or others timed than said. */
#include "tests/unit/running.h"

#include "ipc/sleep.h"
#include "workloads/crew.h"

/* ---- schbench with a tap on its work and on its wakeups ---- */

static void tap_work(u64 ns);
static bool tap_ask(struct worker *w);
static void tap_note(struct worker *w, u64 ns);
extern const struct workload tapped_schbench;

#define schbench	    tapped_schbench
#define machine_work_ns	    tap_work
#define worker_ask	    tap_ask
#define worker_note_request tap_note
/* Where copies take time, so that time passes that an interrupt can end. */
#define machine_charge(cost, units) tap_work(units)
#include "workloads/schbench.c"
#undef schbench
#undef machine_work_ns
#undef worker_ask
#undef worker_note_request
#undef machine_charge

enum damage { DAMAGE_NONE, DAMAGE_BUFFER, DAMAGE_ASKED, DAMAGE_DONE, DAMAGE_TAKEN };

static struct {
	u64 multiplications;
	unsigned computing, most_computing; /* at the same time */
	enum damage damage;
} tap;

/* Steps of a multiplication are work, and so is a turn of the lock's spin. */
static void tap_work(u64 ns)
{
	bool multiplies = ns > 1000000;

	tap.computing += multiplies;
	tap.most_computing = tap.computing > tap.most_computing ? tap.computing : tap.most_computing;
	tap.multiplications += multiplies;
	machine_work_ns(ns);
	tap.computing -= multiplies;
}

static void do_damage(struct worker *w)
{
	enum damage damage = tap.damage;

	tap.damage = DAMAGE_NONE;
	if (damage == DAMAGE_BUFFER)
		w->buffer[0] ^= 1;
	w->asked += damage == DAMAGE_ASKED;
	w->done += damage == DAMAGE_DONE;
}

static bool tap_ask(struct worker *w)
{
	bool goes_on = worker_ask(w);

	do_damage(w);
	return goes_on;
}

static void tap_note(struct worker *w, u64 ns)
{
	if (tap.damage == DAMAGE_TAKEN) {
		tap.damage = DAMAGE_NONE;
		w->taken++;
	}
	worker_note_request(w, ns);
}

static void run_tapped(const char *arguments)
{
	memset(&tap, 0, sizeof(tap));
	expect_ok(&tapped_schbench, arguments);
}

/* ---- the size of the work ---- */

/* 4.6 and 7.11: 256 KB -> 104. Three square matrices of 8-byte numbers fit, and larger ones do not. */
static void test_side(void **state)
{
	(void)state;
	assert_int_equal(matrix_side(256), 104);
	assert_int_equal(matrix_side(1), 6);   /* 1024 / 24 = 42.7 */
	assert_int_equal(matrix_side(64), 52); /* 2730.7: 52^2 = 2704 */
	for (u64 kb = 1; kb < 5000; kb++) {
		u64 side = matrix_side(kb);

		assert_true(3 * 8 * side * side <= kb * 1024);
		assert_true(3 * 8 * (side + 1) * (side + 1) > kb * 1024);
	}
}

/* One worker alone: each request takes exactly what it is made of, and none is lost. 52^3 = 140,608; 100,000 + 5 of them are
 * 803,040 ns, of which a second has 1245; 2 of 250 ps a step and no sleep are 70,304 ns. */
static void test_one_worker(void **state)
{
	(void)state;
	start_machine(1, 1, 1, 1);
	run_tapped("-t 1 --run-ms 1000");
	assert_true(result.elapsed_ns == NSEC_PER_SEC);
	assert_true(metric("requests") == 174 && metric("rps_x100") == 17400);
	assert_true(metric("request_p50_us") == 5724 && metric("request_max_us") == 5724);
	assert_true(metric("wakeups") == 174 && metric("wakeup_max_us") == 0 && metric("wakeup_mean_ns") == 0);
	assert_true(result.nr_counts == 1 && result.count[0] == 174);
	run_tapped("-t 1 --run-ms 1000 -F 64");
	assert_true(metric("requests") == 1245 && metric("request_p999_us") == 803);
	run_tapped("-t 1 --run-ms 1000 -F 64 -n 2 --op-ps 250 -s 0 -L");
	assert_true(metric("requests") == NSEC_PER_SEC / 70304 && metric("request_p50_us") == 70);
}

/* The requests of a tenth of a second each, n * 100,000,000 / 5,724,320 cut: 17, 34, 52, 69, 87, 104, 122, 139, 157, 174. Six times
 * 17 and four times 18 more than before, so 170 or 180 a second. */
static void test_text(void **state)
{
	(void)state;
	start_machine(1, 1, 1, 1);
	run_tapped("-t 1 -r 1");
	assert_string_equal(test_console(), "Wakeup Latencies percentiles (usec) runtime 1 (s) (174 total samples)\n"
					    "\t  50.0th: 0          (174 samples)\n"
					    "\t  90.0th: 0          (0 samples)\n"
					    "\t* 99.0th: 0          (0 samples)\n"
					    "\t  99.9th: 0          (0 samples)\n"
					    "\t  min=0, max=0\n"
					    "Request Latencies percentiles (usec) runtime 1 (s) (174 total samples)\n"
					    "\t  50.0th: 5724       (174 samples)\n"
					    "\t  90.0th: 5724       (0 samples)\n"
					    "\t* 99.0th: 5724       (0 samples)\n"
					    "\t  99.9th: 5724       (0 samples)\n"
					    "\t  min=5724, max=5724\n"
					    "RPS percentiles (requests) runtime 1 (s) (10 total samples)\n"
					    "\t  20.0th: 170        (6 samples)\n"
					    "\t* 50.0th: 170        (0 samples)\n"
					    "\t  90.0th: 180        (4 samples)\n"
					    "\t  min=170, max=180\n"
					    "average rps: 174.00\n"
					    "sched delay: message 0 (usec) worker 0 (usec)\n");
}

/* Of 1..1000 us each once: rows count what lies between them, 512 and more come two to a bucket, of which the lower is said. */
static void test_rows(void **state)
{
	static const struct percentile list[] = { { 2500, false }, { 50000, true }, { 90050, false }, { 100000, false },
		{ 0, false } };
	struct histogram h;

	(void)state;
	start_machine(1, 1, 1, 1);
	h = percentiles_new();
	for (u64 us = 1; us <= 1000; us++)
		histogram_add(&h, us);
	say_percentiles("Some", "usec", 1999999999, &h, list);
	assert_string_equal(test_console(), "Some percentiles (usec) runtime 1 (s) (1000 total samples)\n"
					    "\t  2.5th: 25         (25 samples)\n"
					    "\t* 50.0th: 500        (475 samples)\n"
					    "\t  90.1th: 900        (401 samples)\n" /* rank 901, in the bucket of 900 and 901 */
					    "\t  100.0th: 1000       (99 samples)\n"
					    "\t  min=1, max=1000\n");
}

static void test_no_samples(void **state)
{
	struct histogram h;

	(void)state;
	start_machine(1, 1, 1, 1);
	h = percentiles_new();
	say_percentiles("None", "usec", 0, &h, rate_list);
	assert_string_equal(test_console(), "None percentiles (usec) runtime 0 (s) (0 total samples)\n"
					    "\t  20.0th: 0          (0 samples)\n"
					    "\t* 50.0th: 0          (0 samples)\n"
					    "\t  90.0th: 0          (0 samples)\n"
					    "\t  min=0, max=0\n");
}

/* ---- what can never be, whatever the scheduler does ---- */

/* 4.6: samples of wakeup latency <= posts; each worker completes <= 1 request per (sleep + work); each counted once: what was begun
 * and is not counted is what the workers were at when time was up. */
static void expect_possible(const char *arguments, u64 cycle_ns)
{
	u64 begun, sum = 0;

	run_tapped(arguments);
	for (unsigned i = 0; i < result.nr_counts; i++) {
		assert_true(result.count[i] <= result.elapsed_ns / cycle_ns);
		sum += result.count[i];
	}
	assert_true(sum == metric("requests"));
	assert_true(metric("wakeups") <= metric("posts"));
	begun = (tap.multiplications + 4) / 5;
	assert_true(begun >= sum && begun <= sum + result.nr_counts);
}

/* Tasks on other CPUs do not run before this one is idle, so who spins for a lock whose holder has been moved would spin for ever:
 * the lock is for one CPU here, and for more in the sim. */
static void run_everywhere(unsigned nodes, unsigned llcs, unsigned cores, unsigned threads)
{
	static const char *const arguments[] = { "--run-ms 300", "-m 2 -t 3 --run-ms 300", "-m 2 -t 2 -R 300 --run-ms 300" };
	char copy[64];

	start_machine(nodes, llcs, cores, threads);
	for (unsigned i = 0; i < 2 * ARRAY_SIZE(arguments); i++) {
		knob.preempt = i & 1 ? PREEMPT_FULL : PREEMPT_NONE;
		test_apply_knobs();
		snprintf(copy, sizeof(copy), "%s%s", arguments[i / 2], nodes * llcs * cores * threads > 1 ? " -L" : "");
		expect_possible(copy, 5724320);
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

/* One worker for each CPU that the experiment may use, rounded up to the same number for each messenger. */
static void default_workers_in_task(void *unused)
{
	struct cpumask five = { .word = { 0x1f } };

	(void)unused;
	assert_int_equal(default_workers(&(struct options){ .messengers = 1 }), 8);
	assert_int_equal(default_workers(&(struct options){ .messengers = 3 }), 3);
	assert_int_equal(task_set_allowed(current(), &five), 0);
	assert_int_equal(default_workers(&(struct options){ .messengers = 1 }), 5);
	assert_int_equal(default_workers(&(struct options){ .messengers = 2 }), 3);
	assert_int_equal(default_workers(&(struct options){ .messengers = 9 }), 1);
}

static void test_default_workers(void **state)
{
	(void)state;
	start_machine(1, 1, 8, 1);
	test_run(default_workers_in_task, NULL);
}

/* ---- the lock ---- */

/* On one CPU there is one lock: nobody computes while another does, and who spins meanwhile takes CPU time from the holder. */
static void test_lock(void **state)
{
	u64 locked;

	(void)state;
	start_machine(1, 1, 1, 1);
	run_tapped("-t 4 --run-ms 2000");
	assert_int_equal(tap.most_computing, 1);
	locked = metric("requests");
	run_tapped("-t 4 --run-ms 2000 -L");
	assert_in_range(tap.most_computing, 2, 4);
	assert_true(locked < metric("requests"));
}

/* A lock is worth nothing to whoever was moved to another CPU before taking it: let go of. */
static void test_lock_of_another_cpu(void **state)
{
	struct cpu_lock lock = { 0 };

	(void)state;
	start_machine(1, 1, 2, 1);
	test_on_cpu(0);
	assert_false(try_lock(&lock, 1));
	assert_true(try_lock(&lock, 0));
	assert_false(try_lock(&lock, 0));
}

/* Nobody computes for less than all of it, so no more is done than there was time, and without the lock hardly less: all four may
 * sleep 100 us at once, and in the end each may be in the middle of a request. */
static void test_no_time_is_lost_without_lock(void **state)
{
	(void)state;
	start_machine(1, 1, 1, 1);
	run_tapped("-t 4 --run-ms 2000 -L");
	assert_in_range(metric("requests"), 2 * NSEC_PER_SEC / 5724320 - 4, 2 * NSEC_PER_SEC / 5624320);
}

/* ---- warm-up, and the background ---- */

/* 2,000,000,000 / 5,724,320 = 349, of which 174 ended in the first second. */
static void test_warmup(void **state)
{
	(void)state;
	start_machine(1, 1, 1, 1);
	run_tapped("-t 1 -w 1 -r 1");
	assert_true(metric("requests") == 349 - 174 && metric("wakeups") == 349 - 174);
	assert_true(metric("posts") == 349);
	assert_true(result.elapsed_ns == NSEC_PER_SEC);
}

static bool over;
static struct run background;

static void be_background(void *options)
{
	background = (struct run){ .over = &over };
	tapped_schbench.run(options, &background);
}

static void accompany(const void *options, struct run *r)
{
	over = false;
	r->status = "ok";
	assert_non_null(task_spawn("background", be_background, (void *)options, false));
	sleep_ns(50 * NSEC_PER_MSEC);
	WRITE_ONCE(over, true);
	task_reap(REAP_ANY);
}

/* It ends soon after the run that it accompanies. */
static void expect_accompanies(const char *arguments)
{
	struct workload accompanied = tapped_schbench;

	accompanied.run = accompany;
	expect_ok(&accompanied, arguments);
	assert_string_equal(background.status, "ok");
	assert_true(background.elapsed_ns <= 60 * NSEC_PER_MSEC);
}

static void test_background(void **state)
{
	(void)state;
	start_machine(1, 1, 1, 1);
	expect_accompanies("-t 2 -r 100");
	assert_false(tapped_schbench.endless(running_options));
	assert_true(background.elapsed_ns >= 49 * NSEC_PER_MSEC);
	expect_accompanies("-t 2 -r 0");
	assert_true(tapped_schbench.endless(running_options));
	assert_true(background.elapsed_ns >= 49 * NSEC_PER_MSEC);
	expect_accompanies("-t 2 -r 0 -R 100 -m 2");
	expect_accompanies("-t 2 -r 1 -w 1");
}

/* ---- at a rate ---- */

/* 100 requests in a second are given out at 0, 10, ... 990 ms, and each is done 5.7 ms later; by two messengers as well. */
static void test_rate(void **state)
{
	(void)state;
	start_machine(1, 1, 1, 1);
	run_tapped("-R 100 -t 2 --run-ms 1000");
	assert_true(metric("requests") == 100 && metric("rps_x100") == 10000);
	assert_in_range(metric("wakeups"), 98, 100); /* the first may find workers that have not come to sleep yet */
	assert_true(result.count[0] == 50 && result.count[1] == 50);
	run_tapped("-R 100 -m 2 -t 2 --run-ms 1000");
	assert_true(metric("requests") == 100);
	for (unsigned i = 0; i < 4; i++)
		assert_true(result.count[i] == 25);
}

/* More than can be done: all that time allows is, 1 s / 5,624,320 ns. Workers who always find another request never block, and
 * whoever does not block is posted without a wakeup: only once, at the start. */
static void test_rate_too_high(void **state)
{
	(void)state;
	start_machine(1, 1, 1, 1);
	run_tapped("-R 1000 -t 2 -s 0 -L --run-ms 1000");
	assert_in_range(metric("requests"), 175, 177);
	assert_in_range(metric("posts"), 0, 2);
	assert_true(metric("wakeups") <= metric("posts"));
}

/* ---- by pipe ---- */

/* The worker fills 1000 bytes and the messenger too, a nanosecond for each here: 5000 transfers in 10 ms, 500 of 2 us MB a second.
 */
static void test_pipe(void **state)
{
	char line[64];

	(void)state;
	start_machine(1, 1, 1, 1);
	run_tapped("-p 1000 -t 1 --run-ms 10");
	assert_in_range(metric("requests"), 4999, 5000);
	assert_true(metric("wakeups") <= metric("posts"));
	assert_true(metric("wakeup_p50_us") == 1 && metric("wakeup_mean_ns") == 1000);
	assert_true(tap.multiplications == 0);
	run_tapped("-p 1000 -t 1 --run-ms 1000");
	assert_in_range(metric("requests"), 499999, 500000);
	snprintf(line, sizeof(line), "avg worker transfer: %u.00 ops/sec 500.00 MB/s\n", (unsigned)metric("requests"));
	assert_non_null(strstr(test_console(), line));
	assert_null(strstr(test_console(), "Request"));
	run_tapped("-p 1 -t 3 -m 2 --run-ms 1");
}

/* ---- the timestamp of a burst ---- */

enum { BURST = 4, POST_NS = 5000, ROUNDS = 10 };

static void take_a_while(struct worker *w)
{
	(void)w;
	machine_work_ns(POST_NS);
}

static void come_once(struct worker *w)
{
	for (unsigned i = 0; i < ROUNDS; i++)
		worker_ask(w);
}

static unsigned listed(const struct messenger *m)
{
	unsigned n = 0;

	for (const struct worker *w = m->list; w; w = w->next)
		n++;
	return n;
}

static void serve_full_bursts(struct messenger *m)
{
	do {
		while (listed(m) < BURST && crew_goes_on(m->crew))
			sleep_ns(NSEC_PER_MSEC);
	} while (messenger_serve(m));
}

static void burst_in_task(void *argument)
{
	struct crew *c = argument;
	static struct run r;

	assert_int_equal(crew_prepare(c), 0);
	crew_run(c, &r);
}

/* A burst has one timestamp. Here each post takes 5 us and nobody preempts the messenger, so all four of a burst wait for 20 us;
 * had each its own, the last would have waited for none. */
static void test_burst_has_one_timestamp(void **state)
{
	static struct crew c = {
		.nr_messengers = 1,
		.nr_workers = BURST,
		.run_ns = NSEC_PER_SEC,
		.messenger_body = serve_full_bursts,
		.worker_body = come_once,
		.answer = take_a_while,
	};

	(void)state;
	start_machine(1, 1, 1, 1);
	knob.WAKEUP_PREEMPTION = 0;
	test_run(burst_in_task, &c);
	assert_true(c.asked == BURST * ROUNDS && c.answered == c.asked && c.posts == c.asked && c.listed == 0);
	assert_true(c.wakeups.count == c.asked);
	assert_true(c.wakeups.least == BURST * POST_NS / 1000 && c.wakeups.most == BURST * POST_NS / 1000);
	assert_true(c.wakeup_ns == (u64)BURST * ROUNDS * BURST * POST_NS);
}

/* The second post comes before the worker has had a CPU, and wakes nobody: its latency is the 5 us since the first. */
static void post_twice(struct messenger *m)
{
	sleep_ns(NSEC_PER_MSEC);
	messenger_post(m, m->worker, machine_clock_ns());
	machine_work_ns(POST_NS);
	messenger_post(m, m->worker, machine_clock_ns());
}

static void await_one(struct worker *w)
{
	worker_await_pending(w);
}

static void test_second_post_wakes_nobody(void **state)
{
	static struct crew c = {
		.nr_messengers = 1, .nr_workers = 1, .run_ns = NSEC_PER_SEC, .messenger_body = post_twice, .worker_body = await_one
	};

	(void)state;
	start_machine(1, 1, 1, 1);
	knob.WAKEUP_PREEMPTION = 0;
	test_run(burst_in_task, &c);
	assert_true(c.posts == 1 && c.wakeups.count == 1 && c.wakeup_ns == POST_NS);
}

/* ---- what it notices, and refuses ---- */

static void expect_noticed(const char *arguments, enum damage damage, const char *status)
{
	memset(&tap, 0, sizeof(tap));
	tap.damage = damage;
	run_workload(&tapped_schbench, arguments);
	assert_string_equal(result.status, status);
	run_tapped(arguments);
}

static void test_damage_is_noticed(void **state)
{
	(void)state;
	start_machine(1, 1, 1, 1);
	expect_noticed("-t 2 --run-ms 50", DAMAGE_ASKED, "workers were forgotten or woken twice");
	expect_noticed("-t 2 --run-ms 50", DAMAGE_DONE, "requests were lost or counted twice");
	expect_noticed("-t 2 --run-ms 5 -p 100", DAMAGE_BUFFER, "buffers did not arrive as they were sent");
	expect_noticed("-t 2 --run-ms 50 -R 100", DAMAGE_TAKEN, "requests were lost or done twice");
}

/* 5 ms are too short for a request. */
static void test_nothing_done(void **state)
{
	(void)state;
	start_machine(1, 1, 1, 1);
	run_workload(&tapped_schbench, "--run-ms 5");
	assert_string_equal(result.status, "no request ended in that time");
}

static u64 left_bytes;

static void run_with_little_memory(const void *options, struct run *r)
{
	assert_non_null(mem_alloc(mem_free_bytes() - left_bytes));
	tapped_schbench.run(options, r);
}

/* 10,000 workers want 760 MiB for their histograms alone. Four want 78 KiB each and some more: whatever it is that fits no more,
 * nobody is left waiting, and the next run is fine. */
static void test_out_of_memory(void **state)
{
	struct workload poor = tapped_schbench;
	unsigned failed = 0, runs = 0;

	(void)state;
	start_machine(1, 1, 2, 1);
	run_workload(&tapped_schbench, "-t 10000");
	assert_string_equal(result.status, "not enough memory for so many tasks");
	assert_true(result.elapsed_ns == 0 && result.nr_metrics == 0);
	poor.run = run_with_little_memory;
	for (left_bytes = 1024; left_bytes < 600 * 1024; left_bytes += 1024, runs++) {
		run_workload(&poor, "-t 4 --run-ms 50 -L");
		failed += strcmp(result.status, "ok") != 0;
		assert_int_equal(result.nr_counts, strcmp(result.status, "ok") ? 0 : 4);
		for (unsigned i = 0; i < result.nr_counts; i++)
			assert_true(result.count[i] > 0);
		if (strcmp(result.status, "ok") && strcmp(result.status, "not enough memory for so many tasks"))
			fail_msg("%u bytes: %s", (unsigned)left_bytes, result.status);
	}
	assert_in_range(failed, 300, runs - 1);
	run_tapped("-t 2 --run-ms 100 -L");
}

static void test_refusals(void **state)
{
	(void)state;
	expect_refused(&tapped_schbench, "-R 100 -p 64", "with -p there are no requests");
	expect_refused(&tapped_schbench, "-m 0", "message-threads takes a number");
	expect_refused(&tapped_schbench, "-A 50", "unknown option \"-A\"");
	expect_refused(&tapped_schbench, "5", "unexpected argument");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		machine_test(test_side),
		machine_test(test_one_worker),
		machine_test(test_text),
		machine_test(test_rows),
		machine_test(test_no_samples),
		machine_test(test_1_cpu),
		machine_test(test_2_threads),
		machine_test(test_8_cpus),
		machine_test(test_64_cpus),
		machine_test(test_default_workers),
		machine_test(test_lock),
		machine_test(test_lock_of_another_cpu),
		machine_test(test_no_time_is_lost_without_lock),
		machine_test(test_warmup),
		machine_test(test_background),
		machine_test(test_rate),
		machine_test(test_rate_too_high),
		machine_test(test_pipe),
		machine_test(test_burst_has_one_timestamp),
		machine_test(test_second_post_wakes_nobody),
		machine_test(test_damage_is_noticed),
		machine_test(test_nothing_done),
		machine_test(test_out_of_memory),
		machine_test(test_refusals),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
