/* SPDX-License-Identifier: GPL-2.0-or-later
 * From the command line to the plan: workload options, variants and presets, and what is wrong with them.
 *
 * Expected values: what options.h, plan.h and lab/params.def promise; hackbench's options are those of workloads.md 2.1 and
 * massive_intr's those of workloads.md 3. A miss means that a typo would pass for a result. */
#include <stdio.h>

#include "tests/unit/machine.h"

#include "base/mem.h"
#include "base/text.h"
#include "lab/lab.h"
#include "workloads/options.h"

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

/* workloads.md 2.1: long names fds, groups, loops, pipe, datasize, threads, processes; the manual says --process; beginnings work.
 */
static void test_hackbench_options(void **state)
{
	static const char *const good[] = { "", "-g 10 -f 20 -l 500", "-g5", "-g 5", "--groups=5", "--groups 5", "--gr 5", "--f=3",
		"-l1", "--loops=7", "-s 4096", "--datasize=1", "--data 100", "-p", "--pipe", "-T", "--threads", "--thr", "-P",
		"--process", "-p -T -g 2 -f 3 -l 4 -s 5" };

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
		"--groups=", "-g 18446744073709551616", "--p", "--pipe=1", "--nope", "-x", "-g 5 20", "-s 65537" };

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

/* ---- plans ---- */

static struct plan plan;

/* 4 CPUs: a scaling factor of 3. */
static void start_machine(void)
{
	test_machine(1, 1, 4, 1);
}

static int parse(const char *cmdline)
{
	memset(&plan, 0, sizeof(plan));
	return plan_parse(&plan, cmdline);
}

static void expect_plan(const char *cmdline)
{
	if (parse(cmdline))
		fail_msg("%s: %s", cmdline, plan.error);
}

static void expect_refused(const char *cmdline, const char *const *said)
{
	if (parse(cmdline) >= 0)
		fail_msg("%s was taken", cmdline);
	expect_said(cmdline, plan.error, said);
}

static void expect_variant(unsigned variant, const char *name)
{
	char s[TEXT_BYTES];

	plan_variant_name(&plan, variant, s, sizeof(s));
	assert_string_equal(s, name);
}

/* lab/params.def, and no switch touched: 3.8's 6 ms for 4 CPUs are 18 ms. */
static void test_empty_plan(void **state)
{
	(void)state;
	start_machine();
	expect_plan("");
	assert_int_equal(plan.nr_workloads, 0);
	assert_int_equal(plan.nr_factors, 0);
	assert_int_equal(plan.nr_variants, 1);
	expect_variant(0, "base");
	assert_true(param.runs == 1 && param.warmup == 0 && param.seed == 1);
	assert_true(param.order == ORDER_ABBA && param.then == THEN_POWEROFF && !param.help);
	assert_true(knob.sched_latency_ns == 18000000);
}

static void test_parameters(void **state)
{
	(void)state;
	start_machine();
	expect_plan(
		"runs=5 warmup=2 order=random seed=18446744073709551615 then=halt help NEXT_BUDDY NO_LAST_BUDDY newidle=off runs=6");
	assert_true(param.runs == 6 && param.warmup == 2 && param.order == ORDER_RANDOM && param.seed == ~0ull);
	assert_true(param.then == THEN_HALT && param.help);
	assert_true(knob.NEXT_BUDDY && !knob.LAST_BUDDY && knob.newidle == NEWIDLE_OFF);
	expect_plan("");
	assert_true(param.runs == 1 && !param.help && !knob.NEXT_BUDDY && knob.LAST_BUDDY && knob.newidle == NEWIDLE_THROTTLE);
}

/* Each run= is one word of the command line, so it wants quotes, wherever they are; several are run in their order. */
static void test_run_argument(void **state)
{
	static const char *const same[] = { "run=\"hackbench -g 2 -l 3\"", "\"run=hackbench -g 2 -l 3\"",
		"run=hackbench\" -g 2 -l 3\"", "run=hackbench\\ -g\\ 2\\ -l\\ 3" };

	(void)state;
	start_machine();
	for (unsigned i = 0; i < ARRAY_SIZE(same); i++) {
		expect_plan(same[i]);
		assert_int_equal(plan.nr_workloads, 1);
		assert_ptr_equal(plan.workload[0].workload, &hackbench);
		assert_string_equal(plan.workload[0].text, "hackbench -g 2 -l 3");
		assert_int_equal(plan.workload[0].nr_arguments, 5);
		assert_string_equal(plan.workload[0].argument[0], "hackbench");
		assert_string_equal(plan.workload[0].argument[4], "3");
	}
	expect_plan("run=hackbench runs=3 run=\"massive_intr 8 1\" run=hackbench");
	assert_int_equal(plan.nr_workloads, 3);
	assert_ptr_equal(plan.workload[0].workload, &hackbench);
	assert_ptr_equal(plan.workload[1].workload, &massive_intr);
	assert_ptr_equal(plan.workload[2].workload, &hackbench);
	assert_true(param.runs == 3);
}

