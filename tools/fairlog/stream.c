/* SPDX-License-Identifier: GPL-2.0-or-later
 * Finds candidates for records in a byte stream, in constant memory.
 *
 * A candidate begins at @NUMBER {"t":" wherever that stands in a line. No record has it inside: within a JSON string the
 * quotes would be escaped. So a second beginning on the line ends the first candidate, be it cut off or only glued on.
 * Escape sequences and control characters are never part of a record; they are dropped before anything is compared, and the
 * CRC decides later whether what is left is what was sent.
 */
#include "tools/fairlog/stream.h"

#include <string.h>

static const char head_end[] = " {\"t\":\"";
enum { TAIL_BYTES = sizeof "} *01234567" - 1, BEL = 0x07, ESC = 0x1b };

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_hex_digit(char c)
{
	return is_digit(c) || (c >= 'a' && c <= 'f');
}

static bool is_between(char c, unsigned low, unsigned high)
{
	return (unsigned char)c >= low && (unsigned char)c <= high;
}

static void emit_text(struct stream *s, enum candidate_kind kind, size_t length)
{
	if (length > 0)
		s->emit(s->context, kind, s->text_line, s->text, length);
	s->text_length = 0;
}

/* Takes c as the next character of a record's beginning; true when that makes the beginning complete. */
static bool head_grows(struct stream *s, char c)
{
	size_t ending = s->head_length - 1 - s->head_digits; /* bytes of head_end seen, once there is a head */

	if (c == '@') {
		s->head[0] = c;
		s->head_length = 1;
		s->head_digits = 0;
		return false;
	}
	if (s->head_length == 0)
		return false;
	if (is_digit(c) && ending == 0 && s->head_digits < HEAD_DIGITS_MAX) {
		s->head_digits++;
	} else if (s->head_digits == 0 || c != head_end[ending]) {
		s->head_length = 0;
		return false;
	}
	s->head[s->head_length++] = c;
	return head_end[ending + 1] == '\0';
}

/* Takes c as the next character of a record's end, } *01234567; true when that makes the end complete. */
static bool tail_grows(struct stream *s, char c)
{
	static const char fixed[] = "} *";
	bool fits = s->tail_length < 3 ? c == fixed[s->tail_length] : is_hex_digit(c);

	if (!fits)
		s->tail_length = c == '}';
	else
		s->tail_length++;
	if (s->tail_length < TAIL_BYTES)
		return false;
	s->tail_length = 0;
	return true;
}

static void begin_candidate(struct stream *s)
{
	memcpy(s->text, s->head, s->head_length);
	s->text_length = s->head_length;
	s->text_line = s->line;
	s->head_length = 0;
	s->tail_length = 0;
}

/* A character outside of escape sequences and line ends. */
static void take_text(struct stream *s, char c)
{
	bool inside = s->text_length > 0;

	if (is_between(c, 0x00, 0x1f) || c == 0x7f)
		return;
	if (inside)
		s->text[s->text_length++] = c;

	if (head_grows(s, c)) {
		emit_text(s, CANDIDATE_RECORD, inside ? s->text_length - s->head_length : 0);
		begin_candidate(s);
	} else if (s->text_length == RECORD_BYTES_MAX) {
		emit_text(s, CANDIDATE_TOO_LONG, s->text_length);
		s->tail_explained = true;
	} else if (!inside && tail_grows(s, c) && !s->tail_explained) {
		s->emit(s->context, CANDIDATE_HEADLESS, s->line, NULL, 0);
	}
}

static void end_line(struct stream *s)
{
	emit_text(s, CANDIDATE_RECORD, s->text_length);
	s->head_length = 0;
	s->tail_length = 0;
	s->tail_explained = false;
}

/* The character behind ESC. "ESC @" is no sequence that terminals use, and more likely noise before a record. */
static bool take_escape(struct stream *s, char c)
{
	s->escape = TEXT;
	if (c == '[')
		s->escape = CSI;
	else if (c != '\0' && strchr("]PX^_", c))
		s->escape = STRING;
	else if (is_between(c, 0x20, 0x2f))
		s->escape = ESCAPE_MORE;
	else
		return c != '@' && is_between(c, 0x30, 0x7e);
	return true;
}

/* Swallows what belongs to an escape sequence (ECMA-48); false when c is to be read as text. A sequence ends with the line at
 * the latest, so that a broken one cannot hide more than that. */
static bool take_sequence(struct stream *s, char c)
{
	if (is_between(c, 0x00, 0x1f) && c != ESC && c != BEL)
		return true; /* terminals look through control characters in a sequence */
	switch (s->escape) {
	case ESCAPE:
		return take_escape(s, c);
	case ESCAPE_MORE:
		if (is_between(c, 0x20, 0x2f))
			return true;
		s->escape = TEXT;
		return is_between(c, 0x30, 0x7e);
	case CSI:
		if (is_between(c, 0x20, 0x3f))
			return true;
		s->escape = TEXT;
		return is_between(c, 0x40, 0x7e);
	case STRING: /* ends with BEL or ESC \ */
		if (c == ESC)
			s->escape = STRING_ESCAPE;
		else if (c == BEL)
			s->escape = TEXT;
		return true;
	case STRING_ESCAPE:
		if (c != '\\')
			return take_escape(s, c);
		s->escape = TEXT;
		return true;
	case TEXT:
		break;
	}
	return false;
}

static void take_byte(struct stream *s, char c)
{
	if (c == '\n' || c == '\r') {
		s->escape = TEXT;
		end_line(s);
		s->line += c == '\n';
		return;
	}
	if (s->escape != TEXT && take_sequence(s, c))
		return;
	if (c == ESC)
		s->escape = ESCAPE;
	else
		take_text(s, c);
}

void stream_init(struct stream *s, candidate_fn *emit, void *context)
{
	*s = (struct stream){ .emit = emit, .context = context, .line = 1 };
}

void stream_feed(struct stream *s, const char *bytes, size_t count)
{
	for (size_t i = 0; i < count; i++)
		take_byte(s, bytes[i]);
}

void stream_finish(struct stream *s)
{
	end_line(s);
}
