/* SPDX-License-Identifier: GPL-2.0-or-later
 * What the files of load balancing tell each other: busiest.c finds whom to take from, imbalance.c says whether and how much,
 * migrate.c moves, balance.c and newidle.c make passes of these. */
#ifndef SCHED_BALANCE_H
#define SCHED_BALANCE_H

#include "sched/rq.h"

#define POWER_SCALE 1024ull

/* A reason not to take a waiting task; a stronger one found before stays. */
static inline void balance_meet(struct balance *b, enum waste_cause cause)
{
	if (b->met < cause)
		b->met = (u8)cause;
}

static inline void walk_finds(struct rq *rq, enum waste_cause cause)
{
	if (rq->look < cause)
		rq->look = (u8)cause;
}

struct group_stats {
	struct sched_group *group;
	u64 load;		/* by source_load or target_load */
	u64 weighted;		/* weights as they are now */
	u64 avg_load;		/* what groups are compared by: load per 1024 of power (group_load=least: see busiest.c) */
	u64 min_load, max_load; /* of one CPU; only of groups looked at closely */
	u32 nr;			/* tasks of all classes */
	u32 capacity;
	bool crowded;	   /* some CPU has more than one task */
	bool has_capacity; /* for more tasks than there are, before siblings are preferred */
	bool imbalanced;   /* uneven inside */
};

struct domain_stats {
	struct group_stats local, busiest;
	u64 load, power, avg_load;
};

/* The CPU behind the lowest run of members in a word that is not empty. */
static inline unsigned run_end(u64 word)
{
	u64 behind = word + (word & -word);

	return behind ? (unsigned)__builtin_ctzll(behind) : 64;
}

/* Each run queue of a group that is still a candidate. A walk over all CPUs of a machine with each idle period must be cheap, and
 * neighbours in number are neighbours in memory: words of the mask, runs of CPUs in them, CPUs. No break out of it. */
#define for_each_candidate(rq, b, g)                                                                                               \
	for (unsigned word_ = 0; word_ < (nr_cpus + 63) / 64; word_++)                                                             \
		for (u64 left_ = (g)->span.word[word_] & (b)->cpus.word[word_]; left_; left_ &= left_ + (left_ & -left_))          \
			for (const struct rq *end_ = ((rq) = &runqueues[word_ * 64 + (unsigned)__builtin_ctzll(left_)],            \
						     &runqueues[word_ * 64 + run_end(left_)]);                                     \
				(rq) != end_; (rq)++)

/* ---- imbalance.c ---- */

bool domain_is_balanced(const struct balance *b, const struct domain_stats *ds);
void calculate_imbalance(struct balance *b, const struct domain_stats *ds);

/* ---- migrate.c ---- */

/* Move up to b->imbalance from b->src; how many tasks came. newidle_lock=held: see b->held. */
unsigned pull_tasks(struct balance *b);

/* Have the stopper of b->src push its running task to the CPU balanced for. */
enum push_result { PUSH_STARTED, PUSH_UNDER_WAY, PUSH_PINNED };
enum push_result start_push(struct balance *b);

/* ---- balance.c ---- */

enum pass_result { PASS_MOVED, PASS_FAILED, PASS_BALANCED, PASS_ALL_PINNED, PASS_ONE_PINNED };

struct balance balance_begin(struct rq *rq, struct sched_domain *sd, enum idle_type idle, bool *responsible);
enum pass_result search_and_pull(struct balance *b, unsigned *moved);
bool core_is_busy(const struct balance *b);

#endif
