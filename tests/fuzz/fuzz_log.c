/* SPDX-License-Identifier: GPL-2.0-or-later
 * Any bytes are a log: the commands must come to an end, in order, and agree about whether the log is whole. The
 * mutator in mutate.c makes most of them logs whose numbers and checksums are right, so that what is behind these is reached. */
#define _GNU_SOURCE /* stdout can be set */
#include "tools/fairlog/commands.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

static void choose_why(void)
{
	why_take("1@0.1");
}

static void choose_runs(void)
{
	export_take("jsonl");
}

static void choose_csv(void)
{
	export_take("csv");
}

static void choose_ftrace(void)
{
	export_take("ftrace");
}

static void choose_dat(void)
{
	export_take("trace.dat");
}

static void choose_schedviz(void)
{
	export_take("schedviz");
}

static const struct command {
	int (*run)(FILE *in, const char *file, unsigned only_boot);
	void (*begin)(void);
	void (*end)(void);
	bool is_strict; /* takes no log with a failed run, or none without a trace */
} commands[] = {
	{ command_summary, NULL, NULL, false },
	{ command_list, NULL, NULL, false },
	{ command_table, command_table_head, NULL, true },
	{ command_effects, command_effects_head, NULL, true },
	{ command_pool, NULL, command_pool_end, true },
	{ command_perf, NULL, NULL, true },
	{ command_mail, NULL, NULL, true },
	{ command_report, command_report_begin, command_report_end, false },
	{ command_why, choose_why, NULL, true },
	{ command_export, choose_runs, NULL, false },
	{ command_export, choose_csv, NULL, false },
	{ command_export, choose_ftrace, NULL, true },
	{ command_export, choose_dat, NULL, true },
	{ command_export, choose_schedviz, NULL, true },
};
enum { COMMANDS = sizeof commands / sizeof commands[0] };
static const struct command check = { command_check, NULL, NULL, false };

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

static void expect(int is_so)
{
	if (!is_so)
		abort();
}

static int run_command(const struct command *command, const uint8_t *bytes, size_t count, unsigned only_boot)
{
	FILE *in = fmemopen((void *)bytes, count, "rb");
	int code;

	expect(in != NULL);
	if (command->begin)
		command->begin();
	code = command->run(in, "log", only_boot);
	if (command->end)
		command->end();
	fclose(in);
	return code;
}

/* check judges all boots, the others the last one, or one that has a trace. One of the others is enough for an input: there are
 * many inputs, and the size says which. */
static void run_some(const uint8_t *bytes, size_t count)
{
	const struct command *other = &commands[count % COMMANDS];
	int verdict = run_command(&check, bytes, count, 0), code = run_command(other, bytes, count, 0);

	expect(verdict == EXIT_WHOLE || verdict == EXIT_DAMAGED);
	expect(code == EXIT_WHOLE || code == EXIT_DAMAGED || code == EXIT_UNREADABLE);
	expect(verdict == EXIT_DAMAGED || code == EXIT_WHOLE || other->is_strict);
	if (verdict == EXIT_DAMAGED)
		run_command(other, bytes, count, 1);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
	static FILE *null;
	FILE *out = stdout, *error = stderr;

	if (!null)
		null = fopen("/dev/null", "w");
	if (count == 0)
		return 0; /* nothing that fmemopen could open */
	stdout = stderr = null;
	run_some(bytes, count);
	stdout = out;
	stderr = error;
	return 0;
}
