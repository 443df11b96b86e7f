/* SPDX-License-Identifier: GPL-2.0-or-later
 * The memory map: what firmware may write in it against what must be left. Expected values are arithmetic on the entries, most of
 * which are shaped like maps seen in QEMU and on real boards. A miss means memory is used that is not ours, or is wasted. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "arch/x86/memmap.h"
#include "base/string.h"
#include "base/text.h"

#define KIB 1024ull
#define MIB (1024 * KIB)
#define GIB (1024 * MIB)

static unsigned lines_said;

void say(const char *fmt, ...)
{
	(void)fmt;
	lines_said++;
}

static struct memmap map;

static void expect_range(unsigned i, u64 start, u64 end)
{
	assert_true(i < map.nr);
	assert_int_equal(map.range[i].start, start);
	assert_int_equal(map.range[i].end, end);
}

/* `pc` with 5 GiB: low memory, the video and BIOS hole, RAM to 0xBFFE0000 and again from 4 GiB; the entry at 0xFD00000000 is what
 * QEMU puts there for AMD models and must not count as the top. */
static void test_qemu_map(void **state)
{
	static const struct raw_range raw[] = {
		{ 0, 0x9FC00, true },
		{ 0x9FC00, 0xA0000, false },
		{ 0xF0000, 0x100000, false },
		{ 0x100000, 0xBFFE0000, true },
		{ 0xBFFE0000, 0xC0000000, false },
		{ 0xFEFFC000, 0xFF000000, false },
		{ 4 * GIB, 6 * GIB, true },
		{ 0xFD00000000, 0xFD00000000 + 0x300000000, false },
	};

	(void)state;
	assert_int_equal(memmap_build(&map, raw, ARRAY_SIZE(raw)), 0);
	assert_int_equal(map.nr, 3);
	expect_range(0, 0, 0x9F000);
	expect_range(1, 0x100000, 0xBFFE0000);
	expect_range(2, 4 * GIB, 6 * GIB);
	assert_int_equal(memmap_top(&map), 6 * GIB);
	assert_int_equal(memmap_total(&map), 0x9F000 + (0xBFFE0000 - 0x100000) + 2 * GIB);
}

static void test_unsorted_overlapping_and_empty(void **state)
{
	static const struct raw_range raw[] = {
		{ 8 * MIB, 16 * MIB, true },
		{ 0, 0, false },
		{ 5 * MIB, 5 * MIB, true },
		{ 9 * MIB, 8 * MIB, true }, /* ends before it starts */
		{ 1 * MIB, 4 * MIB, true },
		{ 3 * MIB, 9 * MIB, true },
		{ 10 * MIB, 11 * MIB, false },
		{ 10 * MIB, 12 * MIB, false },
	};

	(void)state;
	assert_int_equal(memmap_build(&map, raw, ARRAY_SIZE(raw)), 0);
	assert_int_equal(map.nr, 2);
	expect_range(0, 1 * MIB, 10 * MIB);
	expect_range(1, 12 * MIB, 16 * MIB);
}

/* The order of entries decides nothing: reserved wins over usable wherever it comes. */
static void test_reserved_wins(void **state)
{
	static const struct raw_range raw[] = {
		{ 2 * MIB, 3 * MIB, false },
		{ 1 * MIB, 4 * MIB, true },
	};

	(void)state;
	assert_int_equal(memmap_build(&map, raw, ARRAY_SIZE(raw)), 0);
	assert_int_equal(map.nr, 2);
	expect_range(0, 1 * MIB, 2 * MIB);
	expect_range(1, 3 * MIB, 4 * MIB);
}

static void test_partial_pages(void **state)
{
	static const struct raw_range raw[] = {
		{ 0x1001, 0x2FFF, true },   /* touches two pages, covers none */
		{ 0x10800, 0x12800, true }, /* one whole page */
		{ 0x20000, 0x20C00, true }, /* two entries that make a page together */
		{ 0x20C00, 0x21000, true },
		{ 0x30000, 0x33000, true }, /* one reserved byte costs its page */
		{ 0x31234, 0x31235, false },
	};

	(void)state;
	assert_int_equal(memmap_build(&map, raw, ARRAY_SIZE(raw)), 0);
	assert_int_equal(map.nr, 4);
	expect_range(0, 0x11000, 0x12000);
	expect_range(1, 0x20000, 0x21000);
	expect_range(2, 0x30000, 0x31000);
	expect_range(3, 0x32000, 0x33000);
}

