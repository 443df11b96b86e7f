/* SPDX-License-Identifier: GPL-2.0-or-later
 * Counters of the machine in an experiment: which are wanted, when they count, and what the records say. The machine's side is the
 * test's: it answers with numbers chosen here. */
#include "tests/unit/lab.h"

#include "lab/counters.h"

#define BIT(event) (1u << (event))
enum { ALL = BIT(NR_HW_EVENTS) - 1 };

static void boot(void)
{
	test_machine(1, 1, 2, 1);
	test_boot(SWITCH_STACKS);
	test_counts = (struct hw_counts){ .supported = BIT(HW_CYCLES) | BIT(HW_BRANCHES), .enabled_ns = 9000 };
	test_counts.value[HW_CYCLES] = 123456;
	test_counts.running_ns[HW_CYCLES] = 9000;
	test_counts.value[HW_BRANCHES] = 777;
	test_counts.running_ns[HW_BRANCHES] = 6000;
}

static void assert_wanted(const char *cmdline, u32 events)
{
	make_plan(cmdline);
	assert_int_equal(plan.events, events);
}

static void assert_refused(const char *cmdline, const char *why)
{
	memset(&plan, 0, sizeof(plan));
	assert_int_equal(plan_parse(&plan, cmdline), -E_INVAL);
	if (!strstr(plan.error, why))
		fail_msg("\"%s\" has no \"%s\"", plan.error, why);
}

static void test_parameters(void **state)
{
	(void)state;
	boot();
	assert_wanted("", ALL);
	assert_wanted("counters=off", 0);
	assert_wanted("events=cycles", BIT(HW_CYCLES));
	assert_wanted("events=ref_cycles,branch_misses", BIT(HW_REF_CYCLES) | BIT(HW_BRANCH_MISSES));
	assert_wanted("events=cycles counters=off", 0);
	assert_refused("events=cycle", "events= \"cycle\": expected a list of cycles, instructions,");
	assert_refused("events=cycles,", "\"cycles,\"");
	assert_refused("events=,cycles", "\",cycles\"");
	assert_refused("events=cycles,loads", "\"loads\"");
	assert_refused("events=cycles,loads counters=off", "\"loads\"");
}

static void assert_behind(const char *record, const char *key, const char *expected)
{
	const char *value = value_of(record, key);

	if (strncmp(value, expected, strlen(expected)) != 0)
		fail_msg("%s is %.60s; expected %s", key, value, expected);
}

/* Values of what is counted, "not supported" where there is nothing, and times as the machine says. */
static void test_record(void **state)
{
	const char *run;

	(void)state;
	boot();
	experiment("run=\"spin -n 1000\"");
	assert_int_equal(test_wanted, ALL);
	assert_false(test_counting);
	run = record_of("run", 0);
	assert_behind(run, "counters",
		"{\"cycles\":123456,\"instructions\":\"not supported\",\"branches\":777,\"branch_misses\":\"not supported\",\"stalled_"
		"frontend\":\"not supported\",\"stalled_backend\":\"not supported\",\"llc_misses\":\"not supported\",\"ref_cycles\":"
		"\"not supported\"}");
	assert_behind(run, "counters_enabled_ns", "9000,");
	assert_behind(run, "counters_running_ns", "{\"cycles\":9000,\"branches\":6000}");
}

/* What is supported and not wanted has counted for no time. */
static void test_off(void **state)
{
	const char *run;

	(void)state;
	boot();
	experiment("counters=off run=\"spin -n 1000\"");
	assert_int_equal(test_wanted, 0);
	run = record_of("run", 0);
	assert_behind(run, "counters", "{\"cycles\":0,\"instructions\":\"not supported\",\"branches\":0,");
	assert_behind(run, "counters_enabled_ns", "0,");
	assert_behind(run, "counters_running_ns", "{\"cycles\":0,\"branches\":0}");
}

static void test_no_counters(void **state)
{
	const char *run;

	(void)state;
	boot();
	test_counts = (struct hw_counts){ .supported = 0 };
	experiment("run=\"spin -n 1000\"");
	run = record_of("run", 0);
	assert_behind(run, "status", "\"ok\"");
	assert_behind(run, "counters", "{\"cycles\":\"not supported\",");
	assert_behind(run, "counters_running_ns", "{}");
}

/* One interval a run: who accompanies it neither begins nor ends it. The test machine refuses to begin twice. */
static void test_companions_do_not_count(void **state)
{
	(void)state;
	boot();
	experiment("run=\"massive_intr 2 1\" with=\"massive_intr 1 1 -m 20\" runs=2");
	assert_behind(record_of("run", 1), "counters_enabled_ns", "9000,");
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		machine_test(test_parameters),
		machine_test(test_record),
		machine_test(test_off),
		machine_test(test_no_counters),
		machine_test(test_companions_do_not_count),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("counters", tests, NULL, NULL);
}
