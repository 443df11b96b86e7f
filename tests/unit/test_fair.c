/* SPDX-License-Identifier: GPL-2.0-or-later
 * Weights, virtual time, slices and placement, against cfs.md section 1 (checks C1.2 to C1.6 and C1.8 to C1.10, the 3.8
 * side; 2.6.32 is test_fair_era.c's, the tick test_tick.c's). Expected values are computed there from Linux's rules and table; all
 * are exact unless a test says otherwise. A miss by a few ns is a rounding step done in another order, a miss by a factor the wrong
 * weight or number of tasks. */
#include "tests/unit/machine.h"

#include "sched/rq.h"

static void boot(unsigned cpus)
{
	test_machine(1, 1, cpus, 1);
	test_boot(SWITCH_LABELS);
}

/* ---- weights ---- */

/* Section 1.1, the whole table. A miss is a typing error in weight.c. */
static void test_weights_and_inverses(void **state)
{
	static const struct {
		int nice;
		u64 weight;
		u32 inverse;
	} table[] = { { -20, 88761, 48388 }, { -19, 71755, 59856 }, { -18, 56483, 76040 }, { -17, 46273, 92818 },
		{ -16, 36291, 118348 }, { -15, 29154, 147320 }, { -14, 23254, 184698 }, { -13, 18705, 229616 },
		{ -12, 14949, 287308 }, { -11, 11916, 360437 }, { -10, 9548, 449829 }, { -9, 7620, 563644 }, { -8, 6100, 704093 },
		{ -7, 4904, 875809 }, { -6, 3906, 1099582 }, { -5, 3121, 1376151 }, { -4, 2501, 1717300 }, { -3, 1991, 2157191 },
		{ -2, 1586, 2708050 }, { -1, 1277, 3363326 }, { 0, 1024, 4194304 }, { 1, 820, 5237765 }, { 2, 655, 6557202 },
		{ 3, 526, 8165337 }, { 4, 423, 10153587 }, { 5, 335, 12820798 }, { 6, 272, 15790321 }, { 7, 215, 19976592 },
		{ 8, 172, 24970740 }, { 9, 137, 31350126 }, { 10, 110, 39045157 }, { 11, 87, 49367440 }, { 12, 70, 61356676 },
		{ 13, 56, 76695844 }, { 14, 45, 95443717 }, { 15, 36, 119304647 }, { 16, 29, 148102320 }, { 17, 23, 186737708 },
		{ 18, 18, 238609294 }, { 19, 15, 286331153 } };
	struct task t = { .policy = POLICY_NORMAL };

	(void)state;
	assert_int_equal(ARRAY_SIZE(table), 40);
	for (unsigned i = 0; i < ARRAY_SIZE(table); i++) {
		t.nice = (s8)table[i].nice;
		weight_set(&t);
		assert_int_equal(t.se.load.weight, table[i].weight);
		assert_int_equal(t.se.load.inverse, table[i].inverse);
	}
	t.policy = POLICY_BATCH; /* nice counts */
	weight_set(&t);
	assert_int_equal(t.se.load.weight, 15);
	t.policy = POLICY_IDLE; /* nice does not */
	weight_set(&t);
	assert_int_equal(t.se.load.weight, 3);
	assert_int_equal(t.se.load.inverse, 1431655765);
}

static const struct {
	int nice;
	u64 vruntime_ns;
} per_ms[] = { { -20, 11537 }, { -10, 107248 }, { -5, 328100 }, { -1, 801879 }, { 0, 1000000 }, { 1, 1248780 }, { 5, 3056716 },
	{ 10, 9309091 }, { 15, 28444444 }, { 19, 68266667 } };

/* C1.2: vruntime that 1 ms of running adds. */
static void test_vruntime_of_a_millisecond(void **state)
{
	struct task t = { .policy = POLICY_NORMAL };

	(void)state;
	for (unsigned i = 0; i < ARRAY_SIZE(per_ms); i++) {
		t.nice = (s8)per_ms[i].nice;
		weight_set(&t);
		assert_int_equal(calc_delta_fair(1000000, &t.se), per_ms[i].vruntime_ns);
	}
	t.policy = POLICY_IDLE;
	weight_set(&t);
	assert_int_equal(calc_delta_fair(1000000, &t.se), 341333333);
}

