/* SPDX-License-Identifier: GPL-2.0-or-later
 * What benchmarks say of a list of figures. Expected numbers are arithmetic in comments, and a root is checked by what it is
 * defined by. A miss means that a standard deviation in the log is not one. */
#include "tests/unit/machine.h"

#include "base/random.h"
#include "base/string.h"
#include "workloads/spread.h"

/* r * r <= n < (r + 1) * (r + 1). */
static void expect_root(u64 n)
{
	u128 root = square_root(n);

	if (root * root > n || (root + 1) * (root + 1) <= n)
		fail_msg("the root of %llu is not %llu", (unsigned long long)n, (unsigned long long)root);
}

static void test_square_root(void **state)
{
	u64 random = 1;

	(void)state;
	for (u64 n = 0; n < 10000; n++)
		expect_root(n);
	for (u64 r = 1; r; r <<= 1) {
		expect_root(r - 1);
		expect_root(r);
		expect_root(r + 1);
	}
	for (u64 r = (1ull << 32) - 3; r < 1ull << 32; r++) {
		expect_root(r * r - 1);
		expect_root(r * r);
		expect_root(r * r + 1);
	}
	expect_root(~0ull);
	for (unsigned i = 0; i < 10000; i++)
		expect_root(random_next(&random) >> i % 64);
	assert_true(square_root(0) == 0 && square_root(1) == 1 && square_root(3) == 1 && square_root(4) == 2);
	assert_true(square_root(~0ull) == 0xffffffff);
}

static void expect_spread(const u64 *value, unsigned n, struct spread want)
{
	struct spread s = spread_of(value, n);

	assert_true(s.sum == want.sum && s.mean == want.mean);
	assert_true(s.least == want.least && s.most == want.most);
	if (s.deviation != want.deviation)
		fail_msg("deviation %llu, not %llu", (unsigned long long)s.deviation, (unsigned long long)want.deviation);
}

static void test_of_few(void **state)
{
	(void)state;
	expect_spread((u64[]){ 5 }, 1, (struct spread){ 5, 5, 5, 5, 0 });
	expect_spread((u64[]){ 0 }, 1, (struct spread){ 0, 0, 0, 0, 0 });
	expect_spread((u64[]){ 7, 7, 7 }, 3, (struct spread){ 21, 7, 7, 7, 0 });
	/* of the population: (1 + 1) / 2, not / 1 */
	expect_spread((u64[]){ 11, 9 }, 2, (struct spread){ 20, 10, 9, 11, 1 });
	/* mean 5; 9 + 1 + 1 + 1 + 0 + 0 + 4 + 16 = 32, / 8 = 4 */
	expect_spread((u64[]){ 2, 4, 4, 4, 5, 5, 7, 9 }, 8, (struct spread){ 40, 5, 2, 9, 2 });
	/* mean 200; 10000 + 0 + 10000 = 20000, / 3 = 6666, and 81 * 81 = 6561, 82 * 82 = 6724 */
	expect_spread((u64[]){ 100, 200, 300 }, 3, (struct spread){ 600, 200, 100, 300, 81 });
}

/* One at 0 and one at 2^63 - 2: both deviate by 2^62 - 1 from the mean, and so does the deviation, to 2^-24 of that. */
static void test_of_large_differences(void **state)
{
	const u64 half = (1ull << 62) - 1;
	u64 value[] = { 0, 2 * half };
	struct spread s = spread_of(value, 2);

	(void)state;
	assert_true(s.mean == half && s.most == 2 * half);
	assert_true(s.deviation <= half && half - s.deviation <= half >> 24);
}

/* Half of 4096 figures are one off each way, times a unit: the deviation is that unit. The largest unit is the one whose sum, 4096
 * times it, still fits. */
static void test_of_many(void **state)
{
	enum { MANY = 4096 };
	static u64 value[MANY];

	(void)state;
	for (u64 unit = 1; unit < 1ull << 52; unit *= 8) {
		struct spread s;

		for (unsigned i = 0; i < MANY; i++)
			value[i] = i & 1 ? 2 * unit : 0;
		s = spread_of(value, MANY);
		assert_true(s.mean == unit && s.sum == MANY * unit && s.least == 0 && s.most == 2 * unit);
		assert_true(s.deviation <= unit && unit - s.deviation <= unit >> 24);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		machine_test(test_square_root),
		machine_test(test_of_few),
		machine_test(test_of_large_differences),
		machine_test(test_of_many),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
