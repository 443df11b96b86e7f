/* SPDX-License-Identifier: GPL-2.0-or-later
 * The chat benchmark from its arguments to its figures, on machines where nothing takes time.
 *
 * Expected numbers are the formulas of workloads.md 4.3 and check 7.8: each of U users sends C messages, which the server writes to
 * the U - 1 others; with 20 users and 100 messages these are 38,000 deliveries in a room. */
#include "tests/unit/running.h"

#include "workloads/talk.h"

/* ---- chat with taps: on the server's writes, on what arrives, on the semaphores ---- */

static void tap_send(struct channel *c, const void *data, size_t bytes);
static void tap_receive(struct channel *c, void *data, size_t bytes);
static void tap_operate(struct semaphore *s, s64 change);
extern const struct workload tapped_chat;

#define chat		tapped_chat
#define channel_send	tap_send
#define channel_receive tap_receive
#define semaphore_op	tap_operate
#include "workloads/chat.c"
#undef chat
#undef channel_send
#undef channel_receive
#undef semaphore_op

enum damage { DAMAGE_NONE, DAMAGE_STAMP, DAMAGE_TEXT, DAMAGE_REPEAT };

enum { MOST_ROOMS = 10, MOST_USERS = 20 };

static struct {
	u64 deliveries[MOST_ROOMS]; /* written by the server */
	u64 echoes;		    /* of these, to whoever had sent it */
	u64 posts;		    /* of mail, from a thread of the server to another */
	u64 starts, started_by;	    /* operations that open the start, and what they add */
	u64 passed, finished, waits_for_zero;
	u64 received; /* by clients */
	enum damage damage;
	u64 damage_at;			  /* the message received that suffers it, from 1 */
	struct packet before[MOST_USERS]; /* the message that each user received before */
} tap;

static bool is_thread(const char *name)
{
	return !strcmp(current()->name, name);
}

static void tap_send(struct channel *c, const void *data, size_t bytes)
{
	const struct packet *p = data;

	assert_true(is_thread("server-sender"));
	assert_int_equal(bytes, 100);
	tap.deliveries[p->stamp.room]++;
	tap.echoes += c == talk_in_room(((struct user *)current()->argument)->talker.talk, p->stamp.room, p->stamp.user)->to_client;
	channel_send(c, data, bytes);
}

static void do_damage(struct packet *p, const struct packet *before)
{
	if (tap.damage == DAMAGE_STAMP)
		p->stamp.number ^= 1;
	if (tap.damage == DAMAGE_TEXT)
		p->text[sizeof(p->text) - 1] ^= 1;
	if (tap.damage == DAMAGE_REPEAT)
		*p = *before;
}

static void tap_receive(struct channel *c, void *data, size_t bytes)
{
	struct packet *before = &tap.before[((struct user *)current()->argument)->talker.number];

	channel_receive(c, data, bytes);
	if (!is_thread("client-receiver"))
		return;
	if (++tap.received == tap.damage_at)
		do_damage(data, before);
	memcpy(before, data, sizeof(*before));
}

static void tap_operate(struct semaphore *s, s64 change)
{
	bool is_client = is_thread("client-sender") || is_thread("client-receiver");
	const struct bench *b = is_client ? ((struct user *)current()->argument)->bench : NULL;

	tap.posts += is_thread("server-receiver");
	tap.passed += is_client && s == &b->start && change == -1;
	tap.finished += is_client && s == &b->running && change == -1;
	tap.waits_for_zero += is_thread("main") && !change;
	tap.starts += is_thread("main") && change > 0;
	tap.started_by += is_thread("main") && change > 0 ? (u64)change : 0;
	semaphore_op(s, change);
}

/* Counts anew. */
static void run_tapped(const char *arguments)
{
	memset(&tap, 0, offsetof(__typeof__(tap), damage));
	run_workload(&tapped_chat, arguments);
}

/* ---- what a run does ---- */

struct shape {
	u64 rooms, users, count;
};

/* 4.3: two threads of each client pass the start, which the parent opens with one operation, and count down at their end, which the
 * parent waits for once. A message is one post of mail, and so is a connection's end. */
static void expect_semaphores(struct shape s)
{
	u64 clients = 2 * s.rooms * s.users;

	assert_true(tap.starts == 1 && tap.started_by == clients);
	assert_true(tap.passed == clients && tap.finished == clients);
	assert_true(tap.waits_for_zero == 1);
	assert_true(tap.posts == s.rooms * s.users * (s.count + 1));
}

static void expect_chat(struct shape s)
{
	u64 sent = s.rooms * s.users * s.count;
	char arguments[128];

	snprintf(arguments, sizeof(arguments), "-r %u -u %u -c %u", (unsigned)s.rooms, (unsigned)s.users, (unsigned)s.count);
	run_tapped(arguments);
	if (strcmp(result.status, "ok"))
		fail_msg("%s: %s", arguments, result.status);
	assert_true(metric("threads") == 4 * s.rooms * s.users);
	assert_true(metric("sent") == sent);
	assert_true(metric("received") == sent * (s.users - 1) && tap.received == sent * (s.users - 1));
	assert_true(metric("messages") == sent * s.users);
	for (u64 room = 0; room < s.rooms; room++)
		assert_true(tap.deliveries[room] == s.users * s.count * (s.users - 1));
	assert_int_equal(tap.echoes, 0);
	expect_semaphores(s);
}