/* C1.2 the way it comes about: a task runs for 1 ms and the tick accounts it. */
static void test_the_tick_accounts(void **state)
{
	struct task *t;
	u64 before;

	(void)state;
	boot(1);
	t = test_task(0, 5);
	assert_ptr_equal(test_schedule(0), t);
	before = t->se.vruntime;
	test_clock_run(1000000);
	assert_int_equal(t->se.sum_exec, 1000000);
	assert_int_equal(t->se.vruntime - before, 3056716);
	assert_int_equal(cpu_rq(0)->count.exec_ns, 1000000);
}

/* C1.10, 3.8: the inverse of a queue's weight is 2^32 / weight, truncated, worked out when first needed. */
static void test_inverse_of_a_queue(void **state)
{
	struct load_weight load = { .weight = 1024 }, heavy = { .weight = 1ull << 32 };

	(void)state;
	knobs_reset(&sched_knob_table);
	calc_delta(1, 1024, &load);
	assert_int_equal(load.inverse, 4194304);
	weight_add(&load, 1024);
	assert_int_equal(load.inverse, 0);
	calc_delta(1, 1024, &load);
	assert_int_equal(load.inverse, 2097152);
	calc_delta(1, 1024, &heavy);
	assert_int_equal(heavy.inverse, 1);
}

/* ---- slices ---- */

static u64 slice_of(struct task *t)
{
	return se_slice(&cpu_rq(t->cpu)->cfs, &t->se);
}

/* One task more each time; ns[n] for n tasks, 0: not known. */
static void expect_slices(unsigned cpus, const u64 *ns, unsigned most)
{
	boot(cpus);
	for (unsigned n = 1; n <= most; n++) {
		struct task *t = test_task(0, 0);

		if (ns[n])
			assert_int_equal(slice_of(t), ns[n]);
	}
}

/* C1.3, 3.8, 4 CPUs (latency 18 ms): n equal tasks. From 9 on the period is n times the minimum granularity of 2.25 ms. */
static void test_slices_4_cpus(void **state)
{
	static const u64 ns[] = {
		[1] = 18000000, [2] = 9000000, [3] = 5999999, [5] = 3599997, [8] = 2250000, [9] = 2249994, [10] = 2250001
	};

	(void)state;
	expect_slices(4, ns, 10);
}

/* C1.3, 3.8, 8 CPUs: 24 ms. */
static void test_slices_8_cpus(void **state)
{
	static const u64 ns[] = { [1] = 24000000, [2] = 12000000, [3] = 7999998, [8] = 3000000 };

	(void)state;
	expect_slices(8, ns, 8);
}

/* Section 1.6, 3.8: latency, minimum and wakeup granularity grow by 1 + log2 of the CPUs, which count up to 8; or linearly; or not.
 */
static void test_scaling(void **state)
{
	static const struct {
		unsigned cpus, scaling;
		u64 latency, granularity, wakeup;
	} expected[] = { { 1, SCALING_LOG, 6000000, 750000, 1000000 }, { 2, SCALING_LOG, 12000000, 1500000, 2000000 },
		{ 4, SCALING_LOG, 18000000, 2250000, 3000000 }, { 8, SCALING_LOG, 24000000, 3000000, 4000000 },
		{ 10, SCALING_LOG, 24000000, 3000000, 4000000 }, { 64, SCALING_LOG, 24000000, 3000000, 4000000 },
		{ 4, SCALING_LINEAR, 24000000, 3000000, 4000000 }, { 64, SCALING_LINEAR, 48000000, 6000000, 8000000 },
		{ 64, SCALING_NONE, 6000000, 750000, 1000000 } };

	(void)state;
	for (unsigned i = 0; i < ARRAY_SIZE(expected); i++) {
		knobs_reset(&sched_knob_table);
		knob.sched_tunable_scaling = (u8)expected[i].scaling;
		sched_knobs_settle(expected[i].cpus);
		assert_int_equal(knob.sched_latency_ns, expected[i].latency);
		assert_int_equal(knob.sched_min_granularity_ns, expected[i].granularity);
		assert_int_equal(knob.sched_wakeup_granularity_ns, expected[i].wakeup);
		assert_int_equal(cfs_nr_latency(), 8);
	}
}

