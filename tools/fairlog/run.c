/* SPDX-License-Identifier: GPL-2.0-or-later
 * Runs, kept small. */
#include "tools/fairlog/run.h"

#include "tools/fairlog/allocate.h"
#include "tools/fairlog/record.h"

#include <stdio.h>
#include <string.h>

/* Those entries of a map that are numbers. */
static struct figure *take_figures(const json_t *figures, size_t *count, struct names *names)
{
	json_t *map = (json_t *)figures; /* jansson's iterators are not const */
	struct figure *taken = allocate(NULL, json_object_size(map) * sizeof *taken);

	for (void *at = json_object_iter(map); at; at = json_object_iter_next(map, at)) {
		const json_t *value = json_object_iter_value(at);

		if (json_is_integer(value))
			taken[(*count)++] = (struct figure){ names_keep(names, json_object_iter_key(at)), record_integer(value) };
	}
	return taken;
}

static void take_counts(struct run *run, const json_t *record)
{
	const json_t *counts = record_get(record, FIELD_run_counts);

	run->tasks = json_array_size(counts);
	run->counts = allocate(NULL, run->tasks * sizeof *run->counts);
	for (size_t i = 0; i < run->tasks; i++)
		run->counts[i] = record_integer(json_array_get(counts, i));
}

static const char *keep_knobs(const json_t *record, struct names *names)
{
	char *text = json_dumps(record_get(record, FIELD_run_knobs), JSON_COMPACT);
	const char *kept = names_keep(names, text ? text : "{}");

	free(text);
	return kept;
}

struct run *run_new(const json_t *record, struct names *names)
{
	struct run *run = allocate(NULL, sizeof *run);

	*run = (struct run){
		.workload = names_keep(names, record_get_string(record, FIELD_run_workload)),
		.variant = names_keep(names, record_get_string(record, FIELD_run_variant)),
		.status = names_keep(names, record_get_string(record, FIELD_run_status)),
		.dirty = names_keep(names, record_get_string(record, FIELD_run_dirty)),
		.figure = names_keep(names, record_get_string(record, FIELD_run_figure)),
		.more_is_better = strcmp(record_get_string(record, FIELD_run_better), "more") == 0,
		.knobs = keep_knobs(record, names),
	};
	for (enum record_field f = FIELD_run_workload; f <= FIELD_run_knobs; f++) {
		const json_t *value = record_get(record, f);

		run->value[f - FIELD_run_workload] = json_is_integer(value) ? record_integer(value) : 0;
	}
	run->result = take_figures(record_get(record, FIELD_run_result), &run->results, names);
	run->background = take_figures(record_get(record, FIELD_run_background), &run->backgrounds, names);
	take_counts(run, record);
	return run;
}

void run_add_latency(struct run *run, const json_t *record, struct names *names)
{
	const json_t *pairs = record_get(record, FIELD_latency_buckets);
	struct latency latency = {
		.distance = names_keep(names, record_get_string(record, FIELD_latency_distance)),
		.max_ns = record_get_uint(record, FIELD_latency_max_ns),
		.buckets = json_array_size(pairs) / 2,
	};

	latency.bucket = allocate(NULL, latency.buckets * sizeof *latency.bucket);
	for (size_t i = 0; i < latency.buckets; i++)
		latency.bucket[i] = (struct latency_bucket){ record_integer(json_array_get(pairs, 2 * i)),
			record_integer(json_array_get(pairs, 2 * i + 1)) };
	run->latency = allocate(run->latency, (run->latencies + 1) * sizeof *run->latency);
	run->latency[run->latencies++] = latency;
}

void run_add_still(struct run *run, const json_t *record, struct names *names)
{
	const char *state = record_get_string(record, FIELD_still_state);
	char text[200];

	if (run->not_held || strcmp(state, "held") == 0)
		return;
	snprintf(text, sizeof text, "%s=%s: %s", record_get_string(record, FIELD_still_item),
		record_get_string(record, FIELD_still_asked), state);
	run->not_held = names_keep(names, text);
}

void run_add_sample(struct run *run, const json_t *record)
{
	const json_t *queued = record_get(record, FIELD_sample_queued);
	uint64_t expected = run->samples > 0 ? run->sample[run->samples - 1].number + 1 : 0;
	struct sample sample = { .number = record_get_uint(record, FIELD_sample_number),
		.at_ns = record_get_uint(record, FIELD_sample_at_ns),
		.cpus = json_array_size(queued) };

	sample.follows = sample.number == expected && record_get_uint(record, FIELD_sample_lost) == 0;
	sample.queued = allocate(NULL, sample.cpus * sizeof *sample.queued);
	for (size_t i = 0; i < sample.cpus; i++)
		sample.queued[i] = record_integer(json_array_get(queued, i));
	/* Doubled where a power of two is full. */
	if ((run->samples & (run->samples - 1)) == 0)
		run->sample = allocate(run->sample, (run->samples ? run->samples * 2 : 1) * sizeof *run->sample);
	run->sample[run->samples++] = sample;
}

void run_free(struct run *run)
{
	for (size_t i = 0; i < run->samples; i++)
		free(run->sample[i].queued);
	free(run->sample);
	for (size_t i = 0; i < run->latencies; i++)
		free(run->latency[i].bucket);
	free(run->latency);
	free(run->result);
	free(run->background);
	free(run->counts);
	free(run);
}

const struct figure *figure_named(const struct figure *figures, size_t count, const char *name)
{
	for (size_t i = 0; i < count; i++)
		if (strcmp(figures[i].name, name) == 0)
			return &figures[i];
	return NULL;
}
