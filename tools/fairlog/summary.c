/* SPDX-License-Identifier: GPL-2.0-or-later
 * fairlog summary: what each variant did, and how the others compare with the first one. */
#include "tools/fairlog/commands.h"

#include "tools/fairlog/account.h"
#include "tools/fairlog/allocate.h"
#include "tools/fairlog/clean.h"
#include "tools/fairlog/contrast.h"
#include "tools/fairlog/head.h"
#include "tools/fairlog/latency.h"
#include "tools/fairlog/log.h"
#include "tools/fairlog/metric.h"
#include "tools/fairlog/page.h"
#include "tools/fairlog/sequence.h"
#include "tools/fairlog/stat.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

enum reason { TOO_FEW, ZERO, NO_SPREAD, TWO_STAGES, REASONS };

/* Reasons are numbered as they are first needed. */
struct footnotes {
	enum reason reason[REASONS];
	unsigned count;
};

static unsigned footnote(struct footnotes *notes, enum reason reason)
{
	for (unsigned i = 0; i < notes->count; i++) {
		if (notes->reason[i] == reason)
			return i + 1;
	}
	notes->reason[notes->count++] = reason;
	return notes->count;
}

static void print_footnotes(const struct footnotes *notes)
{
	static const char *const text[] = {
		[TOO_FEW] = "fewer than two runs that count and have the figure",
		[ZERO] = "the figure is 0 in one of the runs, and a ratio of geometric means needs all above 0",
		[TWO_STAGES] =
			"two-stage interval: until= took the number of runs from the spread of the first ones, and that spread is what this "
			"interval rests on, so that it holds; those of the other figures are as if the number had been fixed",
		[NO_SPREAD] =
			"all runs of a variant give the same figure, in both variants: there is no spread to make an interval from",
	};
	char label[16];

	for (unsigned i = 0; i < notes->count; i++) {
		snprintf(label, sizeof label, " [%u] ", i + 1);
		print_wrapped(label, text[notes->reason[i]]);
	}
}

/* One figure: value, unit, name, remark and noise. Decimal points stand below each other, and no line ends with blanks. */
static void print_row(double value, int decimals, const char *unit, const char *name, const char *remark, const char *noise)
{
	static const char *const filler[] = { "    ", "  ", " ", "" };
	char number[64], row[PAGE_COLUMNS + 64];
	size_t length;

	snprintf(number, sizeof number, "%.*f%s", decimals, value, filler[decimals]);
	snprintf(row, sizeof row, " %18s %-5s%-26.26s %-26s %s", number, unit, name, remark, noise);
	for (length = strlen(row); length > 0 && row[length - 1] == ' '; length--)
		;
	printf("%.*s\n", (int)length, row);
}

/* The noise as perf stat prints it; nothing for a mean of 0, which has no percentage. */
static void format_noise(char text[32], const struct estimate *estimate, struct footnotes *notes)
{
	double percent = stat_percent(estimate);

	text[0] = '\0';
	if (estimate->n < 2)
		snprintf(text, 32, "( +-   n/a  ) [%u]", footnote(notes, TOO_FEW));
	else if (!isnan(percent))
		snprintf(text, 32, "( +-%6.2f%% )", percent);
}

/* The spread between the tasks of a run; each run is one sample of it. */
static void print_counts(const struct group *group)
{
	double smallest = INFINITY, largest = -INFINITY, variations = 0;
	size_t runs = 0;

	for (size_t i = 0; i < group->count; i++) {
		size_t tasks;
		double *counts = run_counts(group->runs[i], &tasks);
		struct spread spread;

		if (!counts)
			continue;
		spread = stat_spread(counts, tasks);
		free(counts);
		smallest = fmin(smallest, spread.min);
		largest = fmax(largest, spread.max);
		if (!isnan(spread.variation)) {
			variations += spread.variation;
			runs++;
		}
	}
	print_row(smallest, 0, "", "  smallest of all", "", "");
	print_row(largest, 0, "", "  largest of all", "", "");
	if (runs > 0)
		print_row(100 * variations / (double)runs, 2, "%", "  CV between tasks", "# mean over the runs", "");
}

/* The figures of a workload. */
struct figures {
	struct metric *metric;
	size_t count;
	bool judged; /* by the first of them */
	bool more_is_better;
};

static struct figures figures_make(const struct group *groups, size_t count)
{
	struct figures figures;
	struct metric first;

	figures.metric = metrics_make(groups, count, &figures.count);
	figures.judged = metric_of_figure(groups, count, &first, &figures.more_is_better);
	return figures;
}

