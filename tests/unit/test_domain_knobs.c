/* SPDX-License-Identifier: GPL-2.0-or-later
 * Sched domains between runs: flags that are switched (cfs.md 4.3: newidle by level, relax_domain_level), domains made anew where a
 * knob asks for other ones, and what people are shown of them. */
#include "tests/unit/domains.h"

#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/string.h"

/* ---- switched flags ---- */

/* The levels of that CPU whose domain has the flag, bottom up: "SIBLING MC". */
static const char *levels_with(unsigned cpu, u32 flag)
{
	static char text[128];

	text[0] = '\0';
	for_each_domain(cpu, sd)
		if (sd->flags & flag) {
			strcat(text, text[0] ? " " : "");
			strcat(text, sd->name);
		}
	return text;
}

static void expect_newidle(const char *levels)
{
	test_apply_knobs();
	for (unsigned cpu = 0; cpu < nr_cpus; cpu++)
		assert_string_equal(levels_with(cpu, SD_BALANCE_NEWIDLE), levels);
}

/* Section 4.3: clearing bit 0x2 in every domain, and nothing else. */
static void test_newidle_off_clears_the_bit(void **state)
{
	(void)state;
	boot(2, 1, 4, 2);
	knob.newidle = NEWIDLE_OFF;
	expect_newidle("");
	assert_int_equal(test_domain(5, "SIBLING")->flags, 0x2AD);
	assert_int_equal(test_domain(5, "MC")->flags, 0x22D);
	assert_int_equal(test_domain(5, "CPU")->flags, 0x102D);
	assert_int_equal(test_domain(5, "NUMA")->flags, 0x242D);
	knob.newidle = NEWIDLE_THROTTLE;
	expect_newidle("SIBLING MC CPU NUMA");
	assert_int_equal(test_domain(5, "MC")->flags, 0x22F);
}

static void test_newidle_by_level(void **state)
{
	(void)state;
	boot(2, 2, 2, 2);
	knob.newidle_smt = OFF;
	expect_newidle("MC CPU NUMA");
	knob.newidle_mc = OFF;
	expect_newidle("CPU NUMA");
	knob.newidle_smt = ON;
	knob.newidle_cpu = OFF;
	expect_newidle("SIBLING NUMA");
	knob.newidle_node = OFF;
	expect_newidle("SIBLING");
	knob.newidle = NEWIDLE_OFF;
	expect_newidle("");
}

static void test_newidle_node_is_for_all_levels_across_nodes(void **state)
{
	(void)state;
	test_machine(18, 1, 1, 2);
	test_distance(0, 1, 15); /* two distances */
	test_boot(SWITCH_LABELS);
	knob.newidle_node = OFF;
	expect_newidle("SIBLING CPU");
	knob.numa_levels = NUMA_LEVELS_NEAREST;
	expect_newidle("SIBLING CPU");
	assert_string_equal(levels_with(0, SD_LOAD_BALANCE), "SIBLING CPU NODE ALLNODES");
}

/* Who does not even look needs no flag for it. */
static void test_newidle_never_leaves_the_bit(void **state)
{
	(void)state;
	boot(2, 1, 4, 2);
	knob.newidle = NEWIDLE_NEVER;
	expect_newidle("SIBLING MC CPU NUMA");
}

/* Section 4.3, relax_domain_level: on up to that level, off above; 1 is SIBLING, and levels that have gone still count. */
static void test_relax_domain_level(void **state)
{
	static const char *const levels[] = { "", "", "MC", "MC CPU", "MC CPU NUMA", "MC CPU NUMA NUMA" };

	(void)state;
	boot_eight_nodes();
	assert_string_equal(levels_with(0, SD_BALANCE_WAKE), "");
	for (unsigned level = 0; level < ARRAY_SIZE(levels); level++) {
		knob.relax_domain_level = (u8)(RELAX_0 + level);
		expect_newidle(levels[level]);
		assert_string_equal(levels_with(0, SD_BALANCE_WAKE), levels[level]);
	}
	knob.relax_domain_level = RELAX_NONE;
	expect_newidle("MC CPU NUMA NUMA");
	assert_string_equal(levels_with(0, SD_BALANCE_WAKE), "");
}

/* What /proc clears after boot is clear, whatever relax_domain_level set. */
static void test_newidle_off_after_relax(void **state)
{
	(void)state;
	boot(2, 2, 2, 2);
	knob.relax_domain_level = RELAX_3;
	knob.newidle_mc = OFF;
	expect_newidle("SIBLING CPU");
	assert_string_equal(levels_with(0, SD_BALANCE_WAKE), "SIBLING MC CPU");
	knob.newidle = NEWIDLE_OFF;
	expect_newidle("");
	assert_string_equal(levels_with(0, SD_BALANCE_WAKE), "SIBLING MC CPU");
}

