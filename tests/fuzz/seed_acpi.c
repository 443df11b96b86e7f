/* SPDX-License-Identifier: GPL-2.0-or-later
 * Makes what the fuzz target acpi begins with: memory with the tables of machines that there are, and the same damaged in each way
 * that boards and hypervisors were seen to damage them, or that a decoder might stumble over. Usage: seed-acpi FOLDER */
#include "tests/fuzz/seed.h"
#include "tests/unit/tables.h"

static const char *folder;

/* The RSDP, which is built last, comes first. */
static void write_memory(const char *name)
{
	FILE *file = seed_begin(folder, name);

	for (unsigned i = nr_tables; i-- > 0;)
		seed_piece(file, memory[i].phys, memory[i].bytes, (u16)memory[i].size);
	fclose(file);
	nr_tables = 0;
}

static void write_by_xsdt(const char *name)
{
	put_root("XSDT", XSDT_AT, 8);
	put_rsdp(2, 0, XSDT_AT);
	write_memory(name);
}

/* --- machines --- */

static void write_machines(void)
{
	struct test_table *t;

	put_machine();
	write_by_xsdt("xsdt");
	put_machine();
	put_root("RSDT", RSDT_AT, 4);
	put(put_rsdp(0, RSDT_AT, 0), "garbage garbage!", 16);
	write_memory("seabios-rsdt");
	t = begin_madt();
	for (u32 i = 0; i < 255; i++)
		put_apic(t, (u8)i, (u8)i, 1);
	for (u32 i = 255; i < 288; i++)
		put_x2apic(t, i, i, 1);
	end_sdt(t);
	write_by_xsdt("288-cpus");
	t = begin_madt();
	for (u32 i = 0; i < 8; i++)
		put_x2apic(t, i, i < 6 ? i * 2 : 0xFFFFFFFF, i < 4);
	end_sdt(t);
	write_by_xsdt("x2apic-only");
}

/* Nodes without memory, without CPUs, of sparse domains, and a window for memory to be plugged into. */
static void write_nodes(void)
{
	struct test_table *t = begin_madt();

	for (u8 i = 0; i < 4; i++)
		put_apic(t, i, i, 1);
	end_sdt(t);
	t = begin_srat(3);
	for (u8 i = 0; i < 4; i++)
		put_srat_apic(t, i, i / 2 * 4, 1);
	put_srat_memory(t, 0, 0, 0xA0000, 1);
	put_srat_memory(t, 2, 0x100000, GIB, 1);
	put_srat_memory(t, 2, 4 * GIB, 0xFC00000000, 3);
	put_srat_memory(t, 0, 0, 0, 0);
	end_sdt(t);
	put_slit(5,
		(const u8[]){
			10, 20, 30, 20, 30, 20, 10, 20, 20, 20, 30, 20, 10, 20, 255, 20, 20, 20, 10, 20, 30, 20, 255, 20, 10 },
		25);
	write_by_xsdt("nodes");
}

static void write_power(void)
{
	static const u8 s5[] = { 0x08, '\\', '_', 'S', '5', '_', 0x12, 0x47, 0, 0x04, 0x0A, 0x05, 0x0B, 0x05, 0x00, 0x01 };
	struct test_table *t = put_fadt(268, HW_REDUCED | RESET_WORKS);

	set(t, 244, 0 | 8 << 8, 4);
	set(t, 248, 0xFEA00200, 8);
	end_sdt(t);
	put_aml(DSDT_AT, "DSDT", s5, sizeof(s5));
	write_by_xsdt("microvm-power");
	put_fadt(116, RESET_WORKS);
	put_aml(DSDT_AT, "DSDT", qemu_s5, sizeof(qemu_s5));
	write_by_xsdt("fadt-1");
}

static void write_uarts(void)
{
	struct test_table *t = begin_sdt(0x7FEB000, "SPCR", 2);

	put(t, (u8[]){ 0, 0, 0, 0, 1, 8, 0, 1, 0xF8, 2, 0, 0, 0, 0, 0, 0 }, 16);
	put_zeros(t, 28);
	t->bytes[58] = 7;
	end_sdt(t);
	t = begin_sdt(0x7FEC000, "DBG2", 0);
	putn(t, 44, 4);
	putn(t, 2, 4);
	for (unsigned i = 0; i < 2; i++) {
		put(t, (u8[]){ 0, 40, 0, 1, 2, 0, 38, 0, 0, 0, 0, 0, 0, 0x80, 0, 0, 0, 0, 22, 0, 34, 0 }, 22);
		put(t, (u8[]){ 0, 32, 0, 3, 0, 0x90, 0xDC, 0xFE, 0, 0, 0, 0, 0, 16, 0, 0, '.', 0 }, 18);
	}
	end_sdt(t);
	write_by_xsdt("spcr-dbg2");
}

/* --- damage: of one machine, one field each --- */

