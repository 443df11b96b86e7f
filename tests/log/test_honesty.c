/* SPDX-License-Identifier: GPL-2.0-or-later
 * Whatever happens to a log, fairlog shows the figures of the whole one, or says by its exit code that it is not whole. The golden
 * log is damaged at random, thousands of times and always the same way; a miss is a lie, and its number and damage are printed.
 * Needs to be run where tests/log/golden.log is. */
#define _GNU_SOURCE /* stdout can be set */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "tools/fairlog/commands.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { LOG_BYTES_MAX = 200000, DAMAGES_MAX = 3 };

struct log {
	size_t used;
	char bytes[LOG_BYTES_MAX];
};

static struct log golden;
static unsigned first_case = 1, last_case = 2000;

static uint64_t state;

static size_t draw(size_t below)
{
	state = state * 6364136223846793005 + 1442695040888963407;
	return (size_t)(state >> 33) % below;
}

static int setup(void **unused)
{
	FILE *file = fopen("tests/log/golden.log", "rb");

	(void)unused;
	assert_non_null(file);
	golden.used = fread(golden.bytes, 1, sizeof golden.bytes, file);
	fclose(file);
	assert_in_range(golden.used, 10000, LOG_BYTES_MAX / 4);
	return 0;
}

/* ---- damage ---- */

/* Puts bytes in the place of others; what then does not fit is lost at the end. */
static void replace(struct log *log, size_t at, size_t old, const char *bytes, size_t count)
{
	static char rest[LOG_BYTES_MAX];
	size_t behind = log->used - at - old;

	memcpy(rest, log->bytes + at + old, behind);
	if (count > LOG_BYTES_MAX - at)
		count = LOG_BYTES_MAX - at;
	memmove(log->bytes + at, bytes, count);
	if (behind > LOG_BYTES_MAX - at - count)
		behind = LOG_BYTES_MAX - at - count;
	memcpy(log->bytes + at + count, rest, behind);
	log->used = at + count + behind;
}

struct range {
	size_t at, bytes;
};

static struct range pick_range(const struct log *log, size_t longest)
{
	size_t at = draw(log->used), bytes = 1 + draw(longest);

	return (struct range){ at, bytes < log->used - at ? bytes : log->used - at };
}

static struct range pick_lines(const struct log *log)
{
	size_t at = draw(log->used), end, lines = 1 + draw(3);

	while (at > 0 && log->bytes[at - 1] != '\n')
		at--;
	for (end = at; lines > 0 && end < log->used; end++)
		lines -= log->bytes[end] == '\n';
	return (struct range){ at, end - at };
}

static void flip_bit(struct log *log)
{
	log->bytes[draw(log->used)] ^= (char)(1 << draw(8));
}

static void overwrite(struct log *log)
{
	struct range range = pick_range(log, 8);

	for (size_t i = 0; i < range.bytes; i++)
		log->bytes[range.at + i] = (char)draw(256);
}

/* A digit for another one is what nothing but the checksum can see. */
static void change_digit(struct log *log)
{
	for (size_t i = draw(log->used); i < log->used; i++) {
		if (log->bytes[i] >= '0' && log->bytes[i] <= '9') {
			log->bytes[i] = (char)('0' + draw(10));
			return;
		}
	}
}

static void drop(struct log *log)
{
	struct range range = pick_range(log, draw(2) ? 4 : 4000);

	replace(log, range.at, range.bytes, "", 0);
}

static void drop_lines(struct log *log)
{
	struct range range = pick_lines(log);

	replace(log, range.at, range.bytes, "", 0);
}

static void insert(struct log *log)
{
	static const char *const noise[] = { "@", "}", "} *", "} *00000000", "@0 {\"t\":\"", "@7 {\"t\":\"run\"", "\n", "\r",
		"\033[", "\033]", "\"", "\\", "0", "\b \b", "GRUB", "\377" };
	const char *text = noise[draw(sizeof noise / sizeof noise[0])];

	replace(log, draw(log->used), 0, text, strlen(text));
}

static void repeat(struct log *log)
{
	struct range range = draw(2) ? pick_lines(log) : pick_range(log, 4000);

	replace(log, draw(2) ? range.at : draw(log->used), 0, log->bytes + range.at, range.bytes);
}

static void move_lines(struct log *log)
{
	struct range range = pick_lines(log);
	static char lines[LOG_BYTES_MAX];

	memcpy(lines, log->bytes + range.at, range.bytes);
	replace(log, range.at, range.bytes, "", 0);
	replace(log, log->used > 0 ? pick_lines(log).at : 0, 0, lines, range.bytes);
}

static void cut_end(struct log *log)
{
	log->used = 1 + draw(log->used);
}

