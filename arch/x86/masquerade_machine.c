/* SPDX-License-Identifier: GPL-2.0-or-later
 * This machine's masquerade: what topo= and cold= do to it. */
#include "arch/x86/masquerade_machine.h"

#include "arch/x86/clock.h"
#include "base/knobs.h"

static struct masquerade_params masquerade_param;

#define KNOB_LIST   "arch/x86/masquerade.def"
#define KNOB_STRUCT masquerade_param
#include "base/knob_table.inc"

const struct knob_table masquerade_knob_table = { "pretended topology", knob_table_entries, ARRAY_SIZE(knob_table_entries) };

static struct {
	struct masquerade mask;
	const struct topology *real, *shown; /* different if something is pretended */
	unsigned left_out;
	char refusal[KNOB_ERROR_BYTES];
} masquerade;

unsigned masquerade_prepare(const struct cpu_identity *boot, struct acpi_cpu cpu[], unsigned nr)
{
	struct masquerade *m = &masquerade.mask;

	if (masquerade_parse(masquerade_param.topo, masquerade_param.cold, nr, m, masquerade.refusal, sizeof(masquerade.refusal)))
		return nr;
	if (m->kind != DISGUISE_SHAPE)
		return nr;
	masquerade_choose(&m->shown, boot, cpu, nr);
	masquerade.left_out = nr - m->shown.nr_cpus;
	return m->shown.nr_cpus;
}

void masquerade_begin(const struct topology *real)
{
	masquerade.real = masquerade.shown = real;
	if (masquerade.mask.kind == DISGUISE_NONE)
		return;
	masquerade_wear(&masquerade.mask, real);
	masquerade.shown = &masquerade.mask.shown;
}

const struct topology *machine_topology(void)
{
	return masquerade.shown;
}

/* Real caches see to the real distance. Interrupts are off here, and no lock is held: what comes meanwhile waits as long. */
u64 machine_charge_cold(unsigned from)
{
	u64 ns;

	if (masquerade.shown == masquerade.real)
		return 0;
	ns = masquerade_cold_ns(&masquerade.mask, masquerade.real, from, machine_cpu());
	if (ns)
		clock_wait_ns(ns);
	return ns;
}

void masquerade_facts(struct machine_info *info)
{
	if (masquerade.shown != masquerade.real)
		info->real = masquerade.real;
	info->cpus_left_out = masquerade.left_out;
	if (*masquerade.refusal)
		info->refusal = masquerade.refusal;
}
