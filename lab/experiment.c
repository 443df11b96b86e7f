/* SPDX-License-Identifier: GPL-2.0-or-later
 * Running a plan: every workload under every variant, in an order that keeps drift from looking like an effect. */
#include "lab/lab.h"

#include "base/bug.h"
#include "base/mem.h"
#include "base/random.h"
#include "base/text.h"
#include "lab/progress.h"
#include "lab/sampler.h"
#include "lab/sequential.h"
#include "lab/still.h"
#include "lab/summary.h"

struct series {
	const struct plan *plan;
	const struct planned_workload *workload;
	struct outcome *out;
	u64 before, total; /* runs before this experiment, and with all of it */
	u64 started_ns;
	u64 index[MAX_VARIANTS]; /* next number of a measured run */
	u64 pass, passes;	 /* over the variants: made, and to be made */
	bool backwards;		 /* the last pass */
	struct tally tally;
	u64 random;
	u64 random_base; /* apart for each workload */
};

/* Let tasks that have ended leave their CPUs, so that their memory can be used again. */
static void wait_until_quiet(void)
{
	while (task_count() > 1)
		task_sleep_ns(100 * NSEC_PER_USEC);
}

/* Every run begins on the first CPU allowed, at the same place between ticks, on queues that have been empty for a while. */
static void line_up(void)
{
	enum { STEP_NS = 20000000 };
	struct cpumask first = { .word = { 0 } }, all = current()->allowed;

	mask_set(&first, mask_first(&all));
	bug_on(task_set_allowed(current(), &first));
	task_sleep_ns(2 * STEP_NS - machine_clock_ns() % STEP_NS);
	bug_on(task_set_allowed(current(), &all));
}

static void note_result(struct outcome *out, const struct run *r)
{
	static char first_failure[TEXT_BYTES];

	out->runs++;
	if (!strcmp(r->status, "ok"))
		return;
	if (out->failed++)
		return;
	text_copy(first_failure, sizeof(first_failure), r->status);
	out->message = first_failure;
}

/* The same for all variants, so that a pair of runs differs by the switch only; but an A/A pair would not differ at all where a run
 * can be repeated, so a control has its own. 0: none. */
static u64 perturbation(const struct series *s, unsigned variant, bool warmup, u64 index)
{
	u64 apart = (u64)plan_is_control(s->plan, variant) << 31;
	u64 state = param.seed ^ (s->random_base + apart + 2 * index + warmup) << 20;

	if (param.jitter == JITTER_OFF || (param.jitter == JITTER_AUTO && param.runs == 1))
		return 0;
	return random_next(&state) | 1;
}

/* Twice: first the ticks get their new phases, then all that has happened meanwhile is forgotten too, and a run goes as any other
 * of its number. */
static void level_the_field(const struct series *s, unsigned variant, u64 irregularity)
{
	u64 content = irregularity ? irregularity : param.seed;

	line_up();
	for (unsigned i = 0; i < 2; i++) {
		plan_apply(s->plan, variant);
		run_prepare(irregularity, content);
		line_up();
	}
	run_prepare(irregularity, content);
}

static void clear_away(void)
{
	wait_until_quiet();
	say_tasks();
	sched_end_run();
	mem_end_run();
}

static void run_accompanied(const struct series *s, struct background *b, struct run *r)
{
	r->status = background_start(b, s->plan);
	if (!r->status)
		s->workload->workload->run(s->workload->options, r);
	background_finish(b, r);
}

