/* SPDX-License-Identifier: GPL-2.0-or-later
 * aim7: the compute mix of AIM Benchmark Suite VII. So many tasks begin at the same moment and each does 101 jobs in an order of
 * its own; they share nothing and wake nobody (workloads.md 4.1). What it shows: how those who start together are spread, how well
 * CPUs are kept busy when few are left, and whether all get on equally fast.
 *
 * A job is CPU time instead of arithmetic. How long each kind takes is not known: the bursts below are of the right order, a few
 * ms to some tens, and add up to 3 s for a task. A job on a disk sleeps in addition, one that talks or locks does so with itself.
 */
#include "workloads/workload.h"

#include "base/mem.h"
#include "base/random.h"
#include "base/text.h"
#include "ipc/channel.h"
#include "ipc/futex.h"
#include "ipc/gate.h"
#include "ipc/sleep.h"
#include "workloads/spread.h"

/* From when "real" counts: the multitask of the suite began before the pause that lets all tasks get ready, reaim after it. */
enum { CLOCK_REAIM, CLOCK_ORIGINAL };

struct options {
	u64 tasks, scale, disk_ms, pause_ms, clock, mix;
};

static const struct option option_table[] = {
	NUMBER_OPTION('s', "scale", scale, 1, 10000, "percent of its burst that a job takes"),
	NUMBER_OPTION('d', "disk-ms", disk_ms, 0, 1000, "milliseconds that a job on a disk sleeps at most; 0: it does not"),
	NUMBER_OPTION('p', "pause-ms", pause_ms, 0, 10000, "milliseconds between the last task's readiness and the start"),
	FLAG_OPTION('o', "original", clock, CLOCK_ORIGINAL, "real time includes the pause, as in the original"),
	FLAG_OPTION('r', "reaim", clock, CLOCK_REAIM, "it does not, as in reaim"),
	FLAG_OPTION('m', "mix", mix, 1, "print what jobs a task does"),
	{ 0 },
};

static const struct option argument_table[] = {
	ARGUMENT("tasks", tasks, 1, MAX_COUNTS, "tasks, each of which does all jobs"),
	{ 0 },
};

static const struct options defaults = { .scale = 100, .disk_ms = 20, .pause_ms = 1000, .clock = CLOCK_REAIM };

/* ---- the mix ---- */

enum activity { COMPUTE, DISK, TALK, LOCK };

static const struct job_class {
	const char *name;
	u32 weight, burst_ms;
	enum activity activity;
} mix[] = {
	{ "add_double", 50, 30, COMPUTE },
	{ "matrix_rtns", 50, 50, COMPUTE },
	{ "mul_double", 50, 30, COMPUTE },
	{ "page_test", 50, 20, COMPUTE },
	{ "div_double", 40, 40, COMPUTE },
	{ "mem_rtns_1", 40, 20, COMPUTE },
	{ "mem_rtns_2", 40, 20, COMPUTE },
	{ "new_raph", 40, 35, COMPUTE },
	{ "num_rtns_1", 40, 40, COMPUTE },
	{ "series_1", 40, 30, COMPUTE },
	{ "trig_rtns", 40, 45, COMPUTE },
	{ "add_int", 30, 25, COMPUTE },
	{ "add_long", 30, 25, COMPUTE },
	{ "disk_rd", 30, 10, DISK },
	{ "div_int", 30, 35, COMPUTE },
	{ "mul_int", 30, 25, COMPUTE },
	{ "mul_long", 30, 25, COMPUTE },
	{ "sieve", 30, 60, COMPUTE },
	{ "string_rtns", 30, 30, COMPUTE },
	{ "disk_wrt", 20, 10, DISK },
	{ "stream_pipe", 20, 5, TALK },
	{ "udp_test", 20, 5, TALK },
	{ "array_rtns", 10, 60, COMPUTE },
	{ "disk_cp", 10, 15, DISK },
	{ "disk_src", 10, 10, DISK },
	{ "shared_memory", 10, 5, LOCK },
};

/* How often a task does that kind of job: its share of about a hundred, rounded, but once at least. */
static u32 jobs_of(const struct job_class *kind)
{
	enum { LOADNUM = 100 };
	u32 sum = 0;

	for (u32 i = 0; i < ARRAY_SIZE(mix); i++)
		sum += mix[i].weight;
	return (u32)max_u64((LOADNUM * kind->weight + sum / 2) / sum, 1);
}

static u32 jobs_per_task(void)
{
	u32 jobs = 0;

	for (u32 i = 0; i < ARRAY_SIZE(mix); i++)
		jobs += jobs_of(&mix[i]);
	return jobs;
}

