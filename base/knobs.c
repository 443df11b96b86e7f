/* SPDX-License-Identifier: GPL-2.0-or-later
 * Setting and printing of switches by name, with errors that help. */
#include "base/knobs.h"

#include "base/cmdline.h"
#include "base/string.h"
#include "base/text.h"

void knobs_reset(const struct knob_table *table)
{
	for (unsigned i = 0; i < table->nr; i++) {
		const struct knob *k = &table->knob[i];

		switch (k->kind) {
		case KNOB_FEATURE:
		case KNOB_CHOICE:
			*(u8 *)k->value = (u8)k->initial;
			break;
		case KNOB_NUMBER:
			*(u64 *)k->value = k->initial;
			break;
		case KNOB_TEXT:
			text_copy(k->value, k->most, k->initial_text);
			break;
		}
	}
}

void knob_print(const struct knob *k, char *dst, size_t size)
{
	switch (k->kind) {
	case KNOB_FEATURE:
		text_format(dst, size, "%u", *(u8 *)k->value);
		break;
	case KNOB_CHOICE:
		text_copy(dst, size, k->words[*(u8 *)k->value]);
		break;
	case KNOB_NUMBER:
		text_format(dst, size, "%llu", (unsigned long long)*(u64 *)k->value);
		break;
	case KNOB_TEXT:
		text_copy(dst, size, k->value);
		break;
	}
}

void knob_print_of(const struct knob_table *table, const void *value, char *dst, size_t size)
{
	for (unsigned i = 0; i < table->nr; i++)
		if (table->knob[i].value == value)
			knob_print(&table->knob[i], dst, size);
}

bool knob_number(const struct knob *k, u64 *value)
{
	if (k->kind == KNOB_FEATURE)
		*value = *(u8 *)k->value;
	else if (k->kind == KNOB_NUMBER)
		*value = *(u64 *)k->value;
	return k->kind == KNOB_FEATURE || k->kind == KNOB_NUMBER;
}

/* ---- finding ---- */

/* A dot may stand for an underscore: newidle.node is newidle_node. */
static bool same_name(const char *name, const char *s, size_t n)
{
	if (strlen(name) != n)
		return false;
	for (size_t i = 0; i < n; i++)
		if (name[i] != s[i] && (name[i] != '_' || s[i] != '.'))
			return false;
	return true;
}

static const struct knob *knob_find(const struct knob_table *const *tables, unsigned n, const char *s, size_t len)
{
	for (unsigned t = 0; t < n; t++)
		for (unsigned i = 0; i < tables[t]->nr; i++)
			if (same_name(tables[t]->knob[i].name, s, len))
				return &tables[t]->knob[i];
	return NULL;
}

const struct knob *knob_named(const struct knob_table *const *tables, unsigned n, const char *name)
{
	return knob_find(tables, n, name, strlen(name));
}

static size_t append(char *error, size_t used, const char *before, const char *word)
{
	if (used + strlen(before) + strlen(word) >= KNOB_ERROR_BYTES)
		return used;
	text_copy(error + used, KNOB_ERROR_BYTES - used, before);
	used += strlen(before);
	text_copy(error + used, KNOB_ERROR_BYTES - used, word);
	return used + strlen(word);
}

/* "no knob X; near: A, B": the nearest names, best first. */
static int unknown(const struct knob_table *const *tables, unsigned n, const char *s, size_t len, char *error)
{
	char name[64];
	const char *separator = "; near: ";
	size_t used;

	text_copy(name, len + 1 < sizeof(name) ? len + 1 : sizeof(name), s);
	used = (size_t)text_format(error, KNOB_ERROR_BYTES, "no parameter or switch is called \"%s\"", name);
	for (unsigned distance = 0, listed = 0; distance <= 6 && listed < 4; distance++)
		for (unsigned t = 0; t < n; t++)
			for (unsigned i = 0; i < tables[t]->nr; i++) {
				const char *candidate = tables[t]->knob[i].name;

				if (listed >= 4 || text_distance(name, candidate) != distance ||
					distance * 2 > strlen(candidate) + 2)
					continue;
				used = append(error, used, separator, candidate);
				separator = ", ";
				listed++;
			}
	if (separator[0] == ';')
		append(error, used, "; help=1 lists all", "");
	return -E_NOENT;
}

