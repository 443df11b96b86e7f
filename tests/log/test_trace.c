/* SPDX-License-Identifier: GPL-2.0-or-later
 * fairlog's work on decision traces, on a log made by hand: what `why` tells of each state that a task can be in, and the order,
 * the lines and the rows of exports. The story is in the table of events below; every expected word follows from it. */
#define _GNU_SOURCE /* open_memstream */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "tools/fairlog/commands.h"
#include "tools/fairlog/trace.h"

#include "base/record.h"

#include <regex.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- making the log ---- */

static char log_text[65536];
static unsigned next_seq;

static uint32_t crc_of(const char *text)
{
	uint32_t crc = UINT32_MAX;

	for (; *text; text++) {
		crc ^= (unsigned char)*text;
		for (int bit = 0; bit < 8; bit++)
			crc = crc >> 1 ^ (crc & 1 ? 0xedb88320 : 0);
	}
	return ~crc;
}

static __attribute__((format(printf, 1, 2))) void add(const char *format, ...)
{
	size_t used = strlen(log_text);
	va_list args;

	used += (size_t)sprintf(log_text + used, "@%u ", next_seq++);
	va_start(args, format);
	vsnprintf(log_text + used, sizeof log_text - used, format, args);
	va_end(args);
	used = strlen(log_text);
	sprintf(log_text + used, " *%08x\n", crc_of(strrchr(log_text, '@')));
}

/* A record with all its fields as empty as may be, but for those given; kinds as base/record.def names them. */
#define EMPTY_UINT  "0"
#define EMPTY_UINTS "[]"
#define EMPTY_STR   "\"\""
#define EMPTY_STRS  "[]"
#define EMPTY_MAP   "{}"

struct given {
	const char *key, *value;
};

static const char *value_of(const struct given *given, const char *key, const char *otherwise)
{
	for (; given->key; given++)
		if (strcmp(given->key, key) == 0)
			return given->value;
	return otherwise;
}