/* Switched flags are there from the first moment of a domain made anew. */
static void test_rebuilt_with_flags_switched(void **state)
{
	(void)state;
	boot(2, 2, 2, 2);
	knob.newidle_cpu = OFF;
	knob.numa_levels = NUMA_LEVELS_NEAREST;
	expect_newidle("SIBLING MC NODE");
	assert_int_equal(test_domain(0, "NODE")->balance_interval, 1);
}

/* ---- rebuilding ---- */

/* All that can be seen of all domains. */
static void describe(char *text, size_t size)
{
	size_t n = 0;

	for (unsigned cpu = 0; cpu < nr_cpus; cpu++) {
		n += (size_t)snprintf(text + n, size - n, "\n%u llc %u power %u:", cpu, llc_id(cpu), cpu_power(cpu));
		for_each_domain(cpu, sd) {
			const struct sched_group *g = sd->groups;

			n += (size_t)snprintf(text + n, size - n, " %s %u %llx %x %u %u %u %u %u", sd->name, sd->level,
				(unsigned long long)sd->span.word[0], sd->flags, sd->balance_interval, sd->min_interval,
				sd->max_interval, sd->imbalance_pct, sd->busy_idx);
			do {
				n += (size_t)snprintf(text + n, size - n, "/%llx,%llx,%u", (unsigned long long)g->span.word[0],
					(unsigned long long)g->balance.word[0], g->power);
				g = g->next;
			} while (g != sd->groups);
		}
	}
	assert_in_range(n, 1, size - 1);
}

static char before[1 << 18], after[1 << 18];

/* Any era and back is the machine as it was; after every preset has been seen once, no rebuild takes memory. */
static void test_there_and_back(void **state)
{
	static const char *const presets[] = { "v2.6.32", "v2.6.32-rc1", "v3.8+power", "v2.6.32-rc1+p2", "v3.8" };
	u64 memory = 0;

	(void)state;
	boot_eight_nodes();
	describe(before, sizeof(before));
	for (unsigned round = 0; round < 20; round++) {
		change_era(presets[round % ARRAY_SIZE(presets)]);
		describe(after, sizeof(after));
		assert_int_equal(!strcmp(before, after), round % ARRAY_SIZE(presets) == 4);
		if (round == 9)
			memory = mem_free_bytes();
	}
	assert_int_equal(mem_free_bytes(), memory);
}

/* Every shaping knob by itself makes another chain, or the same one anew, and back. */
static void test_each_shaping_knob(void **state)
{
	u8 *const shaping[] = { &knob.numa_levels, &knob.prefer_local, &knob.mc_prefer_sibling, &knob.smt_shares_pkg,
		&knob.group_build, &knob.FORCE_SD_OVERLAP };

	(void)state;
	boot(4, 2, 2, 2);
	describe(before, sizeof(before));
	for (unsigned i = 0; i < ARRAY_SIZE(shaping); i++) {
		u8 was = *shaping[i];
		struct sched_domain *sd = cpu_rq(0)->sd;

		*shaping[i] = !was;
		test_apply_knobs();
		assert_ptr_not_equal(cpu_rq(0)->sd, sd);
		*shaping[i] = was;
		test_apply_knobs();
		describe(after, sizeof(after));
		assert_string_equal(after, before);
	}
}

/* Other knobs leave the domains, and what they have counted, alone; intervals and failures start again. */
static void test_same_shape_same_domains(void **state)
{
	struct sched_domain *sd;

	(void)state;
	boot(2, 1, 4, 2);
	sd = cpu_rq(3)->sd;
	sd->counts[CPU_IDLE].count = 7;
	sd->balance_interval = 2;
	sd->nr_balance_failed = 3;
	knob.newidle = NEWIDLE_OFF;
	knob.relax_domain_level = RELAX_1;
	knob.sched_migration_cost_ns = 0;
	test_apply_knobs();
	assert_ptr_equal(cpu_rq(3)->sd, sd);
	assert_int_equal(sd->counts[CPU_IDLE].count, 7);
	assert_int_equal(sd->balance_interval, 1);
	assert_int_equal(sd->nr_balance_failed, 0);
}

/* A domain made anew counts from zero. */
static void test_new_domains_count_from_zero(void **state)
{
	(void)state;
	boot(2, 1, 4, 2);
	for (unsigned round = 0; round < 4; round++) {
		assert_int_equal(test_domain(3, "MC")->counts[CPU_IDLE].count, 0);
		assert_int_equal(test_domain(3, "MC")->alb_count, 0);
		test_domain(3, "MC")->counts[CPU_IDLE].count = 7;
		test_domain(3, "MC")->alb_count = 1;
		knob.numa_levels = round % 2 ? NUMA_LEVELS_DISTANCE : NUMA_LEVELS_LOST;
		test_apply_knobs();
	}
}

