/* SPDX-License-Identifier: GPL-2.0-or-later
 * fairlog export schedviz: the .tar.gz that SchedViz takes, with the trace as text of its eBPF kind (workloads.md 5.6).
 *
 * An archive says how long a file is before it begins: the text is collected in a temporary file.
 */
#include "tools/fairlog/export.h"

#include "tools/fairlog/allocate.h"
#include "tools/fairlog/archive.h"
#include "tools/fairlog/record.h"
#include "tools/fairlog/schema.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

static FILE *text;
static uint64_t start_ns;
static uint32_t *cpu_of; /* of each named task, where it was seen last, + 1; 0: not yet */

/* ---- the rows: hexadecimal numbers, times since the first row ---- */

static void put_time(char row, const struct event *e)
{
	fprintf(text, "%c:%" PRIx64, row, e->time_ns - start_ns);
}

/* A task that is seen elsewhere must have been moved, or SchedViz drops it: where the event was lost it is made up. */
static void put_place(const struct trace *trace, const struct event *e, uint32_t id, uint32_t cpu)
{
	const struct trace_task *task = trace_task_of(trace, id);
	uint32_t *seen;

	if (!task || task->is_idle)
		return;
	seen = &cpu_of[task - trace->task];
	if (*seen && *seen != cpu + 1) {
		put_time('M', e);
		fprintf(text, ":%x:%x:%x:%x\n", e->cpu, *seen - 1, cpu, id);
	}
	*seen = cpu + 1;
}

static void put_switch(const struct trace *trace, const struct event *e)
{
	static const unsigned state[] = { [LEFT_sleeps] = 0x1, [LEFT_dead] = 0x10, [LEFT_runs_on] = 0, [LEFT_preempted] = 0x100 };
	uint32_t left = EVENT_ARG(e, switch, left);

	put_place(trace, e, EVENT_ARG(e, switch, prev), e->cpu);
	put_place(trace, e, EVENT_ARG(e, switch, next), e->cpu);
	put_time('S', e);
	fprintf(text, ":%x:%x:%x:%x\n", e->cpu, trace_pid(trace, EVENT_ARG(e, switch, prev)),
		left <= LEFT_preempted ? state[left] : 0, trace_pid(trace, EVENT_ARG(e, switch, next)));
}

static void put_migration(const struct trace *trace, const struct event *e)
{
	uint32_t id = EVENT_ARG(e, migrate, task);

	put_place(trace, e, id, EVENT_ARG(e, migrate, from));
	if (trace_task_of(trace, id))
		cpu_of[trace_task_of(trace, id) - trace->task] = EVENT_ARG(e, migrate, to) + 1;
	put_time('M', e);
	fprintf(text, ":%x:%x:%x:%x\n", e->cpu, EVENT_ARG(e, migrate, from), EVENT_ARG(e, migrate, to), id);
}

static void put_wakeup(const struct trace *trace, const struct event *e, uint32_t id, uint32_t cpu)
{
	put_place(trace, e, id, cpu);
	put_time('W', e);
	fprintf(text, ":%x:%x:%x\n", e->cpu, cpu, id);
}

static void take_event(void *context, const struct trace *trace, const struct event *e)
{
	(void)context;
	if (!start_ns) {
		start_ns = e->time_ns;
		fprintf(text, "ST:0:%" PRIx64 "\nP:0:0:%x:swapper\n", start_ns, PRIORITY_NORMAL);
		for (size_t i = 0; i < trace->tasks; i++) {
			char comm[COMM_BYTES];

			trace_comm(trace, trace->task[i].id, 0, comm);
			if (!trace->task[i].is_idle)
				fprintf(text, "P:0:%x:%x:%s\n", trace->task[i].id, trace->task[i].priority, comm);
		}
	}
	if (e->type == TRACE_switch)
		put_switch(trace, e);
	else if (e->type == TRACE_migrate)
		put_migration(trace, e);
	else if (e->type == TRACE_wakeup)
		put_wakeup(trace, e, EVENT_ARG(e, wakeup, task), EVENT_ARG(e, wakeup, cpu));
	else if (e->type == TRACE_wakeup_new)
		put_wakeup(trace, e, EVENT_ARG(e, wakeup_new, task), EVENT_ARG(e, wakeup_new, cpu));
}

/* ---- the topology, as sysfs has it ---- */

static uint64_t place_of(const json_t *machine, enum record_field field, unsigned cpu)
{
	return record_integer(json_array_get(record_get(machine, field), cpu));
}

/* "0,2,4": the CPUs that have the same number in that field. */
static char *list_equals(const struct trace *trace, enum record_field field, unsigned cpu)
{
	char *list = allocate(NULL, 6 * (size_t)trace->cpus + 1), *at = list;

	for (unsigned other = 0; other < trace->cpus; other++)
		if (place_of(trace->machine, field, other) == place_of(trace->machine, field, cpu))
			at += sprintf(at, "%s%u", at == list ? "" : ",", other);
	return list;
}

static void put_topology_of(const struct trace *trace, unsigned cpu)
{
	uint64_t node = place_of(trace->machine, FIELD_machine_cpu_node, cpu);
	char *package = list_equals(trace, FIELD_machine_cpu_package, cpu), *core = list_equals(trace, FIELD_machine_cpu_core, cpu);
	char folder[80], name[128];

	snprintf(folder, sizeof folder, "topology/node%" PRIu64 "/cpu%u/topology", node, cpu);
	snprintf(name, sizeof name, "%s/core_id", folder);
	archive_put(name, "%" PRIu64 "\n", place_of(trace->machine, FIELD_machine_cpu_core, cpu));
	snprintf(name, sizeof name, "%s/physical_package_id", folder);
	archive_put(name, "%" PRIu64 "\n", place_of(trace->machine, FIELD_machine_cpu_package, cpu));
	snprintf(name, sizeof name, "%s/core_siblings_list", folder);
	archive_put(name, "%s\n", package);
	snprintf(name, sizeof name, "%s/thread_siblings_list", folder);
	archive_put(name, "%s\n", core);
	free(package);
	free(core);
}

static bool has_topology(const struct trace *trace)
{
	static const enum record_field fields[] = { FIELD_machine_cpu_node, FIELD_machine_cpu_package, FIELD_machine_cpu_core };

	for (size_t i = 0; trace->machine && i < sizeof fields / sizeof fields[0]; i++)
		if (json_array_size(record_get(trace->machine, fields[i])) != trace->cpus)
			return false;
	return trace->machine != NULL;
}

/* ---- all of it ---- */

static void begin(void *context, const struct trace *trace)
{
	(void)context;
	start_ns = 0;
	cpu_of = allocate(NULL, trace->tasks * sizeof *cpu_of);
	memset(cpu_of, 0, trace->tasks * sizeof *cpu_of);
	text = tmpfile();
	if (!text) {
		fprintf(stderr, "fairlog export: cannot make a temporary file: %s\n", strerror(errno));
		exit(2);
	}
}

static void end(void *context, const struct trace *trace)
{
	(void)context;
	archive_begin();
	archive_put("metadata.textproto", "trace_type: EBPF\n");
	archive_put_stream("ebpf_trace", text);
	for (unsigned cpu = 0; has_topology(trace) && cpu < trace->cpus; cpu++)
		put_topology_of(trace, cpu);
	archive_end();
	fclose(text);
	free(cpu_of);
}

const struct trace_sink export_schedviz = { NULL, begin, take_event, end };
