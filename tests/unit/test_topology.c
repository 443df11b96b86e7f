/* SPDX-License-Identifier: GPL-2.0-or-later
 * Topology: canned CPUID in, numbers out. The id layouts are those of real parts and of QEMU's CPU models; expected values are the
 * ids' bit fields by arithmetic. A miss means the scheduler would build its domains on a machine that is not there. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "arch/x86/topology.h"
#include "base/string.h"
#include "base/text.h"

static char last_line[256];

void say(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vsnprintf(last_line, sizeof(last_line), fmt, args);
	va_end(args);
}

/* --- a CPU made of a list of leaves --- */

enum { MOST_LEAVES = 32 };

struct leaf_value {
	u32 leaf, subleaf;
	struct cpuid_regs regs;
};

struct canned {
	unsigned nr;
	struct leaf_value value[MOST_LEAVES];
};

/* Leaves that are not there read as zeros. */
static struct cpuid_regs read_canned(void *ctx, u32 leaf, u32 subleaf)
{
	const struct canned *c = ctx;

	for (unsigned i = 0; i < c->nr; i++)
		if (c->value[i].leaf == leaf && c->value[i].subleaf == subleaf)
			return c->value[i].regs;
	return (struct cpuid_regs){ 0, 0, 0, 0 };
}

static void add(struct canned *c, u32 leaf, u32 subleaf, u32 a, u32 b, u32 ecx, u32 d)
{
	assert_true(c->nr < MOST_LEAVES);
	c->value[c->nr++] = (struct leaf_value){ leaf, subleaf, { a, b, ecx, d } };
}

static void begin_cpu(struct canned *c, const char *vendor, u32 max_leaf, u32 max_extended)
{
	u32 word[3];

	c->nr = 0;
	memcpy(word, vendor, 12);
	add(c, 0, 0, max_leaf, word[0], word[2], word[1]);
	add(c, 0x80000000, 0, max_extended, 0, 0, 0);
}

enum { HTT = 1 << 28, TOPOEXT = 1 << 22, SMT = 1, CORE = 2, MODULE = 3, DIE = 5, DATA = 1, CODE = 2, UNIFIED = 3 };

static void add_leaf1(struct canned *c, u32 apic_id, u32 ids, u32 edx)
{
	add(c, 1, 0, 0, (apic_id & 0xFF) << 24 | ids << 16, 0, edx);
}

/* One level of leaf 0xB or 0x1F. EBX is filled with a count that is wrong, as QEMU's is: it must not be used. */
static void add_level(struct canned *c, u32 leaf, u32 sub, u32 type, u32 shift, u32 apic_id)
{
	add(c, leaf, sub, shift, 77, type << 8 | sub, apic_id);
}

static void add_cache(struct canned *c, u32 leaf, u32 sub, u32 type, u32 level, u32 sharing, u32 cores)
{
	add(c, leaf, sub, type | level << 5 | (sharing - 1) << 14 | (cores - 1) << 26, 0, 0, 0);
}

static struct cpu_identity identify(struct canned *c)
{
	struct cpu_identity id;

	topology_identify(read_canned, c, &id);
	return id;
}

/* Skylake-Server-like: leaf 0xB with SMT and core shifts, L3 shared by `sharing` ids. */
static struct cpu_identity intel_b(u32 apic_id, u32 smt_shift, u32 package_shift, u32 sharing)
{
	struct canned c;

	begin_cpu(&c, "GenuineIntel", 0xD, 0x80000008);
	add_leaf1(&c, apic_id, 1, HTT);
	add_cache(&c, 4, 0, DATA, 1, 1u << smt_shift, 1);
	add_cache(&c, 4, 1, CODE, 1, 1u << smt_shift, 1);
	add_cache(&c, 4, 2, UNIFIED, 2, 1u << smt_shift, 1);
	if (sharing)
		add_cache(&c, 4, 3, UNIFIED, 3, sharing, 1);
	add_level(&c, 0xB, 0, SMT, smt_shift, apic_id);
	add_level(&c, 0xB, 1, CORE, package_shift, apic_id);
	add(&c, 0xB, 2, 0, 0, 2, apic_id);
	return identify(&c);
}

/* --- one CPU --- */

