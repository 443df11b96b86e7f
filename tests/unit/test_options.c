/* SPDX-License-Identifier: GPL-2.0-or-later
 * Options of workloads: their parser, their usage line, and the tables of hackbench and massive_intr.
 *
 * Expected values: what options.h promises; hackbench's options are those of workloads.md 2.1 and massive_intr's of 3. A miss means
 * that a benchmark's command line, as people know it, is not understood, or that a wrong one is. */
#include "tests/unit/machine.h"

#include "base/text.h"
#include "workloads/workload.h"

/* The error must say all of these. */
static void expect_said(const char *input, const char *error, const char *const *said)
{
	for (; *said; said++)
		if (!strstr(error, *said))
			fail_msg("%s: \"%s\" does not say \"%s\"", input, error, *said);
	assert_null(strchr(error, '\n'));
}

/* ---- options: a table of its own ---- */

struct options {
	u64 loops, gap, mode, quiet, colour, first, second;
};

static const char *const colours[] = { "red", "green", NULL };

static const struct option table[] = {
	NUMBER_OPTION('l', "loops", loops, 1, 100, "turns"),
	NUMBER_OPTION('g', "loop-gap", gap, 0, 18446744073709551615u, "between turns"),
	FLAG_OPTION('T', "threads", mode, 1, "threads"),
	FLAG_OPTION('P', "process", mode, 2, "processes"),
	FLAG_OPTION(0, "processes", mode, 2, "processes"),
	FLAG_OPTION(0, "quiet", quiet, 7, "say nothing"),
	CHOICE_OPTION(0, "colour", colour, colours, "of the paint"),
	{ 0 },
};

static const struct option argument_table[] = {
	ARGUMENT("first", first, 0, 1000, "the first"),
	ARGUMENT("second", second, 0, 1000, "the second"),
	{ 0 },
};

enum { MOST_WORDS = 32 };

/* Cut at blanks, in place. */
static unsigned split(char *line, const char *argv[MOST_WORDS])
{
	unsigned n = 0;

	for (char *word = strtok(line, " "); word; word = strtok(NULL, " ")) {
		assert_true(n < MOST_WORDS);
		argv[n++] = word;
	}
	return n;
}

static char error[WORKLOAD_ERROR_BYTES];
static struct options v;

#define USAGE "try [-l loops] [-g loop-gap] [-T|-P|--processes] [--quiet] [--colour red|green]"

static const struct options defaults = { .colour = 1 };
static const struct workload plain = { .name = "try", .options = table, .defaults = &defaults, .options_bytes = sizeof(defaults) };
static const struct workload with_arguments = { .name = "try",
	.options = table,
	.arguments = argument_table,
	.nr_required = 1,
	.defaults = &defaults,
	.options_bytes = sizeof(defaults) };

static int parse_options(const struct workload *w, const char *line)
{
	const char *argv[MOST_WORDS];
	char copy[512];

	text_copy(copy, sizeof(copy), line);
	memset(&v, 0xff, sizeof(v)); /* which the defaults replace */
	error[0] = '\0';
	return options_parse(w, split(copy, argv), argv, &v, error);
}

/* want.colour: is another than the default. */
static void expect_values(const char *line, struct options want)
{
	if (parse_options(&plain, line))
		fail_msg("%s: %s", line, error);
	want.colour = !want.colour;
	assert_memory_equal(&v, &want, sizeof(v));
}

static void test_options(void **state)
{
	(void)state;
	expect_values("", (struct options){ 0 });
	expect_values("-l5", (struct options){ .loops = 5 });
	expect_values("-l 5", (struct options){ .loops = 5 });
	expect_values("--loops=5", (struct options){ .loops = 5 });
	expect_values("--loops 5", (struct options){ .loops = 5 });
	expect_values("-l100", (struct options){ .loops = 100 });
	expect_values("-l 1", (struct options){ .loops = 1 });
	expect_values("-l0x10", (struct options){ .loops = 16 });
	expect_values("-l 5 --loops=6", (struct options){ .loops = 6 });
	expect_values("-g 18446744073709551615", (struct options){ .gap = ~0ull });
	expect_values("-T", (struct options){ .mode = 1 });
	expect_values("-T -P", (struct options){ .mode = 2 });
	expect_values("-l 5 --quiet -T -g 0", (struct options){ .loops = 5, .mode = 1, .quiet = 7 });
	expect_values("--colour red", (struct options){ .colour = 1 });
	expect_values("--colour=red --col green", (struct options){ 0 });
}

