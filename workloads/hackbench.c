/* SPDX-License-Identifier: GPL-2.0-or-later
 * hackbench: groups of senders and receivers, every sender writing to every receiver of its group (workloads.md 2). Options, order
 * of creation, start gate, measured interval and output lines are those of the one in rt-tests.
 *
 * Unlike it, this one looks at what arrives: each message says who sent it and how many that one had sent before, and the rest is
 * checked byte by byte; a message lost, repeated or damaged fails the run.
 */
#include "workloads/workload.h"

#include "base/mem.h"
#include "base/text.h"
#include "ipc/channel.h"

struct options {
	u64 groups, fds, loops, bytes, threads, fifo;
	u64 pipe, rules, inet, transport; /* the last follows from the others */
	u64 sync;
};

/* The index of each is that of its transport behind TRANSPORT_PIPE. */
enum { RULES_NEW, RULES_6_1, RULES_5_4, RULES_NOT_GIVEN };
static const char *const rules[] = { "new", "6.1", "5.4", NULL };

_Static_assert(
	TRANSPORT_PIPE + RULES_6_1 == TRANSPORT_PIPE_6_1 && TRANSPORT_PIPE + RULES_5_4 == TRANSPORT_PIPE_5_4, "one order for both");

static const struct option option_table[] = {
	NUMBER_OPTION('g', "groups", groups, 1, 1000, "groups of tasks that talk among themselves"),
	NUMBER_OPTION('f', "fds", fds, 1, 1000, "senders, and as many receivers, in a group"),
	NUMBER_OPTION('l', "loops", loops, 1, 1000000000, "messages from each sender to each receiver"),
	NUMBER_OPTION('s', "datasize", bytes, 1, 65536, "bytes in a message"),
	FLAG_OPTION('p', "pipe", pipe, 1, "pipes instead of stream sockets"),
	CHOICE_OPTION(
		0, "pipe-rules", rules, rules, "with -p: who is woken as in that Linux, 6.1 for 5.6 to 6.12, 5.4 for all before"),
	FLAG_OPTION('i', "inet", inet, 1, "TCP over loopback instead of stream sockets"),
	FLAG_OPTION(0, "no-sync", sync, 0, "wakeups without the hint that the waker is about to sleep"),
	FLAG_OPTION('T', "threads", threads, 1, "tasks that share an address space"),
	FLAG_OPTION('P', "processes", threads, 0, "tasks with an address space each"),
	FLAG_OPTION('F', "fifo", fifo, 1, "the parent is SCHED_FIFO 1 once it has made all workers"),
	{ 0 },
};

static const struct options defaults = { .groups = 10, .fds = 20, .loops = 100, .bytes = 100, .rules = RULES_NOT_GIVEN, .sync = 1 };

static int check(void *options, char *error)
{
	struct options *o = options;

	if (o->pipe && o->inet)
		return options_refuse(&hackbench, "-p and -i exclude each other", error);
	if (o->rules != RULES_NOT_GIVEN && !o->pipe)
		return options_refuse(&hackbench, "--pipe-rules needs -p", error);
	o->transport = o->inet ? TRANSPORT_TCP : TRANSPORT_UNIX;
	if (o->pipe)
		o->transport = TRANSPORT_PIPE + o->rules % RULES_NOT_GIVEN;
	return 0;
}

/* ---- what is shared ---- */

struct bench {
	const struct options *o;
	struct channel *ready, *wake;
	u32 wrong;	 /* atomic; messages that were not as sent */
	bool called_off; /* before the gate opens: memory is out */
	u32 spawned;
	struct task **worker;
};

struct worker {
	struct bench *bench;
	struct channel **channels; /* of its group */
	u32 index;		   /* in its group: which channel it reads, or who it is as a sender */
	u32 number;		   /* among all workers */
	char *buffer;
	u32 *next; /* receiver: number of the next message from each sender */
};

/* ---- messages ---- */

