/* SPDX-License-Identifier: GPL-2.0-or-later
 * TCP over loopback (workloads.md 1, 2.5b, 4.2): segments of up to 65,483 bytes, a buffer of 65,536, room announced when two thirds
 * of it or less are in use. */
#include "tests/unit/talking.h"

enum { SEGMENT = 65483, REQUEST = 65595 /* tbench's longest */ };

/* ---- how much fits, and when a blocked writer is released ---- */

/* ceil(65536 / bytes): what begins below the limit is taken whole; but of a message of two segments the second must begin below it.
 */
TEST_IN_TASK(test_tcp_capacity)
{
	static const struct capacity want[] = { { 1, 65536 }, { 100, 656 }, { 1000, 66 }, { 4096, 16 }, { SEGMENT, 2 },
		{ REQUEST, 1 }, { LONGEST, 1 } };

	expect_capacities(TRANSPORT_TCP, want, ARRAY_SIZE(want));
}

/* At most floor(2 * 65536 / 3) = 43,690 bytes are left when the writer is woken, without the sync hint:
 *   1 byte: 43,690 messages;  100: 436;  1000: 43;  4096: 10;  30,000: 1 */
TEST_IN_TASK(test_tcp_release)
{
	static const struct release want[] = { { 1, 65536, 65536 - 43690, 43690 }, { 100, 656, 656 - 436, 436 },
		{ 1000, 66, 66 - 43, 43 }, { 4096, 16, 16 - 10, 10 }, { 30000, 3, 3 - 1, 1 } };

	expect_releases(TRANSPORT_TCP, want, ARRAY_SIZE(want), 0);
}

/* ---- messages longer than a segment ---- */

static void read_then_long(void *argument)
{
	struct party *p = argument;

	channel_receive(p->channel, received, 100);
	p->done++;
	channel_receive(p->channel, received, p->bytes);
	p->done++;
}

/* A receiver that wants all of a long message is woken for each segment that finds it asleep. Behind 100 bytes the first segment
 * still begins below the limit, the second, of 112 bytes, does not. */
TEST_IN_TASK(test_tcp_two_segments)
{
	struct channel *c = new_channel(TRANSPORT_TCP, REQUEST);
	struct party party[] = { { .channel = c, .bytes = REQUEST, .messages = 1 }, { .channel = c, .bytes = REQUEST } };

	send_n(c, 100, 1);
	start(&party[0], write_messages);
	let_others_run();
	assert_true(sleeps(&party[0]));
	expect_no_wakes();
	start(&party[1], read_then_long);
	let_others_run();
	assert_int_equal(noted.nr, 2);
	assert_ptr_equal(noted.wake[0].task, party[0].task);
	assert_int_equal(noted.wake[0].flags, 0);
	assert_ptr_equal(noted.wake[1].task, party[1].task);
	assert_int_equal(noted.wake[1].flags, WAKE_SYNC);
	assert_int_equal(party[0].done, 1);
	assert_int_equal(party[1].done, 2);
	assert_false(c->ops->has_data(c));
}

/* Both segments queued before the receiver has run: the second finds nobody asleep. */
TEST_IN_TASK(test_tcp_two_segments_at_once)
{
	struct channel *c = new_channel(TRANSPORT_TCP, REQUEST);
	struct party reader = { .channel = c, .bytes = REQUEST, .messages = 1 };

	start(&reader, read_messages);
	let_others_run();
	send_n(c, REQUEST, 1);
	expect_wakes(&reader, 1, 0, 1);
	let_others_run();
	assert_int_equal(reader.done, 1);
	assert_int_equal(reader.task->nr_voluntary, 2); /* one sleep and its end */
}

/* ---- a request and its answer, as tbench has them (4.2) ---- */

enum { ROUNDS = 8 };

static const size_t request[ROUNDS] = { 59, 47, REQUEST, 153, 4155, 1 + 4, SEGMENT + 1, LONGEST };

struct pair {
	struct channel *to, *back;
	char in[LONGEST];
	u64 wrong, slept; /* the server's sends in which it slept */
};

static struct pair pair;

static void send_checked(struct channel *c, const void *data, size_t bytes)
{
	u64 before = current()->nr_voluntary;

	channel_send(c, data, bytes);
	pair.slept += current()->nr_voluntary != before;
}

static void serve(void *unused)
{
	(void)unused;
	for (unsigned i = 0; i < ROUNDS; i++) {
		u32 size;

		channel_receive(pair.to, &size, sizeof(size));
		pair.wrong += size != request[i] - sizeof(size);
		channel_receive(pair.to, pair.in + sizeof(size), size);
		pair.wrong += memcmp(pair.in + sizeof(size), sent + sizeof(size), size) != 0;
		send_checked(pair.back, sent, request[ROUNDS - 1 - i]);
	}
}