/* ---- setting ---- */

static int set_feature(const struct knob *k, const char *value, char *error)
{
	if (!strcmp(value, "1") || !strcmp(value, "on")) {
		*(u8 *)k->value = 1;
		return 0;
	}
	if (!strcmp(value, "0") || !strcmp(value, "off")) {
		*(u8 *)k->value = 0;
		return 0;
	}
	text_format(error, KNOB_ERROR_BYTES, "%s=%s: a switch takes on or off; %s or NO_%s do the same", k->name, value, k->name,
		k->name);
	return -E_INVAL;
}

static int set_choice(const struct knob *k, const char *value, char *error)
{
	const char *separator = "";
	size_t used;

	for (u8 i = 0; k->words[i]; i++)
		if (!strcmp(k->words[i], value)) {
			*(u8 *)k->value = i;
			return 0;
		}
	used = (size_t)text_format(error, KNOB_ERROR_BYTES, "%s=%s: expected one of ", k->name, value);
	for (u8 i = 0; k->words[i]; i++, separator = "|")
		used = append(error, used, separator, k->words[i]);
	return -E_INVAL;
}

static int set_number(const struct knob *k, const char *value, char *error)
{
	u64 v;
	int err = text_number(value, strlen(value), &v);

	if (!err && v >= k->least && v <= k->most) {
		*(u64 *)k->value = v;
		return 0;
	}
	text_format(error, KNOB_ERROR_BYTES, "%s=%s: expected a number from %llu to %llu%s%s", k->name, value,
		(unsigned long long)k->least, (unsigned long long)k->most, *k->unit ? " " : "", k->unit);
	return -E_INVAL;
}

static int set_text(const struct knob *k, const char *value, char *error)
{
	if (text_copy(k->value, k->most, value) < k->most)
		return 0;
	text_format(
		error, KNOB_ERROR_BYTES, "%s: the value is longer than %llu characters", k->name, (unsigned long long)k->most - 1);
	return -E_INVAL;
}

static int set_value(const struct knob *k, const char *value, char *error)
{
	switch (k->kind) {
	case KNOB_FEATURE:
		return set_feature(k, value, error);
	case KNOB_CHOICE:
		return set_choice(k, value, error);
	case KNOB_NUMBER:
		return set_number(k, value, error);
	case KNOB_TEXT:
		return set_text(k, value, error);
	}
	return -E_INVAL;
}

static size_t name_length(const char *assignment)
{
	const char *equals = strchr(assignment, '=');

	return equals ? (size_t)(equals - assignment) : strlen(assignment);
}

/* -E_NOENT without a word of error: whoever tries a whole command line does not want to know what is near. */
static int assign(const struct knob_table *const *tables, unsigned n, const char *assignment, char *error)
{
	size_t len = name_length(assignment);
	const struct knob *k = knob_find(tables, n, assignment, len);

	if (k && assignment[len])
		return set_value(k, assignment + len + 1, error);
	if (k && k->kind == KNOB_FEATURE) {
		*(u8 *)k->value = 1;
		return 0;
	}
	if (k) {
		text_format(error, KNOB_ERROR_BYTES, "%s needs a value: %s=...", k->name, k->name);
		return -E_INVAL;
	}
	if (!assignment[len] && !strncmp(assignment, "NO_", 3)) {
		k = knob_find(tables, n, assignment + 3, len - 3);
		if (k && k->kind == KNOB_FEATURE) {
			*(u8 *)k->value = 0;
			return 0;
		}
	}
	return -E_NOENT;
}

int knob_assign(const struct knob_table *const *tables, unsigned n, const char *assignment, char *error)
{
	int err = assign(tables, n, assignment, error);

	return err == -E_NOENT ? unknown(tables, n, assignment, name_length(assignment), error) : err;
}

void knobs_parse_known(const struct knob_table *const *tables, unsigned n, const char *cmdline)
{
	for (unsigned i = 0; i < n; i++)
		knobs_reset(tables[i]);
	knobs_set_known(tables, n, cmdline);
}

void knobs_set_known(const struct knob_table *const *tables, unsigned n, const char *cmdline)
{
	char word[512], ignored[KNOB_ERROR_BYTES];

	while (cmdline_next(&cmdline, word, sizeof(word)) == 1)
		assign(tables, n, word, ignored);
}
