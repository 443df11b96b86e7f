/* SPDX-License-Identifier: GPL-2.0-or-later
 * Parameters of the metal machine. */
#include "arch/x86/params.h"

#include "arch/machine.h"
#include "base/cmdline.h"

struct machine_params machine_param;

#define KNOB_LIST   "arch/x86/params.def"
#define KNOB_STRUCT machine_param
#include "base/knob_table.inc"

const struct knob_table machine_knobs = { "machine", knob_table_entries, ARRAY_SIZE(knob_table_entries) };

void params_parse(const char *cmdline)
{
	const struct knob_table *tables[] = { &machine_knobs };
	char word[512], ignored[KNOB_ERROR_BYTES];

	knobs_reset(&machine_knobs);
	while (cmdline_next(&cmdline, word, sizeof(word)) == 1)
		knob_assign(tables, 1, word, ignored);
}
