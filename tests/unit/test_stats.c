/* SPDX-License-Identifier: GPL-2.0-or-later
 * What is counted of CPUs, domains and tasks, against cfs.md section 11 (checks C11.1 to C11.5) and against the clock, the only
 * thing that moves being what the test moves. All numbers are exact. A miss in a wait means that the time between two events went
 * to the wrong queue or twice to one; a miss in an identity that some way out of a function forgets to count. */
#include "tests/unit/machine.h"

#include "base/mem.h"
#include "sched/rq.h"

/* Positions in a cpu line of /proc/schedstat, section 11.2, and in a domain line. */
enum { YLD_COUNT, SCHED_SWITCH, SCHED_COUNT, SCHED_GOIDLE, TTWU_COUNT, TTWU_LOCAL, RQ_CPU_TIME, RUN_DELAY, PCOUNT };
enum { LB_COUNT, LB_BALANCED, LB_FAILED, LB_IMBALANCE, LB_GAINED, LB_HOT_GAINED, LB_NOBUSYQ, LB_NOBUSYG, PER_TYPE };
enum { TTWU_WAKE_REMOTE = 33 };

static void boot(unsigned nodes, unsigned cpus_per_node)
{
	test_machine(nodes, 1, cpus_per_node, 1);
	test_boot(SWITCH_LABELS);
}

static u64 cpu_stat(unsigned cpu, unsigned field)
{
	u64 number[CPU_STATS];

	sched_cpu_stats(cpu, number);
	return number[field];
}

static u64 domain_stat(unsigned cpu, unsigned level, unsigned field)
{
	u64 number[DOMAIN_STATS];

	assert_non_null(sched_domain_stats(cpu, level, number));
	return number[field];
}

/* ---- switches, section 11.1 ---- */

/* C11.1: one spinner with ticks and no competitor. */
static void test_lone_spinner_is_not_switched(void **state)
{
	struct task *t;

	(void)state;
	boot(1, 1);
	t = test_spinners(0, 1);
	test_machine_run(NSEC_PER_SEC);
	assert_int_equal(cpu_rq(0)->count.switches, 1); /* from the idle task */
	assert_int_equal(t->nr_voluntary + t->nr_involuntary, 0);
	assert_int_equal(cpu_stat(0, PCOUNT), 1);
	assert_int_equal(cpu_stat(0, RUN_DELAY), 0);
	assert_int_equal(cpu_stat(0, RQ_CPU_TIME), NSEC_PER_SEC);
}

/* C11.1 with C1.7: two spinners switch every 4 ms, 250 times a second, each time involuntarily. */
static void test_two_spinners_are_switched_against_their_will(void **state)
{
	struct task *a, *b;

	(void)state;
	boot(1, 1);
	a = test_spinners(0, 2);
	b = task_of(cpu_rq(0)->cfs.leftmost);
	test_machine_run(NSEC_PER_SEC);
	assert_int_equal(cpu_rq(0)->count.switches, 1 + 250);
	assert_int_equal(a->nr_involuntary + b->nr_involuntary, 250);
	assert_int_equal(a->nr_voluntary + b->nr_voluntary, 0);
	assert_int_equal(cpu_stat(0, PCOUNT), 1 + 250);
	assert_int_equal(a->pcount + b->pcount, 1 + 250);
}

/* C11.2: ping-pong by yielding. */
static void test_yields_are_involuntary(void **state)
{
	struct task *a, *b;

	(void)state;
	boot(1, 1);
	a = test_spinners(0, 2);
	b = task_of(cpu_rq(0)->cfs.leftmost);
	for (unsigned i = 0; i < 100; i++) {
		assert_ptr_equal(current(), i % 2 ? b : a);
		task_yield();
	}
	assert_true(a->nr_involuntary == 50 && b->nr_involuntary == 50);
	assert_true(a->nr_voluntary == 0 && b->nr_voluntary == 0);
	assert_int_equal(cpu_stat(0, YLD_COUNT), 100);
	assert_int_equal(cpu_stat(0, SCHED_COUNT), 1 + 100);
}

enum { CYCLES = 20 };

static struct task *sleeper;

