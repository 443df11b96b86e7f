/* SPDX-License-Identifier: GPL-2.0-or-later
 * What the two files of the account of waste tell each other: waste.c knows how much is lost, waste_cause.c why. Everything here is
 * guarded by the ledger's lock. */
#ifndef SCHED_WASTE_H
#define SCHED_WASTE_H

#include "sched/rq.h"

/* Idle CPUs: those that something is on its way to, and the others by what kept them from taking what waits. */
struct idlers {
	u32 arriving, nr; /* nr: all others */
	u32 by[NR_WASTE_CAUSES];
};

/* Around each change of what decides in which number an idle CPU counts: whether it is idle, what is reported of its queue, and
 * what it has found. */
void cause_count_out(struct rq *rq);
void cause_count_in(struct rq *rq, bool idle);

/* Tasks begin to wait after none did: what CPUs found before says nothing of these. */
void cause_forget(void);

/* What that CPU found; counted out meanwhile. */
void cause_set(struct rq *rq, enum waste_cause cause);

/* Of all idle CPUs as counted, or of those in a set of them. */
const struct idlers *cause_all(void);
void cause_of(const struct cpumask *cpus, struct idlers *idlers);

/* Share out the time that so many of those CPUs lost. */
void cause_charge(const struct idlers *idlers, u64 lost, u64 delta, u64 sum[NR_WASTE_CAUSES]);

#endif
