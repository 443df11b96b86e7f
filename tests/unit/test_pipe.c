/* SPDX-License-Identifier: GPL-2.0-or-later
 * Pipes by the rules of all three generations (workloads.md 2.5, 7.3): how much they take, who is woken when, and how often for
 * nothing. */
#include "tests/unit/talking.h"

static const enum transport pipes[] = { TRANSPORT_PIPE, TRANSPORT_PIPE_6_1, TRANSPORT_PIPE_5_4 };

/* Page by page the same for all three: 16 * floor(4096 / bytes) are taken, and a page's worth of reads makes room. */
static const struct release table[] = { { 1, 65536, 4096, 61440 }, { 100, 640, 40, 600 }, { 200, 320, 20, 300 },
	{ 512, 128, 8, 120 }, { 1000, 64, 4, 60 }, { 4096, 16, 1, 15 } };

/* ---- how much fits, and when a blocked writer is released (7.3) ---- */

TEST_IN_TASK(test_pipe_capacity)
{
	static const struct capacity want[] = { { 1, 65536 }, { 100, 640 }, { 200, 320 }, { 512, 128 }, { 1000, 64 }, { 2048, 32 },
		{ 2049, 16 }, { 4095, 16 }, { 4096, 16 } };

	for (unsigned i = 0; i < ARRAY_SIZE(pipes); i++)
		expect_capacities(pipes[i], want, ARRAY_SIZE(want));
}

/* A page freed is one wakeup, and no read before it is any. */
TEST_IN_TASK(test_pipe_release)
{
	expect_releases(TRANSPORT_PIPE, table, ARRAY_SIZE(table), WAKE_SYNC);
}

TEST_IN_TASK(test_pipe_5_4_release)
{
	expect_releases(TRANSPORT_PIPE_5_4, table, ARRAY_SIZE(table), WAKE_SYNC);
}

/* Every read wakes the writer, which runs before the next: all but the one that frees the page do so for nothing. */
static void expect_useless_wakes(const struct release *want)
{
	struct channel *c = new_channel(TRANSPORT_PIPE_6_1, want->bytes);
	struct party writer = { .channel = c, .bytes = want->bytes, .messages = want->accepted + 1 };

	start(&writer, write_messages);
	let_others_run();
	for (unsigned i = 1; i <= want->reads; i++) {
		assert_int_equal(writer.done, want->accepted);
		assert_true(sleeps(&writer));
		assert_int_equal(writer.task->nr_voluntary, i);
		read_n(c, want->bytes, 1);
		expect_wakes(&writer, 1, 0, 1);
		let_others_run();
	}
	assert_int_equal(writer.done, want->accepted + 1);
	read_n(c, want->bytes, want->left + 1);
	assert_false(c->ops->has_data(c));
	task_reap(writer.task);
	drop_channels();
}

TEST_IN_TASK(test_pipe_6_1_useless_wakes)
{
	for (unsigned i = 0; i < ARRAY_SIZE(table); i++)
		expect_useless_wakes(&table[i]);
}

/* Once woken it has left the queue: until it has run and found the pipe full, further reads wake nobody. */
TEST_IN_TASK(test_pipe_6_1_wakes_once)
{
	struct channel *c = new_channel(TRANSPORT_PIPE_6_1, 100);
	struct party writer = { .channel = c, .bytes = 100, .messages = 1 };

	send_n(c, 100, 640);
	start(&writer, write_messages);
	let_others_run();
	read_n(c, 100, 1);
	expect_wakes(&writer, 1, 0, 1);
	read_n(c, 100, 39);
	expect_no_wakes();
	let_others_run();
	assert_int_equal(writer.done, 1);
	assert_int_equal(writer.task->nr_voluntary, 2); /* one sleep and its end */
}

/* ---- how many are released, and in which order (check 1b) ---- */

enum { WRITERS = 5 };

static struct channel *full_pipe_with(enum transport transport, struct party *writer)
{
	struct channel *c = new_channel(transport, 100);

	send_n(c, 100, 640);
	start_all(writer, WRITERS, (struct party){ .channel = c, .bytes = 100, .messages = 1 }, write_messages);
	return c;
}

/* 1b: one freed page wakes exactly one, the oldest. Its message takes the page, so nobody is told; and the next one's goes into a
 * page of its own though there is room behind the first one's: who has slept does not merge (measured on Linux 6.18 with these
 * numbers).
 */
TEST_IN_TASK(test_pipe_wakes_one_writer)
{
	struct party writer[WRITERS];
	struct channel *c = full_pipe_with(TRANSPORT_PIPE, writer);

	for (unsigned i = 0; i < WRITERS; i++) {
		read_n(c, 100, 39);
		expect_no_wakes();
		read_n(c, 100, 1);
		expect_wakes(writer, 1, i, 1);
		let_others_run();
		expect_no_wakes();
		assert_int_equal(count_finished(writer, WRITERS), i + 1);
		assert_int_equal(writer[i].done, 1);
	}
}

