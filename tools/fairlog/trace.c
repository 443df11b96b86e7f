/* SPDX-License-Identifier: GPL-2.0-or-later
 * Reads the decision trace of one run out of a log.
 *
 * The kernel writes each CPU's events in chunks, and the chunks of all CPUs in the order of their first events. So when a chunk
 * comes, everything before its first event is known, and can go on in the order of time: what is held back is a chunk or two of
 * each CPU, however long the trace.
 */
#define _GNU_SOURCE /* strdup */
#include "tools/fairlog/trace.h"

#include "tools/fairlog/allocate.h"
#include "tools/fairlog/commands.h"
#include "tools/fairlog/log.h"
#include "tools/fairlog/record.h"
#include "tools/fairlog/schema.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

/* Of which the next event is known. */
struct chunk {
	struct event next;
	uint64_t order;	  /* in the log */
	uint64_t *number; /* those behind that event */
	size_t numbers, read;
};

struct reading {
	const char *command, *file;
	unsigned only_boot;
	const struct trace_sink *sink;
	struct trace trace;

	enum { LOOKING, CHOSEN, BEGUN, ENDED } state; /* the run is found, its first event has come, all have */
	uint64_t events;			      /* that have gone on */
	uint64_t traced_runs;			      /* in this boot */
	uint64_t flushed_ns;			      /* everything before has gone on */
	uint64_t problems;
	struct chunk *heap; /* by the time of the next event */
	size_t chunks, room;
	uint64_t order;
	char verdict[VERDICT_BYTES];
	bool is_whole, boot_seen;
};

static struct {
	bool given;
	uint64_t position;
} wanted_run;

void trace_choose_run(uint64_t position)
{
	wanted_run.given = true;
	wanted_run.position = position;
}

static __attribute__((format(printf, 2, 3))) void complain(struct reading *r, const char *format, ...)
{
	va_list args;

	r->problems++;
	if (r->problems > 10)
		return;
	fprintf(stderr, "fairlog %s: %s: ", r->command, r->file);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
}

/* ---- one event ---- */

static bool is_word(uint64_t number)
{
	return number < NR_TRACE_WORDS;
}

/* The chunk's next event. False: there is none, or it is not as the list says. */
static bool advance(struct reading *r, struct chunk *c)
{
	struct event *e = &c->next;
	const uint64_t *n = c->number + c->read;
	unsigned args;

	if (c->read == c->numbers)
		return false;
	if (c->numbers - c->read < 2 || n[0] >= NR_TRACE_EVENTS || c->numbers - c->read < 2 + (args = trace_args(n[0]))) {
		complain(r,
			"trace of CPU %u: number %zu of a record is not an event as base/trace.def has it; its rest is not used",
			e->cpu, c->read);
		return false;
	}
	e->type = n[0];
	e->time_ns += n[1];
	for (unsigned i = 0; i < args; i++) {
		bool fits = trace_arg_kind(e->type, i) == WORD_OF_LIST ? is_word(n[2 + i]) : n[2 + i] <= UINT32_MAX;

		if (!fits) {
			complain(r, "trace of CPU %u: %s of an event %s is %" PRIu64 ", which it cannot be; the rest is not used",
				e->cpu, trace_arg_name(e->type, i), trace_event_name(e->type), n[2 + i]);
			return false;
		}
		e->arg[i] = (uint32_t)n[2 + i];
	}
	c->read += 2 + args;
	return true;
}

/* ---- all CPUs' events in the order of time: a heap of chunks ---- */

static bool is_before(const struct chunk *a, const struct chunk *b)
{
	if (a->next.time_ns != b->next.time_ns)
		return a->next.time_ns < b->next.time_ns;
	if (a->next.cpu != b->next.cpu)
		return a->next.cpu < b->next.cpu;
	return a->order < b->order;
}

static void swap(struct chunk *a, struct chunk *b)
{
	struct chunk t = *a;

	*a = *b;
	*b = t;
}

static void sift_up(struct chunk *heap, size_t i)
{
	for (; i > 0 && is_before(&heap[i], &heap[(i - 1) / 2]); i = (i - 1) / 2)
		swap(&heap[i], &heap[(i - 1) / 2]);
}

static void sift_down(struct chunk *heap, size_t count)
{
	for (size_t i = 0, least; 2 * i + 1 < count; i = least) {
		least = 2 * i + 1;
		if (least + 1 < count && is_before(&heap[least + 1], &heap[least]))
			least++;
		if (is_before(&heap[i], &heap[least]))
			return;
		swap(&heap[i], &heap[least]);
	}
}

