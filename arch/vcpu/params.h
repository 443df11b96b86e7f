/* SPDX-License-Identifier: GPL-2.0-or-later
 * Parameters of the machines with virtual CPUs as variables, set before anything uses them. */
#ifndef ARCH_VCPU_PARAMS_H
#define ARCH_VCPU_PARAMS_H

#include "base/knobs.h"

struct vcpu_params {
#define KNOB_LIST "arch/vcpu/params.def"
#include "base/knob_struct.inc"
#undef KNOB_LIST
};

extern struct vcpu_params vcpu_param;

/* Take from the command line what is meant for the machine; the lab looks at the rest, and complains. */
void vcpu_params_parse(const char *cmdline);

#endif
