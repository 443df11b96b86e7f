/* SPDX-License-Identifier: GPL-2.0-or-later
 * Takes figures out of runs. */
#include "tools/fairlog/metric.h"

#include "tools/fairlog/allocate.h"

#include <string.h>

static const struct metric fixed_metrics[] = {
	{ "elapsed", "msec", METRIC_FIELD, FIELD_run_elapsed_ns, 1e6, 3 },
	{ "task-clock", "msec", METRIC_FIELD, FIELD_run_task_clock_ns, 1e6, 3 },
	{ "wasted", "msec", METRIC_FIELD, FIELD_run_wasted_ns, 1e6, 3 },
	{ "context switches", "", METRIC_FIELD, FIELD_run_context_switches, 1, 1 },
	{ "  voluntary", "", METRIC_FIELD, FIELD_run_voluntary_switches, 1, 1 },
	{ "  involuntary", "", METRIC_FIELD, FIELD_run_involuntary_switches, 1, 1 },
	{ "migrations", "", METRIC_FIELD, FIELD_run_migrations, 1, 1 },
	{ "wakeups, local", "", METRIC_FIELD, FIELD_run_wakeups_local, 1, 1 },
	{ "wakeups, remote", "", METRIC_FIELD, FIELD_run_wakeups_remote, 1, 1 },
	{ "wakeup latency, 99 %", "usec", METRIC_FIELD, FIELD_run_wakeup_p99_ns, 1e3, 3 },
	{ "newidle attempts", "", METRIC_FIELD, FIELD_run_balance_newidle_attempts, 1, 1 },
	{ "newidle pulls", "", METRIC_FIELD, FIELD_run_balance_newidle_pulls, 1, 1 },
};
enum { FIXED_METRICS = sizeof fixed_metrics / sizeof fixed_metrics[0] };

struct list {
	struct metric *metric;
	size_t count;
};

static void list_add(struct list *list, struct metric metric)
{
	for (size_t i = 0; i < list->count; i++) {
		if (list->metric[i].source == metric.source && strcmp(list->metric[i].name, metric.name) == 0)
			return;
	}
	list->metric = allocate(list->metric, (list->count + 1) * sizeof *list->metric);
	list->metric[list->count++] = metric;
}

static void list_add_figures(struct list *list, struct metric metric, const struct figure *figure, size_t figures)
{
	for (size_t i = 0; i < figures; i++) {
		metric.name = figure[i].name;
		list_add(list, metric);
	}
}

/* Where the frequency of the CPUs is known. Whatever took time took as many cycles. */
static void list_add_frequency(struct list *list, const struct metric *figure, const struct run *run)
{
	struct metric at_base = *figure;

	if (run_uint(run, FIELD_run_frequency_ppm) == 0)
		return;
	at_base.name = "  at base frequency";
	at_base.source = METRIC_AT_BASE;
	list_add(list, at_base);
	list_add(list, (struct metric){ "frequency, of base", "%", METRIC_FREQUENCY, FIELD_run_frequency_ppm, 1e4, 2 });
}

static void list_add_run(struct list *list, const struct run *run)
{
	struct metric metric = { .unit = "", .per_unit = 1, .decimals = 1 };

	if (run->counts.count > 0) {
		metric.name = "count per task";
		metric.source = METRIC_COUNTS;
		list_add(list, metric);
	}
	metric.source = METRIC_RESULT;
	list_add_figures(list, metric, run->result, run->results);
	metric.source = METRIC_BACKGROUND;
	list_add_figures(list, metric, run->background, run->backgrounds);
}

/* Elapsed is the first of the fixed ones. */
static struct metric metric_named(const char *name)
{
	if (strcmp(name, "elapsed_ns") == 0)
		return fixed_metrics[0];
	return (struct metric){ .name = name, .unit = "", .source = METRIC_RESULT, .per_unit = 1, .decimals = 1 };
}

bool metric_of_figure(const struct group *groups, size_t count, struct metric *figure, bool *more_is_better)
{
	for (size_t i = 0; i < count; i++) {
		for (size_t r = 0; r < groups[i].count; r++) {
			const struct run *run = groups[i].runs[r];
			double value;

			*figure = metric_named(run->figure);
			*more_is_better = run->more_is_better;
			if (metric_value(figure, run, &value))
				return true;
		}
	}
	return false;
}

struct metric *metrics_make(const struct group *groups, size_t count, size_t *metrics)
{
	struct list list = { NULL, 0 };
	struct metric figure;
	bool more_is_better;

	if (metric_of_figure(groups, count, &figure, &more_is_better)) {
		list_add(&list, figure);
		for (size_t i = 0; i < count; i++)
			for (size_t r = 0; r < groups[i].count; r++)
				list_add_frequency(&list, &figure, groups[i].runs[r]);
	}
	for (size_t i = 0; i < FIXED_METRICS; i++)
		list_add(&list, fixed_metrics[i]);
	for (size_t i = 0; i < count; i++) {
		for (size_t r = 0; r < groups[i].count; r++)
			list_add_run(&list, groups[i].runs[r]);
	}
	*metrics = list.count;
	return list.metric;
}

double *run_counts(const struct run *run, size_t *count)
{
	const unsigned char *at = run->counts.bytes;
	double *values;

	*count = run->counts.count;
	if (*count == 0)
		return NULL;
	values = allocate(NULL, *count * sizeof *values);
	for (size_t i = 0; i < *count; i++)
		values[i] = (double)pack_next(&at);
	return values;
}

static bool figure_value(const struct figure *figures, size_t count, const struct metric *metric, double *value)
{
	const struct figure *figure = figure_named(figures, count, metric->name);

	if (figure)
		*value = (double)figure->value / metric->per_unit;
	return figure;
}

static bool frequency_value(const struct metric *metric, const struct run *run, double *value)
{
	*value = (double)run_uint(run, metric->field) / metric->per_unit;
	return *value > 0;
}

static bool at_base_value(const struct run *run, double *value)
{
	struct metric figure = metric_named(run->figure);
	double ratio = (double)run_uint(run, FIELD_run_frequency_ppm) / 1e6;

	if (ratio == 0 || !metric_value(&figure, run, value))
		return false;
	*value = run->more_is_better ? *value / ratio : *value * ratio;
	return true;
}

bool metric_value(const struct metric *metric, const struct run *run, double *value)
{
	double *counts;
	size_t count;

	switch (metric->source) {
	case METRIC_COUNTS:
		counts = run_counts(run, &count);
		if (!counts)
			return false;
		*value = stat_spread(counts, count).mean;
		free(counts);
		return true;
	case METRIC_RESULT:
		return figure_value(run->result, run->results, metric, value);
	case METRIC_BACKGROUND:
		return figure_value(run->background, run->backgrounds, metric, value);
	case METRIC_FIELD:
		*value = (double)run_uint(run, metric->field) / metric->per_unit;
		return true;
	case METRIC_FREQUENCY:
		return frequency_value(metric, run, value);
	case METRIC_AT_BASE:
		return at_base_value(run, value);
	}
	return false;
}

size_t metric_values(const struct metric *metric, const struct group *group, double *values)
{
	size_t count = 0;

	for (size_t i = 0; i < group->count; i++)
		count += metric_value(metric, group->runs[i], &values[count]);
	return count;
}

const char *metric_word(const struct ratio *ratio, bool more_is_better)
{
	if (ratio->state != RATIO_KNOWN || (ratio->low <= 1 && ratio->high >= 1))
		return "";
	return (ratio->low > 1) == more_is_better ? "better" : "worse";
}
