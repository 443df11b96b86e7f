/* SPDX-License-Identifier: GPL-2.0-or-later
 * Lognormal times against the formula, median * exp(sigma z). Expected numbers: the quantiles of the normal distribution are z = 0,
 * 1.28155 (90 %) and 2.32635 (99 %); exp() of them is written out beside each. A miss means that kbuild's objects would take other
 * times than workloads.md 4.4 says. */
#include "tests/unit/machine.h"

#include "base/random.h"

/* The file itself, to get at its parts. */
#define lognormal_next lognormal_next_of_test
#include "base/lognormal.c"

enum { DRAWS = 200000 };

static u64 drawn[DRAWS];

static int compare(const void *a, const void *b)
{
	const u64 *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static void draw(u64 seed, u64 median, u32 sigma_permille)
{
	u64 state = seed;

	for (unsigned i = 0; i < DRAWS; i++)
		drawn[i] = lognormal_next(&state, median, sigma_permille);
	qsort(drawn, DRAWS, sizeof(drawn[0]), compare);
}

static void expect_near(u64 value, u64 expected, u64 permille)
{
	if (value < expected - expected * permille / 1000 || value > expected + expected * permille / 1000)
		fail_msg("%llu is not within %llu/1000 of %llu", (unsigned long long)value, (unsigned long long)permille,
			(unsigned long long)expected);
}

static u64 quantile(unsigned permille)
{
	return drawn[(u64)DRAWS * permille / 1000];
}

/* Median 300 ms, sigma 1.2. z is off by 0.6 % at 10 and 90 %, by 1 % at 1 and 99 %, so the time by 0.9 and 2.9 %; of 200,000 draws
 * the quantile strays by 2.05 / sqrt(200,000) = 0.5 % at 10 %, by 4.5 / sqrt(200,000) = 1 % at 1 %. Three times that on top. */
static void test_quantiles(void **state)
{
	(void)state;
	for (u64 seed = 1; seed <= 3; seed++) {
		draw(seed, 300000000, 1200);
		expect_near(quantile(500), 300000000, 12);
		expect_near(quantile(100), 64460000, 25);   /* 300 ms * exp(-1.53786) */
		expect_near(quantile(900), 1396300000, 25); /* 300 ms * exp(1.53786) */
		expect_near(quantile(10), 18400000, 60);    /* 300 ms * exp(-2.79162) */
		expect_near(quantile(990), 4892000000, 60); /* 300 ms * exp(2.79162) */
	}
}

/* The mean is median * exp(sigma^2 / 2) = 300 ms * 2.0544; the tails that end at 6 take (sinh(0.6) / 0.6)^12 = 2.037 of it. Its
 * error is 1.8 / sqrt(200,000) = 0.4 %. */
static void test_mean(void **state)
{
	u64 sum = 0;

	(void)state;
	draw(7, 300000000, 1200);
	for (unsigned i = 0; i < DRAWS; i++)
		sum += drawn[i];
	expect_near(sum / DRAWS, 611100000, 15);
}

/* Without a sigma there is no spread; sigma 0.5 has its 90 % at exp(0.640776) = 1.89796. */
static void test_sigma(void **state)
{
	(void)state;
	draw(1, 12345678, 0);
	assert_true(drawn[0] == 12345678 && drawn[DRAWS - 1] == 12345678);
	draw(1, 1000000, 500);
	expect_near(quantile(500), 1000000, 6);
	expect_near(quantile(900), 1897960, 12);
}

/* The largest that is allowed: 13 powers of two above and below, and no overflow on the way, or the sanitizer would say so. */
static void test_extremes(void **state)
{
	(void)state;
	draw(1, 0xffffffff, 1500);
	assert_true(drawn[0] >= 0xffffffffull >> 13);
	assert_true(drawn[DRAWS - 1] <= 0xffffffffull << 13);
	assert_true(drawn[DRAWS - 1] > 0xffffffffull << 7); /* one in 200,000 is at z = 4.2, where 2^9 is expected */
	draw(1, 1, 1500);
	assert_true(drawn[0] == 0);
}

/* The same state draws the same, and three numbers of the generator are used up. */
static void test_state(void **state)
{
	u64 a = 99, b = 99, c = 99;

	(void)state;
	assert_true(lognormal_next(&a, 1000000, 1200) == lognormal_next(&b, 1000000, 1200));
	for (unsigned i = 0; i < 3; i++)
		random_next(&c);
	assert_true(a == b && a == c);
}

/* 2^(1/4) = 1.189207, 2^(1/2) = 1.414214, 2^(3/4) = 1.681793, to 0.02 %. */
static void test_power_of_two(void **state)
{
	(void)state;
	assert_true(power_of_fraction(0) == 65536);
	assert_in_range(power_of_fraction(16384), 77936 - 15, 77936 + 15);
	assert_in_range(power_of_fraction(32768), 92682 - 18, 92682 + 18);
	assert_in_range(power_of_fraction(49152), 110218 - 22, 110218 + 22);
	assert_in_range(power_of_fraction(65535), 131070 - 26, 131072);
	for (u64 f = 0; f < 65535; f++)
		assert_true(power_of_fraction(f) <= power_of_fraction(f + 1));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		machine_test(test_quantiles),
		machine_test(test_mean),
		machine_test(test_sigma),
		machine_test(test_extremes),
		machine_test(test_state),
		machine_test(test_power_of_two),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
