/* SPDX-License-Identifier: GPL-2.0-or-later
 * fairlog plot: one picture of a log or several, a panel for each workload. */
#include "tools/fairlog/commands.h"

#include "tools/fairlog/allocate.h"
#include "tools/fairlog/gnuplot.h"
#include "tools/fairlog/judged.h"
#include "tools/fairlog/log.h"
#include "tools/fairlog/option.h"

#include <errno.h>
#include <string.h>

static const char *const kind_name[CHART_KINDS] = {
	[CHART_RUNS] = "runs",
	[CHART_DISTRIBUTION] = "distribution",
	[CHART_WASTE] = "waste",
	[CHART_LATENCY] = "latency",
	[CHART_TIMELINE] = "timeline",
};

struct options {
	enum chart_kind kind;
	const char *output; /* NULL: standard output */
	const char *metric; /* NULL: what each workload is judged by */
	bool as_png;
	unsigned boot;
	char **file; /* the logs, moved up to the front of the arguments */
	size_t files;
};

/* What is read stays until it is drawn. */
struct picture {
	struct boot **boot;
	struct groups *groups;
	size_t logs;
	struct panel *panel;
	size_t panels;
	char title[VERDICT_BYTES + 80]; /* what is wrong with the first log that is not whole */
	int code;
};

#define refuse(...) option_refuse("plot", __VA_ARGS__)

/* ---- the command line ---- */

static bool take_kind(const char *text, struct options *o)
{
	for (enum chart_kind kind = 0; text && kind < CHART_KINDS; kind++) {
		if (strcmp(text, kind_name[kind]) == 0) {
			o->kind = kind;
			return true;
		}
	}
	return refuse("%s: expected runs, distribution, waste, latency or timeline", text ? text : "nothing to draw");
}

static bool ends_in(const char *text, const char *end)
{
	size_t length = strlen(text), end_length = strlen(end);

	return length > end_length && strcmp(text + length - end_length, end) == 0;
}

static bool take_output(const char *text, void *options)
{
	struct options *o = options;
	o->output = text;
	o->as_png = ends_in(text, ".png");
	return o->as_png || ends_in(text, ".svg") || refuse("-o %s: expected a name that ends in .svg or .png", text);
}

static bool take_boot(const char *text, void *options)
{
	return option_boot("plot", text, &((struct options *)options)->boot);
}

static bool take_metric(const char *text, void *options)
{
	struct options *o = options;
	o->metric = text;
	return o->kind == CHART_RUNS || o->kind == CHART_DISTRIBUTION ||
	       refuse("--metric %s: %s always draws the same figures; runs and distribution draw any", text, kind_name[o->kind]);
}

static const struct option option_table[] = {
	{ "-o", take_output },
	{ "--metric", take_metric },
	{ "--boot", take_boot },
	{ NULL, NULL },
};

static bool parse(char **args, struct options *o)
{
	o->file = args;
	if (!take_kind(*args, o))
		return false;
	while (*++args) {
		if ((*args)[0] != '-' || (*args)[1] == '\0')
			o->file[o->files++] = *args;
		else if (!option_take("plot", &args, option_table, "-o, --metric or --boot", o))
			return false;
	}
	return o->files > 0 || refuse("no log; expected its name, or - for standard input");
}

/* ---- panels ---- */

static void add_workload(struct picture *p, const struct options *o, const char *file, const struct boot *boot,
	const struct group *group, size_t variants)
{
	size_t metrics;
	struct metric *metric = metrics_make(group, variants, &metrics);
	struct judged judged = judged_by(group, variants, metric, metrics);
	const struct metric *drawn = o->metric ? metric_find(metric, metrics, o->metric) : judged.metric;
	struct chart chart;

	if (drawn || (o->kind != CHART_RUNS && o->kind != CHART_DISTRIBUTION)) {
		chart = chart_make(o->kind, boot, group, variants, drawn);
		if (chart.count > 0) {
			p->panel = allocate(p->panel, (p->panels + 1) * sizeof *p->panel);
			p->panel[p->panels++] = (struct panel){ chart, o->files > 1 ? file : NULL };
		}
	}
	free(metric);
}

