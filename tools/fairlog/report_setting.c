/* SPDX-License-Identifier: GPL-2.0-or-later
 * Under which switches, on which machine and how the runs were made, and how much of that is in the log. */
#include "tools/fairlog/report.h"

#include "tools/fairlog/allocate.h"
#include "tools/fairlog/head.h"
#include "tools/fairlog/html.h"
#include "tools/fairlog/page.h"
#include "tools/fairlog/recipe.h"
#include "tools/fairlog/topology.h"

#include <inttypes.h>
#include <string.h>

/* ---- switches ---- */

/* A variant's switches, as its first run had them. */
struct setting {
	const char *variant;
	const char *text; /* the same pointer for the same switches */
	json_t *knobs;
	bool differs; /* between the runs of this variant */
};

struct settings {
	struct setting *setting;
	size_t count;
};

static struct setting *find_setting(struct settings *settings, const char *variant)
{
	for (size_t i = 0; i < settings->count; i++) {
		if (strcmp(settings->setting[i].variant, variant) == 0)
			return &settings->setting[i];
	}
	settings->setting = allocate(settings->setting, (settings->count + 1) * sizeof *settings->setting);
	settings->setting[settings->count] = (struct setting){ .variant = variant };
	return &settings->setting[settings->count++];
}

static struct settings settings_make(const struct groups *groups)
{
	struct settings settings = { 0 };

	for (size_t i = 0; i < groups->count; i++) {
		const struct group *group = &groups->group[i];

		for (size_t r = 0; r < group->count; r++) {
			struct setting *setting = find_setting(&settings, group->variant);

			if (!setting->text) {
				setting->text = group->runs[r]->knobs;
				setting->knobs = json_loads(setting->text, 0, NULL);
			}
			setting->differs |= setting->text != group->runs[r]->knobs;
		}
	}
	return settings;
}

static void settings_free(struct settings *settings)
{
	for (size_t i = 0; i < settings->count; i++)
		json_decref(settings->setting[i].knobs);
	free(settings->setting);
}

/* An absent switch is NULL. */
static bool varies(const struct settings *settings, const char *name)
{
	const json_t *first = json_object_get(settings->setting[0].knobs, name);

	for (size_t i = 1; i < settings->count; i++) {
		const json_t *other = json_object_get(settings->setting[i].knobs, name);

		if (first != other && !json_equal(first, other))
			return true;
	}
	return false;
}

static void put_value(const json_t *value)
{
	if (json_is_integer(value))
		printf("%" PRIu64, record_integer(value));
	else
		html_text(value ? json_string_value(value) : "(not there)");
}

static void put_knob(const struct settings *settings, const char *name)
{
	printf("<tr><th scope=\"row\">");
	html_text(name);
	printf("</th>");
	for (size_t i = 0; i < settings->count; i++) {
		printf("<td class=\"text\">");
		put_value(json_object_get(settings->setting[i].knobs, name));
		printf("</td>");
	}
	printf("</tr>\n");
}

static void put_knobs_head(const struct settings *settings)
{
	printf("<div class=\"scroll\" tabindex=\"0\"><table>\n<thead><tr><th scope=\"col\">switch</th>");
	for (size_t i = 0; i < settings->count; i++) {
		printf("<th scope=\"col\" class=\"text\">");
		html_text(settings->setting[i].variant);
		printf("%s</th>", settings->setting[i].differs ? " *" : "");
	}
	printf("</tr></thead>\n<tbody>\n");
}

/* Goes by the names that the first variant has; kernels of one boot have the same in all. Returns how many rows there are. */
static size_t put_knobs(const struct settings *settings, bool only_varied)
{
	json_t *first = settings->setting[0].knobs;
	size_t rows = 0;

	for (void *at = json_object_iter(first); at; at = json_object_iter_next(first, at)) {
		const char *name = json_object_iter_key(at);

		if (only_varied && !varies(settings, name))
			continue;
		if (rows++ == 0)
			put_knobs_head(settings);
		put_knob(settings, name);
	}
	if (rows > 0)
		printf("</tbody></table></div>\n");
	return rows;
}

static bool any_differs(const struct settings *settings)
{
	for (size_t i = 0; i < settings->count; i++) {
		if (settings->setting[i].differs)
			return true;
	}
	return false;
}

void report_varied(const struct groups *groups)
{
	struct settings settings = settings_make(groups);

	printf("<h3>What was varied</h3>\n");
	if (settings.count == 0) {
		printf("<p>Not known: no run counts.</p>\n");
	} else {
		if (put_knobs(&settings, true) == 0)
			printf("<p>%s</p>\n",
				settings.count == 1 ? "Nothing: there is one variant." : "No switch differs between the variants.");
		if (any_differs(&settings))
			printf("<p class=\"note\">* Not the same in all runs of this variant; shown as its first run had it.</p>\n");
		printf("<details><summary>All switches</summary>\n");
		put_knobs(&settings, false);
		printf("</details>\n");
	}
	settings_free(&settings);
}

