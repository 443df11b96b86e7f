/* SPDX-License-Identifier: GPL-2.0-or-later
 * tbench: pairs of a client and a server at the two ends of a TCP connection, one request or reply under way in each: a file
 * server's traffic without the files (workloads.md 4.2). Protocol, mix of requests, start and figures are those of version 4.
 *
 * Unlike it, this one looks at what arrives: every message has its number at its beginning, in every 256 bytes and at its end, and
 * one lost, repeated or damaged there fails the run.
 */
#include "workloads/workload.h"

#include "base/mem.h"
#include "base/random.h"
#include "base/text.h"
#include "ipc/channel.h"
#include "ipc/gate.h"
#include "ipc/sleep.h"

/* Of the classic's 600 seconds the shortest time that still has a warm-up. */
enum { DEFAULT_SECONDS = 5, WARM_UP_PART = 5 };

struct options {
	u64 pairs, seconds, ops, op_ns;
};

static const struct option option_table[] = {
	NUMBER_OPTION('t', "timelimit", seconds, 1, 86400, "seconds that count, after a warm-up of a fifth; 5 if there is no -n"),
	NUMBER_OPTION('n', "ops", ops, 1, 1000000000, "requests of each client, instead of a time"),
	NUMBER_OPTION(0, "op-ns", op_ns, 0, 1000000000, "CPU time that a request takes the server, apart from messages"),
	{ 0 },
};

static const struct option argument_table[] = {
	ARGUMENT("nprocs", pairs, 1, MAX_COUNTS, "clients, each with a server"),
	{ 0 },
};

static const struct options defaults = { .pairs = 1 };

static int check(void *options, char *error)
{
	struct options *o = options;

	if (o->seconds && o->ops)
		return options_refuse(&tbench, "either a time limit or a number of requests", error);
	if (!o->seconds && !o->ops)
		o->seconds = DEFAULT_SECONDS;
	return 0;
}

/* ---- what clients ask for ---- */

enum { SHARES = 10000, CLASSES = 16, MOST_SIZES = 5, PAYLOAD_HEADER = 59, LONGEST = 65595 };

struct size {
	u32 sixteenths, request, reply;
};

static const struct op {
	const char *name;
	u32 share;
	enum { NOWHERE, IN_REQUEST, IN_REPLY } payload; /* of files, which alone makes the throughput */
	struct size size[MOST_SIZES];
} op_table[] = {
#define OP(name, share, payload, ...) { name, share, payload, { __VA_ARGS__ } },
#include "workloads/tbench_ops.def"
#undef OP
};

enum { NR_OPS = ARRAY_SIZE(op_table) };

static unsigned draw_op(u64 *random)
{
	u64 share = random_next(random) % SHARES;
	unsigned op = 0;

	for (; share >= op_table[op].share; op++)
		share -= op_table[op].share;
	return op;
}

static const struct size *draw_size(const struct op *op, u64 *random)
{
	const struct size *s = op->size;

	for (u64 class = random_next(random) % CLASSES; class >= s->sixteenths; s++)
		class -= s->sixteenths;
	return s;
}

static u32 payload(const struct op *op, const struct size *s)
{
	switch (op->payload) {
	case IN_REQUEST:
		return s->request - PAYLOAD_HEADER;
	case IN_REPLY:
		return s->reply - PAYLOAD_HEADER;
	default:
		return 0;
	}
}

/* ---- messages ---- */

/* The first word of a message says how much follows it, to whoever has read only that word. */
struct header {
	u32 rest, other_rest; /* big-endian: of this message, and of its counterpart */
	u64 number;	      /* of the request, from 1; a reply has its complement */
};

enum { WORD = sizeof(u32), STRIDE = 256 };

static struct header header(u32 bytes, u32 other_bytes, u64 number)
{
	return (struct header){ __builtin_bswap32(bytes - WORD), __builtin_bswap32(other_bytes - WORD), number };
}

/* What is written at that place of a message: neither of another message nor from elsewhere in this one. */
static u64 mark(u64 number, u32 at)
{
	return number ^ (u64)at << 32;
}

static void put_mark(char *buffer, u64 number, u32 at)
{
	u64 m = mark(number, at);

	memcpy(buffer + at, &m, sizeof(m));
}

static bool has_mark(const char *buffer, u64 number, u32 at)
{
	u64 m;

	memcpy(&m, buffer + at, sizeof(m));
	return m == mark(number, at);
}

