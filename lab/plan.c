/* SPDX-License-Identifier: GPL-2.0-or-later
 * From the command line to the plan. Everything is checked before anything runs. */
#include "lab/plan.h"

#include "base/bug.h"
#include "base/cmdline.h"
#include "base/text.h"
#include "lab/counters.h"
#include "lab/cpuset.h"
#include "lab/sequential.h"
#include "lab/sampler.h"
#include "lab/still.h"

struct lab_params param;

#define KNOB_LIST   "lab/params.def"
#define KNOB_STRUCT param
#include "base/knob_table.inc"

const struct knob_table lab_knob_table = { "experiment", knob_table_entries, ARRAY_SIZE(knob_table_entries) };

static int refuse(struct plan *plan, const char *what, const char *which, const char *expected)
{
	text_format(plan->error, sizeof(plan->error), "%s \"%s\"%s%s", what, which, *expected ? ": " : "", expected);
	return -E_INVAL;
}

/* ---- run= and with=, called source ---- */

static int refuse_workload(struct plan *plan, const char *source, const char *what, const char *which, const char *expected)
{
	char text[64];

	text_format(text, sizeof(text), "%s%s", source, what);
	return refuse(plan, text, which, expected);
}

static const struct workload *find_workload(const char *name)
{
	for (unsigned i = 0; workloads[i]; i++)
		if (!strcmp(workloads[i]->name, name))
			return workloads[i];
	return NULL;
}

static int unknown_workload(struct plan *plan, const char *source, const char *name)
{
	char list[2 * TEXT_BYTES] = "there are";
	size_t used = strlen(list);

	for (unsigned i = 0; workloads[i] && used < sizeof(list); i++)
		used += (size_t)text_format(list + used, sizeof(list) - used, "%s %s", i ? "," : "", workloads[i]->name);
	return refuse_workload(plan, source, ": no workload is called", name, list);
}

static int split_arguments(struct plan *plan, const char *source, struct planned_workload *w)
{
	const char *from = w->text;
	char *to = w->split;
	int got;

	for (;;) {
		got = cmdline_next(&from, to, sizeof(w->split) - (size_t)(to - w->split));
		if (got <= 0)
			break;
		if (w->nr_arguments == MAX_ARGUMENTS)
			return refuse_workload(plan, source, ": too many arguments in", w->text, "");
		w->argument[w->nr_arguments++] = to;
		to += strlen(to) + 1;
	}
	return got ? refuse_workload(plan, source, ": cannot split", w->text, "is a quote open?") : 0;
}

static int parse_workload(struct plan *plan, const char *source, struct planned_workload *w, const char *text)
{
	char error[WORKLOAD_ERROR_BYTES];
	int err;

	if (text_copy(w->text, sizeof(w->text), text) >= sizeof(w->text))
		return refuse_workload(plan, source, ": too long:", text, "");
	err = split_arguments(plan, source, w);
	if (err)
		return err;
	if (!w->nr_arguments)
		return refuse(plan, source, text, "names no workload");
	w->workload = find_workload(w->argument[0]);
	if (!w->workload)
		return unknown_workload(plan, source, w->argument[0]);
	bug_on(w->workload->options_bytes > sizeof(w->options));
	if (options_parse(w->workload, w->nr_arguments - 1, w->argument + 1, w->options, error)) {
		text_format(plan->error, sizeof(plan->error), "%s: %s", w->workload->name, error);
		return -E_INVAL;
	}
	return 0;
}

static int add_workload(struct plan *plan, const char *text)
{
	struct planned_workload *w = &plan->workload[plan->nr_workloads];
	int err;

	if (plan->nr_workloads == MAX_WORKLOADS)
		return refuse(plan, "too many run= arguments, the first too many being", text, "");
	err = parse_workload(plan, "run=", w, text);
	if (err)
		return err;
	if (w->workload->endless && w->workload->endless(w->options))
		return refuse(plan, "run=: would never end:", w->text, "give it an end, or let it accompany another by with=");
	plan->nr_workloads++;
	return 0;
}

static int add_background(struct plan *plan, const char *text)
{
	int err;

	if (plan->nr_backgrounds == MAX_BACKGROUNDS)
		return refuse(plan, "too many with= arguments, the first too many being", text, "");
	err = parse_workload(plan, "with=", &plan->background[plan->nr_backgrounds], text);
	plan->nr_backgrounds += !err;
	return err;
}

