/* SPDX-License-Identifier: GPL-2.0-or-later
 * The layout of perf stat. The golden texts are Galbraith's measurements of 17 February 2013 in the formats of perf 3.8
 * (workloads.md 5.1); the numbers in them are the mail's, rounded by hand where the layout divides. A miss means that a mail with
 * our figures would not look as his does. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "tools/fairlog/perfstat.h"
#include "tools/fairlog/text_stream.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- the mail's figures ---- */

/* A mean over the mail's 100 runs whose standard error is so many per cent of it. */
static struct estimate over_100_runs(double mean, double percent)
{
	return (struct estimate){ 100, mean, mean * percent / 100 };
}

/* Percent_running 0: the counter had a place all the time. */
static struct perf_event counted(double mean, double percent, double percent_running)
{
	return (struct perf_event){ PERF_COUNTED, over_100_runs(mean, percent), percent_running, percent_running > 0 };
}

static struct perfstat q6600(void)
{
	return (struct perfstat){
		.command = "hackbench -l 500",
		.runs = 100,
		.event = {
			[PERF_TASK_CLOCK] = counted(5221559519, 0.26, 100),
			[PERF_CONTEXT_SWITCHES] = counted(129863, 3.65, 100),
			[PERF_CPU_MIGRATIONS] = counted(7576, 4.60, 100),
			[PERF_PAGE_FAULTS] = counted(31095, 0.39, 0),
			[PERF_CYCLES] = counted(12258227539, 0.27, 49.91),
			[PERF_INSTRUCTIONS] = counted(5395089628, 0.28, 74.99),
			[PERF_BRANCHES] = counted(1012563262, 0.26, 75.08),
			[PERF_BRANCH_MISSES] = counted(43217098, 0.23, 75.01),
		},
		.elapsed_ns = over_100_runs(1305024749, 0.26),
	};
}

/* Of this machine we have the noise of four figures only, and not how its counters took turns. */
static struct perfstat e5620(void)
{
	return (struct perfstat){
		.command = "hackbench -l 500",
		.runs = 100,
		.event = {
			[PERF_TASK_CLOCK] = counted(3884162557, 0.14, 100),
			[PERF_CONTEXT_SWITCHES] = counted(97366, 1.68, 100),
			[PERF_CPU_MIGRATIONS] = counted(12383, 3.29, 100),
			[PERF_PAGE_FAULTS] = counted(30749, 0, 0),
			[PERF_CYCLES] = counted(9377671582, 0, 0),
			[PERF_STALLED_FRONTEND] = counted(6973792586, 0, 0),
			[PERF_STALLED_BACKEND] = counted(2529338603, 0, 0),
			[PERF_INSTRUCTIONS] = counted(5214109586, 0, 0),
			[PERF_BRANCHES] = counted(984681811, 0, 0),
			[PERF_BRANCH_MISSES] = counted(7050196, 0, 0),
		},
		.elapsed_ns = over_100_runs(485726223, 0.14),
	};
}

static char *printed(const struct perfstat *stat)
{
	struct text_stream text;

	text_stream_open(&text);
	perfstat_print(text.file, stat);
	return text_stream_close(&text);
}

static void assert_printed(const struct perfstat *stat, const char *expected)
{
	char *text = printed(stat);

	assert_string_equal(text, expected);
	free(text);
}

/* CHECK 5.1, the golden sample; 7.12. */
static void golden_sample(void **state)
{
	struct perfstat stat = q6600();

	(void)state;
	assert_printed(&stat,
		"\n"
		" Performance counter stats for 'hackbench -l 500' (100 runs):\n"
		"\n"
		"       5221.559519 task-clock                #    4.001 CPUs utilized            ( +-  0.26% ) [100.00%]\n"
		"            129863 context-switches          #    0.025 M/sec                    ( +-  3.65% ) [100.00%]\n"
		"              7576 cpu-migrations            #    0.001 M/sec                    ( +-  4.60% ) [100.00%]\n"
		"             31095 page-faults               #    0.006 M/sec                    ( +-  0.39% )\n"
		"       12258227539 cycles                    #    2.348 GHz                      ( +-  0.27% ) [49.91%]\n"
		"   <not supported> stalled-cycles-frontend \n"
		"   <not supported> stalled-cycles-backend  \n"
		"        5395089628 instructions              #    0.44  insns per cycle          ( +-  0.28% ) [74.99%]\n"
		"        1012563262 branches                  #  193.920 M/sec                    ( +-  0.26% ) [75.08%]\n"
		"          43217098 branch-misses             #    4.27% of all branches          ( +-  0.23% ) [75.01%]\n"
		"\n"
		"       1.305024749 seconds time elapsed                                          ( +-  0.26% )\n"
		"\n");
}