/* The real way, in a task, by the stoppers of all CPUs; no CPU may be left with an old chain. */
static void apply_twice(void *argument)
{
	(void)argument;
	knob.numa_levels = NUMA_LEVELS_LOST;
	sched_apply_knobs();
	for (unsigned cpu = 0; cpu < nr_cpus; cpu++)
		assert_string_equal(levels_with(cpu, SD_LOAD_BALANCE), "MC CPU");
	knob.numa_levels = NUMA_LEVELS_NEAREST;
	knob.mc_prefer_sibling = ON;
	sched_apply_knobs();
	for (unsigned cpu = 0; cpu < nr_cpus; cpu++)
		assert_string_equal(levels_with(cpu, SD_LOAD_BALANCE), "MC NODE");
}

static void test_applied_by_stoppers(void **state)
{
	(void)state;
	test_machine(2, 1, 4, 1);
	test_boot(SWITCH_STACKS);
	test_run(apply_twice, NULL);
}

/* With no memory for them the old chains stay whole, and who asked ends the machine with a word why. */
static void apply(void *argument)
{
	(void)argument;
	sched_apply_knobs();
}

static void test_no_memory(void **state)
{
	(void)state;
	boot(2, 1, 4, 2);
	describe(before, sizeof(before));
	for (size_t bytes = 1ull << 40; bytes >= CACHE_LINE; bytes /= 2)
		while (mem_alloc_forever(bytes))
			;
	knob.numa_levels = NUMA_LEVELS_NEAREST;
	assert_int_equal(domains_rebuild(), -E_NOMEM);
	describe(after, sizeof(after));
	assert_string_equal(after, before);
	test_expect_bug(apply, NULL, "-E_NOMEM");
}

/* ---- showing ---- */

static void expect_said(const char *text)
{
	test_console_clear();
	sched_say_domains();
	assert_string_equal(test_console(), text);
}

static void test_one_shape_one_line(void **state)
{
	(void)state;
	boot(1, 1, 4, 2);
	expect_said("Sched domains of CPUs 0-7: SIBLING 2 (2 groups of 1, flags 0x2af), MC 8 (4 groups of 2, flags 0x22f), "
		    "CPU 8 (1 group of 8, flags 0x102f)\n");
}

static void test_no_domains(void **state)
{
	(void)state;
	boot(1, 1, 1, 1);
	expect_said("Sched domains of CPU 0: none\n");
}

/* Three nodes in a row: the ends are alike, the middle is not. */
static void test_a_line_for_each_shape(void **state)
{
	(void)state;
	test_machine(3, 1, 1, 1);
	test_distance(0, 2, 30);
	test_boot(SWITCH_LABELS);
	expect_said("Sched domains of CPUs 0,2: NUMA 2 (2 groups of 1, flags 0x242f), NUMA 3 (2 groups of 2, flags 0x242f)\n"
		    "Sched domains of CPU 1: NUMA 3 (3 groups of 1, flags 0x242f)\n");
}

/* Two near nodes and a far one, whose level of near ones has gone: it spans one CPU. */
static void test_groups_of_different_size(void **state)
{
	(void)state;
	test_machine(3, 1, 1, 1);
	test_distance(0, 1, 15);
	test_boot(SWITCH_LABELS);
	expect_said("Sched domains of CPUs 0-1: NUMA 2 (2 groups of 1, flags 0x242f), NUMA 3 (2 groups of 1 to 2, flags 0x242f)\n"
		    "Sched domains of CPU 2: NUMA 3 (2 groups of 1 to 2, flags 0x242f)\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		machine_test(test_newidle_off_clears_the_bit),
		machine_test(test_newidle_by_level),
		machine_test(test_newidle_node_is_for_all_levels_across_nodes),
		machine_test(test_newidle_never_leaves_the_bit),
		machine_test(test_relax_domain_level),
		machine_test(test_newidle_off_after_relax),
		machine_test(test_rebuilt_with_flags_switched),
		machine_test(test_there_and_back),
		machine_test(test_each_shaping_knob),
		machine_test(test_same_shape_same_domains),
		machine_test(test_new_domains_count_from_zero),
		machine_test(test_applied_by_stoppers),
		machine_test(test_no_memory),
		machine_test(test_one_shape_one_line),
		machine_test(test_no_domains),
		machine_test(test_a_line_for_each_shape),
		machine_test(test_groups_of_different_size),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
