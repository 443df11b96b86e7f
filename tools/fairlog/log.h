/* SPDX-License-Identifier: GPL-2.0-or-later
 * Reads a log: the sequence of its records, the boots in it, and what is lost. */
#ifndef FAIRLOG_LOG_H
#define FAIRLOG_LOG_H

#include "tools/fairlog/boot.h"

#include <stdbool.h>
#include <stdio.h>

struct log_reader {
	void *context;
	/* Called for each problem and note as it is found, with its line in the file. May be NULL. */
	void (*say)(void *context, unsigned boot, unsigned long line, const char *text);
	/* Called at the end of each boot, whose owner the callee becomes. */
	void (*boot_done)(void *context, struct boot *boot);
	bool keep_runs;
	bool keep_samples; /* of runs that are kept */
};

/* Reads a whole file. Returns the number of boots in it, or -1 and errno if it cannot be read. */
int log_read(FILE *in, const struct log_reader *reader);

/* The same, and record() is called for each record that holds, in their order: what a log has much of is worked on as it comes. */
typedef void log_record_fn(void *context, const struct boot *boot, enum record_type type, const json_t *record);
int log_read_records(FILE *in, const struct log_reader *reader, log_record_fn *record);

/* Reads a whole file for one boot with its runs: the one of that number, or the last for 0. NULL if it is not there; *boots is what
 * log_read returns. */
struct boot *log_read_boot(FILE *in, unsigned only_boot, int *boots);
/* The same of the file of that name, or of standard input for -. *boots is also -1, and errno set, if it cannot be opened. */
struct boot *log_read_file(const char *file, unsigned only_boot, bool keep_samples, int *boots);

#endif
