/* SPDX-License-Identifier: GPL-2.0-or-later
 * Prints what perf stat -r of Linux 3.8 prints, trailing blanks included. */
#include "tools/fairlog/perfstat.h"

#include "tools/fairlog/allocate.h"

#include <math.h>

/* ---- from readings to events ---- */

static double scale(const struct perf_reading *reading)
{
	if (reading->running >= reading->enabled)
		return (double)reading->value;
	return floor((double)reading->value * (double)reading->enabled / (double)reading->running + 0.5);
}

struct perf_event perf_event_of(const struct perf_reading *readings, size_t n)
{
	struct perf_event event = { .state = PERF_NOT_SUPPORTED };
	double *values = allocate(NULL, n * sizeof *values);
	double enabled = 0, running = 0;
	size_t counted = 0;

	for (size_t i = 0; i < n; i++) {
		const struct perf_reading *r = &readings[i];

		if (r->supported && event.state == PERF_NOT_SUPPORTED)
			event.state = PERF_NOT_COUNTED;
		if (!r->supported || r->running == 0)
			continue;
		values[counted++] = scale(r);
		enabled += (double)r->enabled;
		running += (double)r->running;
		event.scaled = r->running < r->enabled;
	}
	if (counted > 0) {
		event.state = PERF_COUNTED;
		event.value = stat_estimate(values, counted);
		event.percent_running = 100 * running / enabled;
	}
	free(values);
	return event;
}

/* ---- figures ---- */

/* NAN if it is not there, so that whatever is made of it is not there either. */
static double mean_of(const struct perfstat *stat, enum perf_name name)
{
	return stat->event[name].state == PERF_COUNTED ? stat->event[name].value.mean : NAN;
}

static double ratio(double a, double b)
{
	return b > 0 ? a / b : NAN;
}

double perfstat_figure(const struct perfstat *stat, enum perf_name name)
{
	double mean = mean_of(stat, name), cycles = mean_of(stat, PERF_CYCLES), task_ns = mean_of(stat, PERF_TASK_CLOCK);

	switch (name) {
	case PERF_TASK_CLOCK:
		return ratio(mean, stat->elapsed_ns.mean);
	case PERF_CYCLES:
		return ratio(mean, task_ns);
	case PERF_STALLED_FRONTEND:
	case PERF_STALLED_BACKEND:
		return 100 * ratio(mean, cycles);
	case PERF_INSTRUCTIONS:
		return ratio(mean, cycles);
	case PERF_BRANCH_MISSES:
		return 100 * ratio(mean, mean_of(stat, PERF_BRANCHES));
	default:
		return 1000 * ratio(mean, task_ns);
	}
}

double perfstat_stalls_per_instruction(const struct perfstat *stat)
{
	double stalls = fmax(mean_of(stat, PERF_STALLED_FRONTEND), mean_of(stat, PERF_STALLED_BACKEND)); /* ignores a NAN */

	return stalls > 0 ? ratio(stalls, mean_of(stat, PERF_INSTRUCTIONS)) : NAN;
}

/* ---- the layout ---- */

enum { REMARK_COLUMNS = 35, STALLS_COLUMN = 45, FOOTER_COLUMNS = 40 };

static const char *const event_name[PERF_EVENTS] = {
	[PERF_TASK_CLOCK] = "task-clock",
	[PERF_CONTEXT_SWITCHES] = "context-switches",
	[PERF_CPU_MIGRATIONS] = "cpu-migrations",
	[PERF_PAGE_FAULTS] = "page-faults",
	[PERF_CYCLES] = "cycles",
	[PERF_STALLED_FRONTEND] = "stalled-cycles-frontend",
	[PERF_STALLED_BACKEND] = "stalled-cycles-backend",
	[PERF_INSTRUCTIONS] = "instructions",
	[PERF_BRANCHES] = "branches",
	[PERF_BRANCH_MISSES] = "branch-misses",
};