static void test_leaf_b(void **state)
{
	struct cpu_identity id = intel_b(0x2B, 1, 3, 8);

	(void)state;
	assert_int_equal(id.source, TOPOLOGY_FROM_LEAF_B);
	assert_int_equal(id.apic_id, 0x2B);
	assert_int_equal(id.smt_id, 1);
	assert_int_equal(id.core_id, 0x15);
	assert_int_equal(id.package_id, 5);
	assert_int_equal(id.llc_id, 5);
	assert_int_equal(id.llc_level, 3);
	assert_int_equal(id.node_hint, TOPOLOGY_NODE_UNKNOWN);
}

/* 288 CPUs in one socket under QEMU: shift 9, and an id that leaf 1 cannot hold. */
static void test_wide_ids(void **state)
{
	struct cpu_identity id = intel_b(0x11F, 0, 9, 512);

	(void)state;
	assert_int_equal(id.apic_id, 287);
	assert_int_equal(id.core_id, 287);
	assert_int_equal(id.package_id, 0);
	id = intel_b(0xFFFFFFF0, 1, 31, 2);
	assert_int_equal(id.apic_id, 0xFFFFFFF0);
	assert_int_equal(id.package_id, 1);
}

/* QEMU with dies: levels 1, 2 and 5 in leaf 0x1F, while leaf 0xB folds the die into the core level. */
static void test_dies(void **state)
{
	struct canned c;
	struct cpu_identity id;

	(void)state;
	begin_cpu(&c, "GenuineIntel", 0x1F, 0x80000008);
	add_leaf1(&c, 13, 16, HTT);
	add_level(&c, 0x1F, 0, SMT, 1, 13);
	add_level(&c, 0x1F, 1, CORE, 2, 13);
	add_level(&c, 0x1F, 2, DIE, 3, 13);
	add_level(&c, 0xB, 0, SMT, 1, 13);
	add_level(&c, 0xB, 1, CORE, 2, 13);
	add_cache(&c, 4, 0, UNIFIED, 3, 4, 1);
	id = identify(&c);
	assert_int_equal(id.source, TOPOLOGY_FROM_LEAF_1F);
	assert_int_equal(id.smt_id, 1);
	assert_int_equal(id.core_id, 6);
	assert_int_equal(id.llc_id, 3);
	assert_int_equal(id.package_id, 1);
}

/* A level type nobody knows yet still lies between the core and the package. */
static void test_unknown_level_type(void **state)
{
	struct canned c;

	(void)state;
	begin_cpu(&c, "GenuineIntel", 0x1F, 0x80000008);
	add_level(&c, 0x1F, 0, SMT, 1, 0x47);
	add_level(&c, 0x1F, 1, MODULE, 3, 0x47);
	add_level(&c, 0x1F, 2, 42, 6, 0x47);
	assert_int_equal(identify(&c).core_id, 0x23);
	assert_int_equal(identify(&c).package_id, 1);
}

/* A list of levels that does not end must not hang the boot. */
static struct cpuid_regs read_endless(void *ctx, u32 leaf, u32 subleaf)
{
	struct cpuid_regs r = { 0xFFFFFFFF, 0xFFFFFFFF, 0xFFFFFFFF, 0xFFFFFFFF };

	(void)ctx;
	(void)subleaf;
	if (leaf == 0)
		r.a = 0x20;
	if (leaf == 0x80000000)
		r.a = 0x80000026;
	return r;
}

static void test_endless_lists(void **state)
{
	struct cpu_identity id;

	(void)state;
	topology_identify(read_endless, NULL, &id);
	assert_int_equal(id.package_shift, 31);
	assert_true(id.llc_shift <= 31);
}

/* Core 2 Quad: max leaf 0xD, but zeros in 0xB; four cores in pairs around two L2s and no L3. */
static void test_core_2_quad(void **state)
{
	struct canned c;
	struct cpu_identity id;

	(void)state;
	for (u32 apic_id = 0; apic_id < 4; apic_id++) {
		begin_cpu(&c, "GenuineIntel", 0xD, 0x80000008);
		add_leaf1(&c, apic_id, 4, HTT);
		add_cache(&c, 4, 0, DATA, 1, 1, 4);
		add_cache(&c, 4, 1, CODE, 1, 1, 4);
		add_cache(&c, 4, 2, UNIFIED, 2, 2, 4);
		id = identify(&c);
		assert_int_equal(id.source, TOPOLOGY_FROM_LEAF_4);
		assert_int_equal(id.smt_id, 0);
		assert_int_equal(id.core_id, apic_id);
		assert_int_equal(id.llc_id, apic_id / 2);
		assert_int_equal(id.llc_level, 2);
		assert_int_equal(id.package_id, 0);
	}
}

