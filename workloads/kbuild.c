/* SPDX-License-Identifier: GPL-2.0-or-later
 * make -jN of a kernel in miniature: processes that start others, wait for them, and most of which live for milliseconds
 * (workloads.md 4.4).
 *
 * One make keeps N objects in flight and waits for whichever ends first. It owns all the job slots, as a make without sub-makes
 * does, so no tokens pass through a pipe. Each object has a shell, which runs the compiler driver and then fixdep; the driver runs
 * cc1 and as, one after the other or with a pipe between them. All start their children by vfork.
 */
#include "workloads/workload.h"

#include "base/lognormal.h"
#include "base/mem.h"
#include "base/text.h"
#include "ipc/channel.h"
#include "ipc/process.h"

struct options {
	u64 jobs, objects, scale_percent, fault_us, pipe;
};

enum { FAULT_US = 20 };

static const struct option option_table[] = {
	NUMBER_OPTION('j', "jobs", jobs, 1, 10000, "objects in flight at a time; if not given, as many as there are CPUs for it"),
	NUMBER_OPTION('n', "objects", objects, 1, 1000000,
		"objects to build; in the background only until the run that it accompanies ends"),
	NUMBER_OPTION('s', "scale", scale_percent, 1, 1000, "CPU time of cc1, in percent of a median of 300 ms"),
	FLAG_OPTION('p', "pipe", pipe, true, "cc1 and as run at the same time, with a pipe between them"),
	NUMBER_OPTION('f', "fault-us", fault_us, FAULT_US + 1, 1000000, "so often 20 us of cc1 are a page fault, in the kernel"),
	{ 0 },
};

static const struct options defaults = { .objects = 64, .scale_percent = 100 };

/* ---- what is built ---- */

enum {
	SHELL_NS = 300000,
	DRIVER_VFORKED_NS = 300000, /* until it execs */
	DRIVER_NS = 700000,	    /* after that */
	CC1_MEDIAN_NS = 300000000,  /* at a scale of 100 % */
	CC1_SIGMA_PERMILLE = 1200,
	AS_NS = 6000000,
	FIXDEP_NS = 1000000,
	LINK_NS = 150000000,

	/* Measured, there are 19 sleeps more to an object with --pipe. 16 pages come near, and are what a pipe holds, so that a cc1
	 * whose as could not be started runs to its end. */
	PAGES = 16,
	PAGE_BYTES = 4096,
};

struct object {
	u64 cc1_ns;				   /* a multiple of PAGES */
	u32 compiled, assembled, has_dependencies; /* how often */
};

/* One of make's job slots. */
struct job {
	struct build *build;
	struct object *object;
	u32 shell;	      /* the process, or 0: the slot is free */
	struct channel *pipe; /* with --pipe, from cc1 to as */
	char *written, *read; /* a page of each */
};

struct build {
	const struct options *o;
	const struct run *run;
	u64 jobs;		      /* slots */
	struct object *object;	      /* all of them */
	struct job *job;	      /* [jobs] */
	u64 cpu_ns, critical_path_ns; /* what all the programs take, and the longest chain of them */
	u32 in_flight, most_in_flight;
	u32 tasks;	    /* atomic */
	bool out_of_memory; /* atomic: no more is begun */
	u64 begun, built;   /* objects; those that the linker found in order */
};

/* A piece of cc1 and of as, when they take turns. */
static u64 pieces(const struct options *o)
{
	return o->pipe ? PAGES : 1;
}

/* With a pipe, the first of as begins behind the first of cc1, and the last ends behind the last of cc1. */
static u64 chain_ns(const struct options *o, const struct object *object)
{
	u64 n = pieces(o), behind_first = object->cc1_ns / n + AS_NS, behind_last = object->cc1_ns + AS_NS / n;

	return SHELL_NS + DRIVER_VFORKED_NS + DRIVER_NS + max_u64(behind_first, behind_last) + FIXDEP_NS + LINK_NS;
}

/* By the run's seed and nothing else: every variant builds the same. */
static u64 draw_cc1_ns(const struct options *o, u64 number)
{
	u64 state = run_seed(number);

	return lognormal_next(&state, o->scale_percent * (CC1_MEDIAN_NS / 100), CC1_SIGMA_PERMILLE) / PAGES * PAGES;
}

static struct object *next_object(struct build *b)
{
	struct object *object = &b->object[b->begun];

