/* SPDX-License-Identifier: GPL-2.0-or-later
 * The answer of fairlog why, in sentences; the reasons' words are those of base/trace.def. */
#define _GNU_SOURCE /* open_memstream */
#include "tools/fairlog/why.h"

#include "tools/fairlog/page.h"

#include <inttypes.h>
#include <stdlib.h>

static const struct trace *told; /* the trace that names and times are of */
static const struct story *story;

static char *paragraph;
static size_t paragraph_bytes;
static FILE *prose;

/* A time since the run's start. */
static void tell_time(uint64_t ns)
{
	double ms = ((double)ns - (double)told->start_ns) / 1e6;

	fprintf(prose, "%.6f ms", ms);
}

static void tell_task(uint32_t id)
{
	const struct trace_task *task = trace_task_of(told, id);

	if (task && task->is_idle)
		fprintf(prose, "nothing (%s)", task->name);
	else
		fprintf(prose, "%s-%" PRIu32, task ? task->name : "task", id);
}

static bool is_idle(uint32_t id)
{
	const struct trace_task *task = trace_task_of(told, id);

	return task && task->is_idle;
}

static void tell_where(void)
{
	fprintf(prose, "At ");
	tell_time(story->at_ns);
	fprintf(prose, " ");
	tell_task(story->id);
	switch (story->state) {
	case RUNS:
		fprintf(prose, " ran on CPU %u.", story->cpu);
		break;
	case WAITS:
		fprintf(prose, " waited on CPU %u", story->cpu);
		if (story->running[story->cpu]) {
			fprintf(prose, ", where ");
			tell_task(story->running[story->cpu]);
			fprintf(prose, " ran");
		}
		fprintf(prose, ".");
		break;
	case SLEEPS:
		fprintf(prose, " slept.");
		break;
	case HAS_ENDED:
		fprintf(prose, " had ended.");
		break;
	default:
		fprintf(prose, " had not been made.");
	}
}

static void tell_waking(const struct event *e)
{
	uint32_t flags = EVENT_ARG(e, waking, flags);

	fprintf(prose, " It was woken at ");
	tell_time(e->time_ns);
	if (flags & TRACE_FLAG_INTERRUPT) {
		fprintf(prose, " by an interrupt");
	} else {
		fprintf(prose, " by ");
		tell_task(EVENT_ARG(e, waking, waker));
	}
	fprintf(prose, " on CPU %u%s", e->cpu, flags & TRACE_FLAG_SYNC ? ", which was about to sleep (sync)," : "");
	fprintf(prose, " and put on CPU %" PRIu32 ", because %s.", EVENT_ARG(e, waking, cpu),
		trace_word_meaning(EVENT_ARG(e, waking, why)));
}

static void tell_fork(const struct event *e)
{
	fprintf(prose, " It was made at ");
	tell_time(e->time_ns);
	fprintf(prose, " by ");
	tell_task(EVENT_ARG(e, fork, parent));
	fprintf(prose, " on CPU %u and put on CPU %" PRIu32 ", because %s.", e->cpu, EVENT_ARG(e, fork, cpu),
		trace_word_meaning(EVENT_ARG(e, fork, why)));
}

static void tell_origin(void)
{
	if (story->origin.time_ns && story->origin.type == TRACE_fork)
		tell_fork(&story->origin);
	else if (story->origin.time_ns)
		tell_waking(&story->origin);
	else
		fprintf(prose, " Since when it can run is not in the trace.");
}

static void tell_move(void)
{
	const struct event *e = &story->moved;

	if (!e->time_ns)
		return;
	fprintf(prose, " It was moved from CPU %" PRIu32 " to CPU %" PRIu32 " at ", EVENT_ARG(e, migrate, from),
		EVENT_ARG(e, migrate, to));
	tell_time(e->time_ns);
	fprintf(prose, " by %s%s.", trace_word_meaning(EVENT_ARG(e, migrate, cause)),
		story->moves > 1 ? ", not for the first time" : "");
}

