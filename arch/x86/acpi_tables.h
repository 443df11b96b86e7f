/* SPDX-License-Identifier: GPL-2.0-or-later
 * What the decoders of ACPI's tables share among themselves. */
#ifndef ARCH_X86_ACPI_TABLES_H
#define ARCH_X86_ACPI_TABLES_H

#include "arch/x86/acpi.h"
#include "arch/x86/oddity.h"
#include "arch/x86/phys.h"
#include "base/string.h"
#include "base/text.h"

enum {
	HEADER_BYTES = 36,
	REGISTER_BYTES = 12, /* of a generic address structure */
	MOST_TABLE_BYTES = 1 << 20,
	MOST_TABLES = 256, /* servers have a hundred SSDTs */
};

#define PHYS_LIMIT (1ull << 52)

/* An oddity of the table that is being read: counted, and told if it is one of its first. */
#define warn(info, ...) ((info)->warnings++, oddity_is_told(&(info)->oddities, "acpi") ? say("acpi: " __VA_ARGS__) : (void)0)

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

static inline u32 signature_of(const char *name)
{
	return read_u32((const u8 *)name);
}

/* acpi.c: the table at that address, if it is one of that name and of a sane length. */
bool acpi_map_table(struct acpi_info *info, const char *name, u64 phys, struct table *out);

/* acpi_cpus.c */
void acpi_parse_madt(struct acpi_info *info, const struct table *t);
void acpi_parse_srat(struct acpi_info *info, const struct table *t);
void acpi_parse_slit(struct acpi_info *info, const struct table *t);

/* acpi_devices.c */
/* The register that the address structure at `at` names; none where the table ends before it, or nobody could reach it. */
struct acpi_register acpi_read_register(struct acpi_info *info, const struct table *t, u32 at);
void acpi_parse_hpet(struct acpi_info *info, const struct table *t);
/* Returns the DSDT's physical address, 0 if there is none. */
u64 acpi_parse_fadt(struct acpi_info *info, const struct table *t);
void acpi_search_s5(struct acpi_info *info, const struct table_list *list, u64 dsdt);

/* spcr.c */
void acpi_parse_spcr(struct acpi_info *info, const struct table *t);
void acpi_parse_dbg2(struct acpi_info *info, const struct table *t);

#endif
