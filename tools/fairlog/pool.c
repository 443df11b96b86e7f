/* SPDX-License-Identifier: GPL-2.0-or-later
 * fairlog pool: many logs as one table. Boots whose command lines differ by nothing but the seed repeat each other: each is one
 * sample, and a variant is compared with the first one of its own boot. So the intervals cover what varies from boot to boot, not
 * only from run to run. */
#include "tools/fairlog/commands.h"

#include "tools/fairlog/allocate.h"
#include "tools/fairlog/group.h"
#include "tools/fairlog/log.h"
#include "tools/fairlog/metric.h"
#include "tools/fairlog/names.h"
#include "tools/fairlog/stat.h"
#include "tools/fairlog/topology.h"

#include <errno.h>
#include <math.h>
#include <string.h>

enum { ELAPSED, SWITCHES, MIGRATIONS, WASTED, COLUMNS };

static const struct metric column[COLUMNS] = {
	[ELAPSED] = { "elapsed", "ms", METRIC_FIELD, FIELD_run_elapsed_ns, 1e6, 2 },
	[SWITCHES] = { "context switches", "", METRIC_FIELD, FIELD_run_context_switches, 1, 0 },
	[MIGRATIONS] = { "migrations", "", METRIC_FIELD, FIELD_run_migrations, 1, 0 },
	[WASTED] = { "wasted", "ms", METRIC_FIELD, FIELD_run_wasted_ns, 1e6, 2 },
};

/* A workload and variant under a command line: a value for each boot. */
struct row {
	const char *machine, *topology, *words, *workload, *variant;
	const struct row_values *base; /* of the first variant of that workload; NULL: this is it */
	struct row_values {
		double *mean[COLUMNS];
		double *log_elapsed; /* mean of the logarithms */
		size_t boots, runs;
	} * values;
};

/* All that the logs had so far. */
static struct pool {
	struct names names;
	struct row *row;
	size_t rows;
	const char *build;
} pool;

/* ---- command lines ---- */

/* The next word, quotation marks and all: its beginning and length, and *at behind it. NULL: there is none. */
static const char *next_word(const char **at, size_t *length)
{
	const char *word = *at + strspn(*at, " "), *end = word;
	bool quoted = false;

	for (; *end && (quoted || *end != ' '); end++)
		quoted ^= *end == '"';
	*at = end;
	*length = (size_t)(end - word);
	return *word ? word : NULL;
}

/* What stands behind the equals sign if the word sets that parameter. */
static const char *value_of(const char *word, const char *parameter)
{
	size_t length = strlen(parameter);

	word += *word == '"';
	return strncmp(word, parameter, length) == 0 && word[length] == '=' ? word + length + 1 : NULL;
}

static const char *without_seed(const char *cmdline)
{
	char *copy = allocate(NULL, strlen(cmdline) + 2);
	const char *word, *kept;
	size_t length, used = 0;

	while ((word = next_word(&cmdline, &length))) {
		if (value_of(word, "seed"))
			continue;
		memcpy(copy + used, word, length);
		copy[used + length] = ' ';
		used += length + 1;
	}
	copy[used] = '\0';
	kept = names_keep(&pool.names, copy);
	free(copy);
	return kept;
}

static const char *topology_of(const char *cmdline, const json_t *machine)
{
	const char *word, *topology;
	char text[512];
	size_t length;

	if (*record_get_string(machine, FIELD_machine_pretended_on)) {
		char pretended[TOPOLOGY_BYTES];

		snprintf(text, sizeof text, "%s, %.200s", topology_text(machine, pretended),
			record_get_string(machine, FIELD_machine_cpu_model));
		return names_keep(&pool.names, text);
	}
	while ((word = next_word(&cmdline, &length))) {
		topology = value_of(word, "topo");
		if (!topology)
			continue;
		snprintf(text, sizeof text, "%.*s", (int)strcspn(topology, "\" "), topology);
		return names_keep(&pool.names, text);
	}
	return names_keep(&pool.names, record_get_string(machine, FIELD_machine_cpu_model));
}

/* ---- taking logs in ---- */

static struct row *find_row(const struct row *like)
{
	for (size_t i = 0; i < pool.rows; i++) {
		struct row *row = &pool.row[i];

		/* Kept strings are the same if they are equal. */
		if (row->machine == like->machine && row->topology == like->topology && row->words == like->words &&
			row->workload == like->workload && row->variant == like->variant)
			return row;
	}
	pool.row = allocate(pool.row, (pool.rows + 1) * sizeof *pool.row);
	pool.row[pool.rows] = *like;
	pool.row[pool.rows].values = allocate(NULL, sizeof *like->values);
	*pool.row[pool.rows].values = (struct row_values){ .boots = 0 };
	return &pool.row[pool.rows++];
}

static void append(double **values, size_t count, double value)
{
	*values = allocate(*values, (count + 1) * sizeof **values);
	(*values)[count] = value;
}

static void add_boot(struct row_values *to, const struct group *group)
{
	double *values = allocate(NULL, group->count * sizeof *values), logs = 0;

	for (unsigned i = 0; i < COLUMNS; i++)
		append(&to->mean[i], to->boots, stat_estimate(values, metric_values(&column[i], group, values)).mean);
	metric_values(&column[ELAPSED], group, values);
	for (size_t i = 0; i < group->count; i++)
		logs += log(values[i]) / (double)group->count;
	append(&to->log_elapsed, to->boots, logs);
	to->boots++;
	to->runs += group->count;
	free(values);
}