/* It has lost the CPU since it was woken or made. */
static void tell_loss(void)
{
	const struct event *e = &story->left;

	if (!e->time_ns || e->time_ns < story->origin.time_ns || (story->state == RUNS && e->time_ns > story->picked.time_ns))
		return;
	if (EVENT_ARG(e, switch, left) != LEFT_preempted && EVENT_ARG(e, switch, left) != LEFT_runs_on)
		return;
	fprintf(prose, " It left CPU %u at ", e->cpu);
	tell_time(e->time_ns);
	fprintf(prose, " to ");
	tell_task(EVENT_ARG(e, switch, next));
	fprintf(prose, ", %s.", trace_word_meaning(EVENT_ARG(e, switch, left)));
}

/* Only where the last wait began with the wakeup. */
static void tell_rule(void)
{
	uint32_t rule = story->queued.time_ns ? EVENT_ARG(&story->queued, wakeup, rule) : RULE_waits;

	if (!story->queued.time_ns || story->left.time_ns > story->queued.time_ns)
		return;
	if (rule == RULE_waits || rule == RULE_pending)
		fprintf(prose, " When it was queued, %s.", trace_word_meaning(rule));
	else if (rule != RULE_idle && rule != RULE_itself)
		fprintf(prose, " It was to run at once, because %s.", trace_word_meaning(rule));
}

static void tell_pick(const struct event *e, uint64_t waited_ns)
{
	fprintf(prose, " It waited %.6f ms", (double)waited_ns / 1e6);
	if (story->behind && story->behind != story->id && !is_idle(story->behind)) {
		fprintf(prose, ", at first behind ");
		tell_task(story->behind);
		fprintf(prose, ",");
	}
	fprintf(prose, " and was picked on CPU %u at ", e->cpu);
	tell_time(e->time_ns);
	fprintf(prose, " %s.", trace_word_meaning(EVENT_ARG(e, switch, why)));
}

static void tell_end_of_run(void)
{
	if (!story->answered)
		return;
	fprintf(prose, " It ran until ");
	tell_time(story->next.time_ns);
	fprintf(prose, " and left %s.", trace_word_meaning(EVENT_ARG(&story->next, switch, left)));
}

static void tell_running(void)
{
	tell_origin();
	tell_move();
	tell_loss();
	tell_rule();
	if (story->picked.time_ns)
		tell_pick(&story->picked, story->waited_ns);
	tell_end_of_run();
}

static void tell_waiting(void)
{
	tell_origin();
	tell_move();
	tell_loss();
	tell_rule();
	if (!story->answered)
		fprintf(prose, " It did not run again while the run was traced.");
	else if (story->since_ns)
		tell_pick(&story->next, story->next.time_ns - story->since_ns);
}

static void tell_sleeping(void)
{
	if (story->left.time_ns) {
		fprintf(prose, " It left CPU %u at ", story->left.cpu);
		tell_time(story->left.time_ns);
		fprintf(prose, " %s.", trace_word_meaning(EVENT_ARG(&story->left, switch, left)));
	}
	if (story->state == SLEEPS && story->origin.time_ns) /* its CPU is to queue it */
		tell_waking(&story->origin);
	else if (story->state == SLEEPS && story->answered)
		tell_waking(&story->next);
	else if (story->state == SLEEPS)
		fprintf(prose, " It was not woken again while the run was traced.");
}

static void tell(void)
{
	tell_where();
	switch (story->state) {
	case RUNS:
		tell_running();
		break;
	case WAITS:
		tell_waiting();
		break;
	case NOT_MADE:
		tell_fork(&story->next);
		break;
	default:
		tell_sleeping();
	}
}

void why_tell(const struct story *of, const struct trace *trace)
{
	story = of;
	told = trace;
	prose = open_memstream(&paragraph, &paragraph_bytes);
	if (prose)
		tell();
	if (!prose || fclose(prose) != 0) {
		fprintf(stderr, "fairlog: out of memory\n");
		exit(2);
	}
	print_wrapped("", paragraph);
	free(paragraph);
}