/* With 6.1's rules the oldest too, but at each read; who was woken for nothing goes to the end. So the fortieth is for number 39
 * % 5. */
TEST_IN_TASK(test_pipe_6_1_wakes_in_turn)
{
	struct party writer[WRITERS];
	struct channel *c = full_pipe_with(TRANSPORT_PIPE_6_1, writer);

	for (unsigned i = 0; i < 40; i++) {
		assert_int_equal(count_finished(writer, WRITERS), 0);
		read_n(c, 100, 1);
		expect_wakes(writer, 1, i % WRITERS, 1);
		let_others_run();
	}
	expect_no_wakes();
	assert_int_equal(count_finished(writer, WRITERS), 1);
	assert_int_equal(writer[39 % WRITERS].done, 1);
}

/* With those up to 5.4 one freed page wakes all, newest first; one gets in, the others have been woken for nothing. */
TEST_IN_TASK(test_pipe_5_4_wakes_all_writers)
{
	struct party writer[WRITERS];
	struct channel *c = full_pipe_with(TRANSPORT_PIPE_5_4, writer);

	read_n(c, 100, 39);
	expect_no_wakes();
	read_n(c, 100, 1);
	expect_wakes(writer, WRITERS, WRITERS - 1, -1);
	let_others_run();
	expect_no_wakes();
	assert_int_equal(count_finished(writer, WRITERS), 1);
	for (unsigned i = 0; i < WRITERS; i++) {
		assert_int_equal(writer[i].task->nr_voluntary, 2);
		assert_true(writer[i].done || sleeps(&writer[i]));
	}
	read_n(c, 100, 40);
	assert_int_equal(noted.nr, WRITERS - 1);
	noted.nr = 0;
	let_others_run();
	assert_int_equal(count_finished(writer, WRITERS), 2);
}

/* 2.5: a writer that had slept and leaves the pipe with room wakes the next. Three pages are freed before the first one runs: it
 * and two more get in, each woken by the one before; the last finds no page left to pass on. */
