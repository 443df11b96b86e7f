/* SPDX-License-Identifier: GPL-2.0-or-later
 * One line of input from a terminal: editing, history, completion. Takes bytes, gives bytes; knows no console. */
#ifndef BASE_LINEEDIT_H
#define BASE_LINEEDIT_H

#include "base/types.h"

enum { LINE_BYTES = 512, LINE_HISTORY = 16 };

enum line_event {
	LINE_MORE,
	LINE_DONE, /* text[] is a whole line */
	LINE_END,  /* ^D on an empty line */
};

struct lineedit {
	const char *prompt;
	void (*put)(const char *text, size_t bytes);
	/* The nth word that may stand there, from 0, or NULL: there are no more. first: it is the line's first word. */
	const char *(*candidate)(unsigned n, bool first);

	char text[LINE_BYTES]; /* ends with a NUL */
	size_t length, cursor;
	char history[LINE_HISTORY][LINE_BYTES]; /* a ring */
	unsigned kept;				/* lines ever */
	unsigned back;				/* so many lines back is what is shown; 0: a new one */
	char draft[LINE_BYTES];			/* that new one, meanwhile */
	u8 escape;				/* how far into a terminal's sequence for a key */
	char parameter;
	bool after_return; /* its line feed, if one comes, belongs to it */
};

/* Show the prompt and begin an empty line. */
void lineedit_begin(struct lineedit *e);
/* One more byte. */
enum line_event lineedit_key(struct lineedit *e, char c);

#endif
