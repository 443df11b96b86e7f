/* SPDX-License-Identifier: GPL-2.0-or-later
 * fairlog screen: the effect of each switch, and of each pair of them, of a two-level design. */
#include "tools/fairlog/commands.h"

#include "tools/fairlog/allocate.h"
#include "tools/fairlog/design.h"
#include "tools/fairlog/group.h"
#include "tools/fairlog/head.h"
#include "tools/fairlog/log.h"
#include "tools/fairlog/metric.h"
#include "tools/fairlog/page.h"

#include <errno.h>
#include <gsl/gsl_cdf.h>
#include <gsl/gsl_statistics_double.h>
#include <limits.h>
#include <math.h>
#include <string.h>

struct options {
	const char *metric; /* NULL: what the workload is judged by */
	unsigned boot;
};

/* What the variants gave, and how certain effects are. */
struct fit {
	struct design design;
	double half; /* of the interval of 95 % of an effect; NAN: there is none */
	double df;
	bool from_runs; /* or from the effects themselves */
};

/* ---- figures ---- */

static const char *judged_by(const struct group *group)
{
	const char *figure = group->count > 0 ? group->runs[0]->figure : "elapsed_ns";

	return strcmp(figure, "elapsed_ns") == 0 ? "elapsed" : figure;
}

/* From all metrics of the groups, the one of that name; *metrics is to be freed. */
static const struct metric *find_metric(const struct group *groups, size_t count, const char *name, struct metric **metrics)
{
	size_t nr;

	*metrics = metrics_make(groups, count, &nr);
	for (size_t i = 0; i < nr; i++) {
		const char *given = (*metrics)[i].name;

		if (strcmp(given + strspn(given, " "), name) == 0)
			return &(*metrics)[i];
	}
	return NULL;
}

/* Mean of the logarithms of a variant's runs, and the sum of the squares about it. False if a value has none, or there is none. */
static bool sum_up(const struct metric *metric, const struct group *group, size_t *runs, double *mean, double *squares)
{
	double *logs = allocate(NULL, (group->count + 1) * sizeof *logs);

	*runs = metric_values(metric, group, logs);
	for (size_t i = 0; i < *runs; i++)
		logs[i] = log(logs[i]);
	*mean = *runs > 0 ? gsl_stats_mean(logs, 1, *runs) : NAN;
	*squares = *runs > 1 ? gsl_stats_tss_m(logs, 1, *runs, *mean) : 0;
	free(logs);
	return isfinite(*mean);
}

/* An effect is a sum over the variants' means, each with a factor of +- 2 / variants. */
static void find_half(struct fit *fit, double squares, double inverses)
{
	double variants = fit->design.variants, error = 2 / variants * sqrt(squares / fit->df * inverses);

	fit->from_runs = fit->df > 0;
	if (!fit->from_runs)
		error = design_lenth(&fit->design, &fit->df);
	fit->half = error > 0 ? error * gsl_cdf_tdist_Pinv(0.975, fit->df) : NAN;
}

/* False if some variant has no figure above 0. */
static bool fit_make(struct fit *fit, const struct metric *metric, const struct group *groups)
{
	double *means = allocate(NULL, fit->design.variants * sizeof *means), squares = 0, inverses = 0, sum;
	bool ok = true;
	size_t runs;

	fit->df = 0;
	for (unsigned v = 0; ok && v < fit->design.variants; v++) {
		ok = sum_up(metric, &groups[v], &runs, &means[v], &sum);
		squares += sum;
		inverses += 1 / (double)runs;
		fit->df += (double)runs - 1;
	}
	if (ok) {
		design_fit(&fit->design, means);
		find_half(fit, squares, inverses);
	}
	free(means);
	return ok;
}

/* ---- the table ---- */

static double percent(double logarithm)
{
	return 100 * expm1(logarithm);
}

static void print_aliases(const struct term *term)
{
	char text[160] = "", letters[2 * DESIGN_FACTORS];
	unsigned kept = sizeof term->alias / sizeof term->alias[0];
	size_t used = 0;

	for (unsigned i = 0; i < term->aliases && i < kept; i++) {
		design_letters(term->alias[i], letters);
		used += (size_t)snprintf(text + used, sizeof text - used, " = %s%s", term->negative[i] ? "-" : "", letters);
	}
	printf("%s%s", text, term->aliases > kept ? " = ..." : "");
}

