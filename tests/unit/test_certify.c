/* SPDX-License-Identifier: GPL-2.0-or-later
 * The machine held still for a run, and the word on whether it was: parameters in, records out. Expected figures are arithmetic on
 * what the test machine's certificates say. A miss means that the log calls a disturbed run clean, or leaves the machine changed.
 */
#include <stdio.h>

#include "tests/unit/lab.h"

#include "lab/certify.h"
#include "lab/cpuset.h"
#include "lab/still.h"

static void start(unsigned cores, unsigned threads)
{
	test_machine(1, 1, cores, threads);
	test_clock_set(NSEC_PER_SEC);
	test_boot(SWITCH_STACKS);
	memset(test_certificate, 0, sizeof(test_certificate));
	test_on_certificate = NULL;
	test_holds = test_let_gos = 0;
}

/* ---- pstate= ---- */

static char error[PLAN_ERROR_BYTES];
static struct still_wish wish;

static int parse(const char *text)
{
	knobs_reset(&lab_knob_table);
	snprintf(param.pstate, sizeof(param.pstate), "%s", text);
	return still_parse(&wish, error);
}

static void expect_ratios(const char *text, u8 least, u8 most)
{
	assert_int_equal(parse(text), 0);
	assert_int_equal(wish.pstate, PSTATE_RATIOS);
	assert_int_equal(wish.least_ratio, least);
	assert_int_equal(wish.most_ratio, most);
}

static void test_ratios(void **state)
{
	static const char *const bad[] = { "0", "256", "-", "12-", "-12", "24-12", "12-24-30", "fast", "2.4", "1-256" };

	(void)state;
	assert_int_equal(parse(""), 0);
	assert_int_equal(wish.pstate, PSTATE_AS_IS);
	assert_int_equal(parse("base"), 0);
	assert_int_equal(wish.pstate, PSTATE_BASE);
	expect_ratios("24", 24, 24);
	expect_ratios("12-24", 12, 24);
	expect_ratios("1-255", 1, 255);
	for (unsigned i = 0; i < ARRAY_SIZE(bad); i++) {
		if (!parse(bad[i]))
			fail_msg("%s was taken", bad[i]);
		assert_non_null(strstr(error, bad[i]));
		assert_non_null(strstr(error, "expected base, a ratio from 1 to 255"));
	}
}

/* ---- smt= ---- */

static void expect_left(const char *cpus, unsigned parked, const char *left)
{
	char line[96];

	snprintf(line, sizeof(line), "smt=off cpus=%s", cpus);
	make_plan(line);
	assert_int_equal(plan.parked, parked);
	test_console_clear();
	cpuset_say("CPU", &plan.cpus);
	assert_string_equal(test_console(), left);
}

/* CPUs n and n + 4 are the threads of core n. */
static void test_parking(void **state)
{
	(void)state;
	test_machine(1, 1, 4, 2);
	expect_left("", 4, "CPUs 0-3\n");
	expect_left("3-5", 0, "CPUs 3-5\n");
	expect_left("3-7", 1, "CPUs 3-6\n");
	expect_left("1,3,5,7", 2, "CPUs 1,3\n");
	expect_left("4-7", 0, "CPUs 4-7\n");
	make_plan("cpus=0-7");
	assert_int_equal(plan.parked, 0);
	assert_int_equal(mask_weight(&plan.cpus), 8);
}

/* topo=nosmt shows them as eight cores, which they are not. */
static void test_parking_of_real_threads(void **state)
{
	static struct topology real;

	(void)state;
	test_machine(1, 1, 4, 2);
	real = *machine_topology();
	test_machine(1, 1, 8, 1);
	test_info.real = &real;
	expect_left("", 4, "CPUs 0-3\n");
	test_info.real = NULL;
	expect_left("", 0, "CPUs 0-7\n");
}

/* Nothing runs on second threads: their idle time is the whole run. Four tasks on two cores. */
static void test_parked_cpus_idle(void **state)
{
	const char *r;
	u64 elapsed, idle[4];

	(void)state;
	start(2, 2);
	experiment("run=\"massive_intr --run-ms 40 4 1\" smt=off");
	r = record_of("run", 0);
	elapsed = number_of(r, "elapsed_ns");
	sscanf(value_of(r, "idle_ns"), "[%lu,%lu,%lu,%lu]", &idle[0], &idle[1], &idle[2], &idle[3]);
	assert_true(idle[2] == elapsed && idle[3] == elapsed);
	assert_true(idle[0] < elapsed && idle[1] < elapsed);
	assert_memory_equal(value_of(record_of("still", 0), "before"), "\"4 CPUs\",\"during\":\"2 CPUs\",\"after\":\"4 CPUs\"", 43);
	assert_null(record_of("still", 1));
}

