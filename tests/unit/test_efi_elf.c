/* SPDX-License-Identifier: GPL-2.0-or-later
 * ELF files made here by the ELF specification, whole and damaged. The file lies at the end of its allocation, so that
 * AddressSanitizer sees every byte read beyond it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/string.h"
#include "boot/efi/elf.h"

enum { FILE_BYTES = 0x400, TEXT_AT = 0x200, DATA_AT = 0x300 };

static u8 *file;
static struct elf_image image;

static void poke(u64 at, u64 value, unsigned bytes)
{
	memcpy(file + at, &value, bytes);
}

static void put_segment(unsigned i, u64 offset, u64 phys, u64 file_bytes, u64 memory_bytes)
{
	u64 at = 64 + 56 * i;

	poke(at, 1, 4);
	poke(at + 8, offset, 8);
	poke(at + 24, phys, 8);
	poke(at + 32, file_bytes, 8);
	poke(at + 40, memory_bytes, 8);
}

/* Code at 2 MiB + 0x10, then data at 2 MiB + 0x3000 with zeroes after it, and a note that is not loaded. */
static int make_file(void **state)
{
	static const u8 ident[] = { 0x7f, 'E', 'L', 'F', 2, 1, 1 };
	static const u32 multiboot2[] = { 0xE85250D6, 0, 24, 0u - 0xE85250D6 - 24 };

	(void)state;
	file = calloc(1, FILE_BYTES);
	memcpy(file, ident, sizeof(ident));
	poke(16, 2, 2);	 /* executable */
	poke(18, 62, 2); /* x86-64 */
	poke(24, 0x200020, 8);
	poke(32, 64, 8);
	poke(54, 56, 2);
	poke(56, 3, 2);
	put_segment(0, TEXT_AT, 0x200010, 0x80, 0x80);
	put_segment(1, DATA_AT, 0x203000, 0x10, 0x1234);
	put_segment(2, FILE_BYTES * 2, 0x1000, 0x10, 0x10);
	poke(64 + 56 * 2, 4, 4);
	memcpy(file + TEXT_AT, multiboot2, sizeof(multiboot2));
	memset(file + TEXT_AT + 16, 0xAA, 0x70);
	memset(file + DATA_AT, 0xBB, 0x10);
	return 0;
}

static int drop_file(void **state)
{
	(void)state;
	free(file);
	return 0;
}

static void assert_wrong(u64 bytes, const char *why)
{
	u8 *cut = malloc(bytes ? bytes : 1);
	const char *wrong;

	memcpy(cut, file, bytes);
	wrong = elf_check(cut, bytes, &image);
	free(cut);
	if (!wrong || !strstr(wrong, why))
		fail_msg("\"%s\", not \"%s\"", wrong ? wrong : "nothing wrong", why);
}

static void test_whole(void **state)
{
	u8 memory[0x5000];

	(void)state;
	assert_null(elf_check(file, FILE_BYTES, &image));
	assert_int_equal(image.start, 0x200000);
	assert_int_equal(image.end, 0x205000); /* 0x203000 + 0x1234, up to a whole page */
	assert_int_equal(image.entry, 0x200020);
	memset(memory, 0xFF, sizeof(memory));
	elf_unpack(file, &image, memory);
	assert_int_equal(memory[0xF], 0);
	assert_int_equal(memory[0x10], 0xD6);
	assert_int_equal(memory[0x20], 0xAA);
	assert_int_equal(memory[0x8F], 0xAA);
	assert_int_equal(memory[0x90], 0);
	assert_int_equal(memory[0x3000], 0xBB);
	assert_int_equal(memory[0x300F], 0xBB);
	assert_int_equal(memory[0x3010], 0);
	assert_int_equal(memory[0x4FFF], 0);
}

static void test_no_kernel(void **state)
{
	(void)state;
	assert_wrong(0, "not an ELF file");
	assert_wrong(63, "not an ELF file");
	poke(1, 'e', 1);
	assert_wrong(FILE_BYTES, "not an ELF file");
}

static void test_other_machines(void **state)
{
	static const struct {
		u64 at;
		u64 value;
		unsigned bytes;
	} other[] = { { 4, 1, 1 }, { 5, 2, 1 }, { 18, 3, 2 }, { 16, 3, 2 } }; /* 32 bits, big-endian, i386, shared object */

	for (unsigned i = 0; i < ARRAY_SIZE(other); i++) {
		poke(other[i].at, other[i].value, other[i].bytes);
		assert_wrong(FILE_BYTES, "not an executable for 64-bit x86");
		drop_file(state);
		make_file(state);
	}
}

static void test_segment_list(void **state)
{
	(void)state;
	poke(54, 32, 2);
	assert_wrong(FILE_BYTES, "list of segments");
	poke(54, 56, 2);
	poke(56, 0xFFFF, 2);
	assert_wrong(FILE_BYTES, "list of segments");
	poke(56, 3, 2);
	poke(32, UINT64_MAX - 8, 8);
	assert_wrong(FILE_BYTES, "list of segments");
}

static void test_no_multiboot2(void **state)
{
	(void)state;
	poke(TEXT_AT + 12, 1, 4); /* the four words no longer sum to 0 */
	assert_wrong(FILE_BYTES, "no multiboot2 header");
}

/* Cut off anywhere: refused, whatever the reason. */
static void test_every_length(void **state)
{
	(void)state;
	for (u64 bytes = 0; bytes < DATA_AT + 0x10; bytes++)
		assert_wrong(bytes, "");
	assert_wrong(DATA_AT + 0xF, "cut off");
	assert_null(elf_check(file, DATA_AT + 0x10, &image));
}

static void test_damaged_segments(void **state)
{
	(void)state;
	put_segment(1, UINT64_MAX, 0x203000, 0x10, 0x1234);
	assert_wrong(FILE_BYTES, "cut off");
	put_segment(1, DATA_AT, 0x203000, UINT64_MAX, UINT64_MAX);
	assert_wrong(FILE_BYTES, "cut off");
	put_segment(1, DATA_AT, 0x203000, 0x10, 0xF);
	assert_wrong(FILE_BYTES, "larger in the file than in memory");
	put_segment(1, DATA_AT, 0xFFFFFFFF, 0x10, 0x10);
	assert_wrong(FILE_BYTES, "below 4 GiB");
	put_segment(1, DATA_AT, UINT64_MAX, 0x10, 0x10);
	assert_wrong(FILE_BYTES, "below 4 GiB");
}

static void test_entry(void **state)
{
	(void)state;
	poke(24, 0x1FFFFF, 8);
	assert_wrong(FILE_BYTES, "entry");
	poke(24, 0x205000, 8);
	assert_wrong(FILE_BYTES, "entry");
	poke(56, 0, 2); /* nothing to load: no entry can be in it */
	assert_wrong(FILE_BYTES, "entry");
}

int main(void)
{
#define TEST(test) cmocka_unit_test_setup_teardown(test, make_file, drop_file)
	const struct CMUnitTest tests[] = {
		TEST(test_whole),
		TEST(test_no_kernel),
		TEST(test_other_machines),
		TEST(test_segment_list),
		TEST(test_no_multiboot2),
		TEST(test_every_length),
		TEST(test_damaged_segments),
		TEST(test_entry),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
