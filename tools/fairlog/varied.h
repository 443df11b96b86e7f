/* SPDX-License-Identifier: GPL-2.0-or-later
 * What differs between the variants of a boot. Their names are what somebody typed; their switches are what they did. */
#ifndef FAIRLOG_VARIED_H
#define FAIRLOG_VARIED_H

#include "tools/fairlog/group.h"

#include <stdio.h>

struct varied {
	size_t variants; /* that have runs */
	struct varied_variant {
		const char *name;
		json_t *knobs;
	} * variant;
	size_t knobs;
	const char **knob; /* those that have not the same value in all variants */
};

/* Of groups of one workload. To be given back to varied_free(); strings belong to the boot or to it. */
struct varied varied_make(const struct group *groups, size_t count);
void varied_free(struct varied *varied);

/* One line: the switch and its values, if there is one; what they were in number otherwise. To be freed. */
char *varied_title(const struct varied *varied);
/* All that differs, as a variant had it: "newidle=off, HZ=250". To be freed. */
char *varied_values(const struct varied *varied, size_t variant);

#endif