static void print_remark(FILE *to, enum perf_name name, double figure)
{
	bool rare = figure < 0.001;

	if (isnan(figure)) {
		fprintf(to, "%*s", REMARK_COLUMNS, "");
		return;
	}
	switch (name) {
	case PERF_TASK_CLOCK:
		fprintf(to, " # %8.3f CPUs utilized          ", figure);
		return;
	case PERF_CYCLES:
		fprintf(to, " # %8.3f GHz                    ", figure);
		return;
	case PERF_STALLED_FRONTEND:
		fprintf(to, " #  %6.2f%% frontend cycles idle   ", figure);
		return;
	case PERF_STALLED_BACKEND:
		fprintf(to, " #  %6.2f%% backend  cycles idle   ", figure);
		return;
	case PERF_INSTRUCTIONS:
		fprintf(to, " #   %5.2f  insns per cycle        ", figure);
		return;
	case PERF_BRANCH_MISSES:
		fprintf(to, " #  %6.2f%% of all branches        ", figure);
		return;
	default:
		fprintf(to, " # %8.3f %c/sec                  ", rare ? 1000 * figure : figure, rare ? 'K' : 'M');
	}
}

/* Nothing where no run differs from another, or there is only one. */
static void print_noise(FILE *to, const struct estimate *estimate)
{
	double percent = stat_percent(estimate);

	if (percent > 0)
		fprintf(to, "  ( +-%6.2f%% )", percent);
}

static void print_event(FILE *to, const struct perfstat *stat, enum perf_name name)
{
	const struct perf_event *event = &stat->event[name];
	double stalls = perfstat_stalls_per_instruction(stat);

	if (event->state != PERF_COUNTED) {
		fprintf(to, "%18s %-24s\n", event->state == PERF_NOT_COUNTED ? "<not counted>" : "<not supported>",
			event_name[name]);
		return;
	}
	if (name == PERF_TASK_CLOCK)
		fprintf(to, "%18.6f %-25s", event->value.mean / 1e6, event_name[name]);
	else
		fprintf(to, "%18.0f %-25s", event->value.mean, event_name[name]);
	print_remark(to, name, perfstat_figure(stat, name));
	if (name == PERF_INSTRUCTIONS && !isnan(stalls))
		fprintf(to, "\n%*s#   %5.2f  stalled cycles per insn", STALLS_COLUMN, "", stalls);
	print_noise(to, &event->value);
	if (event->scaled)
		fprintf(to, " [%5.2f%%]", event->percent_running);
	fprintf(to, "\n");
}

void perfstat_print(FILE *to, const struct perfstat *stat)
{
	fprintf(to, "\n Performance counter stats for '%s'", stat->command);
	if (stat->runs > 1)
		fprintf(to, " (%zu runs)", stat->runs);
	fprintf(to, ":\n\n");
	for (enum perf_name name = 0; name < PERF_EVENTS; name++)
		print_event(to, stat, name);
	fprintf(to, "\n %17.9f seconds time elapsed", stat->elapsed_ns.mean / 1e9);
	if (stat->runs > 1)
		fprintf(to, "%*s", FOOTER_COLUMNS, "");
	print_noise(to, &stat->elapsed_ns);
	fprintf(to, "\n\n");
}

/* ---- from a log ---- */

/* A figure that software keeps, and so all the time. */
static struct perf_event event_of_field(const struct group *group, enum record_field field)
{
	struct perf_reading *readings = allocate(NULL, group->count * sizeof *readings);
	struct perf_event event;

	for (size_t i = 0; i < group->count; i++)
		readings[i] = (struct perf_reading){ true, run_uint(group->runs[i], field), 1, 1 };
	event = perf_event_of(readings, group->count);
	free(readings);
	return event;
}

struct perfstat perfstat_of(const struct group *group)
{
	struct perfstat stat = { .command = group->workload, .runs = group->count };

	stat.event[PERF_TASK_CLOCK] = event_of_field(group, FIELD_run_task_clock_ns);
	stat.event[PERF_CONTEXT_SWITCHES] = event_of_field(group, FIELD_run_context_switches);
	stat.event[PERF_CPU_MIGRATIONS] = event_of_field(group, FIELD_run_migrations);
	/* A page fault stops the machine: no run that ended had one. */
	stat.event[PERF_PAGE_FAULTS] = (struct perf_event){ PERF_COUNTED, { group->count, 0, 0 }, 100, false };
	stat.elapsed_ns = event_of_field(group, FIELD_run_elapsed_ns).value;
	return stat;
}

void perfstat_print_group(const struct group *group)
{
	struct perfstat stat;

	if (group->count == 0)
		return;
	stat = perfstat_of(group);
	printf("%s%s\n", group->variant, group->with);
	perfstat_print(stdout, &stat);
}