static void push_chunk(struct reading *r, struct chunk chunk)
{
	if (r->chunks == r->room) {
		r->room = r->room ? 2 * r->room : 64;
		r->heap = allocate(r->heap, r->room * sizeof *r->heap);
	}
	r->heap[r->chunks] = chunk;
	sift_up(r->heap, r->chunks++);
}

static void flush_before(struct reading *r, uint64_t time_ns)
{
	while (r->chunks && r->heap[0].next.time_ns < time_ns) {
		r->sink->event(r->sink->context, &r->trace, &r->heap[0].next);
		r->events++;
		if (!advance(r, &r->heap[0])) {
			free(r->heap[0].number);
			r->heap[0] = r->heap[--r->chunks];
		}
		sift_down(r->heap, r->chunks);
	}
	r->flushed_ns = time_ns;
}

/* ---- records ---- */

static uint64_t sum_of(const json_t *numbers)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < json_array_size(numbers); i++)
		sum += record_integer(json_array_get(numbers, i));
	return sum;
}

static void take_run(struct reading *r, const json_t *record)
{
	free(r->trace.workload);
	free(r->trace.variant);
	r->trace.position = record_get_uint(record, FIELD_run_position);
	r->trace.start_ns = record_get_uint(record, FIELD_run_start_ns);
	r->trace.elapsed_ns = record_get_uint(record, FIELD_run_elapsed_ns);
	r->trace.workload = strdup(record_get_string(record, FIELD_run_workload));
	r->trace.variant = strdup(record_get_string(record, FIELD_run_variant));
}

/* A trace without its run, which was lost, begins nowhere. */
static void take_traced(struct reading *r, const json_t *record)
{
	uint64_t position = record_get_uint(record, FIELD_traced_position);
	uint32_t list = trace_list();

	r->traced_runs++;
	if (r->state != LOOKING || (wanted_run.given && position != wanted_run.position))
		return;
	if (!r->trace.workload || position != r->trace.position)
		return;
	if (record_get_uint(record, FIELD_traced_list) != list) {
		complain(r, "its events are numbered by list %" PRIu64 "; expected %" PRIu32 ", the one of this fairlog",
			record_get_uint(record, FIELD_traced_list), list);
		return;
	}
	r->trace.cpus = (unsigned)json_array_size(record_get(record, FIELD_traced_events));
	r->trace.kept = sum_of(record_get(record, FIELD_traced_events));
	r->trace.lost = sum_of(record_get(record, FIELD_traced_lost));
	r->state = CHOSEN;
}

static void take_tasks(struct reading *r, const json_t *record)
{
	const json_t *ids = record_get(record, FIELD_trace_tasks_ids), *names = record_get(record, FIELD_trace_tasks_names),
		     *priorities = record_get(record, FIELD_trace_tasks_priorities);
	size_t count = json_array_size(ids);

	if (json_array_size(names) != count || json_array_size(priorities) != count) {
		complain(r, "a record of tasks has %zu ids, %zu names and %zu priorities; not used", count, json_array_size(names),
			json_array_size(priorities));
		return;
	}
	r->trace.task = allocate(r->trace.task, (r->trace.tasks + count) * sizeof *r->trace.task);
	for (size_t i = 0; i < count; i++) {
		uint64_t priority = record_integer(json_array_get(priorities, i));

		r->trace.task[r->trace.tasks++] = (struct trace_task){
			.id = (uint32_t)record_integer(json_array_get(ids, i)),
			.priority = priority > 255 ? PRIORITY_NORMAL : (unsigned)priority,
			.is_idle = priority > 255,
			.name = strdup(json_string_value(json_array_get(names, i))),
		};
	}
}

static int compare_tasks(const void *a, const void *b)
{
	uint32_t left = ((const struct trace_task *)a)->id, right = ((const struct trace_task *)b)->id;

	return (left > right) - (left < right);
}

static void begin_events(struct reading *r, const struct boot *boot)
{
	if (r->state != CHOSEN)
		return;
	if (r->trace.tasks)
		qsort(r->trace.task, r->trace.tasks, sizeof *r->trace.task, compare_tasks);
	r->trace.machine = boot->record[RECORD_machine];
	r->sink->begin(r->sink->context, &r->trace);
	r->state = BEGUN;
}

