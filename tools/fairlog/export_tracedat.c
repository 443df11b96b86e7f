/* SPDX-License-Identifier: GPL-2.0-or-later
 * fairlog export trace.dat: version 6 of trace-cmd's file, which KernelShark reads too (workloads.md 5.7).
 *
 * The file has a CPU's pages one after the other, but they fill up in turn: until all are full they wait in a temporary file, each
 * with the place of the CPU's next one in front. All numbers are little endian, as this host's are assumed to be.
 */
#define _GNU_SOURCE /* open_memstream */
#include "tools/fairlog/export.h"

#include "tools/fairlog/allocate.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <string.h>

static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "numbers are written as they lie in memory");

enum {
	PAGE_BYTES = 4096,
	HEAD_BYTES = 16, /* of a page: time and length */
	DATA_BYTES = PAGE_BYTES - HEAD_BYTES,
	TIME_EXTEND = 30,
	DELTA_BITS = 27,
};

/* ---- what each event looks like ---- */

struct common {
	uint16_t type;
	uint8_t flags, preempt_count;
	int32_t pid;
};

/* One payload for all: which of its parts an event has is in its format. */
struct payload {
	struct common common;
	union {
		struct {
			char prev_comm[COMM_BYTES];
			int32_t prev_pid, prev_prio;
			int64_t prev_state;
			char next_comm[COMM_BYTES];
			int32_t next_pid, next_prio;
		} sched_switch;
		struct {
			char comm[COMM_BYTES];
			int32_t pid, prio;
			int32_t cpu, dest_cpu; /* the second of a migration only */
		} task;
		struct {
			char parent_comm[COMM_BYTES];
			int32_t parent_pid;
			char child_comm[COMM_BYTES];
			int32_t child_pid;
		} fork;
		struct {
			char filename[COMM_BYTES];
			int32_t pid, old_pid;
		} exec;
	};
};
static_assert(offsetof(struct payload, sched_switch.prev_state) == 32 && offsetof(struct payload, sched_switch.next_prio) == 60 &&
		      offsetof(struct payload, task.dest_cpu) == 36 && offsetof(struct payload, fork.child_pid) == 44,
	"as the formats say");

#define FIELD_COMMON                                                                                                               \
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"                                                     \
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"                                                     \
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"                                             \
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
#define FIELD_COMM(name, offset) "\tfield:char " name "[16];\toffset:" offset ";\tsize:16;\tsigned:0;\n"
#define FIELD_INT(name, offset)	 "\tfield:int " name ";\toffset:" offset ";\tsize:4;\tsigned:1;\n"
#define FIELD_LONG(name, offset) "\tfield:long " name ";\toffset:" offset ";\tsize:8;\tsigned:1;\n"

#define FIELDS_TASK   FIELD_COMM("comm", "8") FIELD_INT("pid", "24") FIELD_INT("prio", "28")
#define FIELDS_WAKEUP FIELDS_TASK FIELD_INT("target_cpu", "32")
#define PRINT_WAKEUP  "\"comm=%s pid=%d prio=%d target_cpu=%03d\", REC->comm, REC->pid, REC->prio, REC->target_cpu"

