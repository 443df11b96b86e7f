/* SPDX-License-Identifier: GPL-2.0-or-later
 * context_switch1 of will-it-scale (workloads.md 4.9): 2 N tasks, bound as they should be, and rates that follow from what a
 * message takes. A send takes 1 us of work here and nothing else takes any time, so a CPU makes a million iterations in a second:
 * two, and two sends, in a round trip. */
#include "tests/unit/running.h"

#include "ipc/transport.h"

/* ---- the workload with a tap on its pipes ---- */

static void tap_send(struct channel *c, const void *data, size_t bytes);
static void tap_receive(struct channel *c, void *data, size_t bytes);
extern const struct workload tapped;

#define context_switch1 tapped
#define channel_send	tap_send
#define channel_receive tap_receive
#include "workloads/context_switch1.c"
#undef context_switch1
#undef channel_send
#undef channel_receive

enum { MOST_PAIRS = 20 };

static struct {
	u64 send_ns;
	bool asleep; /* is how it spends that, so that other CPUs have their turn */
	u64 sent, before_gate;
	struct {
		u32 id[2]; /* who asks, who answers */
		struct cpumask allowed[2];
	} pair[MOST_PAIRS];
	u64 strangers; /* sends of more than two tasks in a pair */
	u64 damage_at; /* the message received that suffers it, from 1 */
	u64 over_at;   /* the message sent at which the accompanied run ends */
	u64 received;
} tap;

static const bool yes = true;

static void note_sender(const struct pair *p)
{
	bool answers = !strcmp(current()->name, "answer");
	u32 *id = &tap.pair[p->number].id[answers];

	assert_true(p->number < MOST_PAIRS);
	tap.strangers += *id && *id != current()->id;
	*id = current()->id;
	tap.pair[p->number].allowed[answers] = current()->allowed;
	tap.before_gate += !p->bench->start->ops->has_data(p->bench->start);
}

/* Before the gate opens all get a chance to begin too early. */
static void tap_send(struct channel *c, const void *data, size_t bytes)
{
	if (!strcmp(current()->name, "main")) {
		task_sleep_ns(NSEC_PER_MSEC);
	} else {
		note_sender(current()->argument);
		if (tap.asleep)
			task_sleep_ns(tap.send_ns);
		else
			machine_work_ns(tap.send_ns);
		if (++tap.sent == tap.over_at)
			result.over = &yes;
	}
	channel_send(c, data, bytes);
}

static void tap_receive(struct channel *c, void *data, size_t bytes)
{
	channel_receive(c, data, bytes);
	if (++tap.received == tap.damage_at)
		*(char *)data ^= 0x40;
}

static void run_tapped(const char *arguments)
{
	tap.send_ns = NSEC_PER_USEC;
	tap.asleep = machine_nr_cpus() > 1;
	run_workload(&tapped, arguments);
}

static void expect_switching(const char *arguments)
{
	memset(&tap, 0, sizeof(tap));
	run_tapped(arguments);
	if (strcmp(result.status, "ok"))
		fail_msg("%s: %s", arguments, result.status);
	assert_true(tap.strangers == 0 && tap.before_gate == 0);
}

/* ---- what it prints ---- */

struct line {
	unsigned long long least, most, total;
};

/* "warmup", six lines, "measurement", so many lines, "average": takes them apart. Each line's sum agrees with its ends. */
static unsigned long long read_lines(struct line *line, unsigned samples, unsigned pairs)
{
	const char *at = test_console();
	unsigned long long average = 0;

	assert_memory_equal(at, "warmup\n", 7);
	at += 7;
	for (unsigned i = 0; i < WARMUP_SAMPLES + samples; i++, line++) {
		int n = 0;

		if (i == WARMUP_SAMPLES) {
			assert_memory_equal(at, "measurement\n", 12);
			at += 12;
		}
		assert_int_equal(sscanf(at, "min:%llu max:%llu total:%llu%n", &line->least, &line->most, &line->total, &n), 3);
		assert_int_equal(at[n], '\n');
		assert_in_range(line->total, pairs * line->least, pairs * line->most);
		at += n + 1;
	}
	assert_int_equal(sscanf(at, "average:%llu", &average), 1);
	assert_string_equal(strchr(at, '\n'), "\n");
	return average;
}