	object->cc1_ns = draw_cc1_ns(b->o, b->begun++);
	b->cpu_ns += SHELL_NS + DRIVER_VFORKED_NS + DRIVER_NS + object->cc1_ns + AS_NS + FIXDEP_NS;
	b->critical_path_ns = max_u64(b->critical_path_ns, chain_ns(b->o, object));
	return object;
}

/* ---- processes ---- */

static bool given_up(struct build *b)
{
	return LOAD_ACQUIRE(b->out_of_memory);
}

static bool check_memory(struct build *b, bool ok)
{
	if (!ok)
		STORE_RELEASE(b->out_of_memory, true);
	return ok;
}

static struct task *start(struct build *b, const char *name, void (*entry)(void *), void *argument)
{
	struct task *t = process_vfork(name, entry, argument);

	if (check_memory(b, t))
		__atomic_add_fetch(&b->tasks, 1, __ATOMIC_RELAXED);
	return t;
}

/* Is the build to go on after that? */
static bool run_program(struct build *b, const char *name, void (*entry)(void *), void *argument)
{
	struct task *t = start(b, name, entry, argument);

	if (t)
		process_wait(t);
	return !given_up(b);
}

/* The first thing that every program does. False: there is no memory for it, and it ends. */
static bool exec(struct build *b)
{
	return check_memory(b, !process_exec());
}

/* ---- the programs ---- */

/* CPU time of cc1, in which a page fault keeps it in the kernel every so often. */
static void compile(const struct options *o, u64 ns)
{
	u64 period = o->fault_us * NSEC_PER_USEC;

	for (; period && ns > period; ns -= period) {
		machine_work_ns(period - FAULT_US * NSEC_PER_USEC);
		syscall_enter();
		machine_work_ns(FAULT_US * NSEC_PER_USEC);
		syscall_exit();
	}
	machine_work_ns(ns);
}

/* What the page of that number says, so that one lost or of another object is noticed. */
struct stamp {
	const struct object *object;
	u64 page;
};

static void write_page(struct job *j, u64 page)
{
	struct stamp s = { j->object, page };

	memcpy(j->written, &s, sizeof(s));
	channel_send(j->pipe, j->written, PAGE_BYTES);
}

static bool read_page(struct job *j, u64 page)
{
	struct stamp s;

	channel_receive(j->pipe, j->read, PAGE_BYTES);
	memcpy(&s, j->read, sizeof(s));
	return s.object == j->object && s.page == page;
}

static void cc1(void *argument)
{
	struct job *j = argument;
	const struct options *o = j->build->o;

	if (!exec(j->build))
		return;
	for (u64 i = 0; i < pieces(o); i++) {
		compile(o, j->object->cc1_ns / pieces(o));
		if (o->pipe)
			write_page(j, i);
	}
	j->object->compiled++;
}

static void as(void *argument)
{
	struct job *j = argument;
	const struct options *o = j->build->o;
	bool ok = true;

	if (!exec(j->build))
		return;
	for (u64 i = 0; i < pieces(o); i++) {
		ok &= o->pipe ? read_page(j, i) : j->object->compiled == 1;
		machine_work_ns(AS_NS / pieces(o));
	}
	j->object->assembled += ok;
}

/* Without cc1 there is nobody whom as could read from. */
static void run_piped(struct job *j)
{
	struct build *b = j->build;
	struct task *writer = start(b, "cc1", cc1, j);
	struct task *reader = given_up(b) ? NULL : start(b, "as", as, j);

	if (writer)
		process_wait(writer);
	if (reader)
		process_wait(reader);
}

static void driver(void *argument)
{
	struct job *j = argument;
	struct build *b = j->build;

	machine_work_ns(DRIVER_VFORKED_NS);
	if (!exec(b))
		return;
	machine_work_ns(DRIVER_NS);
	if (b->o->pipe)
		run_piped(j);
	else if (run_program(b, "cc1", cc1, j))
		run_program(b, "as", as, j);
}

static void fixdep(void *argument)
{
	struct job *j = argument;

	if (!exec(j->build))
		return;
	machine_work_ns(FIXDEP_NS);
	j->object->has_dependencies++;
}

static void shell(void *argument)
{
	struct job *j = argument;
	struct build *b = j->build;

	if (!exec(b))
		return;
	machine_work_ns(SHELL_NS);
	if (run_program(b, "gcc", driver, j))
		run_program(b, "fixdep", fixdep, j);
}

