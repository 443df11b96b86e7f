/* SPDX-License-Identifier: GPL-2.0-or-later
 * Walking ACPI's static tables, which come from firmware of every quality: no length, count or address in them is believed. */
#include "arch/x86/acpi.h"

#include "arch/x86/phys.h"
#include "base/string.h"
#include "base/text.h"

enum {
	HEADER_BYTES = 36,
	MOST_TABLE_BYTES = 1 << 20,
	MOST_TABLES = 256, /* servers have a hundred SSDTs */
	RSDP_V1_BYTES = 20,
	RSDP_V2_BYTES = 36,
	MOST_LOCALITIES = 1023, /* a SLIT of more is above MOST_TABLE_BYTES */
};

#define PHYS_LIMIT     (1ull << 52)
#define DEFAULT_LAPIC  0xFEE00000ull
#define APIC_ID_NONE   0xFFu	   /* "no CPU here" in 8-bit entries */
#define X2APIC_ID_NONE 0xFFFFFFFFu /* and in 32-bit ones */

/* An oddity: worth a line in the log, and counted. */
#define warn(info, ...) ((info)->warnings++, say("acpi: " __VA_ARGS__))

/* A whole table, header included, of a sane length. */
struct table {
	const u8 *at;
	u32 length;
};

/* The tables that the RSDT or XSDT lists, by signature. */
struct table_list {
	unsigned nr;
	u32 signature[MOST_TABLES];
	u64 phys[MOST_TABLES];
};

static u32 signature_of(const char *name)
{
	return read_u32((const u8 *)name);
}

/* --- finding tables --- */

/* Header first, then the length in it, then the rest. A wrong checksum is common enough on real boards that Linux does not look
 * at it either; what the table says is checked where it is used. */
static bool map_table(struct acpi_info *info, const char *name, u64 phys, struct table *out)
{
	const u8 *header = NULL;

	if (phys && phys < PHYS_LIMIT)
		header = phys_map(phys, HEADER_BYTES);
	if (!header || read_u32(header) != signature_of(name)) {
		warn(info, "no %s at 0x%lx\n", name, phys);
		return false;
	}
	out->length = read_u32(header + 4);
	if (out->length < HEADER_BYTES || out->length > MOST_TABLE_BYTES) {
		warn(info, "%s at 0x%lx claims %u bytes, ignored\n", name, phys, out->length);
		return false;
	}
	out->at = phys_map(phys, out->length);
	if (!out->at) {
		warn(info, "%s at 0x%lx cannot be read\n", name, phys);
		return false;
	}
	if (byte_sum(out->at, out->length))
		warn(info, "%s at 0x%lx has a wrong checksum, used anyway\n", name, phys);
	return true;
}

static void list_table(struct acpi_info *info, struct table_list *list, u64 phys)
{
	const u8 *header = NULL;

	if (!phys)
		return;
	if (phys < PHYS_LIMIT)
		header = phys_map(phys, HEADER_BYTES);
	if (!header) {
		warn(info, "the table at 0x%lx cannot be read\n", phys);
		return;
	}
	list->signature[list->nr] = read_u32(header);
	list->phys[list->nr++] = phys;
}

/* Reads the RSDT (entries of 4 bytes) or XSDT (8 bytes, aligned to 4). */
static bool list_tables(struct acpi_info *info, const char *name, u64 phys, u32 entry_bytes, struct table_list *list)
{
	struct table root;

	list->nr = 0;
	if (!map_table(info, name, phys, &root))
		return false;
	for (u32 at = HEADER_BYTES; root.length - at >= entry_bytes; at += entry_bytes) {
		if (list->nr == MOST_TABLES) {
			warn(info, "%s lists more than %u tables, the rest is ignored\n", name, MOST_TABLES);
			break;
		}
		list_table(info, list, entry_bytes == 8 ? read_u64(root.at + at) : read_u32(root.at + at));
	}
	return list->nr > 0;
}

