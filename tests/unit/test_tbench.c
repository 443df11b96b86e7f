/* SPDX-License-Identifier: GPL-2.0-or-later
 * tbench from its arguments to its figures, on machines where only work takes time. Its mix of requests has a file of its own.
 *
 * Expected numbers are those of workloads.md 4.2 (protocol, times, output, checks) and 7.9 (what counts as throughput). A miss
 * means that a run would not do what its name says: more than one message under way in a pair, requests that nobody answered, or
 * figures of something else. */
#include <arpa/inet.h>

#include "tests/unit/running.h"

#include "ipc/channel.h"

/* ---- tbench with a tap on its channels: counts what passes, and can do damage ---- */

static void tap_send(struct channel *c, const void *data, size_t bytes);
static void tap_receive(struct channel *c, void *data, size_t bytes);
extern const struct workload tapped_tbench;

#define tbench		tapped_tbench
#define channel_send	tap_send
#define channel_receive tap_receive
#include "workloads/tbench.c"
#undef tbench
#undef channel_send
#undef channel_receive

enum damage {
	DAMAGE_NONE,
	DAMAGE_LENGTH,
	DAMAGE_OTHER_LENGTH,
	DAMAGE_NUMBER,
	DAMAGE_MIDDLE,
	DAMAGE_LAST_BYTE,
	DAMAGE_REPEAT,
	DAMAGE_COUNT
};
enum { MANY = 64 };

static struct {
	u64 connections, connected_before_first;
	u64 sent[2], reads[2]; /* requests and replies, and the calls that receive them */
	u64 payload;
	u64 sizes;	       /* a hash of all requests in their order */
	u64 by_pair[MANY];     /* requests */
	u32 reply_bytes[MANY]; /* that the last request wants */
	u32 under_way[MANY];   /* messages sent and not yet received */
	u32 most_under_way;
	enum damage damage;
	bool of_reply;
	u64 damage_at;		 /* the message of that kind that suffers it, from 1 */
	bool apart;		 /* clients to CPU 0, servers to CPU 1 */
	char before[2][LONGEST]; /* the request and the reply received before, behind their first word */
} tap;

enum { REQUEST, REPLY };

/* Apart from messages of pairs there are the numbers of 8 bytes that connect, the bytes that say "ready", and the word at the end.
 */
static bool is_message(size_t bytes)
{
	return bytes > sizeof(u64);
}

static u64 own_pair(void)
{
	return ((struct pair *)current()->argument)->number;
}

static bool is_client(void)
{
	return !strcmp(current()->name, "tbench");
}

static void stay_on(unsigned cpu)
{
	struct cpumask only = { .word = { 0 } };

	mask_set(&only, cpu);
	task_set_allowed(current(), &only);
}

static u32 number_at(const char *data)
{
	u32 n;

	memcpy(&n, data, sizeof(n));
	return ntohl(n);
}

/* 4.2: beyond 59 bytes what travels is payload in WriteX (59 + n -> 55) and ReadX (59 -> 59 + n); 59 -> 71 asks about a file. */
static u32 payload_by_sizes(u32 request, u32 reply)
{
	if (reply == 55)
		return request - 59;
	return request == 59 && reply != 71 ? reply - 59 : 0;
}

/* 4.2: the first 8 bytes of a request are send-4 and recv-4, big-endian. */
static void note_request(const char *data, size_t bytes)
{
	u32 reply = number_at(data + 4) + 4;

	if (!tap.sent[REQUEST])
		tap.connected_before_first = tap.connections;
	assert_int_equal(number_at(data), bytes - 4);
	tap.reply_bytes[own_pair()] = reply;
	tap.by_pair[own_pair()]++;
	tap.payload += payload_by_sizes((u32)bytes, reply);
	tap.sizes = tap.sizes * 31 + bytes;
}

static void note_reply(const char *data, size_t bytes)
{
	assert_int_equal(number_at(data), bytes - 4);
	assert_int_equal(tap.reply_bytes[own_pair()], bytes);
}

