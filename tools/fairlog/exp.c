/* SPDX-License-Identifier: GPL-2.0-or-later
 * fairlog exp: a published experiment run again, ours beside theirs. */
#include "tools/fairlog/commands.h"

#include "tools/fairlog/allocate.h"
#include "tools/fairlog/contrast.h"
#include "tools/fairlog/head.h"
#include "tools/fairlog/log.h"
#include "tools/fairlog/metric.h"
#include "tools/fairlog/page.h"
#include "tools/fairlog/published.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

struct comparison {
	const struct boot *boot;
	const json_t *plan;
	struct groups groups;
	const struct published *last; /* whose workload and variants have been named */
	unsigned count[CANNOT_SAY + 1];
};

/* ---- ours ---- */

static const char *planned_workload(const json_t *plan, const struct published *figure)
{
	const char *text = json_string_value(json_array_get(record_get(plan, FIELD_plan_workloads), figure->workload));
	size_t length = strlen(figure->name);

	return text && strncmp(text, figure->name, length) == 0 && (text[length] == ' ' || text[length] == '\0') ? text : NULL;
}

static const struct group *find_group(const struct comparison *c, const struct published *figure, const char *variant)
{
	const char *workload = planned_workload(c->plan, figure);

	for (size_t i = 0; workload && i < c->groups.count; i++) {
		const struct group *group = &c->groups.group[i];

		if (strcmp(group->workload, workload) == 0 && strcmp(group->variant, variant) == 0)
			return group;
	}
	return NULL;
}

static struct ratio ratio_of(const struct contrast *contrast, const struct metric *metric)
{
	double *a, *b;
	struct samples samples = contrast_samples(contrast, metric, &a, &b);
	struct ratio ratio = { .state = RATIO_TOO_FEW, .ratio = NAN };

	if (samples.na > 0 && samples.nb > 0)
		ratio = contrast_effect(contrast, metric, &samples, false).ratio;
	free(a);
	free(b);
	return ratio;
}

/* As fairlog compare has it. */
static struct ratio our_ratio(const struct comparison *c, const struct published *figure)
{
	struct ratio ratio = { .state = RATIO_TOO_FEW, .ratio = NAN };
	const struct group *first = find_group(c, figure, figure->first), *other = find_group(c, figure, figure->other);
	struct contrast contrast;
	struct metric *metric;
	size_t metrics;

	if (!first || !other)
		return ratio;
	contrast = contrast_make(c->boot, first, c->boot, other);
	metric = metrics_make(first, 1, &metrics);
	for (size_t i = 0; i < metrics; i++) {
		if (strcmp(metric[i].name, figure->metric) == 0)
			ratio = ratio_of(&contrast, &metric[i]);
	}
	free(metric);
	return ratio;
}

/* ---- the table ---- */

static double percent(double ratio)
{
	return 100 * (ratio - 1);
}

static void format_change(char text[40], const struct ratio *r)
{
	if (isnan(r->ratio))
		snprintf(text, 40, "no figure");
	else if (r->state == RATIO_KNOWN)
		snprintf(text, 40, "%+.1f %% (%+.1f .. %+.1f)", percent(r->ratio), percent(r->low), percent(r->high));
	else
		snprintf(text, 40, "%+.1f %%", percent(r->ratio));
}

static void print_title(struct comparison *c, const struct published *f)
{
	const char *workload = planned_workload(c->plan, f);

	if (c->last && c->last->workload == f->workload && strcmp(c->last->other, f->other) == 0)
		return;
	c->last = f;
	printf("\n");
	print_line(" ", "%s: %s against %s", workload ? workload : f->name, f->other, f->first);
	printf("\n   %-22s %-26s %-26s\n", "", "published", "here");
}

static void print_figure(void *context, const struct published *figure)
{
	static const char *const words[] = { [AGREES] = "agrees",
		[OTHER_SIZE] = "same direction, other size",
		[CONTRADICTED] = "contradicted",
		[CANNOT_SAY] = "cannot say" };
	struct comparison *c = context;
	struct ratio theirs = published_ratio(figure), ours = our_ratio(c, figure);
	enum agreement agreement = published_agreement(&theirs, &ours);
	char published[40], here[40];

	print_title(c, figure);
	format_change(published, &theirs);
	format_change(here, &ours);
	printf("   %-22.22s %-26s %-26s %s\n", figure->metric, published, here, words[agreement]);
	c->count[agreement]++;
}