/* A mark in every stride, not more, or looking would cost as much as what is looked at; and one at the end that overlaps none. */
static void stamp(char *buffer, u32 bytes, u32 other_bytes, u64 number)
{
	struct header h = header(bytes, other_bytes, number);
	u32 last = bytes - (u32)sizeof(number);

	memcpy(buffer, &h, sizeof(h));
	for (u32 at = sizeof(h); at + sizeof(number) <= last; at += STRIDE)
		put_mark(buffer, number, at);
	put_mark(buffer, number, last);
}

static bool is_expected(const char *buffer, u32 bytes, u32 other_bytes, u64 number)
{
	struct header h = header(bytes, other_bytes, number);
	u32 last = bytes - (u32)sizeof(number);

	if (memcmp(buffer, &h, sizeof(h)) || !has_mark(buffer, number, last))
		return false;
	for (u32 at = sizeof(h); at + sizeof(number) <= last; at += STRIDE)
		if (!has_mark(buffer, number, at))
			return false;
	return true;
}

/* ---- what is shared ---- */

struct tally {
	u64 count, bytes, sum_ns, most_ns;
};

struct bench {
	const struct options *o;
	struct pair *pair;
	struct channel *connect, *ready;
	struct gate start;
	u64 begin_ns, end_ns; /* of what counts, set before the gate opens */
	u64 clients, accepted;
	bool called_off; /* before the gate opens: memory is out */
};

struct pair {
	struct bench *bench;
	u64 number;
	struct channel *request, *reply;
	/* The request under way, the client's to write while there is none; sizes 0: no more will come. What is on the wire is
	 * compared with this rather than believed: were a length wrong there, both sides would wait for ever. */
	struct size asked;
	u64 asked_number;
	char *client_buffer, *server_buffer;
	u64 served, wrong_requests; /* the server's */
	u64 wrong_replies;	    /* the client's */
	struct tally tally[NR_OPS]; /* the client's */
};

/* Each message takes two reads, as the length is not known before. */
static void receive_length(struct channel *c, char *buffer)
{
	channel_receive(c, buffer, WORD);
}

static void receive_rest(struct channel *c, char *buffer, u32 bytes)
{
	channel_receive(c, buffer + WORD, bytes - WORD);
}

/* ---- the servers ---- */

/* False: the client has closed the connection. */
static bool receive_request(struct pair *p)
{
	receive_length(p->request, p->server_buffer);
	if (!p->asked.request)
		return false;
	receive_rest(p->request, p->server_buffer, p->asked.request);
	p->wrong_requests += !is_expected(p->server_buffer, p->asked.request, p->asked.reply, p->asked_number);
	return true;
}

static void server(void *argument)
{
	struct pair *p = argument;
	u64 op_ns = p->bench->o->op_ns;

	while (receive_request(p)) {
		if (op_ns)
			machine_work_ns(op_ns);
		p->served++;
		stamp(p->server_buffer, p->asked.reply, p->asked.request, ~p->asked_number);
		channel_send(p->reply, p->server_buffer, p->asked.reply);
	}
}

static const u64 no_more = ~0ull;

static void say_ready(struct bench *b)
{
	char ready = 0;

	channel_send(b->ready, &ready, 1);
}

/* Makes a server of its own for each client that connects. */
static void listener(void *argument)
{
	struct bench *b = argument;
	u64 number;

	channel_receive(b->connect, &number, sizeof(number));
	while (number != no_more) {
		b->accepted += task_spawn("tbench_srv", server, &b->pair[number], true) != NULL;
		channel_receive(b->connect, &number, sizeof(number));
	}
	say_ready(b);
	for (u64 i = 0; i < b->accepted; i++)
		task_reap(REAP_ANY);
}

/* ---- the clients ---- */

static void transact(struct pair *p, const struct size *s)
{
	u64 number = ++p->asked_number;

	p->asked = *s;
	stamp(p->client_buffer, s->request, s->reply, number);
	channel_send(p->request, p->client_buffer, s->request);
	receive_length(p->reply, p->client_buffer);
	receive_rest(p->reply, p->client_buffer, s->reply);
	p->wrong_replies += !is_expected(p->client_buffer, s->reply, s->request, ~number);
}

static void count(struct tally *t, u64 bytes, u64 ns)
{
	t->count++;
	t->bytes += bytes;
	t->sum_ns += ns;
	t->most_ns = max_u64(t->most_ns, ns);
}

