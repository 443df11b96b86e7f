/* SPDX-License-Identifier: GPL-2.0-or-later
 * Command-line options in the manner of getopt_long. */
#include "workloads/options.h"

#include "base/string.h"
#include "base/text.h"
#include "workloads/workload.h"

/* ---- usage ---- */

struct line {
	char *dst;
	size_t size, used;
};

static void put(struct line *l, const char *text)
{
	text_copy(l->dst + min_u64(l->used, l->size - 1), l->size - min_u64(l->used, l->size - 1), text);
	l->used += strlen(text);
}

static void put_switch(struct line *l, const struct option *o)
{
	const char letter[] = { '-', o->letter, '\0' };

	put(l, o->letter ? letter : "--");
	if (!o->letter)
		put(l, o->name);
}

static void put_value(struct line *l, const struct option *o)
{
	if (o->kind == OPTION_FLAG)
		return;
	put(l, " ");
	if (o->kind == OPTION_NUMBER)
		put(l, o->letter ? o->name : "N");
	for (unsigned i = 0; o->kind == OPTION_CHOICE && o->words[i]; i++) {
		put(l, i ? "|" : "");
		put(l, o->words[i]);
	}
}

/* Flags that exclude each other stand together. */
static bool is_alternative(const struct option *o, const struct option *before)
{
	return o->kind == OPTION_FLAG && before->kind == OPTION_FLAG && o->offset == before->offset;
}

static void put_options(struct line *l, const struct option *table)
{
	for (const struct option *o = table; o && o->name; o++) {
		put(l, o > table && is_alternative(o, o - 1) ? "|" : " [");
		put_switch(l, o);
		put_value(l, o);
		put(l, o[1].name && is_alternative(o + 1, o) ? "" : "]");
	}
}

size_t options_usage(const struct workload *w, char *dst, size_t size)
{
	struct line l = { dst, size, 0 };

	put(&l, w->name);
	put_options(&l, w->options);
	for (const struct option *a = w->arguments; a && a->name; a++) {
		bool required = a < w->arguments + w->nr_required;

		put(&l, required ? " " : " [");
		put(&l, a->name);
		put(&l, required ? "" : "]");
	}
	return l.used;
}

/* ---- complaints ---- */

int options_refuse(const struct workload *w, const char *why, char *error)
{
	size_t used = (size_t)text_format(error, WORKLOAD_ERROR_BYTES, "%s; usage: ", why);

	if (used < WORKLOAD_ERROR_BYTES)
		options_usage(w, error + used, WORKLOAD_ERROR_BYTES - used);
	return -E_INVAL;
}

struct parser {
	const struct workload *w;
	void *options;
	char *error;
	unsigned nr_arguments; /* found so far */
};

static int complain(const struct parser *p, const char *what, const char *argument)
{
	char why[WORKLOAD_ERROR_BYTES];

	text_format(why, sizeof(why), "%s \"%.80s\"", what, argument);
	return options_refuse(p->w, why, p->error);
}

/* ---- values ---- */

static int store_number(const struct parser *p, const struct option *o, const char *value, u64 *to)
{
	char what[96];

	if (!text_number(value, strlen(value), to) && *to >= o->least && *to <= o->most)
		return 0;
	text_format(what, sizeof(what), "%s takes a number from %llu to %llu, not", o->name, (unsigned long long)o->least,
		(unsigned long long)o->most);
	return complain(p, what, value);
}

static int store_choice(const struct parser *p, const struct option *o, const char *value, u64 *to)
{
	char what[160];
	struct line l = { what, sizeof(what), 0 };

	for (u64 i = 0; o->words[i]; i++)
		if (!strcmp(o->words[i], value)) {
			*to = i;
			return 0;
		}
	put(&l, o->name);
	put(&l, " takes");
	put_value(&l, o);
	put(&l, ", not");
	return complain(p, what, value);
}

static int store(const struct parser *p, const struct option *o, const char *value)
{
	u64 *to = (u64 *)((char *)p->options + o->offset);

	if (o->kind == OPTION_NUMBER)
		return store_number(p, o, value, to);
	if (o->kind == OPTION_CHOICE)
		return store_choice(p, o, value, to);
	*to = o->constant;
	return 0;
}

/* ---- options ---- */

static const struct option *find_letter(const struct option *table, char letter)
{
	for (const struct option *o = table; o && o->name; o++)
		if (o->letter && o->letter == letter)
			return o;
	return NULL;
}

/* An exact name, else the only one that begins so; several spellings of one option are one. */
static const struct option *find_name(const struct option *table, const char *name, size_t n)
{
	const struct option *found = NULL;

	for (const struct option *o = table; o && o->name; o++) {
		if (strncmp(o->name, name, n))
			continue;
		if (!o->name[n])
			return o;
		if (found && (found->offset != o->offset || found->constant != o->constant))
			return NULL;
		found = o;
	}
	return found;
}

/* One option and its value, which may be the next argument. Returns how many arguments it used, or an error. */
static int parse_option(const struct parser *p, unsigned left, const char *const argv[])
{
	const char *a = argv[0], *value = NULL;
	const struct option *o;
	int err;

	if (a[1] == '-') {
		const char *equals = strchr(a, '=');

		o = find_name(p->w->options, a + 2, equals ? (size_t)(equals - a - 2) : strlen(a + 2));
		value = equals ? equals + 1 : NULL;
	} else {
		o = find_letter(p->w->options, a[1]);
		value = a[2] ? a + 2 : NULL;
	}
	if (!o)
		return complain(p, "unknown option", a);
	if (o->kind == OPTION_FLAG && value)
		return complain(p, "a value where none is taken:", a);
	if (o->kind == OPTION_FLAG || value) {
		err = store(p, o, value);
		return err ? err : 1;
	}
	if (left < 2)
		return complain(p, "no value behind", a);
	err = store(p, o, argv[1]);
	return err ? err : 2;
}

static int parse_argument(struct parser *p, const char *text)
{
	const struct option *a = p->w->arguments ? &p->w->arguments[p->nr_arguments] : NULL;

	if (!a || !a->name)
		return complain(p, "unexpected argument", text);
	p->nr_arguments++;
	return store(p, a, text);
}

static int parse_all(struct parser *p, unsigned argc, const char *const argv[])
{
	for (unsigned i = 0; i < argc;) {
		bool dash = argv[i][0] == '-' && argv[i][1];
		int used = dash ? parse_option(p, argc - i, argv + i) : parse_argument(p, argv[i]);

		if (used < 0)
			return used;
		i += dash ? (unsigned)used : 1;
	}
	return 0;
}

int options_parse(const struct workload *w, unsigned argc, const char *const argv[], void *options, char *error)
{
	struct parser p = { w, options, error, 0 };
	int err;

	memcpy(options, w->defaults, w->options_bytes);
	err = parse_all(&p, argc, argv);
	if (!err && p.nr_arguments < w->nr_required)
		err = options_refuse(w, "too few arguments", error);
	return err || !w->check ? err : w->check(options, error);
}
