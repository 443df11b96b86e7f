/* SPDX-License-Identifier: GPL-2.0-or-later
 * hackbench and massive_intr from their arguments to their figures, on machines where only work takes time.
 *
 * Expected numbers are the formulas and texts of workloads.md 2.2, 2.6 and 7.1 for hackbench and those of 3 and 7.5 for
 * massive_intr. A miss means that a run would not do what its name says: other messages than hackbench's, or loops that nobody
 * worked for. */
#include "tests/unit/running.h"

#include "ipc/transport.h"
#include "workloads/spread.h"

/* ---- hackbench with a tap on its channels: counts what passes, and can do damage ---- */

static void tap_send(struct channel *c, const void *data, size_t bytes);
static void tap_receive(struct channel *c, void *data, size_t bytes);
extern const struct workload tapped_hackbench;

#define hackbench	tapped_hackbench
#define channel_send	tap_send
#define channel_receive tap_receive
#include "workloads/hackbench.c"
#undef hackbench
#undef channel_send
#undef channel_receive

enum damage { DAMAGE_NONE, DAMAGE_FIRST_BYTE, DAMAGE_LAST_BYTE, DAMAGE_REPEAT };

enum { MOST_WORKERS = 64 };

static struct {
	u64 by_senders, by_receivers, received; /* calls */
	u64 slept;				/* calls in which a sender slept */
	const struct transport_ops *kind;	/* of the first channel used */
	u64 other_kinds, sync;			/* calls with another one; with the sync hint */
	u64 realtime_workers, realtime_parent;	/* calls */
	char created[MOST_WORKERS];		/* 's' and 'r', in the order of their numbers */
	enum damage damage;
	u64 damage_at;	    /* the message received that suffers it, from 1 */
	u64 first_takes_ns; /* time that passes at the first message */
	char before[65536]; /* the message received before */
} tap;

static void note_channel(const struct channel *c)
{
	if (!tap.kind)
		tap.kind = c->ops;
	tap.other_kinds += c->ops != tap.kind;
	tap.sync += c->sync != 0;
}

/* Tasks are numbered as they are made, the parent before its workers. */
static void note_worker(void)
{
	u32 number = current()->id - current()->parent->id - 1;

	tap.realtime_workers += current()->rt_priority != 0;
	if (number < MOST_WORKERS)
		tap.created[number] = current()->name[0];
}

static void tap_send(struct channel *c, const void *data, size_t bytes)
{
	u64 sleeps = current()->nr_voluntary;

	note_channel(c);
	if (!strcmp(current()->name, "main"))
		tap.realtime_parent += current()->policy == POLICY_FIFO && current()->rt_priority == 1;
	else
		note_worker();
	channel_send(c, data, bytes);
	if (!strcmp(current()->name, "sender")) {
		tap.by_senders++;
		tap.slept += current()->nr_voluntary != sleeps;
	} else if (!strcmp(current()->name, "receiver")) {
		tap.by_receivers++;
	}
}

static void do_damage(char *data, size_t bytes)
{
	if (tap.damage == DAMAGE_FIRST_BYTE)
		data[0] ^= 1;
	if (tap.damage == DAMAGE_LAST_BYTE)
		data[bytes - 1] ^= 0x40;
	if (tap.damage == DAMAGE_REPEAT)
		memcpy(data, tap.before, bytes);
}

static void tap_receive(struct channel *c, void *data, size_t bytes)
{
	note_channel(c);
	channel_receive(c, data, bytes);
	if (strcmp(current()->name, "receiver"))
		return;
	if (!tap.received++)
		test_clock_advance(tap.first_takes_ns);
	if (tap.received == tap.damage_at)
		do_damage(data, bytes);
	memcpy(tap.before, data, bytes);
}

/* Counts anew. */
static void run_tapped(const char *arguments)
{
	memset(&tap, 0, offsetof(__typeof__(tap), damage));
	run_workload(&tapped_hackbench, arguments);
}

/* ---- hackbench ---- */

struct shape {
	u64 groups, fds, loops, bytes;
};

/* 2.2: 2 * F * G workers, each of which says "ready" once; G * F * F * L messages, all of which arrive. */
static void expect_hackbench(struct shape s, const char *more)
{
	u64 messages = s.groups * s.fds * s.fds * s.loops, half = s.groups * s.fds;
	char arguments[128];

	snprintf(arguments, sizeof(arguments), "-g %u -f %u -l %u -s %u %s", (unsigned)s.groups, (unsigned)s.fds, (unsigned)s.loops,
		(unsigned)s.bytes, more);
	run_tapped(arguments);
	if (strcmp(result.status, "ok"))
		fail_msg("%s: %s", arguments, result.status);
	assert_true(tap.by_receivers == half);
	assert_true(tap.by_senders == half + messages);
	assert_true(tap.received == messages);
	assert_int_equal(result.nr_metrics, 1);
	assert_string_equal(result.metric[0].name, "messages");
	assert_true(result.metric[0].value == messages);
	assert_int_equal(result.nr_counts, 0);
}

