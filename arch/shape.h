/* SPDX-License-Identifier: GPL-2.0-or-later
 * The shape of a machine from a short text. */
#ifndef ARCH_SHAPE_H
#define ARCH_SHAPE_H

#include "arch/topology.h"

/*
 * A text such as 4n:10c:1t: how many of each level, from the outside in. Levels are n (nodes), p (packages in a node), l
 * (last-level caches in a package), c (cores in a cache), t (threads in a core); those left out are 1. After a / may follow the
 * distances between nodes, row by row, or one for all: 2n:4c/21. Or the name of a preset.
 */

/* Fill *out. 0, or -E_INVAL with one line in error[size] that names what is wrong and the grammar. */
int shape_parse(const char *text, struct topology *out, char *error, size_t size);

/* The text of such a topology, as in 2n:4c. Of distances that are not all the same, the least and the most; of nodes, packages,
 * caches or cores that are not all alike, how many there are. Takes SHAPE_BYTES at most. */
void shape_print(const struct topology *t, char *dst, size_t size);

enum { SHAPE_BYTES = 96 };

/*
 * What a task loses to cold caches after it has moved. The default is arithmetic: 128 lines of 64 bytes (the stack and a message:
 * 8 KiB) at the latencies that Molka, Hackenberg, Schoene and Mueller measured on Nehalem (PACT 2009): 13 ns from the L3, 65 ns
 * from local memory, 106 ns from the other socket's.
 */
#define COLD_DEFAULT "0,1664,8320,13568"

/* ns by distance, each at most a second, from four numbers or one for all; `name` is the parameter's, for the complaint. 0, or
 * -E_INVAL with one line in error[size]. */
int shape_parse_costs(const char *name, const char *text, u64 list[NR_DISTANCES], char *error, size_t size);

enum { COSTS_BYTES = 48 };

#endif
