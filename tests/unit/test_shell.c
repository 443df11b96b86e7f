/* SPDX-License-Identifier: GPL-2.0-or-later
 * Commands of the interactive console, typed on the test machine. Expected: what is typed means what it would mean on the kernel's
 * command line, and what is wrong changes nothing. */
#include "tests/unit/lab.h"

#include "base/results.h"
#include "lab/shell.h"
#include "lab/summary.h"

static void run_shell(void *unused)
{
	(void)unused;
	shell_run(&plan, &outcome);
}

/* Boots with that command line and types; every line ends with \r, and then there is no more input. */
static void shell(const char *cmdline, const char *keys)
{
	test_machine(1, 1, 4, 1);
	test_boot(SWITCH_STACKS);
	results_init();
	make_plan(cmdline);
	outcome = (struct outcome){ .message = "" };
	test_console_clear();
	test_type(keys);
	test_run(run_shell, NULL);
}

static void expect_said(const char *text)
{
	if (!strstr(test_console(), text))
		fail_msg("\"%s\" was not said, but:\n%s", text, test_console());
}

static void expect_not_said(const char *text)
{
	if (strstr(test_console(), text))
		fail_msg("\"%s\" was said", text);
}

static void settings_hold_and_override(void)
{
	shell("shell=1 newidle=off seed=7", "set newidle=always\rset NO_LAST_BUDDY runs=3\rnewidle=cost\rset\r");
	expect_said("shell=1 seed=7 NO_LAST_BUDDY runs=3 newidle=cost");
	assert_int_equal(knob.newidle, NEWIDLE_COST);
	assert_int_equal(knob.LAST_BUDDY, 0);
	assert_int_equal(param.seed, 7);
	assert_int_equal(param.runs, 3);
}

/* As at boot: a preset holds wherever it stands; another takes its place. */
static void presets(void)
{
	shell("shell=1", "preset v3.13\rpreset v2.6.32\rset newidle=always\rpreset\rset\r");
	expect_said("shell=1 preset=v2.6.32 newidle=always\n");
	expect_said("v3.8-nonewidle");
	assert_int_equal(knob.newidle, NEWIDLE_ALWAYS);
}

static void mistakes_change_nothing(void)
{
	shell("shell=1 newidle=off",
		"set newidle=maybe\rset NEXT_BUDY\rpreset v9\rset runs=\"3\rwith=\"spin -f 1\"\rrun hackbanch\rrun\rset\rhepl\rseed=9 bogus=1\r");
	expect_said("newidle=maybe: expected one of never|off|throttle|always|cost");
	expect_said("no parameter or switch is called \"NEXT_BUDY\"; near: NEXT_BUDDY");
	expect_said("a quote that is never closed");
	expect_said("accompanies a run=, and there is none");
	expect_said("no workload is called \"hackbanch\"");
	expect_said("near: help");
	expect_said("set\nshell=1 newidle=off\n");
	assert_int_equal(knob.newidle, NEWIDLE_OFF);
	assert_int_equal(param.seed, 1);
	assert_int_equal(outcome.runs, 0);
}

/* All that is typed without quotes is the workload's; behind quotes come more words of a command line, which hold for once. */
static void runs(void)
{
	shell("shell=1 runs=2",
		"run spin -n 1000\rrun \"spin -n 2000\" runs=1 vary=newidle:off,always\rrun=\"spin -n 3000\" runs=1\rset\r");
	assert_int_equal(outcome.runs, 2 + 2 + 1);
	assert_int_equal(outcome.failed, 0);
	expect_said("\"workload\":\"spin -n 1000\",\"variant\":\"base\",\"index\":1,\"position\":1,");
	expect_said("\"workload\":\"spin -n 2000\",\"variant\":\"newidle=always\"");
	expect_said("\"workload\":\"spin -n 3000\",\"variant\":\"base\",\"index\":0,\"position\":4,");
	expect_said("Run 5 of 5: spin -n 3000");
	expect_said("set\nshell=1 runs=2\n");
	assert_int_equal(param.runs, 2);
	assert_int_equal(knob.newidle, NEWIDLE_THROTTLE);
}

/* The command line's own experiment is not repeated, and its words that describe it do not hold. */
static void command_line_lends_its_settings(void)
{
	shell("run=\"spin -n 1000\" with=\"spin -f 1\" vary=newidle:off,always shell=1 preset=v3.13 sched_latency_ns=6000000",
		"set\r");
	expect_said("set\nshell=1 preset=v3.13 sched_latency_ns=6000000\n");
	assert_int_equal(outcome.runs, 0);
}

static void looking(void)
{
	shell("shell=1", "help\rshow newidle\rshow nothing\rknobs sched_lat\rdomains\rtopo\rexp nothing\r");
	expect_said("poweroff");
	expect_said("what a CPU about to go idle does");
	expect_said("nothing is called \"nothing\"");
	expect_said("sched_latency_ns=");
	expect_not_said("sched_min_granularity_ns=");
	expect_said("Sched domains of CPUs 0-3");
	expect_said("4 CPUs: 1 node");
}