/* 2.6 and 2.2: -g 1 -f 2 -l 3 are 4 tasks and 12 messages, and the text is this one. No time passes here. */
static void test_hackbench_text(void **state)
{
	(void)state;
	start_machine(1, 1, 1, 1);
	expect_hackbench((struct shape){ 1, 2, 3, 100 }, "-T");
	assert_true(tap.received == 12 && tap.by_receivers + tap.by_senders - tap.received == 4);
	assert_string_equal(test_console(), "Running in threaded mode with 1 groups using 4 file descriptors each (== 4 tasks)\n"
					    "Each sender will pass 3 messages of 100 bytes\n"
					    "Time: 0.000\n");
	expect_hackbench((struct shape){ 2, 3, 4, 7 }, "-P");
	assert_string_equal(test_console(), "Running in process mode with 2 groups using 6 file descriptors each (== 12 tasks)\n"
					    "Each sender will pass 4 messages of 7 bytes\n"
					    "Time: 0.000\n");
}

/* 2.6: milliseconds are cut, not rounded. The interval is that between the gate and the last worker's end. */
static void test_hackbench_time(void **state)
{
	(void)state;
	start_machine(1, 1, 1, 1);
	tap.first_takes_ns = 1234999999;
	expect_hackbench((struct shape){ 1, 2, 3, 100 }, "");
	assert_true(result.elapsed_ns == 1234999999);
	assert_non_null(strstr(test_console(), "\nTime: 1.234\n"));
	tap.first_takes_ns = 12009000000;
	expect_hackbench((struct shape){ 1, 2, 3, 100 }, "");
	assert_non_null(strstr(test_console(), "\nTime: 12.009\n"));
}

/* 2.1 and 7.1: 10 groups of 20, 100 loops, 100 bytes by default: 400 tasks, and 40 file descriptors are printed. */
static void test_hackbench_defaults(void **state)
{
	(void)state;
	start_machine(1, 1, 4, 1);
	run_workload(&hackbench, "-l 5");
	assert_string_equal(result.status, "ok");
	assert_true(result.metric[0].value == 20000);
	assert_non_null(
		strstr(test_console(), "Running in process mode with 10 groups using 40 file descriptors each (== 400 tasks)\n"
				       "Each sender will pass 5 messages of 100 bytes\n"));
	run_workload(&hackbench, "-g 1 -f 1");
	assert_non_null(strstr(test_console(), "Each sender will pass 100 messages of 100 bytes\n"));
}

/* 2.3: group by group all receivers, then all senders. */
static void test_hackbench_order_of_creation(void **state)
{
	(void)state;
	start_machine(1, 1, 1, 1);
	run_tapped("-g 3 -f 2 -l 1");
	assert_string_equal(tap.created, "rrssrrssrrss");
}

/* Sizes around the 8 bytes of a message's origin and around a page, by all transports, by process and thread. */
static void test_hackbench_sizes(void **state)
{
	static const u64 bytes[] = { 1, 7, 8, 9, 100, 1000, 4095, 4096 };
	static const char *const more[] = { "", "-p", "-T", "-p -T", "-i", "-p --pipe-rules 6.1", "-p --pipe-rules 5.4 --no-sync" };

	(void)state;
	start_machine(1, 1, 1, 1);
	for (unsigned i = 0; i < ARRAY_SIZE(bytes); i++)
		for (unsigned k = 0; k < ARRAY_SIZE(more); k++)
			expect_hackbench((struct shape){ 2, 3, 10, bytes[i] }, more[k]);
}

static void test_hackbench_long_messages(void **state)
{
	(void)state;
	start_machine(1, 1, 1, 1);
	expect_hackbench((struct shape){ 2, 3, 10, 4097 }, "");
	expect_hackbench((struct shape){ 2, 3, 10, 65536 }, "");
	expect_hackbench((struct shape){ 2, 1, 10, 65536 }, "-p");
	expect_hackbench((struct shape){ 2, 3, 10, 65536 }, "-i");
}

/* A pipe keeps a write whole up to a page (PIPE_BUF); longer ones of several senders may arrive interleaved, on Linux too, and
 * hackbench takes bytes as they come. Such a run has lost nothing and is not to be called damaged. */