/* ---- holding ---- */

/* Once to see what can be held, and once for each run: always put back. */
static void test_holds_are_let_go(void **state)
{
	(void)state;
	start(2, 1);
	experiment("run=\"spin -n 1000\" runs=3 turbo=off pstate=base cstate=poll prefetch=off");
	assert_int_equal(test_holds, 4);
	assert_int_equal(test_let_gos, 4);
	assert_non_null(strstr(test_console(), "turbo=off: held (turbo before, in runs turbo during, then turbo after)\n"));
	assert_non_null(strstr(test_console(), "pstate=base: held (pstate before"));
	for (unsigned i = 0; i < 12; i++) {
		static const char *const item[] = { "\"turbo\"", "\"pstate\"", "\"cstate\"", "\"prefetch\"" };
		const char *r = record_of("still", i);

		assert_int_equal(number_of(r, "position"), i / 4);
		assert_memory_equal(value_of(r, "item"), item[i % 4], strlen(item[i % 4]));
	}
	assert_null(record_of("still", 12));
}

/* Where nothing is asked nothing is said. */
static void test_nothing_asked(void **state)
{
	(void)state;
	start(2, 1);
	experiment("run=\"spin -n 1000\"");
	assert_null(record_of("still", 0));
	assert_null(record_of("certificate", 0));
	assert_null(strstr(test_console(), "Certificate"));
	assert_int_equal(number_of(record_of("run", 0), "clean"), 1);
	assert_memory_equal(value_of(record_of("run", 0), "dirty"), "\"\"", 2);
}

static void test_failed_run(void **state)
{
	(void)state;
	start(2, 1);
	make_plan("run=\"hackbench -g 1000 -f 100\" turbo=off"); /* more tasks than there is memory for */
	run_experiment();
	assert_int_equal(outcome.failed, 1);
	assert_int_equal(test_holds, 2);
	assert_int_equal(test_let_gos, 2);
	assert_int_equal(number_of(record_of("run", 0), "clean"), 0);
	assert_memory_equal(value_of(record_of("run", 0), "dirty"), "\"nothing was measured\"", 22);
	assert_non_null(record_of("still", 0));
}

/* ---- certificates ---- */

static unsigned begun, ended;

static void count(bool begin)
{
	assert_false(machine_irqs_off());
	begun += begin;
	ended += !begin;
}

/* Around the run, not its companions. */
static void test_interval(void **state)
{
	(void)state;
	start(2, 1);
	begun = ended = 0;
	test_on_certificate = count;
	experiment("run=\"massive_intr --run-ms 20 1 1\" with=\"massive_intr --run-ms 5 1 1\" runs=2");
	assert_int_equal(begun, 2);
	assert_int_equal(ended, 2);
}

static void take_time(bool begin)
{
	(void)begin;
	test_clock_advance(NSEC_PER_SEC);
}

/* However long it takes to ask all CPUs: none of it is in the run's time, nor in an account that was kept of it. */
static void test_certificate_costs_no_run(void **state)
{
	static struct run r;

	(void)state;
	start(2, 1);
	test_on_certificate = take_time;
	run_begin(&r);
	test_clock_advance(NSEC_PER_MSEC);
	run_finish(&r);
	assert_int_equal(r.elapsed_ns, NSEC_PER_MSEC);
	for (unsigned cpu = 0; cpu < 2; cpu++)
		assert_in_range(r.after.idle_ns[cpu] - r.before.idle_ns[cpu], 0, NSEC_PER_MSEC);
}

static struct certified certified;
static struct run measured = { .start_ns = 1 };

static void judge(bool turbo_off)
{
	certify(&measured, turbo_off, &certified);
}

/* CPU 0 had 24 of 20 billion cycles, CPU 1 33 of 30: 1.2 and 1.1, together 57 / 50 = 1.14. CPU 1 alone saw 2 of 3 SMIs. */
static void test_figures(void **state)
{
	(void)state;
	start(2, 1);
	test_certificate[0] = (struct certificate){
		.known = CERTIFY_FREQUENCY | CERTIFY_SMI, .actual_cycles = 24000000000, .base_cycles = 20000000000, .smis = 3
	};
	test_certificate[1] = (struct certificate){
		.known = CERTIFY_FREQUENCY | CERTIFY_SMI, .actual_cycles = 33000000000, .base_cycles = 30000000000, .smis = 2
	};
	judge(false);
	assert_int_equal(certified.mean_ppm, 1140000);
	assert_int_equal(certified.slowest_ppm, 1100000);
	assert_int_equal(certified.fastest_ppm, 1200000);
	assert_false(certified.clean);
	assert_string_equal(certified.dirty, "3 SMIs");
	test_console_clear();
	say_certificate(&certified);
	assert_string_equal(test_console(),
		"Certificate: not clean: 3 SMIs; 114.0 % of the base frequency, 110.0 to 120.0; not supported: heat, gaps\n");
}

