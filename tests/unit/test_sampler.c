/* SPDX-License-Identifier: GPL-2.0-or-later
 * sample=: what is noted of a run while it goes on, and that the run does not notice.
 *
 * Expected values: what base/record.def promises of a sample, workloads.md 5.2, and arithmetic on a run's length. A miss means that
 * samples do not add up to the run, or that a run with them is another than one without. */
#include "tests/unit/lab.h"

#include "lab/sampler.h"

/* ---- the period ---- */

static void expect_period(const char *text, u64 ns)
{
	char error[PLAN_ERROR_BYTES];
	u64 period = 1;

	if (sampler_parse(text, &period, error))
		fail_msg("%s: %s", text, error);
	assert_true(period == ns);
}

static void test_periods(void **state)
{
	(void)state;
	expect_period("", 0);
	expect_period("100ms", 100000000);
	expect_period("10us", 10000);
	expect_period("1s", 1000000000);
	expect_period("3600s", 3600000000000);
	expect_period("3600000ms", 3600000000000);
}

static void test_refusals(void **state)
{
	static const char *const bad[] = { "100", "ms", "9us", "0s", "3601s", "1m", "1ms2", "-1ms", "1.5ms",
		"18446744073709551615s", "99999999999999999999ms", "100 ms", "1ns" };
	char error[PLAN_ERROR_BYTES];
	u64 period;

	(void)state;
	for (unsigned i = 0; i < ARRAY_SIZE(bad); i++) {
		if (!sampler_parse(bad[i], &period, error))
			fail_msg("%s was taken", bad[i]);
		assert_non_null(strstr(error, bad[i]));
		assert_non_null(strstr(error, "expected a time from 10us to 3600s"));
		assert_null(strchr(error, '\n'));
	}
}

/* ---- samples ---- */

static void start(unsigned cores)
{
	test_machine(1, 1, cores, 1);
	test_clock_set(NSEC_PER_SEC);
	test_boot(SWITCH_STACKS);
}

/* A run of 1008 ms, as massive_intr ends after 112 loops of 9 ms: samples at 100, 200, ... 1000 ms and at the end. */
static void test_instants(void **state)
{
	u64 elapsed;

	(void)state;
	start(1);
	experiment("run=\"massive_intr 1 1\" sample=100ms");
	elapsed = number_of(record_of("run", 0), "elapsed_ns");
	assert_true(elapsed == 1008 * NSEC_PER_MSEC);
	for (unsigned i = 0; i < 11; i++) {
		const char *s = record_of("sample", i);

		assert_non_null(s);
		assert_true(number_of(s, "position") == 0 && number_of(s, "number") == i && number_of(s, "lost") == 0);
		assert_true(number_of(s, "at_ns") == (i < 10 ? (i + 1) * 100 * NSEC_PER_MSEC : elapsed));
	}
	assert_null(record_of("sample", 11));
}

/* On one CPU three tasks of 8 ms of work and 1 ms of sleep leave no idle time, and all but one at most run or wait. */
static void test_what_is_noted(void **state)
{
	(void)state;
	start(1);
	experiment("run=\"massive_intr 3 1\" sample=90ms");
	for (unsigned i = 0; i < 10; i++) {
		const char *s = record_of("sample", i);

		assert_in_range(sum_of(s, "queued"), 2, 3);
		assert_true(sum_of(s, "idle_ns") == 0);
		assert_true(number_of(s, "tasks") == 4);	/* with who spawned them */
		assert_in_range(number_of(s, "ticks"), 89, 91); /* one may be due at the same instant */
		assert_true(number_of(s, "free_bytes") > 0);
	}
}

/* One such task sleeps for a ninth of the time. */
static void test_idle_time(void **state)
{
	(void)state;
	start(1);
	experiment("run=\"massive_intr 1 1\" sample=90ms");
	for (unsigned i = 0; i < 10; i++)
		assert_true(sum_of(record_of("sample", i), "idle_ns") == 10 * NSEC_PER_MSEC);
}

/* Samples add up to what the run's own counters say. */
static void expect_sums(unsigned run, unsigned *sample)
{
	const char *s, *r = record_of("run", run);
	u64 switches = 0, migrations = 0, idle_ns = 0, at_ns = 0;

	while ((s = record_of("sample", *sample)) && number_of(s, "position") == run) {
		switches += sum_of(s, "switches");
		migrations += sum_of(s, "migrations");
		idle_ns += sum_of(s, "idle_ns");
		at_ns = number_of(s, "at_ns");
		++*sample;
	}
	assert_true(switches > 0 && switches == number_of(r, "context_switches"));
	assert_true(migrations == number_of(r, "migrations"));
	assert_true(idle_ns == sum_of(r, "idle_ns"));
	assert_true(at_ns == number_of(r, "elapsed_ns"));
}

static void test_sums(void **state)
{
	unsigned sample = 0;

	(void)state;
	start(4);
	experiment("run=\"massive_intr 6 1\" run=\"pipe -l 100\" sample=30ms vary=newidle:off,throttle");
	for (unsigned run = 0; run < 4; run++)
		expect_sums(run, &sample);
	assert_null(record_of("sample", sample));
}

