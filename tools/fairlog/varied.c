/* SPDX-License-Identifier: GPL-2.0-or-later
 * Compares the switches of variants and names what was varied. */
#include "tools/fairlog/varied.h"

#include "tools/fairlog/allocate.h"
#include "tools/fairlog/text_stream.h"

#include <inttypes.h>
#include <string.h>

enum { NAMED_MAX = 3 }; /* more switches than that are only counted in a title */

static void find_knobs(struct varied *varied)
{
	const char *name;
	json_t *value;

	json_object_foreach(varied->variant[0].knobs, name, value)
	{
		bool same = true;

		for (size_t i = 1; i < varied->variants; i++)
			same &= json_equal(value, json_object_get(varied->variant[i].knobs, name)) != 0;
		if (same)
			continue;
		varied->knob = allocate(varied->knob, (varied->knobs + 1) * sizeof *varied->knob);
		varied->knob[varied->knobs++] = name;
	}
}

struct varied varied_make(const struct group *groups, size_t count)
{
	struct varied varied = { .variant = allocate(NULL, count * sizeof *varied.variant) };

	for (size_t i = 0; i < count; i++) {
		if (groups[i].count > 0)
			varied.variant[varied.variants++] =
				(struct varied_variant){ groups[i].variant, json_loads(groups[i].runs[0]->knobs, 0, NULL) };
	}
	if (varied.variants > 1)
		find_knobs(&varied);
	return varied;
}

void varied_free(struct varied *varied)
{
	for (size_t i = 0; i < varied->variants; i++)
		json_decref(varied->variant[i].knobs);
	free(varied->variant);
	free(varied->knob);
}

/* ---- in words ---- */

static void put_value(FILE *to, const struct varied *varied, size_t variant, size_t knob)
{
	const json_t *value = json_object_get(varied->variant[variant].knobs, varied->knob[knob]);

	if (json_is_integer(value))
		fprintf(to, "%" PRIu64, record_integer(value));
	else
		fprintf(to, "%s", value ? json_string_value(value) : "not there");
}

/* Some switches have names that say little outside this project. */
static const char *words_for(const char *knob)
{
	static const char *const words[][2] = {
		{ "newidle", "newidle balancing" },
		{ "policy", "power policy" },
		{ "group_load", "load of a group" },
		{ "wake_select", "choice of a CPU at wakeup" },
	};

	for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
		if (strcmp(words[i][0], knob) == 0)
			return words[i][1];
	}
	return knob;
}

static void put_one_knob(FILE *to, const struct varied *varied)
{
	fprintf(to, "%s: ", words_for(varied->knob[0]));
	for (size_t i = 0; i < varied->variants; i++) {
		fprintf(to, "%s", i == 0 ? "" : i == 1 ? " against " : ", ");
		put_value(to, varied, i, 0);
	}
}

static void put_many_knobs(FILE *to, const struct varied *varied)
{
	if (varied->knobs > NAMED_MAX) {
		fprintf(to, "%zu switches", varied->knobs);
	} else {
		for (size_t i = 0; i < varied->knobs; i++)
			fprintf(to, "%s%s", i == 0 ? "" : i + 1 < varied->knobs ? ", " : " and ", words_for(varied->knob[i]));
	}
	if (varied->variants == 2)
		fprintf(to, ": %s against %s", varied->variant[0].name, varied->variant[1].name);
	else
		fprintf(to, ": %zu variants", varied->variants);
}

char *varied_title(const struct varied *varied)
{
	struct text_stream text;

	text_stream_open(&text);
	if (varied->variants < 2)
		fprintf(text.file, "nothing varied");
	else if (varied->knobs == 0)
		fprintf(text.file, "the same switches in all %zu variants", varied->variants);
	else if (varied->knobs == 1)
		put_one_knob(text.file, varied);
	else
		put_many_knobs(text.file, varied);
	return text_stream_close(&text);
}

char *varied_values(const struct varied *varied, size_t variant)
{
	struct text_stream text;

	text_stream_open(&text);
	for (size_t i = 0; i < varied->knobs; i++) {
		fprintf(text.file, "%s%s=", i == 0 ? "" : ", ", varied->knob[i]);
		put_value(text.file, varied, variant, i);
	}
	return text_stream_close(&text);
}
