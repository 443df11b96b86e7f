/* SPDX-License-Identifier: GPL-2.0-or-later
 * VolanoMark from its arguments to its figures, on machines where only work takes time.
 *
 * Expected numbers are the formulas and the checks of workloads.md 4.3 and 7.7: R rooms of U users who speak C times are 4 * R * U
 * threads, R * U * C messages sent, U - 1 times as many received; users speak in turn, one at a time; and a message makes 42
 * wakeups at most. A miss means that a run would not do what its name says. */
#include "tests/unit/running.h"

#include "ipc/futex.h"
#include "ipc/sleep.h"
#include "workloads/talk.h"

/* ---- vmark with a tap on its packets: who speaks when, and damage ---- */

static void tap_send(struct channel *c, struct stamp stamp);
static void tap_receive(struct channel *c, void *data, size_t bytes);
static void tap_yield(void);
static unsigned tap_wake(struct futex *f, unsigned most);
extern const struct workload tapped_vmark;

#define vmark		tapped_vmark
#define packet_send	tap_send
#define channel_receive tap_receive
#define yield		tap_yield
#define futex_wake	tap_wake
#include "workloads/vmark.c"
#undef vmark
#undef packet_send
#undef channel_receive
#undef yield
#undef futex_wake

enum damage { DAMAGE_NONE, DAMAGE_STAMP, DAMAGE_TEXT, DAMAGE_REPEAT };

enum { MOST_ROOMS = 10, MOST_USERS = 20 };

static struct {
	u64 by_clients, by_servers, received; /* packets of messages */
	u64 yields_of_receivers, yields_of_senders;
	u64 messages[MOST_ROOMS]; /* by clients */
	u64 by_user[MOST_ROOMS][MOST_USERS];
	u64 out_of_turn; /* messages sent by another than the next in turn */
	u64 at_once;	 /* the most turns that there were in a room and not yet spoken */
	enum damage damage;
	const char *damage_to;		  /* what that thread receives */
	u64 damage_at;			  /* as its packet number so many, from 1 */
	struct packet before[MOST_USERS]; /* the message that each user's thread received before */
} tap;

static bool is_thread(const char *name)
{
	return !strcmp(current()->name, name);
}

/* Turns that a user of the room has taken and that its sender has not written yet. */
static u64 unspoken(const struct bench *b, u32 room)
{
	u64 sum = 0;

	for (u32 i = 0; i < b->o->users; i++)
		sum += talk_in_room(&b->talk, room, i)->sent;
	return sum - tap.messages[room];
}

static void note_spoken(const struct bench *b, struct stamp s)
{
	u64 turns = unspoken(b, s.room);

	tap.at_once = turns > tap.at_once ? turns : tap.at_once;
	tap.out_of_turn += s.user != tap.messages[s.room] % b->o->users;
	tap.messages[s.room]++;
	tap.by_user[s.room][s.user]++;
	tap.by_clients++;
}

static void tap_send(struct channel *c, struct stamp s)
{
	const struct user *u = current()->argument;

	if (s.kind == PACKET_MESSAGE && is_thread("client-sender"))
		note_spoken(u->bench, s);
	if (s.kind == PACKET_MESSAGE && is_thread("server-sender"))
		tap.by_servers++;
	packet_send(c, s);
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
	const struct user *u = current()->argument;
	struct packet *p = data, *before = &tap.before[u->talker.number];

	channel_receive(c, data, bytes);
	assert_int_equal(bytes, 100);
	if (p->stamp.kind != PACKET_MESSAGE || !is_thread(tap.damage_to))
		return;
	if (++tap.received == tap.damage_at)
		do_damage(p, before);
	*before = *p;
}

static void tap_yield(void)
{
	if (is_thread("client-receiver") || is_thread("server-receiver"))
		tap.yields_of_receivers++;
	else
		tap.yields_of_senders++;
	yield();
}

/* Whoever the parent wakes comes to act before the parent goes on. */
static unsigned tap_wake(struct futex *f, unsigned most)
{
	unsigned woken = futex_wake(f, most);

	if (is_thread("main"))
		task_sleep_ns(1);
	return woken;
}

