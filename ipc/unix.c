/* SPDX-License-Identifier: GPL-2.0-or-later
 * An AF_UNIX-like stream channel: messages charged to the sender's buffer by what they really take, and all blocked senders
 * released together when three quarters of it are free (workloads.md 2.4). */
#include "base/bug.h"
#include "base/mem.h"
#include "ipc/transport.h"

struct message {
	struct message *next;
	size_t bytes, taken; /* taken: what the receiver has had of it */
	char data[];
};

struct unix_channel {
	struct channel channel;
	size_t most_bytes;
	u64 charged;		       /* lock */
	struct message *free;	       /* lock */
	struct message *first, **last; /* lock; in order of sending */
};

enum {
	SEND_BUFFER = 212992, /* net.core.wmem_default of 64-bit Linux */
	LINEAR_MOST = 3776,   /* more goes into whole pages */
	SKB_HEAD = 256,	      /* struct sk_buff */
	SKB_TAIL = 320,	      /* struct skb_shared_info behind the data */
};

static u64 power_of_two_from(u64 n)
{
	return n & (n - 1) ? 2ull << ilog2(n) : n;
}

/* What a message of p bytes is charged: head, plus data and tail rounded up to an allocation, plus pages. Measured on Linux 6.18.
 */
static u64 true_size(u64 p)
{
	u64 pages = p > LINEAR_MOST ? (p + 4095) / 4096 : 0, linear = pages ? 0 : (p + 63) & ~63ull;

	return SKB_HEAD + power_of_two_from(linear + SKB_TAIL) + pages * 4096;
}

/* A message is accepted as long as anything is free before it. */
static u64 most_messages(u64 p)
{
	return (SEND_BUFFER + true_size(p) - 1) / true_size(p);
}

static size_t message_bytes(size_t most_bytes)
{
	return (sizeof(struct message) + most_bytes + CACHE_LINE - 1) & ~(size_t)(CACHE_LINE - 1);
}

static struct channel *create(size_t most_bytes)
{
	struct unix_channel *u = mem_alloc(sizeof(*u));
	size_t stride = message_bytes(most_bytes);
	u64 n = most_messages(most_bytes);
	char *messages = mem_alloc(n * stride);

	if (!u || !messages)
		return NULL;
	channel_init(&u->channel, &unix_ops);
	u->most_bytes = most_bytes;
	u->last = &u->first;
	for (u64 i = n; i-- > 0;) {
		struct message *m = (struct message *)(messages + i * stride);

		m->next = u->free;
		u->free = m;
	}
	return &u->channel;
}

static struct unix_channel *of(const struct channel *c)
{
	return container_of(c, struct unix_channel, channel);
}

static bool has_data(const struct channel *c)
{
	return of(c)->first;
}

static bool has_room(const struct channel *c, size_t bytes)
{
	(void)bytes;
	return of(c)->charged < SEND_BUFFER && of(c)->free;
}

/* ---- sending ---- */

/* Charged before the data is copied, outside the lock, and queued after that: so does Linux. */
static struct message *reserve(struct channel *c, size_t bytes)
{
	struct unix_channel *u = of(c);
	bool slept;
	unsigned long flags = channel_lock_when(c, &c->writers, false, has_room, bytes, &slept);
	struct message *m = u->free;

	u->free = m->next;
	u->charged += true_size(bytes);
	spin_unlock_irq(&c->lock, flags);
	m->bytes = bytes;
	m->taken = 0;
	m->next = NULL;
	return m;
}

static void append(struct channel *c, struct message *m)
{
	struct unix_channel *u = of(c);
	unsigned long flags = spin_lock_irq(&c->lock);

	*u->last = m;
	u->last = &m->next;
	spin_unlock_irq(&c->lock, flags);
	if (waitq_has_sleeper(&c->readers))
		waitq_wake(&c->readers, 1, c->sync);
	preempt_point();
}

static void send(struct channel *c, const void *data, size_t bytes)
{
	struct message *m = reserve(c, bytes);

	debug_bug_on(bytes > of(c)->most_bytes);
	machine_charge(COST_UNIX_SEND, 1);
	memcpy(m->data, data, bytes);
	machine_charge(COST_COPY, bytes);
	append(c, m);
	machine_charge(COST_UNIX_SEND, 0);
}

/* ---- receiving ---- */

static bool can_receive(const struct channel *c, size_t bytes)
{
	(void)bytes;
	return has_data(c);
}

/* Only the receiver takes messages off, so the first one stays while it is copied without the lock. */
static struct message *first_message(struct channel *c)
{
	bool slept;
	unsigned long flags = channel_lock_when(c, &c->readers, false, can_receive, 0, &slept);
	struct message *m = of(c)->first;

	spin_unlock_irq(&c->lock, flags);
	return m;
}

/* Writers are released when what is still charged is at most a quarter; all at once, at each message freed below that. */
static void release(struct channel *c, struct message *m)
{
	struct unix_channel *u = of(c);
	unsigned long flags = spin_lock_irq(&c->lock);
	bool low;

	u->first = m->next;
	if (!u->first)
		u->last = &u->first;
	u->charged -= true_size(m->bytes);
	m->next = u->free;
	u->free = m;
	low = 4 * u->charged <= SEND_BUFFER;
	spin_unlock_irq(&c->lock, flags);
	if (low && waitq_has_sleeper(&c->writers))
		waitq_wake(&c->writers, 1, c->sync);
	preempt_point();
}

static void receive(struct channel *c, void *data, size_t bytes)
{
	char *to = data;

	while (bytes) {
		struct message *m = first_message(c);
		size_t n = min_u64(bytes, m->bytes - m->taken);

		machine_charge(COST_UNIX_RECEIVE, 1);
		memcpy(to, m->data + m->taken, n);
		machine_charge(COST_COPY, n);
		m->taken += n;
		to += n;
		bytes -= n;
		if (m->taken == m->bytes)
			release(c, m);
		machine_charge(COST_UNIX_RECEIVE, 0);
	}
}

const struct transport_ops unix_ops = {
	.create = create,
	.send = send,
	.receive = receive,
	.has_data = has_data,
	.has_room = has_room,
};
