/* SPDX-License-Identifier: GPL-2.0-or-later
 * VolanoMark: chat rooms in which one user speaks at a time, and whoever's turn is next speaks as soon as he has heard it
 * (workloads.md 4.3). Rooms are token rings whose every step fans out from one thread to 19 and on to 19 others, and whose threads
 * yield after every packet.
 *
 * Senders own a queue: who puts something into it wakes at most one thread; the sender takes all there is and flushes packet by
 * packet. As in version 2.13 the speaker gets a confirmation, which is no message and does not count for whose turn it is.
 */
#include "workloads/talk.h"

#include "base/bug.h"
#include "base/mem.h"
#include "base/text.h"
#include "ipc/futex.h"
#include "ipc/sleep.h"

enum mode { MODE_PACED, MODE_BURST };
enum fanout { FANOUT_QUEUE, FANOUT_DIRECT };

struct options {
	u64 rooms, users, count, mode, fanout, yield, server_ns;
};

static const char *const mode_words[] = { [MODE_PACED] = "paced", [MODE_BURST] = "burst", NULL };
static const char *const fanout_words[] = { [FANOUT_QUEUE] = "queue", [FANOUT_DIRECT] = "direct", NULL };

static const struct option option_table[] = {
	NUMBER_OPTION('r', "rooms", rooms, 1, 1000, "rooms"),
	NUMBER_OPTION('u', "users", users, 2, 1000, "users in a room, with four threads each"),
	NUMBER_OPTION('c', "count", count, 1, 1000000, "messages that each user speaks"),
	CHOICE_OPTION('m', "mode", mode, mode_words, "taking turns, or everybody all at once"),
	CHOICE_OPTION('f', "fanout", fanout, fanout_words,
		"the server hands a message to the senders of all users in the room, or its own sender writes to them all"),
	FLAG_OPTION(0, "no-yield", yield, 0, "threads do not yield after a packet"),
	NUMBER_OPTION(0, "server-ns", server_ns, 0, 1000000000, "CPU time of the server for a packet that it reads or writes"),
	{ 0 },
};

/* The server's time: within the 2 to 5 us that a packet is said to take. */
static const struct options defaults = {
	.rooms = 10, .users = 20, .count = 100, .mode = MODE_PACED, .fanout = FANOUT_QUEUE, .yield = 1, .server_ns = 3000
};

static int check(void *options, char *error)
{
	const struct options *o = options;

	return talk_check(&vmark, o->rooms, o->users, o->count, error);
}

/* ---- queues between threads ---- */

struct queue {
	struct mutex lock;
	bool waiting;	     /* lock; its sender has nothing to send */
	struct futex filled; /* word: how often the sender has been notified */
	u32 put;	     /* lock; so many have been put in, */
	u32 taken;	     /* atomic; the sender's: and so many taken out */
	u32 most;
	struct stamp *ring;
};

static int queue_init(struct queue *q, u64 most)
{
	mutex_init(&q->lock);
	futex_init(&q->filled, 0);
	q->most = (u32)most;
	q->ring = mem_alloc(most * sizeof(*q->ring));
	return q->ring ? 0 : -E_NOMEM;
}

static void queue_put(struct queue *q, struct stamp stamp)
{
	bool notify;

	mutex_lock(&q->lock);
	bug_on(q->put - LOAD_ACQUIRE(q->taken) == q->most);
	q->ring[q->put++ % q->most] = stamp;
	notify = q->waiting;
	q->waiting = false;
	if (notify)
		WRITE_ONCE(q->filled.word, q->filled.word + 1);
	mutex_unlock(&q->lock);
	if (notify)
		futex_wake(&q->filled, 1);
}

/* How many there are to take, at least one. */
static u32 queue_await(struct queue *q)
{
	u32 n;

	mutex_lock(&q->lock);
	while (!(n = q->put - q->taken)) {
		u32 notified = q->filled.word;

		q->waiting = true;
		mutex_unlock(&q->lock);
		futex_wait(&q->filled, notified);
		mutex_lock(&q->lock);
	}
	mutex_unlock(&q->lock);
	return n;
}

static struct stamp queue_take(struct queue *q)
{
	struct stamp stamp = q->ring[q->taken % q->most];

	STORE_RELEASE(q->taken, q->taken + 1);
	return stamp;
}

/* ---- what is shared ---- */

struct bench {
	const struct options *o;
	struct talk talk;
	struct futex start; /* word: 1 when rooms may start */
	bool called_off;    /* before that: memory is out */
	struct semaphore entered, finished;
};

struct user {
	struct talker talker; /* first */
	struct bench *bench;
	struct queue to_server, to_client;
	u32 packets; /* client receiver; come since the start */
	u32 heard;   /* server receiver; likewise */
};