/* QEMU -cpu Conroe -smp 6,sockets=1,cores=3,threads=2: max leaf 0xA; 8 ids a package, 3 cores that take 2 bits. */
static void test_conroe_with_threads(void **state)
{
	struct canned c;
	struct cpu_identity id;

	(void)state;
	begin_cpu(&c, "GenuineIntel", 0xA, 0x80000008);
	add_leaf1(&c, 13, 6, HTT);
	add_cache(&c, 4, 0, DATA, 1, 2, 3);
	add_cache(&c, 4, 1, UNIFIED, 2, 2, 3);
	id = identify(&c);
	assert_int_equal(id.source, TOPOLOGY_FROM_LEAF_4);
	assert_int_equal(id.smt_id, 1);
	assert_int_equal(id.core_id, 6);
	assert_int_equal(id.package_id, 1);
	assert_int_equal(id.llc_id, 6);
}

/* HTT alone does not mean threads: this one has two ids a package and two cores. */
static void test_htt_is_not_smt(void **state)
{
	struct canned c;

	(void)state;
	begin_cpu(&c, "GenuineIntel", 0xA, 0x80000008);
	add_leaf1(&c, 1, 2, HTT);
	add_cache(&c, 4, 0, UNIFIED, 2, 2, 2);
	assert_int_equal(identify(&c).smt_shift, 0);
	assert_int_equal(identify(&c).package_id, 0);
	/* A Pentium 4 has no leaf 4 worth the name: two ids are two threads. */
	begin_cpu(&c, "GenuineIntel", 3, 0x80000008);
	add_leaf1(&c, 7, 2, HTT);
	assert_int_equal(identify(&c).smt_id, 1);
	assert_int_equal(identify(&c).core_id, 3);
	assert_int_equal(identify(&c).package_id, 3);
	/* HTT clear beside leaf 4: sockets of one CPU. */
	begin_cpu(&c, "GenuineIntel", 0xA, 0x80000008);
	add_leaf1(&c, 7, 0, 0);
	add_cache(&c, 4, 0, UNIFIED, 2, 1, 1);
	assert_int_equal(identify(&c).package_id, 7);
}

/* A first-generation EPYC without leaf 0xB: 64 ids a socket, two threads a core, L3 for 8 ids, four nodes a socket. */
static struct cpu_identity epyc(u32 apic_id)
{
	struct canned c;

	begin_cpu(&c, "AuthenticAMD", 0xD, 0x8000001F);
	add_leaf1(&c, apic_id, 64, HTT);
	add(&c, 0x80000001, 0, 0, 0, TOPOEXT, 0);
	add(&c, 0x80000008, 0, 0, 0, 6 << 12 | 63, 0);
	add_cache(&c, 0x8000001D, 0, DATA, 1, 2, 1);
	add_cache(&c, 0x8000001D, 1, CODE, 1, 2, 1);
	add_cache(&c, 0x8000001D, 2, UNIFIED, 2, 2, 1);
	add_cache(&c, 0x8000001D, 3, UNIFIED, 3, 8, 1);
	add(&c, 0x8000001E, 0, apic_id, 1 << 8 | (apic_id >> 1 & 0x1F), 3 << 8 | apic_id >> 4, 0);
	return identify(&c);
}

static void test_epyc(void **state)
{
	struct cpu_identity id = epyc(0x5B);

	(void)state;
	assert_int_equal(id.source, TOPOLOGY_FROM_AMD);
	assert_int_equal(id.smt_id, 1);
	assert_int_equal(id.core_id, 0x2D);
	assert_int_equal(id.llc_id, 0xB);
	assert_int_equal(id.llc_level, 3);
	assert_int_equal(id.package_id, 1);
	assert_int_equal(id.node_hint, 5);
}

