/* SPDX-License-Identifier: GPL-2.0-or-later
 * MADT, SRAT and SLIT: which CPUs there are, which node they belong to, and how far nodes are apart. */
#include "arch/x86/acpi_tables.h"

enum { MOST_LOCALITIES = 1023 }; /* a SLIT of more is above MOST_TABLE_BYTES */

#define APIC_ID_NONE   0xFFu	   /* "no CPU here" in 8-bit entries */
#define X2APIC_ID_NONE 0xFFFFFFFFu /* and in 32-bit ones */

/* Calls `take` for each entry of a table made of (type, length, ...) entries, as MADT and SRAT are. `least` has the bytes
 * that `take` reads of an entry of each type below `nr_least`; shorter entries are left out, other types are not its business. */
static void walk_entries(struct acpi_info *info, const char *name, const struct table *t, u32 at, const u8 least[],
	unsigned nr_least, void (*take)(struct acpi_info *info, const struct table *t, const u8 *entry))
{
	u32 bytes;

	for (; at < t->length && t->length - at >= 2; at += bytes) {
		u8 type = t->at[at];

		bytes = t->at[at + 1];
		if (bytes < 2 || bytes > t->length - at) {
			warn(info, "%s entry at %u claims %u bytes and not 2 to %u, the rest is ignored\n", name, at, bytes,
				t->length - at);
			return;
		}
		if (type >= nr_least || !least[type])
			continue;
		if (bytes < least[type])
			warn(info, "%s entry of type %u with %u bytes is too short, it takes %u\n", name, type, bytes, least[type]);
		else
			take(info, t, t->at + at);
	}
}

/* --- MADT: which CPUs there are --- */

enum {
	MADT_APIC = 0,
	MADT_IOAPIC = 1,
	MADT_LAPIC_ADDRESS = 5,
	MADT_X2APIC = 9,
	MADT_ENABLED = 1,
	MADT_FIRST_ENTRY = 44,
};

static const u8 madt_least[] = { [MADT_APIC] = 8, [MADT_IOAPIC] = 12, [MADT_LAPIC_ADDRESS] = 12, [MADT_X2APIC] = 16 };

static struct acpi_cpu *find_cpu(struct acpi_info *info, u32 apic_id)
{
	for (unsigned i = 0; i < info->nr_cpus; i++)
		if (info->cpu[i].apic_id == apic_id)
			return &info->cpu[i];
	return NULL;
}

/* Bit 0 decides: with "online capable" alone a CPU can be plugged in, but is not there. */
static void add_cpu(struct acpi_info *info, u32 apic_id, u32 uid, u32 flags)
{
	if (!(flags & MADT_ENABLED)) {
		info->nr_disabled++;
		return;
	}
	if (find_cpu(info, apic_id)) {
		info->nr_duplicates++;
		return;
	}
	if (info->nr_cpus == MAX_CPUS) {
		info->nr_beyond++;
		return;
	}
	info->cpu[info->nr_cpus++] = (struct acpi_cpu){ apic_id, uid, 0 };
}

static void set_lapic_address(struct acpi_info *info, u64 address)
{
	if (!address || address >= PHYS_LIMIT || address % 4096)
		warn(info, "local APIC at 0x%lx makes no sense, using 0x%lx\n", address, info->lapic_address);
	else
		info->lapic_address = address;
}

static void take_madt_entry(struct acpi_info *info, const struct table *t, const u8 *e)
{
	(void)t;
	switch (e[0]) {
	case MADT_APIC:
		if (e[3] != APIC_ID_NONE)
			add_cpu(info, e[3], e[2], read_u32(e + 4));
		break;
	case MADT_IOAPIC:
		if (info->nr_ioapics < ACPI_IOAPICS)
			info->ioapic[info->nr_ioapics++] = read_u32(e + 4);
		else
			warn(info, "MADT has more than %u I/O APICs, the one at 0x%x is ignored\n", ACPI_IOAPICS, read_u32(e + 4));
		break;
	case MADT_X2APIC:
		if (read_u32(e + 4) != X2APIC_ID_NONE)
			add_cpu(info, read_u32(e + 4), read_u32(e + 12), read_u32(e + 8));
		break;
	case MADT_LAPIC_ADDRESS:
		set_lapic_address(info, read_u64(e + 4));
		break;
	}
}