static void test_ends_of_the_address_space(void **state)
{
	static const struct raw_range raw[] = {
		{ 1 * MIB, UINT64_MAX, true },
		{ UINT64_MAX - 10, UINT64_MAX, true },
		{ 2 * MIB, UINT64_MAX, false },
	};

	(void)state;
	assert_int_equal(mem_end(5, 7), 12);
	assert_int_equal(mem_end(0x1000, UINT64_MAX), UINT64_MAX);
	assert_int_equal(memmap_build(&map, raw, 1), 0);
	assert_int_equal(memmap_top(&map), MEM_LIMIT);
	assert_int_equal(memmap_build(&map, raw, ARRAY_SIZE(raw)), 0);
	assert_int_equal(map.nr, 1);
	expect_range(0, 1 * MIB, 2 * MIB);
}

static void test_nothing_usable(void **state)
{
	static const struct raw_range raw[] = {
		{ 0, 4 * GIB, false },
		{ 1 * MIB, 2 * MIB, true },
	};

	(void)state;
	assert_int_equal(memmap_build(&map, raw, 0), -E_NOMEM);
	assert_int_equal(memmap_build(&map, raw, ARRAY_SIZE(raw)), -E_NOMEM);
	assert_int_equal(memmap_top(&map), 0);
	assert_int_equal(memmap_total(&map), 0);
	assert_int_equal(memmap_find_low(&map, MEM_PAGE, MEM_PAGE, 1 * MIB), 0);
}

static void test_reserve(void **state)
{
	static const struct raw_range raw[] = { { 1 * MIB, 16 * MIB, true } };

	(void)state;
	assert_int_equal(memmap_build(&map, raw, 1), 0);
	memmap_reserve(&map, 2 * MIB + 1, 2 * MIB + 2);
	memmap_reserve(&map, 5 * MIB, 5 * MIB);
	memmap_reserve(&map, 6 * MIB, 5 * MIB);
	memmap_reserve(&map, 32 * MIB, UINT64_MAX);
	assert_int_equal(map.nr, 2);
	expect_range(0, 1 * MIB, 2 * MIB);
	expect_range(1, 2 * MIB + 4 * KIB, 16 * MIB);
	memmap_reserve(&map, 0, 3 * MIB);
	assert_int_equal(map.nr, 1);
	expect_range(0, 3 * MIB, 16 * MIB);
	memmap_reserve(&map, 0, UINT64_MAX);
	assert_int_equal(map.nr, 0);
}

/* Holes at 0x58000 and from 0x8C000 are those of a real board on which the usual trampoline page was not free. */
static void test_find_low(void **state)
{
	static const struct raw_range raw[] = {
		{ 0, 0x58000, true },
		{ 0x59000, 0x8C000, true },
		{ 1 * MIB, 16 * MIB, true },
	};

	(void)state;
	assert_int_equal(memmap_build(&map, raw, ARRAY_SIZE(raw)), 0);
	assert_int_equal(memmap_find_low(&map, MEM_PAGE, MEM_PAGE, 0x9F000), 0x8B000);
	memmap_reserve(&map, 0x8B000, 0x8C000);
	assert_int_equal(memmap_find_low(&map, MEM_PAGE, MEM_PAGE, 0x9F000), 0x8A000);
	assert_int_equal(memmap_find_low(&map, 64 * KIB, 64 * KIB, 0x9F000), 0x70000);
	assert_int_equal(memmap_find_low(&map, MEM_PAGE, MEM_PAGE, 0x58000), 0x57000);
	assert_int_equal(memmap_find_low(&map, 1 * MIB, MEM_PAGE, 1 * MIB), 0);
	assert_int_equal(memmap_find_low(&map, 2 * MIB, 2 * MIB, 64 * GIB), 14 * MIB);
}

/* Page 0 holds the real-mode vectors, and its address would read as "none". */
static void test_find_low_never_gives_page_0(void **state)
{
	static const struct raw_range raw[] = { { 0, 0x2000, true } };

	(void)state;
	assert_int_equal(memmap_build(&map, raw, 1), 0);
	assert_int_equal(memmap_find_low(&map, MEM_PAGE, MEM_PAGE, 0x9F000), 0x1000);
	memmap_reserve(&map, 0x1000, 0x2000);
	assert_int_equal(memmap_find_low(&map, MEM_PAGE, MEM_PAGE, 0x9F000), 0);
}