/* Without TOPOEXT leaves 0x8000001D and 1E mean nothing, though QEMU's EPYC under TCG fills them in. */
static void test_epyc_without_topoext(void **state)
{
	struct canned c;
	struct cpu_identity id;

	(void)state;
	begin_cpu(&c, "AuthenticAMD", 0xD, 0x8000001F);
	add_leaf1(&c, 5, 8, HTT);
	add_level(&c, 0xB, 0, SMT, 1, 5);
	add_level(&c, 0xB, 1, CORE, 3, 5);
	add_cache(&c, 0x8000001D, 0, UNIFIED, 3, 2, 1);
	add(&c, 0x8000001E, 0, 5, 1 << 8, 7, 0);
	id = identify(&c);
	assert_int_equal(id.source, TOPOLOGY_FROM_LEAF_B);
	assert_int_equal(id.llc_level, 0);
	assert_int_equal(id.llc_id, id.package_id);
	assert_int_equal(id.llc_shift, id.package_shift);
	assert_int_equal(id.node_hint, TOPOLOGY_NODE_UNKNOWN);
}

/* A Phenom says only how many cores it has; six of them take three bits. */
static void test_amd_core_count(void **state)
{
	struct canned c;

	(void)state;
	begin_cpu(&c, "AuthenticAMD", 6, 0x8000001B);
	add_leaf1(&c, 13, 6, HTT);
	add(&c, 0x80000008, 0, 0, 0, 5, 0);
	assert_int_equal(identify(&c).source, TOPOLOGY_FROM_AMD);
	assert_int_equal(identify(&c).core_id, 13);
	assert_int_equal(identify(&c).package_id, 1);
}

static void test_nothing_known(void **state)
{
	static const char *const vendors[] = { "AuthenticAMD", "GenuineIntel", "????????????" };
	struct canned c;
	struct cpu_identity id;

	(void)state;
	for (unsigned i = 0; i < ARRAY_SIZE(vendors); i++) {
		begin_cpu(&c, vendors[i], 1, i ? 0 : 0x80000008);
		add_leaf1(&c, 6, 0, 0);
		id = identify(&c);
		assert_int_equal(id.source, TOPOLOGY_FROM_NOTHING);
		assert_int_equal(id.apic_id, 6);
		assert_int_equal(id.package_id, 0);
		assert_int_equal(id.llc_id, 0);
	}
	begin_cpu(&c, "AuthenticAMD", 1, 0);
	assert_int_equal(identify(&c).source, TOPOLOGY_FROM_NOTHING);
}

/* Four threads in a package of two ids cannot be. */
static void test_core_within_package(void **state)
{
	struct canned c;

	(void)state;
	begin_cpu(&c, "AuthenticAMD", 0xD, 0x8000001F);
	add_leaf1(&c, 7, 2, HTT);
	add(&c, 0x80000001, 0, 0, 0, TOPOEXT, 0);
	add(&c, 0x80000008, 0, 0, 0, 1 << 12, 0);
	add(&c, 0x8000001E, 0, 7, 3 << 8, 0, 0);
	assert_int_equal(identify(&c).package_id, 3);
	assert_int_equal(identify(&c).core_id, 3);
	assert_int_equal(identify(&c).smt_id, 1);
}

/* Sharing is by ids reserved, in powers of two, and never more than the package or less than a core. */
static void test_llc_within_package(void **state)
{
	(void)state;
	assert_int_equal(intel_b(0x25, 1, 5, 20).llc_shift, 5);
	assert_int_equal(intel_b(0x25, 1, 4, 64).llc_shift, 4);
	assert_int_equal(intel_b(0x25, 1, 4, 1).llc_shift, 1);
	assert_int_equal(intel_b(0x25, 1, 4, 0).llc_level, 2);
}