void acpi_parse_madt(struct acpi_info *info, const struct table *t)
{
	if (t->length < MADT_FIRST_ENTRY) {
		warn(info, "MADT of %u bytes is too short, it takes %u: ignored\n", t->length, MADT_FIRST_ENTRY);
		return;
	}
	info->has_madt = true;
	set_lapic_address(info, read_u32(t->at + 36));
	walk_entries(info, "MADT", t, MADT_FIRST_ENTRY, madt_least, ARRAY_SIZE(madt_least), take_madt_entry);
	if (info->nr_duplicates)
		warn(info, "MADT lists %u CPUs again, which count once\n", info->nr_duplicates);
	if (info->nr_beyond)
		warn(info, "%u CPUs beyond the first %u are left out\n", info->nr_beyond, MAX_CPUS);
}

/* --- SRAT and SLIT: which node CPUs and memory belong to, and how far nodes are apart --- */

enum {
	SRAT_APIC = 0,
	SRAT_MEMORY = 1,
	SRAT_X2APIC = 2,
	SRAT_ENABLED = 1,
	SRAT_FIRST_ENTRY = 48,
	SLIT_MATRIX = 44, /* behind the number of localities */
};

static const u8 srat_least[] = { [SRAT_APIC] = 16, [SRAT_MEMORY] = 40, [SRAT_X2APIC] = 24 };

/* The dense number of a proximity domain, which it gets when it is first seen. */
static u16 node_of_domain(struct acpi_info *info, u32 domain)
{
	for (unsigned i = 0; i < info->nr_nodes; i++)
		if (info->domain[i] == domain)
			return (u16)i;
	if (info->nr_nodes == MAX_NODES) {
		warn(info, "proximity domain %u beyond the first %u is ignored\n", domain, MAX_NODES);
		return ACPI_NODE_UNKNOWN;
	}
	info->domain[info->nr_nodes] = domain;
	return (u16)info->nr_nodes++;
}

/* Entries for CPUs that are not there are usual, and make no node. */
static void place_cpu(struct acpi_info *info, u32 apic_id, u32 domain)
{
	struct acpi_cpu *cpu = find_cpu(info, apic_id);
	u16 node;

	if (!cpu)
		return;
	node = node_of_domain(info, domain);
	if (cpu->node == ACPI_NODE_UNKNOWN)
		cpu->node = node;
	else if (cpu->node != node)
		warn(info, "SRAT puts the CPU with APIC id %u in two nodes\n", apic_id);
}

static bool overlaps_other_node(const struct acpi_info *info, const struct acpi_memory *m)
{
	for (unsigned i = 0; i < info->nr_memory; i++)
		if (info->memory[i].node != m->node && info->memory[i].start < m->end && m->start < info->memory[i].end)
			return true;
	return false;
}

static void add_memory(struct acpi_info *info, u32 domain, u64 start, u64 length)
{
	struct acpi_memory m = { .start = start };

	if (!length)
		return;
	if (start >= PHYS_LIMIT) {
		warn(info, "SRAT memory at 0x%lx makes no sense\n", start);
		return;
	}
	m.end = start + min_u64(length, PHYS_LIMIT - start);
	m.node = node_of_domain(info, domain);
	if (m.node == ACPI_NODE_UNKNOWN)
		return;
	if (overlaps_other_node(info, &m))
		warn(info, "SRAT gives memory at 0x%lx to node %u and to another\n", m.start, m.node);
	if (info->nr_memory == ACPI_MEMORY_MAX) {
		warn(info, "SRAT has more than %u memory ranges, 0x%lx is left out\n", ACPI_MEMORY_MAX, m.start);
		return;
	}
	info->memory[info->nr_memory++] = m;
}

