/* SPDX-License-Identifier: GPL-2.0-or-later
 * Strings that come again and again, each kept once. */
#ifndef FAIRLOG_NAMES_H
#define FAIRLOG_NAMES_H

/* Empty if zeroed. */
struct names {
	void *tree; /* of tsearch */
};

/* The kept copy of the text, which lasts until names_free(). */
const char *names_keep(struct names *names, const char *text);
void names_free(struct names *names);

#endif
