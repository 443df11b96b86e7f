/* SPDX-License-Identifier: GPL-2.0-or-later
 * What with= lets accompany a run: it is there for the whole of what the run measures, over and over, and nothing of it stays.
 *
 * Expected values: what lab/background.h and base/record.def promise, with workloads that last as long as the test says. A miss
 * means that part of a run was measured without its load, or that the load's own end was measured with it. */
#include "tests/unit/lab.h"

/* ---- one that lasts 1.7 ms each time, and one that lasts 15 ms ---- */

static struct {
	u64 begin_ns, end_ns;	   /* of the first and the last repetition */
	unsigned repeats, failing; /* failing: the repetition that fails, from 1 */
	u64 lasts_ns, prepares_ns;
	size_t takes_bytes;
} beside;

static void be_beside(const void *options, struct run *r)
{
	char *memory = mem_alloc(beside.takes_bytes);

	(void)options;
	beside.repeats++;
	r->status = "not enough memory";
	if (beside.takes_bytes && !memory)
		return;
	if (beside.takes_bytes)
		memset(memory, 0x5a, beside.takes_bytes);
	task_sleep_ns(beside.prepares_ns);
	run_begin(r);
	beside.begin_ns = beside.begin_ns ? beside.begin_ns : machine_clock_ns();
	task_sleep_ns(beside.lasts_ns);
	say("beside %u\n", beside.repeats);
	run_metric(r, "number", beside.repeats);
	run_finish(r);
	beside.end_ns = machine_clock_ns();
	r->status = beside.repeats == beside.failing ? "it broke" : "ok";
}

static struct {
	u64 begin_ns, end_ns;
	const char *status;
	unsigned runs;
} proper;

static void end_at_once(void *unused)
{
	(void)unused;
}

/* Its one child is the first that it reaps, whoever else belongs to its task. */
static void be_proper(const void *options, struct run *r)
{
	u8 *memory = mem_alloc(100);

	(void)options;
	proper.runs++;
	run_begin(r);
	proper.begin_ns = machine_clock_ns();
	assert_non_null(task_spawn("child", end_at_once, NULL, false));
	task_reap(REAP_ANY);
	task_sleep_ns(15 * NSEC_PER_MSEC);
	for (unsigned i = 0; i < 100; i++)
		assert_int_equal(memory[i], 0);
	run_finish(r);
	proper.end_ns = machine_clock_ns();
	r->status = proper.status;
	say("proper\n");
}

static const struct workload beside_workload = { .name = "beside", .run = be_beside };
static const struct workload proper_workload = { .name = "proper", .run = be_proper };

static void run_both(const char *cmdline, unsigned nr_beside)
{
	test_machine(1, 1, 2, 1);
	test_clock_set(NSEC_PER_SEC);
	test_boot(SWITCH_STACKS);
	make_plan(cmdline);
	plan.nr_workloads = 1;
	plan.workload[0].workload = &proper_workload;
	text_copy(plan.workload[0].text, TEXT_BYTES, "proper");
	plan.nr_backgrounds = nr_beside;
	for (unsigned i = 0; i < nr_beside; i++) {
		plan.background[i].workload = &beside_workload;
		text_copy(plan.background[i].text, TEXT_BYTES, "beside -x");
	}
	run_experiment();
}

static void start_over(void)
{
	memset(&beside, 0, sizeof(beside));
	memset(&proper, 0, sizeof(proper));
	beside.lasts_ns = 1700 * NSEC_PER_USEC;
	proper.status = "ok";
}

/* It has begun before and ends after, and that it goes on meanwhile is not measured. The run begins 1 ms later, when it is looked
 * whether all have begun, and takes 15 ms: the tenth repetition ends at 17 ms and is the first to end after it. */
static void test_interval_lies_inside(void **state)
{
	(void)state;
	start_over();
	run_both("", 1);
	assert_int_equal(outcome.failed, 0);
	assert_true(beside.begin_ns < proper.begin_ns && proper.end_ns < beside.end_ns);
	assert_true(number_of(record_of("run", 0), "elapsed_ns") == 15 * NSEC_PER_MSEC);
	assert_int_equal(beside.repeats, 10);
	assert_true(beside.end_ns - beside.begin_ns == beside.repeats * beside.lasts_ns);
	assert_true(number_of(record_of("run", 0), "beside.repeats") == beside.repeats);
	assert_true(number_of(record_of("run", 0), "beside.number") == beside.repeats); /* the last one's */
}

/* One that is longer than the run is made once, and the run's record does not wait for it in its interval. */
static void test_longer_than_the_run(void **state)
{
	(void)state;
	start_over();
	beside.lasts_ns = 100 * NSEC_PER_MSEC;
	run_both("", 1);
	assert_int_equal(outcome.failed, 0);
	assert_int_equal(beside.repeats, 1);
	assert_true(number_of(record_of("run", 0), "elapsed_ns") == 15 * NSEC_PER_MSEC);
	assert_true(beside.end_ns - beside.begin_ns == 100 * NSEC_PER_MSEC);
}

/* Only what the last repetition has said is shown, behind what the run itself says. */
static void test_text(void **state)
{
	char expected[128];

	(void)state;
	start_over();
	run_both("", 1);
	snprintf(expected, sizeof(expected), "\nproper\nWith beside -x, the last of %u times:\nbeside %u\nWasted ", beside.repeats,
		beside.repeats);
	assert_non_null(strstr(test_console(), expected));
	assert_null(strstr(test_console(), "beside 1\n"));
}

