/* SPDX-License-Identifier: GPL-2.0-or-later
 * Charts as SVG. The user's unit is a pixel of a phone. */
#include "tools/fairlog/svg.h"

#include "tools/fairlog/html.h"

#include <math.h>
#include <stdio.h>

enum {
	WIDTH = 380,
	LEFT = 52, /* of the plot: room for the labels of the y axis */
	RIGHT = WIDTH - 8,
	RIGHT_OF_LABELS = WIDTH - 22, /* the same where a label may stand at the end of the axis */
	TOP = 28,
	AREA_HEIGHT = 190,
	AXIS_HEIGHT = 38, /* labels and the name of the x axis */
	ROW_HEIGHT = 56,  /* of a chart with rows: the variant's name and its bar */
	BAR_TOP = 20,
	BAR_HEIGHT = 26,
	ROW_CHARACTERS = 54,
};

struct area {
	const struct chart *chart;
	double left, right, top, bottom;
};

static double x_of(const struct area *f, double value)
{
	return f->left + (f->right - f->left) * scale_at(&f->chart->x, value);
}

static double y_of(const struct area *f, double value)
{
	return isnan(value) ? f->bottom : f->bottom - (f->bottom - f->top) * scale_at(&f->chart->y, value);
}

/* ---- marks: a shape of its own for each variant, for those who do not see the colours ---- */

static void put_shape(unsigned shape, double x, double y, double r)
{
	switch (shape % 4) {
	case 0:
		printf("<circle cx=\"%.1f\" cy=\"%.1f\" r=\"%.1f\"/>", x, y, r);
		break;
	case 1:
		printf("<path d=\"M%.1f %.1fh%.1fv%.1fh-%.1fz\"/>", x - r * 0.9, y - r * 0.9, r * 1.8, r * 1.8, r * 1.8);
		break;
	case 2:
		printf("<path d=\"M%.1f %.1fl%.1f %.1fh-%.1fz\"/>", x, y - r * 1.2, r * 1.15, r * 2, r * 2.3);
		break;
	default:
		printf("<path d=\"M%.1f %.1fl%.1f %.1fl-%.1f %.1fl-%.1f -%.1fz\"/>", x, y - r * 1.3, r * 1.2, r * 1.3, r * 1.2,
			r * 1.3, r * 1.2, r * 1.3);
	}
	printf("\n");
}

static void put_cross(double x, double y, double r)
{
	printf("<path d=\"M%.1f %.1fl%.1f %.1fm0 -%.1fl-%.1f %.1f\"/>\n", x - r, y - r, 2 * r, 2 * r, 2 * r, 2 * r, 2 * r);
}

static void put_marks(const struct area *f, const struct series *s, enum mark mark)
{
	static const char *const style[] = {
		[MARK_COUNTED] = "fill=\"currentColor\"",
		[MARK_WARMUP] = "fill=\"none\" stroke=\"currentColor\" stroke-width=\"1.5\"",
		[MARK_FAILED] = "fill=\"none\" stroke=\"currentColor\" stroke-width=\"2\"",
	};

	printf("<g %s>\n", style[mark]);
	for (size_t i = 0; i < s->points; i++) {
		double x = x_of(f, s->point[i].x), y = y_of(f, s->point[i].y);

		if (s->point[i].mark != mark)
			continue;
		if (mark == MARK_FAILED)
			put_cross(x, y, 4);
		else
			put_shape(s->colour, x, y, s->points > 60 ? 2 : 3.5);
	}
	printf("</g>\n");
}

/* ---- axes ---- */

static double first_tick(const struct scale *scale)
{
	return ceil(scale->low / scale->step - 1e-9) * scale->step;
}

