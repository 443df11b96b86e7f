/* SPDX-License-Identifier: GPL-2.0-or-later
 * Holding the machine still for the length of each run: turbo=, pstate=, cstate=, prefetch=, smt=. */
#ifndef LAB_STILL_H
#define LAB_STILL_H

#include "lab/plan.h"

/* What the parameters ask of the machine. 0; -E_INVAL with one line in error. */
int still_parse(struct still_wish *wish, char error[PLAN_ERROR_BYTES]);

/* smt=off: of each real core, only the first of these CPUs stays, whatever topology is pretended. Returns how many went. */
unsigned still_park_siblings(struct cpumask *cpus);

/* Before the first run: try it, and say of each thing asked for what becomes of it. */
void still_prove(const struct plan *plan);

/* Around a run; what held during it goes into the log by still_report(). */
void still_hold(const struct plan *plan);
void still_let_go(void);
void still_report(const struct plan *plan, u64 position);

#endif
