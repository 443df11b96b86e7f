/* SPDX-License-Identifier: GPL-2.0-or-later
 * What each kind of channel provides to channel.c. */
#ifndef IPC_TRANSPORT_H
#define IPC_TRANSPORT_H

#include "ipc/channel.h"
#include "ipc/waitq.h"

struct transport_ops {
	struct channel *(*create)(size_t most_bytes);
	void (*send)(struct channel *, const void *data, size_t bytes);
	void (*receive)(struct channel *, void *data, size_t bytes);
	bool (*has_data)(const struct channel *);		/* lock held */
	bool (*has_room)(const struct channel *, size_t bytes); /* lock held */
};

/* The common part, first in each kind. */
struct channel {
	const struct transport_ops *ops;
	struct spinlock lock;
	struct waitq readers, writers;
	unsigned sync; /* WAKE_SYNC, or 0 if its wakeups are not to carry that hint */
	bool polled;   /* lock to write; somebody has ever polled it */
};

typedef bool (*channel_test)(const struct channel *, size_t bytes);

/* Comes with the lock held, sleeps on q and leaves with the lock held again and the test holding for 0 bytes. */
unsigned long channel_sleep_until(struct channel *c, struct waitq *q, bool exclusive, channel_test test, unsigned long flags);

/* Take the lock once the test holds, sleeping on q until then; *slept says whether that was necessary. Returns what spin_lock_irq()
 * does. */
static inline unsigned long channel_lock_when(
	struct channel *c, struct waitq *q, bool exclusive, channel_test test, size_t bytes, bool *slept)
{
	unsigned long flags = spin_lock_irq(&c->lock);

	*slept = !test(c, bytes);
	return likely(!*slept) ? flags : channel_sleep_until(c, q, exclusive, test, flags);
}

void channel_init(struct channel *c, const struct transport_ops *ops);

extern const struct transport_ops unix_ops, pipe_ops, pipe_6_1_ops, pipe_5_4_ops, tcp_ops;

#endif