/* The order is that of enum trace_event; the id of an event is its place here, from 1. */
static const struct {
	const char *name, *fields, *print;
	size_t bytes; /* of its payload */
} formats[] = {
	[TRACE_switch] = { "sched_switch",
		FIELD_COMM("prev_comm", "8") FIELD_INT("prev_pid", "24") FIELD_INT("prev_prio", "28") FIELD_LONG("prev_state", "32")
			FIELD_COMM("next_comm", "40") FIELD_INT("next_pid", "56") FIELD_INT("next_prio", "60"),
		"\"prev_comm=%s prev_pid=%d prev_prio=%d prev_state=%s%s ==> next_comm=%s next_pid=%d next_prio=%d\", "
		"REC->prev_comm, REC->prev_pid, REC->prev_prio, (REC->prev_state & 0xff) ? __print_flags(REC->prev_state & 0xff, "
		"\"|\", { 0x01, \"S\" }, { 0x10, \"X\" }) : \"R\", REC->prev_state & 0x100 ? \"+\" : \"\", REC->next_comm, "
		"REC->next_pid, REC->next_prio",
		64 },
	[TRACE_waking] = { "sched_waking", FIELDS_WAKEUP, PRINT_WAKEUP, 36 },
	[TRACE_wakeup] = { "sched_wakeup", FIELDS_WAKEUP, PRINT_WAKEUP, 36 },
	[TRACE_wakeup_new] = { "sched_wakeup_new", FIELDS_WAKEUP, PRINT_WAKEUP, 36 },
	[TRACE_fork] = { "sched_process_fork",
		FIELD_COMM("parent_comm", "8") FIELD_INT("parent_pid", "24") FIELD_COMM("child_comm", "28")
			FIELD_INT("child_pid", "44"),
		"\"comm=%s pid=%d child_comm=%s child_pid=%d\", REC->parent_comm, REC->parent_pid, REC->child_comm, REC->child_pid",
		48 },
	[TRACE_exec] = { "sched_process_exec", FIELD_COMM("filename", "8") FIELD_INT("pid", "24") FIELD_INT("old_pid", "28"),
		"\"filename=%s pid=%d old_pid=%d\", REC->filename, REC->pid, REC->old_pid", 32 },
	[TRACE_exit] = { "sched_process_exit", FIELDS_TASK, "\"comm=%s pid=%d prio=%d\", REC->comm, REC->pid, REC->prio", 32 },
	[TRACE_migrate] = { "sched_migrate_task", FIELDS_TASK FIELD_INT("orig_cpu", "32") FIELD_INT("dest_cpu", "36"),
		"\"comm=%s pid=%d prio=%d orig_cpu=%d dest_cpu=%d\", REC->comm, REC->pid, REC->prio, REC->orig_cpu, REC->dest_cpu",
		40 },
};
enum { FORMATS = sizeof formats / sizeof formats[0] };
static_assert((int)FORMATS == (int)TRACE_balance, "one for each event that Linux has, and these come first");

static const char header_page[] = "\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n"
				  "\tfield: local_t commit;\toffset:8;\tsize:8;\tsigned:1;\n"
				  "\tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;\n"
				  "\tfield: char data;\toffset:16;\tsize:4080;\tsigned:1;\n";
static const char header_event[] = "# compressed entry header\n"
				   "\ttype_len    :    5 bits\n"
				   "\ttime_delta  :   27 bits\n"
				   "\tarray       :   32 bits\n\n"
				   "\tpadding     : type == 29\n"
				   "\ttime_extend : type == 30\n"
				   "\ttime_stamp : type == 31\n"
				   "\tdata max type_len  == 28\n";

/* ---- the pages of each CPU ---- */

static struct pages {
	unsigned char page[PAGE_BYTES];
	size_t used;	    /* of its data; 0: none begun */
	uint64_t last_ns;   /* time of the last event in it */
	uint64_t count;	    /* in the spool */
	long first, latest; /* places in the spool */
	uint32_t running;   /* pid */
} * cpus;
static FILE *spool;

static void fail(const char *what)
{
	fprintf(stderr, "fairlog export: %s: %s\n", what, strerror(errno));
	exit(2);
}

static void put_spool(long place, const void *data, size_t bytes)
{
	if (fseek(spool, place, SEEK_SET) != 0 || fwrite(data, bytes, 1, spool) != 1)
		fail("cannot write a temporary file");
}

static void get_spool(long place, void *data, size_t bytes)
{
	if (fseek(spool, place, SEEK_SET) != 0 || fread(data, bytes, 1, spool) != 1)
		fail("cannot read a temporary file");
}

static void flush_page(struct pages *c)
{
	uint64_t length = c->used;
	long none = 0, place;

	if (c->used == 0)
		return;
	memcpy(c->page + 8, &length, sizeof length);
	memset(c->page + HEAD_BYTES + c->used, 0, DATA_BYTES - c->used);
	if (fseek(spool, 0, SEEK_END) != 0 || (place = ftell(spool)) < 0)
		fail("cannot write a temporary file");
	put_spool(place, &none, sizeof none);
	put_spool(place + (long)sizeof none, c->page, PAGE_BYTES);
	if (c->count++ == 0)
		c->first = place;
	else
		put_spool(c->latest, &place, sizeof place);
	c->latest = place;
	c->used = 0;
}

static void put_data(struct pages *c, const void *data, size_t bytes)
{
	memcpy(c->page + HEAD_BYTES + c->used, data, bytes);
	c->used += bytes;
}

