/* SPDX-License-Identifier: GPL-2.0-or-later
 * ACPI tables, built here by the specification in the shapes seen in QEMU, in hypervisors and on real boards, whole and damaged.
 * Expected values are what was put in. phys_map hands out copies of exactly the bytes asked for, so that AddressSanitizer sees
 * every byte read beyond them; a miss there is a read of memory the kernel has not mapped. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "arch/x86/acpi.h"
#include "arch/x86/phys.h"
#include "base/string.h"
#include "base/text.h"

#define GIB (1ull << 30)

/* Everything said since the last clear_memory. */
static char said[65536];
static size_t said_bytes;

void say(const char *fmt, ...)
{
	va_list args;
	int n;

	va_start(args, fmt);
	n = vsnprintf(said + said_bytes, sizeof(said) - said_bytes, fmt, args);
	va_end(args);
	said_bytes = min_u64(said_bytes + (u64)n, sizeof(said) - 1);
}

static bool was_said(const char *part)
{
	return strstr(said, part);
}

/* --- physical memory: the tables, the rest does not exist --- */

enum { MOST_TABLES = 320, MOST_TABLE = 16384, MOST_MAPPINGS = 2048 };

struct test_table {
	u64 phys;
	u32 size;
	u8 bytes[MOST_TABLE];
};

static struct test_table memory[MOST_TABLES];
static unsigned nr_tables;
static void *mapping[MOST_MAPPINGS];
static unsigned nr_mappings;
static struct acpi_info info;

static void unmap_all(void)
{
	while (nr_mappings)
		free(mapping[--nr_mappings]);
}

const void *phys_map(u64 phys, u64 bytes)
{
	for (unsigned i = 0; i < nr_tables; i++) {
		const struct test_table *t = &memory[i];

		if (phys < t->phys || phys - t->phys > t->size || bytes > t->size - (phys - t->phys))
			continue;
		assert_true(nr_mappings < MOST_MAPPINGS);
		mapping[nr_mappings] = malloc(bytes);
		memcpy(mapping[nr_mappings], t->bytes + (phys - t->phys), bytes);
		return mapping[nr_mappings++];
	}
	return NULL;
}

/* --- building tables --- */

static void clear_memory(void)
{
	nr_tables = 0;
	said_bytes = 0;
	said[0] = '\0';
}

static struct test_table *begin_table(u64 phys)
{
	struct test_table *t = &memory[nr_tables++];

	assert_true(nr_tables <= MOST_TABLES);
	t->phys = phys;
	t->size = 0;
	return t;
}

static void put(struct test_table *t, const void *bytes, u32 n)
{
	assert_true(t->size + n <= MOST_TABLE);
	memcpy(t->bytes + t->size, bytes, n);
	t->size += n;
}

/* The n low bytes of v. */
static void putn(struct test_table *t, u64 v, u32 n)
{
	put(t, &v, n);
}

static void put_zeros(struct test_table *t, u32 n)
{
	while (n--)
		putn(t, 0, 1);
}

static struct test_table *begin_sdt(u64 phys, const char *signature, u8 revision)
{
	struct test_table *t = begin_table(phys);

	put(t, signature, 4);
	putn(t, 0, 4); /* length, set by end_sdt */
	putn(t, revision, 1);
	putn(t, 0, 1); /* checksum, likewise */
	put(t, "FMTESTFMTEST  ", 14);
	put_zeros(t, 12);
	assert_int_equal(t->size, 36);
	return t;
}

/* Also after changes: makes length and checksum right again. */
static void end_sdt(struct test_table *t)
{
	memcpy(t->bytes + 4, &t->size, 4);
	t->bytes[9] = 0;
	t->bytes[9] = (u8)-byte_sum(t->bytes, t->size);
}

enum { RSDP_AT = 0xF5A20, RSDT_AT = 0x7FE1000, XSDT_AT = 0x7FE2004 };

static struct test_table *put_rsdp(u8 revision, u64 rsdt, u64 xsdt)
{
	struct test_table *t = begin_table(RSDP_AT);

	put(t, "RSD PTR \0FMTEST", 15);
	putn(t, revision, 1);
	putn(t, rsdt, 4);
	t->bytes[8] = (u8)-byte_sum(t->bytes, 20);
	if (revision < 2)
		return t;
	putn(t, 36, 4);
	putn(t, xsdt, 8);
	putn(t, 0, 4);
	t->bytes[32] = (u8)-byte_sum(t->bytes, 36);
	return t;
}

/* Lists all tables there are by now, except the DSDT, which only the FADT points to. */
static void put_root(const char *signature, u64 phys, u32 entry_bytes)
{
	struct test_table *t = begin_sdt(phys, signature, 1);

	for (unsigned i = 0; i < nr_tables - 1; i++)
		if (memcmp(memory[i].bytes, "DSDT", 4))
			putn(t, memory[i].phys, entry_bytes);
	end_sdt(t);
}

static int parse(void)
{
	int err = acpi_parse_at(RSDP_AT, &info);

	unmap_all();
	return err;
}

/* Wraps what was built in an XSDT and reads it. */
static int finish(void)
{
	put_root("XSDT", XSDT_AT, 8);
	put_rsdp(2, 0, XSDT_AT);
	return parse();
}

static struct test_table *begin_madt(void)
{
	struct test_table *t = begin_sdt(0x7FE3000, "APIC", 3);

	putn(t, 0xFEE00000, 4);
	putn(t, 1, 4);
	return t;
}

static void put_apic(struct test_table *t, u8 uid, u8 apic_id, u32 flags)
{
	put(t, (u8[]){ 0, 8, uid, apic_id }, 4);
	putn(t, flags, 4);
}

static void put_x2apic(struct test_table *t, u32 uid, u32 apic_id, u32 flags)
{
	put(t, (u8[]){ 9, 16, 0, 0 }, 4);
	putn(t, apic_id, 4);
	putn(t, flags, 4);
	putn(t, uid, 4);
}

static void put_lapic_address(struct test_table *t, u64 address)
{
	put(t, (u8[]){ 5, 12, 0, 0 }, 4);
	putn(t, address, 8);
}

