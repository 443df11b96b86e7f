/* SPDX-License-Identifier: GPL-2.0-or-later
 * The experiment on one page, for a person at the screen. */
#ifndef LAB_SUMMARY_H
#define LAB_SUMMARY_H

#include "lab/plan.h"

void summary_begin(void);
/* One measured run of that workload of the plan, under that variant. */
void summary_note(const struct plan *plan, const struct planned_workload *w, unsigned variant, const struct run *r);
void summary_say(const struct plan *plan);

#endif