static void test_hackbench_long_messages_by_pipe(void **state)
{
	(void)state;
	start_machine(1, 1, 1, 1);
	expect_hackbench((struct shape){ 2, 3, 10, 20000 }, "-p");
	expect_hackbench((struct shape){ 2, 3, 10, 20000 }, "-p --pipe-rules 6.1");
	expect_hackbench((struct shape){ 2, 3, 10, 20000 }, "-p --pipe-rules 5.4");
}

/* Enough messages to fill channels over and over: 20 senders, 800 messages to a socket that takes 278, a pipe that takes 640 and a
 * connection that takes 656. All channels are of the kind asked for, those of the gate too (2.3), and have the sync hint or none.
 */
static void test_hackbench_full_channels(void **state)
{
	static const struct {
		const char *arguments;
		const struct transport_ops *kind;
	} want[] = { { "", &unix_ops }, { "-p", &pipe_ops }, { "-p --pipe-rules new", &pipe_ops },
		{ "-p --pipe-rules 6.1", &pipe_6_1_ops }, { "-p --pipe-rules 5.4", &pipe_5_4_ops }, { "-i", &tcp_ops } };
	char arguments[64];

	(void)state;
	start_machine(1, 1, 1, 1);
	for (unsigned i = 0; i < ARRAY_SIZE(want); i++) {
		expect_hackbench((struct shape){ 1, 20, 40, 100 }, want[i].arguments);
		assert_true(tap.slept > 0);
		assert_true(tap.kind == want[i].kind && tap.other_kinds == 0);
		assert_true(tap.sync > 0);
		snprintf(arguments, sizeof(arguments), "%s --no-sync", want[i].arguments);
		expect_hackbench((struct shape){ 1, 20, 40, 100 }, arguments);
		assert_true(tap.kind == want[i].kind && tap.other_kinds == 0);
		assert_true(tap.sync == 0);
	}
}

/* 2.1: -F makes the parent SCHED_FIFO 1 once the workers exist, so none of them inherits it. Its one send opens the gate. */
static void test_hackbench_fifo(void **state)
{
	(void)state;
	start_machine(1, 1, 1, 1);
	expect_hackbench((struct shape){ 1, 3, 5, 100 }, "-F");
	assert_true(tap.realtime_parent == 1 && tap.realtime_workers == 0);
	expect_hackbench((struct shape){ 1, 3, 5, 100 }, "");
	assert_true(tap.realtime_parent == 0 && tap.realtime_workers == 0);
}

/* 2.6: -f 20 -l 13 sends 260 messages through each channel, and 278 fit: no sender can ever block, whatever the machine. */
static void test_hackbench_13_loops(void **state)
{
	(void)state;
	start_machine(1, 1, 1, 1);
	expect_hackbench((struct shape){ 2, 20, 13, 100 }, "");
	assert_true(tap.slept == 0);
}

static void test_hackbench_13_loops_4_cpus(void **state)
{
	(void)state;
	start_machine(1, 2, 2, 1);
	expect_hackbench((struct shape){ 2, 20, 13, 100 }, "");
	assert_true(tap.slept == 0);
}

static void run_everywhere(unsigned nodes, unsigned llcs, unsigned cores, unsigned threads)
{
	start_machine(nodes, llcs, cores, threads);
	for (unsigned i = 0; i < 4; i++) {
		knob.preempt = i & 1 ? PREEMPT_FULL : PREEMPT_NONE;
		knob.newidle = i & 1 ? NEWIDLE_ALWAYS : NEWIDLE_THROTTLE;
		knob.NEXT_BUDDY = i & 1;
		test_apply_knobs();
		expect_hackbench((struct shape){ 3, 5, 30, 100 }, i & 2 ? "-p" : "");
		expect_hackbench((struct shape){ 3, 5, 30, 100 }, i & 2 ? "-p --pipe-rules 5.4" : "-i");
	}
}

static void test_hackbench_1_cpu(void **state)
{
	(void)state;
	run_everywhere(1, 1, 1, 1);
}

static void test_hackbench_2_threads(void **state)
{
	(void)state;
	run_everywhere(1, 1, 1, 2);
}

static void test_hackbench_8_cpus_in_4_caches(void **state)
{
	(void)state;
	run_everywhere(2, 2, 2, 1);
}

static void test_hackbench_64_cpus(void **state)
{
	(void)state;
	run_everywhere(4, 1, 8, 2);
}

/* ---- what hackbench notices ---- */

