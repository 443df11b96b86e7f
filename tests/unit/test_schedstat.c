/* SPDX-License-Identifier: GPL-2.0-or-later
 * What schedstat= and tasks= print, read back field by field: /proc/schedstat, version 15, as cfs.md 11.2 lays it out, with numbers
 * planted where the kernel keeps them, and the table of tasks. A miss means that tools made for Linux would read a number as
 * another one. */
#include <stdio.h>

#include "tests/unit/machine.h"

#include "base/mem.h"
#include "base/text.h"
#include "lab/lab.h"
#include "sched/rq.h"

static char text[256 * 1024];

/* The lines printed from now on, one at each call. */
static const char *rest;

static void printed(void (*print)(void))
{
	test_console_clear();
	print();
	text_copy(text, sizeof(text), test_console());
	rest = text;
}

static void expect_line(const char *expected)
{
	size_t n = strlen(expected);

	if (strncmp(rest, expected, n) || rest[n] != '\n')
		fail_msg("expected: %s\nprinted: %.*s", expected, (int)strcspn(rest, "\n"), rest);
	rest += n + 1;
}

static void boot(unsigned nodes, unsigned cores, unsigned threads)
{
	test_machine(nodes, 1, cores, threads);
	test_clock_set(1234567890);
	test_boot(SWITCH_LABELS);
}

/* ---- the layout ---- */

/* 8 numbers each for IDLE, NOT_IDLE and NEWLY_IDLE from base + 1 on, alb_* base + 25 to 27, ttwu_* base + 34 and 35. */
static void plant_domain(struct sched_domain *sd, u64 base)
{
	for (unsigned type = 0; type < NR_IDLE_TYPES; type++) {
		u64 n = base + type * 8;

		sd->counts[type] = (struct sd_counts){
			.count = n + 1,
			.balanced = n + 2,
			.failed = n + 3,
			.imbalance = n + 4,
			.gained = n + 5,
			.hot_gained = n + 6,
			.nobusyq = n + 7,
			.nobusyg = n + 8,
		};
	}
	sd->alb_count = base + 25;
	sd->alb_failed = base + 26;
	sd->alb_pushed = base + 27;
	sd->wake_remote = base + 34;
	sd->move_affine = base + 35;
}

/* The 36 numbers of that domain: sbe_*, sbf_* and ttwu_move_balance are always 0. */
static void expect_domain(const char *start, u64 base)
{
	char line[512];
	size_t used = (size_t)snprintf(line, sizeof(line), "%s", start);

	for (unsigned i = 1; i <= 36; i++)
		used += (size_t)snprintf(line + used, sizeof(line) - used, " %llu",
			(i >= 28 && i <= 33) || i == 36 ? 0ull : (unsigned long long)base + i);
	expect_line(line);
}

/* Two nodes of two CPUs. HZ=1000: 1234 ticks have begun. ttwu_count is all wakeups, whichever CPU they went to. */
static void test_layout(void **state)
{
	(void)state;
	boot(2, 2, 1);
	cpu_rq(0)->count = (struct sched_counts){
		.yields = 11,
		.schedules = 13,
		.went_idle = 14,
		.wakeups_local = 6,
		.wakeups_remote = 9,
		.exec_ns = 5000000017,
		.run_delay_ns = 18,
		.timeslices = 19,
	};
	cpu_rq(3)->count = (struct sched_counts){ .yields = 41 };
	plant_domain(cpu_rq(0)->sd, 100);
	plant_domain(test_domain(0, "NUMA"), 300);
	plant_domain(cpu_rq(3)->sd, 500);
	assert_ptr_equal(cpu_rq(0)->sd->parent->parent, test_domain(0, "NUMA"));
	printed(say_schedstat);
	expect_line("version 15");
	expect_line("timestamp 1234");
	expect_line("cpu0 11 0 13 14 15 6 5000000017 18 19");
	expect_domain("domain0 3", 100);
	rest = strchr(rest, '\n') + 1; /* CPU, as large as MC */
	expect_domain("domain2 f", 300);
	rest = strstr(rest, "cpu3 ");
	assert_non_null(rest);
	expect_line("cpu3 41 0 0 0 0 0 0 0 0");
	expect_domain("domain0 c", 500);
}