static struct test_table *begin_srat(u8 revision)
{
	struct test_table *t = begin_sdt(0x7FE5000, "SRAT", revision);

	putn(t, 1, 4);
	putn(t, 0, 8);
	return t;
}

static void put_srat_apic(struct test_table *t, u8 apic_id, u32 domain, u32 flags)
{
	put(t, (u8[]){ 0, 16, (u8)domain, apic_id }, 4);
	putn(t, flags, 4);
	putn(t, 0, 1);
	putn(t, domain >> 8, 3);
	putn(t, 0, 4);
}

static void put_srat_x2apic(struct test_table *t, u32 apic_id, u32 domain)
{
	put(t, (u8[]){ 2, 24, 0, 0 }, 4);
	putn(t, domain, 4);
	putn(t, apic_id, 4);
	putn(t, 1, 4);
	put_zeros(t, 8);
}

static void put_srat_memory(struct test_table *t, u32 domain, u64 start, u64 length, u32 flags)
{
	put(t, (u8[]){ 1, 40 }, 2);
	putn(t, domain, 4);
	putn(t, 0, 2);
	putn(t, start, 8);
	putn(t, length, 8);
	putn(t, 0, 4);
	putn(t, flags, 4);
	putn(t, 0, 8);
}

static void put_slit(u64 n, const u8 *matrix, u32 bytes)
{
	struct test_table *t = begin_sdt(0x7FE7004, "SLIT", 1);

	putn(t, n, 8);
	put(t, matrix, bytes);
	end_sdt(t);
}

enum { DSDT_AT = 0x7FD0000 };

static void set(struct test_table *t, u32 at, u64 v, u32 n)
{
	memcpy(t->bytes + at, &v, n);
}

/* A FADT of `bytes` bytes with QEMU's registers; those of the long form only where they fit. */
static struct test_table *put_fadt(u32 bytes, u32 flags)
{
	struct test_table *t = begin_sdt(0x7FE8000, "FACP", bytes == 116 ? 1 : 6);

	put_zeros(t, bytes - 36);
	set(t, 40, DSDT_AT, 4);
	set(t, 46, 9, 2);
	set(t, 48, 0xB2, 4);
	set(t, 52, 2, 1);
	set(t, 64, 0x604, 4);
	set(t, 76, 0x608, 4);
	set(t, 91, 4, 1);
	set(t, 112, flags, 4);
	if (bytes >= 129) {
		set(t, 116, 1 | 8 << 8, 4);
		set(t, 120, 0xCF9, 8);
		set(t, 128, 0xF, 1);
	}
	end_sdt(t);
	return t;
}

static void put_aml(u64 phys, const char *signature, const void *aml, u32 bytes)
{
	struct test_table *t = begin_sdt(phys, signature, 2);

	put(t, aml, bytes);
	end_sdt(t);
}

static const u8 qemu_s5[] = { 0x08, '_', 'S', '5', '_', 0x12, 6, 4, 0, 0, 0, 0 };

enum { TIMER_32BIT = 1 << 8, RESET_WORKS = 1 << 10, HW_REDUCED = 1 << 20 };

/* One of each, as a small NUMA machine has them. */
static void build_machine(void)
{
	struct test_table *t;

	clear_memory();
	t = begin_madt();
	for (u8 i = 0; i < 4; i++)
		put_apic(t, i, (u8)(i / 2 * 8 + i % 2), 1);
	put(t, (u8[]){ 1, 12, 0, 0, 0, 0, 0xC0, 0xFE, 0, 0, 0, 0 }, 12); /* an I/O APIC */
	put_x2apic(t, 4, 0x1FF, 1);
	put_lapic_address(t, 0xFEE01000);
	end_sdt(t);
	t = begin_srat(3);
	for (u8 i = 0; i < 4; i++)
		put_srat_apic(t, (u8)(i / 2 * 8 + i % 2), i / 2, 1);
	put_srat_x2apic(t, 0x1FF, 1);
	put_srat_memory(t, 0, 0, 0xA0000, 1);
	put_srat_memory(t, 0, 0x100000, GIB - 0x100000, 1);
	put_srat_memory(t, 1, 4 * GIB, GIB, 1);
	end_sdt(t);
	put_slit(2, (const u8[]){ 10, 21, 22, 10 }, 4);
	put_fadt(276, TIMER_32BIT | RESET_WORKS);
	t = begin_sdt(0x7FE9000, "HPET", 1);
	putn(t, 0x8086A201, 4);
	putn(t, 0x4000, 4);
	putn(t, 0xFED00000, 8);
	put_zeros(t, 4);
	end_sdt(t);
	put_aml(DSDT_AT, "DSDT", "some byte code", 14);
	put_aml(0x7FEA000, "SSDT", qemu_s5, sizeof(qemu_s5));
}

static void expect_machine(void)
{
	static const u32 apic_id[] = { 0, 1, 8, 9, 0x1FF };
	static const u16 node[] = { 0, 0, 1, 1, 1 };

	assert_int_equal(info.nr_cpus, 5);
	for (unsigned i = 0; i < 5; i++) {
		assert_int_equal(info.cpu[i].apic_id, apic_id[i]);
		assert_int_equal(info.cpu[i].uid, i);
		assert_int_equal(info.cpu[i].node, node[i]);
	}
	assert_int_equal(info.lapic_address, 0xFEE01000);
	assert_int_equal(info.nr_ioapics, 1);
	assert_int_equal(info.ioapic[0], 0xFEC00000);
	assert_int_equal(info.nr_nodes, 2);
	assert_int_equal(info.nr_memory, 3);
	assert_int_equal(info.memory[2].start, 4 * GIB);
	assert_int_equal(info.memory[2].end, 5 * GIB);
	assert_int_equal(info.memory[2].node, 1);
	assert_int_equal(info.distance[0][1], 21);
	assert_int_equal(info.distance[1][0], 22);
	assert_int_equal(info.pm_timer_port, 0x608);
	assert_true(info.pm_timer_32bit);
	assert_int_equal(info.hpet_address, 0xFED00000);
	assert_true(info.power.has_s5);
	assert_int_equal(info.power.s5_type_a, 0);
	assert_int_equal(info.power.pm1a_control.address, 0x604);
	assert_int_equal(info.power.pm1a_control.space, ACPI_IO_SPACE);
	assert_int_equal(info.power.pm1b_control.address, 0);
	assert_int_equal(info.power.reset.address, 0xCF9);
	assert_int_equal(info.power.reset_value, 0xF);
	assert_int_equal(info.power.smi_command_port, 0xB2);
	assert_int_equal(info.power.acpi_enable, 2);
	assert_int_equal(info.power.sci_irq, 9);
}

