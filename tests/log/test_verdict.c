/* SPDX-License-Identifier: GPL-2.0-or-later
 * What fairlog compare decides, over experiments whose truth is known: a thousand with no difference must show one in about 5 %, a
 * thousand with a difference of the size that it calls detectable in about 80 %. The bounds hold 99.9 % of what a fair verdict
 * would give: qbinom(c(0.0005, 0.9995), 1000, 0.05) is 29 .. 74, of 0.8 it is 757 .. 841. The seeds are fixed, so a miss is no bad
 * luck but a changed verdict. Then which runs are paired, and what names say. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "tools/fairlog/contrast.h"
#include "tools/fairlog/verdict.h"

#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { EXPERIMENTS = 1000, SIGNIFICANT_LEAST = 29, SIGNIFICANT_MOST = 74, SEEN_LEAST = 757, SEEN_MOST = 841 };

/* ---- experiments ---- */

static double draw_normal(gsl_rng *random)
{
	return 100 + gsl_ran_gaussian(random, 2);
}

/* A CV of 53 %, as of a latency. */
static double draw_lognormal(gsl_rng *random)
{
	return gsl_ran_lognormal(random, 0, 0.5);
}

/* Skewed still in its logarithm: a fixed part and a lognormal one. */
static double draw_shifted(gsl_rng *random)
{
	return 1 + 0.2 * gsl_ran_lognormal(random, 0, 0.7);
}

/* The largest of 1,000 latencies, as a run's max. */
static double draw_largest(gsl_rng *random)
{
	return gsl_ran_gumbel1(random, 1, 1000);
}

struct experiment {
	double (*draw)(gsl_rng *random);
	size_t n;
	bool paired; /* both runs of a pair share as much noise as each has of its own */
	bool tail;
	double factor; /* of B over A */
	enum direction direction;
};

static void make_values(const struct experiment *e, gsl_rng *random, double *a, double *b)
{
	for (size_t i = 0; i < e->n; i++) {
		double common = e->paired ? e->draw(random) : 1;

		a[i] = common * e->draw(random);
		b[i] = common * e->draw(random) * e->factor;
	}
}

struct outcomes {
	unsigned better, worse, not_seen;
	double detectable; /* mean */
};

static struct outcomes repeat(const struct experiment *e, unsigned long seed)
{
	gsl_rng *random = gsl_rng_alloc(gsl_rng_mt19937);
	struct outcomes outcomes = { 0, 0, 0, 0 };
	double a[100], b[100];

	gsl_rng_set(random, seed);
	for (unsigned i = 0; i < EXPERIMENTS; i++) {
		struct samples samples = { a, b, e->n, e->n, e->paired };
		struct effect effect;
		enum verdict verdict;

		make_values(e, random, a, b);
		effect = effect_of(&samples, e->tail);
		verdict = verdict_of(&effect, e->n, e->n, e->direction, 0);
		outcomes.better += verdict == VERDICT_BETTER;
		outcomes.worse += verdict == VERDICT_WORSE;
		outcomes.not_seen += verdict == VERDICT_NOT_SEEN;
		outcomes.detectable += effect.detectable / EXPERIMENTS;
	}
	gsl_rng_free(random);
	assert_int_equal(outcomes.better + outcomes.worse + outcomes.not_seen, EXPERIMENTS);
	return outcomes;
}

/* Of A against A, both ways of being wrong together. */
static unsigned false_verdicts(double (*draw)(gsl_rng *random), size_t n, bool paired, bool tail)
{
	struct experiment e = { draw, n, paired, tail, 1, LESS_IS_BETTER };
	struct outcomes outcomes = repeat(&e, 1);

	printf("# A/A n=%zu%s%s: %u better, %u worse\n", n, paired ? " paired" : "", tail ? " tail" : "", outcomes.better,
		outcomes.worse);
	return outcomes.better + outcomes.worse;
}

static void assert_fair(unsigned significant)
{
	assert_in_range(significant, SIGNIFICANT_LEAST, SIGNIFICANT_MOST);
}

/* ---- A against A ---- */

static void aa_of_normal_runs(void **state)
{
	(void)state;
	assert_fair(false_verdicts(draw_normal, 5, false, false));
	assert_fair(false_verdicts(draw_normal, 10, false, false));
	assert_fair(false_verdicts(draw_normal, 30, false, false));
	assert_fair(false_verdicts(draw_normal, 5, true, false));
	assert_fair(false_verdicts(draw_normal, 10, true, false));
}