/* CHECK 5.1 with stalls: their line comes behind instructions, and its noise would stand there. Rates by hand: 97366 / 3884.162557
 * ms = 25067 a second, 12383 3188, 30749 7916; 984681811 / 3884.162557 ms = 253.512 millions; 9377671582 / 3884.162557 ms = 2.4143
 * GHz; 7050196 / 984681811 = 0.716 %. */
static void golden_sample_with_stalls(void **state)
{
	struct perfstat stat = e5620();

	(void)state;
	assert_printed(&stat,
		"\n"
		" Performance counter stats for 'hackbench -l 500' (100 runs):\n"
		"\n"
		"       3884.162557 task-clock                #    7.997 CPUs utilized            ( +-  0.14% ) [100.00%]\n"
		"             97366 context-switches          #    0.025 M/sec                    ( +-  1.68% ) [100.00%]\n"
		"             12383 cpu-migrations            #    0.003 M/sec                    ( +-  3.29% ) [100.00%]\n"
		"             30749 page-faults               #    0.008 M/sec                  \n"
		"        9377671582 cycles                    #    2.414 GHz                    \n"
		"        6973792586 stalled-cycles-frontend   #   74.37% frontend cycles idle   \n"
		"        2529338603 stalled-cycles-backend    #   26.97% backend  cycles idle   \n"
		"        5214109586 instructions              #    0.56  insns per cycle        \n"
		"                                             #    1.34  stalled cycles per insn\n"
		"         984681811 branches                  #  253.512 M/sec                  \n"
		"           7050196 branch-misses             #    0.72% of all branches        \n"
		"\n"
		"       0.485726223 seconds time elapsed                                          ( +-  0.14% )\n"
		"\n");
}

/* The second line of instructions is the one that has the noise and the percentage. */
static void noise_follows_the_stalls(void **state)
{
	struct perfstat stat = e5620();
	char *text;

	(void)state;
	stat.event[PERF_INSTRUCTIONS] = counted(5214109586, 0.28, 74.99);
	text = printed(&stat);
	assert_non_null(strstr(text, "insns per cycle        \n"));
	assert_non_null(strstr(text,
		"\n                                             #    1.34  stalled cycles per insn  ( +-  0.28% ) [74.99%]\n"));
	free(text);
}

static void assert_figure(double value, double expected, double within)
{
	if (!(fabs(value - expected) <= within))
		fail_msg("%.9g; expected %.9g", value, expected);
}

/* CHECKS 5.1, to all the digits that the specification gives. */
static void figures_are_ratios_of_means(void **state)
{
	struct perfstat q = q6600(), e = e5620();

	(void)state;
	assert_figure(perfstat_figure(&q, PERF_TASK_CLOCK), 4.001, 0.0005);
	assert_figure(perfstat_figure(&q, PERF_CYCLES), 2.3476, 0.00005);
	assert_figure(perfstat_figure(&q, PERF_INSTRUCTIONS), 0.4401, 0.00005);
	assert_figure(perfstat_figure(&q, PERF_BRANCHES), 193.920, 0.0005);
	assert_figure(perfstat_figure(&q, PERF_BRANCH_MISSES), 4.268, 0.0005);
	assert_true(isnan(perfstat_figure(&q, PERF_STALLED_FRONTEND)));
	assert_true(isnan(perfstat_stalls_per_instruction(&q)));
	assert_figure(perfstat_figure(&e, PERF_TASK_CLOCK), 7.997, 0.0005);
	assert_figure(perfstat_figure(&e, PERF_STALLED_FRONTEND), 74.366, 0.0005);
	assert_figure(perfstat_figure(&e, PERF_STALLED_BACKEND), 26.972, 0.0005);
	assert_figure(perfstat_figure(&e, PERF_INSTRUCTIONS), 0.556, 0.0005);
	assert_figure(perfstat_stalls_per_instruction(&e), 1.3375, 0.00005);
	/* One kind of stalls is enough; the other way round, the larger counts. */
	e.event[PERF_STALLED_FRONTEND].state = PERF_NOT_SUPPORTED;
	assert_figure(perfstat_stalls_per_instruction(&e), 2529338603 / 5214109586.0, 1e-9);
	e.event[PERF_CYCLES].state = PERF_NOT_SUPPORTED;
	assert_true(isnan(perfstat_figure(&e, PERF_INSTRUCTIONS)));
}

