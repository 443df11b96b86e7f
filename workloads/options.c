/* SPDX-License-Identifier: GPL-2.0-or-later
 * Command-line options in the manner of getopt_long. */
#include "workloads/options.h"

#include "base/string.h"
#include "base/text.h"
#include "workloads/workload.h"

struct parser {
	const struct option *table;
	const char *usage;
	char *error;
};

static int complain(const struct parser *p, const char *what, const char *argument)
{
	text_format(p->error, WORKLOAD_ERROR_BYTES, "%s \"%s\"; usage: %s", what, argument, p->usage);
	return -E_INVAL;
}

static const struct option *find_letter(const struct parser *p, char letter)
{
	for (const struct option *o = p->table; o->name; o++)
		if (o->letter && o->letter == letter)
			return o;
	return NULL;
}

/* An exact name, else the only one that begins so; several spellings of one option are one. */
static const struct option *find_name(const struct parser *p, const char *name, size_t n)
{
	const struct option *found = NULL;

	for (const struct option *o = p->table; o->name; o++) {
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

static int store_number(const struct parser *p, const char *name, const char *value, u64 least, u64 most, u64 *to)
{
	if (!text_number(value, strlen(value), to) && *to >= least && *to <= most)
		return 0;
	text_format(p->error, WORKLOAD_ERROR_BYTES, "%s takes a number from %llu to %llu, not \"%s\"; usage: %s", name,
		(unsigned long long)least, (unsigned long long)most, value, p->usage);
	return -E_INVAL;
}

static int store(const struct parser *p, const struct option *o, const char *value, void *options)
{
	u64 *to = (u64 *)((char *)options + o->offset);

	if (o->takes_number)
		return store_number(p, o->name, value, o->least, o->most, to);
	*to = o->constant;
	return 0;
}

/* One option and its value, which may be the next argument. Returns how many arguments it used, or an error. */
static int parse_option(const struct parser *p, unsigned left, const char *const argv[], void *options)
{
	const char *a = argv[0], *value = NULL;
	const struct option *o;
	int err;

	if (a[1] == '-') {
		const char *equals = strchr(a, '=');

		o = find_name(p, a + 2, equals ? (size_t)(equals - a - 2) : strlen(a + 2));
		value = equals ? equals + 1 : NULL;
	} else {
		o = find_letter(p, a[1]);
		value = a[2] ? a + 2 : NULL;
	}
	if (!o)
		return complain(p, "unknown option", a);
	if (!o->takes_number && value)
		return complain(p, "a value where none is taken:", a);
	if (!o->takes_number || value) {
		err = store(p, o, value, options);
		return err ? err : 1;
	}
	if (left < 2)
		return complain(p, "no value behind", a);
	err = store(p, o, argv[1], options);
	return err ? err : 2;
}

int options_parse(unsigned argc, const char *const argv[], const struct option *table, void *options, u64 *positional,
	unsigned nr_positional, const char *usage, char *error)
{
	struct parser p = { table, usage, error };
	unsigned nr = 0;

	for (unsigned i = 0; i < argc;) {
		int used;

		if (argv[i][0] == '-' && argv[i][1]) {
			used = parse_option(&p, argc - i, argv + i, options);
			if (used < 0)
				return used;
			i += (unsigned)used;
			continue;
		}
		if (nr == nr_positional)
			return complain(&p, "unexpected argument", argv[i]);
		if (text_number(argv[i], strlen(argv[i]), &positional[nr++]))
			return complain(&p, "expected a number, not", argv[i]);
		i++;
	}
	if (nr < nr_positional) {
		text_format(error, WORKLOAD_ERROR_BYTES, "too few arguments; usage: %s", usage);
		return -E_INVAL;
	}
	return 0;
}
