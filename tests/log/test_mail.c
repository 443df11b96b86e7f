/* SPDX-License-Identifier: GPL-2.0-or-later
 * What a mail says beside its figures: what was varied, how to make the runs again, and which way is better. What recipes come to
 * behind two shells and make is tested in damage.sh. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "tools/fairlog/metric.h"
#include "tools/fairlog/recipe.h"
#include "tools/fairlog/varied.h"

#include <stdlib.h>
#include <string.h>

/* ---- what was varied ---- */

enum { VARIANTS = 4 };

static struct run runs[VARIANTS], *run_of[VARIANTS];
static struct group groups[VARIANTS];

/* A variant for each set of switches; without, one that has no run. */
static struct varied vary(const char *const knobs[VARIANTS])
{
	static const char *const name[VARIANTS] = { "one", "two", "three", "four" };
	size_t count = 0;

	for (; count < VARIANTS && knobs[count]; count++) {
		bool has_runs = *knobs[count] != '\0';

		runs[count] = (struct run){ .knobs = knobs[count] };
		run_of[count] = &runs[count];
		groups[count] = (struct group){ .variant = name[count], .runs = &run_of[count], .count = has_runs };
	}
	return varied_make(groups, count);
}

static void assert_title(const char *const knobs[VARIANTS], const char *expected)
{
	struct varied varied = vary(knobs);
	char *title = varied_title(&varied);

	assert_string_equal(title, expected);
	free(title);
	varied_free(&varied);
}

#define OFF  "{\"HZ\":1000,\"newidle\":\"off\",\"NEXT_BUDDY\":0}"
#define ON   "{\"HZ\":1000,\"newidle\":\"throttle\",\"NEXT_BUDDY\":0}"
#define BOTH "{\"HZ\":1000,\"newidle\":\"throttle\",\"NEXT_BUDDY\":1}"
#define SLOW "{\"HZ\":100,\"newidle\":\"always\",\"NEXT_BUDDY\":1}"

static void title_names_what_differs(void **state)
{
	(void)state;
	assert_title((const char *const[VARIANTS]){ ON, OFF }, "newidle balancing: throttle against off");
	assert_title((const char *const[VARIANTS]){ ON, BOTH }, "NEXT_BUDDY: 0 against 1");
	assert_title((const char *const[VARIANTS]){ ON, OFF, ON }, "newidle balancing: throttle against off, throttle");
	assert_title((const char *const[VARIANTS]){ ON, "", OFF }, "newidle balancing: throttle against off");
	assert_title((const char *const[VARIANTS]){ OFF, BOTH }, "newidle balancing and NEXT_BUDDY: one against two");
	assert_title((const char *const[VARIANTS]){ OFF, ON, BOTH }, "newidle balancing and NEXT_BUDDY: 3 variants");
	assert_title((const char *const[VARIANTS]){ OFF, SLOW }, "HZ, newidle balancing and NEXT_BUDDY: one against two");
	assert_title((const char *const[VARIANTS]){ ON, ON }, "the same switches in all 2 variants");
	assert_title((const char *const[VARIANTS]){ ON }, "nothing varied");
	assert_title((const char *const[VARIANTS]){ "" }, "nothing varied");
	assert_title((const char *const[VARIANTS]){ "{\"a\":0,\"b\":0,\"c\":0,\"d\":0}", "{\"a\":1,\"b\":1,\"c\":1,\"d\":1}" },
		"4 switches: one against two");
}

static void values_of_what_differs(void **state)
{
	struct varied varied = vary((const char *const[VARIANTS]){ OFF, BOTH });
	char *first = varied_values(&varied, 0), *second = varied_values(&varied, 1);

	(void)state;
	assert_string_equal(first, "newidle=off, NEXT_BUDDY=0");
	assert_string_equal(second, "newidle=throttle, NEXT_BUDDY=1");
	free(first);
	free(second);
	varied_free(&varied);
}

/* ---- recipes ---- */

struct start {
	const char *machine, *loader, *hypervisor, *cmdline;
	unsigned exact, mib, left_out;
};

static struct recipe recipe_for(const struct start *start)
{
	struct boot boot = { .number = 1 };
	struct recipe recipe;

	/* Half a MiB is the firmware's. */
	boot.record[RECORD_boot] = json_pack("{s:s, s:s, s:s, s:i}", "machine", start->machine, "loader", start->loader, "cmdline",
		start->cmdline, "exact", start->exact);
	boot.record[RECORD_machine] = json_pack("{s:s, s:i, s:i, s:I}", "hypervisor", start->hypervisor, "cpus", 8, "cpus_left_out",
		start->left_out, "memory_bytes", (json_int_t)start->mib * 1024 * 1024 - 512 * 1024);
	assert_true(boot.record[RECORD_boot] && boot.record[RECORD_machine]);
	recipe = recipe_of(&boot);
	json_decref(boot.record[RECORD_boot]);
	json_decref(boot.record[RECORD_machine]);
	return recipe;
}

static void assert_recipe(const struct start *start, const char *text, bool by_hand, bool same_log)
{
	struct recipe recipe = recipe_for(start);

	assert_string_equal(recipe.text, text);
	assert_int_equal(recipe.by_hand, by_hand);
	assert_int_equal(recipe.same_log, same_log);
	free(recipe.text);
}