static void put_x_name(const struct area *f, const char *name)
{
	printf("<text class=\"tick\" x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">", (f->left + f->right) / 2, f->bottom + 34);
	html_text(name);
	printf("</text>\n");
}

static void put_y_name(const char *name)
{
	printf("<text class=\"tick\" x=\"0\" y=\"12\">");
	html_text_clipped(name, ROW_CHARACTERS);
	printf("</text>\n");
}

static void put_x_tick(const struct area *f, double value, const char *label, bool has_line)
{
	double x = x_of(f, value);

	if (has_line)
		printf("<path class=\"grid\" d=\"M%.1f %.1fV%.1f\"/>", x, f->top, f->bottom);
	/* The outermost labels stay in the picture. */
	printf("<text class=\"tick\" x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">%s</text>\n", fmin(x, WIDTH), f->bottom + 16,
		x > WIDTH - 20 ? "end"
		: x < 20       ? "start"
			       : "middle",
		label);
}

static void put_x_ticks(const struct area *f, bool have_lines)
{
	const struct scale *scale = &f->chart->x;
	char label[TICK_BYTES];

	for (double value = first_tick(scale); value <= scale->high + scale->step * 1e-6; value += scale->step)
		put_x_tick(f, value, tick_label(value, scale->step, label), have_lines);
}

static void put_y_tick(const struct area *f, double value, const char *label)
{
	double y = y_of(f, value);

	printf("<path class=\"grid\" d=\"M%.1f %.1fH%.1f\"/><text class=\"tick\" x=\"%.1f\" y=\"%.1f\" text-anchor=\"end\">%s</text>\n",
		f->left, y, f->right, f->left - 6, y + 4, label);
}

static void put_y_ticks(const struct area *f)
{
	const struct scale *scale = &f->chart->y;
	char label[TICK_BYTES];

	if (scale->is_log) {
		for (double value = scale->low; value < scale->high * 1.01; value *= 10)
			put_y_tick(f, value, tick_time(value, label));
		return;
	}
	for (double value = first_tick(scale); value <= scale->high + scale->step * 1e-6; value += scale->step)
		put_y_tick(f, value, tick_label(value, scale->step, label));
}

static void put_metric_name(const struct metric *metric, char text[200])
{
	snprintf(text, 200, "%.150s%s%s", metric->name, *metric->unit ? ", " : "", metric->unit);
}

/* ---- the four kinds ---- */

static void put_runs(const struct area *f)
{
	char name[200];

	put_metric_name(&f->chart->metric, name);
	put_y_name(name);
	put_y_ticks(f);
	put_x_ticks(f, false);
	put_x_name(f, "position of the run");
	for (size_t i = 0; i < f->chart->count; i++) {
		printf("<g class=\"v%u\">\n", f->chart->series[i].colour % VARIANT_COLOURS);
		for (enum mark mark = MARK_COUNTED; mark <= MARK_FAILED; mark++)
			put_marks(f, &f->chart->series[i], mark);
		printf("</g>\n");
	}
}

static void put_row_name(const struct area *f, size_t row)
{
	printf("<text x=\"0\" y=\"%.1f\">", f->top + (double)row * ROW_HEIGHT + 14);
	html_text_clipped(f->chart->row[row], ROW_CHARACTERS);
	printf("</text>\n");
}

static void put_box(const struct area *f, const struct series *s, double top)
{
	double low = x_of(f, s->quartile[0]), middle = x_of(f, s->quartile[1]), high = x_of(f, s->quartile[2]);

	printf("<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%d\" fill=\"currentColor\" fill-opacity=\"0.18\"/>"
	       "<path d=\"M%.1f %.1fv%d\" stroke=\"currentColor\" stroke-width=\"2\"/>\n",
		low, top, fmax(high - low, 0.5), BAR_HEIGHT, middle, top, BAR_HEIGHT);
}

static void put_distribution(const struct area *f)
{
	char name[200];

	put_metric_name(&f->chart->metric, name);
	put_x_ticks(f, true);
	put_x_name(f, name);
	for (size_t row = 0; row < f->chart->count; row++) {
		const struct series *s = &f->chart->series[row];
		double top = f->top + (double)row * ROW_HEIGHT + BAR_TOP;

		put_row_name(f, row);
		printf("<g class=\"v%u\">\n", s->colour % VARIANT_COLOURS);
		if (s->points > 0)
			put_box(f, s, top);
		printf("<g fill=\"currentColor\" fill-opacity=\"0.8\">\n");
		for (size_t i = 0; i < s->points; i++)
			put_shape(s->colour, x_of(f, s->point[i].x), top + BAR_HEIGHT * s->point[i].y, s->points > 60 ? 2 : 3.5);
		printf("</g>\n</g>\n");
	}
}

static void put_stack(const struct area *f, size_t row)
{
	double from = 0, top = f->top + (double)row * ROW_HEIGHT + BAR_TOP;

	put_row_name(f, row);
	for (size_t i = 0; i < f->chart->count; i++) {
		double msec = f->chart->series[i].point[row].x, x = x_of(f, from), width = x_of(f, from + msec) - x;

		from += msec;
		if (width <= 0)
			continue;
		/* A gap of the page's own colour between neighbours, unless they are thinner than that. */
		printf("<rect class=\"c%u\" x=\"%.2f\" y=\"%.1f\" width=\"%.2f\" height=\"%d\" fill=\"currentColor\"/>\n",
			f->chart->series[i].colour, x, top, width > 3 ? width - 1 : width, BAR_HEIGHT);
	}
	if (from == 0)
		printf("<text class=\"tick\" x=\"4\" y=\"%.1f\">none</text>\n", top + 17);
}

static void put_waste(const struct area *f)
{
	put_x_ticks(f, true);
	put_x_name(f, "msec of CPU time wasted per run");
	for (size_t row = 0; row < f->chart->rows; row++)
		put_stack(f, row);
}

static void put_curve(const struct area *f, const struct series *s)
{
	static const char *const dashes[] = { "none", "7 3", "2 3", "9 3 2 3" };
	double last_x = -1, last_y = -1;
	char command = 'M';

	printf("<path class=\"v%u\" fill=\"none\" stroke=\"currentColor\" stroke-width=\"2\" stroke-dasharray=\"%s\" d=\"",
		s->colour % VARIANT_COLOURS, dashes[s->colour % 4]);
	for (size_t i = 0; i < s->points; i++) {
		double x = x_of(f, s->point[i].x), y = y_of(f, s->point[i].y);

		/* What is nearer than anybody sees is left out, and nothing at the end. */
		if (i + 1 < s->points && fabs(x - last_x) < 0.4 && fabs(y - last_y) < 0.4)
			continue;
		printf("%c%.1f %.1f", command, x, y);
		last_x = x;
		last_y = y;
		command = 'L';
	}
	printf("\"/>\n");
}

static void put_latency(const struct area *f)
{
	static const struct {
		double nines;
		const char *label;
	} ticks[] = { { 0, "0" }, { 0.30103, "50" }, { 1, "90" }, { 2, "99" }, { 3, "99.9" }, { 4, "99.99" }, { 5, "99.999" },
		{ 6, "6 nines" }, { 7, "7" }, { 8, "8" }, { 9, "9" } };

	put_y_name("latency of the wakeup");
	put_y_ticks(f);
	for (size_t i = 0; i < sizeof ticks / sizeof ticks[0] && ticks[i].nines <= f->chart->x.high; i++)
		put_x_tick(f, ticks[i].nines, ticks[i].label, true);
	put_x_name(f, "% of all wakeups that waited no longer");
	for (size_t i = 0; i < f->chart->count; i++)
		put_curve(f, &f->chart->series[i]);
}

/* ---- pictures ---- */

static const char *name_of(enum chart_kind kind)
{
	static const char *const name[] = {
		[CHART_RUNS] = "The figure of each run in the order of time",
		[CHART_DISTRIBUTION] = "How the figures of the runs are distributed",
		[CHART_WASTE] = "Wasted time by cause",
		[CHART_LATENCY] = "Latency of wakeups by percentile",
	};

	return name[kind];
}

void svg_chart(const struct chart *chart)
{
	bool has_rows = chart->kind == CHART_DISTRIBUTION || chart->kind == CHART_WASTE;
	struct area f = { chart, LEFT, RIGHT_OF_LABELS, TOP, TOP + AREA_HEIGHT };

	if (has_rows)
		f = (struct area){ chart, 4, RIGHT, 0, (double)chart->rows * ROW_HEIGHT };
	printf("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %.0f\" role=\"img\" aria-label=\"%s\">\n", WIDTH,
		f.bottom + AXIS_HEIGHT, name_of(chart->kind));
	switch (chart->kind) {
	case CHART_RUNS:
		put_runs(&f);
		break;
	case CHART_DISTRIBUTION:
		put_distribution(&f);
		break;
	case CHART_WASTE:
		put_waste(&f);
		break;
	default:
		put_latency(&f);
	}
	printf("</svg>\n");
}

void svg_variant_key(unsigned variant)
{
	printf("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 12 12\" class=\"v%u\" aria-hidden=\"true\"><g fill=\"currentColor\">",
		variant % VARIANT_COLOURS);
	put_shape(variant, 6, 6, 4.5);
	printf("</g></svg>");
}

void svg_cause_key(unsigned cause)
{
	printf("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 12 12\" class=\"c%u\" aria-hidden=\"true\">"
	       "<path fill=\"currentColor\" d=\"M0 0h12v12h-12z\"/></svg>",
		cause);
}
