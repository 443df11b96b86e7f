/* SPDX-License-Identifier: GPL-2.0-or-later
 * What VolanoMark and the chat benchmark have in common. */
#include "workloads/talk.h"

#include "base/mem.h"

const char talk_no_memory[] = "not enough memory for so many users";

static_assert(sizeof(struct packet) == PACKET_BYTES, "no padding in a packet");

/* ---- packets ---- */

static void packet_write(struct packet *p, struct stamp stamp)
{
	p->stamp = stamp;
	memset(p->text, (int)('0' + (stamp.user + stamp.number) % 64), sizeof(p->text));
}

void packet_send(struct channel *c, struct stamp stamp)
{
	struct packet p;

	packet_write(&p, stamp);
	channel_send(c, &p, sizeof(p));
}

bool packet_is(const struct packet *p, struct stamp stamp)
{
	struct packet expected;

	packet_write(&expected, stamp);
	return !memcmp(p, &expected, sizeof(expected));
}

static const struct stamp close_stamp = { .kind = PACKET_CLOSE };

bool packet_is_close(const struct packet *p)
{
	return packet_is(p, close_stamp);
}

/* ---- threads ---- */

static int spawn(struct talker *t, enum role role)
{
	static const char *const names[NR_ROLES] = {
		[CLIENT_RECEIVER] = "client-receiver",
		[CLIENT_SENDER] = "client-sender",
		[SERVER_RECEIVER] = "server-receiver",
		[SERVER_SENDER] = "server-sender",
	};

	t->thread[role] = task_spawn(names[role], t->talk->body[role], t, false);
	return t->thread[role] ? 0 : -E_NOMEM;
}

static void accept_connection(struct talker *t)
{
	if (!spawn(t, SERVER_RECEIVER))
		spawn(t, SERVER_SENDER);
}

/* Accepts one connection after another; each is the newest one. */
static void server(void *argument)
{
	struct talk *k = argument;

	for (semaphore_op(&k->backlog, -1); !k->hung_up; semaphore_op(&k->backlog, -1)) {
		accept_connection(k->talker[k->nr_connected - 1]);
		semaphore_op(&k->accepted, 1);
	}
	while (current()->nr_children)
		task_reap(REAP_ANY);
}

u64 talk_users(const struct talk *k)
{
	return k->rooms * k->users;
}

int talk_open(struct talk *k)
{
	semaphore_init(&k->backlog, 0);
	semaphore_init(&k->accepted, 0);
	k->talker = mem_alloc(talk_users(k) * sizeof(struct talker *));
	if (k->talker)
		k->server = task_spawn("server", server, k, true);
	return k->server ? 0 : -E_NOMEM;
}

static int prepare(struct talk *k, struct talker *t)
{
	t->talk = k;
	t->room = (u32)(k->nr_connected / k->users);
	t->number = (u32)(k->nr_connected % k->users);
	t->next = mem_alloc(k->users * sizeof(*t->next));
	t->to_server = channel_new(TRANSPORT_TCP, PACKET_BYTES);
	t->to_client = channel_new(TRANSPORT_TCP, PACKET_BYTES);
	return t->next && t->to_server && t->to_client ? 0 : -E_NOMEM;
}

int talk_connect(struct talk *k, struct talker *t)
{
	if (prepare(k, t))
		return -E_NOMEM;
	k->talker[k->nr_connected++] = t;
	semaphore_op(&k->backlog, 1);
	semaphore_op(&k->accepted, -1);
	if (!t->thread[SERVER_SENDER] || spawn(t, CLIENT_SENDER))
		return -E_NOMEM;
	return spawn(t, CLIENT_RECEIVER);
}

/* By name: the task that runs the workload may have other children, which go on. */
static void reap_clients(struct talk *k, enum role role)
{
	for (u64 i = 0; i < k->nr_connected; i++)
		if (k->talker[i]->thread[role])
			task_reap(k->talker[i]->thread[role]);
}

/* Clients go on reading until nobody can be writing to them any more. */
static void close_server(struct talk *k)
{
	for (u64 i = 0; i < k->nr_connected; i++)
		if (k->talker[i]->thread[SERVER_RECEIVER])
			packet_send(k->talker[i]->to_server, close_stamp);
	k->hung_up = true;
	semaphore_op(&k->backlog, 1);
	task_reap(k->server);
}

void talk_close(struct talk *k)
{
	if (!k->server)
		return;
	reap_clients(k, CLIENT_SENDER);
	close_server(k);
	for (u64 i = 0; i < k->nr_connected; i++)
		if (k->talker[i]->thread[CLIENT_RECEIVER])
			packet_send(k->talker[i]->to_client, close_stamp);
	reap_clients(k, CLIENT_RECEIVER);
}

struct talker *talk_in_room(const struct talk *k, u32 room, u32 user)
{
	return k->talker[room * k->users + user];
}

bool talk_hear(struct talker *t, const struct packet *p)
{
	u32 speaker = p->stamp.user;

	t->received += speaker != t->number;
	return speaker < t->talk->users && packet_is(p, (struct stamp){ PACKET_MESSAGE, t->room, speaker, t->next[speaker]++ });
}

/* Taken while all of them sleep, or nearly so, hence without their queues' locks. */
u64 talk_sleeps(const struct talk *k)
{
	u64 sum = 0;

	for (u64 i = 0; i < k->nr_connected; i++)
		for (enum role role = 0; role < NR_ROLES; role++)
			sum += READ_ONCE(k->talker[i]->thread[role]->nr_voluntary);
	return sum;
}

/* ---- the outcome ---- */

static struct talk_result add_up(const struct talk *k, u64 elapsed_ns)
{
	struct talk_result result = { 0 };

	for (u64 i = 0; i < k->nr_connected; i++) {
		result.sent += k->talker[i]->sent;
		result.received += k->talker[i]->received;
	}
	result.total = result.sent + result.received;
	elapsed_ns = max_u64(elapsed_ns, 1);
	result.per_s = (result.total * NSEC_PER_SEC + elapsed_ns / 2) / elapsed_ns;
	return result;
}

static bool is_complete(const struct talk *k, const struct talk_result *result)
{
	u64 sent = talk_users(k) * k->count;

	return result->sent == sent && result->received == sent * (k->users - 1);
}

struct talk_result talk_report(const struct talk *k, struct run *r)
{
	struct talk_result result = add_up(k, r->elapsed_ns);

	run_metric(r, "threads", NR_ROLES * k->nr_connected);
	run_metric(r, "sent", result.sent);
	run_metric(r, "received", result.received);
	run_metric(r, "messages", result.total);
	run_metric(r, "messages_per_s", result.per_s);
	r->status = k->wrong || !is_complete(k, &result) ? "messages were lost, repeated or damaged" : "ok";
	return result;
}

int talk_check(const struct workload *w, u64 rooms, u64 users, u64 count, char *error)
{
	const u64 most_messages = 10000000000; /* times 10^9 ns they still fit into 64 bits */

	if (rooms * users * users <= most_messages && count <= most_messages / (rooms * users * users))
		return 0;
	return options_refuse(w, "more than 10000000000 messages in all", error);
}
