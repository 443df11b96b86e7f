/* SPDX-License-Identifier: GPL-2.0-or-later
 * Logarithms in integers, and Stein's rule for the number of runs.
 *
 * Expected values: logarithms from tables, t from tables, the rest by the arithmetic beside each test. A thousand simulated
 * experiments show that the intervals hold what they promise. A miss means that until= stops too early, or that its intervals are
 * too narrow. */
#include <stdio.h>

#include "tests/unit/machine.h"

#include "base/lognormal.h"
#include "base/text.h"
#include "lab/lab.h"
#include "lab/progress.h"
#include "lab/sequential.h"

/* ---- logarithms ---- */

/* ln x in units of 2^-24: ln 2 = 0.693147180560, ln 10 = 2.302585092994, ln 1.000001 = 0.000000999999500, ln (2^64 - 1) =
 * 44.361419555836. */
static void test_log(void **state)
{
	static const struct {
		u64 x;
		double log;
	} cases[] = { { 1, 0 }, { 2, 0.693147180560 }, { 3, 1.098612288668 }, { 10, 2.302585092994 }, { 1000000, 13.815510557964 },
		{ 1000000000, 20.723265836946 }, { 3000000000, 21.821878125614 }, { 1ull << 63, 43.668272375277 },
		{ ~0ull, 44.361419555836 } };

	(void)state;
	for (unsigned i = 0; i < ARRAY_SIZE(cases); i++) {
		double miss = (double)log_fixed(cases[i].x) - cases[i].log * (1 << LOG_SHIFT);

		if (miss < -0.51 || miss > 0.51)
			fail_msg("%llu: off by %g units", (unsigned long long)cases[i].x, miss);
	}
}

/* 1.026 has the logarithm 0.025667747; 0.5 that of 2 with a minus. A unit is 0.06 ppm, so millionths come back, and the next at
 * most. */
static void test_exp(void **state)
{
	(void)state;
	assert_int_equal(exp_ppm(0), 1000000);
	assert_in_range(exp_ppm((s64)(0.025667747 * (1 << LOG_SHIFT))), 1025999, 1026001);
	assert_in_range(exp_ppm((s64)(-0.693147181 * (1 << LOG_SHIFT))), 499999, 500001);
	assert_in_range(exp_ppm((s64)(6.9077 * (1 << LOG_SHIFT))), 999000000, 1000000000);
}

/* ---- pairs ---- */

static s64 fixed(double log)
{
	return (s64)(log * (1 << LOG_SHIFT) + (log < 0 ? -0.5 : 0.5));
}

/* 1 2 3 4 5 %: mean 3, squares about it (4 + 1 + 0 + 1 + 4) * 10^-4 = 0.001. */
static struct pairs one_to_five(double shift)
{
	struct pairs p = { 0 };

	for (unsigned i = 1; i <= 5; i++)
		pairs_add(&p, fixed(shift + 0.01 * i));
	return p;
}

static void assert_near(double value, double expected, double relative)
{
	double miss = value / expected - 1;

	if (miss < -relative || miss > relative)
		fail_msg("%g; expected %g", value, expected);
}

/* Where the differences are does not matter to their spread, on either side of 0 and far from it. */
static void test_pairs(void **state)
{
	static const double shifts[] = { 0, -0.03, -0.06, 5, -5, 30, -30 };

	(void)state;
	for (unsigned i = 0; i < ARRAY_SIZE(shifts); i++) {
		struct pairs p = one_to_five(shifts[i]);

		assert_in_range(pairs_mean(&p) - fixed(shifts[i] + 0.03) + 1, 0, 2);
		assert_near((double)pairs_squares(&p) / (1ull << 48), 0.001, 1e-4);
	}
}

/* sqrt(0.001 / 4) = 0.0158114; of squares of 4 over 1, 2. */
static void test_root(void **state)
{
	struct pairs p = one_to_five(0);

	(void)state;
	assert_near((double)root_of(pairs_squares(&p), 4) / (1ull << 32), 0.0158114, 1e-4);
	assert_near((double)root_of(4ull << 48, 1) / (1ull << 32), 2, 1e-6);
	assert_int_equal(root_of(0, 4), 0);
}

/* ---- Stein's rule ---- */

