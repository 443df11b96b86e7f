/* SPDX-License-Identifier: GPL-2.0-or-later
 * Weights, slices, placement and vruntime across queues by the rules of 2.6.32, against cfs.md section 1 (checks C1.2 to C1.6, C1.8
 * and C1.10, the 32 side) and what section 12 says of the features that place a task. Slices come out up to 0.1 % short of the even
 * share: that is the rounding of 2.6.32's inverse (section 1.2), and a slice that is even has lost it. */
#include "tests/unit/era.h"

static void boot(unsigned cpus)
{
	test_machine(1, 1, cpus, 1);
	test_boot_preset("v2.6.32");
}

static struct cfs_rq *queue(unsigned cpu)
{
	return &cpu_rq(cpu)->cfs;
}

static s64 lead(const struct task *t)
{
	return (s64)(t->se.vruntime - queue(t->cpu)->min_vruntime);
}

/* ---- weights ---- */

/* C1.2: what a millisecond adds follows from the table of inverses, which is the same in both eras. */
static void test_vruntime_of_a_millisecond(void **state)
{
	static const struct {
		int nice;
		u64 vruntime_ns;
	} per_ms[] = { { -20, 11537 }, { -10, 107248 }, { -5, 328100 }, { -1, 801879 }, { 0, 1000000 }, { 1, 1248780 },
		{ 5, 3056716 }, { 10, 9309091 }, { 15, 28444444 }, { 19, 68266667 } };
	struct task t = { .policy = POLICY_NORMAL };

	(void)state;
	boot(1);
	for (unsigned i = 0; i < ARRAY_SIZE(per_ms); i++) {
		t.nice = (s8)per_ms[i].nice;
		weight_set(&t);
		assert_int_equal(calc_delta_fair(1000000, &t.se), per_ms[i].vruntime_ns);
	}
}

/* C1.10: 1 + (2^32 - w / 2) / (w + 1). For 2048: 1 + 4294966272 / 2049 = 1 + 2096128. */
static void test_inverse_of_a_queue(void **state)
{
	struct load_weight load = { .weight = 1024 }, heavy = { .weight = 1ull << 32 };

	(void)state;
	boot(1);
	calc_delta(1, 1024, &load);
	assert_int_equal(load.inverse, 4190212);
	weight_add(&load, 1024);
	calc_delta(1, 1024, &load);
	assert_int_equal(load.inverse, 2096129);
	calc_delta(1, 1024, &heavy);
	assert_int_equal(heavy.inverse, 1);
}

/* ---- slices ---- */

static u64 slice_of(struct task *t)
{
	return se_slice(queue(t->cpu), &t->se);
}

static void expect_slices(unsigned cpus, const u64 *ns, unsigned most)
{
	boot(cpus);
	for (unsigned n = 1; n <= most; n++) {
		struct task *t = test_task(0, 0);

		if (ns[n])
			assert_int_equal(slice_of(t), ns[n]);
	}
}

/* C1.3, 1 CPU (latency 5 ms): n equal tasks. */
static void test_slices_1_cpu(void **state)
{
	static const u64 ns[] = { [1] = 4995122, [2] = 2498780, [3] = 1666124 };

	(void)state;
	expect_slices(1, ns, 3);
}

/* C1.3, 4 CPUs: 15 ms, and from 6 on n times 3 ms. */
static void test_slices_4_cpus(void **state)
{
	static const u64 ns[] = { [1] = 14985366, [2] = 7496341, [3] = 4998372, [5] = 2999414, [6] = 2999512 };

	(void)state;
	expect_slices(4, ns, 6);
}

/* C1.4: two tasks of nice 0 and one of nice 5. */
static void test_slices_of_mixed_weights_1_cpu(void **state)
{
	struct task *zero, *five;

	(void)state;
	boot(1);
	zero = test_task(0, 0);
	test_task(0, 0);
	five = test_task(0, 5);
	assert_int_equal(slice_of(zero), 2147651);
	assert_int_equal(slice_of(five), 702601);
}