/* C1.9: 10 ms in steps of 3 ms are 4, rounded up. So 4 tasks still share 10 ms, and 5 get the minimum granularity (section 1.7). */
static void test_nr_latency_rounds_up(void **state)
{
	struct task *t = NULL;

	(void)state;
	boot(1);
	knob.sched_latency_ns = 10 * NSEC_PER_MSEC;
	knob.sched_min_granularity_ns = 3 * NSEC_PER_MSEC;
	assert_int_equal(cfs_nr_latency(), 4);
	for (unsigned n = 0; n < 4; n++)
		t = test_task(0, 0);
	assert_int_equal(slice_of(t), 2500000);
	test_task(0, 0);
	assert_int_equal(slice_of(t), 2999997);
}

/* C1.4, 3.8: two tasks of nice 0 and one of nice 5, on 4 CPUs and on 8. */
static void test_slices_of_mixed_weights(void **state)
{
	struct task *zero, *five;

	(void)state;
	boot(4);
	zero = test_task(0, 0);
	test_task(0, 0);
	five = test_task(0, 5);
	assert_int_equal(slice_of(zero), 7734787);
	assert_int_equal(slice_of(five), 2530410);
	knob.sched_latency_ns = 24 * NSEC_PER_MSEC; /* as with 8 CPUs */
	knob.sched_min_granularity_ns = 3 * NSEC_PER_MSEC;
	assert_int_equal(slice_of(zero), 10313049);
	assert_int_equal(slice_of(five), 3373907);
}

/* C1.4, 3.8, 4 CPUs: the extremes against nice 0. */
static void test_slices_of_extreme_weights(void **state)
{
	struct task *zero, *other;

	(void)state;
	boot(4);
	zero = test_task(0, 0);
	other = test_task(0, 19);
	assert_int_equal(slice_of(zero), 17740135);
	assert_int_equal(slice_of(other), 259865);
	zero = test_task(1, 0);
	other = test_task(1, -20);
	assert_int_equal(slice_of(other), 17794660);
	assert_int_equal(slice_of(zero), 205290);
}

/* ---- placement ---- */

/* A child is made by the task that runs alone on CPU 0 and may run nowhere else. */
static struct task *fork_on_cpu_0(struct task *parent)
{
	struct task *child;

	test_on_cpu(0);
	assert_ptr_equal(current(), parent);
	child = task_spawn("child", (void (*)(void *))abort, NULL, false);
	assert_non_null(child);
	assert_int_equal(child->cpu, 0);
	return child;
}

static void expect_fork_debit(unsigned cpus, u64 debit_ns)
{
	struct task *parent, *child;

	boot(cpus);
	parent = test_spinners(0, 1);
	test_pin(parent, 0);
	test_clock_run(2500000);
	child = fork_on_cpu_0(parent);
	assert_int_equal(child->se.vruntime - cpu_rq(0)->cfs.min_vruntime, debit_ns);
	assert_int_equal(child->se.vruntime - parent->se.vruntime, debit_ns);
}

/* C1.5, 3.8: a child beside its parent starts one slice of a two-task queue late. With 1 CPU 6 ms / 2, with 4 CPUs 18 ms / 2. */
static void test_fork_debit_1_cpu(void **state)
{
	(void)state;
	expect_fork_debit(1, 3000000);
}

static void test_fork_debit_4_cpus(void **state)
{
	(void)state;
	expect_fork_debit(4, 9000000);
}

/* C1.5: max(v(parent), ...): a parent that is further ahead than the debit hands its own vruntime on. A child before its parent
 * means that forking wins CPU time. */
static void test_fork_not_before_parent(void **state)
{
	struct task *parent, *child, *left;

	(void)state;
	boot(1);
	parent = test_spinners(0, 1);
	left = test_task(0, 0);
	parent->se.vruntime = left->se.vruntime + 5000000; /* the debit is 6 ms / 3 */
	child = fork_on_cpu_0(parent);
	assert_int_equal(child->se.vruntime, parent->se.vruntime);
}

