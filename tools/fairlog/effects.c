/* SPDX-License-Identifier: GPL-2.0-or-later
 * fairlog effects: which workload feels which variant, as one table in Markdown. Each workload's first variant stands with its
 * figures, the others with their change against it; a star says that the interval of 95 % leaves 0 out, and "=" that each pair of
 * runs gave the same.
 */
#include "tools/fairlog/commands.h"

#include "tools/fairlog/allocate.h"
#include "tools/fairlog/contrast.h"
#include "tools/fairlog/log.h"
#include "tools/fairlog/stat.h"

#include <errno.h>
#include <math.h>
#include <string.h>

enum { SWITCHES, MIGRATIONS, WASTED, WAKEUP, COLUMNS };

static const struct metric column[COLUMNS] = {
	[SWITCHES] = { "switches", "", METRIC_FIELD, FIELD_run_context_switches, 1, 0 },
	[MIGRATIONS] = { "migrations", "", METRIC_FIELD, FIELD_run_migrations, 1, 0 },
	[WASTED] = { "wasted", "ms", METRIC_FIELD, FIELD_run_wasted_ns, 1e6, 2 },
	[WAKEUP] = { "wakeup p99", "us", METRIC_FIELD, FIELD_run_wakeup_p99_ns, 1e3, 1 },
};

/* What the workload is judged by, as a figure. */
static struct metric judge_of(const struct group *group)
{
	const char *figure = group->runs[0]->figure;

	if (strcmp(figure, "elapsed_ns") == 0)
		return (struct metric){ "elapsed", "ms", METRIC_FIELD, FIELD_run_elapsed_ns, 1e6, 2 };
	return (struct metric){ .name = figure, .unit = "", .source = METRIC_RESULT, .per_unit = 1 };
}

static void print_mean(const struct metric *metric, const struct group *group)
{
	double *values = allocate(NULL, group->count * sizeof *values);
	size_t count = metric_values(metric, group, values);

	if (count > 0)
		printf(" %.*f |", metric->decimals, stat_estimate(values, count).mean);
	else
		printf(" - |");
	free(values);
}

/* Of figures that are 0 in some run there is no ratio, but there are means. */
static void print_plain_change(const struct samples *samples)
{
	double a = stat_estimate(samples->a, samples->na).mean, b = stat_estimate(samples->b, samples->nb).mean;

	if (a > 0)
		printf(" %+.1f %% |", 100 * (b / a - 1));
	else
		printf(b > 0 ? " from 0 |" : " = |");
}

static bool is_same(const struct samples *samples)
{
	for (size_t i = 0; i < samples->na; i++)
		if (!samples->paired || samples->a[i] != samples->b[i])
			return false;
	return true;
}

static void print_change(const struct metric *metric, const struct contrast *contrast)
{
	double *a, *b;
	struct samples samples = contrast_samples(contrast, metric, &a, &b);
	struct effect effect;

	if (samples.na == 0 || samples.nb == 0) {
		printf(" - |");
	} else if (is_same(&samples)) {
		printf(" = |");
	} else {
		effect = effect_of(&samples, false);
		if (effect.ratio.state == RATIO_KNOWN)
			printf(" %+.1f %%%s |", 100 * (effect.ratio.ratio - 1),
				effect.ratio.low > 1 || effect.ratio.high < 1 ? "\\*" : "");
		else
			print_plain_change(&samples);
	}
	free(a);
	free(b);
}

static void print_first(const struct group *group)
{
	struct metric judge = judge_of(group);

	printf("| %s%s | %s | %s%s%s |", group->workload, group->with, group->variant, judge.name, *judge.unit ? ", " : "",
		judge.unit);
	print_mean(&judge, group);
	for (unsigned i = 0; i < COLUMNS; i++)
		print_mean(&column[i], group);
	printf("\n");
}

static void print_other(const struct boot *boot, const struct group *first, const struct group *group)
{
	struct contrast contrast = contrast_make(boot, first, boot, group);
	struct metric judge = judge_of(first);

	printf("| | %s | %s |", group->variant, first->runs[0]->more_is_better ? "more is better" : "less is better");
	print_change(&judge, &contrast);
	for (unsigned i = 0; i < COLUMNS; i++)
		print_change(&column[i], &contrast);
	printf("\n");
}

static void print_workload(const struct boot *boot, const struct group *group, size_t variants)
{
	if (group->count == 0)
		return;
	print_first(group);
	for (size_t i = 1; i < variants; i++)
		if (group[i].count > 0)
			print_other(boot, group, &group[i]);
}

void command_effects_head(void)
{
	printf("| workload | variant | judged by | |");
	for (unsigned i = 0; i < COLUMNS; i++)
		printf(" %s%s%s |", column[i].name, *column[i].unit ? ", " : "", column[i].unit);
	printf("\n|---|---|---|---|");
	for (unsigned i = 0; i < COLUMNS; i++)
		printf("---|");
	printf("\n");
}

int command_effects(FILE *in, const char *file, unsigned only_boot)
{
	int boots, code = EXIT_DAMAGED;
	struct boot *boot = log_read_boot(in, only_boot, &boots);
	char verdict[VERDICT_BYTES];

	if (boots < 0) {
		fprintf(stderr, "fairlog effects: cannot read %s: %s\n", file, strerror(errno));
		code = EXIT_UNREADABLE;
	} else if (!boot) {
		fprintf(stderr, "fairlog effects: %s: there is no %s in it\n", file, boots ? "boot of that number" : "record");
	} else if (!boot_is_whole(boot) || boot->runs_failed > 0) {
		fprintf(stderr, "fairlog effects: %s: %s\n", file, boot_verdict(boot, verdict));
	} else {
		struct groups groups = groups_make(boot);
		size_t variants;

		for (size_t i = 0; i < groups.count; i += variants) {
			variants = groups_same_workload(&groups.group[i], &groups);
			print_workload(boot, &groups.group[i], variants);
		}
		groups_free(&groups);
		code = EXIT_WHOLE;
	}
	boot_free(boot);
	return code;
}