/* --- the way to the tables --- */

static void test_xsdt(void **state)
{
	(void)state;
	build_machine();
	assert_int_equal(finish(), 0);
	expect_machine();
	assert_true(info.has_madt && info.has_srat && info.has_slit);
	assert_int_equal(info.warnings, 0);
	assert_string_equal(said, "");
}

/* SeaBIOS: revision 0, and garbage where a revision 2 RSDP goes on. */
static void test_rsdt(void **state)
{
	(void)state;
	build_machine();
	put_root("RSDT", RSDT_AT, 4);
	put(put_rsdp(0, RSDT_AT, 0), "garbage garbage!", 16);
	assert_int_equal(parse(), 0);
	expect_machine();
	assert_int_equal(info.warnings, 0);
}

static void test_rsdp_copy(void **state)
{
	struct test_table *rsdp;

	(void)state;
	build_machine();
	put_root("RSDT", RSDT_AT, 4);
	rsdp = put_rsdp(0, RSDT_AT, 0);
	assert_int_equal(acpi_parse(rsdp->bytes, 20, &info), 0);
	unmap_all();
	expect_machine();
}

/* Every table above 4 GiB, where a pointer cut to 32 bits finds nothing. */
static void test_above_4_gib(void **state)
{
	(void)state;
	build_machine();
	for (unsigned i = 0; i < nr_tables; i++) {
		memory[i].phys += 0x1F00000000;
		if (!memcmp(memory[i].bytes, "FACP", 4)) {
			set(&memory[i], 140, DSDT_AT + 0x1F00000000, 8);
			end_sdt(&memory[i]);
		}
	}
	put_root("XSDT", 0x1F80000004, 8);
	put_rsdp(2, 0, 0x1F80000004);
	assert_int_equal(parse(), 0);
	expect_machine();
	assert_int_equal(info.warnings, 0);
}

/* With the long checksum wrong, the XSDT missing, of another name or empty, the RSDT must do. */
static void test_rsdt_instead_of_xsdt(void **state)
{
	(void)state;
	for (unsigned fault = 0; fault < 5; fault++) {
		struct test_table *rsdp;

		build_machine();
		put_root("RSDT", RSDT_AT, 4);
		if (fault == 1)
			put_root("XSDX", XSDT_AT, 8);
		if (fault == 2)
			end_sdt(begin_sdt(XSDT_AT, "XSDT", 1));
		rsdp = put_rsdp(2, RSDT_AT, fault == 3 ? 0 : XSDT_AT);
		if (fault == 4)
			rsdp->bytes[35] ^= 1;
		assert_int_equal(parse(), 0);
		expect_machine();
	}
}

static void test_no_rsdp(void **state)
{
	struct test_table *t;

	(void)state;
	clear_memory();
	assert_int_equal(parse(), -E_INVAL);
	assert_int_equal(info.nr_cpus, 0);
	assert_int_equal(info.nr_nodes, 1);
	assert_int_equal(info.lapic_address, 0xFEE00000);
	assert_int_equal(info.distance[0][0], 10);
	assert_int_equal(info.distance[0][1], 20);
	t = put_rsdp(0, RSDT_AT, 0);
	assert_int_equal(parse(), -E_NOENT);
	t->bytes[19] ^= 1;
	assert_int_equal(parse(), -E_INVAL);
	assert_int_equal(acpi_parse(t->bytes, 19, &info), -E_INVAL);
	assert_true(info.warnings);
}

/* QEMU's -acpitable gives a second table of a name; entries may be null, or lead nowhere. */
static void test_odd_root_entries(void **state)
{
	struct test_table *t;

	(void)state;
	build_machine();
	t = begin_sdt(0x7FEB000, "APIC", 1);
	putn(t, 0xFEE00000, 8);
	put_apic(t, 77, 77, 1);
	end_sdt(t);
	t = begin_sdt(XSDT_AT, "XSDT", 1);
	putn(t, 0, 8);
	putn(t, 0xDEAD0000, 8);
	putn(t, UINT64_MAX, 8);
	for (unsigned i = 0; i < nr_tables - 1; i++)
		putn(t, memory[i].phys, 8);
	putn(t, 0x1234, 7); /* not a whole entry */
	end_sdt(t);
	put_rsdp(2, 0, XSDT_AT);
	assert_int_equal(parse(), 0);
	expect_machine();
	assert_true(was_said("0xdead0000 cannot be read"));
	assert_true(was_said("another APIC at 0x7feb000"));
	assert_int_equal(info.warnings, 3);
}

static void test_too_many_tables(void **state)
{
	(void)state;
	build_machine();
	for (u32 i = 0; i < 300; i++)
		put_aml(0x10000000 + i * 0x1000, "OEMx", "", 0);
	assert_int_equal(finish(), 0);
	expect_machine();
	assert_true(was_said("more than 256 tables"));
}

static void test_wrong_checksums(void **state)
{
	(void)state;
	build_machine();
	for (unsigned i = 0; i < nr_tables; i++)
		memory[i].bytes[9] ^= 0x55;
	assert_int_equal(finish(), 0);
	expect_machine();
	assert_int_equal(info.warnings, nr_tables - 2); /* not XSDT and RSDP */
	assert_true(was_said("APIC at 0x7fe3000 has a wrong checksum"));
}

static void test_absurd_lengths(void **state)
{
	static const u32 lengths[] = { 0, 35, (1 << 20) + 1, 0xFFFFFFFF };

	(void)state;
	for (unsigned i = 0; i < ARRAY_SIZE(lengths); i++) {
		build_machine();
		for (unsigned j = 0; j < nr_tables; j++)
			set(&memory[j], 4, lengths[i], 4);
		assert_int_equal(finish(), 0);
		assert_false(info.has_madt || info.has_srat || info.has_slit || info.hpet_address || info.power.has_s5);
		assert_true(was_said("claims"));
	}
}