/* Section 1.8, step 2: without START_DEBIT only the parent's vruntime counts. */
static void test_fork_without_debit(void **state)
{
	struct task *parent, *child;

	(void)state;
	boot(1);
	knob.START_DEBIT = 0;
	parent = test_spinners(0, 1);
	child = fork_on_cpu_0(parent);
	assert_int_equal(child->se.vruntime, parent->se.vruntime);
}

/* Section 1.13: child_runs_first swaps the two and asks for a reschedule. */
static void test_child_runs_first(void **state)
{
	struct task *parent, *child;
	u64 before;

	(void)state;
	boot(1);
	knob.sched_child_runs_first = 1;
	parent = test_spinners(0, 1);
	before = parent->se.vruntime;
	child = fork_on_cpu_0(parent);
	assert_int_equal(child->se.vruntime, before);
	assert_int_equal(parent->se.vruntime, before + 3000000);
	assert_true(parent->need_resched);
	assert_ptr_equal(test_schedule(0), child);
}

static void expect_sleeper_credit(unsigned cpus, u64 credit_ns)
{
	struct task *t;

	boot(cpus);
	test_spinners(0, 1);
	t = test_sleeper(0, 0, -(s64)NSEC_PER_SEC);
	test_pin(t, 0);
	assert_true(task_wake(t, 0));
	assert_int_equal(cpu_rq(0)->cfs.min_vruntime - t->se.vruntime, credit_ns);
}

/* C1.6, 3.8: who has slept long comes back half a latency before the others. */
static void test_sleeper_credit_1_cpu(void **state)
{
	(void)state;
	expect_sleeper_credit(1, 3000000);
}

static void test_sleeper_credit_4_cpus(void **state)
{
	(void)state;
	expect_sleeper_credit(4, 9000000);
}

static void test_sleeper_credit_8_cpus(void **state)
{
	(void)state;
	expect_sleeper_credit(8, 12000000);
}

static void test_sleeper_credit_16_cpus(void **state)
{
	(void)state;
	expect_sleeper_credit(16, 12000000);
}

/* Section 1.8: the credit is virtual time from a wall-time latency, so the nice level does not change it; without
 * GENTLE_FAIR_SLEEPERS it is the whole latency. */
static void test_sleeper_credit_variants(void **state)
{
	struct task *t;

	(void)state;
	boot(1);
	test_spinners(0, 1);
	t = test_sleeper(0, 10, -(s64)NSEC_PER_SEC);
	task_wake(t, 0);
	assert_int_equal(cpu_rq(0)->cfs.min_vruntime - t->se.vruntime, 3000000);
	knob.GENTLE_FAIR_SLEEPERS = 0;
	t = test_sleeper(0, 0, -(s64)NSEC_PER_SEC);
	task_wake(t, 0);
	assert_int_equal(cpu_rq(0)->cfs.min_vruntime - t->se.vruntime, 6000000);
}

/* C1.6: after 1 ms of sleep with v = min_v - 0.2 ms it keeps its v; so does one that is ahead. */
static void test_short_sleep_gains_nothing(void **state)
{
	struct task *t, *ahead;

	(void)state;
	boot(1);
	test_spinners(0, 1);
	t = test_sleeper(0, 0, -200000);
	task_wake(t, 0);
	assert_int_equal(cpu_rq(0)->cfs.min_vruntime - t->se.vruntime, 200000);
	ahead = test_sleeper(0, 0, 700000);
	task_wake(ahead, 0);
	assert_int_equal(ahead->se.vruntime - cpu_rq(0)->cfs.min_vruntime, 700000);
}

/* Section 1.9, 3.8: a sleeper takes its distance from min_vruntime along to another queue, and so does a task that is moved while
 * it waits. Absolute vruntimes of queues have nothing to do with each other. */