static void expect_noticed(const char *arguments, enum damage damage, u64 at)
{
	tap.damage = damage;
	tap.damage_at = at;
	run_tapped(arguments);
	if (strcmp(result.status, "messages were lost, repeated or damaged"))
		fail_msg("%s: damage %d to message %u: \"%s\"", arguments, damage, (unsigned)at, result.status);
	tap.damage = DAMAGE_NONE;
	run_tapped(arguments);
	assert_string_equal(result.status, "ok");
}

/* One bit of one of 240 messages, at the beginning, the middle and the end of a run; also in messages too short to say where from.
 */
static void test_damage_is_noticed(void **state)
{
	(void)state;
	start_machine(1, 1, 1, 1);
	expect_noticed("-g 1 -f 4 -l 15", DAMAGE_FIRST_BYTE, 1);
	expect_noticed("-g 1 -f 4 -l 15", DAMAGE_LAST_BYTE, 100);
	expect_noticed("-g 1 -f 4 -l 15 -p", DAMAGE_LAST_BYTE, 240);
	expect_noticed("-g 1 -f 4 -l 15 -s 8", DAMAGE_LAST_BYTE, 77);
	expect_noticed("-g 1 -f 4 -l 15 -s 9", DAMAGE_LAST_BYTE, 78);
	expect_noticed("-g 1 -f 4 -l 15 -s 1", DAMAGE_FIRST_BYTE, 79);
	expect_noticed("-g 1 -f 4 -l 15 -s 7 -p", DAMAGE_LAST_BYTE, 80);
	expect_noticed("-g 1 -f 4 -l 15 -s 4096", DAMAGE_LAST_BYTE, 81);
}

/* A message that comes twice, in place of the one that is lost thereby. One sender and receiver, so that both are of one channel.
 */
static void test_repetition_is_noticed(void **state)
{
	(void)state;
	start_machine(1, 1, 1, 1);
	expect_noticed("-g 1 -f 1 -l 50", DAMAGE_REPEAT, 2);
	expect_noticed("-g 1 -f 1 -l 50 -p", DAMAGE_REPEAT, 50);
}

/* 1200 channels of 4 messages of 64 KiB are more than the 256 MiB there are: said so, nobody left waiting, and the next run is
 * fine. */
static void test_hackbench_out_of_memory(void **state)
{
	u64 before;

	(void)state;
	start_machine(1, 1, 2, 1);
	run_workload(&hackbench, "-g 1 -f 2 -l 1");
	before = mem_free_bytes();
	run_workload(&hackbench, "-g 60 -s 65536");
	assert_string_equal(result.status, "not enough memory for so many tasks and channels");
	assert_true(result.elapsed_ns == 0 && result.nr_metrics == 0);
	assert_true(mem_free_bytes() <= before && mem_free_bytes() > before / 2);
	run_workload(&hackbench, "-g 1 -f 2 -l 1");
	assert_string_equal(result.status, "ok");
}

/* ---- massive_intr ---- */

enum { STEP_MS = 8 };

/* "%06u\t%08u\n" for each task, in the order of the counts (workloads.md 3). */
static void expect_massive_intr(const char *arguments, unsigned tasks)
{
	const char *line;

	run_workload(&massive_intr, arguments);
	assert_string_equal(result.status, "ok");
	assert_int_equal(result.nr_counts, tasks);
	line = test_console();
	assert_int_equal(strlen(line), tasks * 16);
	for (unsigned i = 0; i < tasks; i++, line += 16) {
		unsigned id, count;

		assert_int_equal(sscanf(line, "%6u\t%8u", &id, &count), 2);
		assert_true(line[6] == '\t' && line[15] == '\n');
		assert_int_equal(count, result.count[i]);
	}
}

/* 8 ms of work and 1 ms of sleep are 9 ms and nothing else takes time, so 9 s hold exactly 1000 loops. */
static void test_massive_intr_exact(void **state)
{
	(void)state;
	start_machine(1, 1, 1, 1);
	expect_massive_intr("1 9", 1);
	assert_int_equal(result.count[0], 1000);
	assert_true(result.elapsed_ns == 9 * NSEC_PER_SEC);
	expect_massive_intr("1 9 --work-ms", 1);
	assert_int_equal(result.count[0], 8000);
	expect_massive_intr("1 1 --run-ms 900", 1);
	assert_int_equal(result.count[0], 100);
	expect_massive_intr("1 9 --work-us 1000 --sleep-us 8000 --work-ms", 1);
	assert_int_equal(result.count[0], 1000);
}

