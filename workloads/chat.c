/* SPDX-License-Identifier: GPL-2.0-or-later
 * The chat benchmark (Bill Hartner, IBM, 2000): VolanoMark's rooms without its turns (workloads.md 4.3). Everybody sends everything
 * at once; a thread of the server that has read a message hands it to one other, by a semaphore, and that one writes to all users
 * of the room. */
#include "workloads/talk.h"

#include "base/mem.h"
#include "base/text.h"

struct options {
	u64 rooms, users, count;
};

static const struct option option_table[] = {
	NUMBER_OPTION('r', "rooms", rooms, 1, 1000, "rooms"),
	NUMBER_OPTION('u', "users", users, 2, 1000, "users in a room, with four threads each"),
	NUMBER_OPTION('c', "count", count, 1, 1000000, "messages that each user sends"),
	{ 0 },
};

static const struct options defaults = { .rooms = 10, .users = 20, .count = 100 };

static int check(void *options, char *error)
{
	const struct options *o = options;

	return talk_check(&chat, o->rooms, o->users, o->count, error);
}

struct bench {
	struct talk talk;
	struct semaphore start;	  /* the threads of clients that may pass */
	struct semaphore running; /* those that have not finished */
	bool called_off;	  /* before they may: memory is out */
};

struct user {
	struct talker talker; /* first */
	struct bench *bench;
	struct semaphore mail;	/* of the server's sender */
	struct packet *arrived; /* one after another */
	u32 nr_arrived;		/* atomic; the server's receiver's */
};

/* ---- the client ---- */

static bool pass_start(struct user *u, enum role role)
{
	struct bench *b = u->bench;

	semaphore_op(&b->start, -1);
	machine_work_ns(run_stagger_ns(2 * (u->talker.room * b->talk.users + u->talker.number) + role));
	return !b->called_off;
}

static void finish(struct user *u)
{
	semaphore_op(&u->bench->running, -1);
}

static void client_sender(void *argument)
{
	struct user *u = argument;
	struct talker *t = &u->talker;

	if (!pass_start(u, CLIENT_SENDER))
		return;
	for (; t->sent < t->talk->count; t->sent++)
		packet_send(t->to_server, (struct stamp){ PACKET_MESSAGE, t->room, t->number, (u32)t->sent });
	finish(u);
}

static void client_receiver(void *argument)
{
	struct user *u = argument;
	struct talker *t = &u->talker;
	u32 wrong = 0;

	if (!pass_start(u, CLIENT_RECEIVER))
		return;
	for (u64 left = (t->talk->users - 1) * t->talk->count; left; left--) {
		struct packet p;

		channel_receive(t->to_client, &p, sizeof(p));
		wrong += !talk_hear(t, &p);
	}
	__atomic_add_fetch(&t->talk->wrong, wrong, __ATOMIC_RELAXED);
	finish(u);
}

/* ---- the server ---- */

/* The semaphore is raised once more when there will be no more mail. */
static void server_receiver(void *argument)
{
	struct user *u = argument;
	struct packet *p;

	for (p = u->arrived;; p++) {
		channel_receive(u->talker.to_server, p, sizeof(*p));
		if (packet_is_close(p))
			break;
		STORE_RELEASE(u->nr_arrived, u->nr_arrived + 1);
		semaphore_op(&u->mail, 1);
	}
	semaphore_op(&u->mail, 1);
}

static void write_to_others(const struct talker *t, const struct packet *p)
{
	for (u32 i = 0; i < t->talk->users; i++)
		if (i != t->number)
			channel_send(talk_in_room(t->talk, t->room, i)->to_client, p, sizeof(*p));
}

static void server_sender(void *argument)
{
	struct user *u = argument;
	u32 n = 0;

	for (semaphore_op(&u->mail, -1); n < LOAD_ACQUIRE(u->nr_arrived); semaphore_op(&u->mail, -1))
		write_to_others(&u->talker, &u->arrived[n++]);
}

/* ---- the parent ---- */

static int add_user(struct bench *b)
{
	struct user *u = mem_alloc(sizeof(*u));

	if (!u)
		return -E_NOMEM;
	u->bench = b;
	u->arrived = mem_alloc((b->talk.count + 1) * sizeof(*u->arrived));
	semaphore_init(&u->mail, 0);
	return u->arrived ? talk_connect(&b->talk, &u->talker) : -E_NOMEM;
}

static int open_rooms(struct bench *b)
{
	semaphore_init(&b->start, 0);
	semaphore_init(&b->running, 2 * talk_users(&b->talk));
	if (talk_open(&b->talk))
		return -E_NOMEM;
	for (u64 i = 0; i < talk_users(&b->talk); i++)
		if (add_user(b))
			return -E_NOMEM;
	return 0;
}

/* All with one operation. */
static void start(struct bench *b)
{
	semaphore_op(&b->start, 2 * (s64)talk_users(&b->talk));
}

static void say_result(const struct talk_result *result, u64 elapsed_ns)
{
	say("Messages sent      : %10llu\n", (unsigned long long)result->sent);
	say("Messages received  : %10llu\n", (unsigned long long)result->received);
	say("Total messages     : %10llu\n", (unsigned long long)result->total);
	say("Elapsed time       : %10s seconds\n", text_decimal(elapsed_ns, NSEC_PER_SEC, 2).text);
	say("Average throughput : %10s messages per second\n",
		text_decimal(result->total * NSEC_PER_SEC, max_u64(elapsed_ns, 1), 2).text);
}

static void measure(struct bench *b, struct run *r)
{
	struct talk_result result;

	run_begin(r);
	start(b);
	semaphore_op(&b->running, 0);
	run_finish(r);
	result = talk_report(&b->talk, r);
	say_result(&result, r->elapsed_ns);
}

static void run(const void *options, struct run *r)
{
	const struct options *o = options;
	struct bench b = {
		.talk = {
			.rooms = o->rooms,
			.users = o->users,
			.count = o->count,
			.body = { client_receiver, client_sender, server_receiver, server_sender },
		},
	};

	r->status = talk_no_memory;
	b.called_off = open_rooms(&b);
	if (b.called_off)
		start(&b);
	else
		measure(&b, r);
	talk_close(&b.talk);
}

const struct workload chat = {
	.name = "chat",
	.purpose = "the chat benchmark: chat rooms in which everybody sends everything at once",
	.options = option_table,
	.defaults = &defaults,
	.options_bytes = sizeof(struct options),
	.check = check,
	.figure = "messages_per_s",
	.more_is_better = true,
	.run = run,
};
