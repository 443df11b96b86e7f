/* SPDX-License-Identifier: GPL-2.0-or-later
 * Byte channels that tasks talk through: an AF_UNIX-like stream socket, a pipe, TCP over loopback. Every call is a system call for
 * preemption. */
#ifndef IPC_CHANNEL_H
#define IPC_CHANNEL_H

#include "base/types.h"

/* A pipe by the rules of recent Linux, of 5.6 to about 6.12, and up to 5.4: they differ in who is woken when. */
enum transport { TRANSPORT_UNIX, TRANSPORT_PIPE, TRANSPORT_PIPE_6_1, TRANSPORT_PIPE_5_4, TRANSPORT_TCP, NR_TRANSPORTS };

struct channel;

/* A channel, of one direction, for messages of up to most_bytes, 1..70000. Lives until mem_end_run(). NULL when memory is out. */
struct channel *channel_new(enum transport transport, size_t most_bytes);

/* Whether its wakeups carry the sync hint where Linux gives it; at first they do. Before anybody uses it. */
void channel_set_sync(struct channel *c, bool sync);

/* Send all of data[bytes], blocking while the channel is full. Several may send at once; their messages stay whole, but for those
 * of more than a page (4096 bytes) on a pipe. */
void channel_send(struct channel *c, const void *data, size_t bytes);
/* Receive exactly that many, blocking while there are fewer. One receiver at a time. */
void channel_receive(struct channel *c, void *data, size_t bytes);
/* Block until something can be received; receives nothing. */
void channel_poll(struct channel *c);

/* Would a message of that size be taken without blocking? */
bool channel_has_room(struct channel *c, size_t bytes);

#endif