static void recipes_of_lockstep(void **state)
{
	struct start start = { "lockstep", "PVH", "TCGTCGTCGTCG", "topo=2n:4c:2t run=\"hackbench -g 2\" runs=4", 1, 256, 0 };

	(void)state;
	assert_recipe(&start, "make run MACHINE=lockstep TOPO=2n:4c:2t ARGS='run=\"hackbench -g 2\" runs=4'", false, true);
	start.mib = 512;
	assert_recipe(&start, "make run MACHINE=lockstep TOPO=2n:4c:2t MEM=512M ARGS='run=\"hackbench -g 2\" runs=4'", false, true);
	/* Make puts a shape first: these are the same runs under another command line. */
	start = (struct start){ "lockstep", "PVH", "TCGTCGTCGTCG", "run=pipe topo=8c", 1, 256, 0 };
	assert_recipe(&start, "make run MACHINE=lockstep ARGS='run=pipe topo=8c'", false, false);
	/* Without counted instructions, or from a disk, it was started by other means. */
	start.exact = 0;
	assert_recipe(&start, "run=pipe topo=8c", true, false);
}

/* The simulator's own quoting of words is not what one types. */
static void recipes_of_the_sim(void **state)
{
	struct start start = { "sim", "shell", "none", "topo=8c \"run=hackbench -g 2\" runs=4", 1, 1024, 0 };

	(void)state;
	assert_recipe(&start, "make run MACHINE=sim TOPO=8c ARGS='run=\"hackbench -g 2\" runs=4'", false, true);
	start.cmdline = "topo=8c run=a$b";
	assert_recipe(&start, "make run MACHINE=sim TOPO=8c ARGS='run=\"a\\$$b\"'", false, true);
}

static void recipes_of_metal(void **state)
{
	struct start start = { "metal", "PVH", "KVMKVMKVM", "run=pipe", 0, 256, 0 };

	(void)state;
	assert_recipe(&start, "make run MACHINE=metal CPUS=8 ACCEL=kvm ARGS='run=pipe'", false, false);
	start.hypervisor = "TCGTCGTCGTCG";
	assert_recipe(&start, "make run MACHINE=metal CPUS=8 ARGS='run=pipe'", false, false);
	/* A pretended shape of 8 that had no place for 4 more wants 12 to choose from. */
	start = (struct start){ "metal", "PVH", "TCGTCGTCGTCG", "topo=2n:4c run=pipe", 0, 256, 4 };
	assert_recipe(&start, "make run MACHINE=metal CPUS=12 ARGS='topo=2n:4c run=pipe'", false, false);
	start = (struct start){ "metal", "GRUB 2.06", "none", "run=pipe vary=newidle:off,throttle", 0, 4096, 0 };
	assert_recipe(&start, "run=pipe vary=newidle:off,throttle", true, false);
}

/* ---- what a workload is judged by ---- */

static void a_figure_comes_first(void **state)
{
	struct figure sent[] = { { "sent", 5 }, { "messages_per_s", 7 } };
	struct run run = { .figure = "messages_per_s", .more_is_better = true, .result = sent, .results = 2 }, *one = &run;
	struct group group[2] = { { .count = 0 }, { .runs = &one, .count = 1 } };
	struct metric figure, *all;
	size_t count;
	bool more;

	(void)state;
	assert_true(metric_of_figure(group, 2, &figure, &more));
	assert_string_equal(figure.name, "messages_per_s");
	assert_true(more);
	all = metrics_make(group, 2, &count);
	assert_string_equal(all[0].name, "messages_per_s");
	assert_string_equal(all[1].name, "elapsed");
	assert_string_equal(all[count - 1].name, "sent"); /* and not messages_per_s again */
	free(all);
	run.figure = "elapsed_ns";
	run.more_is_better = false;
	assert_true(metric_of_figure(group, 2, &figure, &more));
	assert_string_equal(figure.name, "elapsed");
	assert_false(more);
	run.figure = "lost"; /* on the way, with its run's result */
	assert_false(metric_of_figure(group, 2, &figure, &more));
	all = metrics_make(group, 2, &count);
	assert_string_equal(all[0].name, "elapsed");
	free(all);
	assert_false(metric_of_figure(group, 1, &figure, &more));
}

static void words_need_an_interval(void **state)
{
	struct ratio less = { .state = RATIO_KNOWN, .low = 0.8, .high = 0.99 };
	struct ratio more = { .state = RATIO_KNOWN, .low = 1.01, .high = 1.2 };
	struct ratio open = { .state = RATIO_KNOWN, .low = 0.99, .high = 1.2 };
	struct ratio no_spread = { .state = RATIO_NO_SPREAD, .ratio = 2 };

	(void)state;
	assert_string_equal(metric_word(&less, false), "better");
	assert_string_equal(metric_word(&less, true), "worse");
	assert_string_equal(metric_word(&more, false), "worse");
	assert_string_equal(metric_word(&more, true), "better");
	assert_string_equal(metric_word(&open, true), "");
	assert_string_equal(metric_word(&no_spread, true), "");
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(title_names_what_differs),
		cmocka_unit_test(values_of_what_differs),
		cmocka_unit_test(recipes_of_lockstep),
		cmocka_unit_test(recipes_of_the_sim),
		cmocka_unit_test(recipes_of_metal),
		cmocka_unit_test(a_figure_comes_first),
		cmocka_unit_test(words_need_an_interval),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("mail", tests, NULL, NULL);
}