static void test_strings(void **state)
{
	static const char brand[48] = "  Intel(R) Xeon(R) CPU E5-2680 v2 @ 2.80GHz";
	char vendor[CPUID_VENDOR_SIZE], text[CPUID_BRAND_SIZE], hypervisor[CPUID_HYPERVISOR_SIZE];
	struct canned c;
	u32 word[12];

	(void)state;
	begin_cpu(&c, "GenuineIntel", 0xD, 0x80000004);
	memcpy(word, brand, 48);
	for (u32 i = 0; i < 3; i++)
		add(&c, 0x80000002 + i, 0, word[4 * i], word[4 * i + 1], word[4 * i + 2], word[4 * i + 3]);
	memcpy(word, "KVMKVMKVM\0\0\0", 12);
	add(&c, 0x40000000, 0, 0x40000001, word[0], word[1], word[2]);
	cpuid_vendor(read_canned, &c, vendor);
	assert_string_equal(vendor, "GenuineIntel");
	cpuid_brand(read_canned, &c, text);
	assert_string_equal(text, brand + 2);
	cpuid_hypervisor(read_canned, &c, hypervisor);
	assert_string_equal(hypervisor, ""); /* the hypervisor bit is clear */
	add(&c, 1, 0, 0, 0, 1u << 31, 0);
	cpuid_hypervisor(read_canned, &c, hypervisor);
	assert_string_equal(hypervisor, "KVMKVMKVM");
	begin_cpu(&c, "GenuineIntel", 0xD, 0x80000001);
	cpuid_brand(read_canned, &c, text);
	assert_string_equal(text, "");
	cpuid_vendor(cpuid_here, NULL, vendor);
	assert_int_equal(strlen(vendor), 12);
}

/* --- many CPUs --- */

static struct cpu_identity ids[MAX_CPUS];
static u16 nodes[MAX_CPUS];
static u8 distance[MAX_NODES][MAX_NODES];
static u16 node_map[MAX_NODES];
static struct topology topo;

static void set_distances(u8 remote)
{
	for (unsigned i = 0; i < MAX_NODES; i++)
		for (unsigned j = 0; j < MAX_NODES; j++)
			distance[i][j] = i == j ? 10 : remote;
}

static void build(unsigned n)
{
	last_line[0] = '\0';
	assert_int_equal(topology_build(ids, nodes, n, distance, &topo, node_map), 0);
	assert_int_equal(topo.nr_cpus, n);
}

static void expect_counts(unsigned nr_nodes, unsigned packages, unsigned llcs, unsigned cores)
{
	assert_int_equal(topo.nr_nodes, nr_nodes);
	assert_int_equal(topo.nr_packages, packages);
	assert_int_equal(topo.nr_llcs, llcs);
	assert_int_equal(topo.nr_cores, cores);
}

static void expect_place(unsigned cpu, u16 node, u16 package, u16 llc, u16 core, u16 thread)
{
	const struct cpu_place *p = &topo.cpu[cpu];

	if (p->node != node || p->package != package || p->llc != llc || p->core != core || p->thread != thread)
		fail_msg("CPU %u: node %u package %u llc %u core %u thread %u", cpu, p->node, p->package, p->llc, p->core,
			p->thread);
}

/* -smp 10,sockets=2,cores=5: ids 0-4 and 8-12. */
static void test_two_sockets_of_five(void **state)
{
	(void)state;
	set_distances(21);
	for (unsigned i = 0; i < 10; i++) {
		ids[i] = intel_b(i < 5 ? i : i + 3, 0, 3, 8);
		nodes[i] = i / 5;
	}
	build(10);
	expect_counts(2, 2, 2, 10);
	for (u16 i = 0; i < 10; i++)
		expect_place(i, i / 5, i / 5, i / 5, i, 0);
	assert_int_equal(topo.distance[0][0], 10);
	assert_int_equal(topo.distance[0][1], 21);
	assert_string_equal(last_line, "");
}

/* -smp 40,sockets=4,cores=5,threads=2: ids up to 57; the boot CPU, 33 here, comes first and so opens the numbering. */
static void test_forty_cpus_boot_cpu_in_the_middle(void **state)
{
	unsigned n = 0;

	(void)state;
	set_distances(20);
	ids[n] = intel_b(33, 1, 4, 16);
	nodes[n++] = 2;
	for (u32 id = 0; id <= 57; id++) {
		if (id % 16 >= 10 || id == 33)
			continue;
		ids[n] = intel_b(id, 1, 4, 16);
		nodes[n++] = id / 16;
	}
	assert_int_equal(n, 40);
	build(n);
	expect_counts(4, 4, 4, 20);
	expect_place(0, 0, 0, 0, 0, 0);
	expect_place(1, 1, 1, 1, 1, 0); /* id 0 */
	expect_place(2, 1, 1, 1, 1, 1);
	for (unsigned i = 1; i < n; i++)
		if (ids[i].apic_id == 32)
			expect_place(i, 0, 0, 0, 0, 1);
	assert_int_equal(node_map[2], 0);
	assert_int_equal(node_map[0], 1);
	assert_int_equal(node_map[4], TOPOLOGY_NODE_UNKNOWN);
}