/* 7.8, and the defaults: 10 rooms, and 20 * 100 * 19 = 38,000 in each. */
static void test_classic(void **state)
{
	(void)state;
	start_machine(1, 1, 4, 1);
	expect_chat((struct shape){ 10, 20, 100 });
	for (unsigned room = 0; room < 10; room++)
		assert_true(tap.deliveries[room] == 38000);
	assert_true(options_parse(&chat, 0, NULL, running_options, (char[WORKLOAD_ERROR_BYTES]){ 0 }) == 0);
	assert_memory_equal(running_options, &((struct options){ 10, 20, 100 }), sizeof(struct options));
}

/* The lines of 4.3, the last as printf's "%10.2f" has it: 400,000 messages in 3.9 s are 102,564.1026 in a second. */
static void test_text(void **state)
{
	const struct talk_result outcome = { 20000, 380000, 400000, 102564 };

	(void)state;
	start_machine(1, 1, 1, 1);
	test_console_clear();
	say_result(&outcome, 3900000000);
	assert_string_equal(test_console(), "Messages sent      :      20000\n"
					    "Messages received  :     380000\n"
					    "Total messages     :     400000\n"
					    "Elapsed time       :       3.90 seconds\n"
					    "Average throughput :  102564.10 messages per second\n");
}

static void run_everywhere(unsigned nodes, unsigned llcs, unsigned cores, unsigned threads)
{
	start_machine(nodes, llcs, cores, threads);
	for (unsigned i = 0; i < 2; i++) {
		knob.preempt = i & 1 ? PREEMPT_FULL : PREEMPT_NONE;
		test_apply_knobs();
		expect_chat((struct shape){ 1, 2, 1 });
		expect_chat((struct shape){ 3, 7, 20 });
		expect_chat((struct shape){ 2, 20, 30 });
		expect_chat((struct shape){ 1, 3, 2000 }); /* a connection holds 655 */
	}
}

static void test_1_cpu(void **state)
{
	(void)state;
	run_everywhere(1, 1, 1, 1);
}

static void test_8_cpus_in_4_caches(void **state)
{
	(void)state;
	run_everywhere(2, 2, 2, 1);
}

static void test_64_cpus(void **state)
{
	(void)state;
	run_everywhere(4, 1, 8, 2);
}

/* ---- what it notices, and what it refuses ---- */

static void expect_noticed(enum damage damage, u64 at)
{
	tap.damage = damage;
	tap.damage_at = at;
	run_tapped("-r 1 -u 5 -c 20");
	if (strcmp(result.status, "messages were lost, repeated or damaged"))
		fail_msg("damage %d at %u: \"%s\"", damage, (unsigned)at, result.status);
	tap.damage = DAMAGE_NONE;
	run_tapped("-r 1 -u 5 -c 20");
	assert_string_equal(result.status, "ok");
}

/* One of 400 messages received, at the beginning, the middle and the end. */
static void test_damage_is_noticed(void **state)
{
	(void)state;
	start_machine(1, 1, 2, 1);
	for (enum damage damage = DAMAGE_STAMP; damage <= DAMAGE_REPEAT; damage++) {
		expect_noticed(damage, 1);
		expect_noticed(damage, 200);
		expect_noticed(damage, 400);
	}
}

/* As in test_vmark.c: out at every place where somebody asks for memory, nobody left waiting. */
static void test_out_of_memory(void **state)
{
	enum { LEFT = 2700 << 10, STEP = 1472, STEPS = 300 };
	unsigned failed = 0;

	(void)state;
	start_machine(1, 1, 2, 1);
	run_workload(&chat, "-r 1 -u 2 -c 1");
	assert_non_null(mem_alloc_forever(mem_free_bytes() - LEFT));
	for (unsigned i = 0; i < STEPS; i++) {
		run_workload(&chat, "-r 1 -u 18 -c 1");
		if (strcmp(result.status, "ok")) {
			assert_string_equal(result.status, "not enough memory for so many users");
			assert_true(result.elapsed_ns == 0 && result.nr_metrics == 0);
			failed++;
		}
		assert_non_null(mem_alloc_forever(STEP));
	}
	assert_in_range(failed, 100, STEPS - 1);
	expect_ok(&chat, "-r 1 -u 2 -c 3");
}

static void test_refusals(void **state)
{
	(void)state;
	start_machine(1, 1, 1, 1);
	expect_refused(&chat, "-u 1", "2");
	expect_refused(&chat, "-r 0", "1");
	expect_refused(&chat, "-r 1000 -u 1000 -c 1000000", "more than 10000000000 messages in all");
	expect_refused(&chat, "-r 1000 -u 1000 -c 11", "more than 10000000000 messages in all");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		machine_test(test_classic),
		machine_test(test_text),
		machine_test(test_1_cpu),
		machine_test(test_8_cpus_in_4_caches),
		machine_test(test_64_cpus),
		machine_test(test_damage_is_noticed),
		machine_test(test_out_of_memory),
		machine_test(test_refusals),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
