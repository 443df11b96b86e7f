/* SPDX-License-Identifier: GPL-2.0-or-later
 * What all kinds of channels have in common: bytes arrive as they were sent, who waits for them is woken once, and a gate lets
 * everybody through. */
#include "tests/unit/talking.h"

#include "base/random.h"

static const enum transport every[] = { TRANSPORT_UNIX, TRANSPORT_PIPE, TRANSPORT_PIPE_6_1, TRANSPORT_PIPE_5_4, TRANSPORT_TCP };

_Static_assert(ARRAY_SIZE(every) == NR_TRANSPORTS, "a kind is missing");

static void expect_of_all(void (*expect)(enum transport transport))
{
	for (unsigned i = 0; i < ARRAY_SIZE(every); i++)
		expect(every[i]);
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

TEST_IN_TASK(test_two_messages_one_wake)
{
	expect_of_all(expect_one_wake);
}

/* 2.4: a wakeup for data only if the receiver is asleep on an empty queue. */
static void expect_nobody_woken(enum transport transport)
{
	struct channel *c = new_channel(transport, 100);
	struct party reader = { .channel = c, .bytes = 100, .messages = 10 };

	send_n(c, 100, 10);
	start(&reader, read_messages);
	let_others_run();
	assert_int_equal(reader.done, 10);
	expect_no_wakes();
}

TEST_IN_TASK(test_nobody_to_wake)
{
	expect_of_all(expect_nobody_woken);
}

/* ---- the sync hint, which may be turned off ---- */

static void expect_no_hint(enum transport transport)
{
	struct channel *c = new_channel(transport, 4096);
	struct party reader = { .channel = c, .bytes = 1, .messages = 1 };
	struct party writer = { .channel = c, .bytes = 4096, .messages = 1 };

	channel_set_sync(c, false);
	start(&reader, read_messages);
	let_others_run();
	send_n(c, 1, 1);
	expect_flagged_wakes(&reader, 1, 0, 1, 0);
	let_others_run();
	while (channel_has_room(c, 4096))
		send_n(c, 4096, 1);
	start(&writer, write_messages);
	let_others_run();
	while (sleeps(&writer))
		read_n(c, 4096, 1);
	expect_flagged_wakes(&writer, 1, 0, 1, 0);
	let_others_run();
	assert_true(reader.done && writer.done);
}

TEST_IN_TASK(test_without_sync_hint)
{
	expect_of_all(expect_no_hint);
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
	expect_no_wakes();
	channel_receive(c, &got, 1);
	assert_int_equal(got, 'g');
	assert_false(c->ops->has_data(c));
}

TEST_IN_TASK(test_gate)
{
	expect_of_all(expect_gate);
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

TEST_IN_TASK(test_stream)
{
	expect_of_all(expect_stream);
}

/* A receiver that wants more than there is takes that and sleeps for the rest. */
static void expect_parts(enum transport transport)
{
	struct channel *c = new_channel(transport, 100);
	struct party reader = { .channel = c, .bytes = 8, .messages = 1 };

	send_n(c, 5, 1);
	start(&reader, read_messages);
	let_others_run();
	assert_true(sleeps(&reader));
	assert_false(c->ops->has_data(c));
	for (unsigned i = 0; i < 2; i++) {
		assert_int_equal(reader.done, 0);
		send_n(c, 2, 1);
		expect_wakes(&reader, 1, 0, 1);
		let_others_run();
		assert_true(reader.done || sleeps(&reader));
	}
	assert_int_equal(reader.done, 1);
	read_n(c, 1, 1);
	assert_false(c->ops->has_data(c));
}

TEST_IN_TASK(test_receive_in_parts)
{
	expect_of_all(expect_parts);
}

/* ---- memory ---- */

static void expect_no_memory(enum transport transport)
{
	while (channel_new(transport, 4096))
		;
	assert_null(channel_new(transport, 4096));
}

TEST_IN_TASK(test_out_of_memory)
{
	while (mem_alloc(8 << 20))
		;
	expect_of_all(expect_no_memory);
	drop_channels();
	new_channel(TRANSPORT_UNIX, 65536);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		machine_test(test_two_messages_one_wake),
		machine_test(test_nobody_to_wake),
		machine_test(test_without_sync_hint),
		machine_test(test_gate),
		machine_test(test_stream),
		machine_test(test_receive_in_parts),
		machine_test(test_out_of_memory),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
