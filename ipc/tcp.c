/* SPDX-License-Identifier: GPL-2.0-or-later
 * One direction of a TCP connection over loopback: a stream of bytes that arrive in segments. The softirq that delivers a segment
 * runs on the sender's CPU in the sender's context, so each segment wakes the sleeping receiver at once, with the sync hint; room
 * for a blocked sender is announced without it, when no more than two thirds of the buffer are in use (workloads.md 1).
 *
 * One buffer stands for the sender's and the receiver's. Its 64 KiB are the window that a Linux receiver opens a new loopback
 * connection with (half of tcp_rmem's default of 131,072), not the 16 KiB of tcp_wmem: a sender's buffer is raised to at least some
 * twenty segments as soon as it is connected, and Linux 6.18 takes 2.7 MB that nobody reads, which is more memory than hundreds of
 * channels can have here. A request and its answer never fill either; who is not read for long blocks sooner here than there.
 */
#include "base/bug.h"
#include "base/mem.h"
#include "ipc/transport.h"

enum {
	BUFFER = 65536,
	SEGMENT_MOST = 65483, /* the longest IPv4 packet, 65,535, less headers of 20 and 20 and the timestamps' 12 */
};

struct tcp_channel {
	struct channel channel;
	size_t queued;	    /* lock; bytes sent and not yet received */
	bool busy;	    /* lock; it is some sender's turn */
	struct waitq turns; /* for whom it is not */
	size_t ring_bytes;  /* a segment that begins below the limit may end above it */
	size_t put, take;   /* where the next byte goes, whose turn it is; where it comes from, the receiver */
	char *ring;
};

static struct channel *create(size_t most_bytes)
{
	struct tcp_channel *t = mem_alloc(sizeof(*t));
	size_t ring_bytes = BUFFER + min_u64(most_bytes, SEGMENT_MOST);
	char *ring = mem_alloc(ring_bytes);

	if (!t || !ring)
		return NULL;
	channel_init(&t->channel, &tcp_ops);
	waitq_init(&t->turns);
	t->ring = ring;
	t->ring_bytes = ring_bytes;
	return &t->channel;
}

static struct tcp_channel *of(const struct channel *c)
{
	return container_of(c, struct tcp_channel, channel);
}

static bool has_data(const struct channel *c)
{
	return of(c)->queued;
}

/* A segment is accepted as long as anything is free before it. */
static bool is_below_limit(const struct channel *c, size_t bytes)
{
	(void)bytes;
	return of(c)->queued < BUFFER;
}

/* Also for its last segment. */
static bool has_room(const struct channel *c, size_t bytes)
{
	return of(c)->queued + (bytes - 1) / SEGMENT_MOST * SEGMENT_MOST < BUFFER;
}

/* From `at` on there are n bytes up to the ring's end, the others of `bytes` are at its beginning. */
static size_t before_end(const struct tcp_channel *t, size_t at, size_t bytes)
{
	return min_u64(bytes, t->ring_bytes - at);
}

static size_t advance(const struct tcp_channel *t, size_t at, size_t bytes)
{
	return at + bytes < t->ring_bytes ? at + bytes : at + bytes - t->ring_bytes;
}

/* ---- sending ---- */

static bool is_nobodys_turn(const struct channel *c, size_t bytes)
{
	(void)bytes;
	return !of(c)->busy;
}

/* A sender keeps the socket to itself for all of a message, asleep or not. */
static void take_turn(struct channel *c)
{
	bool slept;
	unsigned long flags = channel_lock_when(c, &of(c)->turns, true, is_nobodys_turn, 0, &slept);

	of(c)->busy = true;
	spin_unlock_irq(&c->lock, flags);
}

static void give_turn(struct channel *c)
{
	struct tcp_channel *t = of(c);
	unsigned long flags = spin_lock_irq(&c->lock);

	t->busy = false;
	spin_unlock_irq(&c->lock, flags);
	if (waitq_has_sleeper(&t->turns))
		waitq_wake(&t->turns, 1, 0);
}

static void await_room(struct channel *c)
{
	bool slept;

	spin_unlock_irq(&c->lock, channel_lock_when(c, &c->writers, false, is_below_limit, 0, &slept));
}

/* Into the part of the ring that is nobody's but the sender's. */
static void copy_in(struct tcp_channel *t, const char *data, size_t bytes)
{
	size_t n = before_end(t, t->put, bytes);

	memcpy(t->ring + t->put, data, n);
	memcpy(t->ring, data + n, bytes - n);
	t->put = advance(t, t->put, bytes);
}

static void deliver(struct channel *c, size_t bytes)
{
	unsigned long flags = spin_lock_irq(&c->lock);

	of(c)->queued += bytes;
	spin_unlock_irq(&c->lock, flags);
	if (waitq_has_sleeper(&c->readers))
		waitq_wake(&c->readers, 1, c->sync);
	preempt_point();
}

static void send(struct channel *c, const void *data, size_t bytes)
{
	const char *from = data;

	take_turn(c);
	while (bytes) {
		size_t n = min_u64(bytes, SEGMENT_MOST);

		debug_bug_on(n > of(c)->ring_bytes - BUFFER);
		await_room(c);
		machine_charge(COST_UNIX_SEND, 1);
		copy_in(of(c), from, n);
		machine_charge(COST_COPY, n);
		deliver(c, n);
		from += n;
		bytes -= n;
	}
	give_turn(c);
	machine_charge(COST_UNIX_SEND, 0);
	preempt_point();
}

/* ---- receiving ---- */

static bool can_receive(const struct channel *c, size_t bytes)
{
	(void)bytes;
	return has_data(c);
}

static size_t await_data(struct channel *c)
{
	bool slept;
	unsigned long flags = channel_lock_when(c, &c->readers, false, can_receive, 0, &slept);
	size_t queued = of(c)->queued;

	spin_unlock_irq(&c->lock, flags);
	return queued;
}

static void copy_out(struct tcp_channel *t, char *data, size_t bytes)
{
	size_t n = before_end(t, t->take, bytes);

	memcpy(data, t->ring + t->take, n);
	memcpy(data + n, t->ring, bytes - n);
	t->take = advance(t, t->take, bytes);
}

/* The sender in turn is released when at least half as much is free as is still queued. */
static void release(struct channel *c, size_t bytes)
{
	unsigned long flags = spin_lock_irq(&c->lock);
	size_t queued = of(c)->queued -= bytes;

	spin_unlock_irq(&c->lock, flags);
	if (3 * queued <= 2 * BUFFER && waitq_has_sleeper(&c->writers))
		waitq_wake(&c->writers, 0, 0);
	preempt_point();
}

static void receive(struct channel *c, void *data, size_t bytes)
{
	char *to = data;

	while (bytes) {
		size_t n = min_u64(bytes, await_data(c));

		machine_charge(COST_UNIX_RECEIVE, 1);
		copy_out(of(c), to, n);
		machine_charge(COST_COPY, n);
		release(c, n);
		machine_charge(COST_UNIX_RECEIVE, 0);
		to += n;
		bytes -= n;
	}
}

const struct transport_ops tcp_ops = {
	.create = create,
	.send = send,
	.receive = receive,
	.has_data = has_data,
	.has_room = has_room,
};
