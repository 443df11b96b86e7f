/* SPDX-License-Identifier: GPL-2.0-or-later
 * Running a workload on the test machine from its arguments to its figures, as the lab does. */
#ifndef TESTS_UNIT_RUNNING_H
#define TESTS_UNIT_RUNNING_H

#include <stdio.h>

#include "tests/unit/machine.h"

#include "base/mem.h"
#include "workloads/workload.h"

/* What is run, and what came of it. */
static const struct workload *running;
static u64 running_options[OPTIONS_BYTES / sizeof(u64)];
static struct run result;

static inline void run_in_task(void *arguments)
{
	const char *argv[32];
	unsigned argc = 0;
	char error[WORKLOAD_ERROR_BYTES] = "";

	for (char *word = strtok(arguments, " "); word; word = strtok(NULL, " "))
		argv[argc++] = word;
	memset(&result, 0, sizeof(result));
	if (options_parse(running, argc, argv, running_options, error))
		fail_msg("%s", error);
	running->run(running_options, &result);
	assert_int_equal(current()->nr_children, 0);
	while (task_count() > 1)
		task_sleep_ns(NSEC_PER_MSEC);
	sched_end_run();
	mem_end_run();
}

/* Parse into running_options, run in a task of its own, wait until all is quiet. The console has what it printed. */
static inline void run_workload(const struct workload *w, const char *arguments)
{
	char copy[256];

	snprintf(copy, sizeof(copy), "%s", arguments);
	running = w;
	test_console_clear();
	test_run(run_in_task, copy);
	while (current()->nr_children) /* the main task */
		task_reap(REAP_ANY);
}

static inline void start_machine(unsigned nodes, unsigned llcs, unsigned cores, unsigned threads)
{
	test_machine(nodes, llcs, cores, threads);
	test_clock_set(NSEC_PER_SEC); /* the boot took a while */
	test_boot(SWITCH_STACKS);
}

static inline void expect_ok(const struct workload *w, const char *arguments)
{
	run_workload(w, arguments);
	if (strcmp(result.status, "ok"))
		fail_msg("%s %s: %s", w->name, arguments, result.status);
}

static inline u64 metric(const char *name)
{
	for (unsigned i = 0; i < result.nr_metrics; i++)
		if (!strcmp(result.metric[i].name, name))
			return result.metric[i].value;
	fail_msg("no metric is called %s", name);
	return 0;
}

/* The arguments must be refused, with a line that has these words and the usage. */
static inline void expect_refused(const struct workload *w, const char *arguments, const char *words)
{
	char copy[256], error[WORKLOAD_ERROR_BYTES] = "";
	const char *argv[32];
	unsigned argc = 0;

	snprintf(copy, sizeof(copy), "%s", arguments);
	for (char *word = strtok(copy, " "); word; word = strtok(NULL, " "))
		argv[argc++] = word;
	if (!options_parse(w, argc, argv, running_options, error))
		fail_msg("%s %s was taken", w->name, arguments);
	if (!strstr(error, words) || !strstr(error, "; usage: ") || strchr(error, '\n'))
		fail_msg("%s %s: \"%s\" lacks \"%s\" or the usage", w->name, arguments, error, words);
}

#endif
