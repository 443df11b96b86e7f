/* SPDX-License-Identifier: GPL-2.0-or-later
 * The order of an experiment's runs, and what is said of them, with a workload that only looks around.
 *
 * Expected values: what plan.h and base/record.def promise; how much of a linear drift each order lets through is workloads.md 6.2.
 * A miss means that a drift would pass for an effect. */
#include <stdio.h>

#include "tests/unit/machine.h"

#include "base/mem.h"
#include "base/text.h"
#include "lab/lab.h"

static struct plan plan;

static void expect_plan(const char *cmdline)
{
	memset(&plan, 0, sizeof(plan));
	if (plan_parse(&plan, cmdline))
		fail_msg("%s: %s", cmdline, plan.error);
}

/* ---- experiments: a workload that notes under which of newidle's values it runs ---- */

enum { MOST_RUNS = 9000 };

static struct {
	unsigned nr;
	u8 variant[MOST_RUNS];
	u64 free_bytes[MOST_RUNS];
	u32 tasks[MOST_RUNS];
	const char *status[MOST_RUNS]; /* NULL: ok */
} seen;

static void end_at_once(void *unused)
{
	(void)unused;
}

/* Takes memory and makes a task, so that one can see whether both are gone at the next run; says something, which must wait. */
static void look_around(const void *options, struct run *r)
{
	size_t said = strlen(test_console());
	unsigned i = seen.nr++;

	(void)options;
	seen.variant[i] = knob.newidle - NEWIDLE_OFF;
	seen.free_bytes[i] = mem_free_bytes();
	seen.tasks[i] = task_count();
	assert_non_null(mem_alloc(4096));
	run_begin(r);
	assert_non_null(task_spawn("child", end_at_once, NULL, true));
	task_reap(REAP_ANY);
	run_finish(r);
	say("looked around\n");
	assert_int_equal(strlen(test_console()), said);
	r->status = seen.status[i] ? seen.status[i] : "ok";
}

static const struct workload probe = { .name = "probe", .run = look_around };
static struct outcome outcome;

static void run_plan(void *unused)
{
	(void)unused;
	experiment_run(&plan, &outcome);
}

/* That many workloads, called "probe 0" and so on. The order of variants is then in seen.variant, newidle=off being 0: none of
 * newidle's values is the base. */
static void experiment(const char *cmdline, unsigned nr_workloads)
{
	expect_plan(cmdline);
	plan.nr_workloads = nr_workloads;
	for (unsigned i = 0; i < nr_workloads; i++) {
		plan.workload[i].workload = &probe;
		text_format(plan.workload[i].text, TEXT_BYTES, "probe %u", i);
	}
	seen.nr = 0;
	outcome = (struct outcome){ .message = "" };
	test_console_clear();
	test_run(run_plan, NULL);
	while (current()->nr_children) /* the experiment's main task */
		task_reap(REAP_ANY);
	assert_int_equal(outcome.runs, seen.nr);
}

static void start_lab(void)
{
	test_machine(1, 1, 4, 1);
	test_boot(SWITCH_STACKS);
}

static void expect_order(const char *digits)
{
	char s[64];

	assert_true(seen.nr < sizeof(s));
	for (unsigned i = 0; i < seen.nr; i++)
		s[i] = (char)('0' + seen.variant[i]);
	s[seen.nr] = '\0';
	assert_string_equal(s, digits);
}

#define VARY2 "vary=newidle:off,throttle "
#define VARY3 "vary=newidle:off,throttle,always "

static void test_order_abab(void **state)
{
	(void)state;
	start_lab();
	experiment(VARY3 "order=abab runs=3", 1);
	expect_order("012012012");
}

static void test_order_aabb(void **state)
{
	(void)state;
	start_lab();
	experiment(VARY3 "order=aabb runs=3", 1);
	expect_order("000111222");
}

/* Passes 2k and 2k+1 are mirror images, and each goes up or down. */
static void expect_mirrored(unsigned variants, unsigned runs)
{
	assert_int_equal(seen.nr, variants * runs);
	for (unsigned pass = 0; pass < runs; pass++) {
		const u8 *v = seen.variant + pass * variants;
		bool down = v[0] != 0;

		for (unsigned i = 0; i < variants; i++)
			assert_int_equal(v[i], down ? variants - 1 - i : i);
		if (pass % 2)
			assert_int_equal(v[0], v[-1]);
	}
}

/* The seed says which of a pair comes first: over 32 seeds both occur for the first pair, and for the second whatever the first
 * was. */
