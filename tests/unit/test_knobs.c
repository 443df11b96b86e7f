/* SPDX-License-Identifier: GPL-2.0-or-later
 * Switches: their tables, and the scheduler's own. Expected latency and granularities are the table of cfs.md 1.6, row 3.8. */
#include "tests/unit/bare.h"

#include "base/knobs.h"
#include "base/text.h"
#include "sched/knobs.h"

/* ---- switches: a table of its own ---- */

static u8 a_feature, another_feature, a_choice;
static u64 a_number;
static char a_text[6];
static const char *const a_choice_words[] = { "red", "green", "blue", NULL };

static const struct knob some_knobs[] = {
	{ .name = "NEXT_BUDDY", .kind = KNOB_FEATURE, .value = &a_feature, .initial = 0, .unit = "", .era = "", .help = "" },
	{ .name = "LAST_BUDDY", .kind = KNOB_FEATURE, .value = &another_feature, .initial = 1, .unit = "", .era = "", .help = "" },
	{ .name = "cost_ns",
		.kind = KNOB_NUMBER,
		.value = &a_number,
		.initial = 500,
		.least = 10,
		.most = 1000,
		.unit = "ns",
		.era = "" },
	{ .name = "colour", .kind = KNOB_CHOICE, .value = &a_choice, .initial = 1, .words = a_choice_words, .unit = "", .era = "" },
	{ .name = "title",
		.kind = KNOB_TEXT,
		.value = a_text,
		.initial_text = "none",
		.most = sizeof(a_text),
		.unit = "",
		.era = "" },
};
static const struct knob_table some_table = { "test", some_knobs, ARRAY_SIZE(some_knobs) };

static char error[KNOB_ERROR_BYTES];

static int assign(const char *assignment)
{
	const struct knob_table *tables[] = { &sched_knob_table, &some_table };

	error[0] = '\0';
	return knob_assign(tables + 1, 1, assignment, error);
}

static void expect_refused(const char *assignment, int err, const char *const *said)
{
	assert_int_equal(assign(assignment), err);
	for (; *said; said++)
		if (!strstr(error, *said))
			fail_msg("%s: \"%s\" does not say \"%s\"", assignment, error, *said);
	assert_null(strchr(error, '\n'));
}

static void expect_printed(const void *value, const char *text)
{
	char s[32] = "";

	knob_print_of(&some_table, value, s, sizeof(s));
	assert_string_equal(s, text);
}

static void test_knobs_reset(void **state)
{
	(void)state;
	a_feature = another_feature = 0;
	a_number = 7;
	a_choice = 2;
	memset(a_text, 'x', sizeof(a_text));
	knobs_reset(&some_table);
	assert_int_equal(a_feature, 0);
	assert_int_equal(another_feature, 1);
	assert_true(a_number == 500);
	assert_int_equal(a_choice, 1);
	assert_string_equal(a_text, "none");
}

static void test_knobs_print(void **state)
{
	char s[4];

	(void)state;
	knobs_reset(&some_table);
	expect_printed(&a_feature, "0");
	expect_printed(&another_feature, "1");
	expect_printed(&a_number, "500");
	expect_printed(&a_choice, "green");
	expect_printed(a_text, "none");
	knob_print(&some_knobs[3], s, sizeof(s));
	assert_string_equal(s, "gre");
}

static void test_knobs_as_numbers(void **state)
{
	u64 v;

	(void)state;
	knobs_reset(&some_table);
	assert_true(knob_number(&some_knobs[1], &v) && v == 1);
	assert_true(knob_number(&some_knobs[2], &v) && v == 500);
	assert_false(knob_number(&some_knobs[3], &v));
	assert_false(knob_number(&some_knobs[4], &v));
}

