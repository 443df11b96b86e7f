/* SPDX-License-Identifier: GPL-2.0-or-later
 * Words that need explaining. What a record's field means is said where it is defined, in base/record.def. */
#include "tools/fairlog/report.h"

#include "tools/fairlog/account.h"
#include "tools/fairlog/html.h"

static const struct entry {
	const char *term, *text;
} method[] = {
	{ "variant", "a setting of the switches; the first one is what the others are compared with" },
	{ "warm-up", "a run that is made first and does not count" },
	{ "±", "standard error of the mean, in per cent of the mean" },
	{ "95 % interval",
		"made so that 19 of 20 such intervals contain the true change. It rests on the spread between the runs of this boot and "
		"knows nothing of other boots, images or machines" },
	{ "pairs", "runs of the same number under two variants, neighbours in time: drift cancels in their differences" },
	{ "80 % power", "four of five such experiments would see a change of that size" },
	{ "x 3.20", "3.20 times as much; changes are of geometric means, and of means for percentiles" },
};

static const struct field_entry {
	const char *term;
	enum record_field field;
} fields[] = {
	{ "elapsed", FIELD_run_elapsed_ns },
	{ "task-clock", FIELD_run_task_clock_ns },
	{ "wasted", FIELD_run_wasted_ns },
};

static const struct field_entry counts[] = {
	{ "context switches", FIELD_run_context_switches },
	{ "voluntary", FIELD_run_voluntary_switches },
	{ "involuntary", FIELD_run_involuntary_switches },
	{ "migrations", FIELD_run_migrations },
	{ "wakeups, local", FIELD_run_wakeups_local },
	{ "wakeups, remote", FIELD_run_wakeups_remote },
	{ "newidle attempts", FIELD_run_balance_newidle_attempts },
	{ "newidle pulls", FIELD_run_balance_newidle_pulls },
};

static const struct entry latency = { "wakeup latency",
	"time from the wakeup of a task until it ran; its 99 % is what 99 of 100 wakeups do "
	"not exceed" };

static void put_entry(const char *term, const char *text)
{
	printf("<dt>%s</dt><dd>%s</dd>\n", term, text);
}

static void put_fields(const struct field_entry *entry, size_t count)
{
	for (size_t i = 0; i < count; i++)
		put_entry(entry[i].term, record_meaning(entry[i].field));
}

void report_glossary(void)
{
	printf("<h2 id=\"glossary\">Words</h2>\n<dl>\n");
	for (size_t i = 0; i < sizeof method / sizeof method[0]; i++)
		put_entry(method[i].term, method[i].text);
	put_fields(fields, sizeof fields / sizeof fields[0]);
	for (unsigned i = 0; i < WASTE_CAUSES; i++)
		put_entry(waste_cause_name[i], record_meaning(FIELD_run_wasted_not_due_ns + i));
	put_fields(counts, sizeof counts / sizeof counts[0]);
	put_entry(latency.term, latency.text);
	printf("</dl>\n");
}
