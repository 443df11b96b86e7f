/* SPDX-License-Identifier: GPL-2.0-or-later
 * The shape of a machine from a short text. */
#ifndef ARCH_VCPU_SHAPE_H
#define ARCH_VCPU_SHAPE_H

#include "arch/topology.h"

/*
 * A text such as 4n:10c:1t: how many of each level, from the outside in. Levels are n (nodes), p (packages in a node), l
 * (last-level caches in a package), c (cores in a cache), t (threads in a core); those left out are 1. After a / may follow the
 * distances between nodes, row by row, or one for all: 2n:4c/21. Or the name of a preset.
 */

/* Fill *out. 0, or -E_INVAL with one line in error[size] that names what is wrong and the grammar. */
int shape_parse(const char *text, struct topology *out, char *error, size_t size);

extern struct topology shape;

#endif
