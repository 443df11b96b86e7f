/* SPDX-License-Identifier: GPL-2.0-or-later
 * fairlog compare: is B worse than A? For people in words, for git bisect run in the exit code. */
#include "tools/fairlog/commands.h"

#include "tools/fairlog/clean.h"
#include "tools/fairlog/comparison.h"
#include "tools/fairlog/log.h"
#include "tools/fairlog/option.h"
#include "tools/fairlog/page.h"
#include "tools/fairlog/topology.h"

#include <errno.h>
#include <math.h>
#include <string.h>

struct options {
	const char *file[2];
	unsigned files;
	unsigned boot;
	const char *base, *variant;
	bool partial;
	struct question question;
};

struct log {
	const char *file;
	struct boot *boot;
	struct groups groups;
};

/* What all contrasts come to. */
struct tally {
	unsigned contrasts; /* that have the figure */
	unsigned of[DECISIONS];
};

/* ---- the command line ---- */

#define refuse(...) option_refuse("compare", __VA_ARGS__)

static bool take_boot(const char *text, void *options)
{
	return option_boot("compare", text, &((struct options *)options)->boot);
}

static bool take_margin(const char *text, void *options)
{
	struct options *o = options;
	char *end;
	double value = strtod(text, &end);

	if (*text < '0' || *text > '9' || *end != '\0' || !(value <= 1000))
		return refuse("--margin %s: expected per cent, such as 1 or 0.5", text);
	o->question.margin = value / 100;
	return true;
}

static bool take_better(const char *text, void *options)
{
	struct options *o = options;
	if (strcmp(text, "less") != 0 && strcmp(text, "more") != 0)
		return refuse("--better %s: expected less or more", text);
	o->question.direction = *text == 'l' ? LESS_IS_BETTER : MORE_IS_BETTER;
	return true;
}

static bool take_base(const char *text, void *options)
{
	struct options *o = options;
	o->base = text;
	return true;
}

static bool take_variant(const char *text, void *options)
{
	struct options *o = options;
	o->variant = text;
	return true;
}

static bool take_metric(const char *text, void *options)
{
	struct options *o = options;
	o->question.metric = text;
	return true;
}

static const struct option option_table[] = {
	{ "--base", take_base },
	{ "--variant", take_variant },
	{ "--metric", take_metric },
	{ "--margin", take_margin },
	{ "--better", take_better },
	{ "--boot", take_boot },
	{ NULL, NULL },
};

static bool parse(char **args, struct options *o)
{
	for (; *args; args++) {
		if (strcmp(*args, "--partial") == 0)
			o->partial = true;
		else if ((*args)[0] == '-' && (*args)[1] != '\0') {
			if (!option_take("compare", &args, option_table,
				    "--base, --variant, --metric, --margin, --better, --partial or --boot", o))
				return false;
		} else if (o->files == 2)
			return refuse("%s: a third log; expected one or two", *args);
		else
			o->file[o->files++] = *args;
	}
	if (o->files == 0)
		return refuse("no log; expected one or two");
	if (o->files == 1 && o->variant)
		return refuse("--variant chooses one of each of two logs; with one log, expected --base");
	if (o->files == 2 && o->base)
		return refuse("--base is for one log; with two, expected --variant");
	return true;
}

/* ---- logs ---- */

/* Runs that failed are not a random choice among all: without them a side may look better than it is. */
static bool is_fit(const struct boot *boot)
{
	return boot_is_whole(boot) && boot->runs_failed == 0 &&
	       strcmp(record_get_string(boot->record[RECORD_end], FIELD_end_status), "ok") == 0;
}

static int refuse_log(const char *file, int code, const char *why)
{
	fprintf(stderr, "fairlog compare: %s: %s\n", file, why);
	return code;
}

/* Returns 0, or the exit code. */
static int open_log(struct log *log, const char *file, const struct options *o)
{
	char verdict[VERDICT_BYTES + 80];
	int boots;

	log->file = file;
	log->boot = log_read_file(file, o->boot, false, &boots);
	if (boots < 0)
		return refuse_log(file, COMPARE_REFUSED, strerror(errno));
	if (boots == 0)
		return refuse_log(file, COMPARE_CANNOT_SAY, "incomplete: there is no record in it");
	if (!log->boot)
		return refuse_log(file, COMPARE_REFUSED, "has no boot of the number that --boot names");
	if (!log->boot->format_known)
		return refuse_log(file, COMPARE_CANNOT_SAY, "its records have a format that this fairlog does not know");
	if (!is_fit(log->boot)) {
		char text[VERDICT_BYTES];

		snprintf(verdict, sizeof verdict, "%s%s", boot_verdict(log->boot, text),
			o->partial ? "; compared by what is left" : "; --partial compares what is left");
		refuse_log(file, 0, verdict);
		if (!o->partial)
			return COMPARE_CANNOT_SAY;
	}
	log->groups = groups_make(log->boot);
	return 0;
}

static void close_log(struct log *log)
{
	groups_free(&log->groups);
	boot_free(log->boot);
}

/* ---- contrasts ---- */

static void print_unclean(char side, const struct group *group)
{
	char text[UNCLEAN_BYTES];

	if (describe_unclean(group, text))
		print_line(" ", "Not clean, and counted all the same: of %c, %s.", side, text);
}

static void take(struct tally *tally, const struct contrast *contrast, const struct options *o)
{
	enum decision decision = comparison_print(contrast, &o->question);

	print_unclean('A', contrast->a);
	print_unclean('B', contrast->b);
	tally->of[decision]++;
	tally->contrasts += decision != NOT_ASKED;
}

/* Of the groups of one workload; NULL if there is none of that variant. */
static const struct group *find_variant(const struct group *group, size_t groups, const char *variant)
{
	for (size_t i = 0; i < groups; i++)
		if (strcmp(group[i].variant, variant) == 0)
			return &group[i];
	return NULL;
}

