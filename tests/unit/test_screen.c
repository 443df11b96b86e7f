/* SPDX-License-Identifier: GPL-2.0-or-later
 * screen=: which variants a design has, and what is no design.
 *
 * Expected: variants are 2^n up to four factors, then 16, 32, 64 and 64; what makes a design of resolution V is that single factors
 * and pairs of them have columns of signs that are orthogonal to each other (Box and Hunter 1961), so that is what is looked for. A
 * miss means that one effect would pass for another. */
#include <stdio.h>

#include "tests/unit/machine.h"

#include "base/text.h"
#include "lab/lab.h"

static const char *const features[] = { "NEXT_BUDDY", "LAST_BUDDY", "START_DEBIT", "WAKEUP_PREEMPTION", "LB_MIN", "LB_BIAS",
	"TTWU_QUEUE", "GENTLE_FAIR_SLEEPERS" };

static struct plan plan;

static int parse(const char *cmdline)
{
	memset(&plan, 0, sizeof(plan));
	return plan_parse(&plan, cmdline);
}

static void expect_plan(const char *cmdline)
{
	if (parse(cmdline))
		fail_msg("%s: %s", cmdline, plan.error);
}

static void expect_refused(const char *cmdline, const char *said)
{
	assert_true(parse(cmdline) < 0);
	if (!strstr(plan.error, said))
		fail_msg("%s: \"%s\" does not say \"%s\"", cmdline, plan.error, said);
}

static void screen_features(unsigned nr)
{
	char cmdline[512] = "screen=";

	for (unsigned i = 0; i < nr; i++)
		snprintf(cmdline + strlen(cmdline), sizeof(cmdline) - strlen(cmdline), "%s%s", i ? "," : "", features[i]);
	expect_plan(cmdline);
}

/* From what the variant is called. */
static int sign(unsigned variant, unsigned factor)
{
	char name[TEXT_BYTES], on[64];

	plan_variant_name(&plan, variant, name, sizeof(name));
	snprintf(on, sizeof(on), "%s=on", features[factor]);
	return strstr(name, on) ? 1 : -1;
}

static int dot(const s8 *a, const s8 *b)
{
	int sum = 0;

	for (unsigned v = 0; v < plan.nr_variants; v++)
		sum += a[v] * b[v];
	return sum;
}

enum { MOST_COLUMNS = 1 + 8 + 28 };

/* The constant, the single factors and the pairs. */
static unsigned make_columns(unsigned factors, s8 column[MOST_COLUMNS][MAX_VARIANTS])
{
	unsigned nr = 1 + factors;

	for (unsigned v = 0; v < plan.nr_variants; v++) {
		column[0][v] = 1;
		for (unsigned f = 0; f < factors; f++)
			column[1 + f][v] = (s8)sign(v, f);
	}
	for (unsigned a = 0; a < factors; a++)
		for (unsigned b = a + 1; b < factors; b++, nr++)
			for (unsigned v = 0; v < plan.nr_variants; v++)
				column[nr][v] = (s8)(column[1 + a][v] * column[1 + b][v]);
	return nr;
}

static void test_resolution(void **state)
{
	static const unsigned variants[] = { [2] = 4, [3] = 8, [4] = 16, [5] = 16, [6] = 32, [7] = 64, [8] = 64 };
	static s8 column[MOST_COLUMNS][MAX_VARIANTS];

	(void)state;
	test_machine(1, 1, 4, 1);
	for (unsigned factors = 2; factors <= 8; factors++) {
		unsigned nr;

		screen_features(factors);
		assert_int_equal(plan.nr_variants, variants[factors]);
		nr = make_columns(factors, column);
		for (unsigned i = 0; i < nr; i++)
			for (unsigned j = 0; j < i; j++)
				assert_int_equal(dot(column[i], column[j]), 0);
	}
}

/* Six factors have resolution VI, seven VII: no pair is the same as a triple. Of six in 32 variants the product of all is constant.
 */
static void test_better_resolutions(void **state)
{
	static s8 column[MOST_COLUMNS][MAX_VARIANTS];
	s8 triple[MAX_VARIANTS], all[MAX_VARIANTS];

	(void)state;
	test_machine(1, 1, 4, 1);
	for (unsigned factors = 6; factors <= 7; factors++) {
		unsigned nr;

		screen_features(factors);
		nr = make_columns(factors, column);
		for (unsigned v = 0; v < plan.nr_variants; v++) {
			triple[v] = (s8)(column[1][v] * column[2][v] * column[3][v]);
			all[v] = 1;
			for (unsigned f = 0; f < factors; f++)
				all[v] = (s8)(all[v] * column[1 + f][v]);
		}
		for (unsigned i = 0; i < nr; i++)
			assert_int_equal(dot(column[i], triple), 0);
		assert_int_equal(dot(column[0], all), factors == 6 ? 32 : -64);
	}
}

