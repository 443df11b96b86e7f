/* SPDX-License-Identifier: GPL-2.0-or-later
 * Compares all figures of two groups. One of them decides and is taken as it is; the p of the others are corrected for being many.
 */
#include "tools/fairlog/comparison.h"

#include "tools/fairlog/allocate.h"
#include "tools/fairlog/page.h"

#include <math.h>
#include <string.h>

struct row {
	const struct metric *metric;
	double mean_a, mean_b;
	size_t na, nb;
	struct effect effect;
	double corrected_p;
	bool decides;
};

/* ---- figures ---- */

/* Figures that are parts of another one have blanks before their name. */
static const char *name_of(const struct metric *metric)
{
	return metric->name + strspn(metric->name, " ");
}

static enum direction direction_of_metric(const struct metric *metric, const struct question *question)
{
	size_t length = strlen(metric->unit);

	if (question->direction != DIRECTION_UNKNOWN)
		return question->direction;
	if (length >= 3 && strcmp(metric->unit + length - 3, "sec") == 0)
		return LESS_IS_BETTER;
	return direction_of(name_of(metric));
}

/* False if there is nothing to compare: no run has the figure. */
static bool fill_row(struct row *row, const struct contrast *contrast, const struct metric *metric)
{
	double *a, *b;
	struct samples samples = contrast_samples(contrast, metric, &a, &b);
	bool known = samples.na > 0 && samples.nb > 0;

	if (known)
		*row = (struct row){ .metric = metric,
			.mean_a = stat_estimate(a, samples.na).mean,
			.mean_b = stat_estimate(b, samples.nb).mean,
			.na = samples.na,
			.nb = samples.nb,
			.effect = contrast_effect(contrast, metric, &samples, is_tail(name_of(metric))) };
	free(a);
	free(b);
	return known;
}

/* Such as a workload's number of tasks. */
static bool never_changes(const struct row *row)
{
	return row->effect.constant && row->mean_a == row->mean_b;
}

static size_t fill_rows(
	struct row *row, const struct contrast *contrast, const struct metric *metric, size_t metrics, const char *primary)
{
	size_t rows = 0;

	for (size_t i = 0; i < metrics; i++) {
		if (!fill_row(&row[rows], contrast, &metric[i]))
			continue;
		row[rows].decides = strcmp(name_of(&metric[i]), primary) == 0;
		rows += row[rows].decides || !never_changes(&row[rows]);
	}
	return rows;
}

static void correct(struct row *row, size_t rows)
{
	double *p = allocate(NULL, rows * sizeof *p);

	for (size_t i = 0; i < rows; i++)
		p[i] = row[i].decides ? NAN : row[i].effect.p;
	stat_holm(p, rows);
	for (size_t i = 0; i < rows; i++)
		row[i].corrected_p = row[i].decides ? row[i].effect.p : p[i];
	free(p);
}

/* ---- the table ---- */

static void format_p(char text[16], double p)
{
	if (isnan(p))
		snprintf(text, 16, "n/a");
	else
		snprintf(text, 16, p < 0.0001 ? "<.0001" : "%.4f", p);
}

static void format_ratio(char text[16], double ratio)
{
	if (isnan(ratio))
		snprintf(text, 16, "n/a");
	else
		snprintf(text, 16, ratio < 0.001 || ratio >= 1000 ? "%.1e" : ratio >= 10 ? "%.2f" : "%.4f", ratio);
}

static void format_mean(char text[32], const struct metric *metric, double mean)
{
	snprintf(text, 32, fabs(mean) < 1e6 ? "%.*f" : "%.*g", fabs(mean) < 1e6 ? metric->decimals : 7, mean);
}

static void format_interval(char text[40], const struct ratio *ratio)
{
	static const char *const reason[] = {
		[RATIO_NO_SPREAD] = "no spread", [RATIO_TOO_FEW] = "too few runs", [RATIO_ZERO] = "0 in a run"
	};
	char low[16], high[16];

	if (ratio->state != RATIO_KNOWN) {
		snprintf(text, 40, "%s", reason[ratio->state]);
		return;
	}
	format_ratio(low, ratio->low);
	format_ratio(high, ratio->high);
	snprintf(text, 40, "%s .. %s", low, high);
}

