/* SPDX-License-Identifier: GPL-2.0-or-later
 * Writes gnuplot's language. Texts from logs stand in single quotes, where gnuplot looks for nothing but a quote, and the terminal
 * is told to take them as they are. */
#define _POSIX_C_SOURCE 200809L /* popen */
#include "tools/fairlog/gnuplot.h"

#include "tools/fairlog/allocate.h"
#include "tools/fairlog/judged.h"

#include <math.h>
#include <signal.h>
#include <string.h>

enum {
	WIDTH = 600, /* pixels of an SVG without the variants' names; a PNG has twice as many */
	CHARACTER_WIDTH = 8,
	PANEL_HEIGHT = 300,
	TIMELINE_HEIGHT = 190, /* of a timeline, without the CPUs */
	ROWS_HEIGHT = 110,     /* of a panel with rows, without them */
	ROW_HEIGHT = 44,
	KEY_HEIGHT = 21, /* of a line of a key */
	TITLE_HEIGHT = 40,
	NAME_CHARACTERS = 34,
	LABELS_MAX = 16, /* beside a panel; more variants than that are told apart by nobody */
};

bool gnuplot_is_there(void)
{
	return system("command -v gnuplot >/dev/null 2>&1") == 0;
}

/* ---- texts ---- */

static void put_text(FILE *to, const char *text, size_t characters)
{
	size_t length = strlen(text);

	fputc('\'', to);
	for (size_t i = 0; i < length && i < characters; i++) {
		if (text[i] == '\'')
			fputc('\'', to);
		fputc(text[i] >= 0 && text[i] < ' ' ? '?' : text[i], to);
	}
	fputs(length > characters ? "...'" : "'", to);
}

static void put_setting(FILE *to, const char *what, const char *text)
{
	fprintf(to, "set %s ", what);
	put_text(to, text, 90);
	fputc('\n', to);
}

static void put_metric_name(FILE *to, const char *what, const struct metric *metric)
{
	char name[128];

	snprintf(name, sizeof name, "%.90s%s%s", metric_label(metric), *metric->unit ? ", " : "", metric->unit);
	put_setting(to, what, name);
}

static size_t longest_name(const struct chart *chart)
{
	size_t longest = 0;

	for (size_t i = 0; i < chart->rows; i++) {
		size_t length = strlen(chart->row[i]);

		longest = length > longest ? length : longest;
	}
	return longest < NAME_CHARACTERS ? longest : NAME_CHARACTERS;
}

static const char *colour_of(const struct chart *chart, const struct series *s)
{
	return chart->kind == CHART_WASTE ? cause_colour[s->colour].light : variant_colour[s->colour % VARIANT_COLOURS].light;
}

/* ---- charts of two axes: a label at the end of each series ---- */

static double end_of(const struct chart *chart, const struct series *s)
{
	for (size_t i = s->points; i-- > 0;) {
		if (!isnan(s->point[i].y))
			return scale_at(&chart->y, s->point[i].y);
	}
	return 0;
}

static void put_labels(FILE *to, const struct chart *chart)
{
	unsigned count = chart->count < LABELS_MAX ? (unsigned)chart->count : LABELS_MAX;
	double at[LABELS_MAX];

	for (unsigned i = 0; i < count; i++)
		at[i] = end_of(chart, &chart->series[i]);
	spread_apart(at, count, 0.09);
	for (unsigned i = 0; i < count; i++) {
		fprintf(to, "set label ");
		put_text(to, chart->series[i].name, NAME_CHARACTERS);
		fprintf(to, " at graph 1.02, graph %.4f textcolor rgb '%s'\n", at[i], colour_of(chart, &chart->series[i]));
	}
}

static void put_data(FILE *to, const struct chart *chart)
{
	for (size_t s = 0; s < chart->count; s++) {
		fprintf(to, "$series%zu << END\n", s);
		for (size_t i = 0; i < chart->series[s].points; i++) {
			const struct point *point = &chart->series[s].point[i];

			fprintf(to, "%.9g %.9g %d\n", point->x, isnan(point->y) ? chart->y.low : point->y, point->mark);
		}
		fprintf(to, "END\n");
	}
}