static void tap_send(struct channel *c, const void *data, size_t bytes)
{
	tap.connections += is_client() && bytes == sizeof(u64);
	if (is_message(bytes)) {
		(is_client() ? note_request : note_reply)(data, bytes);
		tap.sent[is_client() ? REQUEST : REPLY]++;
		tap.most_under_way = (u32)max_u64(tap.most_under_way, ++tap.under_way[own_pair()]);
	}
	channel_send(c, data, bytes);
}

/* To what is behind the first word, where the other length, the number and the marks are. */
static void do_damage(char *data, size_t bytes, const char *before)
{
	switch (tap.damage) {
	case DAMAGE_OTHER_LENGTH:
		data[3] ^= 1;
		break;
	case DAMAGE_NUMBER:
		data[4] ^= 1;
		break;
	case DAMAGE_MIDDLE: /* the mark behind the first stride */
		data[STRIDE + sizeof(struct header) - WORD] ^= 1;
		break;
	case DAMAGE_LAST_BYTE:
		data[bytes - 1] ^= 0x40;
		break;
	case DAMAGE_REPEAT:
		memcpy(data, before, bytes);
		break;
	case DAMAGE_COUNT: /* as though the server had answered twice */
		((struct pair *)current()->argument)->served++;
		break;
	default:
		break;
	}
}

static void note_read(char *data, size_t bytes)
{
	unsigned kind = is_client() ? REPLY : REQUEST;
	u64 message = tap.reads[kind]++ / 2 + 1;
	bool suffers = tap.of_reply == (kind == REPLY) && message == tap.damage_at;

	if (bytes == WORD) {
		data[3] ^= suffers && tap.damage == DAMAGE_LENGTH;
		return;
	}
	tap.under_way[own_pair()]--;
	if (suffers)
		do_damage(data, bytes, tap.before[kind]);
	memcpy(tap.before[kind], data, bytes);
}

static void tap_receive(struct channel *c, void *data, size_t bytes)
{
	if (tap.apart && bytes == WORD)
		stay_on(is_client() ? 0 : 1);
	channel_receive(c, data, bytes);
	if (bytes == WORD || is_message(bytes))
		note_read(data, bytes);
}

/* Counts anew. */
static void run_tapped(const char *arguments)
{
	memset(&tap, 0, offsetof(__typeof__(tap), damage));
	run_workload(&tapped_tbench, arguments);
}

static void expect_tapped(const char *arguments)
{
	run_tapped(arguments);
	if (strcmp(result.status, "ok"))
		fail_msg("%s: %s", arguments, result.status);
}

/* ---- the protocol ---- */

/* 4.2 and 7.9: never more than one message under way in a pair; two reads for each; servers answer what clients ask, and what
 * counts as throughput is what ReadX and WriteX carry. All clients have connected before the first asks. */
static void expect_work(unsigned pairs, unsigned ops, const char *more)
{
	char arguments[128];
	u64 all = (u64)pairs * ops;

	snprintf(arguments, sizeof(arguments), "-n %u %s %u", ops, more, pairs);
	expect_tapped(arguments);
	assert_int_equal(tap.most_under_way, 1);
	assert_true(tap.connections == pairs && tap.connected_before_first == pairs);
	assert_true(tap.sent[REQUEST] == all && tap.sent[REPLY] == all);
	assert_true(tap.reads[REPLY] == 2 * all);
	assert_true(tap.reads[REQUEST] == 2 * all + pairs); /* and each server reads the end */
	assert_true(metric("ops") == all && metric("server_ops") == all);
	assert_true(metric("bytes") == tap.payload);
	assert_int_equal(result.nr_counts, pairs);
	for (unsigned i = 0; i < pairs; i++)
		assert_true(result.count[i] == ops && tap.by_pair[i] == ops);
}

static void run_everywhere(unsigned nodes, unsigned llcs, unsigned cores, unsigned threads)
{
	start_machine(nodes, llcs, cores, threads);
	for (unsigned i = 0; i < 4; i++) {
		knob.preempt = i & 1 ? PREEMPT_FULL : PREEMPT_NONE;
		knob.WAKEUP_SYNC = i & 2;
		test_apply_knobs();
		expect_work(1, 500, "");
		expect_work(7, 100, i & 2 ? "--op-ns 20000" : "");
	}
}