/* A million a second, to the one round trip that a sample may begin or end within: 2 of 10,000. The counts are the pairs' own, are
 * even and add up to what is said. */
static void test_switch_rates(void **state)
{
	enum { SAMPLES = 3 };
	struct line line[WARMUP_SAMPLES + SAMPLES];
	unsigned long long average;

	(void)state;
	start_machine(1, 1, 1, 1);
	expect_switching("-s 3 --sample-ms 10");
	average = read_lines(line, SAMPLES, 1);
	for (unsigned i = 0; i < ARRAY_SIZE(line); i++) {
		assert_true(line[i].least == line[i].most && line[i].most == line[i].total);
		assert_in_range(line[i].total, 1000000 - 200, 1000000 + 200);
	}
	assert_in_range(average, 1000000 - 200, 1000000 + 200);
	assert_int_equal(result.nr_counts, 1);
	assert_true(result.count[0] % 2 == 0);
	assert_in_range(result.count[0], 30000 - 2, 30000 + 2);
	assert_true(metric("iterations") == result.count[0]);
	assert_true(metric("iterations_per_s") == average);
	assert_in_range(result.elapsed_ns, 30 * NSEC_PER_MSEC - NSEC_PER_USEC, 30 * NSEC_PER_MSEC + NSEC_PER_USEC);
}

/* Both on one CPU: an iteration is a switch, and for each sample there is one to who samples and one back. */
static void test_switches_are_iterations(void **state)
{
	u64 switches;

	(void)state;
	start_machine(1, 1, 1, 1);
	expect_switching("-s 3 --sample-ms 10");
	switches = result.after.switches - result.before.switches;
	assert_in_range(switches, metric("iterations") - 2, metric("iterations") + 2 + 2 * 3);
}

/* Samples are seconds unless told otherwise, and five. */
static void test_switch_defaults(void **state)
{
	struct line line[WARMUP_SAMPLES + 5];

	(void)state;
	start_machine(1, 1, 1, 1);
	memset(&tap, 0, sizeof(tap));
	tap.send_ns = 200 * NSEC_PER_USEC;
	run_workload(&tapped, "");
	assert_string_equal(result.status, "ok");
	assert_in_range(read_lines(line, 5, 1), 5000 - 2, 5000 + 2);
	assert_in_range(result.elapsed_ns, 5 * NSEC_PER_SEC - NSEC_PER_MSEC, 5 * NSEC_PER_SEC + NSEC_PER_MSEC);
}

/* Four pairs on one CPU share the million. */
static void test_switch_four_pairs(void **state)
{
	struct line line[WARMUP_SAMPLES + 2];
	u64 sum = 0;

	(void)state;
	start_machine(1, 1, 1, 1);
	expect_switching("-t 4 -s 2 --sample-ms 20");
	read_lines(line, 2, 4);
	for (unsigned i = WARMUP_SAMPLES; i < ARRAY_SIZE(line); i++)
		assert_in_range(line[i].total, 1000000 - 4 * 100, 1000000 + 4 * 100);
	assert_int_equal(result.nr_counts, 4);
	for (unsigned i = 0; i < 4; i++) {
		assert_true(result.count[i] % 2 == 0);
		sum += result.count[i];
	}
	assert_true(metric("iterations") == sum);
}

/* ---- who runs where ---- */

/* -t N: 2 N tasks, those of a pair two different ones. */
static void test_switch_tasks(void **state)
{
	static const char *const how[] = { "-t 3 -s 1 --sample-ms 5", "-t 3 -s 1 --sample-ms 5 -T" };

	(void)state;
	start_machine(1, 1, 1, 1);
	for (unsigned k = 0; k < ARRAY_SIZE(how); k++) {
		expect_switching(how[k]);
		for (unsigned i = 0; i < MOST_PAIRS; i++) {
			assert_int_equal(tap.pair[i].id[0] != 0, i < 3);
			assert_int_equal(tap.pair[i].id[1] != 0, i < 3);
			assert_true(i >= 3 || tap.pair[i].id[0] != tap.pair[i].id[1]);
		}
	}
}

