/* SPDX-License-Identifier: GPL-2.0-or-later
 * Running an experiment on the test machine from its command line to its records. */
#ifndef TESTS_UNIT_LAB_H
#define TESTS_UNIT_LAB_H

#include <stdio.h>

#include "tests/unit/machine.h"

#include "base/mem.h"
#include "base/text.h"
#include "lab/lab.h"

static struct plan plan;
static struct outcome outcome;

static inline void run_plan(void *unused)
{
	(void)unused;
	experiment_run(&plan, &outcome);
}

static inline void make_plan(const char *cmdline)
{
	memset(&plan, 0, sizeof(plan));
	if (plan_parse(&plan, cmdline))
		fail_msg("%s: %s", cmdline, plan.error);
}

/* The console has what was said of it, the first 256 KiB. */
static inline void run_experiment(void)
{
	outcome = (struct outcome){ .message = "" };
	test_console_clear();
	test_run(run_plan, NULL);
	while (current()->nr_children) /* the experiment's main task */
		task_reap(REAP_ANY);
}

static inline void experiment(const char *cmdline)
{
	make_plan(cmdline);
	run_experiment();
	if (outcome.failed)
		fail_msg("%s: %s", cmdline, outcome.message);
}

/* Behind that key in a record. */
static inline const char *value_of(const char *record, const char *key)
{
	char quoted[96];
	const char *found;

	snprintf(quoted, sizeof(quoted), "\"%s\":", key);
	found = strstr(record, quoted);
	if (!found || found > strchr(record, '\n'))
		fail_msg("no %s in this record", key);
	return found + strlen(quoted);
}

static inline u64 number_of(const char *record, const char *key)
{
	return strtoull(value_of(record, key), NULL, 10);
}

/* The sum of a list. */
static inline u64 sum_of(const char *record, const char *key)
{
	const char *at = value_of(record, key);
	u64 sum = 0;
	char *end;

	assert_int_equal(*at, '[');
	while (*at++ != ']') {
		sum += strtoull(at, &end, 10);
		at = end;
	}
	return sum;
}

/* The nth record of that type, from 0; NULL: there are fewer. */
static inline const char *record_of(const char *type, unsigned n)
{
	char head[32];
	const char *at = test_console();

	snprintf(head, sizeof(head), "{\"t\":\"%s\"", type);
	for (n++; (at = strstr(at, head)) && --n; at++)
		;
	return at;
}

#endif
