/* SPDX-License-Identifier: GPL-2.0-or-later
 * Takes out of runs what is drawn of them. */
#include "tools/fairlog/chart.h"

#include "tools/fairlog/allocate.h"
#include "tools/fairlog/latency.h"

#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <string.h>

const struct colour variant_colour[VARIANT_COLOURS] = {
	{ "#0072b2", "#56a9e6" }, /* blue */
	{ "#d55e00", "#f07f3c" }, /* vermilion */
	{ "#00805f", "#2fbf94" }, /* green */
	{ "#b3599a", "#df9ac4" }, /* purple */
	{ "#997000", "#e0a92e" }, /* ochre */
	{ "#2b8cbe", "#8fd0f5" }, /* sky */
	{ "#6b6b6b", "#a8a8a8" }, /* grey */
};

/* Neighbours in a stack differ in lightness, too. */
const struct colour cause_colour[WASTE_CAUSES] = {
	{ "#332288", "#8a7ff0" }, /* not due */
	{ "#5a9ec4", "#88ccee" }, /* nobody looked */
	{ "#d55e00", "#f07f3c" }, /* newidle off */
	{ "#117733", "#4fb36f" }, /* under threshold */
	{ "#b08a1a", "#ddcc77" }, /* throttled */
	{ "#882255", "#d4679c" }, /* looking */
	{ "#2e9688", "#5fd0c0" }, /* affinity */
	{ "#cc6677", "#f09aa8" }, /* cache-hot */
	{ "#aa4499", "#d98ccd" }, /* buddies */
	{ "#7a7a7a", "#b5b5b5" }, /* arriving */
};

const char *const queue_colour[QUEUE_COLOURS] = { "#f4f4f4", "#a6cee3", "#4f95c8", "#1f5fa8", "#08306b" };

static void add_point(struct series *series, double x, double y, enum mark mark)
{
	/* Doubled where a power of two is full. */
	if ((series->points & (series->points - 1)) == 0)
		series->point = allocate(series->point, (series->points ? series->points * 2 : 1) * sizeof *series->point);
	series->point[series->points++] = (struct point){ NAN, x, y, mark };
}

static struct series *add_series(struct chart *chart, const char *name, unsigned colour)
{
	chart->series = allocate(chart->series, (chart->count + 1) * sizeof *chart->series);
	chart->series[chart->count] = (struct series){ .name = name, .colour = colour };
	return &chart->series[chart->count++];
}

static void drop_if_empty(struct chart *chart)
{
	if (chart->series[chart->count - 1].points == 0)
		chart->count--;
}

/* ---- runs in the order of time ---- */

static enum mark mark_of(const struct run *run)
{
	if (strcmp(run->status, "ok") != 0)
		return MARK_FAILED;
	return run_uint(run, FIELD_run_warmup) ? MARK_WARMUP : MARK_COUNTED;
}

static bool is_of_group(const struct run *run, const struct group *group)
{
	return strcmp(run->workload, group->workload) == 0 && strcmp(run->variant, group->variant) == 0;
}

static void add_runs(struct chart *chart, const struct boot *boot, const struct group *group, unsigned colour)
{
	struct series *series = add_series(chart, group->variant, colour);
	double value;

	for (size_t i = 0; i < boot->run_count; i++) {
		const struct run *run = boot->runs[i];

		if (is_of_group(run, group) && metric_value(&chart->metric, run, &value))
			add_point(series, (double)run_uint(run, FIELD_run_position), mark_of(run) == MARK_FAILED ? NAN : value,
				mark_of(run));
	}
	drop_if_empty(chart);
}

/* ---- the distribution ---- */

static int compare(const void *a, const void *b)
{
	double left = *(const double *)a, right = *(const double *)b;

	return (left > right) - (left < right);
}

static void add_distribution(struct chart *chart, const struct group *group, unsigned colour)
{
	struct series *series = add_series(chart, group->variant, colour);
	double *values = allocate(NULL, group->count * sizeof *values);
	size_t count = metric_values(&chart->metric, group, values);

	for (size_t i = 0; i < count; i++)
		add_point(series, values[i], ((double)i + 0.5) / (double)count, MARK_COUNTED);
	qsort(values, count, sizeof *values, compare);
	for (unsigned i = 0; count > 0 && i < 3; i++)
		series->quartile[i] = gsl_stats_quantile_from_sorted_data(values, 1, count, 0.25 * (i + 1));
	free(values);
}