/* A reset: the log goes on with the beginning of another boot, or its end. */
static void boot_again(struct log *log)
{
	size_t from = draw(2) ? 0 : draw(golden.used);

	cut_end(log);
	replace(log, log->used, 0, golden.bytes + from, golden.used - from);
}

static const struct {
	const char *name;
	void (*do_it)(struct log *log);
} damages[] = {
	{ "flip_bit", flip_bit },
	{ "overwrite", overwrite },
	{ "change_digit", change_digit },
	{ "drop", drop },
	{ "drop_lines", drop_lines },
	{ "insert", insert },
	{ "repeat", repeat },
	{ "move_lines", move_lines },
	{ "cut_end", cut_end },
	{ "boot_again", boot_again },
};
enum { DAMAGES = sizeof damages / sizeof damages[0] };

/* ---- what the commands make of it ---- */

struct shown {
	char *text;
	size_t length;
	int code;
};

static struct shown show(const struct log *log, int (*command)(FILE *in, const char *file, unsigned boot), void (*end)(void))
{
	FILE *in = fmemopen((void *)log->bytes, log->used, "rb"), *out = stdout, *error = stderr;
	struct shown shown;

	assert_non_null(in);
	stdout = stderr = open_memstream(&shown.text, &shown.length);
	shown.code = command(in, "log", 0);
	if (end)
		end();
	fclose(stdout);
	stdout = out;
	stderr = error;
	fclose(in);
	return shown;
}

/* The tables of a summary: what is behind its first lines, which say how many boots there are, and where. */
static const char *tables_of(const char *summary)
{
	const char *blank = strstr(summary, "\n\n");

	return blank ? blank : summary;
}

static const char *all_of(const char *text)
{
	return text;
}

static const struct {
	const char *name;
	int (*run)(FILE *in, const char *file, unsigned boot);
	void (*end)(void);
	const char *(*figures)(const char *text);
} commands[] = {
	{ "summary", command_summary, NULL, tables_of },
	{ "table", command_table, NULL, all_of },
	{ "pool", command_pool, command_pool_end, all_of },
	{ "list", command_list, NULL, all_of },
	{ "effects", command_effects, NULL, all_of },
	{ "perf", command_perf, NULL, all_of },
	{ "mail", command_mail, NULL, all_of },
};
enum { COMMANDS = sizeof commands / sizeof commands[0] };

/* Returns whether it is whole all the same. */
static bool is_whole_and_honest(const struct log *log, const struct shown expected[COMMANDS], const char *what)
{
	struct shown check = show(log, command_check, NULL);

	for (unsigned i = 0; i < COMMANDS; i++) {
		struct shown shown = show(log, commands[i].run, commands[i].end);
		const char *(*figures)(const char *) = commands[i].figures;

		if (shown.code == EXIT_WHOLE && strcmp(figures(shown.text), figures(expected[i].text)) != 0)
			fail_msg("%s: %s shows other figures and exits with 0:\n%s", what, commands[i].name, shown.text);
		if (check.code == EXIT_WHOLE && shown.code != EXIT_WHOLE)
			fail_msg("%s: check finds the log whole, %s does not", what, commands[i].name);
		free(shown.text);
	}
	free(check.text);
	return check.code == EXIT_WHOLE;
}

static void damage_golden(struct log *log, unsigned seed, char what[200])
{
	int used = snprintf(what, 200, "case %u:", seed);

	state = seed;
	draw(1);
	*log = golden;
	for (size_t n = 1 + draw(DAMAGES_MAX); n > 0 && log->used > 0; n--) {
		size_t d = draw(DAMAGES);

		damages[d].do_it(log);
		used += snprintf(what + used, (size_t)(200 - used), " %s", damages[d].name);
	}
}

static void damage_is_said_or_does_no_harm(void **unused)
{
	static struct log log;
	struct shown expected[COMMANDS];
	unsigned whole = 0;
	char what[200];

	(void)unused;
	for (unsigned i = 0; i < COMMANDS; i++)
		expected[i] = show(&golden, commands[i].run, commands[i].end);
	for (unsigned seed = first_case; seed <= last_case; seed++) {
		damage_golden(&log, seed, what);
		if (log.used > 0)
			whole += is_whole_and_honest(&log, expected, what);
	}
	for (unsigned i = 0; i < COMMANDS; i++)
		free(expected[i].text);
	print_message("# cases %u to %u: %u of them are whole all the same\n", first_case, last_case, whole);
}

int main(int argc, char **argv)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(damage_is_said_or_does_no_harm, setup),
	};

	if (argc == 3) {
		first_case = (unsigned)strtoul(argv[1], NULL, 10);
		last_case = (unsigned)strtoul(argv[2], NULL, 10);
	}
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("honesty", tests, NULL, NULL);
}
