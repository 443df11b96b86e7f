/* SPDX-License-Identifier: GPL-2.0-or-later
 * The table of published figures, and the judgement over two ratios. */
#include "tools/fairlog/published.h"

#include <math.h>
#include <string.h>

#define NO_FIGURE NAN
#define TASKS(...)                                                                                                                 \
	(const double[PUBLISHED_TASKS])                                                                                            \
	{                                                                                                                          \
		__VA_ARGS__                                                                                                        \
	}

static const struct published figures[] = {
#define FIGURE(experiment, machine, part, number, name, first, other, metric, unit, value_a, error_a, value_b, error_b)            \
	{ experiment, machine, part, number, name, first, other, metric, unit, { value_a, value_b }, { error_a, error_b }, { 0 } },
#define COUNTS(experiment, machine, part, number, name, first, other, unit, counts_a, counts_b)                                    \
	{ experiment, machine, part, number, name, first, other, "count per task", unit, { 0 }, { 0 },                             \
		{ TASKS counts_a, TASKS counts_b } },
#include "tools/fairlog/published.def"
#undef FIGURE
#undef COUNTS
};

size_t published_each(const char *experiment, const char *machine, enum part part, published_fn *call, void *context)
{
	size_t found = 0;

	for (size_t i = 0; i < sizeof figures / sizeof figures[0]; i++) {
		const struct published *f = &figures[i];

		if (strcmp(f->experiment, experiment) != 0 || strcmp(f->machine, machine) != 0 || f->part != part)
			continue;
		found++;
		call(context, f);
	}
	return found;
}

const char *published_machine(const json_t *machine)
{
	static const struct {
		const char *name;
		uint64_t cpus, nodes, packages, llcs, cores;
	} shapes[] = {
		{ "q6600", 4, 1, 1, 2, 4 },
		{ "e5620", 8, 1, 1, 1, 4 },
		{ "2x4", 8, 1, 2, 4, 8 },
		{ "4x4", 16, 1, 4, 8, 16 },
		{ "nehalem", 16, 2, 2, 2, 8 },
		{ "4x10", 40, 4, 4, 4, 40 },
	};

	for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
		if (record_get_uint(machine, FIELD_machine_cpus) == shapes[i].cpus &&
			record_get_uint(machine, FIELD_machine_nodes) == shapes[i].nodes &&
			record_get_uint(machine, FIELD_machine_packages) == shapes[i].packages &&
			record_get_uint(machine, FIELD_machine_llcs) == shapes[i].llcs &&
			record_get_uint(machine, FIELD_machine_cores) == shapes[i].cores)
			return shapes[i].name;
	}
	return NULL;
}

/* The figure of that variant, and its standard error in per cent. */
static double published_value(const struct published *f, unsigned variant, double *error)
{
	struct estimate estimate;

	*error = f->error[variant];
	if (!f->counts[variant])
		return f->value[variant];
	estimate = stat_estimate(f->counts[variant], PUBLISHED_TASKS);
	*error = stat_percent(&estimate);
	return estimate.mean;
}

struct ratio published_ratio(const struct published *f)
{
	double error[2], first = published_value(f, 0, &error[0]), other = published_value(f, 1, &error[1]);
	double half = 1.96 * hypot(error[0], error[1]) / 100; /* errors in per cent are those of the logarithms */
	struct ratio r = { .state = RATIO_KNOWN, .ratio = other / first, .df = NAN };

	if (isnan(r.ratio))
		r.state = RATIO_TOO_FEW;
	r.low = r.ratio * exp(-half);
	r.high = r.ratio * exp(half);
	return r;
}

/* -1: less, 1: more, 0: cannot be told. */
static int direction(double low, double high)
{
	return high < 1 ? -1 : low > 1;
}

static bool has_figure(const struct ratio *r)
{
	return r->state == RATIO_KNOWN || r->state == RATIO_NO_SPREAD;
}

enum agreement published_agreement(const struct ratio *published, const struct ratio *ours)
{
	bool is_point = ours->state == RATIO_NO_SPREAD;
	double low = is_point ? ours->ratio : ours->low, high = is_point ? ours->ratio : ours->high;
	int theirs = direction(published->low, published->high), here = direction(low, high);

	if (!has_figure(published) || !has_figure(ours))
		return CANNOT_SAY;
	if (low <= published->high && published->low <= high)
		return here == theirs ? AGREES : CANNOT_SAY;
	if (theirs == 0) /* not told for sure, but what was seen is something to go by */
		theirs = direction(published->ratio, published->ratio);
	return here == theirs ? OTHER_SIZE : CONTRADICTED;
}
