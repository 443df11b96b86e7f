/* SPDX-License-Identifier: GPL-2.0-or-later
 * The shape of a machine in words, and whether it is pretended. */
#ifndef FAIRLOG_TOPOLOGY_H
#define FAIRLOG_TOPOLOGY_H

#include "tools/fairlog/schema.h"

/* From a machine record, as in 2n:4c (pretended on 1n:8c). Returns the text. */
enum { TOPOLOGY_BYTES = 256 };
const char *topology_text(const json_t *machine, char text[TOPOLOGY_BYTES]);

#endif
