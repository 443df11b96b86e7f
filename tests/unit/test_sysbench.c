/* SPDX-License-Identifier: GPL-2.0-or-later
 * sysbench's threads test from its arguments to its figures, on machines where nothing takes time but system calls, and they only
 * where a test says so.
 *
 * Expected are the checks of workloads.md 4.8: an event yields as often as it was told to, a thread alone never sleeps, and the
 * threads' events add up to all. A miss means that an event is not the work that its latency is printed for. */
#include "tests/unit/running.h"

#include "ipc/futex.h"
#include "ipc/sleep.h"

/* ---- sysbench with a tap on its calls ---- */

static bool tap_lock(struct mutex *m);
static void tap_yield(void);
static void tap_unlock(struct mutex *m);
extern const struct workload tapped_sysbench;

#define sysbench_threads tapped_sysbench
#define mutex_lock	 tap_lock
#define yield		 tap_yield
#define mutex_unlock	 tap_unlock
#include "workloads/sysbench_threads.c"
#undef sysbench_threads
#undef mutex_lock
#undef yield
#undef mutex_unlock

enum { MOST_HOLDERS = 64, MOST_NOTED = 4096 };

static struct {
	u64 locks, yields, slept, sleeps_at_first_lock;
	struct mutex *lock[MOST_NOTED]; /* of each call, while there is room */
	unsigned nr_holders;
	struct holder {
		u32 id;
		struct mutex *mutex;
	} holder[MOST_HOLDERS]; /* a place for each task that has ever held one; NULL: none now */
	u64 over_at;		/* the yield in which it turns out that nobody needs this any more; 0: none */
	bool over;
} tap;

static struct holder *self(void)
{
	unsigned i = 0;

	while (i < tap.nr_holders && tap.holder[i].id != current()->id)
		i++;
	assert_true(i < MOST_HOLDERS);
	if (i == tap.nr_holders)
		tap.holder[tap.nr_holders++].id = current()->id;
	return &tap.holder[i];
}

/* Nobody else has it, and this task has no other. */
static bool tap_lock(struct mutex *m)
{
	u64 sleeps = current()->nr_voluntary;
	bool slept = mutex_lock(m);

	assert_int_equal(current()->nr_voluntary != sleeps, slept);
	tap.slept += slept;
	if (!tap.locks)
		tap.sleeps_at_first_lock = sleeps;
	if (tap.locks < MOST_NOTED)
		tap.lock[tap.locks] = m;
	tap.locks++;
	for (unsigned i = 0; i < tap.nr_holders; i++)
		assert_ptr_not_equal(tap.holder[i].mutex, m);
	assert_null(self()->mutex);
	self()->mutex = m;
	return slept;
}

static void tap_yield(void)
{
	assert_non_null(self()->mutex);
	tap.over |= ++tap.yields == tap.over_at;
	assert_true(!tap.over || tap.yields < tap.over_at + MOST_HOLDERS);
	yield();
}

static void tap_unlock(struct mutex *m)
{
	assert_ptr_equal(self()->mutex, m);
	self()->mutex = NULL;
	mutex_unlock(m);
}

/* Counts anew. */
static void run_tapped(const char *arguments)
{
	memset(&tap, 0, sizeof(tap));
	expect_ok(&tapped_sysbench, arguments);
	for (unsigned i = 0; i < tap.nr_holders; i++)
		assert_null(tap.holder[i].mutex);
}

/* The scheduler's own count, which is of all tasks. */
static u64 yields_so_far(void)
{
	u64 sum = 0, cpu_stats[CPU_STATS];

	for (unsigned cpu = 0; cpu < machine_nr_cpus(); cpu++) {
		sched_cpu_stats(cpu, cpu_stats);
		sum += cpu_stats[0];
	}
	return sum;
}

static u64 sum_of_counts(void)
{
	u64 sum = 0;

	for (unsigned i = 0; i < result.nr_counts; i++)
		sum += result.count[i];
	return sum;
}

/* ---- the checks ---- */

/* yields = events * so many, by the workload's own count, by that of its calls and by the scheduler's; a thread's events are
 * counted and add up. */
