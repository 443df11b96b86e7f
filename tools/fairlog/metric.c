/* SPDX-License-Identifier: GPL-2.0-or-later
 * Takes figures out of runs. */
#include "tools/fairlog/metric.h"

#include "tools/fairlog/allocate.h"
#include "tools/fairlog/stat.h"

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

static void list_add_map(struct list *list, struct metric metric, const json_t *map)
{
	json_t *entries = (json_t *)map; /* jansson's iterators are not const */

	for (void *at = json_object_iter(entries); at; at = json_object_iter_next(entries, at)) {
		metric.name = json_object_iter_key(at);
		if (json_is_integer(json_object_iter_value(at)))
			list_add(list, metric);
	}
}

static void list_add_run(struct list *list, const json_t *run)
{
	struct metric metric = { .unit = "", .per_unit = 1, .decimals = 1 };

	if (json_array_size(record_get(run, FIELD_run_counts)) > 0) {
		metric.name = "count per task";
		metric.source = METRIC_COUNTS;
		list_add(list, metric);
	}
	metric.source = METRIC_RESULT;
	list_add_map(list, metric, record_get(run, FIELD_run_result));
	metric.source = METRIC_BACKGROUND;
	list_add_map(list, metric, record_get(run, FIELD_run_background));
}

struct metric *metrics_make(const struct group *groups, size_t count, size_t *metrics)
{
	struct list list = { allocate(NULL, sizeof fixed_metrics), FIXED_METRICS };

	memcpy(list.metric, fixed_metrics, sizeof fixed_metrics);
	for (size_t i = 0; i < count; i++) {
		for (size_t r = 0; r < groups[i].count; r++)
			list_add_run(&list, groups[i].runs[r]);
	}
	*metrics = list.count;
	return list.metric;
}

double *run_counts(const json_t *run, size_t *count)
{
	const json_t *counts = record_get(run, FIELD_run_counts);
	double *values;

	*count = json_array_size(counts);
	if (*count == 0)
		return NULL;
	values = allocate(NULL, *count * sizeof *values);
	for (size_t i = 0; i < *count; i++)
		values[i] = (double)record_integer(json_array_get(counts, i));
	return values;
}

/* False if the run does not have the figure. */
static bool run_value(const struct metric *metric, const json_t *run, double *value)
{
	const json_t *integer = NULL;
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
		integer = json_object_get(record_get(run, FIELD_run_result), metric->name);
		break;
	case METRIC_BACKGROUND:
		integer = json_object_get(record_get(run, FIELD_run_background), metric->name);
		break;
	case METRIC_FIELD:
		integer = record_get(run, metric->field);
		break;
	}
	if (!json_is_integer(integer))
		return false;
	*value = (double)record_integer(integer) / metric->per_unit;
	return true;
}

size_t metric_values(const struct metric *metric, const struct group *group, double *values)
{
	size_t count = 0;

	for (size_t i = 0; i < group->count; i++)
		count += run_value(metric, group->runs[i], &values[count]);
	return count;
}