static void print_row(const struct row *row)
{
	const struct effect *e = &row->effect;
	char a[32], b[32], ratio[16], interval[40], p[16], welch[16], rank[16], detectable[16] = "n/a";

	format_mean(a, row->metric, row->mean_a);
	format_mean(b, row->metric, row->mean_b);
	format_ratio(ratio, e->ratio.ratio);
	format_interval(interval, &e->ratio);
	format_p(p, row->corrected_p);
	format_p(welch, e->welch_p);
	format_p(rank, e->rank_p);
	if (!isnan(e->detectable))
		snprintf(detectable, sizeof detectable, "%.1f %%", 100 * e->detectable);
	printf(" %c %-19.19s %10s %10s %7s  %-16s %6s %6s %6s %8s\n", row->decides ? '*' : ' ', row->metric->name, a, b, ratio,
		interval, p, welch, rank, detectable);
}

static void print_rows(const struct row *row, size_t rows)
{
	printf("\n   %-19s %10s %10s %7s  %-16s %6s %6s %6s %8s\n", "", "A", "B", "ratio", " 95 % interval", "p", "Welch", "M-W",
		"MDE");
	for (size_t i = 0; i < rows; i++)
		print_row(&row[i]);
}

/* ---- the verdict ---- */

struct change {
	double by, low, high; /* per cent */
};

/* Signed, or without the sign where words say which way: then low is the side nearer to 0. */
static struct change change_of(const struct ratio *r, bool is_signed)
{
	struct change c = { 100 * (r->ratio - 1), 100 * (r->low - 1), 100 * (r->high - 1) };

	return is_signed || c.by >= 0 ? c : (struct change){ -c.by, -c.high, -c.low };
}

static const char *word(const struct row *row, bool worse)
{
	if (strcmp(name_of(row->metric), "elapsed") == 0)
		return worse ? "slower" : "faster";
	return worse ? "worse" : "better";
}

static void say_difference(const struct row *row, bool worse, double margin)
{
	struct change c = change_of(&row->effect.ratio, false);
	char more[64] = "";

	if (worse && margin > 0)
		snprintf(more, sizeof more, ", which is more than the margin of %g %%", 100 * margin);
	print_line(" Verdict: ", "%s: B is %s by %.1f %% (%.1f .. %.1f)%s.", name_of(row->metric), word(row, worse), c.by, c.low,
		c.high, more);
}

static void say_margin(const struct row *row, enum verdict verdict, double margin)
{
	const struct effect *e = &row->effect;
	struct change c = change_of(verdict == VERDICT_UNDECIDED ? &e->ratio : &e->narrow, true);
	const char *name = name_of(row->metric);

	if (verdict == VERDICT_WITHIN)
		print_line(" Verdict: ", "%s: A and B differ by less than %g %%: by %+.2f %% (90 %% interval %+.2f .. %+.2f).",
			name, 100 * margin, c.by, c.low, c.high);
	else if (verdict == VERDICT_NO_WORSE)
		print_line(" Verdict: ",
			"%s: B is no worse by more than %g %%: it differs by %+.2f %% (90 %% interval %+.2f .. %+.2f).", name,
			100 * margin, c.by, c.low, c.high);
	else
		print_line(" Verdict: ",
			"%s: cannot say whether B is worse by more than %g %%: it differs by %+.1f %% (%+.1f .. %+.1f). A change of that "
			"size wants about %.0f runs of each for a power of 80 %%.",
			name, 100 * margin, c.by, c.low, c.high,
			stat_needed(row->na < row->nb ? row->na : row->nb, e->ratio.error, log1p(margin)));
}

static void say_nothing_known(const struct row *row, enum verdict verdict)
{
	const char *name = name_of(row->metric);
	struct change c = change_of(&row->effect.ratio, true);

	switch (verdict) {
	case VERDICT_ONE_REPEATED:
		print_line(" Verdict: ",
			"%s: cannot say: the runs of a side are all the same. That is one run, repeated, and no sample.", name);
		break;
	case VERDICT_ZERO:
		print_line(" Verdict: ", "%s: cannot say by how much: it is 0 in one of the runs.", name);
		break;
	case VERDICT_NO_DIRECTION:
		print_line(" Verdict: ",
			"%s: B differs by %+.1f %% (%+.1f .. %+.1f), but cannot say whether that is worse; --better less or --better more "
			"tells.",
			name, c.by, c.low, c.high);
		break;
	default:
		print_line(" Verdict: ", "%s: too few runs to say: %zu and %zu; at least %d each are needed.", name, row->na,
			row->nb, is_tail(name) ? BOOTSTRAP_RUNS : VERDICT_RUNS);
	}
}

