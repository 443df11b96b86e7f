/* SPDX-License-Identifier: GPL-2.0-or-later
 * What events, words and tasks of the decision trace are called. */
#include "tools/fairlog/trace.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

static const char *const event_name[] = {
#define EVENT(event, meaning) #event,
#define ARG(event, arg, kind, meaning)
#define WORD(list, word, meaning)
#include "base/trace.def"
#undef EVENT
#undef ARG
#undef WORD
};

static const struct {
	const char *name;
	enum trace_event event;
	enum arg_kind kind;
} args[] = {
#define KIND_TASK   TASK
#define KIND_CPU    CPU
#define KIND_NUMBER NUMBER
#define KIND_FLAGS  FLAGS
#define KIND_WORD   WORD_OF_LIST
#define EVENT(event, meaning)
#define ARG(event, arg, kind, meaning) { #arg, TRACE_##event, KIND_##kind },
#define WORD(list, word, meaning)
#include "base/trace.def"
#undef EVENT
#undef ARG
#undef WORD
};

static const struct {
	const char *name, *meaning;
} words[] = {
#define EVENT(event, meaning)
#define ARG(event, arg, kind, meaning)
#define WORD(list, word, meaning) { #word, meaning },
#include "base/trace.def"
#undef EVENT
#undef ARG
#undef WORD
};

enum { ARGS = sizeof args / sizeof args[0] };

uint32_t trace_list(void)
{
	return (uint32_t)crc32(0, (const Bytef *)trace_names, sizeof trace_names - 1);
}

const char *trace_event_name(enum trace_event type)
{
	return event_name[type];
}

static unsigned first_arg(enum trace_event type)
{
	unsigned i = 0;

	while (args[i].event != type)
		i++;
	return i;
}

unsigned trace_args(enum trace_event type)
{
	unsigned first = first_arg(type), n = 0;

	while (first + n < ARGS && args[first + n].event == type)
		n++;
	return n;
}

const char *trace_arg_name(enum trace_event type, unsigned arg)
{
	return args[first_arg(type) + arg].name;
}

enum arg_kind trace_arg_kind(enum trace_event type, unsigned arg)
{
	return args[first_arg(type) + arg].kind;
}

const char *trace_word_name(unsigned word)
{
	return words[word].name;
}

const char *trace_word_meaning(unsigned word)
{
	return words[word].meaning;
}

/* ---- tasks ---- */

static int compare_id(const void *key, const void *member)
{
	uint32_t id = *(const uint32_t *)key, other = ((const struct trace_task *)member)->id;

	return (id > other) - (id < other);
}

const struct trace_task *trace_task_of(const struct trace *trace, uint32_t id)
{
	return trace->tasks ? bsearch(&id, trace->task, trace->tasks, sizeof *trace->task, compare_id) : NULL;
}

uint32_t trace_pid(const struct trace *trace, uint32_t id)
{
	const struct trace_task *task = trace_task_of(trace, id);

	return task && task->is_idle ? 0 : id;
}

unsigned trace_priority(const struct trace *trace, uint32_t id)
{
	const struct trace_task *task = trace_task_of(trace, id);

	return task ? task->priority : PRIORITY_NORMAL;
}

void trace_comm(const struct trace *trace, uint32_t id, unsigned cpu, char comm[COMM_BYTES])
{
	const struct trace_task *task = trace_task_of(trace, id);

	if (!task)
		snprintf(comm, COMM_BYTES, "<...>");
	else if (task->is_idle)
		snprintf(comm, COMM_BYTES, "swapper/%u", cpu);
	else
		snprintf(comm, COMM_BYTES, "%.15s", task->name);
	for (char *c = comm; *c != '\0'; c++)
		if (*c <= ' ' || *c > '~' || strchr("=:\"\\", *c))
			*c = '_';
}
