/* SPDX-License-Identifier: GPL-2.0-or-later
 * The last words of a machine (metal.md 7; docs/reliability.md): whoever reads them must learn what it was, whatever else is broken
 * by then, and what every other CPU was doing. */
#include "tests/unit/machine.h"

#include "base/bug.h"
#include "base/bystanders.h"
#include "base/string.h"
#include "base/text.h"

static void break_a_rule(void *unused)
{
	(void)unused;
	bug("the first rule");
}

static const char *fail_to_name(unsigned cpu)
{
	(void)cpu;
	bug("the second rule");
}

/* The report asks for the name of the task, and that is broken too. */
static void test_fault_in_the_report(void **state)
{
	(void)state;
	test_machine(1, 1, 2, 1);
	test_boot(SWITCH_LABELS);
	fault_task_name = fail_to_name;
	assert_int_equal(test_end_of(break_a_rule, NULL), VERDICT_FAULT);
	assert_non_null(strstr(test_console(), "Fault in the report of a fault: bug\n  the second rule\n"));
	assert_non_null(strstr(test_console(), "that was: bug\n  the first rule\n"));
}

/* ---- bystanders ---- */

static u64 all_apart(unsigned cpu)
{
	return 0x1000 + cpu;
}

static u64 in_pairs(unsigned cpu)
{
	return 0x1000 + cpu / 2;
}

static const char *const *lines;

static unsigned describe(unsigned cpus, unsigned self, u64 (*place)(unsigned cpu))
{
	test_machine(1, 1, cpus, 1);
	test_stopped_at = place;
	return bystanders_describe(self, &lines);
}

/* 0 and 1; not 2; 3, whose pair that is; 4 and 5. */
static void test_rows_of_the_same_place(void **state)
{
	(void)state;
	assert_int_equal(describe(6, 2, in_pairs), 3);
	assert_string_equal(lines[0], "CPUs 0-1 (none), interrupts on: 0x1000");
	assert_string_equal(lines[1], "CPU 3 (none), interrupts on: 0x1001");
	assert_string_equal(lines[2], "CPUs 4-5 (none), interrupts on: 0x1002");
}

static void test_no_answer(void **state)
{
	(void)state;
	assert_int_equal(describe(4, 0, NULL), 1);
	assert_string_equal(lines[0], "CPUs 1-3 (none), no answer");
}

/* 64 lines: 63 CPUs from the first other one on, and a word on the rest. */
static void test_more_than_there_is_room_for(void **state)
{
	(void)state;
	assert_int_equal(describe(64, 63, all_apart), 63);
	assert_string_equal(lines[62], "CPU 62 (none), interrupts on: 0x103e");
	assert_int_equal(describe(256, 0, all_apart), 64);
	assert_string_equal(lines[62], "CPU 63 (none), interrupts on: 0x103f");
	assert_string_equal(lines[63], "CPUs 64-255: no room");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		machine_test(test_fault_in_the_report),
		machine_test(test_rows_of_the_same_place),
		machine_test(test_no_answer),
		machine_test(test_more_than_there_is_room_for),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