static void print_footer(const struct comparison *c, const struct boot *boot)
{
	const char *on = boot->record[RECORD_boot] ? record_get_string(boot->record[RECORD_boot], FIELD_boot_machine) : "metal";
	uint64_t scale = record_get_uint(c->plan, FIELD_plan_scale_percent);

	printf("\n");
	print_line(" ", "%u agree, %u have the same direction and another size, %u are contradicted, of %u it cannot be said.",
		c->count[AGREES], c->count[OTHER_SIZE], c->count[CONTRADICTED], c->count[CANNOT_SAY]);
	print_wrapped(" ",
		"In brackets: intervals of 95 %. Published ones are from the standard errors given with the figures; from rounding, where whole "
		"per cent were given; from the spread between the tasks of the one run that there was. Ours are as fairlog compare has them, "
		"from the runs of this boot. A figure agrees if both have the same direction and the intervals meet; where an interval has 0 "
		"in it its direction is not known.");
	if (scale != 100)
		print_line(" ",
			"This ran at %" PRIu64
			" %% of the length published; what starting and stopping cost weighs more in short runs.",
			scale);
	print_wrapped(
		" ", strcmp(on, "metal") == 0
			     ? "Theirs was Linux with all that it does besides, on one boot of each kernel; this is a kernel "
			       "with their scheduling rules and little else."
			     : "Theirs was Linux on real machines, with caches, turbo and all that it does besides; here time is "
			       "virtual, caches are a charge for a move, and no frequency changes. Sizes rest on that; "
			       "directions are what to look at.");
}

/* ---- a log ---- */

static enum part part_of(const json_t *plan, const json_t *machine)
{
	return record_get_uint(plan, FIELD_plan_cpus) < record_get_uint(machine, FIELD_machine_cpus) ? ONE_NODE : WHOLE;
}

static void print_comparison(const struct boot *boot, const char *experiment)
{
	const json_t *machine = boot->record[RECORD_machine];
	struct comparison c = { .boot = boot, .plan = boot->record[RECORD_plan], .groups = groups_make(boot) };
	const char *name = published_machine(machine);

	if (!name || !published_each(experiment, name, part_of(c.plan, machine), print_figure, &c))
		printf("\n No figure of %s was published of a machine, or part of one, of this shape.\n", experiment);
	else
		print_footer(&c, boot);
	groups_free(&c.groups);
}

static int show(const char *file, const struct boot *boot, unsigned boots)
{
	const json_t *plan = boot->record[RECORD_plan];

	print_head(file, boot, boots);
	if (!plan || !boot->record[RECORD_machine]) {
		fprintf(stderr, "fairlog exp: %s: there is no plan or no machine record; expected both\n", file);
		return EXIT_DAMAGED;
	}
	if (!*record_get_string(plan, FIELD_plan_experiment)) {
		fprintf(stderr, "fairlog exp: %s: its plan names no published experiment; expected a log of exp=NAME\n", file);
		return EXIT_UNREADABLE;
	}
	print_comparison(boot, record_get_string(plan, FIELD_plan_experiment));
	return boot_is_whole(boot) && boot->runs_failed == 0 ? EXIT_WHOLE : EXIT_DAMAGED;
}

int command_exp(FILE *in, const char *file, unsigned only_boot)
{
	int boots, code = EXIT_UNREADABLE;
	struct boot *boot = log_read_boot(in, only_boot, &boots);

	if (boot) {
		code = show(file, boot, (unsigned)boots);
	} else {
		fprintf(stderr, "fairlog exp: %s: %s\n", file,
			boots < 0   ? strerror(errno)
			: only_boot ? "has no boot of that number"
				    : "there is no record in it");
		code = boots == 0 ? EXIT_DAMAGED : EXIT_UNREADABLE;
	}
	boot_free(boot);
	return code;
}