static void print_term(const struct fit *fit, const struct term *term)
{
	char letters[2 * DESIGN_FACTORS], names[200] = "";
	size_t used = 0;

	design_letters(term->factors, letters);
	for (unsigned f = 0; f < fit->design.factors; f++)
		if (term->factors >> f & 1)
			used += (size_t)snprintf(
				names + used, sizeof names - used, "%s%.60s", used > 0 ? " x " : "", fit->design.name[f]);
	printf("   %-4s %-44.44s %+9.2f", letters, names, percent(term->effect));
	if (isnan(fit->half))
		printf("   %-20s", "n/a");
	else
		printf("   %+8.2f .. %+8.2f", percent(term->effect - fit->half), percent(term->effect + fit->half));
	print_aliases(term);
	printf("\n");
}

static int larger_first(const void *left, const void *right)
{
	double a = fabs((*(const struct term *const *)left)->effect), b = fabs((*(const struct term *const *)right)->effect);

	return (a < b) - (a > b);
}

/* Single factors and pairs; the others served to tell noise. */
static void print_terms(const struct fit *fit)
{
	const struct term **sorted = allocate(NULL, fit->design.terms * sizeof(struct term *));
	size_t count = 0;

	for (unsigned i = 0; i < fit->design.terms; i++)
		if (__builtin_popcount(fit->design.term[i].factors) <= 2)
			sorted[count++] = &fit->design.term[i];
	qsort(sorted, count, sizeof *sorted, larger_first);
	for (size_t i = 0; i < count; i++)
		print_term(fit, sorted[i]);
	free(sorted);
}

static void print_certainty(const struct fit *fit)
{
	if (isnan(fit->half) && fit->from_runs)
		print_wrapped(" ",
			"All runs of a variant give the same figure, in all variants: there is no spread to make intervals from.");
	else if (isnan(fit->half))
		print_wrapped(
			" ", "There is one run of each variant, and most effects are 0: there is nothing to make intervals from.");
	else if (fit->from_runs)
		print_line(
			" ", "Intervals of 95 %% from the spread between the runs of a variant, %.0f degrees of freedom.", fit->df);
	else
		print_line(" ",
			"One run of each variant says nothing of noise. The intervals are Lenth's: they take most of the %u effects "
			"for noise, and are too wide where that is wrong (%.1f degrees of freedom).",
			fit->design.terms, fit->df);
}

static void print_fit(const struct fit *fit, const char *workload, const char *metric)
{
	const struct design *d = &fit->design;

	printf("\n");
	print_line(" ", "%s: %s, %u switch%s in %u of %u combinations", workload, metric, d->factors, d->factors == 1 ? "" : "es",
		d->variants, 1u << d->factors);
	for (unsigned f = 0; f < d->factors; f++)
		print_line("   ", "%c  %s: %s to %s", 'A' + (int)f, d->name[f], d->low[f], d->high[f]);
	printf("\n   %-4s %-44s %9s   %s\n", "", "", "per cent", "   95 % interval");
	print_terms(fit);
	printf("\n");
	print_certainty(fit);
}

/* ---- a log ---- */

/* An A/A control, which comes last, is no part of the design. */
static bool is_control(const char *variant)
{
	const char *mark = strstr(variant, " (A/A)");

	return mark && strcmp(mark, " (A/A)") == 0;
}

static bool make_design(struct design *design, const struct group *groups, size_t variants, char reason[DESIGN_REASON_BYTES])
{
	const char **names = allocate(NULL, variants * sizeof *names);
	bool ok;

	for (size_t i = 0; i < variants; i++)
		names[i] = groups[i].variant;
	ok = design_make(design, names, variants, reason);
	free(names);
	return ok;
}

