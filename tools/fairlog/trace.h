/* SPDX-License-Identifier: GPL-2.0-or-later
 * The decision trace of one run (base/trace.def), read as it comes: the log may be large. */
#ifndef FAIRLOG_TRACE_H
#define FAIRLOG_TRACE_H

#include "base/trace.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum { EVENT_ARGS_MAX = 8, PRIORITY_NORMAL = 120, COMM_BYTES = 16 };

struct trace_task {
	uint32_t id;
	unsigned priority; /* as Linux counts it */
	bool is_idle;
	char *name;
};

struct trace {
	uint64_t position, start_ns, elapsed_ns; /* of the run */
	char *workload, *variant;
	unsigned cpus;
	uint64_t kept, lost;	 /* events */
	struct trace_task *task; /* ascending by id */
	size_t tasks;
	const json_t *machine; /* the record of that type, or NULL */
};

struct event {
	uint64_t time_ns; /* since boot */
	unsigned cpu;	  /* where it was decided */
	enum trace_event type;
	uint32_t arg[EVENT_ARGS_MAX];
};

#define EVENT_ARG(e, event, name) ((e)->arg[TRACE_ARG(event, name)])

/* Who makes something of it. All three are called in this order, the second for each event by rising time. */
struct trace_sink {
	void *context;
	void (*begin)(void *context, const struct trace *trace);
	void (*event)(void *context, const struct trace *trace, const struct event *event);
	void (*end)(void *context, const struct trace *trace);
};

/* Read the trace of the run chosen. Says on one line what is wrong; returns an exit code. */
int trace_read(FILE *in, const char *command, const char *file, unsigned only_boot, const struct trace_sink *sink);

/* ---- words ---- */

/* The fingerprint of base/trace.def that a log must have. */
uint32_t trace_list(void);

const char *trace_event_name(enum trace_event type);
/* Its arguments: how many, their names, and what they are. */
enum arg_kind { TASK, CPU, NUMBER, FLAGS, WORD_OF_LIST };
unsigned trace_args(enum trace_event type);
const char *trace_arg_name(enum trace_event type, unsigned arg);
enum arg_kind trace_arg_kind(enum trace_event type, unsigned arg);
const char *trace_word_name(unsigned word);
const char *trace_word_meaning(unsigned word);

/* ---- tasks ---- */

/* NULL: its name is not known. */
const struct trace_task *trace_task_of(const struct trace *trace, uint32_t id);
/* The id that other programs are given: 0 for idle tasks. */
uint32_t trace_pid(const struct trace *trace, uint32_t id);
unsigned trace_priority(const struct trace *trace, uint32_t id);
/* Its name as Linux would have it, at most 15 characters, with nothing in it that formats of text separate words by. */
void trace_comm(const struct trace *trace, uint32_t id, unsigned cpu, char comm[COMM_BYTES]);

#endif
