/* SPDX-License-Identifier: GPL-2.0-or-later
 * AF_UNIX-like stream channels (workloads.md 2.4, 7.2): how much they take, when and in which order writers are released. */
#include "tests/unit/talking.h"

/* ---- how much fits, and when a blocked writer is released ---- */

/* ceil(212992 / charge) with the charges and range edges of 2.4: 768 to 192 bytes, 1280 to 704, 2304 to 1728, 4352 to 3776, then
 * 4864. */
TEST_IN_TASK(test_unix_capacity)
{
	static const struct capacity want[] = { { 1, 278 }, { 100, 278 }, { 192, 278 }, { 193, 167 }, { 200, 167 }, { 512, 167 },
		{ 704, 167 }, { 705, 93 }, { 1000, 93 }, { 1728, 93 }, { 1729, 49 }, { 3776, 49 }, { 3777, 44 }, { 4096, 44 } };

	expect_capacities(TRANSPORT_UNIX, want, ARRAY_SIZE(want));
}

/* The rows of 2.4 and 7.2; left is floor(53248 / charge), a quarter of the sent. */
TEST_IN_TASK(test_unix_release)
{
	static const struct release want[] = { { 1, 278, 209, 69 }, { 100, 278, 209, 69 }, { 200, 167, 126, 41 },
		{ 512, 167, 126, 41 }, { 1000, 93, 70, 23 }, { 1729, 49, 37, 12 }, { 3776, 49, 37, 12 }, { 3777, 44, 34, 10 },
		{ 4096, 44, 34, 10 } };

	expect_releases(TRANSPORT_UNIX, want, ARRAY_SIZE(want), WAKE_SYNC);
}

/* ---- how many are released, and in which order (check 1a) ---- */

enum { WRITERS = 5 };

/* 1a: one crossing of the threshold wakes all, the one that fell asleep last first. */
TEST_IN_TASK(test_unix_wakes_all_writers)
{
	struct channel *c = new_channel(TRANSPORT_UNIX, 100);
	struct party writer[WRITERS];

	send_n(c, 100, 278);
	start_all(writer, WRITERS, (struct party){ .channel = c, .bytes = 100, .messages = 1 }, write_messages);
	read_n(c, 100, 208);
	expect_no_wakes();
	read_n(c, 100, 1);
	expect_wakes(writer, WRITERS, WRITERS - 1, -1);
	read_n(c, 100, 20);
	expect_no_wakes();
	let_others_run();
	for (unsigned i = 0; i < WRITERS; i++)
		assert_int_equal(writer[i].done, 1);
}

/* ---- hackbench's pattern without receivers (2.6) ---- */

enum { FDS = 20 };

static struct channel *target[FDS];

static void write_rounds(void *argument)
{
	struct party *p = argument;

	for (unsigned round = 0; round < p->messages; round++)
		for (unsigned i = 0; i < FDS; i++) {
			channel_send(target[i], sent, 100);
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		machine_test(test_unix_capacity),
		machine_test(test_unix_release),
		machine_test(test_unix_wakes_all_writers),
		machine_test(test_13_loops_never_block),
		machine_test(test_14_loops_may_block),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