static void aa_of_skewed_runs(void **state)
{
	(void)state;
	assert_fair(false_verdicts(draw_lognormal, 5, false, false));
	assert_fair(false_verdicts(draw_lognormal, 20, false, false));
	assert_fair(false_verdicts(draw_lognormal, 10, true, false));
	assert_fair(false_verdicts(draw_shifted, 10, false, false));
	assert_fair(false_verdicts(draw_shifted, 10, true, false));
}

static void aa_of_tails(void **state)
{
	(void)state;
	assert_fair(false_verdicts(draw_largest, 10, false, true));
	assert_fair(false_verdicts(draw_largest, 10, true, true));
	assert_fair(false_verdicts(draw_lognormal, 20, false, true));
}

/* ---- A against B ---- */

/* Noise of the logarithms: CV 2 %, and the lognormal's own 0.5. The difference is what the printed formula makes of the true noise;
 * in pairs the noise of each pair's difference is that of two runs, whatever they share. */
static void assert_power(double (*draw)(gsl_rng *random), double sigma, size_t n, bool paired)
{
	double error = sigma * sqrt(2.0 / (double)n), df = (double)(paired ? n - 1 : 2 * n - 2);
	double effect = stat_detectable(error, df);
	struct experiment e = { draw, n, paired, false, exp(effect), LESS_IS_BETTER };
	struct outcomes outcomes = repeat(&e, 2);

	printf("# %.1f %% of n=%zu%s: %u seen; called detectable %.1f %%\n", 100 * expm1(effect), n, paired ? " pairs" : "",
		outcomes.worse, 100 * outcomes.detectable);
	assert_in_range(outcomes.worse, SEEN_LEAST, SEEN_MOST);
	/* What is called detectable comes from each experiment's own noise and must hit the true one in the mean. */
	assert_true(fabs(outcomes.detectable / expm1(effect) - 1) < 0.1);
	e.factor = exp(-effect);
	assert_in_range(repeat(&e, 3).better, SEEN_LEAST, SEEN_MOST);
}

static void power_at_the_detectable_effect(void **state)
{
	(void)state;
	assert_power(draw_normal, 0.02, 5, false);
	assert_power(draw_normal, 0.02, 10, false);
	assert_power(draw_normal, 0.02, 10, true);
	assert_power(draw_lognormal, 0.5, 20, false);
	assert_power(draw_lognormal, 0.5, 20, true);
}

static void power_of_more_is_better(void **state)
{
	struct experiment e = { draw_normal, 10, false, false, 1.1, MORE_IS_BETTER };

	(void)state;
	assert_int_equal(repeat(&e, 4).better, EXPERIMENTS);
	e.factor = 0.9;
	assert_int_equal(repeat(&e, 4).worse, EXPERIMENTS);
}

/* ---- verdicts ---- */

/* B is A times one of three factors in turn, so the logarithms of the pairs have that mean and little spread. */
static enum verdict verdict_on(double factor, size_t pairs, enum direction direction, double margin)
{
	static const double noise[] = { 0.999, 1, 1.001 };
	double a[9], b[9];
	struct samples samples = { a, b, pairs, pairs, true };
	struct effect effect;

	for (size_t i = 0; i < pairs; i++) {
		a[i] = 100 + (double)i;
		b[i] = a[i] * factor * noise[i % 3];
	}
	effect = effect_of(&samples, false);
	return verdict_of(&effect, pairs, pairs, direction, margin);
}

static void verdict_with_a_margin(void **state)
{
	(void)state;
	/* Nine pairs, sd 0.00087, error 0.00029, t(0.975, 8) 2.306: the interval is +-0.07 %. */
	assert_int_equal(verdict_on(1.02, 9, LESS_IS_BETTER, 0), VERDICT_WORSE);
	assert_int_equal(verdict_on(1.02, 9, LESS_IS_BETTER, 0.01), VERDICT_WORSE);
	assert_int_equal(verdict_on(1.02, 9, LESS_IS_BETTER, 0.02), VERDICT_UNDECIDED);
	assert_int_equal(verdict_on(1.02, 9, LESS_IS_BETTER, 0.03), VERDICT_WITHIN);
	assert_int_equal(verdict_on(0.98, 9, LESS_IS_BETTER, 0.01), VERDICT_BETTER);
	assert_int_equal(verdict_on(1, 9, LESS_IS_BETTER, 0), VERDICT_NOT_SEEN);
	assert_int_equal(verdict_on(1, 9, LESS_IS_BETTER, 0.01), VERDICT_WITHIN);
	assert_int_equal(verdict_on(1.02, 9, MORE_IS_BETTER, 0.01), VERDICT_BETTER);
	assert_int_equal(verdict_on(1 / 1.02, 9, MORE_IS_BETTER, 0.01), VERDICT_WORSE);
	/* Better by about the margin: not within it, but no worse; that it is better was seen. */
	assert_int_equal(verdict_on(1 / 1.01, 9, LESS_IS_BETTER, 0.01), VERDICT_BETTER);
}