static int take_run(struct plan *plan, const char *text)
{
	if (strcmp(text, "list"))
		return add_workload(plan, text);
	plan->list = true;
	return 0;
}

/* ---- vary= ---- */

static bool is_preset(const struct factor *f)
{
	return !strcmp(f->name, "preset");
}

static int set_level(const struct factor *f, const char *level, char *error)
{
	const struct knob_table *tables[] = { &sched_knob_table };
	char assignment[TEXT_BYTES];

	if (is_preset(f))
		return preset_apply(level, error);
	text_format(assignment, sizeof(assignment), "%s=%s", f->name, level);
	return knob_assign(tables, 1, assignment, error);
}

/* Try a value, and put the switch back. */
static int check_level(struct plan *plan, const struct factor *f, const char *level)
{
	struct sched_knobs saved = knob;
	char error[KNOB_ERROR_BYTES];
	int err = set_level(f, level, error);

	knob = saved;
	if (err)
		text_format(plan->error, sizeof(plan->error), "vary=%s: %s", f->name, error);
	return err;
}

/* name:value,value,... is cut at its separators in place. */
static int split_levels(struct plan *plan, struct factor *f)
{
	char *s = strchr(f->text, ':');

	if (!s || s == f->text)
		return refuse(plan, "vary=", f->text, "expected name:value,value");
	f->name = f->text;
	while (s) {
		*s++ = '\0';
		if (f->nr_levels == MAX_LEVELS)
			return refuse(plan, "vary=: too many values for", f->name, "");
		f->level[f->nr_levels++] = s;
		s = strchr(s, ',');
	}
	return f->nr_levels < 2 ? refuse(plan, "vary=: only one value for", f->name, "expected name:value,value") : 0;
}

static int add_factor(struct plan *plan, const char *text)
{
	struct factor *f = &plan->factor[plan->nr_factors];
	int err;

	if (plan->nr_factors == MAX_FACTORS)
		return refuse(plan, "too many vary= arguments, the first too many being", text, "");
	if (text_copy(f->text, sizeof(f->text), text) >= sizeof(f->text))
		return refuse(plan, "vary=: too long:", text, "");
	err = split_levels(plan, f);
	for (unsigned i = 0; !err && i < f->nr_levels; i++)
		err = check_level(plan, f, f->level[i]);
	for (unsigned i = 0; !err && i < plan->nr_factors; i++)
		if (!strcmp(plan->factor[i].name, f->name))
			err = refuse(plan, "vary=: given twice:", f->name, "");
	if (err)
		return err;
	plan->nr_factors++;
	plan->nr_variants *= f->nr_levels;
	return plan->nr_variants > MAX_VARIANTS ? refuse(plan, "too many variants with", text, "at most 64 combinations") : 0;
}

/* ---- variant= ---- */

/* Sets *preset to what the word preset=... among them says, if there is one. */
static int find_preset(const char *words, char preset[PRESET_BYTES], char error[PLAN_ERROR_BYTES])
{
	char word[TEXT_BYTES + 8];
	bool found = false;

	while (cmdline_next(&words, word, sizeof(word)) == 1) {
		if (strncmp(word, "preset=", 7))
			continue;
		if (found) {
			text_format(error, PLAN_ERROR_BYTES, "preset= is given twice: \"%s\": vary=preset:A,B compares", word + 7);
			return -E_INVAL;
		}
		if (preset_apply(word + 7, error))
			return -E_INVAL;
		text_copy(preset, PRESET_BYTES, word + 7);
		found = true;
	}
	return 0;
}

/* Try them all, and put the switches back. */
static int check_words(struct plan *plan, const char *words)
{
	const struct knob_table *tables[] = { &sched_knob_table };
	struct sched_knobs saved = knob;
	char word[TEXT_BYTES], preset[PRESET_BYTES], error[KNOB_ERROR_BYTES];
	int got, err = find_preset(words, preset, plan->error);

	while (!err && (got = cmdline_next(&words, word, sizeof(word)))) {
		if (got < 0)
			err = refuse(plan, "variant=: cannot split", words, "is a quote open?");
		else if (strncmp(word, "preset=", 7) && knob_assign(tables, 1, word, error))
			err = refuse(plan, "variant=", word, error);
	}
	knob = saved;
	return err;
}

