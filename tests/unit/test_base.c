/* SPDX-License-Identifier: GPL-2.0-or-later
 * What every layer stands on: locks, memory, CPU sets, timers, randomness. The sequence of SplitMix64 is the published one for its
 * seed; everything else is arithmetic beside the test. */
#include "tests/unit/bare.h"

#include "base/cpumask.h"
#include "base/mem.h"
#include "base/random.h"
#include "base/spinlock.h"
#include "base/timer.h"

/* ---- spinlocks: the lock order is that of enum lock_rank; a debug build looks after it ---- */

static struct spinlock outer = { .rank = RANK_OBJECT }, inner = { .rank = RANK_RQ };

static void test_locks_nest(void **state)
{
	unsigned long outside, inside;

	(void)state;
	start_machine();
	machine_irq_enable();
	outside = spin_lock_irq(&outer);
	inside = spin_lock_irq(&inner);
	assert_true(spin_held(&outer) && spin_held(&inner) && machine_irqs_off());
	assert_false(machine_trylock(&inner.owner));
	spin_unlock_irq(&inner, inside);
	assert_true(machine_irqs_off());
	spin_unlock_irq(&outer, outside);
	assert_false(machine_irqs_off() || spin_held(&outer) || spin_held(&inner));
}

static void lock_with_interrupts(void *unused)
{
	(void)unused;
	machine_irq_enable();
	spin_lock(&outer);
}

static void test_lock_with_interrupts(void **state)
{
	(void)state;
	start_machine();
	test_expect_bug(lock_with_interrupts, NULL, "machine_irqs_off");
}

static void lock_twice(void *unused)
{
	(void)unused;
	spin_lock(&outer);
	spin_lock(&outer);
}

static void test_lock_twice(void **state)
{
	(void)state;
	start_machine();
	test_expect_bug(lock_twice, NULL, "spin_held");
}

static void lock_against_order(void *unused)
{
	(void)unused;
	spin_lock(&inner);
	spin_lock(&outer);
}

static void test_lock_against_order(void **state)
{
	(void)state;
	start_machine();
	test_expect_bug(lock_against_order, NULL, "rank");
}

static void unlock_from_elsewhere(void *unused)
{
	(void)unused;
	spin_lock(&outer);
	test_on_cpu(1);
	spin_unlock(&outer);
}

static void test_unlock_from_elsewhere(void **state)
{
	(void)state;
	start_machine();
	test_expect_bug(unlock_from_elsewhere, NULL, "spin_held");
}

/* ---- memory ---- */

enum { MIB = 1024 * 1024 };

static bool is_zero(const char *p, size_t bytes)
{
	for (; bytes; bytes--)
		if (*p++)
			return false;
	return true;
}

/* A cache line is the smallest piece; a run's memory comes back as a whole, and clean. */
static void test_mem_of_a_run(void **state)
{
	char *one, *two;
	u64 before;

	(void)state;
	start_machine();
	before = mem_free_bytes();
	one = mem_alloc(1);
	two = mem_alloc(100);
	assert_int_equal(mem_free_bytes(), before - 64 - 128);
	assert_int_equal((uintptr_t)one % CACHE_LINE, 0);
	assert_int_equal((uintptr_t)two % CACHE_LINE, 0);
	assert_true(two >= one + 64 || one >= two + 128);
	memset(one, 0xff, 1);
	memset(two, 0xff, 100);
	mem_end_run();
	assert_int_equal(mem_free_bytes(), before);
	assert_true(is_zero(mem_alloc(192), 192));
}

/* What lives for ever survives the run; pages are whole. */
static void test_mem_for_ever(void **state)
{
	char *kept, *pages;
	u64 before;

	(void)state;
	start_machine();
	before = mem_free_bytes();
	kept = mem_alloc_forever(65);
	assert_int_equal(mem_free_bytes(), before - 128);
	pages = mem_alloc_pages(1);
	assert_int_equal((uintptr_t)kept % CACHE_LINE, 0);
	assert_int_equal((uintptr_t)pages % 4096, 0);
	assert_true(is_zero(kept, 65) && is_zero(pages, 4096));
	before = mem_free_bytes();
	memset(mem_alloc(MIB), 0xff, MIB);
	mem_end_run();
	assert_int_equal(mem_free_bytes(), before);
	assert_true(is_zero(kept, 65) && is_zero(pages, 4096));
}

/* Two ranges, as a machine with a hole has them: all of both is used, nothing twice, and what lives for ever is left alone. */
static void test_mem_exhausted(void **state)
{
	char *kept, *p;
	unsigned pieces = 0;
	u64 before;

	(void)state;
	start_machine();
	start_machine();
	kept = mem_alloc_forever(64);
	memset(kept, 0xaa, 64);
	before = mem_free_bytes();
	assert_null(mem_alloc(before / 2 + 64));
	assert_null(mem_alloc_forever(before / 2 + 128));
	assert_null(mem_alloc_pages(before / 2 + 128));
	assert_int_equal(mem_free_bytes(), before);
	while ((p = mem_alloc(8 * MIB))) {
		assert_true(kept < p || kept >= p + 8 * MIB);
		pieces++;
	}
	assert_int_equal(pieces, before / (8 * MIB));
	while (mem_alloc(64))
		pieces++;
	assert_null(mem_alloc_forever(1));
	assert_int_equal(mem_free_bytes(), 0);
	assert_int_equal(kept[0] & 0xff, 0xaa);
	mem_end_run();
	assert_int_equal(mem_free_bytes(), before);
}

