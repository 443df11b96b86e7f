/* SPDX-License-Identifier: GPL-2.0-or-later
 * perf bench sched pipe (workloads.md 4.5, 7.10): its lines, and that L loops are 2 L messages of which each wakes and, on one CPU,
 * switches. */
#include "tests/unit/running.h"

#include "ipc/channel.h"

/* ---- the workload with a tap on its pipes ---- */

static void tap_send(struct channel *c, const void *data, size_t bytes);
static void tap_receive(struct channel *c, void *data, size_t bytes);
extern const struct workload tapped_pipe;

#define sched_pipe	tapped_pipe
#define channel_send	tap_send
#define channel_receive tap_receive
#include "workloads/sched_pipe.c"
#undef sched_pipe
#undef channel_send
#undef channel_receive

static struct {
	u64 sent, received, bytes;
	u64 first_takes_ns; /* time that passes at the first message */
	u64 damage_at;	    /* the message received that suffers it, from 1 */
	struct task *task[2];
	u64 both_runnable; /* sends while the other of the two does not sleep, but for the first */
} tap;

static void note_sender(void)
{
	struct task *me = current(), *other;

	if (!tap.task[0])
		tap.task[0] = me;
	else if (!tap.task[1] && tap.task[0] != me)
		tap.task[1] = me;
	other = tap.task[tap.task[0] == me];
	tap.both_runnable += other && other->state != TASK_SLEEPING;
}

static void tap_send(struct channel *c, const void *data, size_t bytes)
{
	note_sender();
	if (!tap.sent++)
		test_clock_advance(tap.first_takes_ns);
	tap.bytes += bytes;
	channel_send(c, data, bytes);
}

static void tap_receive(struct channel *c, void *data, size_t bytes)
{
	channel_receive(c, data, bytes);
	if (++tap.received == tap.damage_at)
		*(char *)data ^= 1;
}

static void run_pipe(const char *arguments, u64 takes_ns)
{
	memset(&tap, 0, sizeof(tap));
	tap.first_takes_ns = takes_ns;
	expect_ok(&tapped_pipe, arguments);
}

/* ---- what it prints ---- */

/* usecs/op is 2850 / 1000, ops/sec is 1000 / 0.00285 = 350,877.19 without its fraction; milliseconds and microseconds are cut. */
static void test_pipe_text(void **state)
{
	(void)state;
	start_machine(1, 1, 1, 1);
	run_pipe("-l 1000", 2850999);
	assert_string_equal(test_console(), "# Executed 1000 pipe operations between two processes\n"
					    "\n"
					    "     Total time: 0.002 [sec]\n"
					    "\n"
					    "       2.850000 usecs/op\n"
					    "         350877 ops/sec\n");
	run_pipe("-l 3 -T", 62000002000);
	assert_string_equal(test_console(), "# Executed 3 pipe operations between two threads\n"
					    "\n"
					    "     Total time: 62.000 [sec]\n"
					    "\n"
					    " 20666667.333333 usecs/op\n"
					    "              0 ops/sec\n");
	run_pipe("--loop 3 --threaded", 2000);
	assert_non_null(strstr(test_console(), "\n       0.666667 usecs/op\n        1500000 ops/sec\n"));
}

/* The interval has the whole of it: what the creation of the two takes as well. */
static u64 fork_ns;

static void fork_takes_time(enum cost cost)
{
	if (cost == COST_FORK)
		test_clock_advance(fork_ns);
}

static void test_pipe_times_creation(void **state)
{
	(void)state;
	start_machine(1, 1, 1, 1);
	fork_ns = 5000;
	test_on_charge = fork_takes_time;
	run_pipe("-l 10", 700);
	test_on_charge = NULL;
	assert_true(result.elapsed_ns == 2 * 5000 + 700);
}

/* ---- what it does ---- */

static void test_pipe_messages(void **state)
{
	static const char *const how[] = { "-l 1000", "-l 1000 -T" };

	(void)state;
	start_machine(1, 1, 4, 1);
	for (unsigned i = 0; i < ARRAY_SIZE(how); i++) {
		run_pipe(how[i], 0);
		assert_true(tap.sent == 2 * 1000 && tap.received == 2 * 1000 && tap.bytes == 2 * 1000 * sizeof(u32));
		assert_true(metric("operations") == 1000);
	}
	assert_true(defaults.loops == 1000000 && !defaults.threads);
}

/* On one CPU, where a wakeup does not preempt, whoever has a word is alone: the other sleeps. So a loop is two wakeups and two
 * switches; besides them the two begin and end, which is a switch each, and the parent waits for them. */
static void test_pipe_one_runnable(void **state)
{
	u64 wakeups;

	(void)state;
	start_machine(1, 1, 1, 1);
	knob.WAKEUP_PREEMPTION = false;
	test_apply_knobs();
	run_pipe("-l 1000", 0);
	assert_true(tap.both_runnable <= 1);
	wakeups = result.after.wakeups_local - result.before.wakeups_local;
	assert_in_range(wakeups, 2 * 1000 - 1, 2 * 1000 + 2);
	assert_in_range(result.after.switches - result.before.switches, 2 * 1000, 2 * 1000 + 6);
	assert_true(result.after.wakeups_remote == result.before.wakeups_remote);
}

static void test_pipe_damage_is_noticed(void **state)
{
	(void)state;
	start_machine(1, 1, 2, 1);
	memset(&tap, 0, sizeof(tap));
	tap.damage_at = 100;
	run_workload(&tapped_pipe, "-l 1000");
	assert_string_equal(result.status, "a word was lost");
}

static void test_pipe_out_of_memory(void **state)
{
	(void)state;
	start_machine(1, 1, 2, 1);
	run_pipe("-l 1", 0);
	for (size_t bytes = 1 << 24; bytes >= 4096; bytes /= 2)
		while (mem_alloc(bytes))
			;
	run_workload(&tapped_pipe, "-l 1");
	assert_string_equal(result.status, "not enough memory for two tasks and two pipes");
	assert_string_equal(test_console(), "");
	run_pipe("-l 1", 0);
}

static void test_pipe_refuses(void **state)
{
	(void)state;
	expect_refused(&tapped_pipe, "-l 0", "loop");
	expect_refused(&tapped_pipe, "5", "\"5\"");
	expect_refused(&tapped_pipe, "-n", "\"-n\"");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		machine_test(test_pipe_text),
		machine_test(test_pipe_times_creation),
		machine_test(test_pipe_messages),
		machine_test(test_pipe_one_runnable),
		machine_test(test_pipe_damage_is_noticed),
		machine_test(test_pipe_out_of_memory),
		machine_test(test_pipe_refuses),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