/* Distances follow the nodes to their new numbers; nodes without CPUs vanish. */
static void test_distances_are_renumbered(void **state)
{
	static const u16 node_of_cpu[] = { 3, 1, 5 };

	(void)state;
	for (unsigned i = 0; i < MAX_NODES; i++)
		for (unsigned j = 0; j < MAX_NODES; j++)
			distance[i][j] = i == j ? 10 : (u8)(100 + 10 * i + j);
	for (unsigned i = 0; i < 3; i++) {
		ids[i] = intel_b(i * 2, 1, 1, 2);
		nodes[i] = node_of_cpu[i];
	}
	build(3);
	expect_counts(3, 3, 3, 3);
	assert_int_equal(topo.distance[0][1], 131);
	assert_int_equal(topo.distance[1][0], 113);
	assert_int_equal(topo.distance[2][1], 151);
	assert_int_equal(topo.distance[1][1], 10);
}

/* Sub-NUMA clustering: one package and one L3 by CPUID, two nodes by SRAT. The L3 is split, with a line; the package is not. */
static void test_sub_numa_clusters(void **state)
{
	(void)state;
	set_distances(11);
	for (unsigned i = 0; i < 8; i++) {
		ids[i] = intel_b(i, 1, 3, 8);
		nodes[i] = i / 4;
	}
	build(8);
	expect_counts(2, 1, 2, 4);
	expect_place(3, 0, 0, 0, 1, 1);
	expect_place(4, 1, 0, 1, 2, 0);
	expect_place(7, 1, 0, 1, 3, 1);
	assert_non_null(strstr(last_line, "1 caches are split"));
	/* Nodes that alternate do not make more caches. */
	for (unsigned i = 0; i < 8; i++)
		nodes[i] = i / 2 % 2;
	build(8);
	expect_counts(2, 1, 2, 4);
	expect_place(6, 1, 0, 1, 3, 0);
	/* Two threads of one core in two nodes: nonsense, but no core may span nodes. */
	for (unsigned i = 0; i < 8; i++)
		nodes[i] = i % 2;
	build(8);
	expect_counts(2, 1, 2, 8);
}

/* EPYC in NPS4: SRAT's nodes agree with AMD's own, L3s lie within. */
static void test_epyc_machine(void **state)
{
	(void)state;
	set_distances(16);
	for (unsigned i = 0; i < 128; i++) {
		ids[i] = epyc(i);
		nodes[i] = ids[i].node_hint;
	}
	build(128);
	expect_counts(8, 2, 16, 64);
	expect_place(127, 7, 1, 15, 63, 1);
	assert_string_equal(last_line, "");
}

/* A hybrid: two threaded cores, a module of four small ones under the same L3, and two low-power ones that have none, only an L2
 * for both. Its id is made equal to that of the L3: with different shifts they are different caches still. */
static void test_hybrid(void **state)
{
	static const u32 apic_id[] = { 0, 1, 8, 9, 16, 18, 20, 22, 64, 66 };

	(void)state;
	set_distances(20);
	for (unsigned i = 0; i < ARRAY_SIZE(apic_id); i++) {
		ids[i] = intel_b(apic_id[i], 1, 7, apic_id[i] < 64 ? 64 : 0);
		nodes[i] = 0;
	}
	for (unsigned i = 8; i < 10; i++) {
		ids[i].llc_shift = 3;
		ids[i].llc_id = ids[0].llc_id;
	}
	build(10);
	expect_counts(1, 1, 2, 8);
	expect_place(3, 0, 0, 0, 1, 1);
	expect_place(7, 0, 0, 0, 5, 0);
	expect_place(8, 0, 0, 1, 6, 0);
	expect_place(9, 0, 0, 1, 7, 0);
}

