/* SPDX-License-Identifier: GPL-2.0-or-later
 * A pipe: sixteen pages, writes merged into the newest, and Linux's three generations of rules for who is woken (workloads.md 2.5).
 *
 * Recent ones wake one reader when the pipe was empty, and one writer when a page of a full pipe has been freed. From 5.6 to about
 * 6.12 every read that begins on a full pipe wakes a writer: a page that holds forty messages wakes forty times, and but for the
 * last it is for nothing. Up to 5.4 readers and writers sleep in one queue, and every write and every page freed wakes all of it.
 */
#include "base/mem.h"
#include "ipc/transport.h"

enum { PIPE_SLOTS = 16, PAGE_BYTES = 4096 };

struct slot {
	u32 start, bytes; /* what is still to be read */
	char *page;
};

/* What a read did. */
enum { BEGAN_FULL = 1, FREED_PAGE = 2 };

struct rules {
	unsigned read_wakes; /* of the above, all that a read must have done to wake writers */
	bool herd;	     /* readers and writers sleep in one queue, and an event wakes all of it */
};

struct pipe {
	struct channel channel;
	struct rules rules;
	struct waitq *writers;	      /* where they sleep */
	u32 head, used;		      /* lock; oldest slot, slots in use */
	struct slot slot[PIPE_SLOTS]; /* lock */
};

static struct channel *create(const struct transport_ops *kind, struct rules rules)
{
	struct pipe *p = mem_alloc(sizeof(*p));
	char *pages = mem_alloc(PIPE_SLOTS * PAGE_BYTES);

	if (!p || !pages)
		return NULL;
	channel_init(&p->channel, kind);
	p->rules = rules;
	p->writers = rules.herd ? &p->channel.readers : &p->channel.writers;
	for (unsigned i = 0; i < PIPE_SLOTS; i++)
		p->slot[i].page = pages + i * PAGE_BYTES;
	return &p->channel;
}

static struct channel *create_recent(size_t most_bytes)
{
	(void)most_bytes;
	return create(&pipe_ops, (struct rules){ .read_wakes = BEGAN_FULL | FREED_PAGE });
}

static struct channel *create_6_1(size_t most_bytes)
{
	(void)most_bytes;
	return create(&pipe_6_1_ops, (struct rules){ .read_wakes = BEGAN_FULL });
}

static struct channel *create_5_4(size_t most_bytes)
{
	(void)most_bytes;
	return create(&pipe_5_4_ops, (struct rules){ .read_wakes = FREED_PAGE, .herd = true });
}

static struct pipe *of(const struct channel *c)
{
	return container_of(c, struct pipe, channel);
}

static bool has_data(const struct channel *c)
{
	return of(c)->used;
}

static bool is_not_full(const struct channel *c)
{
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
	return is_not_full(c) || can_merge(c, bytes);
}

/* One, or all who are not exclusive. */
static void wake(struct channel *c, struct waitq *q)
{
	if (waitq_has_sleeper(q))
		waitq_wake(q, 1, c->sync);
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
static size_t write_some(struct channel *c, const char *data, size_t bytes, bool may_merge)
{
	size_t done = 0;

	if (may_merge && can_merge(c, bytes))
		done = merge(of(c), data, bytes);
	while (done < bytes && is_not_full(c))
		done += fill(of(c), data + done, bytes - done);
	return done;
}

/* Only at its beginning does a write merge, and not if it has to sleep first: measured on Linux 6.18. */
static void send(struct channel *c, const void *data, size_t bytes)
{
	const bool herd = of(c)->rules.herd;
	const char *from = data;
	bool may_merge = true, has_slept = false;

	while (bytes) {
		bool slept, was_empty, room_left;
		unsigned long flags = channel_lock_when(c, of(c)->writers, !herd, has_room, may_merge ? bytes : 0, &slept);
		size_t n;

		has_slept |= slept;
		was_empty = !has_data(c);
		n = write_some(c, from, bytes, may_merge && !slept);
		machine_charge(COST_PIPE_WRITE, 1);
		room_left = is_not_full(c);
		spin_unlock_irq(&c->lock, flags);
		from += n;
		bytes -= n;
		may_merge = false;
		if (was_empty || c->polled || herd)
			wake(c, &c->readers);
		if (has_slept && room_left && !herd) /* pass it on: a wakeup is for one of them only */
			wake(c, of(c)->writers);
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

/* From the oldest page. Returns what it did. */
static unsigned read_some(struct pipe *p, char **to, size_t *bytes)
{
	struct slot *s = &p->slot[p->head];
	size_t n = min_u64(*bytes, s->bytes);
	unsigned did = p->used == PIPE_SLOTS ? BEGAN_FULL : 0;

	copy(*to, s->page + s->start, n, COST_PIPE_READ);
	s->start += (u32)n;
	s->bytes -= (u32)n;
	*to += n;
	*bytes -= n;
	if (s->bytes)
		return did;
	p->head = (p->head + 1) % PIPE_SLOTS;
	p->used--;
	return did | FREED_PAGE;
}

static void receive(struct channel *c, void *data, size_t bytes)
{
	const struct rules rules = of(c)->rules;
	char *to = data;

	while (bytes) {
		bool slept, more;
		unsigned did;
		unsigned long flags = channel_lock_when(c, &c->readers, !rules.herd, can_receive, 0, &slept);

		did = read_some(of(c), &to, &bytes);
		machine_charge(COST_PIPE_READ, 1);
		more = has_data(c);
		spin_unlock_irq(&c->lock, flags);
		if ((did & rules.read_wakes) == rules.read_wakes)
			wake(c, of(c)->writers);
		if (slept && more && !rules.herd) /* likewise for readers */
			wake(c, &c->readers);
		machine_charge(COST_PIPE_READ, 0);
	}
	preempt_point();
}

#define PIPE_OPS(create_it)                                                                                                        \
	{                                                                                                                          \
		.create = create_it, .send = send, .receive = receive, .has_data = has_data, .has_room = has_room,                 \
	}

const struct transport_ops pipe_ops = PIPE_OPS(create_recent);
const struct transport_ops pipe_6_1_ops = PIPE_OPS(create_6_1);
const struct transport_ops pipe_5_4_ops = PIPE_OPS(create_5_4);