static void expect_events(const char *arguments, u64 threads, u64 events, u64 yields_each)
{
	u64 before = yields_so_far();

	run_tapped(arguments);
	assert_true(metric("events") == events);
	assert_true(metric("yields") == events * yields_each);
	assert_true(tap.yields == events * yields_each && tap.locks == tap.yields);
	assert_true(yields_so_far() - before == events * yields_each);
	assert_true(metric("lock_sleeps") == tap.slept);
	assert_int_equal(result.nr_counts, threads);
	assert_true(sum_of_counts() == events);
}

/* 1000 yields by default, and other numbers. */
static void test_yields(void **state)
{
	(void)state;
	start_machine(1, 1, 1, 1);
	expect_events("-e 20", 1, 20, 1000);
	expect_events("-t 4 -e 21", 4, 21, 1000);
	expect_events("--threads=4 --events=50 --thread-yields=7 --thread-locks=2", 4, 50, 7);
	expect_events("-t 5 -e 3 -y 1", 5, 3, 1);
}

static u64 sleeps_at_end;

static void note_end(enum cost cost)
{
	if (cost == COST_EXIT && !strcmp(current()->name, "sysbench"))
		sleeps_at_end = current()->nr_voluntary;
}

/* T = 1 never sleeps between its first lock and its end. */
static void test_one_never_sleeps(void **state)
{
	(void)state;
	start_machine(1, 1, 2, 1);
	test_on_charge = note_end;
	for (unsigned i = 0; i < 2; i++) {
		expect_events(i ? "-e 30 -y 100 -l 1" : "-e 30 -y 100", 1, 30, 100);
		assert_true(metric("lock_sleeps") == 0);
		assert_true(sleeps_at_end == tap.sleeps_at_first_lock);
		assert_true(sleeps_at_end <= 1); /* for the start */
	}
}

/* Event e has lock e mod locks, in all its rounds: the noted calls go through the array in steps of one mutex and begin again. */
static void test_event_chooses_lock(void **state)
{
	enum { YIELDS = 5, LOCKS = 3, EVENTS = 20 };

	(void)state;
	start_machine(1, 1, 1, 1);
	expect_events("-e 20 -y 5 -l 3", 1, EVENTS, YIELDS);
	for (unsigned i = 0; i < EVENTS * YIELDS; i++)
		assert_ptr_equal(tap.lock[i], tap.lock[0] + i / YIELDS % LOCKS);
}

/* Eight that want one lock: whoever yields has it, so the next that runs must sleep for it. tap_lock() sees that there is never a
 * second inside. One thread that is kept from nothing has all locks of its own: as many locks as events. */
static void test_rivals_sleep(void **state)
{
	(void)state;
	start_machine(1, 1, 1, 1);
	expect_events("-t 8 -l 1 -e 16 -y 50", 8, 16, 50);
	assert_true(metric("lock_sleeps") >= 7);
	expect_events("-t 8 -l 16 -e 16 -y 50", 8, 16, 50);
	assert_true(metric("lock_sleeps") == 0);
}

/* ---- time ---- */

/* The call that waits for the start may be made just after it. */
static void expect_elapsed(u64 ms)
{
	assert_in_range(result.elapsed_ns, ms * NSEC_PER_MSEC, ms * NSEC_PER_MSEC + 10 * NSEC_PER_USEC);
}

/* A system call takes 1 us and a yield is one, so an event of 1000 is 1 ms: in 1 s there are 1000, and the text is this one. */
static void test_text(void **state)
{
	(void)state;
	start_machine(1, 1, 1, 1);
	test_cost(COST_SYSCALL, 1000);
	expect_ok(&sysbench_threads, "-T 1");
	expect_elapsed(1000);
	assert_true(metric("events") == 1000 && metric("yields") == 1000000);
	assert_true(metric("latency_min_ns") == 1000000 && metric("latency_avg_ns") == 1000000);
	assert_true(metric("latency_max_ns") == 1000000 && metric("latency_p95_ns") == 1000000);
	assert_true(metric("latency_sum_ns") == NSEC_PER_SEC);
	assert_string_equal(test_console(), "General statistics:\n"
					    "    total time:                          1.0000s\n"
					    "    total number of events:              1000\n"
					    "\n"
					    "Latency (ms):\n"
					    "         min:                                    1.00\n"
					    "         avg:                                    1.00\n"
					    "         max:                                    1.00\n"
					    "         95th percentile:                        1.00\n"
					    "         sum:                                 1000.00\n"
					    "\n"
					    "Threads fairness:\n"
					    "    events (avg/stddev):           1000.0000/0.00\n"
					    "    execution time (avg/stddev):   1.0000/0.00\n");
}

