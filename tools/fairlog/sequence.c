/* SPDX-License-Identifier: GPL-2.0-or-later
 * Stein's two stages, from the side of the reader; lab/sequential.c says why they hold. */
#include "tools/fairlog/sequence.h"

#include <gsl/gsl_cdf.h>
#include <math.h>
#include <string.h>

static bool is_of(const json_t *sequence, const char *workload)
{
	return strcmp(record_get_string(sequence, FIELD_sequence_workload), workload) == 0;
}

const json_t *sequence_find(const struct boot *boot, const char *workload, const char *first, const char *other)
{
	const json_t *plan = boot->record[RECORD_plan];
	const json_t *variants = plan ? record_get(plan, FIELD_plan_variants) : NULL;

	if (json_array_size(variants) == 0 || strcmp(json_string_value(json_array_get(variants, 0)), first) != 0)
		return NULL;
	for (size_t i = 0; i < boot->sequences; i++) {
		const json_t *sequence = boot->sequence[i];

		if (is_of(sequence, workload) && strcmp(record_get_string(sequence, FIELD_sequence_variant), other) == 0 &&
			record_get_uint(sequence, FIELD_sequence_pairs) >= 2)
			return sequence;
	}
	return NULL;
}

uint64_t sequence_runs(const struct boot *boot, const char *workload, uint64_t planned)
{
	for (size_t i = 0; i < boot->sequences; i++)
		if (is_of(boot->sequence[i], workload))
			return record_get_uint(boot->sequence[i], FIELD_sequence_runs);
	return planned;
}

const char *sequence_figure(const json_t *sequence)
{
	const char *figure = record_get_string(sequence, FIELD_sequence_figure);

	return strcmp(figure, "elapsed_ns") == 0 ? "elapsed" : figure;
}

static void set_interval(struct ratio *ratio, double level)
{
	double half = gsl_cdf_tdist_Pinv((1 + level) / 2, ratio->df) * ratio->error;

	ratio->low = ratio->ratio * exp(-half);
	ratio->high = ratio->ratio * exp(half);
}

void sequence_adjust(struct effect *effect, const json_t *sequence, size_t n)
{
	struct ratio *ratio = &effect->ratio;

	if (ratio->state != RATIO_KNOWN)
		return;
	ratio->df = (double)record_get_uint(sequence, FIELD_sequence_pairs) - 1;
	ratio->error = (double)record_get_uint(sequence, FIELD_sequence_sd_ppb) / 1e9 / sqrt((double)n);
	set_interval(ratio, 0.95);
	effect->narrow = *ratio;
	set_interval(&effect->narrow, 0.90);
	effect->p = 2 * gsl_cdf_tdist_Q(fabs(log(ratio->ratio)) / ratio->error, ratio->df);
	effect->detectable = expm1(stat_detectable(ratio->error, ratio->df));
}
