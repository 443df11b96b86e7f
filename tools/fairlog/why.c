/* SPDX-License-Identifier: GPL-2.0-or-later
 * fairlog why: why a task was where it was at an instant of a run.
 *
 * The trace goes by once. Up to the instant what is needed of the task's past is noted: how it became runnable, moves since, where
 * it waits or runs. Behind the instant its next change completes the answer, or makes it where the past knows nothing.
 */
#include "tools/fairlog/commands.h"
#include "tools/fairlog/why.h"

#include "tools/fairlog/allocate.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* ---- the question ---- */

static struct {
	char name[32];
	uint64_t time_ns; /* since the run's start */
	const char *file;
	bool failed; /* it cannot be answered, and has been said why */
} question;

/* "1.25", "1250us": ms if nothing is said. */
static bool read_time(const char *text, uint64_t *ns)
{
	static const struct {
		const char *name;
		double ns;
	} units[] = { { "", 1e6 }, { "ms", 1e6 }, { "us", 1e3 }, { "ns", 1 }, { "s", 1e9 } };
	char *end;
	double value;

	if (*text < '0' || *text > '9' || text[1] == 'x')
		return false;
	value = strtod(text, &end);
	for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
		if (strcmp(end, units[i].name) != 0 || value * units[i].ns > 9e18)
			continue;
		*ns = (uint64_t)(value * units[i].ns + 0.5);
		return true;
	}
	return false;
}

bool why_take(const char *words)
{
	const char *at = strrchr(words, '@');
	size_t length = at ? (size_t)(at - words) : 0;

	if (length == 0 || length >= sizeof question.name || !read_time(at + 1, &question.time_ns))
		return false;
	memcpy(question.name, words, length);
	question.name[length] = '\0';
	return true;
}

static struct story story;

static void fail(const char *format, ...) __attribute__((format(printf, 1, 2)));
static void fail(const char *format, ...)
{
	va_list args;

	fprintf(stderr, "fairlog why: %s: ", question.file);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
	question.failed = true;
}

/* ---- finding it ---- */

static void find_by_name(const struct trace *trace)
{
	size_t found = 0;

	for (size_t i = 0; i < trace->tasks; i++) {
		if (strcmp(trace->task[i].name, question.name) != 0)
			continue;
		story.id = trace->task[i].id;
		found++;
	}
	if (found == 0)
		fail("no task of the traced run is called %s; expected a name or number, see fairlog export events", question.name);
	if (found > 1)
		fail("%zu tasks are called %s; expected the number of one, such as %" PRIu32, found, question.name, story.id);
}

static void find_task(const struct trace *trace)
{
	char *end;
	unsigned long id = strtoul(question.name, &end, 10);

	if (*end != '\0' || *question.name < '0' || *question.name > '9') {
		find_by_name(trace);
		return;
	}
	story.id = (uint32_t)id;
	if (!trace_task_of(trace, story.id))
		fail("no task of the traced run has the number %s", question.name);
}

static void begin(void *context, const struct trace *trace)
{
	(void)context;
	story.running = allocate(NULL, trace->cpus * sizeof *story.running);
	memset(story.running, 0, trace->cpus * sizeof *story.running);
	story.at_ns = trace->start_ns + question.time_ns;
	if (question.time_ns > trace->elapsed_ns)
		fail("%.6f ms is not in run %" PRIu64 "; expected 0 to %.6f ms", (double)question.time_ns / 1e6, trace->position,
			(double)trace->elapsed_ns / 1e6);
	else
		find_task(trace);
}

/* ---- the story ---- */

static void enter(enum task_state state, const struct event *e)
{
	story.state = state;
	story.since_ns = e->time_ns;
}

static void begin_wait(const struct event *e, unsigned cpu, uint32_t behind)
{
	enter(WAITS, e);
	story.cpu = cpu;
	story.behind = behind;
}

static void forget_origin(void)
{
	story.origin.time_ns = story.queued.time_ns = story.moved.time_ns = 0;
	story.moves = 0;
}

static void take_switch_from(const struct event *e)
{
	story.left = *e;
	switch (EVENT_ARG(e, switch, left)) {
	case LEFT_sleeps:
		enter(SLEEPS, e);
		forget_origin();
		break;
	case LEFT_dead:
		enter(HAS_ENDED, e);
		break;
	default:
		begin_wait(e, e->cpu, EVENT_ARG(e, switch, next));
	}
	story.cpu = e->cpu;
}

static void take_switch_to(const struct event *e)
{
	story.waited_ns = story.state == WAITS ? e->time_ns - story.since_ns : 0;
	story.picked = *e;
	enter(RUNS, e);
	story.cpu = e->cpu;
}