/* The first table of this name that can be read. */
static bool find_table(struct acpi_info *info, const struct table_list *list, const char *name, struct table *out)
{
	bool found = false;

	for (unsigned i = 0; i < list->nr; i++) {
		if (list->signature[i] != signature_of(name))
			continue;
		if (found)
			warn(info, "another %s at 0x%lx, ignored\n", name, list->phys[i]);
		else
			found = map_table(info, name, list->phys[i], out);
	}
	return found;
}

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
			warn(info, "%s entry of %u bytes at %u of %u, the rest is ignored\n", name, bytes, at, t->length);
			return;
		}
		if (type >= nr_least || !least[type])
			continue;
		if (bytes < least[type])
			warn(info, "%s entry of type %u with %u bytes is too short\n", name, type, bytes);
		else
			take(info, t, t->at + at);
	}
}

/* --- MADT: which CPUs there are --- */

enum {
	MADT_APIC = 0,
	MADT_LAPIC_ADDRESS = 5,
	MADT_X2APIC = 9,
	MADT_ENABLED = 1,
	MADT_FIRST_ENTRY = 44,
};

static const u8 madt_least[] = { [MADT_APIC] = 8, [MADT_LAPIC_ADDRESS] = 12, [MADT_X2APIC] = 16 };

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
	case MADT_X2APIC:
		if (read_u32(e + 4) != X2APIC_ID_NONE)
			add_cpu(info, read_u32(e + 4), read_u32(e + 12), read_u32(e + 8));
		break;
	case MADT_LAPIC_ADDRESS:
		set_lapic_address(info, read_u64(e + 4));
		break;
	}
}

