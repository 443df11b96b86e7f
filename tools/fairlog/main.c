/* SPDX-License-Identifier: GPL-2.0-or-later
 * fairlog: reads what Fairmetal wrote to its serial line. */
#include "tools/fairlog/commands.h"

#include "tools/fairlog/schema.h"

#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static const char help[] = "Usage: fairlog COMMAND [--boot N] LOG\n"
			   "\n"
			   "Reads a log of Fairmetal, as captured from its console. LOG may be - for standard input.\n"
			   "\n"
			   "  check      say what is lost or damaged in the log, then whether it is whole\n"
			   "  summary    show the runs as tables: what each variant did, and how the others compare\n"
			   "             with the first one\n"
			   "\n"
			   "  --boot N   where the machine was started more than once, look at boot N of the log only\n"
			   "             (without it, check judges all boots and summary shows the last)\n"
			   "  --help     show this text\n"
			   "  --version  show which format of the log this program reads\n"
			   "\n"
			   "Exit code: 0 the log is whole, 1 it is damaged or incomplete, 2 it cannot be read or the\n"
			   "command line is not understood.\n";

static const struct command {
	const char *name;
	int (*run)(FILE *in, const char *file, unsigned only_boot);
} commands[] = {
	{ "check", command_check },
	{ "summary", command_summary },
};

struct arguments {
	const struct command *command;
	const char *file;
	unsigned boot;
};

static __attribute__((format(printf, 1, 2))) bool refuse(const char *format, ...)
{
	va_list args;

	fprintf(stderr, "fairlog: ");
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fprintf(stderr, "; fairlog --help shows the usage\n");
	return false;
}

static const struct command *find_command(const char *name)
{
	for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++) {
		if (strcmp(commands[i].name, name) == 0)
			return &commands[i];
	}
	return NULL;
}

static bool parse_boot(const char *text, unsigned *boot)
{
	unsigned long value;
	char *end;

	errno = 0;
	value = text ? strtoul(text, &end, 10) : 0;
	if (!text || *text < '0' || *text > '9' || *end != '\0' || errno != 0 || value == 0 || value > INT_MAX)
		return refuse("--boot %s: expected a number from 1 on", text ? text : "without a number");
	*boot = (unsigned)value;
	return true;
}

static bool parse_arguments(char **args, struct arguments *parsed)
{
	if (!args[0])
		return refuse("no command; expected check or summary");
	parsed->command = find_command(*args);
	if (!parsed->command)
		return refuse("%s: no such command; expected check or summary", *args);

	while (*++args) {
		if (strcmp(*args, "--boot") == 0) {
			if (!parse_boot(args[1], &parsed->boot))
				return false;
			args++;
		} else if (strncmp(*args, "--boot=", 7) == 0) {
			if (!parse_boot(*args + 7, &parsed->boot))
				return false;
		} else if ((*args)[0] == '-' && (*args)[1] != '\0') {
			return refuse("%s: no such option; expected --boot N", *args);
		} else if (parsed->file) {
			return refuse("%s: one log too many; expected only %s", *args, parsed->file);
		} else {
			parsed->file = *args;
		}
	}
	if (!parsed->file)
		return refuse("%s: no log; expected its name, or - for standard input", parsed->command->name);
	return true;
}

static bool wants(char **args, const char *option)
{
	for (; *args; args++) {
		if (strcmp(*args, option) == 0)
			return true;
	}
	return false;
}

/* A full disk behind a redirection must not look like a short answer. */
static int finish_output(int code)
{
	if (fflush(stdout) == 0 && !ferror(stdout))
		return code;
	fprintf(stderr, "fairlog: cannot write the output: %s\n", strerror(errno));
	return EXIT_UNREADABLE;
}

int main(int argc, char **argv)
{
	struct arguments parsed = { 0 };
	bool is_stdin;
	FILE *in;
	int code;

	if (argc > 1 && wants(argv + 1, "--help")) {
		printf("%s", help);
		return finish_output(0);
	}
	if (argc > 1 && wants(argv + 1, "--version")) {
		printf("fairlog, reads format %d of the log\n", RECORD_FORMAT);
		return finish_output(0);
	}
	if (argc < 1 || !parse_arguments(argv + 1, &parsed))
		return EXIT_UNREADABLE;

	is_stdin = strcmp(parsed.file, "-") == 0;
	in = is_stdin ? stdin : fopen(parsed.file, "rb");
	if (!in) {
		fprintf(stderr, "fairlog: cannot open %s: %s\n", parsed.file, strerror(errno));
		return EXIT_UNREADABLE;
	}
	code = parsed.command->run(in, is_stdin ? "standard input" : parsed.file, parsed.boot);
	if (!is_stdin)
		fclose(in);
	return finish_output(code);
}