/* Rounded up, these would be 0. */
static void test_mem_absurd_sizes(void **state)
{
	(void)state;
	start_machine();
	assert_null(mem_alloc_forever(SIZE_MAX));
	assert_null(mem_alloc_pages(SIZE_MAX - 4094));
	assert_null(mem_alloc(SIZE_MAX - 62));
	assert_null(mem_alloc(SIZE_MAX));
}

/* ---- CPU sets: 256 CPUs in words of 64 ---- */

static void test_cpumask(void **state)
{
	static const unsigned member[] = { 0, 1, 63, 64, 127, 128, 200, 255 };
	struct cpumask m, other;
	unsigned i = 0;

	(void)state;
	mask_clear(&m);
	assert_true(mask_empty(&m));
	assert_int_equal(mask_first(&m), MAX_CPUS);
	for (unsigned k = 0; k < ARRAY_SIZE(member); k++)
		mask_set(&m, member[k]);
	assert_int_equal(mask_weight(&m), ARRAY_SIZE(member));
	for_each_cpu(cpu, &m)
		assert_int_equal(cpu, member[i++]);
	assert_int_equal(i, ARRAY_SIZE(member));
	assert_int_equal(mask_next(&m, 2), 63);
	assert_int_equal(mask_next(&m, 63), 63);
	assert_int_equal(mask_next(&m, 65), 127);
	assert_int_equal(mask_next(&m, 201), 255);
	assert_int_equal(mask_next(&m, 256), MAX_CPUS);
	assert_true(mask_has(&m, 255) && !mask_has(&m, 254));
	other = m;
	assert_true(mask_equal(&m, &other) && mask_intersects(&m, &other));
	mask_unset(&m, 255);
	assert_false(mask_has(&m, 255) || mask_equal(&m, &other));
	assert_int_equal(mask_next(&m, 201), MAX_CPUS);
}

static void test_cpumask_and_or(void **state)
{
	struct cpumask a, b, c;

	(void)state;
	mask_clear(&a);
	mask_clear(&b);
	mask_set(&a, 3);
	mask_set(&a, 70);
	mask_set(&b, 70);
	mask_set(&b, 255);
	c = a;
	mask_and(&c, &b);
	assert_int_equal(mask_first(&c), 70);
	assert_int_equal(mask_weight(&c), 1);
	c = a;
	mask_or(&c, &b);
	assert_int_equal(mask_weight(&c), 3);
	mask_unset(&b, 70);
	assert_false(mask_intersects(&a, &b));
}

/* ---- timers ---- */

enum { MOST_FIRED = 4096 };

static struct {
	struct timer *timer[MOST_FIRED];
	unsigned nr;
} fired;

static void note_fired(struct timer *t)
{
	fired.timer[fired.nr++] = t;
}

static void start(struct timer *t, u64 deadline_ns)
{
	t->deadline_ns = deadline_ns;
	t->fire = note_fired;
	timer_start(t);
}

static void expect_fired(unsigned i, const struct timer *t)
{
	assert_true(i < fired.nr);
	assert_ptr_equal(fired.timer[i], t);
}

static void expect_armed(u64 deadline_ns)
{
	assert_true(test_deadline(machine_cpu()) == deadline_ns);
}

/* The machine is asked for the soonest. */
static void test_timers_in_order(void **state)
{
	struct timer t[3];

	(void)state;
	start_machine();
	start(&t[0], 30);
	expect_armed(30);
	start(&t[1], 10);
	expect_armed(10);
	start(&t[2], 20);
	expect_armed(10);
	timer_run(9);
	assert_int_equal(fired.nr, 0);
	expect_armed(10);
	timer_run(10);
	assert_int_equal(fired.nr, 1);
	expect_fired(0, &t[1]);
	expect_armed(20);
	timer_run(35);
	assert_int_equal(fired.nr, 3);
	expect_fired(1, &t[2]);
	expect_fired(2, &t[0]);
	expect_armed(TIMER_NEVER);
}

static void test_timers_of_one_instant(void **state)
{
	struct timer t[8];

	(void)state;
	start_machine();
	for (unsigned i = 0; i < 8; i++)
		start(&t[i], 50);
	timer_run(50);
	assert_int_equal(fired.nr, 8);
	for (unsigned i = 0; i < 8; i++)
		expect_fired(i, &t[i]);
}

