/* SPDX-License-Identifier: GPL-2.0-or-later
 * Parameters of a PC, whichever machine runs on it. */
#include "arch/x86/params.h"

struct machine_params machine_param;

#define KNOB_LIST   "arch/x86/params.def"
#define KNOB_STRUCT machine_param
#include "base/knob_table.inc"

const struct knob_table x86_knob_table = { "machine", knob_table_entries, ARRAY_SIZE(knob_table_entries) };
