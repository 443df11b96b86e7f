/* SPDX-License-Identifier: GPL-2.0-or-later
 * The table of a workload: a line for each figure, its mean under each variant, and by how much that differs from the first. */
#include "tools/fairlog/report.h"

#include "tools/fairlog/allocate.h"
#include "tools/fairlog/clean.h"
#include "tools/fairlog/contrast.h"
#include "tools/fairlog/html.h"
#include "tools/fairlog/page.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static void put_head(const struct workload *w)
{
	printf("<thead><tr><th scope=\"col\">mean of a run</th>");
	for (size_t i = 0; i < w->variants; i++) {
		printf("<th scope=\"col\">");
		html_text(w->group[i].variant);
		printf("<br/><span class=\"soft\">%zu run%s</span></th>", w->group[i].count, plural(w->group[i].count));
		if (i == 0)
			continue;
		printf("<th scope=\"col\">against ");
		html_text(w->group[0].variant);
		printf("<br/><span class=\"soft\">95 %% interval</span></th>");
	}
	printf("</tr></thead>\n");
}

static void put_mean(const struct metric *metric, const struct group *group)
{
	double *values = allocate(NULL, group->count * sizeof *values);
	size_t count = metric_values(metric, group, values);
	struct estimate estimate;

	printf("<td>");
	if (count > 0) {
		estimate = stat_estimate(values, count);
		printf("%.*f", metric->decimals, estimate.mean);
		if (!isnan(stat_percent(&estimate)))
			printf(" <span class=\"soft\">\u00b1 %.2f %%</span>", stat_percent(&estimate));
		if (count < group->count)
			printf(" <span class=\"soft\">in %zu of %zu runs</span>", count, group->count);
	}
	printf("</td>");
	free(values);
}

static void put_change(const struct metric *metric, const struct workload *w, const struct group *other)
{
	struct contrast contrast = contrast_make(w->boot, w->group, w->boot, other);
	double *a, *b;
	struct samples samples = contrast_samples(&contrast, metric, &a, &b);
	char text[CHANGE_BYTES] = "";

	if (samples.na > 0 && samples.nb > 0) {
		struct effect effect = contrast_effect(&contrast, metric, &samples, is_tail(metric_label(metric)));

		format_change(&effect.ratio, text);
	}
	printf("<td>%s</td>", text);
	free(a);
	free(b);
}

static void put_name(const char *class, const char *name, const char *unit)
{
	printf("<th scope=\"row\"%s>", class);
	html_text(name);
	if (*unit)
		printf(", <span class=\"soft\">%s</span>", unit);
	printf("</th>");
}

static void put_row(const struct metric *metric, const struct workload *w)
{
	bool is_part = metric->name[0] == ' ';

	printf("<tr%s>", metric == w->judged.metric ? " class=\"judge\"" : "");
	put_name(is_part ? " class=\"part\"" : "", metric_label(metric), metric->unit);
	for (size_t i = 0; i < w->variants; i++) {
		put_mean(metric, &w->group[i]);
		if (i > 0)
			put_change(metric, w, &w->group[i]);
	}
	printf("</tr>\n");
}

/* ---- the spread between the tasks of a run ---- */

struct tasks {
	double least, most;
	double variation; /* mean over the runs; NAN if no run has one */
};

static struct tasks tasks_of(const struct group *group)
{
	struct tasks tasks = { INFINITY, -INFINITY, 0 };
	size_t runs = 0;

	for (size_t i = 0; i < group->count; i++) {
		size_t count;
		double *counts = run_counts(group->runs[i], &count);
		struct spread spread;

		if (!counts)
			continue;
		spread = stat_spread(counts, count);
		free(counts);
		tasks.least = fmin(tasks.least, spread.min);
		tasks.most = fmax(tasks.most, spread.max);
		tasks.variation += isnan(spread.variation) ? 0 : spread.variation;
		runs += !isnan(spread.variation);
	}
	tasks.variation = runs > 0 ? tasks.variation / (double)runs : NAN;
	return tasks;
}

static void put_task_rows(const struct workload *w)
{
	printf("<tr><th scope=\"row\" class=\"part\">least and most of a task</th>");
	for (size_t i = 0; i < w->variants; i++) {
		struct tasks tasks = tasks_of(&w->group[i]);

		if (tasks.least <= tasks.most)
			printf("<td>%.0f to %.0f</td>", tasks.least, tasks.most);
		else
			printf("<td></td>");
		printf("%s", i > 0 ? "<td></td>" : "");
	}
	printf("</tr>\n<tr><th scope=\"row\" class=\"part\">CV between tasks</th>");
	for (size_t i = 0; i < w->variants; i++) {
		double variation = tasks_of(&w->group[i]).variation;

		if (isnan(variation))
			printf("<td></td>");
		else
			printf("<td>%.2f %%</td>", 100 * variation);
		printf("%s", i > 0 ? "<td></td>" : "");
	}
	printf("</tr>\n");
}

void report_table(const struct workload *w)
{
	printf("<div class=\"scroll\" tabindex=\"0\"><table>\n");
	put_head(w);
	printf("<tbody>\n");
	for (size_t i = 0; i < w->metrics; i++) {
		put_row(&w->metric[i], w);
		if (w->metric[i].source == METRIC_COUNTS)
			put_task_rows(w);
	}
	printf("</tbody></table></div>\n");
	if (w->variants > 1)
		printf("<p class=\"note soft\">The line in bold decides. The intervals of all others are each for itself: of twenty figures "
		       "that do not differ, one will look as if it did.</p>\n");
}

/* ---- what is not in it ---- */

static bool put_left_out(const struct group *group, uint64_t planned)
{
	uint64_t made = group->count + group->failed;

	if (group->failed == 0 && made >= planned)
		return false;
	printf("<li>");
	html_text(group->workload);
	printf(", ");
	html_text(group->variant);
	printf(": ");
	if (made < planned)
		printf("%" PRIu64 " of %" PRIu64 " planned runs %s not there%s", planned - made, planned,
			planned - made == 1 ? "is" : "are", group->failed > 0 ? "; " : "");
	if (group->failed > 0) {
		printf("%zu run%s failed and %s left out (%s", group->failed, plural(group->failed),
			group->failed == 1 ? "is" : "are", group->failed > 1 ? "the first one: " : "");
		html_text(group->first_failure);
		printf(")");
	}
	printf("</li>\n");
	return true;
}

static bool put_unclean(const struct group *group)
{
	char text[UNCLEAN_BYTES];

	if (!describe_unclean(group, text))
		return false;
	printf("<li>");
	html_textf("%s, %s: not clean, and counted all the same: %s", group->workload, group->variant, text);
	printf("</li>\n");
	return true;
}

bool report_left_out(const struct workload *w)
{
	bool any = false;

	for (size_t i = 0; i < w->variants; i++)
		any |= put_left_out(&w->group[i], w->planned_runs) | put_unclean(&w->group[i]);
	return any;
}
