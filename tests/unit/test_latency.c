/* SPDX-License-Identifier: GPL-2.0-or-later
 * The latency of wakeups (docs/latency.md): from the wakeup until the task runs, by the way from the waking CPU to that where it
 * runs. The clock is in the test's hands, so each latency is exactly what the test lets pass in between. A bucket is given by its
 * smallest latency: 16 of them for every power of two, so from 2^k on each is 2^k / 16 wide. */
#include "tests/unit/machine.h"

#include "base/histogram.h"
#include "base/timer.h"
#include "lab/background.h"
#include "lab/lab.h"
#include "sched/rq.h"

static struct latency found[NR_WAKE_DISTANCES];

static u64 count(enum wake_distance d)
{
	u64 n = 0;

	for (unsigned i = 0; i < LATENCY_BUCKETS; i++)
		n += found[d].bucket[i];
	return n;
}

static u64 count_all(void)
{
	u64 n = 0;

	for (unsigned d = 0; d < NR_WAKE_DISTANCES; d++)
		n += count(d);
	return n;
}

/* So many of that distance, in the bucket that begins there, and no others. Begins anew. */
static void expect(enum wake_distance d, u64 n, u64 start_ns)
{
	sched_latencies(found);
	assert_int_equal(count_all(), n);
	assert_int_equal(found[d].bucket[histogram_index(LATENCY_BITS, start_ns)], n);
	assert_int_equal(histogram_start(LATENCY_BITS, histogram_index(LATENCY_BITS, start_ns)), start_ns);
	sched_forget_latencies();
}

/* Two nodes of two caches of two cores of two threads. CPUs 0 to 7 are the first threads, in order; CPU 8 is the second of 0. */
static void boot(void)
{
	test_machine(2, 2, 2, 2);
	test_boot(SWITCH_LABELS);
	test_clock_set(NSEC_PER_SEC);
	knob.newidle = NEWIDLE_NEVER;
	sched_keep_latencies(true);
}

static struct task *asleep_on(unsigned cpu)
{
	struct task *t = test_sleeper(cpu, 0, 0);

	test_pin(t, cpu);
	return t;
}

/* The waking CPU is 0. If the wakee went over the list, it waits there for the first part. */
static void wake_and_run(unsigned cpu, u64 on_the_way_ns, u64 on_the_queue_ns)
{
	struct task *t = asleep_on(cpu);

	test_on_cpu(0);
	assert_true(task_wake(t, 0));
	test_clock_advance(on_the_way_ns);
	test_on_cpu(cpu);
	if (cpu_rq(cpu)->wake_list)
		test_kick_interrupt();
	test_on_cpu(0);
	test_clock_advance(on_the_queue_ns);
	assert_ptr_equal(cpu_rq(cpu)->wake_list, NULL);
	assert_ptr_equal(test_schedule(cpu), t);
}

/* ---- distances ---- */

/* 1000 = 512 + 15.25 * 32: that bucket begins at 992. */
static void test_same_cpu(void **state)
{
	(void)state;
	boot();
	test_spinners(0, 1);
	wake_and_run(0, 0, 1000);
	assert_int_equal(cpu_rq(0)->count.wakeups_local, 1);
	expect(WAKE_CPU, 1, 992);
}

/* Each latency in a bucket of its own: 20 below 32 is exact; 2000 = 1024 + 15.25 * 64: 1984. */
static void test_distances(void **state)
{
	static const struct {
		unsigned cpu;
		enum wake_distance d;
	} way[] = { { 8, WAKE_CORE }, { 1, WAKE_CACHE }, { 9, WAKE_CACHE }, { 2, WAKE_NODE }, { 11, WAKE_NODE }, { 4, WAKE_FAR },
		{ 15, WAKE_FAR } };

	(void)state;
	boot();
	for (unsigned i = 0; i < ARRAY_SIZE(way); i++) {
		wake_and_run(way[i].cpu, 0, 20);
		expect(way[i].d, 1, 20);
		test_sleep(way[i].cpu);
		wake_and_run(way[i].cpu, 0, 2000);
		expect(way[i].d, 1, 1984);
		test_sleep(way[i].cpu);
	}
}