/* Whichever comes first; a yield takes 10 us, an event 10 ms. One that has begun in time is finished: of 300 ms each in 1 s there
 * are 4, and 1.2 s. By default it is 10 s. */
static void test_time_and_events(void **state)
{
	(void)state;
	start_machine(1, 1, 1, 1);
	test_cost(COST_SYSCALL, 10000);
	expect_events("-T 1 -e 30", 1, 30, 1000);
	expect_elapsed(300);
	expect_events("-T 1 -e 300", 1, 100, 1000);
	expect_events("-T 1 -y 30000", 1, 4, 30000);
	expect_elapsed(1200);
	expect_events("-T 0 -e 200", 1, 200, 1000);
	expect_elapsed(2000);
	expect_events("-e 2000", 1, 1000, 1000);
	expect_elapsed(10000);
}

/* Three of 2, 3 and 7 events with 0.1, 0.2 and 0.6 s: means 4 and 0.3 s; of the squares (4 + 1 + 9) / 3 = 4.667, and the root of it
 * is 2.160; (4 + 1 + 9) / 3 hundredths, 0.2160 s. */
static void test_text_of_fairness(void **state)
{
	struct worker workers[] = { { .events = 2, .busy_ns = 100 * NSEC_PER_MSEC },
		{ .events = 3, .busy_ns = 200 * NSEC_PER_MSEC }, { .events = 7, .busy_ns = 600 * NSEC_PER_MSEC } };
	u64 figures[3];
	struct bench b = { .spawned = 3, .workers = workers, .figures = figures };

	(void)state;
	start_machine(1, 1, 1, 1);
	say_fairness_of_events(&b);
	say_fairness_of_time(&b);
	assert_string_equal(test_console(), "    events (avg/stddev):           4.0000/2.16\n"
					    "    execution time (avg/stddev):   0.3000/0.22\n");
}

/* Latencies of 1 to 100 us in equal numbers: the 95th of 100 is 95 us, to the precision of 1 in 128. */
static void test_percentile(void **state)
{
	static u64 bucket[(EVENT_MAGNITUDE - EVENT_BITS + 1) << EVENT_BITS];
	struct run r = { .nr_metrics = 0 };
	struct bench b = { .spawned = 0 };

	(void)state;
	assert_int_equal(ARRAY_SIZE(bucket), histogram_buckets(EVENT_BITS, EVENT_MAGNITUDE));
	histogram_init(&b.latency, EVENT_BITS, bucket, ARRAY_SIZE(bucket));
	for (u64 us = 1; us <= 100; us++)
		histogram_add(&b.latency, us * NSEC_PER_USEC);
	put_result(&b, &r);
	result = r;
	assert_in_range(metric("latency_p95_ns"), 95000 - 95000 / 128, 95000 + 95000 / 128);
	assert_true(metric("latency_min_ns") == 1000 && metric("latency_max_ns") == 100000);
	assert_true(metric("latency_avg_ns") == 50500 && metric("latency_sum_ns") == 5050000);
}

/* ---- what it notices ---- */

static void expect_judged(struct worker *w, u64 events, u64 taken, const char *status)
{
	struct options o = { .events = 10, .yields = 5 };
	struct run r = { .over = NULL };
	struct bench b = { .o = &o, .run = &r, .spawned = 1, .workers = w, .next_event = taken, .latency = { .count = events } };

	assert_string_equal(judge(&b), status);
}

/* A thread takes a number too many to see that there are no more events. */
static void test_losses_are_noticed(void **state)
{
	(void)state;
	expect_judged(&(struct worker){ .events = 10, .yields = 50 }, 10, 11, "ok");
	expect_judged(&(struct worker){ .events = 7, .yields = 35 }, 7, 7, "ok"); /* cut by time */
	expect_judged(&(struct worker){ .events = 9, .yields = 45 }, 9, 11, "events were lost or repeated");
	expect_judged(&(struct worker){ .events = 9, .yields = 45 }, 10, 11, "events were lost or repeated");
	expect_judged(&(struct worker){ .events = 11, .yields = 55 }, 11, 11, "events were lost or repeated");
	expect_judged(&(struct worker){ .events = 10, .yields = 49 }, 10, 11, "yields were lost or repeated");
}

/* ---- in the background ---- */