static void test_unknown_nodes(void **state)
{
	(void)state;
	set_distances(20);
	for (unsigned i = 0; i < 4; i++) {
		ids[i] = intel_b(i, 0, 1, 2);
		nodes[i] = i < 2 ? 1 : TOPOLOGY_NODE_UNKNOWN;
	}
	nodes[3] = MAX_NODES;
	build(4);
	expect_counts(2, 2, 2, 4);
	assert_int_equal(node_map[1], 0);
	assert_int_equal(node_map[0], 1);
	assert_non_null(strstr(last_line, "2 CPUs is not known"));
}

/* Eight CPUs of which CPUID says nothing, two even with the same id: eight cores in one package. */
static void test_build_from_nothing(void **state)
{
	struct canned c;

	(void)state;
	set_distances(20);
	for (u32 i = 0; i < 8; i++) {
		begin_cpu(&c, "AuthenticAMD", 1, 0);
		add_leaf1(&c, i % 7, 0, 0);
		ids[i] = identify(&c);
		nodes[i] = 0;
	}
	build(8);
	expect_counts(1, 1, 1, 8);
	expect_place(7, 0, 0, 0, 7, 0);
}

static void test_counts_out_of_range(void **state)
{
	(void)state;
	assert_int_equal(topology_build(ids, nodes, 0, distance, &topo, node_map), -E_INVAL);
	assert_int_equal(topology_build(ids, nodes, MAX_CPUS + 1, distance, &topo, node_map), -E_INVAL);
}

/* Whatever CPUID and SRAT say, cores nest in LLCs, LLCs in packages and nodes, and numbers are dense. The seed is fixed. */
static void test_nesting_under_random_input(void **state)
{
	(void)state;
	srand(3);
	set_distances(20);
	for (unsigned round = 0; round < 2000; round++) {
		unsigned n = 1 + (unsigned)rand() % 16;

		for (unsigned i = 0; i < n; i++) {
			ids[i] = intel_b((u32)rand() % 64, (u32)rand() % 3, (u32)rand() % 7, (u32)rand() % 70);
			nodes[i] = (u16)(rand() % 3);
		}
		build(n);
		for (unsigned i = 0; i < n; i++) {
			const struct cpu_place *a = &topo.cpu[i];

			assert_true(a->node < topo.nr_nodes && a->package < topo.nr_packages && a->llc < topo.nr_llcs &&
				    a->core < topo.nr_cores);
			for (unsigned j = 0; j < i; j++) {
				const struct cpu_place *b = &topo.cpu[j];

				if (a->core == b->core)
					assert_true(a->llc == b->llc && a->thread > b->thread);
				if (a->llc == b->llc)
					assert_true(a->node == b->node && a->package == b->package);
			}
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_leaf_b),
		cmocka_unit_test(test_wide_ids),
		cmocka_unit_test(test_dies),
		cmocka_unit_test(test_unknown_level_type),
		cmocka_unit_test(test_endless_lists),
		cmocka_unit_test(test_core_2_quad),
		cmocka_unit_test(test_conroe_with_threads),
		cmocka_unit_test(test_htt_is_not_smt),
		cmocka_unit_test(test_epyc),
		cmocka_unit_test(test_epyc_without_topoext),
		cmocka_unit_test(test_amd_core_count),
		cmocka_unit_test(test_nothing_known),
		cmocka_unit_test(test_core_within_package),
		cmocka_unit_test(test_llc_within_package),
		cmocka_unit_test(test_strings),
		cmocka_unit_test(test_two_sockets_of_five),
		cmocka_unit_test(test_forty_cpus_boot_cpu_in_the_middle),
		cmocka_unit_test(test_distances_are_renumbered),
		cmocka_unit_test(test_sub_numa_clusters),
		cmocka_unit_test(test_epyc_machine),
		cmocka_unit_test(test_hybrid),
		cmocka_unit_test(test_unknown_nodes),
		cmocka_unit_test(test_build_from_nothing),
		cmocka_unit_test(test_counts_out_of_range),
		cmocka_unit_test(test_nesting_under_random_input),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