static void add_filled(enum record_type type, const char *name, const struct given *given)
{
	static char text[16384];
	size_t used = (size_t)sprintf(text, "{\"t\":\"%s\"", name);

#define RECORD(record, meaning)
#define FIELD(record, key, kind, meaning)                                                                                          \
	if (RECORD_##record == type)                                                                                               \
		used += (size_t)sprintf(text + used, ",\"%s\":%s", #key, value_of(given, #key, EMPTY_##kind));
#include "base/record.def"
#undef RECORD
#undef FIELD
	sprintf(text + used, "}");
	add("%s", text);
}

static void add_boot(void)
{
	static const struct given given[] = { { "format", "1" }, { NULL, NULL } };

	log_text[0] = '\0';
	next_seq = 0;
	add_filled(RECORD_boot, "boot", given);
}

static void add_end(const char *runs)
{
	const struct given given[] = { { "status", "\"ok\"" }, { "runs", runs }, { NULL, NULL } };

	add_filled(RECORD_end, "end", given);
}

/* ---- the story: times in us since the run's start, which is 1 ms after boot ---- */

enum { SENDER = 10, RECEIVER = 11, HOG = 12, CHILD = 13, TWIN = 14, IDLE0 = 1, IDLE1 = 2 };

static void add_chunk(unsigned cpu, unsigned first_us, const char *format, ...) __attribute__((format(printf, 3, 4)));
static void add_chunk(unsigned cpu, unsigned first_us, const char *format, ...)
{
	char events[2048];
	va_list args;

	va_start(args, format);
	vsnprintf(events, sizeof events, format, args);
	va_end(args);
	add("{\"t\":\"trace\",\"position\":0,\"cpu\":%u,\"first_ns\":%u,\"events\":[%s]}", cpu, 1000000 + 1000 * first_us, events);
}

static void begin_log(unsigned list, const char *events)
{
	static const struct given given[] = { { "workload", "\"talk -m \\\"a,b\\\"\"" }, { "variant", "\"base\"" },
		{ "status", "\"ok\"" }, { "start_ns", "1000000" }, { "elapsed_ns", "10000000" },
		{ "migrations", "18446744073709551615" }, { "idle_ns", "[3,4]" }, { "result", "{\"messages\":7}" },
		{ "knobs", "{\"HZ\":1000,\"newidle\":\"off\"}" }, { NULL, NULL } };

	add_boot();
	add_filled(RECORD_run, "run", given);
	add("{\"t\":\"traced\",\"position\":0,\"list\":%u,\"events\":[%s],\"lost\":[],\"unnamed\":0}", list, events);
	add("{\"t\":\"trace_tasks\",\"position\":0,\"ids\":[13,10,11,12,14,1,2],"
	    "\"names\":[\"twin\",\"sender\",\"re=ce iver\",\"hog\",\"twin\",\"idle/0\",\"idle/1\"],"
	    "\"priorities\":[120,120,125,120,120,256,256]}");
}

/* CPU 0: the sender wakes the receiver onto CPU 1 at 500, makes a child at 2000, ends at 3000; the receiver, pulled at 5500, goes
 * before the child at 6000. CPU 1: the hog from 100 on; the receiver from 900 to 1200; an interrupt wakes it at 5000. */
static void tell_story(void)
{
	begin_log(trace_list(), "9,5");
	add_chunk(1, 100, "%u,0,%u,%u,%u,%u", TRACE_switch, IDLE1, LEFT_runs_on, HOG, PICK_only);
	add_chunk(0, 500, "%u,0,%u,%u,1,1,%u,%u,0,%u,0,1,%u,%u,1000,%u,1,%u", TRACE_waking, SENDER, RECEIVER, PLACE_idle_sibling,
		TRACE_migrate, RECEIVER, MIGRATE_wakeup, TRACE_wakeup, RECEIVER, RULE_waits);
	add_chunk(1, 900, "%u,0,%u,%u,%u,%u,%u,300000,%u,%u,%u,%u,%u,3800000,%u,%u,2,1,%u,%u,1000,%u,1,%u", TRACE_switch, HOG,
		LEFT_preempted, RECEIVER, PICK_next_buddy, TRACE_switch, RECEIVER, LEFT_sleeps, HOG, PICK_only, TRACE_waking, HOG,
		RECEIVER, PLACE_previous, TRACE_wakeup, RECEIVER, RULE_lag);
	add_chunk(0, 2000, "%u,0,%u,%u,0,%u,%u,1000,%u,0,%u,%u,999000,%u,%u,%u,%u", TRACE_fork, SENDER, CHILD, PLACE_parent,
		TRACE_wakeup_new, CHILD, RULE_waits, TRACE_switch, SENDER, LEFT_dead, CHILD, PICK_only);
	add_chunk(0, 5500, "%u,0,%u,1,0,%u,%u,0,0,%u,%u,%u,%u,1,1,2048,%u,500000,%u,%u,%u,%u", TRACE_migrate, RECEIVER,
		MIGRATE_newidle, TRACE_balance, AT_CPU, FOR_newidle, RESULT_moved, FOUND_hot, TRACE_switch, CHILD, LEFT_runs_on,
		RECEIVER, PICK_leftmost);
	add_end("1");
}

/* ---- running commands ---- */

static char *said;

static int run_on_log(int (*command)(FILE *in, const char *file, unsigned only_boot))
{
	FILE *in = fmemopen(log_text, strlen(log_text), "r"), *real = stdout;
	size_t bytes;
	int code;

	free(said);
	stdout = open_memstream(&said, &bytes);
	code = command(in, "hand.log", 0);
	fclose(stdout);
	stdout = real;
	fclose(in);
	return code;
}

static void expect_why(const char *question, const char *answer)
{
	assert_true(why_take(question));
	assert_int_equal(run_on_log(command_why), EXIT_WHOLE);
	for (char *c = said; *c; c++) /* one line */
		if (*c == '\n')
			*c = c[1] ? ' ' : '\0';
	assert_string_equal(said, answer);
}

/* What a command says on standard error; it must be one line. */
static void expect_error(int (*command)(FILE *in, const char *file, unsigned only_boot), int code, const char *words)
{
	FILE *real = stderr;
	char *complaint;
	size_t bytes;
	int got;

	stderr = open_memstream(&complaint, &bytes);
	got = run_on_log(command);
	fclose(stderr);
	stderr = real;
	assert_int_equal(got, code);
	if (!strstr(complaint, words) || strchr(complaint, '\n') != complaint + strlen(complaint) - 1)
		fail_msg("\"%s\" lacks \"%s\" or is not one line", complaint, words);
	free(complaint);
}

static void expect_begin(const char *text)
{
	assert_memory_equal(said, text, strlen(text));
}

/* ---- why ---- */

#define WOKEN                                                                                                                       \
	"It was woken at 0.500000 ms by sender-10 on CPU 0, which was about to sleep (sync), and put on CPU 1, because that was "   \
	"idle and shares the cache (idle sibling). When it was queued, it had to wait: it did not lag behind by enough. It waited " \
	"0.399000 ms, at first behind hog-12, and was picked on CPU 1 at 0.900000 ms as next buddy, before the leftmost."

static void why_it_ran(void **state)
{
	(void)state;
	tell_story();
	expect_why("11@0.95", "At 0.950000 ms re=ce iver-11 ran on CPU 1. " WOKEN " It ran until 1.200000 ms and left to sleep.");
	expect_why("hog@50us", "At 0.050000 ms hog-12 waited on CPU 1. Since when it can run is not in the trace.");
}

static void why_it_waited(void **state)
{
	(void)state;
	tell_story();
	expect_why("re=ce iver@700000ns", "At 0.700000 ms re=ce iver-11 waited on CPU 1, where hog-12 ran. " WOKEN);
	expect_why("12@1",
		"At 1.000000 ms hog-12 waited on CPU 1, where re=ce iver-11 ran. Since when it can run is not in the trace. It left CPU 1 at "
		"0.900000 ms to re=ce iver-11, because it was preempted. It waited 0.300000 ms, at first behind re=ce iver-11, and was "
		"picked on CPU 1 at 1.200000 ms as the only one there.");
	expect_why("11@5.7ms",
		"At 5.700000 ms re=ce iver-11 waited on CPU 0, where twin-13 ran. It was woken at 5.000000 ms by an interrupt on CPU 1 and "
		"put on CPU 1, because it ran there last and nothing spoke for another. It was moved from CPU 1 to CPU 0 at 5.500000 ms "
		"by a CPU about to go idle (newidle balancing). It was to run at once, because its virtual time lagged behind by more than "
		"the granularity. It waited 0.999000 ms, at first behind hog-12, and was picked on CPU 0 at 6.000000 ms as the leftmost, "
		"which has had the least virtual time.");
	expect_why("13@0.0025s",
		"At 2.500000 ms twin-13 waited on CPU 0, where sender-10 ran. It was made at 2.000000 ms by sender-10 on CPU 0 and put on "
		"CPU 0, because no other group had less load than that of the task that decided. When it was queued, it had to wait: it did "
		"not lag behind by enough. It waited 0.999000 ms, at first behind sender-10, and was picked on CPU 0 at 3.000000 ms as the "
		"only one there.");
}

static void why_it_slept(void **state)
{
	(void)state;
	tell_story();
	expect_why("11@3",
		"At 3.000000 ms re=ce iver-11 slept. It left CPU 1 at 1.200000 ms to sleep. It was woken at 5.000000 ms by an interrupt on "
		"CPU 1 and put on CPU 1, because it ran there last and nothing spoke for another.");
	expect_why("11@0.2",
		"At 0.200000 ms re=ce iver-11 slept. It was woken at 0.500000 ms by sender-10 on CPU 0, which was about to sleep (sync), and "
		"put on CPU 1, because that was idle and shares the cache (idle sibling).");
}

static void why_it_was_not_there(void **state)
{
	(void)state;
	tell_story();
	expect_why("10@4", "At 4.000000 ms sender-10 had ended. It left CPU 0 at 3.000000 ms for ever.");
	expect_why("13@1",
		"At 1.000000 ms twin-13 had not been made. It was made at 2.000000 ms by sender-10 on CPU 0 and put on CPU 0, because no "
		"other group had less load than that of the task that decided.");
}

static void why_not(void **state)
{
	static const char *const misunderstood[] = { "11", "@1", "11@", "11@x", "11@1h", "11@-1", "11@0x10" };

	(void)state;
	for (size_t i = 0; i < sizeof misunderstood / sizeof misunderstood[0]; i++)
		assert_false(why_take(misunderstood[i]));
	tell_story();
	assert_true(why_take("nobody@1"));
	expect_error(command_why, EXIT_UNREADABLE, "no task of the traced run is called nobody");
	assert_true(why_take("99@1"));
	expect_error(command_why, EXIT_UNREADABLE, "no task of the traced run has the number 99");
	assert_true(why_take("twin@1"));
	expect_error(command_why, EXIT_UNREADABLE, "2 tasks are called twin; expected the number of one");
	assert_true(why_take("14@1"));
	expect_error(command_why, EXIT_UNREADABLE, "the trace has no event of task 14");
	assert_true(why_take("11@10.1"));
	expect_error(command_why, EXIT_UNREADABLE, "10.100000 ms is not in run 0; expected 0 to 10.000000 ms");
}

/* ---- damage ---- */

static void traces_that_cannot_be_used(void **state)
{
	(void)state;
	assert_true(export_take("events"));
	begin_log(trace_list() + 1, "1,0");
	add_end("1");
	expect_error(command_export, EXIT_UNREADABLE, "its events are numbered by list");
	begin_log(trace_list(), "2,0");
	add_chunk(0, 1, "%u,0,%u", TRACE_exit, SENDER);
	add_end("1");
	expect_error(command_export, EXIT_DAMAGED, "has 1 events that could be used; expected 2");
	add_boot();
	add_end("0");
	expect_error(command_export, EXIT_UNREADABLE, "no run of it was traced; expected one with trace=on");
}

/* What is wrong in one chunk spoils nothing of the next; each complaint has its line. */
static void chunks_that_cannot_be_used(void **state)
{
	FILE *real = stderr;
	char *complaints;
	size_t bytes;

	(void)state;
	assert_true(export_take("events"));
	begin_log(trace_list(), "3,0");
	add_chunk(0, 100, "%u,0,%u,%u,5", TRACE_exit, SENDER, NR_TRACE_EVENTS);
	add_chunk(0, 200, "%u,0,%u,%u,0,%u", TRACE_switch, SENDER, NR_TRACE_WORDS, HOG);
	add_chunk(0, 50, "%u,0,%u", TRACE_exit, HOG);
	add_chunk(7, 300, "%u,0,%u", TRACE_exit, HOG);
	add_chunk(0, 400, "%u,0,%u", TRACE_exit, RECEIVER);
	add_end("1");
	stderr = open_memstream(&complaints, &bytes);
	assert_int_equal(run_on_log(command_export), EXIT_DAMAGED);
	fclose(stderr);
	stderr = real;
	assert_non_null(strstr(complaints, "number 3 of a record is not an event"));
	assert_non_null(strstr(complaints, "begins at 1050000 ns; expected"));
	assert_non_null(strstr(complaints, "a record of CPU 7"));
	assert_non_null(strstr(complaints, "has 2 events that could be used; expected 3"));
	assert_non_null(strstr(said, "\n100000 0 exit task=sender-10\n400000 0 exit task=re_ce_iver-11\n"));
	free(complaints);
}

/* ---- exports ---- */

/* The events of both CPUs in the order of time, wherever the chunks lie. */
static void export_of_events(void **state)
{
	static const char *const lines[] = {
		"100000 1 switch prev=idle/1-2 left=runs_on next=hog-12 why=only\n",
		"500000 0 waking waker=sender-10 task=re_ce_iver-11 flags=1 cpu=1 why=idle_sibling\n",
		"500000 0 migrate task=re_ce_iver-11 from=0 to=1 cause=wakeup\n",
		"501000 0 wakeup task=re_ce_iver-11 cpu=1 rule=waits\n",
		"900000 1 switch prev=hog-12 left=preempted next=re_ce_iver-11 why=next_buddy\n",
		"1200000 1 switch prev=re_ce_iver-11 left=sleeps next=hog-12 why=only\n",
		"2000000 0 fork parent=sender-10 child=twin-13 cpu=0 why=parent\n",
		"2001000 0 wakeup_new task=twin-13 cpu=0 rule=waits\n",
		"3000000 0 switch prev=sender-10 left=dead next=twin-13 why=only\n",
		"5000000 1 waking waker=hog-12 task=re_ce_iver-11 flags=2 cpu=1 why=previous\n",
		"5001000 1 wakeup task=re_ce_iver-11 cpu=1 rule=lag\n",
		"5500000 0 migrate task=re_ce_iver-11 from=1 to=0 cause=newidle\n",
		"5500000 0 balance cpu=0 level=CPU occasion=newidle result=moved found=hot busiest=1 moved=1 imbalance=2048\n",
		"6000000 0 switch prev=twin-13 left=runs_on next=re_ce_iver-11 why=leftmost\n",
	};
	const char *at;

	(void)state;
	tell_story();
	assert_true(export_take("events"));
	assert_int_equal(run_on_log(command_export), EXIT_WHOLE);
	at = strchr(said, '\n') + 1;
	for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
		assert_memory_equal(at, lines[i], strlen(lines[i]));
		at += strlen(lines[i]);
	}
	assert_string_equal(at, "");
}

/* Two chunks of 5 events of each of 7 CPUs, which lie among each other: 13 ns apart on CPU 0, 26 on CPU 1 and so on. */
static void order_of_many_cpus(void **state)
{
	long last = -1, time;
	unsigned count = 0;

	(void)state;
	begin_log(trace_list(), "10,10,10,10,10,10,10");
	for (unsigned chunk = 0; chunk < 2; chunk++)
		for (unsigned cpu = 0; cpu < 7; cpu++)
			add_chunk(cpu, 100 + chunk, "%u,%u,%u,%u,%u,%u,%u,%u,%u,%u,%u,%u,%u,%u,%u", TRACE_exit, cpu, HOG,
				TRACE_exit, 13 * (cpu + 1), HOG, TRACE_exit, 13 * (cpu + 1), HOG, TRACE_exit, 13 * (cpu + 1), HOG,
				TRACE_exit, 13 * (cpu + 1), HOG);
	add_end("1");
	assert_true(export_take("events"));
	assert_int_equal(run_on_log(command_export), EXIT_WHOLE);
	for (char *line = strchr(said, '\n') + 1; *line; line = strchr(line, '\n') + 1, count++) {
		time = strtol(line, NULL, 10);
		assert_true(time >= last);
		last = time;
	}
	assert_int_equal(count, 70);
}

/* workloads.md 7, check 13: every line; and the payloads of 5.4. */
static void export_of_ftrace(void **state)
{
	static const char pattern[] =
		"^ *.+-[0-9]+ +(\\( *[0-9]+\\) )?\\[[0-9]{3}\\] [A-Za-z0-9.]{4} +[0-9]+\\.[0-9]{6}: [a-z_]+: ";
	static const char *const lines[] = {
		"          <idle>-0       [001] d...     0.001100: sched_switch: prev_comm=swapper/1 prev_pid=0 prev_prio=120 prev_state=R ==> "
		"next_comm=hog next_pid=12 next_prio=120\n",
		"          sender-10      [000] d...     0.001500: sched_waking: comm=re_ce_iver pid=11 prio=125 target_cpu=001\n",
		"sched_migrate_task: comm=re_ce_iver pid=11 prio=125 orig_cpu=0 dest_cpu=1\n",
		"sched_wakeup: comm=re_ce_iver pid=11 prio=125 target_cpu=001\n",
		"             hog-12      [001] d...     0.001900: sched_switch: prev_comm=hog prev_pid=12 prev_prio=120 prev_state=R+ ==> ",
		"prev_comm=re_ce_iver prev_pid=11 prev_prio=125 prev_state=S ==> ",
		"sched_process_fork: comm=sender pid=10 child_comm=twin child_pid=13\n",
		"sched_wakeup_new: comm=twin pid=13 prio=120 target_cpu=000\n",
		"prev_comm=sender prev_pid=10 prev_prio=120 prev_state=X ==> ",
		"             hog-12      [001] d.h.     0.006000: sched_waking: ",
	};
	const char *at;
	regex_t regex;
	char *line;

	(void)state;
	tell_story();
	assert_true(export_take("ftrace"));
	assert_int_equal(run_on_log(command_export), EXIT_WHOLE);
	expect_begin("# tracer: nop\n#\n# entries-in-buffer/entries-written: 14/14   #P:2\n");
	at = said;
	for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
		at = strstr(at, lines[i]);
		if (!at)
			fail_msg("\"%s\" is not in its place in:\n%s", lines[i], said);
	}
	assert_int_equal(regcomp(&regex, pattern, REG_EXTENDED | REG_NOSUB), 0);
	for (line = strtok(said, "\n"); line; line = strtok(NULL, "\n"))
		if (*line != '#' && regexec(&regex, line, 0, NULL, 0) != 0)
			fail_msg("not a line of ftrace: %s", line);
	regfree(&regex);
}

