/* SPDX-License-Identifier: GPL-2.0-or-later
 * The bit fields of an APIC id, as CPUID describes them, and the numbering of what they name. */
#include "arch/x86/topology.h"

#include "base/string.h"
#include "base/text.h"

enum {
	MOST_SUBLEAVES = 16, /* real CPUs have up to 6; a hypervisor's endless list ends here */
	LEVEL_SMT = 1,	     /* level type in leaves 0xB and 0x1F; 0 ends the list */
	CACHE_CODE = 2,	     /* cache type in leaves 4 and 0x8000001D; 0 ends the list */
	LEAST_LLC_LEVEL = 2,
	LOCAL_DISTANCE = 10, /* SLIT units */
	REMOTE_DISTANCE = 20,
};

#define LEAF1_HTT      (1u << 28) /* EDX: EBX[23:16] is valid */
#define EXT1_TOPOEXT   (1u << 22) /* ECX of 0x80000001 */
#define LEAF_EXTENDED  0x80000000u
#define LEAF_AMD_SIZES 0x80000008u
#define LEAF_AMD_CACHE 0x8000001Du
#define LEAF_AMD_NODE  0x8000001Eu

/* One CPU's CPUID and what decides which leaves of it mean anything. */
struct cpuid_view {
	cpuid_fn read;
	void *ctx;
	u32 max_leaf;
	u32 max_extended;
	bool amd;
	bool topoext;
};

static struct cpuid_regs leaf(const struct cpuid_view *v, u32 number, u32 subleaf)
{
	return v->read(v->ctx, number, subleaf);
}

static struct cpuid_view view_cpuid(cpuid_fn read, void *ctx)
{
	struct cpuid_view v = { .read = read, .ctx = ctx };
	char vendor[CPUID_VENDOR_SIZE];

	v.max_leaf = cpuid_max_leaf(read, ctx, 0);
	v.max_extended = cpuid_max_leaf(read, ctx, LEAF_EXTENDED);
	cpuid_vendor(read, ctx, vendor);
	v.amd = !strcmp(vendor, "AuthenticAMD") || !strcmp(vendor, "HygonGenuine");
	v.topoext = v.amd && v.max_extended >= LEAF_AMD_NODE && (leaf(&v, LEAF_EXTENDED + 1, 0).c & EXT1_TOPOEXT);
	return v;
}

/* Bits that tell n things apart; n at least 1. */
static u8 bits_for(u32 n)
{
	return n > 1 ? (u8)(ilog2(n - 1) + 1) : 0;
}

/* What is left of an id above its `shift` lowest bits, of which there may be all 32. */
static u32 id_above(u32 id, unsigned shift)
{
	return shift < 32 ? id >> shift : 0;
}

/* Leaf 0x1F or 0xB. Only the shifts: the counts beside them are of what is enabled, and wrong under some hypervisors.
 * A level of unknown type still separates CPUs from the package. */
static bool decode_levels(const struct cpuid_view *v, u32 number, struct cpu_identity *out)
{
	struct cpuid_regs r;

	/* A Core 2 Quad has leaf 0xD and zeros in leaf 0xB. */
	if (v->max_leaf < number || !(leaf(v, number, 0).b & 0xFFFF))
		return false;
	for (u32 sub = 0; sub < MOST_SUBLEAVES; sub++) {
		u32 type;
		u8 shift;

		r = leaf(v, number, sub);
		type = r.c >> 8 & 0xFF;
		shift = r.a & 0x1F;
		if (!type)
			break;
		out->apic_id = r.d;
		if (type == LEVEL_SMT)
			out->smt_shift = shift;
		if (shift > out->package_shift)
			out->package_shift = shift;
	}
	return true;
}

/* Leaf 1 has the number of ids a package may use, leaf 4 that of cores; without leaf 4 all are threads of one core.
 * HTT clear means one CPU per package, but from a CPU that has no leaf 4 either it more likely means nothing. */