static void say_verdict(const struct row *row, enum verdict verdict, double margin)
{
	switch (verdict) {
	case VERDICT_BETTER:
	case VERDICT_WORSE:
		say_difference(row, verdict == VERDICT_WORSE, margin);
		break;
	case VERDICT_SAME:
		print_line(" Verdict: ", "%s: no difference: it is the same in both runs of each of the %zu pairs.",
			name_of(row->metric), row->na);
		break;
	case VERDICT_NOT_SEEN:
		print_line(" Verdict: ", "%s: no difference seen; one of %.1f %% would have been seen with 80 %% power.",
			name_of(row->metric), 100 * row->effect.detectable);
		break;
	case VERDICT_WITHIN:
	case VERDICT_NO_WORSE:
	case VERDICT_UNDECIDED:
		say_margin(row, verdict, margin);
		break;
	default:
		say_nothing_known(row, verdict);
	}
}

static const struct row *find_deciding(const struct row *row, size_t rows)
{
	for (size_t i = 0; i < rows; i++)
		if (row[i].decides)
			return &row[i];
	return NULL;
}

static enum decision decide(const struct row *row, const struct question *question)
{
	enum verdict verdict;

	verdict = verdict_of(&row->effect, row->na, row->nb, direction_of_metric(row->metric, question), question->margin);
	say_verdict(row, verdict, question->margin);
	return decision_of(verdict);
}

static bool has_metric(const struct metric *metric, size_t metrics, const char *name)
{
	for (size_t i = 0; i < metrics; i++)
		if (strcmp(name_of(&metric[i]), name) == 0)
			return true;
	return false;
}

/* There is no row to decide by. */
static enum decision decide_nothing(const struct contrast *contrast, const struct metric *metric, size_t metrics, const char *name)
{
	bool has_runs = contrast->a->count > 0 && contrast->b->count > 0;

	if (has_runs && !has_metric(metric, metrics, name)) {
		print_line(" Verdict: ", "none: there is no figure named %s", name);
		return NOT_ASKED;
	}
	print_line(" Verdict: ", "cannot say: %s",
		has_runs ? "no runs to compare have the figure" : "one of them has no run that counts");
	return UNDECIDED;
}

static void print_side(char letter, const char *file, const struct group *group)
{
	printf("   %c  %s%s%s, %zu run%s%s\n", letter, file ? file : "", file ? ": " : "", group->variant, group->count,
		plural(group->count), group->failed > 0 ? ", others failed and are left out" : "");
}

/* The time that it takes goes by a shorter name in tables. */
static struct question settle(const struct question *question, const struct contrast *contrast)
{
	const struct group *group = contrast->a->count > 0 ? contrast->a : contrast->b;
	struct question settled = *question;
	const struct run *run;

	if (group->count == 0 || settled.metric) {
		settled.metric = settled.metric ? settled.metric : "elapsed";
		return settled;
	}
	run = group->runs[0];
	settled.metric = strcmp(run->figure, "elapsed_ns") == 0 ? "elapsed" : run->figure;
	if (settled.direction == DIRECTION_UNKNOWN)
		settled.direction = run->more_is_better ? MORE_IS_BETTER : LESS_IS_BETTER;
	return settled;
}

enum decision comparison_print(const struct contrast *contrast, const struct question *asked)
{
	struct question settled = settle(asked, contrast), *question = &settled;
	struct group both[2] = { *contrast->a, *contrast->b };
	enum decision decision;
	size_t metrics, rows;
	struct metric *metric = metrics_make(both, 2, &metrics);
	struct row *row = allocate(NULL, metrics * sizeof *row);
	const struct row *deciding;

	printf("\n");
	print_line(" ", "%s", contrast->a->workload);
	print_side('A', contrast->file_a, contrast->a);
	print_side('B', contrast->file_b, contrast->b);
	print_line("   ", "%s: %s", contrast->paired ? "paired" : "not paired", contrast->why);
	rows = fill_rows(row, contrast, metric, metrics, question->metric);
	correct(row, rows);
	if (rows > 0)
		print_rows(row, rows);
	printf("\n");
	deciding = find_deciding(row, rows);
	decision = deciding ? decide(deciding, question) : decide_nothing(contrast, metric, metrics, question->metric);
	free(row);
	free(metric);
	return decision;
}
