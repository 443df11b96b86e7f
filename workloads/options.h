/* SPDX-License-Identifier: GPL-2.0-or-later
 * Command-line options in the manner of getopt_long: one table per workload, from which come its parser, its usage line and what
 * run=list says of it. */
#ifndef WORKLOADS_OPTIONS_H
#define WORKLOADS_OPTIONS_H

#include "base/types.h"

enum option_kind { OPTION_FLAG, OPTION_NUMBER, OPTION_CHOICE };

/* One option, or one argument without a dash; a table ends with an entry without a name. The value goes to the u64 at `offset` of
 * the options: a number as it is, of a choice the index of its word. */
struct option {
	char letter; /* 0: has none */
	const char *name;
	size_t offset;
	enum option_kind kind;
	u64 least, most;	  /* of a number */
	u64 constant;		  /* what a flag stores */
	const char *const *words; /* of a choice, NULL-terminated */
	const char *help;
};

/* Entries for a table of a file's own struct options. */
#define FLAG_OPTION(letter, name, member, constant, help)                                                                          \
	{                                                                                                                          \
		letter, name, offsetof(struct options, member), OPTION_FLAG, 0, 0, constant, NULL, help                            \
	}
#define NUMBER_OPTION(letter, name, member, least, most, help)                                                                     \
	{                                                                                                                          \
		letter, name, offsetof(struct options, member), OPTION_NUMBER, least, most, 0, NULL, help                          \
	}
#define CHOICE_OPTION(letter, name, member, words, help)                                                                           \
	{                                                                                                                          \
		letter, name, offsetof(struct options, member), OPTION_CHOICE, 0, 0, 0, words, help                                \
	}
#define ARGUMENT(name, member, least, most, help) NUMBER_OPTION(0, name, member, least, most, help)

struct workload;

/*
 * The workload's options from argv[0..argc), those behind its name: -l 5, -l5, --loops 5, --loops=5, unambiguous beginnings of long
 * names, and arguments in their order. What is not given is as in w->defaults. 0, or -E_INVAL with one line in
 * error[WORKLOAD_ERROR_BYTES] that ends in the usage.
 */
int options_parse(const struct workload *w, unsigned argc, const char *const argv[], void *options, char *error);

/* "name [-l loops] [-T|-P] argument" into dst[size], cut where it does not fit; returns the length of all of it. */
size_t options_usage(const struct workload *w, char *dst, size_t size);

/* The line of w->check() where options contradict each other: "why; usage: ..." into error. Returns -E_INVAL. */
int options_refuse(const struct workload *w, const char *why, char *error);

#endif