/* --- MADT --- */

/* Sockets of 5 and of 5 x 2: the ids leave holes, and grow beyond the count. */
static void test_sparse_ids(void **state)
{
	struct test_table *t;

	(void)state;
	clear_memory();
	t = begin_madt();
	for (u8 id = 0; id <= 57; id++)
		if (id % 16 < 10)
			put_apic(t, id, id, 1);
	end_sdt(t);
	assert_int_equal(finish(), 0);
	assert_int_equal(info.nr_cpus, 40);
	assert_int_equal(info.cpu[10].apic_id, 16);
	assert_int_equal(info.cpu[39].apic_id, 57);
	assert_int_equal(info.cpu[39].node, 0);
	assert_int_equal(info.warnings, 0);
}

/* -smp 2,maxcpus=6, then what else is not a CPU: hot-pluggable only, and the ids that mean "none". */
static void test_disabled_entries(void **state)
{
	struct test_table *t;

	(void)state;
	clear_memory();
	t = begin_madt();
	for (u8 i = 0; i < 4; i++)
		put_apic(t, i, i + 2, 0); /* the placeholders first, as one board has them */
	put_apic(t, 4, 0, 1);
	put_apic(t, 5, 1, 3);
	put_apic(t, 6, 6, 2);
	put_x2apic(t, 7, 7, 0);
	put_apic(t, 8, 0xFF, 1);
	put_apic(t, 9, 0xFF, 0);
	for (unsigned i = 0; i < 30; i++)
		put_x2apic(t, 10 + i, 0xFFFFFFFF, i % 2);
	end_sdt(t);
	assert_int_equal(finish(), 0);
	assert_int_equal(info.nr_cpus, 2);
	assert_int_equal(info.cpu[0].apic_id, 0);
	assert_int_equal(info.cpu[1].apic_id, 1);
	assert_int_equal(info.cpu[1].uid, 5);
	assert_int_equal(info.nr_disabled, 6);
	assert_int_equal(info.warnings, 0);
}

/* The same CPU in both forms counts once; 255 is a real id in the long one. */
static void test_duplicates(void **state)
{
	struct test_table *t;

	(void)state;
	clear_memory();
	t = begin_madt();
	for (u8 i = 0; i < 4; i++)
		put_apic(t, i, i, 1);
	for (u8 i = 0; i < 4; i++)
		put_x2apic(t, i, i, 1);
	put_x2apic(t, 4, 0xFF, 1);
	put_x2apic(t, 5, 0x12345678, 1);
	end_sdt(t);
	assert_int_equal(finish(), 0);
	assert_int_equal(info.nr_cpus, 6);
	assert_int_equal(info.cpu[4].apic_id, 0xFF);
	assert_int_equal(info.cpu[5].apic_id, 0x12345678);
	assert_int_equal(info.nr_duplicates, 4);
	assert_true(was_said("4 CPUs again"));
	assert_int_equal(info.warnings, 1);
}

/* QEMU's 288 CPUs: 255 short entries, 33 long ones, of which MAX_CPUS fit. */
static void test_more_than_max_cpus(void **state)
{
	struct test_table *t;

	(void)state;
	clear_memory();
	t = begin_madt();
	for (u32 i = 0; i < 255; i++)
		put_apic(t, (u8)i, (u8)i, 1);
	for (u32 i = 255; i < 288; i++)
		put_x2apic(t, i, i, 1);
	end_sdt(t);
	assert_int_equal(finish(), 0);
	assert_int_equal(info.nr_cpus, MAX_CPUS);
	assert_int_equal(info.nr_beyond, 288 - MAX_CPUS);
	assert_true(was_said("32 CPUs beyond the first 256"));
}

static void test_damaged_madt_entries(void **state)
{
	static const u8 damage[][2] = { { 0, 0 }, { 0, 1 }, { 77, 0 }, { 0, 200 }, { 9, 17 } };

	(void)state;
	for (unsigned i = 0; i < ARRAY_SIZE(damage); i++) {
		struct test_table *t;

		clear_memory();
		t = begin_madt();
		put_apic(t, 0, 0, 1);
		put(t, damage[i], 2);
		put_zeros(t, 6);
		put_apic(t, 1, 1, 1);
		end_sdt(t);
		assert_int_equal(finish(), 0);
		assert_int_equal(info.nr_cpus, 1);
		assert_true(was_said("the rest is ignored"));
	}
}

/* An entry too short for its type says nothing, but the next one counts; so does one behind a type nobody knows. */
static void test_short_and_unknown_madt_entries(void **state)
{
	struct test_table *t;

	(void)state;
	clear_memory();
	t = begin_madt();
	put(t, (u8[]){ 0, 7, 9, 9, 1, 0, 0 }, 7);
	put(t, (u8[]){ 9, 12, 0, 0, 9, 0, 0, 0, 1, 0, 0, 0 }, 12);
	put(t, (u8[]){ 5, 2 }, 2);
	put(t, (u8[]){ 200, 3, 0 }, 3);
	put(t, (u8[]){ 10, 2 }, 2);
	put_apic(t, 1, 1, 1);
	end_sdt(t);
	assert_int_equal(finish(), 0);
	assert_int_equal(info.nr_cpus, 1);
	assert_int_equal(info.cpu[0].apic_id, 1);
	assert_int_equal(info.warnings, 3);
	assert_true(was_said("type 9 with 12 bytes is too short"));
}

static void test_lapic_address(void **state)
{
	static const u64 bad[] = { 0, 0xFEE00010, 1ull << 52, UINT64_MAX };
	struct test_table *t;

	(void)state;
	clear_memory();
	t = begin_madt();
	put_lapic_address(t, 0x1FEE00000);
	end_sdt(t);
	assert_int_equal(finish(), 0);
	assert_int_equal(info.lapic_address, 0x1FEE00000);
	for (unsigned i = 0; i < ARRAY_SIZE(bad); i++) {
		clear_memory();
		t = begin_madt();
		put_lapic_address(t, bad[i]);
		end_sdt(t);
		assert_int_equal(finish(), 0);
		assert_int_equal(info.lapic_address, 0xFEE00000);
		assert_int_equal(info.warnings, 1);
	}
}

