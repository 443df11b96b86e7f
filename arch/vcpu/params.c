/* SPDX-License-Identifier: GPL-2.0-or-later
 * Parameters of the machines with virtual CPUs. */
#include "arch/vcpu/params.h"

#include "arch/machine.h"
#include "base/cmdline.h"

struct vcpu_params vcpu_param;

#define KNOB_LIST   "arch/vcpu/params.def"
#define KNOB_STRUCT vcpu_param
#include "base/knob_table.inc"

const struct knob_table machine_knobs = { "machine", knob_table_entries, ARRAY_SIZE(knob_table_entries) };

void vcpu_params_parse(const char *cmdline)
{
	knobs_reset(&machine_knobs);
	knobs_parse_known(&machine_knobs, cmdline);
}