/* The first event of a page has the page's time. */
static void put_payload(struct pages *c, uint64_t time_ns, const struct payload *p, size_t bytes)
{
	uint64_t delta;
	uint32_t head;

	if (c->used + 8 + 4 + bytes > DATA_BYTES)
		flush_page(c);
	if (c->used == 0) {
		memcpy(c->page, &time_ns, sizeof time_ns);
		c->last_ns = time_ns;
	}
	delta = time_ns - c->last_ns;
	if (delta >> DELTA_BITS) {
		uint32_t extend[2] = { TIME_EXTEND | (uint32_t)(delta << 5), (uint32_t)(delta >> DELTA_BITS) };

		put_data(c, extend, sizeof extend);
		delta = 0;
	}
	head = (uint32_t)(bytes / 4) | (uint32_t)delta << 5;
	put_data(c, &head, sizeof head);
	put_data(c, p, bytes);
	c->last_ns = time_ns;
}

/* ---- events ---- */

static void fill_task(const struct trace *trace, struct payload *p, uint32_t id, uint32_t cpu)
{
	trace_comm(trace, id, cpu, p->task.comm);
	p->task.pid = (int32_t)trace_pid(trace, id);
	p->task.prio = (int32_t)trace_priority(trace, id);
	p->task.cpu = (int32_t)cpu;
}

static int64_t state_of(uint32_t left)
{
	static const int64_t state[] = { [LEFT_sleeps] = 0x01, [LEFT_dead] = 0x10, [LEFT_runs_on] = 0, [LEFT_preempted] = 0x100 };

	return left <= LEFT_preempted ? state[left] : 0;
}

static void fill_switch(const struct trace *trace, struct payload *p, const struct event *e)
{
	uint32_t prev = EVENT_ARG(e, switch, prev), next = EVENT_ARG(e, switch, next);

	trace_comm(trace, prev, e->cpu, p->sched_switch.prev_comm);
	p->sched_switch.prev_pid = (int32_t)trace_pid(trace, prev);
	p->sched_switch.prev_prio = (int32_t)trace_priority(trace, prev);
	p->sched_switch.prev_state = state_of(EVENT_ARG(e, switch, left));
	trace_comm(trace, next, e->cpu, p->sched_switch.next_comm);
	p->sched_switch.next_pid = (int32_t)trace_pid(trace, next);
	p->sched_switch.next_prio = (int32_t)trace_priority(trace, next);
}

static void fill_fork(const struct trace *trace, struct payload *p, const struct event *e)
{
	trace_comm(trace, EVENT_ARG(e, fork, parent), e->cpu, p->fork.parent_comm);
	p->fork.parent_pid = (int32_t)trace_pid(trace, EVENT_ARG(e, fork, parent));
	trace_comm(trace, EVENT_ARG(e, fork, child), e->cpu, p->fork.child_comm);
	p->fork.child_pid = (int32_t)trace_pid(trace, EVENT_ARG(e, fork, child));
}

static void fill_payload(const struct trace *trace, struct payload *p, const struct event *e)
{
	switch (e->type) {
	case TRACE_switch:
		fill_switch(trace, p, e);
		break;
	case TRACE_waking:
		fill_task(trace, p, EVENT_ARG(e, waking, task), EVENT_ARG(e, waking, cpu));
		break;
	case TRACE_wakeup:
	case TRACE_wakeup_new:
		fill_task(trace, p, EVENT_ARG(e, wakeup, task), EVENT_ARG(e, wakeup, cpu));
		break;
	case TRACE_fork:
		fill_fork(trace, p, e);
		break;
	case TRACE_migrate:
		fill_task(trace, p, EVENT_ARG(e, migrate, task), EVENT_ARG(e, migrate, from));
		p->task.dest_cpu = (int32_t)EVENT_ARG(e, migrate, to);
		break;
	case TRACE_exec:
		fill_task(trace, p, EVENT_ARG(e, exec, task), e->cpu);
		p->exec.old_pid = p->exec.pid;
		break;
	default:
		fill_task(trace, p, EVENT_ARG(e, exit, task), e->cpu);
	}
}

/* Whom these name first runs there. */
static void learn_running(const struct trace *trace, struct pages *c, const struct event *e)
{
	if (e->type != TRACE_wakeup && e->type != TRACE_wakeup_new && e->type != TRACE_migrate)
		c->running = trace_pid(trace, e->arg[0]);
}

static void take_event(void *context, const struct trace *trace, const struct event *e)
{
	struct pages *c = &cpus[e->cpu];
	struct payload p = { .common = { .type = (uint16_t)(e->type + 1) } };

	(void)context;
	if (e->type >= TRACE_balance)
		return;
	learn_running(trace, c, e);
	p.common.pid = (int32_t)c->running;
	fill_payload(trace, &p, e);
	put_payload(c, e->time_ns, &p, formats[e->type].bytes);
	if (e->type == TRACE_switch)
		c->running = trace_pid(trace, EVENT_ARG(e, switch, next));
}

