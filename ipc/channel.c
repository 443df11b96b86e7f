/* SPDX-License-Identifier: GPL-2.0-or-later
 * Channels: what stream sockets and pipes have in common. */
#include "ipc/transport.h"

static const struct transport_ops *const ops[NR_TRANSPORTS] = {
	[TRANSPORT_UNIX] = &unix_ops,
	[TRANSPORT_PIPE] = &pipe_ops,
	[TRANSPORT_PIPE_6_1] = &pipe_6_1_ops,
	[TRANSPORT_PIPE_5_4] = &pipe_5_4_ops,
	[TRANSPORT_TCP] = &tcp_ops,
};

void channel_init(struct channel *c, const struct transport_ops *kind)
{
	c->ops = kind;
	c->lock = SPINLOCK_INIT(RANK_OBJECT);
	waitq_init(&c->readers);
	waitq_init(&c->writers);
	c->sync = WAKE_SYNC;
}

struct channel *channel_new(enum transport transport, size_t most_bytes)
{
	return ops[transport]->create(most_bytes);
}

void channel_set_sync(struct channel *c, bool sync)
{
	c->sync = sync ? WAKE_SYNC : 0;
}

void channel_send(struct channel *c, const void *data, size_t bytes)
{
	syscall_enter();
	c->ops->send(c, data, bytes);
	syscall_exit();
}

void channel_receive(struct channel *c, void *data, size_t bytes)
{
	syscall_enter();
	c->ops->receive(c, data, bytes);
	syscall_exit();
}

unsigned long channel_sleep_until(struct channel *c, struct waitq *q, bool exclusive, channel_test test, unsigned long flags)
{
	struct waiter w = { .queued = false };

	do {
		waitq_prepare(q, &w, exclusive);
		spin_unlock_irq(&c->lock, flags);
		schedule();
		flags = spin_lock_irq(&c->lock);
	} while (!test(c, 0));
	waitq_finish(q, &w);
	return flags;
}

static bool look(struct channel *c)
{
	unsigned long flags = spin_lock_irq(&c->lock);
	bool ready = c->ops->has_data(c);

	c->polled = true;
	spin_unlock_irq(&c->lock, flags);
	return ready;
}

void channel_poll(struct channel *c)
{
	struct waiter w = { .queued = false };

	syscall_enter();
	for (waitq_prepare(&c->readers, &w, false); !look(c); waitq_prepare(&c->readers, &w, false))
		schedule();
	waitq_finish(&c->readers, &w);
	syscall_exit();
}

bool channel_has_room(struct channel *c, size_t bytes)
{
	unsigned long flags = spin_lock_irq(&c->lock);
	bool room = c->ops->has_room(c, bytes);

	spin_unlock_irq(&c->lock, flags);
	return room;
}