/* The clock is read once for each request: when one ends the next begins. */
static void converse(struct pair *p)
{
	const struct bench *b = p->bench;
	u64 most = b->o->ops ? b->o->ops : ~0ull, random = run_seed(p->number), now = machine_clock_ns();

	while (p->asked_number < most && now < b->end_ns) {
		unsigned op = draw_op(&random);
		const struct size *s = draw_size(&op_table[op], &random);
		u64 asked_ns = now;

		transact(p, s);
		now = machine_clock_ns();
		if (asked_ns >= b->begin_ns && now <= b->end_ns)
			count(&p->tally[op], payload(&op_table[op], s), now - asked_ns);
	}
}

static void hang_up(struct pair *p)
{
	u32 nothing = 0;

	p->asked = (struct size){ 0 };
	channel_send(p->request, &nothing, sizeof(nothing));
}

static void client(void *argument)
{
	struct pair *p = argument;
	struct bench *b = p->bench;

	channel_send(b->connect, &p->number, sizeof(p->number));
	say_ready(b);
	gate_pass(&b->start);
	if (!b->called_off) {
		machine_work_ns(run_stagger_ns(p->number));
		converse(p);
	}
	hang_up(p);
}

/* ---- the parent ---- */

static bool pair_prepare(struct bench *b, u64 number)
{
	struct pair *p = &b->pair[number];

	*p = (struct pair){ .bench = b,
		.number = number,
		.request = channel_new(TRANSPORT_TCP, LONGEST),
		.reply = channel_new(TRANSPORT_TCP, LONGEST),
		.client_buffer = mem_alloc(LONGEST),
		.server_buffer = mem_alloc(LONGEST) };
	return p->request && p->reply && p->client_buffer && p->server_buffer;
}

static bool prepare(struct bench *b)
{
	gate_init(&b->start);
	b->pair = mem_alloc(b->o->pairs * sizeof(*b->pair));
	b->connect = channel_new(TRANSPORT_TCP, sizeof(u64));
	b->ready = channel_new(TRANSPORT_UNIX, 1);
	for (u64 i = 0; b->pair && i < b->o->pairs; i++)
		if (!pair_prepare(b, i))
			return false;
	return b->pair && b->connect && b->ready;
}

static void await_ready(struct bench *b, u64 nr)
{
	char ready;

	for (u64 i = 0; i < nr; i++)
		channel_receive(b->ready, &ready, 1);
}

/* On return all clients that could be made are at the gate, and have the servers that could be made. */
static void connect_all(struct bench *b)
{
	while (b->clients < b->o->pairs && task_spawn("tbench", client, &b->pair[b->clients], true))
		b->clients++;
	await_ready(b, b->clients);
	channel_send(b->connect, &no_more, sizeof(no_more));
	await_ready(b, 1);
	b->called_off = b->accepted < b->o->pairs;
}

static void reap_all(struct bench *b)
{
	enum { LISTENER = 1 };

	for (u64 i = 0; i < b->clients + LISTENER; i++)
		task_reap(REAP_ANY);
}

/* The warm-up is over before the run is said to begin. */
static void open_gate(struct bench *b, struct run *r)
{
	u64 warm_up_ns = b->o->seconds / WARM_UP_PART * NSEC_PER_SEC;

	b->begin_ns = b->o->ops ? 0 : machine_clock_ns() + warm_up_ns;
	b->end_ns = b->o->ops ? ~0ull : b->begin_ns + b->o->seconds * NSEC_PER_SEC;
	if (!warm_up_ns)
		run_begin(r);
	gate_open(&b->start);
	if (!warm_up_ns)
		return;
	sleep_ns(warm_up_ns);
	run_begin(r);
}

/* ---- figures ---- */

struct sums {
	struct tally op[NR_OPS], all;
	u64 asked, served, wrong;
	u64 span_ns; /* in which all was counted */
};

static void add(struct tally *to, const struct tally *t)
{
	to->count += t->count;
	to->bytes += t->bytes;
	to->sum_ns += t->sum_ns;
	to->most_ns = max_u64(to->most_ns, t->most_ns);
}

