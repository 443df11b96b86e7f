/* SPDX-License-Identifier: GPL-2.0-or-later
 * Presets: that each sets the switches as its release had them, against cfs.md 14 and the sections it sums up, named beside each
 * line; the tunables of table 1.6; and that the command line wins over a preset wherever it stands. The tables here are made from
 * the specification, not from presets.c: a miss means that one of the two is wrong, and that a run by that preset was not what it
 * said.
 */
#include <stdio.h>

#include "tests/unit/machine.h"

#include "base/cmdline.h"
#include "lab/lab.h"
#include "sched/rq.h"

static void preset(const char *name)
{
	char error[KNOB_ERROR_BYTES] = "";

	if (preset_apply(name, error))
		fail_msg("%s", error);
}

static const struct knob *knob_called(const char *name, size_t len)
{
	for (unsigned i = 0; i < sched_knob_table.nr; i++) {
		const struct knob *k = &sched_knob_table.knob[i];

		if (strlen(k->name) == len && !strncmp(k->name, name, len))
			return k;
	}
	fail_msg("there is no switch %s", name);
	return NULL;
}

/* name=value of each word is what the switch is; features are 1 or 0. */
static void expect_knobs(const char *whose, const char *settings)
{
	char word[128], value[64];

	while (cmdline_next(&settings, word, sizeof(word)) == 1) {
		char *equals = strchr(word, '=');

		assert_non_null(equals);
		knob_print(knob_called(word, (size_t)(equals - word)), value, sizeof(value));
		if (strcmp(value, equals + 1))
			fail_msg("%s: %s expected, it is %s", whose, word, value);
	}
}

/* ---- what each release had ---- */

/* Where both eras agree. */
#define COMMON                                                                                                                     \
	"GENTLE_FAIR_SLEEPERS=1 START_DEBIT=1 NEXT_BUDDY=0 LAST_BUDDY=1 CACHE_HOT_BUDDY=1 " /* 12 */                               \
	"HRTICK=0 DOUBLE_TICK=0 LB_BIAS=1 LB_MIN=0 "					    /* 12 */                               \
	"RT_RUNTIME_SHARE=1 "								    /* 10.2 */                             \
	"FAIR_SLEEPERS=1 NORMALIZED_SLEEPER=0 "			       /* 12.1; 1.8: 3.8 always gives it, unscaled */              \
	"ASYM_GRAN=1 WAKEUP_PREEMPT=1 "				       /* 12.1; 2.1, 1.12: 3.8 has no other way */                 \
	"WAKEUP_SYNC=0 WAKEUP_OVERLAP=0 WAKEUP_RUNNING=0 SYNC_MORE=0 " /* 12.1; 2.4, 7.5: not in 3.8 */                            \
	"SYNC_WAKEUPS=1 AFFINE_WAKEUPS=1 "			       /* 12.1; 7.3 */                                             \
	"WAKEUP_PREEMPTION=1 FORCE_SD_OVERLAP=0 "		       /* 12.2 */                                                  \
	"sched_migration_cost_ns=500000 sched_nr_migrate=32 sched_child_runs_first=0 sched_compat_yield=0 " /* 1.6 */              \
	"sched_rt_period_us=1000000 sched_rt_runtime_us=950000 sched_time_avg_ms=1000 "			    /* 1.6 */              \
	"normalized_wakeup_granularity_ns=1000000 "							    /* 1.6 */              \
	"newidle_smt=on newidle_mc=on newidle_cpu=on newidle_node=on "					    /* 4.3: NEWIDLE */     \
	"group_load=average group_build=first_cpu policy=performance " /* 13.1, 13.2, 9.2: later proposals */