static void take_chunk(struct reading *r, const json_t *record)
{
	const json_t *numbers = record_get(record, FIELD_trace_events);
	struct chunk c = { .order = r->order++, .numbers = json_array_size(numbers) };

	c.next.cpu = (unsigned)record_get_uint(record, FIELD_trace_cpu);
	c.next.time_ns = record_get_uint(record, FIELD_trace_first_ns);
	if (c.next.cpu >= r->trace.cpus || c.next.time_ns < r->flushed_ns) {
		complain(r,
			"a record of CPU %u begins at %" PRIu64 " ns; expected one of %u CPUs and %" PRIu64
			" ns or later; not used",
			c.next.cpu, c.next.time_ns, r->trace.cpus, r->flushed_ns);
		return;
	}
	flush_before(r, c.next.time_ns);
	c.number = allocate(NULL, c.numbers * sizeof *c.number);
	for (size_t i = 0; i < c.numbers; i++)
		c.number[i] = record_integer(json_array_get(numbers, i));
	if (advance(r, &c))
		push_chunk(r, c);
	else
		free(c.number);
}

static void end_events(struct reading *r, const struct boot *boot)
{
	begin_events(r, boot);
	if (r->state != BEGUN)
		return;
	flush_before(r, UINT64_MAX);
	r->sink->end(r->sink->context, &r->trace);
	r->state = ENDED;
	if (r->events != r->trace.kept)
		complain(r, "the trace of run %" PRIu64 " has %" PRIu64 " events that could be used; expected %" PRIu64,
			r->trace.position, r->events, r->trace.kept);
}

static bool is_of_run(const struct reading *r, const json_t *record, enum record_field field)
{
	return r->state != LOOKING && r->state != ENDED && record_get_uint(record, field) == r->trace.position;
}

static void take_record(void *context, const struct boot *boot, enum record_type type, const json_t *record)
{
	struct reading *r = context;

	if (r->only_boot != 0 && r->only_boot != boot->number)
		return;
	if (type == RECORD_trace_tasks && is_of_run(r, record, FIELD_trace_tasks_position)) {
		take_tasks(r, record);
	} else if (type == RECORD_trace && is_of_run(r, record, FIELD_trace_position)) {
		begin_events(r, boot);
		take_chunk(r, record);
	} else if (type == RECORD_run) {
		end_events(r, boot);
		if (r->state == LOOKING)
			take_run(r, record);
	} else if (type == RECORD_traced) {
		take_traced(r, record);
	}
}

/* The trace is of one boot; the verdict is that one's, or the first one's. */
static void take_boot(void *context, struct boot *boot)
{
	struct reading *r = context;
	bool is_mine = r->only_boot == 0 || r->only_boot == boot->number;

	if (is_mine && (!r->boot_seen || r->state == CHOSEN || r->state == BEGUN)) {
		end_events(r, boot);
		r->boot_seen = true;
		r->is_whole = boot_is_whole(boot);
		boot_verdict(boot, r->verdict);
	}
	boot_free(boot);
}

/* ---- all of it ---- */

static void release(struct reading *r)
{
	for (size_t i = 0; i < r->trace.tasks; i++)
		free(r->trace.task[i].name);
	free(r->trace.task);
	free(r->trace.workload);
	free(r->trace.variant);
	free(r->heap);
}

static int judge(struct reading *r)
{
	if (r->state != ENDED && wanted_run.given)
		complain(r, "--run %" PRIu64 ": expected the position of one of the %" PRIu64 " runs that were traced (trace=on)",
			wanted_run.position, r->traced_runs);
	else if (r->state != ENDED && !r->problems)
		complain(r, "no run of it was traced; expected one with trace=on");
	if (r->state != ENDED)
		return EXIT_UNREADABLE;
	if (!r->is_whole)
		complain(r, "%s", r->verdict);
	return r->problems ? EXIT_DAMAGED : EXIT_WHOLE;
}

int trace_read(FILE *in, const char *command, const char *file, unsigned only_boot, const struct trace_sink *sink)
{
	struct reading r = { .command = command, .file = file, .only_boot = only_boot, .sink = sink };
	struct log_reader reader = { .context = &r, .boot_done = take_boot };
	int boots = log_read_records(in, &reader, take_record), code;

	if (boots < 0) {
		fprintf(stderr, "fairlog %s: cannot read %s: %s\n", command, file, strerror(errno));
		code = EXIT_UNREADABLE;
	} else {
		code = judge(&r);
	}
	release(&r);
	return code;
}