/* Quotes in quotes: inside run= they enclose an argument once more. */
static void test_run_nested_quotes(void **state)
{
	(void)state;
	start_machine();
	expect_plan("run=\"hackbench \\\"-g\\\" 2\"");
	assert_string_equal(plan.workload[0].text, "hackbench \"-g\" 2");
	assert_int_equal(plan.workload[0].nr_arguments, 3);
	assert_string_equal(plan.workload[0].argument[1], "-g");
}

static void test_run_refused(void **state)
{
	(void)state;
	start_machine();
	expect_refused("run=hackbemch", (const char *[]){ "\"hackbemch\"", "hackbench", "massive_intr", NULL });
	expect_refused("run=", (const char *[]){ "run=", "no workload", NULL });
	expect_refused("run=\"  \"", (const char *[]){ "no workload", NULL });
	expect_refused("run=\"hackbench -g 0\"", (const char *[]){ "hackbench: ", "groups", "\"0\"", "usage: hackbench", NULL });
	expect_refused("run=\"hackbench 20\"", (const char *[]){ "hackbench: ", "\"20\"", "usage: hackbench", NULL });
	expect_refused("run=\"massive_intr 8\"", (const char *[]){ "massive_intr: ", "usage: massive_intr", NULL });
	expect_refused("run=massive_intr 8 1", (const char *[]){ "massive_intr", NULL });
	expect_refused("run=\"hackbench \\\"-g 2\"", (const char *[]){ "quote", NULL });
}

static void test_unclosed_quote(void **state)
{
	(void)state;
	start_machine();
	expect_refused("runs=2 run=\"hackbench -g 2", (const char *[]){ "quote", NULL });
	expect_refused("\"", (const char *[]){ "quote", NULL });
	expect_refused("runs=2\"", (const char *[]){ "quote", NULL });
}

/* An error is of use only if it shows where. */
static void test_unclosed_quote_is_shown(void **state)
{
	(void)state;
	start_machine();
	expect_refused("runs=2 run=\"hackbench -g 2", (const char *[]){ "run=", NULL });
}

static void test_unknown_names(void **state)
{
	(void)state;
	start_machine();
	expect_refused("runz=3", (const char *[]){ "\"runz\"", "near: runs", NULL });
	expect_refused("newidel=off", (const char *[]){ "\"newidel\"", "near: newidle", NULL });
	expect_refused("NEXT_BUDY", (const char *[]){ "NEXT_BUDDY", NULL });
	expect_refused("NO_NEXT_BUDY", (const char *[]){ "NEXT_BUDDY", NULL });
	expect_refused("sched_latency=6000000", (const char *[]){ "sched_latency_ns", NULL });
	expect_refused("order=abba sed=1", (const char *[]){ "\"sed\"", "seed", NULL });
	expect_refused("quux=1", (const char *[]){ "\"quux\"", NULL });
}

static void test_bad_values(void **state)
{
	(void)state;
	start_machine();
	expect_refused("runs=0", (const char *[]){ "runs=0", "1 to 100000", NULL });
	expect_refused("runs=many", (const char *[]){ "runs=many", "1 to 100000", NULL });
	expect_refused("seed=18446744073709551616", (const char *[]){ "seed=", NULL });
	expect_refused("order=baab", (const char *[]){ "order=baab", "abba|abab|aabb|random", NULL });
	expect_refused("then=sleep", (const char *[]){ "poweroff|reset|halt", NULL });
	expect_refused("newidle=no", (const char *[]){ "newidle=no", "off|throttle|always|cost", NULL });
	expect_refused("sched_latency_ns=1", (const char *[]){ "100000 to 1000000000 ns", NULL });
	expect_refused("NO_NEXT_BUDDY=1", (const char *[]){ "NEXT_BUDDY", NULL });
	expect_refused("runs", (const char *[]){ "runs", "value", NULL });
}

/* with= is as run=, but may be without an end; it applies to all of those, wherever it stands. */
static void test_with(void **state)
{
	(void)state;
	start_machine();
	expect_plan("with=\"cyclictest -t 2\" run=hackbench run=pipe with=\"hackbench -l 5\"");
	assert_int_equal(plan.nr_workloads, 2);
	assert_int_equal(plan.nr_backgrounds, 2);
	assert_string_equal(plan.background[0].text, "cyclictest -t 2");
	assert_ptr_equal(plan.background[0].workload, &cyclictest);
	assert_ptr_equal(plan.background[1].workload, &hackbench);
	expect_plan("run=hackbench with=pipe with=pipe with=pipe with=pipe");
	assert_int_equal(plan.nr_backgrounds, 4);
}

