/* SPDX-License-Identifier: GPL-2.0-or-later
 * This machine's masquerade: what topo= and cold= do to it. */
#ifndef ARCH_X86_MASQUERADE_MACHINE_H
#define ARCH_X86_MASQUERADE_MACHINE_H

#include "arch/machine.h"
#include "arch/x86/masquerade.h"

struct masquerade_params {
#define KNOB_LIST "arch/x86/masquerade.def"
#include "base/knob_struct.inc"
#undef KNOB_LIST
};

extern const struct knob_table masquerade_knob_table;

/*
 * Before any CPU but the first is started: take what topo= needs of the nr CPUs in cpu[], the boot CPU first, and put those in
 * order. Returns how many there are; the rest is not started. What cannot be had is noted for masquerade_facts(), and nothing
 * pretended.
 */
unsigned masquerade_prepare(const struct cpu_identity *boot, struct acpi_cpu cpu[], unsigned nr);

/* All have come, and this is how they really sit. It must stay. */
void masquerade_begin(const struct topology *real);

/* What reports say of it. */
void masquerade_facts(struct machine_info *info);

#endif
