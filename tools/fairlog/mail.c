/* SPDX-License-Identifier: GPL-2.0-or-later
 * fairlog mail: a whole log as text to be pasted into a mail: what was varied, on what, the figures with their errors and
 * intervals, what they rest on, and how to make them again. */
#include "tools/fairlog/commands.h"

#include "tools/fairlog/allocate.h"
#include "tools/fairlog/fit.h"
#include "tools/fairlog/group.h"
#include "tools/fairlog/head.h"
#include "tools/fairlog/metric.h"
#include "tools/fairlog/page.h"
#include "tools/fairlog/perfstat.h"
#include "tools/fairlog/recipe.h"
#include "tools/fairlog/stat.h"
#include "tools/fairlog/text_stream.h"
#include "tools/fairlog/topology.h"
#include "tools/fairlog/varied.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { MAIL_COLUMNS = 72, LABEL_COLUMNS = 16 };

static const struct metric columns[] = {
	{ "elapsed", "ms", METRIC_FIELD, FIELD_run_elapsed_ns, 1e6, 3 },
	{ "context switches", "", METRIC_FIELD, FIELD_run_context_switches, 1, 1 },
	{ "migrations", "", METRIC_FIELD, FIELD_run_migrations, 1, 1 },
	{ "wasted", "ms", METRIC_FIELD, FIELD_run_wasted_ns, 1e6, 3 },
	{ "wakeup p99", "us", METRIC_FIELD, FIELD_run_wakeup_p99_ns, 1e3, 3 },
};

static bool with_perf;

bool command_mail_option(const char *word)
{
	if (strcmp(word, "--perf") != 0)
		return false;
	with_perf = true;
	return true;
}

static void say(const char *label, const char *text)
{
	print_wrapped_at(MAIL_COLUMNS, label, text);
}

/* ---- what it is about ---- */

/* The groups of the first workload stand for those of all: what a variant sets does not depend on the workload. */
static void print_title(const struct groups *groups, const struct varied *varied)
{
	char *title = varied_title(varied);

	if (varied->variants < 2)
		printf("%s: %s\n\n", groups->group[0].workload, title);
	else
		printf("%s\n\n", title);
	free(title);
	for (size_t i = 0; varied->knobs > 1 && i < varied->variants; i++) {
		char *values = varied_values(varied, i);

		say("", varied->variant[i].name);
		say("  ", values);
		free(values);
	}
	if (varied->knobs > 1)
		printf("\n");
}

static void put_count(FILE *to, uint64_t count, const char *what)
{
	fprintf(to, ", %" PRIu64 " %s%s", count, what, plural(count));
}

static void put_machine(FILE *to, const json_t *boot, const json_t *machine)
{
	const char *on = record_get_string(boot, FIELD_boot_machine);
	char topology[TOPOLOGY_BYTES];

	if (strcmp(on, "metal") == 0)
		fprintf(to, "%s", record_get_string(machine, FIELD_machine_cpu_model));
	else
		fprintf(to, "Virtual machine (%s)", on);
	put_count(to, record_get_uint(machine, FIELD_machine_cpus), "CPU");
	put_count(to, record_get_uint(machine, FIELD_machine_nodes), "node");
	put_count(to, record_get_uint(machine, FIELD_machine_packages), "package");
	put_count(to, record_get_uint(machine, FIELD_machine_llcs), "last-level cache");
	put_count(to, record_get_uint(machine, FIELD_machine_cores), "core");
	if (*record_get_string(machine, FIELD_machine_pretended_on))
		fprintf(to, "; topology %s", topology_text(machine, topology));
}

static void print_machine(const struct boot *boot)
{
	const json_t *machine = boot->record[RECORD_machine];
	struct text_stream text;
	char note[NOTE_BYTES], *bytes;

	text_stream_open(&text);
	put_machine(text.file, boot->record[RECORD_boot], machine);
	if (*head_note(boot, note))
		fprintf(text.file, "; %s.", note);
	else
		fprintf(text.file, "; time by %s.", record_get_string(machine, FIELD_machine_clocksource));
	bytes = text_stream_close(&text);
	say("", bytes);
	free(bytes);
}

