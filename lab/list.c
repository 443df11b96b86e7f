/* SPDX-License-Identifier: GPL-2.0-or-later
 * run=list: the workloads and their options, from the tables that parse them. */
#include "lab/lab.h"

#include "base/text.h"

static u64 initial(const struct workload *w, const struct option *o)
{
	return *(const u64 *)((const char *)w->defaults + o->offset);
}

static void say_switch(const struct option *o)
{
	char text[64];

	if (o->letter)
		text_format(text, sizeof(text), "-%c, --%s", o->letter, o->name);
	else
		text_format(text, sizeof(text), "    --%s", o->name);
	say("    %-24s", text);
}

/* A word that is none of them stands for none, likewise below. */
static void say_choice(const struct workload *w, const struct option *o)
{
	u64 nr = 0;

	for (; o->words[nr]; nr++)
		say("%s%s", nr ? ", " : " (", o->words[nr]);
	if (initial(w, o) < nr)
		say("; %s", o->words[initial(w, o)]);
	say(")\n");
}

/* The range, and what holds where it is not given; a number that is below its own range then stands for none. */
static void say_number(const struct workload *w, const struct option *o)
{
	u64 value = initial(w, o);

	say(" (%llu to %llu", (unsigned long long)o->least, (unsigned long long)o->most);
	if (value >= o->least && value <= o->most)
		say("; %llu", (unsigned long long)value);
	say(")\n");
}

static void say_meaning(const struct workload *w, const struct option *o)
{
	say(" %s", o->help);
	if (o->kind == OPTION_CHOICE)
		say_choice(w, o);
	else if (o->kind == OPTION_NUMBER)
		say_number(w, o);
	else
		say("\n");
}

static void say_workload(const struct workload *w)
{
	char usage[WORKLOAD_ERROR_BYTES];

	options_usage(w, usage, sizeof(usage));
	say("\n%s\n  %s%s\n", usage, w->purpose, w->endless ? "; may be without an end, and is then for with= only" : "");
	for (const struct option *o = w->options; o && o->name; o++) {
		say_switch(o);
		say_meaning(w, o);
	}
	for (const struct option *a = w->arguments; a && a->name; a++) {
		say("    %-24s", a->name);
		say_meaning(w, a);
	}
}

void say_workloads(void)
{
	say("\nWorkloads, as in run=\"hackbench -g 4\"; the last figure in brackets holds where nothing is given:\n");
	for (unsigned i = 0; workloads[i]; i++)
		say_workload(workloads[i]);
}