static bool decode_intel(const struct cpuid_view *v, struct cpu_identity *out)
{
	struct cpuid_regs one = leaf(v, 1, 0);
	u32 caches = v->max_leaf >= 4 ? leaf(v, 4, 0).a : 0;
	u32 ids = one.d & LEAF1_HTT ? one.b >> 16 & 0xFF : 0;
	u8 core_bits = caches ? bits_for((caches >> 26) + 1) : 0;

	if (!ids && !caches)
		return false;
	out->package_shift = ids ? bits_for(ids) : 0;
	out->smt_shift = core_bits < out->package_shift ? out->package_shift - core_bits : 0;
	return true;
}

static bool decode_amd(const struct cpuid_view *v, struct cpu_identity *out)
{
	struct cpuid_regs sizes;
	u8 bits;

	if (v->max_extended < LEAF_AMD_SIZES)
		return false;
	sizes = leaf(v, LEAF_AMD_SIZES, 0);
	bits = sizes.c >> 12 & 0xF;
	out->package_shift = bits ? bits : bits_for((sizes.c & 0xFF) + 1);
	if (!out->package_shift)
		return false;
	if (v->topoext)
		out->smt_shift = bits_for((leaf(v, LEAF_AMD_NODE, 0).b >> 8 & 0xFF) + 1);
	return true;
}

/* Fills in where the fields of the APIC id are. */
static enum topology_source decode_fields(const struct cpuid_view *v, struct cpu_identity *out)
{
	if (decode_levels(v, 0x1F, out))
		return TOPOLOGY_FROM_LEAF_1F;
	if (decode_levels(v, 0xB, out))
		return TOPOLOGY_FROM_LEAF_B;
	if (v->amd && decode_amd(v, out))
		return TOPOLOGY_FROM_AMD;
	if (!v->amd && decode_intel(v, out))
		return TOPOLOGY_FROM_LEAF_4;
	out->package_shift = 32;
	return TOPOLOGY_FROM_NOTHING;
}

/* The cache of the highest level, an L2 where there is no L3. Its sharing is given as a number of ids, not all of them in use. */
static void decode_llc(const struct cpuid_view *v, struct cpu_identity *out)
{
	u32 number = v->amd ? LEAF_AMD_CACHE : 4;
	bool known = v->amd ? v->topoext : v->max_leaf >= 4;

	out->llc_shift = out->package_shift;
	for (u32 sub = 0; known && sub < MOST_SUBLEAVES; sub++) {
		u32 a = leaf(v, number, sub).a;
		u32 type = a & 0x1F, level = a >> 5 & 7;

		if (!type)
			break;
		if (type == CACHE_CODE || level < LEAST_LLC_LEVEL || level <= out->llc_level)
			continue;
		out->llc_level = (u8)level;
		out->llc_shift = bits_for((a >> 14 & 0xFFF) + 1);
	}
	/* Hypervisors pass the host's sharing on, whatever shape they give the guest. */
	if (out->llc_shift > out->package_shift)
		out->llc_shift = out->package_shift;
	if (out->llc_shift < out->smt_shift)
		out->llc_shift = out->smt_shift;
}

void topology_identify(cpuid_fn read, void *ctx, struct cpu_identity *out)
{
	const struct cpuid_view v = view_cpuid(read, ctx);

	memset(out, 0, sizeof(*out));
	out->apic_id = leaf(&v, 1, 0).b >> 24;
	out->source = decode_fields(&v, out);
	if (out->smt_shift > out->package_shift)
		out->smt_shift = out->package_shift;
	decode_llc(&v, out);
	out->smt_id = out->apic_id - (id_above(out->apic_id, out->smt_shift) << out->smt_shift);
	out->core_id = id_above(out->apic_id, out->smt_shift);
	out->package_id = id_above(out->apic_id, out->package_shift);
	out->llc_id = id_above(out->apic_id, out->llc_shift);
	out->node_hint = v.topoext ? leaf(&v, LEAF_AMD_NODE, 0).c & 0xFF : TOPOLOGY_NODE_UNKNOWN;
}

/* --- numbering --- */

