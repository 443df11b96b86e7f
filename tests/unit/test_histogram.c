/* SPDX-License-Identifier: GPL-2.0-or-later
 * Histograms: which number goes to which bucket, and what they say of percentiles.
 *
 * Expected numbers are worked out by hand from the definition: exact below 2^(bits+1), 2^bits buckets for every power of two above,
 * a percentile is the middle of its bucket. schbench's shape (19 groups of 256, exact below 512) is that of workloads.md 4.6. A
 * miss means that latencies are reported that nobody measured. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "base/histogram.h"

enum { BITS = 8, MAGNITUDE = 26, BUCKETS = 19 * 256 };

static u64 memory[2][BUCKETS];

static struct histogram empty(unsigned which)
{
	struct histogram h;

	histogram_init(&h, BITS, memory[which], BUCKETS);
	return h;
}

static void expect_percentile(const struct histogram *h, u32 parts, u64 expected)
{
	u64 value = histogram_percentile(h, parts);

	if (value != expected)
		fail_msg("%u parts: %llu instead of %llu", parts, (unsigned long long)value, (unsigned long long)expected);
}

/* ---- buckets ---- */

static void test_exact_below(void **state)
{
	(void)state;
	for (u32 bits = 1; bits <= 12; bits++)
		for (u32 value = 0; value < 2u << bits; value++) {
			assert_int_equal(histogram_index(bits, value), value);
			assert_int_equal(histogram_start(bits, value), value);
		}
}

/* With 2 bits: 8 and 9 share the first bucket that two share, 16 to 19 the first of four. */
static void test_edges_of_2_bits(void **state)
{
	static const u32 index[] = { 8, 8, 9, 9, 10, 10, 11, 11, 12, 12, 12, 12, 13, 13, 13, 13, 14, 14, 14, 14, 15, 15, 15, 15,
		16 };
	static const u64 start[] = { 8, 10, 12, 14, 16, 20, 24, 28, 32, 40, 48, 56, 64 };

	(void)state;
	for (unsigned i = 0; i < ARRAY_SIZE(index); i++)
		assert_int_equal(histogram_index(2, 8 + i), index[i]);
	for (unsigned i = 0; i < ARRAY_SIZE(start); i++)
		assert_int_equal(histogram_start(2, 8 + i), start[i]);
}

/* schbench's: 19 groups of 256 hold numbers below 2^26. */
static void test_edges_of_schbench(void **state)
{
	static const struct {
		u64 value;
		u32 index;
		u64 start;
	} expected[] = { { 511, 511, 511 }, { 512, 512, 512 }, { 513, 512, 512 }, { 514, 513, 514 }, { 1023, 767, 1022 },
		{ 1024, 768, 1024 }, { 1027, 768, 1024 }, { 1028, 769, 1028 }, { (1 << 26) - 1, 4863, 66977792 } };

	(void)state;
	assert_int_equal(histogram_buckets(BITS, MAGNITUDE), BUCKETS);
	for (unsigned i = 0; i < ARRAY_SIZE(expected); i++) {
		assert_int_equal(histogram_index(BITS, expected[i].value), expected[i].index);
		assert_int_equal(histogram_start(BITS, expected[i].index), expected[i].start);
	}
}

/* A number lies in its bucket, the next one in the same or the next, and no bucket is wider than 2^-bits of where it starts. */
static void expect_in_order(u32 bits, u64 value)
{
	u32 index = histogram_index(bits, value);
	u64 start = histogram_start(bits, index), next = histogram_start(bits, index + 1);

	assert_true(start <= value && value < next);
	assert_true((next - start) << bits <= start || next - start == 1);
	assert_in_range(histogram_index(bits, value + 1), index, index + 1);
}

static void test_order(void **state)
{
	(void)state;
	for (u32 bits = 1; bits <= 12; bits++) {
		for (u64 value = 0; value < 20000; value++)
			expect_in_order(bits, value);
		for (u32 magnitude = 15; magnitude < 63; magnitude++)
			for (u64 value = (1ull << magnitude) - 3; value < (1ull << magnitude) + 3; value++)
				expect_in_order(bits, value);
	}
}

static void test_largest_number(void **state)
{
	(void)state;
	for (u32 bits = 1; bits <= 12; bits++) {
		assert_int_equal(histogram_index(bits, ~0ull), histogram_buckets(bits, 64) - 1);
		assert_true(histogram_start(bits, histogram_buckets(bits, 64) - 1) == ~0ull << (63 - bits));
	}
}

/* ---- percentiles ---- */

static void test_none(void **state)
{
	struct histogram h = empty(0);

	(void)state;
	expect_percentile(&h, 50000, 0);
	expect_percentile(&h, 100000, 0);
	assert_true(h.count == 0 && h.sum == 0 && h.most == 0 && h.least == ~0ull);
}

/* All percentiles of one number are that number, though the middle of its bucket is 1000. */
static void test_one_value(void **state)
{
	static const u64 value[] = { 0, 7, 1000, 1001 };

	(void)state;
	for (unsigned i = 0; i < ARRAY_SIZE(value); i++) {
		struct histogram h = empty(0);

		histogram_add(&h, value[i]);
		expect_percentile(&h, 0, value[i]);
		expect_percentile(&h, 50000, value[i]);
		expect_percentile(&h, 100000, value[i]);
		assert_true(h.count == 1 && h.sum == value[i] && h.least == value[i] && h.most == value[i]);
	}
}