static void test_with_refused(void **state)
{
	(void)state;
	start_machine();
	expect_refused("with=hackbench", (const char *[]){ "with=", "\"hackbench\"", "accompanies a run=", NULL });
	expect_refused(
		"run=hackbench with=hackbemch", (const char *[]){ "with=: no workload", "\"hackbemch\"", "massive_intr", NULL });
	expect_refused("run=hackbench with=\"hackbench -g 0\"", (const char *[]){ "hackbench: ", "groups", "\"0\"", NULL });
	expect_refused("run=hackbench with=", (const char *[]){ "with=", "no workload", NULL });
	expect_refused("run=hackbench with=pipe with=pipe with=pipe with=pipe with=\"pipe -T\"",
		(const char *[]){ "too many with=", "\"pipe -T\"", NULL });
	expect_refused("run=cyclictest", (const char *[]){ "run=", "never end", "\"cyclictest\"", NULL });
	expect_refused("run=hackbench sample=5", (const char *[]){ "sample=", "\"5\"", "10us to 3600s", NULL });
}

/* plan.h: 8 run=, 24 words in each, 255 characters. */
static void test_too_much(void **state)
{
	char line[512] = "run=\"hackbench";

	(void)state;
	start_machine();
	expect_plan(
		"run=hackbench run=hackbench run=hackbench run=hackbench run=hackbench run=hackbench run=hackbench run=hackbench");
	assert_int_equal(plan.nr_workloads, 8);
	expect_refused(
		"run=hackbench run=hackbench run=hackbench run=hackbench run=hackbench run=hackbench run=hackbench run=hackbench "
		"run=hackbench",
		(const char *[]){ "too many", NULL });
	for (unsigned i = 1; i < 24; i++)
		strcat(line, " -T");
	strcat(line, "\"");
	expect_plan(line);
	line[strlen(line) - 1] = '\0';
	strcat(line, " -T\"");
	expect_refused(line, (const char *[]){ "too many", NULL });
}

static void test_too_long(void **state)
{
	char line[1024];

	(void)state;
	start_machine();
	snprintf(line, sizeof(line), "run=\"%-255s\"", "hackbench");
	expect_plan(line);
	snprintf(line, sizeof(line), "run=\"%-256s\"", "hackbench");
	expect_refused(line, (const char *[]){ "too long", NULL });
	snprintf(line, sizeof(line), "vary=newidle:%0245u,off", 0u);
	expect_refused(line, (const char *[]){ "too long", NULL });
}

/* A word that does not even fit the word buffer: what is wrong must not be cut off behind it. */
static void test_far_too_long(void **state)
{
	char line[1024];

	(void)state;
	start_machine();
	snprintf(line, sizeof(line), "run=\"%-900s\"", "hackbench");
	expect_refused(line, (const char *[]){ "too long", NULL });
}

/* ---- variants ---- */

/* Each combination once, the last factor's values changing fastest. */
static void test_factorial(void **state)
{
	(void)state;
	start_machine();
	expect_plan("vary=newidle:off,throttle,cost vary=NEXT_BUDDY:off,on");
	assert_int_equal(plan.nr_factors, 2);
	assert_int_equal(plan.nr_variants, 6);
	expect_variant(0, "newidle=off NEXT_BUDDY=off");
	expect_variant(1, "newidle=off NEXT_BUDDY=on");
	expect_variant(2, "newidle=throttle NEXT_BUDDY=off");
	expect_variant(3, "newidle=throttle NEXT_BUDDY=on");
	expect_variant(4, "newidle=cost NEXT_BUDDY=off");
	expect_variant(5, "newidle=cost NEXT_BUDDY=on");
}

/* Each variant starts from what the command line set and changes only its own; then the rest is worked out again: with 4 CPUs the
 * latency of 6 ms becomes 6, 18 or 24 ms by the scaling. */
static void apply_all(void *argument)
{
	static const u64 latency_ms[] = { 6, 18, 24 };

	(void)argument;
	for (unsigned round = 0; round < 2; round++)
		for (unsigned i = 6; i-- > 0;) {
			plan_apply(&plan, i);
			assert_int_equal(knob.sched_tunable_scaling, i / 2);
			assert_int_equal(knob.NEXT_BUDDY, i % 2);
			assert_true(knob.sched_latency_ns == latency_ms[i / 2] * NSEC_PER_MSEC);
			assert_true(knob.sched_wakeup_granularity_ns == 5000000);
			assert_true(knob.LB_MIN && knob.LAST_BUDDY);
		}
}