static bool is_same_package(const struct cpu_identity *a, const struct cpu_identity *b)
{
	return a->package_id == b->package_id && a->package_shift == b->package_shift;
}

/* Efficiency cores without an L3 may sit beside others with one: equal ids of different shifts are different caches. */
static bool is_same_llc(const struct cpu_identity *a, const struct cpu_identity *b)
{
	return is_same_package(a, b) && a->llc_id == b->llc_id && a->llc_shift == b->llc_shift;
}

static bool is_same_core(const struct cpu_identity *a, const struct cpu_identity *b)
{
	return a->source != TOPOLOGY_FROM_NOTHING && is_same_llc(a, b) && a->core_id == b->core_id && a->smt_shift == b->smt_shift;
}

/* The number a raw node gets: the next one when it is new. */
static u16 number_node(struct topology *t, u16 map[MAX_NODES], u16 raw)
{
	if (map[raw] == TOPOLOGY_NODE_UNKNOWN)
		map[raw] = (u16)t->nr_nodes++;
	return map[raw];
}

/* Places CPU `cpu`, whose node is known, among those before it. Returns whether it has company from another node in its LLC. */
static bool place_cpu(const struct cpu_identity ids[], unsigned cpu, struct topology *t)
{
	struct cpu_place *p = &t->cpu[cpu];
	bool package = false, llc = false, core = false, split = false;

	for (unsigned i = 0; i < cpu; i++) {
		const struct cpu_place *other = &t->cpu[i];

		if (is_same_package(&ids[cpu], &ids[i])) {
			package = true;
			p->package = other->package;
		}
		if (!is_same_llc(&ids[cpu], &ids[i]))
			continue;
		if (other->node != p->node) {
			split = true;
			continue;
		}
		llc = true;
		p->llc = other->llc;
		if (is_same_core(&ids[cpu], &ids[i])) {
			core = true;
			p->core = other->core;
			p->thread = other->thread + 1;
		}
	}
	if (!package)
		p->package = (u16)t->nr_packages++;
	if (!llc)
		p->llc = (u16)t->nr_llcs++;
	if (!core)
		p->core = (u16)t->nr_cores++;
	return split && !llc;
}

static void fill_distances(const u8 distance[MAX_NODES][MAX_NODES], const u16 map[MAX_NODES], struct topology *t)
{
	for (unsigned from = 0; from < MAX_NODES; from++)
		for (unsigned to = 0; to < MAX_NODES; to++)
			t->distance[from][to] = from == to ? LOCAL_DISTANCE : REMOTE_DISTANCE;
	for (unsigned from = 0; from < MAX_NODES; from++)
		for (unsigned to = 0; to < MAX_NODES; to++)
			if (map[from] != TOPOLOGY_NODE_UNKNOWN && map[to] != TOPOLOGY_NODE_UNKNOWN)
				t->distance[map[from]][map[to]] = distance[from][to];
}

int topology_build(const struct cpu_identity ids[], const u16 node[], unsigned n, const u8 distance[MAX_NODES][MAX_NODES],
	struct topology *out, u16 node_map[MAX_NODES])
{
	unsigned homeless = 0, split = 0;

	if (!n || n > MAX_CPUS)
		return -E_INVAL;
	memset(out, 0, sizeof(*out));
	for (unsigned i = 0; i < MAX_NODES; i++)
		node_map[i] = TOPOLOGY_NODE_UNKNOWN;
	out->nr_cpus = n;
	for (unsigned cpu = 0; cpu < n; cpu++) {
		bool known = node[cpu] < MAX_NODES;

		homeless += !known;
		out->cpu[cpu].node = number_node(out, node_map, known ? node[cpu] : 0);
		split += place_cpu(ids, cpu, out);
	}
	fill_distances(distance, node_map, out);
	if (homeless)
		say("topology: the node of %u CPUs is not known; they are put in the first\n", homeless);
	if (split)
		say("topology: firmware puts CPUs of one last-level cache in several nodes; %u caches are split\n", split);
	return 0;
}