#define OF_38                                                                                                                      \
	"ADAPTIVE_GRAN=0 SYNC_LESS=0 TTWU_QUEUE=1 "			       /* 2.1, 7.5, 12.2 */                                \
	"normalized_latency_ns=6000000 normalized_min_granularity_ns=750000 "  /* 1.6 */                                           \
	"sched_tunable_scaling=log inverse=floor vruntime=relative "	       /* 1.6, 1.2, 1.9 */                                 \
	"tick_leftmost=signed wake_over_idle=any resched_clear=late "	       /* 1.12, 2.4, 0.5 */                                \
	"fork_place=late yield=skip idle_cpu=queue affine_power=scaled "       /* 1.13, 3.7, 2.6, 7.5 */                           \
	"buddy_pick=next_first buddy_set=preempt_next buddy_hot=here_running " /* 3.4, 3.2, 3.6 */                                 \
	"prefer_local=none smt_shares_pkg=on numa_levels=distance "	       /* 4.3, 4.3, 4.6 */                                 \
	"group_imb=spread sibling_clamp=room balanced=capacity "	       /* 5.3, 5.3, 5.4 and 5.5 */                         \
	"newidle_force=on imbalance_force=on idle_exit=idle_cpus "	       /* 5.4 */                                           \
	"small_imbalance=scaled lone_queue=plain some_pinned=retry "	       /* 5.5, 5.6, 5.7 */                                 \
	"move_scan=rotate hot_idle_policy=off smt_busy=go_on "		       /* 5.8, 3.6, 5.7 step 7 */                          \
	"newidle_routine=common newidle_lock=dropped nohz_balancer=kick "      /* 6.3, 6.2, 5.9 */                                 \
	"rt_wake_push=blocked rt_select=priority "			       /* 10.2 */                                          \
	"power_refresh=elected interval_cap=online missed_ticks=decay "	       /* 4.7, 5.2, 8.1 */

#define OF_32                                                                                                                      \
	"ADAPTIVE_GRAN=1 SYNC_LESS=1 TTWU_QUEUE=0 "			       /* 12.1; 0.4: 2011 */                               \
	"normalized_latency_ns=5000000 normalized_min_granularity_ns=1000000 " /* 1.6 */                                           \
	"sched_tunable_scaling=log_all inverse=rounded vruntime=absolute "     /* 1.6, 1.2, 1.9 */                                 \
	"wake_over_idle=normal resched_clear=early fork_place=early "	       /* 2.4, 0.5, 1.13 */                                \
	"yield=update idle_cpu=curr affine_power=plain "		       /* 3.7, 2.6, 7.5 */                                 \
	"mc_prefer_sibling=on smt_shares_pkg=off numa_levels=nearest "	       /* 4.3, 4.3, 4.6 */                                 \
	"group_imb=twice_mean sibling_clamp=all balanced=mean_task "	       /* 5.3, 5.3, 5.4 */                                 \
	"newidle_force=off imbalance_force=off idle_exit=percent "	       /* 5.4 */                                           \
	"small_imbalance=plain lone_queue=scaled some_pinned=give_up "	       /* 5.5, 5.6, 5.7 */                                 \
	"move_scan=in_order hot_idle_policy=on smt_busy=stop "		       /* 5.8, 3.6, 5.7 step 7 */                          \
	"newidle_routine=separate newidle_lock=held nohz_balancer=owner "      /* 6.3, 6.2, 5.9 */                                 \
	"rt_wake_push=waiting rt_select=rt_runs "			       /* 10.2 */                                          \
	"power_refresh=first_cpu interval_cap=built missed_ticks=stale "       /* 4.7, 5.2, 8.1 */

/* 2.6.32-rc1 and what was patched onto it in October; 14, 3.2 to 3.6, 4.3. */
#define OF_RC1 OF_32 "tick_leftmost=off newidle=always wake_select=affine "

