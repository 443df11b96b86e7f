/* SPDX-License-Identifier: GPL-2.0-or-later
 * fairlog effects: which workload feels which variant, as one table in Markdown. Each workload's first variant stands with its
 * figures, the others with their change against it; a star says that the interval of 95 % leaves 0 out, and "=" that each pair of
 * runs gave the same.
 */
#include "tools/fairlog/commands.h"

#include "tools/fairlog/allocate.h"
#include "tools/fairlog/contrast.h"
#include "tools/fairlog/fit.h"
#include "tools/fairlog/stat.h"

#include <math.h>
#include <string.h>

enum { SWITCHES, MIGRATIONS, WASTED, WAKEUP, COLUMNS };

static const struct metric column[COLUMNS] = {
	[SWITCHES] = { "switches", "", METRIC_FIELD, FIELD_run_context_switches, 1, 0 },
	[MIGRATIONS] = { "migrations", "", METRIC_FIELD, FIELD_run_migrations, 1, 0 },
	[WASTED] = { "wasted", "ms", METRIC_FIELD, FIELD_run_wasted_ns, 1e6, 2 },
	[WAKEUP] = { "wakeup p99", "us", METRIC_FIELD, FIELD_run_wakeup_p99_ns, 1e3, 1 },
};

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

static void print_first(const struct group *group, const struct metric *judge)
{
	printf("| %s%s | %s | %s%s%s |", group->workload, group->with, group->variant, judge->name, *judge->unit ? ", " : "",
		judge->unit);
	print_mean(judge, group);
	for (unsigned i = 0; i < COLUMNS; i++)
		print_mean(&column[i], group);
	printf("\n");
}

static void print_other(const struct contrast *contrast, const struct metric *judge, bool more_is_better)
{
	printf("| | %s | %s is better |", contrast->b->variant, more_is_better ? "more" : "less");
	print_change(judge, contrast);
	for (unsigned i = 0; i < COLUMNS; i++)
		print_change(&column[i], contrast);
	printf("\n");
}

static void print_workload(const struct boot *boot, const struct group *group, size_t variants)
{
	struct metric judge;
	bool more_is_better;

	if (group->count == 0 || !metric_of_figure(group, variants, &judge, &more_is_better))
		return;
	print_first(group, &judge);
	for (size_t i = 1; i < variants; i++) {
		struct contrast contrast = contrast_make(boot, group, boot, &group[i]);

		if (group[i].count > 0)
			print_other(&contrast, &judge, more_is_better);
	}
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

static void show(const char *file, const struct boot *boot)
{
	struct groups groups = groups_make(boot);
	size_t variants;

	(void)file;
	for (size_t i = 0; i < groups.count; i += variants) {
		variants = groups_same_workload(&groups.group[i], &groups);
		print_workload(boot, &groups.group[i], variants);
	}
	groups_free(&groups);
}

int command_effects(FILE *in, const char *file, unsigned only_boot)
{
	return fit_show("effects", in, file, only_boot, show);
}
