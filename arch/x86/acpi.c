/* SPDX-License-Identifier: GPL-2.0-or-later
 * Walking ACPI's static tables, which come from firmware of every quality: no length, count or address in them is believed. */
#include "arch/x86/acpi_tables.h"

enum { RSDP_V1_BYTES = 20, RSDP_V2_BYTES = 36 };

/* --- finding tables --- */

/* Header first, then the length in it, then the rest. A wrong checksum is common enough on real boards that Linux does not look
 * at it either; what the table says is checked where it is used. */
bool acpi_map_table(struct acpi_info *info, const char *name, u64 phys, struct table *out)
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
		warn(info, "%s at 0x%lx claims %u bytes and not %u to %u, ignored\n", name, phys, out->length, HEADER_BYTES,
			MOST_TABLE_BYTES);
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
	info->oddities = 0;
	if (!acpi_map_table(info, name, phys, &root))
		return false;
	for (u32 at = HEADER_BYTES; root.length - at >= entry_bytes; at += entry_bytes) {
		if (list->nr == MOST_TABLES) {
			warn(info, "%s lists more than %u tables, the rest is ignored\n", name, MOST_TABLES);
			break;
		}
		list_table(info, list, entry_bytes == 8 ? read_u64(root.at + at) : read_u32(root.at + at));
	}
	if (!list->nr)
		warn(info, "%s at 0x%lx lists no table\n", name, phys);
	return list->nr > 0;
}

/* The first table of this name that can be read. */
static bool find_table(struct acpi_info *info, const struct table_list *list, const char *name, struct table *out)
{
	bool found = false;

	info->oddities = 0;
	for (unsigned i = 0; i < list->nr; i++) {
		if (list->signature[i] != signature_of(name))
			continue;
		if (found)
			warn(info, "another %s at 0x%lx, ignored\n", name, list->phys[i]);
		else
			found = acpi_map_table(info, name, list->phys[i], out);
	}
	return found;
}

/* --- the whole --- */

static void set_defaults(struct acpi_info *info)
{
	memset(info, 0, sizeof(*info));
	info->lapic_address = ACPI_LAPIC_ADDRESS;
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
		acpi_parse_madt(info, &t);
	if (find_table(info, list, "SRAT", &t))
		acpi_parse_srat(info, &t);
	if (find_table(info, list, "SLIT", &t) && info->has_srat)
		acpi_parse_slit(info, &t);
	if (find_table(info, list, "HPET", &t))
		acpi_parse_hpet(info, &t);
	if (find_table(info, list, "SPCR", &t))
		acpi_parse_spcr(info, &t);
	if (find_table(info, list, "DBG2", &t))
		acpi_parse_dbg2(info, &t);
	if (find_table(info, list, "FACP", &t))
		dsdt = acpi_parse_fadt(info, &t);
	acpi_search_s5(info, list, dsdt);
}

/* The RSDT is for firmware before XSDTs, and for what is wrong with them. */
static bool list_either(struct acpi_info *info, u64 xsdt, u64 rsdt, struct table_list *list)
{
	if (!xsdt && !rsdt)
		warn(info, "the RSDP has the address of neither an RSDT nor an XSDT\n");
	return (xsdt && list_tables(info, "XSDT", xsdt, 8, list)) || (rsdt && list_tables(info, "RSDT", rsdt, 4, list));
}

/* The XSDT's address, 0 where the RSDP has none to be trusted. */
static u64 xsdt_of(struct acpi_info *info, const u8 *rsdp, size_t bytes)
{
	const u8 revision = rsdp[15];

	if (revision < 2)
		return 0;
	if (bytes >= RSDP_V2_BYTES && !byte_sum(rsdp, RSDP_V2_BYTES))
		return read_u64(rsdp + 24);
	warn(info, "RSDP of revision %u: %u bytes that do not add up to 0, only its RSDT is used\n", revision, RSDP_V2_BYTES);
	return 0;
}

int acpi_parse(const void *rsdp, size_t bytes, struct acpi_info *out)
{
	static struct table_list list;
	const u8 *p = rsdp;

	set_defaults(out);
	if (bytes < RSDP_V1_BYTES || memcmp(p, "RSD PTR ", 8) || byte_sum(p, RSDP_V1_BYTES)) {
		warn(out, "no RSDP, which begins with \"RSD PTR \" and has %u bytes that add up to 0\n", RSDP_V1_BYTES);
		return -E_INVAL;
	}
	if (!list_either(out, xsdt_of(out, p, bytes), read_u32(p + 16), &list))
		return -E_NOENT;
	parse_tables(out, &list);
	if (!out->nr_cpus)
		say("acpi: no MADT that names a CPU: running on one\n");
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