static void test_1_cpu(void **state)
{
	(void)state;
	run_everywhere(1, 1, 1, 1);
}

static void test_2_cpus(void **state)
{
	(void)state;
	run_everywhere(1, 1, 2, 1);
}

static void test_8_cpus(void **state)
{
	(void)state;
	run_everywhere(2, 2, 2, 1);
}

static void test_64_cpus(void **state)
{
	(void)state;
	run_everywhere(4, 1, 8, 2);
}

/* All of a run's requests depend on its seed and on nothing else; no two clients ask for the same. */
static void test_seeds(void **state)
{
	u64 sizes, bytes;

	(void)state;
	start_machine(1, 1, 1, 1);
	run_prepare(0, 7);
	expect_work(1, 200, "");
	sizes = tap.sizes;
	expect_work(1, 200, "--op-ns 1000");
	assert_true(tap.sizes == sizes);
	bytes = tap.payload;
	expect_work(2, 200, "");
	assert_true(tap.payload != 2 * bytes);
	run_prepare(0, 8);
	expect_work(1, 200, "");
	assert_true(tap.sizes != sizes);
}

/* ---- switches ---- */

static void expect_near(const char *what, double value, double expected, double tolerance)
{
	if (value < expected * (1 - tolerance) || value > expected * (1 + tolerance))
		fail_msg("%s: %f, expected %f within %f", what, value, expected, tolerance);
}

static double switches_per_op(unsigned ops)
{
	return (double)(result.after.switches - result.before.switches) / ops;
}

/* 4.2: "context switches per op ~ 2 when both share a CPU"; some more at both ends of the run. */
static void test_switches_on_one_cpu(void **state)
{
	(void)state;
	start_machine(1, 1, 1, 1);
	expect_work(1, 1000, "");
	expect_near("switches", switches_per_op(1000), 2, 0.01);
}

/* "up to 4 (2 per CPU incl. idle) when apart": each sleeps, and leaves its CPU to the idle task, while the other works. */
static void test_switches_apart(void **state)
{
	(void)state;
	start_machine(1, 1, 2, 1);
	tap.apart = true;
	expect_work(1, 1000, "");
	expect_near("switches", switches_per_op(1000), 4, 0.01);
}

/* ---- time and text ---- */

/* 100 requests of 1 ms: 0.1 s. Decimal megabytes, in the manner of %g. */
static void test_throughput(void **state)
{
	char line[128];

	(void)state;
	start_machine(1, 1, 1, 1);
	expect_tapped("-n 100 --op-ns 1000000");
	assert_true(result.elapsed_ns == 100 * NSEC_PER_MSEC);
	assert_true(metric("throughput_kb_per_sec") == tap.payload * 10 / 1000);
	assert_int_equal(metric("ops_per_sec"), 1000);
	assert_true(metric("max_latency_ns") == NSEC_PER_MSEC);
	snprintf(line, sizeof(line), "Throughput %g MB/sec  %d clients  %d procs  max_latency=%.03f ms\n",
		1e-6 * (double)tap.payload / 0.1, 1, 1, 1.0);
	assert_non_null(strstr(test_console(), line));
}

/* Three clients that share a CPU: each waits for the other two's requests, and the last line has their number. */
static void test_clients_in_text(void **state)
{
	(void)state;
	start_machine(1, 1, 1, 1);
	expect_tapped("-n 100 --op-ns 1000000 3");
	assert_true(result.elapsed_ns == 300 * NSEC_PER_MSEC);
	assert_int_equal(metric("ops_per_sec"), 1000);
	assert_non_null(strstr(test_console(), " MB/sec  3 clients  3 procs  max_latency="));
}

/* Per operation, in the table's order: how many, their mean and longest time in ms. */
static void test_op_lines(void **state)
{
	const char *line;
	unsigned sum = 0, lines = 0, op = 0;

	(void)state;
	start_machine(1, 1, 1, 1);
	expect_tapped("-n 2000 --op-ns 1234500");
	line = strstr(test_console(), "---\n");
	assert_non_null(line);
	for (line += 4; *line != '\n'; line = strchr(line, '\n') + 1) {
		char name[16], average[16], most[16];
		unsigned count;

		assert_int_equal(sscanf(line, " %15s %u %15s %15s", name, &count, average, most), 4);
		while (op < NR_OPS && strcmp(name, op_table[op].name))
			op++;
		assert_true(op < NR_OPS);
		assert_string_equal(average, "1.235");
		assert_string_equal(most, "1.235");
		sum += count;
		lines++;
	}
	assert_int_equal(sum, 2000);
	assert_in_range(lines, NR_OPS - 2, NR_OPS);
}