/* A CPU without domains has its one line. */
static void test_one_cpu(void **state)
{
	(void)state;
	boot(1, 1, 1);
	printed(say_schedstat);
	expect_line("version 15");
	expect_line("timestamp 1234");
	expect_line("cpu0 0 0 0 0 0 0 0 0 0");
	assert_string_equal(rest, "");
}

static void expect_mask(unsigned cpu, const char *domain)
{
	char start[32];

	snprintf(start, sizeof(start), "\ncpu%u ", cpu);
	rest = strstr(text, start);
	assert_non_null(rest);
	rest = strstr(rest, domain);
	assert_non_null(rest);
}

/* 40 CPUs are two groups of 32, the first of two digits: node 3 has CPUs 30 to 39. 8 are one group of two digits. */
static void test_masks(void **state)
{
	(void)state;
	boot(4, 10, 1);
	printed(say_schedstat);
	expect_mask(0, "\ndomain0 00,000003ff ");
	expect_mask(17, "\ndomain0 00,000ffc00 ");
	expect_mask(39, "\ndomain0 ff,c0000000 ");
	expect_mask(39, "\ndomain2 ff,ffffffff ");
}

static void test_masks_of_8_cpus(void **state)
{
	(void)state;
	boot(2, 2, 2); /* the second threads are CPUs 4 to 7 */
	printed(say_schedstat);
	expect_mask(0, "\ndomain0 11 ");
	expect_mask(0, "\ndomain1 33 ");
	expect_mask(7, "\ndomain1 cc ");
}

/* 33 CPUs and 64: the first group has one digit, and eight. */
static void test_masks_at_the_edges(void **state)
{
	(void)state;
	boot(1, 33, 1);
	printed(say_schedstat);
	expect_mask(32, "\ndomain0 1,ffffffff ");
}

static void test_masks_of_whole_groups(void **state)
{
	(void)state;
	boot(2, 32, 1);
	printed(say_schedstat);
	expect_mask(63, "\ndomain0 ffffffff,00000000 ");
	expect_mask(0, "\ndomain0 00000000,ffffffff ");
}

/* ---- in an experiment ---- */

static struct plan plan;
static struct outcome outcome;

/* Two tasks on CPU 0: the first works for 20 ms, the second for 8. */
static void work(void *argument)
{
	machine_work_ns((uintptr_t)argument * NSEC_PER_MSEC);
}

static void two_tasks(const void *options, struct run *r)
{
	struct cpumask only = { .word = { 1 } }, all = current()->allowed;

	(void)options;
	task_set_allowed(current(), &only);
	run_begin(r);
	assert_non_null(task_spawn("first", work, (void *)20, false));
	assert_non_null(task_spawn("second", work, (void *)8, false));
	task_reap(REAP_ANY);
	task_reap(REAP_ANY);
	run_finish(r);
	task_set_allowed(current(), &all);
	r->status = "ok";
}

static const struct workload probe = { .name = "probe", .run = two_tasks };

static void run_plan(void *unused)
{
	(void)unused;
	experiment_run(&plan, &outcome);
}

static void experiment(const char *cmdline)
{
	test_machine(1, 1, 2, 1);
	test_boot(SWITCH_STACKS);
	assert_int_equal(plan_parse(&plan, cmdline), 0);
	plan.nr_workloads = 1;
	plan.workload[0].workload = &probe;
	text_copy(plan.workload[0].text, TEXT_BYTES, "probe");
	test_console_clear();
	test_run(run_plan, NULL);
	text_copy(text, sizeof(text), test_console());
	rest = text;
}

static unsigned occurrences(const char *what)
{
	unsigned n = 0;

	for (const char *s = text; (s = strstr(s, what)); s++)
		n++;
	return n;
}

/* By default nothing is printed and nothing kept. */
static void test_off(void **state)
{
	u64 left_out;

	(void)state;
	experiment("runs=3");
	assert_int_equal(occurrences("version 15"), 0);
	assert_int_equal(occurrences("PID"), 0);
	assert_null(sched_take_tasks(&left_out));
}

/* After each run, the warm-up too; each time behind the run's record, and counting from boot. */
static void test_after_each_run(void **state)
{
	unsigned long long schedules = 0, n;

	(void)state;
	experiment("runs=2 warmup=1 schedstat=run");
	assert_int_equal(occurrences("version 15\n"), 3);
	for (unsigned i = 0; i < 3; i++) {
		rest = strstr(rest, "{\"t\":\"run\"");
		assert_non_null(rest);
		rest = strchr(rest, '\n') + 1;
		expect_line("version 15");
		rest = strstr(rest, "cpu0 ");
		assert_int_equal(sscanf(rest, "cpu0 0 0 %llu", &n), 1);
		assert_true(n > schedules);
		schedules = n;
	}
}

