/* SPDX-License-Identifier: GPL-2.0-or-later
 * Published figures: what they come to, and when ours agree. Expected numbers are workloads.md 6.3's, or from the arithmetic beside
 * each test; a miss means that fairlog exp would misquote a mail. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "tools/fairlog/published.h"

#include <math.h>
#include <string.h>

static void assert_near(double value, double expected)
{
	if (!(fabs(value - expected) <= 1e-5 * fabs(expected)))
		fail_msg("%.9g; expected %.9g", value, expected);
}

struct wanted {
	unsigned workload;
	const char *other, *metric;
	const struct published *found;
};

static void look(void *context, const struct published *figure)
{
	struct wanted *w = context;

	if (figure->workload == w->workload && strstr(figure->other, w->other) && strcmp(figure->metric, w->metric) == 0)
		w->found = figure;
}

static struct ratio ratio_of(
	const char *experiment, const char *machine, enum part part, unsigned workload, const char *other, const char *metric)
{
	struct wanted w = { workload, other, metric, NULL };

	assert_true(published_each(experiment, machine, part, look, &w) > 0);
	assert_non_null(w.found);
	return published_ratio(w.found);
}

/*
 * workloads.md 6.3: +2.59 % with a standard error of 0.46 %, +6.19 % and 0.25 %, +17.9 % and 5.3 %, +55 % and 2.9 %, -9.1 % and
 * 6.3 %, +1.0 % and 4.4 %. It gives errors of the change; in logarithms they are sqrt(0.26^2 + 0.37^2) = 0.4522 % and
 * sqrt(0.14^2 + 0.20^2) = 0.2441 %.
 */
static void idle_balance(void **state)
{
	struct ratio r = ratio_of("idle-balance", "e5620", WHOLE, 0, "nonewidle", "elapsed");

	(void)state;
	assert_near(r.ratio, 0.515779138 / 0.485726223);
	assert_near(r.low, r.ratio * exp(-1.96 * 0.002441311));
	assert_near(r.high, r.ratio * exp(1.96 * 0.002441311));
	r = ratio_of("idle-balance", "q6600", WHOLE, 0, "nonewidle", "elapsed");
	assert_true(fabs(r.ratio - 1.0259) < 0.00005);
	assert_near(r.high, r.ratio * exp(1.96 * 0.004522167));
	r = ratio_of("idle-balance", "q6600", WHOLE, 0, "nonewidle", "context switches");
	assert_true(fabs(r.ratio - 1.179) < 0.0005);
	r = ratio_of("idle-balance", "e5620", WHOLE, 0, "nonewidle", "context switches");
	assert_true(fabs(r.ratio - 1.55) < 0.005);
	r = ratio_of("idle-balance", "q6600", WHOLE, 0, "nonewidle", "migrations");
	assert_true(fabs(r.ratio - 0.909) < 0.0005 && r.high > 1);
	r = ratio_of("idle-balance", "e5620", WHOLE, 0, "nonewidle", "migrations");
	assert_true(fabs(r.ratio - 1.010) < 0.0005 && r.low < 1 && r.high > 1);
}

/* mails.md 2: VolanoMark 33 % worse on tigerton, hackbench about 10 % better, on Nehalem no figure. */
static void buddies(void **state)
{
	struct ratio r = ratio_of("buddies", "4x4", WHOLE, 2, "buddies", "messages_per_s");

	(void)state;
	assert_near(r.ratio, 0.67);
	assert_near(r.low, 0.67 * exp(-0.5 / 67));
	r = ratio_of("buddies", "2x4", WHOLE, 0, "buddies", "elapsed");
	assert_near(r.ratio, 0.9);
	assert_near(r.high, 0.9 * exp(2.5 / 90));
	r = ratio_of("buddies", "nehalem", WHOLE, 1, "buddies", "throughput_kb_per_sec");
	assert_int_equal(r.state, RATIO_TOO_FEW);
}

/*
 * Sums of mails.md's ten counts. Whole box, performance 525416, powersaving 588000; one node, performance 526032, powersaving
 * 436192. The interval of the first: standard deviations 159.5 and 382.6, standard errors sqrt(10) less, 0.0960 % and 0.2058 % of
 * the means, together 0.2273 %.
 */