/* As printf has it, up to where that changes to exponents; but for exact halves, which it rounds to even. */
static void test_six_digits(void **state)
{
	static const u64 numerators[] = { 0, 1, 9, 10, 123, 4000, 99999, 123456, 999999, 1000000, 1234567, 99999949, 99999951,
		123456789 };
	static const u64 denominators[] = { 1, 2, 3, 7, 64, 1000, 4099, 9999 };

	(void)state;
	for (unsigned i = 0; i < ARRAY_SIZE(numerators); i++)
		for (unsigned k = 0; k < ARRAY_SIZE(denominators); k++) {
			double value = (double)numerators[i] / (double)denominators[k];
			char expected[32];

			snprintf(expected, sizeof(expected), "%g", value);
			if (!strchr(expected, 'e'))
				assert_string_equal(six_digits(numerators[i], denominators[k]).text, expected);
		}
}

/* A rate whose intermediate product needs more than 64 bits: 2^42 bytes in 2^40 ns are 4 bytes per ns. */
static void test_large_rates(void **state)
{
	(void)state;
	assert_true(per_second(1ull << 42, 1ull << 40) == 4 * NSEC_PER_SEC);
	assert_true(per_second(3, 2 * NSEC_PER_SEC) == 1);
}

/* 4.2: the warm-up is timelimit / 5 whole seconds and does not count. Requests of 1 ms: 1000 a second, the servers' counted alike.
 */
static void expect_timed(const char *arguments, u64 seconds, u64 warm_up_seconds)
{
	expect_tapped(arguments);
	assert_true(metric("ops") == 1000 * seconds && metric("server_ops") == 1000 * seconds);
	assert_true(tap.sent[REQUEST] == 1000 * (seconds + warm_up_seconds));
	assert_true(metric("bytes") < tap.payload || !warm_up_seconds);
	assert_true(result.elapsed_ns == seconds * NSEC_PER_SEC);
	assert_int_equal(metric("ops_per_sec"), 1000);
	assert_true(metric("throughput_kb_per_sec") == metric("bytes") / seconds / 1000);
	assert_true(result.count[0] == 1000 * seconds);
}

static void test_time_limit(void **state)
{
	(void)state;
	start_machine(1, 1, 1, 1);
	expect_timed("-t 4 --op-ns 1000000", 4, 0);
	expect_timed("-t 5 --op-ns 1000000", 5, 1);
	expect_timed("-t 11 --op-ns 1000000", 11, 2);
	expect_timed("--op-ns 1000000", 5, 1);
}

/* Requests of 7 ms end neither with the warm-up nor with the time: only those that lie within count, (5000 - 7) / 7 = 713 whole
 * ones at least and 5000 / 7 = 714 at most, and servers' are counted like clients'. */
static void test_time_limit_between_requests(void **state)
{
	(void)state;
	start_machine(1, 1, 1, 1);
	expect_tapped("-t 5 --op-ns 7000000");
	assert_in_range(metric("ops"), 713, 714);
	assert_true(metric("server_ops") == metric("ops") && tap.sent[REPLY] > metric("ops"));
}

/* ---- what tbench notices ---- */

static void expect_noticed(enum damage damage, bool of_reply, u64 at)
{
	tap.damage = damage;
	tap.of_reply = of_reply;
	tap.damage_at = at;
	run_tapped("-n 200");
	if (strcmp(result.status, "messages were lost, repeated or damaged"))
		fail_msg("damage %d to %s %u: \"%s\"", damage, of_reply ? "reply" : "request", (unsigned)at, result.status);
	tap.damage = DAMAGE_NONE;
	expect_tapped("-n 200");
}

