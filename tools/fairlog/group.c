/* SPDX-License-Identifier: GPL-2.0-or-later
 * Sorts runs by workload and variant. The plan says which variant comes first, not the log: the order of the runs may be
 * shuffled. */
#include "tools/fairlog/group.h"

#include "tools/fairlog/allocate.h"

#include <stdbool.h>
#include <string.h>

enum { COMBINATIONS_MAX = 10000 }; /* a plan with more is none that anybody waits for, and is not gone through */

static void add_run(struct group *group, struct run *run)
{
	if (run_uint(run, FIELD_run_warmup) != 0) {
		group->warmups++;
		return;
	}
	if (strcmp(run->status, "ok") != 0) {
		if (group->failed++ == 0)
			group->first_failure = run->status;
		return;
	}
	group->runs = allocate(group->runs, (group->count + 1) * sizeof *group->runs);
	group->runs[group->count++] = run;
}

static bool is_in_group(const struct group *group, const char *workload, const char *variant)
{
	return strcmp(group->workload, workload) == 0 && strcmp(group->variant, variant) == 0;
}

static struct group *find_group(struct groups *groups, const char *workload, const char *variant)
{
	for (size_t i = 0; i < groups->count; i++) {
		if (is_in_group(&groups->group[i], workload, variant))
			return &groups->group[i];
	}
	groups->group = allocate(groups->group, (groups->count + 1) * sizeof *groups->group);
	groups->group[groups->count] = (struct group){ .workload = workload, .variant = variant, .with = groups->with };
	return &groups->group[groups->count++];
}

static void add_plan(struct groups *groups, const json_t *plan)
{
	const json_t *workloads = record_get(plan, FIELD_plan_workloads);
	const json_t *variants = record_get(plan, FIELD_plan_variants);

	if (json_array_size(workloads) * json_array_size(variants) > COMBINATIONS_MAX)
		return;
	for (size_t w = 0; w < json_array_size(workloads); w++) {
		for (size_t v = 0; v < json_array_size(variants); v++)
			find_group(groups, json_string_value(json_array_get(workloads, w)),
				json_string_value(json_array_get(variants, v)));
	}
}

/* Brings the groups of a workload together, in the order in which their workloads were first met. */
static void gather_workloads(struct groups *groups)
{
	struct group *sorted = allocate(NULL, groups->count * sizeof *sorted);
	size_t count = 0;

	for (size_t i = 0; i < groups->count; i++) {
		const char *workload = groups->group[i].workload;

		for (size_t k = i; workload && k < groups->count; k++) {
			struct group *group = &groups->group[k];

			if (!group->workload || strcmp(group->workload, workload) != 0)
				continue;
			sorted[count++] = *group;
			group->workload = NULL; /* taken */
		}
	}
	free(groups->group);
	groups->group = sorted;
}

/* What accompanies every run of the boot. */
static char *with_of(const json_t *plan)
{
	const json_t *with = plan ? record_get(plan, FIELD_plan_with) : NULL;
	size_t used = 0, bytes = 1;
	char *text;

	for (size_t i = 0; i < json_array_size(with); i++)
		bytes += strlen(json_string_value(json_array_get(with, i))) + 16;
	text = allocate(NULL, bytes);
	text[0] = '\0';
	for (size_t i = 0; i < json_array_size(with); i++)
		used += (size_t)snprintf(
			text + used, bytes - used, "%s%s", i == 0 ? " (with " : ", ", json_string_value(json_array_get(with, i)));
	if (used > 0)
		snprintf(text + used, bytes - used, ")");
	return text;
}

struct groups groups_make(const struct boot *boot)
{
	const json_t *plan = boot->record[RECORD_plan];
	struct groups groups = { .with = with_of(plan), .planned_runs = plan ? record_get_uint(plan, FIELD_plan_runs) : 0 };

	if (plan)
		add_plan(&groups, plan);
	for (size_t i = 0; i < boot->run_count; i++)
		add_run(find_group(&groups, boot->runs[i]->workload, boot->runs[i]->variant), boot->runs[i]);
	gather_workloads(&groups);
	return groups;
}

void groups_free(struct groups *groups)
{
	for (size_t i = 0; i < groups->count; i++)
		free(groups->group[i].runs);
	free(groups->group);
	free(groups->with);
}

size_t groups_same_workload(const struct group *first, const struct groups *groups)
{
	const struct group *group = first;

	while (group < groups->group + groups->count && strcmp(group->workload, first->workload) == 0)
		group++;
	return (size_t)(group - first);
}
