/* SPDX-License-Identifier: GPL-2.0-or-later
 * The sub-commands. Each reads a whole log and prints to standard output. */
#ifndef FAIRLOG_COMMANDS_H
#define FAIRLOG_COMMANDS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum exit_code {
	EXIT_WHOLE = 0,
	EXIT_DAMAGED = 1, /* or incomplete */
	EXIT_UNREADABLE = 2,
};

/* File is the name that in goes by in messages; only_boot is the number of one boot, or 0. */
int command_check(FILE *in, const char *file, unsigned only_boot);
/* Without only_boot it shows the last boot. */
int command_summary(FILE *in, const char *file, unsigned only_boot);
/* The rows of one log, which must be whole and have no failed run; without only_boot, of the last boot. */
int command_table(FILE *in, const char *file, unsigned only_boot);
/* The head of the table, to be printed once before all rows. */
void command_table_head(void);
/* The rows of one log: the first variant of each workload, and how the others differ from it. */
int command_effects(FILE *in, const char *file, unsigned only_boot);
void command_effects_head(void);
/* The rules of table hold for these two as well. */
int command_perf(FILE *in, const char *file, unsigned only_boot);
int command_mail(FILE *in, const char *file, unsigned only_boot);
/* Takes --perf; false: it knows no such option. */
bool command_mail_option(const char *word);
/* One line of tab-separated words: file, state (ok, failed, refused, damaged), machine, build, command line. */
int command_list(FILE *in, const char *file, unsigned only_boot);
/* Of a run's decision trace: the first that was traced, or the one at the position chosen beforehand. */
void trace_choose_run(uint64_t position);
/* Why a task was where it was at an instant; the words say which and when, as in 17@1.25. False: not understood. */
bool why_take(const char *words);
int command_why(FILE *in, const char *file, unsigned only_boot);
/* The runs, or a run's trace, in a format that other programs read. */
bool export_take(const char *format);
int command_export(FILE *in, const char *file, unsigned only_boot);
/* Takes one log in; what all of them come to is printed at the end. */
int command_pool(FILE *in, const char *file, unsigned only_boot);
void command_pool_end(void);

/* A page of all logs, each shown like in a summary. */
int command_report(FILE *in, const char *file, unsigned only_boot);
void command_report_begin(void);
void command_report_end(void);

/* Takes all words behind its name: what to draw, options and logs. */
int command_plot(char **args);

/* Compare is made for git bisect run, whose codes it uses. */
enum compare_code {
	COMPARE_NO_WORSE = 0,
	COMPARE_WORSE = 1,
	COMPARE_CANNOT_SAY = 125,
	COMPARE_REFUSED = 128, /* the command line is not understood, or a log cannot be read: bisect stops */
};
/* Takes all words behind its name. */
int command_compare(char **args);

#endif
