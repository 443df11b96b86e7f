/* SPDX-License-Identifier: GPL-2.0-or-later
 * The last records, in a ring. */
#include "base/kept.h"

#include "base/string.h"
#include "base/text.h"

static struct {
	u64 total; /* bytes ever */
	char text[KEPT_BYTES];
} kept;

void kept_put(const char *line, size_t bytes)
{
	while (bytes) {
		size_t at = kept.total % KEPT_BYTES, n = min_u64(bytes, KEPT_BYTES - at);

		memcpy(kept.text + at, line, n);
		kept.total += n;
		line += n;
		bytes -= n;
	}
}

/* What comes before the first line end may be the rest of a line. */
static u64 first_whole_line(void)
{
	u64 at = kept.total - KEPT_BYTES;

	if (kept.total <= KEPT_BYTES)
		return 0;
	while (at < kept.total && kept.text[at % KEPT_BYTES] != '\n')
		at++;
	return at + 1;
}

void kept_say(void)
{
	for (u64 at = first_whole_line(), n; at < kept.total; at += n) {
		n = min_u64(kept.total - at, KEPT_BYTES - at % KEPT_BYTES);
		say_bytes(kept.text + at % KEPT_BYTES, n);
	}
}
