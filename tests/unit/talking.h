/* SPDX-License-Identifier: GPL-2.0-or-later
 * For tests of what tasks block on: real tasks on one CPU, so that who runs when is known to the step, and a note of each wakeup.
 *
 * Expected numbers are those measured on Linux, workloads.md 1, 2.4, 2.5 and 7.1 to 7.4: how many messages a channel takes, after
 * how many reads a blocked writer is released, how many are woken and in which order. A miss means that hackbench would wake other
 * tasks, or more or fewer of them, than it does there. */
#ifndef TESTS_UNIT_TALKING_H
#define TESTS_UNIT_TALKING_H

#include "tests/unit/noting.h"

#include "base/mem.h"
#include "ipc/transport.h"

/* ---- the other tasks ---- */

enum { LONGEST = 70000 };

struct party {
	struct task *task;
	struct channel *channel;
	size_t bytes;	   /* of each message */
	unsigned messages; /* to send or receive */
	unsigned done;	   /* of those */
};

static char sent[LONGEST], received[LONGEST];

static inline void write_messages(void *argument)
{
	struct party *p = argument;

	while (p->done < p->messages) {
		channel_send(p->channel, sent, p->bytes);
		p->done++;
	}
}

static inline void read_messages(void *argument)
{
	struct party *p = argument;

	while (p->done < p->messages) {
		channel_receive(p->channel, received, p->bytes);
		p->done++;
	}
}

static inline void poll_once(void *argument)
{
	struct party *p = argument;

	channel_poll(p->channel);
	p->done++;
}

static inline void start(struct party *p, void (*entry)(void *))
{
	p->task = task_spawn("other", entry, p, false);
	assert_non_null(p->task);
	p->task->class = &noting_class;
}

/* Until all others sleep or have ended. */
static inline void let_others_run(void)
{
	task_sleep_ns(NSEC_PER_MSEC);
}

/* Start n of them so that number 0 is the first to sleep. */
static inline void start_all(struct party *p, unsigned n, struct party as, void (*entry)(void *))
{
	for (unsigned i = 0; i < n; i++) {
		p[i] = as;
		start(&p[i], entry);
		let_others_run();
	}
}

static inline bool sleeps(const struct party *p)
{
	return p->task->state == TASK_SLEEPING;
}

/* Of n parties, so many have done all they were to do. */
static inline unsigned count_finished(const struct party *p, unsigned n)
{
	unsigned finished = 0;

	for (unsigned i = 0; i < n; i++)
		finished += p[i].done == p[i].messages;
	return finished;
}

static inline struct channel *new_channel(enum transport transport, size_t bytes)
{
	struct channel *c = channel_new(transport, bytes);

	assert_non_null(c);
	return c;
}

static inline void drop_channels(void)
{
	sched_end_run();
	mem_end_run();
}

static inline void send_n(struct channel *c, size_t bytes, unsigned n)
{
	while (n--)
		channel_send(c, sent, bytes);
}

static inline void read_n(struct channel *c, size_t bytes, unsigned n)
{
	while (n--)
		channel_receive(c, received, bytes);
}

/* Wakeups since the last look: those of p[from], p[from + step], ..., all with these flags. */
static inline void expect_flagged_wakes(const struct party *p, unsigned n, unsigned from, int step, unsigned flags)
{
	assert_int_equal(noted.nr, n);
	for (unsigned i = 0; i < n; i++, from += (unsigned)step) {
		assert_ptr_equal(noted.wake[i].task, p[from].task);
		assert_int_equal(noted.wake[i].flags, flags);
	}
	noted.nr = 0;
}

static inline void expect_wakes(const struct party *p, unsigned n, unsigned from, int step)
{
	expect_flagged_wakes(p, n, from, step, WAKE_SYNC);
}

static inline void expect_no_wakes(void)
{
	assert_int_equal(noted.nr, 0);
}

/* ---- how much fits ---- */

struct capacity {
	size_t bytes;
	unsigned messages;
};

static inline void expect_capacities(enum transport transport, const struct capacity *want, unsigned n)
{
	for (; n--; want++) {
		struct channel *c = new_channel(transport, want->bytes);
		unsigned taken = 0;

		for (; channel_has_room(c, want->bytes); taken++)
			channel_send(c, sent, want->bytes);
		if (taken != want->messages)
			fail_msg("%zu bytes: %u messages taken, not %u", want->bytes, taken, want->messages);
		drop_channels();
	}
}

/* ---- when a blocked writer is released ---- */

struct release {
	size_t bytes;
	unsigned accepted, reads, left;
};

/* The writer sleeps once, until that read and no other; what it has waited to send comes last. */
static inline void expect_release(enum transport transport, const struct release *want, unsigned flags)
{
	struct channel *c = new_channel(transport, want->bytes);
	struct party writer = { .channel = c, .bytes = want->bytes, .messages = want->accepted + 1 };

	start(&writer, write_messages);
	let_others_run();
	assert_int_equal(writer.done, want->accepted);
	assert_true(sleeps(&writer));
	read_n(c, want->bytes, want->reads - 1);
	assert_true(sleeps(&writer));
	expect_no_wakes();
	read_n(c, want->bytes, 1);
	assert_false(sleeps(&writer));
	expect_flagged_wakes(&writer, 1, 0, 1, flags);
	assert_int_equal(writer.task->nr_voluntary, 1);
	let_others_run();
	assert_int_equal(writer.done, want->accepted + 1);
	read_n(c, want->bytes, want->left + 1);
	assert_false(c->ops->has_data(c));
	task_reap(writer.task);
	drop_channels();
}

static inline void expect_releases(enum transport transport, const struct release *want, unsigned n, unsigned flags)
{
	for (; n--; want++)
		expect_release(transport, want, flags);
}

#endif