static void put_ranges(FILE *to, const struct chart *chart)
{
	fprintf(to, "set xrange [%.9g:%.9g]\nset yrange [%.9g:%.9g]\nset lmargin 11\nset rmargin %zu\n", chart->x.low,
		chart->x.high, chart->y.low, chart->y.high, longest_name(chart) + 3);
}

/* Gnuplot's own would be 2.4e+06. */
static void put_tics(FILE *to, char axis, const struct scale *scale)
{
	double first = ceil(scale->low / scale->step - 1e-9) * scale->step;
	char label[TICK_BYTES];

	fprintf(to, "set %ctics (", axis);
	for (double value = first; value <= scale->high + scale->step * 1e-6; value += scale->step)
		fprintf(to, "%s'%s' %.9g", value > first ? ", " : "", tick_label(value, scale->step, label), value);
	fprintf(to, ")\n");
}

static bool has_mark(const struct series *s, enum mark mark)
{
	for (size_t i = 0; i < s->points; i++) {
		if (s->point[i].mark == mark)
			return true;
	}
	return false;
}

static bool any_has_mark(const struct chart *chart, enum mark mark)
{
	for (size_t i = 0; i < chart->count; i++) {
		if (has_mark(&chart->series[i], mark))
			return true;
	}
	return false;
}

static void put_runs(FILE *to, const struct chart *chart)
{
	static const unsigned shape[][4] = {
		[MARK_COUNTED] = { 7, 5, 9, 13 }, [MARK_WARMUP] = { 6, 4, 8, 12 }, [MARK_FAILED] = { 2, 2, 2, 2 }
	};
	const char *between = "plot ";
	char name[100];

	put_metric_name(to, "ylabel", &chart->metric);
	snprintf(name, sizeof name, "position of the run%s%s",
		any_has_mark(chart, MARK_WARMUP) ? "; hollow: warm-up, not counted" : "",
		any_has_mark(chart, MARK_FAILED) ? "; cross: failed" : "");
	put_setting(to, "xlabel", name);
	put_ranges(to, chart);
	put_tics(to, 'x', &chart->x);
	put_tics(to, 'y', &chart->y);
	put_labels(to, chart);
	put_data(to, chart);
	for (size_t i = 0; i < chart->count; i++) {
		const struct series *s = &chart->series[i];

		for (enum mark mark = MARK_COUNTED; mark <= MARK_FAILED; mark++) {
			if (!has_mark(s, mark))
				continue;
			fprintf(to, "%s$series%zu using 1:($3 == %d ? $2 : NaN) with points pt %u ps 0.8 lc rgb '%s' notitle",
				between, i, mark, shape[mark][s->colour % 4], colour_of(chart, s));
			between = ", ";
		}
	}
	fprintf(to, "\n");
}

static void put_latency(FILE *to, const struct chart *chart)
{
	char label[TICK_BYTES];

	put_setting(to, "ylabel", "latency of the wakeup");
	put_setting(to, "xlabel", "% of all wakeups that waited no longer");
	put_ranges(to, chart);
	fprintf(to, "set logscale y\nset grid xtics ytics\nset xtics ('50' 0.30103, '90' 1, '99' 2, '99.9' 3, '99.99' 4, "
		    "'99.999' 5, '99.9999' 6)\nset ytics (");
	for (double usec = chart->y.low; usec < chart->y.high * 1.01; usec *= 10)
		fprintf(to, "%s'%s' %.9g", usec > chart->y.low ? ", " : "", tick_time(usec, label), usec);
	fprintf(to, ")\n");
	put_labels(to, chart);
	put_data(to, chart);
	for (size_t i = 0; i < chart->count; i++)
		fprintf(to, "%s$series%zu using 1:2 with lines lw 2 dashtype %zu lc rgb '%s' notitle", i ? ", " : "plot ", i,
			i % 5 + 1, colour_of(chart, &chart->series[i]));
	fprintf(to, "\n");
}

/* ---- charts of rows, the first one on top ---- */

static double row_y(const struct chart *chart, size_t row)
{
	return (double)(chart->rows - 1 - row);
}

static void put_rows(FILE *to, const struct chart *chart)
{
	put_tics(to, 'x', &chart->x);
	fprintf(to,
		"set xrange [%.9g:%.9g]\nset yrange [-0.6:%.1f]\nset grid noytics xtics\nset border 1\n"
		"set lmargin %zu\nset rmargin 4\nset ytics scale 0 (",
		chart->x.low, chart->x.high, (double)chart->rows - 0.4, longest_name(chart) + 3);
	for (size_t row = 0; row < chart->rows; row++) {
		fprintf(to, "%s", row ? ", " : "");
		put_text(to, chart->row[row], NAME_CHARACTERS);
		fprintf(to, " %.0f", row_y(chart, row));
	}
	fprintf(to, ")\n");
}