/* How many there are, not how many were planned: an experiment may end when it has decided. */
static void print_runs(const struct groups *groups, const json_t *plan)
{
	char text[200], most[32] = "", order[60] = "";
	size_t least = SIZE_MAX, largest = 0;

	for (size_t i = 0; i < groups->count; i++) {
		size_t count = groups->group[i].count;

		least = count > 0 && count < least ? count : least;
		largest = count > largest ? count : largest;
	}
	if (largest > least)
		snprintf(most, sizeof most, " to %zu", largest);
	if (plan)
		snprintf(order, sizeof order, ", in order %.20s", record_get_string(plan, FIELD_plan_order));
	snprintf(text, sizeof text, "One boot; %zu%s run%s of each workload under each variant%s%s.", least, most, plural(largest),
		groups->group[0].warmups > 0 ? " after a warm-up" : "", order);
	say("", text);
}

/* ---- figures ---- */

/* What could not be said, to be explained once below. */
struct gaps {
	bool ratios, intervals;
};

static void format_value(char text[16], double ratio)
{
	bool is_plain = ratio >= 0.01 && ratio < 1000;

	snprintf(text, 16, is_plain ? "%.3f" : "%.1e", ratio);
}

static void print_ratio(const struct ratio *ratio, const char *word, struct gaps *gaps)
{
	char value[16] = "-", low[16], high[16];

	if (ratio->state == RATIO_KNOWN || ratio->state == RATIO_NO_SPREAD)
		format_value(value, ratio->ratio);
	printf(" %6s", value);
	if (ratio->state != RATIO_KNOWN) {
		gaps->ratios |= ratio->state != RATIO_NO_SPREAD;
		gaps->intervals |= ratio->state == RATIO_NO_SPREAD;
		return;
	}
	format_value(low, ratio->low);
	format_value(high, ratio->high);
	printf("  %s .. %s%s%s", low, high, *word ? " " : "", word);
}

/* A name that is too long has a line for itself. */
static void print_label(const char *name)
{
	if (strlen(name) > LABEL_COLUMNS)
		printf("  %s\n  %*s", name, LABEL_COLUMNS, "");
	else
		printf("  %-*s", LABEL_COLUMNS, name);
}

static void print_mean(const struct metric *metric, const struct estimate *estimate, bool followed)
{
	double percent = stat_percent(estimate);

	printf(" %12.*f", metric->decimals, estimate->mean);
	if (!isnan(percent))
		printf(" +-%6.2f %%", percent);
	else if (followed)
		printf("%11s", "");
}

enum judgement { NOT_JUDGED, LESS, MORE };

/* A line for each variant that has the figure. */
static void print_metric(
	const struct metric *metric, enum judgement judgement, const struct group *groups, size_t count, struct gaps *gaps)
{
	double *first = allocate(NULL, groups[0].count * sizeof *first);
	size_t firsts = metric_values(metric, &groups[0], first);

	printf("%s%s%s%s\n", metric->name, *metric->unit ? ", " : "", metric->unit,
		judgement == NOT_JUDGED ? ""
		: judgement == MORE	? " (judged by this: more is better)"
					: " (judged by this: less is better)");
	for (size_t i = 0; i < count; i++) {
		double *values = allocate(NULL, groups[i].count * sizeof *values);
		size_t n = metric_values(metric, &groups[i], values);
		struct estimate estimate;
		struct ratio ratio;

		if (n > 0) {
			estimate = stat_estimate(values, n);
			print_label(groups[i].variant);
			print_mean(metric, &estimate, i > 0);
			ratio = stat_ratio(first, firsts, values, n, 0.95);
			if (i > 0)
				print_ratio(&ratio, judgement == NOT_JUDGED ? "" : metric_word(&ratio, judgement == MORE), gaps);
			printf("\n");
		}
		free(values);
	}
	free(first);
}

