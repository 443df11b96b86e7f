/* SPDX-License-Identifier: GPL-2.0-or-later
 * What VolanoMark and the chat benchmark have in common (workloads.md 4.3): a client and a server, each with an address space of
 * its own, users in rooms, for each user a TCP connection with two threads at either end, and packets that say who spoke. */
#ifndef WORKLOADS_TALK_H
#define WORKLOADS_TALK_H

#include "ipc/channel.h"
#include "ipc/semaphore.h"
#include "workloads/workload.h"

/* ---- packets ---- */

enum packet_kind { PACKET_MESSAGE, PACKET_ENTER, PACKET_CLOSE };

struct stamp {
	u32 kind; /* enum packet_kind */
	u32 room, user, number;
};

enum { PACKET_BYTES = 100 };

/* The stamp, and text that depends on it. */
struct packet {
	struct stamp stamp;
	char text[PACKET_BYTES - sizeof(struct stamp)];
};

void packet_send(struct channel *c, struct stamp stamp);
/* Undamaged and with this stamp? */
bool packet_is(const struct packet *p, struct stamp stamp);
bool packet_is_close(const struct packet *p);

/* ---- users and their threads ---- */

enum role { CLIENT_RECEIVER, CLIENT_SENDER, SERVER_RECEIVER, SERVER_SENDER, NR_ROLES };

struct talk;

struct talker {
	struct talk *talk;
	u32 room, number; /* of its room and in it, from 0 */
	struct channel *to_server, *to_client;
	struct task *thread[NR_ROLES];
	u32 *next;	    /* client receiver; number of the next message of each user in the room */
	u64 sent, received; /* its client's threads; messages spoken, and heard of others */
};

struct talk {
	u64 rooms, users, count;
	void (*body[NR_ROLES])(void *); /* of the threads; called with their talker */
	struct talker **talker;		/* room by room; the workload's own, those before nr_connected */
	u64 nr_connected;
	struct task *server;
	struct semaphore backlog, accepted; /* connections that wait to be accepted; that have been */
	bool hung_up;			    /* backlog; no more will come */
	u32 wrong;			    /* atomic; packets that were not as sent */
};

extern const char talk_no_memory[];

/* The server and a table of talkers. k has rooms, users, count and bodies. 0, -E_NOMEM. Whatever came of it, talk_close() later. */
int talk_open(struct talk *k);
/* The next user connects: two channels, the threads of the server, then those of the client. 0, -E_NOMEM. Its talker is the first
 * member of what the workload keeps of it. */
int talk_connect(struct talk *k, struct talker *t);
/* When client senders have ended or will without more ado: the others are told by a packet, and all are reaped. */
void talk_close(struct talk *k);

struct talker *talk_in_room(const struct talk *k, u32 room, u32 user);
u64 talk_users(const struct talk *k);

/* A packet has come to a client; false if it is damaged, or not the next of whoever spoke. */
bool talk_hear(struct talker *t, const struct packet *p);

/* How often the threads have gone to sleep so far, that is how often somebody had to wake one. */
u64 talk_sleeps(const struct talk *k);

/* ---- the outcome ---- */

struct talk_result {
	u64 sent, received, total, per_s;
};

/* After run_finish(): adds up, sets the status, and has the metrics that both workloads have. */
struct talk_result talk_report(const struct talk *k, struct run *r);
/* options_refuse()s sizes with which numbers would overflow. */
int talk_check(const struct workload *w, u64 rooms, u64 users, u64 count, char *error);

#endif
