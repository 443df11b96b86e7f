/* SPDX-License-Identifier: GPL-2.0-or-later
 * HTML that is well-formed XML, too, so that any XML parser can check it. What comes from logs goes through html_text(). */
#ifndef FAIRLOG_HTML_H
#define FAIRLOG_HTML_H

/* Prints text so that it can stand in an element or in a quoted attribute; bytes that are not printable ASCII as \x1b. */
void html_text(const char *text);
/* The same for formatted text. */
void html_textf(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* At most so many characters of it, the last one then an ellipsis. */
void html_text_clipped(const char *text, unsigned characters);

/* Everything up to the first element of the page, and what ends it. */
void html_begin(const char *title);
void html_end(void);

#endif