/* 2^50 cycles (two days at 5 GHz) times a million would not fit; the halves are as good. */
static void test_long_runs(void **state)
{
	(void)state;
	start(1, 1);
	test_certificate[0] =
		(struct certificate){ .known = CERTIFY_FREQUENCY, .actual_cycles = 5ull << 48, .base_cycles = 4ull << 48 };
	judge(false);
	assert_int_equal(certified.mean_ppm, 1250000);
}

static void test_reasons(void **state)
{
	(void)state;
	start(2, 1);
	test_certificate[0] = (struct certificate){ .known = CERTIFY_GAPS | CERTIFY_THERMAL, .gaps = 1, .longest_gap_ns = 700000 };
	test_certificate[1] =
		(struct certificate){ .known = CERTIFY_GAPS | CERTIFY_THERMAL, .gaps = 2, .longest_gap_ns = 12345678, .hot = 8 };
	judge(false);
	assert_string_equal(
		certified.dirty, "3 gaps, the longest 12.346 ms on CPU 1, slowed down for heat, power or current: 1 CPU");
	test_certificate[0] = test_certificate[1] = (struct certificate){ .known = CERTIFY_GAPS };
	judge(false);
	assert_true(certified.clean);
	assert_string_equal(certified.dirty, "");
}

/* Above the base frequency by more than a hundredth is only wrong where it was to be off; a few cycles prove nothing. */
static void test_turbo_that_stays(void **state)
{
	(void)state;
	start(2, 1);
	test_certificate[0] =
		(struct certificate){ .known = CERTIFY_FREQUENCY, .actual_cycles = 1010000000, .base_cycles = 1000000000 };
	test_certificate[1] = (struct certificate){ .known = CERTIFY_FREQUENCY, .actual_cycles = 2000, .base_cycles = 1000 };
	judge(true);
	assert_true(certified.clean);
	test_certificate[0].actual_cycles = 1120000000;
	judge(false);
	assert_true(certified.clean);
	judge(true);
	assert_string_equal(certified.dirty, "turbo in spite of turbo=off: 112.0 % of the base frequency");
}

/* What one CPU does not know is not known of the machine. */
static void test_known_everywhere(void **state)
{
	(void)state;
	start(2, 1);
	test_certificate[0] =
		(struct certificate){ .known = CERTIFY_FREQUENCY | CERTIFY_GAPS, .actual_cycles = 2000000, .base_cycles = 1000000 };
	test_certificate[1] = (struct certificate){ .known = CERTIFY_GAPS };
	judge(false);
	assert_int_equal(certified.known, CERTIFY_GAPS);
	assert_int_equal(certified.mean_ppm, 0);
}

static void test_records(void **state)
{
	const char *r;

	(void)state;
	start(2, 1);
	test_certificate[0] =
		(struct certificate){ .known = CERTIFY_FREQUENCY | CERTIFY_GAPS, .actual_cycles = 3000000, .base_cycles = 2000000 };
	test_certificate[1] = (struct certificate){ .known = CERTIFY_FREQUENCY | CERTIFY_GAPS,
		.actual_cycles = 2000000,
		.base_cycles = 2000000,
		.gaps = 4,
		.longest_gap_ns = 9 };
	experiment("run=\"spin -n 1000\"");
	r = record_of("run", 0);
	assert_int_equal(number_of(r, "clean"), 0);
	assert_memory_equal(value_of(r, "dirty"), "\"4 gaps", 7);
	assert_int_equal(number_of(r, "frequency_ppm"), 1250000);
	r = record_of("certificate", 0);
	assert_memory_equal(value_of(r, "known"),
		"[\"frequency\",\"gaps\"],\"frequency_ppm\":[1500000,1000000],\"smis\":[],\"heat\":[],"
		"\"gaps\":[0,4],\"longest_gap_ns\":[0,9]}",
		107);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		machine_test(test_ratios),
		machine_test(test_parking),
		machine_test(test_parking_of_real_threads),
		machine_test(test_parked_cpus_idle),
		machine_test(test_holds_are_let_go),
		machine_test(test_nothing_asked),
		machine_test(test_failed_run),
		machine_test(test_interval),
		machine_test(test_certificate_costs_no_run),
		machine_test(test_figures),
		machine_test(test_long_runs),
		machine_test(test_reasons),
		machine_test(test_turbo_that_stays),
		machine_test(test_known_everywhere),
		machine_test(test_records),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