static void put_box(FILE *to, const struct chart *chart, const struct series *s, double y)
{
	fprintf(to, "set object rectangle from %.9g,%.2f to %.9g,%.2f fc rgb '%s' fs solid 0.2 noborder behind\n", s->quartile[0],
		y - 0.35, s->quartile[2], y + 0.35, colour_of(chart, s));
	fprintf(to, "set arrow from %.9g,%.2f to %.9g,%.2f nohead lw 2 lc rgb '%s'\n", s->quartile[1], y - 0.35, s->quartile[1],
		y + 0.35, colour_of(chart, s));
}

static void put_distribution(FILE *to, const struct chart *chart)
{
	static const unsigned shape[] = { 7, 5, 9, 13 };
	const char *between = "plot ";

	put_metric_name(to, "xlabel", &chart->metric);
	put_rows(to, chart);
	for (size_t row = 0; row < chart->count; row++) {
		if (chart->series[row].points > 0)
			put_box(to, chart, &chart->series[row], row_y(chart, row));
	}
	put_data(to, chart);
	for (size_t row = 0; row < chart->count; row++) {
		if (chart->series[row].points == 0)
			continue;
		fprintf(to, "%s$series%zu using 1:(%.2f - 0.7 * $2) with points pt %u ps 0.7 lc rgb '%s' notitle", between, row,
			row_y(chart, row) + 0.35, shape[chart->series[row].colour % 4], colour_of(chart, &chart->series[row]));
		between = ", ";
	}
	fprintf(to, "\n");
}

static void put_waste(FILE *to, const struct chart *chart)
{
	put_setting(to, "xlabel", "msec of CPU time wasted per run");
	put_rows(to, chart);
	for (size_t row = 0; row < chart->rows; row++) {
		double from = 0, y = row_y(chart, row);

		for (size_t i = 0; i < chart->count; i++) {
			double till = from + chart->series[i].point[row].x;

			if (till > from)
				fprintf(to,
					"set object rectangle from %.9g,%.2f to %.9g,%.2f fc rgb '%s' fs solid border rgb 'white'\n",
					from, y - 0.3, till, y + 0.3, colour_of(chart, &chart->series[i]));
			from = till;
		}
	}
	/* Nothing but the key. */
	fprintf(to, "set rmargin 24\nset key outside right center vertical reverse Left samplen 1\n");
	for (size_t i = 0; i < chart->count; i++) {
		fprintf(to, "%sNaN with points pt 5 ps 1.6 lc rgb '%s' title ", i ? ", " : "plot ",
			colour_of(chart, &chart->series[i]));
		put_text(to, chart->series[i].name, NAME_CHARACTERS);
	}
	fprintf(to, "\n");
}

/* ---- a run in time ---- */

static void put_timeline(FILE *to, const struct chart *chart)
{
	const char *between = "plot ";

	put_setting(to, "xlabel", "msec since the start of the run");
	put_setting(to, "ylabel", "CPU");
	put_tics(to, 'x', &chart->x);
	fprintf(to,
		"set xrange [%.9g:%.9g]\nset yrange [%.1f:-0.5]\nset ytics %zu\nunset grid\nset lmargin 9\nset rmargin 16\n"
		"set key outside right center vertical reverse Left samplen 1\n",
		chart->x.low, chart->x.high, (double)chart->cpus - 0.5, (chart->cpus + 15) / 16);
	for (size_t s = 0; s < chart->count; s++) {
		fprintf(to, "$series%zu << END\n", s);
		for (size_t i = 0; i < chart->series[s].points; i++) {
			const struct point *p = &chart->series[s].point[i];

			fprintf(to, "%.9g %.0f %.9g %.9g %.2f %.2f\n", p->x, p->y, p->x, p->x_end, p->y - 0.45, p->y + 0.45);
		}
		fprintf(to, "END\n");
	}
	for (size_t s = 0; s < chart->count; s++) {
		if (chart->series[s].points == 0)
			continue;
		fprintf(to, "%s$series%zu using 1:2:3:4:5:6 with boxxyerror fs solid noborder lc rgb '%s' title ", between, s,
			queue_colour[s]);
		put_text(to, chart->series[s].name, NAME_CHARACTERS);
		between = ", ";
	}
	fprintf(to, "\n");
}