static void test_at_the_end(void **state)
{
	(void)state;
	experiment("runs=3 schedstat=end");
	assert_int_equal(occurrences("version 15\n"), 1);
	assert_null(strstr(strstr(text, "version 15\n"), "{\"t\":\"run\""));
}

struct row {
	char name[24];
	unsigned pid;
	unsigned long long switches, voluntary, involuntary, migrations, run_ms, run_ns, wait_ms, wait_ns, longest_ms, longest_ns;
};

static struct row next_row(void)
{
	struct row r;
	const char *end = strchr(rest, '\n');

	assert_int_equal(sscanf(rest, "%23s %u %llu %llu %llu %llu %llu.%6llu %llu.%6llu %llu.%6llu", r.name, &r.pid, &r.switches,
				 &r.voluntary, &r.involuntary, &r.migrations, &r.run_ms, &r.run_ns, &r.wait_ms, &r.wait_ns,
				 &r.longest_ms, &r.longest_ns),
		12);
	rest = end + 1;
	return r;
}

/*
 * On 2 CPUs 3.8's latency is 12 ms (section 1.6). At its birth the first is one of two, and starts 6 ms late, the second one of
 * three, and starts 4 ms late: it runs first, and at the tick after its slice of 6 ms, at 7, gives way to the first; that one
 * at 14. The second ends at 15, the first at 28. So the first has waited for 7 and 1 ms, the second for 7.
 */
static void test_table_of_tasks(void **state)
{
	struct row first, second;
	unsigned runs = 0;

	(void)state;
	experiment("runs=2 jitter=off tasks=1");
	for (; (rest = strstr(rest, "longest wait ms\n")); runs++) {
		rest = strchr(rest, '\n') + 1;
		first = next_row();
		second = next_row();
		assert_string_equal(first.name, "first");
		assert_string_equal(second.name, "second");
		assert_int_equal(second.pid, first.pid + 1);
		assert_true(first.switches == 2 && first.voluntary == 1 && first.involuntary == 1 && first.migrations == 0);
		assert_true(second.switches == 2 && second.voluntary == 1 && second.involuntary == 1 && second.migrations == 0);
		assert_true(first.run_ms == 20 && first.run_ns == 0 && second.run_ms == 8 && second.run_ns == 0);
		assert_true(first.wait_ms == 8 && first.wait_ns == 0 && second.wait_ms == 7 && second.wait_ns == 0);
		assert_true(first.longest_ms == 7 && first.longest_ns == 0 && second.longest_ms == 7 && second.longest_ns == 0);
		assert_ptr_not_equal(strstr(rest, "{\"t\":\"run\""), NULL); /* the record comes next */
	}
	assert_int_equal(runs, 2);
}

/* The run's record has the sum, 8 + 7 ms; the parent, who has slept for so long, never waits. */
static void test_run_delay_in_the_record(void **state)
{
	(void)state;
	experiment("");
	assert_int_equal(occurrences("\"run_delay_ns\":15000000,"), 1);
}

static void forget_two(void)
{
	struct task t = { .id = 1 };

	sched_keep_tasks(true);
	stats_birth(&t);
	stats_birth(&t);
	say_tasks();
}

/* What could not be noted is said. */
static void test_no_memory(void **state)
{
	(void)state;
	boot(1, 1, 1);
	for (size_t bytes = 64 << 20; bytes >= CACHE_LINE; bytes /= 2)
		while (mem_alloc(bytes))
			;
	printed(forget_two);
	expect_line("There was no memory to note 2 more tasks");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		machine_test(test_layout),
		machine_test(test_one_cpu),
		machine_test(test_masks),
		machine_test(test_masks_of_8_cpus),
		machine_test(test_masks_at_the_edges),
		machine_test(test_masks_of_whole_groups),
		machine_test(test_off),
		machine_test(test_after_each_run),
		machine_test(test_at_the_end),
		machine_test(test_table_of_tasks),
		machine_test(test_run_delay_in_the_record),
		machine_test(test_no_memory),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