/* 5.2: the line's figures, by its layout: cs times the interval is the sum of the CPUs' switches, to half a switch a second. */
static void test_vmstat_lines(void **state)
{
	const char *line, *s;
	u64 before = 0;

	(void)state;
	start(4);
	experiment("run=\"massive_intr 6 1\" sample=30ms");
	line = strstr(test_console(), "procs -----------memory---------- ---swap-- -----io---- -system-- ------cpu-----\n"
				      " r  b   swpd   free   buff  cache   si   so    bi    bo   in   cs us sy id wa st\n");
	assert_non_null(line);
	line = strchr(strchr(line, '\n') + 1, '\n') + 1;
	for (unsigned i = 0; (s = record_of("sample", i)); i++) {
		u64 at = number_of(s, "at_ns"), sum = sum_of(s, "switches") * 2000000000;
		unsigned r, b, swapped, free, ticks, cs, us, sy, id, st;

		assert_int_equal(sscanf(line, "%u %u %u %u %*u %*u %*u %*u %*u %*u %u %u %u %u %u %*u %u\n", &r, &b, &swapped,
					 &free, &ticks, &cs, &us, &sy, &id, &st),
			10);
		assert_true(2 * cs * (at - before) <= sum + (at - before) && 2 * cs * (at - before) + (at - before) >= sum);
		assert_true(r == sum_of(s, "queued") && free == number_of(s, "free_bytes") / 1024);
		assert_true(us + id == 100 && !b && !swapped && !sy && !st);
		before = at;
		line = strchr(line, '\n') + 1;
	}
	assert_true(line[0] == '@');
}

/* ---- it does not perturb ---- */

static void expect_same(const char *cmdline)
{
	char sampled[256], run[4096], *end;

	experiment(cmdline);
	end = strstr(record_of("run", 0), "\"skew_ns\"");
	snprintf(run, sizeof(run), "%.*s", (int)(end - strstr(record_of("run", 0), "\"elapsed_ns\"")),
		strstr(record_of("run", 0), "\"elapsed_ns\""));
	snprintf(sampled, sizeof(sampled), "%s sample=7ms", cmdline);
	experiment(sampled);
	assert_non_null(record_of("sample", 5));
	if (strncmp(strstr(record_of("run", 0), "\"elapsed_ns\""), run, strlen(run)))
		fail_msg("%s gives\n%s\nand without a sampler\n%s", sampled, record_of("run", 0), run);
}

/* All counters of a run are the same with and without. */
static void test_same_run(void **state)
{
	(void)state;
	start(4);
	expect_same("run=\"massive_intr 6 1\"");
	expect_same("run=\"cyclictest -t 5 -l 200\"");
}

static void test_same_run_1_cpu(void **state)
{
	(void)state;
	start(1);
	expect_same("run=\"massive_intr 3 1\" preempt=full");
	expect_same("run=\"cyclictest -t 5 -l 200\"");
}

/* ---- the ends of it ---- */

/* A period that is longer than the run: one sample, at its end, and nobody waits for the timer. The second run has its own. */
static void test_long_period(void **state)
{
	u64 start_ns = NSEC_PER_SEC;

	(void)state;
	start(2);
	experiment("run=\"cyclictest -l 5\" sample=1000s runs=3 jitter=off");
	for (unsigned i = 0; i < 3; i++) {
		const char *s = record_of("sample", i);

		assert_true(number_of(s, "position") == i && number_of(s, "number") == 0);
		assert_true(number_of(s, "at_ns") == 5 * NSEC_PER_MSEC);
		assert_true(number_of(record_of("run", i), "start_ns") < start_ns + NSEC_PER_SEC);
	}
	assert_null(record_of("sample", 3));
	assert_true(machine_clock_ns() < start_ns + NSEC_PER_SEC);
}

/* Without sample= there are none, and no lines. */
static void test_off(void **state)
{
	(void)state;
	start(1);
	experiment("run=\"cyclictest -l 5\"");
	assert_null(record_of("sample", 0));
	assert_null(strstr(test_console(), "procs --"));
}

/*
 * Memory is short: of an eighth of 320 KB there is room for so many samples of 64 CPUs, the one at the start and the one at the end
 * included. The others are counted, once, in the last, and nothing is missing from the sums.
 */
static void test_lost(void **state)
{
	unsigned room, sample = 0;
	u64 free_bytes;

	(void)state;
	start(64);
	free_bytes = mem_free_bytes();
	assert_non_null(mem_alloc_forever(free_bytes - 320 * 1024));
	experiment("run=\"cyclictest -l 100\" sample=1ms");
	while (record_of("sample", sample))
		sample++;
	room = sample + 1;
	assert_in_range(room, 320 * 1024 / 8 / 4096, 320 * 1024 / 8 / 2048);
	for (unsigned i = 0; i + 1 < sample; i++)
		assert_true(number_of(record_of("sample", i), "lost") == 0);
	assert_true(number_of(record_of("sample", sample - 1), "lost") == 100 - (sample - 1));
	assert_non_null(strstr(test_console(), " samples were lost: there was no more room)\n"));
	sample = 0;
	expect_sums(0, &sample);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		machine_test(test_periods),
		machine_test(test_refusals),
		machine_test(test_instants),
		machine_test(test_what_is_noted),
		machine_test(test_idle_time),
		machine_test(test_sums),
		machine_test(test_vmstat_lines),
		machine_test(test_same_run),
		machine_test(test_same_run_1_cpu),
		machine_test(test_long_period),
		machine_test(test_off),
		machine_test(test_lost),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