static void work_and_sleep(void *unused)
{
	u64 switches = this_rq()->count.switches, voluntary = current()->nr_voluntary, idle = this_rq()->count.went_idle;

	(void)unused;
	sleeper = current();
	for (unsigned i = 0; i < CYCLES; i++) {
		machine_work_ns(8 * NSEC_PER_MSEC);
		task_sleep_ns(NSEC_PER_MSEC);
	}
	assert_int_equal(this_rq()->count.switches - switches, 2 * CYCLES);
	assert_int_equal(current()->nr_voluntary - voluntary, CYCLES);
	assert_int_equal(this_rq()->count.went_idle - idle, CYCLES);
	assert_int_equal(current()->nr_involuntary, 0);
}

/* C11.3: sleep 1 ms, run 8 ms, alone. Sections 11.2 and 11.3: it never waited. */
static void test_cycles_of_work_and_sleep(void **state)
{
	(void)state;
	test_machine(1, 1, 1, 1);
	test_boot(SWITCH_STACKS);
	test_run(work_and_sleep, NULL);
	assert_int_equal(sleeper->run_delay_ns, 0);
	assert_int_equal(sleeper->pcount, 1 + CYCLES);
	assert_int_equal(sleeper->se.sum_exec, CYCLES * 8 * NSEC_PER_MSEC);
}

static void do_nothing(void *unused)
{
	(void)unused;
}

/* C11.4: the fork places the child on the idle CPU. */
static void test_fork_placed_elsewhere(void **state)
{
	struct sched_totals before, after;
	struct task *child;

	(void)state;
	boot(1, 2);
	test_spinners(0, 1);
	sched_totals(&before);
	child = task_spawn("child", do_nothing, NULL, false);
	sched_totals(&after);
	assert_int_equal(child->cpu, 1);
	assert_int_equal(after.migrations - before.migrations, 1);
	assert_int_equal(child->nr_migrations, 1);
}

/* Section 11.2: schedule() calls and picks of the idle task count, also where the same task goes on; its slice is no new one. */
static void test_picked_again(void **state)
{
	struct task *t;

	(void)state;
	boot(1, 1);
	test_schedule(0);
	assert_int_equal(cpu_stat(0, SCHED_COUNT), 1);
	assert_int_equal(cpu_stat(0, SCHED_GOIDLE), 1);
	assert_int_equal(cpu_stat(0, PCOUNT), 0);
	t = test_spinners(0, 1);
	test_clock_advance(1000);
	test_schedule(0);
	assert_int_equal(cpu_stat(0, SCHED_COUNT), 3);
	assert_int_equal(cpu_stat(0, SCHED_GOIDLE), 1);
	assert_int_equal(cpu_stat(0, SCHED_SWITCH), 0);
	assert_int_equal(t->pcount, 1);
	assert_int_equal(t->run_delay_ns, 0);
}

/* ---- waiting ---- */

/*
 * Two spinners, slices of 4 ms (C1.7), for 100 ms: the first runs from 0, 8, ... 96 ms, the second from 4, 12, ... 92 ms, and at
 * 100 ms again. So the first has waited 12 times 4 ms, the second 13 times, the longest being 4 ms, and there were 26 slices.
 */
static void test_two_spinners_wait_in_turns(void **state)
{
	struct task *a, *b;

	(void)state;
	boot(1, 1);
	a = test_spinners(0, 2);
	b = task_of(cpu_rq(0)->cfs.leftmost);
	test_machine_run(100 * NSEC_PER_MSEC);
	assert_int_equal(a->run_delay_ns, 48 * NSEC_PER_MSEC);
	assert_int_equal(b->run_delay_ns, 52 * NSEC_PER_MSEC);
	assert_int_equal(cpu_stat(0, RUN_DELAY), 100 * NSEC_PER_MSEC);
	assert_true(a->wait_max_ns == 4 * NSEC_PER_MSEC && b->wait_max_ns == 4 * NSEC_PER_MSEC);
	assert_true(a->pcount == 13 && b->pcount == 13);
	assert_int_equal(cpu_stat(0, PCOUNT), 26);
	assert_int_equal(cpu_stat(0, RQ_CPU_TIME), 100 * NSEC_PER_MSEC);
}

static void move(struct task *t, unsigned cpu)
{
	struct rq *src = task_rq(t), *dst = cpu_rq(cpu);
	unsigned long flags = machine_irq_save();

	rq_lock_pair(src, dst);
	rq_update_clock(src);
	rq_deactivate(src, t, 0);
	task_set_cpu(t, cpu);
	rq_activate(dst, t, 0);
	rq_unlock_pair(src, dst);
	machine_irq_restore(flags);
}