/* Four bytes, then the rest; one message in flight. Nobody ever waits for room. */
TEST_IN_TASK(test_tcp_ping_pong)
{
	struct task *server;

	for (unsigned i = 0; i < LONGEST; i++)
		sent[i] = (char)(i * 7 + i / 256);
	pair.to = new_channel(TRANSPORT_TCP, LONGEST);
	pair.back = new_channel(TRANSPORT_TCP, LONGEST);
	server = task_spawn("server", serve, NULL, true);
	for (unsigned i = 0; i < ROUNDS; i++) {
		u32 size = (u32)(request[i] - sizeof(size));

		memcpy(sent, &size, sizeof(size));
		send_checked(pair.to, sent, request[i]);
		channel_receive(pair.back, received, request[ROUNDS - 1 - i]);
		assert_memory_equal(received + sizeof(size), sent + sizeof(size), request[ROUNDS - 1 - i] - sizeof(size));
	}
	task_reap(server);
	assert_true(pair.wrong == 0 && pair.slept == 0);
	assert_false(pair.to->ops->has_data(pair.to) || pair.back->ops->has_data(pair.back));
}

/* ---- several senders ---- */

enum { SENDERS = 4, EACH = 5 };

struct chatter {
	struct party party; /* first */
	char text[LONGEST];
};

static struct chatter chatter[SENDERS];

static void send_own(void *argument)
{
	struct chatter *me = argument;

	memset(me->text, 'a' + (int)(me - chatter), me->party.bytes);
	for (; me->party.done < EACH; me->party.done++)
		channel_send(me->party.channel, me->text, me->party.bytes);
}

/* All of it in pieces, between which the senders go on: they often sleep in the middle of a message. */
static void receive_in_pieces(struct channel *c, char *to, size_t bytes)
{
	enum { PIECE = 9999 };

	for (size_t n; bytes; to += n, bytes -= n) {
		n = min_u64(bytes, PIECE);
		channel_receive(c, to, n);
		let_others_run();
		noted.nr = 0;
	}
}

/* Messages longer than the buffer from several senders at once: each arrives whole, and none is missing. */
TEST_IN_TASK(test_tcp_messages_stay_whole)
{
	struct channel *c = new_channel(TRANSPORT_TCP, LONGEST);
	unsigned from[SENDERS] = { 0 };

	for (unsigned i = 0; i < SENDERS; i++) {
		chatter[i].party = (struct party){ .channel = c, .bytes = LONGEST - i, .messages = EACH };
		start(&chatter[i].party, send_own);
	}
	let_others_run();
	for (unsigned n = 0; n < SENDERS * EACH; n++) {
		unsigned who;

		channel_receive(c, received, 1);
		who = (unsigned)(received[0] - 'a');
		assert_in_range(who, 0, SENDERS - 1);
		receive_in_pieces(c, received + 1, LONGEST - who - 1);
		for (unsigned i = 0; i < LONGEST - who; i++)
			assert_int_equal(received[i], received[0]);
		from[who]++;
	}
	for (unsigned i = 0; i < SENDERS; i++)
		assert_int_equal(from[i], EACH);
	assert_false(c->ops->has_data(c));
}

/* Who comes while another's message is half sent waits for its turn, oldest first, and is not woken for room. */
TEST_IN_TASK(test_tcp_turns)
{
	struct channel *c = new_channel(TRANSPORT_TCP, REQUEST);
	struct party writer[3];

	send_n(c, 100, 1);
	start_all(writer, 1, (struct party){ .channel = c, .bytes = REQUEST, .messages = 1 }, write_messages);
	start_all(writer + 1, 2, (struct party){ .channel = c, .bytes = 1, .messages = 1 }, write_messages);
	assert_true(sleeps(&writer[0]) && sleeps(&writer[1]) && sleeps(&writer[2]));
	read_n(c, 30000, 1);
	expect_flagged_wakes(writer, 1, 0, 1, 0);
	let_others_run();
	expect_flagged_wakes(writer, 2, 1, 1, 0);
	assert_int_equal(count_finished(writer, 3), 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		machine_test(test_tcp_capacity),
		machine_test(test_tcp_release),
		machine_test(test_tcp_two_segments),
		machine_test(test_tcp_two_segments_at_once),
		machine_test(test_tcp_ping_pong),
		machine_test(test_tcp_messages_stay_whole),
		machine_test(test_tcp_turns),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