static void print_metric(const struct metric *metric, const struct group *group, double elapsed, struct footnotes *notes)
{
	double *values = allocate(NULL, group->count * sizeof *values);
	size_t count = metric_values(metric, group, values);
	char remark[64] = "", noise[32];
	struct estimate estimate;

	if (count > 0) {
		estimate = stat_estimate(values, count);
		if (metric->source == METRIC_FIELD && metric->field == FIELD_run_task_clock_ns && elapsed > 0)
			snprintf(remark, sizeof remark, "# %8.3f CPUs utilised", estimate.mean / elapsed);
		else if (count < group->count)
			snprintf(remark, sizeof remark, "# in %zu of %zu runs", count, group->count);
		format_noise(noise, &estimate, notes);
		print_row(estimate.mean, metric->decimals, metric->unit, metric->name, remark, noise);
		if (metric->source == METRIC_COUNTS)
			print_counts(group);
	}
	free(values);
}

/* In msec, as task-clock. */
static double mean_elapsed(const struct group *group)
{
	double sum = 0;

	for (size_t i = 0; i < group->count; i++)
		sum += (double)run_uint(group->runs[i], FIELD_run_elapsed_ns) / 1e6;
	return sum / (double)group->count;
}

static void print_left_out(const struct group *group)
{
	char text[256] = "";
	size_t used = 0;

	if (group->warmups > 0)
		used = (size_t)snprintf(text, sizeof text, "%zu warm-up run%s", group->warmups, plural(group->warmups));
	if (group->failed > 0)
		snprintf(text + used, sizeof text - used, "%s%zu run%s not ok (%s\"%.100s\")", used ? ", " : "", group->failed,
			plural(group->failed), group->failed > 1 ? "the first one: " : "", group->first_failure);
	if (text[0] != '\0')
		print_wrapped("   left out: ", text);
}

static void print_unclean(const struct group *group)
{
	char text[UNCLEAN_BYTES];

	if (describe_unclean(group, text))
		print_line("   not clean: ", "%s", text);
	if (find_not_held(group))
		print_line("   not held: ", "%s", find_not_held(group));
}

static void print_group(const struct group *group, uint64_t planned, const struct figures *figures, struct footnotes *notes)
{
	char of_planned[40] = "";
	double elapsed;

	if (planned > 0 && planned != group->count)
		snprintf(of_planned, sizeof of_planned, " of %" PRIu64 " planned", planned);
	printf("\n");
	print_line(" ", "%s%s, %s: %zu run%s%s", group->workload, group->with, group->variant, group->count, plural(group->count),
		of_planned);
	print_left_out(group);
	print_unclean(group);
	if (group->count == 0)
		return;
	if (figures->judged)
		print_line("   ", "judged by %s, %s is better", figures->metric[0].name, figures->more_is_better ? "more" : "less");
	printf("\n");
	elapsed = mean_elapsed(group);
	for (size_t i = 0; i < figures->count; i++)
		print_metric(&figures->metric[i], group, elapsed, notes);
	print_account(group);
	print_latencies(group);
}

static void format_ratio(char text[16], double ratio)
{
	bool is_plain = ratio >= 0.001 && ratio < 10000;

	snprintf(text, 16, is_plain ? "%.4f" : "%.2e", ratio);
}

static void print_ratio(const char *name, const struct ratio *ratio, const char *word, struct footnotes *notes)
{
	static const enum reason reason[] = { [RATIO_TOO_FEW] = TOO_FEW, [RATIO_ZERO] = ZERO, [RATIO_NO_SPREAD] = NO_SPREAD };
	char value[16] = "n/a", low[16], high[16];

	if (ratio->state == RATIO_KNOWN || ratio->state == RATIO_NO_SPREAD)
		format_ratio(value, ratio->ratio);
	if (ratio->state != RATIO_KNOWN) {
		printf("   %-30.30s %10s   %10s [%u]\n", name, value, "n/a", footnote(notes, reason[ratio->state]));
		return;
	}
	format_ratio(low, ratio->low);
	format_ratio(high, ratio->high);
	printf("   %-30.30s %10s   %10s .. %s%s%s\n", name, value, low, high, *word ? "  " : "", word);
}

/* A workload's own figures are often constants, such as its number of tasks: those are not compared. */
static bool is_constant(const struct metric *metric, const struct ratio *ratio)
{
	return (metric->source == METRIC_RESULT || metric->source == METRIC_BACKGROUND) && ratio->state == RATIO_NO_SPREAD &&
	       ratio->ratio == 1;
}

