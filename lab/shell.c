/* SPDX-License-Identifier: GPL-2.0-or-later
 * The interactive console. There is one grammar: what is typed becomes words of a kernel command line, behind those that hold so
 * far, and lab/plan.c takes all of it apart as it does at boot. */
#include "lab/shell.h"

#include "base/cmdline.h"
#include "base/lineedit.h"
#include "base/results.h"
#include "base/text.h"

enum { SETTINGS_BYTES = 4096 };

static struct {
	struct plan *plan;
	struct outcome *out;
	char settings[SETTINGS_BYTES]; /* words that hold for every run */
	char line[SETTINGS_BYTES];     /* those and what was typed: what plan refers to */
	bool over;
} shell;

static struct lineedit editor;

/* ---- words, as they were written: with their quotes ---- */

struct word {
	const char *start;
	size_t bytes;
	char name[TEXT_BYTES + 8]; /* unquoted, up to its = */
};

/* 1; 0: there are no more; or why it cannot be split. */
static int next_word(const char **s, struct word *w)
{
	int got;
	char *equals;

	while (text_is_space(**s))
		++*s;
	w->start = *s;
	got = cmdline_next(s, w->name, sizeof(w->name));
	w->bytes = (size_t)(*s - w->start);
	equals = strchr(w->name, '=');
	if (got == 1 && equals)
		*equals = '\0';
	return got;
}

static bool has_word(const char *words, const char *name)
{
	struct word w;

	while (next_word(&words, &w) == 1)
		if (!strcmp(w.name, name))
			return true;
	return false;
}

static int append(char *dst, const char *text, size_t bytes)
{
	size_t used = strlen(dst);

	if (used + bytes + 2 > SETTINGS_BYTES)
		return -E_RANGE;
	if (used)
		dst[used++] = ' ';
	memcpy(dst + used, text, bytes);
	dst[used + bytes] = '\0';
	return 0;
}

/* Those of `words` that `except` does not name. */
static void append_others(
	char *dst, const char *words, bool (*except)(const char *name, const void *argument), const void *argument)
{
	struct word w;

	while (next_word(&words, &w) == 1)
		if (!except(w.name, argument))
			append(dst, w.start, w.bytes);
}

/* What describes one experiment does not hold for the next. */
static bool is_experiment(const char *name, const void *unused)
{
	static const char *const names[] = { "run", "with", "vary", "variant", "exp", "help", "provoke" };

	(void)unused;
	for (unsigned i = 0; i < ARRAY_SIZE(names); i++)
		if (!strcmp(name, names[i]))
			return true;
	return false;
}

static bool is_overridden(const char *name, const void *words)
{
	return has_word(words, name);
}

/* ---- from words to a plan ---- */

/* Back to what holds for every run; it was understood before. */
static void settle(void)
{
	memset(shell.plan, 0, sizeof(*shell.plan));
	plan_parse(shell.plan, shell.settings);
}

static bool understood(const char *words)
{
	shell.line[0] = '\0';
	append_others(shell.line, shell.settings, is_overridden, words);
	memset(shell.plan, 0, sizeof(*shell.plan));
	if (append(shell.line, words, strlen(words))) {
		say("Error: too many words\n");
		return false;
	}
	if (!plan_parse(shell.plan, shell.line))
		return true;
	say("Error: %s\n", shell.plan->error);
	return false;
}

/* The machine has read its own before the kernel began. */
static bool names_machine(const char *words)
{
	unsigned nr = 0;
	struct word w;

	while (machine_knobs[nr])
		nr++;
	while (next_word(&words, &w) == 1)
		if (knob_named(machine_knobs, nr, w.name)) {
			say("Error: %s is the machine's own and can only be set where it boots\n", w.name);
			return true;
		}
	return false;
}

static void run_planned(void)
{
	report_plan(shell.plan);
	report_knobs();
	experiment_run(shell.plan, shell.out);
}

static void obey_words(const char *words)
{
	if (names_machine(words))
		return;
	if (!understood(words))
		settle();
	else if (shell.plan->list)
		say_workloads(), settle();
	else if (param.help)
		report_help(), settle();
	else if (shell.plan->nr_workloads)
		run_planned(), settle();
	else
		text_copy(shell.settings, sizeof(shell.settings), shell.line);
}

/* ---- commands ---- */

static void do_help(const char *rest);

/* Quoted, more words may follow; otherwise all of it is the workload's. */
static void do_run(const char *rest)
{
	char words[LINE_BYTES + 8];

	text_format(words, sizeof(words), *rest == '"' ? "run=%s" : "run=\"%s\"", rest);
	obey_words(*rest ? words : "run=list");
}

static void do_exp(const char *rest)
{
	char words[LINE_BYTES + 8];

	text_format(words, sizeof(words), "exp=%s", rest);
	obey_words(words);
}

static void do_set(const char *rest)
{
	if (*rest)
		obey_words(rest);
	else
		say("%s\n", shell.settings);
}

static void do_preset(const char *rest)
{
	char words[LINE_BYTES + 8];

	text_format(words, sizeof(words), "preset=%s", rest);
	if (*rest)
		obey_words(words);
	else
		say_presets();
}

static const struct knob_table *table_at(unsigned i)
{
	static const struct knob_table *const own[] = { &sched_knob_table, &lab_knob_table };

	return i < ARRAY_SIZE(own) ? own[i] : machine_knobs[i - ARRAY_SIZE(own)];
}