static bool is_thread_of(unsigned cpu, unsigned core)
{
	return machine_topology()->cpu[cpu].core == core;
}

/* Of both tasks of each pair. */
static void expect_places(unsigned pairs, bool (*belongs)(unsigned pair, unsigned cpu))
{
	for (unsigned i = 0; i < pairs; i++)
		for (unsigned k = 0; k < 2; k++)
			for (unsigned cpu = 0; cpu < machine_nr_cpus(); cpu++)
				if (mask_has(&tap.pair[i].allowed[k], cpu) != belongs(i, cpu))
					fail_msg("pair %u, task %u, CPU %u", i, k, cpu);
}

/* Four cores of two threads each. */
static bool on_own_core(unsigned pair, unsigned cpu)
{
	return is_thread_of(cpu, pair % 4);
}

static bool on_own_thread(unsigned pair, unsigned cpu)
{
	return is_thread_of(cpu, pair % 8 / 2) && machine_topology()->cpu[cpu].thread == pair % 2;
}

static bool anywhere(unsigned pair, unsigned cpu)
{
	(void)pair, (void)cpu;
	return true;
}

/* Six pairs on four cores and ten on eight threads begin anew where there is no further place. */
static void test_switch_places(void **state)
{
	(void)state;
	start_machine(2, 1, 2, 2);
	expect_switching("-t 6 -s 1 --sample-ms 5");
	expect_places(6, on_own_core);
	expect_switching("-t 10 -s 1 --sample-ms 5 -m");
	expect_places(10, on_own_thread);
	expect_switching("-t 6 -s 1 --sample-ms 5 -n");
	expect_places(6, anywhere);
}

/* Counters of different pairs are 256 bytes apart. */
static void test_switch_counters(void **state)
{
	static struct counter counter[2];

	(void)state;
	assert_int_equal((char *)&counter[1] - (char *)&counter[0], 256);
}

/* ---- what goes wrong ---- */

static void test_switch_damage_is_noticed(void **state)
{
	(void)state;
	start_machine(1, 1, 1, 1);
	memset(&tap, 0, sizeof(tap));
	tap.damage_at = 1001;
	run_tapped("-s 1 --sample-ms 1");
	assert_string_equal(result.status, "a byte was lost");
}

static void test_switch_out_of_memory(void **state)
{
	(void)state;
	start_machine(1, 1, 1, 1);
	expect_switching("-s 1 --sample-ms 1");
	for (size_t bytes = 1 << 24; bytes >= 1 << 20; bytes /= 2)
		while (mem_alloc(bytes))
			;
	run_tapped("-s 1 --sample-ms 1 -t 20");
	assert_string_equal(result.status, "not enough memory for so many pairs");
	assert_true(result.nr_metrics == 0 && result.nr_counts == 0);
	expect_switching("-s 1 --sample-ms 1");
}

/* Beside another run it ends with the sample in which that one ends. */
static void test_switch_accompanies(void **state)
{
	(void)state;
	start_machine(1, 1, 1, 1);
	memset(&tap, 0, sizeof(tap));
	tap.over_at = 8 * 5000 + 100;
	run_tapped("-s 1000000 --sample-ms 5");
	assert_string_equal(result.status, "ok");
	assert_in_range(tap.sent, 9 * 5000 - 10, 9 * 5000 + 10);
}

static void test_switch_refuses(void **state)
{
	(void)state;
	expect_refused(&tapped, "-t 0", "tasks");
	expect_refused(&tapped, "-t 1025", "tasks");
	expect_refused(&tapped, "-s 0", "samples");
	expect_refused(&tapped, "4", "\"4\"");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		machine_test(test_switch_rates),
		machine_test(test_switches_are_iterations),
		machine_test(test_switch_defaults),
		machine_test(test_switch_four_pairs),
		machine_test(test_switch_tasks),
		machine_test(test_switch_places),
		machine_test(test_switch_counters),
		machine_test(test_switch_damage_is_noticed),
		machine_test(test_switch_out_of_memory),
		machine_test(test_switch_accompanies),
		machine_test(test_switch_refuses),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
