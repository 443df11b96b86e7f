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

/* ---- tests ---- */

#define LENGTH(array) (sizeof(array) / sizeof(array)[0])

/* Hours of sleep gained by ten people with two drugs: Student 1908, R's data set sleep. */
static const double drug_1[] = { 0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0 };
static const double drug_2[] = { 1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4 };

/* Dried weight of plants: Dobson 1983, R's data set PlantGrowth, control and the first treatment. */
static const double control[] = { 4.17, 5.58, 5.18, 6.11, 4.50, 4.61, 5.17, 4.53, 5.33, 5.14 };
static const double treated[] = { 4.81, 4.17, 4.41, 3.59, 5.87, 3.83, 6.03, 4.89, 4.32, 4.69 };

/* t.test(extra ~ group, sleep): t = -1.8608, df = 17.776, p-value = 0.07939, of the first minus the second. */
static void stat_welch_of_sleep(void **state)
{
	struct estimate a = stat_estimate(drug_1, 10), b = stat_estimate(drug_2, 10);
	struct t_test test = stat_welch(&a, &b);

	(void)state;
	assert_near(test.difference, 1.58);
	assert_near(test.t, 1.86081346749);
	assert_near(test.df, 17.7764735162);
	assert_near(test.p, 0.0793941401874);
}

/* t.test(a, b, paired = TRUE): t = -4.0621, df = 9, p-value = 0.002833. */
static void stat_paired_of_sleep(void **state)
{
	struct t_test test = stat_paired(drug_1, drug_2, 10);

	(void)state;
	assert_near(test.t, 4.06212768338);
	assert_near(test.df, 9);
	assert_near(test.p, 0.00283289019738);
	assert_true(isnan(stat_paired(drug_1, drug_2, 1).p));
	assert_true(isnan(stat_paired(drug_1, drug_1, 10).p));
}

/* What the mail of 2013-02-17 prints: mean and standard error in per cent of it over 100 runs, with newidle balancing and without.
 * Expected (section 6.3) are the change, its standard error in per cent of A, and z. The error is that of the difference:
 * Q6600 elapsed 0.0026 * 1.3050 = 0.00339 s and 0.0037 * 1.3388 = 0.00495 s, together 0.00600 s, 0.46 % of 1.3050 s. By the same
 * rule the two errors that 6.3 gives as 5.3 and 6.3 % are 5.25 and 6.25 %. */
static void stat_seed_numbers(void **state)
{
	static const struct {
		double a, error_a, b, error_b, change, error, z, tolerance;
	} seed[] = {
		{ 1.305024749, 0.26, 1.338768889, 0.37, 2.59, 0.46, 5.6, 0.05 },
		{ 0.485726223, 0.14, 0.515779138, 0.20, 6.19, 0.25, 24, 0.5 },
		{ 129863, 3.65, 153093, 3.20, 17.9, 5.25, 3.4, 0.05 },
		{ 97366, 1.68, 151292, 1.49, 55.4, 2.9, 19, 0.5 },
		{ 7576, 4.60, 6887, 4.65, -9.1, 6.25, -1.5, 0.05 },
		{ 12383, 3.29, 12504, 2.84, 1.0, 4.4, 0.2, 0.05 },
	};

	(void)state;
	for (size_t i = 0; i < LENGTH(seed); i++) {
		struct estimate a = { 100, seed[i].a, seed[i].a * seed[i].error_a / 100 };
		struct estimate b = { 100, seed[i].b, seed[i].b * seed[i].error_b / 100 };
		struct t_test test = stat_welch(&a, &b);

		assert_true(fabs(100 * test.difference / a.mean - seed[i].change) < 0.05);
		assert_true(fabs(100 * test.error / a.mean - seed[i].error) < 0.05);
		assert_true(fabs(test.t - seed[i].z) < seed[i].tolerance);
		assert_true((test.p < 0.05) == (i < 4)); /* the migrations are not significant */
	}
}

