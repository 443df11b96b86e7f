/* SPDX-License-Identifier: GPL-2.0-or-later
 * The class below all others: one task per CPU that runs when nothing else wants to. It is never queued and has no weight. */
#include "sched/rq.h"

static struct task *idle_pick(struct rq *rq)
{
	rq->count.went_idle++;
	WRITE_ONCE(rq->idle_since, rq->clock);
	if (unlikely(knob.nohz))
		nohz_enter(rq);
	return rq->idle;
}

static void idle_put(struct rq *rq, struct task *t)
{
	(void)t;
	rq->count.idle_ns += rq->clock - rq->idle_since;
	if (unlikely(rq->tick_stopped))
		nohz_exit(rq);
}

static void idle_tick(struct rq *rq, struct task *t)
{
	if (unlikely(knob.nohz) && !READ_ONCE(t->need_resched))
		nohz_enter(rq);
}

/* No enqueue and its kin: whoever calls them for the idle task has made a mistake that must be seen. */
const struct sched_class idle_class = {
	.pick = idle_pick,
	.put = idle_put,
	.tick = idle_tick,
};