static int screen_workload(const char *file, const struct group *groups, size_t variants, const char *wanted)
{
	const char *name = wanted ? wanted : judged_by(groups);
	char reason[DESIGN_REASON_BYTES];
	struct metric *metrics = NULL;
	const struct metric *metric;
	struct fit fit = { .half = NAN };
	int code = EXIT_DAMAGED;

	variants -= is_control(groups[variants - 1].variant);
	if (!make_design(&fit.design, groups, variants, reason)) {
		fprintf(stderr, "fairlog screen: %s: %s: %s\n", file, groups->workload, reason);
		return EXIT_UNREADABLE;
	}
	metric = find_metric(groups, variants, name, &metrics);
	if (!metric) {
		fprintf(stderr, "fairlog screen: %s: %s has no figure %s; fairlog summary shows which there are\n", file,
			groups->workload, name);
		code = EXIT_UNREADABLE;
	} else if (!fit_make(&fit, metric, groups)) {
		fprintf(stderr, "fairlog screen: %s: %s: a variant has no run with %s above 0; expected one in each\n", file,
			groups->workload, name);
	} else {
		print_fit(&fit, groups->workload, name);
		code = EXIT_WHOLE;
	}
	free(metrics);
	design_free(&fit.design);
	return code;
}

static int screen_workloads(const char *file, const struct boot *boot, const struct options *o)
{
	struct groups groups = groups_make(boot);
	int code = groups.count > 0 ? EXIT_WHOLE : EXIT_DAMAGED, worst;
	size_t variants;

	for (size_t i = 0; i < groups.count; i += variants) {
		variants = groups_same_workload(&groups.group[i], &groups);
		worst = screen_workload(file, &groups.group[i], variants, o->metric);
		code = worst > code ? worst : code;
	}
	groups_free(&groups);
	return code;
}

static void print_footer(void)
{
	print_wrapped(" ",
		"Of one switch: what its second value changes, averaged over the others. Of a pair: by how much the first one's effect is "
		"larger where the second is on than on average. What follows an equals sign has the same signs in this design and cannot be "
		"told from it. Of twenty effects that are none, one has an interval without 0.");
}

static int screen_log(FILE *in, const char *file, const struct options *o)
{
	int boots, code;
	struct boot *boot = log_read_boot(in, o->boot, &boots);

	if (!boot) {
		fprintf(stderr, "fairlog screen: %s: %s\n", file,
			boots < 0 ? strerror(errno)
			: o->boot ? "has no boot of that number"
				  : "there is no record in it");
		return boots == 0 ? EXIT_DAMAGED : EXIT_UNREADABLE;
	}
	print_head(file, boot, (unsigned)boots);
	code = screen_workloads(file, boot, o);
	if (code == EXIT_WHOLE) {
		print_footer();
		code = boot_is_whole(boot) && boot->runs_failed == 0 ? EXIT_WHOLE : EXIT_DAMAGED;
	}
	boot_free(boot);
	return code;
}

/* ---- the command line ---- */

static bool take_boot(const char *text, struct options *o)
{
	char *end;
	unsigned long value = strtoul(text, &end, 10);

	o->boot = (unsigned)value;
	return *text >= '0' && *text <= '9' && *end == '\0' && value > 0 && value <= INT_MAX;
}

static int refuse(const char *word)
{
	fprintf(stderr,
		"fairlog screen: %s: expected --metric NAME, --boot NUMBER, and a log or - for standard input; fairlog --help shows the "
		"usage\n",
		word);
	return EXIT_UNREADABLE;
}

/* The value of that option, behind an equals sign or as the next word, to which *args then moves; NULL: it is not that option. */
static const char *value_of(char ***args, const char *option)
{
	const char *word = **args;
	size_t length = strlen(option);

	if (strncmp(word, option, length) != 0)
		return NULL;
	if (word[length] == '=')
		return word + length + 1;
	return word[length] == '\0' && (*args)[1] ? *++*args : NULL;
}

static int screen_file(const char *file, const struct options *o)
{
	FILE *in = strcmp(file, "-") == 0 ? stdin : fopen(file, "rb");
	int code;

	if (!in) {
		fprintf(stderr, "fairlog screen: cannot open %s: %s\n", file, strerror(errno));
		return EXIT_UNREADABLE;
	}
	code = screen_log(in, in == stdin ? "standard input" : file, o);
	if (in != stdin)
		fclose(in);
	return code;
}

int command_screen(char **args)
{
	struct options o = { .metric = NULL };
	const char *file = NULL, *value;

	for (; *args; args++) {
		if ((value = value_of(&args, "--metric")))
			o.metric = value;
		else if ((value = value_of(&args, "--boot"))) {
			if (!take_boot(value, &o))
				return refuse(value);
		} else if (file || ((*args)[0] == '-' && (*args)[1] != '\0')) {
			return refuse(*args);
		} else {
			file = *args;
		}
	}
	return file ? screen_file(file, &o) : refuse("no log");
}
