/* SPDX-License-Identifier: GPL-2.0-or-later
 * Two-stage intervals from the side of the reader, by the arithmetic beside each test. A miss means that a log of until= would show
 * an interval that its number of runs has spoilt. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "tools/fairlog/sequence.h"

#include <math.h>
#include <string.h>

static void assert_near(double value, double expected)
{
	if (!(fabs(value - expected) <= 1e-5 * fabs(expected)))
		fail_msg("%.9g; expected %.9g", value, expected);
}

static json_t *make(const char *workload, const char *variant, const char *figure, int pairs, int sd_ppb, int runs)
{
	return json_pack("{s:s,s:s,s:s,s:s,s:i,s:i,s:i,s:i,s:i}", "t", "sequence", "workload", workload, "variant", variant,
		"figure", figure, "pairs", pairs, "sd_ppb", sd_ppb, "within_ppm", 10000, "needed", runs, "runs", runs);
}

/*
 * Five pairs with s = 0.015811388, 20 in all, their mean 0.03. The standard error is s / sqrt(20) = 0.003535534; t for 4 degrees of
 * freedom is 2.776445 at 97.5 % and 2.131847 at 95 %. (t s / 0.01)^2 is 19.3, which is why there are 20. p of t = 8.485281: the
 * distribution for 4 is 1/2 + 3/8 u (1 - u^2 / 12), u = t / sqrt(1 + t^2 / 4) = 1.946657, which is 0.9994711.
 */
static void interval(void **state)
{
	json_t *sequence = make("w", "v", "elapsed_ns", 5, 15811388, 20);
	struct effect effect = { .ratio = { .state = RATIO_KNOWN, .ratio = exp(0.03) } };

	(void)state;
	sequence_adjust(&effect, sequence, 20);
	assert_near(effect.ratio.df, 4);
	assert_near(effect.ratio.error, 0.003535534);
	assert_near(log(effect.ratio.low), 0.03 - 2.776445 * 0.003535534);
	assert_near(log(effect.ratio.high), 0.03 + 2.776445 * 0.003535534);
	assert_near(log(effect.narrow.low), 0.03 - 2.131847 * 0.003535534);
	assert_true(fabs(effect.p - 0.0010578) < 0.000001);
	assert_near(effect.ratio.ratio, exp(0.03));
	json_decref(sequence);
}

/* What has no interval does not get one. */
static void no_interval(void **state)
{
	json_t *sequence = make("w", "v", "elapsed_ns", 5, 15811388, 20);
	struct effect effect = { .ratio = { .state = RATIO_ZERO, .ratio = NAN, .low = NAN } };

	(void)state;
	sequence_adjust(&effect, sequence, 20);
	assert_true(isnan(effect.ratio.low));
	json_decref(sequence);
}

/* Each workload and variant has its own, and only against the plan's first variant. */
static void finding(void **state)
{
	json_t *plan = json_pack("{s:[s,s,s]}", "variants", "a", "b", "c");
	json_t *sequence[] = { make("w", "b", "elapsed_ns", 5, 1, 30), make("w", "c", "elapsed_ns", 5, 2, 30),
		make("x", "b", "turns", 6, 3, 7) };
	struct boot boot = { .record = { [RECORD_plan] = plan }, .sequence = sequence, .sequences = 3 };

	(void)state;
	assert_ptr_equal(sequence_find(&boot, "w", "a", "c"), sequence[1]);
	assert_ptr_equal(sequence_find(&boot, "x", "a", "b"), sequence[2]);
	assert_null(sequence_find(&boot, "x", "a", "c"));
	assert_null(sequence_find(&boot, "w", "b", "c"));
	assert_int_equal(sequence_runs(&boot, "w", 5), 30);
	assert_int_equal(sequence_runs(&boot, "x", 5), 7);
	assert_int_equal(sequence_runs(&boot, "y", 5), 5);
	assert_string_equal(sequence_figure(sequence[0]), "elapsed");
	assert_string_equal(sequence_figure(sequence[2]), "turns");
	json_decref(plan);
	for (unsigned i = 0; i < 3; i++)
		json_decref(sequence[i]);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(interval),
		cmocka_unit_test(no_interval),
		cmocka_unit_test(finding),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("sequence", tests, NULL, NULL);
}