static const struct {
	const char *name, *settings;
} releases[] = {
	{ "v3.8", COMMON OF_38 "mc_prefer_sibling=off newidle=throttle wake_select=idle_sibling" },
	/* 4.3: the flag cleared in every domain; nothing else changes. */
	{ "v3.8-nonewidle", COMMON OF_38 "mc_prefer_sibling=off newidle=off wake_select=idle_sibling" },
	/* 9.2: PREFER_SIBLING on MC; policy= chooses. */
	{ "v3.8+power", COMMON OF_38 "mc_prefer_sibling=on newidle=throttle wake_select=idle_sibling" },
	/* 6.5, and 7.6 as of 3.9. */
	{ "v3.13", COMMON OF_38 "mc_prefer_sibling=off newidle=cost wake_select=previous_idle" },
	/* 6.2, 7.2. */
	{ "v2.6.32.2", COMMON OF_32 "tick_leftmost=unsigned_bug newidle=throttle wake_select=affine_idle prefer_local=none "
				    "buddy_pick=last_first buddy_set=preempt buddy_hot=here_running" },
	{ "v2.6.32", COMMON OF_32 "tick_leftmost=unsigned_bug newidle=always wake_select=affine prefer_local=none "
				  "buddy_pick=last_first buddy_set=preempt buddy_hot=here_running" },
	{ "v2.6.32-rc1", COMMON OF_RC1 "prefer_local=mc_cpu buddy_pick=clear_all buddy_set=wakeup buddy_hot=any" },
	/* 4.3: "1 between 9 Oct and 2 Nov 2009" on NODE. */
	{ "v2.6.32-rc1+p2", COMMON OF_RC1 "prefer_local=node buddy_pick=clear_seen buddy_set=wakeup buddy_hot=any" },
	/* 3.5. */
	{ "v2.6.32-rc1+buddies", COMMON OF_RC1 "prefer_local=node buddy_pick=keep buddy_set=always buddy_hot=source_busy" },
};

/* Forwards and backwards, so that a preset that leaves a switch to the one before is found out. */
static void test_releases(void **state)
{
	enum { N = ARRAY_SIZE(releases) };

	(void)state;
	for (unsigned i = 0; i < 2 * N; i++) {
		unsigned which = i < N ? i : 2 * N - 1 - i;

		preset(releases[which].name);
		expect_knobs(releases[which].name, releases[which].settings);
	}
}

/* Every switch but the kernel's configuration is in each list above, or the test would not notice what happens to it. */
static void test_releases_say_all(void **state)
{
	static const char *const exempt = " HZ preempt nohz relax_domain_level "
					  "sched_latency_ns sched_min_granularity_ns sched_wakeup_granularity_ns ";
	char settings[4096], pattern[64];

	(void)state;
	for (unsigned r = 0; r < ARRAY_SIZE(releases); r++) {
		snprintf(settings, sizeof(settings), " %s", releases[r].settings);
		for (unsigned i = 0; i < sched_knob_table.nr; i++) {
			snprintf(pattern, sizeof(pattern), " %s ", sched_knob_table.knob[i].name);
			if (strstr(exempt, pattern))
				continue;
			pattern[strlen(pattern) - 1] = '=';
			if (!strstr(settings, pattern))
				fail_msg("%s: nothing is said of%s", releases[r].name, pattern);
		}
	}
}

/* Every preset there is can be applied - a word in it that no switch understands would end the machine - and is in the table. */
static void test_all_presets_apply(void **state)
{
	const char *name, *help;
	unsigned n = 0;

	(void)state;
	for (; preset_describe(n, &name, &help); n++) {
		preset(name);
		assert_string_equal(name, releases[n].name);
		assert_true(strlen(help) > 10);
	}
	assert_int_equal(n, ARRAY_SIZE(releases));
}

/* The defaults are 3.8's. */
static void test_defaults(void **state)
{
	struct sched_knobs before;

	(void)state;
	knobs_reset(&sched_knob_table);
	before = knob;
	preset("v2.6.32-rc1+buddies");
	preset("v3.8");
	assert_memory_equal(&knob, &before, sizeof(knob));
}

/* What a kernel is built or booted with is no matter of its release. */
static void test_configuration_stays(void **state)
{
	(void)state;
	knobs_reset(&sched_knob_table);
	knob.HZ = HZ_250;
	knob.preempt = PREEMPT_FULL;
	knob.nohz = ON;
	knob.relax_domain_level = RELAX_2;
	for (unsigned i = 0; i < ARRAY_SIZE(releases); i++) {
		preset(releases[i].name);
		expect_knobs(releases[i].name, "HZ=250 preempt=full nohz=on relax_domain_level=2");
	}
}

/* ---- tunables ---- */