/*
 * n = 5, s = 0.0158114, t = 2.776445 for 4 degrees of freedom. Within 0.5 %: d = ln 1.005 = 0.00498754, (t s / d)^2 = 8.80189^2
 * = 77.47:
 * 78. Within 1 %: d = 0.00995033, 4.41188^2 = 19.46: 20. Within 5 %: d = 0.0487902, 0.89976^2 = 0.81: the five there are.
 */
static void test_needed(void **state)
{
	struct pairs p = one_to_five(0.2), none = { .n = 5 };

	(void)state;
	assert_int_equal(sequential_needed(&p, 5000), 78);
	assert_int_equal(sequential_needed(&p, 10000), 20);
	assert_int_equal(sequential_needed(&p, 50000), 5);
	assert_int_equal(sequential_needed(&none, 100), 5);
}

/* Alternately 0 and 2 %, s^2 = n / (n - 1) * 10^-4. With n = 31 pairs (16 and 15; squares 31 * 10^-4 - 10^-4 / 31) and t
 * = 2.042272, within 0.1 %, d = 0.0009995003: 4.170875 * 1.03226e-4 / 9.990008e-7 = 430.97: 431. With n = 42, 41 degrees of freedom
 * have the t of 40, 2.021075, not the smaller one of 50: 4.084744 * (42 / 41) * 10^-4 / 9.990008e-7 = 418.86: 419. */
static void test_needed_with_more(void **state)
{
	struct pairs p = { 0 };

	(void)state;
	for (unsigned i = 0; i < 31; i++)
		pairs_add(&p, i % 2 ? fixed(0.02) : 0);
	assert_int_equal(sequential_needed(&p, 1000), 431);
	for (unsigned i = 31; i < 42; i++)
		pairs_add(&p, i % 2 ? fixed(0.02) : 0);
	assert_int_equal(sequential_needed(&p, 1000), 419);
}

/* Ratios of a million, which no run has, are too much for any number; and nothing overflows. */
static void test_needed_of_nonsense(void **state)
{
	struct pairs p = { 0 };

	(void)state;
	for (unsigned i = 0; i < 1000; i++)
		pairs_add(&p, i % 2 ? log_fixed(~0ull) : -log_fixed(~0ull));
	assert_int_equal(sequential_needed(&p, 100), SEQUENTIAL_MOST);
}

/* ---- does it hold ---- */

struct draw {
	u64 state;
	s64 sum; /* of all differences */
	u64 n;
};

/* B is 3 % slower: 1,030,000 against 1,000,000, each with a standard deviation of 2 %. */
static s64 draw_difference(u64 *state)
{
	s64 a = log_fixed(lognormal_next(state, 1000000, 20));

	return log_fixed(lognormal_next(state, 1030000, 20)) - a;
}

/* One experiment: is the truth in its interval, and is that no wider than asked for? */
static bool interval_holds(u64 *state, unsigned first_stage, double t, u64 ppm, u64 most)
{
	double truth = (double)(log_fixed(1030000) - log_fixed(1000000)),
	       d = (double)(log_fixed(1000000 + ppm) - log_fixed(1000000));
	double squares, miss;
	struct pairs p = { 0 };
	s64 sum;
	u64 n;

	for (unsigned i = 0; i < first_stage; i++)
		pairs_add(&p, draw_difference(state));
	n = sequential_needed(&p, ppm);
	n = n < most ? n : most;
	sum = p.sum;
	for (u64 i = first_stage; i < n; i++)
		sum += draw_difference(state);
	squares = t * t * (double)pairs_squares(&p) / (first_stage - 1) / (double)n; /* of half the interval */
	assert_true(n == most || squares <= d * d * 1.0001);
	miss = (double)sum / (double)n - truth;
	return miss * miss <= squares;
}

enum { EXPERIMENTS = 1000 };

static unsigned count_holding(unsigned first_stage, double t, u64 most)
{
	unsigned holding = 0;
	u64 state = 7;

	for (unsigned i = 0; i < EXPERIMENTS; i++)
		holding += interval_holds(&state, first_stage, t, 10000, most);
	return holding;
}

/* Of 1000 intervals of 95 %, 950 hold the truth, with a standard deviation of sqrt(1000 * 0.95 * 0.05) = 6.9: three of those
 * are 21. That is so with few runs in the first stage, with more, and where max_runs= cuts the second short. */