/* Counts anew. */
static void run_tapped(const char *arguments)
{
	memset(&tap, 0, offsetof(__typeof__(tap), damage));
	if (!tap.damage_to)
		tap.damage_to = "client-receiver";
	run_workload(&tapped_vmark, arguments);
}

/* ---- what is always so ---- */

struct shape {
	u64 rooms, users, count;
};

/* The formulas of 4.3; a confirmation comes in addition to what all others receive. */
static void expect_vmark(struct shape s, const char *more)
{
	u64 sent = s.rooms * s.users * s.count;
	char arguments[128];

	snprintf(arguments, sizeof(arguments), "-r %u -u %u -c %u %s", (unsigned)s.rooms, (unsigned)s.users, (unsigned)s.count,
		more);
	run_tapped(arguments);
	if (strcmp(result.status, "ok"))
		fail_msg("%s: %s", arguments, result.status);
	assert_true(metric("threads") == 4 * s.rooms * s.users);
	assert_true(metric("sent") == sent && tap.by_clients == sent);
	assert_true(metric("received") == sent * (s.users - 1));
	assert_true(metric("messages") == sent * s.users);
	assert_true(tap.by_servers == sent * s.users && tap.received == tap.by_servers);
	for (u64 room = 0; room < s.rooms; room++)
		for (u64 user = 0; user < s.users; user++)
			assert_true(tap.by_user[room][user] == s.count);
}

/* CHECKS of 4.3: speakers are 1..U in turn over and over, each `count` times, and there is never more than one turn to be spoken in
 * a room. All wakeups there are: 1 client sender, 1 server receiver, U server senders, U client receivers for a message, and once
 * for each room its start. */
static void expect_turns(struct shape s, const char *more)
{
	u64 sent = s.rooms * s.users * s.count;

	expect_vmark(s, more);
	assert_int_equal(tap.out_of_turn, 0);
	assert_int_equal(tap.at_once, 1);
	assert_true(metric("wakeups_per_1000_sent") <= (2 + 2 * s.users) * 1000 + 1000 * s.rooms / sent);
}

/* ---- what a run does ---- */

/* 7.7: 10 rooms, count 100: 800 threads, 20,000 / 380,000 / 400,000. These are also the defaults. */
static void test_classic(void **state)
{
	(void)state;
	start_machine(1, 1, 4, 1);
	expect_turns((struct shape){ 10, 20, 100 }, "");
	assert_true(metric("threads") == 800);
	assert_true(metric("sent") == 20000);
	assert_true(metric("received") == 380000);
	assert_true(metric("messages") == 400000);
	assert_true(options_parse(&vmark, 0, NULL, running_options, (char[WORKLOAD_ERROR_BYTES]){ 0 }) == 0);
	assert_memory_equal(
		running_options, &((struct options){ 10, 20, 100, MODE_PACED, FANOUT_QUEUE, 1, 3000 }), sizeof(struct options));
}

/* The sample of 4.3; 400,000 messages in 3.9 s are 102,564.1 in a second. */
static void test_text(void **state)
{
	struct talker t = { .sent = 20000, .received = 380000 }, *table = &t;
	struct talk k = { .rooms = 1, .users = 20, .count = 1000, .talker = &table, .nr_connected = 1 };
	struct run r = { .elapsed_ns = 3900000000 };
	struct talk_result outcome;

	(void)state;
	start_machine(1, 1, 1, 1);
	outcome = talk_report(&k, &r);
	assert_string_equal(r.status, "ok");
	test_console_clear();
	say_result(&outcome, r.elapsed_ns);
	assert_string_equal(test_console(), "VolanoMark version = 2.x\n"
					    "Messages sent      = 20000\n"
					    "Messages received  = 380000\n"
					    "Total messages     = 400000\n"
					    "Elapsed time       = 3.9 seconds\n"
					    "Average throughput = 102564 messages per second\n");
}

/* On one CPU all that takes time is the server's work, once for the packet read and for each of 4 written: of 40 messages with 1 ms
 * that is 200 ms, whoever writes, and 160 messages in that time are 800 in a second. */
static void expect_200_ms(const char *more)
{
	expect_vmark((struct shape){ 1, 4, 10 }, more);
	assert_true(result.elapsed_ns == 200 * NSEC_PER_MSEC);
	assert_true(metric("messages_per_s") == 800);
	assert_non_null(strstr(test_console(), "\nElapsed time       = 0.2 seconds\n"
					       "Average throughput = 800 messages per second\n"));
}