/* Returns how many requests count. */
static u64 add_pair(struct sums *s, const struct pair *p)
{
	u64 before = s->all.count;

	for (unsigned op = 0; op < NR_OPS; op++) {
		add(&s->op[op], &p->tally[op]);
		add(&s->all, &p->tally[op]);
	}
	s->asked += p->asked_number;
	s->served += p->served;
	s->wrong += p->wrong_requests + p->wrong_replies + (p->served != p->asked_number);
	return s->all.count - before;
}

static struct sums sum_up(const struct bench *b, struct run *r)
{
	struct sums s = { .span_ns = max_u64(b->o->ops ? r->elapsed_ns : b->o->seconds * NSEC_PER_SEC, 1) };

	r->nr_counts = (unsigned)b->o->pairs;
	for (u64 i = 0; i < b->o->pairs; i++)
		r->count[i] = add_pair(&s, &b->pair[i]);
	return s;
}

/* Halved until the product fits: what is lost then is far behind the digits that matter. */
static u64 per_second(u64 amount, u64 ns)
{
	while (amount > ~0ull / NSEC_PER_SEC) {
		amount /= 2;
		ns /= 2;
	}
	return amount * NSEC_PER_SEC / max_u64(ns, 1);
}

static void note_metrics(struct run *r, const struct sums *s)
{
	run_metric(r, "ops", s->all.count);
	run_metric(r, "bytes", s->all.bytes);
	run_metric(r, "throughput_kb_per_sec", per_second(s->all.bytes, s->span_ns) / 1000);
	run_metric(r, "ops_per_sec", per_second(s->all.count, s->span_ns));
	run_metric(r, "max_latency_ns", s->all.most_ns);
	run_metric(r, "server_ops", s->served - (s->asked - s->all.count)); /* less what its client did not count */
}

static void say_op(const char *name, const struct tally *t)
{
	if (t->count)
		say(" %-9s %10llu %9s %9s\n", name, (unsigned long long)t->count,
			text_decimal(t->sum_ns, t->count * NSEC_PER_MSEC, 3).text, text_decimal(t->most_ns, NSEC_PER_MSEC, 3).text);
}

/* As %g has it, but for exponents: six digits that count, no zeros behind them. */
static struct text_decimal six_digits(u64 numerator, u64 denominator)
{
	u64 whole = numerator / denominator;
	unsigned digits = 6;
	struct text_decimal d;
	char *last;

	for (u64 n = whole; n && digits; n /= 10)
		digits--;
	for (u64 n = whole ? 0 : 10 * numerator; n && n < denominator; n *= 10)
		digits++;
	d = text_decimal(numerator, denominator, digits);
	last = d.text + strlen(d.text) - 1;
	for (; strchr(d.text, '.') && (*last == '0' || *last == '.'); last--)
		*last = '\0';
	return d;
}

/* Bytes per microsecond are decimal megabytes per second. */
static void say_figures(const struct bench *b, const struct sums *s)
{
	unsigned long long pairs = b->o->pairs;

	say("\n Operation      Count    AvgLat    MaxLat\n ----------------------------------------\n");
	for (unsigned op = 0; op < NR_OPS; op++)
		say_op(op_table[op].name, &s->op[op]);
	say("\nThroughput %s MB/sec  %llu clients  %llu procs  max_latency=%s ms\n",
		six_digits(s->all.bytes * NSEC_PER_USEC, s->span_ns).text, pairs, pairs,
		text_decimal(s->all.most_ns, NSEC_PER_MSEC, 3).text);
}

static void measure(struct bench *b, struct run *r)
{
	struct sums s;

	open_gate(b, r);
	reap_all(b);
	run_finish(r);
	s = sum_up(b, r);
	say_figures(b, &s);
	note_metrics(r, &s);
	r->status = s.wrong ? "messages were lost, repeated or damaged" : "ok";
}

static void run(const void *options, struct run *r)
{
	struct bench b = { .o = options };

	r->status = "not enough memory for so many tasks and connections";
	if (!prepare(&b) || !task_spawn("tbench_srv", listener, &b, true))
		return;
	connect_all(&b);
	if (!b.called_off) {
		measure(&b, r);
		return;
	}
	gate_open(&b.start);
	reap_all(&b);
}

const struct workload tbench = {
	.name = "tbench",
	.purpose = "pairs of a client and a server, a request or a reply under way in each: a file server's traffic",
	.options = option_table,
	.arguments = argument_table,
	.defaults = &defaults,
	.options_bytes = sizeof(struct options),
	.check = check,
	.figure = "throughput_kb_per_sec",
	.more_is_better = true,
	.run = run,
};