/* 3 ms on one queue and 2 on the next are one wait of 5; each queue has its part. */
static void test_wait_goes_on_elsewhere(void **state)
{
	struct task *t;

	(void)state;
	boot(1, 2);
	test_spinners(0, 1);
	t = test_task(0, 0);
	test_clock_advance(3 * NSEC_PER_MSEC);
	move(t, 1);
	test_clock_advance(2 * NSEC_PER_MSEC);
	assert_ptr_equal(test_schedule(1), t);
	assert_int_equal(t->run_delay_ns, 5 * NSEC_PER_MSEC);
	assert_int_equal(t->wait_max_ns, 5 * NSEC_PER_MSEC);
	assert_int_equal(cpu_stat(0, RUN_DELAY), 3 * NSEC_PER_MSEC);
	assert_int_equal(cpu_stat(1, RUN_DELAY), 2 * NSEC_PER_MSEC);
	assert_int_equal(t->pcount, 1);
}

/* Time asleep is no wait; from the wakeup on it is one. The wait before, of 1 ms, is not the longest. */
static void test_sleep_is_no_wait(void **state)
{
	struct task *t;

	(void)state;
	boot(1, 1);
	t = test_task(0, 0);
	test_clock_advance(1 * NSEC_PER_MSEC);
	test_schedule(0);
	test_clock_advance(7 * NSEC_PER_MSEC);
	test_sleep(0);
	test_clock_advance(10 * NSEC_PER_MSEC);
	task_wake(t, 0);
	test_clock_advance(2 * NSEC_PER_MSEC);
	assert_ptr_equal(test_schedule(0), t);
	assert_int_equal(t->run_delay_ns, 3 * NSEC_PER_MSEC);
	assert_int_equal(t->wait_max_ns, 2 * NSEC_PER_MSEC);
	assert_int_equal(t->se.sum_exec, 7 * NSEC_PER_MSEC);
}

/* ---- wakeups ---- */

static struct task *asleep_on(unsigned cpu)
{
	struct task *t = test_sleeper(0, 0, 0);

	test_pin(t, cpu);
	return t;
}

/* Section 11.2: 3.8 counts on the waking CPU, and in its lowest domain that has the target too. */
static void test_wakeups_by_distance(void **state)
{
	struct task *here, *near, *far;

	(void)state;
	boot(2, 2);
	test_on_cpu(0);
	here = asleep_on(0);
	near = asleep_on(1);
	far = asleep_on(3);
	task_wake(here, 0);
	task_wake(near, WAKE_SYNC);
	task_wake(far, 0);
	assert_int_equal(cpu_stat(0, TTWU_COUNT), 3);
	assert_int_equal(cpu_stat(0, TTWU_LOCAL), 1);
	assert_int_equal(cpu_stat(1, TTWU_COUNT) + cpu_stat(3, TTWU_COUNT), 0);
	assert_string_equal(cpu_rq(0)->sd->name, "MC");
	assert_int_equal(cpu_rq(0)->sd->wake_remote, 1);
	assert_int_equal(test_domain(0, "NUMA")->wake_remote, 1);
	assert_int_equal(domain_stat(0, 0, TTWU_WAKE_REMOTE), 1);
}

/* Section 0.6, 3.8: who is woken before it has left its queue has been woken too. It does not move. */
static void test_wakeup_before_the_switch(void **state)
{
	struct task *t;

	(void)state;
	boot(1, 2);
	t = test_spinners(0, 1);
	task_set_sleeping();
	test_on_cpu(1);
	task_wake(t, 0);
	assert_int_equal(cpu_stat(1, TTWU_COUNT), 1);
	assert_int_equal(cpu_rq(1)->sd->wake_remote, 1);
	task_wake(t, 0); /* it is awake */
}

/* ---- balancing ---- */

static struct {
	u64 passes, gained;
} seen[NR_IDLE_TYPES];

static void pass(enum idle_type type)
{
	bool responsible = true;
	unsigned long flags = machine_irq_save();
	unsigned moved = load_balance(cpu_rq(0), cpu_rq(0)->sd, type, &responsible);

	machine_irq_restore(flags);
	seen[type].passes += moved > 0;
	seen[type].gained += moved;
}

