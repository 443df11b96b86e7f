/* SPDX-License-Identifier: GPL-2.0-or-later
 * The line editor, before a terminal of one line that knows what a terminal must: letters, \b, \r and ESC [ K. After every key what
 * is shown and where the cursor stands must be what the editor means; expected lines are what the keys are for. */
#include "tests/unit/machine.h"

#include <stdio.h>
#include <string.h>

#include "base/lineedit.h"

static struct {
	char text[LINE_BYTES + 16];
	size_t column, bells;
	unsigned escape;
} screen;

static void show_byte(char c)
{
	if (screen.escape) {
		screen.escape--;
		if (!screen.escape)
			memset(screen.text + screen.column, 0, sizeof(screen.text) - screen.column);
	} else if (c == '\033') {
		screen.escape = 2;
	} else if (c == '\b') {
		assert_true(screen.column > 0);
		screen.column--;
	} else if (c == '\r') {
		screen.column = 0;
	} else if (c == '\n') {
		memset(screen.text, 0, sizeof(screen.text));
		screen.column = 0;
	} else if (c == '\a') {
		screen.bells++;
	} else {
		screen.text[screen.column++] = c;
	}
}

static void show(const char *text, size_t bytes)
{
	while (bytes--)
		show_byte(*text++);
}

static const char *word_at(unsigned n, bool first)
{
	static const char *const command[] = { "help", "reboot", "run", "set" }, *const knob[] = { "newidle", "newidle_node",
		"nohz" };

	if (first)
		return n < 4 ? command[n] : NULL;
	return n < 3 ? knob[n] : NULL;
}

static struct lineedit editor;

static void begin(void)
{
	memset(&screen, 0, sizeof(screen));
	editor.prompt = "> ";
	editor.put = show;
	editor.candidate = word_at;
	lineedit_begin(&editor);
}

/* The screen must be the line, after each key. */
static enum line_event type(const char *keys)
{
	enum line_event event = LINE_MORE;

	for (; *keys; keys++) {
		event = lineedit_key(&editor, *keys);
		if (event != LINE_MORE || editor.escape)
			continue;
		assert_memory_equal(screen.text, "> ", 2);
		assert_string_equal(screen.text + 2, editor.text);
		assert_int_equal(screen.column, 2 + editor.cursor);
		assert_int_equal(strlen(editor.text), editor.length);
	}
	return event;
}

static void expect_line(const char *keys, const char *line)
{
	begin();
	assert_int_equal(type(keys), LINE_DONE);
	assert_string_equal(editor.text, line);
}

#define LEFT  "\033[D"
#define RIGHT "\033[C"
#define UP    "\033[A"
#define DOWN  "\033[B"

static void letters(void)
{
	expect_line("\n", "");
	expect_line("run 1\r", "run 1");
	begin();
	assert_int_equal(type("\004"), LINE_END);
}

static void return_and_line_feed_end_one_line(void)
{
	expect_line("a\r", "a");
	begin();
	assert_int_equal(type("\n"), LINE_MORE);
	assert_int_equal(type("b\n"), LINE_DONE);
	begin();
	assert_int_equal(type("\n"), LINE_DONE);
}

static void keys_that_move_and_erase(void)
{
	expect_line("bc\001a\005d\r", "abcd"); /* ^A ^E */
	expect_line("ac" LEFT "b" RIGHT "d\r", "abcd");
	expect_line("\033[Hb\033[Fc\033OHa\r", "abc"); /* Home and End, both ways to send them */
	expect_line("abx\bc\177\177cd\r", "acd");
	expect_line("abcd" LEFT LEFT "\013\r", "ab");		   /* ^K */
	expect_line("abcd" LEFT LEFT "\025\r", "cd");		   /* ^U */
	expect_line("set abc  \027x\r", "set x");		   /* ^W */
	expect_line("axb\002\002\004\r", "ab");			   /* ^B ^B ^D */
	expect_line("axb" LEFT LEFT "\033[3~\r", "ab");		   /* Delete */
	expect_line("abc\003d\r", "d");				   /* ^C */
	expect_line(LEFT "\b\013\025\027a" RIGHT "\014b\r", "ab"); /* where there is nothing to do */
	expect_line("a\033x\033[1;5Db\r", "ba"); /* a parameter changes nothing; an unknown sequence is swallowed */
}

static void history(void)
{
	memset(&editor, 0, sizeof(editor));
	expect_line("one\r", "one");
	expect_line("two\r", "two");
	expect_line("two\r", "two"); /* kept once */
	expect_line(UP "\r", "two");
	expect_line(UP UP "\r", "one");
	expect_line("draft" UP UP UP UP UP DOWN DOWN DOWN "s" DOWN "\r", "drafts");
	expect_line("\020\020x\r", "onex"); /* ^P; the last ones were: one, two, one, drafts... */
}

static void history_is_bounded(void)
{
	char line[8];

	memset(&editor, 0, sizeof(editor));
	for (unsigned i = 0; i < 2 * LINE_HISTORY + 3; i++) {
		snprintf(line, sizeof(line), "%u\r", i);
		begin();
		type(line);
	}
	begin();
	for (unsigned i = 0; i < 3 * LINE_HISTORY; i++)
		type(UP);
	snprintf(line, sizeof(line), "%u", LINE_HISTORY + 3);
	assert_string_equal(editor.text, line);
}

static void completion(void)
{
	expect_line("he\t1\r", "help 1");
	expect_line("r\tu\t5\r", "run 5");	      /* reboot or run: no more than is typed, then it is clear */
	expect_line("set n\te\t=\r", "set newidle="); /* newidle or newidle_node; no blank, for = comes next */
	expect_line("set newidle_\t\r", "set newidle_node");
	expect_line("x\ty\r", "xy");
	expect_line("zz" LEFT LEFT "se\tA\r", "set Azz");
}

/* What does not fit is refused with a bell, wherever it is put. */
static void line_that_is_full(void)
{
	begin();
	for (unsigned i = 0; i < LINE_BYTES + 10; i++)
		type("a");
	assert_int_equal(editor.length, LINE_BYTES - 1);
	assert_int_equal(screen.bells, 11);
	type("\001b");
	assert_int_equal(editor.text[0], 'a');
}

/* Whatever is typed, the screen and the line agree: 20,000 keys of a seeded sequence. */
static void any_keys(void)
{
	static const char keys[] = "ab \t\b\001\002\003\004\005\006\013\014\020\016\025\027\033[AOBCDHF3~\177";
	u64 state = 1;

	memset(&editor, 0, sizeof(editor));
	begin();
	for (unsigned i = 0; i < 20000; i++) {
		char key[2] = { 0 };

		state = state * 6364136223846793005ull + 1442695040888963407ull;
		key[0] = keys[(state >> 33) % (sizeof(keys) - 1)];
		if (type(state >> 60 ? key : "\r") != LINE_MORE)
			begin();
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		machine_test(letters),
		machine_test(return_and_line_feed_end_one_line),
		machine_test(keys_that_move_and_erase),
		machine_test(history),
		machine_test(history_is_bounded),
		machine_test(completion),
		machine_test(line_that_is_full),
		machine_test(any_keys),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
