/* SPDX-License-Identifier: GPL-2.0-or-later
 * What the runs decide, in a sentence. The decision is that of fairlog compare without a margin. */
#include "tools/fairlog/report.h"

#include "tools/fairlog/allocate.h"
#include "tools/fairlog/contrast.h"
#include "tools/fairlog/html.h"
#include "tools/fairlog/page.h"

#include <math.h>
#include <string.h>

/* From here on a factor says more than per cent. */
static const double LARGE_RATIO = 3;

static bool is_large(const struct ratio *r)
{
	return r->ratio >= LARGE_RATIO || r->ratio <= 1 / LARGE_RATIO;
}

/* Of per cents: as many as tell the ends of the interval apart; without one, three. */
static int decimals_of(const struct ratio *r)
{
	double width = 100 * (r->high - r->low);

	return width >= 0.5 ? 1 : width >= 0.05 ? 2 : 3;
}

/* With three digits. */
static const char *format_factor(double factor, char text[24])
{
	snprintf(text, 24, "%.*f", factor < 10 ? 2 : factor < 100 ? 1 : 0, factor);
	if (factor < 0.1 || factor >= 1e6)
		snprintf(text, 24, "%.2g", factor);
	return text;
}

const char *format_change(const struct ratio *r, char text[CHANGE_BYTES])
{
	double by = 100 * (r->ratio - 1);
	char ratio[24], low[24], high[24];

	if (r->state == RATIO_TOO_FEW)
		snprintf(text, CHANGE_BYTES, "too few runs");
	else if (r->state == RATIO_ZERO)
		snprintf(text, CHANGE_BYTES, "0 in a run");
	else if (r->state == RATIO_NO_SPREAD && r->ratio == 1)
		snprintf(text, CHANGE_BYTES, "the same");
	else if (r->state == RATIO_NO_SPREAD)
		snprintf(text, CHANGE_BYTES, "%+.*f\u00a0%% (no spread)", decimals_of(r), by);
	else if (is_large(r))
		snprintf(text, CHANGE_BYTES, "x %s (%s to %s)", format_factor(r->ratio, ratio), format_factor(r->low, low),
			format_factor(r->high, high));
	else
		snprintf(text, CHANGE_BYTES, "%+.*f\u00a0%% (%+.*f to %+.*f)", decimals_of(r), by, decimals_of(r),
			100 * (r->low - 1), decimals_of(r), 100 * (r->high - 1));
	return text;
}

/* ---- a comparison ---- */

struct judgement {
	const struct workload *workload;
	const struct group *first, *other;
	struct effect effect;
	size_t na, nb;
	bool paired;
};

static void say_workload(const struct workload *w)
{
	printf("<b>");
	html_textf("%s%s", w->group->workload, w->group->with);
	printf("</b>");
}

static void say_sides(const struct judgement *j, const char *between)
{
	html_text(j->other->variant);
	printf(" %s ", between);
	html_text(j->first->variant);
}

static void say_runs(const struct judgement *j)
{
	if (j->paired)
		printf("%zu pairs of runs", j->na);
	else
		printf("%zu and %zu runs, not paired", j->na, j->nb);
}

/* 4.0 % more (95 % interval: 3.9 to 4.1 %), with the end nearer to nothing first. */
static void say_by(const struct ratio *r)
{
	bool is_more = r->ratio > 1;
	double sign = is_more ? 1 : -1, by = sign * 100 * (r->ratio - 1);
	double near = sign * 100 * ((is_more ? r->low : r->high) - 1), far = sign * 100 * ((is_more ? r->high : r->low) - 1);
	char ratio[24], low[24], high[24];

	if (is_large(r))
		printf("%s times as much (95\u00a0%% interval: %s to %s times)", format_factor(r->ratio, ratio),
			format_factor(r->low, low), format_factor(r->high, high));
	else
		printf("%.*f\u00a0%% %s (95\u00a0%% interval: %.*f to %.*f\u00a0%%)", decimals_of(r), by, is_more ? "more" : "less",
			decimals_of(r), near, decimals_of(r), far);
}

static const char *word(const struct judgement *j, bool is_worse)
{
	if (strcmp(j->workload->judged.name, "elapsed") == 0)
		return is_worse ? "slower" : "faster";
	return is_worse ? "worse" : "better";
}

static void say_difference(const struct judgement *j, bool is_worse)
{
	printf("<b>");
	html_text(j->other->variant);
	printf(" is %s than ", word(j, is_worse));
	html_text(j->first->variant);
	printf(".</b> ");
	html_text(j->workload->judged.name);
	printf(" is ");
	say_by(&j->effect.ratio);
	printf(" over ");
	say_runs(j);
	printf("; %s is better.", j->workload->judged.direction == MORE_IS_BETTER ? "more" : "less");
}