static void add_groups(const struct boot *boot, const struct groups *groups)
{
	const json_t *record = boot->record[RECORD_boot];
	const char *cmdline = record_get_string(record, FIELD_boot_cmdline);
	struct row like = { .machine = names_keep(&pool.names, record_get_string(record, FIELD_boot_machine)),
		.topology = topology_of(cmdline, boot->record[RECORD_machine]),
		.words = without_seed(cmdline) };

	for (size_t i = 0; i < groups->count; i++) {
		bool first = i == 0 || strcmp(groups->group[i].workload, groups->group[i - 1].workload) != 0;
		struct row *row;

		like.workload = names_keep(&pool.names, groups->group[i].workload);
		like.variant = names_keep(&pool.names, groups->group[i].variant);
		like.base = first ? NULL : like.base;
		row = find_row(&like);
		add_boot(row->values, &groups->group[i]);
		if (first)
			like.base = row->values;
	}
}

/* Every variant must have been measured in each boot, or they cannot be paired. */
static const char *unfit(const struct boot *boot, const struct groups *groups)
{
	const json_t *record = boot->record[RECORD_boot];

	if (!boot_is_whole(boot) || !record || !boot->record[RECORD_machine])
		return "the log is not whole; fairlog check says more";
	if (boot->runs_failed > 0 || strcmp(record_get_string(boot->record[RECORD_end], FIELD_end_status), "ok") != 0)
		return "a run failed, or the command line was refused";
	for (size_t i = 0; i < groups->count; i++)
		if (groups->group[i].count == 0)
			return "a workload has no run under one of the variants";
	if (pool.build && strcmp(pool.build, record_get_string(record, FIELD_boot_build)) != 0)
		return "its image is another than that of the logs before it";
	return NULL;
}

int command_pool(FILE *in, const char *file, unsigned only_boot)
{
	int boots, code = EXIT_UNREADABLE;
	struct boot *boot = log_read_boot(in, only_boot, &boots);
	struct groups groups;
	const char *why;

	if (!boot) {
		fprintf(stderr, "fairlog pool: %s: %s\n", file,
			boots < 0   ? strerror(errno)
			: only_boot ? "has no boot of that number"
				    : "there is no record in it");
		return boots == 0 ? EXIT_DAMAGED : code;
	}
	groups = groups_make(boot);
	why = unfit(boot, &groups);
	code = why ? EXIT_DAMAGED : EXIT_WHOLE;
	if (why)
		fprintf(stderr, "fairlog pool: %s: left out: %s\n", file, why);
	else
		add_groups(boot, &groups);
	if (!why && !pool.build)
		pool.build = names_keep(&pool.names, record_get_string(boot->record[RECORD_boot], FIELD_boot_build));
	groups_free(&groups);
	boot_free(boot);
	return code;
}

/* ---- the table ---- */

static void print_cell(const struct metric *metric, const double *means, size_t boots)
{
	struct estimate estimate = stat_estimate(means, boots);
	double percent = stat_percent(&estimate);

	printf(" %.*f", metric->decimals, estimate.mean);
	if (!isnan(percent))
		printf(" +- %.1f %%", percent);
	printf(" |");
}

static void print_ratio(const struct row *row)
{
	struct ratio ratio;

	if (!row->base) {
		printf(" |\n");
		return;
	}
	ratio = stat_paired_ratio(row->base->log_elapsed, row->values->log_elapsed, row->values->boots, 0.95);
	printf(" %.4f", ratio.ratio);
	if (ratio.state == RATIO_KNOWN)
		printf(" (%.4f .. %.4f)", ratio.low, ratio.high);
	printf(" |\n");
}

static void print_row(const struct row *row)
{
	printf("| %s %s | %s | %s | %zu | %zu |", row->machine, row->topology, row->workload, row->variant, row->values->boots,
		row->values->runs);
	for (unsigned i = 0; i < COLUMNS; i++)
		print_cell(&column[i], row->values->mean[i], row->values->boots);
	print_ratio(row);
}

static void print_head(void)
{
	printf("| machine | workload | variant | boots | runs |");
	for (unsigned i = 0; i < COLUMNS; i++)
		printf(" %s%s%s |", column[i].name, *column[i].unit ? ", " : "", column[i].unit);
	printf(" elapsed against the first variant |\n|---|---|---|---|---|");
	for (unsigned i = 0; i < COLUMNS; i++)
		printf("---|");
	printf("---|\n");
}

static void free_row(struct row *row)
{
	for (unsigned i = 0; i < COLUMNS; i++)
		free(row->values->mean[i]);
	free(row->values->log_elapsed);
	free(row->values);
}

void command_pool_end(void)
{
	print_head();
	for (size_t i = 0; i < pool.rows; i++)
		print_row(&pool.row[i]);
	for (size_t i = 0; i < pool.rows; i++)
		free_row(&pool.row[i]);
	free(pool.row);
	names_free(&pool.names);
	pool = (struct pool){ .rows = 0 };
}