/* --loops is a name and also the beginning of no other; two spellings of one option do not make it ambiguous. */
static void test_option_prefixes(void **state)
{
	(void)state;
	expect_values("--loop-=9", (struct options){ .gap = 9 });
	expect_values("--loop-g 9", (struct options){ .gap = 9 });
	expect_values("--q", (struct options){ .quiet = 7 });
	expect_values("--thr", (struct options){ .mode = 1 });
	expect_values("--pro", (struct options){ .mode = 2 });
	expect_values("--process", (struct options){ .mode = 2 });
	expect_values("--processes", (struct options){ .mode = 2 });
}

static void test_options_refused(void **state)
{
	static const char *const bad[] = { "-l", "--loops", "--loops=", "-l 0", "-l 101", "-l -1", "-l x", "-l 1.5",
		"-l 18446744073709551616", "--loops=five", "-x", "--nope", "--loop 5", "--loo=5", "--loopsy=5", "--LOOPS=5",
		"--thr=1", "-T1", "5", "-l 5 6", "-", "--", "--colour", "--colour blue", "--colour=", "--colour 1" };

	(void)state;
	for (unsigned i = 0; i < ARRAY_SIZE(bad); i++) {
		if (parse_options(&plain, bad[i]) != -E_INVAL)
			fail_msg("%s was taken", bad[i]);
		expect_said(bad[i], error, (const char *[]){ "; usage: " USAGE, NULL });
		assert_string_equal(error + strlen(error) - strlen(USAGE), USAGE);
	}
	parse_options(&plain, "--colour blue");
	expect_said("--colour blue", error, (const char *[]){ "colour takes red|green, not \"blue\"", NULL });
	parse_options(&plain, "-l 101");
	expect_said("-l 101", error, (const char *[]){ "loops", "from 1 to 100", "\"101\"", NULL });
	parse_options(&plain, "--nope");
	expect_said("--nope", error, (const char *[]){ "\"--nope\"", NULL });
}

static void expect_arguments_refused(const char *line, const char *words)
{
	assert_int_equal(parse_options(&with_arguments, line), -E_INVAL);
	expect_said(line, error, (const char *[]){ words, "; usage: " USAGE " first [second]", NULL });
}

static void test_positional_arguments(void **state)
{
	(void)state;
	assert_int_equal(parse_options(&with_arguments, "8 60"), 0);
	assert_true(v.first == 8 && v.second == 60);
	assert_int_equal(parse_options(&with_arguments, "7 -l 5 61 --quiet"), 0);
	assert_true(v.first == 7 && v.second == 61 && v.loops == 5 && v.quiet == 7);
	assert_int_equal(parse_options(&with_arguments, "9"), 0);
	assert_true(v.first == 9 && v.second == 0);
	expect_arguments_refused("", "too few");
	expect_arguments_refused("8 60 1", "\"1\"");
	expect_arguments_refused("8 x", "\"x\"");
	expect_arguments_refused("8 1001", "second takes a number from 0 to 1000, not \"1001\"");
}

/* Cut where there is no room, and still it says how long it is. */
static void test_usage(void **state)
{
	char line[200];

	(void)state;
	assert_int_equal(options_usage(&with_arguments, line, sizeof(line)), strlen(USAGE " first [second]"));
	assert_string_equal(line, USAGE " first [second]");
	assert_int_equal(options_usage(&with_arguments, line, 8), strlen(USAGE " first [second]"));
	assert_string_equal(line, "try [-l");
}

/* ---- the workloads' own options ---- */