static void power_policy(void **state)
{
	struct ratio r = ratio_of("power-policy", "4x10", WHOLE, 0, "powersaving", "count per task");

	(void)state;
	assert_near(r.ratio, 588000.0 / 525416);
	assert_true(fabs(log(r.high / r.ratio) / 1.96 - 0.002273) < 0.000001);
	r = ratio_of("power-policy", "4x10", ONE_NODE, 0, "powersaving", "count per task");
	assert_near(r.ratio, 436192.0 / 526032);
}

static void nothing_else(void **state)
{
	struct wanted w = { 0, "", "", NULL };

	(void)state;
	assert_int_equal(published_each("idle-balance", "4x10", WHOLE, look, &w), 0);
	assert_int_equal(published_each("power-policy", "4x10", ONE_NODE, look, &w), 2);
	assert_int_equal(published_each("power-policy", "4x10", WHOLE, look, &w), 4);
	assert_int_equal(published_each("buddy", "2x4", WHOLE, look, &w), 0);
}

static void assert_agreement(enum agreement expected, double theirs, double their_half, double ours, double our_half)
{
	struct ratio a = { .state = RATIO_KNOWN, .ratio = theirs, .low = theirs - their_half, .high = theirs + their_half };
	struct ratio b = { .state = RATIO_KNOWN, .ratio = ours, .low = ours - our_half, .high = ours + our_half };

	assert_int_equal(published_agreement(&a, &b), expected);
}

static void agreement(void **state)
{
	(void)state;
	assert_agreement(AGREES, 1.06, 0.01, 1.05, 0.02);
	assert_agreement(AGREES, 0.90, 0, 0.92, 0.03);
	assert_agreement(AGREES, 1.01, 0.05, 0.98, 0.03); /* neither sees a difference */
	assert_agreement(OTHER_SIZE, 1.06, 0.01, 1.22, 0.05);
	assert_agreement(OTHER_SIZE, 0.91, 0.12, 0.40, 0.10); /* theirs was not certain of its direction */
	assert_agreement(CONTRADICTED, 1.06, 0.01, 0.95, 0.02);
	assert_agreement(CONTRADICTED, 1.06, 0.01, 1.00, 0.02); /* no such difference here */
	assert_agreement(CONTRADICTED, 1.01, 0.08, 0.73, 0.10);
	assert_agreement(CANNOT_SAY, 1.06, 0.01, 1.03, 0.05); /* ours may as well be none */
	assert_agreement(CANNOT_SAY, 0.91, 0.12, 0.97, 0.02); /* theirs may */
}

static void agreement_without_intervals(void **state)
{
	struct ratio point = { .state = RATIO_NO_SPREAD, .ratio = 1.05, .low = NAN, .high = NAN };
	struct ratio none = { .state = RATIO_TOO_FEW, .ratio = NAN, .low = NAN, .high = NAN };
	struct ratio known = { .state = RATIO_KNOWN, .ratio = 1.06, .low = 1.04, .high = 1.08 };

	(void)state;
	assert_int_equal(published_agreement(&known, &point), AGREES);
	assert_int_equal(published_agreement(&known, &none), CANNOT_SAY);
	assert_int_equal(published_agreement(&none, &known), CANNOT_SAY);
	point.ratio = 1.2;
	assert_int_equal(published_agreement(&known, &point), OTHER_SIZE);
}

/* arch/shape.c has the shapes in words. */
static void machines(void **state)
{
	static const struct {
		unsigned cpus, nodes, packages, llcs, cores;
		const char *name;
	} cases[] = { { 4, 1, 1, 2, 4, "q6600" }, { 8, 1, 1, 1, 4, "e5620" }, { 8, 1, 2, 4, 8, "2x4" }, { 16, 1, 4, 8, 16, "4x4" },
		{ 16, 2, 2, 2, 8, "nehalem" }, { 40, 4, 4, 4, 40, "4x10" }, { 4, 1, 1, 1, 4, NULL } };

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		json_t *machine = json_pack("{s:i,s:i,s:i,s:i,s:i}", "cpus", cases[i].cpus, "nodes", cases[i].nodes, "packages",
			cases[i].packages, "llcs", cases[i].llcs, "cores", cases[i].cores);
		const char *name = published_machine(machine);

		assert_true(cases[i].name ? name && strcmp(name, cases[i].name) == 0 : !name);
		json_decref(machine);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(idle_balance),
		cmocka_unit_test(buddies),
		cmocka_unit_test(power_policy),
		cmocka_unit_test(nothing_else),
		cmocka_unit_test(agreement),
		cmocka_unit_test(agreement_without_intervals),
		cmocka_unit_test(machines),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("published", tests, NULL, NULL);
}
