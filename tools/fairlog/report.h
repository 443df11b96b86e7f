/* SPDX-License-Identifier: GPL-2.0-or-later
 * The parts of a report, in the order in which they are read. All of them print HTML. */
#ifndef FAIRLOG_REPORT_H
#define FAIRLOG_REPORT_H

#include "tools/fairlog/boot.h"
#include "tools/fairlog/group.h"
#include "tools/fairlog/judged.h"
#include "tools/fairlog/stat.h"

/* All there is of one workload. */
struct workload {
	const struct boot *boot;
	const struct group *group; /* one for each variant, the first of which the others are compared with */
	size_t variants;
	struct metric *metric;
	size_t metrics;
	struct judged judged;
	uint64_t planned_runs;
};

/* A sentence for each variant but the first, or one on the only variant (report_verdict.c). */
void report_verdicts(const struct workload *w);
/* A change in signed per cent, or as a factor where it is large, with its interval; or why there is none. */
enum { CHANGE_BYTES = 80 };
const char *format_change(const struct ratio *ratio, char text[CHANGE_BYTES]);

/* The figures of all variants, and how they differ (report_table.c). */
void report_table(const struct workload *w);
/* List items on what is left out of it, and why, and on runs that are not clean; false if nothing is. */
bool report_left_out(const struct workload *w);

/* Pictures with the numbers that belong to them (report_pictures.c). */
void report_pictures(const struct workload *w);

/* Switches that differ between variants, and all of them; the machine; how to do it again; what is not in the log
 * (report_setting.c). */
void report_varied(const struct groups *groups);
void report_machine(const struct boot *boot);
void report_how(const struct boot *boot);
/* List items; false if nothing is missing. */
bool report_missing(const struct boot *boot);

/* Words that need explaining (report_glossary.c). */
void report_glossary(void);

#endif
