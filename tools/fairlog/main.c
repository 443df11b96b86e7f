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

static const char help[] = "Usage: fairlog COMMAND [--boot N] LOG...\n"
			   "\n"
			   "Reads logs of Fairmetal, as captured from its console. LOG may be - for standard input.\n"
			   "\n"
			   "  check      say what is lost or damaged in the log, then whether it is whole\n"
			   "  summary    show the runs as tables: what each variant did, and how the others compare\n"
			   "             with the first one\n"
			   "  compare    decide whether a variant is worse than the first one, or the second of two\n"
			   "             logs worse than the first; options and exit codes below\n"
			   "  perf       show the runs of a whole log in the layout of perf stat -r\n"
			   "  mail       show them as text for a mail: what was varied, on what, the figures, and how to\n"
			   "             make them again; --perf adds the layout of perf stat\n"
			   "  table      show the runs of whole logs as one table in Markdown, a line for each log,\n"
			   "             workload and variant; a log is called by the name of its file\n"
			   "  effects    show in Markdown which workload feels which variant: the first one's figures,\n"
			   "             and by how much the others differ from them\n"
			   "  pool       show many logs as one table in Markdown: boots that differ only by their\n"
			   "             seed are samples of the same thing, and variants are compared within them\n"
			   "  why        fairlog why TASK@TIME LOG: why that task ran, waited or slept then; the task by\n"
			   "             number or name, the time since the run's start in ms (or with us, ns, s)\n"
			   "  export     fairlog export FORMAT LOG: runs as csv or jsonl; of a run's trace ftrace,\n"
			   "             ftrace-ns, trace.dat, schedviz (.tar.gz) or events, to standard output\n"
			   "  list       one line for each log: file, state, machine, build and command line, with\n"
			   "             tabs between them\n"
			   "\n"
			   "  report     write a page in HTML: what the runs decide, tables, pictures, and how they\n"
			   "             were made\n"
			   "  plot       draw a picture with gnuplot; options below\n"
			   "\n"
			   "  --boot N   where the machine was started more than once, look at boot N of the log only\n"
			   "             (without it, check judges all boots, the others show the last)\n"
			   "  --run N    why, export: the run at position N (without it, the first that was traced)\n"
			   "  --help     show this text\n"
			   "  --version  show which format of the log this program reads\n"
			   "\n"
			   "Exit code: 0 the logs are whole, 1 one is damaged or incomplete (table, perf and\n"
			   "mail: or has a failed run), 2 one cannot be read or the command line is not understood.\n"
			   "\n"
			   "fairlog compare [OPTION...] LOG [LOG]\n"
			   "  --base V         the variant that the others are compared with, instead of the first\n"
			   "  --variant V      of two logs that have several variants, the one to compare\n"
			   "  --metric NAME    the figure that decides, as the table calls it; named before looking\n"
			   "                   (default: what the workload is judged by)\n"
			   "  --better WAY     less or more: what is better, if the name of the figure does not tell\n"
			   "  --margin P       worse means worse by more than P per cent (default: 0)\n"
			   "  --partial        use logs that are not whole, or have failed runs\n"
			   "Its exit code suits git bisect run: 0 no worse, 1 worse, 125 cannot say, or a log is not\n"
			   "whole, 128 a log cannot be read or the command line is not understood. Without a margin,\n"
			   "no worse means that no difference was seen.\n"
			   "\n"
			   "fairlog plot WHAT [OPTION...] LOG...\n"
			   "  WHAT             runs: the figure of each run in the order of time; distribution: the\n"
			   "                   same by variant; waste: wasted time by cause; latency: of wakeups;\n"
			   "                   timeline: each CPU's queue in the first run, if there are samples\n"
			   "  -o FILE          where to, FILE ends in .svg or .png (default: SVG to standard output)\n"
			   "  --metric NAME    of runs and distribution, the figure, as summary calls it (default:\n"
			   "                   what the workload is judged by)\n";

static const struct command {
	const char *name;
	int (*run)(FILE *in, const char *file, unsigned only_boot);
	void (*begin)(void);		  /* before the first log; may be NULL */
	void (*end)(void);		  /* after the last; may be NULL */
	bool (*option)(const char *word); /* takes an option of its own; may be NULL */
} commands[] = {
	{ "check", command_check, NULL, NULL, NULL },
	{ "summary", command_summary, NULL, NULL, NULL },
	{ "perf", command_perf, NULL, NULL, NULL },
	{ "mail", command_mail, NULL, NULL, command_mail_option },
	{ "table", command_table, command_table_head, NULL, NULL },
	{ "effects", command_effects, command_effects_head, NULL, NULL },
	{ "pool", command_pool, NULL, command_pool_end, NULL },
	{ "list", command_list, NULL, NULL, NULL },
	{ "report", command_report, command_report_begin, command_report_end, NULL },
	{ "why", command_why, NULL, NULL, NULL },
	{ "export", command_export, NULL, NULL, NULL },
};

