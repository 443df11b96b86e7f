/* SPDX-License-Identifier: GPL-2.0-or-later
 * fairlog export events: all that the trace has, reasons included, one line for each event. */
#include "tools/fairlog/export.h"

#include <inttypes.h>

static void begin(void *context, const struct trace *trace)
{
	(void)context;
	printf("# run %" PRIu64 ": %s [%s]; time in ns since its start, CPU, event, arguments\n", trace->position, trace->workload,
		trace->variant);
}

/* Without what separates words here. */
static void print_name(const char *name)
{
	for (; *name != '\0'; name++)
		putchar(*name == ' ' || *name == '=' ? '_' : *name);
}

static void print_arg(const struct trace *trace, const struct event *e, unsigned arg)
{
	const struct trace_task *task;

	printf(" %s=", trace_arg_name(e->type, arg));
	switch (trace_arg_kind(e->type, arg)) {
	case TASK:
		task = trace_task_of(trace, e->arg[arg]);
		print_name(task ? task->name : "task");
		printf("-%" PRIu32, e->arg[arg]);
		break;
	case WORD_OF_LIST:
		printf("%s", trace_word_name(e->arg[arg]));
		break;
	case CPU:
		printf(e->arg[arg] == TRACE_NO_CPU ? "none" : "%" PRIu32, e->arg[arg]);
		break;
	default:
		printf("%" PRIu32, e->arg[arg]);
	}
}

static void print_event(void *context, const struct trace *trace, const struct event *e)
{
	(void)context;
	printf("%" PRId64 " %u %s", (int64_t)(e->time_ns - trace->start_ns), e->cpu, trace_event_name(e->type));
	for (unsigned i = 0; i < trace_args(e->type); i++)
		print_arg(trace, e, i);
	putchar('\n');
}

static void end(void *context, const struct trace *trace)
{
	(void)context;
	if (trace->lost)
		printf("# %" PRIu64 " older events were lost\n", trace->lost);
}

const struct trace_sink export_events = { NULL, begin, print_event, end };