static void test_order_abba(void **state)
{
	unsigned count[2][2] = { { 0 } };
	char cmdline[64];

	(void)state;
	start_lab();
	for (unsigned seed = 1; seed <= 32; seed++) {
		snprintf(cmdline, sizeof(cmdline), VARY3 "runs=5 seed=%u", seed);
		experiment(cmdline, 1);
		expect_mirrored(3, 5);
		count[seen.variant[0] != 0][seen.variant[6] != 0]++;
	}
	for (unsigned i = 0; i < 4; i++)
		assert_in_range(count[i / 2][i % 2], 2, 16);
}

static void test_same_seed_same_order(void **state)
{
	static const char *const order[] = { VARY3 "runs=20 seed=5 order=abba", VARY3 "runs=20 seed=5 order=random" };
	u8 first[60];

	(void)state;
	start_lab();
	for (unsigned i = 0; i < ARRAY_SIZE(order); i++) {
		experiment(order[i], 1);
		memcpy(first, seen.variant, sizeof(first));
		experiment(order[i], 1);
		assert_memory_equal(first, seen.variant, sizeof(first));
	}
	experiment(VARY3 "runs=20 seed=6 order=random", 1);
	assert_memory_not_equal(first, seen.variant, sizeof(first));
}

/* The sum of the positions of one variant's runs. */
static unsigned positions_of(u8 variant)
{
	unsigned sum = 0;

	for (unsigned i = 0; i < seen.nr; i++)
		sum += seen.variant[i] == variant ? i : 0;
	return sum;
}

/* workloads.md 6.2: with y = a * t and two runs each, B - A comes out too high by 2a for AABB, a for ABAB and 0 for ABBA. Here for
 * the sums, so twice that. */
static void test_linear_drift(void **state)
{
	(void)state;
	start_lab();
	experiment(VARY2 "runs=2 order=aabb", 1);
	assert_int_equal(positions_of(1) - positions_of(0), 4);
	experiment(VARY2 "runs=2 order=abab", 1);
	assert_int_equal(positions_of(1) - positions_of(0), 2);
	experiment(VARY2 "runs=2 order=abba", 1);
	assert_int_equal(positions_of(1), positions_of(0));
	experiment(VARY3 "runs=20 order=abba", 1);
	assert_int_equal(positions_of(1), positions_of(0));
	assert_int_equal(positions_of(2), positions_of(0));
}

enum { PASSES = MOST_RUNS / 3, EACH = PASSES / 6 };

/* count[a][b]: how often a came first and b second, of PASSES. */
static void expect_uniform(int count[3][3])
{
	int sum = 0;

	for (unsigned i = 0; i < 9; i++)
		if (i / 3 != i % 3)
			sum += (count[i / 3][i % 3] - EACH) * (count[i / 3][i % 3] - EACH);
	assert_in_range(sum, 0, 20.5 * EACH);
}

/* Every pass has every variant once. All 6 orders of 3 come equally often, of 3000 passes 500 each, and so do the 6 ways in which a
 * pass can be the one before reordered. The sum of the squared differences over 500 is chi-square with 5 degrees of freedom,
 * above 20.5 once in a thousand times. */
static void test_order_random(void **state)
{
	int order[3][3] = { { 0 } }, reorder[3][3] = { { 0 } };
	u8 place[3] = { 0, 1, 2 }; /* of each variant in the pass before */

	(void)state;
	start_lab();
	experiment(VARY3 "order=random runs=3000 seed=3", 1);
	assert_int_equal(seen.nr, 3 * PASSES);
	for (unsigned pass = 0; pass < PASSES; pass++) {
		const u8 *v = seen.variant + 3 * pass;

		assert_int_equal(1 << v[0] | 1 << v[1] | 1 << v[2], 7);
		order[v[0]][v[1]]++;
		reorder[place[v[0]]][place[v[1]]]++;
		for (u8 i = 0; i < 3; i++)
			place[v[i]] = i;
	}
	expect_uniform(order);
	expect_uniform(reorder);
}

/* Warm-ups of a workload come before anything measured of it, under every variant in turn. */
static void test_warmups_first(void **state)
{
	(void)state;
	start_lab();
	experiment(VARY2 "warmup=2 runs=2 order=aabb", 2);
	expect_order("0101"
		     "0011"
		     "0101"
		     "0011");
}

/* ---- what is said of the runs ---- */

struct said {
	char workload[32], variant[64], status[64];
	unsigned long long index, position, warmup;
};

/* The run record behind *text, and move on. */
static bool next_record(const char **text, struct said *r)
{
	*text = strstr(*text, "{\"t\":\"run\"");
	if (!*text)
		return false;
	assert_int_equal(
		sscanf(*text,
			"{\"t\":\"run\",\"workload\":\"%31[^\"]\",\"variant\":\"%63[^\"]\",\"index\":%llu,\"position\":%llu,"
			"\"warmup\":%llu,\"status\":\"%63[^\"]\",",
			r->workload, r->variant, &r->index, &r->position, &r->warmup, r->status),
		6);
	++*text;
	return true;
}