/* Of commands that want a word before the logs: what to expect, and who takes it. */
static const struct operand {
	int (*run)(FILE *in, const char *file, unsigned only_boot);
	const char *expected;
	bool (*take)(const char *word);
} operands[] = {
	{ command_why, "TASK@TIME, such as 17@1.25 or sender@300us", why_take },
	{ command_export, "a format: csv, jsonl, ftrace, ftrace-ns, trace.dat, schedviz or events", export_take },
};

static const char expected_command[] =
	"expected check, summary, compare, perf, mail, table, effects, pool, list, report, plot, why or export";

struct arguments {
	const struct command *command;
	char **file;
	unsigned files;
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

static bool parse_run(const char *text)
{
	unsigned long long value;
	char *end;

	errno = 0;
	value = text ? strtoull(text, &end, 10) : 0;
	if (!text || *text < '0' || *text > '9' || *end != '\0' || errno != 0)
		return refuse("--run %s: expected the position of a run, from 0 on", text ? text : "without a number");
	trace_choose_run(value);
	return true;
}

static const struct operand *operand_of(const struct command *command)
{
	for (size_t i = 0; i < sizeof operands / sizeof operands[0]; i++) {
		if (operands[i].run == command->run)
			return &operands[i];
	}
	return NULL;
}

static bool take_operand(const struct operand *operand, const char *word)
{
	if (operand->take(word))
		return true;
	return refuse("%s: expected %s", word, operand->expected);
}

/* The names of the logs are moved up to the front. */
static bool parse_arguments(char **args, struct arguments *parsed)
{
	const struct operand *operand;
	bool wants_word;

	if (!args[0])
		return refuse("no command; %s", expected_command);
	parsed->file = args;
	parsed->command = find_command(*args);
	if (!parsed->command)
		return refuse("%s: no such command; %s", *args, expected_command);
	operand = operand_of(parsed->command);
	wants_word = operand != NULL;

	while (*++args) {
		if (strcmp(*args, "--boot") == 0) {
			if (!parse_boot(args[1], &parsed->boot))
				return false;
			args++;
		} else if (strncmp(*args, "--boot=", 7) == 0) {
			if (!parse_boot(*args + 7, &parsed->boot))
				return false;
		} else if (parsed->command->option && parsed->command->option(*args)) {
			continue;
		} else if (strcmp(*args, "--run") == 0 && operand) {
			if (!parse_run(args[1]))
				return false;
			args++;
		} else if (strncmp(*args, "--run=", 6) == 0 && operand) {
			if (!parse_run(*args + 6))
				return false;
		} else if ((*args)[0] == '-' && (*args)[1] != '\0') {
			return refuse("%s: no such option; expected --boot N%s", *args, operand ? " or --run N" : "");
		} else if (wants_word) {
			if (!take_operand(operand, *args))
				return false;
			wants_word = false;
		} else {
			parsed->file[parsed->files++] = *args;
		}
	}
	if (!parsed->files)
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

static int run_on_file(const struct arguments *parsed, const char *file)
{
	bool is_stdin = strcmp(file, "-") == 0;
	FILE *in = is_stdin ? stdin : fopen(file, "rb");
	int code;

	if (!in) {
		fprintf(stderr, "fairlog: cannot open %s: %s\n", file, strerror(errno));
		return EXIT_UNREADABLE;
	}
	code = parsed->command->run(in, is_stdin ? "standard input" : file, parsed->boot);
	if (!is_stdin)
		fclose(in);
	return code;
}

int main(int argc, char **argv)
{
	struct arguments parsed = { 0 };
	int worst = EXIT_WHOLE;

	if (argc > 1 && wants(argv + 1, "--help")) {
		printf("%s", help);
		return finish_output(0);
	}
	if (argc > 1 && wants(argv + 1, "--version")) {
		printf("fairlog, reads format %d of the log\n", RECORD_FORMAT);
		return finish_output(0);
	}
	if (argc > 1 && strcmp(argv[1], "compare") == 0) {
		int code = command_compare(argv + 2);

		return finish_output(code) == code ? code : COMPARE_REFUSED;
	}
	if (argc > 1 && strcmp(argv[1], "plot") == 0)
		return finish_output(command_plot(argv + 2));
	if (argc < 1 || !parse_arguments(argv + 1, &parsed))
		return EXIT_UNREADABLE;

	if (parsed.command->begin)
		parsed.command->begin();
	for (unsigned i = 0; i < parsed.files; i++) {
		int code = run_on_file(&parsed, parsed.file[i]);

		worst = code > worst ? code : worst;
	}
	if (parsed.command->end)
		parsed.command->end();
	return finish_output(worst);
}