static bool is_same(const struct metric *a, const struct metric *b)
{
	return a->source == b->source && a->field == b->field && strcmp(a->name, b->name) == 0;
}

static void print_workload(const struct group *groups, size_t count, struct gaps *gaps)
{
	struct metric figure = columns[0];
	bool more = false, judged = metric_of_figure(groups, count, &figure, &more);

	printf("\n%s%s\n%*s%s\n", groups[0].workload, groups[0].with, 2 + LABEL_COLUMNS + 9, "",
		"mean   +- error  ratio  95 % interval");
	if (judged && is_same(&figure, &columns[0]))
		figure = columns[0];
	if (judged)
		print_metric(&figure, more ? MORE : LESS, groups, count, gaps);
	for (size_t i = 0; i < sizeof columns / sizeof columns[0]; i++) {
		if (!judged || !is_same(&columns[i], &figure))
			print_metric(&columns[i], NOT_JUDGED, groups, count, gaps);
	}
	if (!with_perf)
		return;
	printf("\n");
	for (size_t i = 0; i < count; i++)
		perfstat_print_group(&groups[i]);
}

/* ---- what they rest on, and how to make them again ---- */

static void print_footnotes(const struct gaps *gaps)
{
	printf("\n");
	say("", "Figures are means over the runs, with the standard error of the mean in per cent. Ratios are of geometric means, "
		"to the first variant; the intervals rest on the spread between the runs of this one boot and know nothing of "
		"other boots, images or machines.");
	if (gaps->ratios)
		say("", "-: a run has 0 there, or there are fewer than two.");
	if (gaps->intervals)
		say("", "No interval: no run of a variant differs from its others.");
}

static bool ends_with(const char *text, const char *end)
{
	size_t length = strlen(text), n = strlen(end);

	return length >= n && strcmp(text + length - n, end) == 0;
}

static const char *promise(const struct recipe *recipe, const json_t *image)
{
	if (recipe->same_log)
		return "The same build gives the same log, byte for byte.";
	if (record_get_uint(image, FIELD_boot_exact))
		return "The same build gives the same runs, to the nanosecond.";
	return "The figures will be others: how far off is for the intervals to say on this machine, and open on another.";
}

static void print_recipe(const struct boot *boot)
{
	const json_t *image = boot->record[RECORD_boot];
	const char *version = record_get_string(image, FIELD_boot_version);
	struct recipe recipe = recipe_of(boot);
	struct text_stream text;
	char *bytes;

	text_stream_open(&text);
	fprintf(text.file, "To make them again, with Fairmetal %s%s, build %s%s:", version,
		ends_with(version, "-dirty") ? " (with changes that are in no commit)" : "",
		record_get_string(image, FIELD_boot_build), recipe.by_hand ? ", boot its image with this command line" : "");
	bytes = text_stream_close(&text);
	printf("\n");
	say("", bytes);
	free(bytes);
	printf("\n    %s\n\n", recipe.text);
	say("", promise(&recipe, image));
	free(recipe.text);
}

static void show(const char *file, const struct boot *boot)
{
	struct groups groups = groups_make(boot);
	struct gaps gaps = { false, false };
	struct varied varied;
	size_t variants;

	if (groups.count == 0 || boot->run_count == 0) {
		printf("%s: there are no runs in this log.\n", file);
		groups_free(&groups);
		return;
	}
	varied = varied_make(groups.group, groups_same_workload(&groups.group[0], &groups));
	print_title(&groups, &varied);
	print_machine(boot);
	print_runs(&groups, boot->record[RECORD_plan]);
	for (size_t i = 0; i < groups.count; i += variants) {
		variants = groups_same_workload(&groups.group[i], &groups);
		print_workload(&groups.group[i], variants, &gaps);
	}
	print_footnotes(&gaps);
	print_recipe(boot);
	varied_free(&varied);
	groups_free(&groups);
}

int command_mail(FILE *in, const char *file, unsigned only_boot)
{
	return fit_show("mail", in, file, only_boot, show);
}
