/* SPDX-License-Identifier: GPL-2.0-or-later
 * The decision trace of a run goes into the log: what there is of it, who its tasks are, and the events of all CPUs in chunks. */
#include "lab/lab.h"

#include "base/mem.h"
#include "base/record.h"
#include "base/text.h"
#include "base/trace.h"

enum {
	CHUNK_NUMBERS = 1400, /* of 20 digits and a comma they are less than a record may have */
	CHUNK_TASKS = 400,
	PRIORITY_IDLE = 256,
};

/* Before the first run. 0, or -E_NOMEM with one line in error. */
int trace_prepare(char error[TRACE_ERROR_BYTES])
{
	u32 events = (u32)param.trace_events;

	if (param.trace == TRACE_OFF || !sched_trace_reserve(events))
		return 0;
	text_format(error, TRACE_ERROR_BYTES,
		"trace=on: no memory for %u events of each of %u CPUs: expected %llu KiB, of which %llu are free; try a smaller trace_events=",
		events, machine_nr_cpus(), (unsigned long long)(sched_trace_bytes(events) >> 10),
		(unsigned long long)(mem_free_bytes() >> 10));
	return -E_NOMEM;
}

/* ---- what there is ---- */

static void report_extent(u64 position, u64 unnamed)
{
	static u64 kept[MAX_CPUS], lost[MAX_CPUS];
	unsigned nr = machine_nr_cpus();
	u64 all_kept = 0, all_lost = 0;

	for (unsigned cpu = 0; cpu < nr; cpu++) {
		kept[cpu] = sched_trace_events(cpu, &lost[cpu]);
		all_kept += kept[cpu];
		all_lost += lost[cpu];
	}
	say("Trace: %llu events", (unsigned long long)all_kept);
	if (all_lost)
		say("; %llu older ones lost, see trace_events=", (unsigned long long)all_lost);
	say("\n");
	record_begin(RECORD_traced);
	record_uint(FIELD_traced_position, position);
	record_uint(FIELD_traced_list, crc32(trace_names, sizeof(trace_names) - 1));
	record_uints(FIELD_traced_events, kept, nr);
	record_uints(FIELD_traced_lost, lost, nr);
	record_uint(FIELD_traced_unnamed, unnamed);
	record_end();
}

static void report_tasks(u64 position, const struct traced_task *t, unsigned n)
{
	static u64 id[CHUNK_TASKS], priority[CHUNK_TASKS];
	static const char *name[CHUNK_TASKS];

	for (unsigned i = 0; i < n; i++) {
		id[i] = t[i].id;
		priority[i] = t[i].idle ? PRIORITY_IDLE : t[i].priority;
		name[i] = t[i].name;
	}
	record_begin(RECORD_trace_tasks);
	record_uint(FIELD_trace_tasks_position, position);
	record_uints(FIELD_trace_tasks_ids, id, n);
	record_strs(FIELD_trace_tasks_names, name, n);
	record_uints(FIELD_trace_tasks_priorities, priority, n);
	record_end();
}

/* ---- the events ---- */

/* How far the events of each CPU have been written. */
static u64 done[MAX_CPUS];

static bool is_done(unsigned cpu)
{
	u64 lost;

	return done[cpu] == sched_trace_events(cpu, &lost);
}

/* The CPU whose next event is the earliest of all; MAX_CPUS: there are no more. So who reads chunk by chunk knows that none of the
 * later ones has anything from before a chunk begins. */
static unsigned earliest_cpu(void)
{
	unsigned earliest = MAX_CPUS;
	u64 least = ~0ull;

	for (unsigned cpu = 0; cpu < machine_nr_cpus(); cpu++) {
		u64 time, number[TRACE_NUMBERS];

		if (is_done(cpu))
			continue;
		sched_trace_event(cpu, done[cpu], &time, number);
		if (time < least) {
			least = time;
			earliest = cpu;
		}
	}
	return earliest;
}

static void report_chunk(u64 position, unsigned cpu)
{
	static u64 number[CHUNK_NUMBERS];
	u64 event[TRACE_NUMBERS], time, first = 0, last = 0;
	unsigned n = 0;

	for (; !is_done(cpu) && n + 1 + TRACE_NUMBERS <= CHUNK_NUMBERS; done[cpu]++) {
		unsigned nr = sched_trace_event(cpu, done[cpu], &time, event);

		if (!n)
			first = last = time;
		number[n++] = event[0];
		number[n++] = time - last;
		memcpy(&number[n], &event[1], (nr - 1) * sizeof(u64));
		n += nr - 1;
		last = time;
	}
	record_begin(RECORD_trace);
	record_uint(FIELD_trace_position, position);
	record_uint(FIELD_trace_cpu, cpu);
	record_uint(FIELD_trace_first_ns, first);
	record_uints(FIELD_trace_events, number, n);
	record_end();
}

void report_trace(u64 position)
{
	const struct traced_task *task;
	unsigned nr, cpu;
	u64 unnamed;

	if (param.trace == TRACE_OFF)
		return;
	nr = sched_trace_tasks(&task, &unnamed);
	report_extent(position, unnamed);
	for (unsigned i = 0; i < nr; i += CHUNK_TASKS)
		report_tasks(position, task + i, (unsigned)min_u64(nr - i, CHUNK_TASKS));
	memset(done, 0, sizeof(done));
	while ((cpu = earliest_cpu()) != MAX_CPUS)
		report_chunk(position, cpu);
	sched_trace_forget();
}