static void add_log(struct picture *p, const struct options *o, const char *file, struct boot *boot)
{
	struct groups groups = groups_make(boot);
	char verdict[VERDICT_BYTES];
	size_t variants;

	p->boot = allocate(p->boot, (p->logs + 1) * sizeof *p->boot);
	p->groups = allocate(p->groups, (p->logs + 1) * sizeof *p->groups);
	p->boot[p->logs] = boot;
	p->groups[p->logs++] = groups;
	if (!boot_is_whole(boot)) {
		boot_verdict(boot, verdict);
		fprintf(stderr, "fairlog plot: %s: %s; drawn by what is left\n", file, verdict);
		if (p->title[0] == '\0')
			snprintf(p->title, sizeof p->title, "%.60s: %s", file, verdict);
	}
	for (size_t i = 0; i < groups.count; i += variants) {
		variants = groups_same_workload(&groups.group[i], &groups);
		/* A timeline is of one run. */
		for (size_t v = 0; o->kind == CHART_TIMELINE && v < variants; v++)
			add_workload(p, o, file, boot, &groups.group[i + v], 1);
		if (o->kind != CHART_TIMELINE)
			add_workload(p, o, file, boot, &groups.group[i], variants);
	}
}

static int read_log(struct picture *p, const struct options *o, const char *file)
{
	int boots;
	struct boot *boot = log_read_file(file, o->boot, o->kind == CHART_TIMELINE, &boots);

	if (boot) {
		add_log(p, o, file, boot);
		return boot_is_whole(boot) ? EXIT_WHOLE : EXIT_DAMAGED;
	}
	if (boots < 0)
		fprintf(stderr, "fairlog plot: cannot read %s: %s\n", file, strerror(errno));
	else if (boots == 0)
		fprintf(stderr, "fairlog plot: %s: incomplete: there is no record in it\n", file);
	else
		fprintf(stderr, "fairlog plot: --boot %u: expected a number from 1 to %d, the boots in %s\n", o->boot, boots, file);
	return boots == 0 ? EXIT_DAMAGED : EXIT_UNREADABLE;
}

static void picture_free(struct picture *p)
{
	for (size_t i = 0; i < p->panels; i++)
		chart_free(&p->panel[i].chart);
	for (size_t i = 0; i < p->logs; i++) {
		groups_free(&p->groups[i]);
		boot_free(p->boot[i]);
	}
	free(p->panel);
	free(p->groups);
	free(p->boot);
}

/* ---- drawing ---- */

/* Gnuplot writes where this program does, so that it need not be told a name. */
static int draw(const struct picture *p, const struct options *o)
{
	if (p->panels == 0) {
		if (o->metric)
			fprintf(stderr,
				"fairlog plot: --metric %s: no run has it; expected a figure that fairlog summary shows, such as elapsed\n",
				o->metric);
		else
			fprintf(stderr, "fairlog plot: nothing to draw: no run has what %s shows\n", kind_name[o->kind]);
		return EXIT_UNREADABLE;
	}
	if (!gnuplot_is_there()) {
		fprintf(stderr, "fairlog plot: gnuplot is not installed: apt-get install gnuplot-nox\n");
		return EXIT_UNREADABLE;
	}
	if (o->output && !freopen(o->output, "wb", stdout)) {
		fprintf(stderr, "fairlog plot: cannot write %s: %s\n", o->output, strerror(errno));
		return EXIT_UNREADABLE;
	}
	if (!gnuplot_draw(p->panel, p->panels, p->title, o->as_png)) {
		fprintf(stderr, "fairlog plot: gnuplot failed; the picture is not complete\n");
		return EXIT_UNREADABLE;
	}
	return p->code;
}

int command_plot(char **args)
{
	struct options o = { .boot = 0 };
	struct picture picture = { .code = EXIT_WHOLE };
	int code;

	if (!parse(args, &o))
		return EXIT_UNREADABLE;
	for (size_t i = 0; i < o.files; i++) {
		code = read_log(&picture, &o, o.file[i]);
		picture.code = code > picture.code ? code : picture.code;
	}
	code = draw(&picture, &o);
	picture_free(&picture);
	return code;
}