/* The smallest p is two orderings of all: 2 / C(6, 3) = 2 / 20, 2 / C(8, 4) = 2 / 70, 2 / C(10, 5) = 2 / 252. */
static void stat_rank_test_cannot_reach(void **state)
{
	static const double low[] = { 1, 2, 3, 4, 5 }, high[] = { 6, 7, 8, 9, 10 }, ones[] = { 1, 1, 1 }, twos[] = { 2, 2, 2 };

	(void)state;
	assert_near(stat_rank_test(low, 3, high, 3), 0.1);
	assert_near(stat_rank_test(low, 4, high, 4), 2.0 / 70);
	assert_near(stat_rank_test(high, 5, low, 5), 2.0 / 252);
	/* By the normal approximation this would be 0.0469: wilcox.test(ones, twos, exact = FALSE). */
	assert_near(stat_rank_test(ones, 3, twos, 3), 0.1);
	assert_near(stat_rank_test(low, 1, high, 1), 1);
	assert_true(isnan(stat_rank_test(ones, 3, ones, 3)));
	assert_true(isnan(stat_rank_test(low, 0, high, 3)));
}

/* The first is Hollander and Wolfe's (1973, page 69) example in the manual of wilcox.test: W = 35, p = 0.2544. */
static void stat_rank_test_exact(void **state)
{
	static const double x[] = { 0.80, 0.83, 1.89, 1.04, 1.45, 1.38, 1.91, 1.64, 0.73, 1.46 },
			    y[] = { 1.15, 0.88, 0.90, 0.74, 1.21 };
	static const double eight[] = { 1, 2, 3, 4, 5, 6, 7, 8 }, nine[] = { 2.5, 4.5, 6.5, 8.5, 9, 10, 11, 12, 13 };

	(void)state;
	assert_near(stat_rank_test(x, 10, y, 5), 0.254412254412);
	assert_near(stat_rank_test(y, 5, x, 10), 0.254412254412);
	assert_near(stat_rank_test(eight, 8, nine, 9), 0.0206499383); /* wilcox.test(1:8, nine): W = 12 */
}

/* wilcox.test(a, b, exact = FALSE): sleep has W = 25.5, p-value = 0.06933; PlantGrowth W = 67.5, p-value = 0.1986. */
static void stat_rank_test_with_ties(void **state)
{
	(void)state;
	assert_near(stat_rank_test(drug_1, 10, drug_2, 10), 0.0693275754336);
	assert_near(stat_rank_test(control, 10, treated, 10), 0.198595758633);
}

/* More than RANK_EXACT values: A is 0 .. 59, B 10.5 .. 69.5. Pairs with the larger value in A: 1 + ... + 49 = 1225, expected 1800,
 * variance 60 * 60 * 121 / 12 = 36300: z = (575 - 0.5) / 190.526 = 3.01534; 2 * pnorm(-3.01534). */
static void stat_rank_test_large(void **state)
{
	double a[60], b[60];

	(void)state;
	for (int i = 0; i < 60; i++) {
		a[i] = i;
		b[i] = i + 10.5;
	}
	assert_near(stat_rank_test(a, 60, b, 60), 0.002566888);
}

/* p.adjust(c(0.01, 0.04, 0.03, 0.005), "holm") and p.adjust(c(0.01, 0.02, 0.03, 0.04, 0.05), "holm"). */
static void stat_holm_of_several(void **state)
{
	static const double expected_4[] = { 0.03, 0.06, 0.06, 0.02 }, expected_5[] = { 0.05, 0.08, 0.09, 0.09, 0.09 };
	double p4[] = { 0.01, 0.04, NAN, 0.03, 0.005 }, p5[] = { 0.01, 0.02, 0.03, 0.04, 0.05 }, one[] = { 0.9, 0.8 };

	(void)state;
	stat_holm(p4, 5);
	assert_true(isnan(p4[2]));
	for (size_t i = 0; i < 4; i++)
		assert_near(p4[i + (i >= 2)], expected_4[i]);
	stat_holm(p5, 5);
	for (size_t i = 0; i < 5; i++)
		assert_near(p5[i], expected_5[i]);
	stat_holm(one, 2);
	assert_near(one[0], 1);
	assert_near(one[1], 1);
}

