/* SPDX-License-Identifier: GPL-2.0-or-later
 * From what CPUID says on each CPU to the machine's shape. */
#ifndef ARCH_X86_TOPOLOGY_H
#define ARCH_X86_TOPOLOGY_H

#include "arch/topology.h"
#include "arch/x86/cpuid.h"
#include "base/types.h"

enum {
	TOPOLOGY_NODE_UNKNOWN = 0xFFFF,
};

/* Where the APIC id's bit fields were learnt from. */
enum topology_source {
	TOPOLOGY_FROM_NOTHING, /* each CPU is its own core, all in one package */
	TOPOLOGY_FROM_LEAF_1F,
	TOPOLOGY_FROM_LEAF_B,
	TOPOLOGY_FROM_LEAF_4, /* Intel before 0xB: leaves 1 and 4 */
	TOPOLOGY_FROM_AMD,    /* AMD before 0xB: leaves 0x80000008 and 0x8000001E */
};

/* What one CPU says of itself. Ids are raw: sparse, and comparable only between CPUs of the same machine. */
struct cpu_identity {
	u32 apic_id; /* all 32 bits where CPUID has them */
	u32 smt_id;  /* within the core */
	u32 core_id; /* the whole machine's */
	u32 package_id;
	u32 llc_id;    /* compare together with llc_shift */
	u16 node_hint; /* AMD's node id, or TOPOLOGY_NODE_UNKNOWN; SRAT's word counts, not this */
	u8 smt_shift;  /* core_id = apic_id >> smt_shift */
	u8 llc_shift;
	u8 package_shift;
	u8 llc_level; /* 2, 3, ...; 0 when CPUID describes no cache and the LLC is taken to be the package's */
	enum topology_source source;
};

/* Must run on the CPU that `read` speaks for. Sets all of *out. */
void topology_identify(cpuid_fn read, void *ctx, struct cpu_identity *out);

/* Numbers n CPUs (their index in ids[] becomes their number) and fills *out; `node` and `distance` may speak of up to MAX_NODES
 * nodes, in ACPI's numbering. Every number counts from 0 in the order of first appearance. Cores lie within one LLC, LLCs within
 * one package and one node: firmware that says otherwise has them split, with a line from say(). A CPU of unknown node goes to
 * ACPI's node 0, with a line too. A package may span nodes, and a node packages.
 * node_map receives ACPI's node -> node in *out, TOPOLOGY_NODE_UNKNOWN for nodes without CPUs.
 * Returns 0, or -E_INVAL when n is 0 or above MAX_CPUS. *out wants static storage. */
int topology_build(const struct cpu_identity ids[], const u16 node[], unsigned n, const u8 distance[MAX_NODES][MAX_NODES],
	struct topology *out, u16 node_map[MAX_NODES]);

#endif
