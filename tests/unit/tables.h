/* SPDX-License-Identifier: GPL-2.0-or-later
 * ACPI tables at physical addresses, built by the specification: for tests of the decoders and for the fuzzers' seeds. */
#ifndef TESTS_UNIT_TABLES_H
#define TESTS_UNIT_TABLES_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "arch/x86/phys.h"
#include "base/string.h"

#define GIB (1ull << 30)

enum { MOST_TABLES = 320, MOST_TABLE = 16384 };

struct test_table {
	u64 phys;
	u32 size;
	u8 bytes[MOST_TABLE];
};

static struct test_table memory[MOST_TABLES];
static unsigned nr_tables;

static inline struct test_table *begin_table(u64 phys)
{
	struct test_table *t = &memory[nr_tables++];

	assert_true(nr_tables <= MOST_TABLES);
	t->phys = phys;
	t->size = 0;
	return t;
}

static inline void put(struct test_table *t, const void *bytes, u32 n)
{
	assert_true(t->size + n <= MOST_TABLE);
	memcpy(t->bytes + t->size, bytes, n);
	t->size += n;
}

/* The n low bytes of v. */
static inline void putn(struct test_table *t, u64 v, u32 n)
{
	put(t, &v, n);
}

static inline void put_zeros(struct test_table *t, u32 n)
{
	while (n--)
		putn(t, 0, 1);
}

static inline struct test_table *begin_sdt(u64 phys, const char *signature, u8 revision)
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
static inline void end_sdt(struct test_table *t)
{
	memcpy(t->bytes + 4, &t->size, 4);
	t->bytes[9] = 0;
	t->bytes[9] = (u8)-byte_sum(t->bytes, t->size);
}

/* --- the way to the tables --- */

enum { RSDP_AT = 0xF5A20, RSDT_AT = 0x7FE1000, XSDT_AT = 0x7FE2004 };

static inline struct test_table *put_rsdp(u8 revision, u64 rsdt, u64 xsdt)
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
static inline void put_root(const char *signature, u64 phys, u32 entry_bytes)
{
	struct test_table *t = begin_sdt(phys, signature, 1);

	for (unsigned i = 0; i < nr_tables - 1; i++)
		if (memcmp(memory[i].bytes, "DSDT", 4))
			putn(t, memory[i].phys, entry_bytes);
	end_sdt(t);
}

/* --- which CPUs, and where --- */

static inline struct test_table *begin_madt(void)
{
	struct test_table *t = begin_sdt(0x7FE3000, "APIC", 3);

	putn(t, 0xFEE00000, 4);
	putn(t, 1, 4);
	return t;
}

static inline void put_apic(struct test_table *t, u8 uid, u8 apic_id, u32 flags)
{
	put(t, (u8[]){ 0, 8, uid, apic_id }, 4);
	putn(t, flags, 4);
}

static inline void put_x2apic(struct test_table *t, u32 uid, u32 apic_id, u32 flags)
{
	put(t, (u8[]){ 9, 16, 0, 0 }, 4);
	putn(t, apic_id, 4);
	putn(t, flags, 4);
	putn(t, uid, 4);
}

static inline void put_lapic_address(struct test_table *t, u64 address)
{
	put(t, (u8[]){ 5, 12, 0, 0 }, 4);
	putn(t, address, 8);
}

static inline struct test_table *begin_srat(u8 revision)
{
	struct test_table *t = begin_sdt(0x7FE5000, "SRAT", revision);

	putn(t, 1, 4);
	putn(t, 0, 8);
	return t;
}

static inline void put_srat_apic(struct test_table *t, u8 apic_id, u32 domain, u32 flags)
{
	put(t, (u8[]){ 0, 16, (u8)domain, apic_id }, 4);
	putn(t, flags, 4);
	putn(t, 0, 1);
	putn(t, domain >> 8, 3);
	putn(t, 0, 4);
}

static inline void put_srat_x2apic(struct test_table *t, u32 apic_id, u32 domain)
{
	put(t, (u8[]){ 2, 24, 0, 0 }, 4);
	putn(t, domain, 4);
	putn(t, apic_id, 4);
	putn(t, 1, 4);
	put_zeros(t, 8);
}

static inline void put_srat_memory(struct test_table *t, u32 domain, u64 start, u64 length, u32 flags)
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

static inline void put_slit(u64 n, const u8 *matrix, u32 bytes)
{
	struct test_table *t = begin_sdt(0x7FE7004, "SLIT", 1);

	putn(t, n, 8);
	put(t, matrix, bytes);
	end_sdt(t);
}

/* --- devices --- */

enum { DSDT_AT = 0x7FD0000 };

static inline void set(struct test_table *t, u32 at, u64 v, u32 n)
{
	memcpy(t->bytes + at, &v, n);
}

/* A FADT of `bytes` bytes with QEMU's registers; those of the long form only where they fit. */
static inline struct test_table *put_fadt(u32 bytes, u32 flags)
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

static inline void put_aml(u64 phys, const char *signature, const void *aml, u32 bytes)
{
	struct test_table *t = begin_sdt(phys, signature, 2);

	put(t, aml, bytes);
	end_sdt(t);
}

static const u8 qemu_s5[] = { 0x08, '_', 'S', '5', '_', 0x12, 6, 4, 0, 0, 0, 0 };

enum { TIMER_32BIT = 1 << 8, RESET_WORKS = 1 << 10, HW_REDUCED = 1 << 20 };

/* One of each, as a small NUMA machine has them. */
static inline void put_machine(void)
{
	struct test_table *t;

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

#endif
