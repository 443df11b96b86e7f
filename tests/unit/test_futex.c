/* SPDX-License-Identifier: GPL-2.0-or-later
 * Futexes and the mutexes on them. Real tasks on one CPU, so that who runs when is known to the step, and then on four.
 *
 * Expected is the row of workloads.md 1: a wake call wakes as many as it says, who came first first, after the lock is dropped and
 * without the sync hint; and of a mutex, that only one holds it at a time, that nobody is left asleep, and that without a rival it
 * makes no system call. A miss means that sysbench's threads would wake others, or more or fewer, than they do on Linux. */
#include "tests/unit/machine.h"

#include "ipc/futex.h"
#include "ipc/sleep.h"
#include "sched/rq.h"

/* ---- a class for the other tasks: fair, but each wakeup is noted, and it never preempts the main task, which is plainly fair ----
 */

enum { MOST_WAKES = 64 };

static struct {
	unsigned nr;
	struct task *task[MOST_WAKES];
} noted;

static struct futex futex;
static struct mutex mutex;

/* Asserts for each what holds for all of them. */
static unsigned note_and_select(struct task *t, enum select_kind kind, unsigned wake_flags)
{
	if (kind == SELECT_WAKE && current()->class == &fair_class && !current()->is_idle) {
		assert_true(noted.nr < MOST_WAKES);
		assert_int_equal(wake_flags, 0);
		assert_false(spin_held(&futex.lock) || spin_held(&mutex.futex.lock));
		noted.task[noted.nr++] = t;
	}
	return fair_class.select_cpu(t, kind, wake_flags);
}

static struct sched_class noting_class;

static unsigned system_calls;

static void count_system_calls(enum cost cost)
{
	system_calls += cost == COST_SYSCALL;
}

static void (*test_body)(void);

/* The other tasks are left where they are; the test's process ends with them. */
static void run_body(void *unused)
{
	(void)unused;
	test_body();
	current()->nr_children = 0;
}

static void run_in_task(unsigned cpus, void (*body)(void))
{
	test_body = body;
	test_machine(1, 1, cpus, 1);
	test_boot(SWITCH_STACKS);
	noting_class = fair_class;
	noting_class.select_cpu = note_and_select;
	futex_init(&futex, 7);
	mutex_init(&mutex);
	test_run(run_body, NULL);
}