/* ---- wasted time by cause ---- */

static double mean_ns(const struct group *group, enum record_field field)
{
	double sum = 0;

	for (size_t i = 0; i < group->count; i++)
		sum += (double)run_uint(group->runs[i], field);
	return group->count > 0 ? sum / (double)group->count : 0;
}

static void add_causes(struct chart *chart, const struct group *group, size_t variants)
{
	for (unsigned cause = 0; cause < WASTE_CAUSES; cause++) {
		struct series *series = add_series(chart, waste_cause_name[cause], cause);
		double sum = 0;

		for (size_t i = 0; i < variants; i++) {
			double ns = mean_ns(&group[i], FIELD_run_wasted_not_due_ns + cause);

			sum += ns;
			add_point(series, ns / 1e6, (double)i, MARK_COUNTED);
		}
		if (sum == 0) {
			free(series->point);
			chart->count--;
		}
	}
}

/* ---- latencies ---- */

/* Steps, from a corner to the next; the last step ends where one of all wakeups waits longer. */
static void add_latencies(struct chart *chart, const struct group *group, unsigned colour)
{
	struct latencies l = latencies_of(group, NULL);
	struct series *series = add_series(chart, group->variant, colour);
	double nines = 0;
	uint64_t passed = 0;

	for (size_t i = 0; i < l.buckets; i++) {
		double usec = (double)(l.bucket[i].ns < l.max_ns ? l.bucket[i].ns : l.max_ns) / 1e3;

		passed += l.bucket[i].count;
		if (usec <= 0)
			continue;
		add_point(series, nines, usec, MARK_COUNTED);
		nines = log10((double)l.count / (double)(passed < l.count ? l.count - passed : 1));
		add_point(series, nines, usec, MARK_COUNTED);
	}
	free(l.bucket);
	drop_if_empty(chart);
}

/* ---- a run in time ---- */

static const struct {
	const char *name;
	uint64_t most;
} queue_length[QUEUE_COLOURS] = {
	{ "idle", 0 },
	{ "1 task", 1 },
	{ "2 to 4", 4 },
	{ "5 to 16", 16 },
	{ "more", UINT64_MAX },
};

static unsigned length_of(uint64_t queued)
{
	unsigned length = 0;

	while (queued > queue_length[length].most)
		length++;
	return length;
}

/* What holds on a CPU since when; it becomes a cell when something else does. */
struct state {
	bool is_known;
	unsigned length; /* of the queue */
	double since;
};

static void end_cell(struct chart *chart, struct state *state, size_t cpu, double till)
{
	struct series *series = &chart->series[state->length];

	if (!state->is_known)
		return;
	add_point(series, state->since, (double)cpu, MARK_COUNTED);
	series->point[series->points - 1].x_end = till;
	state->is_known = false;
}

/* What a sample saw is taken to hold since the one before. Where one is lost nothing is known. */
static void add_sample(struct chart *chart, struct state *states, const struct sample *sample, double since)
{
	for (size_t cpu = 0; cpu < chart->cpus; cpu++) {
		bool is_known = sample->follows && cpu < sample->cpus;
		unsigned length = is_known ? length_of(sample->queued[cpu]) : 0;

		if (is_known && states[cpu].is_known && states[cpu].length == length)
			continue;
		end_cell(chart, &states[cpu], cpu, since);
		states[cpu] = (struct state){ is_known, length, since };
	}
}