/* One bit of one of 200 messages, or one message that comes in place of another, each way. */
static void test_damage_is_noticed(void **state)
{
	static const enum damage kinds[] = { DAMAGE_LENGTH, DAMAGE_OTHER_LENGTH, DAMAGE_NUMBER, DAMAGE_LAST_BYTE, DAMAGE_REPEAT };

	(void)state;
	start_machine(1, 1, 1, 1);
	for (unsigned i = 0; i < ARRAY_SIZE(kinds); i++)
		for (unsigned reply = 0; reply < 2; reply++) {
			expect_noticed(kinds[i], reply, 2);
			expect_noticed(kinds[i], reply, 117);
			expect_noticed(kinds[i], reply, 200);
		}
}

/* 4.2: server ops are client ops. */
static void test_wrong_count_is_noticed(void **state)
{
	(void)state;
	start_machine(1, 1, 1, 1);
	expect_noticed(DAMAGE_COUNT, false, 50);
}

/* In a message that has a second stride: which one that is, the seed decides. */
static void test_damage_in_the_middle_is_noticed(void **state)
{
	u64 random, at[2] = { 0, 0 };

	(void)state;
	start_machine(1, 1, 1, 1);
	run_prepare(0, 3);
	random = run_seed(0);
	for (u64 i = 1; i <= 200; i++) {
		const struct size *s = draw_size(&op_table[draw_op(&random)], &random);

		at[REQUEST] = s->request >= 4155 ? i : at[REQUEST];
		at[REPLY] = s->reply >= 2379 ? i : at[REPLY];
	}
	assert_true(at[REQUEST] && at[REPLY]);
	expect_noticed(DAMAGE_MIDDLE, false, at[REQUEST]);
	expect_noticed(DAMAGE_MIDDLE, true, at[REPLY]);
}

/* As many pairs as there is memory for, and one more, for whose channels there is enough but not for its tasks: said so, nobody
 * left waiting, nothing asked, and the next run is fine. */
static void test_out_of_memory(void **state)
{
	unsigned enough = 1, too_many = 1024;
	char arguments[32];

	(void)state;
	start_machine(1, 1, 2, 1);
	while (enough + 1 < too_many) {
		unsigned pairs = (enough + too_many) / 2;

		snprintf(arguments, sizeof(arguments), "-n 1 %u", pairs);
		run_workload(&tbench, arguments);
		*(strcmp(result.status, "ok") ? &too_many : &enough) = pairs;
	}
	snprintf(arguments, sizeof(arguments), "-n 1 %u", too_many);
	run_tapped(arguments);
	assert_string_equal(result.status, "not enough memory for so many tasks and connections");
	assert_true(tap.connections > 0 && tap.sent[REQUEST] == 0);
	assert_true(result.elapsed_ns == 0 && result.nr_metrics == 0);
	run_tapped("-n 1 1024");
	assert_string_equal(result.status, "not enough memory for so many tasks and connections");
	expect_work(MANY, 2, "");
}

static void test_refusals(void **state)
{
	(void)state;
	expect_refused(&tbench, "-t 5 -n 3", "either a time limit or a number of requests");
	expect_refused(&tbench, "-t 0", "timelimit takes a number from 1 to 86400");
	expect_refused(&tbench, "-n 0", "ops takes a number from 1 to");
	expect_refused(&tbench, "0", "nprocs takes a number from 1 to 1024");
	expect_refused(&tbench, "1025", "nprocs takes a number from 1 to 1024");
	expect_refused(&tbench, "1 2", "unexpected argument");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		machine_test(test_1_cpu),
		machine_test(test_2_cpus),
		machine_test(test_8_cpus),
		machine_test(test_64_cpus),
		machine_test(test_seeds),
		machine_test(test_switches_on_one_cpu),
		machine_test(test_switches_apart),
		machine_test(test_throughput),
		machine_test(test_clients_in_text),
		machine_test(test_op_lines),
		machine_test(test_six_digits),
		machine_test(test_large_rates),
		machine_test(test_time_limit),
		machine_test(test_time_limit_between_requests),
		machine_test(test_damage_is_noticed),
		machine_test(test_wrong_count_is_noticed),
		machine_test(test_damage_in_the_middle_is_noticed),
		machine_test(test_out_of_memory),
		machine_test(test_refusals),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