/* One that was stopped does not fire; the interrupt that it had asked for comes, and asks for the next. It may be started again. */
static void test_timers_stopped(void **state)
{
	struct timer t[3];

	(void)state;
	start_machine();
	for (unsigned i = 0; i < 3; i++)
		start(&t[i], 10 * (i + 1));
	timer_stop(&t[0]);
	timer_run(10);
	assert_int_equal(fired.nr, 0);
	expect_armed(20);
	timer_stop(&t[2]);
	timer_run(35);
	assert_int_equal(fired.nr, 1);
	expect_fired(0, &t[1]);
	expect_armed(TIMER_NEVER);
	start(&t[0], 50);
	expect_armed(50);
	timer_run(50);
	assert_int_equal(fired.nr, 2);
	expect_fired(1, &t[0]);
}

/* The tick and the timers share the machine's one deadline: the sooner of the two. */
static void test_timers_and_tick(void **state)
{
	struct timer t[2];

	(void)state;
	start_machine();
	timer_set_tick(15);
	expect_armed(15);
	start(&t[0], 20);
	expect_armed(15);
	start(&t[1], 5);
	expect_armed(5);
	timer_run(5);
	expect_armed(15);
	timer_set_tick(25);
	expect_armed(20);
	timer_run(20);
	expect_armed(25);
	assert_int_equal(fired.nr, 2);
}

static struct timer due_at_once, due_later;

static void fire_and_start_two(struct timer *t)
{
	note_fired(t);
	start(&due_later, 100);
	start(&due_at_once, 40);
}

/* A timer that starts others: what is due by now fires in the same pass, and then the machine is asked for the rest. */
static void test_timers_started_by_timers(void **state)
{
	struct timer t = { .deadline_ns = 40, .fire = fire_and_start_two };

	(void)state;
	start_machine();
	timer_start(&t);
	timer_run(41);
	assert_int_equal(fired.nr, 2);
	expect_fired(0, &t);
	expect_fired(1, &due_at_once);
	expect_armed(100);
	timer_run(100);
	expect_fired(2, &due_later);
}

static void test_timers_of_each_cpu(void **state)
{
	struct timer here, there;

	(void)state;
	start_machine();
	start(&here, 10);
	test_on_cpu(3);
	start(&there, 20);
	timer_run(30);
	assert_int_equal(fired.nr, 1);
	expect_fired(0, &there);
	test_on_cpu(0);
	expect_armed(10);
	timer_run(30);
	assert_int_equal(fired.nr, 2);
	expect_fired(1, &here);
}

/* 2000 timers with 100 different deadlines, in steps: all fire, none early, in order of deadline and then of starting. */
static void test_timers_against_sorting(void **state)
{
	enum { TIMERS = 2000 };
	static struct timer t[TIMERS];
	u64 random = 1;

	(void)state;
	start_machine();
	for (unsigned i = 0; i < TIMERS; i++)
		start(&t[i], 1000 + random_next(&random) % 100);
	for (u64 now = 1000; now < 1100; now += 7) {
		timer_run(now);
		for (unsigned i = 0; i < fired.nr; i++)
			assert_true(fired.timer[i]->deadline_ns <= now);
		assert_true(test_deadline(0) > now);
	}
	timer_run(1100);
	assert_int_equal(fired.nr, TIMERS);
	for (unsigned i = 1; i < TIMERS; i++) {
		const struct timer *a = fired.timer[i - 1], *b = fired.timer[i];

		assert_true(a->deadline_ns < b->deadline_ns || (a->deadline_ns == b->deadline_ns && a < b));
	}
}

static void start_with_interrupts(void *timer)
{
	machine_irq_enable();
	start(timer, 1);
}

static void test_timer_needs_interrupts_off(void **state)
{
	struct timer t;

	(void)state;
	start_machine();
	test_expect_bug(start_with_interrupts, &t, "machine_irqs_off");
}

/* ---- randomness ---- */

/* The first five of SplitMix64 for seed 1234567, as published with the algorithm's implementations, and the first for seed 0. */
static void test_random(void **state)
{
	static const u64 want[] = { 6457827717110365317ull, 3203168211198807973ull, 9817491932198370423ull, 4593380528125082431ull,
		16408922859458223821ull };
	u64 random = 1234567, zero = 0;

	(void)state;
	for (unsigned i = 0; i < ARRAY_SIZE(want); i++)
		assert_true(random_next(&random) == want[i]);
	assert_true(random_next(&zero) == 0xe220a8397b1dcdafull);
}
int main(void)
{
	const struct CMUnitTest tests[] = {
		machine_test(test_locks_nest),
		machine_test(test_lock_with_interrupts),
		machine_test(test_lock_twice),
		machine_test(test_lock_against_order),
		machine_test(test_unlock_from_elsewhere),
		machine_test(test_mem_of_a_run),
		machine_test(test_mem_for_ever),
		machine_test(test_mem_exhausted),
		machine_test(test_mem_absurd_sizes),
		machine_test(test_cpumask),
		machine_test(test_cpumask_and_or),
		machine_test(test_timers_in_order),
		machine_test(test_timers_of_one_instant),
		machine_test(test_timers_stopped),
		machine_test(test_timers_and_tick),
		machine_test(test_timers_started_by_timers),
		machine_test(test_timers_of_each_cpu),
		machine_test(test_timers_against_sorting),
		machine_test(test_timer_needs_interrupts_off),
		machine_test(test_random),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