static void add_timeline(struct chart *chart, const struct group *group)
{
	const struct run *run = group->count > 0 ? group->runs[0] : NULL;
	struct state *states;
	double at = 0;

	if (!run || run->samples == 0)
		return;
	for (unsigned length = 0; length < QUEUE_COLOURS; length++)
		add_series(chart, queue_length[length].name, length);
	chart->cpus = run->sample[0].cpus;
	states = allocate(NULL, chart->cpus * sizeof *states);
	memset(states, 0, chart->cpus * sizeof *states);
	for (size_t i = 0; i < run->samples; i++) {
		add_sample(chart, states, &run->sample[i], at);
		at = (double)run->sample[i].at_ns / 1e6;
	}
	for (size_t cpu = 0; cpu < chart->cpus; cpu++)
		end_cell(chart, &states[cpu], cpu, at);
	free(states);
	chart->x = scale_linear(0, at, 6);
	chart->x.high = fmax(at, chart->x.step);
}

/* ---- charts ---- */

static void add_variant(struct chart *chart, const struct boot *boot, const struct group *group, unsigned number)
{
	switch (chart->kind) {
	case CHART_RUNS:
		add_runs(chart, boot, group, number);
		break;
	case CHART_DISTRIBUTION:
		add_distribution(chart, group, number);
		break;
	case CHART_LATENCY:
		add_latencies(chart, group, number);
		break;
	case CHART_TIMELINE:
		add_timeline(chart, group);
		break;
	default:
		break;
	}
}

struct extent {
	double low, high;
};

static struct extent extent_of(const struct chart *chart, bool of_x)
{
	struct extent extent = { INFINITY, -INFINITY }; /* fmin() and fmax() pass over what is not a number */

	for (size_t s = 0; s < chart->count; s++) {
		for (size_t i = 0; i < chart->series[s].points; i++) {
			const struct point *point = &chart->series[s].point[i];

			extent.low = fmin(extent.low, of_x ? point->x : point->y);
			extent.high = fmax(extent.high, of_x ? point->x : point->y);
		}
	}
	return extent;
}

static double longest_row(const struct chart *chart)
{
	double longest = 0;

	for (size_t row = 0; row < chart->rows; row++) {
		double sum = 0;

		for (size_t s = 0; s < chart->count; s++)
			sum += chart->series[s].point[row].x;
		longest = fmax(longest, sum);
	}
	return longest;
}

static void set_scales(struct chart *chart)
{
	struct extent x = extent_of(chart, true), y = extent_of(chart, false);

	switch (chart->kind) {
	case CHART_RUNS:
		chart->x = (struct scale){ x.low - 0.5, x.high + 0.5, fmax(1, scale_linear(x.low, x.high, 6).step), false };
		chart->y = y.low <= y.high ? scale_linear(y.low, y.high, 5) : scale_linear(0, 1, 5); /* if all failed */
		break;
	case CHART_DISTRIBUTION:
		chart->x = scale_linear(x.low, x.high, 4);
		break;
	case CHART_WASTE:
		chart->x = scale_linear(0, longest_row(chart), 4);
		break;
	case CHART_TIMELINE: /* has one */
		break;
	default:
		chart->x = (struct scale){ 0, fmax(ceil(x.high * 2) / 2, 1), 1, false };
		chart->y = scale_log(y.low, y.high);
	}
}

static bool has_points(const struct chart *chart)
{
	for (size_t i = 0; i < chart->count; i++) {
		if (chart->series[i].points > 0)
			return true;
	}
	return false;
}

struct chart chart_make(
	enum chart_kind kind, const struct boot *boot, const struct group *group, size_t variants, const struct metric *metric)
{
	struct chart chart = { .kind = kind, .workload = group->workload, .with = group->with, .rows = variants };

	if (metric)
		chart.metric = *metric;
	chart.row = allocate(NULL, variants * sizeof *chart.row);
	for (size_t i = 0; i < variants; i++) {
		chart.row[i] = group[i].variant;
		add_variant(&chart, boot, &group[i], (unsigned)i);
	}
	if (kind == CHART_WASTE)
		add_causes(&chart, group, variants);
	if (has_points(&chart))
		set_scales(&chart);
	else
		chart_free(&chart);
	return chart;
}

void chart_free(struct chart *chart)
{
	for (size_t i = 0; i < chart->count; i++)
		free(chart->series[i].point);
	free(chart->series);
	free(chart->row);
	*chart = (struct chart){ .count = 0 };
}
