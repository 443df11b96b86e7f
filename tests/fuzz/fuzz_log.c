/* SPDX-License-Identifier: GPL-2.0-or-later
 * Any bytes are a log: the commands must come to an end, in order, and agree about whether the log is whole. The
 * mutator in mutate.c makes most of them logs whose numbers and checksums are right, so that what is behind these is reached. */
#define _GNU_SOURCE /* stdout can be set */
#include "tools/fairlog/commands.h"

#include <stdint.h>
#include <stdlib.h>

static const struct command {
	int (*run)(FILE *in, const char *file, unsigned only_boot);
	void (*begin)(void);
	void (*end)(void);
} commands[] = {
	{ command_check, NULL, NULL },
	{ command_summary, NULL, NULL },
	{ command_table, command_table_head, NULL },
	{ command_pool, NULL, command_pool_end },
	{ command_list, NULL, NULL },
};
enum { CHECK, SUMMARY, TABLE, POOL, LIST, COMMANDS };

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

/* check judges all boots, the others the last one; table and pool also refuse failed runs. One of them is enough for an input:
 * there are many inputs, and the size says which. */
static void run_some(const uint8_t *bytes, size_t count)
{
	int check = run_command(&commands[CHECK], bytes, count, 0), other;
	unsigned which = SUMMARY + count % (COMMANDS - SUMMARY);

	other = run_command(&commands[which], bytes, count, 0);
	expect(check == EXIT_WHOLE || check == EXIT_DAMAGED);
	expect(other == EXIT_WHOLE || other == EXIT_DAMAGED);
	expect(check == EXIT_DAMAGED || other == EXIT_WHOLE || which == TABLE || which == POOL);
	if (which == LIST)
		run_command(&commands[SUMMARY], bytes, count, 1);
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