static void ld(void *argument)
{
	struct build *b = argument;

	if (!exec(b))
		return;
	machine_work_ns(LINK_NS);
	for (u64 i = 0; i < b->begun; i++) {
		const struct object *object = &b->object[i];

		b->built += object->compiled == 1 && object->assembled == 1 && object->has_dependencies == 1;
	}
}

/* ---- make ---- */

static struct job *job_of(struct build *b, u32 shell)
{
	struct job *j = b->job;

	while (j->shell != shell)
		j++;
	return j;
}

static void wait_for_job(struct build *b)
{
	job_of(b, process_wait(REAP_ANY))->shell = 0;
	b->in_flight--;
}

static void start_job(struct build *b)
{
	struct job *j = job_of(b, 0);
	struct task *t;

	j->object = next_object(b);
	t = start(b, "sh", shell, j);
	if (!t)
		return;
	j->shell = t->id;
	b->in_flight++;
	b->most_in_flight = (u32)max_u64(b->most_in_flight, b->in_flight);
}

static void make(void *argument)
{
	struct build *b = argument;

	if (!exec(b))
		return;
	while (b->begun < b->o->objects && !given_up(b) && !run_is_over(b->run)) {
		if (b->in_flight == b->jobs)
			wait_for_job(b);
		start_job(b);
	}
	while (b->in_flight)
		wait_for_job(b);
	if (!given_up(b))
		run_program(b, "ld", ld, b);
}

/* ---- the run ---- */

static bool prepare_pipe(struct job *j)
{
	j->pipe = channel_new(TRANSPORT_PIPE, PAGE_BYTES);
	j->written = mem_alloc(PAGE_BYTES);
	j->read = mem_alloc(PAGE_BYTES);
	return j->pipe && j->written && j->read;
}

static bool prepare(struct build *b)
{
	const struct options *o = b->o;

	b->object = mem_alloc(o->objects * sizeof(*b->object));
	b->job = mem_alloc(b->jobs * sizeof(*b->job));
	if (!b->object || !b->job)
		return false;
	for (u64 i = 0; i < b->jobs; i++) {
		b->job[i].build = b;
		if (o->pipe && !prepare_pipe(&b->job[i]))
			return false;
	}
	b->cpu_ns = LINK_NS;
	return true;
}

/* In the manner of kernbench, which has GNU time count. Who runs beside another cannot tell whose switches there were. */
static void say_result(const struct build *b, const struct run *r)
{
	say("make -j%llu, %llu objects\n", (unsigned long long)b->jobs, (unsigned long long)b->built);
	say("Elapsed Time %s\n", text_decimal(r->elapsed_ns, NSEC_PER_SEC, 3).text);
	say("CPU Time %s\n", text_decimal(b->cpu_ns, NSEC_PER_SEC, 3).text);
	say("Percent CPU %llu\n", (unsigned long long)(b->cpu_ns * 100 / max_u64(r->elapsed_ns, 1)));
	if (!r->over) {
		say("Context Switches %llu\n", (unsigned long long)(r->after.involuntary - r->before.involuntary));
		say("Sleeps %llu\n", (unsigned long long)(r->after.voluntary - r->before.voluntary));
	}
	say("Processes %u\n", b->tasks);
}

static void report(struct build *b, struct run *r)
{
	say_result(b, r);
	run_metric(r, "objects", b->built);
	run_metric(r, "tasks", b->tasks);
	run_metric(r, "cpu_ns", b->cpu_ns);
	run_metric(r, "critical_path_ns", b->critical_path_ns);
	run_metric(r, "most_in_flight", b->most_in_flight);
	r->status = b->built == b->begun ? "ok" : "an object was not built, or built more than once";
}

static void run(const void *options, struct run *r)
{
	const struct options *o = options;
	struct build b = { .o = o, .run = r, .jobs = o->jobs ? o->jobs : mask_weight(&current()->allowed) };

	r->status = "not enough memory for so many objects and processes";
	if (!prepare(&b))
		return;
	run_begin(r);
	run_program(&b, "make", make, &b);
	run_finish(r);
	if (!b.out_of_memory)
		report(&b, r);
}

const struct workload kbuild = {
	.name = "kbuild",
	.purpose = "make -jN in miniature: short-lived processes that start each other and wait; how long does a build take?",
	.options = option_table,
	.defaults = &defaults,
	.options_bytes = sizeof(struct options),
	.run = run,
};
