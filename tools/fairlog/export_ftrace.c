/* SPDX-License-Identifier: GPL-2.0-or-later
 * fairlog export ftrace: the text of Linux's trace file, for Perfetto and whatever else reads it (workloads.md 5.4, 5.5). Events
 * that Linux has not, and reasons, are left out. ftrace-ns: with all digits of the time. */
#include "tools/fairlog/export.h"

#include "tools/fairlog/allocate.h"

#include <inttypes.h>
#include <string.h>

/* Who runs on each CPU, as far as events have told. */
static struct {
	uint32_t id;
	bool known;
} * running;

static void begin(void *context, const struct trace *trace)
{
	(void)context;
	running = allocate(NULL, trace->cpus * sizeof *running);
	memset(running, 0, trace->cpus * sizeof *running);
	printf("# tracer: nop\n"
	       "#\n"
	       "# entries-in-buffer/entries-written: %" PRIu64 "/%" PRIu64 "   #P:%u\n"
	       "#\n"
	       "#           TASK-PID       CPU#  FLGS  TIMESTAMP  FUNCTION\n",
		trace->kept, trace->kept + trace->lost, trace->cpus);
}

static void end(void *context, const struct trace *trace)
{
	(void)context, (void)trace;
	free(running);
	running = NULL;
}

static void set_running(const struct event *e, uint32_t id)
{
	running[e->cpu].id = id;
	running[e->cpu].known = true;
}

/* The event itself may tell who runs there. */
static void learn(const struct event *e)
{
	switch (e->type) {
	case TRACE_switch:
	case TRACE_waking:
	case TRACE_fork:
	case TRACE_exec:
	case TRACE_exit:
		set_running(e, e->arg[0]);
		break;
	default:
		break;
	}
}

static void print_context(const struct trace *trace, const struct event *e)
{
	char comm[COMM_BYTES] = "<...>";
	uint32_t pid = 0;

	if (running[e->cpu].known) {
		pid = trace_pid(trace, running[e->cpu].id);
		if (pid)
			trace_comm(trace, running[e->cpu].id, e->cpu, comm);
		else
			snprintf(comm, sizeof comm, "<idle>");
	}
	printf("%16s-%-7" PRIu32 " [%03u] ", comm, pid, e->cpu);
}

static void print_time(const struct event *e, bool in_ns)
{
	bool interrupt = e->type == TRACE_waking && EVENT_ARG(e, waking, flags) & TRACE_FLAG_INTERRUPT;

	printf("%s %5" PRIu64, interrupt ? "d.h." : "d...", e->time_ns / 1000000000);
	if (in_ns)
		printf(".%09" PRIu64 ": ", e->time_ns % 1000000000);
	else
		printf(".%06" PRIu64 ": ", e->time_ns % 1000000000 / 1000);
}

static const char *state_of(uint32_t left)
{
	switch (left) {
	case LEFT_sleeps:
		return "S";
	case LEFT_dead:
		return "X";
	case LEFT_preempted:
		return "R+";
	default:
		return "R";
	}
}

/* "comm=... pid=..." with a prefix and a suffix. */
static void print_task(const struct trace *trace, uint32_t id, unsigned cpu, const char *prefix)
{
	char comm[COMM_BYTES];

	trace_comm(trace, id, cpu, comm);
	printf("%scomm=%s %spid=%" PRIu32, prefix, comm, prefix, trace_pid(trace, id));
}

static void print_task_prio(const struct trace *trace, uint32_t id, unsigned cpu, const char *prefix)
{
	print_task(trace, id, cpu, prefix);
	printf(" %sprio=%u", prefix, trace_priority(trace, id));
}

static void print_switch(const struct trace *trace, const struct event *e)
{
	printf("sched_switch: ");
	print_task_prio(trace, EVENT_ARG(e, switch, prev), e->cpu, "prev_");
	printf(" prev_state=%s ==> ", state_of(EVENT_ARG(e, switch, left)));
	print_task_prio(trace, EVENT_ARG(e, switch, next), e->cpu, "next_");
	putchar('\n');
}

static void print_wakeup(const struct trace *trace, const char *name, uint32_t id, uint32_t cpu)
{
	printf("%s: ", name);
	print_task_prio(trace, id, cpu, "");
	printf(" target_cpu=%03" PRIu32 "\n", cpu);
}

static void print_migrate(const struct trace *trace, const struct event *e)
{
	printf("sched_migrate_task: ");
	print_task_prio(trace, EVENT_ARG(e, migrate, task), e->cpu, "");
	printf(" orig_cpu=%" PRIu32 " dest_cpu=%" PRIu32 "\n", EVENT_ARG(e, migrate, from), EVENT_ARG(e, migrate, to));
}

static void print_fork(const struct trace *trace, const struct event *e)
{
	printf("sched_process_fork: ");
	print_task(trace, EVENT_ARG(e, fork, parent), e->cpu, "");
	putchar(' ');
	print_task(trace, EVENT_ARG(e, fork, child), e->cpu, "child_");
	putchar('\n');
}

static void print_exec(const struct trace *trace, const struct event *e)
{
	char comm[COMM_BYTES];
	uint32_t id = EVENT_ARG(e, exec, task);

	trace_comm(trace, id, e->cpu, comm);
	printf("sched_process_exec: filename=%s pid=%" PRIu32 " old_pid=%" PRIu32 "\n", comm, id, id);
}

static void print_exit(const struct trace *trace, const struct event *e)
{
	printf("sched_process_exit: ");
	print_task_prio(trace, EVENT_ARG(e, exit, task), e->cpu, "");
	putchar('\n');
}

static void print_payload(const struct trace *trace, const struct event *e)
{
	switch (e->type) {
	case TRACE_switch:
		print_switch(trace, e);
		break;
	case TRACE_waking:
		print_wakeup(trace, "sched_waking", EVENT_ARG(e, waking, task), EVENT_ARG(e, waking, cpu));
		break;
	case TRACE_wakeup:
		print_wakeup(trace, "sched_wakeup", EVENT_ARG(e, wakeup, task), EVENT_ARG(e, wakeup, cpu));
		break;
	case TRACE_wakeup_new:
		print_wakeup(trace, "sched_wakeup_new", EVENT_ARG(e, wakeup_new, task), EVENT_ARG(e, wakeup_new, cpu));
		break;
	case TRACE_migrate:
		print_migrate(trace, e);
		break;
	case TRACE_fork:
		print_fork(trace, e);
		break;
	case TRACE_exec:
		print_exec(trace, e);
		break;
	default:
		print_exit(trace, e);
	}
}

static void print_event(const struct trace *trace, const struct event *e, bool in_ns)
{
	if (e->type == TRACE_balance || e->type == TRACE_newidle)
		return;
	learn(e);
	print_context(trace, e);
	print_time(e, in_ns);
	print_payload(trace, e);
	if (e->type == TRACE_switch)
		set_running(e, EVENT_ARG(e, switch, next));
}

static void print_in_us(void *context, const struct trace *trace, const struct event *e)
{
	(void)context;
	print_event(trace, e, false);
}

static void print_in_ns(void *context, const struct trace *trace, const struct event *e)
{
	(void)context;
	print_event(trace, e, true);
}

const struct trace_sink export_ftrace = { NULL, begin, print_in_us, end };
const struct trace_sink export_ftrace_ns = { NULL, begin, print_in_ns, end };