/* Over the list to another cache: 300 ns under way and 700 on the queue are 1000. */
static void test_flight_counts(void **state)
{
	(void)state;
	boot();
	assert_int_not_equal(llc_id(0), llc_id(4));
	wake_and_run(4, 300, 700);
	expect(WAKE_FAR, 1, 992);
	assert_int_equal(cpu_rq(4)->count.run_delay_ns, 700); /* which does not know of the way */
}

/* Without the list the waker does it all, and the queue's clock is as good. */
static void test_without_the_list(void **state)
{
	(void)state;
	boot();
	knob.TTWU_QUEUE = 0;
	wake_and_run(4, 0, 1000);
	expect(WAKE_FAR, 1, 992);
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

/* Woken onto CPU 1, moved after 400 ns, run on CPU 2 after 600 more: what counts is where it runs. */
static void test_moved_while_waiting(void **state)
{
	struct task *t;

	(void)state;
	boot();
	t = test_sleeper(1, 0, 0);
	test_pin(t, 1);
	task_wake(t, 0);
	test_clock_advance(400);
	assert_int_equal(t->cpu, 1);
	mask_set(&t->allowed, 2);
	t->nr_allowed = 2;
	move(t, 2);
	test_clock_advance(600);
	assert_ptr_equal(test_schedule(2), t);
	expect(WAKE_NODE, 1, 992);
}

/* ---- who wakes ---- */

static struct task *alarmed;

static void fire(struct timer *timer)
{
	(void)timer;
	assert_true(task_wake(alarmed, 0));
}

/* A timer on CPU 0 wakes a task there while a spinner runs: it is not the spinner that wakes. 3000 = 2048 + 7.4 * 128: 2944. */
static void test_timer(void **state)
{
	static struct timer timer = { .fire = fire };
	unsigned long flags;

	(void)state;
	boot();
	knob.WAKEUP_PREEMPTION = 0;
	test_spinners(0, 1);
	alarmed = asleep_on(0);
	timer.deadline_ns = NSEC_PER_SEC + 100;
	flags = machine_irq_save();
	timer_start(&timer);
	machine_irq_restore(flags);
	test_clock_advance(100);
	test_timer_interrupt();
	test_clock_advance(3000);
	test_sleep(0);
	assert_ptr_equal(cpu_rq(0)->curr, alarmed);
	expect(WAKE_INTERRUPT, 1, 2944);
}

/* ---- wakeups of tasks that have not left their queue ---- */

/* On its way to sleep, but it has the CPU still: it goes on and has not waited. */
static void test_running_task_does_not_wait(void **state)
{
	struct task *t;

	(void)state;
	boot();
	t = test_spinners(0, 1);
	test_pin(t, 0);
	task_set_sleeping();
	test_on_cpu(1);
	assert_true(task_wake(t, 0));
	test_clock_advance(5000);
	assert_ptr_equal(test_schedule(0), t);
	sched_latencies(found);
	assert_int_equal(count_all(), 0);
	assert_int_equal(cpu_rq(1)->count.wakeups_remote, 1);
	assert_int_equal(cpu_rq(1)->count.wakeups_running, 1);
	test_sleep(0); /* nor is it taken for woken when it comes back */
	assert_true(task_wake(t, 0));
	test_clock_advance(20);
	assert_ptr_equal(test_schedule(0), t);
	expect(WAKE_CACHE, 1, 20);
}

/* It has lost the CPU on its way to sleep: from the wakeup on it waits for that. What it waited before is no latency. */
static void test_preempted_on_its_way(void **state)
{
	struct task *t, *other;

	(void)state;
	boot();
	t = test_spinners(0, 1);
	other = test_task(0, 0);
	test_pin(t, 0);
	test_pin(other, 0);
	task_set_sleeping();
	t->se.vruntime += NSEC_PER_SEC;
	t->need_resched = 1;
	test_timer_interrupt(); /* a preemption, so it stays queued */
	assert_ptr_equal(cpu_rq(0)->curr, other);
	assert_true(t->on_rq);
	test_clock_advance(7777);
	test_on_cpu(1);
	assert_true(task_wake(t, 0));
	assert_int_equal(cpu_rq(1)->count.wakeups_running, 0);
	test_clock_advance(1000);
	assert_ptr_equal(test_sleep(0), t);
	expect(WAKE_CACHE, 1, 992);
}

/* Awake already: no wakeup. And one that is preempted later has had its turn. */
static void test_one_wakeup_one_latency(void **state)
{
	struct task *t;

	(void)state;
	boot();
	wake_and_run(0, 0, 20);
	t = cpu_rq(0)->curr;
	assert_false(task_wake(t, 0));
	test_task(0, 0);
	for (unsigned i = 0; i < 10; i++) {
		test_clock_advance(20 * NSEC_PER_MSEC);
		task_yield();
	}
	expect(WAKE_CPU, 1, 20);
}

static void do_nothing(void *unused)
{
	(void)unused;
}

/* A child's first turn follows no wakeup. */
static void test_fork_is_no_wakeup(void **state)
{
	struct task *t;

	(void)state;
	boot();
	test_spinners(0, 1);
	t = task_spawn("child", do_nothing, NULL, false);
	test_clock_advance(1000);
	assert_ptr_equal(test_schedule(t->cpu), t);
	sched_latencies(found);
	assert_int_equal(count_all(), 0);
}

/* ---- what is kept ---- */

static void test_switched_off(void **state)
{
	struct task *t;

	(void)state;
	boot();
	t = asleep_on(0);
	task_wake(t, 0); /* one that is under way counts all the same */
	sched_keep_latencies(false);
	test_clock_advance(20);
	assert_ptr_equal(test_schedule(0), t);
	wake_and_run(1, 0, 20);
	wake_and_run(4, 20, 0);
	expect(WAKE_CPU, 1, 20);
	sched_keep_latencies(true);
	wake_and_run(5, 0, 20);
	expect(WAKE_FAR, 1, 20);
}

static void latency_of(u64 ns)
{
	struct task *t = test_task(0, 0);

	cpu_rq(0)->clock = NSEC_PER_SEC + ns;
	t->woken_at = NSEC_PER_SEC;
	t->woken_by = cpu_rq(0);
	latency_end(cpu_rq(0), t);
	latency_end(cpu_rq(0), t); /* but once */
}

/* 2^36 ns are 68.7 s: longer ones count as that, in the last bucket. CPUs' clocks may differ, so that a task runs before it is
 * woken. */
static void test_extremes(void **state)
{
	(void)state;
	boot();
	latency_of((u64)-5);
	latency_of(7);
	latency_of(100 * NSEC_PER_SEC);
	latency_of(200 * NSEC_PER_SEC);
	sched_latencies(found);
	assert_int_equal(count(WAKE_CPU), 4);
	assert_int_equal(found[WAKE_CPU].bucket[0], 1);
	assert_int_equal(found[WAKE_CPU].bucket[7], 1);
	assert_int_equal(found[WAKE_CPU].bucket[LATENCY_BUCKETS - 1], 2);
	assert_int_equal(found[WAKE_CPU].max_ns, (1ull << 36) - 1);
	assert_int_equal(found[WAKE_CPU].sum_ns, 7 + 2 * ((1ull << 36) - 1));
	assert_int_equal(LATENCY_BUCKETS, histogram_buckets(LATENCY_BITS, 36));
}

/* Sums and the longest go over CPUs. */
static void test_totals(void **state)
{
	(void)state;
	boot();
	wake_and_run(4, 0, 1000);
	wake_and_run(5, 0, 3000);
	wake_and_run(6, 0, 2000);
	sched_latencies(found);
	assert_int_equal(count(WAKE_FAR), 3);
	assert_int_equal(found[WAKE_FAR].sum_ns, 6000);
	assert_int_equal(found[WAKE_FAR].max_ns, 3000);
	sched_forget_latencies();
	sched_latencies(found);
	assert_int_equal(count_all() + found[WAKE_FAR].sum_ns + found[WAKE_FAR].max_ns, 0);
}

/* ---- the records ---- */

static void plant(struct latency *l, u64 ns, u64 n)
{
	l->bucket[histogram_index(LATENCY_BITS, ns)] += n;
	l->sum_ns += n * ns;
	l->max_ns = max_u64(l->max_ns, ns);
}

static void expect_said(const char *text)
{
	if (!strstr(test_console(), text))
		fail_msg("missing: %s\n%s", text, test_console());
}

static const struct background none;
static const struct certified unseen;

/*
 * The first run of tests/log/make-golden.sh: 490 of 1 us, 10 of 10 us, 298 of 4.2 us, 2 of 100 us. Of these 800, the 400th is in
 * the bucket of 992..1023 ns, whose middle is 1007, the 720th in 4096..4351, the 792nd in 9728..10239, the 800th in 98304..102399,
 * but none was longer than 100000. Their mean is (490 + 100 + 1251.6 + 200) / 800 = 2.552 us, that of the first two 590 / 500.
 */
static void test_records(void **state)
{
	static const struct run_label label = { &spin, "w", "base", 0, 7, false, &none, &unseen };
	static struct run r = { .status = "ok" };

	(void)state;
	boot();
	plant(&r.latency[WAKE_CPU], 1000, 490);
	plant(&r.latency[WAKE_CPU], 10000, 10);
	plant(&r.latency[WAKE_NODE], 4200, 298);
	plant(&r.latency[WAKE_NODE], 100000, 2);
	r.after.wakeups_running = 3;
	report_run(&label, &r);
	report_latencies(label.position, &r);
	expect_said(
		"\"wakeups_running\":3,\"wakeup_count\":800,\"wakeup_mean_ns\":2552,\"wakeup_p50_ns\":1007,\"wakeup_p90_ns\":4223,"
		"\"wakeup_p99_ns\":9983,\"wakeup_p999_ns\":100000,\"wakeup_max_ns\":100000,");
	expect_said(
		"{\"t\":\"latency\",\"position\":7,\"distance\":\"cpu\",\"count\":500,\"mean_ns\":1180,\"p50_ns\":1007,\"p90_ns\":1007,"
		"\"p99_ns\":9983,\"p999_ns\":9983,\"max_ns\":10000,\"buckets\":[1007,490,9983,10]}");
	expect_said("\"distance\":\"node\",\"count\":300,");
	assert_null(strstr(test_console(), "\"distance\":\"far\""));
}

/* No run_finish(), because the run failed: all is 0, and nothing comes behind it. */
static void test_record_of_nothing(void **state)
{
	static const struct run_label label = { &spin, "w", "base", 0, 0, false, &none, &unseen };
	static struct run r = { .status = "broke" };

	(void)state;
	boot();
	report_run(&label, &r);
	report_latencies(label.position, &r);
	expect_said("\"wakeup_count\":0,\"wakeup_mean_ns\":0,\"wakeup_p50_ns\":0,\"wakeup_p90_ns\":0,\"wakeup_p99_ns\":0,"
		    "\"wakeup_p999_ns\":0,\"wakeup_max_ns\":0,");
	assert_null(strstr(test_console(), "\"t\":\"latency\""));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		machine_test(test_same_cpu),
		machine_test(test_distances),
		machine_test(test_flight_counts),
		machine_test(test_without_the_list),
		machine_test(test_moved_while_waiting),
		machine_test(test_timer),
		machine_test(test_running_task_does_not_wait),
		machine_test(test_preempted_on_its_way),
		machine_test(test_one_wakeup_one_latency),
		machine_test(test_fork_is_no_wakeup),
		machine_test(test_switched_off),
		machine_test(test_extremes),
		machine_test(test_totals),
		machine_test(test_records),
		machine_test(test_record_of_nothing),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("latency", tests, NULL, NULL);
}
