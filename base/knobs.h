/* SPDX-License-Identifier: GPL-2.0-or-later
 * Switches and parameters that are set by name. Each layer keeps one table, made from its .def list.
 *
 * In a list:
 *   FEATURE(NAME, default, era, help)                        set by NAME, cleared by NO_NAME
 *   NUMBER(name, default, least, most, unit, era, help)
 *   CHOICE(name, default, VARIANTS, era, help)               VARIANTS(V) is V(name, word) V(name, word) ...
 *   TEXT(name, bytes, default, help)                         where the table has them
 */
#ifndef BASE_KNOBS_H
#define BASE_KNOBS_H

#include "base/types.h"

/* A number that its layer works out later, unless it was set. */
#define KNOB_AUTO (~0ull)

enum knob_kind { KNOB_FEATURE, KNOB_NUMBER, KNOB_CHOICE, KNOB_TEXT };

struct knob {
	const char *name;
	enum knob_kind kind;
	void *value; /* u8 of a feature or choice, u64 of a number, char[most] of a text */
	u64 initial, least, most;
	const char *initial_text;
	const char *const *words; /* of a choice, NULL-terminated */
	const char *unit, *era, *help;
};

/* For the enumerators of a choice: enum { VARIANTS(KNOB_ENUMERATOR) }. */
#define KNOB_ENUMERATOR(id, word) id,

struct knob_table {
	const char *title;
	const struct knob *knob;
	unsigned nr;
};

enum { KNOB_ERROR_BYTES = 240 };

/* Every knob of the table back to its default. */
void knobs_reset(const struct knob_table *table);

/*
 * One assignment as on the command line: name=value, NAME or NO_NAME; looked for in tables[0..n).
 * 0, or -E_NOENT (no such name) or -E_INVAL (bad value) with one line in error[KNOB_ERROR_BYTES] that says what was expected.
 */
int knob_assign(const struct knob_table *const *tables, unsigned n, const char *assignment, char *error);

/* The knob of that name, or NULL. */
const struct knob *knob_named(const struct knob_table *const *tables, unsigned n, const char *name);

/* Set the tables' knobs from those words of a command line that name one of them, and leave the rest, and all complaints, to
 * others; the second resets the tables first. */
void knobs_set_known(const struct knob_table *const *tables, unsigned n, const char *cmdline);
void knobs_parse_known(const struct knob_table *const *tables, unsigned n, const char *cmdline);

/* The value as text that knob_assign takes behind "=" (1 or 0 for a feature). */
void knob_print(const struct knob *k, char *dst, size_t size);

/* The same for the knob of the table whose variable that is. */
void knob_print_of(const struct knob_table *table, const void *value, char *dst, size_t size);

/* The value of a numeric knob as a number, for records; false for a choice or text. */
bool knob_number(const struct knob *k, u64 *value);

#endif
