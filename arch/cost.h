/* SPDX-License-Identifier: GPL-2.0-or-later
 * The named costs of machine_charge(); arch/vcpu/cost.def has the list. */
#ifndef ARCH_COST_H
#define ARCH_COST_H

enum cost {
#define COST(name, picoseconds, unit, meaning) COST_##name,
#include "arch/vcpu/cost.def"
#undef COST
	NR_COSTS,
};

#endif