static void expect_scaled(const char *name, unsigned cpus, u64 latency_us, u64 granularity_us, u64 wakeup_us)
{
	preset(name);
	sched_knobs_settle(cpus);
	assert_int_equal(knob.sched_latency_ns, latency_us * NSEC_PER_USEC);
	assert_int_equal(knob.sched_min_granularity_ns, granularity_us * NSEC_PER_USEC);
	assert_int_equal(knob.sched_wakeup_granularity_ns, wakeup_us * NSEC_PER_USEC);
}

/* Table 1.6. */
static void test_scaled_tunables(void **state)
{
	static const unsigned cpus[] = { 1, 2, 4, 8, 10, 16, 32, 40, 64 };
	static const u64 of_32_us[][3] = { { 5000, 1000, 1000 }, { 10000, 2000, 2000 }, { 15000, 3000, 3000 },
		{ 20000, 4000, 4000 }, { 20000, 4000, 4000 }, { 25000, 5000, 5000 }, { 30000, 6000, 6000 }, { 30000, 6000, 6000 },
		{ 35000, 7000, 7000 } };
	static const u64 of_38_us[][3] = { { 6000, 750, 1000 }, { 12000, 1500, 2000 }, { 18000, 2250, 3000 }, { 24000, 3000, 4000 },
		{ 24000, 3000, 4000 }, { 24000, 3000, 4000 }, { 24000, 3000, 4000 }, { 24000, 3000, 4000 }, { 24000, 3000, 4000 } };

	(void)state;
	for (unsigned i = 0; i < ARRAY_SIZE(cpus); i++) {
		for (unsigned r = 0; r < ARRAY_SIZE(releases); r++) {
			const u64 *us = strncmp(releases[r].name, "v3", 2) ? of_32_us[i] : of_38_us[i];

			expect_scaled(releases[r].name, cpus[i], us[0], us[1], us[2]);
			assert_int_equal(cfs_nr_latency(), us == of_32_us[i] ? 5 : 8);
		}
	}
}

/* Section 1.6, 32: latency and minimum granularity stop at 200 ms, the wakeup granularity does not; 64 CPUs are a factor of 7. */
static void test_200_ms(void **state)
{
	(void)state;
	preset("v2.6.32");
	knob.normalized_latency_ns = 28 * NSEC_PER_MSEC;
	knob.normalized_min_granularity_ns = 29 * NSEC_PER_MSEC;
	knob.normalized_wakeup_granularity_ns = 30 * NSEC_PER_MSEC;
	sched_knobs_settle(64);
	assert_int_equal(knob.sched_latency_ns, 196 * NSEC_PER_MSEC);
	assert_int_equal(knob.sched_min_granularity_ns, 200 * NSEC_PER_MSEC);
	assert_int_equal(knob.sched_wakeup_granularity_ns, 210 * NSEC_PER_MSEC);
	preset("v2.6.32");
	knob.normalized_latency_ns = 300 * NSEC_PER_MSEC;
	sched_knobs_settle(1);
	assert_int_equal(knob.sched_latency_ns, 200 * NSEC_PER_MSEC);
	preset("v3.8");
	knob.normalized_latency_ns = 300 * NSEC_PER_MSEC;
	sched_knobs_settle(2);
	assert_int_equal(knob.sched_latency_ns, 600 * NSEC_PER_MSEC);
}

/* What was set stays, whatever would have been worked out. */
static void test_set_tunables_are_not_scaled(void **state)
{
	(void)state;
	preset("v2.6.32");
	knob.sched_latency_ns = 777 * NSEC_PER_MSEC;
	sched_knobs_settle(64);
	assert_int_equal(knob.sched_latency_ns, 777 * NSEC_PER_MSEC);
	assert_int_equal(knob.sched_min_granularity_ns, 7 * NSEC_PER_MSEC);
}

/* ---- the command line: 4 CPUs ---- */

static struct plan plan;

static void expect_plan(const char *cmdline)
{
	memset(&plan, 0, sizeof(plan));
	if (plan_parse(&plan, cmdline))
		fail_msg("%s: %s", cmdline, plan.error);
}