static void run_once(struct series *s, unsigned variant, bool warmup, u64 index)
{
	static struct run r;
	static struct background background;
	static struct certified certified;
	static char name[TEXT_BYTES];
	struct run_label label = { s->workload->workload, s->workload->text, name, index, s->out->runs, warmup, &background,
		&certified };

	plan_variant_name(s->plan, variant, name, sizeof(name));
	say("\nRun %llu of %llu%s: %s [%s]\n", (unsigned long long)s->out->runs + 1, (unsigned long long)s->total,
		warmup ? ", warm-up" : "", label.workload, name);
	memset(&r, 0, sizeof(r));
	r.watch = param.provoke == PROVOKE_GAP ? certificate_breaker() : sampler_watch();
	r.wanted = s->plan->events;
	still_hold(s->plan);
	level_the_field(s, variant, perturbation(s, variant, warmup, index));
	say_hold();
	run_accompanied(s, &background, &r);
	sampler_stop();
	still_let_go();
	background_say(&background);
	say_release();
	if (!sched_waste_is_exact())
		say("Note: tasks were bound to very many different sets of CPUs; the figures of wasted time may be too low\n");
	clear_away();
	note_result(s->out, &r);
	if (!warmup)
		summary_note(s->plan, s->workload, variant, &r);
	say_account(&r);
	certify(&r, s->plan->still.turbo == TURBO_OFF, &certified);
	say_certificate(&certified);
	report_run(&label, &r);
	report_certificate(&certified, label.position);
	still_report(s->plan, label.position);
	report_latencies(label.position, &r);
	sampler_report(label.position);
	report_trace(label.position);
	if (param.schedstat == SCHEDSTAT_RUN)
		say_schedstat();
	if (!warmup && param.order != ORDER_AABB)
		tally_run(&s->tally, s->plan, variant, tally_figure(label.judged, &r));
	progress_say(s->plan, &s->tally, s->started_ns, s->out->runs - s->before, s->total - s->before);
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

	for (; s->pass < s->passes; s->pass++) {
		s->backwards = s->pass % 2 ? !s->backwards : random_next(&s->random) & 1;
		for (unsigned i = 0; i < n; i++)
			run_measured(s, s->backwards ? n - 1 - i : i);
	}
}

static void run_interleaved(struct series *s)
{
	for (; s->pass < s->passes; s->pass++)
		for (unsigned i = 0; i < s->plan->nr_variants; i++)
			run_measured(s, i);
}

static void run_blocked(struct series *s)
{
	for (unsigned i = 0; i < s->plan->nr_variants; i++)
		for (u64 pass = 0; pass < s->passes; pass++)
			run_measured(s, i);
}

static void run_shuffled(struct series *s)
{
	u8 order[MAX_VARIANTS];

	for (unsigned i = 0; i < s->plan->nr_variants; i++)
		order[i] = (u8)i;
	for (; s->pass < s->passes; s->pass++) {
		shuffle(order, s->plan->nr_variants, &s->random);
		for (unsigned i = 0; i < s->plan->nr_variants; i++)
			run_measured(s, order[i]);
	}
}

static void run_passes(struct series *s)
{
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

static void run_series(struct series *s)
{
	for (u64 i = 0; i < param.warmup; i++)
		for (unsigned v = 0; v < s->plan->nr_variants; v++)
			run_once(s, v, true, i);
	s->passes = param.runs;
	run_passes(s);
	if (!s->plan->within_ppm)
		return;
	s->passes = sequential_passes(&s->tally, s->plan, s->workload);
	s->total += (s->passes - param.runs) * s->plan->nr_variants;
	run_passes(s);
}

void experiment_run(const struct plan *plan, struct outcome *out)
{
	u64 started_ns = machine_clock_ns(), before = out->runs,
	    total = before + plan->nr_workloads * plan->nr_variants * (param.runs + param.warmup);
	static struct series s;

	clear_away(); /* what showed that all CPUs work */
	bug_on(task_set_allowed(current(), &plan->cpus));
	sched_keep_tasks(param.tasks);
	sched_keep_latencies(param.latency);
	sched_keep_waste(param.waste);
	sampler_init(plan->sample_ns);
	still_prove(plan);
	summary_begin();
	for (unsigned i = 0; i < plan->nr_workloads; i++) {
		memset(&s, 0, sizeof(s));
		s.plan = plan;
		s.workload = &plan->workload[i];
		s.out = out;
		s.total = total;
		s.started_ns = started_ns;
		s.before = before;
		s.random = param.seed + i;
		s.random_base = (u64)i << 32;
		run_series(&s);
		total = s.total;
	}
	if (param.schedstat == SCHEDSTAT_END)
		say_schedstat();
	summary_say(plan);
}
