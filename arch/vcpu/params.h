/* SPDX-License-Identifier: GPL-2.0-or-later
 * Parameters of the machines with virtual CPUs as variables, set before anything uses them. */
#ifndef ARCH_VCPU_PARAMS_H
#define ARCH_VCPU_PARAMS_H

#include "arch/shape.h"
#include "base/knobs.h"

struct vcpu_params {
#define KNOB_LIST "arch/vcpu/params.def"
#include "base/knob_struct.inc"
#undef KNOB_LIST
};

extern struct vcpu_params vcpu_param;
extern const struct knob_table vcpu_knob_table;

/* What topo= says. */
extern struct topology shape;

extern u64 vcpu_cold_ns[NR_DISTANCES], vcpu_kick_ns[NR_DISTANCES];

/* Work out the shape and the lists. 0, or -E_INVAL with one line in error[size]. */
int vcpu_params_settle(char *error, size_t size);

#endif