/* --- SRAT and SLIT --- */

static struct test_table *begin_cpus(unsigned n)
{
	struct test_table *t;

	clear_memory();
	t = begin_madt();
	for (unsigned i = 0; i < n; i++)
		put_apic(t, (u8)i, (u8)i, 1);
	end_sdt(t);
	return t;
}

/* Domains 4 and 0x10203, a node of memory alone, and what makes no node: absent CPUs, disabled or empty entries. */
static void test_sparse_domains(void **state)
{
	struct test_table *t;

	(void)state;
	begin_cpus(3);
	t = begin_srat(2);
	put_srat_apic(t, 0, 4, 1);
	put_srat_apic(t, 99, 50, 1);
	put_srat_apic(t, 1, 51, 0);
	put_srat_apic(t, 1, 0x10203, 1);
	put_srat_x2apic(t, 2, 4);
	put_srat_memory(t, 52, 0, 0, 0);
	put_srat_memory(t, 53, 0, 0, 1);
	put_srat_memory(t, 54, 0, GIB, 0);
	put_srat_memory(t, 7, GIB, GIB, 1);
	put(t, (u8[]){ 3, 4, 0, 0 }, 4);
	put_srat_memory(t, 4, 0x100000000, 0xFC00000000, 3); /* the hot-plug window */
	end_sdt(t);
	assert_int_equal(finish(), 0);
	assert_int_equal(info.nr_nodes, 3);
	assert_int_equal(info.domain[0], 4);
	assert_int_equal(info.domain[1], 0x10203);
	assert_int_equal(info.domain[2], 7);
	assert_int_equal(info.cpu[0].node, 0);
	assert_int_equal(info.cpu[1].node, 1);
	assert_int_equal(info.cpu[2].node, 0);
	assert_int_equal(info.nr_memory, 2);
	assert_int_equal(info.memory[0].node, 2);
	assert_int_equal(info.warnings, 0);
	assert_int_equal(info.distance[0][1], 20);
}

/* Revision 1 filled the upper bytes with anything. */
static void test_srat_revision_1(void **state)
{
	struct test_table *t;

	(void)state;
	begin_cpus(2);
	t = begin_srat(1);
	put_srat_apic(t, 0, 0xABCDEF00, 1);
	put_srat_apic(t, 1, 0x12345601, 1);
	put_srat_memory(t, 0x55555501, 0, GIB, 1);
	end_sdt(t);
	assert_int_equal(finish(), 0);
	assert_int_equal(info.nr_nodes, 2);
	assert_int_equal(info.domain[0], 0);
	assert_int_equal(info.domain[1], 1);
	assert_int_equal(info.memory[0].node, 1);
}

static void test_srat_contradictions(void **state)
{
	struct test_table *t;

	(void)state;
	begin_cpus(3);
	t = begin_srat(3);
	put_srat_apic(t, 0, 0, 1);
	put_srat_apic(t, 1, 1, 1);
	put_srat_x2apic(t, 1, 0); /* the first word counts */
	put_srat_memory(t, 0, 0, 2 * GIB, 1);
	put_srat_memory(t, 1, GIB, GIB, 1);
	put_srat_memory(t, 1, 8 * GIB, UINT64_MAX, 1);
	put_srat_memory(t, 1, 1ull << 52, GIB, 1);
	end_sdt(t);
	assert_int_equal(finish(), 0);
	assert_int_equal(info.cpu[1].node, 1);
	assert_int_equal(info.cpu[2].node, ACPI_NODE_UNKNOWN);
	assert_int_equal(info.nr_memory, 3);
	assert_int_equal(info.memory[2].end, 1ull << 52);
	assert_true(was_said("APIC id 1 in two nodes"));
	assert_true(was_said("memory at 0x40000000 to node 1 and to another"));
	assert_true(was_said("SRAT memory at 0x10000000000000 makes no sense"));
	assert_true(was_said("nothing of 1 CPUs"));
	assert_int_equal(info.warnings, 4);
}

static void test_srat_without_nodes(void **state)
{
	struct test_table *t;

	(void)state;
	begin_cpus(2);
	t = begin_srat(3);
	put_srat_apic(t, 0, 0, 0);
	end_sdt(t);
	assert_int_equal(finish(), 0);
	assert_false(info.has_srat);
	assert_int_equal(info.nr_nodes, 1);
	assert_int_equal(info.cpu[1].node, 0);
	assert_int_equal(info.warnings, 1);
}

static void test_too_many_domains_and_ranges(void **state)
{
	struct test_table *t;

	(void)state;
	begin_cpus(MAX_NODES + 1);
	t = begin_srat(3);
	for (u32 i = 0; i <= MAX_NODES; i++)
		put_srat_apic(t, (u8)i, i * 2, 1);
	put_srat_memory(t, 1000, 0, GIB, 1);
	end_sdt(t);
	assert_int_equal(finish(), 0);
	assert_int_equal(info.nr_nodes, MAX_NODES);
	assert_int_equal(info.cpu[MAX_NODES - 1].node, MAX_NODES - 1);
	assert_int_equal(info.cpu[MAX_NODES].node, ACPI_NODE_UNKNOWN);
	assert_int_equal(info.nr_memory, 0);

	begin_cpus(1);
	t = begin_srat(3);
	for (u32 i = 0; i < ACPI_MEMORY_MAX + 2; i++)
		put_srat_memory(t, 0, i * GIB, GIB, 1);
	end_sdt(t);
	assert_int_equal(finish(), 0);
	assert_int_equal(info.nr_memory, ACPI_MEMORY_MAX);
	assert_true(was_said("more than 256 memory ranges"));
}

static void build_two_nodes(u32 domain_a, u32 domain_b)
{
	struct test_table *t;

	begin_cpus(2);
	t = begin_srat(3);
	put_srat_apic(t, 0, domain_a, 1);
	put_srat_apic(t, 1, domain_b, 1);
	end_sdt(t);
}

