/* SPDX-License-Identifier: GPL-2.0-or-later
 * Pictures of a workload's runs, and below each the numbers in it. */
#include "tools/fairlog/report.h"

#include "tools/fairlog/allocate.h"
#include "tools/fairlog/chart.h"
#include "tools/fairlog/html.h"
#include "tools/fairlog/latency.h"
#include "tools/fairlog/svg.h"

#include <inttypes.h>

static void begin_figure(const char *caption)
{
	printf("<figure><figcaption>%s</figcaption>\n", caption);
}

static void end_figure(void)
{
	printf("</figure>\n");
}

static bool has_mark(const struct chart *chart, enum mark mark)
{
	for (size_t s = 0; s < chart->count; s++) {
		for (size_t i = 0; i < chart->series[s].points; i++) {
			if (chart->series[s].point[i].mark == mark)
				return true;
		}
	}
	return false;
}

static void put_key(const struct chart *chart)
{
	printf("<ul class=\"key\">\n");
	for (size_t i = 0; i < chart->count; i++) {
		printf("<li>");
		svg_variant_key(chart->series[i].colour);
		html_text(chart->series[i].name);
		printf("</li>\n");
	}
	if (has_mark(chart, MARK_WARMUP))
		printf("<li class=\"soft\">hollow: warm-up, not counted</li>\n");
	if (has_mark(chart, MARK_FAILED))
		printf("<li class=\"soft\">cross on the axis: failed, not counted</li>\n");
	printf("</ul>\n");
}

static void put_runs(const struct workload *w, struct chart *chart)
{
	(void)w;
	begin_figure("Each run, in the order in which they were made: drift would show");
	put_key(chart);
	svg_chart(chart);
	end_figure();
}

static void put_distribution(const struct workload *w, struct chart *chart)
{
	(void)w;
	begin_figure(
		"Runs that count: the box has the middle half of them, the line is the median; from top to bottom in the order of "
		"time");
	svg_chart(chart);
	end_figure();
}

/* ---- wasted time ---- */

static double sum_of(const struct chart *chart, size_t row)
{
	double sum = 0;

	for (size_t i = 0; i < chart->count; i++)
		sum += chart->series[i].point[row].x;
	return sum;
}

static void put_variant_heads(const struct workload *w)
{
	for (size_t i = 0; i < w->variants; i++) {
		printf("<th scope=\"col\">");
		html_text(w->group[i].variant);
		printf("</th>");
	}
}

static void put_causes(const struct workload *w, const struct chart *chart)
{
	printf("<div class=\"scroll\" tabindex=\"0\"><table>\n<thead><tr><th scope=\"col\">msec per run</th>");
	put_variant_heads(w);
	printf("</tr></thead>\n<tbody>\n");
	for (size_t i = 0; i < chart->count; i++) {
		printf("<tr><th scope=\"row\"><span class=\"mark\">");
		svg_cause_key(chart->series[i].colour);
		printf("%s</span></th>", chart->series[i].name);
		for (size_t row = 0; row < chart->rows; row++)
			printf("<td>%.3f</td>", chart->series[i].point[row].x);
		printf("</tr>\n");
	}
	printf("<tr><th scope=\"row\">all causes</th>");
	for (size_t row = 0; row < chart->rows; row++)
		printf("<td>%.3f</td>", sum_of(chart, row));
	printf("</tr>\n</tbody></table></div>\n");
}

static void put_newidle(const struct workload *w)
{
	char text[NEWIDLE_BYTES];

	for (size_t i = 0; i < w->variants; i++) {
		if (!account_newidle(&w->group[i], text))
			continue;
		printf("<p class=\"note\">Newidle balancing in a run of ");
		html_text(w->group[i].variant);
		printf(": ");
		html_text(text);
		printf(".</p>\n");
	}
}

static void put_waste(const struct workload *w, struct chart *chart)
{
	begin_figure("CPU time wasted in a run, by cause: CPUs idle while tasks waited that might have run there");
	svg_chart(chart);
	put_causes(w, chart);
	put_newidle(w);
	end_figure();
}

/* ---- latencies ---- */

static void put_percentiles(const struct group *group, unsigned variant)
{
	static const unsigned parts[] = { 50000, 90000, 99000, 99900 };
	struct latencies l = latencies_of(group, NULL);

	if (l.count > 0) {
		printf("<tr><th scope=\"row\"><span class=\"mark\">");
		svg_variant_key(variant);
		html_text(group->variant);
		printf("</span></th>");
		for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
			printf("<td>%.3f</td>", (double)latencies_percentile(&l, parts[i]) / 1e3);
		printf("<td>%.3f</td><td>%" PRIu64 "</td></tr>\n", (double)l.max_ns / 1e3, l.count);
	}
	free(l.bucket);
}

static void put_latency(const struct workload *w, struct chart *chart)
{
	begin_figure("Latency of wakeups, all runs that count together: how long a woken task waited until it ran");
	svg_chart(chart);
	printf("<div class=\"scroll\" tabindex=\"0\"><table>\n<thead><tr><th scope=\"col\">usec</th><th scope=\"col\">50 %%</th>"
	       "<th scope=\"col\">90 %%</th><th scope=\"col\">99 %%</th><th scope=\"col\">99.9 %%</th><th scope=\"col\">longest</th>"
	       "<th scope=\"col\">wakeups</th></tr></thead>\n<tbody>\n");
	for (size_t i = 0; i < w->variants; i++)
		put_percentiles(&w->group[i], (unsigned)i);
	printf("</tbody></table></div>\n");
	end_figure();
}

void report_pictures(const struct workload *w)
{
	static void (*const put[CHART_KINDS])(const struct workload *w, struct chart *chart) = {
		[CHART_RUNS] = put_runs,
		[CHART_DISTRIBUTION] = put_distribution,
		[CHART_WASTE] = put_waste,
		[CHART_LATENCY] = put_latency,
	};

	printf("<div class=\"pictures\">\n");
	for (enum chart_kind kind = 0; kind < CHART_KINDS; kind++) {
		bool wants_metric = kind == CHART_RUNS || kind == CHART_DISTRIBUTION;
		struct chart chart;

		if (!put[kind] || (wants_metric && !w->judged.metric))
			continue;
		chart = chart_make(kind, w->boot, w->group, w->variants, w->judged.metric);
		if (chart.count > 0)
			put[kind](w, &chart);
		chart_free(&chart);
	}
	printf("</div>\n");
}
