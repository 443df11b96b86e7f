/* SPDX-License-Identifier: GPL-2.0-or-later
 * The formats of fairlog export. */
#ifndef FAIRLOG_EXPORT_H
#define FAIRLOG_EXPORT_H

#include "tools/fairlog/trace.h"

/* Of a run's trace; context is NULL. */
extern const struct trace_sink export_ftrace, export_ftrace_ns, export_tracedat, export_schedviz, export_events;

/* Of all runs of a log. Return an exit code. */
int export_csv(FILE *in, const char *file, unsigned only_boot);
int export_jsonl(FILE *in, const char *file, unsigned only_boot);

#endif