static void take_srat_entry(struct acpi_info *info, const struct table *t, const u8 *e)
{
	u32 mask = t->at[8] < 2 ? 0xFF : 0xFFFFFFFF; /* revision 1 left garbage in the upper bytes of a domain */

	switch (e[0]) {
	case SRAT_APIC:
		if (read_u32(e + 4) & SRAT_ENABLED)
			place_cpu(info, e[3], (e[2] | (read_u32(e + 8) & 0xFFFFFF00)) & mask);
		break;
	case SRAT_X2APIC:
		if (read_u32(e + 12) & SRAT_ENABLED)
			place_cpu(info, read_u32(e + 8), read_u32(e + 4) & mask);
		break;
	case SRAT_MEMORY:
		if (read_u32(e + 28) & SRAT_ENABLED)
			add_memory(info, read_u32(e + 2) & mask, read_u64(e + 8), read_u64(e + 16));
		break;
	}
}

void acpi_parse_srat(struct acpi_info *info, const struct table *t)
{
	unsigned unplaced = 0;

	for (unsigned i = 0; i < info->nr_cpus; i++)
		info->cpu[i].node = ACPI_NODE_UNKNOWN;
	info->nr_nodes = 0;
	if (t->length >= SRAT_FIRST_ENTRY)
		walk_entries(info, "SRAT", t, SRAT_FIRST_ENTRY, srat_least, ARRAY_SIZE(srat_least), take_srat_entry);
	if (!info->nr_nodes) {
		warn(info, "SRAT of %u bytes has no entry for a CPU or memory that is there, ignored\n", t->length);
		info->nr_nodes = 1;
		for (unsigned i = 0; i < info->nr_cpus; i++)
			info->cpu[i].node = 0;
		return;
	}
	info->has_srat = true;
	for (unsigned i = 0; i < info->nr_cpus; i++)
		unplaced += info->cpu[i].node == ACPI_NODE_UNKNOWN;
	if (unplaced)
		warn(info, "SRAT says nothing of %u CPUs: their node is not known\n", unplaced);
}

/* 10 on the diagonal and more elsewhere, or somebody filled the table with something else. */
static bool slit_is_sane(const u8 *matrix, u64 n)
{
	for (u64 from = 0; from < n; from++)
		for (u64 to = 0; to < n; to++) {
			u8 distance = matrix[from * n + to];

			if (from == to ? distance != ACPI_LOCAL_DISTANCE : distance <= ACPI_LOCAL_DISTANCE)
				return false;
		}
	return true;
}

/* The matrix is indexed by proximity domain, ours by node. */
void acpi_parse_slit(struct acpi_info *info, const struct table *t)
{
	u64 n = t->length >= SLIT_MATRIX ? read_u64(t->at + HEADER_BYTES) : 0;
	const u8 *matrix = t->at + SLIT_MATRIX;

	if (!n || n > MOST_LOCALITIES || SLIT_MATRIX + n * n > t->length || !slit_is_sane(matrix, n)) {
		warn(info,
			"SLIT of %u bytes for %lu nodes is no square of distances with %u to each itself and more to others, ignored\n",
			t->length, n, ACPI_LOCAL_DISTANCE);
		return;
	}
	for (unsigned i = 0; i < info->nr_nodes; i++)
		if (info->domain[i] >= n) {
			warn(info, "SLIT for %lu nodes has no domain %u, ignored\n", n, info->domain[i]);
			return;
		}
	info->has_slit = true;
	for (unsigned from = 0; from < info->nr_nodes; from++)
		for (unsigned to = 0; to < info->nr_nodes; to++)
			info->distance[from][to] = matrix[info->domain[from] * n + info->domain[to]];
}
