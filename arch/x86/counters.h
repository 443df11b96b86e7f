/* SPDX-License-Identifier: GPL-2.0-or-later
 * Counters of known rate that a PC may have: HPET, ACPI PM timer, PIT. */
#ifndef ARCH_X86_COUNTERS_H
#define ARCH_X86_COUNTERS_H

#include "arch/x86/acpi.h"

struct counter {
	const char *name;
	u64 hz;
	u64 mask; /* counts up and wraps behind this */
	u64 (*read)(void);
};

/* NULL: the machine has none, or it does not count. */
const struct counter *counter_hpet(const struct acpi_info *acpi);
const struct counter *counter_pm(const struct acpi_info *acpi);
const struct counter *counter_pit(void);

#endif