/* record.def: index counts the runs of one workload, variant and warm-up state, position all runs, both from 0. */
static void test_labels(void **state)
{
	static const struct said want[] = {
		{ "probe 0", "newidle=off", "ok", 0, 0, 1 },
		{ "probe 0", "newidle=throttle", "ok", 0, 1, 1 },
		{ "probe 0", "newidle=off", "ok", 1, 2, 1 },
		{ "probe 0", "newidle=throttle", "ok", 1, 3, 1 },
		{ "probe 0", "newidle=off", "ok", 0, 4, 0 },
		{ "probe 0", "newidle=throttle", "ok", 0, 5, 0 },
		{ "probe 1", "newidle=off", "ok", 0, 6, 1 },
		{ "probe 1", "newidle=throttle", "ok", 0, 7, 1 },
		{ "probe 1", "newidle=off", "ok", 1, 8, 1 },
		{ "probe 1", "newidle=throttle", "ok", 1, 9, 1 },
		{ "probe 1", "newidle=off", "ok", 0, 10, 0 },
		{ "probe 1", "newidle=throttle", "ok", 0, 11, 0 },
	};
	const char *text;
	struct said r;

	(void)state;
	start_lab();
	experiment(VARY2 "warmup=2 runs=1 order=abab", 2);
	text = test_console();
	for (unsigned i = 0; i < ARRAY_SIZE(want); i++) {
		assert_true(next_record(&text, &r));
		assert_string_equal(r.workload, want[i].workload);
		assert_string_equal(r.variant, want[i].variant);
		assert_string_equal(r.status, "ok");
		assert_true(r.index == want[i].index && r.position == want[i].position && r.warmup == want[i].warmup);
	}
	assert_false(next_record(&text, &r));
	assert_non_null(strstr(test_console(), "Run 1 of 12, warm-up: probe 0 [newidle=off]\nlooked around\n"));
	assert_non_null(strstr(test_console(), "Run 12 of 12: probe 1 [newidle=throttle]\nlooked around\n"));
}

/* An index counts within its variant in whatever order the runs come, and the record's switches are those of its variant. */
static void test_labels_out_of_order(void **state)
{
	unsigned long long next[2] = { 0 };
	unsigned position = 0;
	const char *text;
	struct said r;

	(void)state;
	start_lab();
	experiment(VARY2 "runs=8 order=random seed=9", 1);
	for (text = test_console(); next_record(&text, &r); position++) {
		u8 variant = seen.variant[position];
		const char *knobs = strstr(text, "\"knobs\":{");

		assert_true(r.position == position && r.index == next[variant]++);
		assert_string_equal(r.variant, variant ? "newidle=throttle" : "newidle=off");
		assert_non_null(knobs);
		knobs = strstr(knobs, "\"newidle\":");
		assert_non_null(knobs);
		assert_memory_equal(knobs, variant ? "\"newidle\":\"throttle\"" : "\"newidle\":\"off\"", variant ? 20 : 15);
	}
	assert_int_equal(position, 16);
	assert_true(next[0] == 8 && next[1] == 8);
}

/* Each run begins alone and with all the memory, whatever the one before has left behind. */
static void test_runs_are_alone(void **state)
{
	(void)state;
	start_lab();
	experiment(VARY2 "runs=5", 1);
	for (unsigned i = 0; i < seen.nr; i++) {
		assert_int_equal(seen.tasks[i], 1);
		if (i > 1) /* the first makes the task structures that the others use again */
			assert_int_equal(seen.free_bytes[i], seen.free_bytes[1]);
	}
}

/* A failed run is counted and the experiment goes on; the first failure is the one reported. */
static void test_failures(void **state)
{
	const char *text;
	struct said r;

	(void)state;
	start_lab();
	seen.status[1] = "it broke";
	seen.status[3] = "it broke again";
	experiment(VARY2 "runs=2", 1);
	assert_true(outcome.runs == 4 && outcome.failed == 2);
	assert_string_equal(outcome.message, "it broke");
	text = test_console();
	for (unsigned i = 0; i < 4; i++) {
		assert_true(next_record(&text, &r));
		assert_string_equal(r.status, seen.status[i] ? seen.status[i] : "ok");
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		machine_test(test_order_abab),
		machine_test(test_order_aabb),
		machine_test(test_order_abba),
		machine_test(test_same_seed_same_order),
		machine_test(test_linear_drift),
		machine_test(test_order_random),
		machine_test(test_warmups_first),
		machine_test(test_labels),
		machine_test(test_labels_out_of_order),
		machine_test(test_runs_are_alone),
		machine_test(test_failures),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