/* The interval that until= was about. */
static void print_two_stages(const struct boot *boot, const struct group *first, const struct group *other,
	const struct figures *figures, struct footnotes *notes)
{
	struct contrast contrast = contrast_make(boot, first, boot, other);
	double *a, *b;

	for (size_t i = 0; contrast.sequence && i < figures->count; i++) {
		const struct metric *metric = &figures->metric[i];
		struct samples samples;
		struct ratio ratio;
		char name[64];

		if (strcmp(metric->name, sequence_figure(contrast.sequence)) != 0)
			continue;
		samples = contrast_samples(&contrast, metric, &a, &b);
		ratio = contrast_effect(&contrast, metric, &samples, false).ratio;
		snprintf(name, sizeof name, "%.20s, two-stage [%u]", metric->name, footnote(notes, TWO_STAGES));
		print_ratio(name, &ratio, "", notes);
		free(a);
		free(b);
	}
}

static void print_comparison(const struct boot *boot, const struct group *first, const struct group *other,
	const struct figures *figures, struct footnotes *notes)
{
	double *a, *b;

	printf("\n");
	print_line(" ", "%s%s: %s against %s", first->workload, first->with, other->variant, first->variant);
	if (first->count == 0 || other->count == 0) {
		printf("   cannot be compared: one of them has no run that counts\n");
		return;
	}
	a = allocate(NULL, first->count * sizeof *a);
	b = allocate(NULL, other->count * sizeof *b);
	printf("\n   %-30s %10s   %s\n", "", "ratio", "   95 % interval");
	for (size_t i = 0; i < figures->count; i++) {
		const struct metric *metric = &figures->metric[i];
		size_t na = metric_values(metric, first, a);
		size_t nb = metric_values(metric, other, b);
		struct ratio ratio = stat_ratio(a, na, b, nb, 0.95);
		bool judges = i == 0 && figures->judged;

		if (!is_constant(metric, &ratio))
			print_ratio(metric->name, &ratio, judges ? metric_word(&ratio, figures->more_is_better) : "", notes);
	}
	print_two_stages(boot, first, other, figures, notes);
	free(a);
	free(b);
}

/* Returns whether there was anything to compare. */
static bool print_workload(
	const struct boot *boot, const struct group *group, size_t variants, uint64_t planned, struct footnotes *notes)
{
	struct figures figures = figures_make(group, variants);

	for (size_t i = 0; i < variants; i++)
		print_group(&group[i], planned, &figures, notes);
	for (size_t i = 1; i < variants; i++)
		print_comparison(boot, &group[0], &group[i], &figures, notes);
	free(figures.metric);
	return variants > 1;
}

static void print_tables(const struct boot *boot)
{
	struct groups groups = groups_make(boot);
	struct footnotes notes = { .count = 0 };
	bool compared = false;
	size_t variants;

	for (size_t i = 0; i < groups.count; i += variants) {
		variants = groups_same_workload(&groups.group[i], &groups);
		compared |= print_workload(boot, &groups.group[i], variants,
			sequence_runs(boot, groups.group[i].workload, groups.planned_runs), &notes);
	}
	if (groups.count == 0)
		printf("\n There are no runs in this log.\n");
	printf("\n");
	print_footnotes(&notes);
	if (groups.count > 0)
		print_wrapped(" ", "Values are means over the runs; ( +- ) is the standard error of the mean, in per cent of it.");
	if (compared)
		print_wrapped(" ",
			"Ratios are of geometric means; below 1 the variant named first has less. An interval that contains 1 "
			"leaves open whether there is a difference. It rests on the spread between the runs of this boot and knows "
			"nothing of other boots, images or machines. Only of what a workload is judged by is it said which is better: of "
			"the many other figures one or the other differs by chance (fairlog compare corrects for that).");
	groups_free(&groups);
}

int command_summary(FILE *in, const char *file, unsigned only_boot)
{
	int boots, code = EXIT_UNREADABLE;
	struct boot *boot = log_read_boot(in, only_boot, &boots);

	if (boots < 0) {
		fprintf(stderr, "fairlog summary: cannot read %s: %s\n", file, strerror(errno));
	} else if (boots == 0) {
		printf("%s: incomplete: there is no record in it\n", file);
		code = EXIT_DAMAGED;
	} else if (!boot) {
		fprintf(stderr, "fairlog summary: --boot %u: expected a number from 1 to %d, the boots in %s\n", only_boot, boots,
			file);
	} else {
		print_head(file, boot, (unsigned)boots);
		if (boot->format_known)
			print_tables(boot);
		code = boot_is_whole(boot) ? EXIT_WHOLE : EXIT_DAMAGED;
	}
	boot_free(boot);
	return code;
}