static void run_in_background(void *arguments)
{
	const char *argv[16];
	unsigned argc = 0;
	char error[WORKLOAD_ERROR_BYTES] = "";

	for (char *word = strtok(arguments, " "); word; word = strtok(NULL, " "))
		argv[argc++] = word;
	memset(&result, 0, sizeof(result));
	result.over = &tap.over;
	assert_int_equal(options_parse(&tapped_sysbench, argc, argv, running_options, error), 0);
	tapped_sysbench.run(running_options, &result);
	assert_int_equal(current()->nr_children, 0);
}

/* Without a limit it goes on until nobody needs it, then ends in the midst of an event; that one does not count. Of 2500 yields by
 * one thread 1000 make an event. */
static void test_ends_when_over(void **state)
{
	char arguments[] = "-T 0 -e 0", rivals[] = "-t 6 -l 1 -T 0 -e 0 -y 100";

	(void)state;
	start_machine(1, 1, 1, 1);
	tap.over_at = 2500;
	test_run(run_in_background, arguments);
	assert_string_equal(result.status, "ok");
	assert_true(metric("events") == 2 && metric("yields") == 2500);
	memset(&tap, 0, sizeof(tap));
	tap.over_at = 12345;
	test_run(run_in_background, rivals);
	assert_string_equal(result.status, "ok");
	assert_true(metric("yields") >= 12345 && metric("yields") < 12345 + 6);
	assert_true(sum_of_counts() == metric("events") && metric("events") <= 123);
}

static void test_endless(void **state)
{
	struct options o = defaults;

	(void)state;
	assert_false(sysbench_threads.endless(&o));
	o.seconds = 0;
	assert_true(sysbench_threads.endless(&o));
	o.events = 1;
	assert_false(sysbench_threads.endless(&o));
}

/* ---- runs ---- */

static void run_everywhere(unsigned nodes, unsigned llcs, unsigned cores, unsigned threads)
{
	start_machine(nodes, llcs, cores, threads);
	for (unsigned preempt = 0; preempt < 2; preempt++) {
		knob.preempt = preempt ? PREEMPT_FULL : PREEMPT_NONE;
		test_apply_knobs();
		expect_events("-t 1 -e 10 -y 100", 1, 10, 100);
		expect_events("-t 40 -e 160 -y 30", 40, 160, 30);
		expect_events("-t 40 -e 160 -y 30 -l 1", 40, 160, 30);
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

/* 512 KiB are enough for the threads' figures and the locks, not for 1024 tasks: said so, nobody left waiting, the next run fine.
 */
static void test_out_of_memory(void **state)
{
	u64 before;

	(void)state;
	start_machine(1, 1, 2, 1);
	before = yields_so_far();
	assert_non_null(mem_alloc(mem_free_bytes() - 512 * 1024));
	run_workload(&sysbench_threads, "-t 1024 -T 0 -e 2000 -y 2");
	assert_string_equal(result.status, "not enough memory for so many threads and locks");
	assert_true(result.elapsed_ns == 0 && result.nr_metrics == 0 && result.nr_counts == 0);
	assert_string_equal(test_console(), "");
	assert_true(yields_so_far() == before);
	assert_non_null(mem_alloc(mem_free_bytes() - 8 * 1024));
	run_workload(&sysbench_threads, "");
	assert_string_equal(result.status, "not enough memory for so many threads and locks");
	expect_ok(&sysbench_threads, "-t 1024 -e 2000 -y 2");
	assert_true(metric("events") == 2000 && result.nr_counts == 1024);
}

static void test_refused(void **state)
{
	(void)state;
	expect_refused(&sysbench_threads, "-t 0", "threads takes a number from 1 to 1024");
	expect_refused(&sysbench_threads, "--thread-locks=0", "thread-locks takes a number from 1");
	expect_refused(&sysbench_threads, "--thread-yields 0", "thread-yields takes a number from 1");
	expect_refused(&sysbench_threads, "run", "unexpected argument");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		machine_test(test_yields),
		machine_test(test_one_never_sleeps),
		machine_test(test_event_chooses_lock),
		machine_test(test_rivals_sleep),
		machine_test(test_text),
		machine_test(test_time_and_events),
		machine_test(test_text_of_fairness),
		machine_test(test_percentile),
		machine_test(test_losses_are_noticed),
		machine_test(test_ends_when_over),
		machine_test(test_endless),
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
