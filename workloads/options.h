/* SPDX-License-Identifier: GPL-2.0-or-later
 * Command-line options in the manner of getopt_long. */
#ifndef WORKLOADS_OPTIONS_H
#define WORKLOADS_OPTIONS_H

#include "base/types.h"

/* One option; a table ends with an entry without a long name. The value goes to the u64 at `offset` of the options. */
struct option {
	char letter; /* 0: has none */
	const char *name;
	size_t offset;
	bool takes_number;
	u64 least, most;
	u64 constant; /* what an option without a number stores */
};

/*
 * Options of argv[0..argc): -l 5, -l5, --loops 5, --loops=5, unambiguous beginnings of long names. Other arguments are numbers for
 * positional[0..nr_positional), all of which must be there. 0, or -E_INVAL with one line that ends in the usage.
 */
int options_parse(unsigned argc, const char *const argv[], const struct option *table, void *options, u64 *positional,
	unsigned nr_positional, const char *usage, char *error);

#endif
