/* SPDX-License-Identifier: GPL-2.0-or-later
 * SPCR and DBG2 as boards have them, whole and cut: metal.md 5. QEMU's PCs have neither, so they are made here from their
 * specifications. Expected values are what was put in. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "arch/x86/acpi_tables.h"

void say(const char *fmt, ...)
{
	(void)fmt;
}

const void *phys_map(u64 phys, u64 bytes)
{
	(void)phys, (void)bytes;
	return NULL;
}

static u8 bytes[256];
static struct acpi_info info;

static int start(void **state)
{
	(void)state;
	memset(bytes, 0, sizeof(bytes));
	memset(&info, 0, sizeof(info));
	return 0;
}

static void put(u32 at, unsigned n, u64 v)
{
	memcpy(bytes + at, &v, n);
}

/* Space 1 is ports, 0 memory; the width of the register's place in bits; access 1 is by bytes, 3 by 32 bits. */
static void put_register(u32 at, u8 space, u8 bits, u8 access, u64 address)
{
	bytes[at] = space;
	bytes[at + 1] = bits;
	bytes[at + 3] = access;
	put(at + 4, 8, address);
}

/* The table at the end of a piece of memory of its own, so that AddressSanitizer sees who reads on. */
static void parse(void (*decode)(struct acpi_info *, const struct table *), u32 length)
{
	u8 *exact = malloc(length);
	struct table t = { exact, length };

	memcpy(exact, bytes, length);
	decode(&info, &t);
	free(exact);
}

static void spcr(u8 type, u8 baud)
{
	memcpy(bytes, "SPCR", 4);
	bytes[36] = type;
	bytes[58] = baud;
	parse(acpi_parse_spcr, 80);
}

static void spcr_port(void **state)
{
	static const u32 baud[] = { 0, 0, 0, 9600, 19200, 0, 57600, 115200, 0 };

	for (u8 code = 0; code < ARRAY_SIZE(baud); code++) {
		start(state);
		put_register(40, 1, 8, 1, 0x2f8);
		spcr(0, code);
		assert_int_equal(info.nr_uarts, 1);
		assert_int_equal(info.uart[0].at.address, 0x2f8);
		assert_int_equal(info.uart[0].at.space, ACPI_IO_SPACE);
		assert_int_equal(info.uart[0].stride, 1);
		assert_int_equal(info.uart[0].baud, baud[code]);
	}
}

static void spcr_memory_by_words(void **state)
{
	(void)state;
	put_register(40, 0, 32, 3, 0xfedc9000);
	spcr(0x12, 7);
	assert_int_equal(info.nr_uarts, 1);
	assert_int_equal(info.uart[0].at.space, ACPI_MEMORY_SPACE);
	assert_int_equal(info.uart[0].stride, 4);
	assert_int_equal(info.uart[0].width, 4);
}

static void spcr_memory_by_bytes(void **state)
{
	(void)state;
	put_register(40, 0, 8, 1, 0xfedc9000);
	spcr(1, 0);
	assert_int_equal(info.uart[0].stride, 1);
	assert_int_equal(info.uart[0].width, 1);
	put_register(40, 0, 32, 1, 0xfedd9000); /* registers 4 bytes apart, read by bytes */
	spcr(1, 0);
	assert_int_equal(info.uart[1].stride, 4);
	assert_int_equal(info.uart[1].width, 1);
}

/* Address 0 says that redirection is off; type 3 is an ARM port; a table too short says nothing. */
static void spcr_that_names_none(void **state)
{
	(void)state;
	spcr(0, 7);
	assert_int_equal(info.nr_uarts, 0);
	put_register(40, 0, 32, 3, 0x9000000);
	spcr(3, 7);
	assert_int_equal(info.nr_uarts, 0);
	bytes[36] = 0;
	for (u32 length = 36; length < 59; length++)
		parse(acpi_parse_spcr, length);
	assert_int_equal(info.nr_uarts, 0);
	assert_int_equal(info.warnings, 59 - 36);
}

/* One device of DBG2: 22 bytes, its register, its size, its name. */
static u32 put_device(u32 at, u16 type, u16 subtype, u64 port)
{
	put(at + 1, 2, 22 + 12 + 4 + 2);
	bytes[at + 3] = 1;
	put(at + 12, 2, type);
	put(at + 14, 2, subtype);
	put(at + 18, 2, 22);
	put(at + 20, 2, 34);
	put_register(at + 22, 1, 8, 1, port);
	return at + 40;
}