static void say_mix(const struct options *o)
{
	for (u32 i = 0; i < ARRAY_SIZE(mix); i++)
		say("%16s %2u x %8s ms\n", mix[i].name, jobs_of(&mix[i]), text_decimal(mix[i].burst_ms * o->scale, 100, 2).text);
}

/* ---- jobs ---- */

struct bench {
	const struct options *o;
	struct run *run;
	struct channel *ready; /* says who is there */
	struct gate start;
	bool called_off;   /* the start is not followed by work */
	u64 spawned, jobs; /* jobs: atomic, all that were done */
	u64 cpu_ns, wrong; /* atomic; wrong: messages that came back other than they went */
};

struct worker {
	struct bench *bench;
	u64 number, random;
	u32 left[ARRAY_SIZE(mix)], all_left; /* jobs to do */
	struct channel *self;
	struct mutex semaphore;
	char message[4096];
};

/* Sizes from a byte to a page. What comes back has been its own all the time, so nobody waits and nobody is woken. */
static void talk_to_self(struct worker *w)
{
	enum { ROUNDS = 99, SIZES = 13 };
	u32 wrong = 0;

	for (u32 i = 0; i < ROUNDS; i++) {
		size_t bytes = (size_t)1 << i % SIZES;

		w->message[0] = w->message[bytes - 1] = (char)i;
		channel_send(w->self, w->message, bytes);
		w->message[0] = w->message[bytes - 1] = (char)~i;
		channel_receive(w->self, w->message, bytes);
		wrong += w->message[0] != (char)i || w->message[bytes - 1] != (char)i;
	}
	__atomic_add_fetch(&w->bench->wrong, wrong, __ATOMIC_RELAXED);
}

static void lock_own_semaphore(struct worker *w)
{
	for (u32 i = 0; i < 100; i++) {
		mutex_lock(&w->semaphore);
		mutex_unlock(&w->semaphore);
	}
}

static void await_disk(struct worker *w)
{
	u64 most_ns = w->bench->o->disk_ms * NSEC_PER_MSEC;

	if (most_ns)
		sleep_ns(NSEC_PER_MSEC + random_next(&w->random) % (most_ns - NSEC_PER_MSEC + 1));
}

static void do_job(struct worker *w, const struct job_class *kind)
{
	machine_work_ns(kind->burst_ms * w->bench->o->scale * (NSEC_PER_MSEC / 100));
	if (kind->activity == DISK)
		await_disk(w);
	if (kind->activity == TALK)
		talk_to_self(w);
	if (kind->activity == LOCK)
		lock_own_semaphore(w);
}

/* Without replacement: one of those that are left, each as likely as any other. */
static const struct job_class *draw_job(struct worker *w)
{
	u64 ticket = random_next(&w->random) % w->all_left--;
	u32 i = 0;

	for (; ticket >= w->left[i]; i++)
		ticket -= w->left[i];
	w->left[i]--;
	return &mix[i];
}

/* ---- the tasks ---- */

static void say_ready(struct worker *w)
{
	int number = (int)w->number;

	channel_send(w->bench->ready, &number, sizeof(number));
}

static void worker(void *argument)
{
	struct worker *w = argument;
	struct bench *b = w->bench;
	u64 jobs = 0;

	say_ready(w);
	gate_pass(&b->start);
	if (b->called_off)
		return;
	machine_work_ns(run_stagger_ns(w->number));
	for (; w->all_left; jobs++)
		do_job(w, draw_job(w));
	b->run->count[w->number] = machine_clock_ns();
	__atomic_add_fetch(&b->jobs, jobs, __ATOMIC_RELAXED);
	__atomic_add_fetch(&b->cpu_ns, task_cpu_ns(), __ATOMIC_RELAXED);
}

/* ---- the figures ---- */

/* Job Timing Index: 100 where all tasks took equally long, less by the percentage that their times deviate. The original would go
 * below 0 where that is more than 100. */
static u64 job_timing_index(const struct spread *times)
{
	return times->deviation < times->mean ? (times->mean - times->deviation) * 100 / times->mean : 0;
}

/* jobs in real_ns, each minute. */
static struct text_decimal per_minute(u64 jobs, u64 real_ns, unsigned digits)
{
	return text_decimal(jobs * 60 * NSEC_PER_SEC, real_ns, digits);
}

struct result {
	u64 tasks, jobs, jti, real_ns, cpu_ns;
};