static void test_knobs_assign(void **state)
{
	static const struct {
		const char *set, *clear;
	} way[] = { { "NEXT_BUDDY", "NO_NEXT_BUDDY" }, { "NEXT_BUDDY=1", "NEXT_BUDDY=0" }, { "NEXT_BUDDY=on", "NEXT_BUDDY=off" } };

	(void)state;
	knobs_reset(&some_table);
	for (unsigned i = 0; i < ARRAY_SIZE(way); i++) {
		assert_int_equal(assign(way[i].set), 0);
		assert_int_equal(a_feature, 1);
		assert_int_equal(assign(way[i].clear), 0);
		assert_int_equal(a_feature, 0);
	}
	assert_int_equal(assign("cost_ns=10"), 0);
	assert_true(a_number == 10);
	assert_int_equal(assign("cost_ns=0x3e8"), 0);
	assert_true(a_number == 1000);
	assert_int_equal(assign("colour=blue"), 0);
	assert_int_equal(a_choice, 2);
	assert_int_equal(assign("title=12345"), 0);
	assert_string_equal(a_text, "12345");
	assert_int_equal(assign("title="), 0);
	assert_string_equal(a_text, "");
}

/* What was expected is said, and nothing is changed. */
static void test_knobs_bad_values(void **state)
{
	(void)state;
	knobs_reset(&some_table);
	expect_refused("cost_ns=9", -E_INVAL, (const char *[]){ "cost_ns=9", "10 to 1000 ns", NULL });
	expect_refused("cost_ns=1001", -E_INVAL, (const char *[]){ "10 to 1000 ns", NULL });
	expect_refused("cost_ns=18446744073709551616", -E_INVAL, (const char *[]){ "10 to 1000 ns", NULL });
	expect_refused("cost_ns=-1", -E_INVAL, (const char *[]){ "10 to 1000 ns", NULL });
	expect_refused("cost_ns=", -E_INVAL, (const char *[]){ "10 to 1000 ns", NULL });
	expect_refused("cost_ns", -E_INVAL, (const char *[]){ "cost_ns", "value", NULL });
	expect_refused("colour=pink", -E_INVAL, (const char *[]){ "colour=pink", "red|green|blue", NULL });
	expect_refused("colour=Red", -E_INVAL, (const char *[]){ "red|green|blue", NULL });
	expect_refused("NEXT_BUDDY=2", -E_INVAL, (const char *[]){ "on or off", "NO_NEXT_BUDDY", NULL });
	expect_refused("title=123456", -E_INVAL, (const char *[]){ "title", "5 characters", NULL });
	assert_true(a_number == 500);
	assert_int_equal(a_choice, 1);
	assert_int_equal(a_feature, 0);
}

static void test_knobs_unknown_names(void **state)
{
	(void)state;
	expect_refused("NEXT_BUDY", -E_NOENT, (const char *[]){ "\"NEXT_BUDY\"", "near: NEXT_BUDDY, LAST_BUDDY", NULL });
	expect_refused("last_buddy", -E_NOENT, (const char *[]){ "near: LAST_BUDDY", NULL });
	expect_refused("NO_LAST_BUDDI", -E_NOENT, (const char *[]){ "LAST_BUDDY", NULL });
	expect_refused("color=red", -E_NOENT, (const char *[]){ "\"color\"", "near: colour", NULL });
	expect_refused("COST_NS=20", -E_NOENT, (const char *[]){ "near: cost_ns", NULL });
	expect_refused("NO_colour", -E_NOENT, (const char *[]){ "colour", NULL });
	expect_refused("", -E_NOENT, (const char *[]){ "help=1", NULL });
	expect_refused("=1", -E_NOENT, (const char *[]){ "help=1", NULL });
	expect_refused("zzzzzzzzzzzzzzzz", -E_NOENT, (const char *[]){ "zzzz", "help=1", NULL });
}