static struct user *neighbour(const struct user *u, u32 number)
{
	return (struct user *)talk_in_room(&u->bench->talk, u->talker.room, number);
}

static struct stamp stamp(const struct user *u, enum packet_kind kind, u32 number)
{
	return (struct stamp){ kind, u->talker.room, u->talker.number, number };
}

static void give_way(const struct user *u)
{
	if (u->bench->o->yield)
		yield();
}

/* Who has lost count might wait for ever, so the run ends here. */
static void give_up(struct bench *b)
{
	__atomic_add_fetch(&b->talk.wrong, 1, __ATOMIC_RELAXED);
	semaphore_op(&b->finished, (s64)talk_users(&b->talk));
}

/* ---- the client ---- */

static void speak(struct user *u)
{
	queue_put(&u->to_server, stamp(u, PACKET_MESSAGE, (u32)u->talker.sent++));
}

/* Counting is enough, though messages of neighbouring turns may overtake each other on their way here: whoever has count n has all
 * n messages that there are, since the last of them was spoken by one who had all before. */
static bool has_turn(const struct user *u)
{
	const struct options *o = u->bench->o;

	return o->mode == MODE_PACED && u->talker.sent < o->count &&
	       (u->talker.sent + u->talker.received) % o->users == u->talker.number;
}

static void hear(struct user *u, const struct packet *p)
{
	struct bench *b = u->bench;

	if (!talk_hear(&u->talker, p)) {
		give_up(b);
		return;
	}
	if (++u->packets == b->o->users * b->o->count)
		semaphore_op(&b->finished, 1);
	if (u->talker.number != p->stamp.user && has_turn(u))
		speak(u);
}

static void enter(struct user *u)
{
	struct packet p;

	queue_put(&u->to_server, stamp(u, PACKET_ENTER, 0));
	channel_receive(u->talker.to_client, &p, sizeof(p));
	if (!packet_is(&p, stamp(u, PACKET_ENTER, 0)))
		give_up(u->bench);
	semaphore_op(&u->bench->entered, 1);
}

/* All threads that begin wait for the same notification. */
static void begin(struct user *u)
{
	struct bench *b = u->bench;
	u64 messages = b->o->mode == MODE_BURST ? b->o->count : has_turn(u);

	if (!messages)
		return;
	while (!LOAD_ACQUIRE(b->start.word))
		futex_wait(&b->start, 0);
	if (b->called_off)
		return;
	machine_work_ns(run_stagger_ns(u->talker.room * b->o->users + u->talker.number));
	while (messages--)
		speak(u);
}

static void client_receiver(void *argument)
{
	struct user *u = argument;
	struct packet p;

	enter(u);
	begin(u);
	for (;;) {
		channel_receive(u->talker.to_client, &p, sizeof(p));
		if (packet_is_close(&p))
			return;
		hear(u, &p);
		give_way(u);
	}
}

/* The body of both senders; until PACKET_CLOSE is taken out of the queue. */
static void send_all(struct user *u, struct queue *q, void (*write)(struct user *, struct stamp))
{
	for (;;) {
		for (u32 n = queue_await(q); n; n--) {
			struct stamp s = queue_take(q);

			if (s.kind == PACKET_CLOSE)
				return;
			write(u, s);
		}
		give_way(u);
	}
}

static void write_to_server(struct user *u, struct stamp s)
{
	packet_send(u->talker.to_server, s);
}

static void client_sender(void *argument)
{
	struct user *u = argument;

	send_all(u, &u->to_server, write_to_server);
}

/* ---- the server ---- */

static void write_to_client(struct user *u, struct stamp s)
{
	machine_work_ns(u->bench->o->server_ns);
	packet_send(u->talker.to_client, s);
}

/* The speaker comes last, with the confirmation. */
static void for_all_in_room(struct user *speaker, struct stamp s, void (*pass)(struct user *, struct stamp))
{
	for (u32 i = 0; i < speaker->bench->o->users; i++)
		if (i != speaker->talker.number)
			pass(neighbour(speaker, i), s);
	pass(speaker, s);
}

static void write_to_room(struct user *u, struct stamp s)
{
	if (s.kind == PACKET_MESSAGE)
		for_all_in_room(u, s, write_to_client);
	else
		write_to_client(u, s);
}

static void server_sender(void *argument)
{
	struct user *u = argument;

	send_all(u, &u->to_client, u->bench->o->fanout == FANOUT_DIRECT ? write_to_room : write_to_client);
}

static void enqueue(struct user *u, struct stamp s)
{
	queue_put(&u->to_client, s);
}

