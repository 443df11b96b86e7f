/* SPDX-License-Identifier: GPL-2.0-or-later
 * A line editor for the terminals that everybody has. It sends no sequence but ESC [ K and counts on nothing else. */
#include "base/lineedit.h"

#include "base/string.h"

#define CONTROL(letter) ((letter)&0x1f)

enum { ESCAPE = 0x1b, DELETE = 0x7f, IN_TEXT = 0, AFTER_ESCAPE, IN_SEQUENCE };

/* ---- showing ---- */

static void put(const struct lineedit *e, const char *s)
{
	e->put(s, strlen(s));
}

static void put_back(const struct lineedit *e, size_t n)
{
	while (n--)
		e->put("\b", 1);
}

/* From the cursor on, which stays. */
static void show_rest(const struct lineedit *e)
{
	put(e, e->text + e->cursor);
	put(e, "\033[K");
	put_back(e, e->length - e->cursor);
}

static void show_line(const struct lineedit *e)
{
	put(e, "\r");
	put(e, e->prompt);
	e->put(e->text, e->cursor);
	show_rest(e);
}

/* ---- changing ---- */

static void move_to(struct lineedit *e, size_t where)
{
	if (where < e->cursor)
		put_back(e, e->cursor - where);
	else
		e->put(e->text + e->cursor, where - e->cursor);
	e->cursor = where;
}

static void insert(struct lineedit *e, const char *s, size_t n)
{
	if (e->length + n >= LINE_BYTES) {
		put(e, "\a");
		return;
	}
	memmove(e->text + e->cursor + n, e->text + e->cursor, e->length - e->cursor + 1);
	memcpy(e->text + e->cursor, s, n);
	e->length += n;
	e->cursor += n;
	e->put(s, n);
	if (e->cursor < e->length)
		show_rest(e);
}

/* What lies between there and the cursor, whichever comes first. */
static void erase_to(struct lineedit *e, size_t where)
{
	size_t from = min_u64(where, e->cursor), to = max_u64(where, e->cursor);

	if (from == to)
		return;
	move_to(e, from);
	memmove(e->text + from, e->text + to, e->length - to + 1);
	e->length -= to - from;
	show_rest(e);
}

static void replace(struct lineedit *e, const char *text)
{
	move_to(e, 0);
	text_copy(e->text, LINE_BYTES, text);
	e->length = strlen(e->text);
	show_rest(e);
	move_to(e, e->length);
}

static size_t word_start(const struct lineedit *e)
{
	size_t at = e->cursor;

	while (at && e->text[at - 1] == ' ')
		at--;
	while (at && e->text[at - 1] != ' ')
		at--;
	return at;
}

/* ---- history ---- */

static char *line_back(struct lineedit *e, unsigned back)
{
	return e->history[(e->kept - back) % LINE_HISTORY];
}

static void remember(struct lineedit *e)
{
	if (!e->length || (e->kept && !strcmp(line_back(e, 1), e->text)))
		return;
	text_copy(e->history[e->kept++ % LINE_HISTORY], LINE_BYTES, e->text);
}

static void recall(struct lineedit *e, unsigned back)
{
	if (back > min_u64(e->kept, LINE_HISTORY))
		return;
	if (!e->back)
		text_copy(e->draft, LINE_BYTES, e->text);
	e->back = back;
	replace(e, back ? line_back(e, back) : e->draft);
}

/* ---- completion ---- */

static size_t common_length(const char *a, const char *b)
{
	size_t n = 0;

	while (a[n] && a[n] == b[n])
		n++;
	return n;
}

static void list_candidates(const struct lineedit *e, size_t start, bool first)
{
	const char *word;

	put(e, "\n");
	for (unsigned n = 0; (word = e->candidate(n, first)); n++)
		if (!strncmp(word, e->text + start, e->cursor - start)) {
			put(e, word);
			put(e, "  ");
		}
	put(e, "\n");
	show_line(e);
}

