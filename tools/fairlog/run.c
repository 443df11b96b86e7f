/* SPDX-License-Identifier: GPL-2.0-or-later
 * Runs, kept small. */
#include "tools/fairlog/run.h"

#include "tools/fairlog/allocate.h"

#include <stdio.h>
#include <string.h>

static const char *keep_string(struct names *names, struct span string)
{
	char *text = allocate(NULL, (size_t)(string.end - string.at) + 1);
	const char *kept;

	scan_string(string, text);
	kept = names_keep(names, text);
	free(text);
	return kept;
}

/* As it stands in the record, braces included. */
static const char *keep_map(struct names *names, struct span map)
{
	size_t length = (size_t)(map.end - map.at) + 2;
	char *text = memcpy(allocate(NULL, length + 1), map.at - 1, length);
	const char *kept;

	text[length] = '\0';
	kept = names_keep(names, text);
	free(text);
	return kept;
}

/* Those entries of a map that are numbers. */
static struct figure *take_figures(struct span map, size_t *count, struct names *names)
{
	struct figure *taken = allocate(NULL, scan_room(map) * sizeof *taken);
	struct span name;
	uint64_t value;

	while (scan_next_figure(&map, &name, &value))
		taken[(*count)++] = (struct figure){ keep_string(names, name), value };
	return taken;
}

struct run *run_new(const struct scan *record, struct names *names)
{
	struct run *run = allocate(NULL, sizeof *run);

	*run = (struct run){
		.workload = keep_string(names, record->value[FIELD_run_workload]),
		.variant = keep_string(names, record->value[FIELD_run_variant]),
		.status = keep_string(names, record->value[FIELD_run_status]),
		.dirty = keep_string(names, record->value[FIELD_run_dirty]),
		.figure = keep_string(names, record->value[FIELD_run_figure]),
		.more_is_better = strcmp(keep_string(names, record->value[FIELD_run_better]), "more") == 0,
		.knobs = keep_map(names, record->value[FIELD_run_knobs]),
		.counts = pack_new(record->value[FIELD_run_counts]),
	};
	for (enum record_field f = FIELD_run_workload; f <= FIELD_run_knobs; f++)
		run->value[f - FIELD_run_workload] = scan_is_uint(f) ? scan_uint(record, f) : 0;
	run->result = take_figures(record->value[FIELD_run_result], &run->results, names);
	run->background = take_figures(record->value[FIELD_run_background], &run->backgrounds, names);
	run->counter = take_figures(record->value[FIELD_run_counters], &run->counters, names);
	run->counter_running = take_figures(record->value[FIELD_run_counters_running_ns], &run->counters_running, names);
	return run;
}

void run_add_latency(struct run *run, const struct scan *record, struct names *names)
{
	run->latency = allocate(run->latency, (run->latencies + 1) * sizeof *run->latency);
	run->latency[run->latencies++] = (struct latency){
		.distance = keep_string(names, record->value[FIELD_latency_distance]),
		.max_ns = scan_uint(record, FIELD_latency_max_ns),
		.buckets = pack_new(record->value[FIELD_latency_buckets]),
	};
}

void run_add_still(struct run *run, const struct scan *record, struct names *names)
{
	const char *state = keep_string(names, record->value[FIELD_still_state]);
	char text[200];

	if (run->not_held || strcmp(state, "held") == 0)
		return;
	snprintf(text, sizeof text, "%s=%s: %s", keep_string(names, record->value[FIELD_still_item]),
		keep_string(names, record->value[FIELD_still_asked]), state);
	run->not_held = names_keep(names, text);
}

void run_add_sample(struct run *run, const struct scan *record)
{
	struct span queued = record->value[FIELD_sample_queued];
	uint64_t expected = run->samples > 0 ? run->sample[run->samples - 1].number + 1 : 0;
	struct sample sample = { .number = scan_uint(record, FIELD_sample_number), .at_ns = scan_uint(record, FIELD_sample_at_ns) };
	uint64_t tasks;

	sample.follows = sample.number == expected && scan_uint(record, FIELD_sample_lost) == 0;
	sample.queued = allocate(NULL, scan_room(queued) * sizeof *sample.queued);
	while (scan_next_uint(&queued, &tasks))
		sample.queued[sample.cpus++] = tasks;
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
		pack_free(&run->latency[i].buckets);
	free(run->latency);
	free(run->result);
	free(run->background);
	free(run->counter);
	free(run->counter_running);
	pack_free(&run->counts);
	free(run);
}

const struct figure *figure_named(const struct figure *figures, size_t count, const char *name)
{
	for (size_t i = 0; i < count; i++)
		if (strcmp(figures[i].name, name) == 0)
			return &figures[i];
	return NULL;
}