/* However long the assignment, the error stays inside its memory; the sanitizer looks. */
static void test_knobs_long_assignments(void **state)
{
	static const char *const before[] = { "", "cost_ns=", "colour=", "NEXT_BUDDY=", "title=" };
	char assignment[600];

	(void)state;
	for (unsigned i = 0; i < ARRAY_SIZE(before); i++) {
		memset(assignment, 'y', sizeof(assignment) - 1);
		assignment[sizeof(assignment) - 1] = '\0';
		memcpy(assignment, before[i], strlen(before[i]));
		assert_true(assign(assignment) < 0);
		assert_true(strlen(error) < KNOB_ERROR_BYTES);
	}
}

/* Several tables are one name space. */
static void test_knobs_of_two_tables(void **state)
{
	const struct knob_table *tables[] = { &sched_knob_table, &some_table };

	(void)state;
	knobs_reset(&some_table);
	knobs_reset(&sched_knob_table);
	assert_int_equal(knob_assign(tables, 2, "colour=red", error), 0);
	assert_int_equal(a_choice, 0);
	assert_int_equal(knob_assign(tables, 2, "NEXT_BUDDY", error), 0);
	assert_int_equal(knob.NEXT_BUDDY, 1);
	assert_int_equal(a_feature, 0);
	assert_int_equal(knob_assign(tables, 2, "newidel=off", error), -E_NOENT);
	assert_non_null(strstr(error, "near: newidle"));
}

/* ---- the scheduler's switches ---- */

/* knobs.h: a printed value is one that can be assigned. It must also mean the same. */
static void test_sched_knobs_round_trip(void **state)
{
	const struct knob_table *tables[] = { &sched_knob_table };

	(void)state;
	knobs_reset(&sched_knob_table);
	sched_knobs_settle(4);
	for (unsigned i = 0; i < sched_knob_table.nr; i++) {
		const struct knob *k = &sched_knob_table.knob[i];
		struct sched_knobs before = knob;
		char value[32], assignment[80];

		knob_print(k, value, sizeof(value));
		text_format(assignment, sizeof(assignment), "%s=%s", k->name, value);
		memset(k->value, 0x55, k->kind == KNOB_NUMBER ? 8 : 1);
		if (knob_assign(tables, 1, assignment, error))
			fail_msg("%s", error);
		assert_memory_equal(&before, &knob, sizeof(knob));
	}
}

struct settled {
	unsigned cpus;
	u64 latency_us, min_granularity_us, wakeup_granularity_us;
};

static void expect_settled(u8 scaling, const struct settled *want, unsigned n)
{
	for (unsigned i = 0; i < n; i++, want++) {
		knobs_reset(&sched_knob_table);
		knob.sched_tunable_scaling = scaling;
		sched_knobs_settle(want->cpus);
		if (knob.sched_latency_ns != want->latency_us * 1000 ||
			knob.sched_min_granularity_ns != want->min_granularity_us * 1000 ||
			knob.sched_wakeup_granularity_ns != want->wakeup_granularity_us * 1000)
			fail_msg("%u CPUs: %llu, %llu, %llu ns", want->cpus, (unsigned long long)knob.sched_latency_ns,
				(unsigned long long)knob.sched_min_granularity_ns,
				(unsigned long long)knob.sched_wakeup_granularity_ns);
	}
}

/* cfs.md 1.6, row 3.8: 6/0.75/1 ms times 1 + log2(CPUs), counting at most 8 CPUs; between powers of two the logarithm is cut. */
static void test_settle_log(void **state)
{
	static const struct settled want[] = {
		{ 1, 6000, 750, 1000 },
		{ 2, 12000, 1500, 2000 },
		{ 3, 12000, 1500, 2000 },
		{ 4, 18000, 2250, 3000 },
		{ 7, 18000, 2250, 3000 },
		{ 8, 24000, 3000, 4000 },
		{ 10, 24000, 3000, 4000 },
		{ 40, 24000, 3000, 4000 },
		{ 64, 24000, 3000, 4000 },
	};

	(void)state;
	expect_settled(SCALING_LOG, want, ARRAY_SIZE(want));
}

