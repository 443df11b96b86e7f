/* SPDX-License-Identifier: GPL-2.0-or-later
 * Parameters of the machines with virtual CPUs. */
#include "arch/vcpu/params.h"

struct vcpu_params vcpu_param;

#define KNOB_LIST   "arch/vcpu/params.def"
#define KNOB_STRUCT vcpu_param
#include "base/knob_table.inc"

const struct knob_table vcpu_knob_table = { "virtual CPUs", knob_table_entries, ARRAY_SIZE(knob_table_entries) };

struct topology shape;
u64 vcpu_cold_ns[NR_DISTANCES], vcpu_kick_ns[NR_DISTANCES];

int vcpu_params_settle(char *error, size_t size)
{
	int err = shape_parse(vcpu_param.topo, &shape, error, size);

	err = err ? err : shape_parse_costs("cold", vcpu_param.cold, vcpu_cold_ns, error, size);
	return err ? err : shape_parse_costs("kick", vcpu_param.kick, vcpu_kick_ns, error, size);
}
