/* SPDX-License-Identifier: GPL-2.0-or-later
 * What one boot of the machine wrote to the log, and how much of it is there. */
#ifndef FAIRLOG_BOOT_H
#define FAIRLOG_BOOT_H

#include "tools/fairlog/record.h"
#include "tools/fairlog/run.h"
#include "tools/fairlog/schema.h"

enum {
	PROBLEM_BYTES = 400,
	PROBLEMS_KEPT = 20,
	VERDICT_BYTES = 400,
};

/* What one boot of the machine wrote. */
struct boot {
	unsigned number; /* from 1, in the order of the file */
	unsigned long first_line, last_line;

	json_t *record[NR_RECORDS]; /* the first of each type that holds; none for runs and what comes with them */
	struct run **runs;	    /* all run records that hold; only if asked for */
	size_t run_count, run_room;
	json_t **sequence; /* all records of that type */
	size_t sequences;
	struct names names; /* of the runs */
	bool format_known;  /* false: nothing after the boot record was looked at */

	uint64_t next_seq;
	uint64_t records;     /* that hold */
	uint64_t missing;     /* by their numbers */
	uint64_t damaged;     /* cannot be read */
	uint64_t refused;     /* can be read but are not as the list says */
	uint64_t run_records; /* that came, refused ones included */
	uint64_t runs_failed;

	/* Everything that keeps the log from being whole, and the first of that in words. */
	uint64_t problems;
	char problem[PROBLEMS_KEPT][PROBLEM_BYTES];
};

struct boot *boot_new(unsigned number, unsigned long line);
void boot_free(struct boot *boot);

/* Its owner becomes the boot. */
void boot_add_run(struct boot *boot, struct run *run);

/* Keeps a reference. */
void boot_add_sequence(struct boot *boot, json_t *record);

bool boot_is_whole(const struct boot *boot);
/* One line: whole, incomplete (only the end is missing) or damaged, and the counts behind it. */
const char *boot_verdict(const struct boot *boot, char text[VERDICT_BYTES]);

#endif
