/* SPDX-License-Identifier: GPL-2.0-or-later
 * cyclictest: threads that sleep until instants fixed beforehand, one period after the other, and note by how much they are late
 * (workloads.md 4.7). Options and lines are those of the one in rt-tests.
 *
 * Unlike it, a thread cannot be interrupted in its sleep: at the end of the run each one is waited for until its next instant.
 */
#include "workloads/workload.h"

#include "base/histogram.h"
#include "base/mem.h"
#include "base/text.h"
#include "ipc/sleep.h"

struct options {
	u64 threads, interval_us, distance_us, loops, seconds, run_ms;
	u64 priority, policy, spread;
	u64 lines, nanoseconds;
};

/* In the order of enum task_policy. */
static const char *const policies[] = { "other", "batch", "idle", "fifo", "rr", NULL };
static_assert(ARRAY_SIZE(policies) == POLICY_RR + 2, "a word for each policy");

static const struct option option_table[] = {
	NUMBER_OPTION('t', "threads", threads, 1, MAX_COUNTS, "threads"),
	NUMBER_OPTION('i', "interval", interval_us, 1, 1000000, "microseconds, the period of the first thread"),
	NUMBER_OPTION('d', "distance", distance_us, 0, 1000000, "microseconds by which the period of each further one is longer"),
	NUMBER_OPTION('l', "loops", loops, 1, 1000000000, "cycles after which the first thread that has made them ends the run"),
	NUMBER_OPTION('D', "duration", seconds, 1, 86400, "seconds to run"),
	NUMBER_OPTION(0, "run-ms", run_ms, 1, 86400000, "milliseconds to run, instead of duration"),
	NUMBER_OPTION('p', "priority", priority, 1, 99, "real-time priority, first in first out where no policy is given"),
	CHOICE_OPTION(0, "policy", policy, policies, "scheduling policy"),
	FLAG_OPTION(0, "priospread", spread, 1, "each further thread has a priority lower by one"),
	NUMBER_OPTION('h', "histogram", lines, 1, 100000, "print a histogram of so many lines, one for each microsecond"),
	FLAG_OPTION('N', "nsecs", nanoseconds, 1, "print nanoseconds instead of microseconds"),
	{ 0 },
};

static const struct options defaults = { .threads = 1, .interval_us = 1000, .distance_us = 500 };

static bool is_realtime(const struct options *o)
{
	return o->policy == POLICY_FIFO || o->policy == POLICY_RR;
}

static int check(void *options, char *error)
{
	struct options *o = options;

	if (!o->run_ms)
		o->run_ms = o->seconds * 1000;
	if (o->priority && o->policy == POLICY_NORMAL)
		o->policy = POLICY_FIFO;
	if (is_realtime(o) != !!o->priority)
		return options_refuse(&cyclictest, "a priority is for the policies fifo and rr, and they need one", error);
	if (o->spread && o->priority < o->threads)
		return options_refuse(&cyclictest, "priospread needs a priority of at least the number of threads", error);
	return 0;
}

static bool endless(const void *options)
{
	const struct options *o = options;

	return !o->loops && !o->run_ms;
}

/* ---- the threads ---- */

struct bench {
	const struct options *o;
	struct run *run;
	u64 end_ns; /* TIMER_NEVER: none */
	bool over;  /* atomic; one has made all its cycles */
	u32 early;  /* atomic; wakeups before their time */
};

/* Latencies from 0 to 18 minutes, to 1.6 % of themselves. */
enum { PRECISION_BITS = 5, MAGNITUDE_BITS = 40 };

struct thread {
	struct bench *bench;
	struct task *task;
	u64 number, period_ns;
	u32 id;
	u64 actual_ns; /* the last latency */
	struct histogram latency;
	u64 *line; /* cycles on each line of the histogram to print; NULL: none */
	u64 overflows;
};

/* In what is printed. */
static u64 in_units(const struct options *o, u64 ns)
{
	return o->nanoseconds ? ns : ns / NSEC_PER_USEC;
}

static u64 priority_of(const struct options *o, u64 number)
{
	return o->spread ? o->priority - number : o->priority;
}

static void take_policy(const struct thread *t)
{
	const struct options *o = t->bench->o;

	if (is_realtime(o))
		task_set_realtime(current(), (enum task_policy)o->policy, (unsigned)priority_of(o, t->number));
	else if (o->policy != POLICY_NORMAL)
		task_set_policy(current(), (enum task_policy)o->policy);
}

static bool is_over(const struct bench *b, u64 now)
{
	return READ_ONCE(b->over) || now >= b->end_ns || run_is_over(b->run);
}

static void note(struct thread *t, u64 expiry, u64 now)
{
	const struct options *o = t->bench->o;

	if (now < expiry) {
		__atomic_add_fetch(&t->bench->early, 1, __ATOMIC_RELAXED);
		now = expiry;
	}
	t->actual_ns = now - expiry;
	histogram_add(&t->latency, t->actual_ns);
	if (!t->line)
		return;
	if (in_units(o, t->actual_ns) < o->lines)
		t->line[in_units(o, t->actual_ns)]++;
	else
		t->overflows++;
}

/* Whoever is late by more than a period does not make up for what it has missed. */
static u64 next_expiry(u64 expiry, u64 period_ns, u64 now)
{
	expiry += period_ns;
	return now > expiry ? expiry + (now - expiry + period_ns - 1) / period_ns * period_ns : expiry;
}