/* ---- the machine ---- */

static void put_term(const char *term)
{
	printf("<dt>%s</dt><dd>", term);
}

static void put_string(const char *term, const json_t *record, enum record_field field)
{
	put_term(term);
	html_text(record_get_string(record, field));
	printf("</dd>\n");
}

static void put_count(const json_t *machine, enum record_field field, const char *what, const char *end)
{
	uint64_t count = record_get_uint(machine, field);

	printf("%" PRIu64 " %s%s%s", count, what, plural(count), end);
}

void report_machine(const struct boot *boot)
{
	const json_t *machine = boot->record[RECORD_machine];
	char topology[TOPOLOGY_BYTES];

	printf("<h3>The machine</h3>\n");
	if (!machine) {
		printf("<p>Not known: the log has no machine record.</p>\n");
		return;
	}
	printf("<dl>\n");
	put_string("processor", machine, FIELD_machine_cpu_model);
	put_term("shape");
	put_count(machine, FIELD_machine_cpus, "CPU", ", ");
	put_count(machine, FIELD_machine_cores, "core", ", ");
	put_count(machine, FIELD_machine_llcs, "last-level cache", ", ");
	put_count(machine, FIELD_machine_packages, "package", ", ");
	put_count(machine, FIELD_machine_nodes, "node", "</dd>\n");
	put_term("topology");
	html_text(topology_text(machine, topology));
	printf("</dd>\n");
	put_term("memory");
	printf("%" PRIu64 " MiB</dd>\n", record_get_uint(machine, FIELD_machine_memory_bytes) >> 20);
	put_term("clock");
	html_text(record_get_string(machine, FIELD_machine_clocksource));
	printf(", %" PRIu64 " Hz</dd>\n", record_get_uint(machine, FIELD_machine_clocksource_hz));
	put_string("hypervisor", machine, FIELD_machine_hypervisor);
	printf("</dl>\n");
}

/* ---- how it was run ---- */

static void put_recipe(const struct boot *boot)
{
	struct recipe recipe = recipe_of(boot);

	if (recipe.by_hand)
		printf("<p>To do it again, start the image with this command line:</p>\n");
	else
		printf("<p>To do it again:</p>\n");
	printf("<pre>");
	html_text(recipe.text);
	printf("</pre>\n");
	if (recipe.same_log)
		printf("<p class=\"note soft\">The same build gives the same log, byte for byte.</p>\n");
	free(recipe.text);
}

static void put_plan(const json_t *plan)
{
	uint64_t runs = record_get_uint(plan, FIELD_plan_runs), warmup = record_get_uint(plan, FIELD_plan_warmup);

	put_term("plan");
	printf("%" PRIu64 " run%s of each workload under each variant, after %" PRIu64 " warm-up%s; order ", runs, plural(runs),
		warmup, plural(warmup));
	html_text(record_get_string(plan, FIELD_plan_order));
	printf(", seed %" PRIu64 "</dd>\n", record_get_uint(plan, FIELD_plan_seed));
}

void report_how(const struct boot *boot)
{
	const json_t *record = boot->record[RECORD_boot], *plan = boot->record[RECORD_plan];
	char note[NOTE_BYTES];

	printf("<h3>How it was run</h3>\n<dl>\n");
	if (record) {
		put_string("started on", record, FIELD_boot_machine);
		put_string("source", record, FIELD_boot_version);
		put_string("build", record, FIELD_boot_build);
		put_string("loader", record, FIELD_boot_loader);
	}
	if (plan)
		put_plan(plan);
	if (*head_note(boot, note)) {
		put_term("times");
		html_text(note);
		printf("</dd>\n");
	}
	printf("</dl>\n");
	if (record && boot->record[RECORD_machine])
		put_recipe(boot);
	else
		printf("<p>The log has no %s record: how to do it again is not known.</p>\n", record ? "machine" : "boot");
}

/* ---- what is missing ---- */

static void put_fault(const json_t *fault)
{
	printf("<li>The machine stopped by a fault: ");
	html_textf("%s on CPU %" PRIu64 ", task %s: %s", record_get_string(fault, FIELD_fault_kind),
		record_get_uint(fault, FIELD_fault_cpu), record_get_string(fault, FIELD_fault_task),
		record_get_string(fault, FIELD_fault_message));
	printf("</li>\n");
}

bool report_missing(const struct boot *boot)
{
	uint64_t kept = boot->problems < PROBLEMS_KEPT ? boot->problems : PROBLEMS_KEPT;

	for (uint64_t i = 0; i < kept; i++) {
		printf("<li>");
		html_text(boot->problem[i]);
		printf("</li>\n");
	}
	if (boot->problems > kept)
		printf("<li>and %" PRIu64 " more, which fairlog check lists</li>\n", boot->problems - kept);
	if (boot->record[RECORD_fault])
		put_fault(boot->record[RECORD_fault]);
	return boot->problems > 0 || boot->record[RECORD_fault];
}