/* Three pairs, differences of -5, 0 and +3.5 %: better or not, worse by 10 % it is not; t(0.95, 2) 2.92 times 0.025 is 7.3 %. */
static void verdict_no_worse(void **state)
{
	static const double a[] = { 100, 100, 100 }, b[] = { 95, 100, 103.5 };
	struct samples samples = { a, b, 3, 3, true };
	struct effect effect = effect_of(&samples, false);

	(void)state;
	assert_int_equal(verdict_of(&effect, 3, 3, LESS_IS_BETTER, 0.075), VERDICT_NO_WORSE);
	assert_int_equal(verdict_of(&effect, 3, 3, LESS_IS_BETTER, 0.05), VERDICT_UNDECIDED);
	assert_int_equal(verdict_of(&effect, 3, 3, LESS_IS_BETTER, 0.10), VERDICT_WITHIN);
}

static void verdict_that_cannot_be(void **state)
{
	static const double five[] = { 5, 5, 5 }, six[] = { 6, 6, 6 }, zero[] = { 0, 1, 2 }, some[] = { 1, 2, 4 };
	struct samples constant = { five, six, 3, 3, true }, with_zero = { zero, some, 3, 3, false },
		       same = { some, some, 3, 3, true };
	struct samples repeated = { five, five, 3, 3, false };
	struct effect effect = effect_of(&constant, false);

	(void)state;
	assert_int_equal(verdict_of(&effect, 3, 3, LESS_IS_BETTER, 0), VERDICT_ONE_REPEATED);
	effect = effect_of(&repeated, false);
	assert_int_equal(verdict_of(&effect, 3, 3, LESS_IS_BETTER, 0), VERDICT_ONE_REPEATED);
	effect = effect_of(&with_zero, false);
	assert_int_equal(verdict_of(&effect, 3, 3, LESS_IS_BETTER, 0), VERDICT_ZERO);
	effect = effect_of(&same, false);
	assert_int_equal(verdict_of(&effect, 3, 3, LESS_IS_BETTER, 0), VERDICT_SAME);
	assert_int_equal(verdict_on(1.02, 2, LESS_IS_BETTER, 0), VERDICT_TOO_FEW);
	assert_int_equal(verdict_on(1.02, 9, DIRECTION_UNKNOWN, 0), VERDICT_NO_DIRECTION);
	assert_int_equal(verdict_on(1, 9, DIRECTION_UNKNOWN, 0), VERDICT_NOT_SEEN);
}

static void verdict_becomes_a_decision(void **state)
{
	(void)state;
	assert_int_equal(decision_of(VERDICT_BETTER), DECIDED_NO_WORSE);
	assert_int_equal(decision_of(VERDICT_SAME), DECIDED_NO_WORSE);
	assert_int_equal(decision_of(VERDICT_NOT_SEEN), DECIDED_NO_WORSE);
	assert_int_equal(decision_of(VERDICT_WITHIN), DECIDED_NO_WORSE);
	assert_int_equal(decision_of(VERDICT_NO_WORSE), DECIDED_NO_WORSE);
	assert_int_equal(decision_of(VERDICT_WORSE), DECIDED_WORSE);
	assert_int_equal(decision_of(VERDICT_UNDECIDED), UNDECIDED);
	assert_int_equal(decision_of(VERDICT_TOO_FEW), UNDECIDED);
	assert_int_equal(decision_of(VERDICT_ONE_REPEATED), UNDECIDED);
	assert_int_equal(decision_of(VERDICT_ZERO), UNDECIDED);
	assert_int_equal(decision_of(VERDICT_NO_DIRECTION), UNDECIDED);
}

/* ---- pairs ---- */

static const struct metric elapsed = { "elapsed", "", METRIC_FIELD, FIELD_run_elapsed_ns, 1, 0 };

/* Runs in an order such as ABBA, whose figure is 1000 and what drifts with their position. */
struct series {
	struct run run[8];
	struct run *of[2][8];
	struct group side[2];
};

static void make_series(struct series *s, const char *order, uint64_t linear, uint64_t quadratic)
{
	*s = (struct series){ .side = { { .runs = s->of[0] }, { .runs = s->of[1] } } };
	for (uint64_t t = 0; order[t]; t++) {
		struct group *side = &s->side[order[t] - 'A'];

		s->run[t].value[FIELD_run_index - FIELD_run_workload] = side->count;
		s->run[t].value[FIELD_run_position - FIELD_run_workload] = t;
		s->run[t].value[FIELD_run_elapsed_ns - FIELD_run_workload] = 1000 + linear * t + quadratic * t * t;
		side->runs[side->count++] = &s->run[t];
	}
}

