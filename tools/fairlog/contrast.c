/* SPDX-License-Identifier: GPL-2.0-or-later
 * Pairs runs. In doubt it does not: an unpaired test of pairs sees less, a paired test of what does not belong together sees no
 * more either, but says that it did. */
#include "tools/fairlog/contrast.h"

#include "tools/fairlog/allocate.h"
#include "tools/fairlog/sequence.h"

#include <string.h>

/* ---- may they be paired ---- */

static bool has_word(const char *line, const char *word)
{
	size_t length = strlen(word);

	for (const char *at = line; (at = strstr(at, word)); at++)
		if ((at == line || at[-1] == ' ') && (at[length] == ' ' || at[length] == '\0'))
			return true;
	return false;
}

static bool is_perturbed(const struct boot *boot)
{
	return !has_word(record_get_string(boot->record[RECORD_boot], FIELD_boot_cmdline), "jitter=off");
}

/* What a run is perturbed by depends on it. */
static size_t number_of_workload(const struct boot *boot, const char *workload)
{
	const json_t *workloads = record_get(boot->record[RECORD_plan], FIELD_plan_workloads);
	size_t i = 0;

	while (i < json_array_size(workloads) && strcmp(json_string_value(json_array_get(workloads, i)), workload) != 0)
		i++;
	return i;
}

static bool has_records(const struct boot *boot)
{
	return boot->record[RECORD_boot] && boot->record[RECORD_machine] && boot->record[RECORD_plan];
}

/* NULL if runs of the same number were perturbed alike. */
static const char *why_not_alike(const struct boot *a, const struct boot *b, const char *workload)
{
	const json_t *plan_a = a->record[RECORD_plan], *plan_b = b->record[RECORD_plan];

	if (!has_records(a) || !has_records(b))
		return "a log does not say how its runs were made";
	if (!record_get_uint(a->record[RECORD_boot], FIELD_boot_exact) ||
		!record_get_uint(b->record[RECORD_boot], FIELD_boot_exact))
		return "the machine is not exact, so runs of the same number are not alike";
	if (!json_equal(a->record[RECORD_machine], b->record[RECORD_machine]))
		return "the machines are not the same";
	if (record_get_uint(plan_a, FIELD_plan_seed) != record_get_uint(plan_b, FIELD_plan_seed))
		return "the seeds are not the same";
	if (!is_perturbed(a) || !is_perturbed(b))
		return "jitter=off: runs are not perturbed";
	if (number_of_workload(a, workload) != number_of_workload(b, workload))
		return "the workload has another place in the plan";
	return NULL;
}

static bool is_in_passes(const struct boot *boot)
{
	const json_t *plan = boot->record[RECORD_plan];

	return plan && strcmp(record_get_string(plan, FIELD_plan_order), "aabb") != 0;
}

struct contrast contrast_make(const struct boot *boot_a, const struct group *a, const struct boot *boot_b, const struct group *b)
{
	struct contrast contrast = { .a = a, .b = b };
	const char *not_alike = why_not_alike(boot_a, boot_b, a->workload);

	contrast.paired = true;
	if (boot_a == boot_b && is_in_passes(boot_a)) {
		contrast.sequence = sequence_find(boot_a, a->workload, a->variant, b->variant);
		contrast.why = contrast.sequence
				       ? "runs of the same number are of one pass, and their number was found in two stages"
				       : "runs of the same number are of one pass";
	} else if (!not_alike) {
		contrast.why = "runs of the same number were perturbed alike";
	} else {
		contrast.paired = false;
		contrast.why = not_alike;
	}
	return contrast;
}

/* ---- values ---- */

static int compare_index(const void *left, const void *right)
{
	uint64_t a = run_uint(*(struct run *const *)left, FIELD_run_index),
		 b = run_uint(*(struct run *const *)right, FIELD_run_index);

	return (a > b) - (a < b);
}

static struct run **runs_by_index(const struct group *group)
{
	struct run **runs = allocate(NULL, group->count * sizeof *runs);

	for (size_t i = 0; i < group->count; i++)
		runs[i] = group->runs[i];
	qsort(runs, group->count, sizeof *runs, compare_index);
	return runs;
}

size_t pair_values(const struct metric *metric, const struct group *group_a, const struct group *group_b, double *a, double *b)
{
	struct run **runs_a = runs_by_index(group_a), **runs_b = runs_by_index(group_b);
	size_t pairs = 0, i = 0, k = 0;

	while (i < group_a->count && k < group_b->count) {
		int order = compare_index(&runs_a[i], &runs_b[k]);

		if (order == 0)
			pairs += metric_value(metric, runs_a[i], &a[pairs]) && metric_value(metric, runs_b[k], &b[pairs]);
		i += order <= 0;
		k += order >= 0;
	}
	free(runs_a);
	free(runs_b);
	return pairs;
}

struct samples contrast_samples(const struct contrast *contrast, const struct metric *metric, double **a, double **b)
{
	struct samples samples = { .paired = contrast->paired };

	*a = allocate(NULL, contrast->a->count * sizeof **a);
	*b = allocate(NULL, contrast->b->count * sizeof **b);
	if (samples.paired) {
		samples.na = samples.nb = pair_values(metric, contrast->a, contrast->b, *a, *b);
	} else {
		samples.na = metric_values(metric, contrast->a, *a);
		samples.nb = metric_values(metric, contrast->b, *b);
	}
	samples.a = *a;
	samples.b = *b;
	return samples;
}

struct effect contrast_effect(
	const struct contrast *contrast, const struct metric *metric, const struct samples *samples, bool tail)
{
	struct effect effect = effect_of(samples, tail);
	const char *name = metric->name + strspn(metric->name, " ");

	if (contrast->sequence && strcmp(sequence_figure(contrast->sequence), name) == 0)
		sequence_adjust(&effect, contrast->sequence, samples->na);
	return effect;
}