static void say_not_seen(const struct judgement *j)
{
	char change[CHANGE_BYTES];

	printf("<b>No difference was seen</b> between ");
	say_sides(j, "and");
	printf(": ");
	html_text(j->workload->judged.name);
	printf(" differs by %s over ", format_change(&j->effect.ratio, change));
	say_runs(j);
	if (j->effect.detectable < 10)
		printf(". One of %.1f\u00a0%% would have been seen with 80\u00a0%% power.", 100 * j->effect.detectable);
	else
		printf(", which vary too much to see anything less than tenfold.");
}

static void say_cannot(const struct judgement *j, enum verdict verdict)
{
	printf("<b>Cannot say</b> how ");
	say_sides(j, "compares with");
	printf(" in ");
	html_text(j->workload->judged.name);
	if (verdict == VERDICT_ONE_REPEATED)
		printf(": the runs of a side are all the same, and that is one run, repeated, and no sample. It is %.1f\u00a0%% of the "
		       "other&#39;s.",
			100 * j->effect.ratio.ratio);
	else if (verdict == VERDICT_ZERO)
		printf(": it is 0 in one of the runs.");
	else
		printf(": there are %zu and %zu runs that count and have it, and at least %d of each are needed.", j->na, j->nb,
			is_tail(j->workload->judged.name) ? BOOTSTRAP_RUNS : VERDICT_RUNS);
}

static void say_judgement(const struct judgement *j, enum verdict verdict)
{
	switch (verdict) {
	case VERDICT_BETTER:
	case VERDICT_WORSE:
		say_difference(j, verdict == VERDICT_WORSE);
		break;
	case VERDICT_NOT_SEEN:
		say_not_seen(j);
		break;
	case VERDICT_SAME:
		printf("<b>No difference</b> between ");
		say_sides(j, "and");
		printf(": ");
		html_text(j->workload->judged.name);
		printf(" is the same in both runs of each of the %zu pairs.", j->na);
		break;
	default:
		say_cannot(j, verdict);
	}
}

static const char *class_of(enum verdict verdict)
{
	return verdict == VERDICT_BETTER ? " better" : verdict == VERDICT_WORSE ? " worse" : "";
}

static void report_verdict(const struct workload *w, const struct group *other)
{
	struct contrast contrast = contrast_make(w->boot, w->group, w->boot, other);
	double *a, *b;
	struct samples samples = contrast_samples(&contrast, w->judged.metric, &a, &b);
	struct judgement j = { w, w->group, other, effect_of(&samples, is_tail(w->judged.name)), samples.na, samples.nb,
		samples.paired };
	enum verdict verdict = verdict_of(&j.effect, samples.na, samples.nb, w->judged.direction, 0);

	printf("<p class=\"verdict%s\">", class_of(verdict));
	say_workload(w);
	printf(": ");
	say_judgement(&j, verdict);
	printf("</p>\n");
	free(a);
	free(b);
}

/* ---- nothing to compare ---- */

static void report_only(const struct workload *w)
{
	double *values = allocate(NULL, w->group->count * sizeof *values);
	size_t count = metric_values(w->judged.metric, w->group, values);
	struct estimate estimate = stat_estimate(values, count);

	printf("<p class=\"verdict\">");
	say_workload(w);
	printf(": ");
	html_text(w->judged.name);
	printf(" is %.*f %s", w->judged.metric->decimals, estimate.mean, w->judged.metric->unit);
	if (count > 1)
		printf(" \u00b1 %.2f %%", stat_percent(&estimate));
	printf(", over %zu run%s of ", count, plural(count));
	html_text(w->group->variant);
	printf("; %s is better. There is one variant, so there is nothing to compare.</p>\n",
		w->judged.direction == MORE_IS_BETTER ? "more" : "less");
	free(values);
}

static void report_none(const struct workload *w)
{
	printf("<p class=\"verdict\">");
	say_workload(w);
	if (w->judged.name) {
		printf(": cannot say anything: it is judged by ");
		html_text(w->judged.name);
		printf(", and no run has that figure.");
	} else {
		printf(": cannot say anything: no run of it counts.");
	}
	printf("</p>\n");
}

void report_verdicts(const struct workload *w)
{
	if (!w->judged.metric)
		report_none(w);
	else if (w->variants == 1)
		report_only(w);
	for (size_t i = 1; w->judged.metric && i < w->variants; i++)
		report_verdict(w, &w->group[i]);
}
