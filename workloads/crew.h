/* SPDX-License-Identifier: GPL-2.0-or-later
 * Messengers and their workers, of which both generations of schbench are made (workloads.md 4.6). A worker that has nothing to do
 * puts itself on its messenger's list and sleeps; the messenger wakes all it finds there in one burst, without the sync hint. How
 * long each of them takes from the beginning of the burst to its own first step is the latency of its wakeup.
 */
#ifndef WORKLOADS_CREW_H
#define WORKLOADS_CREW_H

#include "ipc/futex.h"
#include "ipc/gate.h"
#include "workloads/percentiles.h"
#include "workloads/workload.h"

struct crew;

/* How often and how long a task waited for a CPU. */
struct waits {
	u64 ns, times;
};

struct worker {
	struct futex futex; /* its word says whether it is blocked */
	struct messenger *messenger;
	struct worker *next; /* on the messenger's list */
	u64 number;
	u64 posted_ns; /* the messenger's while blocked, else the worker's: the time that the latency counts from */

	/* own, and after its end the parent's */
	u64 asked;			    /* times that it put itself on the list */
	u64 done;			    /* atomic; requests that ended while it was measured */
	u64 wakeup_ns;			    /* sum of the latencies */
	struct histogram wakeups, requests; /* us */
	struct waits waits;

	/* for the workload */
	u64 pending; /* atomic; requests queued for it */
	u64 taken;   /* of those; own */
	u8 *buffer;
} cache_aligned;

struct messenger {
	struct futex futex;
	struct worker *list; /* atomic; latest first */
	struct crew *crew;
	struct worker *worker; /* [crew->nr_workers] */
	u64 number;

	/* own, and after its end the parent's */
	u64 answered; /* workers taken from the list */
	u64 posts;    /* to workers that were blocked */
	u64 queued;   /* requests; for the workload */
	struct waits waits;
} cache_aligned;

struct crew {
	/* the workload's to fill in */
	u64 nr_messengers, nr_workers; /* the latter for each of the former */
	u64 run_ns, warmup_ns;	       /* 0: for as long as the run that this one accompanies */
	void (*messenger_body)(struct messenger *);
	void (*worker_body)(struct worker *);
	void (*answer)(struct worker *); /* what the messenger does for a worker before it wakes it; NULL: nothing */

	u32 phase; /* atomic; crew.c's enum phase */
	u64 start_ns;
	u64 spawned;
	struct gate start;
	struct messenger *messenger; /* [nr_messengers] */

	/* sums over all, when all have ended */
	struct histogram wakeups, requests, rates; /* us, us, requests per second of a sample */
	u64 posts, wakeup_ns, done, asked, answered, listed;
	struct waits messengers_waits, workers_waits;
};

/* Memory for it all. 0, -E_NOMEM. */
int crew_prepare(struct crew *c);
/* Start everybody, measure, stop and reap everybody, and add up. r->status says whether all went well. */
void crew_run(struct crew *c, struct run *r);
/* Latencies of wakeups and requests, and how many. */
void crew_metrics(const struct crew *c, struct run *r);

/* ---- for the bodies; where they return a truth, false means that it is time to end ---- */

bool crew_goes_on(const struct crew *c);

/* Wake all who are listed, then sleep until somebody asks. */
bool messenger_serve(struct messenger *m);
/* Wake that worker if it is blocked; its latency counts from then. */
void messenger_post(struct messenger *m, struct worker *w, u64 then_ns);

/* Ask the messenger for a wakeup and sleep until it comes. */
bool worker_ask(struct worker *w);
/* Sleep until posted, unless there are requests pending, which whoever posts has queued before. */
bool worker_await_pending(struct worker *w);
/* A request has taken so long. */
void worker_note_request(struct worker *w, u64 ns);

#endif