static void thread(void *argument)
{
	struct thread *t = argument;
	struct bench *b = t->bench;
	u64 expiry, now;

	t->id = current()->id;
	take_policy(t);
	machine_work_ns(run_stagger_ns(t->number));
	for (expiry = machine_clock_ns() + t->period_ns;; expiry = next_expiry(expiry, t->period_ns, now)) {
		sleep_until_ns(expiry);
		now = machine_clock_ns();
		if (is_over(b, now))
			return;
		note(t, expiry, now);
		if (t->latency.count == b->o->loops) {
			WRITE_ONCE(b->over, true);
			return;
		}
	}
}

/* ---- what is printed ---- */

static u64 least(const struct histogram *h)
{
	return h->count ? h->least : 0;
}

static u64 average(const struct histogram *h)
{
	return h->count ? h->sum / h->count : 0;
}

static void say_thread(const struct options *o, const struct thread *t)
{
	const struct histogram *h = &t->latency;

	say("T:%2d (%5d) P:%2d I:%ld C:%7lu Min:%7ld Act:%5ld Avg:%5ld Max:%8ld\n", (int)t->number, (int)t->id,
		(int)(o->priority ? priority_of(o, t->number) : 0), (long)(t->period_ns / NSEC_PER_USEC), h->count,
		(long)in_units(o, least(h)), (long)in_units(o, t->actual_ns), (long)in_units(o, average(h)),
		(long)in_units(o, h->most));
}

static void say_line(const struct options *o, const struct thread *t, u64 line)
{
	say("%06d ", (int)line);
	for (u64 i = 0; i < o->threads; i++)
		say("%06lu%s", t[i].line[line], i + 1 < o->threads ? "\t" : "\n");
}

static void say_histogram(const struct options *o, const struct thread *t)
{
	say("# Histogram\n");
	for (u64 line = 0; line < o->lines; line++)
		say_line(o, t, line);
	say("# Total:");
	for (u64 i = 0; i < o->threads; i++)
		say(" %09lu", t[i].latency.count - t[i].overflows);
	say("\n# Min Latencies:");
	for (u64 i = 0; i < o->threads; i++)
		say(" %05lu", in_units(o, least(&t[i].latency)));
	say("\n# Avg Latencies:");
	for (u64 i = 0; i < o->threads; i++)
		say(" %05lu", in_units(o, average(&t[i].latency)));
	say("\n# Max Latencies:");
	for (u64 i = 0; i < o->threads; i++)
		say(" %05lu", in_units(o, t[i].latency.most));
	say("\n# Histogram Overflows:");
	for (u64 i = 0; i < o->threads; i++)
		say(" %05lu", t[i].overflows);
	say("\n");
}

/* ---- the parent ---- */

static bool thread_init(struct thread *t, struct bench *b, u64 number)
{
	u32 buckets = histogram_buckets(PRECISION_BITS, MAGNITUDE_BITS);
	u64 *bucket = mem_alloc(buckets * sizeof(*bucket));

	t->bench = b;
	t->number = number;
	t->period_ns = (b->o->interval_us + number * b->o->distance_us) * NSEC_PER_USEC;
	if (b->o->lines)
		t->line = mem_alloc(b->o->lines * sizeof(*t->line));
	if (!bucket || (b->o->lines && !t->line))
		return false;
	histogram_init(&t->latency, PRECISION_BITS, bucket, buckets);
	return true;
}

static struct thread *threads_new(struct bench *b)
{
	struct thread *t = mem_alloc(b->o->threads * sizeof(*t));

	for (u64 i = 0; t && i < b->o->threads; i++)
		if (!thread_init(&t[i], b, i))
			return NULL;
	return t;
}

/* How many there are; fewer than wanted end at their first instant. */
static u64 spawn_all(struct bench *b, struct thread *t)
{
	u64 spawned = 0;

	while (spawned < b->o->threads && (t[spawned].task = task_spawn("cyclictest", thread, &t[spawned], false)))
		spawned++;
	if (spawned < b->o->threads)
		WRITE_ONCE(b->over, true);
	return spawned;
}

static void report(const struct bench *b, struct thread *t, struct run *r)
{
	struct histogram *all = &t[0].latency;

	for (u64 i = 0; i < b->o->threads; i++) {
		say_thread(b->o, &t[i]);
		r->count[r->nr_counts++] = t[i].latency.count;
	}
	if (b->o->lines)
		say_histogram(b->o, t);
	for (u64 i = 1; i < b->o->threads; i++)
		histogram_merge(all, &t[i].latency);
	run_metric(r, "cycles", all->count);
	run_metric(r, "min_ns", least(all));
	run_metric(r, "avg_ns", average(all));
	run_metric(r, "p99_ns", histogram_percentile(all, 99000));
	run_metric(r, "max_ns", all->most);
}

static const char *verdict(const struct bench *b, const struct run *r)
{
	if (b->early)
		return "a timer went off before its time";
	return r->metric[0].value || run_is_over(r) ? "ok" : "no thread has made a cycle";
}

static void run(const void *options, struct run *r)
{
	struct bench b = { .o = options, .run = r, .end_ns = TIMER_NEVER };
	struct thread *t = threads_new(&b);
	u64 spawned;

	r->status = "not enough memory for so many threads and lines";
	if (!t)
		return;
	run_begin(r);
	if (b.o->run_ms)
		b.end_ns = r->start_ns + b.o->run_ms * NSEC_PER_MSEC;
	spawned = spawn_all(&b, t);
	for (u64 i = 0; i < spawned; i++)
		task_reap(t[i].task);
	run_finish(r);
	if (spawned < b.o->threads)
		return;
	report(&b, t, r);
	r->status = verdict(&b, r);
}

const struct workload cyclictest = {
	.name = "cyclictest",
	.purpose = "threads that sleep until instants fixed beforehand, and how late they are",
	.options = option_table,
	.defaults = &defaults,
	.options_bytes = sizeof(struct options),
	.check = check,
	.endless = endless,
	.figure = "p99_ns",
	.run = run,
};