/* C1.4, 4 CPUs: the same, and nice 19 against nice 0. */
static void test_slices_of_mixed_weights_4_cpus(void **state)
{
	struct task *zero, *other;

	(void)state;
	boot(4);
	zero = test_task(0, 0);
	test_task(0, 0);
	other = test_task(0, 5);
	assert_int_equal(slice_of(zero), 6442952);
	assert_int_equal(slice_of(other), 2107790);
	zero = test_task(1, 0);
	other = test_task(1, 19);
	assert_int_equal(slice_of(zero), 14769230);
	assert_int_equal(slice_of(other), 216346);
}

/* C1.5: what a child is set back by, on a queue that holds one other task: its slice as though it were the second. */
static void expect_vslice(unsigned cpus, u64 ns)
{
	unsigned target = cpus - 1;
	struct task *child;

	boot(cpus);
	test_spinners(target, 1);
	child = test_sleeper(0, 0, 0);
	assert_int_equal(calc_delta_fair(se_slice(queue(target), &child->se), &child->se), ns);
	assert_int_equal(queue(target)->load.weight, 1024); /* which was only imagined */
}

static void test_vslice_1_cpu(void **state)
{
	(void)state;
	expect_vslice(1, 2498780);
}

static void test_vslice_4_cpus(void **state)
{
	(void)state;
	expect_vslice(4, 7496341);
}

/* ---- sleepers ---- */

/* Wake one that slept for a second; how far before min_vruntime it comes in. */
static s64 credit_of(int nice, enum task_policy policy)
{
	struct task *t = test_sleeper(0, nice, -(s64)NSEC_PER_SEC);

	test_pin(t, 0);
	task_set_policy(t, policy);
	assert_true(task_wake(t, 0));
	return -lead(t);
}

/* C1.6: half a latency. */
static void test_sleeper_credit_1_cpu(void **state)
{
	(void)state;
	boot(1);
	test_spinners(0, 1);
	assert_int_equal(credit_of(0, POLICY_NORMAL), 2500000);
	assert_int_equal(credit_of(10, POLICY_NORMAL), 2500000);
}

static void test_sleeper_credit_4_cpus(void **state)
{
	(void)state;
	boot(4);
	test_spinners(0, 1);
	assert_int_equal(credit_of(0, POLICY_NORMAL), 7500000);
}

/* C1.6: a short sleep gains nothing. */
static void test_short_sleep_gains_nothing(void **state)
{
	struct task *t;

	(void)state;
	boot(1);
	test_spinners(0, 1);
	t = test_sleeper(0, 0, -200000);
	task_wake(t, 0);
	assert_int_equal(lead(t), -200000);
}

/*
 * NORMALIZED_SLEEPER: the latency in the sleeper's own virtual time, then halved. Nice 5, 5 ms: 5000000 * 1024 / 2^16 = 78125,
 * times the inverse 12820798 / 2^16 = 15283582; half of it 7641791. Not for tasks of the idle policy.
 */
static void test_normalized_sleeper(void **state)
{
	(void)state;
	boot(1);
	test_spinners(0, 1);
	knob.NORMALIZED_SLEEPER = 1;
	assert_int_equal(credit_of(0, POLICY_NORMAL), 2500000);
	assert_int_equal(credit_of(5, POLICY_NORMAL), 7641791);
	assert_int_equal(credit_of(5, POLICY_BATCH), 7641791);
	assert_int_equal(credit_of(5, POLICY_IDLE), 2500000);
	knob.GENTLE_FAIR_SLEEPERS = 0;
	assert_int_equal(credit_of(5, POLICY_NORMAL), 15283582);
}

/* NO_FAIR_SLEEPERS: whoever has slept comes in at min_vruntime, whatever the other two features say. */
static void test_without_fair_sleepers(void **state)
{
	(void)state;
	boot(1);
	test_spinners(0, 1);
	knob.FAIR_SLEEPERS = 0;
	assert_int_equal(credit_of(0, POLICY_NORMAL), 0);
	knob.GENTLE_FAIR_SLEEPERS = 0;
	knob.NORMALIZED_SLEEPER = 1;
	assert_int_equal(credit_of(5, POLICY_NORMAL), 0);
}

static struct task *fork_here(struct task *parent)
{
	struct task *child;

