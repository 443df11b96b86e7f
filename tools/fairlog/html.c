/* SPDX-License-Identifier: GPL-2.0-or-later
 * The frame of a page: one file, without scripts and without anything to be loaded. */
#include "tools/fairlog/html.h"

#include "tools/fairlog/allocate.h"
#include "tools/fairlog/chart.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static void put_escaped(unsigned char c)
{
	switch (c) {
	case '&':
		printf("&amp;");
		break;
	case '<':
		printf("&lt;");
		break;
	case '>':
		printf("&gt;");
		break;
	case '"':
		printf("&quot;");
		break;
	case '\'':
		printf("&#39;");
		break;
	default:
		if (c >= ' ' && c <= '~')
			putchar(c);
		else
			printf("\\x%02x", c);
	}
}

void html_text(const char *text)
{
	for (; *text; text++)
		put_escaped((unsigned char)*text);
}

void html_textf(const char *format, ...)
{
	va_list args, again;
	char *text;
	int length;

	va_start(args, format);
	va_copy(again, args);
	length = vsnprintf(NULL, 0, format, args);
	text = allocate(NULL, (size_t)length + 1);
	vsnprintf(text, (size_t)length + 1, format, again);
	va_end(again);
	va_end(args);
	html_text(text);
	free(text);
}

void html_text_clipped(const char *text, unsigned characters)
{
	bool is_longer = strlen(text) > characters;

	for (unsigned i = 0; i < characters - is_longer && text[i]; i++)
		put_escaped((unsigned char)text[i]);
	if (is_longer)
		printf("\u2026");
}

/* Sizes are in rem, so that the reader's own setting holds. Tables scroll in their own box, the page never sideways. */
static const char style[] =
	":root{--page:#fff;--text:#1b1f24;--soft:#5b6270;--line:#d4d8de;--panel:#f5f6f8;--bad:#b00020;--good:#1a6f3c}\n"
	"@media screen and (prefers-color-scheme:dark){:root{--page:#14171a;--text:#e6e9ed;--soft:#a2abb5;--line:#3a4048;"
	"--panel:#1d2126;--bad:#ff8a80;--good:#7fd99a}}\n"
	"*{box-sizing:border-box}\n"
	"html{color-scheme:light dark;-webkit-text-size-adjust:100%}\n"
	"body{margin:0 auto;padding:1rem;max-width:72rem;background:var(--page);color:var(--text);"
	"font:1rem/1.5 system-ui,-apple-system,\"Segoe UI\",Roboto,\"Liberation Sans\",sans-serif;overflow-wrap:anywhere}\n"
	"h1{font-size:1.5rem;line-height:1.25;margin:.5rem 0}\n"
	"h2{font-size:1.25rem;line-height:1.3;margin:2.5rem 0 .5rem;padding-top:.75rem;border-top:1px solid var(--line)}\n"
	"h3{font-size:1.0625rem;margin:1.75rem 0 .5rem}\n"
	"p{margin:.5rem 0;max-width:46rem}\n"
	"ul{margin:.5rem 0;padding-left:1.25rem}\n"
	"a{color:inherit}\n"
	".soft,figcaption{color:var(--soft);font-weight:400}\n"
	".note,figcaption,footer{font-size:.875rem}\n"
	".verdict{border-left:.3rem solid var(--soft);background:var(--panel);padding:.6rem .9rem;margin:.75rem 0;max-width:46rem}\n"
	".verdict.better{border-color:var(--good)}\n"
	".verdict.worse,.alarm{border-color:var(--bad)}\n"
	".alarm{border:1px solid var(--bad);border-left-width:.3rem;padding:.6rem .9rem;margin:.75rem 0}\n"
	".alarm b:first-child{color:var(--bad)}\n"
	/* A shadow at the right while there is more: the page's colour travels with the table and covers it at the end. */
	".scroll{overflow-x:auto;margin:.75rem 0;width:fit-content;max-width:100%;background:"
	"linear-gradient(to left,var(--page) 50%,transparent) right/2.5rem 100% no-repeat local,"
	"linear-gradient(to left,var(--line),transparent) right/1rem 100% no-repeat scroll}\n"
	"table{border-collapse:collapse;overflow-wrap:break-word;font-size:.875rem;font-variant-numeric:tabular-nums}\n"
	"th,td{padding:.25rem .75rem .25rem 0;text-align:right;white-space:nowrap;border-bottom:1px solid var(--line);"
	"vertical-align:bottom}\n"
	"thead th{font-weight:600;white-space:normal;min-width:4.5rem}\n"
	"th:first-child{text-align:left;font-weight:400;position:sticky;left:0;background:var(--page)}\n"
	"tr.judge th,tr.judge td{font-weight:700}\n"
	"td.text,th.text{text-align:left;white-space:normal;min-width:5rem}\n"
	".mark{white-space:nowrap}\n"
	"th.part{padding-left:1rem}\n"
	".pictures{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,26rem),1fr));gap:1.25rem 2rem}\n"
	"figure{margin:0;min-width:0;break-inside:avoid}\n"
	"figure>svg{display:block;width:100%;max-width:29rem;height:auto}\n"
	".key{list-style:none;margin:.25rem 0;padding:0;display:flex;flex-wrap:wrap;gap:.15rem 1.1rem;font-size:.875rem}\n"
	".key svg,.mark svg{width:.9em;height:.9em;margin-right:.35em;vertical-align:-.08em}\n"
	"svg text{font-family:inherit;font-size:12px;fill:var(--text);stroke:var(--page);stroke-width:3px;paint-order:stroke}\n"
	"svg .tick{fill:var(--soft)}\n"
	"svg .grid{stroke:var(--line);stroke-width:1;fill:none}\n"
	"dl{display:grid;grid-template-columns:minmax(7rem,max-content) 1fr;gap:.25rem 1rem;margin:.75rem 0;font-size:.9375rem}\n"
	"dt{font-weight:600}\n"
	"dd{margin:0}\n"
	"@media(max-width:30rem){th:first-child{white-space:normal;min-width:7rem}th,td{padding-right:.6rem}dl{grid-template-columns:1fr}dd{margin:0 0 .4rem}}\n"
	"pre{background:var(--panel);padding:.6rem .9rem;white-space:pre-wrap;font:.875rem/1.5 ui-monospace,\"DejaVu Sans "
	"Mono\",monospace}\n"
	"summary{cursor:pointer}\n"
	"footer{margin-top:2.5rem;border-top:1px solid var(--line);color:var(--soft)}\n";

static void print_colours(bool is_dark)
{
	for (unsigned i = 0; i < VARIANT_COLOURS; i++)
		printf(".v%u{color:%s}", i, is_dark ? variant_colour[i].dark : variant_colour[i].light);
	for (unsigned i = 0; i < WASTE_CAUSES; i++)
		printf(".c%u{color:%s}", i, is_dark ? cause_colour[i].dark : cause_colour[i].light);
}

void html_begin(const char *title)
{
	printf("<!DOCTYPE html>\n<html xmlns=\"http://www.w3.org/1999/xhtml\" lang=\"en\">\n<head>\n<meta charset=\"utf-8\" />\n"
	       "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\" />\n"
	       "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src &#39;none&#39;; style-src &#39;unsafe-inline&#39;\" />\n"
	       "<title>");
	html_text(title);
	printf("</title>\n<style>\n%s", style);
	print_colours(false);
	printf("\n@media screen and (prefers-color-scheme:dark){");
	print_colours(true);
	printf("}\n</style>\n</head>\n<body>\n");
}

void html_end(void)
{
	printf("</body>\n</html>\n");
}