/* By how much the mean of the pairs says that B is more, which it is not. */
static double bias_of(const char *order, uint64_t linear, uint64_t quadratic)
{
	struct series s;
	double a[8], b[8];
	size_t pairs;

	make_series(&s, order, linear, quadratic);
	pairs = pair_values(&elapsed, &s.side[0], &s.side[1], a, b);
	assert_int_equal(pairs, s.side[0].count);
	return stat_paired(a, b, pairs).difference;
}

/* Section 6.2.2: of a drift of a per run, AABB makes 2 a, ABAB a, ABBA nothing; of q t^2, ABBA makes 2 q, ABBABAAB nothing. */
static void pairs_cancel_drift(void **state)
{
	(void)state;
	assert_true(fabs(bias_of("AABB", 3, 0)) == 6);
	assert_true(fabs(bias_of("ABAB", 3, 0)) == 3);
	assert_true(bias_of("ABBA", 3, 0) == 0);
	assert_true(fabs(bias_of("ABBA", 0, 5)) == 10);
	assert_true(bias_of("ABBABAAB", 0, 5) == 0);
	assert_true(bias_of("ABBABAAB", 3, 0) == 0);
}

/* A run that is missing takes its partner with it, not the runs behind it. */
static void pairs_are_of_the_same_number(void **state)
{
	struct series s;
	double a[8], b[8];

	(void)state;
	make_series(&s, "ABBAAB", 1, 0); /* A at 0, 3, 4; B at 1, 2, 5 */
	s.side[0].runs[1] = s.side[0].runs[2];
	s.side[0].count = 2; /* number 1 of A is lost */
	assert_int_equal(pair_values(&elapsed, &s.side[0], &s.side[1], a, b), 2);
	assert_true(a[0] == 1000 && b[0] == 1001 && a[1] == 1004 && b[1] == 1005);
	s.side[1].runs[0] = s.side[1].runs[1];
	s.side[1].count = 1; /* and of B only number 1 is left */
	assert_int_equal(pair_values(&elapsed, &s.side[0], &s.side[1], a, b), 0);
}

/* ---- names ---- */

static void names_have_a_direction(void **state)
{
	static const char *const more[] = { "throughput", "ops", "ops_per_sec", "throughput_kb_per_sec", "jobs_per_min_x100",
		"rps_x100", "messages_per_s", "jti" };
	static const char *const less[] = { "elapsed", "wasted", "task-clock", "cpu_ns", "wakeup_p99_us", "max_latency",
		"real_ms" };
	static const char *const neither[] = { "loops", "migrations", "context switches", "messages", "wakeups_per_1000_sent",
		"tasks", "bonus", "_x100", "" };

	(void)state;
	for (size_t i = 0; i < sizeof more / sizeof more[0]; i++)
		assert_int_equal(direction_of(more[i]), MORE_IS_BETTER);
	for (size_t i = 0; i < sizeof less / sizeof less[0]; i++)
		assert_int_equal(direction_of(less[i]), LESS_IS_BETTER);
	for (size_t i = 0; i < sizeof neither / sizeof neither[0]; i++)
		assert_int_equal(direction_of(neither[i]), DIRECTION_UNKNOWN);
}

static void names_have_a_tail(void **state)
{
	(void)state;
	assert_true(is_tail("p99_ns") && is_tail("wakeup_p999_us") && is_tail("max") && is_tail("max_latency_ns") &&
		    is_tail("wakeup p99"));
	assert_false(is_tail("maximum") || is_tail("climax_ns") || is_tail("p50_us") || is_tail("elapsed") || is_tail("p9"));
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(aa_of_normal_runs),
		cmocka_unit_test(aa_of_skewed_runs),
		cmocka_unit_test(aa_of_tails),
		cmocka_unit_test(power_at_the_detectable_effect),
		cmocka_unit_test(power_of_more_is_better),
		cmocka_unit_test(verdict_with_a_margin),
		cmocka_unit_test(verdict_no_worse),
		cmocka_unit_test(verdict_that_cannot_be),
		cmocka_unit_test(verdict_becomes_a_decision),
		cmocka_unit_test(pairs_cancel_drift),
		cmocka_unit_test(pairs_are_of_the_same_number),
		cmocka_unit_test(names_have_a_direction),
		cmocka_unit_test(names_have_a_tail),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("verdict", tests, NULL, NULL);
}