static void test_apply(void **state)
{
	(void)state;
	start_machine();
	test_boot(SWITCH_STACKS);
	expect_plan("LB_MIN sched_wakeup_granularity_ns=5000000 vary=sched_tunable_scaling:none,log,linear vary=NEXT_BUDDY:0,1");
	test_run(apply_all, NULL);
}

/* plan.h: 6 factors of up to 16 values, 64 combinations. */
static void test_most_variants(void **state)
{
	(void)state;
	start_machine();
	expect_plan(
		"vary=LAST_BUDDY:0,1 vary=NEXT_BUDDY:0,1 vary=LB_BIAS:0,1 vary=LB_MIN:0,1 vary=TTWU_QUEUE:0,1 vary=START_DEBIT:0,1");
	assert_int_equal(plan.nr_variants, 64);
	expect_refused(
		"vary=LAST_BUDDY:0,1 vary=NEXT_BUDDY:0,1 vary=LB_BIAS:0,1 vary=LB_MIN:0,1 vary=TTWU_QUEUE:0,1 vary=START_DEBIT:0,1 "
		"vary=CACHE_HOT_BUDDY:0,1",
		(const char *[]){ "too many", NULL });
	expect_plan("vary=sched_nr_migrate:1,2,3,4,5,6,7,8 vary=sched_migration_cost_ns:1,2,3,4,5,6,7,8");
	assert_int_equal(plan.nr_variants, 64);
	expect_variant(63, "sched_nr_migrate=8 sched_migration_cost_ns=8");
	expect_plan("vary=sched_nr_migrate:1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16");
	assert_int_equal(plan.nr_variants, 16);
	expect_refused("vary=sched_nr_migrate:1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17",
		(const char *[]){ "too many", "sched_nr_migrate", NULL });
	expect_refused("vary=sched_nr_migrate:1,2,3,4,5,6,7,8 vary=buddy_pick:clear_all,clear_seen,keep,last_first,next_first "
		       "vary=LB_MIN:0,1",
		(const char *[]){ "64", NULL });
}

static void test_vary_refused(void **state)
{
	(void)state;
	start_machine();
	expect_refused("vary=newidle", (const char *[]){ "\"newidle\"", "name:value,value", NULL });
	expect_refused("vary=", (const char *[]){ "name:value,value", NULL });
	expect_refused("vary=:off,on", (const char *[]){ "name:value,value", NULL });
	expect_refused("vary=newidle:off", (const char *[]){ "only one value", "newidle", NULL });
	expect_refused("vary=newidle:off,", (const char *[]){ "newidle", "off|throttle|always|cost", NULL });
	expect_refused("vary=newidle:off,onn", (const char *[]){ "onn", "off|throttle|always|cost", NULL });
	expect_refused("vary=newidel:off,throttle", (const char *[]){ "newidel", "near: newidle", NULL });
	expect_refused("vary=newidle:off,cost vary=newidle:off,cost", (const char *[]){ "twice", "newidle", NULL });
	expect_refused("vary=runs:1,2", (const char *[]){ "runs", NULL });
}

/* A value that is only tried out leaves the switch as it was. */
static void test_vary_leaves_the_base(void **state)
{
	(void)state;
	start_machine();
	expect_plan("newidle=always vary=NEXT_BUDDY:1,0 vary=newidle:off,cost");
	assert_int_equal(knob.newidle, NEWIDLE_ALWAYS);
	assert_int_equal(knob.NEXT_BUDDY, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		machine_test(test_options),
		machine_test(test_option_prefixes),
		machine_test(test_options_refused),
		machine_test(test_usage),
		machine_test(test_positional_arguments),
		machine_test(test_hackbench_options),
		machine_test(test_hackbench_processes),
		machine_test(test_hackbench_refuses),
		machine_test(test_massive_intr_options),
		machine_test(test_empty_plan),
		machine_test(test_parameters),
		machine_test(test_run_argument),
		machine_test(test_run_nested_quotes),
		machine_test(test_run_refused),
		machine_test(test_unclosed_quote),
		machine_test(test_unclosed_quote_is_shown),
		machine_test(test_unknown_names),
		machine_test(test_bad_values),
		machine_test(test_with),
		machine_test(test_with_refused),
		machine_test(test_too_much),
		machine_test(test_too_long),
		machine_test(test_far_too_long),
		machine_test(test_factorial),
		machine_test(test_apply),
		machine_test(test_most_variants),
		machine_test(test_vary_refused),
		machine_test(test_vary_leaves_the_base),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