/* ---- the file ---- */

static uint64_t written;

static void put(const void *data, size_t bytes)
{
	fwrite(data, 1, bytes, stdout);
	written += bytes;
}

static void put_string(const char *text)
{
	put(text, strlen(text) + 1);
}

static void put_u32(uint32_t n)
{
	put(&n, sizeof n);
}

static void put_u64(uint64_t n)
{
	put(&n, sizeof n);
}

/* With its length before it. */
static void put_text(const char *text)
{
	put_u64(strlen(text));
	put(text, strlen(text));
}

static void put_format(size_t i)
{
	char *text = NULL;
	size_t length;
	FILE *memory = open_memstream(&text, &length);

	if (!memory)
		fail("no memory for a format");
	fprintf(memory, "name: %s\nID: %zu\nformat:\n" FIELD_COMMON "%s\nprint fmt: %s\n", formats[i].name, i + 1,
		formats[i].fields, formats[i].print);
	if (fclose(memory) != 0)
		fail("no memory for a format");
	put_text(text);
	free(text);
}

/* Lines of a number and a name. */
static void put_names(const struct trace *trace)
{
	char *text = NULL;
	size_t length;
	FILE *memory = open_memstream(&text, &length);

	if (!memory)
		fail("no memory for the names of tasks");
	for (size_t i = 0; i < trace->tasks; i++) {
		char comm[COMM_BYTES];

		trace_comm(trace, trace->task[i].id, 0, comm);
		if (!trace->task[i].is_idle)
			fprintf(memory, "%" PRIu32 " %s\n", trace->task[i].id, comm);
	}
	if (fclose(memory) != 0)
		fail("no memory for the names of tasks");
	put_text(text);
	free(text);
}

static void put_head(const struct trace *trace)
{
	static const unsigned char magic[] = { 0x17, 0x08, 0x44, 't', 'r', 'a', 'c', 'i', 'n', 'g', '6', 0, 0, 8 };

	put(magic, sizeof magic); /* version 6, little endian, longs of 8 bytes */
	put_u32(PAGE_BYTES);
	put_string("header_page");
	put_text(header_page);
	put_string("header_event");
	put_text(header_event);
	put_u32(0); /* formats of the tracer itself */
	put_u32(1); /* systems */
	put_string("sched");
	put_u32(FORMATS);
	for (size_t i = 0; i < FORMATS; i++)
		put_format(i);
	put_u32(0); /* symbols */
	put_u32(0); /* formats of printk */
	put_names(trace);
	put_u32(trace->cpus);
}

static uint64_t round_up(uint64_t n)
{
	return (n + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES;
}

static void put_index(const struct trace *trace)
{
	static const char options[] = "options  \0\0", flyrecord[] = "flyrecord";
	uint64_t place;

	put(options, sizeof options); /* none */
	put(flyrecord, sizeof flyrecord);
	place = round_up(written + 16ull * trace->cpus);
	for (unsigned cpu = 0; cpu < trace->cpus; cpu++) {
		uint64_t bytes = cpus[cpu].count * PAGE_BYTES;

		put_u64(place);
		put_u64(bytes);
		place += bytes;
	}
	while (written % PAGE_BYTES != 0)
		put("", 1);
}

static void put_pages(const struct pages *c)
{
	unsigned char page[PAGE_BYTES];
	long place = c->first, next;

	for (uint64_t i = 0; i < c->count; i++, place = next) {
		get_spool(place, &next, sizeof next);
		get_spool(place + (long)sizeof next, page, PAGE_BYTES);
		put(page, PAGE_BYTES);
	}
}

static void begin(void *context, const struct trace *trace)
{
	(void)context;
	written = 0;
	cpus = allocate(NULL, trace->cpus * sizeof *cpus);
	memset(cpus, 0, trace->cpus * sizeof *cpus);
	spool = tmpfile();
	if (!spool)
		fail("cannot make a temporary file");
}

static void end(void *context, const struct trace *trace)
{
	(void)context;
	for (unsigned cpu = 0; cpu < trace->cpus; cpu++)
		flush_page(&cpus[cpu]);
	put_head(trace);
	put_index(trace);
	for (unsigned cpu = 0; cpu < trace->cpus; cpu++)
		put_pages(&cpus[cpu]);
	fclose(spool);
	free(cpus);
}

const struct trace_sink export_tracedat = { NULL, begin, take_event, end };