/* As much as all candidates agree on; if that is nothing new, show them. */
static void complete(struct lineedit *e)
{
	size_t start = e->cursor, typed, common = 0;
	const char *word, *found = NULL;
	unsigned matches = 0;
	bool first;

	while (start && e->text[start - 1] != ' ')
		start--;
	first = !start;
	typed = e->cursor - start;
	for (unsigned n = 0; (word = e->candidate(n, first)); n++) {
		if (strncmp(word, e->text + start, typed))
			continue;
		common = matches++ ? min_u64(common, common_length(found, word)) : strlen(word);
		found = word;
	}
	if (common > typed)
		insert(e, found + typed, common - typed);
	if (matches == 1 && first)
		insert(e, " ", 1);
	else if (matches > 1 && common == typed)
		list_candidates(e, start, first);
}

/* ---- keys ---- */

static void end_sequence(struct lineedit *e, char c)
{
	switch (c) {
	case 'A':
		recall(e, e->back + 1);
		break;
	case 'B':
		recall(e, e->back ? e->back - 1 : 0);
		break;
	case 'C':
		move_to(e, min_u64(e->cursor + 1, e->length));
		break;
	case 'D':
		move_to(e, e->cursor ? e->cursor - 1 : 0);
		break;
	case 'H':
		move_to(e, 0);
		break;
	case 'F':
		move_to(e, e->length);
		break;
	case '~':
		if (e->parameter == '3')
			erase_to(e, min_u64(e->cursor + 1, e->length));
		break;
	}
}

static void take_sequence(struct lineedit *e, char c)
{
	if (e->escape == AFTER_ESCAPE) {
		e->escape = c == '[' || c == 'O' ? IN_SEQUENCE : IN_TEXT;
		e->parameter = 0;
	} else if (c >= '@') {
		e->escape = IN_TEXT;
		end_sequence(e, c);
	} else {
		e->parameter = c;
	}
}

static enum line_event finish(struct lineedit *e)
{
	move_to(e, e->length);
	put(e, "\n");
	remember(e);
	return LINE_DONE;
}

static void control(struct lineedit *e, char c)
{
	switch (c) {
	case CONTROL('A'):
		move_to(e, 0);
		break;
	case CONTROL('B'):
	case CONTROL('F'):
		end_sequence(e, c == CONTROL('B') ? 'D' : 'C');
		break;
	case CONTROL('C'):
		replace(e, "");
		break;
	case CONTROL('D'):
		erase_to(e, min_u64(e->cursor + 1, e->length));
		break;
	case CONTROL('E'):
		move_to(e, e->length);
		break;
	case CONTROL('H'):
	case DELETE:
		erase_to(e, e->cursor ? e->cursor - 1 : 0);
		break;
	case CONTROL('I'):
		complete(e);
		break;
	case CONTROL('K'):
		erase_to(e, e->length);
		break;
	case CONTROL('L'):
		show_line(e);
		break;
	case CONTROL('N'):
	case CONTROL('P'):
		end_sequence(e, c == CONTROL('P') ? 'A' : 'B');
		break;
	case CONTROL('U'):
		erase_to(e, 0);
		break;
	case CONTROL('W'):
		erase_to(e, word_start(e));
		break;
	case ESCAPE:
		e->escape = AFTER_ESCAPE;
		break;
	}
}

void lineedit_begin(struct lineedit *e)
{
	e->text[0] = '\0';
	e->length = e->cursor = 0;
	e->back = 0;
	e->escape = IN_TEXT;
	put(e, e->prompt);
}

enum line_event lineedit_key(struct lineedit *e, char c)
{
	bool belongs = c == '\n' && e->after_return;

	e->after_return = c == '\r';
	if (belongs)
		return LINE_MORE;
	if (c == '\r' || c == '\n')
		return finish(e);
	if (c == CONTROL('D') && !e->length && e->escape == IN_TEXT)
		return LINE_END;
	if (e->escape != IN_TEXT)
		take_sequence(e, c);
	else if (c >= ' ' && c < DELETE)
		insert(e, &c, 1);
	else
		control(e, c);
	return LINE_MORE;
}