static void pass_on(struct user *u, const struct packet *p)
{
	if (packet_is(p, stamp(u, PACKET_ENTER, 0)))
		enqueue(u, p->stamp);
	else if (!packet_is(p, stamp(u, PACKET_MESSAGE, u->heard++)))
		give_up(u->bench);
	else if (u->bench->o->fanout == FANOUT_DIRECT)
		enqueue(u, p->stamp);
	else
		for_all_in_room(u, p->stamp, enqueue);
}

static void server_receiver(void *argument)
{
	struct user *u = argument;
	struct packet p;

	for (;;) {
		channel_receive(u->talker.to_server, &p, sizeof(p));
		if (packet_is_close(&p))
			break;
		machine_work_ns(u->bench->o->server_ns);
		pass_on(u, &p);
		give_way(u);
	}
	enqueue(u, stamp(u, PACKET_CLOSE, 0));
}

/* ---- the parent ---- */

/*
 * Queues have room for all that can ever be in them, so that nobody waits for room. Taking turns, nobody speaks again before having
 * heard everybody else, so no more than two messages of each user are on their way to another. PACKET_ENTER and PACKET_CLOSE come
 * in addition.
 */
static int prepare(struct bench *b, struct user *u)
{
	const struct options *o = b->o;
	u64 under_way = o->mode == MODE_BURST ? o->count : min_u64(o->count, 2);
	u64 speakers = o->fanout == FANOUT_DIRECT ? 1 : o->users;

	u->bench = b;
	return queue_init(&u->to_server, under_way + 2) || queue_init(&u->to_client, speakers * under_way + 2) ? -E_NOMEM : 0;
}

/* A user has entered before the next one comes. */
static int add_user(struct bench *b)
{
	struct user *u = mem_alloc(sizeof(*u));

	if (!u || prepare(b, u) || talk_connect(&b->talk, &u->talker))
		return -E_NOMEM;
	semaphore_op(&b->entered, -1);
	return 0;
}

static int open_rooms(struct bench *b)
{
	futex_init(&b->start, 0);
	semaphore_init(&b->entered, 0);
	semaphore_init(&b->finished, 0);
	if (talk_open(&b->talk))
		return -E_NOMEM;
	for (u64 i = 0; i < talk_users(&b->talk); i++)
		if (add_user(b))
			return -E_NOMEM;
	return 0;
}

static void start(struct bench *b)
{
	STORE_RELEASE(b->start.word, 1);
	futex_wake(&b->start, ~0u);
}

/* The classic lines. */
static void say_result(const struct talk_result *result, u64 elapsed_ns)
{
	say("VolanoMark version = 2.x\n");
	say("Messages sent      = %llu\n", (unsigned long long)result->sent);
	say("Messages received  = %llu\n", (unsigned long long)result->received);
	say("Total messages     = %llu\n", (unsigned long long)result->total);
	say("Elapsed time       = %s seconds\n", text_decimal(elapsed_ns, NSEC_PER_SEC, 1).text);
	say("Average throughput = %llu messages per second\n", (unsigned long long)result->per_s);
}

/* Until the last user has heard everything; what closes the connections comes after that. */
static void measure(struct bench *b, struct run *r)
{
	u64 sleeps = talk_sleeps(&b->talk);
	struct talk_result result;

	run_begin(r);
	start(b);
	semaphore_op(&b->finished, -(s64)talk_users(&b->talk));
	run_finish(r);
	sleeps = talk_sleeps(&b->talk) - sleeps;
	result = talk_report(&b->talk, r);
	run_metric(r, "wakeups_per_1000_sent", sleeps * 1000 / max_u64(result.sent, 1));
	say_result(&result, r->elapsed_ns);
}

static void close_rooms(struct bench *b)
{
	for (u64 i = 0; i < b->talk.nr_connected; i++) {
		struct user *u = (struct user *)b->talk.talker[i];

		if (u->talker.thread[CLIENT_SENDER])
			queue_put(&u->to_server, stamp(u, PACKET_CLOSE, 0));
	}
	talk_close(&b->talk);
}

static void run(const void *options, struct run *r)
{
	struct bench b = { .o = options };

	b.talk = (struct talk){
		.rooms = b.o->rooms,
		.users = b.o->users,
		.count = b.o->count,
		.body = { client_receiver, client_sender, server_receiver, server_sender },
	};
	r->status = talk_no_memory;
	b.called_off = open_rooms(&b);
	if (b.called_off)
		start(&b);
	else
		measure(&b, r);
	close_rooms(&b);
}

const struct workload vmark = {
	.name = "vmark",
	.purpose = "VolanoMark: chat rooms in which each message goes from one user to all others, who take turns",
	.options = option_table,
	.defaults = &defaults,
	.options_bytes = sizeof(struct options),
	.check = check,
	.figure = "messages_per_s",
	.more_is_better = true,
	.run = run,
};