/* The matrix speaks of domains 0 to 2; nodes 0 and 1 are domains 2 and 0. */
static void test_slit_by_domain(void **state)
{
	static const u8 matrix[] = { 10, 11, 12, 13, 10, 15, 16, 17, 10 };

	(void)state;
	build_two_nodes(2, 0);
	put_slit(3, matrix, 9);
	assert_int_equal(finish(), 0);
	assert_true(info.has_slit);
	assert_int_equal(info.distance[0][1], 16);
	assert_int_equal(info.distance[1][0], 12);
	assert_int_equal(info.distance[1][1], 10);
}

static void test_bad_slits(void **state)
{
	static const struct {
		u64 n;
		u8 matrix[4];
		u32 bytes;
	} slit[] = {
		{ 0, { 10, 20, 20, 10 }, 4 },
		{ 1, { 10, 20, 20, 10 }, 4 }, /* no domain 1 */
		{ 2, { 10, 20, 20, 10 }, 3 },
		{ 2, { 11, 20, 20, 10 }, 4 },
		{ 2, { 10, 20, 20, 0 }, 4 },
		{ 2, { 10, 10, 20, 10 }, 4 },
		{ 2, { 10, 20, 0, 10 }, 4 },
		{ 3, { 10, 20, 20, 10 }, 4 },
		{ 0x100000000, { 10, 20, 20, 10 }, 4 }, /* whose square is 0 in 64 bits */
		{ UINT64_MAX, { 10, 20, 20, 10 }, 4 },
	};

	(void)state;
	for (unsigned i = 0; i < ARRAY_SIZE(slit); i++) {
		build_two_nodes(0, 1);
		put_slit(slit[i].n, slit[i].matrix, slit[i].bytes);
		assert_int_equal(finish(), 0);
		assert_false(info.has_slit);
		assert_int_equal(info.distance[0][1], 20);
		assert_int_equal(info.distance[1][1], 10);
		assert_int_equal(info.warnings, 1);
		assert_true(was_said("SLIT"));
	}
}

/* --- FADT and HPET --- */

/* QEMU pc: 116 bytes, and in the memory behind them, here made a part of the region, another table. */
static void test_fadt_revision_1(void **state)
{
	struct test_table *t;

	(void)state;
	clear_memory();
	t = put_fadt(116, RESET_WORKS);
	for (unsigned i = 0; i < 200; i++)
		putn(t, 1, 1);
	assert_int_equal(finish(), 0);
	assert_int_equal(info.power.reset.address, 0);
	assert_int_equal(info.power.pm1a_control.address, 0x604);
	assert_int_equal(info.pm_timer_port, 0x608);
	assert_false(info.pm_timer_32bit);
}

static void test_fadt_long_registers(void **state)
{
	struct test_table *t;

	(void)state;
	clear_memory();
	t = put_fadt(276, 0);
	set(t, 172, 1 | 16 << 8, 4);
	set(t, 176, 0x1804, 8);
	set(t, 184, 0 | 16 << 8, 4);
	set(t, 188, 0x3FED1F000, 8);
	set(t, 208, 1 | 32 << 8, 4);
	set(t, 212, 0x1808, 8);
	end_sdt(t);
	assert_int_equal(finish(), 0);
	assert_int_equal(info.power.pm1a_control.address, 0x1804);
	assert_int_equal(info.power.pm1b_control.address, 0x3FED1F000);
	assert_int_equal(info.power.pm1b_control.space, ACPI_MEMORY_SPACE);
	assert_int_equal(info.pm_timer_port, 0x1808);
	assert_int_equal(info.power.reset.address, 0); /* its flag is clear */
}

/* A long register that makes no sense leaves the word to the short one. */
static void test_fadt_absurd_registers(void **state)
{
	struct test_table *t;

	(void)state;
	clear_memory();
	t = put_fadt(276, RESET_WORKS);
	set(t, 68, 0x12345, 4);
	set(t, 116, 0x7F, 1);
	set(t, 172, 1, 1);
	set(t, 176, 0x10000, 8);
	set(t, 208, 0, 1);
	set(t, 212, 1ull << 60, 8);
	end_sdt(t);
	assert_int_equal(finish(), 0);
	assert_int_equal(info.power.pm1a_control.address, 0x604);
	assert_int_equal(info.power.pm1b_control.address, 0);
	assert_int_equal(info.power.reset.address, 0);
	assert_int_equal(info.pm_timer_port, 0x608);
	assert_true(was_said("register 0xcf9 in space 127 (FACP + 116)"));
}

/* microvm: no PM1 block and no PM timer, a sleep control register in memory. */
static void test_fadt_hw_reduced(void **state)
{
	static const u8 s5[] = { 0x08, '\\', '_', 'S', '5', '_', 0x12, 0x07, 0x04, 0x0A, 0x05, 0x00, 0x00, 0x00 };
	struct test_table *t;

	(void)state;
	clear_memory();
	t = put_fadt(268, HW_REDUCED | RESET_WORKS);
	set(t, 244, 0 | 8 << 8, 4);
	set(t, 248, 0xFEA00200, 8);
	end_sdt(t);
	put_aml(DSDT_AT, "DSDT", s5, sizeof(s5));
	assert_int_equal(finish(), 0);
	assert_true(info.power.hw_reduced);
	assert_int_equal(info.power.sleep_control.address, 0xFEA00200);
	assert_int_equal(info.power.sleep_control.space, ACPI_MEMORY_SPACE);
	assert_int_equal(info.power.pm1a_control.address, 0);
	assert_int_equal(info.pm_timer_port, 0);
	assert_true(info.power.has_s5);
	assert_int_equal(info.power.s5_type_a, 5);
	assert_int_equal(info.power.s5_type_b, 0);
}

static void test_pm_timer_absent(void **state)
{
	struct test_table *t;

	(void)state;
	clear_memory();
	t = put_fadt(276, TIMER_32BIT);
	set(t, 91, 0, 1);
	end_sdt(t);
	assert_int_equal(finish(), 0);
	assert_int_equal(info.pm_timer_port, 0);
}