/* Half of two is one, and any more than that takes both. */
static void test_two_values(void **state)
{
	struct histogram h = empty(0);

	(void)state;
	histogram_add(&h, 20);
	histogram_add(&h, 10);
	expect_percentile(&h, 0, 10);
	expect_percentile(&h, 50000, 10);
	expect_percentile(&h, 50001, 20);
	expect_percentile(&h, 100000, 20);
}

/* Of 1..100, n percent are not above n; of a hundred, 99.9 percent are all of them. */
static void test_hundred_values(void **state)
{
	struct histogram h = empty(0);

	(void)state;
	for (u64 value = 100; value; value--)
		histogram_add(&h, value);
	for (u32 n = 1; n <= 100; n++)
		expect_percentile(&h, n * 1000, n);
	expect_percentile(&h, 1001, 2);
	expect_percentile(&h, 99001, 100);
	expect_percentile(&h, 99900, 100);
	assert_true(h.sum == 5050 && h.least == 1 && h.most == 100);
}

/* 1024 to 1027 are one bucket, whose middle is 1025; at the ends no more is said than was measured. */
static void test_middle(void **state)
{
	struct histogram h = empty(0);

	(void)state;
	histogram_add(&h, 1);
	for (u64 value = 1024; value < 1028; value++)
		histogram_add(&h, value);
	histogram_add(&h, 5000); /* of 4992 to 5007: middle 4999 */
	expect_percentile(&h, 16666, 1);
	expect_percentile(&h, 16667, 1025);
	expect_percentile(&h, 83333, 1025);
	expect_percentile(&h, 100000, 4999);
	h = empty(0);
	histogram_add(&h, 4998);
	expect_percentile(&h, 100000, 4998);
}

/* More of them than could be added one by one: 2^60 threes and as many nines. */
static void test_many(void **state)
{
	struct histogram h = empty(0);

	(void)state;
	h.count = 2ull << 60;
	h.bucket[3] = h.bucket[9] = 1ull << 60;
	h.least = 3;
	h.most = 9;
	expect_percentile(&h, 50000, 3);
	expect_percentile(&h, 50001, 9);
	expect_percentile(&h, 100000, 9);
}

/* ---- too large, merged, forgotten ---- */

/* The last bucket takes what is too large; its middle is (66977792 + 67108863) / 2. */
static void test_overflow(void **state)
{
	struct histogram h = empty(0);

	(void)state;
	histogram_add(&h, 1ull << 26);
	expect_percentile(&h, 50000, 1ull << 26);
	histogram_add(&h, 1);
	histogram_add(&h, 1ull << 40);
	assert_true(h.bucket[BUCKETS - 1] == 2 && h.bucket[1] == 1);
	assert_true(h.count == 3 && h.sum == 1 + (1ull << 26) + (1ull << 40) && h.most == 1ull << 40);
	expect_percentile(&h, 30000, 1);
	expect_percentile(&h, 99000, 67043327);
}

/* Odd and even numbers apart and then together are as all at once; an empty one adds nothing. */
static void test_merge(void **state)
{
	static u64 more[BUCKETS];
	struct histogram odd = empty(0), even = empty(1), all;

	(void)state;
	histogram_init(&all, BITS, more, BUCKETS);
	for (u64 value = 1; value < 1000000; value = value * 9 / 8 + 1) {
		histogram_add(value & 1 ? &odd : &even, value);
		histogram_add(&all, value);
	}
	histogram_merge(&odd, &even);
	assert_true(odd.count == all.count && odd.sum == all.sum && odd.least == all.least && odd.most == all.most);
	assert_memory_equal(odd.bucket, all.bucket, sizeof(more));
	even = empty(1);
	histogram_merge(&odd, &even);
	assert_true(odd.count == all.count && odd.least == all.least && odd.most == all.most);
	histogram_merge(&even, &all);
	assert_true(even.count == all.count && even.least == all.least && even.most == all.most);
	assert_memory_equal(even.bucket, all.bucket, sizeof(more));
}

static void test_init_forgets(void **state)
{
	struct histogram h = empty(0);

	(void)state;
	histogram_add(&h, 5);
	histogram_add(&h, 1ull << 50);
	h = empty(0);
	assert_true(h.bits == BITS && h.nr_buckets == BUCKETS && h.bucket == memory[0]);
	for (unsigned i = 0; i < BUCKETS; i++)
		assert_true(h.bucket[i] == 0);
	expect_percentile(&h, 100000, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_exact_below),
		cmocka_unit_test(test_edges_of_2_bits),
		cmocka_unit_test(test_edges_of_schbench),
		cmocka_unit_test(test_order),
		cmocka_unit_test(test_largest_number),
		cmocka_unit_test(test_none),
		cmocka_unit_test(test_one_value),
		cmocka_unit_test(test_two_values),
		cmocka_unit_test(test_hundred_values),
		cmocka_unit_test(test_middle),
		cmocka_unit_test(test_many),
		cmocka_unit_test(test_overflow),
		cmocka_unit_test(test_merge),
		cmocka_unit_test(test_init_forgets),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