static void test_vruntime_across_queues(void **state)
{
	struct task *sleeper, *waiting;
	unsigned long flags;

	(void)state;
	boot(2);
	cpu_rq(1)->cfs.min_vruntime += 77 * NSEC_PER_SEC;
	test_spinners(0, 1);
	sleeper = test_sleeper(0, 0, 700000);
	test_pin(sleeper, 1);
	task_wake(sleeper, 0);
	assert_int_equal(sleeper->cpu, 1);
	assert_int_equal(sleeper->se.vruntime - cpu_rq(1)->cfs.min_vruntime, 700000);

	waiting = test_task(0, 0);
	test_place(waiting, cpu_rq(0)->cfs.min_vruntime + 300000);
	flags = machine_irq_save();
	rq_lock_pair(cpu_rq(0), cpu_rq(1));
	rq_deactivate(cpu_rq(0), waiting, 0);
	task_set_cpu(waiting, 1);
	rq_activate(cpu_rq(1), waiting, 0);
	rq_unlock_pair(cpu_rq(0), cpu_rq(1));
	machine_irq_restore(flags);
	assert_int_equal(waiting->se.vruntime - cpu_rq(1)->cfs.min_vruntime, 300000);
}

/* ---- min_vruntime and the tree ---- */

/* Section 1.4: it starts 2^20 ns below the wrap, so that comparisons by value show. */
static void test_min_vruntime_starts_below_the_wrap(void **state)
{
	(void)state;
	boot(1);
	assert_int_equal(cpu_rq(0)->cfs.min_vruntime, (u64) - (1 << 20));
}

/* C1.8: it follows the smallest vruntime there is, and never goes back: not for a task that is queued below it. */
static void test_min_vruntime_never_decreases(void **state)
{
	struct cfs_rq *cfs;
	struct task *below;
	u64 last;

	(void)state;
	boot(1);
	cfs = &cpu_rq(0)->cfs;
	test_spinners(0, 3);
	last = cfs->min_vruntime;
	for (unsigned ms = 1; ms <= 200; ms++) {
		test_machine_run(ms * NSEC_PER_MSEC);
		assert_true((s64)(cfs->min_vruntime - last) >= 0);
		last = cfs->min_vruntime;
	}
	assert_true((s64)(last + (1 << 20)) > 60 * (s64)NSEC_PER_MSEC); /* a third of 200 ms, less the slices' unevenness */
	below = test_sleeper(0, 0, -2000000);
	task_wake(below, 0);
	assert_int_equal(below->se.vruntime, last - 2000000);
	test_clock_advance(1000);
	test_schedule(0);
	assert_true((s64)(cfs->min_vruntime - last) >= 0);
}

/* Section 1.5: equal vruntimes run in the order of arrival, across the wrap of the counter too. */
static void test_order_of_the_tree(void **state)
{
	struct task *a, *b, *c, *d;
	u64 base;

	(void)state;
	boot(1);
	base = cpu_rq(0)->cfs.min_vruntime;
	a = test_task(0, 0);
	b = test_task(0, 0);
	c = test_task(0, 0);
	d = test_task(0, 0);
	test_place(d, base + (2 << 20)); /* beyond the wrap: 1 MiB, while the others are huge numbers */
	assert_ptr_equal(test_schedule(0), a);
	assert_ptr_equal(test_sleep(0), b);
	assert_ptr_equal(test_sleep(0), c);
	assert_ptr_equal(test_sleep(0), d);
	assert_ptr_equal(test_sleep(0), cpu_rq(0)->idle);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		machine_test(test_weights_and_inverses),
		machine_test(test_vruntime_of_a_millisecond),
		machine_test(test_the_tick_accounts),
		machine_test(test_inverse_of_a_queue),
		machine_test(test_slices_4_cpus),
		machine_test(test_slices_8_cpus),
		machine_test(test_scaling),
		machine_test(test_nr_latency_rounds_up),
		machine_test(test_slices_of_mixed_weights),
		machine_test(test_slices_of_extreme_weights),
		machine_test(test_fork_debit_1_cpu),
		machine_test(test_fork_debit_4_cpus),
		machine_test(test_fork_not_before_parent),
		machine_test(test_fork_without_debit),
		machine_test(test_child_runs_first),
		machine_test(test_sleeper_credit_1_cpu),
		machine_test(test_sleeper_credit_4_cpus),
		machine_test(test_sleeper_credit_8_cpus),
		machine_test(test_sleeper_credit_16_cpus),
		machine_test(test_sleeper_credit_variants),
		machine_test(test_short_sleep_gains_nothing),
		machine_test(test_vruntime_across_queues),
		machine_test(test_min_vruntime_starts_below_the_wrap),
		machine_test(test_min_vruntime_never_decreases),
		machine_test(test_order_of_the_tree),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