/* 7.5: 60 s of 8/1 are ideally 6666 loops or 53,328 ms of work, of 1/8 also 6666, one step more or less. */
static void test_massive_intr_60_s(void **state)
{
	(void)state;
	start_machine(1, 1, 1, 1);
	expect_massive_intr("1 60", 1);
	assert_in_range(result.count[0], 6665, 6667);
	assert_in_range(result.elapsed_ns, 60 * NSEC_PER_SEC, 60 * NSEC_PER_SEC + 9 * NSEC_PER_MSEC);
	expect_massive_intr("1 60 -W", 1);
	assert_in_range(result.count[0], 53328 - STEP_MS, 53328 + STEP_MS);
	assert_int_equal(result.count[0] % STEP_MS, 0);
	expect_massive_intr("1 60 -w 1000 -s 8000", 1);
	assert_in_range(result.count[0], 6665, 6667);
}

/* 3: four tasks of 8/1 want 32 ms of every 9 from one CPU. No more is worked than there was time, always whole steps, and each gets
 * its quarter to within 1 %. Hardly less is worked: when all sleep at once the CPU idles, for 1 ms at most, and before they can do
 * so again each has to work 8 ms, so 32 of 33 ms are worked; of the 20,000 that is 19,393. */
static void test_massive_intr_overloaded(void **state)
{
	struct spread s;

	(void)state;
	start_machine(1, 1, 1, 1);
	expect_massive_intr("4 20 --work-ms", 4);
	s = spread_of(result.count, result.nr_counts);
	assert_true(s.sum * NSEC_PER_MSEC <= result.elapsed_ns);
	assert_true(s.sum >= 19393);
	assert_true(s.most - s.least <= 50);
	for (unsigned i = 0; i < 4; i++)
		assert_int_equal(result.count[i] % STEP_MS, 0);
}

/* 3: the report that massive_intr was written for, 200 tasks on one CPU: a fair scheduler gives each 1/200, here 100 ms of 20 s,
 * which is 12.5 steps. */
static void test_massive_intr_200_tasks(void **state)
{
	struct spread s;

	(void)state;
	start_machine(1, 1, 1, 1);
	expect_massive_intr("200 20", 200);
	s = spread_of(result.count, result.nr_counts);
	assert_true(s.sum * STEP_MS * NSEC_PER_MSEC <= result.elapsed_ns);
	assert_in_range(s.least, 11, 13);
	assert_in_range(s.most, 12, 14);
}

/* MAX_COUNTS tasks fill the run's table, and fit. */
static void test_massive_intr_1024_tasks(void **state)
{
	(void)state;
	start_machine(1, 1, 4, 1);
	expect_massive_intr("1024 1 --work-us 1 --sleep-us 1000 --run-ms 1", 1024);
}

static void run_with_little_memory(const void *options, struct run *r)
{
	assert_non_null(mem_alloc(mem_free_bytes() - (128 << 10)));
	massive_intr.run(options, r);
}

/* In 128 KiB there is no room for 1024 tasks: said so at once, not after the 60 s that those who have one would take. */
static void test_massive_intr_out_of_memory(void **state)
{
	struct workload poor = massive_intr;

	(void)state;
	poor.run = run_with_little_memory;
	start_machine(1, 1, 2, 1);
	run_workload(&poor, "1024 60");
	assert_string_equal(result.status, "not enough memory for so many tasks");
	assert_true(result.elapsed_ns < NSEC_PER_MSEC && result.nr_counts == 0 && result.nr_metrics == 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		machine_test(test_hackbench_text),
		machine_test(test_hackbench_time),
		machine_test(test_hackbench_defaults),
		machine_test(test_hackbench_order_of_creation),
		machine_test(test_hackbench_sizes),
		machine_test(test_hackbench_long_messages),
		machine_test(test_hackbench_long_messages_by_pipe),
		machine_test(test_hackbench_full_channels),
		machine_test(test_hackbench_fifo),
		machine_test(test_hackbench_13_loops),
		machine_test(test_hackbench_13_loops_4_cpus),
		machine_test(test_hackbench_1_cpu),
		machine_test(test_hackbench_2_threads),
		machine_test(test_hackbench_8_cpus_in_4_caches),
		machine_test(test_hackbench_64_cpus),
		machine_test(test_damage_is_noticed),
		machine_test(test_repetition_is_noticed),
		machine_test(test_hackbench_out_of_memory),
		machine_test(test_massive_intr_exact),
		machine_test(test_massive_intr_60_s),
		machine_test(test_massive_intr_overloaded),
		machine_test(test_massive_intr_200_tasks),
		machine_test(test_massive_intr_1024_tasks),
		machine_test(test_massive_intr_out_of_memory),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
