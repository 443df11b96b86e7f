/* SPDX-License-Identifier: GPL-2.0-or-later
 * Wasted time by cause, and what newidle balancing cost and brought. */
#ifndef FAIRLOG_ACCOUNT_H
#define FAIRLOG_ACCOUNT_H

#include "tools/fairlog/group.h"

/* The causes of wasted_ns in the order of the record. */
enum { WASTE_CAUSES = FIELD_run_wasted_arriving_ns - FIELD_run_wasted_not_due_ns + 1 };
extern const char *const waste_cause_name[WASTE_CAUSES];

enum { NEWIDLE_BYTES = 400 };
/* What newidle balancing cost and brought, means over the runs of a group, in words; false if there was none. */
bool account_newidle(const struct group *group, char text[NEWIDLE_BYTES]);

/* Means over the runs of a group, in words; nothing where there is nothing to say. */
void print_account(const struct group *group);

#endif