/* ---- from readings ---- */

static struct perfstat of_three(uint64_t a, uint64_t b, uint64_t c)
{
	const struct perf_reading ns[] = { { true, 4000000, 1, 1 }, { true, 4000000, 1, 1 }, { true, 4000000, 1, 1 } };
	const struct perf_reading switches[] = { { true, a, 1, 1 }, { true, b, 1, 1 }, { true, c, 1, 1 } };
	struct perfstat stat = { .command = "x", .runs = 3 };

	stat.event[PERF_TASK_CLOCK] = perf_event_of(ns, 3);
	stat.event[PERF_CONTEXT_SWITCHES] = perf_event_of(switches, 3);
	stat.elapsed_ns = stat.event[PERF_TASK_CLOCK].value;
	return stat;
}

static void assert_line(const struct perfstat *stat, const char *line)
{
	char *text = printed(stat), *at = strstr(text, line);

	if (!at || at[-1] != '\n')
		fail_msg("no line \"%s\" in:\n%s", line, text);
	free(text);
}

/* CHECK 5.1, 7.12: s = 1, s / sqrt(3) = 0.5774, of a mean of 2 28.87 %. 2 in 4 ms are 500 a second, below 0.001 M. */
static void one_two_three(void **state)
{
	struct perfstat stat = of_three(1, 2, 3);

	(void)state;
	assert_line(&stat, "                 2 context-switches          #    0.500 K/sec                    ( +- 28.87% )\n");
}

/* CHECK 5.1: identical values have no noise; nor has a mean of 0. 4 in 4 ms are 0.001 M/sec, and no less. */
static void identical_values_have_no_noise(void **state)
{
	struct perfstat stat = of_three(4, 4, 4);

	(void)state;
	assert_line(&stat, "                 4 context-switches          #    0.001 M/sec                  \n");
	assert_line(&stat, "          4.000000 task-clock                #    1.000 CPUs utilized          \n");
	assert_line(&stat, "       0.004000000 seconds time elapsed                                        \n");
	stat = of_three(0, 0, 0);
	assert_line(&stat, "                 0 context-switches          #    0.000 K/sec                  \n");
}

/* 10 in a quarter of the time are 40, 11 in half of it 22, 31 all the time: mean 31, and the counter ran for 1.75 of 3 parts.
 * Whether that is shown is up to the last run. 7 in two thirds are 10.5, and 0.5 more is 11. */
static void counters_that_take_turns(void **state)
{
	const struct perf_reading turns[] = { { true, 10, 100, 25 }, { true, 31, 100, 100 }, { true, 11, 100, 50 } };
	const struct perf_reading at_last[] = { { true, 10, 100, 25 }, { true, 11, 100, 50 }, { true, 31, 100, 100 } };
	const struct perf_reading half = { true, 7, 3, 2 };
	struct perf_event event = perf_event_of(turns, 3);
	struct perfstat stat = of_three(1, 1, 1);
	char *text;

	(void)state;
	assert_figure(event.value.mean, 31, 0);
	assert_figure(event.percent_running, 175 / 3.0, 1e-9);
	assert_true(event.scaled);
	stat.event[PERF_PAGE_FAULTS] = event;
	text = printed(&stat);
	assert_non_null(strstr(text, "% ) [58.33%]\n"));
	free(text);
	event = perf_event_of(at_last, 3);
	assert_figure(event.value.mean, 31, 0);
	assert_false(event.scaled);
	assert_figure(perf_event_of(&half, 1).value.mean, 11, 0);
}

