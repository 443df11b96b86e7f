/* SPDX-License-Identifier: GPL-2.0-or-later
 * Running a plan: every workload under every variant, in an order that keeps drift from looking like an effect. */
#include "lab/lab.h"

#include "base/mem.h"
#include "base/random.h"
#include "base/text.h"

struct series {
	const struct plan *plan;
	const struct planned_workload *workload;
	struct outcome *out;
	u64 total;		 /* runs in the whole experiment */
	u64 index[MAX_VARIANTS]; /* next number of a measured run */
	u64 random;
};

/* Let tasks that have ended leave their CPUs, so that their memory can be used again. */
static void wait_until_quiet(void)
{
	while (task_count() > 1)
		task_sleep_ns(100 * NSEC_PER_USEC);
}

static void note_result(struct outcome *out, const struct run *r)
{
	out->runs++;
	if (!strcmp(r->status, "ok"))
		return;
	if (!out->failed++)
		out->message = r->status;
}

static void run_once(struct series *s, unsigned variant, bool warmup, u64 index)
{
	static struct run r;
	static char name[TEXT_BYTES];
	struct run_label label = { s->workload->text, name, index, s->out->runs, warmup };

	plan_variant_name(s->plan, variant, name, sizeof(name));
	plan_apply(s->plan, variant);
	say("\nRun %llu of %llu%s: %s [%s]\n", (unsigned long long)s->out->runs + 1, (unsigned long long)s->total,
		warmup ? ", warm-up" : "", label.workload, name);
	memset(&r, 0, sizeof(r));
	say_hold();
	s->workload->workload->run(s->workload->options, &r);
	say_release();
	wait_until_quiet();
	mem_end_run();
	note_result(s->out, &r);
	report_run(&label, &r);
}

static void run_measured(struct series *s, unsigned variant)
{
	run_once(s, variant, false, s->index[variant]++);
}

/* ---- orders ---- */

static void shuffle(u8 *order, unsigned n, u64 *random)
{
	for (unsigned i = n; i > 1; i--) {
		unsigned j = (unsigned)(random_next(random) % i);
		u8 t = order[i - 1];

		order[i - 1] = order[j];
		order[j] = t;
	}
}

/* Passes over all variants, every second one backwards: a linear drift cancels. Which of a pair comes first is up to the seed. */
static void run_mirrored(struct series *s)
{
	unsigned n = s->plan->nr_variants;
	bool backwards = false;

	for (u64 pass = 0; pass < param.runs; pass++) {
		backwards = pass % 2 ? !backwards : random_next(&s->random) & 1;
		for (unsigned i = 0; i < n; i++)
			run_measured(s, backwards ? n - 1 - i : i);
	}
}

static void run_interleaved(struct series *s)
{
	for (u64 pass = 0; pass < param.runs; pass++)
		for (unsigned i = 0; i < s->plan->nr_variants; i++)
			run_measured(s, i);
}

static void run_blocked(struct series *s)
{
	for (unsigned i = 0; i < s->plan->nr_variants; i++)
		for (u64 pass = 0; pass < param.runs; pass++)
			run_measured(s, i);
}

static void run_shuffled(struct series *s)
{
	u8 order[MAX_VARIANTS];

	for (unsigned i = 0; i < s->plan->nr_variants; i++)
		order[i] = (u8)i;
	for (u64 pass = 0; pass < param.runs; pass++) {
		shuffle(order, s->plan->nr_variants, &s->random);
		for (unsigned i = 0; i < s->plan->nr_variants; i++)
			run_measured(s, order[i]);
	}
}

static void run_series(struct series *s)
{
	for (u64 i = 0; i < param.warmup; i++)
		for (unsigned v = 0; v < s->plan->nr_variants; v++)
			run_once(s, v, true, i);
	switch (param.order) {
	case ORDER_ABBA:
		run_mirrored(s);
		break;
	case ORDER_ABAB:
		run_interleaved(s);
		break;
	case ORDER_AABB:
		run_blocked(s);
		break;
	case ORDER_RANDOM:
		run_shuffled(s);
		break;
	}
}

void experiment_run(const struct plan *plan, struct outcome *out)
{
	static struct series s;

	for (unsigned i = 0; i < plan->nr_workloads; i++) {
		memset(&s, 0, sizeof(s));
		s.plan = plan;
		s.workload = &plan->workload[i];
		s.out = out;
		s.total = plan->nr_workloads * plan->nr_variants * (param.runs + param.warmup);
		s.random = param.seed + i;
		run_series(&s);
	}
}