static void test_intervals_hold(void **state)
{
	(void)state;
	assert_in_range(count_holding(5, 2.776445, 1000), 929, 971);
	assert_in_range(count_holding(10, 2.262157, 1000), 929, 971);
	assert_in_range(count_holding(5, 2.776445, 20), 929, 971);
}

/* ---- the words ---- */

static struct plan plan;

static int parse(const char *cmdline)
{
	memset(&plan, 0, sizeof(plan));
	return plan_parse(&plan, cmdline);
}

static void expect_refused(const char *cmdline, const char *said)
{
	assert_true(parse(cmdline) < 0);
	if (!strstr(plan.error, said))
		fail_msg("%s: \"%s\" does not say \"%s\"", cmdline, plan.error, said);
}

static void test_words(void **state)
{
	static const struct {
		const char *word;
		u64 ppm;
	} good[] = { { "0.5%", 5000 }, { "0.5", 5000 }, { "2%", 20000 }, { "0.01%", 100 }, { "50%", 500000 }, { "1.2345%", 12345 },
		{ ".5%", 5000 } };
	static const char *const bad[] = { "0%", "0.009%", "50.1%", "half", "1.23456%", "1..2%", "1%%", "5 %", "-1%", "%",
		"99999999999999999999%" };
	char cmdline[128];

	(void)state;
	test_machine(1, 1, 4, 1);
	for (unsigned i = 0; i < ARRAY_SIZE(good); i++) {
		snprintf(cmdline, sizeof(cmdline), "vary=newidle:off,cost runs=5 until=%s", good[i].word);
		assert_int_equal(parse(cmdline), 0);
		assert_true(plan.within_ppm == good[i].ppm);
	}
	for (unsigned i = 0; i < ARRAY_SIZE(bad); i++) {
		snprintf(cmdline, sizeof(cmdline), "vary=newidle:off,cost runs=5 \"until=%.12s\"", bad[i]);
		expect_refused(cmdline, "until=");
	}
	assert_int_equal(parse("until= vary=newidle:off,cost"), 0);
	assert_true(plan.within_ppm == 0);
}

static void test_plans_refused(void **state)
{
	(void)state;
	test_machine(1, 1, 4, 1);
	expect_refused("until=1% runs=5", "nothing to compare");
	expect_refused("until=1% runs=4 aa=1", "runs=5 or more");
	expect_refused("until=1% runs=5 aa=1 order=aabb", "another order than aabb");
	expect_refused("until=1% runs=50 aa=1 max_runs=49", "max_runs= to be runs= or more");
	assert_int_equal(parse("until=1% runs=5 aa=1"), 0);
}

/* ---- progress ---- */

/* Two of eight runs have taken 20 s, so six take 60; of 800 runs, 798 take 133 minutes. Ratios of 1.01 and 1.03 have the mean 1.020
 * and half of ln 1.03 - ln 1.01 = 0.0196 as standard error. */
static void test_progress(void **state)
{
	static struct tally t;

	(void)state;
	test_machine(1, 1, 4, 1);
	assert_int_equal(parse("vary=newidle:off,cost runs=4"), 0);
	test_clock_set(120 * NSEC_PER_SEC);
	test_console_clear();
	progress_say(&plan, &t, 100 * NSEC_PER_SEC, 2, 7);
	progress_say(&plan, &t, 100 * NSEC_PER_SEC, 8, 8);
	assert_string_equal(test_console(), "");
	progress_say(&plan, &t, 100 * NSEC_PER_SEC, 2, 8);
	assert_string_equal(test_console(), "2 of 8 runs done, about 61 s left\n");
	test_console_clear();
	pairs_add(&t.pairs[1], log_fixed(101) - log_fixed(100));
	pairs_add(&t.pairs[1], log_fixed(103) - log_fixed(100));
	progress_say(&plan, &t, 100 * NSEC_PER_SEC, 2, 800);
	assert_string_equal(test_console(),
		"2 of 800 runs done, about 133 min left; newidle=cost against newidle=off so far 1.020 (standard error 0.98 %)\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		machine_test(test_log),
		machine_test(test_exp),
		machine_test(test_pairs),
		machine_test(test_root),
		machine_test(test_needed),
		machine_test(test_needed_with_more),
		machine_test(test_needed_of_nonsense),
		machine_test(test_intervals_hold),
		machine_test(test_words),
		machine_test(test_plans_refused),
		machine_test(test_progress),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