/* exp(t.test(log(treated), log(control), conf.level = 0.9)$conf.int) is 0.82284 .. 1.02898, so the margin in which the two are the
 * same lies just above 1 / 0.82284 = 1.2153: t.test(..., mu = -log(1.2153), alternative = "greater") has p 0.05 there. */
static void stat_within_a_margin(void **state)
{
	struct ratio r = stat_ratio(control, 10, treated, 10, 0.90), none = { .state = RATIO_TOO_FEW, .low = NAN, .high = NAN };

	(void)state;
	assert_near(r.low, 0.8228362783);
	assert_near(r.high, 1.0289791685);
	assert_true(stat_is_within(&r, 0.2154));
	assert_false(stat_is_within(&r, 0.2152));
	r = stat_ratio(treated, 10, control, 10, 0.90);
	assert_true(stat_is_within(&r, 0.2154));
	assert_false(stat_is_within(&r, 0.2152));
	assert_false(stat_is_within(&none, 1));
}

/* ---- power ---- */

/* The table of section 6.2.7, per cent. */
static void stat_detectable_by_the_table(void **state)
{
	static const int runs[] = { 5, 10, 20, 30, 100 };
	static const struct {
		double cv, percent[5];
	} table[] = {
		{ 0.5, { 0.89, 0.63, 0.44, 0.36, 0.20 } },
		{ 1, { 1.77, 1.25, 0.89, 0.72, 0.40 } },
		{ 2, { 3.54, 2.51, 1.77, 1.45, 0.79 } },
		{ 5, { 8.86, 6.26, 4.43, 3.62, 1.98 } },
	};

	(void)state;
	for (size_t i = 0; i < LENGTH(table); i++)
		for (size_t k = 0; k < LENGTH(runs); k++)
			assert_true(
				fabs(stat_detectable(table[i].cv * sqrt(2.0 / runs[k]), INFINITY) - table[i].percent[k]) < 0.0051);
}

/* power.t.test(n = 5, sd = 1, power = 0.8)$delta is 2.0244, for n = 10 1.3249, n = 100 0.39814, for ten pairs 0.99600: Student's
 * quantiles come within 0.3 % of the noncentral t, and as section 6.2.7 says add some 10 % to the normal approximation. */
static void stat_detectable_of_few(void **state)
{
	(void)state;
	assert_true(fabs(stat_detectable(sqrt(2.0 / 5), 8) / 2.024437939 - 1) < 0.003);
	assert_true(fabs(stat_detectable(sqrt(2.0 / 10), 18) / 1.324945639 - 1) < 0.003);
	assert_true(fabs(stat_detectable(sqrt(2.0 / 100), 198) / 0.398140045 - 1) < 0.003);
	assert_true(fabs(stat_detectable(sqrt(1.0 / 10), 9) / 0.9960019021 - 1) < 0.003);
}

/* n = 15.7 (CV / effect)^2: for a CV of 2 % and 1 % to see, 62.8; however many runs the CV is known from. */
static void stat_needed_runs(void **state)
{
	(void)state;
	assert_near(stat_needed(10, 0.02 * sqrt(2.0 / 10), 0.01), 63);
	assert_near(stat_needed(3, 0.02 * sqrt(2.0 / 3), 0.01), 63);
}

/* ---- bootstrap ---- */