static void export_of_runs(void **state)
{
	(void)state;
	tell_story();
	assert_true(export_take("csv"));
	assert_int_equal(run_on_log(command_export), EXIT_WHOLE);
	expect_begin("workload,variant,index,position,");
	assert_non_null(strstr(said, ",result.messages,knobs.HZ,knobs.newidle\n\"talk -m \"\"a,b\"\"\",base,0,0,"));
	assert_non_null(strstr(said, ",18446744073709551615,"));
	assert_non_null(strstr(said, ",3 4,"));
	assert_non_null(strstr(said, ",7,1000,off\n"));
	assert_true(export_take("jsonl"));
	assert_int_equal(run_on_log(command_export), EXIT_WHOLE);
	expect_begin("{\"workload\":\"talk -m \\\"a,b\\\"\",");
	assert_non_null(strstr(said, "\"migrations\":18446744073709551615,"));
	assert_non_null(strstr(said, "\"idle_ns\":[3,4]"));
	assert_non_null(strstr(said, "\"knobs\":{\"HZ\":1000,\"newidle\":\"off\"}"));
	assert_string_equal(strchr(said, '\n'), "\n");
	assert_false(export_take("pdf"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(why_it_ran),
		cmocka_unit_test(why_it_waited),
		cmocka_unit_test(why_it_slept),
		cmocka_unit_test(why_it_was_not_there),
		cmocka_unit_test(why_not),
		cmocka_unit_test(traces_that_cannot_be_used),
		cmocka_unit_test(chunks_that_cannot_be_used),
		cmocka_unit_test(export_of_events),
		cmocka_unit_test(order_of_many_cpus),
		cmocka_unit_test(export_of_ftrace),
		cmocka_unit_test(export_of_runs),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