static u32 dbg2_of_three(void)
{
	u32 at = 44;

	put(36, 4, at);
	put(40, 4, 3);
	at = put_device(at, 0x8003, 0, 0x1000); /* a network debugger */
	at = put_device(at, 0x8000, 0, 0x3f8);
	return put_device(at, 0x8000, 0x12, 0x2f8);
}

static void dbg2_lists_ports(void **state)
{
	(void)state;
	parse(acpi_parse_dbg2, dbg2_of_three());
	assert_int_equal(info.nr_uarts, 2);
	assert_int_equal(info.uart[0].at.address, 0x3f8);
	assert_int_equal(info.uart[1].at.address, 0x2f8);
	assert_int_equal(info.uart[1].baud, 0);
	assert_int_equal(info.warnings, 0);
}

/* Wherever it is cut, what is whole before counts, and nothing behind is read. */
static void dbg2_cut_anywhere(void **state)
{
	u32 whole = dbg2_of_three();

	for (u32 length = 36; length < whole; length++) {
		memset(&info, 0, sizeof(info));
		parse(acpi_parse_dbg2, length);
		assert_true(info.nr_uarts <= (length >= 44 + 40 + 34 ? 1u : 0) + (length >= 44 + 80 + 34 ? 1u : 0));
	}
	start(state);
	put(36, 4, 0xfffffff0);
	put(40, 4, 0xffffffff);
	parse(acpi_parse_dbg2, 64);
	assert_int_equal(info.nr_uarts, 0);
	put(36, 4, 44); /* a device of no length would be read for ever */
	parse(acpi_parse_dbg2, 100);
	assert_int_equal(info.nr_uarts, 0);
}

/* A register that lies in the header, in the next device or behind the table is nobody's. */
static void dbg2_register_elsewhere(void **state)
{
	static const u16 offset[] = { 0, 21, 29, 40, 62, 0xffff };

	(void)state;
	for (unsigned i = 0; i < ARRAY_SIZE(offset); i++) {
		u32 whole = dbg2_of_three();

		memset(&info, 0, sizeof(info));
		put(84 + 18, 2, offset[i]);
		parse(acpi_parse_dbg2, whole);
		assert_int_equal(info.nr_uarts, 1);
		assert_int_equal(info.uart[0].at.address, 0x2f8);
		assert_int_equal(info.warnings, 1);
	}
}

/* The list begins in the table's header, where its bytes would pass for a device. */
static void dbg2_list_in_the_header(void **state)
{
	(void)state;
	put(36, 4, 20);
	put(40, 4, 1);
	put(21, 2, 60);
	bytes[23] = 1;
	put(20 + 12, 2, 0x8000);
	put(20 + 18, 2, 30);
	put_register(50, 1, 8, 1, 0x3f8);
	parse(acpi_parse_dbg2, 100);
	assert_int_equal(info.nr_uarts, 0);
	assert_int_equal(info.warnings, 1);
}

static void more_than_are_kept(void **state)
{
	u32 at = 44;

	(void)state;
	put(36, 4, at);
	put(40, 4, ACPI_UARTS + 1);
	for (unsigned i = 0; i < ACPI_UARTS + 1; i++)
		at = put_device(at, 0x8000, 0, 0x1000 + 8 * i);
	parse(acpi_parse_dbg2, at);
	assert_int_equal(info.nr_uarts, ACPI_UARTS);
	assert_int_equal(info.warnings, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(spcr_port, start),
		cmocka_unit_test_setup(spcr_memory_by_words, start),
		cmocka_unit_test_setup(spcr_memory_by_bytes, start),
		cmocka_unit_test_setup(spcr_that_names_none, start),
		cmocka_unit_test_setup(dbg2_lists_ports, start),
		cmocka_unit_test_setup(dbg2_cut_anywhere, start),
		cmocka_unit_test_setup(dbg2_register_elsewhere, start),
		cmocka_unit_test_setup(dbg2_list_in_the_header, start),
		cmocka_unit_test_setup(more_than_are_kept, start),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