/* Twice the same record, byte for byte. */
static void log_is_repeated(void)
{
	const char *first, *second;

	shell("shell=1", "run spin -n 1000\rlog\r");
	first = record_of("run", 0);
	second = record_of("run", 1);
	assert_non_null(first);
	assert_non_null(second);
	assert_memory_equal(first, second, strchr(first, '\n') - first);
}

static void expect_end(const char *keys, u8 then)
{
	shell("shell=1 then=halt", keys);
	assert_int_equal(param.then, then);
	expect_not_said("after the end");
}

static void poweroff_ends(void)
{
	expect_end("poweroff\rset after the end\r", THEN_POWEROFF);
}

static void reboot_ends(void)
{
	expect_end("reboot\rset after the end\r", THEN_RESET);
}

static void end_of_input_ends_as_planned(void)
{
	expect_end("set", THEN_HALT);
}

static void control_d_ends_as_planned(void)
{
	expect_end("\004set after the end\r", THEN_HALT);
}

static void tab_completes_names(void)
{
	shell("shell=1", "se\tsched_lat\t=6000000\rsho\tNEXT_B\t\r");
	assert_int_equal(knob.sched_latency_ns, 6000000);
	expect_said("NEXT_BUDDY  ");
}

/* More settings than there is room for are refused, and those there are remain. */
static void too_many_settings(void)
{
	static char keys[64 * 1024];
	size_t used = 0;

	for (unsigned i = 0; i < 60; i++)
		used += (size_t)snprintf(
			keys + used, sizeof(keys) - used, "set cpus=%0250u nodes=%0100u vary=newidle:off,on\r", 0, 0);
	shell("shell=1", keys);
	expect_said("Error: ");
	assert_int_equal(outcome.failed, 0);
}

/* ---- the table at the end ---- */

static void note(unsigned workload, unsigned variant, u64 elapsed_ns, const char *status)
{
	static struct run r;

	r.elapsed_ns = elapsed_ns;
	r.status = status;
	summary_note(&plan, &plan.workload[workload], variant, &r);
}

static void expect_narrow_lines(void)
{
	for (const char *line = test_console(); *line; line += strcspn(line, "\n") + 1)
		assert_true(strcspn(line, "\n") < 80);
}

/* (10 + 20) / 2 = 15 ms; (20 + 25 + 15) / 3 = 20 ms, 4/3 of that; what failed does not count. Of the other workload 10^18 ns and
 * a third of it, which is as long as sums become. */
static void summary_has_means_and_ratios(void)
{
	test_machine(1, 1, 4, 1);
	test_boot(SWITCH_LABELS);
	make_plan("run=\"spin -n 1000\" run=\"pipe -l 5\" vary=newidle:off,always");
	test_console_clear();
	summary_begin();
	note(0, 0, 10 * NSEC_PER_MSEC, "ok");
	note(0, 0, 20 * NSEC_PER_MSEC, "ok");
	note(0, 1, 20 * NSEC_PER_MSEC, "ok");
	note(0, 1, 25 * NSEC_PER_MSEC, "ok");
	note(0, 1, 15 * NSEC_PER_MSEC, "ok");
	note(0, 1, 7, "lost a message");
	note(1, 0, 1000000000000000000, "ok");
	note(1, 1, 333333333333333333, "ok");
	summary_say(&plan);
	expect_said("spin -n 1000: elapsed ms, less is better\n");
	expect_said("  newidle=off                                  2           15.000\n");
	expect_said("  newidle=always                               3           20.000  x 1.333\n  and 1 that failed\npipe -l 5: ");
	expect_said(" 1000000000000.000\n");
	expect_said("  x 0.333\n");
	expect_narrow_lines();
}

/* A workload that is judged by something else than time, the longest names, and a variant of which nothing came. */
static void summary_of_other_figures(void)
{
	test_machine(1, 1, 4, 1);
	test_boot(SWITCH_STACKS);
	experiment("run=\"massive_intr -m 100 2 1\" vary=newidle:off,throttle vary=NEXT_BUDDY:off,on vary=LAST_BUDDY:off,on "
		   "vary=WAKEUP_PREEMPT:off,on");
	test_console_clear();
	summary_say(&plan);
	expect_said("massive_intr -m 100 2 1: counted, more is better\n"
		    "  newidle=off NEXT_BUDDY=off LAST_BUDDY=off WAKEUP_PREEMPT=off\n"
		    "                                               1 ");
	expect_said("  x 1.000\n");
	expect_narrow_lines();
	summary_begin();
	summary_say(&plan);
	expect_said("WAKEUP_PREEMPT=on\n                                               0                -\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		machine_test(settings_hold_and_override),
		machine_test(presets),
		machine_test(mistakes_change_nothing),
		machine_test(runs),
		machine_test(command_line_lends_its_settings),
		machine_test(looking),
		machine_test(log_is_repeated),
		machine_test(poweroff_ends),
		machine_test(reboot_ends),
		machine_test(end_of_input_ends_as_planned),
		machine_test(control_d_ends_as_planned),
		machine_test(tab_completes_names),
		machine_test(too_many_settings),
		machine_test(summary_has_means_and_ratios),
		machine_test(summary_of_other_figures),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
