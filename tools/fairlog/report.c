/* SPDX-License-Identifier: GPL-2.0-or-later
 * fairlog report: a page for people: what the runs decide first, then the numbers and pictures, then how they were made and what is
 * missing. */
#include "tools/fairlog/commands.h"

#include "tools/fairlog/allocate.h"
#include "tools/fairlog/head.h"
#include "tools/fairlog/html.h"
#include "tools/fairlog/log.h"
#include "tools/fairlog/page.h"
#include "tools/fairlog/report.h"

#include <errno.h>
#include <string.h>

static unsigned logs; /* on the page so far */

void command_report_begin(void)
{
	html_begin("Fairmetal report");
	printf("<h1>Fairmetal report</h1>\n");
}

void command_report_end(void)
{
	report_glossary();
	printf("<footer><p>Made by <code>fairlog report</code> of %u log%s; it has no scripts and loads nothing.</p></footer>\n",
		logs, plural(logs));
	html_end();
}

/* ---- workloads ---- */

struct workloads {
	struct workload *workload;
	size_t count;
};

static struct workloads workloads_make(const struct boot *boot, const struct groups *groups)
{
	struct workloads all = { allocate(NULL, groups->count * sizeof(struct workload)), 0 };
	size_t variants;

	for (size_t i = 0; i < groups->count; i += variants) {
		struct workload *w = &all.workload[all.count++];

		variants = groups_same_workload(&groups->group[i], groups);
		*w = (struct workload){
			.boot = boot, .group = &groups->group[i], .variants = variants, .planned_runs = groups->planned_runs
		};
		w->metric = metrics_make(w->group, variants, &w->metrics);
		w->judged = judged_by(w->group, variants, w->metric, w->metrics);
	}
	return all;
}

static void workloads_free(struct workloads *all)
{
	for (size_t i = 0; i < all->count; i++)
		free(all->workload[i].metric);
	free(all->workload);
}

static void put_workload(const struct workload *w)
{
	printf("<section>\n<h3>");
	html_textf("%s%s", w->group->workload, w->group->with);
	printf("</h3>\n");
	report_table(w);
	report_pictures(w);
	printf("</section>\n");
}

/* ---- a log ---- */

/* At the top of a log that is not whole, so that nobody reads on without knowing. */
static void put_alarm(const struct boot *boot)
{
	char verdict[VERDICT_BYTES];

	if (boot_is_whole(boot) && boot->runs_failed == 0 && !boot->record[RECORD_fault])
		return;
	printf("<p class=\"alarm\"><b>This log is not all there, or not all of it went well.</b> ");
	html_text(boot_verdict(boot, verdict));
	printf(". What is below is of what is left; <a href=\"#missing-%u\">what is missing</a>.</p>\n", logs);
}

static void put_missing(const struct boot *boot, unsigned boots, const struct workloads *all)
{
	bool any;

	printf("<h3 id=\"missing-%u\">What is missing or damaged</h3>\n<ul>\n", logs);
	any = report_missing(boot);
	for (size_t i = 0; i < all->count; i++)
		any |= report_left_out(&all->workload[i]);
	if (boots > 1)
		printf("<li>The file has %u boots; this is boot %u, and --boot N shows another.</li>\n", boots, boot->number);
	else if (!any)
		printf("<li>Nothing: all records are there and all runs went well.</li>\n");
	printf("</ul>\n");
}

static void put_runs(const struct boot *boot, unsigned boots)
{
	struct groups groups = groups_make(boot);
	struct workloads all = workloads_make(boot, &groups);

	if (all.count == 0)
		printf("<p class=\"verdict\"><b>There are no runs in this log.</b></p>\n");
	for (size_t i = 0; i < all.count; i++)
		report_verdicts(&all.workload[i]);
	for (size_t i = 0; i < all.count; i++)
		put_workload(&all.workload[i]);
	report_varied(&groups);
	report_machine(boot);
	report_how(boot);
	put_missing(boot, boots, &all);
	workloads_free(&all);
	groups_free(&groups);
}

static void put_note(const char *note)
{
	printf("<p class=\"note soft\">Mind that ");
	html_text(note);
	printf(".</p>\n");
}

static void put_accounts(const json_t *plan)
{
	if (plan && !is_accounted_for(plan, "waste"))
		put_note("wasted time was not accounted for (waste=0): its figures are 0 and mean nothing");
	if (plan && !is_accounted_for(plan, "latency"))
		put_note("latencies of wakeups were not noted (latency=0): their figures are 0 and mean nothing");
}

static void put_log(const char *file, const struct boot *boot, unsigned boots)
{
	static const struct workloads none = { NULL, 0 };
	char note[NOTE_BYTES];

	logs++;
	printf("<article>\n<h2>");
	html_text(file);
	printf("</h2>\n");
	put_alarm(boot);
	if (boot->format_known) {
		if (*head_note(boot, note))
			put_note(note);
		put_accounts(boot->record[RECORD_plan]);
		put_runs(boot, boots);
	} else {
		put_missing(boot, boots, &none);
	}
	printf("</article>\n");
}

/* Also on the page, which may be all that somebody sees. */
static void put_unreadable(const char *file, const char *why)
{
	logs++;
	printf("<article>\n<h2>");
	html_text(file);
	printf("</h2>\n<p class=\"alarm\"><b>Nothing can be said of this log:</b> ");
	html_text(why);
	printf("</p>\n</article>\n");
}

int command_report(FILE *in, const char *file, unsigned only_boot)
{
	int boots, code = EXIT_UNREADABLE;
	struct boot *boot = log_read_boot(in, only_boot, &boots);

	if (boots < 0) {
		put_unreadable(file, strerror(errno));
		fprintf(stderr, "fairlog report: cannot read %s: %s\n", file, strerror(errno));
	} else if (boots == 0) {
		put_unreadable(file, "there is no record in it");
		code = EXIT_DAMAGED;
	} else if (!boot) {
		put_unreadable(file, "it has no boot of the number that was asked for");
		fprintf(stderr, "fairlog report: --boot %u: expected a number from 1 to %d, the boots in %s\n", only_boot, boots,
			file);
	} else {
		put_log(file, boot, (unsigned)boots);
		code = boot_is_whole(boot) ? EXIT_WHOLE : EXIT_DAMAGED;
	}
	boot_free(boot);
	return code;
}