static void expect_identity(enum idle_type type)
{
	const struct sd_counts *c = &cpu_rq(0)->sd->counts[type];
	unsigned first = type * PER_TYPE;

	assert_int_equal(domain_stat(0, 0, first + LB_COUNT) - c->balanced - c->failed, seen[type].passes);
	assert_int_equal(domain_stat(0, 0, first + LB_GAINED), seen[type].gained);
	assert_true(domain_stat(0, 0, first + LB_NOBUSYG) + domain_stat(0, 0, first + LB_NOBUSYQ) <= c->balanced);
	assert_true(seen[type].passes <= seen[type].gained);
	assert_true(c->balanced && c->failed && seen[type].passes); /* all have been seen */
}

static void pin_all(unsigned cpu)
{
	struct sched_entity *se;

	TAILQ_FOREACH(se, &cpu_rq(cpu)->cfs.tasks, peers)
		test_pin(task_of(se), cpu);
}

static void empty(unsigned cpu)
{
	test_schedule(cpu);
	while (cpu_rq(cpu)->nr_running)
		test_sleep(cpu);
}

/* All that there is: this many on CPU 1, which balancing believes to be so for ever. */
static void load_cpu_1(unsigned tasks)
{
	empty(0);
	empty(1);
	test_spinners(1, tasks);
	test_settle_loads();
}

/* C11.5, with passes of all kinds of end: nothing to take, hot tasks only until they are taken all the same, pinned tasks only, and
 * some to take. */
static void test_balance_identity(void **state)
{
	(void)state;
	boot(1, 2);
	knob.newidle = NEWIDLE_NEVER;
	for (unsigned type = 0; type < NR_IDLE_TYPES; type++) {
		load_cpu_1(1);
		pass((enum idle_type)type);
		knob.sched_migration_cost_ns = MIGRATION_COST_ALWAYS_HOT;
		load_cpu_1(6);
		for (unsigned i = 0; i < 5; i++)
			pass((enum idle_type)type);
		knob.sched_migration_cost_ns = 0;
		load_cpu_1(6);
		pin_all(1);
		pass((enum idle_type)type);
		load_cpu_1(6);
		pass((enum idle_type)type);
	}
	for (unsigned type = 0; type < NR_IDLE_TYPES; type++)
		expect_identity((enum idle_type)type);
}

/* ---- the sums ---- */

static void wander(void *argument)
{
	u64 n = (uintptr_t)argument;

	for (unsigned i = 0; i < 10; i++) {
		machine_work_ns((1 + n % 7) * 900000);
		if (n % 3)
			task_sleep_ns(n * 70000);
		else
			task_yield();
	}
}

enum { WANDERERS = 23 };

static void start_wanderers(void *unused)
{
	(void)unused;
	for (uintptr_t i = 0; i < WANDERERS; i++)
		assert_non_null(task_spawn("wanderer", wander, (void *)i, false));
	for (unsigned i = 0; i < WANDERERS; i++)
		task_reap(REAP_ANY);
}

struct sums {
	u64 exec, delay, slices, tasks;
};

/* Of all tasks but the idle ones. */
static struct sums sum_tasks(void)
{
	struct sums s = { 0 };
	u64 left_out;

	for (const struct task_record *t = sched_take_tasks(&left_out); t; t = t->next, s.tasks++) {
		s.exec += t->exec_ns;
		s.delay += t->run_delay_ns;
		assert_true(t->wait_max_ns <= t->run_delay_ns);
	}
	for (unsigned cpu = 0; cpu < nr_cpus; cpu++) {
		s.exec += cpu_rq(cpu)->stop->se.sum_exec;
		s.delay += cpu_rq(cpu)->stop->run_delay_ns;
	}
	return s;
}

/* What CPUs say of tasks is what tasks say of themselves, and with the time idle it is all there was. */
static void test_sums(void **state)
{
	struct sched_totals totals;
	struct sums of_tasks, of_cpus = { 0 };

	(void)state;
	test_machine(2, 1, 2, 1);
	test_boot(SWITCH_STACKS);
	sched_keep_tasks(true);
	test_run(start_wanderers, NULL);
	while (current()->nr_children)
		task_reap(REAP_ANY);
	of_tasks = sum_tasks();
	for (unsigned cpu = 0; cpu < nr_cpus; cpu++) {
		of_cpus.exec += cpu_stat(cpu, RQ_CPU_TIME);
		of_cpus.delay += cpu_stat(cpu, RUN_DELAY);
	}
	sched_totals(&totals);
	assert_int_equal(of_tasks.tasks, WANDERERS + 1);
	assert_true(of_tasks.delay > 0);
	assert_int_equal(of_tasks.delay, of_cpus.delay);
	assert_int_equal(of_tasks.delay, totals.run_delay_ns);
	assert_int_equal(of_tasks.exec, of_cpus.exec);
	assert_int_equal(of_tasks.exec, totals.task_clock_ns);
	for (unsigned cpu = 0; cpu < nr_cpus; cpu++)
		assert_int_equal(cpu_stat(cpu, RQ_CPU_TIME) + totals.idle_ns[cpu], machine_clock_ns());
}

