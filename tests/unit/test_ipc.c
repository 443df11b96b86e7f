/* SPDX-License-Identifier: GPL-2.0-or-later
 * What tasks block on: wait queues, stream sockets, pipes, sleep. Real tasks on one CPU, so that who runs when is known to the
 * step.
 *
 * Expected numbers are those measured on Linux, workloads.md 1, 2.4, 2.5 and 7.1 to 7.4: how many messages a channel takes, after
 * how many reads a blocked writer is released, how many are woken and in which order. A miss means that hackbench would wake other
 * tasks, or more or fewer of them, than it does there. */
#include "tests/unit/machine.h"

#include "base/mem.h"
#include "base/random.h"
#include "ipc/sleep.h"
#include "ipc/transport.h"
#include "sched/rq.h"

/* ---- a class for the other tasks: fair, but each wakeup is noted, and it never preempts the main task, which is plainly fair ----
 */

enum { MOST_WAKES = 128 };

static struct {
	unsigned nr;
	struct {
		struct task *task;
		unsigned flags;
	} wake[MOST_WAKES];
} noted;

static unsigned note_and_select(struct task *t, enum select_kind kind, unsigned wake_flags)
{
	if (kind == SELECT_WAKE) {
		assert_true(noted.nr < MOST_WAKES);
		noted.wake[noted.nr].task = t;
		noted.wake[noted.nr++].flags = wake_flags;
	}
	return fair_class.select_cpu(t, kind, wake_flags);
}

static struct sched_class noting_class;

static void (*test_body)(void);

/* The other tasks are left where they are; the test's process ends with them. */
static void run_body(void *unused)
{
	(void)unused;
	test_body();
	current()->nr_children = 0;
}

/* A body of a test runs as the task "main" of a machine with one CPU. */
static void run_in_task(void (*body)(void))
{
	test_body = body;
	test_machine(1, 1, 1, 1);
	test_boot(SWITCH_STACKS);
	noting_class = fair_class;
	noting_class.select_cpu = note_and_select;
	test_run(run_body, NULL);
}