static void test_bad_hpets(void **state)
{
	static const struct {
		u8 space;
		u64 address;
	} hpet[] = { { 1, 0xFED0 }, { 0, 0 }, { 0, 0xFED00004 }, { 0, 1ull << 52 }, { 2, 0xFED00000 } };

	(void)state;
	for (unsigned i = 0; i < ARRAY_SIZE(hpet); i++) {
		struct test_table *t;

		clear_memory();
		t = begin_sdt(0x7FE9000, "HPET", 1);
		putn(t, 0x8086A201, 4);
		putn(t, hpet[i].space, 4);
		putn(t, hpet[i].address, 8);
		put_zeros(t, 4);
		end_sdt(t);
		assert_int_equal(finish(), 0);
		assert_int_equal(info.hpet_address, 0);
		assert_true(was_said("HPET"));
	}
}

/* --- _S5_ --- */

struct s5_case {
	const char *what;
	bool found;
	u8 a, b;
	u32 bytes;
	u8 aml[24];
};

#define NAME	  0x08, '_', 'S', '5', '_'
#define ROOT_NAME 0x08, '\\', '_', 'S', '5', '_'

static const struct s5_case s5_cases[] = {
	{ "QEMU pc: all ZeroOp", true, 0, 0, 12, { NAME, 0x12, 6, 4, 0, 0, 0, 0 } },
	{ "microvm: a byte, then ZeroOp", true, 5, 0, 13, { NAME, 0x12, 7, 4, 0x0A, 5, 0, 0, 0 } },
	{ "bytes", true, 7, 6, 14, { NAME, 0x12, 8, 4, 0x0A, 7, 0x0A, 6, 0 } },
	{ "OneOp", true, 1, 1, 12, { NAME, 0x12, 6, 4, 1, 1, 0, 0 } },
	{ "words", true, 5, 4, 14, { NAME, 0x12, 8, 2, 0x0B, 5, 0, 0x0B, 4, 0 } },
	{ "a double word", true, 5, 1, 14, { NAME, 0x12, 8, 2, 0x0C, 5, 0, 0, 0, 1 } },
	{ "one element", true, 5, 0, 10, { NAME, 0x12, 4, 1, 0x0A, 5 } },
	{ "one element that holds both", true, 5, 4, 11, { NAME, 0x12, 5, 1, 0x0B, 5, 4 } },
	{ "root prefix", true, 5, 5, 14, { ROOT_NAME, 0x12, 7, 4, 0x0A, 5, 0x0A, 5 } },
	{ "package length of two bytes", true, 5, 0, 13, { NAME, 0x12, 0x47, 0, 2, 0x0A, 5, 0 } },
	{ "package length of four bytes", true, 5, 0, 15, { NAME, 0x12, 0xC9, 0, 0, 0, 2, 0x0A, 5, 0 } },
	{ "behind a mere mention", true, 3, 3, 19, { '_', 'S', '5', '_', 0x12, NAME, 0x12, 6, 2, 0x0A, 3, 0x0A, 3, 0 } },
	{ "behind a broken one", true, 3, 1, 22, { NAME, 0x12, 4, 1, 0x0A, 9, NAME, 0x12, 6, 2, 0x0A, 3, 0x0A, 1 } },
	{ "no name operator", false, 0, 0, 11, { '_', 'S', '5', '_', 0x12, 6, 4, 0, 0, 0, 0 } },
	{ "no package", false, 0, 0, 7, { NAME, 0x0A, 5 } },
	{ "no elements", false, 0, 0, 8, { NAME, 0x12, 2, 0 } },
	{ "a type beyond three bits", false, 0, 0, 12, { NAME, 0x12, 6, 2, 0x0A, 8, 0, 0 } },
	{ "OnesOp", false, 0, 0, 9, { NAME, 0x12, 3, 1, 0xFF } },
	{ "a name for an element", false, 0, 0, 14, { NAME, 0x12, 8, 2, 'F', 'O', 'O', '_', 0, 0 } },
	{ "package longer than the table", false, 0, 0, 12, { NAME, 0x12, 7, 4, 0, 0, 0, 0 } },
	{ "package shorter than its elements", false, 0, 0, 12, { NAME, 0x12, 3, 4, 0, 0, 0, 0 } },
	{ "package shorter than its own length", false, 0, 0, 12, { NAME, 0x12, 0x40, 0, 4, 0, 0, 0 } },
	{ "package of length 0", false, 0, 0, 12, { NAME, 0x12, 0, 4, 0, 0, 0, 0 } },
	{ "ends behind the name", false, 0, 0, 5, { NAME } },
	{ "ends in the package length", false, 0, 0, 7, { NAME, 0x12, 0xC0 } },
	{ "ends in a word", false, 0, 0, 10, { NAME, 0x12, 4, 1, 0x0B, 5 } },
	{ "ends in the name", false, 0, 0, 4, { 0x08, '_', 'S', '5' } },
};

static void test_s5_shapes(void **state)
{
	(void)state;
	for (unsigned i = 0; i < ARRAY_SIZE(s5_cases); i++) {
		const struct s5_case *c = &s5_cases[i];

		clear_memory();
		put_fadt(116, 0);
		put_aml(DSDT_AT, "DSDT", c->aml, c->bytes);
		assert_int_equal(finish(), 0);
		if (info.power.has_s5 != c->found)
			fail_msg("%s: %sfound", c->what, c->found ? "not " : "");
		if (c->found && (info.power.s5_type_a != c->a || info.power.s5_type_b != c->b))
			fail_msg("%s: types %u and %u", c->what, info.power.s5_type_a, info.power.s5_type_b);
	}
}