static void take_3_us(void *unused)
{
	(void)unused;
	test_clock_advance(3000);
}

/* A stopper is a task like others: its job of 3 us is CPU time, and who had to make way has waited for as long. */
static void test_stoppers_count(void **state)
{
	struct stop_work work = { .fn = take_3_us };
	struct task *t;

	(void)state;
	boot(1, 1);
	t = test_spinners(0, 1);
	stop_queue(0, &work);
	test_clock_advance(500); /* so long the stopper waits */
	assert_ptr_equal(test_schedule(0), cpu_rq(0)->stop);
	work.fn(NULL);
	assert_ptr_equal(test_sleep(0), t);
	assert_int_equal(cpu_rq(0)->stop->se.sum_exec, 3000);
	assert_int_equal(cpu_rq(0)->stop->run_delay_ns, 500);
	assert_int_equal(t->run_delay_ns, 3000);
	assert_int_equal(cpu_stat(0, RQ_CPU_TIME), 3500);
	assert_int_equal(cpu_stat(0, RUN_DELAY), 3500);
}

/* ---- records of tasks ---- */

enum { MANY = 10000 };

static void spawn_many(void *unused)
{
	(void)unused;
	for (unsigned i = 0; i < MANY; i++) {
		assert_non_null(task_spawn("one of many", do_nothing, NULL, false));
		task_reap(REAP_ANY);
	}
}

/* One for each task made while they are kept, in the order of making, whoever recycles whose memory. */
static void test_records_of_many(void **state)
{
	struct task_record *first;
	u64 left_out, n = 0;
	u32 id = 0;

	(void)state;
	test_machine(1, 1, 2, 1);
	test_boot(SWITCH_STACKS);
	test_run(spawn_many, NULL);
	assert_null(sched_take_tasks(&left_out)); /* nobody had asked */
	sched_keep_tasks(true);
	test_run(spawn_many, NULL);
	first = sched_take_tasks(&left_out);
	assert_string_equal(first->name, "main");
	for (const struct task_record *t = first->next; t; t = t->next, n++) {
		assert_string_equal(t->name, "one of many");
		assert_true(t->id > id);
		assert_int_equal(t->voluntary, 1); /* its end */
		id = t->id;
	}
	assert_int_equal(n, MANY);
	assert_int_equal(left_out, 0);
	assert_null(sched_take_tasks(&left_out));
}

static void use_up_memory(void)
{
	for (size_t bytes = 64 << 20; bytes >= CACHE_LINE; bytes /= 2)
		while (mem_alloc(bytes))
			;
}

/* Without memory a task lives on unrecorded, and is counted. */
static void test_no_memory_for_records(void **state)
{
	struct task *t;
	u64 left_out;

	(void)state;
	boot(1, 1);
	sched_keep_tasks(true);
	t = test_task(0, 0);
	use_up_memory();
	stats_birth(t);
	stats_birth(t);
	stats_death(t);
	assert_null(sched_take_tasks(&left_out));
	assert_int_equal(left_out, 2);
	sched_take_tasks(&left_out);
	assert_int_equal(left_out, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		machine_test(test_lone_spinner_is_not_switched),
		machine_test(test_two_spinners_are_switched_against_their_will),
		machine_test(test_yields_are_involuntary),
		machine_test(test_cycles_of_work_and_sleep),
		machine_test(test_fork_placed_elsewhere),
		machine_test(test_picked_again),
		machine_test(test_two_spinners_wait_in_turns),
		machine_test(test_wait_goes_on_elsewhere),
		machine_test(test_sleep_is_no_wait),
		machine_test(test_wakeups_by_distance),
		machine_test(test_wakeup_before_the_switch),
		machine_test(test_balance_identity),
		machine_test(test_sums),
		machine_test(test_stoppers_count),
		machine_test(test_records_of_many),
		machine_test(test_no_memory_for_records),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