/* A line with 35 blanks for the remark. */
static void assert_bare(const struct perfstat *stat, const char *value, const char *name, const char *noise)
{
	char line[120];

	snprintf(line, sizeof line, "%18s %-25s%35s%s\n", value, name, "", noise);
	assert_line(stat, line);
}

static void what_is_not_there(void **state)
{
	const struct perf_reading never[] = { { true, 0, 100, 0 }, { true, 0, 100, 0 } }, missing[] = { { .supported = false } };
	struct perfstat stat = of_three(1, 2, 3);

	(void)state;
	assert_int_equal(perf_event_of(missing, 1).state, PERF_NOT_SUPPORTED);
	stat.event[PERF_CYCLES] = perf_event_of(never, 2);
	assert_line(&stat, "     <not counted> cycles                  \n");
	assert_line(&stat, "   <not supported> branch-misses           \n");
	/* Misses without branches, and rates without a task-clock, have nothing to be divided by. */
	stat.event[PERF_BRANCH_MISSES] = counted(5, 0, 0);
	assert_bare(&stat, "5", "branch-misses", "");
	stat.event[PERF_TASK_CLOCK].state = PERF_NOT_SUPPORTED;
	assert_bare(&stat, "2", "context-switches", "  ( +- 28.87% )");
}

/* ---- from a log ---- */

/* 1 and 3 ms on CPUs in 1 ms each: mean 2, s / sqrt(2) = 1, which is 50 %. */
static void runs_of_a_log(void **state)
{
	struct run run[2] = { { .workload = "pipe" }, { .workload = "pipe" } }, *runs[] = { &run[0], &run[1] };
	struct group group = { .workload = "pipe", .variant = "base", .runs = runs, .count = 2 };
	struct perfstat stat;

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		run[i].value[FIELD_run_elapsed_ns - FIELD_run_workload] = 1000000;
		run[i].value[FIELD_run_task_clock_ns - FIELD_run_workload] = i == 0 ? 1000000 : 3000000;
		run[i].value[FIELD_run_context_switches - FIELD_run_workload] = 40;
		run[i].value[FIELD_run_migrations - FIELD_run_workload] = 1;
	}
	stat = perfstat_of(&group);
	assert_printed(&stat, "\n"
			      " Performance counter stats for 'pipe' (2 runs):\n"
			      "\n"
			      "          2.000000 task-clock                #    2.000 CPUs utilized            ( +- 50.00% )\n"
			      "                40 context-switches          #    0.020 M/sec                  \n"
			      "                 1 cpu-migrations            #    0.500 K/sec                  \n"
			      "                 0 page-faults               #    0.000 K/sec                  \n"
			      "   <not supported> cycles                  \n"
			      "   <not supported> stalled-cycles-frontend \n"
			      "   <not supported> stalled-cycles-backend  \n"
			      "   <not supported> instructions            \n"
			      "   <not supported> branches                \n"
			      "   <not supported> branch-misses           \n"
			      "\n"
			      "       0.001000000 seconds time elapsed                                        \n"
			      "\n");
	group.count = 1;
	stat = perfstat_of(&group);
	assert_line(&stat, " Performance counter stats for 'pipe':\n");
	assert_line(&stat, "       0.001000000 seconds time elapsed\n");
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(golden_sample),
		cmocka_unit_test(golden_sample_with_stalls),
		cmocka_unit_test(noise_follows_the_stalls),
		cmocka_unit_test(figures_are_ratios_of_means),
		cmocka_unit_test(one_two_three),
		cmocka_unit_test(identical_values_have_no_noise),
		cmocka_unit_test(counters_that_take_turns),
		cmocka_unit_test(what_is_not_there),
		cmocka_unit_test(runs_of_a_log),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("perfstat", tests, NULL, NULL);
}