/* The screen's lines, without the date behind them; then those of the file suite7.ss. */
static void say_result(const struct result *x)
{
	unsigned tasks = (unsigned)x->tasks, jti = (unsigned)x->jti;
	u64 each = x->jobs / x->tasks;

	say("Tasks    jobs/min  jti  jobs/min/task      real       cpu\n");
	say("%5u%12s%5u%15s%10s%10s\n\n", tasks, per_minute(x->jobs, x->real_ns, 2).text, jti, per_minute(each, x->real_ns, 4).text,
		text_decimal(x->real_ns, NSEC_PER_SEC, 2).text, text_decimal(x->cpu_ns, NSEC_PER_SEC, 2).text);
	say("Tasks\tJobs/Min\tJTI\tReal\tCPU\tJobs/sec/task\n");
	say("%u\t%s\t%u\t%s\t%s\t%s\n", tasks, per_minute(x->jobs, x->real_ns, 1).text, jti,
		text_decimal(x->real_ns, NSEC_PER_SEC, 1).text, text_decimal(x->cpu_ns, NSEC_PER_SEC, 1).text,
		text_decimal(each * NSEC_PER_SEC, x->real_ns, 4).text);
}

static void put_result(struct run *r, const struct result *x)
{
	run_metric(r, "jobs", x->jobs);
	run_metric(r, "jobs_per_min_x100", x->jobs * 60 * 100 * NSEC_PER_SEC / x->real_ns);
	run_metric(r, "jti", x->jti);
	run_metric(r, "real_ns", x->real_ns);
	run_metric(r, "cpu_ns", x->cpu_ns);
}

/* Each task's count becomes the time it took, from the start to its last job, in microseconds. */
static u64 judge_times(struct run *r, u64 tasks)
{
	struct spread times;

	r->nr_counts = (unsigned)tasks;
	for (u64 i = 0; i < tasks; i++)
		r->count[i] -= r->start_ns;
	times = spread_of(r->count, r->nr_counts);
	for (u64 i = 0; i < tasks; i++)
		r->count[i] /= NSEC_PER_USEC;
	return job_timing_index(&times);
}

static const char *judge_work(const struct bench *b)
{
	if (b->wrong)
		return "messages were lost, repeated or damaged";
	return b->jobs == b->o->tasks * jobs_per_task() ? "ok" : "jobs were skipped or repeated";
}

/* ---- the parent ---- */

static struct worker *worker_new(struct bench *b)
{
	struct worker *w = mem_alloc(sizeof(*w));

	if (!w)
		return NULL;
	w->bench = b;
	w->number = b->spawned;
	w->random = run_seed(w->number);
	for (u32 i = 0; i < ARRAY_SIZE(mix); i++)
		w->left[i] = jobs_of(&mix[i]);
	w->all_left = jobs_per_task();
	mutex_init(&w->semaphore);
	w->self = channel_new(TRANSPORT_UNIX, sizeof(w->message));
	return w->self ? w : NULL;
}

static bool spawn(struct bench *b)
{
	struct worker *w = worker_new(b);

	if (!w || !task_spawn("aim7", worker, w, true))
		return false;
	b->spawned++;
	return true;
}

static void await_all(struct bench *b)
{
	int number;

	for (u64 i = 0; i < b->spawned; i++)
		channel_receive(b->ready, &number, sizeof(number));
}

static void start_and_reap(struct bench *b)
{
	gate_open(&b->start);
	for (u64 i = 0; i < b->spawned; i++)
		task_reap(REAP_ANY);
}

static void measure(struct bench *b, struct run *r)
{
	u64 ready_ns = machine_clock_ns(), pause_ns;
	struct result x = { .tasks = b->o->tasks };

	sleep_ns(b->o->pause_ms * NSEC_PER_MSEC);
	run_begin(r);
	pause_ns = r->start_ns - ready_ns;
	start_and_reap(b);
	run_finish(r);
	x.jobs = b->jobs;
	x.cpu_ns = b->cpu_ns;
	x.real_ns = r->elapsed_ns + (b->o->clock == CLOCK_ORIGINAL ? pause_ns : 0);
	x.jti = judge_times(r, x.tasks);
	if (b->o->mix)
		say_mix(b->o);
	say_result(&x);
	put_result(r, &x);
	r->status = judge_work(b);
}

static void run(const void *options, struct run *r)
{
	struct bench b = { .o = options, .run = r, .ready = channel_new(TRANSPORT_PIPE, sizeof(int)) };

	r->status = "not enough memory for so many tasks";
	if (!b.ready)
		return;
	gate_init(&b.start);
	while (b.spawned < b.o->tasks && spawn(&b))
		;
	b.called_off = b.spawned < b.o->tasks;
	await_all(&b);
	if (b.called_off)
		start_and_reap(&b);
	else
		measure(&b, r);
}

const struct workload aim7 = {
	.name = "aim7",
	.purpose = "AIM7's compute mix: tasks that start together, each with 101 jobs and nothing to do with the others",
	.options = option_table,
	.arguments = argument_table,
	.nr_required = 1,
	.defaults = &defaults,
	.options_bytes = sizeof(struct options),
	.figure = "jobs_per_min_x100",
	.more_is_better = true,
	.run = run,
};