static bool is_sleeping(void)
{
	return story.state != RUNS && story.state != WAITS;
}

/* One that had not left its CPU goes on where it is. */
static void take_wakeup(const struct event *e, unsigned cpu)
{
	story.queued = *e;
	if (story.state == RUNS)
		return;
	begin_wait(e, cpu, story.running[cpu]);
}

static void take_origin(const struct event *e)
{
	if (!is_sleeping())
		return;
	forget_origin();
	story.origin = *e;
}

static void take_move(const struct event *e)
{
	if (EVENT_ARG(e, migrate, cause) == MIGRATE_wakeup || EVENT_ARG(e, migrate, cause) == MIGRATE_fork)
		return; /* which tells of it already */
	story.moved = *e;
	story.moves++;
	story.cpu = EVENT_ARG(e, migrate, to);
}

/* Of the argument by which an event concerns the task; what it does to it. */
static bool concerns(const struct event *e)
{
	switch (e->type) {
	case TRACE_switch:
		return EVENT_ARG(e, switch, prev) == story.id || EVENT_ARG(e, switch, next) == story.id;
	case TRACE_waking:
		return EVENT_ARG(e, waking, task) == story.id;
	case TRACE_fork:
		return EVENT_ARG(e, fork, child) == story.id;
	case TRACE_wakeup:
	case TRACE_wakeup_new:
	case TRACE_migrate:
		return e->arg[0] == story.id;
	default:
		return false;
	}
}

static void take_change(const struct event *e)
{
	switch (e->type) {
	case TRACE_switch:
		if (EVENT_ARG(e, switch, prev) == story.id)
			take_switch_from(e);
		else
			take_switch_to(e);
		break;
	case TRACE_waking:
	case TRACE_fork:
		take_origin(e);
		break;
	case TRACE_wakeup:
		take_wakeup(e, EVENT_ARG(e, wakeup, cpu));
		break;
	case TRACE_wakeup_new:
		take_wakeup(e, EVENT_ARG(e, wakeup_new, cpu));
		break;
	default:
		take_move(e);
	}
}

/* What it must have been doing before its first event. */
static void conclude(const struct event *e)
{
	if (e->type == TRACE_fork)
		story.state = NOT_MADE;
	else if (e->type == TRACE_waking)
		story.state = SLEEPS;
	else if (e->type == TRACE_switch && EVENT_ARG(e, switch, prev) == story.id)
		story.state = RUNS;
	else
		story.state = WAITS;
	story.cpu = e->type == TRACE_migrate ? EVENT_ARG(e, migrate, from) : e->cpu;
}

/* Does this end the state it was in at the instant? */
static bool ends_state(const struct event *e)
{
	if (story.state == UNKNOWN)
		return true;
	if (story.state == WAITS || story.state == RUNS)
		return e->type == TRACE_switch;
	return e->type == TRACE_waking || e->type == TRACE_fork;
}

static void take_later(const struct event *e)
{
	if (story.answered || !concerns(e) || !ends_state(e))
		return;
	if (story.state == UNKNOWN)
		conclude(e);
	story.next = *e;
	story.answered = true;
}

/* Others than switches tell too who does what there. */
static void learn_running(const struct event *e)
{
	if (e->type == TRACE_switch)
		story.running[e->cpu] = EVENT_ARG(e, switch, next);
	else if (e->type == TRACE_waking || e->type == TRACE_fork || e->type == TRACE_exec || e->type == TRACE_exit)
		story.running[e->cpu] = e->arg[0];
}

static void take_event(void *context, const struct trace *trace, const struct event *e)
{
	(void)context, (void)trace;
	if (!story.first_ns)
		story.first_ns = e->time_ns;
	if (!story.id)
		return;
	if (e->time_ns > story.at_ns) {
		take_later(e);
		return;
	}
	if (concerns(e))
		take_change(e);
	learn_running(e);
}

static void end(void *context, const struct trace *trace)
{
	(void)context;
	if (question.failed)
		return;
	if (trace->lost && story.at_ns < story.first_ns)
		fail("the trace begins at %.6f ms, %" PRIu64
		     " older events were lost; expected a later instant, or a run with more trace_events=",
			((double)story.first_ns - (double)trace->start_ns) / 1e6, trace->lost);
	else if (story.state == UNKNOWN)
		fail("the trace has no event of task %s", question.name);
	else
		why_tell(&story, trace);
}

int command_why(FILE *in, const char *file, unsigned only_boot)
{
	static const struct trace_sink sink = { NULL, begin, take_event, end };
	int code;

	question.file = file;
	question.failed = false;
	story = (struct story){ .id = 0 };
	code = trace_read(in, "why", file, only_boot, &sink);
	free(story.running);
	return question.failed ? EXIT_UNREADABLE : code;
}