/* Every run of an experiment is accompanied anew. */
static void test_each_run(void **state)
{
	(void)state;
	start_over();
	beside.lasts_ns = 50 * NSEC_PER_MSEC;
	run_both("runs=3 warmup=1 vary=newidle:off,throttle", 1);
	assert_int_equal(proper.runs, 8);
	assert_int_equal(beside.repeats, 8);
	for (unsigned i = 0; i < 8; i++)
		assert_true(number_of(record_of("run", i), "beside.number") == i + 1);
}

/* The second of a name has a number. */
static void test_names(void **state)
{
	(void)state;
	start_over();
	beside.lasts_ns = 50 * NSEC_PER_MSEC;
	run_both("", 3);
	assert_true(number_of(record_of("run", 0), "beside.repeats") == 1);
	assert_true(number_of(record_of("run", 0), "beside2.repeats") == 1);
	assert_true(number_of(record_of("run", 0), "beside3.repeats") == 1);
	assert_null(strstr(record_of("run", 0), "beside4"));
}

/* Without with= the record's map is there, and empty. */
static void test_none(void **state)
{
	(void)state;
	start_over();
	run_both("", 0);
	assert_non_null(strstr(record_of("run", 0), "\"background\":{},"));
}

/* 64 MiB each time, of 256: memory is used again, and is not the run's. */
static void test_memory_is_used_again(void **state)
{
	(void)state;
	start_over();
	beside.takes_bytes = 64 << 20;
	beside.lasts_ns = 1000 * NSEC_PER_USEC;
	run_both("", 1);
	assert_int_equal(outcome.failed, 0);
	assert_in_range(beside.repeats, 15, 18);
}

/* It fails in its third repetition: there is no fourth, and the run fails whatever it says of itself. */
static void test_failure(void **state)
{
	(void)state;
	start_over();
	beside.failing = 3;
	run_both("", 1);
	assert_int_equal(beside.repeats, 3);
	assert_int_equal(outcome.failed, 1);
	assert_string_equal(outcome.message, "with beside -x: it broke");
	assert_non_null(strstr(record_of("run", 0), "\"status\":\"with beside -x: it broke\""));
}

static void test_failure_of_both(void **state)
{
	(void)state;
	start_over();
	beside.failing = 3;
	proper.status = "it broke first";
	run_both("", 1);
	assert_string_equal(outcome.message, "it broke first");
}

/* The first failure is told at the end, though later ones differ. */
static void test_first_failure_is_kept(void **state)
{
	(void)state;
	start_over();
	beside.takes_bytes = 300 << 20;
	run_both("runs=2", 1);
	assert_int_equal(outcome.failed, 2);
	assert_int_equal(beside.repeats, 2);
	assert_string_equal(outcome.message, "with beside -x: not enough memory");
}

static void test_late_begin(void **state)
{
	(void)state;
	start_over();
	beside.prepares_ns = 9 * NSEC_PER_SEC;
	run_both("", 1);
	assert_int_equal(outcome.failed, 0);
	assert_int_equal(proper.runs, 1);
}

/* For who has more to set up than that the run proper is not begun; it is named. */
static void test_too_late_begin(void **state)
{
	(void)state;
	start_over();
	beside.prepares_ns = 11 * NSEC_PER_SEC;
	run_both("", 1);
	assert_int_equal(outcome.failed, 1);
	assert_int_equal(proper.runs, 0);
	assert_int_equal(beside.repeats, 1);
	assert_string_equal(outcome.message, "with beside -x: it has not begun within 10 s");
}

/* ---- the real ones ---- */

static void run_real(const char *cmdline, unsigned cores)
{
	test_machine(1, 1, cores, 1);
	test_clock_set(NSEC_PER_SEC);
	test_boot(SWITCH_STACKS);
	experiment(cmdline);
}

/* What never works by machine_work_ns() would never give a CPU up here if it were repeated; scenarios.sh has hackbench. */
#define REAL                                                                                                                       \
	"run=\"massive_intr 3 1\" run=\"hackbench -g 1 -f 3 -l 50\" with=\"cyclictest -t 2 -p 80\" with=\"massive_intr 2 1 -m 20\""

static void test_real_1_cpu(void **state)
{
	(void)state;
	run_real(REAL " preempt=none", 1);
}

static void test_real_1_cpu_full(void **state)
{
	(void)state;
	run_real(REAL " preempt=full", 1);
}

static void test_real_4_cpus(void **state)
{
	(void)state;
	run_real(REAL " preempt=none", 4);
	assert_in_range(number_of(record_of("run", 0), "massive_intr.repeats"), 2, 56); /* of 18 ms at least, in 1 s */
	assert_true(number_of(record_of("run", 0), "cyclictest.repeats") == 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		machine_test(test_interval_lies_inside),
		machine_test(test_longer_than_the_run),
		machine_test(test_text),
		machine_test(test_each_run),
		machine_test(test_names),
		machine_test(test_none),
		machine_test(test_memory_is_used_again),
		machine_test(test_failure),
		machine_test(test_failure_of_both),
		machine_test(test_first_failure_is_kept),
		machine_test(test_late_begin),
		machine_test(test_too_late_begin),
		machine_test(test_real_1_cpu),
		machine_test(test_real_1_cpu_full),
		machine_test(test_real_4_cpus),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