/* Of values without tails, it must come near to t on the logarithms: within a tenth of the interval's width. */
static void stat_bootstrap_of_tame_values(void **state)
{
	struct ratio t = stat_ratio(control, 10, treated, 10, 0.95), narrow = stat_ratio(control, 10, treated, 10, 0.90);
	struct bootstrap b = stat_bootstrap(control, 10, treated, 10, false);

	(void)state;
	assert_int_equal(b.ratio.state, RATIO_KNOWN);
	assert_near(b.ratio.ratio, 4.661 / 5.032); /* the means */
	assert_true(fabs(b.ratio.low - t.low) < 0.1 * (t.high - t.low));
	assert_true(fabs(b.ratio.high - t.high) < 0.1 * (t.high - t.low));
	assert_true(fabs(b.narrow.low - narrow.low) < 0.1 * (narrow.high - narrow.low));
	assert_true(fabs(b.narrow.high - narrow.high) < 0.1 * (narrow.high - narrow.low));
	assert_true(fabs(b.p - 0.2504) < 0.05); /* t.test(control, treated) */
}

static void stat_bootstrap_can_be_repeated(void **state)
{
	struct bootstrap b = stat_bootstrap(control, 10, treated, 10, false),
			 again = stat_bootstrap(control, 10, treated, 10, false);

	(void)state;
	assert_true(b.ratio.low == again.ratio.low && b.ratio.high == again.ratio.high && b.p == again.p);
}

/* B is A and little else, so pairs know the ratio far better than the sides do. */
static void stat_bootstrap_of_pairs(void **state)
{
	struct bootstrap sides, pairs;
	double b[10];

	(void)state;
	for (size_t i = 0; i < 10; i++)
		b[i] = control[i] * (i % 2 ? 1.02 : 1.04);
	sides = stat_bootstrap(control, 10, b, 10, false);
	pairs = stat_bootstrap(control, 10, b, 10, true);
	assert_true(sides.ratio.low < 1 && sides.p > 0.05);
	assert_true(pairs.ratio.low > 1.02 && pairs.ratio.high < 1.04 && pairs.p < 0.01);
}

static void stat_bootstrap_does_not_invent(void **state)
{
	static const double ones[] = { 1, 1, 1, 1, 1 }, zero[] = { 0, 1, 2, 3, 4 };

	(void)state;
	assert_int_equal(stat_bootstrap(control, 4, treated, 10, false).ratio.state, RATIO_TOO_FEW);
	assert_true(isnan(stat_bootstrap(control, 4, treated, 10, false).p));
	assert_int_equal(stat_bootstrap(control, 10, treated, 4, false).narrow.state, RATIO_TOO_FEW);
	assert_int_equal(stat_bootstrap(ones, 5, zero, 5, false).ratio.state, RATIO_ZERO);
	assert_int_equal(stat_bootstrap(ones, 5, ones, 5, false).ratio.state, RATIO_NO_SPREAD);
	assert_int_equal(stat_bootstrap(control, 10, control, 10, true).ratio.state, RATIO_NO_SPREAD);
	assert_near(stat_bootstrap(control, 10, control, 10, true).ratio.ratio, 1);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(stat_error_of_the_mean),
		cmocka_unit_test(stat_spread_of_counts),
		cmocka_unit_test(stat_ratio_is_welchs),
		cmocka_unit_test(stat_paired_ratio_by_hand),
		cmocka_unit_test(stat_ratio_does_not_invent),
		cmocka_unit_test(stat_welch_of_sleep),
		cmocka_unit_test(stat_paired_of_sleep),
		cmocka_unit_test(stat_seed_numbers),
		cmocka_unit_test(stat_rank_test_cannot_reach),
		cmocka_unit_test(stat_rank_test_exact),
		cmocka_unit_test(stat_rank_test_with_ties),
		cmocka_unit_test(stat_rank_test_large),
		cmocka_unit_test(stat_holm_of_several),
		cmocka_unit_test(stat_within_a_margin),
		cmocka_unit_test(stat_detectable_by_the_table),
		cmocka_unit_test(stat_detectable_of_few),
		cmocka_unit_test(stat_needed_runs),
		cmocka_unit_test(stat_bootstrap_of_tame_values),
		cmocka_unit_test(stat_bootstrap_can_be_repeated),
		cmocka_unit_test(stat_bootstrap_of_pairs),
		cmocka_unit_test(stat_bootstrap_does_not_invent),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("stat", tests, NULL, NULL);
}
