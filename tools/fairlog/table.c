/* SPDX-License-Identifier: GPL-2.0-or-later
 * fairlog table: logs, workloads and variants below each other, to be pasted into a text. A table has no room for remarks, so a log
 * with anything amiss has no rows in it. */
#include "tools/fairlog/commands.h"

#include "tools/fairlog/allocate.h"
#include "tools/fairlog/fit.h"
#include "tools/fairlog/group.h"
#include "tools/fairlog/metric.h"
#include "tools/fairlog/stat.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { ELAPSED, SWITCHES, MIGRATIONS, RUN_DELAY, WAKEUP, WASTED, COLUMNS };

static const struct metric column[COLUMNS] = {
	[ELAPSED] = { "elapsed", "ms", METRIC_FIELD, FIELD_run_elapsed_ns, 1e6, 2 },
	[SWITCHES] = { "context switches", "", METRIC_FIELD, FIELD_run_context_switches, 1, 0 },
	[MIGRATIONS] = { "migrations", "", METRIC_FIELD, FIELD_run_migrations, 1, 0 },
	[RUN_DELAY] = { "run delay", "ms", METRIC_FIELD, FIELD_run_run_delay_ns, 1e6, 0 },
	[WAKEUP] = { "wakeup p99", "us", METRIC_FIELD, FIELD_run_wakeup_p99_ns, 1e3, 2 },
	[WASTED] = { "wasted", "ms", METRIC_FIELD, FIELD_run_wasted_ns, 1e6, 2 },
};

void command_table_head(void)
{
	printf("| log | workload | variant | runs |");
	for (unsigned i = 0; i < COLUMNS; i++)
		printf(" %s%s%s |", column[i].name, *column[i].unit ? ", " : "", column[i].unit);
	printf(" wasted, %% of CPU time | count per task |\n|---|---|---|---|");
	for (unsigned i = 0; i < COLUMNS; i++)
		printf("---|");
	printf("---|---|\n");
}

/* The name of the file, without its folder and what follows the last dot. */
static void print_log_name(const char *file)
{
	const char *slash = strrchr(file, '/'), *name = slash ? slash + 1 : file, *dot = strrchr(name, '.');

	printf("| %.*s ", dot && dot != name ? (int)(dot - name) : (int)strlen(name), name);
}

/* Returns the mean. */
static double print_cell(const struct metric *metric, const struct group *group, double *values)
{
	struct estimate estimate = stat_estimate(values, metric_values(metric, group, values));
	double percent = stat_percent(&estimate);

	printf("| %.*f ", metric->decimals, estimate.mean);
	if (!isnan(percent))
		printf("+- %.1f %% ", percent);
	return estimate.mean;
}

/* The mean, and the least and the most that any task had in any run. */
static void print_counts(const struct group *group, double *means)
{
	double smallest = INFINITY, largest = -INFINITY;
	size_t tasks, runs = 0;

	for (size_t i = 0; i < group->count; i++) {
		double *counts = run_counts(group->runs[i], &tasks);
		struct spread spread;

		if (!counts)
			continue;
		spread = stat_spread(counts, tasks);
		free(counts);
		smallest = fmin(smallest, spread.min);
		largest = fmax(largest, spread.max);
		means[runs++] = spread.mean;
	}
	if (runs > 0)
		printf("| %.1f, %.0f .. %.0f |\n", stat_estimate(means, runs).mean, smallest, largest);
	else
		printf("| - |\n");
}

static void print_row(const char *file, const struct group *group, double cpus)
{
	double *values = allocate(NULL, group->count * sizeof *values);
	double mean[COLUMNS];

	print_log_name(file);
	printf("| %s%s | %s | %zu ", group->workload, group->with, group->variant, group->count);
	for (unsigned i = 0; i < COLUMNS; i++)
		mean[i] = print_cell(&column[i], group, values);
	printf("| %.2f ", mean[ELAPSED] > 0 ? 100 * mean[WASTED] / (cpus * mean[ELAPSED]) : 0);
	print_counts(group, values);
	free(values);
}

static void print_rows(const char *file, const struct boot *boot)
{
	struct groups groups = groups_make(boot);

	for (size_t i = 0; i < groups.count; i++) {
		if (groups.group[i].count > 0)
			print_row(
				file, &groups.group[i], (double)record_get_uint(boot->record[RECORD_machine], FIELD_machine_cpus));
	}
	groups_free(&groups);
}

int command_table(FILE *in, const char *file, unsigned only_boot)
{
	return fit_show("table", in, file, only_boot, print_rows);
}