static void test_holds(void **state)
{
	static const struct raw_range raw[] = { { 1 * MIB, 2 * MIB, true } };

	(void)state;
	assert_int_equal(memmap_build(&map, raw, 1), 0);
	assert_true(memmap_holds(&map, 2 * MIB - 1, 1));
	assert_true(memmap_holds(&map, 0, 1 * MIB + 1));
	assert_true(memmap_holds(&map, 1 * MIB + 4096, UINT64_MAX));
	assert_false(memmap_holds(&map, 0, 1 * MIB));
	assert_false(memmap_holds(&map, 2 * MIB, UINT64_MAX));
}

/* Five slots more than there are, then a hole that needs another: memory is lost, with a line each, and never gained. */
static void test_full(void **state)
{
	static struct raw_range raw[MEMMAP_MAX + 5];

	(void)state;
	for (unsigned i = 0; i < ARRAY_SIZE(raw); i++)
		raw[i] = (struct raw_range){ i * MIB, i * MIB + 64 * KIB, true };
	lines_said = 0;
	assert_int_equal(memmap_build(&map, raw, ARRAY_SIZE(raw)), 0);
	assert_int_equal(map.nr, MEMMAP_MAX);
	assert_int_equal(map.lost_bytes, 5 * 64 * KIB);
	assert_int_equal(lines_said, 1);
	memmap_reserve(&map, 5 * MIB + 8 * KIB, 5 * MIB + 12 * KIB);
	assert_int_equal(map.nr, MEMMAP_MAX);
	expect_range(5, 5 * MIB + 12 * KIB, 5 * MIB + 64 * KIB);
	assert_int_equal(map.lost_bytes, 5 * 64 * KIB + 8 * KIB);
	assert_int_equal(lines_said, 2);
}

/* Random maps against a slow truth: an array of pages. Seed fixed; a miss prints the round. */
static void test_against_page_array(void **state)
{
	enum { PAGES = 64, ENTRIES = 12 };

	(void)state;
	srand(1);
	for (unsigned round = 0; round < 3000; round++) {
		struct raw_range raw[ENTRIES];
		bool usable[PAGES * 4] = { false };

		for (unsigned i = 0; i < ENTRIES; i++) {
			u64 start = (u64)rand() % (PAGES * 4), length = (u64)rand() % 60;

			raw[i] = (struct raw_range){ start * KIB, mem_end(start * KIB, length * KIB), rand() % 2 };
		}
		for (unsigned pass = 0; pass < 2; pass++)
			for (unsigned i = 0; i < ENTRIES; i++)
				for (u64 k = raw[i].start / KIB; raw[i].usable == !pass && k < raw[i].end / KIB && k < PAGES * 4;
					k++)
					usable[k] = !pass;
		memmap_build(&map, raw, ENTRIES);
		for (unsigned page = 0; page < PAGES; page++) {
			const bool *k = &usable[page * 4];
			bool want = k[0] && k[1] && k[2] && k[3], have = false;

			for (unsigned i = 0; i < map.nr; i++)
				have |= map.range[i].start <= page * 4 * KIB && (page + 1) * 4 * KIB <= map.range[i].end;
			if (want != have)
				fail_msg("round %u: page %u is %susable", round, page, have ? "" : "not ");
		}
		for (unsigned i = 1; i < map.nr; i++)
			assert_true(map.range[i - 1].end < map.range[i].start);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_qemu_map),
		cmocka_unit_test(test_unsorted_overlapping_and_empty),
		cmocka_unit_test(test_reserved_wins),
		cmocka_unit_test(test_partial_pages),
		cmocka_unit_test(test_ends_of_the_address_space),
		cmocka_unit_test(test_nothing_usable),
		cmocka_unit_test(test_reserve),
		cmocka_unit_test(test_find_low),
		cmocka_unit_test(test_find_low_never_gives_page_0),
		cmocka_unit_test(test_holds),
		cmocka_unit_test(test_full),
		cmocka_unit_test(test_against_page_array),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