	test_pin(parent, 0);
	assert_ptr_equal(current(), parent);
	child = task_spawn("child", (void (*)(void *))abort, NULL, false);
	assert_non_null(child);
	return child;
}

/* The features for sleepers are not for new tasks: the debit stays that of C1.5. */
static void test_sleeper_features_leave_forks_alone(void **state)
{
	struct task *parent;

	(void)state;
	boot(1);
	knob.FAIR_SLEEPERS = 0;
	knob.GENTLE_FAIR_SLEEPERS = 0;
	knob.NORMALIZED_SLEEPER = 1;
	parent = test_spinners(0, 1);
	assert_int_equal(lead(fork_here(parent)), 2498780);
}

/* C12.1, NO_START_DEBIT: max(v(parent), min_vruntime), here the latter: the parent has slept and not caught up. Sleepers keep their
 * credit. */
static void test_without_start_debit(void **state)
{
	struct task *parent;

	(void)state;
	boot(1);
	knob.START_DEBIT = 0;
	parent = test_spinners(0, 1);
	parent->se.vruntime -= 700000;
	assert_int_equal(lead(fork_here(parent)), 0);
	assert_int_equal(credit_of(0, POLICY_NORMAL), 2500000);
}

/* ---- vruntime across queues ---- */

enum { APART_MS = 77 };

/* Two CPUs, each running a task, whose queues are 77 ms apart. */
static void boot_two_queues(u8 vruntime)
{
	boot(2);
	knob.vruntime = vruntime;
	queue(1)->min_vruntime += APART_MS * NSEC_PER_MSEC;
	test_spinners(0, 1);
	test_spinners(1, 1);
}

/* As a balance pass does it (section 5.8). */
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

/* Section 1.9, 32: a change of CPU adds what the queues are apart, nothing else touches it. */
static void test_shift_of_a_waiting_task(void **state)
{
	struct task *t;
	u64 v;

	(void)state;
	boot_two_queues(VRUNTIME_ABSOLUTE);
	t = test_task(0, 0);
	test_place(t, queue(0)->min_vruntime + 300000);
	v = t->se.vruntime;
	assert_int_equal(lead(t), 300000);
	move(t, 1);
	assert_int_equal(t->se.vruntime, v + APART_MS * NSEC_PER_MSEC);
	assert_int_equal(lead(t), 300000);
	assert_int_equal(t->nr_migrations, 1);
	move(t, 1);
	assert_int_equal(lead(t), 300000);
	assert_int_equal(t->nr_migrations, 1);
}

/* Without a move a dequeue leaves the number as it is: that is what absolute means. */
static void test_absolute_while_asleep(void **state)
{
	struct task *t;
	u64 v;

	(void)state;
	boot_two_queues(VRUNTIME_ABSOLUTE);
	t = test_task(0, 0);
	test_place(t, queue(0)->min_vruntime - 300000);
	assert_ptr_equal(test_schedule(0), t);
	v = t->se.vruntime;
	test_sleep(0);
	assert_int_equal(t->se.vruntime, v);
	test_pin(t, 0);
	task_wake(t, 0);
	assert_int_equal(t->se.vruntime, v);
}

static void test_shift_of_a_wakee(void **state)
{
	struct task *t;

	(void)state;
	boot_two_queues(VRUNTIME_ABSOLUTE);
	t = test_sleeper(0, 0, 700000);
	test_pin(t, 1);
	task_wake(t, 0);
	assert_int_equal(t->cpu, 1);
	assert_int_equal(lead(t), 700000);
}

/* Back and forth a thousand times, waiting and asleep in turn: not a nanosecond is gained or lost. */
static void expect_no_drift(u8 vruntime)
{
	struct task *t;

	boot_two_queues(vruntime);
	t = test_task(0, 0);
	test_place(t, queue(0)->min_vruntime + 300000);
	for (unsigned i = 0; i < 1000; i++) {
		unsigned from = i % 2;
		unsigned long flags;
		struct rq *rq;

		assert_int_equal(t->cpu, from);
		if (i % 3) {
			move(t, !from);
		} else {
			flags = rq_lock_task(t, &rq);
			rq_deactivate(rq, t, DEQUEUE_SLEEP);
			t->on_rq = false;
			t->state = TASK_SLEEPING;
			spin_unlock_irq(&rq->lock, flags);
			test_pin(t, !from);
			task_wake(t, 0);
		}
		assert_int_equal(lead(t), 300000);
	}
	assert_int_equal(t->nr_migrations, 1000);
}