/* The DSDT's word counts before an SSDT's, and that of any SSDT where the DSDT has none or does not exist. */
static void test_s5_search_order(void **state)
{
	static const u8 five[] = { NAME, 0x12, 6, 2, 0x0A, 5, 0x0A, 5 };

	(void)state;
	clear_memory();
	put_aml(0x7FEA000, "SSDT", "nothing", 7);
	put_aml(0x7FEB000, "SSDT", five, sizeof(five));
	put_aml(0x7FEC000, "SSDT", qemu_s5, sizeof(qemu_s5));
	put_fadt(116, 0);
	put_root("XSDT", XSDT_AT, 8);
	put_rsdp(2, 0, XSDT_AT);
	assert_int_equal(parse(), 0);
	assert_int_equal(info.power.s5_type_a, 5);
	assert_true(was_said("no DSDT at"));
	put_aml(DSDT_AT, "DSDT", qemu_s5, sizeof(qemu_s5));
	assert_int_equal(parse(), 0);
	assert_true(info.power.has_s5);
	assert_int_equal(info.power.s5_type_a, 0);
}

/* --- damage --- */

/* Holds for whatever was read. */
static void expect_bounds(void)
{
	assert_true(info.nr_cpus <= MAX_CPUS);
	assert_in_range(info.nr_nodes, 1, MAX_NODES);
	assert_true(info.nr_memory <= ACPI_MEMORY_MAX);
	for (unsigned i = 0; i < info.nr_cpus; i++) {
		assert_true(info.cpu[i].node < info.nr_nodes || info.cpu[i].node == ACPI_NODE_UNKNOWN);
		for (unsigned j = 0; j < i; j++)
			assert_true(info.cpu[i].apic_id != info.cpu[j].apic_id);
	}
	for (unsigned i = 0; i < info.nr_memory; i++)
		assert_true(info.memory[i].node < info.nr_nodes && info.memory[i].start < info.memory[i].end);
	for (unsigned i = 0; i < info.nr_nodes; i++)
		for (unsigned j = 0; j < info.nr_nodes; j++)
			assert_true(i == j ? info.distance[i][j] == 10 : info.distance[i][j] > 10);
	assert_true(info.lapic_address && info.lapic_address % 4096 == 0);
	assert_true(info.power.s5_type_a <= 7 && info.power.s5_type_b <= 7);
}

static void build_all(void)
{
	build_machine();
	put_root("RSDT", RSDT_AT, 4);
	nr_tables--; /* for the XSDT not to list the RSDT */
	put_root("XSDT", XSDT_AT, 8);
	put_rsdp(2, 0, XSDT_AT);
}

/* Memory that ends at every byte of every table. */
static void test_memory_ends(void **state)
{
	(void)state;
	build_all();
	for (unsigned i = 0; i < nr_tables; i++) {
		u32 full = memory[i].size;

		for (u32 n = full; n-- > 0;) {
			said_bytes = 0;
			memory[i].size = n;
			parse();
			expect_bounds();
			assert_true(info.warnings);
		}
		memory[i].size = full;
	}
}

/* Tables that say they end at every byte, with a good checksum. */
static void test_tables_end(void **state)
{
	static u8 original[MOST_TABLE];

	(void)state;
	build_all();
	for (unsigned i = 0; i < nr_tables - 1; i++) { /* not the RSDP, which has no such length */
		u32 full = memory[i].size;

		memcpy(original, memory[i].bytes, full);
		for (u32 n = full; n-- > 36;) {
			said_bytes = 0;
			memory[i].size = n;
			end_sdt(&memory[i]);
			parse();
			expect_bounds();
			memcpy(memory[i].bytes, original, full);
		}
		memory[i].size = full;
	}
	parse();
	expect_machine();
}

/* The seed is fixed. Half of the damage goes where the lengths and counts are. */
static void test_flipped_bytes(void **state)
{
	static struct test_table original[16];
	unsigned n;

	(void)state;
	srand(4);
	build_all();
	n = nr_tables;
	memcpy(original, memory, n * sizeof(memory[0]));
	for (unsigned round = 0; round < 5000; round++) {
		said_bytes = 0;
		memcpy(memory, original, n * sizeof(memory[0]));
		for (int flips = 1 + rand() % 6; flips > 0; flips--) {
			struct test_table *t = &memory[(unsigned)rand() % n];
			u32 most = rand() % 2 && t->size > 64 ? 64 : t->size;

			t->bytes[(u32)rand() % most] ^= (u8)(1 << rand() % 8);
		}
		memory[n - 1].bytes[8] = 0;
		memory[n - 1].bytes[8] = (u8)-byte_sum(memory[n - 1].bytes, 20);
		parse();
		expect_bounds();
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_xsdt),
		cmocka_unit_test(test_rsdt),
		cmocka_unit_test(test_rsdp_copy),
		cmocka_unit_test(test_above_4_gib),
		cmocka_unit_test(test_rsdt_instead_of_xsdt),
		cmocka_unit_test(test_no_rsdp),
		cmocka_unit_test(test_odd_root_entries),
		cmocka_unit_test(test_too_many_tables),
		cmocka_unit_test(test_wrong_checksums),
		cmocka_unit_test(test_absurd_lengths),
		cmocka_unit_test(test_sparse_ids),
		cmocka_unit_test(test_disabled_entries),
		cmocka_unit_test(test_duplicates),
		cmocka_unit_test(test_more_than_max_cpus),
		cmocka_unit_test(test_damaged_madt_entries),
		cmocka_unit_test(test_short_and_unknown_madt_entries),
		cmocka_unit_test(test_lapic_address),
		cmocka_unit_test(test_sparse_domains),
		cmocka_unit_test(test_srat_revision_1),
		cmocka_unit_test(test_srat_contradictions),
		cmocka_unit_test(test_srat_without_nodes),
		cmocka_unit_test(test_too_many_domains_and_ranges),
		cmocka_unit_test(test_slit_by_domain),
		cmocka_unit_test(test_bad_slits),
		cmocka_unit_test(test_fadt_revision_1),
		cmocka_unit_test(test_fadt_long_registers),
		cmocka_unit_test(test_fadt_absurd_registers),
		cmocka_unit_test(test_fadt_hw_reduced),
		cmocka_unit_test(test_pm_timer_absent),
		cmocka_unit_test(test_bad_hpets),
		cmocka_unit_test(test_s5_shapes),
		cmocka_unit_test(test_s5_search_order),
		cmocka_unit_test(test_memory_ends),
		cmocka_unit_test(test_tables_end),
		cmocka_unit_test(test_flipped_bytes),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
