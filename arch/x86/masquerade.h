/* SPDX-License-Identifier: GPL-2.0-or-later
 * topo= on real CPUs: another topology than theirs, for the scheduler to believe in. What is worked out is here;
 * masquerade_machine.h has what the machine does with it. */
#ifndef ARCH_X86_MASQUERADE_H
#define ARCH_X86_MASQUERADE_H

#include "arch/shape.h"
#include "arch/x86/acpi.h"
#include "arch/x86/topology.h"

enum disguise {
	DISGUISE_NONE,	/* topo=real */
	DISGUISE_NOSMT, /* threads are shown as cores */
	DISGUISE_FLAT,	/* one node, one package, one last-level cache; cores and threads as they are */
	DISGUISE_SHAPE, /* a shape as virtual machines have it */
};

struct masquerade {
	enum disguise kind;
	u64 cold_ns[NR_DISTANCES];
	struct topology shown; /* the shape; of the other kinds, only after masquerade_wear() */
};

/* What topo= and cold= ask for of a machine with that many CPUs. 0, or -E_INVAL with one line in error[size]. */
int masquerade_parse(const char *topo, const char *cold, unsigned nr_cpus, struct masquerade *m, char *error, size_t size);

/*
 * Which CPUs become the shape's, and in which order: CPU i of the shape will be cpu[i]. cpu[0] is the boot CPU, which *boot
 * identifies, and stays where it is. Neighbours come next to each other: first those of its own node, then node by node, and within
 * a node by APIC id, whose bits name package, cache, core and thread from the top down. Where the shape has fewer CPUs than the
 * machine, none of its cores, nodes, packages or caches is to have more CPUs of a real one than the shape's own has: its cores
 * become cores, as long as there are enough of them. Nodes are ACPI's; what the others are is learnt from the boot CPU, which on
 * mixed parts is a guess, good enough to choose by.
 */
void masquerade_choose(const struct topology *shape, const struct cpu_identity *boot, struct acpi_cpu cpu[], unsigned nr);

/* m->shown becomes what is to be seen instead of *real; both have the same CPUs. */
void masquerade_wear(struct masquerade *m, const struct topology *real);

/* What a task is to lose that has moved between those CPUs, beyond what the real caches see to: 0 where they are shown no farther
 * apart than they are. */
u64 masquerade_cold_ns(const struct masquerade *m, const struct topology *real, unsigned from, unsigned to);

#endif
