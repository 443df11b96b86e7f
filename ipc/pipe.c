/* SPDX-License-Identifier: GPL-2.0-or-later
 * A pipe: sixteen pages, writes merged into the newest, one reader or writer woken at a time (workloads.md 2.5, the rules of recent
 * Linux: a writer is woken when a page has really been freed). */
#include "base/mem.h"
#include "ipc/transport.h"

enum { PIPE_SLOTS = 16, PAGE_BYTES = 4096 };

struct slot {
	u32 start, bytes; /* what is still to be read */
	char *page;
};

struct pipe {
	struct channel channel;
	u32 head, used;		      /* lock; oldest slot, slots in use */
	struct slot slot[PIPE_SLOTS]; /* lock */
};

static struct channel *create(size_t most_bytes)
{
	struct pipe *p = mem_alloc(sizeof(*p));
	char *pages = mem_alloc(PIPE_SLOTS * PAGE_BYTES);

	(void)most_bytes;
	if (!p || !pages)
		return NULL;
	channel_init(&p->channel, &pipe_ops);
	for (unsigned i = 0; i < PIPE_SLOTS; i++)
		p->slot[i].page = pages + i * PAGE_BYTES;
	return &p->channel;
}

static struct pipe *of(const struct channel *c)
{
	return container_of(c, struct pipe, channel);
}

static bool has_data(const struct channel *c)
{
	return of(c)->used;
}

static bool is_not_full(const struct channel *c, size_t bytes)
{
	(void)bytes;
	return of(c)->used < PIPE_SLOTS;
}

static struct slot *newest(struct pipe *p)
{
	return &p->slot[(p->head + p->used - 1) % PIPE_SLOTS];
}

/* The part of a write that does not fill a page goes behind what the newest page holds, if all of it fits there. */
static bool can_merge(const struct channel *c, size_t bytes)
{
	struct pipe *p = of(c);
	size_t part = bytes % PAGE_BYTES;

	return part && p->used && newest(p)->start + newest(p)->bytes + part <= PAGE_BYTES;
}

static bool has_room(const struct channel *c, size_t bytes)
{
	return is_not_full(c, bytes) || can_merge(c, bytes);
}

static void wake_reader(struct channel *c)
{
	if (waitq_has_sleeper(&c->readers))
		waitq_wake(&c->readers, 1, WAKE_SYNC);
}

static void wake_writer(struct channel *c)
{
	if (waitq_has_sleeper(&c->writers))
		waitq_wake(&c->writers, 1, WAKE_SYNC);
}

/* What came before goes to the operation, the copy to the copy. */
static void copy(char *to, const char *from, size_t n, enum cost operation)
{
	machine_charge(operation, 0);
	memcpy(to, from, n);
	machine_charge(COST_COPY, n);
}

/* ---- writing ---- */

static size_t merge(struct pipe *p, const char *data, size_t bytes)
{
	struct slot *s = newest(p);
	size_t part = bytes % PAGE_BYTES;

	copy(s->page + s->start + s->bytes, data, part, COST_PIPE_WRITE);
	s->bytes += (u32)part;
	return part;
}

static size_t fill(struct pipe *p, const char *data, size_t bytes)
{
	size_t n = min_u64(bytes, PAGE_BYTES);
	struct slot *s;

	p->used++;
	s = newest(p);
	s->start = 0;
	s->bytes = (u32)n;
	copy(s->page, data, n, COST_PIPE_WRITE);
	return n;
}

/* As much as fits now; the lock is held. */
static size_t write_some(struct channel *c, const char *data, size_t bytes, bool first)
{
	size_t done = 0;

	if (first && can_merge(c, bytes))
		done = merge(of(c), data, bytes);
	while (done < bytes && is_not_full(c, 0))
		done += fill(of(c), data + done, bytes - done);
	return done;
}

static void send(struct channel *c, const void *data, size_t bytes)
{
	const char *from = data;
	bool first = true;

	while (bytes) {
		bool slept, was_empty, room_left;
		unsigned long flags = channel_lock_when(c, &c->writers, true, first ? has_room : is_not_full, bytes, &slept);
		size_t n;

		was_empty = !has_data(c);
		n = write_some(c, from, bytes, first);
		machine_charge(COST_PIPE_WRITE, 1);
		room_left = is_not_full(c, 0);
		spin_unlock_irq(&c->lock, flags);
		from += n;
		bytes -= n;
		first = false;
		if (was_empty || c->polled)
			wake_reader(c);
		if (slept && room_left) /* pass it on: a wakeup is for one of them only */
			wake_writer(c);
		machine_charge(COST_PIPE_WRITE, 0);
	}
	preempt_point();
}

/* ---- reading ---- */

static bool can_receive(const struct channel *c, size_t bytes)
{
	(void)bytes;
	return has_data(c);
}

/* From the oldest page; true when that has been used up while the pipe was full. */
static bool read_some(struct pipe *p, char **to, size_t *bytes)
{
	struct slot *s = &p->slot[p->head];
	size_t n = min_u64(*bytes, s->bytes);
	bool was_full = p->used == PIPE_SLOTS;

	copy(*to, s->page + s->start, n, COST_PIPE_READ);
	s->start += (u32)n;
	s->bytes -= (u32)n;
	*to += n;
	*bytes -= n;
	if (s->bytes)
		return false;
	p->head = (p->head + 1) % PIPE_SLOTS;
	p->used--;
	return was_full;
}

static void receive(struct channel *c, void *data, size_t bytes)
{
	char *to = data;

	while (bytes) {
		bool slept, freed, more;
		unsigned long flags = channel_lock_when(c, &c->readers, true, can_receive, 0, &slept);

		freed = read_some(of(c), &to, &bytes);
		machine_charge(COST_PIPE_READ, 1);
		more = has_data(c);
		spin_unlock_irq(&c->lock, flags);
		if (freed)
			wake_writer(c);
		if (slept && more) /* likewise for readers */
			wake_reader(c);
		machine_charge(COST_PIPE_READ, 0);
	}
	preempt_point();
}

const struct transport_ops pipe_ops = {
	.create = create,
	.send = send,
	.receive = receive,
	.has_data = has_data,
	.has_room = has_room,
};