static int add_variant(struct plan *plan, const char *words)
{
	if (plan->nr_listed == MAX_VARIANTS)
		return refuse(plan, "too many variant= arguments, the first too many being", words, "at most 64");
	if (text_copy(plan->listed[plan->nr_listed], TEXT_BYTES, words) >= TEXT_BYTES)
		return refuse(plan, "variant=: too long:", words, "");
	for (unsigned i = 0; i < plan->nr_listed; i++)
		if (!strcmp(plan->listed[i], words))
			return refuse(plan, "variant=: given twice:", words, "");
	if (check_words(plan, words))
		return -E_INVAL;
	plan->nr_listed++;
	return 0;
}

#define CONTROL_MARK " (A/A)"

/* ---- all of it ---- */

static int take_word(struct plan *plan, const char *word)
{
	const struct knob_table *tables[2 + MACHINE_TABLES] = { &lab_knob_table, &sched_knob_table };
	unsigned nr = 2;

	while (machine_knobs[nr - 2]) {
		tables[nr] = machine_knobs[nr - 2];
		nr++;
	}
	if (!strncmp(word, "run=", 4))
		return take_run(plan, word + 4);
	if (!strncmp(word, "with=", 5))
		return add_background(plan, word + 5);
	if (!strncmp(word, "vary=", 5))
		return add_factor(plan, word + 5);
	if (!strncmp(word, "variant=", 8))
		return add_variant(plan, word + 8);
	if (!strncmp(word, "preset=", 7))
		return 0; /* find_preset() has seen it */
	return knob_assign(tables, nr, word, plan->error);
}

static int refuse_word(struct plan *plan, int why, const char *start)
{
	text_format(plan->error, sizeof(plan->error), "the command line has %s here: %.60s",
		why == -E_RANGE ? "a word that is too long" : "a quote that is never closed", start + (*start == ' '));
	return why;
}

/* When all else is known: what a switch is at may be one of its two values. */
static int add_screen(struct plan *plan)
{
	char words[2 * TEXT_BYTES];

	if (plan->nr_listed)
		return refuse(plan, "screen= and variant= exclude each other; there is variant=", plan->listed[0], "");
	if (screen_parse(&plan->screen, param.screen, plan->error, sizeof(plan->error)))
		return -E_INVAL;
	for (unsigned i = 0; i < screen_variants(&plan->screen); i++) {
		screen_words(&plan->screen, i, words, sizeof(words));
		if (add_variant(plan, words))
			return -E_INVAL;
	}
	return 0;
}

/* One way of comparing. */
static int settle_variants(struct plan *plan)
{
	if (*param.screen && add_screen(plan))
		return -E_INVAL;
	if (!plan->nr_listed)
		return 0;
	if (plan->nr_factors)
		return refuse(plan, "variant= or screen= and vary= exclude each other; there is vary=", plan->factor[0].name, "");
	plan->nr_variants = plan->nr_listed;
	return 0;
}

static int take_words(struct plan *plan, const char *words)
{
	char word[TEXT_BYTES + 8];
	const char *start = words;
	int got, err = 0;

	while (!err && (got = cmdline_next(&words, word, sizeof(word))))
		err = got < 0 ? refuse_word(plan, got, start) : take_word(plan, word), start = words;
	return err;
}

void plan_foresee_end(const char *cmdline)
{
	static const enum machine_end how[] = {
		[PANIC_POWEROFF] = END_POWEROFF, [PANIC_RESET] = END_RESET, [PANIC_HALT] = END_HALT
	};
	const struct knob_table *tables[] = { &lab_knob_table };

	knobs_parse_known(tables, 1, cmdline);
	fault_end = how[param.panic];
}

/* exp= and presets hold wherever they stand: what else the command line says comes on top of them. */
static int take_experiment(struct plan *plan)
{
	int err;

	plan_foresee_end(plan->cmdline);
	err = exp_expand(param.exp, param.scale, plan->words, plan->error, sizeof(plan->error));
	if (!err)
		err = find_preset(plan->words, plan->preset, plan->error);
	if (!err)
		err = find_preset(plan->cmdline, plan->preset, plan->error);
	return err ? err : take_words(plan, plan->words);
}

/* The first variant once more, behind the others. */
static int add_control(struct plan *plan)
{
	char name[TEXT_BYTES];

	if (!param.aa)
		return 0;
	plan_variant_name(plan, 0, name, sizeof(name));
	if (plan->nr_variants == MAX_VARIANTS || strlen(name) + sizeof(CONTROL_MARK) > sizeof(name))
		return refuse(
			plan, "aa=1: no room for a control of", name, "at most 64 variants, with names of up to 249 characters");
	plan->nr_variants++;
	plan->control = true;
	return 0;
}