static void expect_variant(unsigned variant, const char *name)
{
	char s[TEXT_BYTES];

	plan_variant_name(&plan, variant, s, sizeof(s));
	assert_string_equal(s, name);
}

/* The first variant has every switch at its first value, which may be what the command line or a preset says. */
static void test_levels(void **state)
{
	(void)state;
	test_machine(1, 1, 4, 1);
	expect_plan("screen=NEXT_BUDDY,newidle:off,sched_nr_migrate:32/8");
	expect_variant(0, "NEXT_BUDDY=off newidle=throttle sched_nr_migrate=32");
	expect_variant(7, "NEXT_BUDDY=on newidle=off sched_nr_migrate=8");
	expect_plan("screen=newidle:off,NEXT_BUDDY newidle=always");
	expect_variant(0, "newidle=always NEXT_BUDDY=off");
	expect_plan("screen=newidle:off,NEXT_BUDDY preset=v3.13");
	expect_variant(0, "newidle=cost NEXT_BUDDY=off");
}

static void apply_some(void *unused)
{
	(void)unused;
	plan_apply(&plan, 2);
	assert_true(!knob.NEXT_BUDDY && knob.newidle == NEWIDLE_OFF && knob.LB_MIN);
	plan_apply(&plan, 1);
	assert_true(knob.NEXT_BUDDY && knob.newidle == NEWIDLE_THROTTLE && knob.LB_MIN);
}

static void test_apply(void **state)
{
	(void)state;
	test_machine(1, 1, 4, 1);
	test_boot(SWITCH_STACKS);
	expect_plan("screen=NEXT_BUDDY,newidle:off LB_MIN");
	test_run(apply_some, NULL);
}

static void test_refused(void **state)
{
	(void)state;
	test_machine(1, 1, 4, 1);
	expect_refused("screen=NEXT_BUDDY", "only one switch");
	expect_refused("screen=NEXT_BUDDY,newidle", "no two values of \"newidle\"");
	expect_refused("screen=NEXT_BUDDY,NEXT_BUDDI", "no two values of \"NEXT_BUDDI\"");
	expect_refused("screen=NEXT_BUDDY,LAST_BUDDY,NEXT_BUDDY", "given twice: \"NEXT_BUDDY\"");
	expect_refused("screen=NEXT_BUDDY,newidle:off/off", "the same value twice of \"newidle\"");
	expect_refused("screen=NEXT_BUDDY,newidle:throttle", "the same value twice");
	expect_refused("screen=NEXT_BUDDY,newidle:off/onn", "off|throttle|always|cost");
	expect_refused("screen=NEXT_BUDDY,nweidle:off/always", "near: newidle");
	expect_refused("screen=a:1/2,b:1/2,c:1/2,d:1/2,e:1/2,f:1/2,g:1/2,h:1/2,i:1/2",
		"more than 8 switches, the first too many being \"i");
	expect_refused("screen=NEXT_BUDDY,LAST_BUDDY vary=newidle:off,cost", "screen=");
	expect_refused("screen=NEXT_BUDDY,LAST_BUDDY variant=LB_MIN", "exclude each other");
}

/* The largest plan there is fits into its record, and says what is the same as what. */
static void test_largest_plan(void **state)
{
	(void)state;
	test_machine(1, 1, 4, 1);
	screen_features(8);
	test_console_clear();
	report_plan(&plan);
	assert_non_null(strstr(
		test_console(), "Screen: 8 switches in 64 of 256 combinations; resolution V, I = -ABCDG = -ABEFH = CDEFGH\n"));
	assert_non_null(strstr(test_console(), "  H  GENTLE_FAIR_SLEEPERS: off, on\n"));
	assert_non_null(strstr(test_console(), "\"cpus\":4}"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		machine_test(test_resolution),
		machine_test(test_better_resolutions),
		machine_test(test_levels),
		machine_test(test_apply),
		machine_test(test_refused),
		machine_test(test_largest_plan),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