static void test_time(void **state)
{
	(void)state;
	start_machine(1, 1, 1, 1);
	expect_200_ms("--server-ns 1000000");
	expect_200_ms("--server-ns 1000000 -f direct");
	expect_200_ms("--server-ns 1000000 -m burst");
}

/* Receivers yield after every packet, in both directions, and the server's also after a user's entry; senders after every list of
 * packets, which is one packet where one speaks at a time. */
static void test_yields(void **state)
{
	(void)state;
	start_machine(1, 1, 2, 1);
	expect_vmark((struct shape){ 2, 5, 30 }, "");
	assert_true(tap.yields_of_receivers == 2 * 5 * 30 * (1 + 5) + 2 * 5);
	assert_true(tap.yields_of_senders > 2 * 5 * 30);
	expect_vmark((struct shape){ 2, 5, 30 }, "--no-yield");
	assert_true(tap.yields_of_receivers + tap.yields_of_senders == 0);
}

static void run_everywhere(unsigned nodes, unsigned llcs, unsigned cores, unsigned threads)
{
	start_machine(nodes, llcs, cores, threads);
	for (unsigned i = 0; i < 4; i++) {
		knob.preempt = i & 1 ? PREEMPT_FULL : PREEMPT_NONE;
		knob.NEXT_BUDDY = i >> 1;
		test_apply_knobs();
		expect_turns((struct shape){ 1, 2, 50 }, "");
		expect_turns((struct shape){ 3, 7, 20 }, "");
		expect_turns((struct shape){ 2, 20, 10 }, "-f direct --no-yield");
		expect_vmark((struct shape){ 2, 6, 30 }, "-m burst");
		expect_vmark((struct shape){ 2, 6, 30 }, "-m burst -f direct --no-yield");
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

/* More than a connection holds, 64 KiB or 655 packets: those who write wait for those who read, and nobody for ever. */
static void test_full_connections(void **state)
{
	(void)state;
	start_machine(1, 1, 2, 1);
	expect_vmark((struct shape){ 1, 4, 1500 }, "-m burst --server-ns 0");
	expect_vmark((struct shape){ 1, 4, 1500 }, "-m burst -f direct --server-ns 0");
}

/* ---- a sender's queue ---- */

static void use_queue(void *unused)
{
	struct queue q;

	(void)unused;
	assert_int_equal(queue_init(&q, 4), 0);
	for (u32 i = 0; i < 3; i++)
		queue_put(&q, (struct stamp){ .number = i });
	assert_int_equal(queue_await(&q), 3);
	assert_int_equal(queue_take(&q).number, 0);
	queue_put(&q, (struct stamp){ .number = 3 });
	queue_put(&q, (struct stamp){ .number = 4 });
	for (u32 i = 1; i < 3; i++)
		assert_int_equal(queue_take(&q).number, i);
	assert_int_equal(queue_await(&q), 2);
	assert_int_equal(queue_take(&q).number, 3);
	assert_int_equal(queue_take(&q).number, 4);
	assert_int_equal(q.filled.word, 0); /* nobody waited, so nobody was notified */
}

/* All there is comes at once, in its order; what comes in the meantime, the next time. */
static void test_whole_list(void **state)
{
	(void)state;
	start_machine(1, 1, 1, 1);
	test_run(use_queue, NULL);
}

static u32 written;

/* The third packet is followed by another list. */
static void write_and_go_on(struct user *u, struct stamp s)
{
	assert_int_equal(s.number, written++);
	if (written == 3) {
		queue_put(&u->to_server, (struct stamp){ .number = 3 });
		queue_put(&u->to_server, (struct stamp){ .kind = PACKET_CLOSE });
	}
}

static void use_sender(void *unused)
{
	struct options o = defaults;
	struct bench b = { .o = &o };
	struct user u = { .bench = &b };

	(void)unused;
	assert_int_equal(queue_init(&u.to_server, 5), 0);
	for (u32 i = 0; i < 3; i++)
		queue_put(&u.to_server, (struct stamp){ .number = i });
	send_all(&u, &u.to_server, write_and_go_on);
}

/* A sender writes packet after packet and yields once, behind the last of the list. */
static void test_yield_after_list(void **state)
{
	(void)state;
	start_machine(1, 1, 1, 1);
	test_run(use_sender, NULL);
	assert_int_equal(written, 4);
	assert_int_equal(tap.yields_of_senders, 1);
}

/* ---- what it notices ---- */

static void expect_noticed(const char *arguments, const char *damage_to, enum damage damage, u64 at)
{
	tap.damage = damage;
	tap.damage_to = damage_to;
	tap.damage_at = at;
	run_tapped(arguments);
	if (strcmp(result.status, "messages were lost, repeated or damaged"))
		fail_msg("%s: damage %d to %s at %u: \"%s\"", arguments, damage, damage_to, (unsigned)at, result.status);
	tap.damage = DAMAGE_NONE;
	run_tapped(arguments);
	assert_string_equal(result.status, "ok");
}

/* In each mode one of 500 packets to the clients and one of 100 to the server, at the beginning, the middle and the end. A ring
 * that thereby loses its turn still ends. */
static void test_damage_is_noticed(void **state)
{
	static const char *const more[] = { "-r 1 -u 5 -c 20", "-r 1 -u 5 -c 20 -f direct", "-r 1 -u 5 -c 20 -m burst",
		"-r 1 -u 5 -c 20 -m burst -f direct" };
	static const enum damage damages[] = { DAMAGE_STAMP, DAMAGE_TEXT, DAMAGE_REPEAT };

	(void)state;
	start_machine(1, 1, 2, 1);
	for (unsigned i = 0; i < ARRAY_SIZE(more); i++)
		for (unsigned k = 0; k < ARRAY_SIZE(damages); k++) {
			expect_noticed(more[i], "client-receiver", damages[k], 2);
			expect_noticed(more[i], "client-receiver", damages[k], 250);
			expect_noticed(more[i], "client-receiver", damages[k], 500);
			expect_noticed(more[i], "server-receiver", damages[k], 2);
			expect_noticed(more[i], "server-receiver", damages[k], 100);
		}
}

/* ---- when memory is out ---- */

/* Less and less memory, in steps much smaller than a user's 130 KiB, so that it is out at every place where somebody asks for it:
 * said so, with nobody left waiting; the next run is fine. */
static void test_out_of_memory(void **state)
{
	enum { LEFT = 2700 << 10, STEP = 1472, STEPS = 300 };
	unsigned failed = 0;

	(void)state;
	start_machine(1, 1, 1, 1);
	run_tapped("-r 1 -u 2 -c 1");
	assert_non_null(mem_alloc_forever(mem_free_bytes() - LEFT));
	for (unsigned i = 0; i < STEPS; i++) {
		run_tapped("-r 1 -u 18 -c 1");
		if (strcmp(result.status, "ok")) {
			assert_string_equal(result.status, "not enough memory for so many users");
			assert_true(result.elapsed_ns == 0 && result.nr_metrics == 0);
			failed++;
		}
		assert_non_null(mem_alloc_forever(STEP));
	}
	assert_in_range(failed, 100, STEPS - 1);
	expect_ok(&vmark, "-r 1 -u 2 -c 3");
}

static void test_refusals(void **state)
{
	(void)state;
	start_machine(1, 1, 1, 1);
	expect_refused(&vmark, "-u 1", "2");
	expect_refused(&vmark, "-r 0", "1");
	expect_refused(&vmark, "-m fast", "paced");
	expect_refused(&vmark, "-r 1000 -u 1000 -c 1000000", "more than 10000000000 messages in all");
	expect_refused(&vmark, "-r 1000 -u 1000 -c 11", "more than 10000000000 messages in all");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		machine_test(test_classic),
		machine_test(test_text),
		machine_test(test_time),
		machine_test(test_yields),
		machine_test(test_1_cpu),
		machine_test(test_8_cpus_in_4_caches),
		machine_test(test_64_cpus),
		machine_test(test_full_connections),
		machine_test(test_whole_list),
		machine_test(test_yield_after_list),
		machine_test(test_damage_is_noticed),
		machine_test(test_out_of_memory),
		machine_test(test_refusals),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