static const struct damage {
	const char *name, *table;
	u32 at, bytes;
	u64 value;
} damages[] = {
	{ "xsdt-lists-itself", "XSDT", 36, 8, XSDT_AT },
	{ "xsdt-lists-the-rsdp", "XSDT", 36, 8, RSDP_AT },
	{ "xsdt-of-length-0", "XSDT", 4, 4, 0 },
	{ "xsdt-of-length-35", "XSDT", 4, 4, 35 },
	{ "xsdt-of-length-37", "XSDT", 4, 4, 37 },
	{ "xsdt-without-end", "XSDT", 4, 4, 0xFFFFFFFF },
	{ "xsdt-entry-nowhere", "XSDT", 36, 8, 0xDEAD0000 },
	{ "xsdt-entry-at-the-end", "XSDT", 36, 8, UINT64_MAX - 8 },
	{ "xsdt-entry-beyond-52-bits", "XSDT", 36, 8, 1ull << 52 },
	{ "xsdt-entries-overlap", "XSDT", 44, 8, 0x7FE3000 + 44 },
	{ "xsdt-entry-twice", "XSDT", 44, 8, 0x7FE3000 },
	{ "madt-of-length-43", "APIC", 4, 4, 43 },
	{ "madt-without-end", "APIC", 4, 4, 0xFFFFFFFF },
	{ "madt-of-another-name", "APIC", 0, 4, 0x20202020 },
	{ "madt-sum", "APIC", 9, 1, 0x55 },
	{ "madt-entry-of-0-bytes", "APIC", 45, 1, 0 },
	{ "madt-entry-of-1-byte", "APIC", 45, 1, 1 },
	{ "madt-entry-of-2-bytes", "APIC", 45, 1, 2 },
	{ "madt-entry-of-255-bytes", "APIC", 45, 1, 255 },
	{ "madt-unknown-entry", "APIC", 44, 1, 0x7F },
	{ "madt-same-cpu", "APIC", 55, 1, 0 },
	{ "madt-cpu-255", "APIC", 47, 1, 255 },
	{ "madt-hot-pluggable", "APIC", 48, 4, 2 },
	{ "madt-lapic-in-memory", "APIC", 36, 4, 0x100000 },
	{ "srat-of-length-36", "SRAT", 4, 4, 36 },
	{ "srat-entry-of-0-bytes", "SRAT", 49, 1, 0 },
	{ "srat-entry-of-2-bytes", "SRAT", 49, 1, 2 },
	{ "srat-unknown-entry", "SRAT", 48, 1, 0x7F },
	{ "srat-another-domain", "SRAT", 50, 1, 0x7F },
	{ "srat-revision-1", "SRAT", 8, 1, 1 },
	{ "slit-of-0", "SLIT", 36, 8, 0 },
	{ "slit-of-3", "SLIT", 36, 8, 3 },
	{ "slit-of-2-to-the-32nd", "SLIT", 36, 8, 1ull << 32 },
	{ "slit-diagonal", "SLIT", 44, 1, 20 },
	{ "slit-distance-0", "SLIT", 45, 1, 0 },
	{ "fadt-of-length-115", "FACP", 4, 4, 115 },
	{ "fadt-of-length-129", "FACP", 4, 4, 129 },
	{ "fadt-port", "FACP", 64, 4, 0x12345 },
	{ "fadt-reset-space", "FACP", 116, 1, 0x7F },
	{ "fadt-dsdt-nowhere", "FACP", 140, 8, 0xDEAD0000 },
	{ "hpet-in-memory", "HPET", 44, 8, 0x200000 },
	{ "hpet-odd", "HPET", 44, 8, 0xFED00004 },
	{ "s5-length", "SSDT", 42, 1, 0x3F },
	{ "s5-elements", "SSDT", 43, 1, 0 },
	{ "s5-element", "SSDT", 44, 1, 0xFF },
};

static struct test_table *find(const char *signature)
{
	for (unsigned i = 0; i < nr_tables; i++)
		if (!memcmp(memory[i].bytes, signature, 4))
			return &memory[i];
	abort();
}

static void write_damages(void)
{
	for (unsigned i = 0; i < ARRAY_SIZE(damages); i++) {
		const struct damage *d = &damages[i];

		put_machine();
		put_root("XSDT", XSDT_AT, 8);
		put_rsdp(2, 0, XSDT_AT);
		set(find(d->table), d->at, d->value, d->bytes);
		write_memory(d->name);
	}
}

/* Memory that ends in the middle of each table. */
static void write_cut(void)
{
	char name[40];

	for (unsigned i = 0; i < 10; i++) {
		put_machine();
		put_root("XSDT", XSDT_AT, 8);
		put_rsdp(2, 0, XSDT_AT);
		snprintf(name, sizeof(name), "cut-%.4s", (const char *)memory[i].bytes);
		memory[i].size -= memory[i].size / 3;
		write_memory(name);
	}
}

int main(int argc, char **argv)
{
	if (argc != 2)
		return 2;
	folder = argv[1];
	write_machines();
	write_nodes();
	write_power();
	write_uarts();
	write_damages();
	write_cut();
	return 0;
}