static void test_no_drift_absolute(void **state)
{
	(void)state;
	expect_no_drift(VRUNTIME_ABSOLUTE);
}

static void test_no_drift_relative(void **state)
{
	(void)state;
	expect_no_drift(VRUNTIME_RELATIVE);
}

/* One of CPU 0's tasks comes between two of CPU 1's by its distance from min_vruntime, under either rule. */
static void expect_order_after_pull(u8 vruntime)
{
	struct task *before, *behind, *pulled, *left;

	boot_two_queues(vruntime);
	before = test_task(1, 0);
	behind = test_task(1, 0);
	test_place(before, queue(1)->min_vruntime + 1000000);
	test_place(behind, queue(1)->min_vruntime + 3000000);
	left = test_task(0, 0);
	pulled = test_task(0, 0);
	test_place(left, queue(0)->min_vruntime + 1500000);
	test_place(pulled, queue(0)->min_vruntime + 2000000);
	move(pulled, 1);
	assert_ptr_equal(test_sleep(1), before);
	assert_ptr_equal(test_sleep(1), pulled);
	assert_ptr_equal(test_sleep(1), behind);
	assert_ptr_equal(test_sleep(0), left);
}

static void test_order_after_pull_absolute(void **state)
{
	(void)state;
	expect_order_after_pull(VRUNTIME_ABSOLUTE);
}

static void test_order_after_pull_relative(void **state)
{
	(void)state;
	expect_order_after_pull(VRUNTIME_RELATIVE);
}

/* C1.8 with absolute vruntimes and tasks that come and go: it never decreases. */
static void test_min_vruntime_never_decreases(void **state)
{
	u64 last[2];
	struct task *t;

	(void)state;
	boot_two_queues(VRUNTIME_ABSOLUTE);
	t = test_task(0, 0);
	test_place(t, queue(0)->min_vruntime - 900000);
	for (unsigned ms = 1; ms <= 200; ms++) {
		for (unsigned cpu = 0; cpu < 2; cpu++)
			last[cpu] = queue(cpu)->min_vruntime;
		test_machine_run(ms * NSEC_PER_MSEC);
		if (cpu_rq(t->cpu)->curr != t)
			move(t, !t->cpu);
		for (unsigned cpu = 0; cpu < 2; cpu++)
			assert_true((s64)(queue(cpu)->min_vruntime - last[cpu]) >= 0);
	}
	assert_true(t->nr_migrations > 10);
	last[0] = queue(0)->min_vruntime;
	assert_int_equal(credit_of(0, POLICY_NORMAL), 5000000); /* half of 2 CPUs' latency of 10 ms */
	assert_int_equal(queue(0)->min_vruntime, last[0]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		machine_test(test_vruntime_of_a_millisecond),
		machine_test(test_inverse_of_a_queue),
		machine_test(test_slices_1_cpu),
		machine_test(test_slices_4_cpus),
		machine_test(test_slices_of_mixed_weights_1_cpu),
		machine_test(test_slices_of_mixed_weights_4_cpus),
		machine_test(test_vslice_1_cpu),
		machine_test(test_vslice_4_cpus),
		machine_test(test_sleeper_credit_1_cpu),
		machine_test(test_sleeper_credit_4_cpus),
		machine_test(test_short_sleep_gains_nothing),
		machine_test(test_normalized_sleeper),
		machine_test(test_without_fair_sleepers),
		machine_test(test_sleeper_features_leave_forks_alone),
		machine_test(test_without_start_debit),
		machine_test(test_shift_of_a_waiting_task),
		machine_test(test_absolute_while_asleep),
		machine_test(test_shift_of_a_wakee),
		machine_test(test_no_drift_absolute),
		machine_test(test_no_drift_relative),
		machine_test(test_order_after_pull_absolute),
		machine_test(test_order_after_pull_relative),
		machine_test(test_min_vruntime_never_decreases),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
