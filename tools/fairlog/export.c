/* SPDX-License-Identifier: GPL-2.0-or-later
 * fairlog export: runs, or the trace of one, for other programs. */
#include "tools/fairlog/export.h"

#include "tools/fairlog/commands.h"

#include <string.h>

static const struct format {
	const char *name;
	const struct trace_sink *sink; /* of a trace; or of runs: */
	int (*runs)(FILE *in, const char *file, unsigned only_boot);
} formats[] = {
	{ "csv", NULL, export_csv },
	{ "jsonl", NULL, export_jsonl },
	{ "ftrace", &export_ftrace, NULL },
	{ "ftrace-ns", &export_ftrace_ns, NULL },
	{ "trace.dat", &export_tracedat, NULL },
	{ "schedviz", &export_schedviz, NULL },
	{ "events", &export_events, NULL },
};

static const struct format *chosen;

bool export_take(const char *name)
{
	chosen = NULL;
	for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++)
		if (strcmp(formats[i].name, name) == 0)
			chosen = &formats[i];
	return chosen != NULL;
}

int command_export(FILE *in, const char *file, unsigned only_boot)
{
	if (chosen->runs)
		return chosen->runs(in, file, only_boot);
	return trace_read(in, "export", file, only_boot, chosen->sink);
}