static void expect_refused(const char *cmdline, const char *line)
{
	memset(&plan, 0, sizeof(plan));
	assert_true(plan_parse(&plan, cmdline) < 0);
	assert_string_equal(plan.error, line);
}

static void test_preset_on_the_command_line(void **state)
{
	(void)state;
	test_machine(1, 1, 4, 1);
	expect_plan("preset=v2.6.32");
	assert_string_equal(plan.preset, "v2.6.32");
	expect_knobs("preset=v2.6.32", releases[5].settings);
	assert_int_equal(knob.sched_latency_ns, 15 * NSEC_PER_MSEC);
	expect_plan("");
	assert_string_equal(plan.preset, "");
	expect_knobs("nothing", releases[0].settings);
}

/* Wherever the preset stands, what else is said comes on top of it; also what is the default of 3.8. */
static void test_command_line_wins(void **state)
{
	static const char *const lines[] = { "preset=v2.6.32 newidle=throttle NO_ADAPTIVE_GRAN HZ=100 sched_latency_ns=7000000",
		"newidle=throttle NO_ADAPTIVE_GRAN HZ=100 sched_latency_ns=7000000 preset=v2.6.32",
		"newidle=throttle NO_ADAPTIVE_GRAN preset=v2.6.32 HZ=100 sched_latency_ns=7000000" };

	(void)state;
	test_machine(1, 1, 4, 1);
	for (unsigned i = 0; i < ARRAY_SIZE(lines); i++) {
		expect_plan(lines[i]);
		expect_knobs(lines[i], "newidle=throttle ADAPTIVE_GRAN=0 HZ=100 sched_latency_ns=7000000 "
				       "sched_min_granularity_ns=3000000 SYNC_LESS=1 buddy_pick=last_first");
	}
}

/* A dot does for an underscore. */
static void test_newidle_node(void **state)
{
	(void)state;
	test_machine(1, 1, 4, 1);
	expect_plan("newidle.node=off preset=v2.6.32");
	expect_knobs("newidle.node=off", "newidle_smt=on newidle_mc=on newidle_cpu=on newidle_node=off newidle=always");
	expect_plan("newidle_node=off newidle.smt=off");
	expect_knobs("newidle_node=off", "newidle_smt=off newidle_mc=on newidle_cpu=on newidle_node=off newidle=throttle");
	expect_plan("vary=newidle.node:on,off");
	assert_int_equal(knob.newidle_node, ON);
}

static void apply_variants(void *unused)
{
	(void)unused;
	for (unsigned round = 0; round < 2; round++) {
		plan_apply(&plan, 0);
		expect_knobs("v3.8 NO_NEXT_BUDDY",
			"newidle=off NEXT_BUDDY=0 buddy_pick=next_first vruntime=relative sched_latency_ns=18000000");
		plan_apply(&plan, 1);
		expect_knobs("v3.8 NEXT_BUDDY",
			"newidle=off NEXT_BUDDY=1 buddy_pick=next_first vruntime=relative sched_latency_ns=18000000");
		plan_apply(&plan, 2);
		expect_knobs("v2.6.32 NO_NEXT_BUDDY",
			"newidle=off NEXT_BUDDY=0 buddy_pick=last_first vruntime=absolute sched_latency_ns=15000000");
		plan_apply(&plan, 3);
		expect_knobs("v2.6.32 NEXT_BUDDY",
			"newidle=off NEXT_BUDDY=1 buddy_pick=last_first vruntime=absolute sched_latency_ns=15000000");
	}
}

static void expect_variants(const char *cmdline, const char *last)
{
	char name[TEXT_BYTES];

	test_machine(1, 1, 4, 1);
	test_boot(SWITCH_STACKS);
	expect_plan(cmdline);
	assert_int_equal(plan.nr_variants, 4);
	plan_variant_name(&plan, 3, name, sizeof(name));
	assert_string_equal(name, last);
	test_run(apply_variants, NULL);
}

/* Over a varied preset too, and the other factors over both. */
static void test_vary_preset(void **state)
{
	(void)state;
	expect_variants("newidle=off vary=preset:v3.8,v2.6.32 vary=NEXT_BUDDY:off,on", "preset=v2.6.32 NEXT_BUDDY=on");
}

