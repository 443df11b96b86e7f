/* SPDX-License-Identifier: GPL-2.0-or-later
 * Two-level designs with effects that are known because they were put in. A miss means that fairlog screen would show a wrong
 * effect, or one effect as another. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "tools/fairlog/design.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST = 64 };

static char text[MOST][200];
static const char *names[MOST];
static struct design design;

/* Variants in the order of binary numbers, the first factor changing fastest; factors from free on are the sums modulo 2 of those
 * in their generators. */
static void make(unsigned factors, unsigned free, const unsigned *generator)
{
	char reason[DESIGN_REASON_BYTES];

	for (unsigned v = 0; v < 1u << free; v++) {
		size_t used = 0;

		for (unsigned f = 0; f < factors; f++) {
			bool high = f < free ? v >> f & 1 : __builtin_parity(v & generator[f - free]);

			used += (size_t)snprintf(
				text[v] + used, sizeof text[v] - used, "%sS%u=%s", f > 0 ? " " : "", f, high ? "on" : "off");
		}
		names[v] = text[v];
	}
	if (!design_make(&design, names, (size_t)1 << free, reason))
		fail_msg("%s", reason);
	assert_int_equal(design.factors, factors);
	assert_int_equal(design.terms, design.variants - 1);
}

static int sign_in(unsigned variant, unsigned factor)
{
	char on[16];

	snprintf(on, sizeof on, "S%u=on", factor);
	return strstr(text[variant], on) ? 1 : -1;
}

static const struct term *term_of(unsigned factors)
{
	for (unsigned i = 0; i < design.terms; i++)
		if (design.term[i].factors == factors)
			return &design.term[i];
	fail_msg("no term %x", factors);
	return NULL;
}

static void assert_effect(unsigned factors, double expected)
{
	if (!(fabs(term_of(factors)->effect - expected) < 1e-12))
		fail_msg("%x: %.12g; expected %.12g", factors, term_of(factors)->effect, expected);
}

/* y = 5 + 0.05 A - 0.02 C + 0.01 A C, with signs +-1: effects are twice the coefficients, all others 0. */
static void fit_known(void)
{
	double y[MOST];

	for (unsigned v = 0; v < design.variants; v++)
		y[v] = 5 + 0.05 * sign_in(v, 0) - 0.02 * sign_in(v, 2) + 0.01 * sign_in(v, 0) * sign_in(v, 2);
	design_fit(&design, y);
	assert_effect(1, 0.10);
	assert_effect(4, -0.04);
	assert_effect(5, 0.02);
	for (unsigned i = 0; i < design.terms; i++)
		if (design.term[i].factors != 1 && design.term[i].factors != 4 && design.term[i].factors != 5)
			assert_effect(design.term[i].factors, 0);
}

static void known_effects(void **state)
{
	(void)state;
	make(3, 3, NULL);
	assert_int_equal(term_of(3)->aliases, 0);
	fit_known();
	design_free(&design);
	make(5, 4, (const unsigned[]){ 0x0f });
	fit_known();
	design_free(&design);
	make(8, 6, (const unsigned[]){ 0x0f, 0x33 });
	fit_known();
	design_free(&design);
}

/* E is high where an odd number of A to D is: E = -ABCD as signs, so AB = -CDE, and A = -BCDE. */
static void aliases(void **state)
{
	(void)state;
	make(5, 4, (const unsigned[]){ 0x0f });
	assert_int_equal(term_of(3)->aliases, 1);
	assert_int_equal(term_of(3)->alias[0], 0x1c);
	assert_true(term_of(3)->negative[0]);
	assert_int_equal(term_of(1)->alias[0], 0x1e);
	design_free(&design);
	make(3, 2, (const unsigned[]){ 3 }); /* C = -AB: resolution III, single factors and pairs are the same */
	assert_int_equal(term_of(4)->alias[0], 3);
	assert_true(term_of(4)->negative[0]);
	design_free(&design);
}

static void letters(void **state)
{
	char s[2 * DESIGN_FACTORS];

	(void)state;
	design_letters(0x15, s);
	assert_string_equal(s, "A:C:E");
	design_letters(0x3ff, s);
	assert_string_equal(s, "A:B:C:D:E:F:G:H:I:J");
}

static void assert_no_design(const char *const *variants, size_t count)
{
	char reason[DESIGN_REASON_BYTES] = "";

	assert_false(design_make(&design, variants, count, reason));
	assert_non_null(strstr(reason, "expected"));
}

static void no_design(void **state)
{
	(void)state;
	assert_no_design((const char *[]){ "a=1" }, 1);
	assert_no_design((const char *[]){ "base", "a=1" }, 2);
	assert_no_design((const char *[]){ "a=1", "b=2" }, 2);
	assert_no_design((const char *[]){ "a=1", "a=2", "a=3", "a=4" }, 4);
	assert_no_design((const char *[]){ "a=1 b=1", "a=2 b=1", "a=1 b=2" }, 3); /* one combination is missing */
	assert_no_design((const char *[]){ "a=1 b=1", "a=2 b=1" }, 2);		  /* b does not change */
	assert_no_design((const char *[]){ "a=1 b=1", "a=2 b=1", "a=1 b=2", "a=2" }, 4);
	assert_no_design((const char *[]){ "a=1", "a=2 (A/A)" }, 2);
}

/*
 * Lenth by hand, of seven effects 0.01 -0.02 0.03 0.01 -0.02 0.02 1: their sizes in order are 0.01 0.01 0.02 0.02 0.02 0.03 1, the
 * median 0.02, times 1.5 is 0.03. Below 2.5 * 0.03 = 0.075 are the first six, median 0.02; times 1.5 is 0.03. df = 7 / 3.
 */
static void lenth(void **state)
{
	static const double effects[] = { 0.01, -0.02, 0.03, 0.01, -0.02, 0.02, 1 };
	double df;

	(void)state;
	make(3, 3, NULL);
	for (unsigned i = 0; i < 7; i++)
		design.term[i].effect = effects[i];
	assert_true(fabs(design_lenth(&design, &df) - 0.03) < 1e-12);
	assert_true(fabs(df - 7.0 / 3) < 1e-12);
	design_free(&design);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(known_effects),
		cmocka_unit_test(aliases),
		cmocka_unit_test(letters),
		cmocka_unit_test(no_design),
		cmocka_unit_test(lenth),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("design", tests, NULL, NULL);
}
