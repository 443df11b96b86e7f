/* SPDX-License-Identifier: GPL-2.0-or-later
 * What a workload is judged by: its runs say so. */
#include "tools/fairlog/judged.h"

#include <string.h>

const char *metric_label(const struct metric *metric)
{
	return metric->name + strspn(metric->name, " ");
}

const struct metric *metric_find(const struct metric *metric, size_t metrics, const char *label)
{
	for (size_t i = 0; i < metrics; i++) {
		if (strcmp(metric_label(&metric[i]), label) == 0)
			return &metric[i];
	}
	return NULL;
}

static const struct run *first_run(const struct group *group, size_t variants)
{
	for (size_t i = 0; i < variants; i++) {
		if (group[i].count > 0)
			return group[i].runs[0];
	}
	return NULL;
}

struct judged judged_by(const struct group *group, size_t variants, const struct metric *metric, size_t metrics)
{
	const struct run *run = first_run(group, variants);
	struct judged judged = { .direction = DIRECTION_UNKNOWN };

	if (!run)
		return judged;
	judged.name = strcmp(run->figure, "elapsed_ns") == 0 ? "elapsed" : run->figure;
	judged.metric = metric_find(metric, metrics, judged.name);
	judged.direction = run->more_is_better ? MORE_IS_BETTER : LESS_IS_BETTER;
	return judged;
}