/* Scaling 0 of 3.8: a factor of 1 whatever the machine. */
static void test_settle_none(void **state)
{
	static const struct settled want[] = {
		{ 1, 6000, 750, 1000 },
		{ 2, 6000, 750, 1000 },
		{ 4, 6000, 750, 1000 },
		{ 8, 6000, 750, 1000 },
		{ 64, 6000, 750, 1000 },
	};

	(void)state;
	expect_settled(SCALING_NONE, want, ARRAY_SIZE(want));
}

/* Scaling 2 of 3.8: a factor of min(CPUs, 8). */
static void test_settle_linear(void **state)
{
	static const struct settled want[] = {
		{ 1, 6000, 750, 1000 },
		{ 2, 12000, 1500, 2000 },
		{ 4, 24000, 3000, 4000 },
		{ 8, 48000, 6000, 8000 },
		{ 64, 48000, 6000, 8000 },
	};

	(void)state;
	expect_settled(SCALING_LINEAR, want, ARRAY_SIZE(want));
}

/* What was set stays as it was set, whatever the scaling; the rest of 1.6 does not scale at all. */
static void test_settle_keeps_what_was_set(void **state)
{
	const struct knob_table *tables[] = { &sched_knob_table };

	(void)state;
	knobs_reset(&sched_knob_table);
	assert_int_equal(knob_assign(tables, 1, "sched_latency_ns=20000000", error), 0);
	assert_int_equal(knob_assign(tables, 1, "sched_wakeup_granularity_ns=0", error), 0);
	sched_knobs_settle(8);
	assert_true(knob.sched_latency_ns == 20000000);
	assert_true(knob.sched_min_granularity_ns == 3000000);
	assert_true(knob.sched_wakeup_granularity_ns == 0);
	assert_true(knob.sched_migration_cost_ns == 500000);
	assert_true(knob.sched_nr_migrate == 32);
	assert_true(knob.sched_child_runs_first == 0);
	sched_knobs_settle(1);
	assert_true(knob.sched_min_granularity_ns == 3000000);
}

/* cfs.md 1.6: the ranges that the files of 3.8 accept. */
static void test_sched_ranges(void **state)
{
	static const char *const good[] = { "sched_latency_ns=100000", "sched_latency_ns=1000000000",
		"sched_min_granularity_ns=100000", "sched_min_granularity_ns=1000000000", "sched_wakeup_granularity_ns=0",
		"sched_wakeup_granularity_ns=1000000000" };
	static const char *const bad[] = { "sched_latency_ns=99999", "sched_latency_ns=1000000001",
		"sched_min_granularity_ns=99999", "sched_min_granularity_ns=1000000001", "sched_wakeup_granularity_ns=1000000001",
		"sched_tunable_scaling=3" };
	const struct knob_table *tables[] = { &sched_knob_table };

	(void)state;
	for (unsigned i = 0; i < ARRAY_SIZE(good); i++)
		assert_int_equal(knob_assign(tables, 1, good[i], error), 0);
	for (unsigned i = 0; i < ARRAY_SIZE(bad); i++)
		assert_int_equal(knob_assign(tables, 1, bad[i], error), -E_INVAL);
}
int main(void)
{
	const struct CMUnitTest tests[] = {
		machine_test(test_knobs_reset),
		machine_test(test_knobs_print),
		machine_test(test_knobs_as_numbers),
		machine_test(test_knobs_assign),
		machine_test(test_knobs_bad_values),
		machine_test(test_knobs_unknown_names),
		machine_test(test_knobs_long_assignments),
		machine_test(test_knobs_of_two_tables),
		machine_test(test_sched_knobs_round_trip),
		machine_test(test_settle_log),
		machine_test(test_settle_none),
		machine_test(test_settle_linear),
		machine_test(test_settle_keeps_what_was_set),
		machine_test(test_sched_ranges),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