static bool contains(const char *text, const char *part)
{
	size_t n = strlen(part);

	for (; *text; text++)
		if (!strncmp(text, part, n))
			return true;
	return !n;
}

static void do_knobs(const char *rest)
{
	char value[TEXT_BYTES];

	for (unsigned t = 0; table_at(t); t++)
		for (unsigned i = 0; i < table_at(t)->nr; i++) {
			const struct knob *k = &table_at(t)->knob[i];

			if (!contains(k->name, rest))
				continue;
			knob_print(k, value, sizeof(value));
			say("  %s=%s\n", k->name, value);
		}
}

static void do_show(const char *rest)
{
	const struct knob_table *table;

	for (unsigned t = 0; (table = table_at(t)); t++) {
		const struct knob *k = knob_named(&table, 1, rest);

		if (k) {
			say_knob(k);
			return;
		}
	}
	say("Error: nothing is called \"%s\"; knobs lists all there is\n", rest);
}

static void do_domains(const char *rest)
{
	(void)rest;
	sched_say_domains();
}

static void do_topo(const char *rest)
{
	(void)rest;
	say_machine(machine_info());
}

static void do_log(const char *rest)
{
	(void)rest;
	results_replay();
}

static void end_with(u8 then)
{
	param.then = then;
	shell.over = true;
}

static void do_reboot(const char *rest)
{
	(void)rest;
	end_with(THEN_RESET);
}

static void do_poweroff(const char *rest)
{
	(void)rest;
	end_with(THEN_POWEROFF);
}

static void do_exit(const char *rest)
{
	(void)rest;
	end_with(param.then);
}

static const struct command {
	const char *name, *usage, *help;
	void (*obey)(const char *rest);
} commands[] = {
	{ "help", "", "this list", do_help },
	{ "knobs", "[TEXT]", "all parameters and switches, or those with TEXT in their names", do_knobs },
	{ "show", "NAME", "one of them, and what it is for", do_show },
	{ "set", "NAME=VALUE...", "for all runs to come; without words: what is set so far", do_set },
	{ "preset", "[NAME]", "all switches as a release had them; without a name: which there are", do_preset },
	{ "run", "WORKLOAD...", "as in: run hackbench -g 4, or: run \"hackbench -g 4\" runs=5 vary=newidle:off,throttle", do_run },
	{ "exp", "NAME", "an experiment that has a name", do_exp },
	{ "domains", "", "the scheduler's domains", do_domains },
	{ "topo", "", "the machine and its CPUs", do_topo },
	{ "log", "", "the records once more, as many as were kept", do_log },
	{ "reboot", "", "end, and start the machine again", do_reboot },
	{ "poweroff", "", "end, and switch it off", do_poweroff },
	{ "exit", "", "end as then= says; ^D does the same", do_exit },
};

static void do_help(const char *rest)
{
	(void)rest;
	for (unsigned i = 0; i < ARRAY_SIZE(commands); i++)
		say("  %-8s %-14s %s\n", commands[i].name, commands[i].usage, commands[i].help);
	say("Anything else is taken for words of the kernel's command line: NO_LAST_BUDDY, runs=3, run=\"pipe -l 1000\" runs=5\n");
}

static void obey(const char *line)
{
	const char *rest = line;
	struct word first;
	int got = next_word(&rest, &first);

	if (!got)
		return;
	while (text_is_space(*rest))
		rest++;
	for (unsigned i = 0; i < ARRAY_SIZE(commands); i++)
		if (got == 1 && first.bytes == strlen(commands[i].name) && !strncmp(first.start, commands[i].name, first.bytes)) {
			commands[i].obey(rest);
			return;
		}
	obey_words(line);
}

/* ---- the line ---- */

/* Commands first; elsewhere whatever has a name. */
static const char *candidate(unsigned n, bool first)
{
	const char *name, *help;

	if (first)
		return n < ARRAY_SIZE(commands) ? commands[n].name : NULL;
	for (unsigned t = 0; table_at(t); n -= table_at(t++)->nr)
		if (n < table_at(t)->nr)
			return table_at(t)->knob[n].name;
	for (unsigned i = 0; workloads[i]; i++, n--)
		if (!n)
			return workloads[i]->name;
	return preset_describe(n, &name, &help) ? name : NULL;
}

/* 115200 baud bring a byte each 87 us, and a FIFO holds 16 of them. */
static int wait_for_key(char *c)
{
	enum { NAP_NS = 500000 };
	int got;

	while (!(got = machine_console_read(c)))
		task_sleep_ns(NAP_NS);
	return got;
}

/* False: there will be none. */
static bool read_line(void)
{
	enum line_event event = LINE_MORE;
	char c;

	lineedit_begin(&editor);
	while (event == LINE_MORE)
		event = wait_for_key(&c) == 1 ? lineedit_key(&editor, c) : LINE_END;
	return event == LINE_DONE;
}

void shell_run(struct plan *plan, struct outcome *out)
{
	static char line[LINE_BYTES];

	shell.plan = plan;
	shell.out = out;
	append_others(shell.settings, plan->cmdline, is_experiment, NULL);
	settle();
	editor.prompt = "fairmetal> ";
	editor.put = say_bytes;
	editor.candidate = candidate;
	say("\nhelp lists commands\n");
	while (!shell.over) {
		if (!read_line()) {
			say("\n");
			return;
		}
		text_copy(line, sizeof(line), editor.text);
		obey(line);
	}
}