/*
 * A message begins with its origin, and the rest is the '-' of rt-tests. Not where there is no room, nor where a message arrives in
 * pieces that mix with those of other senders, as writes of more than a page do on a pipe: there all of it is '-'.
 */
struct stamp {
	u32 sender, number;
};

enum { PIPE_ATOMIC = 4096 };

static bool has_stamp(const struct options *o)
{
	return o->bytes >= sizeof(struct stamp) && (!o->pipe || o->bytes <= PIPE_ATOMIC);
}

static void fill(char *buffer, size_t bytes)
{
	memset(buffer, '-', bytes);
}

static void stamp(const struct worker *w, u32 number)
{
	struct stamp s = { w->index, number };

	if (has_stamp(w->bench->o))
		memcpy(w->buffer, &s, sizeof(s));
}

static bool is_filled(const char *s, size_t n)
{
	const u64 pattern = '-' * 0x0101010101010101ull;

	for (; n >= sizeof(pattern); s += sizeof(pattern), n -= sizeof(pattern)) {
		u64 word;

		memcpy(&word, s, sizeof(word));
		if (word != pattern)
			return false;
	}
	for (; n; s++, n--)
		if (*s != '-')
			return false;
	return true;
}

static bool is_expected(struct worker *w)
{
	const struct options *o = w->bench->o;
	struct stamp s;

	if (!has_stamp(o))
		return is_filled(w->buffer, o->bytes);
	memcpy(&s, w->buffer, sizeof(s));
	return s.sender < o->fds && s.number == w->next[s.sender]++ && is_filled(w->buffer + sizeof(s), o->bytes - sizeof(s));
}

/* ---- the workers ---- */

/* One byte says "I am here"; then wait for the gate, whose byte nobody ever takes. */
static bool wait_for_gate(struct worker *w)
{
	struct bench *b = w->bench;
	char here = 0;

	channel_send(b->ready, &here, 1);
	channel_poll(b->wake);
	machine_work_ns(run_stagger_ns(w->number));
	return !b->called_off;
}

static void sender(void *argument)
{
	struct worker *w = argument;
	const struct options *o = w->bench->o;

	if (!wait_for_gate(w))
		return;
	fill(w->buffer, o->bytes);
	for (u32 loop = 0; loop < o->loops; loop++) {
		stamp(w, loop);
		machine_charge(COST_STAMP, 1);
		for (u32 i = 0; i < o->fds; i++)
			channel_send(w->channels[i], w->buffer, o->bytes);
	}
}

static void receiver(void *argument)
{
	struct worker *w = argument;
	const struct options *o = w->bench->o;
	u32 wrong = 0;

	if (!wait_for_gate(w))
		return;
	for (u64 left = o->fds * o->loops; left; left--) {
		channel_receive(w->channels[w->index], w->buffer, o->bytes);
		wrong += !is_expected(w);
		machine_charge(COST_CHECK, 1);
	}
	__atomic_add_fetch(&w->bench->wrong, wrong, __ATOMIC_RELAXED);
}

/* ---- the parent ---- */

static struct worker *worker_new(struct bench *b, struct channel **channels, u32 index, bool receives)
{
	struct worker *w = mem_alloc(sizeof(*w));

	if (!w)
		return NULL;
	*w = (struct worker){
		.bench = b, .channels = channels, .index = index, .number = b->spawned, .buffer = mem_alloc(b->o->bytes)
	};
	if (receives)
		w->next = mem_alloc(b->o->fds * sizeof(*w->next));
	return w->buffer && (w->next || !receives) ? w : NULL;
}

static int spawn(struct bench *b, struct channel **channels, u32 index, bool receives)
{
	struct worker *w = worker_new(b, channels, index, receives);
	struct task *t = w ? task_spawn(receives ? "receiver" : "sender", receives ? receiver : sender, w, !b->o->threads) : NULL;

	if (!t)
		return -E_NOMEM;
	b->worker[b->spawned++] = t;
	return 0;
}

