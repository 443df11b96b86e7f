/* SPDX-License-Identifier: GPL-2.0-or-later
 * The table of named costs. */
#ifndef ARCH_VCPU_COST_H
#define ARCH_VCPU_COST_H

#include "arch/cost.h"
#include "base/types.h"

/* What so many units cost in the sim, ns, by cost.def. */
u64 cost_ns(enum cost cost, u64 units);

/* Forget the fraction of a nanosecond carried over. */
void cost_reset(void);

/* Lockstep: note that the time since the last mark of the running CPU went into so many units of this. */
void cost_note(enum cost cost, u64 units);
/* The table in the form of cost.def: as measured, or where nothing was measured as it is. */
void cost_say_table(void);

#endif
