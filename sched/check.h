/* SPDX-License-Identifier: GPL-2.0-or-later
 * What must hold of a run queue, looked at by debug builds (DEBUG) at every tick, in some calls of schedule() and between runs. */
#ifndef SCHED_CHECK_H
#define SCHED_CHECK_H

#include "base/types.h"

struct rq;

/* End the machine with a report unless it holds; the rest is a format and its arguments, with the values that were seen. */
#define require(holds, ...)                                                                                                        \
	do {                                                                                                                       \
		if (!(holds))                                                                                                      \
			require_failed(#holds, __VA_ARGS__);                                                                       \
	} while (0)
_Noreturn void require_failed(const char *rule, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Called first by a report, to say what the program under test is doing. */
extern void (*require_describe)(void);

#ifdef DEBUG
/* rq->lock held, by anybody, who has not begun to change anything. */
void rq_check(struct rq *rq);
/* The same at the start of a schedule(), which is often: now and then. */
void rq_check_sometimes(struct rq *rq);
/* rq->lock held: the queue has just forgotten what was before, its virtual time too. */
void rq_check_anew(struct rq *rq);
#else
static inline void rq_check(struct rq *rq)
{
	(void)rq;
}
static inline void rq_check_sometimes(struct rq *rq)
{
	(void)rq;
}
static inline void rq_check_anew(struct rq *rq)
{
	(void)rq;
}
#endif

#endif
