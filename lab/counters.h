/* SPDX-License-Identifier: GPL-2.0-or-later
 * The machine's counters of events: which of them an experiment wants, and what they came to. */
#ifndef LAB_COUNTERS_H
#define LAB_COUNTERS_H

#include "lab/plan.h"

/* Which events counters= and events= want, as bits; a list of names, an empty one means all. 0, or -E_INVAL with one line. */
int counters_parse(u32 *wanted, char error[PLAN_ERROR_BYTES]);

/* Fields of the machine's record, and of a run's. */
void put_machine_counters(void);
void put_hardware_counts(const struct run *r);

#endif