int plan_parse(struct plan *plan, const char *cmdline)
{
	int err;

	plan->nr_variants = 1;
	plan->cmdline = cmdline;
	knobs_reset(&sched_knob_table);
	err = take_experiment(plan);
	if (!err)
		err = take_words(plan, cmdline);
	if (!err && plan->nr_backgrounds && !plan->nr_workloads && !plan->list)
		err = refuse(plan, "with=", plan->background[0].text, "accompanies a run=, and there is none");
	if (!err)
		err = sampler_parse(param.sample, &plan->sample_ns, plan->error);
	if (!err)
		err = counters_parse(&plan->events, plan->error);
	if (!err)
		err = settle_variants(plan);
	if (!err)
		err = add_control(plan);
	if (!err)
		err = sequential_check(plan);
	if (!err)
		err = cpuset_parse(param.cpus, param.nodes, &plan->cpus, plan->error);
	if (!err && param.smt == SMT_OFF)
		plan->parked = still_park_siblings(&plan->cpus);
	if (!err)
		err = still_parse(&plan->still, plan->error);
	sched_knobs_settle(machine_nr_cpus());
	return err;
}

/* ---- variants: the factors' levels as digits of a number, the last factor's changing fastest ---- */

static void levels_of(const struct plan *plan, unsigned variant, unsigned level[MAX_FACTORS])
{
	for (unsigned i = plan->nr_factors; i-- > 0;) {
		level[i] = variant % plan->factor[i].nr_levels;
		variant /= plan->factor[i].nr_levels;
	}
}

bool plan_is_control(const struct plan *plan, unsigned variant)
{
	return plan->control && variant == plan->nr_variants - 1;
}

/* As it was listed, or put together. */
static void name_variant(const struct plan *plan, unsigned variant, char *dst, size_t size)
{
	unsigned level[MAX_FACTORS];
	size_t used = 0;

	text_copy(dst, size, plan->nr_listed && *plan->listed[variant] ? plan->listed[variant] : "base");
	levels_of(plan, variant, level);
	for (unsigned i = 0; i < plan->nr_factors && used < size; i++) {
		const struct factor *f = &plan->factor[i];

		used += (size_t)text_format(dst + used, size - used, "%s%s=%s", i ? " " : "", f->name, f->level[level[i]]);
	}
}

void plan_variant_name(const struct plan *plan, unsigned variant, char *dst, size_t size)
{
	bool control = plan_is_control(plan, variant);

	name_variant(plan, control ? 0 : variant, dst, size);
	if (control)
		text_format(dst + strlen(dst), size - strlen(dst), "%s", CONTROL_MARK);
}

/* The variant's own, or the command line's. All of it was understood before. */
static void preset_of(const struct plan *plan, unsigned variant, const unsigned level[MAX_FACTORS], char preset[PRESET_BYTES])
{
	char error[PLAN_ERROR_BYTES];

	text_copy(preset, PRESET_BYTES, plan->preset);
	for (unsigned i = 0; i < plan->nr_factors; i++)
		if (is_preset(&plan->factor[i]))
			text_copy(preset, PRESET_BYTES, plan->factor[i].level[level[i]]);
	if (plan->nr_listed)
		bug_on(find_preset(plan->listed[variant], preset, error));
}

/* First the preset, then the command line's own switches, then those of the variant. */
static void set_knobs(const struct plan *plan, unsigned variant, const unsigned level[MAX_FACTORS])
{
	const struct knob_table *tables[] = { &sched_knob_table };
	char preset[PRESET_BYTES], error[KNOB_ERROR_BYTES];

	preset_of(plan, variant, level, preset);
	knobs_reset(&sched_knob_table);
	bug_on(*preset && preset_apply(preset, error));
	knobs_set_known(tables, 1, plan->cmdline);
	if (plan->nr_listed)
		knobs_set_known(tables, 1, plan->listed[variant]);
	for (unsigned i = 0; i < plan->nr_factors; i++)
		if (!is_preset(&plan->factor[i]))
			bug_on(set_level(&plan->factor[i], plan->factor[i].level[level[i]], error));
}

void plan_apply(const struct plan *plan, unsigned variant)
{
	unsigned level[MAX_FACTORS];

	variant = plan_is_control(plan, variant) ? 0 : variant;
	levels_of(plan, variant, level);
	set_knobs(plan, variant, level);
	sched_knobs_settle(machine_nr_cpus());
	sched_apply_knobs();
}