static int parse_workload(const struct workload *w, const char *line)
{
	const char *argv[MOST_WORDS];
	char copy[512];
	u64 options[OPTIONS_BYTES / sizeof(u64)];

	assert_true(w->options_bytes <= sizeof(options));
	text_copy(copy, sizeof(copy), line);
	error[0] = '\0';
	return options_parse(w, split(copy, argv), argv, options, error);
}

static void expect_taken(const struct workload *w, const char *const *line, unsigned n)
{
	for (; n--; line++)
		if (parse_workload(w, *line))
			fail_msg("%s %s: %s", w->name, *line, error);
}

static void expect_not_taken(const struct workload *w, const char *const *line, unsigned n)
{
	char usage[WORKLOAD_ERROR_BYTES];

	for (; n--; line++) {
		if (parse_workload(w, *line) != -E_INVAL)
			fail_msg("%s %s was taken", w->name, *line);
		options_usage(w, usage, sizeof(usage));
		expect_said(*line, error, (const char *[]){ usage, NULL });
	}
}

/* workloads.md 2.1: long names fds, fifo, groups, loops, pipe, inet, datasize, threads, processes; the manual says --process;
 * beginnings work.
 */
static void test_hackbench_options(void **state)
{
	static const char *const good[] = { "", "-g 10 -f 20 -l 500", "-g5", "-g 5", "--groups=5", "--groups 5", "--gr 5", "--fd=3",
		"-l1", "--loops=7", "-s 4096", "--datasize=1", "--data 100", "-p", "--pipe", "-T", "--threads", "--thr", "-P",
		"--process", "-i", "--inet", "-F", "--fifo", "--no-sync", "-p --pipe-rules new", "--pipe-rules=6.1 -p",
		"-p --pipe-rules 5.4", "-p -T -g 2 -f 3 -l 4 -s 5" };

	(void)state;
	expect_taken(&hackbench, good, ARRAY_SIZE(good));
}

/* The spelling of the option table in rt-tests (workloads.md 2.1). */
static void test_hackbench_processes(void **state)
{
	static const char *const good[] = { "--processes", "--proc" };

	(void)state;
	expect_taken(&hackbench, good, ARRAY_SIZE(good));
}

/* Numbers are above 0. rt-tests ignores positional arguments, so that "hackbench 20" runs 10 groups there; here it is refused. */
static void test_hackbench_refuses(void **state)
{
	static const char *const bad[] = { "20", "-g", "-g 0", "-f 0", "-l 0", "-s 0", "-g -1", "-g x", "-g 1.5", "-g=5",
		"--groups=", "-g 18446744073709551616", "--p", "--pipe=1", "--nope", "-x", "-g 5 20", "-s 65537", "--f=3", "-p -i",
		"-i -p", "--pipe-rules 6.1", "--pipe-rules new", "-i --pipe-rules 5.4", "-p --pipe-rules 6.0" };

	(void)state;
	expect_not_taken(&hackbench, bad, ARRAY_SIZE(bad));
}

/* workloads.md 3: nproc is 1 to 1024, the runtime whole seconds above 0. */
static void test_massive_intr_options(void **state)
{
	static const char *const good[] = { "8 1", "1 60", "1024 1", "--work-us 1000 --sleep-us 8000 10 60", "10 60 --work-ms",
		"10 --loops 60", "--run-ms=500 8 1", "--sleep=100 1 1", "--run 10 1 1", "-w 8000 -s 1000 -W 1 1" };
	static const char *const bad[] = { "", "8", "8 1 1", "0 1", "1025 1", "8 0", "8 x", "x 8", "8 1.5", "-1 1",
		"--work-us 0 8 1", "--sleep-us 0 8 1", "--work 5 8 1", "--work-us", "-g 5 8 1" };

	(void)state;
	expect_taken(&massive_intr, good, ARRAY_SIZE(good));
	expect_not_taken(&massive_intr, bad, ARRAY_SIZE(bad));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		machine_test(test_options),
		machine_test(test_option_prefixes),
		machine_test(test_options_refused),
		machine_test(test_positional_arguments),
		machine_test(test_usage),
		machine_test(test_hackbench_options),
		machine_test(test_hackbench_processes),
		machine_test(test_hackbench_refuses),
		machine_test(test_massive_intr_options),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
