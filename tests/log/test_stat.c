/* SPDX-License-Identifier: GPL-2.0-or-later
 * The arithmetic behind fairlog's tables. The expected numbers come from arithmetic beside each test, from published examples, or
 * from R 4.2, whose call stands beside the number; a miss means that a table would show a wrong number. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "tools/fairlog/stat.h"

#include <math.h>

static void assert_near(double value, double expected)
{
	if (!(fabs(value - expected) <= 1e-5 * fabs(expected)))
		fail_msg("%.9g; expected %.9g", value, expected);
}

/* Mean 2, sd 1, standard error 1/sqrt(3) = 0.57735: 28.87 % of the mean. */
static void stat_error_of_the_mean(void **state)
{
	static const double values[] = { 1, 2, 3 }, zeros[] = { 0, 0 };
	struct estimate e = stat_estimate(values, 3);

	(void)state;
	assert_near(e.mean, 2);
	assert_near(e.error, 0.577350);
	assert_near(stat_percent(&e), 28.8675);
	e = stat_estimate(values, 1);
	assert_near(e.mean, 1);
	assert_true(isnan(e.error) && isnan(stat_percent(&e)));
	e = stat_estimate(zeros, 2);
	assert_true(isnan(stat_percent(&e)));
}

/* Ten counts of 58616 58616 58968 58968 59184 59192 59048 59048 58176 58184: mean 58800, sd 382.6, CV 0.65 %. */
static void stat_spread_of_counts(void **state)
{
	static const double counts[] = { 58616, 58616, 58968, 58968, 59184, 59192, 59048, 59048, 58176, 58184 };
	struct spread s = stat_spread(counts, 10);

	(void)state;
	assert_near(s.mean, 58800);
	assert_near(s.min, 58176);
	assert_near(s.max, 59192);
	assert_true(fabs(s.mean * s.variation - 382.6) < 0.05);
	assert_true(isnan(stat_spread(counts, 1).variation));
}

static void assert_interval(const struct ratio *r, double log_ratio, double half)
{
	assert_int_equal(r->state, RATIO_KNOWN);
	assert_near(r->ratio, exp(log_ratio));
	assert_near(r->low, exp(log_ratio - half));
	assert_near(r->high, exp(log_ratio + half));
}

/* Quantiles of t(0.975) from the tables: 12.70620 for df 1, 2.776445 for df 4. */
static void stat_ratio_is_welchs(void **state)
{
	const double a[] = { 1, exp(1), exp(2) }, b[] = { exp(1), exp(2), exp(3) }, c[] = { exp(2), exp(4) }, d[] = { 5, 5, 5 };
	struct ratio r;

	(void)state;
	/* Logarithms 0 1 2 and 1 2 3: variances of the means 1/3 each, standard error sqrt(2/3), df 4. */
	r = stat_ratio(a, 3, b, 3, 0.95);
	assert_near(r.df, 4);
	assert_interval(&r, 1, 2.776445 * sqrt(2.0 / 3));

	/* Logarithms 0 1 2 and 2 4: variances 1/3 and 1, df = (4/3)^2 / ((1/3)^2/2 + 1^2/1) = 32/19. */
	r = stat_ratio(a, 3, c, 2, 0.95);
	assert_near(r.ratio, exp(2));
	assert_near(r.df, 32.0 / 19);

	/* Only the logarithms 2 4 have a spread: standard error 1, df 1. */
	r = stat_ratio(d, 3, c, 2, 0.95);
	assert_near(r.df, 1);
	assert_interval(&r, 3 - log(5), 12.70620);
}

/* Differences of the logarithms 1 2 3: mean 2, standard error 1 / sqrt(3), df 2, for which t is 4.302653 at 97.5 %. */
static void stat_paired_ratio_by_hand(void **state)
{
	static const double a[] = { 10, 20, 30 }, b[] = { 11, 22, 33 }, c[] = { 11, 21, 31 };
	struct ratio r = stat_paired_ratio(a, b, 3, 0.95);

	(void)state;
	assert_near(r.df, 2);
	assert_interval(&r, 2, 4.302653 / sqrt(3));
	r = stat_paired_ratio(a, c, 3, 0.95);
	assert_int_equal(r.state, RATIO_NO_SPREAD);
	assert_near(r.ratio, exp(1));
	assert_int_equal(stat_paired_ratio(a, b, 1, 0.95).state, RATIO_TOO_FEW);
	assert_near(stat_paired_ratio(a, b, 1, 0.95).ratio, exp(1));
}

static void stat_ratio_does_not_invent(void **state)
{
	static const double fives[] = { 5, 5 }, tens[] = { 10, 10, 10 }, zero[] = { 0, 1 };
	struct ratio r = stat_ratio(fives, 2, tens, 3, 0.95);

	(void)state;
	assert_int_equal(r.state, RATIO_NO_SPREAD);
	assert_near(r.ratio, 2);
	assert_true(isnan(r.low) && isnan(r.high));
	assert_int_equal(stat_ratio(fives, 2, tens, 1, 0.95).state, RATIO_TOO_FEW);
	assert_int_equal(stat_ratio(fives, 0, tens, 3, 0.95).state, RATIO_TOO_FEW);
	assert_int_equal(stat_ratio(fives, 2, zero, 2, 0.95).state, RATIO_ZERO);
	assert_int_equal(stat_ratio(zero, 2, fives, 2, 0.95).state, RATIO_ZERO);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(stat_error_of_the_mean),
		cmocka_unit_test(stat_spread_of_counts),
		cmocka_unit_test(stat_ratio_is_welchs),
		cmocka_unit_test(stat_paired_ratio_by_hand),
		cmocka_unit_test(stat_ratio_does_not_invent),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("stat", tests, NULL, NULL);
}
