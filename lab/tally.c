/* SPDX-License-Identifier: GPL-2.0-or-later
 * Collects a pass and pairs its runs. */
#include "lab/tally.h"

#include "base/string.h"

static void end_pass(struct tally *t, const struct plan *plan)
{
	for (unsigned i = 1; i < plan->nr_variants; i++)
		if (t->known[0] && t->known[i])
			pairs_add(&t->pairs[i], t->log[i] - t->log[0]);
	t->in_pass = 0;
}

void tally_run(struct tally *t, const struct plan *plan, unsigned variant, u64 figure)
{
	t->known[variant] = figure;
	t->log[variant] = figure ? log_fixed(figure) : 0;
	if (++t->in_pass == plan->nr_variants)
		end_pass(t, plan);
}

u64 tally_figure(const struct workload *w, const struct run *r)
{
	if (strcmp(r->status, "ok"))
		return 0;
	if (!w->figure)
		return r->elapsed_ns;
	for (unsigned i = 0; i < r->nr_metrics; i++)
		if (!strcmp(r->metric[i].name, w->figure))
			return r->metric[i].value;
	return 0;
}