static void parse_madt(struct acpi_info *info, const struct table *t)
{
	if (t->length < MADT_FIRST_ENTRY) {
		warn(info, "MADT of %u bytes is too short\n", t->length);
		return;
	}
	info->has_madt = true;
	set_lapic_address(info, read_u32(t->at + 36));
	walk_entries(info, "MADT", t, MADT_FIRST_ENTRY, madt_least, ARRAY_SIZE(madt_least), take_madt_entry);
	if (info->nr_duplicates)
		warn(info, "MADT lists %u CPUs again\n", info->nr_duplicates);
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

static void parse_srat(struct acpi_info *info, const struct table *t)
{
	unsigned unplaced = 0;

	for (unsigned i = 0; i < info->nr_cpus; i++)
		info->cpu[i].node = ACPI_NODE_UNKNOWN;
	info->nr_nodes = 0;
	if (t->length >= SRAT_FIRST_ENTRY)
		walk_entries(info, "SRAT", t, SRAT_FIRST_ENTRY, srat_least, ARRAY_SIZE(srat_least), take_srat_entry);
	if (!info->nr_nodes) {
		warn(info, "SRAT describes no node, ignored\n");
		info->nr_nodes = 1;
		for (unsigned i = 0; i < info->nr_cpus; i++)
			info->cpu[i].node = 0;
		return;
	}
	info->has_srat = true;
	for (unsigned i = 0; i < info->nr_cpus; i++)
		unplaced += info->cpu[i].node == ACPI_NODE_UNKNOWN;
	if (unplaced)
		warn(info, "SRAT says nothing of %u CPUs\n", unplaced);
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
static void parse_slit(struct acpi_info *info, const struct table *t)
{
	u64 n = t->length >= SLIT_MATRIX ? read_u64(t->at + HEADER_BYTES) : 0;
	const u8 *matrix = t->at + SLIT_MATRIX;

	if (!n || n > MOST_LOCALITIES || SLIT_MATRIX + n * n > t->length || !slit_is_sane(matrix, n)) {
		warn(info, "SLIT of %u bytes for %lu nodes makes no sense, ignored\n", t->length, n);
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

/* --- FADT and HPET: timers, power-off, reset --- */

enum {
	FADT_DSDT = 40,
	FADT_SCI = 46,
	FADT_SMI_COMMAND = 48,
	FADT_ACPI_ENABLE = 52,
	FADT_PM1A_CONTROL = 64,
	FADT_PM1B_CONTROL = 68,
	FADT_PM_TIMER = 76,
	FADT_PM_TIMER_BYTES = 91,
	FADT_FLAGS = 112,
	FADT_V1_BYTES = 116,
	FADT_RESET = 116,
	FADT_RESET_VALUE = 128,
	FADT_X_DSDT = 140,
	FADT_X_PM1A_CONTROL = 172,
	FADT_X_PM1B_CONTROL = 184,
	FADT_X_PM_TIMER = 208,
	FADT_SLEEP_CONTROL = 244,
	HPET_REGISTER = 40,
	REGISTER_BYTES = 12, /* of a generic address structure */
};

#define FADT_TIMER_32BIT (1u << 8)
#define FADT_RESET_WORKS (1u << 10)
#define FADT_HW_REDUCED	 (1u << 20)

/* Reads the generic address structure at `at`, where the table is long enough to have it. */
static struct acpi_register read_register(struct acpi_info *info, const struct table *t, u32 at)
{
	struct acpi_register none = { 0, ACPI_MEMORY_SPACE }, r;

	if (t->length < at + REGISTER_BYTES)
		return none;
	r.address = read_u64(t->at + at + 4);
	if (!r.address)
		return none;
	r.space = t->at[at];
	if ((r.space == ACPI_IO_SPACE && r.address <= 0xFFFF) || (r.space == ACPI_MEMORY_SPACE && r.address < PHYS_LIMIT))
		return r;
	warn(info, "register 0x%lx in space %u (%.4s + %u) cannot be used\n", r.address, r.space, (const char *)t->at, at);
	return none;
}

/* An old 32-bit port number, 0 where it is none or no port can have it. */
static u16 read_port(struct acpi_info *info, const struct table *t, u32 at)
{
	u32 port = read_u32(t->at + at);

	if (port <= 0xFFFF)
		return (u16)port;
	warn(info, "FADT + %u has port 0x%x, ignored\n", at, port);
	return 0;
}

/* Both forms of one register may be given; the long one counts where it says something. */
static struct acpi_register read_either(struct acpi_info *info, const struct table *t, u32 long_at, u32 port_at)
{
	struct acpi_register r = read_register(info, t, long_at);

	if (!r.address)
		r = (struct acpi_register){ read_port(info, t, port_at), ACPI_IO_SPACE };
	return r;
}

static void take_pm_timer(struct acpi_info *info, const struct table *t, u32 flags)
{
	struct acpi_register r = read_register(info, t, FADT_X_PM_TIMER);

	if (r.address && r.space == ACPI_IO_SPACE)
		info->pm_timer_port = (u16)r.address;
	else if (t->at[FADT_PM_TIMER_BYTES] == 4)
		info->pm_timer_port = read_port(info, t, FADT_PM_TIMER);
	info->pm_timer_32bit = flags & FADT_TIMER_32BIT;
}

static void take_reset(struct acpi_info *info, const struct table *t, u32 flags)
{
	/* A revision 1 table ends before the register, whatever its flags say: what follows is another table. */
	if (!(flags & FADT_RESET_WORKS) || t->length <= FADT_RESET_VALUE)
		return;
	info->power.reset = read_register(info, t, FADT_RESET);
	info->power.reset_value = t->at[FADT_RESET_VALUE];
}

/* Returns the DSDT's physical address, 0 if there is none. */
static u64 parse_fadt(struct acpi_info *info, const struct table *t)
{
	struct acpi_power *power = &info->power;
	u64 dsdt = 0;
	u32 flags;

	if (t->length < FADT_V1_BYTES) {
		warn(info, "FADT of %u bytes is too short\n", t->length);
		return 0;
	}
	flags = read_u32(t->at + FADT_FLAGS);
	power->hw_reduced = flags & FADT_HW_REDUCED;
	if (power->hw_reduced) {
		power->sleep_control = read_register(info, t, FADT_SLEEP_CONTROL);
	} else {
		take_pm_timer(info, t, flags);
		power->pm1a_control = read_either(info, t, FADT_X_PM1A_CONTROL, FADT_PM1A_CONTROL);
		power->pm1b_control = read_either(info, t, FADT_X_PM1B_CONTROL, FADT_PM1B_CONTROL);
		power->sci_irq = read_u16(t->at + FADT_SCI);
		power->smi_command_port = read_port(info, t, FADT_SMI_COMMAND);
		power->acpi_enable = t->at[FADT_ACPI_ENABLE];
	}
	take_reset(info, t, flags);
	if (t->length >= FADT_X_DSDT + 8)
		dsdt = read_u64(t->at + FADT_X_DSDT);
	return dsdt ? dsdt : read_u32(t->at + FADT_DSDT);
}

static void parse_hpet(struct acpi_info *info, const struct table *t)
{
	struct acpi_register r = read_register(info, t, HPET_REGISTER);

	if (!r.address || r.space != ACPI_MEMORY_SPACE || r.address % 8)
		warn(info, "HPET at 0x%lx makes no sense, ignored\n", r.address);
	else
		info->hpet_address = r.address;
}

/* --- _S5_: the numbers that mean "off", from the byte code without an interpreter --- */

enum {
	AML_ZERO = 0x00,
	AML_ONE = 0x01,
	AML_NAME = 0x08,
	AML_BYTE = 0x0A,
	AML_WORD = 0x0B,
	AML_DWORD = 0x0C,
	AML_PACKAGE = 0x12,
	AML_ROOT = '\\',
	MOST_SLEEP_TYPE = 7, /* the field has three bits */
};

/* Bytes of byte code not yet read. */
struct aml {
	const u8 *at;
	u32 left;
};

static bool aml_take(struct aml *aml, u32 bytes, u32 *value)
{
	if (aml->left < bytes)
		return false;
	*value = 0;
	memcpy(value, aml->at, bytes);
	aml->at += bytes;
	aml->left -= bytes;
	return true;
}

/* An integer constant. QEMU writes 0 as ZeroOp, others as a byte; both are the same to an interpreter. */
static bool aml_integer(struct aml *aml, u32 *value)
{
	u32 op;

	if (!aml_take(aml, 1, &op))
		return false;
	switch (op) {
	case AML_ZERO:
	case AML_ONE:
		*value = op;
		return true;
	case AML_BYTE:
		return aml_take(aml, 1, value);
	case AML_WORD:
		return aml_take(aml, 2, value);
	case AML_DWORD:
		return aml_take(aml, 4, value);
	}
	return false;
}

/* Enters a package: what is left is its contents. The length counts its own 1 to 4 bytes; the top two bits of the first say how
 * many follow, and only then are its low four bits the lowest of the length. */
static bool aml_enter_package(struct aml *aml)
{
	u32 op, lead, more, extra, bytes;

	if (!aml_take(aml, 1, &op) || op != AML_PACKAGE || !aml_take(aml, 1, &lead))
		return false;
	extra = lead >> 6;
	if (!aml_take(aml, extra, &more))
		return false;
	bytes = extra ? (lead & 0xF) | more << 4 : lead & 0x3F;
	if (bytes < 1 + extra || bytes - 1 - extra > aml->left)
		return false;
	aml->left = bytes - 1 - extra;
	return true;
}

/* Package (2+) { a, b, ... }, or one number with a in its low byte and b in the next. */
static bool decode_s5(struct aml aml, u32 *a, u32 *b)
{
	u32 elements;

	if (!aml_enter_package(&aml) || !aml_take(&aml, 1, &elements) || !elements || !aml_integer(&aml, a))
		return false;
	if (elements == 1) {
		*b = *a >> 8;
		*a &= 0xFF;
	} else if (!aml_integer(&aml, b)) {
		return false;
	}
	return *a <= MOST_SLEEP_TYPE && *b <= MOST_SLEEP_TYPE;
}

/* Whether the four letters at `at` are being given a value, not just mentioned: Name (_S5_, or Name (\_S5_, */
static bool is_definition(const struct table *t, u32 at)
{
	u32 before = at - 1;

	if (before > HEADER_BYTES && t->at[before] == AML_ROOT)
		before--;
	return before >= HEADER_BYTES && t->at[before] == AML_NAME;
}

static bool find_s5(struct acpi_info *info, const struct table *t)
{
	u32 a, b;

	for (u32 at = HEADER_BYTES; t->length - at >= 4; at++) {
		if (memcmp(t->at + at, "_S5_", 4) || !is_definition(t, at))
			continue;
		if (decode_s5((struct aml){ t->at + at + 4, t->length - at - 4 }, &a, &b)) {
			info->power.has_s5 = true;
			info->power.s5_type_a = (u8)a;
			info->power.s5_type_b = (u8)b;
			return true;
		}
		warn(info, "_S5_ at %u of a table of %u bytes has an unknown shape\n", at, t->length);
	}
	return false;
}

static void search_s5(struct acpi_info *info, const struct table_list *list, u64 dsdt)
{
	struct table t;

	if (dsdt && map_table(info, "DSDT", dsdt, &t) && find_s5(info, &t))
		return;
	for (unsigned i = 0; i < list->nr; i++)
		if (list->signature[i] == signature_of("SSDT") && map_table(info, "SSDT", list->phys[i], &t) && find_s5(info, &t))
			return;
}

/* --- the whole --- */

static void set_defaults(struct acpi_info *info)
{
	memset(info, 0, sizeof(*info));
	info->lapic_address = DEFAULT_LAPIC;
	info->nr_nodes = 1;
	for (unsigned from = 0; from < MAX_NODES; from++)
		for (unsigned to = 0; to < MAX_NODES; to++)
			info->distance[from][to] = from == to ? ACPI_LOCAL_DISTANCE : ACPI_REMOTE_DISTANCE;
}

/* SRAT needs the CPUs of the MADT, SLIT the nodes of the SRAT. */
static void parse_tables(struct acpi_info *info, const struct table_list *list)
{
	struct table t;
	u64 dsdt = 0;

	if (find_table(info, list, "APIC", &t))
		parse_madt(info, &t);
	if (find_table(info, list, "SRAT", &t))
		parse_srat(info, &t);
	if (find_table(info, list, "SLIT", &t) && info->has_srat)
		parse_slit(info, &t);
	if (find_table(info, list, "HPET", &t))
		parse_hpet(info, &t);
	if (find_table(info, list, "FACP", &t))
		dsdt = parse_fadt(info, &t);
	search_s5(info, list, dsdt);
}

/* The XSDT's address, 0 where the RSDP has none to be trusted. */
static u64 xsdt_of(struct acpi_info *info, const u8 *rsdp, size_t bytes)
{
	const u8 revision = rsdp[15];

	if (revision < 2)
		return 0;
	if (bytes >= RSDP_V2_BYTES && !byte_sum(rsdp, RSDP_V2_BYTES))
		return read_u64(rsdp + 24);
	warn(info, "RSDP of revision %u is damaged behind its first %u bytes\n", revision, RSDP_V1_BYTES);
	return 0;
}

int acpi_parse(const void *rsdp, size_t bytes, struct acpi_info *out)
{
	static struct table_list list;
	const u8 *p = rsdp;
	u64 xsdt;

	set_defaults(out);
	if (bytes < RSDP_V1_BYTES || memcmp(p, "RSD PTR ", 8) || byte_sum(p, RSDP_V1_BYTES)) {
		warn(out, "no valid RSDP\n");
		return -E_INVAL;
	}
	xsdt = xsdt_of(out, p, bytes);
	if (!(xsdt && list_tables(out, "XSDT", xsdt, 8, &list)) && !list_tables(out, "RSDT", read_u32(p + 16), 4, &list))
		return -E_NOENT;
	parse_tables(out, &list);
	return 0;
}

int acpi_parse_at(u64 rsdp_phys, struct acpi_info *out)
{
	const u8 *rsdp = phys_map(rsdp_phys, RSDP_V1_BYTES);
	size_t bytes = RSDP_V1_BYTES;

	if (rsdp && rsdp[15] >= 2 && phys_map(rsdp_phys, RSDP_V2_BYTES)) {
		rsdp = phys_map(rsdp_phys, RSDP_V2_BYTES);
		bytes = RSDP_V2_BYTES;
	}
	return acpi_parse(rsdp, rsdp ? bytes : 0, out);
}