/* The factor's value holds instead of the command line's preset. */
static void test_vary_preset_over_a_preset(void **state)
{
	(void)state;
	expect_variants("preset=v3.13 vary=preset:v3.8,v2.6.32 vary=NEXT_BUDDY:off,on newidle=off", "preset=v2.6.32 NEXT_BUDDY=on");
}

/* A factor that comes first on the line is still put on top of the preset. */
static void apply_reversed(void *unused)
{
	(void)unused;
	plan_apply(&plan, 1);
	expect_knobs("always under v2.6.32.2", "newidle=always wake_select=affine_idle");
	plan_apply(&plan, 2);
	expect_knobs("cost under v3.8", "newidle=cost wake_select=idle_sibling");
	plan_apply(&plan, 3);
	expect_knobs("cost under v2.6.32.2", "newidle=cost wake_select=affine_idle");
}

static void test_factor_over_a_varied_preset(void **state)
{
	(void)state;
	test_machine(1, 1, 4, 1);
	test_boot(SWITCH_STACKS);
	expect_plan("vary=newidle:always,cost vary=preset:v3.8,v2.6.32.2");
	assert_int_equal(plan.nr_variants, 4);
	test_run(apply_reversed, NULL);
}

/* Trying out a factor's presets leaves the switches as the command line has them. */
static void test_vary_preset_leaves_the_base(void **state)
{
	(void)state;
	test_machine(1, 1, 4, 1);
	expect_plan("vary=preset:v2.6.32,v3.13 preset=v2.6.32.2");
	expect_knobs("preset=v2.6.32.2", releases[4].settings);
}

#define ALL_PRESETS "v3.8|v3.8-nonewidle|v3.8+power|v3.13|v2.6.32.2|v2.6.32|v2.6.32-rc1|v2.6.32-rc1+p2|v2.6.32-rc1+buddies"

static void test_presets_refused(void **state)
{
	(void)state;
	test_machine(1, 1, 4, 1);
	expect_refused("preset=v3.9", "preset=v3.9: expected one of " ALL_PRESETS);
	expect_refused("preset=", "preset=: expected one of " ALL_PRESETS);
	expect_refused("preset=V3.8", "preset=V3.8: expected one of " ALL_PRESETS);
	expect_refused("vary=preset:v3.8,v2.6.33", "vary=preset: preset=v2.6.33: expected one of " ALL_PRESETS);
	expect_refused("preset=v3.8 newidle=off preset=v3.8", "preset= is given twice: \"v3.8\": vary=preset:A,B compares");
	expect_refused("vary=preset:v3.8,v3.13 vary=preset:v3.8,v3.13", "vary=: given twice: \"preset\"");
	expect_refused("vary=preset:v3.8", "vary=: only one value for \"preset\": expected name:value,value");
}

/* A name longer than the message may be is cut, and the list of presets still there. */
static void test_long_name_refused(void **state)
{
	char cmdline[300], line[512];

	(void)state;
	test_machine(1, 1, 4, 1);
	snprintf(cmdline, sizeof(cmdline), "preset=%0250d", 7);
	snprintf(line, sizeof(line), "preset=%040d: expected one of " ALL_PRESETS, 0);
	expect_refused(cmdline, line);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		machine_test(test_releases),
		machine_test(test_releases_say_all),
		machine_test(test_all_presets_apply),
		machine_test(test_defaults),
		machine_test(test_configuration_stays),
		machine_test(test_scaled_tunables),
		machine_test(test_200_ms),
		machine_test(test_set_tunables_are_not_scaled),
		machine_test(test_preset_on_the_command_line),
		machine_test(test_command_line_wins),
		machine_test(test_newidle_node),
		machine_test(test_vary_preset),
		machine_test(test_vary_preset_over_a_preset),
		machine_test(test_factor_over_a_varied_preset),
		machine_test(test_vary_preset_leaves_the_base),
		machine_test(test_presets_refused),
		machine_test(test_long_name_refused),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