#define TEST_IN_TASK(name)                                                                                                         \
	static void name##_in_task(void);                                                                                          \
	static void name(void **state)                                                                                             \
	{                                                                                                                          \
		(void)state;                                                                                                       \
		run_in_task(name##_in_task);                                                                                       \
	}                                                                                                                          \
	static void name##_in_task(void)

/* ---- the other tasks ---- */

struct party {
	struct task *task;
	struct channel *channel;
	size_t bytes;	   /* of each message */
	unsigned messages; /* to send or receive */
	unsigned done;	   /* of those */
};

static char buffer[65536];

static void write_messages(void *argument)
{
	struct party *p = argument;

	while (p->done < p->messages) {
		channel_send(p->channel, buffer, p->bytes);
		p->done++;
	}
}

static void read_messages(void *argument)
{
	struct party *p = argument;
	char message[4096];

	while (p->done < p->messages) {
		channel_receive(p->channel, message, p->bytes);
		p->done++;
	}
}

static void poll_once(void *argument)
{
	struct party *p = argument;

	channel_poll(p->channel);
	p->done++;
}

static void start(struct party *p, void (*entry)(void *))
{
	p->task = task_spawn("other", entry, p, false);
	assert_non_null(p->task);
	p->task->class = &noting_class;
}

/* Until all others sleep or have ended. */
static void let_others_run(void)
{
	task_sleep_ns(NSEC_PER_MSEC);
}

/* Start n of them so that number 0 is the first to sleep. */
static void start_all(struct party *p, unsigned n, struct party as, void (*entry)(void *))
{
	for (unsigned i = 0; i < n; i++) {
		p[i] = as;
		start(&p[i], entry);
		let_others_run();
	}
}

static bool sleeps(const struct party *p)
{
	return p->task->state == TASK_SLEEPING;
}

static struct channel *new_channel(enum transport transport, size_t bytes)
{
	struct channel *c = channel_new(transport, bytes);

	assert_non_null(c);
	return c;
}

static void send_n(struct channel *c, size_t bytes, unsigned n)
{
	while (n--)
		channel_send(c, buffer, bytes);
}

static void read_n(struct channel *c, size_t bytes, unsigned n)
{
	static char message[65536];

	while (n--)
		channel_receive(c, message, bytes);
}

/* Wakeups since the last look: those of p[from], p[from + step], ..., all with the sync hint. */
static void expect_wakes(const struct party *p, unsigned n, unsigned from, int step)
{
	assert_int_equal(noted.nr, n);
	for (unsigned i = 0; i < n; i++, from += (unsigned)step) {
		assert_ptr_equal(noted.wake[i].task, p[from].task);
		assert_int_equal(noted.wake[i].flags, WAKE_SYNC);
	}
	noted.nr = 0;
}

/* ---- how much fits (workloads.md 2.4 and 2.5) ---- */

struct capacity {
	size_t bytes;
	unsigned messages;
};

static void expect_capacity(enum transport transport, const struct capacity *want, unsigned n)
{
	for (; n--; want++) {
		struct channel *c = new_channel(transport, want->bytes);
		unsigned taken = 0;

		for (; channel_has_room(c, want->bytes); taken++)
			channel_send(c, buffer, want->bytes);
		if (taken != want->messages)
			fail_msg("%zu bytes: %u messages taken, not %u", want->bytes, taken, want->messages);
		sched_end_run();
		mem_end_run();
	}
}

/* ceil(212992 / charge) with the charges and range edges of 2.4: 768 to 192 bytes, 1280 to 704, 2304 to 1728, 4352 to 3776, then
 * 4864. */
TEST_IN_TASK(test_unix_capacity)
{
	static const struct capacity want[] = { { 1, 278 }, { 100, 278 }, { 192, 278 }, { 193, 167 }, { 200, 167 }, { 512, 167 },
		{ 704, 167 }, { 705, 93 }, { 1000, 93 }, { 1728, 93 }, { 1729, 49 }, { 3776, 49 }, { 3777, 44 }, { 4096, 44 } };

	expect_capacity(TRANSPORT_UNIX, want, ARRAY_SIZE(want));
}

/* 16 * floor(4096 / bytes). */
TEST_IN_TASK(test_pipe_capacity)
{
	static const struct capacity want[] = { { 1, 65536 }, { 100, 640 }, { 200, 320 }, { 512, 128 }, { 1000, 64 }, { 2048, 32 },
		{ 2049, 16 }, { 4095, 16 }, { 4096, 16 } };

	expect_capacity(TRANSPORT_PIPE, want, ARRAY_SIZE(want));
}

/* ---- when a blocked writer is released (7.2, 7.3) ---- */

struct release {
	size_t bytes;
	unsigned accepted, reads, left;
};

/* The writer sleeps once, until that read and no other; what it has waited to send comes last. */
static void expect_release(enum transport transport, const struct release *want)
{
	struct channel *c = new_channel(transport, want->bytes);
	struct party writer = { .channel = c, .bytes = want->bytes, .messages = want->accepted + 1 };

	start(&writer, write_messages);
	let_others_run();
	assert_int_equal(writer.done, want->accepted);
	assert_true(sleeps(&writer));
	read_n(c, want->bytes, want->reads - 1);
	assert_true(sleeps(&writer));
	assert_int_equal(noted.nr, 0);
	read_n(c, want->bytes, 1);
	assert_false(sleeps(&writer));
	expect_wakes(&writer, 1, 0, 1);
	assert_int_equal(writer.task->nr_voluntary, 1);
	let_others_run();
	assert_int_equal(writer.done, want->accepted + 1);
	read_n(c, want->bytes, want->left + 1);
	assert_false(c->ops->has_data(c));
	task_reap(writer.task);
	sched_end_run();
	mem_end_run();
}

static void expect_releases(enum transport transport, const struct release *want, unsigned n)
{
	for (; n--; want++)
		expect_release(transport, want);
}

/* The rows of 2.4 and 7.2; left is floor(53248 / charge), a quarter of the buffer. */
TEST_IN_TASK(test_unix_release)
{
	static const struct release want[] = { { 1, 278, 209, 69 }, { 100, 278, 209, 69 }, { 200, 167, 126, 41 },
		{ 512, 167, 126, 41 }, { 1000, 93, 70, 23 }, { 1729, 49, 37, 12 }, { 3776, 49, 37, 12 }, { 3777, 44, 34, 10 },
		{ 4096, 44, 34, 10 } };

	expect_releases(TRANSPORT_UNIX, want, ARRAY_SIZE(want));
}

/* 7.3: a page's worth of reads. */
TEST_IN_TASK(test_pipe_release)
{
	static const struct release want[] = { { 1, 65536, 4096, 61440 }, { 100, 640, 40, 600 }, { 200, 320, 20, 300 },
		{ 512, 128, 8, 120 }, { 1000, 64, 4, 60 }, { 4096, 16, 1, 15 } };

	expect_releases(TRANSPORT_PIPE, want, ARRAY_SIZE(want));
}

/* ---- how many are released, and in which order (checks 1a, 1b) ---- */

enum { WRITERS = 5 };

/* 1a: one crossing of the threshold wakes all, the one that fell asleep last first. */
TEST_IN_TASK(test_unix_wakes_all_writers)
{
	struct channel *c = new_channel(TRANSPORT_UNIX, 100);
	struct party writer[WRITERS];

	send_n(c, 100, 278);
	start_all(writer, WRITERS, (struct party){ .channel = c, .bytes = 100, .messages = 1 }, write_messages);
	read_n(c, 100, 208);
	expect_wakes(writer, 0, 0, 0);
	read_n(c, 100, 1);
	expect_wakes(writer, WRITERS, WRITERS - 1, -1);
	read_n(c, 100, 20);
	expect_wakes(writer, 0, 0, 0);
	let_others_run();
	for (unsigned i = 0; i < WRITERS; i++)
		assert_int_equal(writer[i].done, 1);
}

/* 1b: one freed page wakes exactly one, the oldest. That one's message takes the page, so nobody is told. With the next page freed
 * the second one finds room in that page instead, leaves the other free and so wakes the third, and so on. */
TEST_IN_TASK(test_pipe_wakes_one_writer)
{
	struct channel *c = new_channel(TRANSPORT_PIPE, 100);
	struct party writer[WRITERS];

	send_n(c, 100, 640);
	start_all(writer, WRITERS, (struct party){ .channel = c, .bytes = 100, .messages = 1 }, write_messages);
	read_n(c, 100, 39);
	expect_wakes(writer, 0, 0, 0);
	read_n(c, 100, 1);
	expect_wakes(writer, 1, 0, 1);
	let_others_run();
	expect_wakes(writer, 0, 0, 0);
	for (unsigned i = 0; i < WRITERS; i++)
		assert_int_equal(writer[i].done, i == 0);
	read_n(c, 100, 39);
	expect_wakes(writer, 0, 0, 0);
	read_n(c, 100, 1);
	expect_wakes(writer, 1, 1, 1);
	let_others_run();
	expect_wakes(writer, WRITERS - 2, 2, 1);
	for (unsigned i = 0; i < WRITERS; i++)
		assert_int_equal(writer[i].done, 1);
}

/* 2.5: a writer that had slept and leaves the pipe with room wakes the next. Three pages are freed before the first one runs: it
 * and two more get in, each woken by the one before; the last finds no page left to pass on. */
TEST_IN_TASK(test_pipe_writers_chain)
{
	struct channel *c = new_channel(TRANSPORT_PIPE, 4096);
	struct party writer[WRITERS];

	send_n(c, 4096, 16);
	start_all(writer, WRITERS, (struct party){ .channel = c, .bytes = 4096, .messages = 1 }, write_messages);
	read_n(c, 4096, 3);
	expect_wakes(writer, 1, 0, 1);
	let_others_run();
	expect_wakes(writer, 2, 1, 1);
	for (unsigned i = 0; i < WRITERS; i++)
		assert_int_equal(writer[i].done, i < 3);
}

/* 2.5: sixteen pages in use are full, whatever room the newest has: a running writer may fill that room, a sleeping one is not
 * woken. */
TEST_IN_TASK(test_pipe_room_in_last_page)
{
	struct channel *c = new_channel(TRANSPORT_PIPE, 4096);
	struct party writer = { .channel = c, .bytes = 4000, .messages = 1 };

	send_n(c, 4096, 15);
	send_n(c, 100, 1);
	assert_false(channel_has_room(c, 4000));
	assert_false(channel_has_room(c, 4096));
	assert_true(channel_has_room(c, 3996));
	start(&writer, write_messages);
	let_others_run();
	assert_true(sleeps(&writer));
	send_n(c, 1000, 2);
	expect_wakes(&writer, 0, 0, 0);
	assert_false(channel_has_room(c, 2000));
	read_n(c, 4095, 1);
	expect_wakes(&writer, 0, 0, 0);
	read_n(c, 1, 1);
	expect_wakes(&writer, 1, 0, 1);
	let_others_run();
	assert_int_equal(writer.done, 1);
}

/* A write of many pages fills what is free, sleeps, and goes on with each page freed. */
TEST_IN_TASK(test_pipe_long_write)
{
	struct channel *c = new_channel(TRANSPORT_PIPE, 65536);
	struct party writer = { .channel = c, .bytes = 65536, .messages = 1 };

	send_n(c, 100, 1);
	start(&writer, write_messages);
	let_others_run();
	assert_true(sleeps(&writer));
	read_n(c, 100, 1);
	expect_wakes(&writer, 1, 0, 1);
	let_others_run();
	assert_int_equal(writer.done, 1);
	read_n(c, 65536, 1);
	assert_false(c->ops->has_data(c));
}

/* ---- waking who waits for data (check 1c) ---- */

/* Two messages back to back make one wakeup: the second finds nobody queued. Once the receiver sleeps again, the next makes
 * another. */
static void expect_one_wake(enum transport transport)
{
	struct channel *c = new_channel(transport, 100);
	struct party reader = { .channel = c, .bytes = 100, .messages = 4 };

	start(&reader, read_messages);
	let_others_run();
	assert_true(sleeps(&reader));
	send_n(c, 100, 2);
	expect_wakes(&reader, 1, 0, 1);
	let_others_run();
	assert_int_equal(reader.done, 2);
	send_n(c, 100, 2);
	expect_wakes(&reader, 1, 0, 1);
	let_others_run();
	assert_int_equal(reader.done, 4);
	assert_int_equal(reader.task->nr_voluntary, 3); /* two sleeps and its end */
}

TEST_IN_TASK(test_unix_two_messages_one_wake)
{
	expect_one_wake(TRANSPORT_UNIX);
}

TEST_IN_TASK(test_pipe_two_messages_one_wake)
{
	expect_one_wake(TRANSPORT_PIPE);
}

/* 2.4: a wakeup for data only if the receiver is asleep on an empty queue. */
TEST_IN_TASK(test_nobody_to_wake)
{
	static const enum transport transport[] = { TRANSPORT_UNIX, TRANSPORT_PIPE };

	for (unsigned i = 0; i < 2; i++) {
		struct channel *c = new_channel(transport[i], 100);
		struct party reader = { .channel = c, .bytes = 100, .messages = 10 };

		send_n(c, 100, 10);
		start(&reader, read_messages);
		let_others_run();
		assert_int_equal(reader.done, 10);
		expect_wakes(&reader, 0, 0, 0);
	}
}

/* ---- the start gate (7.4) ---- */

enum { POLLERS = 40 };

/* One byte wakes all, newest sleeper first, with the sync hint. It is never taken: who polls later does not sleep at all. */
static void expect_gate(enum transport transport)
{
	struct channel *c = new_channel(transport, 1);
	struct party poller[POLLERS], late = { .channel = c };
	char go = 'g', got = 0;

	start_all(poller, POLLERS, (struct party){ .channel = c }, poll_once);
	for (unsigned i = 0; i < POLLERS; i++)
		assert_true(sleeps(&poller[i]) && !poller[i].done);
	channel_send(c, &go, 1);
	expect_wakes(poller, POLLERS, POLLERS - 1, -1);
	let_others_run();
	for (unsigned i = 0; i < POLLERS; i++)
		assert_int_equal(poller[i].done, 1);
	start(&late, poll_once);
	let_others_run();
	assert_int_equal(late.done, 1);
	assert_int_equal(late.task->nr_voluntary, 1); /* its end */
	expect_wakes(&late, 0, 0, 0);
	channel_receive(c, &got, 1);
	assert_int_equal(got, 'g');
	assert_false(c->ops->has_data(c));
}

TEST_IN_TASK(test_unix_gate)
{
	expect_gate(TRANSPORT_UNIX);
}

TEST_IN_TASK(test_pipe_gate)
{
	expect_gate(TRANSPORT_PIPE);
}

/* workloads.md 1: new data on a pipe wakes one reader and all pollers. */
TEST_IN_TASK(test_pipe_reader_and_pollers)
{
	struct channel *c = new_channel(TRANSPORT_PIPE, 100);
	struct party other[4];

	start_all(other, 1, (struct party){ .channel = c, .bytes = 100, .messages = 1 }, read_messages);
	start_all(other + 1, 3, (struct party){ .channel = c }, poll_once);
	send_n(c, 100, 1);
	expect_wakes(other, 4, 3, -1);
	let_others_run();
}

/* ---- hackbench's pattern without receivers (2.6) ---- */

enum { FDS = 20 };

static struct channel *target[FDS];

static void write_rounds(void *argument)
{
	struct party *p = argument;

	for (unsigned round = 0; round < p->messages; round++)
		for (unsigned i = 0; i < FDS; i++) {
			channel_send(target[i], buffer, 100);
			p->done++;
		}
}

/* Returns how many of the 20 senders sleep once all have done what they can. */
static unsigned count_blocked(struct party *sender, unsigned loops)
{
	unsigned blocked = 0;

	for (unsigned i = 0; i < FDS; i++)
		target[i] = new_channel(TRANSPORT_UNIX, 100);
	for (unsigned i = 0; i < FDS; i++) {
		sender[i] = (struct party){ .messages = loops };
		start(&sender[i], write_rounds);
	}
	let_others_run();
	for (unsigned i = 0; i < FDS; i++)
		blocked += sleeps(&sender[i]);
	return blocked;
}

/* -f 20 -l 13: 260 messages to each channel, fewer than the 278 it takes. Nobody sleeps before its end. */
TEST_IN_TASK(test_13_loops_never_block)
{
	struct party sender[FDS];

	assert_int_equal(count_blocked(sender, 13), 0);
	for (unsigned i = 0; i < FDS; i++) {
		assert_int_equal(sender[i].done, 13 * FDS);
		assert_int_equal(sender[i].task->nr_voluntary, 1);
	}
}

/* -f 20 -l 14: 280 are two too many for a channel that nobody reads. */
TEST_IN_TASK(test_14_loops_may_block)
{
	struct party sender[FDS];

	assert_in_range(count_blocked(sender, 14), 1, FDS);
}

/* ---- bytes ---- */

enum { STREAM_BYTES = 300000, MOST_PIECE = 9000 };

struct stream {
	struct channel *channel;
	char data[STREAM_BYTES];
	u64 random;
};

static struct stream stream;

static size_t next_piece(u64 *random, size_t left)
{
	u64 shift = random_next(random) % 13;

	return min_u64(left, 1 + random_next(random) % (MOST_PIECE >> shift));
}

static void write_stream(void *unused)
{
	(void)unused;
	for (size_t at = 0, n; at < STREAM_BYTES; at += n) {
		n = next_piece(&stream.random, STREAM_BYTES - at);
		channel_send(stream.channel, stream.data + at, n);
	}
}

/* Random bytes in random pieces, taken out in other random pieces: the same bytes in the same order, and no more. Seed fixed. */
static void expect_stream(enum transport transport)
{
	char piece[MOST_PIECE];
	u64 random = 2;
	struct task *writer;

	stream.channel = new_channel(transport, MOST_PIECE);
	for (size_t i = 0; i < STREAM_BYTES; i++)
		stream.data[i] = (char)random_next(&random);
	writer = task_spawn("writer", write_stream, NULL, true);
	for (size_t at = 0, n; at < STREAM_BYTES; at += n) {
		n = next_piece(&random, STREAM_BYTES - at);
		channel_receive(stream.channel, piece, n);
		assert_memory_equal(piece, stream.data + at, n);
	}
	task_reap(writer);
	assert_false(stream.channel->ops->has_data(stream.channel));
}

TEST_IN_TASK(test_unix_stream)
{
	expect_stream(TRANSPORT_UNIX);
}

TEST_IN_TASK(test_pipe_stream)
{
	expect_stream(TRANSPORT_PIPE);
}

TEST_IN_TASK(test_tcp_stream)
{
	expect_stream(TRANSPORT_TCP);
}

/* A receiver that wants more than there is takes that and sleeps for the rest. */
TEST_IN_TASK(test_receive_in_parts)
{
	static const enum transport transport[] = { TRANSPORT_UNIX, TRANSPORT_PIPE, TRANSPORT_TCP };

	for (unsigned i = 0; i < 3; i++) {
		struct channel *c = new_channel(transport[i], 100);
		struct party reader = { .channel = c, .bytes = 8, .messages = 1 };

		send_n(c, 5, 1);
		start(&reader, read_messages);
		let_others_run();
		assert_true(sleeps(&reader));
		assert_false(c->ops->has_data(c));
		send_n(c, 2, 1);
		expect_wakes(&reader, 1, 0, 1);
		let_others_run();
		assert_true(sleeps(&reader));
		send_n(c, 2, 1);
		expect_wakes(&reader, 1, 0, 1);
		let_others_run();
		assert_int_equal(reader.done, 1);
		read_n(c, 1, 1);
		assert_false(c->ops->has_data(c));
	}
}

/* ---- memory ---- */

TEST_IN_TASK(test_out_of_memory)
{
	while (mem_alloc(8 << 20))
		;
	while (channel_new(TRANSPORT_UNIX, 4096))
		;
	while (channel_new(TRANSPORT_PIPE, 4096))
		;
	assert_null(channel_new(TRANSPORT_UNIX, 4096));
	assert_null(channel_new(TRANSPORT_PIPE, 4096));
	sched_end_run();
	mem_end_run();
	new_channel(TRANSPORT_UNIX, 65536);
}

/* ---- wait queues ---- */

struct waiting {
	struct party party; /* first */
	struct waitq *q;
	bool exclusive;
};

static void wait_once(void *argument)
{
	struct waiting *w = argument;
	struct waiter waiter = { .queued = false };

	waitq_prepare(w->q, &waiter, w->exclusive);
	schedule();
	waitq_finish(w->q, &waiter);
	w->party.done++;
}

static void start_waiting(struct waiting *w, struct waitq *q, bool exclusive)
{
	*w = (struct waiting){ .q = q, .exclusive = exclusive };
	start(&w->party, wait_once);
	let_others_run();
	assert_true(sleeps(&w->party));
}

static void expect_woken(const struct waiting *w, const unsigned *order, unsigned n, unsigned flags)
{
	assert_int_equal(noted.nr, n);
	for (unsigned i = 0; i < n; i++) {
		assert_ptr_equal(noted.wake[i].task, w[order[i]].party.task);
		assert_int_equal(noted.wake[i].flags, flags);
	}
	noted.nr = 0;
}

/* Waiters 0, 2, 4 are exclusive, 1, 3, 5 are not, asleep in that order: first all that are not, newest first, then as many
 * exclusive ones as asked for, oldest first. */
TEST_IN_TASK(test_waitq_order)
{
	struct waiting w[6];
	struct waitq q;

	waitq_init(&q);
	assert_false(waitq_has_sleeper(&q));
	assert_int_equal(waitq_wake(&q, 1, WAKE_SYNC), 0);
	for (unsigned i = 0; i < 6; i++)
		start_waiting(&w[i], &q, i % 2 == 0);
	assert_true(waitq_has_sleeper(&q));
	assert_int_equal(waitq_wake(&q, 1, WAKE_SYNC), 4);
	expect_woken(w, (const unsigned[]){ 5, 3, 1, 0 }, 4, WAKE_SYNC);
	assert_true(waitq_has_sleeper(&q));
	assert_int_equal(waitq_wake(&q, 0, WAKE_SYNC), 0);
	assert_int_equal(waitq_wake(&q, 5, 0), 2);
	expect_woken(w, (const unsigned[]){ 2, 4 }, 2, 0);
	assert_false(waitq_has_sleeper(&q));
	let_others_run();
	for (unsigned i = 0; i < 6; i++)
		assert_int_equal(w[i].party.done, 1);
}

/* workloads.md 1: who is woken leaves the queue at once; a second event before it has run finds nobody. */
TEST_IN_TASK(test_waitq_leave_when_woken)
{
	struct waiting w;
	struct waitq q;

	waitq_init(&q);
	start_waiting(&w, &q, false);
	assert_int_equal(waitq_wake(&q, 1, 0), 1);
	assert_false(waitq_has_sleeper(&q));
	assert_int_equal(waitq_wake(&q, 1, 0), 0);
	expect_woken(&w, (const unsigned[]){ 0 }, 1, 0);
	let_others_run();
	assert_int_equal(w.party.done, 1);
}

/* The event has come between queueing and sleeping: finishing leaves the queue and the task runs on, whether it was woken or not.
 */
TEST_IN_TASK(test_waitq_event_before_sleep)
{
	struct waiter w = { .queued = false };
	struct waitq q;

	waitq_init(&q);
	waitq_prepare(&q, &w, false);
	assert_true(waitq_has_sleeper(&q) && w.queued);
	waitq_prepare(&q, &w, false);
	waitq_finish(&q, &w);
	assert_false(waitq_has_sleeper(&q) || w.queued);
	assert_int_equal(current()->state, TASK_RUNNING);
	waitq_prepare(&q, &w, true);
	assert_int_equal(waitq_wake(&q, 1, 0), 1);
	assert_false(waitq_has_sleeper(&q) || w.queued);
	schedule();
	waitq_finish(&q, &w);
	assert_int_equal(current()->state, TASK_RUNNING);
}

/* Preparing again does not move a waiter that is still queued; one that was woken goes to its kind's end once more. */
TEST_IN_TASK(test_waitq_prepare_again)
{
	struct waiter w = { .queued = false };
	struct waiting other;
	struct waitq q;

	waitq_init(&q);
	waitq_prepare(&q, &w, true);
	task_set_running();
	start_waiting(&other, &q, true);
	waitq_prepare(&q, &w, true);
	assert_ptr_equal(TAILQ_FIRST(&q.waiters), &w);
	assert_int_equal(waitq_wake(&q, 1, 0), 1);
	waitq_prepare(&q, &w, true);
	assert_ptr_equal(TAILQ_NEXT(TAILQ_FIRST(&q.waiters), peers), &w);
	waitq_finish(&q, &w);
	assert_int_equal(waitq_wake(&q, 2, 0), 1);
	let_others_run();
	assert_int_equal(other.party.done, 1);
}

/* ---- sleeping ---- */

/* An idle CPU's timer goes off when it should: the clock says exactly how long. */
TEST_IN_TASK(test_sleep_exactly)
{
	u64 before = machine_clock_ns();

	sleep_ns(1234567);
	assert_true(machine_clock_ns() == before + 1234567);
	sleep_ns(0);
	assert_true(machine_clock_ns() == before + 1234567);
}

static void sleep_once(void *argument)
{
	struct party *p = argument;

	sleep_ns(NSEC_PER_MSEC);
	p->done++;
}

/* workloads.md 1: a wakeup by the timer carries no sync hint. The main task works meanwhile. */
TEST_IN_TASK(test_sleep_is_not_sync)
{
	struct party p = { .done = 0 };

	start(&p, sleep_once);
	yield();
	for (unsigned ms = 0; !sleeps(&p) && ms < 50; ms++) {
		machine_work_ns(NSEC_PER_MSEC);
		yield();
	}
	assert_true(sleeps(&p));
	machine_work_ns(2 * NSEC_PER_MSEC);
	assert_int_equal(noted.nr, 1);
	assert_ptr_equal(noted.wake[0].task, p.task);
	assert_int_equal(noted.wake[0].flags, 0);
	let_others_run();
	assert_int_equal(p.done, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		machine_test(test_unix_capacity),
		machine_test(test_pipe_capacity),
		machine_test(test_unix_release),
		machine_test(test_pipe_release),
		machine_test(test_unix_wakes_all_writers),
		machine_test(test_pipe_wakes_one_writer),
		machine_test(test_pipe_writers_chain),
		machine_test(test_pipe_room_in_last_page),
		machine_test(test_pipe_long_write),
		machine_test(test_unix_two_messages_one_wake),
		machine_test(test_pipe_two_messages_one_wake),
		machine_test(test_nobody_to_wake),
		machine_test(test_unix_gate),
		machine_test(test_pipe_gate),
		machine_test(test_pipe_reader_and_pollers),
		machine_test(test_13_loops_never_block),
		machine_test(test_14_loops_may_block),
		machine_test(test_unix_stream),
		machine_test(test_pipe_stream),
		machine_test(test_tcp_stream),
		machine_test(test_receive_in_parts),
		machine_test(test_out_of_memory),
		machine_test(test_waitq_order),
		machine_test(test_waitq_leave_when_woken),
		machine_test(test_waitq_event_before_sleep),
		machine_test(test_waitq_prepare_again),
		machine_test(test_sleep_exactly),
		machine_test(test_sleep_is_not_sync),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