static void expect_chain_of_writers(enum transport transport)
{
	struct channel *c = new_channel(transport, 4096);
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

TEST_IN_TASK(test_pipe_writers_chain)
{
	expect_chain_of_writers(TRANSPORT_PIPE);
}

TEST_IN_TASK(test_pipe_6_1_writers_chain)
{
	expect_chain_of_writers(TRANSPORT_PIPE_6_1);
}

/* ---- readers ---- */

enum { READERS = 3 };

static struct channel *pipe_with_readers(enum transport transport, struct party *reader)
{
	struct channel *c = new_channel(transport, 100);

	start_all(reader, READERS, (struct party){ .channel = c, .bytes = 100, .messages = 1 }, read_messages);
	return c;
}

/* The first message wakes the oldest reader, the next two nobody, for the pipe was not empty; each reader that had slept and leaves
 * something wakes the next. */
static void expect_chain_of_readers(enum transport transport)
{
	struct party reader[READERS];
	struct channel *c = pipe_with_readers(transport, reader);

	send_n(c, 100, 3);
	expect_wakes(reader, 1, 0, 1);
	let_others_run();
	expect_wakes(reader, 2, 1, 1);
	assert_int_equal(count_finished(reader, READERS), 3);
	assert_false(c->ops->has_data(c));
}

TEST_IN_TASK(test_pipe_readers_chain)
{
	expect_chain_of_readers(TRANSPORT_PIPE);
}

TEST_IN_TASK(test_pipe_6_1_readers_chain)
{
	expect_chain_of_readers(TRANSPORT_PIPE_6_1);
}

/* Up to 5.4 every reader is woken for one message: one has it, two have been woken for nothing. */
TEST_IN_TASK(test_pipe_5_4_wakes_all_readers)
{
	struct party reader[READERS];
	struct channel *c = pipe_with_readers(TRANSPORT_PIPE_5_4, reader);

	send_n(c, 100, 1);
	expect_wakes(reader, READERS, READERS - 1, -1);
	let_others_run();
	expect_no_wakes();
	assert_int_equal(count_finished(reader, READERS), 1);
	for (unsigned i = 0; i < READERS; i++)
		assert_int_equal(reader[i].task->nr_voluntary, 2);
}

/* workloads.md 1: new data on a pipe wakes one reader and all pollers. */
TEST_IN_TASK(test_pipe_reader_and_pollers)
{
	for (unsigned i = 0; i < ARRAY_SIZE(pipes); i++) {
		struct channel *c = new_channel(pipes[i], 100);
		struct party other[4];

		start_all(other, 1, (struct party){ .channel = c, .bytes = 100, .messages = 1 }, read_messages);
		start_all(other + 1, 3, (struct party){ .channel = c }, poll_once);
		send_n(c, 100, 1);
		expect_wakes(other, 4, 3, -1);
		let_others_run();
	}
}

/* A pipe that was ever polled wakes for every message, empty or not; one that was not only if it was empty. */
static void expect_wake_of_unready_poller(enum transport transport, bool polled)
{
	struct channel *c = new_channel(transport, 100);
	struct party reader = { .channel = c, .bytes = 200, .messages = 1 };
	struct waiter w = { .queued = false };

	send_n(c, 100, 1);
	if (polled)
		channel_poll(c);
	waitq_prepare(&c->readers, &w, true); /* asleep though there is data, as if it had not looked yet */
	task_set_running();
	send_n(c, 100, 1);
	assert_int_equal(w.queued, !polled);
	waitq_finish(&c->readers, &w);
	start(&reader, read_messages);
	let_others_run();
	assert_int_equal(reader.done, 1);
}

TEST_IN_TASK(test_pipe_once_polled)
{
	for (unsigned i = 0; i < 2; i++) {
		expect_wake_of_unready_poller(pipes[i], false);
		expect_wake_of_unready_poller(pipes[i], true);
	}
}

/* ---- a full pipe with room in its newest page ---- */

/* 2.5: sixteen pages in use are full, whatever room the newest has: a running writer may fill that room, a sleeping one is not
 * woken for it by the newer rules; by the oldest it is at each write, and sleeps again. */
static void expect_no_room_for_sleepers(enum transport transport, unsigned useless)
{
	struct channel *c = new_channel(transport, 4096);
	struct party writer = { .channel = c, .bytes = 4000, .messages = 1 };

	send_n(c, 4096, 15);
	send_n(c, 100, 1);
	assert_false(channel_has_room(c, 4000));
	assert_false(channel_has_room(c, 4096));
	assert_true(channel_has_room(c, 3996));
	start(&writer, write_messages);
	let_others_run();
	assert_true(sleeps(&writer));
	for (unsigned i = 0; i < 2; i++) {
		send_n(c, 1000, 1);
		expect_wakes(&writer, useless, 0, 1);
		let_others_run();
		assert_true(sleeps(&writer));
	}
	assert_false(channel_has_room(c, 2000));
}

TEST_IN_TASK(test_pipe_room_in_last_page)
{
	expect_no_room_for_sleepers(TRANSPORT_PIPE, 0);
	expect_no_room_for_sleepers(TRANSPORT_PIPE_6_1, 0);
	expect_no_room_for_sleepers(TRANSPORT_PIPE_5_4, 1);
}

/* The page is free once its last byte is read. */
TEST_IN_TASK(test_pipe_page_is_freed_whole)
{
	struct channel *c = new_channel(TRANSPORT_PIPE, 4096);
	struct party writer = { .channel = c, .bytes = 4000, .messages = 1 };

	send_n(c, 4096, 16);
	start(&writer, write_messages);
	let_others_run();
	read_n(c, 4095, 1);
	expect_no_wakes();
	read_n(c, 1, 1);
	expect_wakes(&writer, 1, 0, 1);
	let_others_run();
	assert_int_equal(writer.done, 1);
}

/* A write of many pages fills what is free, sleeps, and goes on with each page freed. */
TEST_IN_TASK(test_pipe_long_write)
{
	for (unsigned i = 0; i < ARRAY_SIZE(pipes); i++) {
		struct channel *c = new_channel(pipes[i], 65536);
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
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		machine_test(test_pipe_capacity),
		machine_test(test_pipe_release),
		machine_test(test_pipe_5_4_release),
		machine_test(test_pipe_6_1_useless_wakes),
		machine_test(test_pipe_6_1_wakes_once),
		machine_test(test_pipe_wakes_one_writer),
		machine_test(test_pipe_6_1_wakes_in_turn),
		machine_test(test_pipe_5_4_wakes_all_writers),
		machine_test(test_pipe_writers_chain),
		machine_test(test_pipe_6_1_writers_chain),
		machine_test(test_pipe_readers_chain),
		machine_test(test_pipe_6_1_readers_chain),
		machine_test(test_pipe_5_4_wakes_all_readers),
		machine_test(test_pipe_reader_and_pollers),
		machine_test(test_pipe_once_polled),
		machine_test(test_pipe_room_in_last_page),
		machine_test(test_pipe_page_is_freed_whole),
		machine_test(test_pipe_long_write),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