static struct channel *new_channel(const struct options *o, size_t most_bytes)
{
	struct channel *c = channel_new((enum transport)o->transport, most_bytes);

	if (c)
		channel_set_sync(c, o->sync);
	return c;
}

/* Receivers as their channels are made, then the senders: R0..R(F-1), S0..S(F-1). */
static int spawn_group(struct bench *b)
{
	const struct options *o = b->o;
	struct channel **channels = mem_alloc(o->fds * sizeof(*channels));

	for (u32 i = 0; channels && i < o->fds; i++) {
		channels[i] = new_channel(o, o->bytes);
		if (!channels[i] || spawn(b, channels, i, true))
			return -E_NOMEM;
	}
	for (u32 i = 0; channels && i < o->fds; i++)
		if (spawn(b, channels, i, false))
			return -E_NOMEM;
	return channels ? 0 : -E_NOMEM;
}

static int prepare(struct bench *b)
{
	const struct options *o = b->o;

	b->worker = mem_alloc(2 * o->groups * o->fds * sizeof(*b->worker));
	b->ready = new_channel(o, 1);
	b->wake = new_channel(o, 1);
	return b->worker && b->ready && b->wake ? 0 : -E_NOMEM;
}

static int spawn_all(struct bench *b)
{
	for (u64 g = 0; g < b->o->groups; g++)
		if (spawn_group(b))
			return -E_NOMEM;
	return 0;
}

static void await_all(struct bench *b)
{
	char here;

	for (u32 i = 0; i < b->spawned; i++)
		channel_receive(b->ready, &here, 1);
}

/* Processes are reaped as they end, threads joined in the order of their creation. */
static void reap_all(struct bench *b)
{
	for (u32 i = 0; i < b->spawned; i++)
		task_reap(b->o->threads ? b->worker[i] : REAP_ANY);
}

static void say_header(const struct options *o)
{
	unsigned long long tasks = 2 * o->groups * o->fds;

	say("Running in %s mode with %llu groups using %llu file descriptors each (== %llu tasks)\n",
		o->threads ? "threaded" : "process", (unsigned long long)o->groups, (unsigned long long)(2 * o->fds), tasks);
	say("Each sender will pass %llu messages of %llu bytes\n", (unsigned long long)o->loops, (unsigned long long)o->bytes);
}

static void open_gate(struct bench *b)
{
	char go = 0;

	channel_send(b->wake, &go, 1);
}

static void measure(struct bench *b, struct run *r)
{
	run_begin(r);
	open_gate(b);
	reap_all(b);
	run_finish(r);
	say("Time: %llu.%03llu\n", (unsigned long long)(r->elapsed_ns / NSEC_PER_SEC),
		(unsigned long long)(r->elapsed_ns % NSEC_PER_SEC / NSEC_PER_MSEC));
	run_metric(r, "messages", b->o->groups * b->o->fds * b->o->fds * b->o->loops);
	r->status = b->wrong ? "messages were lost, repeated or damaged" : "ok";
}

static void run(const void *options, struct run *r)
{
	struct bench b = { .o = options };

	say_header(b.o);
	r->status = "not enough memory for so many tasks and channels";
	if (prepare(&b))
		return;
	b.called_off = spawn_all(&b);
	if (b.o->fifo)
		task_set_realtime(current(), POLICY_FIFO, 1);
	await_all(&b);
	if (b.called_off) {
		open_gate(&b);
		reap_all(&b);
	} else {
		measure(&b, r);
	}
	if (b.o->fifo)
		task_set_policy(current(), POLICY_NORMAL);
}

const struct workload hackbench = {
	.name = "hackbench",
	.purpose = "groups of senders and receivers, every sender writing to every receiver of its group",
	.options = option_table,
	.defaults = &defaults,
	.options_bytes = sizeof(struct options),
	.check = check,
	.run = run,
};