#define TEST_IN_TASK(name, cpus)                                                                                                   \
	static void name##_in_task(void);                                                                                          \
	static void name(void **state)                                                                                             \
	{                                                                                                                          \
		(void)state;                                                                                                       \
		run_in_task(cpus, name##_in_task);                                                                                 \
	}                                                                                                                          \
	static void name##_in_task(void)

/* ---- the other tasks ---- */

struct party {
	struct task *task;
	bool came, result; /* what its call returned */
};

static void wait_at_futex(void *argument)
{
	struct party *p = argument;

	p->result = futex_wait(&futex, 7);
	p->came = true;
}

static void lock_and_unlock(void *argument)
{
	struct party *p = argument;

	p->result = mutex_lock(&mutex);
	p->came = true;
	mutex_unlock(&mutex);
}

static void lock_and_keep(void *argument)
{
	struct party *p = argument;

	p->result = mutex_lock(&mutex);
	p->came = true;
}

/* Until all others sleep or have ended. */
static void let_others_run(void)
{
	task_sleep_ns(NSEC_PER_MSEC);
}

/* Start n of them so that number 0 is the first to sleep. */
static void start_all(struct party *p, unsigned n, void (*entry)(void *))
{
	for (unsigned i = 0; i < n; i++) {
		p[i] = (struct party){ .task = task_spawn("other", entry, &p[i], false) };
		assert_non_null(p[i].task);
		p[i].task->class = &noting_class;
		let_others_run();
	}
}

static bool sleeps(const struct party *p)
{
	return !p->came && p->task->state == TASK_SLEEPING;
}

/* Wakeups since the last look: those of p[0] .. p[n - 1] in this order. */
static void expect_wakes(const struct party *p, unsigned n)
{
	assert_int_equal(noted.nr, n);
	for (unsigned i = 0; i < n; i++)
		assert_ptr_equal(noted.task[i], p[i].task);
	noted.nr = 0;
}

/* ---- futexes ---- */

TEST_IN_TASK(test_wakes_so_many_oldest_first, 1)
{
	struct party p[6];

	start_all(p, 6, wait_at_futex);
	for (unsigned i = 0; i < 6; i++)
		assert_true(sleeps(&p[i]));
	assert_int_equal(futex_wake(&futex, 1), 1);
	expect_wakes(&p[0], 1);
	assert_int_equal(futex_wake(&futex, 3), 3);
	expect_wakes(&p[1], 3);
	let_others_run();
	assert_true(p[0].came && p[0].result && p[3].came && p[3].result);
	assert_true(sleeps(&p[4]) && sleeps(&p[5]));
	assert_int_equal(futex_wake(&futex, 100), 2);
	expect_wakes(&p[4], 2);
}

/* Check 1c: who is woken is no longer queued, so a second event before it runs finds nobody. */
TEST_IN_TASK(test_wakes_nobody_twice, 1)
{
	struct party p[1];

	assert_int_equal(futex_wake(&futex, 1), 0);
	start_all(p, 1, wait_at_futex);
	assert_int_equal(futex_wake(&futex, 0), 0);
	assert_int_equal(futex_wake(&futex, 1), 1);
	assert_int_equal(futex_wake(&futex, 1), 0);
	expect_wakes(p, 1);
	let_others_run();
	assert_true(p[0].came);
	assert_int_equal(p[0].task->nr_voluntary, 2); /* slept once, ended once */
}

/* The word is looked at before anybody sleeps: what was changed in time is not missed. */
TEST_IN_TASK(test_waits_only_if_as_expected, 1)
{
	struct party p[2];

	futex.word = 8;
	assert_false(futex_wait(&futex, 7));
	start_all(p, 1, wait_at_futex);
	assert_true(p[0].came && !p[0].result);
	futex.word = 7;
	start_all(p + 1, 1, wait_at_futex);
	assert_true(sleeps(&p[1]));
	assert_int_equal(futex_wake(&futex, 100), 1);
	expect_wakes(p + 1, 1);
}

/* Each of the two calls is one system call, whether it sleeps or wakes or neither. */
TEST_IN_TASK(test_futex_calls_are_system_calls, 1)
{
	struct party p[1];

	test_on_charge = count_system_calls;
	futex_wait(&futex, 8);
	futex_wake(&futex, 1);
	assert_int_equal(system_calls, 2);
	start_all(p, 1, wait_at_futex);
	futex_wake(&futex, 1);
	assert_int_equal(system_calls, 4);
	assert_int_equal(current()->syscall_depth, 0);
}

/* ---- mutexes ---- */

TEST_IN_TASK(test_mutex_without_rival, 1)
{
	u64 sleeps = current()->nr_voluntary;

	test_on_charge = count_system_calls;
	for (unsigned i = 0; i < 100; i++) {
		assert_false(mutex_lock(&mutex));
		assert_int_equal(mutex.futex.word, 1);
		mutex_unlock(&mutex);
		assert_int_equal(mutex.futex.word, 0);
	}
	assert_int_equal(system_calls, 0);
	assert_true(current()->nr_voluntary == sleeps);
}

/* An unlock wakes one, the oldest; when all have gone it is as before. */
TEST_IN_TASK(test_mutex_wakes_one, 1)
{
	struct party p[3];

	mutex_lock(&mutex);
	start_all(p, 3, lock_and_keep);
	assert_int_equal(mutex.futex.word, 2);
	for (unsigned i = 0; i < 3; i++) {
		assert_true(sleeps(&p[i]));
		mutex_unlock(&mutex);
		expect_wakes(&p[i], 1);
		let_others_run();
		assert_true(p[i].came && p[i].result);
		assert_true(i == 2 || sleeps(&p[i + 1]));
	}
	mutex_unlock(&mutex);
	expect_wakes(p, 0);
	assert_int_equal(mutex.futex.word, 0);
	assert_false(mutex_lock(&mutex));
	assert_int_equal(mutex.futex.word, 1);
}

/* Whoever comes first after the unlock has it: the one woken finds it held, and sleeps again until the next. */
TEST_IN_TASK(test_mutex_can_be_snatched, 1)
{
	struct party p[1];

	mutex_lock(&mutex);
	start_all(p, 1, lock_and_unlock);
	for (unsigned i = 1; i <= 5; i++) {
		mutex_unlock(&mutex);
		expect_wakes(p, 1);
		assert_false(mutex_lock(&mutex));
		let_others_run();
		assert_true(sleeps(&p[0]));
		assert_int_equal(p[0].task->nr_voluntary, 1 + i);
	}
	mutex_unlock(&mutex);
	let_others_run();
	assert_true(p[0].came && p[0].result);
	assert_int_equal(mutex.futex.word, 0);
}

/* ---- many at once ---- */

static struct {
	unsigned inside, passages, slept;
} room;

enum { VISITORS = 20, VISITS = 50 };

/* Gives the CPU up in every way while it is inside, so that the others find the mutex held. */
static void visit(void *argument)
{
	unsigned number = *(unsigned *)argument;

	for (unsigned i = 0; i < VISITS; i++) {
		room.slept += mutex_lock(&mutex);
		assert_int_equal(room.inside++, 0);
		if ((number + i) % 5)
			yield();
		else
			sleep_ns(10 * NSEC_PER_USEC);
		room.inside--;
		room.passages++;
		mutex_unlock(&mutex);
	}
}

/* Nobody is inside with another, nobody is left asleep (then the reaping would not end), and 20 * 50 have been inside. */
static void expect_visits(void)
{
	unsigned number[VISITORS];

	for (unsigned i = 0; i < VISITORS; i++) {
		number[i] = i;
		assert_non_null(task_spawn("visitor", visit, &number[i], false));
	}
	for (unsigned i = 0; i < VISITORS; i++)
		task_reap(REAP_ANY);
	assert_int_equal(room.passages, VISITORS * VISITS);
	assert_true(room.slept > 0);
	assert_int_equal(mutex.futex.word, 0);
	assert_true(TAILQ_EMPTY(&mutex.futex.waiters));
}

TEST_IN_TASK(test_mutex_excludes_on_one_cpu, 1)
{
	expect_visits();
}

TEST_IN_TASK(test_mutex_excludes_on_four_cpus, 4)
{
	expect_visits();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		machine_test(test_wakes_so_many_oldest_first),
		machine_test(test_wakes_nobody_twice),
		machine_test(test_waits_only_if_as_expected),
		machine_test(test_futex_calls_are_system_calls),
		machine_test(test_mutex_without_rival),
		machine_test(test_mutex_wakes_one),
		machine_test(test_mutex_can_be_snatched),
		machine_test(test_mutex_excludes_on_one_cpu),
		machine_test(test_mutex_excludes_on_four_cpus),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