/* ---- pictures ---- */

static void put_panel(FILE *to, const struct panel *panel)
{
	static void (*const put[CHART_KINDS])(FILE * to, const struct chart *chart) = {
		[CHART_RUNS] = put_runs,
		[CHART_DISTRIBUTION] = put_distribution,
		[CHART_WASTE] = put_waste,
		[CHART_LATENCY] = put_latency,
		[CHART_TIMELINE] = put_timeline,
	};
	char title[200];

	fprintf(to, "unset label\nunset object\nunset arrow\nunset key\n");
	snprintf(title, sizeof title, "%.60s%s%.80s%.40s", panel->file ? panel->file : "", panel->file ? ": " : "",
		panel->chart.workload, panel->chart.with);
	if (panel->chart.kind == CHART_TIMELINE)
		snprintf(title + strlen(title), sizeof title - strlen(title), ", %.60s", panel->chart.row[0]);
	put_setting(to, "title", title);
	put[panel->chart.kind](to, &panel->chart);
}

static unsigned height_of(const struct chart *chart)
{
	unsigned rows = ROWS_HEIGHT + ROW_HEIGHT * (unsigned)chart->rows, key = ROWS_HEIGHT + KEY_HEIGHT * (unsigned)chart->count;

	switch (chart->kind) {
	case CHART_DISTRIBUTION:
		return rows;
	case CHART_TIMELINE:
		return TIMELINE_HEIGHT + (chart->cpus < 16 ? 14 * (unsigned)chart->cpus : 14 * 16);
	case CHART_WASTE:
		return rows > key ? rows : key;
	default:
		return PANEL_HEIGHT;
	}
}

/* All panels have the height that the highest needs. */
static unsigned panel_height(const struct panel *panel, size_t panels)
{
	unsigned highest = 0;

	for (size_t i = 0; i < panels; i++) {
		unsigned height = height_of(&panel[i].chart);

		highest = height > highest ? height : highest;
	}
	return highest;
}

static unsigned picture_width(const struct panel *panel, size_t panels)
{
	size_t longest = 0;

	for (size_t i = 0; i < panels; i++) {
		size_t length = longest_name(&panel[i].chart);

		longest = length > longest ? length : longest;
	}
	return WIDTH + CHARACTER_WIDTH * (unsigned)longest;
}

static void put_terminal(FILE *to, unsigned width, unsigned height, bool as_png)
{
	fprintf(to, "set encoding utf8\n");
	if (as_png)
		fprintf(to, "set terminal pngcairo size %u,%u noenhanced font 'sans,12' fontscale 2 linewidth 2 pointscale 2\n",
			2 * width, 2 * height);
	else
		fprintf(to, "set terminal svg size %u,%u noenhanced font 'sans,12' background rgb 'white'\n", width, height);
	fprintf(to, "set border 3 lc rgb '#666666'\nset tics nomirror out textcolor rgb '#333333'\n"
		    "set grid ytics lt 1 lw 0.5 lc rgb '#dddddd'\n");
}

bool gnuplot_draw(const struct panel *panel, size_t panels, const char *title, bool as_png)
{
	unsigned height = panel_height(panel, panels) * (unsigned)panels + (*title ? TITLE_HEIGHT : 0);
	void (*old)(int) = signal(SIGPIPE, SIG_IGN); /* if gnuplot gives up, its exit code says so */
	FILE *to;
	bool ok;

	fflush(stdout);
	to = popen("LC_ALL=C.UTF-8 gnuplot", "w");
	if (!to)
		return false;
	put_terminal(to, picture_width(panel, panels), height, as_png);
	fprintf(to, "set multiplot layout %zu,1", panels);
	if (*title) {
		fprintf(to, " title ");
		put_text(to, title, 100);
	}
	fprintf(to, "\n");
	for (size_t i = 0; i < panels; i++)
		put_panel(to, &panel[i]);
	fprintf(to, "unset multiplot\n");
	ok = pclose(to) == 0;
	signal(SIGPIPE, old);
	return ok;
}