/* Each variant against the base. */
static int compare_variants(const struct log *log, const struct options *o, struct tally *tally)
{
	size_t variants;

	for (size_t i = 0; i < log->groups.count; i += variants) {
		const struct group *group = &log->groups.group[i], *base = group;

		variants = groups_same_workload(group, &log->groups);
		if (o->base)
			base = find_variant(group, variants, o->base);
		if (!base) {
			refuse("--base %s: %s has no such variant; its first one is %s", o->base, log->file, group->variant);
			return COMPARE_REFUSED;
		}
		for (size_t v = 0; v < variants; v++) {
			struct contrast contrast = contrast_make(log->boot, base, log->boot, &group[v]);

			if (&group[v] != base)
				take(tally, &contrast, o);
		}
	}
	return 0;
}

/* The groups of that workload: NULL if there are none. */
static const struct group *find_workload(const struct groups *groups, const char *workload)
{
	for (size_t i = 0; i < groups->count; i++)
		if (strcmp(groups->group[i].workload, workload) == 0)
			return &groups->group[i];
	return NULL;
}

/* The variant that was asked for, or the only one; otherwise NULL, and says so. */
static const struct group *choose_variant(const struct log *log, const struct group *group, const struct options *o)
{
	size_t variants = groups_same_workload(group, &log->groups);
	const struct group *chosen = variants == 1 ? group : NULL;

	if (variants > 1 && o->variant)
		chosen = find_variant(group, variants, o->variant);
	if (!chosen)
		refuse("%s has %zu variants, such as %s; expected --variant and one of them", log->file, variants, group->variant);
	return chosen;
}

/* Each workload of the first log that is in the second. */
static int compare_logs(const struct log log[2], const struct options *o, struct tally *tally)
{
	for (size_t i = 0; i < log[0].groups.count; i += groups_same_workload(&log[0].groups.group[i], &log[0].groups)) {
		const struct group *a = &log[0].groups.group[i], *b = find_workload(&log[1].groups, a->workload);
		struct contrast contrast;

		if (!b) {
			print_line(" ", "%s: only in %s", a->workload, log[0].file);
			continue;
		}
		a = choose_variant(&log[0], a, o);
		b = a ? choose_variant(&log[1], b, o) : NULL;
		if (!b)
			return COMPARE_REFUSED;
		contrast = contrast_make(log[0].boot, a, log[1].boot, b);
		contrast.file_a = log[0].file;
		contrast.file_b = log[1].file;
		take(tally, &contrast, o);
	}
	return 0;
}

/* ---- the answer ---- */

static bool is_exact(const struct boot *boot)
{
	return boot->record[RECORD_boot] && record_get_uint(boot->record[RECORD_boot], FIELD_boot_exact);
}

/* Metal can be told to be another machine: two logs of one box need not be of one topology. */
static void print_topologies(const struct log log[2])
{
	const json_t *a = log[0].boot->record[RECORD_machine], *b = log[1].boot->record[RECORD_machine];
	char text[2][TOPOLOGY_BYTES], line[2 * TOPOLOGY_BYTES + 80];

	if (!a || !b || strcmp(topology_text(a, text[0]), topology_text(b, text[1])) == 0)
		return;
	snprintf(line, sizeof line, "The logs are of two topologies, and that is in the ratio too: %s, and %s.", text[0], text[1]);
	print_wrapped(" ", line);
}

static void print_notes(const struct log *log, const struct options *o, const struct tally *tally)
{
	print_line(" ",
		"* was to decide; nothing else does. Its p is that of its interval; those of the other figures are corrected for being many "
		"(Holm). Welch and M-W (Mann-Whitney) are not corrected and do not pair. MDE is the change that would have been seen with "
		"80 %% power. Ratios are B / A of geometric means, of means for tails.");
	if (tally->contrasts > 1)
		print_line(" ",
			"%u verdicts: each is wrong in one of 20 cases where there is no difference, and the exit code is that of the worst.",
			tally->contrasts);
	if (o->files == 2)
		print_topologies(log);
	if (o->files == 2 && !(is_exact(log[0].boot) && is_exact(log[1].boot)))
		print_wrapped(" ",
			"The logs are of two boots, and boots differ: that difference is in the ratio and not in the interval. Both sides in "
			"one boot, or several boots of each, would tell.");
}

static int code_of(const struct tally *tally)
{
	if (tally->of[DECIDED_WORSE] > 0)
		return COMPARE_WORSE;
	return tally->of[UNDECIDED] > 0 || tally->contrasts == 0 ? COMPARE_CANNOT_SAY : COMPARE_NO_WORSE;
}

static int compare_all(const struct log log[2], const struct options *o)
{
	struct tally tally = { 0 };
	int refused = o->files == 1 ? compare_variants(&log[0], o, &tally) : compare_logs(log, o, &tally);

	if (refused)
		return refused;
	printf("\n");
	if (tally.contrasts == 0)
		print_line(" ",
			"Cannot say: there is nothing to compare: one variant, no workload in both logs, or none with a figure named %s.",
			o->question.metric);
	else
		print_notes(log, o, &tally);
	return code_of(&tally);
}

int command_compare(char **args)
{
	struct options o = { .question = { .metric = NULL } };
	struct log log[2] = { { .boot = NULL }, { .boot = NULL } };
	int code = parse(args, &o) ? 0 : COMPARE_REFUSED;

	for (unsigned i = 0; i < o.files && code == 0; i++)
		code = open_log(&log[i], o.file[i], &o);
	if (code == 0)
		code = compare_all(log, &o);
	close_log(&log[0]);
	close_log(&log[1]);
	return code;
}
